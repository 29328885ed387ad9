/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interp: the world that user code sees. Its builtins are a mapping of its own, so that
 * the standard library keeps the real ones, and its __import__ hands out only what the
 * profile lists: facades (facade.c) made before any user code ran. This wall alone does
 * not hold (one can walk out of it without an import, and audit.c sees some of the ways
 * only); it decides what is offered.
 *
 * Every name of a fromlist and every part of a dotted name is checked here, because the
 * interpreter's IMPORT_FROM falls back to sys.modules[module.__name__ + "." + name], and
 * __name__ is the code's to change.
 */
#include "worker.h"

#include <string.h>

static PyObject *refuse(PyObject *name)
{
    AUTO_PY text = PyUnicode_FromFormat(
        "import of %R is not allowed: profile %R decides which modules code may import: %U", name,
        worker.profile, worker.allow_text);
    return text ? PyErr_SetImportError(text, name, NULL) : NULL;
}

/* The part of a dotted name before the first dot: a new reference. */
static PyObject *top_of(PyObject *name)
{
    Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, PyUnicode_GetLength(name), 1);
    if (dot == -2)
        return NULL;
    if (dot == -1) {
        Py_INCREF(name);
        return name;
    }
    return PyUnicode_Substring(name, 0, dot);
}

/* The listed module called `name`: borrowed; NULL without an exception when there is none. */
static PyObject *listed(PyObject *name)
{
    return PyDict_GetItemWithError(worker.allow, name);
}

/* 1: `module` offers `item`, which may be a listed submodule; 0: no; -1. */
static int offers(PyObject *module, PyObject *name, PyObject *item)
{
    if (facade_is(name))
        return facade_offers(module, name, item);
    AUTO_PY value = PyObject_GetAttr(module, item);
    if (value)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    AUTO_PY dotted = PyUnicode_FromFormat("%U.%U", name, item);
    if (!dotted)
        return -1;
    if (listed(dotted))
        return 1;
    return PyErr_Occurred() ? -1 : 0;
}

static int refuse_item(PyObject *name, PyObject *item)
{
    const char *why = facade_why(name, item);
    AUTO_PY text =
        why ? PyUnicode_FromFormat("cannot import name %R from %R: profile %R withholds it (%s)",
                                   item, name, worker.profile, why)
            : PyUnicode_FromFormat("cannot import name %R from %R: it holds no such name that "
                                   "profile %R lets code use, nor a module '%U.%U'",
                                   item, name, worker.profile, name, item);
    if (text)
        PyErr_SetImportError(text, name, NULL);
    return -1;
}

static int check_item(PyObject *module, PyObject *name, PyObject *item)
{
    if (!PyUnicode_Check(item)) {
        PyErr_SetString(PyExc_TypeError, "Item in ``from list'' must be str");
        return -1;
    }
    if (PyUnicode_CompareWithASCIIString(item, "*") == 0)
        return 0;
    int rc = offers(module, name, item);
    return rc == 0 ? refuse_item(name, item) : rc < 0 ? -1 : 0;
}

static int check_fromlist(PyObject *module, PyObject *name, PyObject *fromlist)
{
    AUTO_PY items = PySequence_Tuple(fromlist);
    if (!items)
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(items); i++)
        if (check_item(module, name, PyTuple_GetItem(items, i)) < 0)
            return -1;
    return 0;
}

/*
 * C code that needs a module on the way (time.strptime: _strptime) imports it through the
 * __import__ of the user's frame, with an empty *list*, and then takes it from sys.modules
 * itself.
 */
static int is_c_import(PyObject *name, PyObject *fromlist)
{
    return fromlist && PyList_CheckExact(fromlist) && PyList_Size(fromlist) == 0 &&
           (PySet_Contains(worker.c_imports, name) == 1 ||
            PyDict_Contains(worker.modules, name) == 1);
}

/* Sees that the module is there, and hands out nothing: an imitator gains nothing. */
static PyObject *import_for_c(PyObject *name)
{
    AUTO_PY module = PyImport_ImportModuleLevelObject(name, NULL, NULL, NULL, 0);
    if (!module)
        return NULL;
    Py_RETURN_NONE;
}

/* `import a.b as c` takes b from a by name: 1 when a still has it; 0; -1. */
static int leads_to(PyObject *name, Py_ssize_t dot, Py_ssize_t end)
{
    AUTO_PY above = PyUnicode_Substring(name, 0, dot);
    AUTO_PY item = above ? PyUnicode_Substring(name, dot + 1, end) : NULL;
    PyObject *parent = item ? listed(above) : NULL;
    if (!parent)
        return item && !PyErr_Occurred() ? 1 : -1; /* a real package, or refused already */
    int rc = offers(parent, above, item);
    return rc == 0 ? refuse_item(above, item) : rc;
}

