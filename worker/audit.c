/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit: the hook that refuses, once the user's code runs, what strict code has no business
 * doing. It is written in C, so Python code cannot take it off. What it lets through is a
 * table (audit_rows.c) of events and of the modules that may raise them; whose frame it is
 * is told by the dictionary of its globals, which code cannot forge without an event.
 *
 * This wall alone does not hold: not every way to the kernel raises an event.
 */
#include "audit.h"

#include "exports.h"
#include "worker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* How far up a stack is looked; beyond it, nothing is let through. */
#define FRAMES_MAX 200

static struct {
    PyObject *globals; /* of the code; NULL: none runs yet */
    int own;           /* more than 0: we import something ourselves */
    int minor;
    PyObject *known;    /* sys.modules before any code could put something else there, a dict */
    PyObject *library;  /* "/usr/lib/python3.11/" */
    PyObject *zones;    /* where time zones are read from: a tuple of text */
    PyObject *packages; /* tops of modules that the profile hands out as they are, a set */
    PyObject *(*back)(PyObject *);       /* PyFrame_GetBack */
    PyObject *(*globals_of)(PyObject *); /* PyFrame_GetGlobals */
} audit;

static struct violation violations[VIOLATIONS_MAX];
static size_t violation_count;

/* ---- frames ------------------------------------------------------------------------ */

/* The dictionary of a module in `modules`: borrowed, or NULL. */
static PyObject *dict_in(PyObject *modules, const char *name)
{
    PyObject *module = PyDict_GetItemString(modules, name);
    return module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
}

static PyObject *dict_of(const char *name)
{
    return dict_in(audit.known, name);
}

/* Compiled from the code, or running in its namespace. */
static int is_users(PyObject *frame, PyObject *globals)
{
    AUTO_PY code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
    AUTO_PY file = code ? PyObject_GetAttrString(code, "co_filename") : NULL;
    PyErr_Clear();
    return globals == audit.globals || !file ||
           (PyUnicode_Check(file) && PyUnicode_CompareWithASCIIString(file, USER_FILE) == 0);
}

/* A module of the profile's own packages, or one beside it. */
static int is_package(PyObject *globals)
{
    PyObject *name = PyDict_GetItemString(globals, "__name__");
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text || dict_in(worker.modules, text) != globals) {
        PyErr_Clear();
        return 0;
    }
    AUTO_PY top = PyUnicode_FromStringAndSize(text, (Py_ssize_t)strcspn(text, "."));
    int rc = top ? PySet_Contains(audit.packages, top) : 0;
    PyErr_Clear();
    return rc == 1;
}

/*
 * Calls `test` for the globals of each frame, from the one that raised the event up to the
 * code's own: 1 when one of them passes.
 */
static int walk(int (*test)(PyObject *globals, const void *what), const void *what)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    int found = 0;
    Py_XINCREF(frame);
    for (int i = 0; frame && !found && i < FRAMES_MAX; i++) {
        AUTO_PY globals = audit.globals_of(frame);
        if (!globals || is_users(frame, globals))
            break;
        found = test(globals, what);
        PyObject *next = audit.back(frame);
        Py_DECREF(frame);
        frame = next;
    }
    Py_XDECREF(frame);
    return found;
}

static int test_dict(PyObject *globals, const void *dict)
{
    return globals == dict;
}

static int test_package(PyObject *globals, const void *unused)
{
    (void)unused;
    return is_package(globals);
}

/* The line of the code that is running, 0 when there is none. */
static unsigned long user_line(void)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    unsigned long line = 0;
    Py_XINCREF(frame);
    for (int i = 0; frame && line == 0 && i < 100000; i++) {
        AUTO_PY globals = audit.globals_of(frame);
        if (globals == audit.globals)
            line = (unsigned long)PyFrame_GetLineNumber((PyFrameObject *)frame);
        PyObject *next = audit.back(frame);
        Py_DECREF(frame);
        frame = next;
    }
    Py_XDECREF(frame);
    return line;
}

/* ---- rows --------------------------------------------------------------------------- */

