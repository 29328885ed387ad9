/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: what this machine allows, found out by doing it.
 *
 * One table, a row per thing that walls stand on: how to try it, what it proves, and what to
 * do when it fails. Each row is tried in a copy of the calling process that lives no longer
 * than that, with the very functions that the steps of a box and of a sandbox call; where
 * they come in a sequence, the row's name is that of the step it ends with.
 */
#ifndef CORDON_JAIL_PROBE_H
#define CORDON_JAIL_PROBE_H

#include "cordon.h"
#include "jail/trial.h"

#define PROBE_FULL 1u
#define PROBE_CONTAINED 2u
#define PROBE_BOTH (PROBE_FULL | PROBE_CONTAINED)

struct probe {
    const char *name;  /* kebab-case: appears verbatim in output, docs and tests */
    const char *needs; /* the row without which this one is not tried; NULL: none */
    enum probe_place place;
    int (*look)(struct trial *t, struct cordon_err *reterr);
    uint32_t wall;   /* down when the row is degraded */
    unsigned levels; /* that cannot be had without it: PROBE_FULL, PROBE_CONTAINED */
    const char *proves;
    const char *remedy;
    /* By the cause; NULL, or returning NULL: `remedy`. */
    const char *(*advise)(const struct cordon_err *err);
};

/* What came of it. `remedy` is NULL when there is nothing to do. */
struct probe_said {
    enum cordon_probe_status status;
    char detail[600];
    const char *remedy;
};

const struct probe *probe_table(size_t *ret_count);

/* What to do about a failed row. Never NULL. */
const char *probe_remedy(const struct probe *probe, const struct cordon_err *err);

/* Tries one row. Takes ten seconds at most. */
void probe_try(const struct probe *probe, const struct probe_host *host, struct probe_said *ret);

/* The row of that name: 0, or what is in the way and what to do about it. */
int probe_ask(const char *name, const struct probe_host *host, struct cordon_err *reterr);

/* For who has no box in mind: the fewest files that a view can be tried with; and limits. */
int probe_add_files(struct buf *plan);
struct sandbox_spec probe_spec(void);

/* Walls that this kernel cannot have and that strict can go without: CORDON_WALL_* bits. */
uint32_t probe_missing_walls(void);

#endif
