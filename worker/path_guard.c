/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_guard: no path leads to a module. pathlib's classes have posixpath and ntpath in attributes,
 * which have os: a name away from every path, for whoever the gate took for somebody else. They get
 * modules in their place that have what those define, and none that they import.
 */
#include "type_object.h"

/* A module of the same name with what it defines, and no module that it imports. */
static PyObject *without_modules(PyObject *module)
{
    AUTO_PY own_name = PyObject_GetAttrString(module, "__name__");
    AUTO_PY instead = own_name ? PyModule_NewObject(own_name) : NULL;
    PyObject *all = PyModule_GetDict(module), *key, *value;
    Py_ssize_t at = 0;
    while (instead && PyDict_Next(all, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (name && name[0] != '_' && !PyModule_Check(value) &&
            PyObject_SetAttr(instead, key, value) < 0)
            return NULL;
    }
    return py_take(&instead);
}

/* The same stand-in for the same module: pathlib asks which one it is. */
static PyObject *stand_in(PyObject *made, PyObject *module)
{
    PyObject *known = PyDict_GetItemWithError(made, module);
    if (known || PyErr_Occurred())
        return known;
    AUTO_PY instead = without_modules(module);
    return instead && PyDict_SetItem(made, module, instead) == 0 ? instead : NULL;
}

static int guard_class(PyObject *made, PyObject *class)
{
    AUTO_PY view = PyObject_GetAttrString(class, "__dict__");
    AUTO_PY items = view ? PyMapping_Items(view) : NULL;
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
        PyObject *item = PyList_GetItem(items, i), *value = PyTuple_GetItem(item, 1);
        if (!PyModule_Check(value))
            continue;
        PyObject *instead = stand_in(made, value);
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(item, 0), NULL);
        if (!instead || !name || type_put_plain(class, name, instead) < 0)
            return -1;
    }
    return items ? 0 : -1;
}

/* pathlib's own names for them: posixpath, ntpath. */
static int guard_names(PyObject *made, PyObject *names)
{
    PyObject *module, *instead;
    Py_ssize_t at = 0;
    while (PyDict_Next(made, &at, &module, &instead)) {
        AUTO_PY name = PyObject_GetAttrString(module, "__name__");
        if (!name || (PyDict_Contains(names, name) > 0 && PyDict_SetItem(names, name, instead) < 0))
            return -1;
    }
    return 0;
}

int path_guard(void)
{
    PyObject *names = names_of_module("pathlib");
    AUTO_PY made = PyDict_New();
    AUTO_PY all = names ? PyDict_Values(names) : NULL;
    for (Py_ssize_t i = 0; made && all && i < PyList_Size(all); i++) {
        PyObject *value = PyList_GetItem(all, i);
        if (PyType_Check(value) && guard_class(made, value) < 0)
            return -1;
    }
    if (!names)
        return 0; /* the profile does not hand it out */
    return made && all ? guard_names(made, names) : -1;
}
