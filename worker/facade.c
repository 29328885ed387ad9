/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facade: what user code gets instead of a module. A facade is an exact ModuleType (a
 * subclass would lose the interpreter's fast attribute access) that holds what the export
 * table lists, as far as this Python has it, and nothing that leads to the module itself.
 * Made once, before any user code runs: a run may do with its copy what it likes, and
 * neither the standard library nor the next run sees it.
 *
 * A module without a table, in a profile that somebody wrote, is handed out as it is: its
 * owner has decided so. The strict profile lists none.
 */
#include "worker.h"

#include "exports.h"
#include "package.h"

#include <string.h>

/* What a new module has besides its name and documentation. */
static const char *const surplus[] = {"__loader__", "__package__", "__spec__"};

static const struct export_module *table_of(PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text)
        PyErr_Clear();
    return text ? exports_find(text) : NULL;
}

/* ---- sys, of which two attributes are not fixed ------------------------------------- */

/* contextlib.redirect_stdout changes the real one, and the code looks here for it. */
static PyObject *stream_of_sys(PyObject *self, PyObject *name)
{
    (void)self;
    int known = PyUnicode_Check(name) && (PyUnicode_CompareWithASCIIString(name, "stdout") == 0 ||
                                          PyUnicode_CompareWithASCIIString(name, "stderr") == 0);
    const char *text = known ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    PyObject *stream = text ? PySys_GetObject(text) : NULL;
    if (!stream)
        return PyErr_Format(PyExc_AttributeError, "module 'sys' has no attribute %R", name);
    Py_INCREF(stream);
    return stream;
}

static PyMethodDef stream_def = {"__getattr__", stream_of_sys, METH_O, NULL};

static int is_stream(const struct export_module *table, const char *name)
{
    return strcmp(table->name, "sys") == 0 &&
           (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0);
}

static int add_streams(PyObject *names)
{
    /* Without a self: what a builtin is bound to can be reached from it. */
    AUTO_PY get = PyCFunction_NewEx(&stream_def, NULL, NULL);
    return get ? PyDict_SetItemString(names, "__getattr__", get) : -1;
}

/* ---- making ------------------------------------------------------------------------- */

/* A bare module of that name. */
static PyObject *new_module(PyObject *name)
{
    AUTO_PY module = PyModule_NewObject(name);
    PyObject *names = module ? PyModule_GetDict(module) : NULL;
    for (size_t i = 0; names && i < ARRAY_LEN(surplus); i++)
        if (PyDict_DelItemString(names, surplus[i]) < 0)
            PyErr_Clear(); /* this Python gives it none */
    return py_take(&module);
}

/* A container that the library goes by is handed out as a copy. */
static PyObject *own_copy(PyObject *value)
{
    if (PyDict_CheckExact(value) || PyList_CheckExact(value) || Py_TYPE(value) == &PySet_Type)
        return PyObject_CallMethod(value, "copy", NULL);
    return Py_NewRef(value);
}

/* Takes over one attribute; 0 also when this Python lacks it. */
static int copy_name(PyObject *names, PyObject *real, const char *name)
{
    AUTO_PY value = PyObject_GetAttrString(real, name);
    AUTO_PY own = value ? own_copy(value) : NULL;
    if (value)
        return own ? PyDict_SetItemString(names, name, own) : -1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}

static int copy_names(PyObject *names, PyObject *real, const struct export_module *table)
{
    if (copy_name(names, real, "__doc__") < 0)
        return -1;
    for (size_t i = 0; i < table->count; i++) {
        const struct export_name *row = &table->names[i];
        if (row->denied || is_stream(table, row->name))
            continue;
        if (copy_name(names, real, row->name) < 0)
            return -1;
    }
    return strcmp(table->name, "sys") == 0 ? add_streams(names) : 0;
}

/* 1: `name` goes into __all__; 0; -1. */
static int in_star(PyObject *names, const struct export_module *table, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text)
        return -1;
    if (!exports_has(table, text))
        return 0;
    return is_stream(table, text) ? 1 : PyDict_Contains(names, name);
}

/* `from m import *` brings in what it does elsewhere, as far as it is exported. */
static int set_star(PyObject *names, PyObject *real, const struct export_module *table)
{
    AUTO_PY listed = PyObject_GetAttrString(real, "__all__");
    if (!listed) {
        PyErr_Clear();
        listed = PyObject_Dir(real);
    }
    AUTO_PY order = listed ? PySequence_List(listed) : NULL;
    AUTO_PY star = PyList_New(0);
    for (Py_ssize_t i = 0; order && star && i < PyList_Size(order); i++) {
        PyObject *name = PyList_GetItem(order, i);
        int rc = in_star(names, table, name);
        if (rc < 0 || (rc > 0 && PyList_Append(star, name) < 0))
            return -1;
    }
    return order && star ? PyDict_SetItemString(names, "__all__", star) : -1;
}

