/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rungroup: the control group of one run, where the host lets us make any. Whatever fails
 * here, the run goes on without one: its keeper looks at it in any case.
 *
 * To enter a group is to wait for all processors, ten times as long as a small run takes.
 * So a box is given groups ahead, which its standbys enter before they are asked for, and the init
 * of an approved run enters its own: only a run that comes with none is put into one by us.
 */
#ifndef CORDON_CORE_RUNGROUP_H
#define CORDON_CORE_RUNGROUP_H

#include "core/sandbox.h"

#define RUNGROUP_SPARES_MAX 64
#define RUNGROUP_STOCKS_MAX 32

/* What an engine has of them beside those of its runs. */
struct rungroups {
    uint64_t last_id;
    uint64_t tidy_ns; /* when to make and remove some; 0: there is nothing to do */
    struct spare {
        struct cgroup *group; /* NULL: no spare */
        uint64_t id;          /* as the box knows it */
        const struct box *box;
        int is_old; /* to be removed, unless somebody has come in by then */
        struct cgroup_limits limits;
    } spares[RUNGROUP_SPARES_MAX];
    struct stock {
        struct box *box; /* NULL: none */
        size_t due;      /* runs that will come with one */
        int is_used;     /* from the second run on there is a standby to come after them */
        struct cgroup_limits limits;
    } stocks[RUNGROUP_STOCKS_MAX];
};

/* Before anything else: there is none yet. */
void rungroup_init(struct cordon_run *run);

/* Before the sandbox is asked for, of run->box. */
void rungroup_make(struct cordon_run *run);

/*
 * Sees to it that the sandbox's first process is in, before any user code is there, or that the
 * run has no group. -: neither is sure, and it must not go on.
 */
int rungroup_join(struct cordon_run *run, struct cordon_err *reterr);

/* At the run's end: what it took, and whether it ran out of memory, into group_use. */
void rungroup_read(struct cordon_run *run);

/* The group is removed when it is empty. */
void rungroup_leave(struct cordon_run *run);

/* Removes and makes what is to be, when it is time: nobody waits for an answer then. */
void rungroup_tidy(const struct run_owner *owner);

/* The box is no more; NULL: none is. */
void rungroup_forget(const struct run_owner *owner, const struct box *box);

#endif
