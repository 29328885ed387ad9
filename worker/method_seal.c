/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_seal: a method of a library class is for instances of that class. One written in C
 * sees to that itself; one written in Python takes whatever it is called with for `self`, and
 * calls that one's methods, its class even, with arguments of its own: Counter.copy(int) is
 * type(int). So each plain function in a class of a module that code may import, an operator's
 * too (a class method has it by super()), gets the manners of a C method: taken from an instance
 * it is bound to it as before, called by way of the class it looks at its first argument. And the
 * tables that such a class has for all are not to be changed.
 */
#include "base/io.h"
#include "gate.h"
#include "type_object.h"

struct method {
    PyObject_HEAD PyObject *function;
    PyTypeObject *owner; /* NULL: of a function, which takes no class */
    int lent;            /* also to classes that are not derived from the owner */
};

static PyTypeObject *method_type;
static PyObject *function_type;
static descrgetfunc bind; /* of a function */

static struct method *as_method(PyObject *object)
{
    return (struct method *)(void *)object;
}

static PyObject *refuse(const struct method *m, PyObject *self)
{
    AUTO_PY name = PyObject_GetAttrString(m->function, "__name__");
    AUTO_PY owner = m->owner ? PyType_GetName(m->owner) : PyUnicode_FromString("");
    AUTO_PY given = PyType_GetName(Py_TYPE(self));
    if (!name || !owner || !given)
        return NULL;
    if (!m->owner)
        return PyErr_Format(PyExc_TypeError, "%U() takes no class", name);
    return PyErr_Format(PyExc_TypeError,
                        "descriptor '%U' for '%U' objects doesn't apply to a '%U' object", name,
                        owner, given);
}

/*
 * Whether it may be `self`: 1, 0, or -1 with an exception. What is lent is for whatever has the
 * same methods: what has borrowed it, or is said to be such; never a class, whose own methods
 * would be called with anything for their `self` in turn.
 */
static int may_be_self(const struct method *m, PyObject *object, int borrowed)
{
    if (!m->owner)
        return !PyType_Check(object);
    if (PyType_IsSubtype(Py_TYPE(object), m->owner))
        return 1;
    if (!m->lent || PyType_Check(object))
        return 0;
    return borrowed || PyObject_IsSubclass((PyObject *)Py_TYPE(object), (PyObject *)m->owner);
}

static PyObject *method_get(PyObject *self, PyObject *instance, PyObject *type)
{
    struct method *m = as_method(self);
    if (!instance || instance == Py_None) {
        Py_INCREF(self);
        return self;
    }
    if (!may_be_self(m, instance, 1))
        return refuse(m, instance);
    return bind(m->function, instance, type);
}

static PyObject *method_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct method *m = as_method(self);
    PyObject *first = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0)
                      : kwargs               ? PyDict_GetItemString(kwargs, "self")
                                             : NULL;
    int may = first ? may_be_self(m, first, 0) : 1;
    if (may <= 0)
        return may < 0 ? NULL : refuse(m, first);
    if (!first && kwargs && PyDict_Size(kwargs) > 0) /* `self` by another name? */
        return PyErr_Format(PyExc_TypeError, "unbound method needs an argument");
    return PyObject_Call(m->function, args, kwargs);
}

static PyObject *method_word(PyObject *self, void *name)
{
    return PyObject_GetAttrString(as_method(self)->function, name);
}

static PyObject *method_reduce(PyObject *self, PyObject *none)
{
    (void)none;
    return PyObject_GetAttrString(as_method(self)->function, "__qualname__");
}

/* The library has functions in tables, where they are looked for by what a class has. */
static PyObject *function_of(PyObject *object)
{
    return Py_TYPE(object) == method_type ? as_method(object)->function : object;
}

static Py_hash_t method_hash(PyObject *self)
{
    return PyObject_Hash(function_of(self));
}

static PyObject *method_compare(PyObject *self, PyObject *other, int op)
{
    if (op != Py_EQ && op != Py_NE)
        return PyErr_Format(PyExc_TypeError, "methods have no order");
    return PyBool_FromLong((function_of(self) == function_of(other)) == (op == Py_EQ));
}

static PyObject *method_repr(PyObject *self)
{
    AUTO_PY name = PyObject_GetAttrString(as_method(self)->function, "__qualname__");
    return name ? PyUnicode_FromFormat("<function %U>", name) : NULL;
}

static void method_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_CLEAR(as_method(self)->function);
    release(self);
    Py_DECREF(type);
}

static char word_name[] = "__name__", word_qualname[] = "__qualname__", word_doc[] = "__doc__",
            word_module[] = "__module__";

