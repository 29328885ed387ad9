/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_seal: classes that are made while the code runs. A class statement has the names and
 * bases that stand there, for the gate to read; whoever comes by `type`, ABCMeta or an Enum
 * without members makes a class with any names from text. So what makes one otherwise looks at
 * them: no name that the interpreter would ask for and a class may not define, no metaclass.
 *
 * And what `__new__` of such a class answers with is an instance of it wherever the library
 * asks: copies, Enums and containers go on to write to it, be it whose it may.
 */
#include "audit.h"
#include "base/io.h"
#include "gate.h"
#include "type_object.h"

#include <string.h>

static newfunc type_new; /* the interpreter's own */
static PyTypeObject *maker_type;
static PyObject *function_type;

/* ---- __new__ --------------------------------------------------------------------------------- */

struct maker {
    PyObject_HEAD PyObject *function;
};

static PyObject *maker_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    AUTO_PY made = PyObject_Call(((struct maker *)(void *)self)->function, args, kwargs);
    PyObject *class = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : NULL;
    if (!made || !class || !PyType_Check(class) ||
        PyType_IsSubtype(Py_TYPE(made), (PyTypeObject *)(void *)class) || audit_is_by_code())
        return py_take(&made);
    AUTO_PY wanted = PyType_GetName((PyTypeObject *)(void *)class);
    AUTO_PY given = PyType_GetName(Py_TYPE(made));
    return wanted && given ? PyErr_Format(PyExc_TypeError,
                                          "%U.__new__() made a '%U' object where the library "
                                          "asked for an instance",
                                          wanted, given)
                           : NULL;
}

static PyObject *maker_of(PyObject *function)
{
    allocfunc make = (allocfunc)PyType_GetSlot(maker_type, Py_tp_alloc);
    PyObject *maker = make(maker_type, 0);
    if (!maker)
        return NULL;
    Py_INCREF(function);
    ((struct maker *)(void *)maker)->function = function;
    return maker;
}

/* A function is found as it is; anything else (a class method) may say what it is there. */
static PyObject *maker_get(PyObject *self, PyObject *instance, PyObject *type)
{
    PyObject *function = ((struct maker *)(void *)self)->function;
    descrgetfunc get = (PyObject *)Py_TYPE(function) == function_type
                           ? NULL
                           : (descrgetfunc)PyType_GetSlot(Py_TYPE(function), Py_tp_descr_get);
    AUTO_PY bound = get ? get(function, instance, type) : NULL;
    if (!get)
        return Py_NewRef(self);
    return bound ? maker_of(bound) : NULL;
}

static PyObject *maker_word(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((struct maker *)(void *)self)->function, name);
}

/* For whoever asks what arguments it takes: dataclasses do, and let nothing pass that does not say. */
static PyObject *maker_wrapped(PyObject *self, void *unused)
{
    (void)unused;
    return Py_XNewRef(((struct maker *)(void *)self)->function);
}

static void maker_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((struct maker *)(void *)self)->function);
    release(self);
    Py_DECREF(type);
}

static int maker_visit(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct maker *)(void *)self)->function);
    return 0;
}

static int maker_clear(PyObject *self)
{
    Py_CLEAR(((struct maker *)(void *)self)->function);
    return 0;
}

static char word_name[] = "__name__", word_qualname[] = "__qualname__", word_doc[] = "__doc__",
            word_module[] = "__module__", word_wrapped[] = "__wrapped__";

