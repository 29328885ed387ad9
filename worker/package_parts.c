/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_parts: the private names that packages use, `_mgr`, `_codes` and some thousand more,
 * collected once while the zygote loads: what their classes hold, and what the code of their
 * functions mentions. Code may use any other private name on whatever it likes, since no
 * package's object answers to it.
 */
#include "worker.h"

#include "base/io.h"
#include "exports.h"
#include "package.h"

#include <string.h>

#define DEPTH_MAX 8 /* functions within one another */

static PyObject *parts; /* a set of str */

static int note_name(PyObject *name)
{
    const char *text = PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    PyErr_Clear();
    return text && text[0] == '_' && text[1] != '_' ? PySet_Add(parts, name) : 0;
}

static int note_names(PyObject *code, int depth)
{
    AUTO_PY names = PyObject_GetAttrString(code, "co_names");
    AUTO_PY consts = PyObject_GetAttrString(code, "co_consts");
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
        if (note_name(PyTuple_GetItem(names, i)) < 0)
            return -1;
    for (Py_ssize_t i = 0; consts && depth > 0 && i < PyTuple_Size(consts); i++)
        if (Py_TYPE(PyTuple_GetItem(consts, i)) == Py_TYPE(code) &&
            note_names(PyTuple_GetItem(consts, i), depth - 1) < 0)
            return -1;
    return names && consts ? 0 : -1;
}

/* A function, and those in a property, a classmethod, a wrapper. */
static int note_function(PyObject *value, int depth)
{
    static const char *const inner[] = {"__wrapped__", "__func__", "fget", "fset"};
    AUTO_PY kind = PyType_GetName(Py_TYPE(value));
    const char *name = kind ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
    static const char *const kinds[] = {"function", "property", "classmethod", "staticmethod"};
    size_t k = 0;
    while (name && k < ARRAY_LEN(kinds) && strcmp(name, kinds[k]) != 0)
        k++;
    PyErr_Clear();
    if (!name || k == ARRAY_LEN(kinds) || depth == 0)
        return 0;
    AUTO_PY code = k == 0 ? PyObject_GetAttrString(value, "__code__") : NULL;
    PyErr_Clear();
    if (code && note_names(code, DEPTH_MAX) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(inner); i++) {
        AUTO_PY held = PyObject_GetAttrString(value, inner[i]);
        PyErr_Clear();
        if (held && note_function(held, depth - 1) < 0)
            return -1;
    }
    return 0;
}

static int note_class(PyObject *class)
{
    AUTO_PY dict = PyObject_GetAttrString(class, "__dict__");
    AUTO_PY items = dict ? PyMapping_Items(dict) : NULL;
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
        PyObject *item = PyList_GetItem(items, i);
        if (note_name(PyTuple_GetItem(item, 0)) < 0 ||
            note_function(PyTuple_GetItem(item, 1), DEPTH_MAX) < 0)
            return -1;
    }
    return items ? 0 : -1;
}

static int note_module(PyObject *module)
{
    AUTO_PY values = PyDict_Values(PyModule_GetDict(module));
    for (Py_ssize_t i = 0; values && i < PyList_Size(values); i++) {
        PyObject *value = PyList_GetItem(values, i);
        if (PyType_Check(value) ? note_class(value) < 0 : note_function(value, DEPTH_MAX) < 0)
            return -1;
    }
    return values ? 0 : -1;
}

/* Whether a table was made for the package that the module is of. */
static int is_of_package(const char *name)
{
    size_t len = strcspn(name, ".");
    for (size_t k = 0; k < exports_added(); k++) {
        const char *added = exports_added_at(k)->name;
        if (strncmp(added, name, len) == 0 && (added[len] == '.' || added[len] == '\0'))
            return 1;
    }
    return 0;
}

int package_parts_collect(void)
{
    AUTO_PY modules = exports_added() > 0 ? PyDict_Copy(worker.modules) : PyDict_New();
    parts = PySet_New(NULL);
    PyObject *key, *module;
    Py_ssize_t at = 0;
    while (modules && parts && PyDict_Next(modules, &at, &key, &module)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        PyErr_Clear();
        if (name && PyModule_Check(module) && is_of_package(name) && note_module(module) < 0)
            return -1;
    }
    return modules && parts ? 0 : -1;
}

int package_has_part(PyObject *name)
{
    int has = parts ? PySet_Contains(parts, name) : 1;
    PyErr_Clear();
    return has != 0;
}
