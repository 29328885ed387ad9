/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: everything that is done once, before the first fork, so that a sandbox finds it
 * done: the profile's modules, what C code imports on first use, the functions that this
 * extension calls later (looked up while nobody can have rebound them), the heap frozen so
 * that collections in sandboxes leave shared pages alone. No user code runs here.
 */
#include "worker.h"

#include "base/err.h"
#include "encode.h"
#include "gate.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct worker worker;

/* What this extension itself needs, whatever the profile allows. */
static const char *const own_modules[] = {
    "json", "traceback", "linecache", "faulthandler", "opcode", "gc", "time", "os", "io"};

static const struct {
    const char *module, *attribute;
    PyObject **slot;
    enum { EARLY, JSON, LATE } when; /* an approved run may do without the latter two */
} look_ups[] = {
    {"builtins", "compile", &worker.compile, EARLY},
    {"json", "loads", &worker.loads, JSON},
    {"sys", "modules", &worker.modules, EARLY},
    {"sys", "get_int_max_str_digits", &worker.get_int_digits, EARLY},
    {"sys", "set_int_max_str_digits", &worker.set_int_digits, EARLY},
    {"linecache", "cache", &worker.line_cache, LATE},
    {"traceback", "TracebackException", &worker.trace_exception, LATE},
    {"faulthandler", "register", &worker.trace_signal, EARLY},
};

/* ---- errors -------------------------------------------------------------------- */

/* Words for the Python exception that is set, and none is set afterwards. */
static int fail_python(struct cordon_err *reterr, const char *what)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    AUTO_PY name = value ? PyType_GetName(Py_TYPE(value)) : NULL;
    AUTO_PY text = value ? PyObject_Str(value) : NULL;
    const char *kind = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *why = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyErr_Clear();
    kind = kind ? kind : "an exception";
    why = why ? why : "no reason given";
    err_set(reterr, CORDON_E_HELPER, 0, "%s: %.*s: %.*s", what,
            (int)clip_prefix(kind, strlen(kind), 60), kind, (int)clip_prefix(why, strlen(why), 300),
            why);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return CORDON_E_HELPER;
}

/* ---- threads -------------------------------------------------------------------- */

static int count_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    if (!dir)
        return -errno;
    int count = 0;
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

int load_single_threaded(void)
{
    struct stat st;
    /* One link for each thread and two for the directory: no need to list it. */
    if (stat("/proc/self/task", &st) == 0 && st.st_nlink == 3)
        return 1;
    return count_threads() == 1;
}

#define THREAD_GRACE_MS 500

/* A thread that is about to end, as matplotlib's timer is, needs the interpreter for that. */
static int becomes_single_threaded(void)
{
    for (int waited = 0; waited < THREAD_GRACE_MS; waited++) {
        const struct timespec millisecond = {.tv_nsec = 1000000};
        if (load_single_threaded())
            return 1;
        PyThreadState *state = PyEval_SaveThread();
        (void)nanosleep(&millisecond, NULL);
        PyEval_RestoreThread(state);
    }
    return 0;
}

/* module: what was loaded last, NULL before the first. */
static int check_threads(const char *module, struct cordon_err *reterr)
{
    if (becomes_single_threaded())
        return 0;
    if (!module)
        return err_set(reterr, CORDON_E_HELPER, 0,
                       "the interpreter starts with more than one thread, or /proc does not tell");
    return err_set(reterr, CORDON_E_HELPER, 0,
                   "module '%s' started a thread while it was loaded: a process with threads "
                   "cannot be copied; take it out of the profile, or set the environment "
                   "variable that makes it single-threaded",
                   module);
}

/* ---- modules ---------------------------------------------------------------------- */

/* The module, a new reference, or NULL with reterr filled. */
static PyObject *load_module(const char *name, struct cordon_err *reterr)
{
    PyObject *module = PyImport_ImportModule(name);
    if (!module) {
        char what[128];
        (void)snprintf(what, sizeof(what), "cannot load module '%.100s'", name);
        (void)fail_python(reterr, what);
        return NULL;
    }
    if (check_threads(name, reterr) < 0)
        py_clear(&module);
    return module;
}

