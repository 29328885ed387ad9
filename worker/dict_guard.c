/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dict_guard: what code sees of a class's own dict. By a name in text it has each method as a plain
 * function, which takes anything for `self`: `object`'s read and set every attribute of every object.
 * The gate asks about the dict of what may be a class; should it be led past one, code finds the names
 * there, for dir() and for loops, but None behind those that lead into the interpreter, and behind
 * all private ones in a class that is not the code's. functools.update_wrapper(), which copies such
 * a dict into any object that it is given, gets the same.
 */
#include "audit.h"
#include "gate.h"
#include "type_object.h"

#include "base/io.h"

#include <string.h>

static PyObject *real_dict; /* type.__dict__["__dict__"] */
static PyObject *real_vars;
static PyObject *functools_names; /* NULL: the profile does not hand it out */

/* What tells of a class, and does nothing. */
static int only_tells(const char *name)
{
    static const char *const names[] = {"__annotations__", "__doc__",      "__match_args__",
                                        "__module__",      "__qualname__", "__slots__"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

/* A property, a class method: of use in a class only, where they come by `self`. */
static int is_for_classes(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return PyType_GetSlot(type, Py_tp_descr_get) && !PyType_GetSlot(type, Py_tp_call);
}

static int is_hidden(PyObject *key, int is_codes)
{
    Py_ssize_t len;
    const char *name = PyUnicode_CheckExact(key) ? PyUnicode_AsUTF8AndSize(key, &len) : NULL;
    PyErr_Clear();
    if (!name || name[0] != '_' || only_tells(name))
        return 0;
    return !is_codes || gate_leads_inside(name, (size_t)len);
}

static PyObject *shown(PyObject *class, int is_copied)
{
    AUTO_PY module = type_module(class);
    PyErr_Clear(); /* it says none */
    AUTO_PY all = PyObject_CallMethod(real_dict, "__get__", "O", class);
    AUTO_PY names = PyDict_New();
    int is_codes = module && PyUnicode_CompareWithASCIIString(module, "__main__") == 0;
    AUTO_PY keys = all && names && PyDict_Update(names, all) == 0 ? PyDict_Keys(names) : NULL;
    for (Py_ssize_t i = 0; keys && i < PyList_Size(keys); i++) {
        PyObject *key = PyList_GetItem(keys, i);
        int hidden =
            is_hidden(key, is_codes) || (is_copied && is_for_classes(PyDict_GetItem(names, key)));
        if (hidden && PyDict_SetItem(names, key, Py_None) < 0)
            return NULL;
    }
    return keys ? PyDictProxy_New(names) : NULL;
}

static PyObject *get_dict(PyObject *class, void *unused)
{
    (void)unused;
    if (audit_is_on() && audit_is_by_code())
        return shown(class, 0);
    if (audit_is_on() && functools_names && PyEval_GetGlobals() == functools_names)
        return shown(class, 1);
    return PyObject_CallMethod(real_dict, "__get__", "O", class);
}

static PyGetSetDef dict_def = {"__dict__", get_dict, NULL, NULL, NULL};

static PyObject *guarded_vars(PyObject *self, PyObject *args)
{
    PyObject *object = NULL;
    (void)self;
    if (!PyArg_UnpackTuple(args, "vars", 0, 1, &object))
        return NULL;
    return object && PyType_Check(object) ? shown(object, 0) : PyObject_Call(real_vars, args, NULL);
}

static PyMethodDef vars_def = {"vars", guarded_vars, METH_VARARGS, NULL};

int dict_guard(void)
{
    PyObject *type = (PyObject *)&PyType_Type;
    AUTO_PY names = PyObject_GetAttrString(type, "__dict__");
    AUTO_PY ours = PyDescr_NewGetSet(&PyType_Type, &dict_def);
    AUTO_PY vars = PyCFunction_NewEx(&vars_def, NULL, NULL);
    functools_names = names_of_module("functools");
    real_dict = names ? PyMapping_GetItemString(names, "__dict__") : NULL;
    real_vars = Py_XNewRef(PyDict_GetItemString(worker.builtins, "vars"));
    if (!real_dict || !ours || !vars || type_put_plain(type, "__dict__", ours) < 0)
        return -1;
    return real_vars ? PyDict_SetItemString(worker.builtins, "vars", vars) : 0;
}
