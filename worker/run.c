/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: one execution, from the request on the channel to FRAME_END. The code is compiled
 * once, as it stands, and runs without a frame of ours below it. Whatever it does, the
 * process either dies or answers once, and the answer does not wait for a teardown.
 */
#include "worker.h"

#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    struct frame_request head;
    char *code;
    char *input;
};

static struct failure failure;

/* ---- the request ------------------------------------------------------------ */

/* An engine that is still writing must not find the door shut before it reads the answer. */
static void drain(int channel, uint64_t len)
{
    char unwanted[16384];
    while (len > 0) {
        size_t take = len < sizeof(unwanted) ? (size_t)len : sizeof(unwanted);
        if (io_read_all(channel, unwanted, take) < 0)
            _exit(0);
        len -= take;
    }
}

/* 1: got it; 0: no memory for it. Leaves for ever when the engine is gone. */
static int read_request(int channel, struct request *r)
{
    struct frame_head head;
    if (io_read_all(channel, &head, sizeof(head)) < 0 || head.type != FRAME_REQUEST ||
        head.size < sizeof(r->head) || io_read_all(channel, &r->head, sizeof(r->head)) < 0)
        _exit(0);
    if (r->head.code_len > head.size || r->head.input_len > head.size ||
        r->head.code_len + r->head.input_len != head.size - sizeof(r->head))
        _exit(1);
    r->code = malloc(r->head.code_len + 1);
    r->input = malloc(r->head.input_len + 1);
    if (!r->code || !r->input) {
        drain(channel, r->head.code_len + r->head.input_len);
        return 0;
    }
    if (io_read_all(channel, r->code, r->head.code_len) < 0 ||
        io_read_all(channel, r->input, r->head.input_len) < 0)
        _exit(0);
    return 1;
}

/*
 * One byte-order mark is no part of the text. What is no text becomes half characters, which Python
 * does not compile and the gate warns of.
 */