static PyGetSetDef maker_words[] = {
    {word_name, maker_word, NULL, NULL, word_name},
    {word_qualname, maker_word, NULL, NULL, word_qualname},
    {word_doc, maker_word, NULL, NULL, word_doc},
    {word_module, maker_word, NULL, NULL, word_module},
    {word_wrapped, maker_wrapped, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot maker_slots[] = {
    {Py_tp_call, maker_call},
    {Py_tp_dealloc, maker_free},
    {Py_tp_traverse, maker_visit},
    {Py_tp_clear, maker_clear},
    {Py_tp_getset, maker_words},
    {Py_tp_descr_get, maker_get},
    {0, NULL},
};

static PyType_Spec maker_spec = {
    .name = "_cordon_worker.maker",
    .basicsize = sizeof(struct maker),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = maker_slots,
};

/* object.__new__, which makes an instance of what it is given; what else there is may not. */
static int makes_instances(PyObject *function)
{
    if (!PyCFunction_Check(function))
        return 0;
    PyObject *self = PyCFunction_GetSelf(function);
    AUTO_PY name = PyObject_GetAttrString(function, "__name__");
    PyErr_Clear();
    return self && PyType_Check(self) && name && PyUnicode_Check(name) &&
           PyUnicode_CompareWithASCIIString(name, "__new__") == 0;
}

/* names[name] = ours */
static int watch(PyObject *names, const char *name)
{
    PyObject *function = PyDict_GetItemString(names, name);
    if (!function || Py_TYPE(function) == maker_type || makes_instances(function))
        return 0;
    AUTO_PY maker = maker_of(function);
    return maker ? PyDict_SetItemString(names, name, maker) : -1;
}

/* ---- class statements ------------------------------------------------------------------------ */

static PyObject *real_build;

/* Those that are being carried out, the innermost first. */
static __thread struct statement {
    PyObject *frame;
    PyObject *args; /* the body, the name, the bases */
    struct statement *outer;
} * statements;

static PyObject *build_class(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct statement own = {
        .frame = (PyObject *)PyEval_GetFrame(), .args = args, .outer = statements};
    (void)self;
    statements = &own;
    PyObject *class = PyObject_Call(real_build, args, kwargs);
    statements = own.outer;
    return class;
}

/*
 * The statement that asks for a class, or NULL: none of the code runs in between, its body neither.
 * Its metaclass may be anything that can be called, and call `type` for a class of its own. It asks
 * once: what the class's own hooks call next, be it C code that has no frame, is another.
 */
static const struct statement *statement(void)
{
    AUTO_PY frame = audit_code_frame();
    if (!frame || !statements || statements->frame != frame)
        return NULL;
    statements->frame = NULL;
    return statements;
}

static int stands_in(const struct statement *in, PyObject *name)
{
    PyObject *body = in && PyTuple_Size(in->args) > 0 ? PyTuple_GetItem(in->args, 0) : NULL;
    AUTO_PY names = body ? audit_names_in(body) : NULL;
    AUTO_PY text = names ? PyUnicode_FromObject(name) : NULL; /* whatever it says that it equals */
    int found = text ? PySequence_Contains(names, text) : 0;
    PyErr_Clear();
    return found > 0;
}

static int is_base_of(const struct statement *in, PyObject *base)
{
    for (Py_ssize_t i = 2; in && i < PyTuple_Size(in->args); i++)
        if (PyTuple_GetItem(in->args, i) == base)
            return 1;
    return 0;
}

static PyMethodDef build_def = {"__build_class__", (PyCFunction)(void (*)(void))build_class,
                                METH_VARARGS | METH_KEYWORDS, NULL};

static int watch_statements(void)
{
    real_build = PyDict_GetItemString(worker.builtins, build_def.ml_name);
    Py_XINCREF(real_build);
    AUTO_PY ours = real_build ? PyCFunction_NewEx(&build_def, NULL, NULL) : NULL;
    return ours ? PyDict_SetItemString(worker.builtins, build_def.ml_name, ours) : -1;
}

/* ---- names and bases ------------------------------------------------------------------------- */

/* 0, or -1 and it is refused. */
static int check_names(PyObject *names, const struct statement *in)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(names, &at, &key, &value)) {
        const char *text = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        PyErr_Clear(); /* half a character: no name of the interpreter's */
        if (text && !gate_may_be_in_class(text) && !stands_in(in, key))
            return audit_refuse_class(key);
    }
    return 0;
}

static int check_bases(PyObject *bases, const struct statement *in)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(bases); i++) {
        PyObject *base = PyTuple_GetItem(bases, i);
        if (PyType_Check(base) && PyType_IsSubtype((PyTypeObject *)(void *)base, &PyType_Type) &&
            !is_base_of(in, base))
            return audit_refuse_class(base);
    }
    return 0;
}

static PyObject *guarded_new(PyTypeObject *meta, PyObject *args, PyObject *kwargs)
{
    PyObject *name, *bases, *names;
    if (!audit_is_on() || PyTuple_Size(args) != 3 ||
        !PyArg_ParseTuple(args, "UO!O!", &name, &PyTuple_Type, &bases, &PyDict_Type, &names))
        return PyErr_Occurred() ? NULL : type_new(meta, args, kwargs);
    const struct statement *in = statement();
    int known = audit_is_within("dataclasses");
    int makes_its_own = audit_is_within("collections"); /* a namedtuple's is the library's */
    AUTO_PY own = PyDict_Copy(names);
    if (!own || (!known && (check_names(own, in) < 0 || check_bases(bases, in) < 0)) ||
        (!makes_its_own && (watch(own, "__new__") < 0 || watch(own, "_new_member_") < 0)) ||
        property_seal_begin(own, bases) < 0)
        return NULL;
    AUTO_PY given = PyTuple_Pack(3, name, bases, own);
    AUTO_PY class = given ? type_new(meta, given, kwargs) : NULL;
    return class && property_seal_end(own, class) == 0 ? py_take(&class) : NULL;
}

int made_seal(void)
{
    AUTO_PY types = PyImport_ImportModule("types");
    function_type = types ? PyObject_GetAttrString(types, "FunctionType") : NULL;
    maker_type = (PyTypeObject *)(void *)PyType_FromSpec(&maker_spec);
    union {
        void *word;
        newfunc function;
    } slot = {.word = PyType_GetSlot(&PyType_Type, Py_tp_new)};
    type_new = slot.function;
    if (!function_type || !maker_type || watch_statements() < 0)
        return -1;
    return type_change_new((PyObject *)&PyType_Type, guarded_new);
}
