/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict: what an exception means for the execution. An exception that the interpreter
 * raised because a limit was reached is the limit's, not the code's; one that a `raise`
 * statement made is an exception whatever its type. Memory and a descriptor kept back are
 * given up first, so that the telling does not fail for the reason it tells.
 */
#include "worker.h"

#include "jail/limits.h"
#include "jail/rootfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESERVE (8u * 1024 * 1024)

static void *reserve = MAP_FAILED;

int verdict_reserve(void)
{
    /* Never touched: it counts for the limits and costs no memory. */
    reserve = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return reserve == MAP_FAILED ? -errno : 0;
}

void verdict_release(void)
{
    if (reserve != MAP_FAILED)
        (void)munmap(reserve, RESERVE);
    reserve = MAP_FAILED;
    if (worker.spare > 0)
        (void)close(worker.spare); /* modules and source files are read one at a time */
    worker.spare = 0;
}

/* ---- limits --------------------------------------------------------------------- */

static void size_text(char to[32], uint64_t bytes)
{
    if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) == 0)
        (void)snprintf(to, 32, "%llu MiB", (unsigned long long)(bytes >> 20));
    else
        (void)snprintf(to, 32, "%llu bytes", (unsigned long long)bytes);
}

void verdict_limit(struct failure *f, const char *limit)
{
    const struct sandbox_spec *spec = &worker.spec;
    char size[32];
    f->outcome = "limit";
    f->limit = limit;
    if (strcmp(limit, "memory") == 0) {
        size_text(size, spec->memory_bytes);
        errors_say(f, "the code needs more memory than it may use (%s)", size);
    } else if (strcmp(limit, "processes") == 0) {
        errors_say(f, "the code may have no more than %llu processes and threads at once",
                   (unsigned long long)spec->tasks);
    } else if (strcmp(limit, "files") == 0) {
        errors_say(f, "the code may have no more than %llu files open at once",
                   (unsigned long long)spec->open_files);
    } else if (strcmp(limit, "disk") == 0) {
        size_text(size, spec->disk_bytes);
        errors_say(f, "the working directory is full: it holds %s at most", size);
    } else if (strcmp(limit, "file_size") == 0) {
        size_text(size, spec->disk_bytes);
        errors_say(f, "a file may have no more than %d times %s", LIMITS_FILE_TIMES, size);
    } else if (strcmp(limit, "disk_files") == 0) {
        errors_say(f, "the working directory is full: it holds %llu files at most",
                   (unsigned long long)spec->disk_files);
    }
}

/* EAGAIN has many causes; whether a process can be had now tells this one. */
static int out_of_processes(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return errno == EAGAIN;
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    return 0;
}

/* Where shared memory and memory files are: its own, where its processes have a namespace. */
static const char *shm_limit(void)
{
    struct statvfs st;
    if (getppid() != 1 || statvfs("/dev/shm", &st) < 0)
        return NULL;
    return st.f_ffree == 0 ? "shm_files" : st.f_bfree == 0 ? "shm" : NULL;
}

/*
 * Which of the working directory's two limits it is. An approved run writes elsewhere, too:
 * that a disk of the host is full is no limit of ours.
 */
static const char *disk_limit(void)
{
    struct statvfs st;
    int rc = worker.approved ? fstatvfs(worker.work_dir, &st) : statvfs(ROOTFS_WORK, &st);
    if (rc < 0)
        return "disk";
    if (st.f_ffree == 0)
        return "disk_files";
    return worker.approved && st.f_bfree > 0 ? shm_limit() : "disk";
}

static const char *limit_of_errno(long number)
{
    static const struct {
        int number;
        const char *limit;
    } rows[] = {
        {ENOMEM, "memory"}, {ENOSPC, "disk"}, {EDQUOT, "disk"}, {EFBIG, "disk"}, {EMFILE, "files"},
    };
    if (number == EFBIG && worker.approved)
        return "file_size"; /* of a file of the caller's; in the working directory ENOSPC comes first */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].number == number)
            return strcmp(rows[i].limit, "disk") == 0 ? disk_limit() : rows[i].limit;
    return NULL;
}

