/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_memory: where numpy's C code trusts what it is told about memory, and no Python can
 * be put in its place: the constructor of arrays, and the names under which any object may say
 * that it is an array which lies somewhere.
 */
#include "package_seal.h"

#include "base/io.h"
#include "type_object.h"

#include <link.h>
#include <string.h>

/* ---- numpy's constructor ----------------------------------------------------------------------- */

static newfunc array_new; /* numpy's own */
static PyObject *array_type, *make_dtype, *dtype_of;

/* An argument of ndarray(shape, dtype, buffer, offset, strides, order), borrowed; NULL: absent. */
static PyObject *given(PyObject *args, PyObject *kwargs, Py_ssize_t at, const char *name)
{
    PyObject *value = PyTuple_Size(args) > at ? PyTuple_GetItem(args, at) : NULL;
    if (!value && kwargs)
        value = PyDict_GetItemString(kwargs, name);
    return value == Py_None ? NULL : value;
}

/* The whole of an array of objects, which is what numpy.matrix makes of one. */
static int is_same_objects(PyObject *buffer, PyObject *dtype, PyObject *args, PyObject *kwargs)
{
    if (PyObject_IsInstance(buffer, array_type) != 1 || given(args, kwargs, 3, "offset") ||
        given(args, kwargs, 4, "strides"))
        return 0;
    AUTO_PY own = PyObject_CallFunctionObjArgs(dtype_of, buffer, NULL);
    return own && own == dtype;
}

/* 1: numpy would take memory for objects. What is asked is converted once, and handed on. */
static int takes_objects(PyObject *dtype, PyObject *args, PyObject *kwargs)
{
    AUTO_PY has = PyObject_GetAttrString(dtype, "hasobject");
    int objects = has ? PyObject_IsTrue(has) : -1;
    if (objects != 1)
        return objects;
    return !is_same_objects(given(args, kwargs, 2, "buffer"), dtype, args, kwargs);
}

/* The same call, with `dtype` in the place of what would have been converted to it. */
static PyObject *new_of(PyTypeObject *type, PyObject *args, PyObject *kwargs, PyObject *dtype)
{
    AUTO_PY list = PySequence_List(args);
    AUTO_PY names = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    if (!list || !names)
        return NULL;
    Py_INCREF(dtype); /* either way it goes into a container that keeps it */
    int rc = PyList_Size(list) > 1 ? PyList_SetItem(list, 1, dtype)
                                   : PyDict_SetItemString(names, "dtype", dtype);
    if (PyList_Size(list) <= 1)
        Py_DECREF(dtype);
    AUTO_PY tuple = rc < 0 ? NULL : PyList_AsTuple(list);
    return tuple ? array_new(type, tuple, names) : NULL;
}

static PyObject *guarded_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *asked = given(args, kwargs, 1, "dtype");
    if (!asked || !given(args, kwargs, 2, "buffer"))
        return array_new(type, args, kwargs);
    AUTO_PY dtype = PyObject_CallFunctionObjArgs(make_dtype, asked, NULL);
    int objects = dtype ? takes_objects(dtype, args, kwargs) : -1;
    if (objects < 0)
        return NULL;
    if (objects)
        return PyErr_Format(PyExc_PermissionError,
                            "an array of objects in the memory of others is not open to code");
    return new_of(type, args, kwargs, dtype);
}

int package_guard_arrays(void)
{
    PyObject *numpy = PyDict_GetItemString(worker.modules, "numpy");
    if (!numpy)
        return 0;
    array_type = PyObject_GetAttrString(numpy, "ndarray");
    make_dtype = PyObject_GetAttrString(numpy, "dtype");
    AUTO_PY descriptor = array_type ? PyObject_GetAttrString(array_type, "dtype") : NULL;
    dtype_of = descriptor ? PyObject_GetAttrString(descriptor, "__get__") : NULL;
    if (!array_type || !make_dtype || !dtype_of)
        return -1;
    union {
        void *word;
        newfunc function;
    } slot = {.word = PyType_GetSlot((PyTypeObject *)array_type, Py_tp_new)};
    array_new = slot.function;
    return array_new ? type_change_new(array_type, guarded_new) : -1;
}

/* ---- names that say where memory is ---------------------------------------------------------- */

/*
 * numpy looks them up on whatever it is to make an array of, by a name that it keeps. An object
 * gets attributes under names in text in more ways than can be shut, so that name is changed
 * to a text that has no hash: nothing can be stored or found under it.
 */
static const char *const said[] = {"__array_interface__", "__array_struct__"};
static PyObject *true_names[ARRAY_LEN(said)], *hidden_names[ARRAY_LEN(said)];

static struct place {
    void **word;
    size_t name;
} places[8];
static size_t place_count;

static Py_hash_t no_hash(PyObject *self)
{
    PyErr_SetObject(PyExc_AttributeError, self);
    return -1;
}

static PyType_Slot hidden_slots[] = {{Py_tp_hash, (void *)no_hash}, {0, NULL}};
static PyType_Spec hidden_spec = {
    .name = "cordon.Name", .flags = Py_TPFLAGS_DEFAULT, .slots = hidden_slots};

static int make_names(void)
{
    AUTO_PY bases = PyTuple_Pack(1, (PyObject *)&PyUnicode_Type);
    AUTO_PY type = bases ? PyType_FromSpecWithBases(&hidden_spec, bases) : NULL;
    for (size_t k = 0; type && k < ARRAY_LEN(said); k++) {
        true_names[k] = PyUnicode_InternFromString(said[k]);
        hidden_names[k] = PyObject_CallFunctionObjArgs(type, true_names[k], NULL);
        if (!true_names[k] || !hidden_names[k])
            return -1;
    }
    return type ? 0 : -1;
}

static void note_places(void **word, void **end)
{
    for (; word < end; word++)
        for (size_t k = 0; k < ARRAY_LEN(said) && place_count < ARRAY_LEN(places); k++)
            if (*word == true_names[k])
                places[place_count++] = (struct place){word, k};
}

/* The variables of numpy's own library. */
static int look_through(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "/_multiarray_umath."))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = (info->dlpi_addr + part->p_vaddr + 7) & ~(uintptr_t)7;
        uintptr_t end = (info->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(uintptr_t)7;
        if (part->p_type == PT_LOAD && part->p_flags & PF_W)
            note_places((void **)start, (void **)end);
    }
    return 0;
}

static void set_names(PyObject *const *names)
{
    for (size_t i = 0; i < place_count; i++)
        *places[i].word = names[places[i].name];
}

int package_hide_interfaces(void)
{
    if (!PyDict_GetItemString(worker.modules, "numpy") || place_count > 0)
        return 0;
    if (make_names() < 0)
        return -1;
    (void)dl_iterate_phdr(look_through, NULL);
    set_names(hidden_names); /* a seal sees to it that this was all */
    return 0;
}

PyObject *package_array_of(PyObject *object)
{
    PyObject *numpy = PyDict_GetItemString(worker.modules, "numpy");
    AUTO_PY make = numpy ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    if (!make)
        return NULL;
    set_names(true_names);
    PyObject *array = PyObject_CallFunctionObjArgs(make, object, NULL);
    set_names(hidden_names);
    return array;
}

/* ---- classes ------------------------------------------------------------------------------------ */

#define MAY_BE_BASE (1ul << 10) /* Py_TPFLAGS_BASETYPE */

int package_close_class(PyObject *class)
{
    return type_change_flags(class, 0, MAY_BE_BASE);
}
