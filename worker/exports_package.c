/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports_package: export tables of third-party packages, made once, while the zygote loads
 * them and before any user code. What a package lists in __all__, or what its module has
 * without an underscore, is exported when it is the package's own: a class or function that
 * it defines, an instance of such a class, plain data. Modules are followed within the
 * package only. package_rows.c has the last word. Whatever else is there is not exported.
 *
 * A module of the standard library gets no table here: one that has none was not reviewed.
 */
#include "worker.h"

#include "exports.h"
#include "gate.h"
#include "package.h"
#include "type_object.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 3      /* dots in a module's name */
#define DATA_DEPTH_MAX 3 /* containers within one another */

struct making {
    const char *path; /* the module's name, as code imports it */
    char top[64];
    PyObject *module;
    struct export_name *names;
    size_t count, room;
};

/* ---- what an object is ------------------------------------------------------------------ */

static int is_module(PyObject *value)
{
    return PyModule_Check(value);
}

/* `text` is the package's name, or begins with it and a dot. */
static int is_below(const char *text, const char *top)
{
    size_t len = strlen(top);
    return strncmp(text, top, len) == 0 && (text[len] == '\0' || text[len] == '.');
}

/* 1: value.__module__ is of the package; 0: it is not, or there is none. */
static int is_defined_in(PyObject *value, const char *top)
{
    AUTO_PY name = type_module(value);
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    PyErr_Clear();
    return text && is_below(text, top);
}

static int is_of_package_type(PyObject *value, const char *top)
{
    return is_defined_in((PyObject *)Py_TYPE(value), top);
}

/* A class that makes no classes and no modules. */
static int is_own_class(PyObject *value, const char *top)
{
    PyTypeObject *type = (PyTypeObject *)value;
    return is_defined_in(value, top) && !PyType_IsSubtype(type, &PyType_Type) &&
           !PyType_IsSubtype(type, &PyModule_Type);
}

/* A method of an instance of the package's, such as numpy.random.rand. */
static int is_own_method(PyObject *value, const char *top)
{
    if (!PyCFunction_Check(value))
        return 0;
    PyObject *self = PyCFunction_GetSelf(value);
    return self && !is_module(self) && is_of_package_type(self, top);
}

static int is_data(PyObject *value, const char *top, int depth);

static int are_data(PyObject *iterable, const char *top, int depth)
{
    AUTO_PY items = depth < DATA_DEPTH_MAX ? PySequence_List(iterable) : NULL;
    PyErr_Clear();
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++)
        if (!is_data(PyList_GetItem(items, i), top, depth + 1))
            return 0;
    return items != NULL;
}

/* Numbers, text, classes, and containers of them. */
static int is_data(PyObject *value, const char *top, int depth)
{
    if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) ||
        PyFloat_CheckExact(value) || PyComplex_CheckExact(value) || PyUnicode_CheckExact(value) ||
        PyBytes_CheckExact(value))
        return 1;
    if (PyType_Check(value))
        return depth > 0 && value != (PyObject *)&PyType_Type;
    if (PyDict_CheckExact(value)) {
        AUTO_PY values = PyDict_Values(value);
        return values && are_data(value, top, depth) && are_data(values, top, depth);
    }
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value) || PyFrozenSet_CheckExact(value))
        return are_data(value, top, depth);
    return is_of_package_type(value, top);
}

static int is_own(PyObject *value, const char *top)
{
    if (is_module(value))
        return 0;
    if (PyType_Check(value))
        return is_own_class(value, top);
    return is_data(value, top, 0) || is_own_method(value, top) ||
           (PyCallable_Check(value) && is_defined_in(value, top));
}

/* ---- the same under another name --------------------------------------------------------- */

/* The address of what each row is about, where it is loaded -> the row's number. */
static PyObject *rows_by_address;

static PyObject *address_of(PyObject *value)
{
    return PyLong_FromVoidPtr(value);
}

/* What the row names, borrowed; NULL: it is not loaded, or stands for many. */
static PyObject *named_by(const struct package_row *row)
{
    if (!row->name || row->shape == SHAPE_ANY || strchr(row->name, '*') || strchr(row->module, '*'))
        return NULL;
    PyObject *module = PyDict_GetItemString(worker.modules, row->module);
    PyObject *value = module && is_module(module)
                          ? PyDict_GetItemString(PyModule_GetDict(module), row->name)
                          : NULL;
    return value == Py_None ? NULL : value;
}

static int index_rows(void)
{
    rows_by_address = PyDict_New();
    for (size_t i = 0; rows_by_address && package_row_at(i); i++) {
        PyObject *value = named_by(package_row_at(i));
        AUTO_PY address = value ? address_of(value) : NULL;
        AUTO_PY number = address ? PyLong_FromSize_t(i) : NULL;
        if (value && (!number || PyDict_SetItem(rows_by_address, address, number) < 0))
            return -1;
    }
    return rows_by_address ? 0 : -1;
}

