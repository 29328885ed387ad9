/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privs: what a process may still do, and which descriptors it still has.
 *
 * Everything here only ever takes away. Nothing allocates.
 */
#ifndef CORDON_JAIL_PRIVS_H
#define CORDON_JAIL_PRIVS_H

#include "base/wire.h"

/* Bit of one capability, for privs_keep_caps(). */
#define PRIVS_CAP(n) (UINT64_C(1) << (n))

/*
 * Drops every capability but those in `keep` from the bounding, permitted and effective
 * sets; the inheritable and ambient sets become empty.
 */
int privs_keep_caps(uint64_t keep, struct cordon_err *reterr);

int privs_no_new_privs(struct cordon_err *reterr);

/* Whether others may trace it, and whether its /proc files belong to itself. */
int privs_set_dumpable(int on, struct cordon_err *reterr);

/*
 * Puts the WIRE_FORK descriptors in their places: 0 is a /dev/null of its own, 1 and 2
 * the output pipes, from 3 on the others; everything else is closed. fds[] gets the new
 * numbers. On failure fds[WIRE_FD_CHANNEL] can still be written to.
 */
int privs_arrange_fds(int fds[WIRE_FORK_FDS], struct cordon_err *reterr);

#endif
