/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_object: see the header. The place is the same for all classes of an interpreter, so it
 * is looked for once; where none fits all the classes that are looked at, nothing is changed.
 */
#include "type_object.h"

#include "base/io.h"

#define WORDS_MAX 48 /* at the head of a class, its flags among them, and all below its size */

static unsigned long *words_of(PyObject *type)
{
    return (unsigned long *)(void *)type;
}

static unsigned long flags_of(PyObject *type)
{
    return PyType_GetFlags((PyTypeObject *)(void *)type);
}

/* Where a class has its flags. 0, or -1 with an exception set. */
static int flags_index(size_t *ret_index)
{
    static size_t found; /* 0, the count of references, is never it */
    PyObject *const known[] = {(PyObject *)&PyBaseObject_Type, (PyObject *)&PyType_Type,
                               (PyObject *)&PyLong_Type, (PyObject *)&PyDict_Type, PyExc_OSError};
    for (size_t i = 1; !found && i < WORDS_MAX; i++) {
        size_t same = 0;
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            same += words_of(known[k])[i] == flags_of(known[k]);
        if (same == ARRAY_LEN(known))
            found = i;
    }
    *ret_index = found;
    if (!found)
        PyErr_SetString(PyExc_SystemError, "the flags of a class are not where they were");
    return found ? 0 : -1;
}

int type_change_flags(PyObject *type, unsigned long set, unsigned long clear)
{
    size_t index;
    if (flags_index(&index) < 0)
        return -1;
    unsigned long *word = words_of(type) + index;
    *word = (*word | set) & ~clear;
    PyType_Modified((PyTypeObject *)(void *)type);
    return 0;
}

/* A slot of the class as a word: the stable ABI reads it, and sets none. */
static int change_slot(PyObject *type, int slot, void *from, void *to)
{
    void **words = (void **)(void *)type;
    if (PyType_GetSlot((PyTypeObject *)(void *)type, slot) != from)
        return 0;
    for (size_t i = 0; i < WORDS_MAX; i++)
        if (words[i] == from) {
            words[i] = to;
            return 0;
        }
    PyErr_SetString(PyExc_SystemError, "what a class does is not where it was");
    return -1;
}

#define DEPTH_MAX 8

static int change_below(PyObject *type, int slot, void *from, void *to, int depth)
{
    AUTO_PY below = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    if (!below || change_slot(type, slot, from, to) < 0)
        return -1;
    for (Py_ssize_t i = 0; depth > 0 && i < PyList_Size(below); i++)
        if (change_below(PyList_GetItem(below, i), slot, from, to, depth - 1) < 0)
            return -1;
    return 0;
}

int type_change_slot(PyObject *type, int slot, void *to)
{
    void *from = PyType_GetSlot((PyTypeObject *)(void *)type, slot);
    return change_below(type, slot, from, to, DEPTH_MAX);
}

int type_change_new(PyObject *type, newfunc to)
{
    union {
        newfunc function;
        void *word;
    } word = {.function = to};
    return type_change_slot(type, Py_tp_new, word.word);
}

/* The dict behind the view of it that a class hands out; borrowed. */
static PyObject *dict_of(PyObject *type)
{
    AUTO_PY view = PyObject_GetAttrString(type, "__dict__");
    AUTO_PY gc = view ? PyImport_ImportModule("gc") : NULL;
    AUTO_PY behind = gc ? PyObject_CallMethod(gc, "get_referents", "O", view) : NULL;
    PyObject *dict = behind && PyList_Size(behind) == 1 ? PyList_GetItem(behind, 0) : NULL;
    if (dict && PyDict_Check(dict))
        return dict;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "the names of a class are not where they were");
    return NULL;
}

int type_put_plain(PyObject *type, const char *name, PyObject *value)
{
    AUTO_PY key = PyUnicode_InternFromString(name);
    PyObject *dict = dict_of(type);
    if (!key || !dict || PyDict_SetItem(dict, key, value) < 0)
        return -1;
    PyType_Modified((PyTypeObject *)(void *)type);
    return 0;
}

