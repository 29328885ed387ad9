/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise: the keeper's life after its box stands. It carries forks to the zygote,
 * waits for every process of the box, keeps deadlines, kills, and tells the engine.
 */
#ifndef CORDON_KEEPER_SUPERVISE_H
#define CORDON_KEEPER_SUPERVISE_H

#include "keeper/box.h"

/*
 * Serves until the engine is gone or the zygote cannot be had. Returns the keeper's exit
 * status; its exit is the end of everything in the box.
 */
int supervise(int engine, const struct box *box);

#endif
