/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone_guard: ZoneInfo as user code gets it, whose keys are texts and nothing but. zoneinfo
 * looks at the path that a key says, then opens it, and walks its cache while keys compare
 * themselves: what derives from str, or from nothing, could say one path and then another, and
 * empty the cache under the walk, which is C code.
 *
 * It is a class of its own, the library's being shared by all, with the library's name.
 */
#include "worker.h"

static PyTypeObject *real;

/* A new reference to the text itself. */
static PyObject *plain_key(PyObject *key)
{
    if (PyUnicode_Check(key))
        return PyUnicode_FromObject(key);
    return PyErr_Format(PyExc_TypeError, "a ZoneInfo's key must be a str");
}

static PyObject *key_of(PyObject *args, PyObject *kwargs)
{
    static char name[] = "key";
    static char *names[] = {name, NULL};
    PyObject *key;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O:ZoneInfo", names, &key) ? plain_key(key)
                                                                                : NULL;
}

static PyObject *zone_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    AUTO_PY key = key_of(args, kwargs);
    AUTO_PY plain = key ? PyTuple_Pack(1, key) : NULL;
    newfunc make = (newfunc)PyType_GetSlot(real, Py_tp_new);
    return plain ? make(type, plain, NULL) : NULL;
}

static PyObject *zone_no_cache(PyObject *type, PyObject *args, PyObject *kwargs)
{
    AUTO_PY key = key_of(args, kwargs);
    AUTO_PY method = key ? PyObject_GetAttrString((PyObject *)real, "__dict__") : NULL;
    AUTO_PY found = method ? PyMapping_GetItemString(method, "no_cache") : NULL;
    AUTO_PY bound = found ? PyObject_CallMethod(found, "__get__", "OO", Py_None, type) : NULL;
    return bound ? PyObject_CallFunctionObjArgs(bound, key, NULL) : NULL;
}

static PyMethodDef methods[] = {
    {"no_cache", (PyCFunction)(void (*)(void))zone_no_cache,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     PyDoc_STR("Get a new instance of ZoneInfo, bypassing the cache.")},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)zone_new},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "zoneinfo.ZoneInfo",
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

int zone_guard(void)
{
    PyObject *facade = PyDict_GetItemString(worker.allow, "zoneinfo");
    PyObject *names = facade ? PyModule_GetDict(facade) : NULL;
    PyObject *class = names ? PyDict_GetItemString(names, "ZoneInfo") : NULL;
    if (!class)
        return 0; /* the profile does not hand it out */
    Py_INCREF(class);
    real = (PyTypeObject *)(void *)class;
    AUTO_PY ours = PyType_FromSpecWithBases(&spec, class);
    /* Which makes the cache of a class that derives from it. */
    AUTO_PY made = ours ? PyObject_CallMethod(ours, "__init_subclass__", NULL) : NULL;
    return made ? PyDict_SetItemString(names, "ZoneInfo", ours) : -1;
}