static int row_fits(const struct audit_row *row, const char *event, const char *attribute,
                    PyObject *globals)
{
    if (row->attribute && (!attribute || strcmp(row->attribute, attribute) != 0))
        return 0;
    if (strcmp(row->event, event) != 0 || (row->first && audit.minor < row->first) ||
        (row->last && audit.minor > row->last))
        return 0;
    if (row->module && dict_of(row->module) != globals)
        return 0;
    PyObject *via = row->via ? dict_of(row->via) : NULL;
    return !row->via || (via && walk(test_dict, via));
}

static int listed(const char *event, const char *attribute)
{
    PyObject *globals = PyEval_GetGlobals();
    for (size_t i = 0; globals && i < audit_row_count; i++)
        if (row_fits(&audit_rows[i], event, attribute, globals))
            return 1;
    return 0;
}

/* ---- events whose arguments matter ----------------------------------------------------- */

static PyObject *argument(PyObject *args, Py_ssize_t at)
{
    return args && PyTuple_Check(args) && PyTuple_Size(args) > at ? PyTuple_GetItem(args, at)
                                                                  : NULL;
}

static const char *text_argument(PyObject *args, Py_ssize_t at)
{
    PyObject *value = argument(args, at);
    const char *text =
        value && PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    PyErr_Clear();
    return text;
}

static int is_below(const char *path, PyObject *dir)
{
    Py_ssize_t len;
    const char *text = PyUnicode_Check(dir) ? PyUnicode_AsUTF8AndSize(dir, &len) : NULL;
    PyErr_Clear();
    return text && strncmp(path, text, (size_t)len) == 0 &&
           (len == 0 || text[len - 1] == '/' || path[len] == '/') && !strstr(path, "/../");
}

/* zoneinfo is C and opens its files from the code's own frame. */
static int is_zone(const char *path)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(audit.zones); i++)
        if (is_below(path, PyTuple_GetItem(audit.zones, i)))
            return 1;
    return 0;
}

