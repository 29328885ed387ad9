/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls: DATA ONLY. A row names calls, what becomes of them, the argument that this
 * depends on, and why. Not in the table: ENOSYS, so that what a new kernel brings stays
 * closed until somebody opens it. TRAP ends the run: for what no honest strict code tries.
 */
#include "core/syscalls.h"

#include "base/io.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#if defined(__s390__) || defined(__i386__) || defined(__arm__) || defined(__mips__)
#error "clone() or mmap() take their arguments in another way here: the rows would not hold"
#endif

#define ALLOW SYS_ALLOW
#define REFUSE SYS_REFUSE
#define ABSENT SYS_ABSENT
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
        .test = SYS_IS, .arg = (n), .mask = (bits), .value = (v)                                   \
    }
#define NOT(n, bits, v)                                                                            \
    {                                                                                              \
        .test = SYS_NOT, .arg = (n), .mask = (bits), .value = (v)                                  \
    }

#define NEW_SPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#define ODD_KIN (CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | CLONE_PIDFD | CLONE_IO)
#define W_OR_X (PROT_WRITE | PROT_EXEC)
#define KIND (MAP_TYPE | MAP_ANONYMOUS)
#define SHARE_OR_HUGE (MAP_TYPE | MAP_HUGETLB)
#define SIGNAL UINT64_C(0x3f) /* larger numbers than 64 the kernel refuses by itself */
#define WHICH_OP (INT & ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME))
#define IOCTL_TIOCLINUX 0x541c /* these: not in every libc's headers */
#define LOCK_OF_OPEN_FILE 37
#define FAMILY_ALG 38
#define FAMILY_VSOCK 40

