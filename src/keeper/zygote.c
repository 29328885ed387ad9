/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zygote: the keeper's side of it: orders standbys, takes its answers, replaces it when it
 * dies; and gives each run its standby. It runs no user code, yet what it sends is checked like
 * a stranger's: it can spoil its own forks and get itself replaced, no more.
 */
#include "keeper/keeper.h"

#include "base/err.h"
#include "keeper/killtree.h"
#include "keeper/tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ZYGOTE_DEATHS_MAX 3 /* in a row, without one READY */

static struct wire_packet packet; /* the one being looked at */

static void close_packet_fds(void)
{
    for (size_t i = 0; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);
}

/* ---- what is lost --------------------------------------------------------------- */

/* A standby cannot be had: whoever waits longest hears why, or nobody does and nobody asks again. */
static void fail_first(struct keeper *k, const struct cordon_err *err)
{
    struct run *run = TAILQ_FIRST(&k->runs.queued);

    if (run)
        keeper_fail_run(k, run, err);
    else
        k->zygote.shy = 1;
}

/*
 * As many standbys died before they were used, for reasons of their own. What kills one may
 * kill the next: a run waits for a second one, not for a third.
 */
static void lose(struct keeper *k, size_t count, const struct cordon_err *err)
{
    struct run *run, *next;

    k->zygote.shy = 1;
    for (run = TAILQ_FIRST(&k->runs.queued); run && count > 0; run = next, count--) {
        next = TAILQ_NEXT(run, link);
        if (run->lost++ > 0)
            keeper_fail_run(k, run, err);
    }
}

/* How a process ended, for a sentence about it. */
static const char *how(int status, int *ret_number)
{
    *ret_number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return WIFSIGNALED(status) ? "signal" : "exit status";
}

/* It has ended. */
static void forget(struct keeper *k, struct standby *standby)
{
    reap_directory(k, standby->pid);
    standbys_remove(&k->standbys, standby);
}

void zygote_lost_standby(struct keeper *k, struct standby *standby, int status)
{
    struct cordon_err err = {0};
    int number;
    const char *word = how(status, &number);
    int spare = standby->state == STANDBY_SPARE;

    forget(k, standby);
    if (spare)
        return;
    err_set(&err, CORDON_E_HELPER, 0, "its sandbox died (%s %d) before it was used", word, number);
    err_step(&err, "fork");
    lose(k, 1, &err);
}

/* Forks that it was asked for and did not answer. */
static void lose_ordered(struct keeper *k, int status)
{
    struct cordon_err err = {0};
    struct standby *standby;
    size_t count = standbys_in(&k->standbys, STANDBY_ORDERED);
    int number;
    const char *word = how(status, &number);

    if (count == 0)
        return;
    while ((standby = standbys_any(&k->standbys, STANDBY_ORDERED)))
        standbys_remove(&k->standbys, standby);
    err_set(&err, CORDON_E_HELPER, 0, "the zygote died (%s %d) before it could fork", word, number);
    err_step(&err, "fork");
    lose(k, count, &err);
}

/* ---- what it says ----------------------------------------------------------------- */

/* It is of no use any more. zygote_died() clears up once its end is seen. */
static void end_zygote(struct zygote *z)
{
    fd_close(&z->sock);
    z->ready = 0;
    if (z->pid > 0)
        (void)kill(z->pid, SIGKILL);
}

static void on_ready(struct keeper *k)
{
    struct zygote *z = &k->zygote;

    z->ready = 1;
    z->ever_ready = 1;
    z->deaths = 0;
    z->last_words.code = 0;
    z->born_bytes = tree_look() == 0 ? tree_resident_now(tree_number(z->pid)) : 0;
    keeper_tell(k, WIRE_READY, 0, packet.payload, packet.head.size < 64 ? packet.head.size : 0);
}

static void on_forked(struct keeper *k)
{
    struct standby *standby = standbys_find(&k->standbys, packet.head.id);
    int32_t pid = -1;

    if (packet.head.size == sizeof(pid))
        memcpy(&pid, packet.payload, sizeof(pid));
    if (pid <= 1 || !standby || standby->state != STANDBY_ORDERED || pid == k->zygote.pid ||
        runs_find_pid(&k->runs, pid) || standbys_find_pid(&k->standbys, pid)) {
        end_zygote(&k->zygote);
        return;
    }
    standby->pid = pid;
    if (standbys_is_stray(&k->standbys, pid)) {
        zygote_lost_standby(k, standby, SIGKILL);
        return;
    }
    if (!killtree_is_child(pid)) { /* somebody else would be killed in its stead */
        struct cordon_err err = {0};
        forget(k, standby);
        err_set(&err, CORDON_E_HELPER, 0, "process %d, its sandbox, is not there any more", pid);
        err_step(&err, "fork");
        lose(k, 1, &err);
        return;
    }
    standbys_set_standing(&k->standbys, standby, pid);
}

static void on_zygote_failed(struct keeper *k)
{
    struct cordon_err err;

    if (packet.head.size != sizeof(err)) {
        end_zygote(&k->zygote);
        return;
    }
    memcpy(&err, packet.payload, sizeof(err));
    err.step[sizeof(err.step) - 1] = '\0';
    err.msg[sizeof(err.msg) - 1] = '\0';

    struct standby *standby = standbys_find(&k->standbys, packet.head.id);
    if (standby && standby->state == STANDBY_ORDERED) {
        standbys_remove(&k->standbys, standby);
        fail_first(k, &err);
    } else if (packet.head.id == 0) {
        k->zygote.last_words = err;
        end_zygote(&k->zygote);
    }
}

