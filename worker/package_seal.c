/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_seal: doors of packages that are shut while the zygote loads them, before any user
 * code. The gate judges what it can see; a keyword in a dict that is put together, a name in
 * text that is computed or an alias of a class it cannot, and what such things reach must do
 * no harm by itself. Each seal is a few lines of Python that put something tame in the place
 * of one function of the package, with the reason beside it. What a package lacks in some
 * version is passed over; a seal that fails for another reason is a failure to start.
 */
#include "package_seal.h"

#include "audit.h"
#include "base/io.h"
#include "gate.h"
#include "package.h"

#include <string.h>

/* ---- what they are given ------------------------------------------------------------------- */

/* refuse(what): `self` is the row's reason. */
static PyObject *refuse(PyObject *why, PyObject *what)
{
    return PyErr_Format(PyExc_PermissionError, "%S is not open to code: it %U", what, why);
}

/*
 * put(class, name, value): also in a class that is written in C, whose dict Python shows by a
 * proxy only.
 */
static PyObject *put(PyObject *unused, PyObject *args)
{
    (void)unused;
    PyObject *class, *name, *value;
    if (!PyArg_ParseTuple(args, "OOO", &class, &name, &value))
        return NULL;
    AUTO_PY proxy = PyObject_GetAttrString(class, "__dict__");
    AUTO_PY gc = PyImport_ImportModule("gc");
    AUTO_PY held = proxy && gc ? PyObject_CallMethod(gc, "get_referents", "O", proxy) : NULL;
    PyObject *dict = held && PyList_Size(held) == 1 ? PyList_GetItem(held, 0) : NULL;
    if (!dict || !PyDict_CheckExact(dict))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "%R hides its dict", class);
    if (PyDict_SetItem(dict, name, value) < 0)
        return NULL;
    PyType_Modified((PyTypeObject *)class);
    Py_RETURN_NONE;
}

/* is_door(name): of a setting of matplotlib (package_rows.c). */
static PyObject *is_door(PyObject *unused, PyObject *name)
{
    (void)unused;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    return text ? PyBool_FromLong(package_setting_is_door(text)) : NULL;
}

/* may_call(name): of a method or a function of numpy that a text names. */
static PyObject *may_call(PyObject *unused, PyObject *name)
{
    (void)unused;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text)
        return NULL;
    const struct package_name *method = package_attribute(text);
    const struct package_row *function = package_row_of("numpy", text);
    return PyBool_FromLong(text[0] != '_' && !gate_why_never(text) &&
                           (!method || method->shape == SHAPE_FUNCTIONS) &&
                           (!function || function->shape == SHAPE_ANY));
}

/* final(class): nothing derives from it any more, whose methods C code trusts. */
static PyObject * final(PyObject *unused, PyObject *class)
{
    (void)unused;
    if (!PyType_Check(class))
        return PyErr_Format(PyExc_TypeError, "%R is no class", class);
    if (package_close_class(class) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* array_of(object) */
static PyObject *array_of(PyObject *unused, PyObject *object)
{
    (void)unused;
    return package_array_of(object);
}

/* caller(): the globals of the function that called the seal's. */
static PyObject *caller(PyObject *unused, PyObject *none)
{
    (void)unused;
    (void)none;
    PyObject *globals = audit_caller();
    if (!globals && !PyErr_Occurred())
        Py_RETURN_NONE;
    return globals;
}

static PyMethodDef refuse_def = {"refuse", refuse, METH_O, NULL};
static PyMethodDef functions[] = {
    {"put", put, METH_VARARGS, NULL},      {"is_door", is_door, METH_O, NULL},
    {"final", final, METH_O, NULL},        {"array_of", array_of, METH_O, NULL},
    {"caller", caller, METH_NOARGS, NULL}, {"may_call", may_call, METH_O, NULL},
};

/*
 * Before all of them: exact(text) is a str and nothing that derives from it; number(n) the
 * same of int; plain(text) refuses a format that reads attributes, and returns what it read.
 */
static const char common_text[] =
    "import _string, operator\n"
    "exact = str.__str__\n"
    "def number(value):\n"
    "    return int.__index__(operator.index(value))\n"
    "def plain(text):\n"
    "    text = exact(text)\n"
    "    for literal, field, spec, conversion in _string.formatter_parser(text):\n"
    "        if '.' in (field or '') or '[' in (field or ''):\n"
    "            refuse('this format')\n"
    "        if spec:\n"
    "            plain(spec)\n"
    "    return text\n";

/* A dict that the lines run in. */
static PyObject *make_world(PyObject *module, const char *why)
{
    AUTO_PY reason = PyUnicode_FromString(why);
    AUTO_PY refusing = reason ? PyCFunction_New(&refuse_def, reason) : NULL;
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    AUTO_PY world = refusing && builtins ? Py_BuildValue("{sOsOsO}", "__builtins__", builtins,
                                                         "module", module, "refuse", refusing)
                                         : NULL;
    for (size_t i = 0; world && i < ARRAY_LEN(functions); i++) {
        AUTO_PY function = PyCFunction_New(&functions[i], NULL);
        if (!function || PyDict_SetItemString(world, functions[i].ml_name, function) < 0)
            return NULL;
    }
    return py_take(&world);
}

/* The row's module, also where the package would load it only in a run; NULL: it has none. */
static PyObject *module_of_row(const char *name)
{
    AUTO_PY top = PyUnicode_FromStringAndSize(name, (Py_ssize_t)strcspn(name, "."));
    int loaded = top ? PyDict_Contains(worker.modules, top) : -1;
    PyObject *module = loaded == 1 ? PyImport_ImportModule(name) : NULL;
    if (!module && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ImportError))
        PyErr_Clear(); /* of another version, or it lacks what it needs itself */
    return module;
}

static int apply(size_t row)
{
    AUTO_PY module = module_of_row(package_seals[row].module);
    if (!module)
        return PyErr_Occurred() ? -1 : 0;
    AUTO_PY world = make_world(module, package_seals[row].why);
    AUTO_PY first = world ? Py_CompileString(common_text, "<seal>", Py_file_input) : NULL;
    AUTO_PY made = first ? PyEval_EvalCode(first, world, world) : NULL;
    if (!made)
        return -1;
    AUTO_PY code = Py_CompileString(package_seals[row].text, "<seal>", Py_file_input);
    AUTO_PY done = code ? PyEval_EvalCode(code, world, world) : NULL;
    if (done)
        return 0;
    int lacking = PyErr_ExceptionMatches(PyExc_AttributeError) ||
                  PyErr_ExceptionMatches(PyExc_KeyError); /* of another version */
    if (lacking)
        PyErr_Clear();
    return lacking ? 0 : -1;
}

int package_seal(void)
{
    if (package_hide_interfaces() < 0)
        return -1;
    for (size_t i = 0; i < package_seal_count; i++)
        if (apply(i) < 0)
            return -1;
    return package_guard_arrays();
}