static int only_reads(PyObject *args)
{
    PyObject *flags = argument(args, 2);
    const char *mode = text_argument(args, 1);
    long bits = flags && PyLong_Check(flags) ? PyLong_AsLong(flags) : -1;
    PyErr_Clear();
    if (mode && strpbrk(mode, "wax+"))
        return 0;
    return bits >= 0 && (bits & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/* "<unknown>": an error of syntax looks for the line that it is in. */
static int is_no_file(const char *path)
{
    return path[0] == '<' && !strchr(path, '/') && path[strlen(path) - 1] == '>';
}

static int may_open(PyObject *args)
{
    const char *path = text_argument(args, 0);
    if (!path || !only_reads(args))
        return 0;
    return is_no_file(path) || is_zone(path) ||
           (is_below(path, audit.library) && listed("open", NULL));
}

static int import_fits(const struct audit_import *row, const char *name, PyObject *globals)
{
    size_t len = strlen(row->name);
    if (row->name[len - 1] == '.' ? strncmp(row->name, name, len) != 0
                                  : strcmp(row->name, name) != 0)
        return 0;
    return dict_of(row->importer) == globals;
}

static int may_import(PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    PyObject *globals = PyEval_GetGlobals();
    if (PySet_Contains(worker.c_imports, name) == 1)
        return 1;
    for (size_t i = 0; text && globals && i < audit_import_count; i++)
        if (import_fits(&audit_imports[i], text, globals))
            return 1;
    PyErr_Clear();
    return 0;
}

/*
 * What loading a module does cannot be told from what code would do with the loader. So we
 * load it ourselves, and whoever asked finds it there. 0, or -1 with its exception set.
 */
static int import_it(PyObject *name)
{
    int collecting = PyGC_Disable(); /* nobody's __del__ meanwhile */
    audit.own++;
    AUTO_PY module = PyImport_ImportModuleLevelObject(name, NULL, NULL, NULL, 0);
    audit.own--;
    if (collecting)
        (void)PyGC_Enable();
    if (!module)
        return -1;
    return PyDict_Contains(audit.known, name) ? 0 : PyDict_SetItem(audit.known, name, module);
}

/* ---- the hook ------------------------------------------------------------------------------ */

/* An event of the package's own ("sqlite3.connect"), or one that it raises. */
static int by_package(const char *event)
{
    if (PySet_Size(audit.packages) == 0 || audit_hard(event))
        return 0;
    AUTO_PY top = PyUnicode_FromStringAndSize(event, (Py_ssize_t)strcspn(event, "."));
    int own = top ? PySet_Contains(audit.packages, top) : 0;
    PyErr_Clear();
    return own == 1 || walk(test_package, NULL);
}

/* typing runs text that stands for a type; the others wrote theirs themselves. */
static int may_exec(PyObject *args)
{
    PyObject *code = argument(args, 0);
    if (!code || PyEval_GetGlobals() != dict_of("typing"))
        return code != NULL;
    audit.own++;
    int rc = annotation_is_type(code);
    audit.own--;
    PyErr_Clear();
    return rc;
}

static int allowed(const char *event, PyObject *args)
{
    if (strncmp(event, "object.__", 9) == 0) {
        const char *attribute = text_argument(args, 1);
        /* Without a frame it is we who ask, or C code that we call: nobody gets to see it. */
        return !attribute || !PyEval_GetFrame() || !audit_guarded(attribute) ||
               listed(event, attribute);
    }
    if (strcmp(event, "open") == 0)
        return may_open(args);
    return listed(event, NULL) && (strcmp(event, "exec") != 0 || may_exec(args));
}

static void remember(const char *event)
{
    unsigned long line = user_line();
    for (size_t i = 0; i < violation_count; i++)
        if (violations[i].line == line && strcmp(violations[i].what, event) == 0)
            return;
    if (violation_count == VIOLATIONS_MAX)
        return;
    struct violation *v = &violations[violation_count++];
    (void)snprintf(v->what, sizeof(v->what), "%s", event);
    v->line = line;
}

/* A traceback through a package looks for its source lines, and does without. */
static int is_for_traceback(const char *event, PyObject *args)
{
    return strcmp(event, "open") == 0 && only_reads(args) && listed(event, NULL);
}

static int refuse(const char *event, PyObject *args)
{
    const char *detail = strcmp(event, "import") == 0 ? text_argument(args, 0)
                         : strncmp(event, "object.__", 9) == 0 || strcmp(event, "type.__new__") == 0
                             ? text_argument(args, 1)
                             : NULL;
    PyErr_Clear();
    if (!is_for_traceback(event, args))
        remember(event);
    PyErr_Format(PyExc_PermissionError,
                 "the interpreter refuses '%s'%s%.100s%s: profile %R decides what code may do",
                 event, detail ? " (" : "", detail ? detail : "", detail ? ")" : "",
                 worker.profile);
    return -1;
}

static int on_event(const char *event, PyObject *args, void *unused)
{
    (void)unused;
    if (!audit.globals || audit.own > 0 || audit_harmless(event))
        return 0;
    PyObject *name = strcmp(event, "import") == 0 ? argument(args, 0) : NULL;
    if (name && PyUnicode_Check(name) && may_import(name))
        return import_it(name);
    return allowed(event, args) || by_package(event) ? 0 : refuse(event, args);
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* Exported by every CPython, but not in the headers of the stable ABI. */
static int find_function(const char *name, void *ret_function, size_t size)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        PyErr_Format(PyExc_SystemError, "this Python lacks %s", name);
        return -1;
    }
    memcpy(ret_function, &found, size);
    return 0;
}

static int find_frames(void)
{
    if (audit.back && audit.globals_of)
        return 0;
    return find_function("PyFrame_GetBack", &audit.back, sizeof(audit.back)) < 0
               ? -1
               : find_function("PyFrame_GetGlobals", &audit.globals_of, sizeof(audit.globals_of));
}

PyObject *audit_caller(void)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    if (find_frames() < 0 || !frame)
        return NULL;
    AUTO_PY back = audit.back(frame);
    return back ? audit.globals_of(back) : NULL;
}

static int add_hook(void)
{
    int (*add)(int (*)(const char *, PyObject *, void *), void *) = NULL;
    if (find_function("PySys_AddAuditHook", &add, sizeof(add)) < 0 || find_frames() < 0)
        return -1;
    return add(on_event, NULL);
}

