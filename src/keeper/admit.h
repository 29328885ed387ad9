/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit: memory of an approved run that no look at its processes could see, where no control
 * group counts it. The call filter holds the calls that make such memory (SYS_ASK) until the
 * keeper has answered. One call is answered in a turn of the loop: whoever floods it with calls
 * waits by himself.
 */
#ifndef CORDON_KEEPER_ADMIT_H
#define CORDON_KEEPER_ADMIT_H

#include "keeper/keeper.h"

/* The listener has something to say: takes and answers one call. */
void admit_one(struct keeper *k);

/*
 * What the run is taken to hold in shared memory that no process shows: as much as the kernel says
 * that it has in what it has mapped of such; where it does not tell, no more than that can hold, nor
 * than the host has more of than when it began. What lies in file systems (`filed`) and what its
 * processes show (of `resident` bytes) is not counted; and it is 0 as long as that is no more than
 * the run's limit. may_walk: there is time for a walk over page tables, until `until_ns`: what it does
 * not come to is taken for hidden; else only what is in excess of all that is resident is. Costs nothing to a run that has made less.
 */
uint64_t admit_hidden(const struct run *run, pid_t top, uint64_t filed, uint64_t resident,
                      int may_walk, uint64_t until_ns);

/* Whether the run has ever listened: who connects may send and be gone, and holds no descriptor. */
int admit_listens(void);

#endif
