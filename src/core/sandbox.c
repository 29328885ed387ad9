/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox: see sandbox.h. What arrives here is hostile once the request has been sent:
 * it is bounded by frame_reader and capture, and believed by nobody before verdict.c has
 * checked it. Every handler may end the run, and must not touch it afterwards.
 */
#include "core/sandbox.h"

#include "base/err.h"
#include "core/rungroup.h"
#include "core/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define PIECE 65536
/* What a pipe can hold at most: a final drain never reads more of it. */
#define PIPE_MOST (1024 * 1024)
#define TRACE_MAX 16384
/* From asking for a sandbox to its readiness; a cold box has to load its modules first. */
#ifdef CORDON_SANITIZED
#define START_MS 120000
#else
#define START_MS 30000
#endif
/* How long past the deadline the keeper's word is awaited. */
#define OVERTIME_MS 2000
/* USER_HZ is 100 on all that we run on. */
#define TICK_NS 10000000u

static void set_alarm(struct cordon_run *run, uint64_t in_ms)
{
    run->alarm_ns = io_now_ns() + in_ms * 1000000u;
    loop_alarm(run->owner->loop, run->alarm_ns);
}

static void close_watch(struct cordon_run *run, struct watch *w)
{
    loop_del(run->owner->loop, w);
    fd_close(&w->fd);
}

/* ---- the end ------------------------------------------------------------- */

static void tell_output(void *ctx, const char *bytes, size_t len)
{
    struct run_stream *s = ctx;
    if (s->run->callbacks.output && !s->run->cancelled)
        s->run->callbacks.output(s->run->user, s->run, s->which, bytes, len);
}

/* What Python text was still in shared memory when the sandbox ended or was killed. */
static void take_residue(struct cordon_run *run, struct run_stream *s)
{
    uint32_t range[2];
    char text[WIRE_TEXT_BUF];
    off_t at = (off_t)(s->which * sizeof(((struct wire_text *)0)->stream[0]));
    if (pread(run->text, range, sizeof(range), at) != (ssize_t)sizeof(range))
        return;
    if (range[0] >= range[1] || range[1] > WIRE_TEXT_BUF)
        return;
    size_t len = range[1] - range[0];
    ssize_t n = pread(run->text, text, len, at + (off_t)sizeof(range) + (off_t)range[0]);
    size_t kept;
    if (n <= 0 || capture_add(&s->kept, text, (size_t)n, &kept) < 0)
        return;
    if (kept > 0)
        tell_output(s, text, kept);
}

static void drain_output(struct cordon_run *run)
{
    for (int i = 0; i < 2; i++) {
        struct run_stream *s = &run->stream[i];
        if (s->pipe.fd >= 0)
            (void)capture_drain(&s->kept, s->pipe.fd, PIPE_MOST, tell_output, s);
        if (run->text >= 0)
            take_residue(run, s);
    }
}

/* What its other processes had: those that it has waited for by now, or all that were seen. The
 * kernel tells the former in ticks: in a run as short as one there are none to be told. */
static uint64_t others_us(const struct cordon_run *run)
{
    int is_short = run->answered_ns - run->started_ns < TICK_NS;
    uint64_t waited_us = is_short ? 0 : usage_waited_ns(run->pid) / 1000u;
    return waited_us > run->others_us ? waited_us : run->others_us;
}

/* Collects what is still to be had, makes the result, and gives both to the owner. */
static void end(struct cordon_run *run)
{
    if (run->answered_ns == 0)
        run->answered_ns = io_now_ns();
    if (!run->exited) {
        run->exit.cpu_us = usage_cpu_ns(run->pid) / 1000u + others_us(run);
        run->exit.maxrss_bytes = usage_resident_most(run->pid);
    }
    rungroup_read(run);
    drain_output(run);
    run->owner->ended(run->owner->ctx, run, verdict_make(run));
}

/* ---- the channel --------------------------------------------------------- */

/* The pid of whoever sent the first bytes: the kernel's word, not the sandbox's. */
static ssize_t recv_first(struct cordon_run *run, char *piece, size_t size)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec iov = {.iov_base = piece, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    ssize_t n = recvmsg(run->channel.fd, &msg, MSG_CMSG_CLOEXEC);
    for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
        struct ucred who;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
            continue;
        memcpy(&who, CMSG_DATA(c), sizeof(who));
        run->pid = who.pid;
    }
    return n;
}

