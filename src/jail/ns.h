/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns: copies of a process in namespaces of their own, and who is who in them.
 *
 * Every function is safe in a single-threaded copy of a larger process: nothing here
 * allocates.
 */
#ifndef CORDON_JAIL_NS_H
#define CORDON_JAIL_NS_H

#include "cordon.h"

#include <sys/types.h>

/* What a box and a sandbox each have of their own, besides the user namespace. */
#define NS_ALL                                                                                     \
    (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

/*
 * fork() with namespaces: clone(2) with `flags` (exit signal in the low byte). The C
 * library's cached thread id is right in the copy. ret_pidfd: set when flags hold
 * CLONE_PIDFD, else NULL. Returns the pid, 0 in the copy, or -errno.
 */
pid_t ns_clone(unsigned long flags, int *ret_pidfd);

/* One id inside stands for one id outside. */
struct ns_ids {
    unsigned inside;
    unsigned uid; /* outside */
    unsigned gid;
};

/*
 * Writes the id maps of `process` ("self" or a pid), whose /proc must be at hand.
 * deny_groups: give up setgroups(), without which an ordinary user may write no map.
 */
int ns_write_ids(const char *process, const struct ns_ids *ids, int deny_groups,
                 struct cordon_err *reterr);

/*
 * The same, everybody staying who they are: the calling process's own id, or (all) every
 * id that is known where the calling process is.
 */
int ns_keep_ids(const char *process, int all, struct cordon_err *reterr);

/*
 * Lets nobody in the calling process's user namespace make another one. Needs /proc and a
 * capability; without the latter it cannot be taken back.
 */
int ns_forbid_nesting(struct cordon_err *reterr);
/* By a descriptor of a /proc that can be written to. */
int ns_forbid_nesting_at(int proc, struct cordon_err *reterr);

/* The calling process's network, a new one, can talk to itself. A kernel without one: nothing. */
void ns_raise_loopback(void);

/* Through doors that were opened by somebody who may: into a control group. Whether it is in. */
int ns_enter_group(const int *doors, size_t count);

/*
 * An id that no account has, for a box that is built by root: `wish` where the calling
 * process's own id map reaches that far, else one of the largest range that it has.
 * 0 when there is none (a user namespace with nothing but its root).
 */
unsigned ns_spare_id(const char *map_path, unsigned wish);

/*
 * Whose a box is. As real root it gets ids that no account has: a sandbox whose user is
 * root outside would not be held by RLIMIT_NPROC. Where there are none to give (root of a
 * namespace that maps nobody else), it is built as by an ordinary user, which that root
 * is. Returns 1 for root's box, whose user namespace comes late (ns_drop_root()), else 0.
 */
int ns_box_ids(struct ns_ids *ret_ids);

/* Those ids begin here, far above any account's, where the id map reaches as far. */
#define NS_SPARE_ID_BASE 1879048192u

/* Ids that no account has, for the calling process alone. 0 when there are none to give. */
int ns_spare_ids(struct ns_ids *ret_ids);

/*
 * Real root becomes the root of a user namespace of its own. `ask` has somebody outside
 * write its id maps.
 */
int ns_drop_root(int (*ask)(int sync, struct cordon_err *reterr), int sync,
                 struct cordon_err *reterr);

/* In a UTS namespace of its own: a name that tells nothing of the host. */
int ns_set_host_name(struct cordon_err *reterr);

/*
 * Why namespaces or mounts were refused here, and what to do: one clause for an error,
 * from the kernel's settings. Static text, never NULL. sys: the errno.
 */
const char *ns_advice(int sys);

#endif
