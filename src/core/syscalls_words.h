/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls_words: the words that the tables of system calls are written in, for them alone.
 * IS(1, V(F_SETFL), SPAN(F_SETLK, 2)): the second argument is one of three numbers. A test
 * of single bits is spelled BITS(which, as what).
 */
#ifndef CORDON_CORE_SYSCALLS_WORDS_H
#define CORDON_CORE_SYSCALLS_WORDS_H

#include "core/syscalls.h"

#include <sched.h>

/* clang-format off */
#define ALLOW  SYS_ALLOW
#define REFUSE SYS_REFUSE
#define ABSENT SYS_ABSENT
#define TRAP   SYS_TRAP
#define ASK    SYS_ASK

#define INT UINT64_C(0xffffffff) /* all that the kernel reads of an int */

#define BITS(which, value) {(which), (value)}
#define V(value)           BITS(INT, (value))
/* n numbers from `first` on: n a power of two, and `first` a multiple of it. */
#define SPAN(first, n)     BITS(INT & ~(uint64_t)((n) - 1), (first))

#define ANY         {{.test = SYS_ANY}}
#define IS(n, ...)  {.test = SYS_IS, .arg = (n), .bits = {__VA_ARGS__}}
#define NOT(n, ...) {.test = SYS_NOT, .arg = (n), .bits = {__VA_ARGS__}}
/* clang-format on */

#define NEW_SPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#define ODD_KIN (CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | CLONE_PIDFD | CLONE_IO)

/* A thread that has its descriptors together with the others of its process. */
#define THREAD_FDS (CLONE_THREAD | CLONE_FILES)
#define OWN_FDS BITS(RANGE_UNSHARE, RANGE_UNSHARE) /* of close_range */
#define SHARED_FDS BITS(RANGE_UNSHARE, 0)

/* Not in every libc's headers. */
#define RANGE_UNSHARE 2
#define F_LOCK_OF_OPEN_FILE 37
#define F_LOCK_OF_OPEN_FILE_WAIT 38
#define IOCTL_TIOCLINUX 0x541c
#define PRCTL_SET_VMA 0x53564d41
#define FAMILY_RDS 21
#define FAMILY_TIPC 30
#define FAMILY_ALG 38
#define FAMILY_VSOCK 40
#define FAMILY_KCM 41
#define FAMILY_QIPCRTR 42
#define FAMILY_SMC 43
#define FAMILY_XDP 44
#define FAMILY_MCTP 45
#define OPTION_ATTACH_REUSEPORT_CBPF 51

#endif