static long errno_of(PyObject *value)
{
    AUTO_PY number = PyObject_GetAttrString(value, "errno");
    long result = number && PyLong_CheckExact(number) ? PyLong_AsLong(number) : 0;
    PyErr_Clear();
    return result;
}

static int is_a(PyObject *value, PyObject *type)
{
    return PyErr_GivenExceptionMatches((PyObject *)Py_TYPE(value), type);
}

/* Threads that cannot be started have no errno, only this text. */
static int no_thread(PyObject *value)
{
    if ((PyObject *)Py_TYPE(value) != PyExc_RuntimeError)
        return 0;
    AUTO_PY text = PyObject_Str(value);
    PyErr_Clear();
    return text && PyUnicode_CompareWithASCIIString(text, "can't start new thread") == 0;
}

/* What the function that the exception was raised in calls: a new reference, or NULL. */
static PyObject *names_called(PyObject *value)
{
    AUTO_PY trace = errors_innermost(value);
    AUTO_PY frame = trace ? PyObject_GetAttrString(trace, "tb_frame") : NULL;
    AUTO_PY code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    PyObject *names = code ? PyObject_GetAttrString(code, "co_names") : NULL;
    PyErr_Clear();
    return names;
}

/* EAGAIN of a process that was asked for, whose refusal ended others, so that there is room. */
static int was_forking(PyObject *value)
{
    static const char *const forks[] = {"fork", "forkpty", "_fork_exec", "posix_spawn",
                                        "posix_spawnp"};
    AUTO_PY names = names_called(value);
    for (Py_ssize_t i = 0; names && PyTuple_Check(names) && i < PyTuple_Size(names); i++)
        for (size_t k = 0; k < ARRAY_LEN(forks); k++)
            if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, i), forks[k]) == 0)
                return 1;
    return 0;
}

static const char *limit_of(PyObject *value)
{
    long number = is_a(value, PyExc_OSError) ? errno_of(value) : 0;
    if (is_a(value, PyExc_MemoryError))
        return "memory";
    if (number == EAGAIN)
        return out_of_processes() || was_forking(value) ? "processes" : NULL;
    if (number)
        return limit_of_errno(number);
    return no_thread(value) ? "processes" : NULL;
}

/* Whether a `raise` statement made it: the instruction that its traceback starts at. */
static int raised_by_hand(PyObject *value)
{
    AUTO_PY trace = errors_innermost(value);
    AUTO_PY at = trace ? PyObject_GetAttrString(trace, "tb_lasti") : NULL;
    AUTO_PY frame = trace ? PyObject_GetAttrString(trace, "tb_frame") : NULL;
    AUTO_PY code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    AUTO_PY bytes = code ? PyObject_GetAttrString(code, "co_code") : NULL;
    long index = at && PyLong_Check(at) ? PyLong_AsLong(at) : -1;
    PyErr_Clear();
    if (!bytes || !PyBytes_Check(bytes) || index < 0 || index >= PyBytes_Size(bytes))
        return 0;
    return (unsigned char)PyBytes_AsString(bytes)[index] == worker.raise_opcode;
}

/* ---- exit --------------------------------------------------------------------------- */

/* sys.exit("text"): what Python would print is the text alone. */
static void exit_text(struct failure *f)
{
    static const char prefix[] = "SystemExit: ";
    size_t skip = sizeof(prefix) - 1;
    if (strncmp(f->message, prefix, skip) == 0)
        memmove(f->message, f->message + skip, strlen(f->message + skip) + 1);
}

static void exit_status(struct failure *f, PyObject *code)
{
    int overflow;
    long status = PyLong_AsLongAndOverflow(code, &overflow);
    PyErr_Clear();
    errors_say(f, "the code ended itself with exit status %ld", overflow ? -1 : status);
}

