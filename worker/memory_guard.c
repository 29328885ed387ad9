/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_guard: memory stays where it is while C code of the interpreter works on it. Such code
 * looks at an array, then at a number that it is given, and a number of the code's own may empty
 * the array when it is asked what it is; what is written then goes to any place in the process.
 * So methods that do not resize run under a lock of the buffer (what would resize it is a
 * BufferError, by the interpreter's own rules), and what becomes an item is converted before.
 *
 * Each row is a way that was seen to read or write beside the object on a supported Python.
 */
#include "type_object.h"

#include "base/io.h"

#include <string.h>

static PyObject *array_type;              /* NULL: the profile has no such module */
static PyObject *typecode_of;             /* its own, whatever a class derived from it says */
static objobjargproc list_set, array_set; /* the interpreter's own */

static PyObject *call(PyObject *original, PyObject *self, PyObject *args, PyObject *kwargs)
{
    AUTO_PY first = PyTuple_Pack(1, self);
    AUTO_PY all = first ? PySequence_Concat(first, args) : NULL;
    return all ? PyObject_Call(original, all, kwargs) : NULL;
}

static PyObject *call_one(PyObject *original, PyObject *self, PyObject *arg)
{
    return PyObject_CallFunctionObjArgs(original, self, arg, NULL);
}

/* ---- under a lock ---------------------------------------------------------------------------- */

static PyObject *call_locked(PyObject *original, PyObject *self, PyObject *args, PyObject *kwargs)
{
    Py_buffer view;
    if (PyObject_GetBuffer(self, &view, PyBUF_FULL_RO) < 0)
        return NULL;
    PyObject *result = call(original, self, args, kwargs);
    PyBuffer_Release(&view);
    return result;
}

#define OF_BYTEARRAY (PyObject *)&PyByteArray_Type
#define OF_MEMORYVIEW (PyObject *)&PyMemoryView_Type
#define OF_ARRAY array_type

/* Methods that look at the memory of `self` and run code meanwhile: an argument's. */
/* clang-format off */
#define LOCKED(X) \
    X(BYTEARRAY, __contains__) X(BYTEARRAY, __mod__) X(BYTEARRAY, count) X(BYTEARRAY, endswith) \
    X(BYTEARRAY, find) X(BYTEARRAY, hex) X(BYTEARRAY, index) X(BYTEARRAY, join) \
    X(BYTEARRAY, rfind) X(BYTEARRAY, rindex) X(BYTEARRAY, startswith) X(MEMORYVIEW, cast) \
    X(MEMORYVIEW, hex) X(MEMORYVIEW, tobytes) X(ARRAY, tofile)
/* clang-format on */

enum {
#define ROW(type, name) AT_##type##_##name,
    LOCKED(ROW)
#undef ROW
        LOCKED_COUNT
};

static PyObject *locked_originals[LOCKED_COUNT];

#define FUNCTION(type, name)                                                                       \
    static PyObject *type##_##name(PyObject *self, PyObject *args, PyObject *kwargs)               \
    {                                                                                              \
        return call_locked(locked_originals[AT_##type##_##name], self, args, kwargs);              \
    }
LOCKED(FUNCTION)
#undef FUNCTION

static PyMethodDef locked[] = {
#define ROW(type, name)                                                                            \
    {#name, (PyCFunction)(void (*)(void))type##_##name, METH_VARARGS | METH_KEYWORDS, NULL},
    LOCKED(ROW)
#undef ROW
};

static int lock_methods(void)
{
    PyObject *const types[] = {
#define ROW(type, name) OF_##type,
        LOCKED(ROW)
#undef ROW
    };
    for (size_t i = 0; i < LOCKED_COUNT; i++)
        if (types[i] && type_put_method(types[i], &locked[i], &locked_originals[i]) < 0)
            return -1;
    return 0;
}

/* ---- items of arrays -------------------------------------------------------------------------- */

/* A new reference to what will be the item, in whose conversion no code runs any more. */
static PyObject *item_of(PyObject *array, PyObject *value)
{
    if (PyLong_Check(value) || PyFloat_Check(value) || PyUnicode_Check(value))
        return Py_NewRef(value);
    AUTO_PY code = PyObject_CallFunctionObjArgs(typecode_of, array, NULL);
    const char *text = code ? PyUnicode_AsUTF8AndSize(code, NULL) : NULL;
    if (!text)
        return NULL;
    if (strchr("uw", *text))
        return Py_NewRef(value); /* which is none, and refused */
    if (!strchr("fd", *text))
        return PyNumber_Index(value);
    double number = PyFloat_AsDouble(value);
    return number == -1 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

static PyObject *real_append, *real_insert, *real_extend, *real_fromlist, *real_setitem;

static PyObject *array_append(PyObject *self, PyObject *value)
{
    AUTO_PY item = item_of(self, value);
    return item ? call_one(real_append, self, item) : NULL;
}

static PyObject *array_insert(PyObject *self, PyObject *args)
{
    PyObject *at, *value;
    if (!PyArg_UnpackTuple(args, "insert", 2, 2, &at, &value))
        return NULL;
    AUTO_PY item = item_of(self, value);
    return item ? PyObject_CallFunctionObjArgs(real_insert, self, at, item, NULL) : NULL;
}

static int extend_by_each(PyObject *self, PyObject *values)
{
    AUTO_PY walk = PyObject_GetIter(values);
    while (walk) {
        AUTO_PY value = PyIter_Next(walk);
        AUTO_PY done = value ? array_append(self, value) : NULL;
        if (!done)
            return PyErr_Occurred() ? -1 : 0;
    }
    return -1;
}

static PyObject *array_extend(PyObject *self, PyObject *values)
{
    int known = PyObject_IsInstance(values, array_type);
    if (known != 0 || PyRange_Check(values) || PyBytes_CheckExact(values))
        return known < 0 ? NULL : call_one(real_extend, self, values);
    return extend_by_each(self, values) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *array_fromlist(PyObject *self, PyObject *values)
{
    if (!PyList_Check(values))
        return call_one(real_fromlist, self, values);
    AUTO_PY items = PyList_New(0);
    for (Py_ssize_t i = 0; items && i < PyList_Size(values); i++) {
        AUTO_PY value = Py_NewRef(PyList_GetItem(values, i));
        AUTO_PY item = item_of(self, value);
        if (!item || PyList_Append(items, item) < 0)
            return NULL;
    }
    return items ? call_one(real_fromlist, self, items) : NULL;
}

static int set_array_item(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value || PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PySlice_Check(key))
        return array_set(self, key, value);
    AUTO_PY item = item_of(self, value);
    return item ? array_set(self, key, item) : -1;
}

static PyObject *array_setitem(PyObject *self, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_UnpackTuple(args, "__setitem__", 2, 2, &key, &value))
        return NULL;
    return set_array_item(self, key, value) < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- parts of lists --------------------------------------------------------------------------- */

/* a[::2] = values: what `values` has is asked for when the places are known. */
static int set_list_item(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value || !PySlice_Check(key) || PyList_CheckExact(value) || PyTuple_CheckExact(value))
        return list_set(self, key, value);
    AUTO_PY step = PyObject_GetAttrString(key, "step");
    if (!step || step == Py_None)
        return step ? list_set(self, key, value) : -1;
    AUTO_PY walk = PyObject_GetIter(value);
    AUTO_PY items = walk ? PySequence_List(walk) : NULL;
    if (!walk && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_SetString(PyExc_TypeError, "must assign iterable to extended slice");
    return items ? list_set(self, key, items) : -1;
}

static PyObject *real_list_setitem;

static PyObject *list_setitem(PyObject *self, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_UnpackTuple(args, "__setitem__", 2, 2, &key, &value))
        return NULL;
    return set_list_item(self, key, value) < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static PyMethodDef list_setitem_def = {"__setitem__", list_setitem, METH_VARARGS, NULL};

static struct {
    PyMethodDef def;
    PyObject **original;
} array_methods[] = {
    {{"__setitem__", array_setitem, METH_VARARGS, NULL}, &real_setitem},
    {{"append", array_append, METH_O, NULL}, &real_append},
    {{"extend", array_extend, METH_O, NULL}, &real_extend},
    {{"fromlist", array_fromlist, METH_O, NULL}, &real_fromlist},
    {{"insert", array_insert, METH_VARARGS, NULL}, &real_insert},
};

static objobjargproc item_setter(PyObject *type)
{
    union {
        void *word;
        objobjargproc function;
    } slot = {.word = PyType_GetSlot((PyTypeObject *)(void *)type, Py_mp_ass_subscript)};
    return slot.function;
}

static int guard_array(void)
{
    AUTO_PY typecode = PyObject_GetAttrString(array_type, "typecode");
    typecode_of = typecode ? PyObject_GetAttrString(typecode, "__get__") : NULL;
    array_set = item_setter(array_type);
    for (size_t i = 0; typecode_of && i < ARRAY_LEN(array_methods); i++)
        if (type_put_method(array_type, &array_methods[i].def, array_methods[i].original) < 0)
            return -1;
    return typecode_of ? type_change_items(array_type, set_array_item) : -1;
}

static int guard_list(void)
{
    PyObject *type = (PyObject *)&PyList_Type;
    list_set = item_setter(type);
    return type_put_method(type, &list_setitem_def, &real_list_setitem) < 0
               ? -1
               : type_change_items(type, set_list_item);
}

int memory_guard(void)
{
    PyObject *module = PyDict_GetItemString(worker.modules, "array");
    array_type = module ? PyObject_GetAttrString(module, "array") : NULL;
    if (module && (!array_type || guard_array() < 0))
        return -1;
    return guard_list() < 0 ? -1 : lock_methods();
}