static const struct package_row *row_of_value(PyObject *value)
{
    AUTO_PY address = address_of(value);
    PyObject *number = address ? PyDict_GetItemWithError(rows_by_address, address) : NULL;
    PyErr_Clear();
    return number ? package_row_at(PyLong_AsSize_t(number)) : NULL;
}

/* ---- a table in the making --------------------------------------------------------------- */

static int add_name(struct making *m, const char *name, const struct package_row *row)
{
    if (m->count == m->room) {
        size_t more = m->room ? m->room * 2 : 64;
        struct export_name *grown = realloc(m->names, more * sizeof(*grown));
        if (!grown)
            return -1;
        m->names = grown;
        m->room = more;
    }
    struct export_name *new = &m->names[m->count];
    *new = (struct export_name){.name = strdup(name), .kind = EXPORT_PACKAGE};
    if (!new->name)
        return -1;
    m->count++;
    if (!row || row->shape == SHAPE_ANY)
        return 0;
    new->kind = EXPORT_SHAPED;
    new->shape = row->shape;
    new->denied = row->shape == SHAPE_NEVER ? row->why : NULL;
    return 0;
}

/* listed: the module has no __all__, or the name is in it. */
static int judge(struct making *m, const char *name, int listed)
{
    const struct package_row *row = package_row_of(m->path, name);
    struct package_row never = {.shape = SHAPE_NEVER, .why = row ? NULL : gate_why_never(name)};
    if ((row && row->name[0] == '*') || (!row && !listed))
        return 0;
    if (never.why || (row && row->shape == SHAPE_NEVER))
        return add_name(m, name, row ? row : &never);
    AUTO_PY value = PyObject_GetAttrString(m->module, name);
    PyErr_Clear(); /* a name in __all__ that is not there */
    int own = value && !is_module(value) && (row || is_own(value, m->top));
    if (own && !row)
        row = row_of_value(value);
    return own ? add_name(m, name, row) : 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct export_name *)a)->name, ((const struct export_name *)b)->name);
}

/* The module's __all__ as a set; NULL without an exception when there is none. */
static PyObject *listed_names(PyObject *module)
{
    AUTO_PY listed = PyObject_GetAttrString(module, "__all__");
    PyErr_Clear();
    return listed ? PyFrozenSet_New(listed) : NULL;
}

/* Of __all__ and of what the module has besides. */
static PyObject *candidates(PyObject *module, PyObject *listed)
{
    AUTO_PY there = PyObject_Dir(module);
    AUTO_PY all = there ? PySet_New(there) : NULL;
    AUTO_PY both = all && listed ? PyNumber_Or(all, listed) : NULL;
    return all && (both || !listed) ? PySequence_List(both ? both : all) : NULL;
}

/* The one private name that everybody prints; a text, which is nobody's. */
static int take_version(struct making *m)
{
    AUTO_PY version = PyObject_GetAttrString(m->module, "__version__");
    PyErr_Clear();
    return version && PyUnicode_CheckExact(version) ? add_name(m, "__version__", NULL) : 0;
}

static int take_names(struct making *m, PyObject *listed)
{
    AUTO_PY order = candidates(m->module, listed);
    for (Py_ssize_t i = 0; order && i < PyList_Size(order); i++) {
        PyObject *item = PyList_GetItem(order, i);
        const char *name = PyUnicode_CheckExact(item) ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
        PyErr_Clear();
        int public = !listed || PySet_Contains(listed, item) == 1;
        if (name && name[0] != '_' && judge(m, name, public) < 0)
            return -1;
    }
    if (take_version(m) < 0)
        return -1;
    if (m->count > 0)
        qsort(m->names, m->count, sizeof(m->names[0]), compare_names);
    return order ? 0 : -1;
}

/* ---- modules ---------------------------------------------------------------------------------- */

static int add_module(PyObject *path, PyObject *module);

/* What a row says of the module of that name, or of a package that it lies in. */
static int is_withheld(const char *real)
{
    char name[128];
    if (strlen(real) >= sizeof(name))
        return 1;
    memcpy(name, real, strlen(real) + 1);
    for (char *dot = name; dot; dot = strrchr(name, '.')) {
        if (dot != name)
            *dot = '\0';
        const struct package_row *row = package_row_of(name, NULL);
        if (row)
            return row->shape == SHAPE_NEVER;
    }
    return 0;
}

/* Whether `path`, the module called `real`, is to have a table because its parent has it. */
static int is_followed(const char *path, const char *real, const char *top)
{
    const struct package_row *row = package_row_of(path, NULL);
    const char *dot = strrchr(path, '.');
    int dots = 0;
    for (const char *c = path; *c; c++)
        dots += *c == '.';
    if (!is_below(real, top) || dots > DEPTH_MAX || !dot)
        return 0;
    if (row)
        return row->shape == SHAPE_ANY;
    AUTO_PY parent = PyUnicode_FromStringAndSize(path, dot - path);
    const char *above = parent ? PyUnicode_AsUTF8AndSize(parent, NULL) : NULL;
    PyErr_Clear();
    int closed = !above || package_row_of(above, "*") != NULL;
    return !closed && strcmp(path, real) == 0 && !is_withheld(real);
}