/* Loads each name of a list; `into` (may be NULL) maps names to modules. */
static int load_list(PyObject *names, PyObject *into, struct cordon_err *reterr)
{
    for (Py_ssize_t i = 0; i < PyList_Size(names); i++) {
        PyObject *name = PyList_GetItem(names, i);
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        if (!text)
            return fail_python(reterr, "a module's name in the configuration");
        AUTO_PY module = load_module(text, reterr);
        if (!module)
            return CORDON_E_HELPER;
        if (into && PyDict_SetItem(into, name, module) < 0)
            return fail_python(reterr, text);
    }
    return 0;
}

/* What C code imports differs by version: names that this Python lacks are no failure. */
static int load_c_imports(struct cordon_err *reterr)
{
    AUTO_PY names = PySequence_List(worker.c_imports);
    for (Py_ssize_t i = 0; names && i < PyList_Size(names); i++) {
        AUTO_PY module = PyImport_Import(PyList_GetItem(names, i));
        if (!module && !PyErr_ExceptionMatches(PyExc_ModuleNotFoundError))
            return fail_python(reterr, "cannot load what C code imports");
        PyErr_Clear();
    }
    return names ? check_threads("c_imports", reterr) : fail_python(reterr, "c_imports");
}

static int load_own(struct cordon_err *reterr)
{
    for (size_t i = 0; i < ARRAY_LEN(own_modules); i++) {
        AUTO_PY module = load_module(own_modules[i], reterr);
        if (!module)
            return CORDON_E_HELPER;
    }
    return 0;
}

/* ---- look-ups ----------------------------------------------------------------------- */

static PyObject *look_up(const char *module_name, const char *attribute)
{
    AUTO_PY module = PyImport_ImportModule(module_name);
    return module ? PyObject_GetAttrString(module, attribute) : NULL;
}

static int look_up_raise(void)
{
    AUTO_PY map = look_up("opcode", "opmap");
    AUTO_PY number = map ? PyMapping_GetItemString(map, "RAISE_VARARGS") : NULL;
    if (!number)
        return -1;
    worker.raise_opcode = (unsigned char)PyLong_AsLong(number);
    return 0;
}

/* numpy's global generator; absent unless the profile loaded it. */
static void look_up_numpy(void)
{
    AUTO_PY random = PyMapping_GetItemString(worker.modules, "numpy.random");
    worker.numpy_seed = random ? PyObject_GetAttrString(random, "seed") : NULL;
    PyErr_Clear();
}

static int look_up_rows(int when)
{
    for (size_t i = 0; i < ARRAY_LEN(look_ups); i++) {
        if ((int)look_ups[i].when != when || *look_ups[i].slot)
            continue;
        *look_ups[i].slot = look_up(look_ups[i].module, look_ups[i].attribute);
        if (!*look_ups[i].slot)
            return -1;
    }
    return 0;
}

int load_json(void)
{
    if (!worker.json)
        worker.json = PyImport_ImportModule("json");
    return worker.json ? look_up_rows(JSON) : -1;
}

int load_late(void)
{
    return look_up_rows(LATE) < 0 || look_up_raise() < 0 ? -1 : 0;
}

static int look_up_all(void)
{
    if (look_up_rows(EARLY) < 0 || load_json() < 0 || load_late() < 0)
        return -1;
    look_up_numpy();
    return 0;
}

/* ---- configuration -------------------------------------------------------------------- */

/* A member that is a list: borrowed. NULL with an exception set when it is not. */
static PyObject *config_list(PyObject *config, const char *key)
{
    PyObject *value = PyDict_GetItemString(config, key);
    if (value && PyList_CheckExact(value))
        return value;
    PyErr_Format(PyExc_ValueError, "member '%s' is not a list", key);
    return NULL;
}