static PyGetSetDef method_words[] = {
    {word_name, method_word, NULL, NULL, word_name},
    {word_qualname, method_word, NULL, NULL, word_qualname},
    {word_doc, method_word, NULL, NULL, word_doc},
    {word_module, method_word, NULL, NULL, word_module},
    {NULL, NULL, NULL, NULL, NULL},
};

/* To be copied as a function is: not at all. */
static PyMethodDef method_methods[] = {
    {"__reduce__", method_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot method_slots[] = {
    {Py_tp_descr_get, method_get},
    {Py_tp_call, method_call},
    {Py_tp_repr, method_repr},
    {Py_tp_hash, method_hash},
    {Py_tp_richcompare, method_compare},
    {Py_tp_dealloc, method_free},
    {Py_tp_getset, method_words},
    {Py_tp_methods, method_methods},
    {0, NULL},
};

static PyType_Spec method_spec = {
    .name = "_cordon_worker.method",
    .basicsize = sizeof(struct method),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = method_slots,
};

/* One that subclasses have to define has nothing to protect, and is marked as such. */
static int is_abstract(PyObject *function)
{
    AUTO_PY mark = PyObject_GetAttrString(function, "__isabstractmethod__");
    PyErr_Clear();
    return mark && PyObject_IsTrue(mark) == 1;
}

/* owner: which has the function, and is never freed. */
static PyObject *method_of(PyObject *function, PyTypeObject *owner, int lent)
{
    allocfunc make = (allocfunc)PyType_GetSlot(method_type, Py_tp_alloc);
    PyObject *method = make(method_type, 0);
    if (!method)
        return NULL;
    Py_INCREF(function);
    as_method(method)->function = function;
    as_method(method)->owner = owner;
    as_method(method)->lent = lent;
    return method;
}

/* Of the names that begin with _, which are the library's own, those that the gate lets be called. */
static int is_open(PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    return text && (text[0] != '_' || gate_is_method(text));
}

/* The same property with our functions in it: classmethod() hands it the class for `self`. */
static PyObject *property_of(PyObject *property, PyTypeObject *owner, PyObject *name)
{
    static const char *const names[] = {"fget", "fset", "fdel"};
    AUTO_PY doc = PyObject_GetAttrString(property, "__doc__");
    AUTO_PY parts = PyList_New(0);
    for (size_t i = 0; parts && i < ARRAY_LEN(names); i++) {
        AUTO_PY part = PyObject_GetAttrString(property, names[i]);
        AUTO_PY ours = part && (PyObject *)Py_TYPE(part) == function_type
                           ? method_of(part, owner, 0)
                           : Py_XNewRef(part);
        if (!ours || PyList_Append(parts, ours) < 0)
            return NULL;
    }
    if (!doc || !parts || PyList_Append(parts, doc) < 0)
        return NULL;
    AUTO_PY args = PyList_AsTuple(parts);
    AUTO_PY ours = args ? PyObject_CallObject((PyObject *)&PyProperty_Type, args) : NULL;
    AUTO_PY named = ours ? PyObject_CallMethod(ours, "__set_name__", "OO", owner, name) : NULL;
    return named ? py_take(&ours) : NULL;
}

/* What cannot be changed in the place of a container that all instances share; Py_None: no such. */
static PyObject *fixed(PyObject *value)
{
    if (PyList_CheckExact(value))
        return PyList_AsTuple(value);
    if (PyDict_CheckExact(value))
        return PyDictProxy_New(value);
    return Py_NewRef(Py_None);
}

/* Ours in the place of a plain function or a property; Py_None for anything else. */
static PyObject *sealed(PyTypeObject *owner, int lent, PyObject *name, PyObject *value)
{
    if (is_abstract(value))
        return Py_NewRef(Py_None);
    if ((PyObject *)Py_TYPE(value) == function_type)
        return method_of(value, owner, lent);
    return Py_TYPE(value) == &PyProperty_Type && !lent ? property_of(value, owner, name)
                                                       : fixed(value);
}

/* What the class's own dict holds under `name`. */
static int seal_one(PyTypeObject *owner, int lent, PyObject *name, PyObject *value)
{
    setattrofunc set = (setattrofunc)PyType_GetSlot(&PyType_Type, Py_tp_setattro);
    AUTO_PY ours = is_open(name) ? sealed(owner, lent, name, value) : Py_NewRef(Py_None);
    if (!ours || PyErr_Occurred())
        return -1;
    return ours == Py_None ? 0 : set((PyObject *)owner, name, ours);
}

/* What the methods of these do is written for whatever has the same methods, and is borrowed
 * for it: `update = MutableMapping.update` in a class derived from dict. */
static int is_for_others(PyObject *class)
{
    AUTO_PY module = type_module(class);
    return module && (PyUnicode_CompareWithASCIIString(module, "collections.abc") == 0 ||
                      PyUnicode_CompareWithASCIIString(module, "numbers") == 0);
}

static int seal_class(PyObject *class)
{
    PyTypeObject *type = (PyTypeObject *)(void *)class;
    int lent = is_for_others(class);
    AUTO_PY names = PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) &&
                            !PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) &&
                            !PyType_IsSubtype(type, &PyType_Type) /* whose instances are classes */
                        ? PyObject_GetAttrString(class, "__dict__")
                        : NULL;
    AUTO_PY items = names ? PyMapping_Items(names) : NULL;
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        if (seal_one(type, lent, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1)) < 0)
            return -1;
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* The classes that a module holds, and what they are derived from. */
static int seal_module(PyObject *module)
{
    PyObject *dict = PyModule_GetDict(module);
    AUTO_PY values = dict ? PyDict_Values(dict) : NULL;
    for (Py_ssize_t i = 0; values && i < PyList_Size(values); i++) {
        PyObject *value = PyList_GetItem(values, i);
        if (!PyType_Check(value))
            continue;
        AUTO_PY line = PyObject_GetAttrString(value, "__mro__");
        for (Py_ssize_t k = 0; line && k < PyTuple_Size(line); k++)
            if (seal_class(PyTuple_GetItem(line, k)) < 0)
                return -1;
        if (!line)
            return -1;
    }
    return values ? 0 : -1;
}

