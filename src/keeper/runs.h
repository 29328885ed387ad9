/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs: what the keeper knows of each fork that the engine asked for.
 *
 *   QUEUED   with its descriptors, until a standby is there for it
 *   RUNNING  a standby has it
 *   ENDED    its first process has, and was waited for; others of it may be left
 *
 * A fixed number of slots; only those that were ever needed are touched.
 */
#ifndef CORDON_KEEPER_RUNS_H
#define CORDON_KEEPER_RUNS_H

#include "base/wire.h"
#include "keeper/spent.h"
#include "keeper/walk.h"

#include <sys/queue.h>
#include <sys/resource.h>

enum run_state { RUN_QUEUED, RUN_RUNNING, RUN_ENDED };

/* What is known of the memory that a run holds (keeper/meter.c). */
struct metered {
    uint64_t look_ns;      /* when to look next; 0: not at all */
    uint64_t peek_ns;      /* when to see whether to look before; 0: nobody needs to */
    uint64_t looked_ns;    /* when the last look was over, */
    uint64_t took_ns;      /* and how long it took */
    uint64_t free_bytes;   /* what the host had left by then; 0: no need to know */
    uint64_t taken_bytes;  /* so much less, and it is time to look */
    pid_t last_pid;        /* the last process number given out before it */
    uint64_t room;         /* for tasks, as it saw them */
    uint64_t kernel_low;   /* the least that the host's kernel was seen to have since it began */
    uint64_t held_bytes;   /* what it held when it was looked at last, */
    uint64_t growth_bytes; /* and what the kernel had grown by then */
    uint64_t over_ns;      /* until when the sum of pages was not too much */
    uint64_t forked_ns;    /* the last look before which something had forked */
    uint64_t peak_bytes;   /* the most that was seen, pages that it was born with included */
    uint64_t told_bytes;   /* of that, what the engine knows */
    uint64_t cpu_ns;       /* the most that it was seen to have used, */
    uint64_t start_ms;     /* and what of that before its code began */
    uint64_t born_bytes;   /* what an approved run's interpreter says it had then */
    uint32_t counted;      /* a control group counts: the host's kernel tells nothing more of it */
    uint64_t unasked;      /* what it makes that no look sees, it makes without asking us */
    uint64_t told_ns;      /* of what is not its first process's own, what the engine knows */
    uint64_t hiding_ns;    /* when something had gone last that nobody had waited for */
    uint64_t wall_ms;      /* what it was given; 0: not yet */
    uint32_t over;         /* enum wire_limit: why it was killed */
    struct walk walk;      /* over its page tables */
    struct spent spent;    /* its processor time */
    int work;              /* its working directory and its shared memory, for their size; */
    int shm;               /* owned; -1: not to be had */
};

struct run {
    TAILQ_ENTRY(run) link;
    enum run_state state;
    uint64_t id;
    pid_t pid;
    uint64_t due_ns; /* 0: no deadline */
    int overdue;     /* the deadline passed */
    int lost;        /* how many standbys that were to be its died first */
    int status;      /* once ENDED */
    struct rusage usage;
    struct sandbox_spec spec;
    struct metered meter;
    int fds[WIRE_FORK_FDS]; /* owned while QUEUED */
};

struct runs {
    TAILQ_HEAD(run_list, run) queued; /* first come, first served */
    struct run_list live;             /* RUNNING and ENDED */
    struct run_list unused;
    size_t slots_used;
};

void runs_init(struct runs *runs);

/* A new QUEUED run, which takes fds over; NULL (and nothing taken) when there are too many. */
struct run *runs_add(struct runs *runs, uint64_t id, const struct sandbox_spec *spec,
                     const int fds[WIRE_FORK_FDS]);

struct run *runs_find(struct runs *runs, uint64_t id);
struct run *runs_find_pid(struct runs *runs, pid_t pid);

/* QUEUED -> RUNNING: closes its descriptors, the process has them. */
void runs_set_running(struct runs *runs, struct run *run, pid_t pid);

/* RUNNING -> ENDED. */
void runs_set_ended(struct runs *runs, struct run *run, int status, const struct rusage *usage);

/* Frees the slot, whatever state the run is in. */
void runs_remove(struct runs *runs, struct run *run);

#endif
