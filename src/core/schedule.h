/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule: the runs and boxes of one engine: which run starts when, in which box, and
 * what becomes of it when it ends or its box is lost. Called with the engine's mutex held.
 */
#ifndef CORDON_CORE_SCHEDULE_H
#define CORDON_CORE_SCHEDULE_H

#include "core/level.h"
#include "core/rungroup.h"

#include <limits.h>
#include <pthread.h>

#define BOXES_MAX 32

struct cordon_engine {
    pthread_mutex_t lock; /* recursive: callbacks may call back in */
    pthread_cond_t turn;
    int stepping;
    int wake;  /* an eventfd: whoever is stepping need not wait any more */
    int depth; /* > 0: inside handlers, so a run may be in use further up the stack */
    struct loop loop;
    struct box_options opts;
    struct profile_set *profiles;
    struct level level;
    struct level_wish wish;
    struct cgroups groups; /* of use where owner.groups is set */
    struct rungroups stock;
    char *python;
    char helper_dir[PATH_MAX];
    struct run_owner owner;
    struct box *boxes[BOXES_MAX];
    struct box *let_go;     /* of approved runs that have ended */
    int parked_cancelled;   /* there is a run to be swept at the end of the step */
    struct cordon_run runs; /* ring head: runs.next is the oldest */
    unsigned count;
    unsigned queued;
    unsigned long ended; /* how many runs have ended so far */
    uint64_t last_id;
};

/* Makes the parts that this room owns ready for use. */
void schedule_init(struct cordon_engine *e);
/* Ends everything: no callback is made. */
void schedule_done(struct cordon_engine *e);

/* What the boxes of an engine tell. */
extern const struct box_events schedule_box_events;

/* The box of that profile, opened if need be. */
int schedule_box(struct cordon_engine *e, const struct profile *profile, struct box **ret_box,
                 struct cordon_err *reterr);

/* Takes the request over and queues a run for it. */
int schedule_submit(struct cordon_engine *e, struct request *request,
                    const struct cordon_callbacks *callbacks, void *user,
                    struct cordon_run **ret_run, struct cordon_err *reterr);

/* Ends a run without a callback. */
void schedule_cancel(struct cordon_engine *e, struct cordon_run *run);

/* Starts what can be started, handles events, rings alarms. -errno when the loop is broken. */
int schedule_step(struct cordon_engine *e);

#endif
