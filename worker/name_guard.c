/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_guard: attributes that are read and set by names in text. The gate knows the text or warns;
 * should it be led past a callable that takes such a name, what the name may be is looked at
 * again when it is used. Names that lead into the interpreter (__globals__, __subclasses__,
 * gi_frame, ...) are refused as the audit hook refuses; all others are read as ever. hasattr()
 * may be asked for any, and reads none of those. What an object does is said by its class
 * statement: setattr() and delattr() leave all dunders alone but those that only name and tell.
 */
#include "gate.h"
#include "type_object.h"

static PyObject *real_attrgetter, *real_methodcaller;

static int leads_inside(PyObject *name)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(name, &length);
    if (!text)
        PyErr_Clear(); /* a lone surrogate: no attribute of the interpreter's */
    return text && gate_leads_inside(text, (size_t)length);
}

/* What an instance of the code's own classes has been given; the gate asks about others'. */
static int is_own_dict(PyObject *object, PyObject *name)
{
    AUTO_PY module = type_module((PyObject *)Py_TYPE(object));
    PyErr_Clear();
    return module && PyUnicode_CompareWithASCIIString(name, "__dict__") == 0 &&
           PyUnicode_CompareWithASCIIString(module, "__main__") == 0;
}

/* 0, or -1 and it is refused. */
static int check_name(PyObject *object, PyObject *name)
{
    return leads_inside(name) && !is_own_dict(object, name)
               ? audit_refuse_name("object.__getattr__", object, name)
               : 0;
}

/*
 * The text itself, a new reference: what derives from str may compare as it likes, and is
 * looked up by that. NULL with an exception when it is none.
 */
static PyObject *plain(PyObject *name)
{
    if (PyUnicode_Check(name))
        return PyUnicode_FromObject(name);
    return PyErr_Format(PyExc_TypeError, "attribute name must be a string");
}

/* "a.b.c" */
static int check_path(PyObject *path)
{
    AUTO_PY dot = PyUnicode_FromString(".");
    AUTO_PY parts = dot ? PyUnicode_Split(path, dot, -1) : NULL;
    if (!parts)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(parts); i++)
        if (check_name(Py_None, PyList_GetItem(parts, i)) < 0)
            return -1;
    return 0;
}

static PyObject *guarded_getattr(PyObject *self, PyObject *args)
{
    PyObject *object, *name, *otherwise = NULL;
    (void)self;
    if (!PyArg_UnpackTuple(args, "getattr", 2, 3, &object, &name, &otherwise))
        return NULL;
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "getattr(): attribute name must be string");
    AUTO_PY text = plain(name);
    if (!text || check_name(object, text) < 0)
        return NULL;
    PyObject *value = PyObject_GetAttr(object, text);
    if (value || !otherwise || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    Py_INCREF(otherwise);
    return otherwise;
}

/* Whether the class says what that attribute of its instances is. */
static int class_has(PyTypeObject *type, PyObject *text)
{
    AUTO_PY bases = PyObject_GetAttrString((PyObject *)type, "__mro__");
    int found = 0;
    for (Py_ssize_t i = 0; bases && !found && i < PyTuple_Size(bases); i++) {
        AUTO_PY names = PyObject_GetAttrString(PyTuple_GetItem(bases, i), "__dict__");
        found = names && PySequence_Contains(names, text) > 0;
    }
    PyErr_Clear();
    return found;
}

/* 1, 0, or -1 with an exception. What leads inside is not read for it. */
static int has(PyObject *object, PyObject *text)
{
    if (leads_inside(text) && class_has(Py_TYPE(object), text))
        return 1;
    AUTO_PY value = PyObject_GetAttr(object, text);
    if (value)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}

static PyObject *guarded_hasattr(PyObject *self, PyObject *args)
{
    PyObject *object, *name;
    (void)self;
    if (!PyArg_UnpackTuple(args, "hasattr", 2, 2, &object, &name))
        return NULL;
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "hasattr(): attribute name must be string");
    AUTO_PY text = plain(name);
    int found = text ? has(object, text) : -1;
    return found < 0 ? NULL : PyBool_FromLong(found);
}

#define SETTABLE_MAX 64 /* names that are known to be settable, and how long they may be */
static PyObject *known_settable[SETTABLE_MAX];

