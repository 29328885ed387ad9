/* SPDX-License-Identifier: Apache-2.0 */
/* usage: what the kernel knows of a process that has not been waited for. */
#ifndef CORDON_CORE_USAGE_H
#define CORDON_CORE_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/* Processor time so far; 0: not to be had. */
uint64_t usage_cpu_ns(pid_t pid);

/* That of its children that it has waited for, and theirs. */
uint64_t usage_waited_ns(pid_t pid);

/* The most that it has had in memory; 0: not to be had, as of one that has ended. */
uint64_t usage_resident_most(pid_t pid);

#endif