/* 1: a normal end. */
static int exit_verdict(struct failure *f, PyObject *value)
{
    AUTO_PY code = PyObject_GetAttrString(value, "code");
    PyErr_Clear();
    /* a subclass may have made `code` anything: what cannot be read is no 0 */
    int number = code && PyLong_Check(code);
    if (code == Py_None || (number && PyObject_IsTrue(code) == 0))
        return 1;
    errors_describe(f, value, 1);
    f->outcome = "exit";
    if (number)
        exit_status(f, code);
    else
        exit_text(f);
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------ */

static void compile_verdict(struct failure *f, PyObject *value)
{
    errors_describe(f, value, 0);
    f->outcome = "syntax";
    if (is_a(value, PyExc_MemoryError) || is_a(value, PyExc_RecursionError))
        errors_add(f, "%sthe code is too large or nested too deeply to be compiled",
                   strchr(f->message, ':') ? "; " : ": ");
}

/* A builtin that this profile withholds is not a misspelt name. */
static void explain_hidden(struct failure *f, PyObject *value)
{
    if (!interpreter_wall_up() || (PyObject *)Py_TYPE(value) != PyExc_NameError)
        return;
    AUTO_PY name = PyObject_GetAttrString(value, "name");
    int hidden = name && PyUnicode_Check(name) ? PySet_Contains(worker.hidden, name) : 0;
    const char *profile = hidden > 0 ? PyUnicode_AsUTF8AndSize(worker.profile, NULL) : NULL;
    if (profile)
        errors_add(f, ". The profile '%s' does not offer it", profile);
    PyErr_Clear();
}

/* Nor is what a facade leaves out something that the module lacks. */
static void explain_withheld(struct failure *f, PyObject *value)
{
    if (!interpreter_wall_up() || (PyObject *)Py_TYPE(value) != PyExc_AttributeError)
        return;
    AUTO_PY module = PyObject_GetAttrString(value, "obj");
    AUTO_PY item = module ? PyObject_GetAttrString(value, "name") : NULL;
    AUTO_PY name = item && PyModule_CheckExact(module) ? PyModule_GetNameObject(module) : NULL;
    const char *profile = name && PyUnicode_Check(item) && facade_withholds(name, item)
                              ? PyUnicode_AsUTF8AndSize(worker.profile, NULL)
                              : NULL;
    const char *why = profile ? facade_why(name, item) : NULL;
    if (profile)
        errors_add(f, ". The profile '%s' withholds it%s%s%s", profile, why ? " (" : "",
                   why ? why : "", why ? ")" : "");
    PyErr_Clear();
}

static void run_verdict(struct failure *f, PyObject *value)
{
    const char *limit = raised_by_hand(value) ? NULL : limit_of(value);
    errors_describe(f, value, 1);
    f->outcome = "exception";
    if (limit)
        verdict_limit(f, limit);
    else
        explain_hidden(f, value);
    if (!limit)
        explain_withheld(f, value);
}

/* The exception that is set, with its traceback in it: a new reference, never NULL. */
static PyObject *take_exception(void)
{
    PyObject *type, *value, *trace;
    if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_SystemError);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && PyException_SetTraceback(value, trace) < 0)
        PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

int verdict(struct failure *f, enum phase phase)
{
    verdict_release();
    Py_SetRecursionLimit(1000); /* the code may have left it at anything */
    AUTO_PY value = take_exception();
    if (!worker.trace_exception && load_late() < 0)
        PyErr_Clear();
    f->limit = NULL;
    if (phase == PHASE_RUN && is_a(value, PyExc_SystemExit))
        return exit_verdict(f, value);
    if (phase == PHASE_COMPILE)
        compile_verdict(f, value);
    else
        run_verdict(f, value);
    if (phase == PHASE_RUN && worker.approved)
        approved_except(value, &f->traceback);
    return 0;
}
