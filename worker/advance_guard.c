/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advance_guard: no iterator is asked by what it asks. Iterators written in C look at what they
 * hold, call the code's own __next__ or __getitem__, and go on with what they had looked at: one
 * that is asked again meanwhile lets go of it twice. Python's generators refuse that, and so do
 * these now, in the same words.
 */
#include "type_object.h"

#include "base/io.h"

#include <stdint.h>

#define TYPES_MAX 64
#define BUCKETS 256

/* Those of the interpreter, which are never freed, each at or after the place of its address. */
static struct row {
    PyTypeObject *type;
    iternextfunc next; /* the interpreter's own */
} rows[4 * TYPES_MAX];
static size_t row_count;

/* Those that are being asked, by their addresses. */
static __thread struct advance {
    PyObject *iterator;
    struct advance *outer;
} * advancing[BUCKETS];

/* The row of the type, or the free one that it would have. */
static struct row *row_of(PyTypeObject *type)
{
    size_t i = ((uintptr_t)type >> 4) % ARRAY_LEN(rows);
    while (rows[i].type && rows[i].type != type)
        i = (i + 1) % ARRAY_LEN(rows);
    return &rows[i];
}

static iternextfunc real_next(PyTypeObject *type)
{
    iternextfunc own = row_of(type)->next;
    for (size_t i = 0; !own && i < ARRAY_LEN(rows); i++)
        if (rows[i].type && PyType_IsSubtype(type, rows[i].type))
            own = rows[i].next;
    return own;
}

static PyObject *guarded_next(PyObject *self)
{
    struct advance **bucket = &advancing[((uintptr_t)self >> 4) % BUCKETS];
    iternextfunc next = real_next(Py_TYPE(self));
    for (struct advance *a = *bucket; a; a = a->outer)
        if (a->iterator == self)
            next = NULL;
    if (!next)
        return PyErr_Format(PyExc_ValueError, "iterator already executing");
    struct advance own = {.iterator = self, .outer = *bucket};
    *bucket = &own;
    Py_INCREF(self);
    PyObject *result = next(self);
    *bucket = own.outer;
    Py_DECREF(self);
    return result;
}

static PyObject *method_next(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *result = guarded_next(self);
    if (!result && !PyErr_Occurred())
        PyErr_SetNone(PyExc_StopIteration);
    return result;
}

static PyMethodDef next_def = {"__next__", method_next, METH_NOARGS, NULL};

static int guard(PyObject *type)
{
    union {
        void *word;
        iternextfunc function;
    } slot = {.word = PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_iternext)},
      ours = {.function = guarded_next};
    AUTO_PY names = PyObject_GetAttrString(type, "__dict__");
    int own = names ? PyMapping_HasKeyString(names, next_def.ml_name) : -1;
    if (own <= 0 || !slot.word || row_count == TYPES_MAX)
        return own < 0 ? -1 : 0;
    row_count++;
    *row_of((PyTypeObject *)(void *)type) =
        (struct row){(PyTypeObject *)(void *)type, slot.function};
    AUTO_PY original = NULL;
    return type_put_method(type, &next_def, &original) < 0
               ? -1
               : type_change_slot(type, Py_tp_iternext, ours.word);
}

static int guard_module(const char *name)
{
    PyObject *module = PyDict_GetItemString(worker.modules, name);
    AUTO_PY values = module ? PyDict_Values(PyModule_GetDict(module)) : PyList_New(0);
    for (Py_ssize_t i = 0; values && i < PyList_Size(values); i++)
        if (PyType_Check(PyList_GetItem(values, i)) && guard(PyList_GetItem(values, i)) < 0)
            return -1;
    return values ? 0 : -1;
}

/* A module does not hold the class. */
static int guard_csv(void)
{
    PyObject *module = PyDict_GetItemString(worker.modules, "csv");
    AUTO_PY reader = module ? PyObject_CallMethod(module, "reader", "(())") : NULL;
    return reader ? guard((PyObject *)Py_TYPE(reader)) : module ? -1 : 0;
}

int advance_guard(void)
{
    return guard((PyObject *)&PySeqIter_Type) < 0 || guard((PyObject *)&PyCallIter_Type) < 0 ||
                   guard_module("itertools") < 0
               ? -1
               : guard_csv();
}
