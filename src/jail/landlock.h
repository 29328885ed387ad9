/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock: which files a process may use, by the kernel's own word and whatever its root
 * looks like. It outlives every mistake of the mounts: a descriptor of a foreign directory
 * that got in is of no use to open anything below it.
 *
 * What it does not do, in any version so far: stat, access, chmod, utime, chdir, UDP,
 * pathname Unix sockets, shared memory; other walls hold those. Nothing here allocates.
 */
#ifndef CORDON_JAIL_LANDLOCK_H
#define CORDON_JAIL_LANDLOCK_H

#include "cordon.h"

enum landlock_grant {
    LANDLOCK_READ, /* a tree: read files, list directories; never execute */
    LANDLOCK_USE,  /* one file, a device say: read and write it */
    LANDLOCK_OWN,  /* a tree: all of it but executing, devices and sockets */
};

struct landlock_rule {
    const char *path;
    enum landlock_grant grant;
    int optional; /* nothing there: nothing granted, no error */
};

/* From this version on it holds reading, writing (truncating too), executing, and TCP: what
 * nothing else holds in a sandbox that has neither namespaces nor a root of its own. */
#define LANDLOCK_ALONE 4

/* The version of the kernel's Landlock, 0 when it has none or was started without it. */
int landlock_abi(void);

/*
 * From now on the calling thread and all that it starts may use the files of `rules` in
 * those ways, and no other file in any; it may use no TCP, and reach neither processes nor
 * abstract sockets outside (each where the kernel's version knows it). Needs no_new_privs.
 * Descriptors that are open already keep working. Fails when there is no Landlock.
 */
int landlock_apply(const struct landlock_rule *rules, size_t count, struct cordon_err *reterr);

/*
 * The calling thread and all that it starts stay free to use files and the network, but
 * form a circle of their own: they can trace no process outside it, nor read its
 * environment or memory in /proc, nor (from version 6 on) signal it.
 */
int landlock_apart(struct cordon_err *reterr);

#endif
