/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: boxes: one per profile in use, a keeper and, in it, a zygote to fork from; and one
 * for each approved run. This room owns the link to the keeper and knows nothing of requests and answers.
 */
#ifndef CORDON_CORE_POOL_H
#define CORDON_CORE_POOL_H

#include "base/wire.h"
#include "core/loop.h"
#include "core/profile.h"

struct box; /* opaque */

/* What a box tells. Called inside loop_step(). */
struct box_events {
    /* A sandbox is gone; nothing about this id comes after. */
    void (*exited)(void *ctx, uint64_t id, const struct wire_exit *how);
    /* The most memory that a sandbox has been seen to hold; no end of it. */
    void (*held)(void *ctx, uint64_t id, const struct wire_held *held);
    /* A sandbox could not be made. */
    void (*failed)(void *ctx, uint64_t id, const struct cordon_err *why);
    /* The whole box is unusable, and so is all that ran in it. The owner calls box_close(). */
    void (*lost)(void *ctx, struct box *box, const struct cordon_err *why);
};

/* How to make boxes: the same for all of one engine. */
struct box_options {
    struct loop *loop;
    const char *python; /* NULL: the profile's */
    const char *helper_dir;
    uint32_t walls_down;
    struct box **let_go; /* the owner's list, empty to begin with */
    const struct box_events *events;
    void *ctx;
};

enum box_kind {
    BOX_RUNS,     /* any number of strict ones, and readings by the gate */
    BOX_READER,   /* readings by the gate alone: it starts without what user code would need */
    BOX_APPROVED, /* one run */
};

/*
 * Starts a keeper and hands it its plan; returns without waiting for it to be ready.
 * envp: of the approved run; else NULL.
 */
int box_open(const struct box_options *opts, const struct profile *profile, enum box_kind kind,
             char *const *envp, struct box **ret_box, struct cordon_err *reterr);

/*
 * Ends everything in the box without waiting for it; nothing is heard of it any more. It
 * goes on the list that its options name, and is freed by boxes_collect().
 */
void box_let_go(struct box *box);

/* Frees the boxes of such a list that are gone; wait: all, as box_close() does. */
void boxes_collect(struct box **list, int wait);

/* Ends everything in the box, waits for it (a second at most) and frees it. Accepts NULL. */
void box_close(struct box *box);

/* What is down in it, of enum cordon_wall. */
uint32_t box_walls_down(const struct box *box);

/* Whether its zygote has ever been ready: then a loss is an accident and worth another try. */
int box_was_ready(const struct box *box);

int box_is(const struct box *box, const struct profile *profile, enum box_kind kind);

/*
 * Asks for a sandbox. Takes the descriptors (WIRE_FORK_FDS of them) in every case. What
 * cannot be sent now is queued. 0 or CORDON_E_NOMEM.
 */
int box_fork(struct box *box, uint64_t id, const struct sandbox_spec *spec, int *fds,
             struct cordon_err *reterr);

/* Hands over the doors of a control group, for the next standby or the approved run. Takes fds. */
void box_group(struct box *box, uint64_t id, int *fds, size_t count);

/* Starts the clock of a sandbox, or kills it. If that cannot even be queued the box is lost. */
void box_arm(struct box *box, uint64_t id, const struct wire_arm *arm);
void box_kill(struct box *box, uint64_t id);

/* When an alarm has rung: sends what the kernel would not take before. */
void box_retry(struct box *box);

#endif
