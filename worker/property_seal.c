/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property_seal: a property is for instances of the class that it was made in. Its functions take
 * whatever they are called with for `self`, and a class hands the property out to whoever comes by
 * the class; put into another one it is called with instances of that. So the function of an
 * `@property` notes whose it is when a class gets it, and no class gets it that is not derived from
 * that one. Reading such an attribute costs what it did: nothing is looked at then, but where
 * `__get__` is called by that name (partialmethod does), with any object.
 */
#include "audit.h"
#include "base/io.h"
#include "type_object.h"

static PyObject *word_owner; /* an attribute of functions, under a name that no source can have */
static PyTypeObject *function_type, *classmethod_type;
static setattrofunc real_set; /* of classes */
static descrgetfunc real_get;
static descrsetfunc real_set_value;

/* Where a property is put: a class, or one that is to be made of these bases. */
struct place {
    PyObject *name, *bases, *class;
    int bound; /* in a classmethod, which would hand the class to it */
};

/* The class, None while that is being made, or NULL, without an exception: it has none. */
static PyObject *owner_of(PyObject *function)
{
    PyObject *owner = PyObject_GenericGetAttr(function, word_owner);
    PyErr_Clear();
    return owner;
}

static int refuse(PyObject *function, PyObject *owner)
{
    AUTO_PY name = PyObject_GetAttrString(function, "__name__");
    AUTO_PY class = PyType_Check(owner) ? PyType_GetName((PyTypeObject *)(void *)owner)
                                        : PyUnicode_FromString("one that is being made");
    if (name && class)
        PyErr_Format(PyExc_TypeError,
                     "property %R is for the class that it was made in (%U), and those "
                     "derived from it",
                     name, class);
    return -1;
}

static int is_derived(PyObject *class, PyObject *owner)
{
    return PyType_Check(class) &&
           PyType_IsSubtype((PyTypeObject *)(void *)class, (PyTypeObject *)(void *)owner);
}

static int is_below(const struct place *p, PyObject *owner)
{
    if (p->class)
        return is_derived(p->class, owner);
    for (Py_ssize_t i = 0; i < PyTuple_Size(p->bases); i++)
        if (is_derived(PyTuple_GetItem(p->bases, i), owner))
            return 1;
    return 0;
}

/* @dataclass(slots=True) makes the class a second time. */
static int is_made_again(const struct place *p, PyObject *owner)
{
    if (p->class || !audit_is_within("dataclasses"))
        return 0;
    AUTO_PY bases = PyObject_GetAttrString(owner, "__bases__");
    AUTO_PY names = PyObject_GetAttrString(owner, "__dict__");
    int same = bases && names && PySequence_Contains(names, p->name) == 1 &&
               PyObject_RichCompareBool(bases, p->bases, Py_EQ) == 1;
    PyErr_Clear();
    return same;
}

/* `@property def name` in the class that has it under that name, be that a private one. */
static int is_method_of(const struct place *p, PyObject *function)
{
    AUTO_PY name = PyObject_GetAttrString(function, "__name__");
    AUTO_PY path = PyObject_GetAttrString(function, "__qualname__");
    Py_ssize_t length = path ? PyUnicode_GetLength(path) : 0;
    Py_ssize_t dot = length > 0 ? PyUnicode_FindChar(path, '.', 0, length, -1) : -1;
    AUTO_PY local = PyUnicode_FromString("<locals>");
    AUTO_PY private = PyUnicode_FromString("__");
    int is = name && local && private && dot > 0 && PyUnicode_Check(p->name) &&
             PyUnicode_Tailmatch(path, local, 0, dot, 1) == 0 &&
             (PyUnicode_Compare(name, p->name) == 0 ||
              (PyUnicode_Tailmatch(name, private, 0, PY_SSIZE_T_MAX, -1) == 1 &&
               PyUnicode_Tailmatch(p->name, name, 0, PY_SSIZE_T_MAX, 1) == 1));
    PyErr_Clear();
    return is;
}

/* ---- the functions of a property ------------------------------------------------------------- */

typedef int visit_fn(const struct place *p, PyObject *function);

static int check(const struct place *p, PyObject *function)
{
    AUTO_PY owner = owner_of(function);
    int may = !owner ||
              (PyType_Check(owner) && !p->bound && (is_below(p, owner) || is_made_again(p, owner)));
    return may ? 0 : refuse(function, owner);
}

/* check() has passed it. */
static int note(const struct place *p, PyObject *function)
{
    AUTO_PY owner = owner_of(function);
    int noted = owner && PyType_Check(owner) && is_below(p, owner);
    if (noted || p->bound || (!owner && !is_method_of(p, function)))
        return 0;
    return PyObject_GenericSetAttr(function, word_owner, p->class ? p->class : Py_None);
}

static int each_function(const struct place *p, PyObject *value, visit_fn *look)
{
    static const char *const parts[] = {"fget", "fset", "fdel"};
    struct place own = *p;
    AUTO_PY inner = Py_NewRef(value);
    while (inner && Py_TYPE(inner) == classmethod_type) {
        PyObject *next = PyObject_GetAttrString(inner, "__func__");
        Py_DECREF(inner);
        inner = next;
        own.bound = 1;
    }
    for (size_t i = 0; inner && Py_TYPE(inner) == &PyProperty_Type && i < ARRAY_LEN(parts); i++) {
        AUTO_PY function = PyObject_GetAttrString(inner, parts[i]);
        if (!function || (Py_TYPE(function) == function_type && look(&own, function) < 0))
            return -1;
    }
    return inner ? 0 : -1;
}