static PyObject *make(PyObject *name, PyObject *real, const struct export_module *table)
{
    AUTO_PY facade = new_module(name);
    PyObject *names = facade ? PyModule_GetDict(facade) : NULL;
    if (!names || copy_names(names, real, table) < 0 || set_star(names, real, table) < 0)
        return NULL;
    return py_take(&facade);
}

/* ---- all of them ---------------------------------------------------------------------- */

/* The strict profile promises that nothing goes out but what somebody has reviewed. */
static int refuse_unlisted(PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(worker.profile, "strict") != 0)
        return 0;
    PyErr_Format(PyExc_ImportError,
                 "module %R has no export table, and profile 'strict' hands out no module "
                 "without one: list it in a profile of your own",
                 name);
    return -1;
}

/* Replaces the listed module by its facade. */
static int replace(PyObject *name)
{
    const struct export_module *table = table_of(name);
    PyObject *real = PyDict_GetItemWithError(worker.allow, name);
    if (!table || !real)
        return refuse_unlisted(name);
    AUTO_PY facade = make(name, real, table);
    return facade ? PyDict_SetItem(worker.allow, name, facade) : -1;
}

/* The facade that holds `name`, which has a dot in it: borrowed. NULL: an error, or real. */
static PyObject *parent_of(PyObject *name, Py_ssize_t dot)
{
    AUTO_PY above = PyUnicode_Substring(name, 0, dot);
    if (!above)
        return NULL;
    PyObject *parent = PyDict_GetItemWithError(worker.allow, above);
    if (parent || PyErr_Occurred())
        return table_of(above) ? parent : NULL;
    /* Not listed itself: nothing but the way to its submodule. */
    AUTO_PY bare = new_module(above);
    if (!bare || PyDict_SetItem(worker.allow, above, bare) < 0)
        return NULL;
    return PyDict_GetItemWithError(worker.allow, above);
}

static int put_into_parent(PyObject *name)
{
    PyObject *facade = PyDict_GetItemWithError(worker.allow, name);
    Py_ssize_t length = PyUnicode_GetLength(name);
    Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, length, -1);
    if (!facade || dot < 0 || !table_of(name))
        return PyErr_Occurred() ? -1 : 0;
    AUTO_PY last = PyUnicode_Substring(name, dot + 1, length);
    PyObject *parent = last ? parent_of(name, dot) : NULL;
    if (!parent)
        return PyErr_Occurred() ? -1 : 0;
    return PyDict_SetItem(PyModule_GetDict(parent), last, facade);
}

/* Code finds json without importing it, also where the profile does not list it. */
static int json_as_given(void)
{
    AUTO_PY name = PyUnicode_FromString("json");
    PyObject *listed = name ? PyDict_GetItemWithError(worker.allow, name) : NULL;
    if (!name || (!listed && PyErr_Occurred()))
        return -1;
    PyObject *given = listed ? listed : make(name, worker.json, table_of(name));
    if (listed)
        Py_INCREF(given);
    if (!given)
        return -1;
    Py_DECREF(worker.json);
    worker.json = given;
    return 0;
}

int facade_prepare(void)
{
    if (exports_package_prepare() < 0)
        return -1;
    AUTO_PY names = PyDict_Keys(worker.allow);
    Py_ssize_t count = names ? PyList_Size(names) : -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (replace(PyList_GetItem(names, i)) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (put_into_parent(PyList_GetItem(names, i)) < 0)
            return -1;
    return count < 0 ? -1 : json_as_given();
}

/* ---- looking ---------------------------------------------------------------------------- */

/*
 * 1: the facade holds `item` under a key whose look-up runs no code. A key of the code's
 * own class could take the name away between this look and the interpreter's.
 */
static int holds(PyObject *facade, PyObject *item)
{
    PyObject *names = PyModule_GetDict(facade);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(names, &at, &key, &value))
        if (!PyUnicode_CheckExact(key))
            return 0;
    return PyDict_Contains(names, item);
}

int facade_is(PyObject *name)
{
    return table_of(name) != NULL;
}

int facade_offers(PyObject *facade, PyObject *name, PyObject *item)
{
    const struct export_module *table = table_of(name);
    const char *text = PyUnicode_AsUTF8AndSize(item, NULL);
    if (!table || !text) {
        PyErr_Clear();
        return 0;
    }
    if (!exports_has(table, text) && !exports_submodule(table, text))
        return 0;
    return is_stream(table, text) ? 1 : holds(facade, item);
}

const char *facade_why(PyObject *name, PyObject *item)
{
    const struct export_module *table = table_of(name);
    const char *text = table ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
    const struct export_name *row = text ? exports_name(table, text) : NULL;
    PyErr_Clear();
    return row && row->denied && row->denied[0] ? row->denied : NULL;
}

int facade_withholds(PyObject *name, PyObject *item)
{
    AUTO_PY real = facade_is(name) ? PyImport_GetModule(name) : NULL;
    AUTO_PY value = real ? PyObject_GetAttr(real, item) : NULL;
    PyErr_Clear();
    return value != NULL;
}