/*
 * From 3.12 on the interpreter's own classes have their names elsewhere than where setting an
 * attribute puts them; it is what sees to the operators, though.
 */
int type_put(PyObject *type, const char *name, PyObject *value)
{
    setattrofunc set = (setattrofunc)PyType_GetSlot(&PyType_Type, Py_tp_setattro);
    AUTO_PY key = PyUnicode_InternFromString(name);
    unsigned long closed = flags_of(type) & Py_TPFLAGS_IMMUTABLETYPE;
    PyObject *dict = dict_of(type);
    if (!key || !dict || PyDict_SetItem(dict, key, value) < 0 ||
        type_change_flags(type, 0, closed) < 0)
        return -1;
    int rc = name[0] == '_' ? set(type, key, value) : 0;
    return type_change_flags(type, closed, 0) < 0 ? -1 : rc;
}

int type_put_method(PyObject *type, PyMethodDef *def, PyObject **ret_original)
{
    AUTO_PY names = PyObject_GetAttrString(type, "__dict__");
    AUTO_PY original = names ? PyMapping_GetItemString(names, def->ml_name) : NULL;
    AUTO_PY doc = original ? PyObject_GetAttrString(original, "__doc__") : NULL;
    if (!doc)
        return -1;
    def->ml_doc = doc == Py_None ? NULL : PyUnicode_AsUTF8AndSize(doc, NULL);
    PyErr_Clear();  /* no text: it has none, then */
    Py_INCREF(doc); /* which `def` now points into */
    AUTO_PY ours = PyDescr_NewMethod((PyTypeObject *)(void *)type, def);
    if (!ours || type_put(type, def->ml_name, ours) < 0)
        return -1;
    *ret_original = py_take(&original);
    return 0;
}

/*
 * What a class does with items lies in a structure of its own: a class has the place of that
 * before the one of its hash.
 */
static void **items_of(PyObject *type)
{
    void **words = (void **)(void *)type;
    void *hash = PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_hash);
    void *get = PyType_GetSlot((PyTypeObject *)(void *)type, Py_mp_subscript);
    for (size_t i = 1; hash && get && i < WORDS_MAX; i++)
        if (words[i] == hash)
            return words[i - 1] && ((void **)words[i - 1])[1] == get ? words[i - 1] : NULL;
    return NULL;
}

int type_change_items(PyObject *type, objobjargproc to)
{
    void **items = items_of(type);
    union {
        objobjargproc function;
        void *word;
    } slot = {.function = to};
    if (!items || items[2] != PyType_GetSlot((PyTypeObject *)(void *)type, Py_mp_ass_subscript)) {
        PyErr_SetString(PyExc_SystemError, "what a class does with items is not where it was");
        return -1;
    }
    items[2] = slot.word;
    return 0;
}

PyObject *names_of_module(const char *module)
{
    PyObject *found = PyDict_GetItemString(worker.modules, module);
    return found ? PyModule_GetDict(found) : NULL;
}

PyObject *known_of(PyObject *table, PyObject *object)
{
    AUTO_PY id = PyLong_FromVoidPtr(object);
    PyObject *pair = id ? PyDict_GetItem(table, id) : NULL;
    return pair ? PyTuple_GetItem(pair, 1) : NULL;
}

int put_known(PyObject *table, PyObject *object, PyObject *value)
{
    AUTO_PY id = PyLong_FromVoidPtr(object);
    AUTO_PY pair = PyTuple_Pack(2, object, value);
    return id && pair ? PyDict_SetItem(table, id, pair) : -1;
}

PyObject *type_module(PyObject *type)
{
    AUTO_PY module = PyObject_GetAttrString(type, "__module__");
    PyErr_Clear();
    return module && PyUnicode_Check(module) ? py_take(&module) : NULL;
}
