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
 * sets; the inheritable and ambient sets become empty. A process that has none may not
 * touch its bounding set: there no_new_privs has to do.
 */
int privs_keep_caps(uint64_t keep, struct cordon_err *reterr);

/* The part of it that is about programs to be executed: bounding and ambient set. */
int privs_bound_caps(uint64_t keep, struct cordon_err *reterr);

/*
 * The same for the permitted and effective sets alone. With no_new_privs a program that is
 * executed has no more than these, whatever the bounding set would give it.
 */
int privs_set_caps(uint64_t keep, struct cordon_err *reterr);

/* Whether the calling process has all of these. */
int privs_has_caps(uint64_t caps);

/*
 * Where there is no user namespace to be somebody else in: becomes that user of the host,
 * without any further group, with `keep` of its capabilities, also after an exec.
 */
int privs_become(unsigned uid, unsigned gid, uint64_t keep, struct cordon_err *reterr);

/* What its descendants leave behind becomes the calling process's own. */
int privs_adopt(struct cordon_err *reterr);

/* When `parent`, the parent of the calling process, ends, this one gets `sig`; does not
 * return when it has ended already. A change of user forgets it. */
int privs_end_with(pid_t parent, int sig, struct cordon_err *reterr);

int privs_no_new_privs(struct cordon_err *reterr);

/* No huge pages, however they are asked for, for the calling process and all that it starts. */
int privs_small_pages(struct cordon_err *reterr);

/* Whether others may trace it, and whether its /proc files belong to itself. */
int privs_set_dumpable(int on, struct cordon_err *reterr);

/* The trace descriptor's place, known before it is there. */
#define PRIVS_TRACE_PLACE 4

/*
 * Puts the WIRE_FORK descriptors in their places: 0 is a /dev/null of its own, 1 and 2
 * the output pipes, from 3 on the others; everything else is closed. fds[] gets the new
 * numbers. On failure fds[WIRE_FD_CHANNEL] can still be written to.
 */
int privs_arrange_fds(int fds[WIRE_FORK_FDS], struct cordon_err *reterr);

#endif