static int config_set(PyObject *config, const char *key, PyObject **ret_set)
{
    PyObject *list = config_list(config, key);
    *ret_set = list ? PyFrozenSet_New(list) : NULL;
    return *ret_set ? 0 : -1;
}

static int config_names(PyObject *config)
{
    AUTO_PY comma = PyUnicode_FromString(", ");
    PyObject *allow = config_list(config, "allow");
    worker.allow_text = comma && allow ? PyUnicode_Join(comma, allow) : NULL;
    worker.allow = PyDict_New();
    worker.profile = PyDict_GetItemString(config, "profile");
    Py_XINCREF(worker.profile);
    if (!worker.allow_text || !worker.allow)
        return -1;
    if (!worker.profile || !PyUnicode_Check(worker.profile)) {
        PyErr_SetString(PyExc_ValueError, "member 'profile' is not a string");
        return -1;
    }
    if (config_set(config, "c_imports", &worker.c_imports) < 0)
        return -1;
    return config_set(config, "hide_builtins", &worker.hidden);
}

static int config_walls(PyObject *config)
{
    PyObject *walls = PyDict_GetItemString(config, "walls_down");
    unsigned long bits = walls ? PyLong_AsUnsignedLong(walls) : 0;
    worker.walls_down = (uint32_t)bits;
    return PyErr_Occurred() ? -1 : 0;
}

/* The parsed object, a new reference, or NULL with an exception set. */
static PyObject *config_parse(const char *text)
{
    AUTO_PY loads = look_up("json", "loads");
    AUTO_PY config = loads ? PyObject_CallFunction(loads, "s", text) : NULL;
    if (!config)
        return NULL;
    if (!PyDict_CheckExact(config)) {
        PyErr_SetString(PyExc_ValueError, "not a JSON object");
        return NULL;
    }
    if (config_walls(config) < 0 || config_names(config) < 0)
        return NULL;
    return py_take(&config);
}

/* ---- what user code must not see ---------------------------------------------------------- */

/* From os.environ and so from the C environment too. */
static int hide_environ(PyObject *config)
{
    PyObject *names = config_list(config, "hide_environ");
    AUTO_PY environ = names ? look_up("os", "environ") : NULL;
    if (!environ)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(names); i++) {
        AUTO_PY gone = PyObject_CallMethod(environ, "pop", "OO", PyList_GetItem(names, i), Py_None);
        if (!gone)
            return -1;
    }
    return 0;
}

/* The directory this extension was found in leaves sys.path, the extension sys.modules. */
static int hide_self(void)
{
    AUTO_PY self = PyMapping_GetItemString(worker.modules, "_cordon_worker");
    AUTO_PY file = self ? PyObject_GetAttrString(self, "__file__") : NULL;
    PyObject *path = PySys_GetObject("path");
    if (!file || !path)
        return -1;
    Py_ssize_t slash = PyUnicode_FindChar(file, '/', 0, PyUnicode_GetLength(file), -1);
    AUTO_PY dir = PyUnicode_Substring(file, 0, slash < 0 ? 0 : slash);
    Py_ssize_t at = dir ? PySequence_Index(path, dir) : -1;
    if (at >= 0 && PySequence_DelItem(path, at) < 0)
        return -1;
    PyErr_Clear(); /* it was not there */
    return PyObject_DelItemString(worker.modules, "_cordon_worker");
}

/* The command line holds our configuration. To be called before anything hands `argv` out. */
static int hide_arguments(void)
{
    AUTO_PY argv = Py_BuildValue("[s]", USER_FILE);
    AUTO_PY original = Py_BuildValue("[O]", PySys_GetObject("executable"));
    if (!argv || !original || PySys_SetObject("argv", argv) < 0)
        return -1;
    return PySys_SetObject("orig_argv", original);
}

