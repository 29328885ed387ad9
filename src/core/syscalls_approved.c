/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls of an approved run: DATA ONLY. It is a program of the caller's and starts others,
 * so what is not in the table is allowed; refused is what only administrators call, what
 * leads past the box, and kernel parts with a history of holes that ordinary programs do
 * without. Refusals are errors, never an end: the callers are other people's programs.
 */
#include "core/syscalls.h"

#include "base/io.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define INT UINT64_C(0xffffffff) /* all that the kernel reads of an int */
#define ANY                                                                                        \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_ANY                                                                        \
        }                                                                                          \
    }
#define IS(n, v)                                                                                   \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_IS, .arg = (n), .mask = INT, .value = (v)                                  \
        }                                                                                          \
    }
#define IS_BOTH(n, v, m, w)                                                                        \
    {                                                                                              \
        {.test = SYS_IS, .arg = (n), .mask = INT, .value = (v)},                                   \
        {                                                                                          \
            .test = SYS_IS, .arg = (m), .mask = INT, .value = (w)                                  \
        }                                                                                          \
    }
#define ANY_OF(n, bits)                                                                            \
    {                                                                                              \
        {                                                                                          \
            .test = SYS_NOT, .arg = (n), .mask = (bits), .value = 0                                \
        }                                                                                          \
    }

#define NEW_SPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#define IOCTL_TIOCLINUX 0x541c /* these: not in every libc's headers */
#define FAMILY_RDS 21
#define FAMILY_TIPC 30
#define FAMILY_ALG 38
#define FAMILY_VSOCK 40
#define FAMILY_SMC 43
#define FAMILY_XDP 44

static const struct sys_rule approved_rules[] = {
    /* ---- another root, another place in the system ---- */
    {"mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount "
     "mount_setattr",
     SYS_REFUSE, ANY, "another root"},
    {"clone", SYS_REFUSE, ANY_OF(0, NEW_SPACES), "privileged in a namespace of its own making"},
    {"unshare", SYS_REFUSE, ANY_OF(0, NEW_SPACES), "the same, by another door"},
    {"setns", SYS_REFUSE, ANY, "the same, through somebody else's door"},
    {"clone3", SYS_ABSENT, ANY, "its flags are behind a pointer; libc falls back to clone"},
    {"open_by_handle_at", SYS_REFUSE, ANY, "opens files by number, past every root"},

    /* ---- what a terminal, a pipe or a socket can be made to do ---- */
    {"ioctl", SYS_REFUSE, IS(1, TIOCSTI), "types into the terminal of somebody else"},
    {"ioctl", SYS_REFUSE, IS(1, IOCTL_TIOCLINUX), "pastes into a console"},
    {"fcntl", SYS_REFUSE, IS(1, F_SETPIPE_SZ), "pipe buffers are memory that no limit counts"},
    {"vmsplice", SYS_ABSENT, ANY,
     "a page given to a pipe keeps the huge page that it is of, which no limit counts"},
    {"setsockopt", SYS_REFUSE, IS_BOTH(1, SOL_SOCKET, 2, SO_ZEROCOPY),
     "the same, given to a socket"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_VSOCK), "the hypervisor, past network namespaces"},
    {"socket", SYS_REFUSE, IS(0, AF_PACKET), "raw frames"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_XDP), "raw frames"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_ALG), "the kernel's cryptography, a way into it"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_RDS), "protocols of clusters, loaded on demand"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_TIPC), "protocols of clusters, loaded on demand"},
    {"socket", SYS_REFUSE, IS(0, FAMILY_SMC), "protocols of clusters, loaded on demand"},

    /* ---- kernel parts with a history of holes ---- */
    {"io_uring_setup io_uring_enter io_uring_register", SYS_ABSENT, ANY,
     "passes by this filter; libraries do without"},
    {"bpf perf_event_open userfaultfd fanotify_init", SYS_REFUSE, ANY, "for tools, not programs"},
    {"add_key request_key keyctl", SYS_ABSENT, ANY,
     "keys belong to users, not to namespaces: they would outlive the run"},
    {"memfd_secret", SYS_REFUSE, ANY, "memory that cannot even be looked at"},
    {"modify_ldt vm86 vm86old", SYS_REFUSE, ANY, "leftovers of old processors"},
    {"uselib _sysctl create_module query_module get_kernel_syms nfsservctl", SYS_REFUSE, ANY,
     "leftovers of old kernels"},

    /* ---- administration ---- */
    {"init_module finit_module delete_module kexec_load kexec_file_load reboot", SYS_REFUSE, ANY,
     "another kernel"},
    {"swapon swapoff quotactl quotactl_fd acct syslog sethostname setdomainname vhangup "
     "lookup_dcookie iopl ioperm",
     SYS_REFUSE, ANY, "administration"},
    {"clock_settime settimeofday", SYS_REFUSE, ANY, "the host's clock"},
};

const struct sys_table syscalls_approved = {
    .rules = approved_rules,
    .count = ARRAY_LEN(approved_rules),
    .otherwise = SYS_ALLOW,
    .foreign = SYS_ABSENT,
};
