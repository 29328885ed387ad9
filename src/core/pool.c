/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: see pool.h. Messages to the keeper go out in order; when its socket is full they
 * wait in a queue, descriptors included. End-of-file on the socket is the only sign of a
 * lost keeper that is believed.
 */
#include "core/pool.h"

#include "base/err.h"
#include "core/approved.h"
#include "core/filters.h"
#include "core/spawn.h"
#include "core/view.h"
#include "jail/place.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#define CLOSE_WAIT_MS 1000
#define AGAIN_NS 5000000u /* descriptors that are on their way have arrived by then */

/* One message that waits to be sent. */
struct out {
    struct out *next;
    enum wire_type type;
    uint64_t id;
    size_t size;
    char payload[sizeof(struct sandbox_spec)];
    size_t nfds;
    int fds[WIRE_FORK_FDS];
};

struct box {
    struct watch sock;
    struct box_options opts;
    const struct profile *profile;
    enum box_kind kind;
    int ready;
    struct watch keeper;  /* its pidfd; -1 until it has started */
    char *const *environ; /* of an approved run, while the box is opened */
    char work[PATH_MAX];  /* of working directories on the host; "": not such a box */
    int is_let_go;
    int is_gone;      /* one that was let go: nothing of it is left */
    struct box *next; /* of those that were let go */
    struct out *first;
    struct out **last;
    int is_stuck;               /* the first is not for want of room in the socket */
    struct wire_packet *packet; /* scratch: too large for the stack of a host's thread */
};

static struct box *box_of(struct watch *w)
{
    return (struct box *)((char *)w - offsetof(struct box, sock));
}

static void on_keeper_gone(struct watch *w, uint32_t events)
{
    struct box *box = (struct box *)((char *)w - offsetof(struct box, keeper));
    (void)events;
    loop_del(box->opts.loop, w);
    box->is_gone = 1;
}

uint32_t box_walls_down(const struct box *box)
{
    return box->opts.walls_down;
}

int box_was_ready(const struct box *box)
{
    return box->ready;
}

int box_is(const struct box *box, const struct profile *profile, enum box_kind kind)
{
    return box->profile == profile && box->kind == kind;
}

/* ---- sending ------------------------------------------------------------- */

static void out_free(struct out *o)
{
    for (size_t i = 0; i < o->nfds; i++)
        fd_close(&o->fds[i]);
    free(o);
}

/*
 * What the kernel may take the next time, and does not tell when: it had no memory, or too many
 * of the user's descriptors are on their way. The socket itself may be written to all the while.
 */
static int is_stuck(int rc)
{
    return rc == -ETOOMANYREFS || rc == -ENOBUFS || rc == -ENOMEM;
}

/* Sends what waits, as far as the socket takes it. */
static void flush_queue(struct box *box)
{
    box->is_stuck = 0;
    while (box->first) {
        struct out *o = box->first;
        int rc = wire_send(box->sock.fd, o->type, o->id, o->payload, o->size, o->fds, o->nfds);
        box->is_stuck = is_stuck(rc);
        if (rc == -EAGAIN || box->is_stuck)
            break;
        box->first = o->next;
        if (!box->first)
            box->last = &box->first;
        out_free(o); /* another failure: the keeper is gone, end-of-file follows */
    }
    if (box->is_stuck)
        loop_alarm(box->opts.loop, io_now_ns() + AGAIN_NS);
    uint32_t room = box->first && !box->is_stuck ? EPOLLOUT : 0;
    (void)loop_mod(box->opts.loop, &box->sock, EPOLLIN | room);
}

void box_retry(struct box *box)
{
    if (box->is_stuck)
        flush_queue(box);
}

static int queue(struct box *box, enum wire_type type, uint64_t id, const void *payload,
                 size_t size, int *fds, size_t nfds)
{
    struct out *o = calloc(1, sizeof(*o));
    if (!o) {
        /* A kill must not be forgotten: give the whole box up, which end-of-file reports. */
        (void)shutdown(box->sock.fd, SHUT_RDWR);
        return -ENOMEM;
    }
    *o = (struct out){.type = type, .id = id, .size = size};
    if (size > 0)
        memcpy(o->payload, payload, size);
    for (size_t i = 0; i < nfds; i++)
        o->fds[o->nfds++] = fd_take(&fds[i]);
    *box->last = o;
    box->last = &o->next;
    flush_queue(box);
    return 0;
}