static int may_be_property(PyObject *value)
{
    return Py_TYPE(value) == &PyProperty_Type || Py_TYPE(value) == classmethod_type;
}

static int each_name(PyObject *names, struct place p, visit_fn *look)
{
    PyObject *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(names, &at, &p.name, &value))
        if (may_be_property(value) && each_function(&p, value, look) < 0)
            return -1;
    return 0;
}

int property_seal_begin(PyObject *names, PyObject *bases)
{
    const struct place place = {.bases = bases};
    return each_name(names, place, check) < 0 ? -1 : each_name(names, place, note);
}

/* What was noted as of a class that is being made. */
static int finish(const struct place *p, PyObject *function)
{
    AUTO_PY owner = owner_of(function);
    return owner == Py_None ? PyObject_GenericSetAttr(function, word_owner, p->class) : 0;
}

int property_seal_end(PyObject *names, PyObject *class)
{
    const struct place place = {.class = class};
    return each_name(names, place, finish);
}

/* ---- C.name = x ------------------------------------------------------------------------------ */

static int set_attribute(PyObject *class, PyObject *name, PyObject *value)
{
    const struct place place = {.name = name, .class = class};
    if (!value || !may_be_property(value) || !audit_is_on())
        return real_set(class, name, value);
    if (each_function(&place, value, check) < 0 || real_set(class, name, value) < 0)
        return -1;
    return each_function(&place, value, note);
}

static PyObject *set_by_name(PyObject *self, PyObject *args)
{
    PyObject *name, *value;
    if (!PyArg_ParseTuple(args, "OO:__setattr__", &name, &value) ||
        set_attribute(self, name, value) < 0)
        return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *delete_by_name(PyObject *self, PyObject *name)
{
    return set_attribute(self, name, NULL) < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- p.__get__(x) ---------------------------------------------------------------------------- */

/* The class of the instance is where the property would be. */
static int is_for(PyObject *property, PyObject *instance)
{
    const struct place place = {.class = (PyObject *)Py_TYPE(instance)};
    return each_function(&place, property, check);
}

static PyObject *get_by_name(PyObject *self, PyObject *args)
{
    PyObject *instance, *type = Py_None;
    if (!PyArg_ParseTuple(args, "O|O:__get__", &instance, &type))
        return NULL;
    if (instance == Py_None && type == Py_None)
        return PyErr_Format(PyExc_TypeError, "__get__(None, None) is invalid");
    if (instance != Py_None && is_for(self, instance) < 0)
        return NULL;
    return real_get(self, instance == Py_None ? NULL : instance, type == Py_None ? NULL : type);
}

static PyObject *set_value(PyObject *self, PyObject *instance, PyObject *value)
{
    if (is_for(self, instance) < 0 || real_set_value(self, instance, value) < 0)
        return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *set_value_by_name(PyObject *self, PyObject *args)
{
    PyObject *instance, *value;
    return PyArg_ParseTuple(args, "OO:__set__", &instance, &value)
               ? set_value(self, instance, value)
               : NULL;
}

static PyObject *delete_value_by_name(PyObject *self, PyObject *instance)
{
    return set_value(self, instance, NULL);
}

static PyMethodDef class_defs[] = {{"__setattr__", set_by_name, METH_VARARGS, NULL},
                                   {"__delattr__", delete_by_name, METH_O, NULL}};
static PyMethodDef property_defs[] = {{"__get__", get_by_name, METH_VARARGS, NULL},
                                      {"__set__", set_value_by_name, METH_VARARGS, NULL},
                                      {"__delete__", delete_value_by_name, METH_O, NULL}};

/* Beside the slots: these are for whoever calls them by name, and the interpreter does not. */
static int put(PyTypeObject *type, PyMethodDef *defs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_PY ours = PyDescr_NewMethod(type, &defs[i]);
        if (!ours || type_put_plain((PyObject *)type, defs[i].ml_name, ours) < 0)
            return -1;
    }
    return 0;
}

static int guard_classes(void)
{
    union {
        void *word;
        setattrofunc function;
    } old = {.word = PyType_GetSlot(&PyType_Type, Py_tp_setattro)},
      new = {.function = set_attribute};
    real_set = old.function;
    return put(&PyType_Type, class_defs, ARRAY_LEN(class_defs)) < 0
               ? -1
               : type_change_slot((PyObject *)&PyType_Type, Py_tp_setattro, new.word);
}

static int prepare(void)
{
    AUTO_PY types = PyImport_ImportModule("types");
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    PyObject *function = types ? PyObject_GetAttrString(types, "FunctionType") : NULL;
    PyObject *bound = builtins ? PyObject_GetAttrString(builtins, "classmethod") : NULL;
    function_type = (PyTypeObject *)(void *)function;
    classmethod_type = (PyTypeObject *)(void *)bound;
    word_owner = PyUnicode_InternFromString("class of the property");
    real_get = (descrgetfunc)PyType_GetSlot(&PyProperty_Type, Py_tp_descr_get);
    real_set_value = (descrsetfunc)PyType_GetSlot(&PyProperty_Type, Py_tp_descr_set);
    return function && bound && word_owner ? 0 : -1;
}

int property_seal(void)
{
    if (prepare() < 0 || put(&PyProperty_Type, property_defs, ARRAY_LEN(property_defs)) < 0)
        return -1;
    return guard_classes();
}