static int follow(const struct making *m, const char *name, PyObject *value)
{
    AUTO_PY path = PyUnicode_FromFormat("%s.%s", m->path, name);
    AUTO_PY real = PyObject_GetAttrString(value, "__name__");
    const char *path_text = path ? PyUnicode_AsUTF8AndSize(path, NULL) : NULL;
    const char *real_text =
        real && PyUnicode_CheckExact(real) ? PyUnicode_AsUTF8AndSize(real, NULL) : NULL;
    PyErr_Clear();
    if (!path_text || !real_text || !is_followed(path_text, real_text, m->top))
        return path ? 0 : -1;
    return add_module(path, value);
}

static int follow_all(const struct making *m)
{
    AUTO_PY names = PyDict_Copy(PyModule_GetDict(m->module));
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (names && PyDict_Next(names, &at, &key, &value)) {
        const char *name = PyUnicode_CheckExact(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        PyErr_Clear();
        if (name && name[0] != '_' && is_module(value) && follow(m, name, value) < 0)
            return -1;
    }
    return names ? 0 : -1;
}

static int too_many(const char *path)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ImportError,
                     "module '%s' does not fit: packages may have %d modules together", path,
                     EXPORTS_ADDED_MAX);
    return -1;
}

/* Makes the table of one module, and those of the modules in it. */
static int add_module(PyObject *path, PyObject *module)
{
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    if (!text || exports_find(text))
        return text ? 0 : -1;
    struct making m = {.path = strdup(text), .module = module};
    size_t len = strcspn(text, ".");
    if (!m.path || len >= sizeof(m.top))
        return too_many(text);
    memcpy(m.top, text, len);
    AUTO_PY listed = listed_names(module);
    if (PyErr_Occurred() || take_names(&m, listed) < 0)
        return too_many(text);
    struct export_module made = {
        .name = m.path, .names = m.names, .count = m.count, .star = listed != NULL};
    if (exports_add(&made) < 0 || PyDict_SetItem(worker.allow, path, module) < 0)
        return too_many(text);
    return follow_all(&m);
}

/* ---- which modules are packages ------------------------------------------------------------------ */

static PyObject *file_of(const char *name)
{
    AUTO_PY module = PyImport_ImportModule(name);
    PyObject *file = module ? PyObject_GetAttrString(module, "__file__") : NULL;
    PyErr_Clear();
    if (file && !PyUnicode_CheckExact(file))
        py_clear(&file);
    return file;
}

/* The standard library lies where os.py does, but for what is installed below it. */
static int is_third_party(const char *name)
{
    char top[64];
    size_t len = strcspn(name, ".");
    if (len >= sizeof(top))
        return 0;
    memcpy(top, name, len);
    top[len] = '\0';
    AUTO_PY own = file_of(top);
    AUTO_PY os = file_of("os");
    const char *file = own ? PyUnicode_AsUTF8AndSize(own, NULL) : NULL;
    const char *library = os ? PyUnicode_AsUTF8AndSize(os, NULL) : NULL;
    PyErr_Clear();
    if (!file || !library)
        return 0; /* built in */
    size_t dir = (size_t)(strrchr(library, '/') + 1 - library);
    return strncmp(file, library, dir) != 0 || strstr(file, "/site-packages/") ||
           strstr(file, "/dist-packages/");
}

static int add_listed(void)
{
    AUTO_PY names = PyDict_Keys(worker.allow);
    for (Py_ssize_t i = 0; names && i < PyList_Size(names); i++) {
        PyObject *path = PyList_GetItem(names, i);
        PyObject *module = PyDict_GetItemWithError(worker.allow, path);
        const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
        if (!module || !text)
            return -1;
        if (is_module(module) && is_third_party(text) && add_module(path, module) < 0)
            return -1;
    }
    return names ? 0 : -1;
}

/* scipy, where the profile lists scipy.stats alone: it holds that, and nothing else. */
static int add_parents(void)
{
    for (size_t i = 0; i < exports_added(); i++) {
        const char *name = exports_added_at(i)->name;
        const char *dot = strrchr(name, '.');
        AUTO_FREE char *above = dot ? strndup(name, (size_t)(dot - name)) : NULL;
        if (!dot || (above && exports_find(above)))
            continue;
        struct export_module bare = {.name = above};
        if (!above || exports_add(&bare) < 0)
            return too_many(name);
        above = NULL; /* the table's now */
    }
    return 0;
}

int exports_package_prepare(void)
{
    if (PyUnicode_CompareWithASCIIString(worker.profile, "strict") == 0)
        return 0; /* it hands out what was reviewed, and nothing else */
    int rc =
        index_rows() < 0 || add_listed() < 0 || add_parents() < 0 || package_parts_collect() < 0
            ? -1
            : package_seal();
    py_clear(&rows_by_address);
    return rc;
}