/* Plain recv() without a control buffer: descriptors sent to us are dropped by the kernel. */
static ssize_t recv_piece(struct cordon_run *run, char *piece, size_t size)
{
    ssize_t n;
    do
        n = run->frames.state == FRAMES_WAIT_READY ? recv_first(run, piece, size)
                                                   : recv(run->channel.fd, piece, size, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Hands over as much of the request as the socket takes. */
static void send_request(struct cordon_run *run)
{
    const struct request *q = &run->request;
    while (run->sent < q->len) {
        ssize_t n = send(run->channel.fd, q->bytes + run->sent, q->len - run->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* EAGAIN: later; else it is gone, which its exit will say */
        run->sent += (size_t)n;
    }
    uint32_t events = run->sent < q->len && errno == EAGAIN ? EPOLLIN | EPOLLOUT : EPOLLIN;
    (void)loop_mod(run->owner->loop, &run->channel, events);
}

static void on_ready(struct cordon_run *run)
{
    run->state = RUN_RUNNING;
    if (!run->exited &&
        rungroup_join(run, &run->frames.failure) < 0) { /* exited: whose number is it? */
        run->frames.state = FRAMES_FAILED;
        return;
    }
    run->started_ns = io_now_ns();
    run->cpu_at_start_ns = usage_cpu_ns(run->pid);
    send_request(run);
    const struct wire_arm arm = {.wall_ms = run->request.limits.wall_ms,
                                 .cpu_ms = run->cpu_at_start_ns / 1000000u,
                                 .bytes = run->frames.ready.resident_bytes};
    box_arm(run->box, run->id, &arm);
    set_alarm(run, run->request.limits.wall_ms + WIRE_TRACE_GRACE_MS + OVERTIME_MS);
}

/* Whether the frames so far decide how the run ends. */
static int is_decided(const struct cordon_run *run)
{
    return run->frames.state != FRAMES_WAIT_READY && run->frames.state != FRAMES_WAIT_END;
}

/* Reads at most `pieces` pieces. 1 when there may be more, 0 at the end of it. */
static int read_channel(struct cordon_run *run, int pieces)
{
    char piece[PIECE];
    while (pieces-- > 0 && run->channel.fd >= 0 && !is_decided(run)) {
        ssize_t n = recv_piece(run, piece, sizeof(piece));
        if (n < 0 && errno == EAGAIN)
            return 1;
        if (n <= 0)
            return 0;
        int was_waiting = run->frames.state == FRAMES_WAIT_READY;
        if (frame_reader_feed(&run->frames, piece, (size_t)n) < 0) {
            run->frames.state = FRAMES_BROKEN;
            run->frames.why = "there is no memory to hold it";
        }
        if (was_waiting && run->frames.state == FRAMES_WAIT_END)
            on_ready(run);
    }
    return 1;
}

static void on_channel(struct watch *w, uint32_t events)
{
    struct cordon_run *run =
        (struct cordon_run *)((char *)w - offsetof(struct cordon_run, channel));
    if ((events & EPOLLOUT) && run->state == RUN_RUNNING)
        send_request(run);
    int more = read_channel(run, 16);
    if (is_decided(run))
        end(run);
    else if (!more) /* closed, but the process may still run: its exit decides */
        close_watch(run, w);
}

/* ---- the other descriptors ------------------------------------------------ */

static void on_output(struct watch *w, uint32_t events)
{
    struct run_stream *s = (struct run_stream *)((char *)w - offsetof(struct run_stream, pipe));
    (void)events;
    if (capture_drain(&s->kept, w->fd, 4 * PIECE, tell_output, s) <= 0)
        close_watch(s->run, w);
}

static int read_trace(struct cordon_run *run)
{
    char piece[4096];
    ssize_t n;
    while ((n = read(run->trace.fd, piece, sizeof(piece))) > 0)
        if (buf_add(&run->trace_text, piece, (size_t)n, TRACE_MAX) < 0)
            return 0;
    return n < 0 && errno == EAGAIN;
}

/* Only the keeper's signal makes the sandbox write here: its time is up. */
static void on_trace(struct watch *w, uint32_t events)
{
    struct cordon_run *run = (struct cordon_run *)((char *)w - offsetof(struct cordon_run, trace));
    (void)events;
    int more = read_trace(run);
    if (run->trace_text.data && verdict_trace_line(run->trace_text.data) > 0 &&
        io_now_ns() >= run->started_ns + run->request.limits.wall_ms * 1000000u)
        box_kill(run->box, run->id); /* the line is known: no need to wait out the grace */
    if (!more)
        close_watch(run, w);
}

/* ---- news from elsewhere --------------------------------------------------- */

/* Killed from outside, by whoever, before any of its code was read. */
static int died_early(const struct cordon_run *run)
{
    const struct wire_exit *how = &run->exit;
    return run->state == RUN_FORKING && !is_decided(run) && !run->request.approved &&
           WIFSIGNALED(how->status) && WTERMSIG(how->status) == SIGKILL && !how->deadline &&
           how->limit == WIRE_LIMIT_NONE;
}

int run_exited(struct cordon_run *run, const struct wire_exit *how)
{
    run->exited = 1;
    run->exit = *how;
    while (run->channel.fd >= 0 && !is_decided(run)) {
        size_t before = run->frames.result.len + run->frames.end.len + run->frames.head_got;
        (void)read_channel(run, 64);
        if (run->frames.result.len + run->frames.end.len + run->frames.head_got == before)
            break;
    }
    if (died_early(run) && !run->cancelled && run_requeue(run))
        return 1;
    if (run->trace.fd >= 0)
        (void)read_trace(run);
    end(run);
    return 0;
}

void run_failed(struct cordon_run *run, const struct cordon_err *why)
{
    if (!is_decided(run)) {
        run->frames.state = FRAMES_FAILED;
        run->frames.failure = *why;
    }
    end(run);
}

void run_alarm(struct cordon_run *run)
{
    struct cordon_err err = {0};
    (void)err_set(&err, CORDON_E_HELPER, 0,
                  run->state == RUN_RUNNING
                      ? "the keeper did not report the end of the sandbox in time"
                      : "the sandbox was not ready within %d s: the machine may be overloaded, or "
                        "the interpreter hangs while it loads its modules",
                  START_MS / 1000);
    run_failed(run, &err);
}

/* ---- the beginning --------------------------------------------------------- */

struct cordon_run *run_new(const struct run_owner *owner, uint64_t id, struct request *request,
                           const struct cordon_callbacks *callbacks, void *user,
                           uint32_t walls_down)
{
    struct cordon_run *run = calloc(1, sizeof(*run));
    if (!run)
        return NULL;
    run->owner = owner;
    run->id = id;
    run->user = user;
    run->walls_down = walls_down;
    if (callbacks)
        memcpy(&run->callbacks, callbacks,
               callbacks->size < sizeof(run->callbacks) ? callbacks->size : sizeof(run->callbacks));
    run->request = *request;
    *request = (struct request){0};
    run->channel = (struct watch){.fd = -1, .ready = on_channel};
    rungroup_init(run);
    run->trace = (struct watch){.fd = -1, .ready = on_trace};
    run->text = -1;
    run->frames.result_max = run->request.limits.result_bytes;
    for (int i = 0; i < 2; i++) {
        struct run_stream *s = &run->stream[i];
        *s = (struct run_stream){.pipe = {.fd = -1, .ready = on_output}, .run = run};
        s->which = i == 0 ? CORDON_STDOUT : CORDON_STDERR;
        s->kept.max = i == 0 ? run->request.limits.stdout_bytes : run->request.limits.stderr_bytes;
    }
    return run;
}

/* A pipe whose reading end is ours and non-blocking. 0 or -errno. */
static int make_pipe(int *ret_ours, int *ret_theirs, int theirs_flags)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | theirs_flags) < 0)
        return -errno;
    *ret_ours = ends[0];
    *ret_theirs = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int make_channel(int *ret_ours, int *ret_theirs)
{
    int pair[2];
    int on = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    *ret_ours = pair[0];
    *ret_theirs = pair[1];
    if (fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0 ||
        setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        return -errno;
    return 0;
}

/* Memory whose size nobody can change: reading it can never hit a missing page. */
static int make_text(int *ret_ours, int *ret_theirs)
{
    *ret_ours = memfd_create("text", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*ret_ours < 0)
        return -errno;
    if (ftruncate(*ret_ours, sizeof(struct wire_text)) < 0 ||
        fcntl(*ret_ours, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    *ret_theirs = fcntl(*ret_ours, F_DUPFD_CLOEXEC, 3);
    return *ret_theirs < 0 ? -errno : 0;
}

static int make_descriptors(struct cordon_run *run, int theirs[WIRE_FORK_FDS])
{
    int rc = make_channel(&run->channel.fd, &theirs[WIRE_FD_CHANNEL]);
    if (rc == 0)
        rc = make_pipe(&run->stream[0].pipe.fd, &theirs[WIRE_FD_STDOUT], 0);
    if (rc == 0)
        rc = make_pipe(&run->stream[1].pipe.fd, &theirs[WIRE_FD_STDERR], 0);
    if (rc == 0) /* non-blocking for them too: a full trace must not hold up the writer */
        rc = make_pipe(&run->trace.fd, &theirs[WIRE_FD_TRACE], O_NONBLOCK);
    if (rc == 0)
        rc = make_text(&run->text, &theirs[WIRE_FD_TEXT]);
    return rc;
}

static int watch_all(struct cordon_run *run)
{
    struct watch *watches[] = {&run->channel, &run->stream[0].pipe, &run->stream[1].pipe,
                               &run->trace};
    for (size_t i = 0; i < ARRAY_LEN(watches); i++) {
        int rc = loop_add(run->owner->loop, watches[i], EPOLLIN);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void close_all(struct cordon_run *run)
{
    close_watch(run, &run->channel);
    close_watch(run, &run->trace);
    close_watch(run, &run->stream[0].pipe);
    close_watch(run, &run->stream[1].pipe);
    fd_close(&run->text);
    rungroup_leave(run);
}

static void spec_of(const struct cordon_run *run, struct sandbox_spec *spec)
{
    const struct cordon_limits *l = &run->request.limits;
    *spec = (struct sandbox_spec){
        .memory_bytes = l->memory_bytes,
        .cpu_ms = l->cpu_ms,
        .tasks = l->tasks,
        .open_files = l->open_files,
        .disk_bytes = l->disk_bytes,
        .disk_files = l->disk_files,
        .walls_down = run->walls_down,
        .approved = (uint32_t)run->request.approved,
    };
}

int run_start(struct cordon_run *run, struct box *box)
{
    int theirs[WIRE_FORK_FDS] = {-1, -1, -1, -1, -1};
    struct sandbox_spec spec;
    struct cordon_err err = {0};
    int rc = make_descriptors(run, theirs);
    if (rc == 0)
        rc = watch_all(run);
    if (rc < 0) {
        for (size_t i = 0; i < WIRE_FORK_FDS; i++)
            fd_close(&theirs[i]);
        close_all(run);
        if (rc == -EMFILE || rc == -ENFILE)
            return -EMFILE;
        (void)err_set(&err, CORDON_E_HOST, -rc, "cannot make the descriptors of a run");
        run_failed(run, &err);
        return 1;
    }
    run->box = box;
    rungroup_make(run);
    spec_of(run, &spec);
    if (box_fork(box, run->id, &spec, theirs, &err) < 0) {
        run_failed(run, &err);
        return 1;
    }
    run->state = RUN_FORKING;
    set_alarm(run, START_MS);
    return 0;
}

int run_requeue(struct cordon_run *run)
{
    if (run->state != RUN_FORKING || run->retried)
        return 0;
    close_all(run);
    frame_reader_done(&run->frames);
    run->frames = (struct frame_reader){.result_max = run->request.limits.result_bytes};
    run->state = RUN_QUEUED;
    run->alarm_ns = 0;
    run->pid = 0;
    run->exited = 0;
    run->exit = (struct wire_exit){0};
    run->others_us = 0;
    run->box = NULL;
    run->retried = 1;
    return 1;
}

void run_park(struct cordon_run *run)
{
    if (run->box && !run->exited)
        box_kill(run->box, run->id);
    close_all(run);
    run->state = RUN_PARKED;
    run->alarm_ns = 0;
}

void run_free(struct cordon_run *run)
{
    if (!run)
        return;
    json_decref(run->warnings);
    cordon_result_free(run->held);
    if (run->box && run->request.approved)
        box_let_go(run->box); /* it is the run's own */
    else if (run->box && !run->exited)
        box_kill(run->box, run->id);
    close_all(run);
    request_done(&run->request);
    frame_reader_done(&run->frames);
    buf_done(&run->trace_text);
    buf_done(&run->stream[0].kept.data);
    buf_done(&run->stream[1].kept.data);
    free(run);
}
