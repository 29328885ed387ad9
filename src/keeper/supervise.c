/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise: one thread, one ppoll() loop.
 *
 * Invariants: each run gets exactly one last word, WIRE_EXIT or WIRE_FAILED; nothing
 * blocks while a run is alive.
 */
#include "keeper/supervise.h"

#include "base/err.h"
#include "keeper/admit.h"
#include "keeper/approved.h"
#include "keeper/meter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#define ENGINE_BURST 64 /* messages taken in one turn, so that deadlines are not late */

static struct wire_packet packet; /* the one being looked at */

void keeper_tell(struct keeper *k, enum wire_type type, uint64_t id, const void *payload,
                 size_t size)
{
    if (outbox_send(&k->outbox, type, id, payload, size) < 0)
        k->done = 1; /* an engine that hears nothing any more holds nothing together */
}

/* The box is of no use any more: says why and ends the loop. */
void keeper_give_up(struct keeper *k, const struct cordon_err *err)
{
    keeper_tell(k, WIRE_FAILED, 0, err, sizeof(*err));
    outbox_drain(&k->outbox); /* nothing is left to do but to be heard */
    k->done = 1;
}

/* ---- runs ----------------------------------------------------------------- */

void keeper_fail_run(struct keeper *k, struct run *run, const struct cordon_err *err)
{
    keeper_tell(k, WIRE_FAILED, run->id, err, sizeof(*err));
    runs_remove(&k->runs, run);
}

/* Whether the run's deadline ended it: by our kill, or already by our question for the line,
 * which ends a program that has taken the interpreter's place and whoever no longer listens. */
static int ended_by_deadline(const struct run *run, int status)
{
    if (!run->overdue || !WIFSIGNALED(status))
        return 0;
    int sig = WTERMSIG(status);
    return sig == SIGKILL || sig == WIRE_TRACE_SIGNAL || sig == WIRE_TRACE_SIGNAL_APPROVED;
}

void keeper_exit_run(struct keeper *k, struct run *run, int status, const struct rusage *usage)
{
    const struct timeval *u = &usage->ru_utime;
    const struct timeval *s = &usage->ru_stime;
    struct wire_exit end = {
        .status = status,
        .deadline = ended_by_deadline(run, status),
        .cpu_us = (uint64_t)(u->tv_sec + s->tv_sec) * 1000000 + (uint64_t)(u->tv_usec + s->tv_usec),
        .maxrss_bytes = (uint64_t)usage->ru_maxrss * 1024,
        .limit = run->meter.over,
        .held_bytes = run->meter.peak_bytes,
    };
    /* Who has gone before, and was not waited for, never will be; what was killed with its parents
     * will not be either. */
    end.cpu_us += run->meter.spent.gone_ns / 1000;
    if (end.cpu_us < run->meter.cpu_ns / 1000)
        end.cpu_us = run->meter.cpu_ns / 1000;

    keeper_tell(k, WIRE_EXIT, run->id, &end, sizeof(end));
    runs_remove(&k->runs, run);
}

static void kill_run(struct keeper *k, struct run *run)
{
    struct cordon_err err = {0};

    if (run->state == RUN_RUNNING)
        (void)kill(run->pid, SIGKILL);
    run->meter.look_ns = 0; /* what ends takes no more; to look would hold it up */
    if (run->state == RUN_QUEUED) {
        err_set(&err, CORDON_E_HELPER, 0, "it was killed before it could be forked");
        err_step(&err, "fork");
        keeper_fail_run(k, run, &err);
    }
}

/* ---- from the engine ------------------------------------------------------ */

static void refuse_fork(struct keeper *k, const char *why)
{
    struct cordon_err err = {0};

    err_set(&err, CORDON_E_HELPER, 0, "%s", why);
    err_step(&err, "fork");
    keeper_tell(k, WIRE_FAILED, packet.head.id, &err, sizeof(err));
}

static void on_fork(struct keeper *k)
{
    struct sandbox_spec spec;
    uint64_t id = packet.head.id;

    if (id == 0 || runs_find(&k->runs, id))
        return; /* a word about it would be one about another */
    if (packet.nfds != WIRE_FORK_FDS) {
        refuse_fork(k, "descriptors were lost on the way: too many are open (RLIMIT_NOFILE)");
        return;
    }
    if (packet.head.size != sizeof(spec)) {
        refuse_fork(k, "the request for a fork is malformed");
        return;
    }
    memcpy(&spec, packet.payload, sizeof(spec));
    if (runs_add(&k->runs, id, &spec, packet.fds))
        packet.nfds = 0; /* they are the run's now */
    else
        refuse_fork(k, "too many sandboxes in one box");
}