int box_fork(struct box *box, uint64_t id, const struct sandbox_spec *spec, int *fds,
             struct cordon_err *reterr)
{
    if (queue(box, WIRE_FORK, id, spec, sizeof(*spec), fds, WIRE_FORK_FDS) == 0)
        return 0;
    for (size_t i = 0; i < WIRE_FORK_FDS; i++)
        fd_close(&fds[i]);
    return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot ask for a sandbox");
}

void box_group(struct box *box, uint64_t id, int *fds, size_t count)
{
    (void)queue(box, WIRE_GROUP, id, NULL, 0, fds, count);
    for (size_t i = 0; i < count; i++)
        fd_close(&fds[i]);
}

void box_arm(struct box *box, uint64_t id, const struct wire_arm *arm)
{
    (void)queue(box, WIRE_ARM, id, arm, sizeof(*arm), NULL, 0);
}

void box_kill(struct box *box, uint64_t id)
{
    (void)queue(box, WIRE_KILL, id, NULL, 0, NULL, 0);
}

/* ---- receiving ----------------------------------------------------------- */

static void report_lost(struct box *box, const char *why)
{
    struct cordon_err err = {0};
    (void)err_set(&err, CORDON_E_HELPER, 0, "%s", why);
    box->opts.events->lost(box->opts.ctx, box, &err);
}

/* Copies the error a helper sent, so that its text surely ends. */
static int take_error(const struct wire_packet *p, struct cordon_err *ret)
{
    if (p->head.size != sizeof(*ret))
        return -EPROTO;
    memcpy(ret, p->payload, sizeof(*ret));
    ret->step[sizeof(ret->step) - 1] = '\0';
    ret->msg[sizeof(ret->msg) - 1] = '\0';
    return 0;
}

/* Handles one message. 0, or -EPROTO; 1 when the box was reported lost (and is freed). */
static int handle(struct box *box, struct wire_packet *p)
{
    struct wire_exit how;
    struct cordon_err err;
    struct wire_held held;
    switch ((enum wire_type)p->head.type) {
    case WIRE_STARTED:
        fd_close(&box->keeper.fd);
        if (p->nfds == 1)
            box->keeper.fd = fd_take(&p->fds[0]);
        return 0;
    case WIRE_READY:
        box->ready = 1;
        return 0;
    case WIRE_EXIT:
        if (p->head.size != sizeof(how))
            return -EPROTO;
        memcpy(&how, p->payload, sizeof(how));
        box->opts.events->exited(box->opts.ctx, p->head.id, &how);
        return 0;
    case WIRE_HELD:
        if (p->head.size != sizeof(held))
            return -EPROTO;
        memcpy(&held, p->payload, sizeof(held));
        box->opts.events->held(box->opts.ctx, p->head.id, &held);
        return 0;
    case WIRE_FAILED:
        if (take_error(p, &err) < 0)
            return -EPROTO;
        if (p->head.id == 0) {
            box->opts.events->lost(box->opts.ctx, box, &err);
            return 1;
        }
        box->opts.events->failed(box->opts.ctx, p->head.id, &err);
        return 0;
    case WIRE_PLAN:
    case WIRE_FORK:
    case WIRE_ARM:
    case WIRE_KILL:
    case WIRE_STANDBY:
    case WIRE_GROUP:
    case WIRE_FORKED:
    default:
        return -EPROTO;
    }
}

/*
 * From a box that was let go: its pidfd, in case it still started, and its end, which comes
 * before its processes': its pidfd tells when all of it is gone.
 */
static void hear_no_more(struct box *box, int rc)
{
    struct wire_packet *p = box->packet;
    if (rc == 1 && p->head.type == WIRE_STARTED && p->nfds == 1 && box->keeper.fd < 0)
        box->keeper.fd = fd_take(&p->fds[0]);
    for (size_t i = 0; rc == 1 && i < p->nfds; i++)
        fd_close(&p->fds[i]);
    if (rc == 1)
        return;
    loop_del(box->opts.loop, &box->sock);
    fd_close(&box->sock.fd);
    /* One that cannot be watched is waited for when it is closed. */
    if (box->keeper.fd < 0 || loop_add(box->opts.loop, &box->keeper, EPOLLIN) < 0)
        box->is_gone = 1;
}

