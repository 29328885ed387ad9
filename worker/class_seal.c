/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_seal: the classes of the library are not user code's to change. The gate follows a
 * class by the names it has in the source; an operator, a callback or an object that gives
 * back what it was made with hands one over without a name. So every class that is there
 * when the zygote is ready refuses to have an attribute set or deleted, as the
 * interpreter's own classes written in C do, by the same flag (Py_TPFLAGS_IMMUTABLETYPE,
 * https://docs.python.org/3/c-api/typeobj.html). Classes of the code are made later.
 *
 * It is for the standard library and for packages whose sources were read for it: one that
 * keeps what it has computed on a class of its own, as matplotlib does, would not work.
 */
#include "audit.h"
#include "type_object.h"

#include "base/io.h"

static const char *const packages[] = {"numpy", "pandas"};

static const struct {
    const char *module, *class;
    const char *why;
} open_classes[] = {
    {"difflib", "HtmlDiff", "counts the tables it has made on itself"},
    {"numpy.polynomial._polybase", "ABCPolyBase", "keeps set_default_printstyle()"},
};

struct sealing {
    PyObject *owners; /* names of top-level modules */
    PyObject *seen;   /* the addresses of classes that have been dealt with */
};

static PyTypeObject *as_type(PyObject *object)
{
    return (PyTypeObject *)(void *)object;
}

/* The names of the standard library's modules and of the packages. */
static PyObject *names_of_owners(void)
{
    PyObject *listed = PySys_GetObject("stdlib_module_names");
    AUTO_PY names = listed ? PySet_New(listed) : NULL;
    for (size_t i = 0; names && i < ARRAY_LEN(packages); i++) {
        AUTO_PY name = PyUnicode_FromString(packages[i]);
        if (!name || PySet_Add(names, name) < 0)
            return NULL;
    }
    return py_take(&names);
}

static int is_open(PyObject *type, PyObject *module)
{
    AUTO_PY name = PyType_GetName(as_type(type));
    PyErr_Clear();
    for (size_t i = 0; name && i < ARRAY_LEN(open_classes); i++)
        if (PyUnicode_CompareWithASCIIString(module, open_classes[i].module) == 0 &&
            PyUnicode_CompareWithASCIIString(name, open_classes[i].class) == 0)
            return 1;
    return 0;
}

/* Whether it says that it is of a module of those. */
static int belongs(PyObject *type, PyObject *owners)
{
    AUTO_PY module = type_module(type);
    if (!module)
        return 0;
    Py_ssize_t length = PyUnicode_GetLength(module);
    Py_ssize_t dot = PyUnicode_FindChar(module, '.', 0, length, 1);
    AUTO_PY top = PyUnicode_Substring(module, 0, dot < 0 ? length : dot);
    if (is_open(type, module))
        return 0;
    return top ? PySet_Contains(owners, top) : -1;
}

static int seal(PyObject *type, const struct sealing *s)
{
    int ours = PyType_HasFeature(as_type(type), Py_TPFLAGS_HEAPTYPE) ? belongs(type, s->owners) : 0;
    return ours > 0 ? type_change_flags(type, Py_TPFLAGS_IMMUTABLETYPE, 0) : ours;
}

/* The class and what is derived from it. */
static int seal_below(PyObject *type, const struct sealing *s)
{
    AUTO_PY id = PyLong_FromVoidPtr(type);
    int known = id ? PySet_Contains(s->seen, id) : -1;
    if (known != 0)
        return known < 0 ? -1 : 0;
    AUTO_PY below = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    if (!below || PySet_Add(s->seen, id) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(below); i++)
        if (seal_below(PyList_GetItem(below, i), s) < 0)
            return -1;
    return seal(type, s);
}

/* ---- abstract classes: who counts as one --------------------------------------------------------- */

static PyObject *real_register;

/* Of the interpreter or the library. */
static int is_everybodys(PyObject *type)
{
    return !PyType_HasFeature(as_type(type), Py_TPFLAGS_HEAPTYPE) ||
           PyType_HasFeature(as_type(type), Py_TPFLAGS_IMMUTABLETYPE);
}

/* int as a Mapping, for all code: one of the two is the code's own. */
static PyObject *guarded_register(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *class = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0)
                      : kwargs               ? PyDict_GetItemString(kwargs, "subclass")
                                             : NULL;
    if (audit_is_on() && class && PyType_Check(class) && is_everybodys(class) &&
        is_everybodys(self))
        return PyErr_Format(PyExc_TypeError, "cannot register %R with immutable type %R", class,
                            self);
    AUTO_PY bound = PyObject_CallMethod(real_register, "__get__", "O", self);
    return bound ? PyObject_Call(bound, args, kwargs) : NULL;
}

static PyMethodDef register_def = {"register", (PyCFunction)(void (*)(void))guarded_register,
                                   METH_VARARGS | METH_KEYWORDS, NULL};

static int guard_register(void)
{
    AUTO_PY abc = PyImport_ImportModule("abc");
    AUTO_PY meta = abc ? PyObject_GetAttrString(abc, "ABCMeta") : NULL;
    real_register = meta ? PyObject_GetAttrString(meta, register_def.ml_name) : NULL;
    AUTO_PY ours = real_register ? PyDescr_NewMethod(as_type(meta), &register_def) : NULL;
    return ours ? PyObject_SetAttrString(meta, register_def.ml_name, ours) : -1;
}

int class_seal(void)
{
    AUTO_PY owners = names_of_owners();
    AUTO_PY seen = PySet_New(NULL);
    struct sealing s = {.owners = owners, .seen = seen};
    return owners && seen && guard_register() == 0 ? seal_below((PyObject *)&PyBaseObject_Type, &s)
                                                   : -1;
}
