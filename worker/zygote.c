/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zygote: a Python process that forks standbys and does nothing else. It stays
 * single-threaded and never sees a request: each sandbox reads its own, from its own
 * socket, after its walls are up.
 *
 * A standby puts up what walls it can and wakes Python, and waits until it is asked for. From
 * then on until its last wall no Python object is touched and nothing is allocated: the text
 * memory is mapped, steps_enter_sandbox(), and, when that fails, one write.
 *
 * The zygote starts from sys.excepthook, which the interpreter calls once the last Python
 * frame is gone: so no frame of ours is below user code, in tracebacks, in the recursion
 * limit, or for sys._getframe() to walk into.
 */
#include "worker.h"

#include "base/err.h"
#include "jail/ns.h"
#include "jail/privs.h"
#include "jail/steps.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int armed_sock;
static uint64_t own_group; /* of this sandbox; 0: none */
static char *armed_config; /* NULL: a reader's, which needs none */
static struct wire_packet packet;

/* ---- in the sandbox ----------------------------------------------------------- */

static _Noreturn void report_failure(int channel, const struct cordon_err *err)
{
    (void)frame_send(channel, FRAME_FAILED, err, sizeof(*err));
    _exit(1);
}

int start_trace(int signal, int trace)
{
    AUTO_PY args = Py_BuildValue("(ii)", signal, trace);
    AUTO_PY kwargs = Py_BuildValue("{s:O,s:O}", "all_threads", Py_False, "chain", Py_False);
    AUTO_PY done = args && kwargs ? PyObject_Call(worker.trace_signal, args, kwargs) : NULL;
    return done ? 0 : -1;
}

void start_ready(int channel)
{
    struct frame_ready ready = {0};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        ready.resident_bytes = (uint64_t)usage.ru_maxrss * 1024;
    ready.group = own_group;
    if (frame_send(channel, FRAME_READY, &ready, sizeof(ready)) < 0)
        _exit(0); /* the engine has gone */
}

/* A copy's random streams must differ: random reseeds itself after a fork, numpy does not. */
static int reseed(void)
{
    if (!worker.numpy_seed)
        return 0;
    AUTO_PY done = PyObject_CallNoArgs(worker.numpy_seed);
    return done ? 0 : -1;
}

static int wake_python(struct cordon_err *reterr)
{
    PyOS_AfterFork_Child();
    if (reseed() == 0 && start_trace(WIRE_TRACE_SIGNAL, PRIVS_TRACE_PLACE) == 0)
        return 0;
    PyErr_Clear();
    err_set(reterr, CORDON_E_HELPER, 0, "the interpreter could not be set up after fork");
    err_step(reterr, "wake-python");
    return CORDON_E_HELPER;
}

/* Before the last wall: the call filter lets nothing be mapped that others can see. */
static int map_text(int fd, struct cordon_err *reterr)
{
    int rc = print_attach(fd);
    if (rc < 0) {
        rc = err_set(reterr, CORDON_E_HELPER, -rc, "cannot map the text memory");
        err_step(reterr, "text-memory");
    }
    return rc;
}

static void wait_readable(int sock)
{
    struct pollfd wait = {.fd = sock, .events = POLLIN};
    (void)poll(&wait, 1, -1);
}

/* The one request for a sandbox that it gets. Leaves for ever when there will be none. */
static void take_order(int sock)
{
    int got;
    while ((got = wire_recv(sock, &packet)) == -EAGAIN)
        wait_readable(sock);
    if (got <= 0 || packet.head.type != WIRE_FORK || packet.nfds != WIRE_FORK_FDS ||
        packet.head.size != sizeof(worker.spec))
        _exit(0);
    memcpy(&worker.spec, packet.payload, sizeof(worker.spec));
}

/* Last, so that what the interpreter takes is not counted. It has to wait there, and has time. */
static void enter_group(void)
{
    uint64_t id;
    if (packet.nfds > 1 && packet.head.size == sizeof(id) &&
        ns_enter_group(&packet.fds[1], packet.nfds - 1)) {
        memcpy(&id, packet.payload, sizeof(id));
        own_group = id;
    }
    for (size_t i = 1; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);
}