static void on_socket(struct watch *w, uint32_t events)
{
    struct box *box = box_of(w);
    if (events & EPOLLOUT)
        flush_queue(box);
    if (!(events & ~(uint32_t)EPOLLOUT))
        return;
    int rc = wire_recv(w->fd, box->packet);
    if (rc == -EAGAIN)
        return;
    if (box->is_let_go) {
        hear_no_more(box, rc);
        return;
    }
    if (rc == 1) {
        rc = handle(box, box->packet);
        if (rc == 1)
            return; /* the box is gone */
        for (size_t i = 0; i < box->packet->nfds; i++)
            fd_close(&box->packet->fds[i]);
        if (rc == 0)
            return;
    }
    report_lost(box, rc == -EPROTO ? "the keeper sent something that is no message"
                                   : "the keeper was lost: it was killed or it crashed");
}

/* ---- life ----------------------------------------------------------------- */

static int plan_strict(struct box *box, const struct interpreter *in, struct buf *plan,
                       int *ret_filter, struct cordon_err *reterr)
{
    const struct box_options *o = &box->opts;
    enum view_use use = box->kind == BOX_READER ? VIEW_FOR_READER : VIEW_FOR_RUNS;
    int is_host = (o->walls_down & CORDON_WALL_ROOT) != 0;
    int rc = is_host ? approved_work_path(geteuid() == 0, box->work, sizeof(box->work), reterr) : 0;
    if (rc == 0)
        rc = view_plan(box->profile, in, o->helper_dir, is_host ? box->work : NULL, use,
                       o->walls_down, plan, reterr);
    if (rc == 0 && !(o->walls_down & CORDON_WALL_SECCOMP))
        rc = filters_open(o->walls_down & CORDON_WALL_NAMESPACES ? FILTER_STRICT_CONTAINED
                                                                 : FILTER_STRICT,
                          ret_filter, reterr);
    return rc;
}

static int plan_approved(struct box *box, const struct interpreter *in, struct buf *plan,
                         int fds[2], struct cordon_err *reterr)
{
    const struct box_options *o = &box->opts;
    int rc = approved_check(box->profile, o->walls_down, reterr);
    if (rc < 0)
        return rc;
    rc = approved_has_view(box->profile, o->walls_down)
             ? 0 /* it is in the box */
             : approved_work_path(0, box->work, sizeof(box->work), reterr);
    if (rc == 0)
        rc = approved_plan(box->profile, in, o->helper_dir, box->work, o->walls_down, plan, reterr);
    if (rc == 0)
        rc = approved_environ(box->environ, &fds[0], reterr);
    if (rc < 0 || (o->walls_down & CORDON_WALL_SECCOMP))
        return rc;
    return filters_open(o->walls_down & CORDON_WALL_NAMESPACES ? FILTER_APPROVED_CONTAINED
                                                               : FILTER_APPROVED,
                        &fds[1], reterr);
}

static int find_python(const struct box *box, struct interpreter *ret_in, struct cordon_err *reterr)
{
    const struct box_options *o = &box->opts;
    if (!o->python && box->kind == BOX_APPROVED &&
        approved_venv(box->profile, o->walls_down, box->environ, ret_in) == 0)
        return 0;
    return interpreter_find(o->python ? o->python : box->profile->python, ret_in, reterr);
}

static int send_plan(struct box *box, struct cordon_err *reterr)
{
    struct interpreter in;
    struct buf plan = {0};
    int fds[2] = {-1, -1};
    int rc = find_python(box, &in, reterr);
    if (rc == 0)
        rc = box->kind == BOX_APPROVED ? plan_approved(box, &in, &plan, fds, reterr)
                                       : plan_strict(box, &in, &plan, &fds[0], reterr);
    if (rc == 0) {
        rc = wire_send(box->sock.fd, WIRE_PLAN, 0, plan.data, plan.len, fds,
                       (size_t)(fds[0] >= 0) + (fds[1] >= 0));
        /* A keeper that has ended already has said why, which is still to be read. */
        rc = rc == 0 || rc == -EPIPE || rc == -ECONNRESET
                 ? 0
                 : err_set(reterr, CORDON_E_HELPER, -rc, "cannot send the plan to the keeper");
    }
    buf_done(&plan);
    fd_close(&fds[0]);
    fd_close(&fds[1]);
    return rc;
}

