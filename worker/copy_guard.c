/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_guard: what the library does for an object by a name that the object has for it. copy looks
 * hooks up on the object, whose dict may have got a name from text; a member of an Enum is copied by
 * its `_name_`, an alias of typing by its `_name`, and a cached_property sets its `attrname`: to each
 * there are more ways than the gate can follow, a property in a class below among them. So hooks are
 * the class's, members stay what they are, and names are those that the library gave.
 */
#include "base/io.h"
#include "type_object.h"

#include <string.h>

/* ---- hooks of copy ------------------------------------------------------------------------------ */

static PyObject *real_getattr;

static int is_hook(PyObject *name)
{
    static const char *const hooks[] = {"__reduce_ex__", "__reduce__", "__deepcopy__"};
    for (size_t i = 0; PyUnicode_Check(name) && i < ARRAY_LEN(hooks); i++)
        if (PyUnicode_CompareWithASCIIString(name, hooks[i]) == 0)
            return 1;
    return 0;
}

/* What the interpreter itself does to find a special method. */
static PyObject *class_hook(PyObject *object, PyObject *name)
{
    PyTypeObject *type = Py_TYPE(object);
    AUTO_PY hook = PyObject_GetAttr((PyObject *)type, name);
    descrgetfunc bind = hook ? (descrgetfunc)PyType_GetSlot(Py_TYPE(hook), Py_tp_descr_get) : NULL;
    return bind ? bind(hook, object, (PyObject *)type) : py_take(&hook);
}

