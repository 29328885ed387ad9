/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_guard: C code finds in its objects what it has put there. A few classes of the library
 * let code change what their own methods rely on: a Struct is made anew while it packs, the place
 * of a Unicode error lies beside its text, the flags of a decimal context outlive it.
 */
#include "type_object.h"

#include "base/io.h"

/* What the class itself says that the attribute is, whatever a class derived from it does. */
static PyObject *part(PyObject *type, const char *name, PyObject *self)
{
    AUTO_PY descriptor = PyObject_GetAttrString(type, name);
    return descriptor ? PyObject_CallMethod(descriptor, "__get__", "O", self) : NULL;
}

static Py_ssize_t number_part(PyObject *type, const char *name, PyObject *self)
{
    AUTO_PY number = part(type, name, self);
    return number ? PyLong_AsSsize_t(number) : -1;
}

static PyObject *library_class(const char *module, const char *name)
{
    PyObject *found = PyDict_GetItemString(worker.modules, module);
    return found ? PyObject_GetAttrString(found, name) : NULL;
}

/* ---- struct.Struct ----------------------------------------------------------------------------- */

static PyObject *struct_type, *real_init;

static PyObject *struct_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t size = number_part(struct_type, "size", self);
    if (PyErr_Occurred() && size == -1)
        PyErr_Clear(); /* a version that does not say so before */
    if (size >= 0)
        return PyErr_Format(PyExc_TypeError, "a Struct is made once");
    AUTO_PY first = PyTuple_Pack(1, self);
    AUTO_PY all = first ? PySequence_Concat(first, args) : NULL;
    return all ? PyObject_Call(real_init, all, kwargs) : NULL;
}

static PyMethodDef struct_def = {"__init__", (PyCFunction)(void (*)(void))struct_init,
                                 METH_VARARGS | METH_KEYWORDS, NULL};

static int guard_structs(void)
{
    struct_type = library_class("struct", "Struct");
    if (!struct_type) {
        PyErr_Clear(); /* the profile has no such module */
        return 0;
    }
    return type_put_method(struct_type, &struct_def, &real_init);
}

/* ---- what Unicode errors say --------------------------------------------------------------------- */

/* The one character or byte that cannot be converted, as the interpreter shows it; NULL: none. */
static PyObject *shown(PyObject *object, Py_ssize_t start, Py_ssize_t end)
{
    int bytes = PyBytes_Check(object), text = PyUnicode_Check(object);
    Py_ssize_t size = bytes ? PyBytes_Size(object) : text ? PyUnicode_GetLength(object) : 0;
    if (start < 0 || start >= size || end - start != 1)
        return NULL;
    if (bytes)
        return PyUnicode_FromFormat("byte 0x%02x", PyBytes_AsString(object)[start] & 0xff);
    Py_UCS4 c = PyUnicode_ReadChar(object, start);
    return PyUnicode_FromFormat(c <= 0xff     ? "character '\\x%02x'"
                                : c <= 0xffff ? "character '\\u%04x'"
                                              : "character '\\U%08x'",
                                (int)c);
}

/* Which ends with where that is and why. */
static PyObject *with_place(PyObject *type, PyObject *self, PyObject *what, const char *kind)
{
    AUTO_PY why = part(type, "reason", self);
    AUTO_PY reason = why ? PyObject_Str(why) : NULL;
    AUTO_PY object = reason ? part(type, "object", self) : NULL;
    if (!object)
        return NULL;
    Py_ssize_t start = number_part(type, "start", self), end = number_part(type, "end", self);
    AUTO_PY one = shown(object, start, end);
    if (PyErr_Occurred())
        return NULL;
    return one ? PyUnicode_FromFormat("%U %U in position %zd: %U", what, one, start, reason)
               : PyUnicode_FromFormat("%U %s in position %zd-%zd: %U", what, kind, start, end - 1,
                                      reason);
}

static PyObject *with_codec(PyObject *type, PyObject *self, const char *verb, const char *kind)
{
    AUTO_PY name = part(type, "encoding", self);
    AUTO_PY encoding = name ? PyObject_Str(name) : NULL;
    AUTO_PY what = encoding ? PyUnicode_FromFormat("'%U' codec can't %s", encoding, verb) : NULL;
    return what ? with_place(type, self, what, kind) : NULL;
}

static PyObject *str_of_decode(PyObject *self, PyObject *none)
{
    (void)none;
    return with_codec(PyExc_UnicodeDecodeError, self, "decode", "bytes");
}