/* It starts while its plan is being made. */
static int start_keeper(struct box *box, struct cordon_err *reterr)
{
    char path[PATH_MAX + 32];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a socket for the keeper");
    AUTO_FD theirs = pair[1];
    box->sock.fd = pair[0];
    (void)snprintf(path, sizeof(path), "%s/cordon-keeper", box->opts.helper_dir);
    int rc = spawn_helper(path, "cordon-keeper", theirs, reterr);
    if (rc < 0)
        return rc;
    fd_close(&theirs);
    rc = send_plan(box, reterr);
    if (rc < 0)
        return rc;
    int flags = fcntl(box->sock.fd, F_GETFL);
    if (flags < 0 || fcntl(box->sock.fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set up the keeper's socket");
    rc = loop_add(box->opts.loop, &box->sock, EPOLLIN);
    return rc < 0 ? err_set(reterr, CORDON_E_HOST, -rc, "cannot watch the keeper's socket") : 0;
}

int box_open(const struct box_options *opts, const struct profile *profile, enum box_kind kind,
             char *const *envp, struct box **ret_box, struct cordon_err *reterr)
{
    struct box *box = calloc(1, sizeof(*box));
    if (!box)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make a box");
    box->sock = (struct watch){.fd = -1, .ready = on_socket};
    box->keeper = (struct watch){.fd = -1, .ready = on_keeper_gone};
    box->opts = *opts;
    box->profile = profile;
    box->kind = kind;
    box->environ = envp;
    box->last = &box->first;
    box->packet = calloc(1, sizeof(*box->packet));
    int rc = box->packet ? start_keeper(box, reterr)
                         : err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make a box");
    box->environ = NULL;
    if (rc < 0) {
        box_close(box);
        return rc;
    }
    *ret_box = box;
    return 0;
}

/*
 * The keeper ends when its socket does, and takes the box with it. End-of-file alone
 * comes too early (a dying process closes its files before its namespace is emptied):
 * its pidfd tells when all of it is gone.
 */
static void wait_gone(struct box *box)
{
    struct pollfd p = {.fd = box->keeper.fd, .events = POLLIN};
    if (box->keeper.fd < 0)
        return;
    if (poll(&p, 1, CLOSE_WAIT_MS) == 0) {
        (void)pidfd_send_signal(box->keeper.fd, SIGKILL, NULL, 0);
        (void)poll(&p, 1, CLOSE_WAIT_MS);
    }
}

/* A keeper that has not said yet that it started may still do so: its pidfd is wanted. */
static void await_start(struct box *box)
{
    struct pollfd p = {.fd = box->sock.fd, .events = POLLIN};
    uint64_t until = io_now_ns() + CLOSE_WAIT_MS * 1000000ull;
    (void)shutdown(box->sock.fd, SHUT_WR);
    while (box->keeper.fd < 0 && io_now_ns() < until && poll(&p, 1, CLOSE_WAIT_MS) > 0) {
        int rc = wire_recv(box->sock.fd, box->packet);
        if (rc == 0 || (rc < 0 && rc != -EAGAIN))
            return;
        if (rc == 1 && box->packet->head.type == WIRE_STARTED && box->packet->nfds == 1)
            box->keeper.fd = fd_take(&box->packet->fds[0]);
    }
}

void box_close(struct box *box)
{
    if (!box)
        return;
    loop_del(box->opts.loop, &box->sock);
    loop_del(box->opts.loop, &box->keeper);
    if (box->sock.fd >= 0 && box->packet)
        await_start(box);
    fd_close(&box->sock.fd);
    wait_gone(box);
    fd_close(&box->keeper.fd);
    if (box->work[0])
        place_remove(box->work); /* the keeper has, unless it was killed */
    while (box->first) {
        struct out *o = box->first;
        box->first = o->next;
        out_free(o);
    }
    free(box->packet);
    free(box);
}

void box_let_go(struct box *box)
{
    box->is_let_go = 1;
    (void)shutdown(box->sock.fd, SHUT_WR);
    box->next = *box->opts.let_go;
    *box->opts.let_go = box;
}

void boxes_collect(struct box **list, int wait)
{
    while (*list) {
        struct box *box = *list;
        if (!wait && !box->is_gone) {
            list = &box->next;
            continue;
        }
        *list = box->next;
        box_close(box);
    }
}
