/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machinery_guard: two classes of the library hold what it goes by in attributes that anybody can
 * set. The name of a dataclass's Field is put into code that dataclasses then runs; the dispatcher
 * of a singledispatchmethod is asked for each argument's class, of which one may be `type`. The
 * gate follows neither through every way to an attribute: they are set by the library's own code.
 */
#include "audit.h"
#include "base/io.h"
#include "type_object.h"

/* Whether the statement that is being carried out is that module's. */
static int is_statement_of(PyObject *names)
{
    return PyEval_GetGlobals() == names;
}

/* ---- dataclasses.Field ------------------------------------------------------------------------- */

static PyObject *dataclasses_names;

/* A copy has none yet, and gets the one that the other has. */
static int has_name(PyObject *self, PyObject *name)
{
    AUTO_PY value = PyObject_GenericGetAttr(self, name);
    PyErr_Clear();
    return value != NULL;
}

static int set_name(PyObject *self, PyObject *name, PyObject *value)
{
    if (!value || (!is_statement_of(dataclasses_names) && has_name(self, name))) {
        PyErr_SetString(PyExc_TypeError, "the name of a dataclass's Field cannot be changed");
        return -1;
    }
    if (value != Py_None && !(PyUnicode_CheckExact(value) && PyUnicode_IsIdentifier(value))) {
        PyErr_Format(PyExc_TypeError, "Field names must be valid identifiers: %R", value);
        return -1;
    }
    return PyObject_GenericSetAttr(self, name, value);
}

static int set_of_field(PyObject *self, PyObject *name, PyObject *value)
{
    AUTO_PY text = PyUnicode_FromObject(name); /* and nothing that is found as another one is */
    if (!text)
        return -1;
    return PyUnicode_CompareWithASCIIString(text, "name") == 0
               ? set_name(self, text, value)
               : PyObject_GenericSetAttr(self, text, value);
}

static int guard_fields(void)
{
    union {
        setattrofunc function;
        void *word;
    } slot = {.function = set_of_field};
    dataclasses_names = names_of_module("dataclasses");
    PyObject *field = dataclasses_names ? PyDict_GetItemString(dataclasses_names, "Field") : NULL;
    return field ? type_change_slot(field, Py_tp_setattro, slot.word) : 0;
}

/* ---- functools.singledispatchmethod --------------------------------------------------------------- */

static PyObject *functools_names;
static PyObject *dispatch_code; /* of the function that looks a class up */
static PyTypeObject *function_type;
static PyObject *dispatchers; /* of each, by put_known() */

static PyObject *code_of_dispatch(PyObject *dispatcher)
{
    AUTO_PY dispatch = PyObject_GetAttrString(dispatcher, "dispatch");
    return dispatch && Py_TYPE(dispatch) == function_type ? audit_code_of(dispatch) : NULL;
}

static PyObject *get_dispatcher(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *dispatcher = known_of(dispatchers, self);
    if (dispatcher && is_statement_of(functools_names))
        return Py_NewRef(dispatcher);
    return PyErr_Occurred() ? NULL
                            : PyErr_Format(PyExc_AttributeError,
                                           "the dispatcher of a singledispatchmethod is its own");
}

/* What decorates the function first may have left it a `dispatch` of its own. */
static int set_dispatcher(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    AUTO_PY code = value && is_statement_of(functools_names) ? code_of_dispatch(value) : NULL;
    PyErr_Clear();
    if (code != dispatch_code || known_of(dispatchers, self)) {
        PyErr_SetString(PyExc_TypeError, "the dispatcher of a singledispatchmethod is its own");
        return -1;
    }
    return put_known(dispatchers, self, value);
}

static PyGetSetDef dispatcher_def = {"dispatcher", get_dispatcher, set_dispatcher, NULL, NULL};

static PyObject *code_of_any_dispatch(void)
{
    AUTO_PY of = PyDict_GetItemString(functools_names, "singledispatch");
    Py_XINCREF(of);
    function_type = of ? Py_TYPE(of) : NULL;
    AUTO_PY any = of ? PyObject_CallFunctionObjArgs(of, of, NULL) : NULL;
    return any ? code_of_dispatch(any) : NULL;
}

static int guard_dispatchers(void)
{
    functools_names = names_of_module("functools");
    PyObject *type =
        functools_names ? PyDict_GetItemString(functools_names, "singledispatchmethod") : NULL;
    if (!type)
        return 0; /* the profile does not hand it out */
    dispatchers = PyDict_New();
    dispatch_code = code_of_any_dispatch();
    AUTO_PY ours = PyDescr_NewGetSet((PyTypeObject *)(void *)type, &dispatcher_def);
    if (!dispatchers || !dispatch_code || !ours || type_put(type, dispatcher_def.name, ours) < 0)
        return -1;
    return type_change_flags(type, 0, Py_TPFLAGS_BASETYPE); /* one below would have its own */
}

int machinery_guard(void)
{
    return guard_fields() < 0 ? -1 : guard_dispatchers();
}
