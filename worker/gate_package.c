/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package: third-party packages, once the source uses one. What their modules export is
 * a table like any other (exports_package.c); this is about the rest: functions that are open
 * in one way only, and the methods and keywords of package_rows.c, which nobody can tell from
 * those of other objects: their names are refused on everything but the code's own instances.
 */
#include "gate_int.h"
#include "package.h"

#include <string.h>

static const char *name_of(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* What would have been tame. */
static const char *hint_of(enum package_shape shape)
{
    switch ((int)shape) {
    case SHAPE_BUFFER:
        return "; on an io.StringIO or io.BytesIO that the code makes itself it is not asked about";
    case SHAPE_LINES:
        return "; on an io.StringIO that the code makes itself, or a list of lines, it is not "
               "asked about";
    case SHAPE_JSON:
        return "; on an io.StringIO that the code makes itself it is not asked about";
    case SHAPE_TEXT:
        return "; without a path it returns text, and is not asked about";
    case SHAPE_EXPRESSION:
        return "; a literal that only compares and computes is not asked about, nor is "
               "df[df[\"x\"] > 1]";
    case SHAPE_FUNCTIONS:
        return "; with a function, or with the names of methods written here, it is not asked "
               "about";
    case SHAPE_PIVOT:
        return "; with aggfunc= written by its name it is not asked about";
    case SHAPE_RESIZE:
        return "; called on a name, and without refcheck=, it is not asked about";
    case SHAPE_CELL:
        return "; with a literal that reads no attribute it is not asked about";
    case SHAPE_FILTER:
        return "; with a function or a list it is not asked about";
    case SHAPE_BACKEND:
        return "; \"Agg\" is not asked about";
    case SHAPE_STYLE:
    case SHAPE_OPTIONS:
    case SHAPE_RC:
    case SHAPE_SETTINGS:
        return "; literal names of harmless ones are not asked about";
    default:
        return "";
    }
}

static int warn_shape(struct gate *g, uint32_t i, const char *name, enum package_shape shape,
                      const char *why)
{
    return gate_warn(g, RULE_PACKAGE_DOOR, i, "`%s` %s%s.", name, why, hint_of(shape));
}

/* ---- functions and classes of modules -------------------------------------------------------------- */

/* A class may be asked about, derived from, and stand in a type. */
static int is_class_use(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    uint32_t func = is_in_field(g, i, K_Call, F_args) ? first_child(g, parent) : 0;
    if (func && kind_of(g, func) == K_Attribute && strcmp(name_of(g, func), "view") == 0)
        return 1; /* a.view(np.recarray) */
    return is_instance_test(g, i) || N(g, i)->flags & IN_ANNOTATION ||
           (kind_of(g, parent) == K_Attribute && is_load(g, parent)) ||
           is_in_field(g, i, K_ClassDef, F_bases) || is_in_field(g, i, K_Subscript, F_value) ||
           (kind_of(g, parent) == K_Compare && N(g, parent)->op == COMPARE_IDENTITY);
}

int is_shaped_use(struct gate *g, uint32_t i)
{
    const struct export_name *row = export_sure(g, i);
    if (!row)
        return 0;
    if (row->shape == SHAPE_SETTINGS)
        return is_settings_use(g, i);
    if (row->shape == SHAPE_ARRAY && is_class_use(g, i))
        return 1;
    return is_in_field(g, i, K_Call, F_func); /* and then the call is judged */
}

/* The words of the row, for a name that the source may have given it. */
static const char *why_of(const struct export_name *row, const char **ret_name)
{
    *ret_name = row ? row->name : "this";
    for (size_t k = 0; row && k < exports_added(); k++) {
        const struct export_module *module = exports_added_at(k);
        if (row < module->names || row >= module->names + module->count)
            continue;
        const struct package_row *found = package_row_of(module->name, row->name);
        if (found && found->why)
            return found->why;
    }
    return "may be one of several functions, some of which lead to files";
}

int warn_shaped(struct gate *g, uint32_t i)
{
    const struct export_name *row = export_sure(g, i);
    const char *name, *why = why_of(row, &name);
    return warn_shape(g, i, name, row ? (enum package_shape)row->shape : SHAPE_NEVER, why);
}

int check_shaped_call(struct gate *g, uint32_t call)
{
    const struct export_name *row = export_sure(g, first_child(g, call));
    if (row && is_tame_package_call(g, call, (enum package_shape)row->shape, 0))
        return 0;
    return warn_shaped(g, first_child(g, call));
}

/* ---- methods and keywords ------------------------------------------------------------------------------ */

const char *gate_package_why(const struct gate *g, const char *name)
{
    const struct package_name *row = g->packages ? package_attribute(name) : NULL;
    return row ? row->why : NULL;
}

int check_package_attribute(struct gate *g, uint32_t i)
{
    const char *name = name_of(g, i);
    const struct package_name *row = g->packages ? package_attribute(name) : NULL;
    uint32_t base = first_child(g, i);
    enum package_shape shape = row ? (enum package_shape)row->shape : SHAPE_ANY;
    if (!row || is_own_object(g, base))
        return 0;
    if (!is_load(g, i)) /* of a buffer, perhaps */
        return shape == SHAPE_NEVER ? warn_shape(g, i, name, shape, row->why) : 0;
    int called = is_in_field(g, i, K_Call, F_func) && !export_sure(g, base);
    if (called && is_tame_package_call(g, N(g, i)->parent, shape, 1))
        return 0;
    return warn_shape(g, i, name, shape, row->why);
}

/* def f(**kwargs), which may hand them on. */
static int takes_any_keyword(const struct gate *g, uint32_t function)
{
    uint32_t arguments = is_function(g, function) ? child_of(g, function, F_args) : 0;
    return arguments && child_of(g, arguments, F_kwarg);
}

/* Functions and classes of the source take what they like, if they name it. */
static int is_own_callee(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    if (!b || (b->kind != BIND_FUNCTION && b->kind != BIND_CLASS) ||
        child_of(g, b->node, F_decorator_list) || child_of(g, b->node, F_bases) ||
        child_of(g, b->node, F_keywords) || takes_any_keyword(g, b->node))
        return 0;
    FOR_CHILDREN (g, c, b->node)
        if (b->kind == BIND_CLASS && takes_any_keyword(g, c))
            return 0;
    return 1;
}

static int is_false(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Constant && N(g, i)->value == Py_False;
}

static int is_tame_keyword(struct gate *g, const struct package_name *row, uint32_t value)
{
    return is_tame_package_value(g, value, row->shape) ||
           (is_false(g, value) && strcmp(row->name, "refcheck") != 0);
}

static int check_keyword(struct gate *g, uint32_t i)
{
    const struct package_name *row = package_keyword(name_of(g, i));
    if (!row || is_tame_keyword(g, row, first_child(g, i)))
        return 0;
    return warn_shape(g, i, row->name, (enum package_shape)row->shape, row->why);
}

static const struct package_name *keyword_in_text(const struct gate *g, uint32_t i)
{
    PyObject *str = string_of(g, i);
    const char *text = str ? PyUnicode_AsUTF8AndSize(str, NULL) : NULL;
    PyErr_Clear();
    return text ? package_keyword(text) : NULL;
}

/* **{"backend": "os"}, also under a name */
static int check_mapping(struct gate *g, uint32_t i)
{
    uint32_t value = only_value(g, symbol_of(g, i)), at = 0;
    i = value ? value : i;
    if (kind_of(g, i) != K_Dict)
        return 0;
    FOR_CHILDREN (g, c, i) {
        const struct package_name *row = N(g, c)->field == F_keys ? keyword_in_text(g, c) : NULL;
        at += N(g, c)->field == F_keys;
        if (row && !is_tame_keyword(g, row, child_at(g, i, F_values, at - 1)) &&
            warn_shape(g, c, row->name, (enum package_shape)row->shape, row->why) < 0)
            return -1;
    }
    return 0;
}

/* {"usetex": True}, wherever it goes; setp(text, "usetex", True) */
int check_package_text(struct gate *g, uint32_t i)
{
    const struct package_name *row = g->packages ? keyword_in_text(g, i) : NULL;
    int is_key = is_in_field(g, i, K_Dict, F_keys);
    if (!row || row->shape != SHAPE_NEVER || (!is_key && !is_in_field(g, i, K_Call, F_args)))
        return 0;
    uint32_t func = first_child(g, N(g, i)->parent);
    if (!is_key && (kind_of(g, func) != K_Attribute || strcmp(name_of(g, func), "setp") != 0))
        return 0;
    return warn_shape(g, i, row->name, SHAPE_NEVER, row->why);
}

int check_package_keywords(struct gate *g, uint32_t call)
{
    if (!g->packages || is_own_callee(g, first_child(g, call)))
        return 0;
    FOR_CHILDREN (g, c, call) {
        if (N(g, c)->field != F_keywords)
            continue;
        if (N(g, c)->name ? check_keyword(g, c) < 0 : check_mapping(g, first_child(g, c)) < 0)
            return -1;
    }
    return 0;
}

/* ---- what packages ask objects for -------------------------------------------------------------------- */

/*
 * numpy takes an object that answers to __array_interface__ at its word, and a class with
 * __getattr__ answers to everything.
 */
int check_package_definition(struct gate *g, uint32_t function)
{
    const char *name = name_of(g, function);
    if (!g->packages || g->scopes[N(g, function)->scope].kind != SCOPE_CLASS ||
        (strcmp(name, "__getattr__") != 0 && strcmp(name, "__getattribute__") != 0))
        return 0;
    return gate_warn(g, RULE_DUNDER_DEFINITION, function,
                     "`%s` answers to names that numpy asks every object for, and numpy takes "
                     "the answer for memory.",
                     name);
}

/* ---- names that no package may export ------------------------------------------------------------------ */

const char *gate_why_never(const char *name)
{
    const struct attr_row *ignored;
    const struct builtin_row *builtin = gate_builtin(name);
    if (builtin && builtin->what == BUILTIN_DENIED)
        return "it is called like a builtin that code may not use";
    return gate_attr_class(name, strlen(name), &ignored) == ATTR_DOOR
               ? "it is what modules call their way to files and processes"
               : NULL;
}