static _Noreturn void standby_main(int sock)
{
    struct cordon_err err = {0};
    int *fds = packet.fds;
    char name[16] = "";
    (void)close(armed_sock);
    (void)prctl(PR_GET_NAME, name, 0, 0, 0);
    (void)prctl(PR_SET_NAME, "cordon-standby", 0, 0, 0); /* for whoever looks at the machine */
    int rc = steps_stand(worker.walls_down, &err);
    if (rc == 0)
        rc = wake_python(&err);
    enter_group();
    take_order(sock);
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
    if (rc == 0)
        rc = map_text(fds[WIRE_FD_TEXT], &err);
    if (rc < 0 || steps_enter_sandbox(&worker.spec, fds, &err) < 0)
        report_failure(fds[WIRE_FD_CHANNEL], &err);
    (void)close(fds[WIRE_FD_TEXT]);
    start_ready(fds[WIRE_FD_CHANNEL]);
    run_request(fds[WIRE_FD_CHANNEL]);
}

/* ---- in the zygote -------------------------------------------------------------- */

static void send_or_leave(int sock, enum wire_type type, uint64_t id, const void *data, size_t len)
{
    if (wire_send(sock, type, id, data, len, NULL, 0) < 0)
        _exit(0); /* the keeper has gone, and everything with it */
}

static void refuse_fork(int sock, struct cordon_err *err)
{
    err_step(err, "fork");
    send_or_leave(sock, WIRE_FAILED, packet.head.id, err, sizeof(*err));
}

static void fork_one(int sock)
{
    struct cordon_err err = {0};
    if (packet.nfds < 1) {
        (void)err_set(&err, CORDON_E_PROTOCOL, 0, "an order to fork that is not one");
        refuse_fork(sock, &err);
        return;
    }
    if (!load_single_threaded()) {
        (void)err_set(&err, CORDON_E_HELPER, 0,
                      "the zygote has more than one thread: it cannot be copied");
        refuse_fork(sock, &err);
        return;
    }
    PyOS_BeforeFork();
    pid_t pid = steps_fork_standby(worker.walls_down, &err);
    if (pid == 0)
        standby_main(packet.fds[0]);
    PyOS_AfterFork_Parent();
    if (pid < 0) {
        refuse_fork(sock, &err);
        return;
    }
    int32_t told = pid;
    send_or_leave(sock, WIRE_FORKED, packet.head.id, &told, sizeof(told));
}

static _Noreturn void serve(int sock)
{
    for (;;) {
        int got = wire_recv(sock, &packet);
        if (got == -EAGAIN) {
            wait_readable(sock);
            continue;
        }
        if (got <= 0)
            _exit(got == 0 ? 0 : 1);
        if (packet.head.type == WIRE_STANDBY)
            fork_one(sock);
        for (size_t i = 0; i < packet.nfds; i++)
            fd_close(&packet.fds[i]);
    }
}

/* The interpreter's own state as if nothing had been raised. */
void start_forget(void)
{
    static const char *const names[] = {"last_type", "last_value", "last_traceback", "last_exc"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (PySys_SetObject(names[i], NULL) < 0)
            PyErr_Clear();
    (void)PySys_SetObject("excepthook", PySys_GetObject("__excepthook__"));
}

static PyObject *start(PyObject *self, PyObject *args)
{
    struct cordon_err err = {0};
    (void)self, (void)args;
    start_forget();
    int rc = armed_config ? load_all(armed_config, &err) : load_reader(&err);
    if (rc == 0 && !(worker.walls_down & CORDON_WALL_SECCOMP))
        rc = steps_take_filter(STEPS_FILTER_FD, &err);
    if (rc == 0 && (worker.walls_down & CORDON_WALL_ROOT))
        rc = steps_take_plan(STEPS_PLAN_FD, &err);
    if (rc < 0) {
        err_step(&err, "load");
        (void)wire_send(armed_sock, WIRE_FAILED, 0, &err, sizeof(err), NULL, 0);
        _exit(1);
    }
    free(armed_config);
    const char *version = Py_GetVersion();
    send_or_leave(armed_sock, WIRE_READY, 0, version, strcspn(version, " "));
    serve(armed_sock);
}

PyObject *start_arm(PyMethodDef *def)
{
    AUTO_PY hook = PyCFunction_NewEx(def, NULL, NULL);
    if (!hook || PySys_SetObject("excepthook", hook) < 0)
        return NULL;
    PyErr_SetString(PyExc_RuntimeError, "all Python code is left");
    return NULL;
}

static PyMethodDef start_def = {"start", start, METH_VARARGS, NULL};

PyObject *zygote_arm(int sock, const char *config)
{
    armed_sock = sock;
    armed_config = strdup(config);
    return armed_config ? start_arm(&start_def) : PyErr_NoMemory();
}

PyObject *reader_arm(int sock, uint32_t walls_down)
{
    worker.walls_down = walls_down;
    armed_sock = sock;
    return start_arm(&start_def);
}