/* A new reference to the name that is set or deleted, a plain text, or NULL: it is refused. */
static PyObject *settable(const char *event, PyObject *object, PyObject *name)
{
    PyObject **known = &known_settable[((uintptr_t)name / 32) % SETTABLE_MAX];
    if (*known == name)
        return Py_NewRef(name);
    if (!PyUnicode_Check(name))
        return Py_NewRef(name); /* Python tells */
    AUTO_PY text = PyUnicode_FromObject(name);
    Py_ssize_t length = 0;
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    if (text && !utf8)
        PyErr_Clear(); /* a lone surrogate: no attribute of the interpreter's */
    if (!text || (utf8 && !gate_may_be_set(utf8, (size_t)length) &&
                  audit_refuse_name(event, object, text) < 0))
        return NULL;
    if (text == name && utf8 && length <= SETTABLE_MAX) {
        Py_XDECREF(*known);
        *known = Py_NewRef(name);
    }
    return Py_NewRef(text);
}

static PyObject *guarded_setattr(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "setattr expected 3 arguments, got %zd", count);
    AUTO_PY text = settable("object.__setattr__", args[0], args[1]);
    return text && PyObject_SetAttr(args[0], text, args[2]) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *guarded_delattr(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "delattr expected 2 arguments, got %zd", count);
    AUTO_PY text = settable("object.__delattr__", args[0], args[1]);
    return text && PyObject_DelAttr(args[0], text) == 0 ? Py_NewRef(Py_None) : NULL;
}

/* The arguments, the first `count` of them plain texts that `check` has passed. */
static PyObject *plain_arguments(PyObject *args, Py_ssize_t count, int (*check)(PyObject *text))
{
    AUTO_PY list = PySequence_List(args);
    for (Py_ssize_t i = 0; list && i < count && i < PyList_Size(list); i++) {
        PyObject *text = plain(PyList_GetItem(list, i));
        if (!text || PyList_SetItem(list, i, text) < 0 || check(text) < 0)
            return NULL;
    }
    return list ? PyList_AsTuple(list) : NULL;
}

static int check_method(PyObject *text)
{
    return check_name(Py_None, text);
}

static PyObject *guarded_attrgetter(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    AUTO_PY texts = plain_arguments(args, PyTuple_Size(args), check_path);
    return texts ? PyObject_Call(real_attrgetter, texts, kwargs) : NULL;
}

static PyObject *guarded_methodcaller(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    AUTO_PY texts = plain_arguments(args, 1, check_method);
    return texts ? PyObject_Call(real_methodcaller, texts, kwargs) : NULL;
}

static PyMethodDef getattr_def = {"getattr", guarded_getattr, METH_VARARGS, NULL};
static PyMethodDef hasattr_def = {"hasattr", guarded_hasattr, METH_VARARGS, NULL};
static PyMethodDef setattr_def = {"setattr", (PyCFunction)(void (*)(void))guarded_setattr,
                                  METH_FASTCALL, NULL};
static PyMethodDef delattr_def = {"delattr", (PyCFunction)(void (*)(void))guarded_delattr,
                                  METH_FASTCALL, NULL};
static PyMethodDef attrgetter_def = {"attrgetter", (PyCFunction)(void (*)(void))guarded_attrgetter,
                                     METH_VARARGS | METH_KEYWORDS, NULL};
static PyMethodDef methodcaller_def = {"methodcaller",
                                       (PyCFunction)(void (*)(void))guarded_methodcaller,
                                       METH_VARARGS | METH_KEYWORDS, NULL};

/* Puts ours in the place of what a mapping has under its name; without a self, which could be
 * reached from it. */
static int put(PyObject *mapping, PyMethodDef *def, PyObject **ret_real)
{
    PyObject *real = PyDict_GetItemString(mapping, def->ml_name);
    if (!real)
        return 0; /* the profile does not hand it out */
    AUTO_PY ours = PyCFunction_NewEx(def, NULL, NULL);
    if (ret_real) {
        Py_INCREF(real);
        *ret_real = real;
    }
    return ours ? PyDict_SetItemString(mapping, def->ml_name, ours) : -1;
}

int name_guard(void)
{
    PyObject *facade = PyDict_GetItemString(worker.allow, "operator");
    PyObject *names = facade ? PyModule_GetDict(facade) : NULL;
    PyMethodDef *const own[] = {&getattr_def, &hasattr_def, &setattr_def, &delattr_def};
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (put(worker.builtins, own[i], NULL) < 0)
            return -1;
    if (!names)
        return 0;
    return put(names, &attrgetter_def, &real_attrgetter) < 0 ||
                   put(names, &methodcaller_def, &real_methodcaller) < 0
               ? -1
               : 0;
}