/* What modules hold, each with what is put in its place. */
static PyObject *without_classes(PyObject *function)
{
    return method_of(function, NULL, 0);
}

static PyObject *without_types(PyObject *function)
{
    AUTO_PY functools = PyImport_ImportModule("functools");
    AUTO_PY below = functools ? PyObject_GetAttrString(function, "__wrapped__") : NULL;
    return below ? PyObject_CallMethod(functools, "lru_cache", "O", below) : NULL;
}

static const struct {
    const char *module, *name;
    PyObject *(*replace)(PyObject *value);
    const char *why;
} entries[] = {
    {"re", "_special_chars_map", PyDictProxy_New, "escape() hands it to `translate` of its text"},
    {"statistics", "_exact_ratio", without_classes, "a mean is made by the class of its data"},
    {"urllib.parse", "urlsplit", without_types,
     "its cache compares the types of what it got with what it gets"},
};

/* In the module, and in what code gets of it. */
static int replace(const char *module, const char *name, PyObject *(*make)(PyObject *))
{
    PyObject *own = PyDict_GetItemString(worker.modules, module);
    PyObject *facade = PyDict_GetItemString(worker.allow, module);
    AUTO_PY function = own ? PyObject_GetAttrString(own, name) : NULL;
    PyErr_Clear(); /* the profile has no such module, or that version no such function */
    AUTO_PY made = function ? make(function) : NULL;
    if (!function || !made)
        return made || !function ? 0 : -1;
    if (facade && PyObject_HasAttrString(facade, name) &&
        PyObject_SetAttrString(facade, name, made) < 0)
        return -1;
    return PyObject_SetAttrString(own, name, made);
}

static int seal_entries(void)
{
    for (size_t i = 0; i < ARRAY_LEN(entries); i++)
        if (replace(entries[i].module, entries[i].name, entries[i].replace) < 0)
            return -1;
    return 0;
}

static int prepare(void)
{
    AUTO_PY types = PyImport_ImportModule("types");
    function_type = types ? PyObject_GetAttrString(types, "FunctionType") : NULL;
    method_type = (PyTypeObject *)(void *)PyType_FromSpec(&method_spec);
    if (!function_type || !method_type)
        return -1;
    bind = (descrgetfunc)PyType_GetSlot((PyTypeObject *)(void *)function_type, Py_tp_descr_get);
    return 0;
}

int method_seal(void)
{
    PyObject *library = PySys_GetObject("stdlib_module_names");
    PyObject *name, *facade;
    Py_ssize_t at = 0;
    if (!library || prepare() < 0)
        return -1;
    while (PyDict_Next(worker.allow, &at, &name, &facade)) {
        AUTO_PY parts = PyObject_CallMethod(name, "partition", "s", ".");
        int ours = parts ? PySequence_Contains(library, PyTuple_GetItem(parts, 0)) : -1;
        AUTO_PY module = ours > 0 ? PyImport_Import(name) : NULL;
        if (ours < 0 || (ours > 0 && (!module || seal_module(module) < 0)))
            return -1;
    }
    return seal_entries();
}
