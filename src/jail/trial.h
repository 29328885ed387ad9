/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial: a copy of the calling process that tries one thing, says what came of it, and is
 * gone. It is no child that the host program's wait() could find, it is killed when it
 * takes too long, and what it did to itself dies with it.
 */
#ifndef CORDON_JAIL_TRIAL_H
#define CORDON_JAIL_TRIAL_H

#include "base/wire.h"
#include "cordon.h"
#include "jail/ns.h"
#include "jail/rootfs.h"

/* What a run would use, made by the engine; for its own rows `engine` is its own. */
struct probe_host {
    const char *plan; /* of the box; what is not about files is ignored */
    size_t plan_len;
    int filter; /* the compiled call filter; -1: could not be had, and why */
    struct cordon_err filter_err;
    struct sandbox_spec spec;
    void *engine;
};

/* One row being tried. */
struct trial {
    const struct probe_host *host;
    struct ns_ids ids;
    int as_root;
    int sync; /* to the process that wants to know */
    struct rootfs fs;
    /* What the row says when it does not fail. */
    enum cordon_probe_status status;
    int advise; /* the remedy is worth showing although nothing failed */
    char detail[256];
};

enum probe_place {
    PROBE_HERE, /* in the calling process: touches nothing */
    PROBE_COPY, /* a copy of it */
    PROBE_USER, /* a copy in a user namespace of its own, its ids written */
    PROBE_BOX,  /* a copy in the namespaces of a box; an ordinary user's: its ids written */
};

/*
 * Calls `look` there. Returns what it returned, t->status and what follows being what it
 * left there; or a negative code and the reason when the place could not be had.
 */
int trial_run(struct trial *t, enum probe_place place,
              int (*look)(struct trial *, struct cordon_err *), struct cordon_err *reterr);

/* In the copy: has the id maps of the caller written from outside. */
int trial_ask_ids(int sync, struct cordon_err *reterr);

/* In the copy, or in a copy of it: the answer. Only the first one counts. */
void trial_answer(const struct trial *t, int r, const struct cordon_err *err);

#endif
