/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_guard: what the library calls by a private name on its own objects is its own. ExitStack and
 * PrettyPrinter hand functions as they lie in a class of the code, `__exit__` and `__repr__`, to
 * methods and tables that they look up on `self`: one that is somebody else's calls them with anything
 * for theirs. A class below may define such a name, an instance get it from text, a slot or another
 * class beside it; so statements of the library find what the library's class has.
 */
#include "base/io.h"
#include "type_object.h"

#include <string.h>

/* The last one first: a class is asked for as the most that it is. */
static struct own_class {
    const char *module, *class;
    PyObject *names; /* of the module; NULL: the profile does not hand it out */
    PyTypeObject *type;
} rows[] = {
    {"contextlib", "AsyncExitStack", NULL, NULL},
    {"contextlib", "ExitStack", NULL, NULL},
    {"pprint", "PrettyPrinter", NULL, NULL},
};

static const struct own_class *class_of(PyObject *self)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].type && PyType_IsSubtype(Py_TYPE(self), rows[i].type))
            return &rows[i];
    return NULL;
}

/* What the library's class has under that name: a new reference, or NULL without an exception. */
static PyObject *own_part(const struct own_class *own, PyObject *name)
{
    AUTO_PY line = PyObject_GetAttrString((PyObject *)own->type, "__mro__");
    PyObject *found = NULL;
    for (Py_ssize_t i = 0; line && !found && i < PyTuple_Size(line); i++) {
        AUTO_PY names = PyObject_GetAttrString(PyTuple_GetItem(line, i), "__dict__");
        found = names ? PyObject_GetItem(names, name) : NULL;
        PyErr_Clear();
    }
    return found;
}

static PyObject *get_own(PyObject *self, PyObject *name)
{
    const char *text = PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const struct own_class *own = text && text[0] == '_' && text[1] != '_' ? class_of(self) : NULL;
    PyErr_Clear();
    AUTO_PY part = own && PyEval_GetGlobals() == own->names ? own_part(own, name) : NULL;
    if (!part)
        return PyObject_GenericGetAttr(self, name);
    descrgetfunc bind = (descrgetfunc)PyType_GetSlot(Py_TYPE(part), Py_tp_descr_get);
    return bind ? bind(part, self, (PyObject *)Py_TYPE(self)) : py_take(&part);
}

static PyMethodDef get_def = {"__getattribute__", get_own, METH_O, NULL};

int own_guard(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        PyObject *names = names_of_module(rows[i].module);
        PyObject *type = names ? PyDict_GetItemString(names, rows[i].class) : NULL;
        AUTO_PY ours = type ? PyDescr_NewMethod((PyTypeObject *)(void *)type, &get_def) : NULL;
        if (type && (!ours || type_put(type, get_def.ml_name, ours) < 0))
            return -1;
        rows[i].names = names;
        rows[i].type = (PyTypeObject *)(void *)type;
    }
    return 0;
}
