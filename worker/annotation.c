/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotation: code that typing made of text, because the text stands where a type does:
 * List["Node"], or an annotation under `from __future__ import annotations` that
 * singledispatch reads. To make it is harmless; this is about running it. A type is names,
 * attributes, subscripts, constants and operators: what calls something, or loops, or binds a
 * name is a program, and is not run behind the gate's back.
 */
#include "gate_tables.h"
#include "type_object.h"
#include "worker.h"

#include <string.h>

/* How the names of instructions begin that no type needs, on any Python. */
static const char *const programs[] = {
    "ASYNC",
    "BUILD_INTERPOLATION",
    "BUILD_STRING",
    "BUILD_TEMPLATE",
    "CALL",
    "DELETE_",
    "END_",
    "FORMAT_",
    "FOR_ITER",
    "GET_",
    "IMPORT",
    "KW_",
    "LOAD_BUILD_CLASS",
    "MAKE_",
    "PRECALL",
    "PUSH_EXC",
    "RAISE",
    "SEND",
    "SETUP_",
    "STORE_",
    "YIELD",
};

static unsigned char is_of_program[256];

static int begins_so(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        if (strncmp(name, programs[i], strlen(programs[i])) == 0)
            return 1;
    return 0;
}

/* ForwardRef("D[sys]", module="os") would be run with that module's names. */
static PyObject *no_module(PyObject *self, void *unused)
{
    (void)self;
    (void)unused;
    return Py_NewRef(Py_None);
}

static int forget_module(PyObject *self, PyObject *value, void *unused)
{
    (void)self;
    (void)value;
    (void)unused;
    return 0;
}

static PyGetSetDef module_def = {"__forward_module__", no_module, forget_module, NULL, NULL};

static int guard_references(void)
{
    PyObject *names = names_of_module("typing");
    PyObject *type = names ? PyDict_GetItemString(names, "ForwardRef") : NULL;
    AUTO_PY ours = type ? PyDescr_NewGetSet((PyTypeObject *)(void *)type, &module_def) : NULL;
    return type ? (ours ? type_put_plain(type, "__forward_module__", ours) : -1) : 0;
}

int annotation_prepare(void)
{
    AUTO_PY module = PyImport_ImportModule("opcode");
    AUTO_PY map = module ? PyObject_GetAttrString(module, "opmap") : NULL;
    PyObject *name, *number;
    Py_ssize_t at = 0;
    if (!map || !PyDict_Check(map))
        return -1;
    while (PyDict_Next(map, &at, &name, &number)) {
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        long code = PyLong_AsLong(number);
        if (!text || (code < 0 && PyErr_Occurred()))
            return -1;
        if (code >= 0 && code < 256)
            is_of_program[code] = (unsigned char)begins_so(text);
    }
    return guard_references();
}

/* Every second byte is an instruction, or belongs to one and is 0. */
static int calls_nothing(PyObject *code)
{
    AUTO_PY bytes = PyObject_GetAttrString(code, "co_code");
    const char *text = bytes ? PyBytes_AsString(bytes) : NULL;
    Py_ssize_t size = text ? PyBytes_Size(bytes) : -1;
    for (Py_ssize_t i = 0; i < size; i += 2)
        if (is_of_program[(unsigned char)text[i]])
            return 0;
    return size > 0;
}

/* A class, or nothing of the interpreter's: typing runs text with its own builtins, eval among them. */
static int may_be_type(const char *name)
{
    const struct builtin_row *row = gate_builtin(name);
    return !row || row->what == BUILTIN_CLASS || row->what == BUILTIN_SELF_MATCH ||
           row->what == BUILTIN_TYPE;
}

/* No name leads into the interpreter. */
static int stays_outside(PyObject *code)
{
    AUTO_PY names = PyObject_GetAttrString(code, "co_names");
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!text || strncmp(text, "__", 2) == 0 || !may_be_type(text))
            return 0;
    }
    return names != NULL;
}

int annotation_is_type(PyObject *code)
{
    return calls_nothing(code) && stays_outside(code);
}
