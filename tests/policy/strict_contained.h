/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strict code gets for a call where there are no namespaces, as far as that is not what
 * it gets elsewhere (strict.h, which names the flags): the promise, written down apart from
 * the table that keeps it (src/core/syscalls_contained.c).
 */
#define X UINT64_C(0x5a5a5a5a5a5a5a5a)

static const struct promise contained_promises[] = {
    /* what strict says of the rest */
    {"read", {3, X, X}, SYS_ALLOW},
    {"socket", {2, 1, 0}, SYS_REFUSE},
    {"ptrace", {0}, SYS_TRAP},
    {"truncate", {X, 0}, SYS_ALLOW}, /* Landlock's */
    {"unlinkat", {X, X, X}, SYS_ALLOW},
    {"execve", {X, X, X}, SYS_REFUSE},

    /* threads, and no other process */
    {"clone", {THREAD}, SYS_ALLOW},
    {"clone", {THREAD & ~0x400}, SYS_REFUSE}, /* without CLONE_FILES */
    {"clone", {FORK}, SYS_REFUSE},
    {"clone", {17}, SYS_REFUSE},
    {"clone", {0x4111}, SYS_REFUSE},        /* vfork */
    {"clone", {FORK | 0x8000}, SYS_REFUSE}, /* CLONE_PARENT */
    {"clone", {FORK | NEWUSER}, SYS_TRAP},
    {"clone", {THREAD | NEWUSER}, SYS_TRAP},
    {"clone", {THREAD | 0x8000}, SYS_ABSENT},
    {"clone3", {X, X}, SYS_ABSENT},
    {"fork", {0}, SYS_REFUSE},
    {"vfork", {0}, SYS_REFUSE},

    /* nobody else's process is ended, by any door */
    {"kill", {X, X}, SYS_REFUSE},
    {"tkill", {X, X}, SYS_REFUSE},
    {"tgkill", {X, X, X}, SYS_REFUSE},
    {"rt_sigqueueinfo", {X, X, X}, SYS_ABSENT},
    {"rt_tgsigqueueinfo", {X, X, X, X}, SYS_ABSENT},
    {"pidfd_send_signal", {X, X, X, X}, SYS_ABSENT},
    {"pidfd_open", {X, X}, SYS_ABSENT},
    {"fcntl", {X, 0, X}, SYS_ALLOW},
    {"fcntl", {X, 4, X}, SYS_ALLOW},
    {"fcntl", {X, 7, X}, SYS_REFUSE}, /* F_SETLKW */
    {"fcntl", {X, 8, X}, SYS_REFUSE}, /* F_SETOWN */
    {"fcntl", {X, 8 | HIGH, X}, SYS_REFUSE},
    {"fcntl", {X, 10, X}, SYS_REFUSE}, /* F_SETSIG */
    {"fcntl", {X, 15, X}, SYS_REFUSE}, /* F_SETOWN_EX */
    {"fcntl", {X, 37, X}, SYS_REFUSE}, /* F_OFD_SETLK */
    {"fcntl", {X, 1030, X}, SYS_ALLOW},
    {"fcntl", {X, 1024, X}, SYS_ABSENT}, /* F_SETLEASE */
    {"prlimit64", {0, X, X}, SYS_ALLOW},
    {"prlimit64", {1, X, X}, SYS_REFUSE},
    {"prlimit64", {0 | HIGH, X, X}, SYS_ALLOW},

    /* files that Landlock lets be changed */
    {"chmod", {X, X}, SYS_REFUSE},
    {"fchmod", {X, X}, SYS_REFUSE},
    {"fchmodat", {X, X, X}, SYS_REFUSE},
    {"fchmodat2", {X, X, X, X}, SYS_ABSENT},
    {"utimensat", {X, X, X, X}, SYS_REFUSE},
    {"setxattr", {X, X, X, X, X}, SYS_REFUSE},
    {"fchownat", {X, X, X, X, X}, SYS_REFUSE},
};

#undef X