static void on_arm(struct keeper *k)
{
    struct run *run = runs_find(&k->runs, packet.head.id);
    struct wire_arm arm;

    if (!run || packet.head.size != sizeof(arm) || run->overdue)
        return;
    memcpy(&arm, packet.payload, sizeof(arm));
    run->meter.wall_ms = arm.wall_ms;
    run->meter.start_ms = arm.cpu_ms;
    run->meter.born_bytes = arm.bytes;
    meter_start(k, run); /* its request is on its way */
    /* Later than a century from now is never. */
    run->due_ns = arm.wall_ms < UINT64_MAX / 4000000 ? io_now_ns() + arm.wall_ms * 1000000 : 0;
}

static void on_engine_packet(struct keeper *k)
{
    struct run *run;

    switch ((enum wire_type)packet.head.type) {
    case WIRE_FORK:
        on_fork(k);
        break;
    case WIRE_GROUP:
        doors_add(&k->doors, packet.head.id, packet.fds, packet.nfds);
        break;
    case WIRE_ARM:
        on_arm(k);
        break;
    case WIRE_KILL:
        run = runs_find(&k->runs, packet.head.id);
        if (run)
            kill_run(k, run);
        break;
    case WIRE_PLAN:
    case WIRE_STARTED:
    case WIRE_READY:
    case WIRE_STANDBY:
    case WIRE_FORKED:
    case WIRE_HELD:
    case WIRE_EXIT:
    case WIRE_FAILED:
        break; /* not the engine's to say */
    }
}

static void close_packet_fds(void)
{
    for (size_t i = 0; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);
}

static void read_engine(struct keeper *k)
{
    for (int i = 0; i < ENGINE_BURST && !k->done; i++) {
        int r = wire_recv(k->outbox.sock, &packet);
        if (r == -EAGAIN)
            return;
        if (r <= 0) { /* gone, or not speaking our language */
            k->done = 1;
            return;
        }
        on_engine_packet(k);
        close_packet_fds();
    }
}

/* ---- children and time ----------------------------------------------------- */

static void on_child(struct keeper *k, pid_t pid, int status, const struct rusage *usage)
{
    if (pid == k->zygote.pid) {
        zygote_died(k, status);
        return;
    }
    struct run *run = runs_find_pid(&k->runs, pid);
    if (!run && !standbys_find_pid(&k->standbys, pid))
        zygote_read(k); /* its FORKED may lie unread */
    struct standby *standby = standbys_find_pid(&k->standbys, pid);
    if (run && k->box->approved)
        status = approved_status(k, status);
    if (run && !box_has_namespaces(k->box))
        reap_later(k, run, status, usage);
    else if (run)
        keeper_exit_run(k, run, status, usage);
    else if (standby)
        zygote_lost_standby(k, standby, status);
    else {
        standbys_keep_stray(&k->standbys, pid);
        reap_directory(k, pid); /* its zygote has died with its name */
    }
}

