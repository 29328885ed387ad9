/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rungroup: the control group of one run, where the host lets us make any. Whatever fails
 * here, the run goes on without one: its keeper looks at it in any case.
 */
#ifndef CORDON_CORE_RUNGROUP_H
#define CORDON_CORE_RUNGROUP_H

#include "core/sandbox.h"

/* Before anything else: there is none yet. */
void rungroup_init(struct cordon_run *run);

/* Before the sandbox is asked for. box: where it will be. */
void rungroup_make(struct cordon_run *run, struct box *box);

/* Puts the sandbox's first process in, before any user code is there. */
void rungroup_join(struct cordon_run *run);

/* At the run's end: what it took, and whether it ran out of memory, into group_use. */
void rungroup_read(struct cordon_run *run);

/* The group is removed as soon as it is empty. */
void rungroup_leave(struct cordon_run *run);

#endif
