/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox: one execution's life: ask for a sandbox, hand over the request, take what it
 * says, see it dead, and turn that into a result. Its states:
 *
 *   QUEUED ──run_start──▶ FORKING ──READY──▶ RUNNING ──END, exit, lost──▶ ended
 *
 * From every state `ended` is called exactly once, unless run_free() comes first.
 */
#ifndef CORDON_CORE_SANDBOX_H
#define CORDON_CORE_SANDBOX_H

#include "core/capture.h"
#include "core/cgroup.h"
#include "core/loop.h"
#include "core/pool.h"
#include "core/request.h"
#include "core/result.h"

enum run_state {
    RUN_QUEUED,
    RUN_FORKING,
    RUN_RUNNING,
    RUN_PARKED, /* ended, but its result waits for the gate to have read the code */
};

struct rungroups; /* rungroup.h */

/* Who made the run. */
struct run_owner {
    struct loop *loop;
    struct cgroups *groups; /* NULL: there are none to be had */
    struct rungroups *stock;
    /* The run ended: the owner frees it and has the result. NULL: no memory for one. */
    void (*ended)(void *ctx, struct cordon_run *run, struct cordon_result *result);
    void *ctx;
};

struct run_stream {
    struct watch pipe;
    struct capture kept;
    struct cordon_run *run;
    enum cordon_stream which;
};

struct cordon_run {
    struct cordon_run *prev; /* the owner's list */
    struct cordon_run *next;
    const struct run_owner *owner;
    struct cordon_callbacks callbacks;
    void *user;
    uint64_t id;
    enum run_state state;
    struct request request;
    uint32_t walls_down;
    struct box *box; /* from run_start() on */
    struct watch channel;
    struct watch trace;
    struct run_stream stream[2];
    int text; /* the memfd behind sys.stdout and sys.stderr */
    size_t sent;
    struct frame_reader frames;
    struct buf trace_text;
    pid_t pid; /* in our own PID namespace, from the kernel; 0: unknown */
    uint64_t cpu_at_start_ns;
    int unasked;          /* as in wire_held */
    uint64_t others_us;   /* as in wire_held; 0: it was not looked at, or it is one process */
    uint64_t started_ns;  /* the request began to be handed over */
    uint64_t answered_ns; /* the answer was in */
    uint64_t alarm_ns;    /* when to give up waiting; 0: no alarm */
    int exited;
    struct wire_exit exit;
    struct cgroup *group;    /* NULL: it has none, and is looked at by its keeper alone */
    struct watch group_full; /* where the kernel kills a part of the group only */
    struct cgroup_use group_use;
    uint64_t group_born_bytes;  /* what the group held before the code came */
    int group_due;              /* its sandbox is to come with one */
    int retried;                /* its box or its sandbox was lost once before it was ready */
    struct cordon_run *check;   /* of an approved run: the strict run that only reads its code */
    struct cordon_run *checks;  /* of that one: whose code it reads */
    struct cordon_result *held; /* RUN_PARKED: the result */
    json_t *warnings;           /* what the gate said of an approved run's code */
    int cancelled;              /* from inside a callback: no callback is made any more */
};

/* Takes the request over. The run is QUEUED. NULL: no memory. */
struct cordon_run *run_new(const struct run_owner *owner, uint64_t id, struct request *request,
                           const struct cordon_callbacks *callbacks, void *user,
                           uint32_t walls_down);

/*
 * Asks the box for a sandbox. 0; -EMFILE when there are no descriptors left (try again
 * when another run has ended); or the run has ended already: 1.
 */
int run_start(struct cordon_run *run, struct box *box);

/*
 * The run's box or its sandbox was lost. When its code cannot have started yet it goes back
 * to QUEUED, once: 1. Else 0: it has to fail.
 */
int run_requeue(struct cordon_run *run);

/* Kills what runs and gives up all that it held but its identity. */
void run_park(struct cordon_run *run);

/* Its sandbox is gone. The run has ended: 0; or it waits for another one, as by run_requeue(): 1. */
int run_exited(struct cordon_run *run, const struct wire_exit *how);
/* News from elsewhere. Each ends the run. */
void run_failed(struct cordon_run *run, const struct cordon_err *why);
void run_alarm(struct cordon_run *run);

/* Kills what runs and frees everything. */
void run_free(struct cordon_run *run);

/* verdict.c: what the run's end means. The streams, frames and exit are complete. */
struct cordon_result *verdict_make(struct cordon_run *run);
/*
 * The call that the filter ended the run for, and the architecture that it was called as
 * (0: this one). Whether the text holds one.
 */
int verdict_refused_call(const char *text, unsigned *ret_nr, unsigned *ret_arch);
/* The line of user code in faulthandler's text; 0 when it holds none (yet). */
unsigned verdict_trace_line(const char *text);

#endif