static PyObject *source_of(const struct request *r)
{
    static const char *const ways[] = {"strict", "surrogatepass", "surrogateescape"};
    size_t skip = r->head.code_len >= 3 && memcmp(r->code, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    PyObject *source = NULL;
    for (size_t i = 0; !source && i < ARRAY_LEN(ways); i++) {
        PyErr_Clear();
        source =
            PyUnicode_DecodeUTF8(r->code + skip, (Py_ssize_t)(r->head.code_len - skip), ways[i]);
    }
    return source;
}

long digits_set(long digits)
{
    if (!worker.set_int_digits)
        return -1; /* an interpreter without the limit */
    AUTO_PY old = PyObject_CallNoArgs(worker.get_int_digits);
    AUTO_PY done = old ? PyObject_CallFunction(worker.set_int_digits, "l", digits) : NULL;
    long result = done ? PyLong_AsLong(old) : -1;
    PyErr_Clear();
    return result;
}

/* input_data: JSON of up to 1000 levels with integers of any length. */
static PyObject *parse_input(const struct request *r)
{
    if (r->head.input_len == 0)
        return PyDict_New();
    AUTO_PY text = PyUnicode_DecodeUTF8(r->input, (Py_ssize_t)r->head.input_len, "strict");
    if (!text)
        return NULL;
    int limit = Py_GetRecursionLimit();
    long digits = digits_set(0);
    Py_SetRecursionLimit(limit + 1200);
    PyObject *data = PyObject_CallFunctionObjArgs(worker.loads, text, NULL);
    Py_SetRecursionLimit(limit);
    if (digits >= 0)
        (void)digits_set(digits);
    return data;
}

/* ---- failures ---------------------------------------------------------------- */

static struct failure *fail(const char *outcome, const char *message)
{
    failure.outcome = outcome;
    errors_say(&failure, "%s", message);
    return &failure;
}

static struct failure *out_of_memory(void)
{
    PyErr_Clear();
    verdict_limit(&failure, "memory");
    return &failure;
}

/* Our own part raised: never the code's fault, unless memory ran out. */
static struct failure *fail_internal(const char *what)
{
    if (PyErr_ExceptionMatches(PyExc_MemoryError))
        return out_of_memory();
    (void)verdict(&failure, PHASE_ENCODE);
    failure.outcome = "internal";
    AUTO_FREE char *why = strdup(failure.message);
    errors_say(&failure, "%s: %s", what, why ? why : "out of memory");
    return &failure;
}

/* ---- the result ----------------------------------------------------------------- */

static struct failure *refuse_result(PyObject *result)
{
    if (!result)
        return fail("result", "the code deleted `result`; leave it a dict, for example "
                              "`result = {\"value\": ...}`");
    AUTO_PY type = PyType_GetName(Py_TYPE(result));
    const char *name = type ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
    PyErr_Clear();
    if (!name)
        name = "?";
    failure.outcome = "result";
    errors_say(&failure,
               "`result` must be a dict, but the code left it a value of type %.*s; wrap it, for "
               "example `result = {\"value\": ...}`",
               (int)clip_prefix(name, strlen(name), 100), name);
    return &failure;
}

static struct failure *encode_failure(enum encode_outcome outcome, const char *message)
{
    if (outcome == ENCODE_NOMEM)
        return out_of_memory();
    if (outcome == ENCODE_RAISED)
        (void)verdict(&failure, PHASE_ENCODE);
    if (outcome == ENCODE_RAISED && strcmp(failure.outcome, "limit") == 0)
        return &failure;
    failure.outcome = outcome == ENCODE_TOO_BIG ? "limit" : "result";
    failure.limit = outcome == ENCODE_TOO_BIG ? "result" : NULL;
    errors_say(&failure, "%s", message);
    return &failure;
}

/* Sends FRAME_RESULT, or says why there is none. */
static struct failure *answer(int channel, const struct request *r, PyObject *names,
                              PyObject **ret_notes)
{
    char message[ENCODE_MESSAGE_MAX] = "";
    struct encoded encoded = {0};
    AUTO_PY result = PyDict_GetItemString(names, "result");
    Py_XINCREF(result);
    if (!result || !PyDict_Check(result))
        return refuse_result(result);
    verdict_release(); /* code that ate all memory and went on may still have an answer */
    (void)digits_set(0);
    enum encode_outcome outcome =
        encode_result(result, r->head.nonfinite == CORDON_NONFINITE_LITERAL, r->head.result_max,
                      &encoded, message, sizeof(message));
    if (outcome != ENCODE_OK)
        return encode_failure(outcome, message);
    print_flush_all();
    (void)frame_send(channel, FRAME_RESULT, encoded.json.data, encoded.json.len);
    *ret_notes = encoded.notes;
    return NULL;
}

/* ---- the code -------------------------------------------------------------------- */

static PyObject *compile_source(PyObject *source)
{
    /* Text, never bytes: a coding comment must not change what is read. */
    return PyObject_CallFunction(worker.compile, "OssiO", source, USER_FILE, "exec", 0, Py_True);
}

/* Lets the gate judge: NULL when the code may run, compiled from the tree that was judged. */
static struct failure *ask(int channel, const struct request *r, PyObject *source,
                           PyObject **ret_code)
{
    int consent = ask_gate(channel, source, r->head.code_max, ret_code);
    if (consent < 0)
        return fail_internal("the gate could not read the code");
    if (consent && r->head.gate == WIRE_GATE_ASK)
        return NULL;
    return fail(consent ? "checked" : "needs_approval", "");
}

/* A process that user code forked and let run to the end: it ends as a Python would. */
static void leave_if_forked(int raised)
{
    if (getpid() == worker.pid)
        return;
    if (raised)
        PyErr_PrintEx(0); /* SystemExit: does not return */
    if (worker.approved)
        approved_finalize();
    print_flush_all();
    _exit(raised);
}

static struct failure *run_code(int channel, const struct request *r, PyObject *code,
                                PyObject *main, PyObject **ret_notes)
{
    PyObject *names = PyModule_GetDict(main);
    if (interpreter_wall_up())
        audit_start(names);
    AUTO_PY done = PyEval_EvalCode(code, names, names);
    leave_if_forked(!done);
    int failed = !done && verdict(&failure, PHASE_RUN) == 0;
    if (worker.approved)
        approved_wind_up();
    leave_if_forked(0);
    return failed ? &failure : answer(channel, r, names, ret_notes);
}

/*
 * An approved run's json is what its environment has under that name. Only to read input_data it
 * has to be Python's own; else it is the code's to get along with.
 */
static struct failure *get_json(const struct request *r)
{
    if (load_json() == 0)
        return NULL;
    if (!worker.approved)
        return fail_internal("the json module could not be loaded");
    if (r->head.input_len == 0 && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return NULL;
    }
    AUTO_PY file = worker.json ? PyModule_GetFilenameObject(worker.json) : NULL;
    const char *path = file ? PyUnicode_AsUTF8AndSize(file, NULL) : NULL;
    struct failure *failed =
        fail_internal("input_data cannot be read without Python's json module");
    if (strcmp(failed->outcome, "internal") != 0)
        return failed; /* memory ran out */
    failed->outcome = "exception";
    if (path)
        errors_add(failed, ". '%.500s' takes its place in this environment", path);
    return failed;
}

/* Compiles and runs: NULL when all went well. In a sandbox what is left is never torn down. */
static struct failure *execute(int channel, struct request *r, PyObject **ret_notes)
{
    int wants_json = worker.approved && approved_wants_json(r->code, r->head.code_len);
    PyObject *source = source_of(r);
    free(r->code);
    struct failure *lacking = wants_json || r->head.input_len > 0 ? get_json(r) : NULL;
    if (lacking)
        return lacking;
    if (!source || errors_set_source(source) < 0)
        return fail_internal("the code could not be read");
    PyObject *input = parse_input(r);
    free(r->input);
    if (!input)
        return fail_internal("input_data could not be read");
    if (worker.approved)
        spawned_set_source(source);
    PyObject *code = NULL;
    if (r->head.gate != WIRE_GATE_OFF) {
        struct failure *stop = ask(channel, r, source, &code);
        if (stop)
            return stop;
    } else {
        code = compile_source(source);
    }
    Py_DECREF(source);
    if (!code) {
        (void)verdict(&failure, PHASE_COMPILE);
        return &failure;
    }
    PyObject *main = interp_main(input);
    Py_DECREF(input);
    if (!main)
        return fail_internal("the code's namespace could not be made");
    struct failure *failed = run_code(channel, r, code, main, ret_notes);
    if (worker.approved)
        Py_DECREF(main); /* its names go when Python ends, also those that hold each other */
    return failed;
}

/*
 * Stays until the engine lets go: what the kernel knows of this process, its peak of memory
 * for one, can be asked for only as long as there is one.
 */
static void await_dismissal(int channel)
{
    char none;
    while (read(channel, &none, 1) > 0)
        ;
}

_Noreturn void run_request(int channel)
{
    struct request request = {0};
    PyObject *notes = NULL;
    worker.pid = getpid();
    struct failure *failed =
        read_request(channel, &request) ? execute(channel, &request, &notes) : out_of_memory();
    leave_if_forked(0);
    report_make(failed, notes);
    if (worker.approved)
        approved_finalize();
    print_flush_all();
    (void)fflush(NULL);
    report_send(channel);
    await_dismissal(channel);
    _exit(0);
}
