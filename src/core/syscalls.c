/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls: DATA ONLY. A row says what becomes of calls, which, with what argument, and why.
 * Not in the table: ENOSYS, so that what a new kernel brings stays closed until somebody
 * opens it. TRAP ends the run: for what no honest strict code tries.
 */
#include "core/syscalls_words.h"

#include "base/io.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#if defined(__s390__) || defined(__i386__) || defined(__arm__) || defined(__mips__)
#error "clone() or mmap() take their arguments in another way here: the rows would not hold"
#endif

/* clang-format off */
#define W_OR_X     (PROT_WRITE | PROT_EXEC)
#define DATA       IS(2, BITS(PROT_EXEC, 0))
#define CODE       IS(2, BITS(W_OR_X, PROT_EXEC))
#define PRIVATE    BITS(MAP_TYPE | MAP_HUGETLB, MAP_PRIVATE)
#define FROM_FILE  BITS(MAP_TYPE | MAP_ANONYMOUS, MAP_PRIVATE)
#define SIGNAL     UINT64_C(0x3f) /* larger numbers than 64 the kernel refuses by itself */
#define FUTEX_BITS (FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)
#define OPS(first, n) BITS(INT & ~(uint64_t)(FUTEX_BITS | ((n) - 1)), (first)) /* a SPAN */

