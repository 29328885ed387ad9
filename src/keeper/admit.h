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

#endif
