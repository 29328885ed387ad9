/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an approved run gets for a call: the promise, written down apart from the table that
 * keeps it (src/core/syscalls_approved.c). X = no matter; the arguments left out are 0.
 */
#define X UINT64_C(0x5a5a5a5a5a5a5a5a)
#define HIGH (UINT64_C(1) << 40) /* the kernel does not read this part of an int */
#define NEWUSER 0x10000000
#define THREAD 0x3d0f00 /* what pthread_create passes */
#define FORK 0x1200011  /* what fork passes */

static const struct promise approved_promises[] = {
    /* a normal program, that starts others */
    {"read", {3, X, X}, SYS_ALLOW},
    {"execve", {X, X, X}, SYS_ALLOW},
    {"clone", {FORK}, SYS_ALLOW},
    {"clone", {THREAD, X, X, X}, SYS_ALLOW},
    {"unshare", {0x200}, SYS_ALLOW}, /* CLONE_FS */
    {"ptrace", {0, X, X}, SYS_ALLOW},
    {"socket", {1, 1, 0}, SYS_ALLOW},  /* AF_UNIX */
    {"socket", {2, 1, 0}, SYS_ALLOW},  /* AF_INET */
    {"socket", {10, 1, 0}, SYS_ALLOW}, /* AF_INET6 */
    {"socket", {16, 3, 0}, SYS_ALLOW}, /* AF_NETLINK */
    {"ioctl", {X, 0x5401, X}, SYS_ALLOW},
    {"fcntl", {X, 1032, X}, SYS_ALLOW}, /* F_GETPIPE_SZ */
    {"mmap", {0, 4096, 7, 0x22}, SYS_ALLOW},
    {"mmap", {0, 4096, 3, 1, 3}, SYS_ALLOW},        /* of a file, shared */
    {"mmap", {0, 4096, 3, 0x21}, SYS_ASK},          /* shared, of none */
    {"mmap", {0, 4096, 3, HIGH | 0x4021}, SYS_ASK}, /* MAP_NORESERVE */
    {"memfd_create", {X, X}, SYS_ASK},
    {"setpriority", {X, X, X}, SYS_REFUSE},
    {"sched_setscheduler", {X, X, X}, SYS_REFUSE},
    {"sched_setattr", {X, X, X}, SYS_REFUSE},
    {"sched_setparam", {X, X}, SYS_REFUSE},
    {"sched_setaffinity", {X, X, X}, SYS_ALLOW},
    {"getpriority", {X, X}, SYS_ALLOW},

    /* no namespace, no mount, no handle past the root */
    {"clone", {NEWUSER | 17}, SYS_REFUSE},
    {"clone", {0x20000 | 17}, SYS_REFUSE}, /* CLONE_NEWNS */
    {"clone3", {X, X}, SYS_ABSENT},
    {"unshare", {NEWUSER}, SYS_REFUSE},
    {"unshare", {NEWUSER | HIGH}, SYS_REFUSE},
    {"setns", {X, 0}, SYS_REFUSE},
    {"mount", {X, X, X, X}, SYS_REFUSE},
    {"umount2", {X, 2}, SYS_REFUSE},
    {"open_tree", {X, X, 1}, SYS_REFUSE},
    {"pivot_root", {X, X}, SYS_REFUSE},
    {"open_by_handle_at", {X, X, X}, SYS_REFUSE},

    {"open_tree_attr#467", {X, X, X, X}, SYS_REFUSE},
    {"statmount#457", {X, X, X, X}, SYS_ABSENT},
    {"listmount#458", {X, X, X, X}, SYS_ABSENT},
    {"listns#470", {X, X, X, X}, SYS_ABSENT},

    /* descriptors where they are looked for */
    {"clone", {THREAD & ~0x400, X, X, X}, SYS_REFUSE}, /* without CLONE_FILES */
    {"clone", {(THREAD & ~0x400) | HIGH, X, X, X}, SYS_REFUSE},
    {"clone", {0x4111}, SYS_ALLOW}, /* vfork */
    {"unshare", {0x400}, SYS_REFUSE},
    {"unshare", {0x400 | HIGH}, SYS_REFUSE},
    {"unshare", {0x400 | NEWUSER}, SYS_REFUSE},
    {"close_range", {X, X, 0}, SYS_ALLOW},
    {"close_range", {X, X, 4}, SYS_ALLOW}, /* CLOSE_RANGE_CLOEXEC */
    {"close_range", {X, X, 2}, SYS_REFUSE},
    {"close_range", {X, X, 6 | HIGH}, SYS_REFUSE},

    /* attributes, but no memory */
    {"setxattr", {X, X, X, 1023, 0}, SYS_ALLOW},
    {"fsetxattr", {X, X, X, 0, 0}, SYS_ALLOW},
    {"setxattr", {X, X, X, 1024, 0}, SYS_REFUSE},
    {"lsetxattr", {X, X, X, 64836, 0}, SYS_REFUSE},
    {"fsetxattr", {X, X, X, 65536 | HIGH, 0}, SYS_REFUSE},
    {"setxattrat#463", {X, X, X, X, X}, SYS_ABSENT},
    {"prctl", {41, 0}, SYS_ALLOW}, /* PR_SET_THP_DISABLE: Redis does */

    /* odd sockets, pipes, terminals */
    {"socket", {17, 3, 0}, SYS_REFUSE}, /* AF_PACKET */
    {"socket", {38, 5, 0}, SYS_REFUSE}, /* AF_ALG */
    {"socket", {40, 1, 0}, SYS_REFUSE}, /* AF_VSOCK */
    {"socket", {40 | HIGH, 1, 0}, SYS_REFUSE},
    {"fcntl", {X, 1031, X}, SYS_REFUSE}, /* F_SETPIPE_SZ */
    {"vmsplice", {X, X, X, X}, SYS_ABSENT},
    {"socket", {9, 5, 0}, SYS_REFUSE},  /* AF_X25 */
    {"socket", {33, 2, 0}, SYS_REFUSE}, /* AF_RXRPC */
    {"socket", {42, 2, 0}, SYS_REFUSE}, /* AF_QIPCRTR */
    {"socket", {2, 1, 6}, SYS_ALLOW},
    {"socket", {10, 2, 58}, SYS_ALLOW}, /* echoes */
    {"socket", {2, 1, 132}, SYS_ASK},   /* SCTP */
    {"socket", {2, 2, 136}, SYS_ASK},   /* UDP-Lite */
    {"socket", {10, 1, 262}, SYS_ASK},  /* MPTCP */
    {"socket", {2 | HIGH, 1, 262 | HIGH}, SYS_ASK},
    {"socket", {2, 6, 33}, SYS_ASK},          /* DCCP */
    {"socket", {1, 1, 262}, SYS_ALLOW},       /* the kernel refuses it */
    {"socket", {29, 3, 1}, SYS_ASK},          /* AF_CAN */
    {"socket", {31, 3, 1}, SYS_ASK},          /* AF_BLUETOOTH */
    {"setsockopt", {X, 1, 51, X}, SYS_ASK},   /* SO_ATTACH_REUSEPORT_CBPF */
    {"setsockopt", {X, 1, 26, X}, SYS_ALLOW}, /* SO_ATTACH_FILTER */
    {"listen", {X, X}, SYS_ASK},
    {"splice", {X, X, X, X}, SYS_ASK},
    {"tee", {X, X, X, X}, SYS_ASK},
    {"sendfile", {X, X, X, X}, SYS_ASK},
    {"copy_file_range", {X, X, X, X}, SYS_ALLOW},
    {"setsockopt", {X, 1, 60, X}, SYS_REFUSE}, /* SO_ZEROCOPY */
    {"setsockopt", {X, 1, 60 | HIGH, X}, SYS_REFUSE},
    {"setsockopt", {X, 1, 7, X}, SYS_ALLOW},   /* SO_SNDBUF */
    {"setsockopt", {X, 6, 60, X}, SYS_ALLOW},  /* of TCP */
    {"prctl", {0x53564d41, 0, X}, SYS_REFUSE}, /* PR_SET_VMA */
    {"prctl", {0x53564d41 | HIGH, 0, X}, SYS_REFUSE},
    {"prctl", {78, 1, 1 << 22}, SYS_REFUSE}, /* PR_FUTEX_HASH */
    {"prctl", {76}, SYS_ALLOW},              /* PR_LOCK_SHADOW_STACK_STATUS */
    {"prctl", {0x59616d61, 1}, SYS_ALLOW},   /* PR_SET_PTRACER */
    {"io_setup", {1, X}, SYS_ASK},
    {"mbind", {X, X, X, X, X, 0}, SYS_REFUSE},
    {"set_mempolicy", {X, X, X}, SYS_ALLOW},
    {"landlock_create_ruleset", {X, 8, 0}, SYS_ASK},
    {"ioctl", {X, 0x5412, X}, SYS_REFUSE}, /* TIOCSTI */
    {"ioctl", {X, 0x5412 | HIGH, X}, SYS_REFUSE},

    /* the kernel's deep ends, and what outlives a run */
    {"io_uring_setup", {X, X}, SYS_ABSENT},
    {"keyctl", {X}, SYS_ABSENT},
    {"add_key", {X}, SYS_ABSENT},
    {"bpf", {X}, SYS_REFUSE},
    {"perf_event_open", {X}, SYS_REFUSE},
    {"userfaultfd", {X}, SYS_REFUSE},
    {"init_module", {X}, SYS_REFUSE},
    {"syslog", {X}, SYS_REFUSE},
    {"sethostname", {X}, SYS_REFUSE},
};

#undef X
#undef HIGH
#undef NEWUSER
#undef THREAD
#undef FORK
