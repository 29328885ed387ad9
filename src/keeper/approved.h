/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: a box that is made for one approved run: the host's own tree as its root, no
 * zygote, and below the keeper an init (keeper/init.h) with the run under it.
 */
#ifndef CORDON_KEEPER_APPROVED_H
#define CORDON_KEEPER_APPROVED_H

#include "keeper/keeper.h"

/* In the keeper, instead of box_build(). */
int approved_build(struct box *box, struct cordon_err *reterr);

/* Removes what approved_build() made on the host. Everything in the box is over then. */
void approved_clean(const struct box *box);

/* Starts the run that waits, if there is one. */
void approved_start(struct keeper *k);

/* The run's init has ended with `status`: how the run itself did. */
int approved_status(struct keeper *k, int status);

#endif
