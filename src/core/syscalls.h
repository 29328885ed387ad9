/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls: which system calls a sandbox may make: data only. One table per kind of run;
 * jail/seccomp.h says how a table is read.
 */
#ifndef CORDON_CORE_SYSCALLS_H
#define CORDON_CORE_SYSCALLS_H

#include "jail/seccomp.h"

/*
 * A Python that has loaded its modules, reads its own library, works in its own directory,
 * and talks to nobody.
 */
extern const struct sys_table syscalls_strict;

/* The same where there are no namespaces. */
extern const struct sys_table syscalls_contained;

/* A program of the caller's, that starts others. */
extern const struct sys_table syscalls_approved;

/* The same where there are no namespaces. */
extern const struct sys_table syscalls_approved_contained;

#endif
