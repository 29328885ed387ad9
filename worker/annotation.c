/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotation: text that typing is about to make code of, because it stands where a type
 * does: List["Node"], or an annotation under `from __future__ import annotations` that
 * singledispatch reads. A type is names, attributes, subscripts, constants and operators:
 * text that calls something is a program, and is not run behind the gate's back.
 */
#include "worker.h"

#include <string.h>

#define ONLY_AST 0x400 /* ast.PyCF_ONLY_AST */

static int is_kind_of_type(const char *kind)
{
    static const char *const others[] = {
        "Call",         "Lambda",    "ListComp",      "SetComp",    "DictComp",
        "GeneratorExp", "Await",     "Yield",         "YieldFrom",  "FormattedValue",
        "JoinedStr",    "NamedExpr", "Interpolation", "TemplateStr"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strcmp(others[i], kind) == 0)
            return 0;
    return 1;
}

/* The name of an attribute or a variable that leads into the interpreter. */
static int is_inside(PyObject *value)
{
    Py_ssize_t length;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    PyErr_Clear();
    return text && length > 2 && text[0] == '_' && text[1] == '_';
}

/* Puts what a node holds on the stack. 1; 0: it is no part of a type; -1. */
static int take_apart(PyObject *node, PyObject *stack)
{
    AUTO_PY kind = PyType_GetName(Py_TYPE(node));
    AUTO_PY fields = kind ? PyObject_GetAttrString(node, "_fields") : NULL;
    const char *word = fields ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
    if (!word)
        return -1;
    int is_constant = strcmp(word, "Constant") == 0;
    for (Py_ssize_t i = 0; !is_constant && i < PyTuple_Size(fields); i++) {
        AUTO_PY value = PyObject_GetAttr(node, PyTuple_GetItem(fields, i));
        if (!value || PyList_Append(stack, value) < 0)
            return -1;
        if (is_inside(value))
            return 0;
    }
    return is_kind_of_type(word);
}

static int is_node(PyObject *value)
{
    return value != Py_None && !PyUnicode_Check(value) && !PyLong_Check(value);
}

int annotation_is_type(PyObject *text)
{
    AUTO_PY tree =
        PyObject_CallFunction(worker.compile, "Ossi", text, "<annotation>", "eval", ONLY_AST);
    AUTO_PY stack = tree ? Py_BuildValue("[O]", tree) : NULL;
    int rc = 1;
    if (!tree && PyErr_ExceptionMatches(PyExc_SyntaxError)) {
        PyErr_Clear(); /* typing says so itself */
        return 1;
    }
    while (stack && rc > 0 && PyList_Size(stack) > 0) {
        Py_ssize_t last = PyList_Size(stack) - 1;
        AUTO_PY value = PySequence_GetItem(stack, last);
        if (!value || PySequence_DelItem(stack, last) < 0)
            return -1;
        if (PyList_Check(value))
            rc = PyList_SetSlice(stack, last, last, value) < 0 ? -1 : 1;
        else if (is_node(value))
            rc = take_apart(value, stack);
    }
    return stack ? rc : -1;
}
