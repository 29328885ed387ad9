/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zygote: the keeper's side of it: hands forks over, takes its answers, replaces it when it
 * dies. It runs no user code, yet what it sends is checked like a stranger's: it can spoil
 * its own forks and get itself replaced, no more.
 */
#include "keeper/keeper.h"

#include "base/err.h"
#include "keeper/killtree.h"
#include "keeper/tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define HANDED_MAX 16       /* keeps descriptors in flight below the kernel's own cap */
#define ZYGOTE_DEATHS_MAX 3 /* in a row, without one READY */

static struct wire_packet packet; /* the one being looked at */

static void close_packet_fds(void)
{
    for (size_t i = 0; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);
}

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
    struct run *run = runs_find(&k->runs, packet.head.id);
    int32_t pid = -1;

    if (packet.head.size == sizeof(pid))
        memcpy(&pid, packet.payload, sizeof(pid));
    if (pid <= 1 || !run || run->state != RUN_HANDED || pid == k->zygote.pid ||
        runs_find_pid(&k->runs, pid)) {
        end_zygote(&k->zygote);
        return;
    }

    const struct stray *end = runs_find_stray(&k->runs, pid);
    if (end) {
        keeper_exit_run(k, run, end->status, &end->usage);
        return;
    }
    if (!killtree_is_child(pid)) { /* somebody else would be killed in its stead */
        struct cordon_err err = {0};
        err_set(&err, CORDON_E_HELPER, 0, "process %d, its sandbox, is not there any more", pid);
        err_step(&err, "fork");
        keeper_fail_run(k, run, &err);
        return;
    }
    runs_set_running(&k->runs, run, pid);
    if (run->killed)
        (void)kill(pid, SIGKILL);
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

    struct run *run = runs_find(&k->runs, packet.head.id);
    if (run && run->state == RUN_HANDED) {
        keeper_fail_run(k, run, &err);
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

void zygote_hand_over(struct keeper *k)
{
    struct zygote *z = &k->zygote;
    struct run *run;

    while (z->ready && !z->full && !k->reaper.hold && k->runs.handed < HANDED_MAX &&
           (run = TAILQ_FIRST(&k->runs.queued))) {
        int r = wire_send(z->sock, WIRE_FORK, run->id, &run->spec, sizeof(run->spec), run->fds,
                          WIRE_FORK_FDS);
        if (r == -EAGAIN || r == -ENOBUFS || r == -ETOOMANYREFS)
            z->full = 1;
        else if (r < 0)
            end_zygote(z);
        else
            runs_set_handed(&k->runs, run);
    }
}

void zygote_start(struct keeper *k)
{
    struct cordon_err err = {0};

    k->zygote.full = 0;
    if (box_start_zygote(k->box, &k->zygote.pid, &k->zygote.sock, &err) < 0) {
        err_step(&err, "zygote");
        keeper_give_up(k, &err);
    }
}

/* How a process ended, for a sentence about it. */
static const char *how(int status, int *ret_number)
{
    *ret_number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return WIFSIGNALED(status) ? "signal" : "exit status";
}

/* Forks that it took and did not answer. */
static void fail_handed(struct keeper *k, int status)
{
    struct cordon_err err = {0};
    struct run *run, *next;
    int number;
    const char *word = how(status, &number);

    err_set(&err, CORDON_E_HELPER, 0, "the zygote died (%s %d) before it could fork", word, number);
    err_step(&err, "fork");
    for (run = TAILQ_FIRST(&k->runs.live); run; run = next) {
        next = TAILQ_NEXT(run, link);
        if (run->state == RUN_HANDED)
            keeper_fail_run(k, run, &err);
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
    fail_handed(k, status);

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
