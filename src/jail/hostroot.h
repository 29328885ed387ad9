/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostroot: what an approved run sees as files: the host's own tree, as the caller has it,
 * with a few mounts over it in a mount namespace of its own. Nothing here is seen outside.
 *
 * Invariant: no device but the harmless ones can be opened anywhere in the tree, no set-id
 * bit counts, /proc shows the run's own processes only, and what a kernel shows as files
 * (/sys, /proc/sys) cannot be written to, whoever the run is.
 */
#ifndef CORDON_JAIL_HOSTROOT_H
#define CORDON_JAIL_HOSTROOT_H

#include "cordon.h"

#include <stdint.h>

/* The calling process's own PID namespace as /proc. */
int hostroot_mount_proc(struct cordon_err *reterr);

/*
 * A /dev of its own: harmless devices, terminals, a capped /dev/shm; all else is no device.
 * maps_zero: /dev/zero can be mapped, which shared is memory that no file system counts; else it
 * is /dev/full, of which zeros can be read, too.
 */
int hostroot_close_devices(uint64_t bytes, uint64_t files, int maps_zero,
                           struct cordon_err *reterr);

/* The last of these alone, on a /dev/shm that is there. */
int hostroot_mount_shm(uint64_t bytes, uint64_t files, struct cordon_err *reterr);

/*
 * /sys and the kernel's settings below /proc become read-only, what it tells of itself and
 * of others is covered. *ret_proc: a descriptor of
 * the same /proc that still is not, for what has to be written once more.
 */
int hostroot_seal_kernel(int *ret_proc, struct cordon_err *reterr);

/*
 * Of the host's control groups what the process's own namespace shows, or nothing: where is_whole is
 * 0 that could be more than its own. The files of its limits stay, for programs that go by them.
 */
int hostroot_show_group(int is_whole, struct cordon_err *reterr);

/* `path` and all below it become read-only; nothing there: nothing done. */
int hostroot_protect(const char *path, struct cordon_err *reterr);

/* An empty, private, capped directory at `path` (an empty one) becomes the current one. */
int hostroot_enter_work(const char *path, uint64_t bytes, uint64_t files,
                        struct cordon_err *reterr);

#endif
