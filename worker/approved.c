/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: a freshly started interpreter, as the caller would have it, for one approved
 * run. It reads one request and answers it like a sandbox does (run.c); what is of its own
 * is the beginning, where no trace of ours is left for the code to trip over, and the end,
 * which is Python's own: threads are waited for, exit handlers run, open files written out.
 *
 * Invariant: what the code has printed reaches the pipe before a program that it starts
 * can write there, and what it prints while that one runs does when it is printed.
 */
#include "worker.h"

#include "base/err.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
    int channel, trace, text;
} armed;
static PyObject *old_hook;        /* sys.excepthook, as site left it */
static int knows_lines;           /* linecache, the code's */
static const struct clip *untold; /* what ended the code */

/* ---- output in order ------------------------------------------------------------ */

/* Audit events after which somebody else may write to our pipes. fork() tells by itself; a
 * function of C's that is looked up may be one that starts a program, or one that prints. */
static const char *const starts[] = {"subprocess.Popen", "os.system", "os.posix_spawn", "os.exec",
                                     "os.spawn",         "pty.spawn", "ctypes.dlsym"};

/* "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1": our pipes by another name. */
static int opens_stream(PyObject *args)
{
    PyObject *path = args && PyTuple_Check(args) ? PyTuple_GetItem(args, 0) : NULL;
    const char *text = NULL;
    if (path && PyUnicode_Check(path))
        text = PyUnicode_AsUTF8AndSize(path, NULL);
    PyErr_Clear();
    return text && (strncmp(text, "/dev/", 5) == 0 || strncmp(text, "/proc/", 6) == 0);
}

static void seed_lines(PyObject *linecache)
{
    AUTO_PY cache = linecache ? PyObject_GetAttrString(linecache, "cache") : NULL;
    if (cache) {
        worker.line_cache = py_take(&cache);
        (void)errors_seed_lines();
    }
    PyErr_Clear();
}

/* linecache is being loaded, by the code or by what it uses, and used at once: nothing tells
 * when it is there. So it is loaded here, and found there by whoever asked for it. */
static void load_lines(void)
{
    knows_lines = 1;
    AUTO_PY module = PyImport_ImportModule("linecache");
    seed_lines(module);
}

static void on_import(PyObject *args)
{
    PyObject *name = PyTuple_Check(args) ? PyTuple_GetItem(args, 0) : NULL;
    if (!name || !PyUnicode_Check(name))
        return;
    if (!knows_lines && PyUnicode_CompareWithASCIIString(name, "linecache") == 0)
        load_lines();
    if (PyUnicode_CompareWithASCIIString(name, "multiprocessing.spawn") == 0)
        spawned_prepare();
    PyErr_Clear();
}

static int on_event(const char *event, PyObject *args, void *unused)
{
    (void)unused;
    if (strcmp(event, "import") == 0)
        on_import(args);
    if (!strchr("sopc", event[0]))
        return 0;
    if (strcmp(event, "open") == 0) {
        if (opens_stream(args))
            print_take_turns();
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (strcmp(event, starts[i]) == 0)
            print_take_turns();
    return 0;
}

/* Exported by every CPython, but not in the headers of the stable ABI. */
static int watch_events(void)
{
    typedef int (*hook)(const char *, PyObject *, void *);
    int (*add)(hook, void *) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "PySys_AddAuditHook");
    memcpy(&add, &found, sizeof(add));
    if (add)
        return add(on_event, NULL);
    PyErr_SetString(PyExc_SystemError, "this Python has no audit hooks");
    return -1;
}

/* ---- the beginning --------------------------------------------------------------- */

/* As far up as it goes, out of the way of the numbers that the code will see, and not for
 * the programs that it starts. */
static int move_up(int fd, struct cordon_err *reterr)
{
    struct rlimit limit = {0};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    int lowest = limit.rlim_cur > 24 && limit.rlim_cur < 1 << 20 ? (int)limit.rlim_cur - 8 : 3;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0)
        return err_set(reterr, CORDON_E_HELPER, errno, "cannot move a descriptor");
    (void)close(fd);
    return moved;
}

static int move_all(struct cordon_err *reterr)
{
    int *fds[] = {&armed.channel, &armed.trace};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        int moved = move_up(*fds[i], reterr);
        if (moved < 0)
            return moved;
        *fds[i] = moved;
    }
    worker.work_dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (worker.work_dir >= 0)
        worker.work_dir = move_up(worker.work_dir, reterr);
    if (worker.work_dir < 0)
        return -1;
    int spare = fcntl(worker.work_dir, F_DUPFD_CLOEXEC, worker.work_dir);
    worker.spare = spare < 0 ? 0 : spare; /* without it a traceback is shorter, that is all */
    return 0;
}

static int take_text(struct cordon_err *reterr)
{
    int rc = print_attach(armed.text);
    (void)close(armed.text);
    return rc < 0 ? err_set(reterr, CORDON_E_HELPER, -rc, "cannot map the text memory") : 0;
}