static int hide(PyObject *config)
{
    return hide_environ(config) < 0 || hide_self() < 0 ? -1 : 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int call(const char *module, const char *function)
{
    AUTO_PY callable = look_up(module, function);
    AUTO_PY done = callable ? PyObject_CallNoArgs(callable) : NULL;
    return done ? 0 : -1;
}

static int prepare(void)
{
    if (look_up_all() < 0 || encode_prepare() < 0 || text_prepare() < 0 || text_install() < 0)
        return -1;
    if (gate_prepare() < 0 || errors_prepare() < 0 ||
        call("time", "tzset") < 0) /* the zone's file goes out of reach */
        return -1;
    return interp_prepare() < 0 || (interpreter_wall_up() && audit_prepare() < 0) ? -1 : 0;
}

/* The order counts: methods before classes can no longer be changed, classes made after that. */
static int seal(void)
{
    static int (*const seals[])(void) = {
        annotation_prepare, method_seal,    memory_guard,    advance_guard,
        state_guard,        redirect_guard, machinery_guard, copy_guard,
        signature_guard,    format_guard,   dict_guard,      path_guard,
        own_guard,          property_seal,  class_seal,      made_seal};
    for (size_t i = 0; i < ARRAY_LEN(seals); i++)
        if (seals[i]() < 0)
            return -1;
    return 0;
}

/* The last act: what is alive now is never looked at by a collection again. */
static int freeze(void)
{
    (void)PyGC_Enable();
    (void)PyGC_Collect();
    return call("gc", "freeze");
}

int load_approved(struct cordon_err *reterr)
{
    worker.approved = 1;
    worker.walls_down = CORDON_WALL_INTERPRETER; /* there is none in a normal Python */
    if (look_up_rows(EARLY) < 0 || interp_prepare() < 0 || encode_prepare() < 0)
        return fail_python(reterr, "the interpreter's preparation");
    if (text_prepare() < 0 || text_install() < 0)
        return fail_python(reterr, "the interpreter's output");
    int rc = verdict_reserve();
    return rc < 0 ? err_set(reterr, CORDON_E_HELPER, -rc, "cannot set memory aside") : 0;
}

/* Only what the gate and its report need: no user code will run in what is forked here. */
int load_reader(struct cordon_err *reterr)
{
    (void)PyOS_setsig(SIGINT, SIG_DFL);
    (void)PyGC_Disable();
    int rc = check_threads(NULL, reterr);
    if (rc < 0)
        return rc;
    if (look_up_rows(EARLY) < 0 || encode_prepare() < 0 || text_prepare() < 0 ||
        text_install() < 0 || gate_prepare() < 0)
        return fail_python(reterr, "the reader's preparation");
    rc = verdict_reserve();
    if (rc < 0)
        return err_set(reterr, CORDON_E_HELPER, -rc, "cannot set memory aside");
    return freeze() < 0 ? fail_python(reterr, "freezing the heap") : 0;
}

int load_all(const char *config_text, struct cordon_err *reterr)
{
    (void)PyOS_setsig(SIGINT, SIG_DFL); /* no KeyboardInterrupt in the middle of our work */
    (void)PyGC_Disable();
    int rc = check_threads(NULL, reterr);
    if (rc < 0)
        return rc;
    AUTO_PY config = config_parse(config_text);
    if (!config)
        return fail_python(reterr, "the zygote's configuration");
    rc = load_list(PyDict_GetItemString(config, "allow"), worker.allow, reterr);
    if (rc < 0)
        return rc;
    PyObject *further = config_list(config, "load");
    if (!further)
        return fail_python(reterr, "the zygote's configuration");
    if ((rc = load_list(further, NULL, reterr)) < 0 || (rc = load_c_imports(reterr)) < 0 ||
        (rc = load_own(reterr)) < 0)
        return rc;
    if (hide_arguments() < 0 || prepare() < 0 || hide(config) < 0 ||
        (interpreter_wall_up() && seal() < 0))
        return fail_python(reterr, "the zygote's preparation");
    rc = verdict_reserve();
    if (rc < 0)
        return err_set(reterr, CORDON_E_HELPER, -rc, "cannot set memory aside");
    return freeze() < 0 ? fail_python(reterr, "freezing the heap") : 0;
}
