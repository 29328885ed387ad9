/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate: the entry. Text first, then the parser of the interpreter that will run the code,
 * then the passes over its tree. Whatever the parser says of hostile text becomes a warning.
 */
#include "gate_int.h"

#include <stdlib.h>

#define ONLY_AST 0x400 /* ast.PyCF_ONLY_AST, the same in every version */

static void close_gate(struct gate *g)
{
    for (uint32_t i = 0; i < g->warning_count; i++)
        Py_DECREF(g->warnings[i].message);
    for (uint32_t id = 1; id < g->name_count; id++)
        Py_DECREF(NAME(g, id)->str);
    py_clear(&g->seen);
    free(g->nodes);
    free(g->scopes);
    free(g->names);
    free(g->name_slots);
    free(g->symbols);
    free(g->binds);
    free(g->symbol_slots.keys);
    free(g->symbol_slots.values);
    free(g->class_facts.keys);
    free(g->class_facts.values);
    free(g->warnings);
    free(g->line_starts);
}

/* ---- the parser ------------------------------------------------------------------------ */

static long number_of(PyObject *error, const char *name, long otherwise)
{
    AUTO_PY value = PyObject_GetAttrString(error, name);
    long number = value && value != Py_None ? PyLong_AsLong(value) : otherwise;
    PyErr_Clear();
    return number < 1 ? otherwise : number;
}

static int warn_syntax(struct gate *g, PyObject *error)
{
    AUTO_PY message = PyObject_GetAttrString(error, "msg");
    PyErr_Clear();
    long line = number_of(error, "lineno", 1), column = number_of(error, "offset", 1);
    long end_line = number_of(error, "end_lineno", line);
    long end_column = number_of(error, "end_offset", column);
    if (end_line == line && end_column <= column)
        end_column = column + 1;
    return gate_warn_at(g, RULE_SYNTAX, line, column, end_line, end_column, "Syntax error: %S",
                        message ? message : error);
}

static int warn_unreadable(struct gate *g, PyObject *error)
{
    if (PyErr_GivenExceptionMatches(error, PyExc_RecursionError) ||
        PyErr_GivenExceptionMatches(error, PyExc_MemoryError))
        return gate_warn_at(g, RULE_TOO_DEEP, 1, 1, 1, 1,
                            "The code is nested too deeply, or is too large, for Python's own "
                            "parser.");
    if (PyErr_GivenExceptionMatches(error, PyExc_SyntaxError))
        return warn_syntax(g, error);
    return gate_warn_at(g, RULE_SYNTAX, 1, 1, 1, 1, "Syntax error: %S", error);
}

/* What the parser raised, as a warning. 0, or -1 when even that cannot be said. */
static int warn_parser(struct gate *g)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    int rc = warn_unreadable(g, value ? value : type);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return rc;
}

/* From text, so that no coding comment changes what is read, or from the tree. */
static PyObject *compiled(PyObject *source, int flags)
{
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    AUTO_PY compile = builtins ? PyObject_GetAttrString(builtins, "compile") : NULL;
    if (!compile)
        return NULL;
    return PyObject_CallFunction(compile, "OssiO", source, USER_FILE, "exec", flags, Py_True);
}

/* ---- the passes --------------------------------------------------------------------------- */

/* What the questions about this source may cost. */
#define STEPS_BASE 1000000u
#define STEPS_PER_NODE 100u

static int warn_involved(struct gate *g)
{
    if (*g->steps <= g->steps_max)
        return 0;
    return gate_warn_at(g, RULE_TOO_DEEP, 1, 1, 1, 1,
                        "The code is too involved to be judged in the time that its size allows.");
}

/* 0, -1, or 1: a cap was hit. */
static int judge(struct gate *g, PyObject *tree)
{
    size_t steps = 0;
    g->steps = &steps;
    g->steps_max = SIZE_MAX;
    if (gate_names_open(g) < 0)
        return -1;
    int capped = gate_tree_open(g, tree);
    if (capped != 0)
        return capped;
    g->steps_max = STEPS_BASE + (size_t)STEPS_PER_NODE * g->node_count;
    if (gate_scope_bind(g) < 0 || gate_size_check(g) < 0 || gate_constants_check(g) < 0 ||
        gate_facts_collect(g) < 0 || gate_walk(g) < 0 || gate_names_check(g) < 0)
        return -1;
    return warn_involved(g);
}

/* Whether the compiler is kept from it: it would take too long, or too much. */
static int is_not_compiled(const struct gate *g)
{
    for (uint32_t i = 0; i < g->warning_count; i++)
        if (g->warnings[i].rule == RULE_TOO_LARGE || g->warnings[i].rule == RULE_TOO_DEEP)
            return 1;
    return g->dropped != 0;
}

/*
 * Some of what is no Python only the compiler finds: `return` outside a function. Whoever is
 * asked is told that too.
 */
static int compile_judged(struct gate *g, PyObject *tree, PyObject **ret_code)
{
    if (is_not_compiled(g))
        return 0;
    AUTO_PY code = compiled(tree, 0);
    if (!code)
        return warn_parser(g);
    if (g->warning_count == 0)
        *ret_code = py_take(&code);
    return 0;
}

/* *parsed: the tree, if it is made here; it has to outlive the gate. */
static int check_text_and_tree(struct gate *g, PyObject *tree, PyObject **parsed,
                               PyObject **ret_code)
{
    int rc = gate_text_check(g);
    if (rc != 0)
        return rc;
    if (!tree) {
        tree = *parsed = compiled(g->source, ONLY_AST);
        if (!tree)
            return warn_parser(g) < 0 ? -1 : 1;
    }
    rc = judge(g, tree);
    return rc == 0 && ret_code ? compile_judged(g, tree, ret_code) : rc;
}

static int run(PyObject *source, PyObject *tree, PyObject **ret_code, struct gate_report *report)
{
    struct gate *g = calloc(1, sizeof(*g));
    if (!g) {
        PyErr_NoMemory();
        return -1;
    }
    g->source = source;
    g->report = report;
    report->warnings = NULL;
    AUTO_PY parsed = NULL;
    int rc = check_text_and_tree(g, tree, &parsed, ret_code);
    if (rc >= 0)
        rc = gate_report_close(g);
    close_gate(g);
    free(g);
    return rc < 0 ? -1 : 0;
}

int gate_check(PyObject *source, PyObject *tree, struct gate_report *report)
{
    return run(source, tree, NULL, report);
}

int gate_source(PyObject *source, PyObject **ret_code, struct gate_report *report)
{
    *ret_code = NULL;
    return run(source, NULL, ret_code, report);
}