/* As `python3 -c` has them; the real ones hold how we start it. */
static int hide_arguments(void)
{
    AUTO_PY argv = Py_BuildValue("[s]", "-c");
    AUTO_PY original = Py_BuildValue("[Os]", PySys_GetObject("executable"), "-c");
    if (!argv || !original || PySys_SetObject("argv", argv) < 0)
        return -1;
    return PySys_SetObject("orig_argv", original);
}

/* From 3.13 on linecache is loaded for any `python -c`; a startup module may have, too. */
static void find_lines(void)
{
    AUTO_PY name = PyUnicode_FromString("linecache");
    AUTO_PY module = name ? PyImport_GetModule(name) : NULL;
    knows_lines = module != NULL;
    seed_lines(module);
}

static int finish(struct cordon_err *reterr)
{
    if (PySys_SetObject("excepthook", old_hook) == 0 && hide_arguments() == 0 &&
        start_trace(WIRE_TRACE_SIGNAL_APPROVED, armed.trace) == 0 && watch_events() == 0)
        return 0;
    PyErr_Clear();
    return err_set(reterr, CORDON_E_HELPER, 0, "the interpreter could not be set up");
}

static PyObject *start(PyObject *self, PyObject *args)
{
    struct cordon_err err = {0};
    (void)self, (void)args;
    start_forget();
    text_adopt(); /* what a startup module has printed goes first */
    int rc = move_all(&err);
    if (rc == 0)
        rc = load_approved(&err);
    if (rc == 0)
        rc = take_text(&err);
    if (rc == 0)
        find_lines();
    if (rc == 0)
        rc = finish(&err);
    if (rc < 0) {
        err_step(&err, "load");
        (void)frame_send(armed.channel, FRAME_FAILED, &err, sizeof(err));
        _exit(1);
    }
    start_ready(armed.channel);
    run_request(armed.channel);
}

PyObject *approved_arm(int channel, int trace, int text)
{
    static PyMethodDef def = {"start", start, METH_VARARGS, NULL};
    armed.channel = channel;
    armed.trace = trace;
    armed.text = text;
    old_hook = PySys_GetObject("excepthook");
    Py_XINCREF(old_hook);
    return start_arm(&def);
}

/* ---- the end ---------------------------------------------------------------------- */

int approved_wants_json(const char *code, size_t len)
{
    /* Its name, or a word of the ways to a name that is made while the code runs. */
    static const char *const words[] = {"json", "__",   "globals", "locals", "vars",
                                        "dir",  "eval", "exec",    "f_",     "modules",
                                        "code", "gc",   "compile", "pdb",    "runpy"};
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)code[i] >= 0x80) /* names are normalised: it may be spelled so */
            return 1;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (memmem(code, len, words[i], strlen(words[i])))
            return 1;
    return 0;
}

static void call(PyObject *module, const char *function)
{
    AUTO_PY done = PyObject_CallMethod(module, function, NULL);
    if (!done)
        PyErr_WriteUnraisable(module);
}

/* Async-signal-safe, and in whichever thread. */
static void on_deadline(int sig)
{
    int was = errno;
    (void)sig;
    ssize_t n = write(STDERR_FILENO, untold->text, untold->len);
    (void)n;
    errno = was;
}

/* Threads that are still waited for may take until the deadline, and then there is no answer to
 * hold the traceback: it is printed, as Python would have done at once. */
static void print_at_deadline(const struct clip *traceback)
{
    struct sigaction act = {.sa_handler = on_deadline, .sa_flags = SA_RESTART};
    untold = traceback;
    (void)sigaction(WIRE_TRACE_SIGNAL_APPROVED, &act, NULL);
}

/* The code's own, if it has set one: what it does there, to a log for example, it does
 * beside what the answer says. */
void approved_except(PyObject *value, const struct clip *traceback)
{
    PyObject *hook = PySys_GetObject("excepthook");
    if (!hook || hook == old_hook || hook == PySys_GetObject("__excepthook__")) {
        print_at_deadline(traceback);
        return;
    }
    AUTO_PY held = hook;
    Py_INCREF(held);
    AUTO_PY trace = PyException_GetTraceback(value);
    AUTO_PY done = PyObject_CallFunctionObjArgs(held, (PyObject *)Py_TYPE(value), value,
                                                trace ? trace : Py_None, NULL);
    if (!done)
        PyErr_WriteUnraisable(held);
}

void approved_wind_up(void)
{
    AUTO_PY name = PyUnicode_FromString("threading");
    AUTO_PY threading = name ? PyImport_GetModule(name) : NULL;
    if (threading)
        call(threading, "_shutdown"); /* joins threads that are no daemons */
    PyErr_Clear();
    AUTO_PY atexit = PyImport_ImportModule("atexit");
    if (atexit)
        call(atexit, "_run_exitfuncs");
    PyErr_Clear();
}

void approved_finalize(void)
{
    (void)Py_FinalizeEx();
}
