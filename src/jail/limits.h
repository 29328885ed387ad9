/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits: how much of the machine a sandbox may take.
 *
 * Every knob is written every time, so that none is left as the host program or the last
 * user of this room had it.
 */
#ifndef CORDON_JAIL_LIMITS_H
#define CORDON_JAIL_LIMITS_H

#include "base/wire.h"

/* What the process has already: limits count on top of it. */
struct limits_base {
    uint64_t vm_bytes;
    uint64_t data_bytes;
    int shared_user; /* its user has other processes, which would count as its tasks */
};

/* A file of an approved run, which may be the caller's own: as many times its working directory. */
#define LIMITS_FILE_TIMES 16

/* Reads it; needs /proc. */
int limits_measure(struct limits_base *ret_base, struct cordon_err *reterr);

/*
 * Sets all resource limits of the calling process. Where the host's own hard limit is
 * lower than what is asked, the host's holds. Of an approved run the init still has
 * descriptors to hand over: how many the interpreter may have is for limits_open_files().
 */
int limits_apply(const struct sandbox_spec *spec, const struct limits_base *base,
                 struct cordon_err *reterr);

/*
 * The one that is left. Whoever has it can send no descriptor while more than so many of the
 * same user's are on their way, in any process of the host (ETOOMANYREFS, unix(7)).
 */
int limits_open_files(uint64_t open_files, struct cordon_err *reterr);

/*
 * In the first process of a PID namespace that it made as root of the host, with a /proc of its
 * own that can be written to: from now on the namespace has numbers for less than twice as many as
 * `tasks` tasks, and for one more at least, whose presence says that there were to be too many.
 * Root is exempt from RLIMIT_NPROC, but everything needs a number; and a daemon keeps that of the
 * process which made its session. Returns whether that could be done: from Linux 6.14 on.
 */
int limits_number(uint64_t tasks);

/*
 * In the calling process's own user namespace, with a capability there and a /proc that can be
 * written to: what waits in the queues of its inotify instances, which nobody tells, comes to half of
 * `memory_bytes`, and what its watches keep of files to a quarter (Linux 5.11). Where it cannot be
 * set it stays.
 */
void limits_watch(int proc, uint64_t memory_bytes);

#endif
