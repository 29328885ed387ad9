/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: what a box is to hold, as a list of rows that the engine writes and the keeper
 * carries out in order. Plain data: no pointer, no default, no decision left to make.
 */
#ifndef CORDON_JAIL_PLAN_H
#define CORDON_JAIL_PLAN_H

#include "base/io.h"

enum plan_op {
    PLAN_DIR = 1, /* a: an empty directory in the box's root (parents are made as needed) */
    PLAN_BIND, /* a: host path (file or directory), b: where in the box; read-only, nosuid, nodev */
    PLAN_DEVICE,     /* a: host path of a device node, b: where in the box; nosuid, noexec */
    PLAN_SYMLINK,    /* a: the link's text, b: where in the box */
    PLAN_WORK,       /* a: where each sandbox's own working directory is mounted */
    PLAN_PROGRAM,    /* a: the interpreter to execute, as seen inside the box */
    PLAN_ARG,        /* a: one argument of the zygote, argv[0] first */
    PLAN_ENV,        /* a: NAME=value of the zygote's environment */
    PLAN_WALLS_DOWN, /* a: decimal number, enum cordon_wall bits */
    PLAN_APPROVED,   /* a box for one approved run, without a zygote. a: where its working
                        directory is. Without a PLAN_WORK row the root stays the host's, no other
                        row about files counts but the next, and a is a path that does not exist:
                        the box makes a directory there and removes it */
    PLAN_PROTECT,    /* a: host path that an approved run may only read */
    PLAN_NETWORK,    /* a: "host": an approved run has the host's network; else: none */
    PLAN_PROBE,      /* no box: a row of the probe table to try, and to tell of. a: its name */
    PLAN_UMASK,      /* a: octal number, the file mode mask of an approved run */
};

/* Appends a row (b may be NULL). 0, -ENOMEM, or -E2BIG when it would not fit a packet. */
int plan_add(struct buf *plan, enum plan_op op, const char *a, const char *b);

/*
 * Calls `row` for every row; stops at its first negative return and returns it.
 * -EPROTO when the bytes are not a plan. Strings point into `bytes`.
 */
int plan_each(const char *bytes, size_t len,
              int (*row)(void *ctx, enum plan_op op, const char *a, const char *b), void *ctx);

#endif
