/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signature_guard: a dataclass without a docstring gets what calling it takes for one, and inspect
 * goes by everything that the class says of itself to find that out: it follows __wrapped__, compares
 * what it finds with `type`, runs __text_signature__ as code. Here it is shown the function that makes
 * the instances, and nothing else; a class that has something else there says "(...)".
 */
#include "base/io.h"
#include "type_object.h"

static PyObject *real_signature, *function_type, *method_type;

/* What the class's line of classes has under that name, as it lies there; Py_None. */
static PyObject *found_in_line(PyObject *class, const char *name)
{
    AUTO_PY line = PyObject_GetAttrString(class, "__mro__");
    for (Py_ssize_t i = 0; line && i + 1 < PyTuple_Size(line); i++) { /* the last is object */
        AUTO_PY names = PyObject_GetAttrString(PyTuple_GetItem(line, i), "__dict__");
        if (!names)
            return NULL;
        if (PyMapping_HasKeyString(names, name))
            return PyMapping_GetItemString(names, name);
    }
    return line ? Py_NewRef(Py_None) : NULL;
}

/* A function that has no attributes, which would be asked. */
static int is_plain_function(PyObject *value)
{
    AUTO_PY own = (PyObject *)Py_TYPE(value) == function_type
                      ? PyObject_GetAttrString(value, "__dict__")
                      : NULL;
    return own && PyDict_Size(own) == 0;
}

static int is_c_function(PyObject *value)
{
    return value == Py_None || PyCFunction_Check(value); /* __new__ of a class written in C */
}

static PyObject *signature(PyObject *self, PyObject *class)
{
    (void)self;
    if (!PyType_Check(class))
        return PyErr_Format(PyExc_TypeError, "%R is no class", class);
    AUTO_PY make = found_in_line(class, "__new__");
    AUTO_PY init = make ? found_in_line(class, "__init__") : NULL;
    if (!init)
        return NULL;
    if (!is_c_function(make) || (init != Py_None && !is_plain_function(init)))
        return PyUnicode_FromString("(...)");
    if (init == Py_None)
        return PyUnicode_FromString("()");
    AUTO_PY bound = PyObject_CallFunctionObjArgs(method_type, init, class, NULL);
    return bound ? PyObject_CallFunctionObjArgs(real_signature, bound, NULL) : NULL;
}

static PyMethodDef signature_def = {"signature", signature, METH_O, NULL};

/* inspect as dataclasses has it: the same, but for that. */
static PyObject *stand_in(PyObject *inspect)
{
    AUTO_PY ours = PyModule_New("inspect");
    AUTO_PY function = PyCFunction_NewEx(&signature_def, NULL, NULL);
    PyObject *names = ours ? PyModule_GetDict(ours) : NULL;
    if (!names || !function || PyDict_Update(names, PyModule_GetDict(inspect)) < 0 ||
        PyDict_SetItemString(names, signature_def.ml_name, function) < 0)
        return NULL;
    return py_take(&ours);
}

int signature_guard(void)
{
    PyObject *names = names_of_module("dataclasses");
    PyObject *inspect = names ? PyDict_GetItemString(names, "inspect") : NULL;
    if (!inspect)
        return 0; /* the profile does not hand it out */
    AUTO_PY types = PyImport_ImportModule("types");
    function_type = types ? PyObject_GetAttrString(types, "FunctionType") : NULL;
    method_type = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    real_signature = PyObject_GetAttrString(inspect, signature_def.ml_name);
    if (!function_type || !method_type || !real_signature)
        return -1;
    AUTO_PY ours = stand_in(inspect);
    return ours ? PyDict_SetItemString(names, "inspect", ours) : -1;
}