static PyObject *attribute_of(const char *module_name, const char *name)
{
    AUTO_PY module = PyImport_ImportModule(module_name);
    return module ? PyObject_GetAttrString(module, name) : NULL;
}

static int find_places(void)
{
    AUTO_PY os = attribute_of("os", "__file__");
    Py_ssize_t length = os ? PyUnicode_GetLength(os) : -1;
    Py_ssize_t slash = os ? PyUnicode_FindChar(os, '/', 0, length, -1) : -2;
    audit.library = slash >= 0 ? PyUnicode_Substring(os, 0, slash + 1) : NULL;
    if (!audit.library)
        return -1;
    AUTO_PY zoneinfo = PyMapping_GetItemString(worker.modules, "zoneinfo");
    PyErr_Clear(); /* the profile may do without */
    AUTO_PY zones = zoneinfo ? PyObject_GetAttrString(zoneinfo, "TZPATH") : PyTuple_New(0);
    audit.zones = zones ? PySequence_Tuple(zones) : NULL;
    return audit.zones ? 0 : -1;
}

/* The top packages of all that no table of ours was reviewed for. */
static int find_packages(void)
{
    PyObject *name, *module;
    Py_ssize_t at = 0;
    audit.packages = PySet_New(NULL);
    while (audit.packages && PyDict_Next(worker.allow, &at, &name, &module)) {
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        const struct export_module *table = text ? exports_find(text) : NULL;
        if (!text || (table && !exports_is_added(table)))
            continue;
        AUTO_PY top = PyUnicode_FromStringAndSize(text, (Py_ssize_t)strcspn(text, "."));
        if (!top || PySet_Add(audit.packages, top) < 0)
            return -1;
    }
    return audit.packages ? 0 : -1;
}

int audit_refuse_name(const char *event, PyObject *object, PyObject *name)
{
    AUTO_PY args = PyTuple_Pack(2, object, name);
    return args ? refuse(event, args) : -1;
}

int audit_refuse_class(PyObject *what)
{
    AUTO_PY text = PyUnicode_Check(what) ? PyUnicode_FromObject(what) : PyObject_Str(what);
    AUTO_PY args = text ? PyTuple_Pack(2, Py_None, text) : NULL;
    return args ? refuse("type.__new__", args) : -1;
}

int audit_is_on(void)
{
    return audit.globals && audit.own == 0;
}

int audit_is_by_code(void)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    return !audit_is_on() || !frame || is_users(frame, PyEval_GetGlobals());
}

PyObject *audit_code_frame(void)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    Py_XINCREF(frame);
    for (int i = 0; frame && i < FRAMES_MAX; i++) {
        AUTO_PY globals = audit.globals_of(frame);
        if (is_users(frame, globals))
            return frame;
        PyObject *next = audit.back(frame);
        Py_DECREF(frame);
        frame = next;
    }
    Py_XDECREF(frame);
    return NULL;
}

PyObject *audit_code_of(PyObject *function)
{
    audit.own++;
    PyObject *code = PyObject_GetAttrString(function, "__code__");
    audit.own--;
    return code;
}

PyObject *audit_names_in(PyObject *function)
{
    AUTO_PY code = audit_code_of(function);
    AUTO_PY names = code ? PyObject_GetAttrString(code, "co_names") : NULL;
    PyErr_Clear();
    return py_take(&names);
}

int audit_is_within(const char *module)
{
    PyObject *dict = dict_of(module);
    return (dict && walk(test_dict, dict)) || walk(test_package, NULL);
}

int audit_prepare(void)
{
    AUTO_PY version = Py_BuildValue("O", PySys_GetObject("version_info"));
    AUTO_PY minor = version ? PySequence_GetItem(version, 1) : NULL;
    if (!minor)
        return -1;
    audit.minor = (int)PyLong_AsLong(minor);
    audit.known = PyDict_Copy(worker.modules);
    if (!audit.known)
        return -1;
    return find_places() < 0 || find_packages() < 0 ? -1 : add_hook();
}

void audit_start(PyObject *globals)
{
    audit.globals = globals;
}

size_t audit_violations(const struct violation **ret_rows)
{
    *ret_rows = violations;
    return violation_count;
}
