/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killtree: the end of whole trees of processes where no PID namespace ends them.
 *
 * Whoever adopts (privs_adopt()) gets as its children all that its descendants leave
 * behind, whatever session, group or name they gave themselves. Only children of the caller
 * are ever killed: the number of a child that was not waited for cannot be anybody else's.
 * Each death brings up the next layer, until there is none.
 */
#ifndef CORDON_KEEPER_KILLTREE_H
#define CORDON_KEEPER_KILLTREE_H

#include <sys/types.h>

/*
 * Kills the caller's children but those of which is_spared(ctx, pid) says so, and what they
 * leave, for as long as that takes, ten milliseconds at most. Whether none is left.
 */
int killtree_strays(int (*is_spared)(const void *ctx, pid_t pid), const void *ctx);

/* Kills them all. Returns when none is left. */
void killtree_all(void);

/* Whether `pid` is a child of the caller that was not waited for. */
int killtree_is_child(pid_t pid);

#endif
