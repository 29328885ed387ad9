/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls of an approved run: DATA ONLY. It is a program of the caller's and starts others,
 * so what is not in the table is allowed; refused is what only administrators call, what
 * leads past the box, and kernel parts with a history of holes that ordinary programs do
 * without. Refusals are errors, never an end: the callers are other people's programs.
 */
#include "core/syscalls_words.h"

#include "base/io.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* clang-format off */
static const struct sys_rule approved_rules[] = {
    /* ---- another root, another place in the system ---- */
    {REFUSE, "mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount "
             "mount_setattr open_tree_attr#467", ANY, "another root"},
    {ABSENT, "statmount#457 listmount#458 listns#470", ANY,
             "tell of mounts and namespaces by number; programs read /proc/self/mountinfo instead"},
    {REFUSE, "clone unshare", {NOT(0, BITS(NEW_SPACES, 0))}, "privileged in a namespace of its own making"},
    {REFUSE, "setns", ANY, "the same, through somebody else's door"},
    {ABSENT, "clone3", ANY, "its flags are behind a pointer; libc falls back to clone"},
    {REFUSE, "open_by_handle_at", ANY, "opens files by number, past every root"},
    /* ---- what a terminal, a pipe or a socket can be made to do ---- */
    {REFUSE, "ioctl", {IS(1, V(TIOCSTI), V(IOCTL_TIOCLINUX))}, "types into somebody else's terminal"},
    {REFUSE, "fcntl", {IS(1, V(F_SETPIPE_SZ))}, "pipe buffers are memory that no limit counts"},
    {ABSENT, "vmsplice", ANY, "a pipe keeps the huge page that a page is of, which no limit counts"},
    {REFUSE, "setsockopt", {IS(1, V(SOL_SOCKET)), IS(2, V(SO_ZEROCOPY))}, "the same, given to a socket"},
    {REFUSE, "socket", {IS(0, V(FAMILY_VSOCK))}, "the hypervisor, past network namespaces"},
    {REFUSE, "socket", {IS(0, V(AF_PACKET), V(FAMILY_XDP))}, "raw frames"},
    {REFUSE, "socket", {IS(0, V(FAMILY_ALG))}, "the kernel's cryptography, a way into it"},
    {REFUSE, "socket", {IS(0, V(FAMILY_RDS), V(FAMILY_TIPC), V(FAMILY_SMC))},
             "protocols of clusters, loaded on demand"},
    {REFUSE, "socket", {IS(0, V(AF_AX25), V(AF_NETROM), V(AF_ROSE), V(AF_X25), V(AF_APPLETALK), V(AF_LLC))},
             "networks of long ago, loaded on demand; nobody tells what waits in them"},
    {REFUSE, "socket", {IS(0, V(AF_ATMPVC), V(AF_ATMSVC), V(AF_PPPOX), V(AF_IUCV), V(AF_RXRPC), V(FAMILY_KCM))},
             "the same of providers, mainframes and file servers"},
    {REFUSE, "socket", {IS(0, V(AF_PHONET), V(AF_CAIF), V(AF_NFC), V(AF_IEEE802154), V(FAMILY_QIPCRTR), V(FAMILY_MCTP))},
             "the same of modems and other small devices"},
    /* ---- memory that no look at the processes sees (keeper/admit.c) ---- */
    {ASK,    "memfd_create", ANY, "one page that is mapped keeps all of it, or a socket that it waits in"},
    {ASK,    "mmap", {IS(3, BITS(MAP_TYPE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS))},
             "the same without a file; private memory is in the size of whoever has it"},
    {ASK,    "socket", {IS(0, V(AF_INET), V(AF_INET6)), NOT(2, SPAN(0, 64))},
             "SCTP, UDP-Lite, MPTCP: no diagnosis that is asked tells what waits; programs fall back to TCP"},
    {ASK,    "socket", {IS(0, V(AF_INET), V(AF_INET6)), IS(2, V(IPPROTO_DCCP))}, "the same below 64"},
    {ASK,    "socket", {IS(0, V(AF_CAN), V(AF_BLUETOOTH))}, "the same; of use where a control group counts"},
    {ASK,    "setsockopt", {IS(1, V(SOL_SOCKET)), IS(2, V(OPTION_ATTACH_REUSEPORT_CBPF))},
             "100 KiB of instructions that are charged to no socket"},
    {ASK,    "listen", ANY, "let go on, and known from then on: who connects may send, and be gone"},
    {REFUSE, "clone", {IS(0, BITS(NEW_SPACES | THREAD_FDS, CLONE_THREAD))},
             "a thread with descriptors of its own: no look at the process finds them"},
    {REFUSE, "unshare", {IS(0, BITS(NEW_SPACES | CLONE_FILES, CLONE_FILES))}, "the same, from within"},
    {REFUSE, "close_range", {IS(2, OWN_FDS)}, "the same, while it closes some"},
    {ASK,    "splice tee sendfile", ANY,
             "one byte of a file in a pipe or a socket keeps a large folio of it; programs read and write"},
    {REFUSE, "setxattr lsetxattr fsetxattr", {NOT(3, SPAN(0, 1024))},
             "tmpfs keeps access lists of 64 KiB in memory that neither it nor a control group counts"},
    {ABSENT, "setxattrat#463", ANY, "its size is behind a pointer; setxattr will do"},
    {REFUSE, "prctl", {IS(0, V(PRCTL_SET_VMA))}, "gives it another name than it is looked for by"},
    {REFUSE, "prctl", {IS(0, SPAN(78, 2), SPAN(80, 16), SPAN(96, 32))},
             "78 takes a hash of gigabytes for each process; the others nobody has looked at, or has yet"},
    {REFUSE, "mbind set_mempolicy_home_node#450", ANY,
             "a file in memory keeps a policy for each page that it lacks, which no group counts either"},
    {ASK,    "io_setup", ANY, "5 KiB for each, and no more for anybody else; programs do without"},
    {ASK,    "landlock_create_ruleset", ANY, "rules come to a gigabyte for each process; programs do without"},
    {REFUSE, "sched_setscheduler sched_setattr sched_setparam setpriority", ANY,
             "who gets no turn holds up the keeper that answers it, or looks at it"},
    /* ---- kernel parts with a history of holes ---- */
    {ABSENT, "io_uring_setup io_uring_enter io_uring_register", ANY,
             "passes by this filter; libraries do without"},
    {REFUSE, "bpf perf_event_open userfaultfd fanotify_init", ANY, "for tools, not programs"},
    {ABSENT, "add_key request_key keyctl", ANY, "keys belong to users: they would outlive the run"},
    {REFUSE, "memfd_secret", ANY, "memory that cannot even be looked at"},
    {REFUSE, "modify_ldt vm86 vm86old", ANY, "leftovers of old processors"},
    {REFUSE, "uselib _sysctl create_module query_module get_kernel_syms nfsservctl", ANY,
             "leftovers of old kernels"},
    /* ---- administration ---- */
    {REFUSE, "init_module finit_module delete_module kexec_load kexec_file_load reboot", ANY,
             "another kernel"},
    {REFUSE, "swapon swapoff quotactl quotactl_fd acct syslog sethostname setdomainname vhangup "
             "lookup_dcookie iopl ioperm", ANY, "administration"},
    {REFUSE, "clock_settime settimeofday", ANY, "the host's clock"},
};
/* clang-format on */

const struct sys_table syscalls_approved = {
    .rules = approved_rules,
    .count = ARRAY_LEN(approved_rules),
    .otherwise = SYS_ALLOW,
    .foreign = SYS_ABSENT,
};
