/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the locks on the door, in order, in one table.
 *
 * A box is built once, by the keeper, before any Python starts (box steps). Each sandbox
 * is born inside a box as a copy of the zygote and walls itself in (sandbox steps): as far
 * as it can before it is asked for, as a standby, and to the end before it reads its request. A
 * step that fails ends the whole thing and its name is in the error: half a jail is never used.
 */
#ifndef CORDON_JAIL_STEPS_H
#define CORDON_JAIL_STEPS_H

#include "base/wire.h"

#include <sys/types.h>

struct step {
    const char *name; /* kebab-case: appears verbatim in errors, docs and tests */
    int (*run)(void *ctx, struct cordon_err *reterr);
    const char *why;
    uint32_t walls;   /* left out when all of these CORDON_WALL_* bits are down; 0: never */
    uint32_t without; /* only run when all of these are down: what then stands in for them */
};

/* Runs the table in order; the first failure is returned with the step's name in it. */
int steps_run(const struct step *steps, size_t count, uint32_t walls_down, void *ctx,
              struct cordon_err *reterr);

/* Where a zygote finds the call filter and the plan of its sandboxes when it starts. */
#define STEPS_FILTER_FD 4
#define STEPS_PLAN_FD 5

/*
 * In the zygote, unless the wall is down: keeps the call filter that lies in the memory
 * file `fd`, for the sandboxes to load, and closes fd.
 */
int steps_take_filter(int fd, struct cordon_err *reterr);

/*
 * In the zygote, where the root is down: keeps the plan that lies in the memory file `fd`,
 * which says what Landlock is to leave open of the host's files, and closes fd.
 */
int steps_take_plan(int fd, struct cordon_err *reterr);

/* The sandbox table, for the test that asserts its order and for printing. */
const struct step *steps_sandbox(size_t *ret_count);

/*
 * What the zygote needs over its box's user namespace, and nothing over the host. Its copies
 * may map themselves to its id, which is 0 in the box, only if it holds CAP_SETFCAP
 * (user_namespaces(7), Linux 5.12).
 */
#define STEPS_FORK_CAPS PRIVS_CAP(CAP_SETFCAP)

/*
 * Makes a copy of the calling single-threaded process in namespaces of its own (unless they
 * are down), as a child of the caller's parent (CLONE_PARENT). Returns its pid, 0 in the copy, or a
 * negative code. In the copy, call steps_stand() before anything else.
 */
pid_t steps_fork_standby(uint32_t walls_down, struct cordon_err *reterr);

/*
 * In the copy, while nobody waits: the walls for which nothing of a request has to be known,
 * in order. On failure it is of no use, and whoever asks for it is told why.
 */
int steps_stand(uint32_t walls_down, struct cordon_err *reterr);

/*
 * In a standby that stands: the other walls, in order. fds: the WIRE_FORK descriptors.
 * On success: fd 0 is /dev/null, 1 and 2 are the output pipes, fds[] holds the
 * descriptors' new numbers (WIRE_FD_CHANNEL, WIRE_FD_TRACE, WIRE_FD_TEXT), everything
 * else is closed, the working directory is the current one.
 * On failure: reterr says which step; the caller reports it and _exit()s.
 */
int steps_enter_sandbox(const struct sandbox_spec *spec, int fds[WIRE_FORK_FDS],
                        struct cordon_err *reterr);

#endif
