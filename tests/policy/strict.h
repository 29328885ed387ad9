/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strict code gets for a call: the promise, written down apart from the table that
 * keeps it (src/core/syscalls.c). X = no matter; the arguments left out are 0.
 */
#define X UINT64_C(0x5a5a5a5a5a5a5a5a)
#define HIGH (UINT64_C(1) << 40) /* the kernel does not read this part of an int */
#define NEWUSER 0x10000000
#define THREAD 0x3d0f00 /* what pthread_create passes */
#define FORK 0x1200011  /* what fork passes */

static const struct promise strict_promises[] = {
    /* reading, writing, its own files */
    {"read", {3, X, X}, SYS_ALLOW},
    {"openat", {X, X, X}, SYS_ALLOW},
    {"unlinkat", {X, X, X}, SYS_ALLOW},
    {"mknodat", {X, X, X}, SYS_REFUSE},
    {"fchownat", {X, X, X}, SYS_REFUSE},
    {"sync", {0}, SYS_REFUSE},
    {"flock", {X, X}, SYS_REFUSE},
    {"fadvise64", {X, X, X, X}, SYS_REFUSE},
    {"preadv2", {X, X, X, X, X, 0}, SYS_ALLOW},
    {"preadv2", {X, X, X, X, X, 8}, SYS_ABSENT}, /* RWF_NOWAIT */
    {"splice", {X, X, X}, SYS_ABSENT},
    {"vmsplice", {X, X, X}, SYS_ABSENT},
    {"fcntl", {X, 0, X}, SYS_ALLOW},         /* F_DUPFD */
    {"fcntl", {X, 2, X}, SYS_ALLOW},         /* F_SETFD */
    {"fcntl", {X, 4, X}, SYS_ALLOW},         /* F_SETFL */
    {"fcntl", {X, 8, X}, SYS_ALLOW},         /* F_SETOWN */
    {"fcntl", {X, 6, X}, SYS_REFUSE},        /* F_SETLK */
    {"fcntl", {X, 7 | HIGH, X}, SYS_REFUSE}, /* F_SETLKW */
    {"fcntl", {X, 37, X}, SYS_REFUSE},       /* F_OFD_SETLK */
    {"fcntl", {X, 38, X}, SYS_REFUSE},       /* F_OFD_SETLKW */
    {"fcntl", {X, 1030, X}, SYS_ALLOW},      /* F_DUPFD_CLOEXEC */
    {"fcntl", {X, 1031, X}, SYS_REFUSE},     /* F_SETPIPE_SZ */
    {"fcntl", {X, 1031 | HIGH, X}, SYS_REFUSE},
    {"fcntl", {X, 1024, X}, SYS_ABSENT},  /* F_SETLEASE */
    {"ioctl", {X, 0x5401, X}, SYS_ALLOW}, /* TCGETS */
    {"ioctl", {X, 0x5401 | HIGH, X}, SYS_ALLOW},
    {"ioctl", {X, 0x5413, X}, SYS_ALLOW},       /* TIOCGWINSZ */
    {"ioctl", {X, 0x5412, X}, SYS_TRAP},        /* TIOCSTI */
    {"ioctl", {X, 0x5412 | HIGH, X}, SYS_TRAP}, /* CVE-2019-10063 */
    {"ioctl", {X, 0x541c, X}, SYS_TRAP},        /* TIOCLINUX */
    {"ioctl", {X, 0x40049409, X}, SYS_ABSENT},  /* FICLONE */
    {"ioctl", {X, 0x5402, X}, SYS_ABSENT},      /* TCSETS */

    /* memory: prot is 1 read, 2 write, 4 execute; flags 1 shared, 2 private, 0x20 anonymous */
    {"mmap", {0, 4096, 3, 0x22}, SYS_ALLOW},
    {"mmap", {0, 4096, 1, 0x02, 5}, SYS_ALLOW},
    {"mmap", {0, 4096, 3, 0x20022}, SYS_ALLOW}, /* a stack */
    {"mmap", {0, 4096, 3, 0x21}, SYS_REFUSE},   /* shared, anonymous: nobody's when unmapped */
    {"mmap", {0, 4096, 1, 0x21}, SYS_REFUSE},
    {"mmap", {0, 4096, 3, 0x01, 5}, SYS_REFUSE}, /* shared, of /dev/zero: the same */
    {"mmap", {0, 4096, 3, 0x03, 5}, SYS_REFUSE}, /* MAP_SHARED_VALIDATE */
    {"mmap", {0, 4096, 3, 0x28}, SYS_REFUSE},    /* MAP_DROPPABLE */
    {"mmap", {0, 4096, 3, 0x40022}, SYS_REFUSE}, /* MAP_HUGETLB */
    {"mmap", {0, 4096, 3, 0x21 | HIGH}, SYS_REFUSE},
    {"mmap", {0, 4096, 5, 0x02, 5}, SYS_ALLOW},  /* a library's code */
    {"mmap", {0, 4096, 5, 0x812, 5}, SYS_ALLOW}, /* the same, fixed, MAP_DENYWRITE */
    {"mmap", {0, 4096, 7, 0x02, 5}, SYS_REFUSE}, /* a library that wants to write its code */
    {"mmap", {0, 4096, 5, 0x22, X}, SYS_REFUSE}, /* anonymous code */
    {"mmap", {0, 4096, 4, 0x22, X}, SYS_REFUSE},
    {"mmap", {0, 4096, 7, 0x22, X}, SYS_REFUSE},
    {"mmap", {0, 4096, 5, 0x01, 5}, SYS_REFUSE}, /* shared: others may write to it */
    {"mmap", {0, 4096, 5, 0x03, 5}, SYS_REFUSE}, /* MAP_SHARED_VALIDATE */
    {"mmap", {0, 4096, 5, 0x21, X}, SYS_REFUSE},
    {"mmap", {0, 4096, 5 | HIGH, 0x22, X}, SYS_REFUSE},
    {"mmap", {0, 4096, 3 | HIGH, 0x22, X}, SYS_ALLOW},
    {"madvise", {X, 4096, 4}, SYS_ALLOW},    /* MADV_DONTNEED */
    {"madvise", {X, 4096, 8}, SYS_ALLOW},    /* MADV_FREE */
    {"madvise", {X, 4096, 14}, SYS_ALLOW},   /* MADV_HUGEPAGE */
    {"madvise", {X, 4096, 16}, SYS_ALLOW},   /* MADV_DONTDUMP */
    {"madvise", {X, 4096, 12}, SYS_REFUSE},  /* MADV_MERGEABLE */
    {"madvise", {X, 4096, 20}, SYS_REFUSE},  /* MADV_COLD */
    {"madvise", {X, 4096, 21}, SYS_REFUSE},  /* MADV_PAGEOUT */
    {"madvise", {X, 4096, 100}, SYS_ABSENT}, /* MADV_HWPOISON */
    {"mprotect", {X, 4096, 0}, SYS_ALLOW},
    {"mprotect", {X, 4096, 3}, SYS_ALLOW},
    {"mprotect", {X, 4096, 4}, SYS_REFUSE},
    {"mprotect", {X, 4096, 5}, SYS_REFUSE},
    {"mprotect", {X, 4096, 7}, SYS_REFUSE},
    {"mprotect", {X, 4096, 0x01000005}, SYS_REFUSE}, /* PROT_GROWSDOWN */
    {"pkey_mprotect", {X, 4096, 5, X}, SYS_ABSENT},
    {"memfd_create", {X, X}, SYS_REFUSE},
    {"memfd_secret", {X}, SYS_REFUSE},
    {"shmat", {X, X, X}, SYS_REFUSE}, /* SHM_EXEC */
    {"remap_file_pages", {X, X, X}, SYS_ABSENT},
    {"personality", {0xffffffff}, SYS_ALLOW},
    {"personality", {0x0400000}, SYS_ABSENT}, /* READ_IMPLIES_EXEC */
    {"mincore", {X, X, X}, SYS_ABSENT},

    /* threads and processes */
    {"clone", {THREAD}, SYS_ALLOW},
    {"clone", {FORK}, SYS_ALLOW},
    {"clone", {17}, SYS_ALLOW},
    {"clone", {0x4111}, SYS_ALLOW}, /* vfork */
    {"clone", {FORK | NEWUSER}, SYS_TRAP},
    {"clone", {FORK | 0x40000000}, SYS_TRAP},       /* CLONE_NEWNET */
    {"clone", {FORK | 0x00020000}, SYS_TRAP},       /* CLONE_NEWNS */
    {"clone", {FORK | 0x7e020000}, SYS_TRAP},       /* all of them */
    {"clone", {FORK | NEWUSER | 0x8000}, SYS_TRAP}, /* and CLONE_PARENT */
    {"clone", {FORK | NEWUSER | HIGH}, SYS_TRAP},
    {"clone", {FORK | 0x8000}, SYS_ABSENT}, /* CLONE_PARENT */
    {"clone", {FORK | 0x2000}, SYS_ABSENT}, /* CLONE_PTRACE */
    {"clone", {THREAD | 0x8000}, SYS_ABSENT},
    {"clone", {THREAD & ~0x400}, SYS_REFUSE}, /* without CLONE_FILES */
    {"clone", {(THREAD & ~0x400) | NEWUSER}, SYS_TRAP},
    {"clone", {FORK | 0x400}, SYS_ALLOW},
    {"close_range", {X, X, 4}, SYS_ALLOW},  /* CLOSE_RANGE_CLOEXEC */
    {"close_range", {X, X, 2}, SYS_REFUSE}, /* CLOSE_RANGE_UNSHARE */
    {"close_range", {X, X, 6 | HIGH}, SYS_REFUSE},
    {"clone3", {X, X}, SYS_ABSENT},
    {"unshare", {X}, SYS_TRAP},
    {"setns", {X, X}, SYS_TRAP},
    {"execve", {X, X, X}, SYS_REFUSE},
    {"execveat", {X, X, X}, SYS_REFUSE},
    {"futex", {X, 128}, SYS_ALLOW}, /* WAIT | PRIVATE */
    {"futex", {X, 129}, SYS_ALLOW}, /* WAKE | PRIVATE */
    {"futex", {X, 9 | 128 | 256}, SYS_ALLOW},
    {"futex", {X, 10}, SYS_ALLOW},
    {"futex", {X, 4}, SYS_ALLOW},
    {"futex", {X, 5}, SYS_ALLOW},
    {"futex", {X, 3}, SYS_ABSENT},
    {"futex", {X, 6}, SYS_ABSENT},        /* LOCK_PI */
    {"futex", {X, 12}, SYS_ABSENT},       /* CMP_REQUEUE_PI */
    {"futex", {X, 11 | 128}, SYS_ABSENT}, /* WAIT_REQUEUE_PI */
    {"kill", {X, X}, SYS_ALLOW},
    {"tgkill", {X, X, X}, SYS_ALLOW},
    {"rt_sigaction", {31, X, X}, SYS_REFUSE}, /* SIGSYS */
    {"rt_sigaction", {31 | HIGH, X, X}, SYS_REFUSE},
    {"rt_sigaction", {31 | 0x80000000, X, X}, SYS_REFUSE},
    {"rt_sigaction", {1, X, X}, SYS_ALLOW},
    {"rt_sigaction", {12, X, X}, SYS_ALLOW},
    {"rt_sigaction", {15, X, X}, SYS_ALLOW},
    {"rt_sigaction", {30, X, X}, SYS_ALLOW},
    {"rt_sigaction", {32, X, X}, SYS_ALLOW},
    {"rt_sigaction", {63, X, X}, SYS_ALLOW},
    {"rt_sigaction", {64, X, X}, SYS_ALLOW},
    {"rt_sigprocmask", {X, X, X}, SYS_ALLOW},
    {"prlimit64", {X, X, X}, SYS_ALLOW},
    {"setuid", {0}, SYS_REFUSE},
    {"capset", {X, X}, SYS_REFUSE},
    {"prctl", {15, X}, SYS_ALLOW}, /* PR_SET_NAME */
    {"prctl", {3}, SYS_ALLOW},     /* PR_GET_DUMPABLE */
    {"prctl", {4, 1}, SYS_REFUSE}, /* PR_SET_DUMPABLE */
    {"prctl", {4 | HIGH, 1}, SYS_REFUSE},
    {"prctl", {22, 2}, SYS_REFUSE}, /* PR_SET_SECCOMP */
    {"prctl", {35, X}, SYS_REFUSE}, /* PR_SET_MM */
    {"prctl", {41, 0}, SYS_REFUSE}, /* PR_SET_THP_DISABLE */
    {"prctl", {59, X}, SYS_ABSENT}, /* PR_SET_SYSCALL_USER_DISPATCH */
    {"prctl", {47, X}, SYS_ABSENT}, /* PR_CAP_AMBIENT */
    {"seccomp", {1, 0, X}, SYS_REFUSE},
    {"landlock_restrict_self", {X, X}, SYS_REFUSE},

    /* time, chance, the machine */
    {"clock_gettime", {X, X}, SYS_ALLOW},
    {"clock_settime", {X, X}, SYS_REFUSE},
    {"getrandom", {X, X, X}, SYS_ALLOW},
    {"sysinfo", {X}, SYS_ABSENT},

    /* sockets and shared objects */
    {"socket", {1, 1, 0}, SYS_REFUSE},
    {"socket", {2, 1, 0}, SYS_REFUSE},
    {"socket", {10, 2, 0}, SYS_REFUSE},
    {"socket", {16, 3, 0}, SYS_REFUSE},
    {"socket", {17, 3, 0}, SYS_TRAP}, /* AF_PACKET */
    {"socket", {38, 5, 0}, SYS_TRAP}, /* AF_ALG */
    {"socket", {40, 1, 0}, SYS_TRAP}, /* AF_VSOCK */
    {"socket", {40 | HIGH, 1, 0}, SYS_TRAP},
    {"socket", {31, 3, 0}, SYS_ABSENT}, /* AF_BLUETOOTH */
    {"socketpair", {1, 1, 0, X}, SYS_REFUSE},
    {"sendmsg", {3, X, X}, SYS_REFUSE}, /* descriptors over the channel */
    {"shmget", {X, X, X}, SYS_REFUSE},
    {"mq_open", {X, X, X}, SYS_REFUSE},

    /* never honest */
    {"ptrace", {X}, SYS_TRAP},
    {"process_vm_writev", {X}, SYS_TRAP},
    {"pidfd_getfd", {X}, SYS_TRAP},
    {"bpf", {X}, SYS_TRAP},
    {"perf_event_open", {X}, SYS_TRAP},
    {"userfaultfd", {X}, SYS_TRAP},
    {"io_uring_setup", {X}, SYS_TRAP},
    {"kexec_load", {X}, SYS_TRAP},
    {"init_module", {X}, SYS_TRAP},
    {"finit_module", {X}, SYS_TRAP},
    {"mount", {X}, SYS_TRAP},
    {"open_tree", {X}, SYS_TRAP},
    {"chroot", {X}, SYS_TRAP},
    {"open_by_handle_at", {X}, SYS_TRAP},
    {"name_to_handle_at", {X}, SYS_TRAP},
    {"add_key", {X}, SYS_TRAP},
    {"request_key", {X}, SYS_TRAP},
    {"keyctl", {X}, SYS_TRAP},
    {"swapon", {X}, SYS_TRAP},
    {"quotactl", {X}, SYS_TRAP},
    {"syslog", {X}, SYS_TRAP},
    {"sethostname", {X}, SYS_TRAP},
    {"reboot", {X}, SYS_TRAP},

    /* not in the table at all */
    {"epoll_create1", {X}, SYS_ABSENT},
    {"inotify_init1", {X}, SYS_ABSENT},
    {"io_setup", {X}, SYS_ABSENT},
    {"timer_create", {X}, SYS_ABSENT},
    {"timerfd_create", {X}, SYS_ABSENT},
    {"pidfd_open", {X}, SYS_ABSENT},
    {"pidfd_send_signal", {X}, SYS_ABSENT},
    {"rt_sigqueueinfo", {X}, SYS_ABSENT},
#if defined(__x86_64__)
    {"iopl", {X}, SYS_TRAP},
    {"ioperm", {X}, SYS_TRAP},
    {"modify_ldt", {X}, SYS_TRAP},
    {"arch_prctl", {X}, SYS_ABSENT},
    {"fork", {0}, SYS_ALLOW},
#endif
};

#undef X
