/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent: the processor time of one run, of processes that are there and of those that have gone.
 *
 * The kernel keeps what a process had only for a parent that waits for it: what ignores SIGCHLD, or
 * has left its own child behind, takes it along. So each look remembers what the processes had, and
 * what nobody has waited for by the look after stays the run's. Nothing is counted twice: what a
 * process had is either in the time of one that waited for it or here.
 *
 * What came and went between two looks, and what a process did between the last one and its end,
 * nobody has seen, unless somebody waited for it.
 */
#ifndef CORDON_KEEPER_SPENT_H
#define CORDON_KEEPER_SPENT_H

#include "keeper/tree.h"

struct spender; /* opaque: a process, as the last look saw it */

/* Of one run. All zero: it was not looked at. */
struct spent {
    struct spender *seen; /* by number; owned */
    size_t count, room;
    uint64_t gone_ns;   /* of those that nobody has waited for */
    uint64_t total_ns;  /* of all that there were */
    uint64_t others_ns; /* of that, all but the first process's own */
    int is_hiding;      /* something has gone just now, and nobody has waited for anything */
};

/* Takes the last tree_look() in; without_top: that is the run's init, and only adopts. */
void spent_look(struct spent *s, pid_t top, int without_top);

void spent_close(struct spent *s);

#endif
