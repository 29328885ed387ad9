/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls of strict code without namespaces: DATA ONLY. The calls named here answer in this
 * way; all others as in strict's own table. Each is one that strict may make because a
 * namespace or a mount takes the harm out of it: here the numbers of processes are the
 * host's, the user may be the caller, and the file system is what it is.
 */
#include "core/syscalls.h"

#include "base/io.h"

#include <fcntl.h>
#include <sched.h>

#define ALLOW SYS_ALLOW
#define REFUSE SYS_REFUSE
#define TRAP SYS_TRAP

#define INT UINT64_C(0xffffffff) /* all that the kernel reads of an int */
#define ANY                                                                                        \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_ANY                                                                        \
        }                                                                                          \
    }
#define IS(n, bits, v)                                                                             \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_IS, .arg = (n), .mask = (bits), .value = (v)                               \
        }                                                                                          \
    }
#define NOT(n, bits, v)                                                                            \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_NOT, .arg = (n), .mask = (bits), .value = (v)                              \
        }                                                                                          \
    }

#define NEW_SPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#define LOCK_OF_OPEN_FILE 37 /* not in every libc's headers */
#define ODD_KIN (CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | CLONE_PIDFD | CLONE_IO)

static const struct sys_rule contained_rules[] = {
    {"clone", ALLOW, IS(0, NEW_SPACES | ODD_KIN | CLONE_THREAD, CLONE_THREAD),
     "threads of its own"},
    {"clone", REFUSE, IS(0, NEW_SPACES | CLONE_THREAD, 0),
     "no process but this one, which dies with the keeper: there is no PID namespace to end"},
    {"clone", TRAP, NOT(0, NEW_SPACES, 0), "a namespace of its own makes it privileged in there"},
    {"fork vfork", REFUSE, ANY, "the same"},
    {"kill tkill tgkill", REFUSE, ANY, "the user's other processes have numbers here, too"},
    {"fcntl", ALLOW, IS(1, INT & ~UINT64_C(3), 0), "copies, flags"},
    {"fcntl", ALLOW, IS(1, INT & ~UINT64_C(1), F_SETFL), "flags; asks for locks"},
    {"fcntl", REFUSE, IS(1, INT & ~UINT64_C(1), F_SETLK), "kernel memory that no limit counts"},
    {"fcntl", REFUSE, IS(1, INT, LOCK_OF_OPEN_FILE), "the same"},
    {"fcntl", REFUSE, IS(1, INT, LOCK_OF_OPEN_FILE + 1), "the same, waiting for it"},
    {"fcntl", ALLOW, IS(1, INT, F_DUPFD_CLOEXEC), "os.dup makes its copies so"},
    {"fcntl", ALLOW, IS(1, INT, F_GETPIPE_SZ), "only asks"},
    {"fcntl", ALLOW, IS(1, INT, F_GET_SEALS), "only asks"},
    {"fcntl", REFUSE, IS(1, INT, F_SETPIPE_SZ), "pipe buffers are memory that no limit counts"},
    {"fcntl", REFUSE, IS(1, INT, F_SETOWN), "the owner of a descriptor gets its signals"},
    {"fcntl", REFUSE, IS(1, INT, F_SETSIG), "any signal at that"},
    {"fcntl", REFUSE, IS(1, INT, F_SETOWN_EX), "the owner of a descriptor gets its signals"},
    {"prlimit64", ALLOW, IS(0, INT, 0), "limits of its own"},
    {"prlimit64", REFUSE, NOT(0, INT, 0), "limits of the user's other processes end them"},
    {"chmod fchmod fchmodat utime utimes futimesat utimensat", REFUSE, ANY,
     "Landlock does not hold them, and the user's own files are no read-only mounts"},
};

const struct sys_table syscalls_contained = {
    .rules = contained_rules,
    .count = ARRAY_LEN(contained_rules),
    .otherwise = SYS_ABSENT,
    .foreign = SYS_TRAP,
    .over = &syscalls_strict,
};