static const struct sys_rule strict_rules[] = {
    /* ---- files and descriptors ---- */
    {ALLOW,  "read readv pread64 preadv write writev pwrite64 pwritev lseek", ANY, "what it has open"},
    {ALLOW,  "preadv2 pwritev2", {IS(5, V(0))}, "the same; a flag asks which pages others have read"},
    {ALLOW,  "open openat creat close dup dup2 dup3 pipe pipe2", ANY, "of what the view holds"},
    {ALLOW,  "close_range", {IS(2, SHARED_FDS)}, "closes what it has open"},
    {REFUSE, "close_range", {IS(2, OWN_FDS)}, "a thread with descriptors of its own: no look finds them"},
    {ALLOW,  "stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents64 "
             "getcwd chdir fchdir statfs fstatfs umask", ANY, "looks around in the view and its directory"},
    {ALLOW,  "mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat "
             "chmod fchmod fchmodat utime utimes futimesat utimensat truncate ftruncate fallocate fsync "
             "fdatasync", ANY, "works in its directory, the only mount that can be written to"},
    {ALLOW,  "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", ANY, "shutil.copy2 has to ask"},
    {REFUSE, "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr chown lchown fchown "
             "fchownat mknod mknodat", ANY, "attributes, owners, special files: others trust in them"},
    {REFUSE, "flock fadvise64", ANY, "locks or forgets a file of the view: the next sandbox would notice"},
    {ALLOW,  "poll ppoll select pselect6", ANY, "waits for descriptors and for time to pass"},
    {ABSENT, "sendfile splice tee vmsplice copy_file_range", ANY, "pages shared; read and write will do"},
    {ABSENT, "openat2 clone3", ANY, "what they ask for is behind a pointer; openat and clone will do"},
    {ALLOW,  "fcntl", {IS(1, SPAN(F_DUPFD, 4), SPAN(F_SETFL, 2), SPAN(F_SETOWN, 8), V(F_DUPFD_CLOEXEC),
             V(F_GETPIPE_SZ), V(F_GET_SEALS))}, "copies, flags, owners of signals; the others only ask"},
    {REFUSE, "fcntl", {IS(1, SPAN(F_SETLK, 2), V(F_LOCK_OF_OPEN_FILE), V(F_LOCK_OF_OPEN_FILE_WAIT),
             V(F_SETPIPE_SZ))}, "locks of bytes, pipe buffers: kernel memory that no limit counts"},
    {ALLOW,  "ioctl", {IS(1, V(TCGETS), V(TIOCGWINSZ), V(FIONREAD), V(FIONBIO), V(FIOCLEX), V(FIONCLEX))},
             "isatty, by every open(); os.get_terminal_size, os.set_blocking, os.set_inheritable"},
    {TRAP,   "ioctl", {IS(1, V(TIOCSTI), V(IOCTL_TIOCLINUX))}, "types into the terminal of somebody else"},
    /* ---- memory: none of its own making is ever executable ---- */
    {ALLOW,  "brk munmap mremap msync", ANY, "heaps; how much is RLIMIT_AS's business"},
    {ALLOW,  "madvise", {IS(2, SPAN(MADV_NORMAL, 8), SPAN(MADV_FREE, 4), SPAN(MADV_HUGEPAGE, 2),
             SPAN(MADV_DONTDUMP, 4))}, "gives pages back; what a core or a child has of them"},
    {REFUSE, "madvise", {IS(2, V(MADV_MERGEABLE), SPAN(MADV_COLD, 2))}, "tells what others have; to swap"},
    {ALLOW,  "mmap", {DATA, IS(3, PRIVATE)}, "heaps, stacks, data"},
    {REFUSE, "mmap", {DATA, NOT(3, PRIVATE)}, "shared pages outlive munmap, uncounted; huge are the host's"},
    {ALLOW,  "mmap", {CODE, IS(3, FROM_FILE)}, "a library; what it writes itself is on a noexec mount"},
    {REFUSE, "mmap", {CODE, NOT(3, FROM_FILE)}, "fresh memory, or what another mapping writes to, as code"},
    {REFUSE, "mmap", {IS(2, BITS(W_OR_X, W_OR_X))}, "code that is written while it runs"},
    {ALLOW,  "mprotect", {DATA}, "thread stacks, read-only data of libraries"},
    {REFUSE, "mprotect", {IS(2, BITS(PROT_EXEC, PROT_EXEC))}, "what was data becomes code"},
    {REFUSE, "memfd_create memfd_secret mlock mlock2 mlockall munlock munlockall", ANY,
             "memory that no limit counts, and that maps as code; memory that cannot be swapped out"},
    {ABSENT, "pkey_mprotect remap_file_pages mbind set_mempolicy get_mempolicy membarrier", ANY,
             "numerical libraries try, and do without"},
    {ALLOW,  "personality", {IS(0, V(INT))}, "only asks; a value could make all memory executable"},
    /* ---- threads and processes: as many as RLIMIT_NPROC says, in its own PID namespace ---- */
    {ALLOW,  "clone", {IS(0, BITS(NEW_SPACES | ODD_KIN | CLONE_THREAD, 0),
             BITS(NEW_SPACES | ODD_KIN | THREAD_FDS, THREAD_FDS))}, "plain children, and threads"},
    {REFUSE, "clone", {IS(0, BITS(NEW_SPACES | ODD_KIN | THREAD_FDS, CLONE_THREAD))},
             "a thread with descriptors of its own: no look at the process finds them"},
    {TRAP,   "clone", {NOT(0, BITS(NEW_SPACES, 0))}, "a namespace of its own makes it privileged in there"},
    {TRAP,   "unshare setns", ANY, "the same, by another door"},
    {ALLOW,  "fork vfork wait4 waitid exit exit_group kill tkill tgkill", ANY, "alone in its PID namespace"},
    {REFUSE, "execve execveat", ANY, "no program but this one"},
    {ALLOW,  "futex", {IS(1, OPS(FUTEX_WAIT, 2), OPS(FUTEX_CMP_REQUEUE, 2), OPS(FUTEX_WAIT_BITSET, 1),
             OPS(FUTEX_WAKE_BITSET, 1))}, "locks; not those that inherit priority, a history of holes"},
    {ALLOW,  "set_robust_list get_robust_list rseq set_tid_address", ANY, "libc starts a thread"},
    {ALLOW,  "rt_sigaction", {NOT(0, BITS(SIGNAL, SIGSYS))}, "the signal module"},
    {REFUSE, "rt_sigaction", {IS(0, BITS(SIGNAL, SIGSYS))}, "ours: it tells which call ended the run"},
    {ALLOW,  "rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigsuspend rt_sigreturn sigaltstack pause "
             "restart_syscall", ANY, "signals: blocking SIGSYS does not help against TRAP"},
    {ALLOW,  "getpid getppid gettid getpgrp getpgid getsid setsid setpgid getuid geteuid getgid getegid "
             "getgroups getresuid getresgid capget", ANY, "who it is; groups of its own PID namespace"},
    {REFUSE, "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset", ANY,
             "it stays who it is"},
    {ALLOW,  "sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max "
             "sched_get_priority_min sched_rr_get_interval getpriority getcpu", ANY, "os.cpu_count, pools"},
    {REFUSE, "sched_setaffinity sched_setparam sched_setscheduler sched_setattr setpriority ioprio_set", ANY,
             "its share of the machine is not its choice"},
    {ALLOW,  "getrlimit setrlimit prlimit64 getrusage times", ANY, "only lowered: raising takes privilege"},
    {ALLOW,  "prctl", {IS(0, V(PR_SET_NAME), V(PR_GET_NAME), V(PR_GET_DUMPABLE), V(PR_GET_NO_NEW_PRIVS),
             V(PR_GET_SECCOMP), V(PR_CAPBSET_READ))}, "names of threads; the others only ask"},
    {REFUSE, "prctl", {IS(0, V(PR_SET_DUMPABLE), V(PR_SET_SECCOMP), V(PR_SET_MM),
             V(PR_SET_THP_DISABLE))}, "cores, and tracing by its own kind; filters; what the kernel says about it; huge pages"},
    {REFUSE, "seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self", ANY, "the engine's"},
    /* ---- time, chance, the machine ---- */
    {ALLOW,  "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getitimer setitimer "
             "alarm getrandom uname", ANY, "time (mostly without any call), random, secrets, platform"},
    {REFUSE, "clock_settime settimeofday clock_adjtime adjtimex sync syncfs sync_file_range", ANY,
             "the host's clock, the host's disks"},
    {ABSENT, "sysinfo mincore", ANY, "tell of other sandboxes: the host's load, used pages of libraries"},
    /* ---- sockets and shared objects: it talks to nobody ---- */
    {REFUSE, "socket", {IS(0, V(AF_UNIX), V(AF_INET), V(AF_INET6), V(AF_NETLINK))}, "there is no network"},
    {TRAP,   "socket", {IS(0, V(FAMILY_ALG), V(FAMILY_VSOCK), V(AF_PACKET))},
             "the kernel's cryptography, a way into it; the hypervisor, past network namespaces; raw frames"},
    {REFUSE, "socketpair bind connect listen accept accept4 sendto recvfrom sendmsg recvmsg sendmmsg "
             "recvmmsg shutdown getsockname getpeername setsockopt getsockopt", ANY, "no descriptor leaves"},
    {REFUSE, "shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open "
             "mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr", ANY, "memory without limit"},
    /* ---- never honest ---- */
    {TRAP,   "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise process_mrelease",
             ANY, "hands on the memory and descriptors of other processes"},
    {TRAP,   "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register fanotify_init "
             "fanotify_mark", ANY, "large parts with a history of holes; io_uring passes by this filter"},
    {TRAP,   "mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount "
             "mount_setattr", ANY, "another root"},
    {TRAP,   "open_by_handle_at name_to_handle_at", ANY, "opens files by number, past every root"},
    {TRAP,   "add_key request_key keyctl", ANY, "keys belong to users, not to namespaces"},
    {TRAP,   "init_module finit_module delete_module kexec_load kexec_file_load", ANY, "another kernel"},
    {TRAP,   "reboot swapon swapoff quotactl quotactl_fd acct syslog sethostname setdomainname vhangup "
             "lookup_dcookie nfsservctl iopl ioperm modify_ldt uselib _sysctl create_module query_module "
             "get_kernel_syms", ANY, "administration, bare hardware, leftovers of old kernels"},
};
/* clang-format on */

const struct sys_table syscalls_strict = {
    .rules = strict_rules,
    .count = ARRAY_LEN(strict_rules),
    .otherwise = SYS_ABSENT,
    .foreign = SYS_TRAP,
};
