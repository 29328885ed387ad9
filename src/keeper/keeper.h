/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper: what the parts of the keeper's loop share; nobody else includes it.
 *
 *   supervise.c  the loop, the engine's words, ends and deadlines
 *   zygote.c     forks by way of a zygote (runs that are not approved), and standbys
 *   reap.c       ends, where the box has no PID namespace to make them whole
 *   approved.c   the one run of a box that is made for it (approved.h)
 *   meter.c      what each run takes (meter.h)
 *   admit.c      what no meter could see of it (admit.h)
 */
#ifndef CORDON_KEEPER_KEEPER_H
#define CORDON_KEEPER_KEEPER_H

#include "keeper/box.h"
#include "keeper/outbox.h"
#include "keeper/runs.h"
#include "keeper/standby.h"

struct zygote {
    int sock; /* -1 while there is none */
    pid_t pid;
    int ready;
    int full;          /* its socket takes no more at the moment */
    uint64_t again_ns; /* when to try it again; 0: the socket will tell */
    int deaths;
    int ever_ready;
    uint64_t served;              /* runs that got a standby */
    int shy;                      /* the last standby was lost: none is kept until one is of use */
    uint64_t born_bytes;          /* resident when it was ready: what its copies are born with */
    struct cordon_err last_words; /* why it could not start */
};

/* Of a box that is made for one approved run. */
struct approved {
    int started;
    int report;   /* what the run's init has to say; -1: nothing any more */
    int listener; /* of the run's call filter (admit.h); -1: none, or nobody to hear any more */
};

/* Where the box has no PID namespace: runs that have ended, and what they left behind. */
struct reaper {
    uint64_t look_ns; /* when to look for strays again; 0: not before something happens */
    int hold;         /* order no standby: a child that nobody named yet could be a stray */
};

struct keeper {
    const struct box *box;
    int signals;
    struct outbox outbox; /* its socket is the engine's */
    struct zygote zygote;
    struct standbys standbys;
    struct doors doors;
    struct runs runs;
    struct approved approved;
    struct reaper reaper;
    int done; /* leave the loop */
};

/* Says it to the engine; an engine that cannot be told any more ends the loop. */
void keeper_tell(struct keeper *k, enum wire_type type, uint64_t id, const void *payload,
                 size_t size);

/* The box is of no use any more: says why and ends the loop. */
void keeper_give_up(struct keeper *k, const struct cordon_err *err);

/* A run's last word: it could not be started, or it ended. The run is gone then. */
void keeper_fail_run(struct keeper *k, struct run *run, const struct cordon_err *err);
void keeper_exit_run(struct keeper *k, struct run *run, int status, const struct rusage *usage);

/* ---- reap.c ---- */

/* The run's first process has ended: its last word waits until nothing is left of it. */
void reap_later(struct keeper *k, struct run *run, int status, const struct rusage *usage);
/* Removes what a sandbox, or a standby, had on the host: its first process has ended. */
void reap_directory(const struct keeper *k, pid_t first);
/* Ends what runs have left behind, and the runs. When to come again, UINT64_MAX: no need. */
uint64_t reap_turn(struct keeper *k, uint64_t now);
/* The loop is over: ends everything. */
void reap_all(struct keeper *k);

/* ---- zygote.c ---- */

void zygote_start(struct keeper *k);
/* Takes what it has sent. */
void zygote_read(struct keeper *k);
/* Gives standbys to the runs that wait, and orders those that are missing. */
void zygote_hand_over(struct keeper *k);
/* It has ended, and what it was asked for is lost: starts another or gives up. */
void zygote_died(struct keeper *k, int status);
/* One that no run had has ended. */
void zygote_lost_standby(struct keeper *k, struct standby *standby, int status);

#endif