static int check_path(PyObject *name)
{
    Py_ssize_t end = PyUnicode_GetLength(name);
    while (end > 0) {
        Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, end, -1);
        if (dot < 0)
            return dot == -1 ? 0 : -1;
        if (leads_to(name, dot, end) < 0)
            return -1;
        end = dot;
    }
    return 0;
}

/* `import name` binds the package's top; `from name import ...` wants name itself. */
static PyObject *import_listed(PyObject *name, int from)
{
    PyObject *module = listed(name);
    if (module && !from && check_path(name) < 0)
        return NULL;
    AUTO_PY top = module && !from ? top_of(name) : NULL;
    if (top)
        module = listed(top);
    if (!module)
        return PyErr_Occurred() ? NULL : refuse(name);
    Py_INCREF(module);
    return module;
}

/* Exact text: a look-up of it runs no code. */
static PyObject *import_name(PyObject *name, PyObject *fromlist)
{
    if (is_c_import(name, fromlist))
        return import_for_c(name);
    int from = fromlist ? PyObject_IsTrue(fromlist) : 0;
    AUTO_PY module = from < 0 ? NULL : import_listed(name, from);
    if (!module || (from && check_fromlist(module, name, fromlist) < 0))
        return NULL;
    return py_take(&module);
}

static PyObject *user_import(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char names[][10] = {"name", "globals", "locals", "fromlist", "level"};
    char *keywords[] = {names[0], names[1], names[2], names[3], names[4], NULL};
    PyObject *given, *globals = NULL, *locals = NULL, *fromlist = NULL;
    int level = 0;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|OOOi:__import__", keywords, &given, &globals,
                                     &locals, &fromlist, &level))
        return NULL;
    if (level != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "attempted relative import with no known parent package");
        return NULL;
    }
    AUTO_PY name = PyUnicode_FromObject(given);
    return name ? import_name(name, fromlist) : NULL;
}

static PyMethodDef import_def = {"__import__", (PyCFunction)(void (*)(void))user_import,
                                 METH_VARARGS | METH_KEYWORDS, NULL};

/* The builtins less what the profile withholds, and with our __import__. */
static PyObject *user_builtins(PyObject *builtins)
{
    AUTO_PY mapping = PyDict_Copy(PyModule_GetDict(builtins));
    AUTO_PY names = mapping ? PySequence_List(worker.hidden) : NULL;
    if (!names)
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_Size(names); i++)
        if (PyDict_DelItem(mapping, PyList_GetItem(names, i)) < 0) {
            if (!PyErr_ExceptionMatches(PyExc_KeyError))
                return NULL;
            PyErr_Clear(); /* this Python has no such builtin */
        }
    /* Without a self: what a builtin is bound to can be reached from it. */
    AUTO_PY importer = PyCFunction_NewEx(&import_def, NULL, NULL);
    if (!importer || PyDict_SetItemString(mapping, "__import__", importer) < 0)
        return NULL;
    return py_take(&mapping);
}

int interp_prepare(void)
{
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    if (!builtins)
        return -1;
    worker.builtins = interpreter_wall_up() ? user_builtins(builtins) : py_take(&builtins);
    if (!worker.builtins)
        return -1;
    if (!interpreter_wall_up())
        return 0;
    return facade_prepare() < 0 || name_guard() < 0 || zone_guard() < 0 ? -1 : 0;
}

/* What an approved run finds without an import. */
static int bind_modules(PyObject *names)
{
    static const char *const modules[] = {"sys", "io", "builtins"};
    for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
        AUTO_PY module = PyImport_ImportModule(modules[i]);
        if (!module || PyDict_SetItemString(names, modules[i], module) < 0)
            return -1;
    }
    return 0;
}

PyObject *interp_main(PyObject *input_data)
{
    AUTO_PY main = PyModule_New("__main__");
    AUTO_PY result = PyDict_New();
    if (!main || !result)
        return NULL;
    PyObject *names = PyModule_GetDict(main);
    if (PyDict_SetItemString(names, "__builtins__", worker.builtins) < 0 ||
        PyDict_SetItemString(names, "input_data", input_data) < 0 ||
        PyDict_SetItemString(names, "result", result) < 0 ||
        (worker.json && PyDict_SetItemString(names, "json", worker.json) < 0))
        return NULL;
    if (worker.approved && bind_modules(names) < 0)
        return NULL;
    /* dataclasses, typing and pickle look a class's module up by its name. */
    if (PyDict_SetItemString(worker.modules, "__main__", main) < 0)
        return NULL;
    return py_take(&main);
}