static PyObject *copys_getattr(PyObject *self, PyObject *args)
{
    PyObject *object, *name, *other = NULL;
    (void)self;
    if (!PyArg_UnpackTuple(args, "getattr", 2, 3, &object, &name, &other))
        return NULL;
    if (!is_hook(name) || Py_TYPE(object) == &PySuper_Type) /* that one is no object's dict */
        return PyObject_CallObject(real_getattr, args);
    PyObject *hook = class_hook(object, name);
    if (hook || !other || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return hook;
    PyErr_Clear();
    return Py_NewRef(other);
}

static PyMethodDef getattr_def = {"getattr", copys_getattr, METH_VARARGS, NULL};

static PyObject *deep; /* copy.deepcopy */
static PyObject *method_type;

/* What `__deepcopy__` answers with need not be an instance of the class whose method it is. */
static PyObject *deepcopy_method(PyObject *none, PyObject *args)
{
    PyObject *method, *memo;
    (void)none;
    if (!PyArg_ParseTuple(args, "OO", &method, &memo))
        return NULL;
    AUTO_PY self = PyObject_GetAttrString(method, "__self__");
    AUTO_PY function = self ? PyObject_GetAttrString(method, "__func__") : NULL;
    AUTO_PY other = function ? PyObject_CallFunctionObjArgs(deep, self, memo, NULL) : NULL;
    if (!other)
        return NULL;
    if (!PyType_IsSubtype(Py_TYPE(other), Py_TYPE(self)))
        return PyErr_Format(PyExc_TypeError,
                            "the copy of what a method is bound to is no such object");
    return PyObject_CallFunctionObjArgs(method_type, function, other, NULL);
}

static PyMethodDef deepcopy_def = {"_deepcopy_method", deepcopy_method, METH_VARARGS, NULL};

/* Of a bound method copy makes another by the name of its function, which may have any; here it is
 * what it was, as functions are. */
static int guard_methods(PyObject *names)
{
    PyObject *table = PyDict_GetItemString(names, "_copy_dispatch");
    PyObject *deep_table = PyDict_GetItemString(names, "_deepcopy_dispatch");
    PyObject *same = PyDict_GetItemString(names, "_copy_immutable");
    AUTO_PY types = PyImport_ImportModule("types");
    method_type = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    deep = PyDict_GetItemString(names, "deepcopy");
    Py_XINCREF(deep);
    AUTO_PY ours = PyCFunction_NewEx(&deepcopy_def, NULL, NULL);
    if (!table || !deep_table || !same || !method_type || !deep || !ours)
        return -1;
    return PyDict_SetItem(deep_table, method_type, ours) < 0
               ? -1
               : PyDict_SetItem(table, method_type, same);
}

static int guard_hooks(void)
{
    PyObject *names = names_of_module("copy");
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    real_getattr = builtins ? PyObject_GetAttrString(builtins, getattr_def.ml_name) : NULL;
    AUTO_PY ours = real_getattr ? PyCFunction_NewEx(&getattr_def, NULL, NULL) : NULL;
    if (!ours)
        return -1;
    if (!names)
        return 0; /* the profile does not hand it out */
    return guard_methods(names) < 0 ? -1 : PyDict_SetItemString(names, getattr_def.ml_name, ours);
}

/* ---- members of Enums: their own copies, as from Python 3.12 on ------------------------------------ */

static PyObject *copy_member(PyObject *self, PyObject *args)
{
    (void)args;
    return Py_NewRef(self);
}

static PyMethodDef member_defs[] = {{"__copy__", copy_member, METH_NOARGS, NULL},
                                    {"__deepcopy__", copy_member, METH_O, NULL}};

static int guard_members(void)
{
    PyObject *names = names_of_module("enum");
    PyObject *type = names ? PyDict_GetItemString(names, "Enum") : NULL;
    for (size_t i = 0; type && i < ARRAY_LEN(member_defs); i++) {
        AUTO_PY ours = PyDescr_NewMethod((PyTypeObject *)(void *)type, &member_defs[i]);
        if (!ours || PyObject_SetAttrString(type, member_defs[i].ml_name, ours) < 0)
            return -1;
    }
    return 0;
}

/* ---- aliases of typing ------------------------------------------------------------------------------ */

static PyObject *exported; /* typing.__all__ */
static PyObject *real_reduce;

/* List[int] is made again from typing.List, found by that name. */
static PyObject *reduce_alias(PyObject *self, PyObject *none)
{
    AUTO_PY name = PyObject_GetAttrString(self, "_name");
    (void)none;
    if (!name)
        return NULL;
    int known = name == Py_None              ? 1
                : PyUnicode_CheckExact(name) ? PySequence_Contains(exported, name)
                                             : 0;
    if (known == 0)
        return PyErr_Format(PyExc_TypeError, "no generic type of typing is called %R", name);
    return known > 0 ? PyObject_CallFunctionObjArgs(real_reduce, self, NULL) : NULL;
}

/*
 * A TypeVar, a NewType, Any: each says its name, and for copies any text will do: that stands for the
 * object itself. Anything else would be a callable and what to call it with.
 */
static PyObject *reduce_to_itself(PyObject *self, PyObject *none)
{
    (void)none;
    return PyType_GetName(Py_TYPE(self));
}

static PyMethodDef reduce_def = {"__reduce__", reduce_alias, METH_NOARGS, NULL};
static PyMethodDef itself_def = {"__reduce__", reduce_to_itself, METH_NOARGS, NULL};

/* Those of typing that are found by a name again; from 3.12 on some are C, where nothing sets it. */
static const char *const named[] = {"NewType", "_PickleUsingNameMixin", "_SpecialForm",
                                    "_SpecialGenericAlias"};

static int guard_named(PyObject *names)
{
    for (size_t i = 0; i < ARRAY_LEN(named); i++) {
        PyObject *type = PyDict_GetItemString(names, named[i]);
        AUTO_PY original = NULL;
        if (type && type_put_method(type, &itself_def, &original) < 0)
            return -1;
    }
    return 0;
}

static int guard_aliases(void)
{
    PyObject *names = names_of_module("typing");
    PyObject *type = names ? PyDict_GetItemString(names, "_GenericAlias") : NULL;
    exported = names ? PyDict_GetItemString(names, "__all__") : NULL;
    exported = exported ? PySequence_Tuple(exported) : NULL;
    if (!type || !exported)
        return names ? -1 : 0;
    return guard_named(names) < 0 ? -1 : type_put_method(type, &reduce_def, &real_reduce);
}

/* ---- slots ------------------------------------------------------------------------------------------ */

static PyObject *real_slotnames;
static PyTypeObject *slot_type; /* of what the interpreter makes of a slot */

/* 1, 0, or -1 with an exception. */
static int has_slot(PyObject *class, PyObject *name)
{
    AUTO_PY line = PyObject_GetAttrString(class, "__mro__");
    for (Py_ssize_t i = 0; line && i < PyTuple_Size(line); i++) {
        AUTO_PY names = PyObject_GetAttrString(PyTuple_GetItem(line, i), "__dict__");
        AUTO_PY slot = names ? PyObject_GetItem(names, name) : NULL;
        if (slot && Py_IS_TYPE(slot, slot_type))
            return 1;
        if (!slot && !PyErr_ExceptionMatches(PyExc_KeyError))
            return -1;
        PyErr_Clear();
    }
    return line ? 0 : -1;
}

/* copy reads and sets what `__slots__` says; that list may be longer now than the class has slots. */
static PyObject *slotnames(PyObject *self, PyObject *class)
{
    AUTO_PY names = PyObject_CallFunctionObjArgs(real_slotnames, class, NULL);
    (void)self;
    for (Py_ssize_t i = names && PyList_CheckExact(names) ? PyList_Size(names) : 0; i > 0; i--) {
        int found = has_slot(class, PyList_GetItem(names, i - 1));
        if (found < 0 || (!found && PySequence_DelItem(names, i - 1) < 0))
            return NULL;
    }
    return py_take(&names);
}

static PyMethodDef slotnames_def = {"_slotnames", slotnames, METH_O, NULL};

static int guard_slots(void)
{
    PyObject *names = names_of_module("copyreg");
    AUTO_PY own = PyObject_GetAttrString((PyObject *)&PyType_Type, "__dict__");
    AUTO_PY slot = own ? PyMapping_GetItemString(own, "__basicsize__") : NULL;
    AUTO_PY ours = PyCFunction_NewEx(&slotnames_def, NULL, NULL);
    real_slotnames = names ? Py_XNewRef(PyDict_GetItemString(names, "_slotnames")) : NULL;
    if (!slot || !ours || !real_slotnames)
        return names ? -1 : 0;
    slot_type = Py_TYPE(slot);
    return PyDict_SetItemString(names, "_slotnames", ours);
}

/* ---- functools.cached_property ------------------------------------------------------------------------ */

static PyObject *names_given; /* to each cached_property, by put_known() */

static int is_interpreters(PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    PyErr_Clear();
    return text && strncmp(text, "__", 2) == 0;
}

static PyObject *give_name(PyObject *self, PyObject *args)
{
    PyObject *owner, *name;
    if (!PyArg_ParseTuple(args, "OU:__set_name__", &owner, &name))
        return NULL;
    AUTO_PY text = PyUnicode_FromObject(name);
    PyObject *before = text ? known_of(names_given, self) : NULL;
    if (!text || (before && PyUnicode_Compare(before, text) == 0))
        return text ? Py_NewRef(Py_None) : NULL;
    if (before)
        return PyErr_Format(PyExc_TypeError,
                            "Cannot assign the same cached_property to two different names "
                            "(%R and %R).",
                            before, text);
    if (is_interpreters(text))
        return PyErr_Format(PyExc_TypeError, "no cached_property may be called %R", text);
    return put_known(names_given, self, text) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *refuse_cache(PyObject *instance, PyObject *name, const char *format)
{
    AUTO_PY type = PyType_GetName(Py_TYPE(instance));
    return type ? PyErr_Format(PyExc_TypeError, format, type, name) : NULL;
}

static PyObject *make_value(PyObject *self, PyObject *instance, PyObject *name, PyObject *cache)
{
    AUTO_PY function = PyObject_GetAttrString(self, "func");
    AUTO_PY value = function ? PyObject_CallFunctionObjArgs(function, instance, NULL) : NULL;
    return value && PyDict_SetItem(cache, name, value) == 0 ? py_take(&value) : NULL;
}

/* Whether the instance's class has it under its name: put into another one, it would set that there. */
static int is_found_by(PyObject *self, PyObject *instance, PyObject *name)
{
    AUTO_PY line = PyObject_GetAttrString((PyObject *)Py_TYPE(instance), "__mro__");
    int found = 0;
    for (Py_ssize_t i = 0; line && !found && i < PyTuple_Size(line); i++) {
        AUTO_PY names = PyObject_GetAttrString(PyTuple_GetItem(line, i), "__dict__");
        AUTO_PY value = names ? PyObject_GetItem(names, name) : NULL;
        found = value == self;
    }
    PyErr_Clear();
    return found;
}

static PyObject *get_cached(PyObject *self, PyObject *args)
{
    PyObject *instance, *owner = NULL;
    if (!PyArg_ParseTuple(args, "O|O:__get__", &instance, &owner))
        return NULL;
    PyObject *name = known_of(names_given, self);
    if (instance == Py_None)
        return Py_NewRef(self);
    if (!name)
        return PyErr_Format(PyExc_TypeError, "Cannot use cached_property instance without calling "
                                             "__set_name__ on it.");
    if (!is_found_by(self, instance, name))
        return PyErr_Format(PyExc_TypeError, "cached_property %R is of another class", name);
    AUTO_PY cache = PyObject_GetAttrString(instance, "__dict__");
    if (!cache && PyErr_ExceptionMatches(PyExc_AttributeError))
        return refuse_cache(instance, name,
                            "No '__dict__' attribute on '%U' instance to cache %R property.");
    if (cache && !PyDict_CheckExact(cache))
        return refuse_cache(instance, name,
                            "The '__dict__' attribute on '%U' instance does not "
                            "support item assignment for caching %R property.");
    PyObject *known = cache ? PyDict_GetItemWithError(cache, name) : NULL;
    if (known || PyErr_Occurred())
        return Py_XNewRef(known);
    return make_value(self, instance, name, cache);
}

static PyMethodDef cached_defs[] = {{"__set_name__", give_name, METH_VARARGS, NULL},
                                    {"__get__", get_cached, METH_VARARGS, NULL}};

/* Those that are there already, the library's and the packages'. */
static int keep_names(PyTypeObject *type)
{
    AUTO_PY gc = PyImport_ImportModule("gc");
    AUTO_PY all = gc ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
    for (Py_ssize_t i = 0; all && i < PyList_Size(all); i++) {
        PyObject *object = PyList_GetItem(all, i);
        AUTO_PY name = PyType_IsSubtype(Py_TYPE(object), type)
                           ? PyObject_GetAttrString(object, "attrname")
                           : NULL;
        if (name && PyUnicode_CheckExact(name) && put_known(names_given, object, name) < 0)
            return -1;
        PyErr_Clear(); /* one that is not used as it is meant to be */
    }
    return all ? 0 : -1;
}

static int guard_cached(void)
{
    PyObject *names = names_of_module("functools");
    PyObject *type = names ? PyDict_GetItemString(names, "cached_property") : NULL;
    names_given = PyDict_New();
    if (!names_given || (type && keep_names((PyTypeObject *)(void *)type) < 0))
        return -1;
    for (size_t i = 0; type && i < ARRAY_LEN(cached_defs); i++) {
        AUTO_PY original = NULL;
        if (type_put_method(type, &cached_defs[i], &original) < 0)
            return -1;
    }
    return 0;
}

int copy_guard(void)
{
    return guard_hooks() < 0 || guard_members() < 0 || guard_aliases() < 0 || guard_slots() < 0
               ? -1
               : guard_cached();
}
