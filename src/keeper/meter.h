/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter: what each run takes together, all its processes: memory, tasks, processor time. No
 * resource limit counts over processes, and a control group is not to be had everywhere: so
 * the keeper looks, often enough that none comes to twice its limit of memory in between,
 * and not at all at a run that is over before the first look.
 */
#ifndef CORDON_KEEPER_METER_H
#define CORDON_KEEPER_METER_H

#include "keeper/keeper.h"

/* The run may take memory from now on. */
void meter_start(const struct keeper *k, struct run *run);

/* Looks at those that are due and kills what takes too much. Returns when it is due again. */
uint64_t meter_turn(struct keeper *k, uint64_t now);

#endif
