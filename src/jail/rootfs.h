/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rootfs: what can be seen as files, in a box and in a sandbox.
 *
 * A box's root is built once, in this order:
 *
 *   rootfs_make_private()   nothing mounted from here on is seen outside
 *   rootfs_leave_host()     a small tmpfs is the root; the host's lies under /old
 *   rootfs_open_view()      /view, another small tmpfs
 *   rootfs_add_row()        once per row of the plan, from /old into /view
 *   rootfs_assemble()       /view is sealed; /root = the view + /proc + the view again
 *   rootfs_enter_box()      /root is the root; the host's is gone
 *
 * The second copy of the view, on ROOTFS_WORK, is what a sandbox pivots into: it holds
 * neither /proc nor anything else that the zygote needs and user code must not see.
 */
#ifndef CORDON_JAIL_ROOTFS_H
#define CORDON_JAIL_ROOTFS_H

#include "jail/plan.h"

#include "cordon.h"

/* The working directory of a sandbox. A plan's PLAN_WORK row says the same. */
#define ROOTFS_WORK "/work"

/* The trees while a box is built; zero is not a valid state, use ROOTFS_CLOSED. */
struct rootfs {
    int old;  /* the host's root */
    int view; /* what the box is to hold */
};
#define ROOTFS_CLOSED                                                                              \
    {                                                                                              \
        .old = -1, .view = -1                                                                      \
    }

int rootfs_make_private(struct cordon_err *reterr);
int rootfs_leave_host(struct rootfs *fs, struct cordon_err *reterr);
int rootfs_open_view(struct rootfs *fs, struct cordon_err *reterr);

/* Rows that are not about files are ignored. */
int rootfs_add_row(const struct rootfs *fs, enum plan_op op, const char *a, const char *b,
                   struct cordon_err *reterr);

int rootfs_assemble(struct cordon_err *reterr);

/* Also closes what fs holds. */
int rootfs_enter_box(struct rootfs *fs, struct cordon_err *reterr);

/* In a sandbox: the view alone becomes the root. */
int rootfs_enter_sandbox(struct cordon_err *reterr);

/* In a sandbox: an empty, private directory without room on `path` becomes the current one. */
int rootfs_enter_work(const char *path, struct cordon_err *reterr);
/* And this is what may lie in it. */
int rootfs_size_work(uint64_t bytes, uint64_t files, struct cordon_err *reterr);

#endif