static PyObject *str_of_encode(PyObject *self, PyObject *none)
{
    (void)none;
    return with_codec(PyExc_UnicodeEncodeError, self, "encode", "characters");
}

static PyObject *str_of_translate(PyObject *self, PyObject *none)
{
    (void)none;
    AUTO_PY what = PyUnicode_FromString("can't translate");
    return what ? with_place(PyExc_UnicodeTranslateError, self, what, "characters") : NULL;
}

static PyMethodDef str_defs[] = {{"__str__", str_of_decode, METH_NOARGS, NULL},
                                 {"__str__", str_of_encode, METH_NOARGS, NULL},
                                 {"__str__", str_of_translate, METH_NOARGS, NULL}};

static int guard_errors(void)
{
    PyObject *const types[] = {PyExc_UnicodeDecodeError, PyExc_UnicodeEncodeError,
                               PyExc_UnicodeTranslateError};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        AUTO_PY original = NULL;
        if (type_put_method(types[i], &str_defs[i], &original) < 0)
            return -1;
    }
    return 0;
}

/* ---- decimal.Context ------------------------------------------------------------------------------ */

static getattrofunc context_get; /* the library's own */
static setattrofunc context_set;
static PyTypeObject *signals; /* the class of what `flags` and `traps` are */
static PyObject *kept;        /* contexts of which that was asked, by their addresses */
static Py_ssize_t kept_max = 64;

/* What every context of the process is made by. */
static const char *const shared_names[] = {"DefaultContext", "BasicContext", "ExtendedContext"};
static PyObject *shared[ARRAY_LEN(shared_names)];

/* 1: and there is an exception, if it is one of those. */
static int refuse_shared(PyObject *self)
{
    for (size_t i = 0; i < ARRAY_LEN(shared); i++)
        if (self == shared[i]) {
            PyErr_Format(PyExc_TypeError, "%s is shared by all code: change a copy of it",
                         shared_names[i]);
            return 1;
        }
    return 0;
}

/* Whether anyone but the context has what points into it. */
static int is_pointed_into(PyObject *context)
{
    static const char *const names[] = {"flags", "traps"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_PY name = PyUnicode_FromString(names[i]);
        AUTO_PY value = name ? context_get(context, name) : NULL;
        if (!value || Py_TYPE(value) != signals || Py_REFCNT(value) > 2)
            return value ? 1 : -1;
    }
    return 0;
}

/* Lets those go that nobody else has. 0, or -1 with an exception. */
static int sweep(void)
{
    AUTO_PY ids = PyDict_Keys(kept);
    for (Py_ssize_t i = 0; ids && i < PyList_Size(ids); i++) {
        PyObject *id = PyList_GetItem(ids, i), *context = PyDict_GetItem(kept, id);
        int used = Py_REFCNT(context) > 1 ? 1 : is_pointed_into(context);
        if (used < 0 || (!used && PyDict_DelItem(kept, id) < 0))
            return -1;
    }
    kept_max = 64 + 2 * PyDict_Size(kept);
    return ids ? 0 : -1;
}

static int keep(PyObject *context)
{
    AUTO_PY id = PyLong_FromVoidPtr(context);
    if (!id || PyDict_SetItem(kept, id, context) < 0)
        return -1;
    return PyDict_Size(kept) > kept_max ? sweep() : 0;
}

/* Such a mapping points into its context, and does not hold it. */
static PyObject *get_of_context(PyObject *self, PyObject *name)
{
    AUTO_PY value = context_get(self, name);
    if (!value || Py_TYPE(value) != signals)
        return py_take(&value);
    if (keep(self) < 0)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(shared); i++)
        if (self == shared[i])
            return PyDictProxy_New(value);
    return py_take(&value);
}

static int set_of_context(PyObject *self, PyObject *name, PyObject *value)
{
    return refuse_shared(self) ? -1 : context_set(self, name, value);
}