void zygote_read(struct keeper *k)
{
    while (k->zygote.sock >= 0 && !k->done) {
        int r = wire_recv(k->zygote.sock, &packet);
        if (r == -EAGAIN)
            return;
        if (r <= 0) {
            end_zygote(&k->zygote);
            return;
        }
        close_packet_fds(); /* it has none to give */
        if (packet.head.type == WIRE_READY)
            on_ready(k);
        else if (packet.head.type == WIRE_FORKED)
            on_forked(k);
        else if (packet.head.type == WIRE_FAILED)
            on_zygote_failed(k);
        else
            end_zygote(&k->zygote);
    }
}

/* ---- what it is asked for ------------------------------------------------------------ */

/*
 * What the kernel may take the next time, and does not tell when: it had no memory, or too many of
 * the user's descriptors are on their way. The socket itself may be written to all the while.
 */
static int is_stuck(int r)
{
    return r == -ETOOMANYREFS || r == -ENOBUFS || r == -ENOMEM;
}

static void try_later(struct zygote *z)
{
    z->full = 1;
    z->again_ns = io_now_ns() + SOCKET_AGAIN_NS;
}

/* 0 when no more can be done for those that wait. */
static int serve_first(struct keeper *k)
{
    struct run *run = TAILQ_FIRST(&k->runs.queued);
    struct standby *standby = standbys_any(&k->standbys, STANDBY_STANDING);

    if (!run || !standby)
        return 0;
    int r = wire_send(standby->sock, WIRE_FORK, run->id, &run->spec, sizeof(run->spec), run->fds,
                      WIRE_FORK_FDS);
    if (r == -EAGAIN || is_stuck(r)) { /* that socket nobody polls */
        try_later(&k->zygote);
        return 0;
    }
    if (r < 0) {
        standbys_set_left(standby);
        return 1;
    }
    pid_t pid = standby->pid;
    standbys_remove(&k->standbys, standby);
    runs_set_running(&k->runs, run, pid);
    k->zygote.served++;
    k->zygote.shy = 0;
    return 1;
}

/* One for each run that waits; and the next one's, where there was more than one run. */
static size_t wanted(const struct keeper *k)
{
    size_t count = k->zygote.served > 1 && !k->zygote.shy;
    const struct run *run;

    TAILQ_FOREACH(run, &k->runs.queued, link)
    if (++count >= STANDBYS_MAX)
        break;
    return count;
}

static void order_one(struct keeper *k)
{
    struct zygote *z = &k->zygote;
    struct cordon_err err = {0};
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        err_set(&err, CORDON_E_HOST, errno, "cannot make a standby's socket");
        err_step(&err, "fork");
        fail_first(k, &err);
        return;
    }
    AUTO_FD its = pair[1];
    const struct door door = doors_next(&k->doors);
    int fds[1 + WIRE_GROUP_FDS] = {its, door.fds[0], door.fds[1]};
    struct standby *standby = standbys_add(&k->standbys, pair[0]);
    if (!standby) {
        (void)close(pair[0]);
        return;
    }
    int r = wire_send(z->sock, WIRE_STANDBY, standby->id, &door.group, sizeof(door.group), fds,
                      1 + door.count);
    if (r == 0) {
        doors_remove(&k->doors);
        return;
    }
    standbys_remove(&k->standbys, standby);
    if (is_stuck(r))
        try_later(z);
    else if (r == -EAGAIN)
        z->full = 1;
    else
        end_zygote(z);
}

/* Runs that went before they had one leave theirs behind, each with a loaded interpreter. */
static void send_spare_away(struct keeper *k)
{
    size_t standing = standbys_in(&k->standbys, STANDBY_STANDING);
    size_t kept = wanted(k);

    for (; standing > kept; standing--)
        standbys_set_spare(standbys_any(&k->standbys, STANDBY_STANDING));
}

void zygote_hand_over(struct keeper *k)
{
    struct zygote *z = &k->zygote;

    if (z->again_ns != 0 && io_now_ns() >= z->again_ns)
        z->full = 0;
    if (!z->full)
        z->again_ns = 0;
    while (!z->full && serve_first(k))
        ;
    send_spare_away(k);
    while (z->ready && !z->full && !k->reaper.hold && !k->done &&
           standbys_any(&k->standbys, STANDBY_NONE) &&
           standbys_in(&k->standbys, STANDBY_ORDERED) +
                   standbys_in(&k->standbys, STANDBY_STANDING) <
               wanted(k))
        order_one(k);
}

/* ---- its life -------------------------------------------------------------------------- */

void zygote_start(struct keeper *k)
{
    struct cordon_err err = {0};

    k->zygote.full = 0;
    if (box_start_zygote(k->box, &k->zygote.pid, &k->zygote.sock, &err) < 0) {
        err_step(&err, "zygote");
        keeper_give_up(k, &err);
    }
}

void zygote_died(struct keeper *k, int status)
{
    struct zygote *z = &k->zygote;
    int number;
    const char *word = how(status, &number);

    zygote_read(k); /* what it still said */
    z->deaths = z->ready ? 0 : z->deaths + 1;
    z->pid = -1;
    end_zygote(z);
    lose_ordered(k, status);

    /* A reason given by the first one is not going to change. */
    int hopeless = z->last_words.code != 0 && !z->ever_ready;
    if (!hopeless && z->deaths < ZYGOTE_DEATHS_MAX) {
        zygote_start(k);
        return;
    }
    if (z->last_words.code == 0)
        err_set(&z->last_words, CORDON_E_HELPER, 0,
                "the zygote died (%s %d) while it started, %d times in a row", word, number,
                z->deaths);
    err_step(&z->last_words, "zygote");
    keeper_give_up(k, &z->last_words);
}
