/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: loads a ready-made system-call filter, and lets a process that it ends say for
 * which call.
 *
 * The bytes come from the engine (jail/seccomp.h): this room is linked into the worker and
 * must not know libseccomp. Nothing here allocates.
 */
#ifndef CORDON_JAIL_FILTER_H
#define CORDON_JAIL_FILTER_H

#include "cordon.h"

/* The most that the kernel takes: BPF_MAXINSNS of 8 bytes each. */
#define FILTER_BYTES_MAX (4096u * 8)

/* What a stopped process writes: this, the number in decimal, a newline. */
#define FILTER_WORD "syscall "
/* Before the newline, where it called as another architecture: this, and its AUDIT_ARCH. */
#define FILTER_OF " of "

/*
 * Reads a filter from a memory file, from its start, into `bytes` (FILTER_BYTES_MAX of
 * them). *ret_len is set on success. Does not look at what it says: the kernel will.
 */
int filter_read(int fd, void *bytes, size_t *ret_len, struct cordon_err *reterr);

/*
 * From now on a call that the filter answers with TRAP writes its number to `fd`, then,
 * by WIRE_TRACE_SIGNAL, the running line, and the process ends by SIGSYS. To be called
 * before filter_load(), which must forbid that this is undone.
 */
int filter_watch(int fd, struct cordon_err *reterr);

/* Puts the filter on the calling thread and all that it starts. Needs no_new_privs. */
int filter_load(const void *bytes, size_t len, struct cordon_err *reterr);

/*
 * The same, and what the filter answers with ASK goes to whoever has *ret_listener, the
 * caller's: it must not stay open where user code is. -1 where that cannot be had (before Linux
 * 5.19, or under a filter that has a listener already), or with listener NULL: then such calls are
 * allowed. Changes `bytes`.
 */
int filter_load_asking(void *bytes, size_t len, int *ret_listener, struct cordon_err *reterr);

/* Whether it can be had here, under a filter that stays on the caller. 0 or a negative code. */
int filter_try_asking(struct cordon_err *reterr);

#endif