static PyObject *method_set(PyObject *self, PyObject *args)
{
    PyObject *name, *value;
    if (!PyArg_UnpackTuple(args, "__setattr__", 2, 2, &name, &value))
        return NULL;
    return set_of_context(self, name, value) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *real_clear_flags, *real_clear_traps;

static PyObject *clear_flags(PyObject *self, PyObject *none)
{
    (void)none;
    return refuse_shared(self) ? NULL : PyObject_CallFunctionObjArgs(real_clear_flags, self, NULL);
}

static PyObject *clear_traps(PyObject *self, PyObject *none)
{
    (void)none;
    return refuse_shared(self) ? NULL : PyObject_CallFunctionObjArgs(real_clear_traps, self, NULL);
}

static PyObject *replaced; /* what nobody asks for any more */

static struct {
    PyMethodDef def;
    PyObject **original;
} context_methods[] = {
    {{"__getattribute__", get_of_context, METH_O, NULL}, &replaced},
    {{"__setattr__", method_set, METH_VARARGS, NULL}, &replaced},
    {{"clear_flags", clear_flags, METH_NOARGS, NULL}, &real_clear_flags},
    {{"clear_traps", clear_traps, METH_NOARGS, NULL}, &real_clear_traps},
};

union attribute_slot {
    void *word;
    getattrofunc get;
    setattrofunc set;
};

static int change_context(PyObject *type)
{
    union attribute_slot get = {.get = get_of_context}, set = {.set = set_of_context};
    context_get = ((union attribute_slot){
                       .word = PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_getattro)})
                      .get;
    context_set = ((union attribute_slot){
                       .word = PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_setattro)})
                      .set;
    for (size_t i = 0; i < ARRAY_LEN(context_methods); i++)
        if (type_put_method(type, &context_methods[i].def, context_methods[i].original) < 0)
            return -1;
    return type_change_slot(type, Py_tp_getattro, get.word) < 0
               ? -1
               : type_change_slot(type, Py_tp_setattro, set.word);
}

static int guard_contexts(void)
{
    AUTO_PY type = library_class("decimal", "Context");
    AUTO_PY made = type ? PyObject_CallNoArgs(type) : NULL;
    AUTO_PY flags = made ? PyObject_GetAttrString(made, "flags") : NULL;
    if (!flags) {
        PyErr_Clear(); /* the profile has no such module */
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(shared); i++)
        if (!(shared[i] = library_class("decimal", shared_names[i])))
            return -1;
    signals = (PyTypeObject *)(void *)Py_NewRef((PyObject *)Py_TYPE(flags));
    kept = PyDict_New();
    return kept ? change_context(type) : -1;
}

/* ---- collections.OrderedDict ------------------------------------------------------------------------ */

static PyObject *ordered;

static PyObject *keys_of(PyObject *dict)
{
    union {
        void *word;
        getiterfunc iterate;
    } slot = {.word = PyType_GetSlot((PyTypeObject *)(void *)ordered, Py_tp_iter)};
    AUTO_PY walk = slot.iterate(dict);
    return walk ? PySequence_List(walk) : NULL;
}

static int have_same_order(PyObject *left, PyObject *right)
{
    if (!PyType_IsSubtype(Py_TYPE(right), (PyTypeObject *)(void *)ordered))
        return 1;
    AUTO_PY a = keys_of(left);
    AUTO_PY b = a ? keys_of(right) : NULL;
    return b ? PyObject_RichCompareBool(a, b, Py_EQ) : -1;
}

/* The library walks along both while keys compare themselves, which may empty them. */
static PyObject *compare_ordered(PyObject *self, PyObject *other, int op)
{
    union {
        void *word;
        richcmpfunc compare;
    } slot = {.word = PyType_GetSlot(&PyDict_Type, Py_tp_richcompare)};
    if ((op != Py_EQ && op != Py_NE) || !PyDict_Check(other))
        return slot.compare(self, other, op); /* which has no answer */
    AUTO_PY same = slot.compare(self, other, Py_EQ);
    int equal = !same ? -1 : same == Py_True ? have_same_order(self, other) : 0;
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *ordered_eq(PyObject *self, PyObject *other)
{
    return compare_ordered(self, other, Py_EQ);
}

static PyObject *ordered_ne(PyObject *self, PyObject *other)
{
    return compare_ordered(self, other, Py_NE);
}

static PyMethodDef ordered_eq_def = {"__eq__", ordered_eq, METH_O, NULL};
static PyMethodDef ordered_ne_def = {"__ne__", ordered_ne, METH_O, NULL};

static int guard_ordered(void)
{
    union {
        richcmpfunc function;
        void *word;
    } ours = {.function = compare_ordered};
    AUTO_PY eq = NULL;
    AUTO_PY ne = NULL;
    ordered = library_class("collections", "OrderedDict");
    if (!ordered) {
        PyErr_Clear(); /* the profile has no such module */
        return 0;
    }
    if (type_put_method(ordered, &ordered_eq_def, &eq) < 0 ||
        type_put_method(ordered, &ordered_ne_def, &ne) < 0)
        return -1;
    return type_change_slot(ordered, Py_tp_richcompare, ours.word);
}

int state_guard(void)
{
    return guard_structs() < 0 || guard_errors() < 0 || guard_ordered() < 0 ? -1 : guard_contexts();
}