static void reap(struct keeper *k)
{
    struct rusage usage;
    int status;
    pid_t pid;

    while (!k->done && (pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0)
        on_child(k, pid, status, &usage);
}

/* The deadline passed: ask where it is, then, a little later, kill. */
static void on_due(struct keeper *k, struct run *run, uint64_t now)
{
    if (run->overdue || run->state != RUN_RUNNING) {
        run->overdue = 1;
        run->due_ns = 0;
        kill_run(k, run);
        return;
    }
    run->overdue = 1;
    run->due_ns = now + (uint64_t)WIRE_TRACE_GRACE_MS * 1000000;
    (void)kill(run->pid, WIRE_TRACE_SIGNAL);
}

/* Returns when the list's next deadline is, UINT64_MAX when there is none. */
static uint64_t check_list(struct keeper *k, struct run_list *list, uint64_t now)
{
    uint64_t first = UINT64_MAX;
    struct run *run, *next;

    for (run = TAILQ_FIRST(list); run; run = next) {
        next = TAILQ_NEXT(run, link);
        if (run->due_ns != 0 && run->due_ns <= now)
            on_due(k, run, now);
        /* on_due() may have removed it: then it has no deadline any more. */
        if (run->due_ns != 0 && run->due_ns < first)
            first = run->due_ns;
    }
    return first;
}

/* What a socket did not take, and will not tell when it does. */
static uint64_t retry(struct keeper *k, uint64_t now)
{
    uint64_t zygote = k->zygote.again_ns ? k->zygote.again_ns : UINT64_MAX;

    if (k->outbox.again_ns != 0 && k->outbox.again_ns <= now && outbox_flush(&k->outbox) < 0)
        k->done = 1;
    uint64_t engine = k->outbox.again_ns ? k->outbox.again_ns : UINT64_MAX;
    return zygote < engine ? zygote : engine;
}

static uint64_t check_deadlines(struct keeper *k)
{
    uint64_t now = io_now_ns();
    uint64_t live = check_list(k, &k->runs.live, now);
    uint64_t queued = check_list(k, &k->runs.queued, now);
    uint64_t first = live < queued ? live : queued;

    if (!box_has_namespaces(k->box)) {
        uint64_t dying = reap_turn(k, now);
        first = dying < first ? dying : first;
    }
    uint64_t look = meter_turn(k, now);
    first = look < first ? look : first;
    uint64_t again = retry(k, now);
    return again < first ? again : first;
}

/* Sleeps until something comes in or `due_ns`. Returns whether something came. */
static int sleep_until(struct pollfd *fds, nfds_t count, uint64_t due_ns)
{
    uint64_t now = io_now_ns();
    uint64_t left = due_ns > now ? due_ns - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
                               .tv_nsec = (long)(left % 1000000000)};

    return ppoll(fds, count, due_ns != UINT64_MAX ? &timeout : NULL, NULL) > 0;
}

static void take_turn(struct keeper *k, uint64_t due_ns)
{
    int zygote_waits = k->zygote.full && k->zygote.again_ns == 0;
    struct pollfd fds[] = {
        {.fd = k->outbox.sock,
         .events =
             (short)(POLLIN | (outbox_waits(&k->outbox) && !k->outbox.again_ns ? POLLOUT : 0))},
        {.fd = k->zygote.sock, .events = (short)(POLLIN | (zygote_waits ? POLLOUT : 0))},
        {.fd = k->signals, .events = POLLIN},
        {.fd = k->box->engine, .events = POLLIN},
        {.fd = k->approved.listener, .events = POLLIN},
    };
    struct signalfd_siginfo child; /* one, for however many ended; or the starter did */

    if (!sleep_until(fds, ARRAY_LEN(fds), due_ns))
        return;

    if ((fds[0].revents & POLLOUT) && outbox_flush(&k->outbox) < 0)
        k->done = 1;
    if (fds[1].revents & POLLOUT)
        k->zygote.full = 0;
    if (fds[1].revents & ~POLLOUT)
        zygote_read(k);
    if (fds[0].revents & ~POLLOUT)
        read_engine(k);
    if (fds[4].revents & POLLIN)
        admit_one(k);
    else if (fds[4].revents) /* nobody is under its filter any more: it would wake us for ever */
        fd_close(&k->approved.listener);
    if (fds[3].revents)
        k->done = 1; /* its process has ended, whoever else holds the socket */
    if (fds[2].revents && read(k->signals, &child, sizeof(child)) > 0) {
        k->done |= child.ssi_signo == BOX_END_SIGNAL;
        reap(k);
    }
}

static int open_keeper(struct keeper *k, int engine, const struct box *box)
{
    sigset_t child;

    k->box = box;
    k->zygote = (struct zygote){.sock = -1, .pid = -1};
    k->approved = (struct approved){.report = -1, .listener = -1};
    runs_init(&k->runs);
    int r = outbox_init(&k->outbox, engine);

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigaddset(&child, BOX_END_SIGNAL);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    k->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return k->signals < 0 ? -errno : r;
}

int supervise(int engine, const struct box *box)
{
    static struct keeper k;

    int r = open_keeper(&k, engine, box);
    if (r < 0) {
        struct cordon_err err = {0};
        err_set(&err, CORDON_E_HOST, -r, "the keeper cannot wait for its children");
        err_step(&err, "supervise");
        keeper_give_up(&k, &err);
        return 1;
    }

    if (!box->approved)
        zygote_start(&k);
    while (!k.done) {
        if (box->approved)
            approved_start(&k);
        else
            zygote_hand_over(&k);
        take_turn(&k, check_deadlines(&k));
    }
    if (!box_has_namespaces(box))
        reap_all(&k);
    return 0; /* PID 1 ends here, and with it everything in the box */
}