static const struct sys_rule strict_rules[] = {
    /* ---- files and descriptors ---- */
    {"read readv pread64 preadv write writev pwrite64 pwritev lseek", ALLOW, ANY,
     "files, and the pipes and the channel that it was born with"},
    {"preadv2 pwritev2",
     ALLOW,
     {IS(5, INT, 0)},
     "the same; a flag asks which pages others have read"},
    {"open openat creat close close_range dup dup2 dup3 pipe pipe2", ALLOW, ANY,
     "as many descriptors as RLIMIT_NOFILE says; mounts and Landlock say of what"},
    {"stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents64 "
     "getcwd chdir fchdir statfs fstatfs umask",
     ALLOW, ANY, "looks around in the view and in its directory"},
    {"mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat "
     "chmod fchmod fchmodat utime utimes futimesat utimensat truncate ftruncate fallocate fsync "
     "fdatasync",
     ALLOW, ANY, "works in its directory, the only mount that can be written to"},
    {"getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", ALLOW, ANY,
     "shutil.copy2 asks, and fails when it is refused"},
    {"setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr chown lchown fchown "
     "fchownat mknod mknodat",
     REFUSE, ANY, "attributes, owners and special files are for other programs to trust in"},
    {"flock fadvise64", REFUSE, ANY,
     "locks a file of the view, or has it forgotten: the next sandbox would notice"},
    {"sync syncfs sync_file_range", REFUSE, ANY, "makes the host's disks work"},
    {"poll ppoll select pselect6", ALLOW, ANY, "waits for descriptors and for time to pass"},
    {"sendfile splice tee vmsplice copy_file_range", ABSENT, ANY,
     "pages shared by files and pipes; callers fall back to read and write"},
    {"openat2", ABSENT, ANY, "what it asks for is behind a pointer; openat will do"},
    {"fcntl", ALLOW, {IS(1, INT & ~UINT64_C(3), 0)}, "copies, flags"},
    {"fcntl", ALLOW, {IS(1, INT & ~UINT64_C(1), F_SETFL)}, "flags; asks for locks"},
    {"fcntl", ALLOW, {IS(1, INT & ~UINT64_C(7), F_SETOWN)}, "owners of signals"},
    {"fcntl",
     REFUSE,
     {IS(1, INT & ~UINT64_C(1), F_SETLK)},
     "locks of bytes: kernel memory that no limit counts"},
    {"fcntl", REFUSE, {IS(1, INT, LOCK_OF_OPEN_FILE)}, "the same"},
    {"fcntl", REFUSE, {IS(1, INT, LOCK_OF_OPEN_FILE + 1)}, "the same, waiting for it"},
    {"fcntl", ALLOW, {IS(1, INT, F_DUPFD_CLOEXEC)}, "os.dup makes its copies so"},
    {"fcntl", ALLOW, {IS(1, INT, F_GETPIPE_SZ)}, "only asks"},
    {"fcntl", ALLOW, {IS(1, INT, F_GET_SEALS)}, "only asks"},
    {"fcntl", REFUSE, {IS(1, INT, F_SETPIPE_SZ)}, "pipe buffers are memory that no limit counts"},
    {"ioctl", ALLOW, {IS(1, INT, TCGETS)}, "isatty: every open() in Python asks"},
    {"ioctl",
     ALLOW,
     {IS(1, INT, TIOCGWINSZ)},
     "os.get_terminal_size, which falls back on an error"},
    {"ioctl", ALLOW, {IS(1, INT, FIONREAD)}, "only asks"},
    {"ioctl", ALLOW, {IS(1, INT, FIONBIO)}, "os.set_blocking"},
    {"ioctl", ALLOW, {IS(1, INT, FIOCLEX)}, "os.set_inheritable"},
    {"ioctl", ALLOW, {IS(1, INT, FIONCLEX)}, "os.set_inheritable"},
    {"ioctl", TRAP, {IS(1, INT, TIOCSTI)}, "types into the terminal of somebody else"},
    {"ioctl", TRAP, {IS(1, INT, IOCTL_TIOCLINUX)}, "pastes into a console"},

    /* ---- memory: none of its own making is ever executable ---- */
    {"brk munmap mremap msync", ALLOW, ANY, "heaps; how much is RLIMIT_AS's business"},
    {"madvise", ALLOW, {IS(2, INT & ~UINT64_C(7), 0)}, "gives pages back, of heaps and stacks"},
    {"madvise", ALLOW, {IS(2, INT & ~UINT64_C(3), 8)}, "the same; what a child inherits"},
    {"madvise", ALLOW, {IS(2, INT & ~UINT64_C(1), MADV_HUGEPAGE)}, "malloc, numpy"},
    {"madvise", ALLOW, {IS(2, INT & ~UINT64_C(3), MADV_DONTDUMP)}, "what a core or a child has"},
    {"madvise", REFUSE, {IS(2, INT, MADV_MERGEABLE)}, "tells which pages others have, too"},
    {"madvise", REFUSE, {IS(2, INT & ~UINT64_C(1), MADV_COLD)}, "to swap, where no limit counts"},
    {"mmap",
     ALLOW,
     {IS(2, PROT_EXEC, 0), IS(3, SHARE_OR_HUGE, MAP_PRIVATE)},
     "heaps, stacks, data"},
    {"mmap",
     REFUSE,
     {IS(2, PROT_EXEC, 0), NOT(3, SHARE_OR_HUGE, MAP_PRIVATE)},
     "shared pages stay when nobody maps them, and are in no process's size; huge ones are the "
     "host's store"},
    {"mmap",
     ALLOW,
     {IS(2, W_OR_X, PROT_EXEC), IS(3, KIND, MAP_PRIVATE)},
     "a library that is loaded late; what it could write itself lies on a noexec mount"},
    {"mmap",
     REFUSE,
     {IS(2, W_OR_X, PROT_EXEC), NOT(3, KIND, MAP_PRIVATE)},
     "fresh memory, or memory that another mapping can write to, as code"},
    {"mmap", REFUSE, {IS(2, W_OR_X, W_OR_X)}, "code that is written while it runs"},
    {"mprotect", ALLOW, {IS(2, PROT_EXEC, 0)}, "thread stacks, read-only data of libraries"},
    {"mprotect", REFUSE, {IS(2, PROT_EXEC, PROT_EXEC)}, "what was data becomes code"},
    {"memfd_create memfd_secret", REFUSE, ANY,
     "memory that no limit counts, and that maps as code"},
    {"mlock mlock2 mlockall munlock munlockall", REFUSE, ANY,
     "keeps memory from being swapped out"},
    {"mincore", ABSENT, ANY, "tells which pages of a library others have used"},
    {"pkey_mprotect remap_file_pages mbind set_mempolicy get_mempolicy membarrier", ABSENT, ANY,
     "numerical libraries try, and do without"},
    {"personality",
     ALLOW,
     {IS(0, INT, INT)},
     "only asks; a value could make all memory executable"},

    /* ---- threads and processes: as many as RLIMIT_NPROC says, in its own PID namespace ---- */
    {"clone", ALLOW, {IS(0, NEW_SPACES | ODD_KIN, 0)}, "threads and plain children"},
    {"clone", TRAP, {NOT(0, NEW_SPACES, 0)}, "a namespace of its own makes it privileged in there"},
    {"unshare setns", TRAP, ANY, "the same, by another door"},
    {"clone3", ABSENT, ANY, "its flags are behind a pointer; libc falls back to clone"},
    {"fork vfork wait4 waitid exit exit_group", ALLOW, ANY, "children, and their end"},
    {"execve execveat", REFUSE, ANY, "no program but this one"},
    {"futex", ALLOW, {IS(1, WHICH_OP & ~UINT64_C(1), FUTEX_WAIT)}, "locks: wait and wake"},
    {"futex", ALLOW, {IS(1, WHICH_OP & ~UINT64_C(1), FUTEX_CMP_REQUEUE)}, "and wake-op"},
    {"futex", ALLOW, {IS(1, WHICH_OP, FUTEX_WAIT_BITSET)}, "locks with a deadline"},
    {"futex",
     ALLOW,
     {IS(1, WHICH_OP, FUTEX_WAKE_BITSET)},
     "the other half; the priority-inheriting ones, with their history of holes, stay closed"},
    {"set_robust_list get_robust_list rseq set_tid_address", ALLOW, ANY, "libc starts a thread"},
    {"kill tkill tgkill", ALLOW, ANY, "there is nobody else in its PID namespace"},
    {"rt_sigaction", ALLOW, {NOT(0, SIGNAL, SIGSYS)}, "the signal module"},
    {"rt_sigaction", REFUSE, {IS(0, SIGNAL, SIGSYS)}, "ours: it tells which call ended the run"},
    {"rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigsuspend rt_sigreturn sigaltstack pause "
     "restart_syscall",
     ALLOW, ANY, "signals: blocking SIGSYS does not help against TRAP"},
    {"getpid getppid gettid getpgrp getpgid getsid setsid setpgid getuid geteuid getgid getegid "
     "getgroups getresuid getresgid capget",
     ALLOW, ANY, "who it is; sessions and groups of its own PID namespace"},
    {"setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset",
     REFUSE, ANY, "it stays who it is"},
    {"sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max "
     "sched_get_priority_min sched_rr_get_interval getpriority getcpu",
     ALLOW, ANY, "os.cpu_count, thread pools"},
    {"sched_setaffinity sched_setparam sched_setscheduler sched_setattr setpriority ioprio_set",
     REFUSE, ANY, "its share of the machine is not its choice"},
    {"getrlimit setrlimit prlimit64 getrusage times", ALLOW, ANY,
     "limits are only ever lowered: raising needs a capability"},
    {"prctl", ALLOW, {IS(0, INT, PR_SET_NAME)}, "names of threads"},
    {"prctl", ALLOW, {IS(0, INT, PR_GET_NAME)}, "names of threads"},
    {"prctl", ALLOW, {IS(0, INT, PR_GET_DUMPABLE)}, "only asks"},
    {"prctl", ALLOW, {IS(0, INT, PR_GET_NO_NEW_PRIVS)}, "only asks"},
    {"prctl", ALLOW, {IS(0, INT, PR_GET_SECCOMP)}, "only asks"},
    {"prctl", ALLOW, {IS(0, INT, PR_CAPBSET_READ)}, "only asks"},
    {"prctl", REFUSE, {IS(0, INT, PR_SET_DUMPABLE)}, "cores, and tracing by its own kind"},
    {"prctl", REFUSE, {IS(0, INT, PR_SET_SECCOMP)}, "filters are the engine's"},
    {"prctl", REFUSE, {IS(0, INT, PR_SET_MM)}, "rewrites what the kernel says about the process"},
    {"seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self", REFUSE, ANY,
     "walls are the engine's"},

    /* ---- time, chance, the machine ---- */
    {"clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getitimer setitimer "
     "alarm",
     ALLOW, ANY, "the time and time.sleep; the first mostly without any call"},
    {"clock_settime settimeofday clock_adjtime adjtimex", REFUSE, ANY, "the host's clock"},
    {"getrandom uname", ALLOW, ANY, "random, secrets, platform"},
    {"sysinfo", ABSENT, ANY, "the load and memory of the host, that is of all other sandboxes"},

    /* ---- sockets and shared objects: it talks to nobody ---- */
    {"socket", REFUSE, {IS(0, INT, AF_UNIX)}, "there is no network"},
    {"socket", REFUSE, {IS(0, INT, AF_INET)}, "there is no network"},
    {"socket", REFUSE, {IS(0, INT, AF_INET6)}, "there is no network"},
    {"socket", REFUSE, {IS(0, INT, AF_NETLINK)}, "libc looks for addresses with it"},
    {"socket", TRAP, {IS(0, INT, FAMILY_ALG)}, "the kernel's cryptography, a way into it"},
    {"socket", TRAP, {IS(0, INT, FAMILY_VSOCK)}, "the hypervisor, past network namespaces"},
    {"socket", TRAP, {IS(0, INT, AF_PACKET)}, "raw frames"},
    {"socketpair bind connect listen accept accept4 sendto recvfrom sendmsg recvmsg sendmmsg "
     "recvmmsg shutdown getsockname getpeername setsockopt getsockopt",
     REFUSE, ANY, "the channel is read and written, nothing else; no descriptors leave by it"},
    {"shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open "
     "mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
     REFUSE, ANY, "kernel memory that no limit counts"},

    /* ---- never honest ---- */
    {"ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise process_mrelease",
     TRAP, ANY, "hands on the memory and descriptors of other processes"},
    {"bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register "
     "fanotify_init "
     "fanotify_mark",
     TRAP, ANY,
     "large parts of the kernel with a history of holes; io_uring passes by this filter"},
    {"init_module finit_module delete_module kexec_load kexec_file_load reboot", TRAP, ANY,
     "another kernel"},
    {"mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount "
     "mount_setattr",
     TRAP, ANY, "another root"},
    {"open_by_handle_at name_to_handle_at", TRAP, ANY, "opens files by number, past every root"},
    {"add_key request_key keyctl", TRAP, ANY, "keys belong to users, not to namespaces"},
    {"swapon swapoff quotactl quotactl_fd acct syslog sethostname setdomainname vhangup "
     "lookup_dcookie nfsservctl",
     TRAP, ANY, "administration"},
    {"iopl ioperm modify_ldt uselib _sysctl create_module query_module get_kernel_syms", TRAP, ANY,
     "bare hardware, and leftovers of old kernels"},
};

const struct sys_table syscalls_strict = {
    .rules = strict_rules,
    .count = ARRAY_LEN(strict_rules),
    .otherwise = SYS_ABSENT,
    .foreign = SYS_TRAP,
};
