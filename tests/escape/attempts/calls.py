# SPDX-License-Identifier: Apache-2.0
"""
Attempts that the call filter must hold alone: system calls by their x86-64 numbers, foreign
architectures, sockets, kernel objects, memory as code. With every wall down the kernel
itself has to answer; what it says is no matter, but ENOSYS is: then this kernel lacks it.
"""

from .row import REFUSED, Row, Stopped, Why, reached

BAD = "ctypes.c_void_p(8)"  # no address: the kernel says EFAULT before it asks for a privilege

# Nobody honest makes these calls: the run ends and the answer names the call.
TRAPS = [
    ("processes", "ptrace", "101, 0, 0, 0, 0"),
    ("processes", "process_vm_readv", "310, 1, 0, 0, 0, 0, 0"),
    ("processes", "process_vm_writev", "311, 1, 0, 0, 0, 0, 0"),
    ("processes", "kcmp", "312, 1, 1, 0, 0, 0"),
    ("processes", "process_madvise", "440, -1, 0, 0, 0, 0"),
    ("processes", "process_mrelease", "448, -1, 0"),
    ("processes", "unshare", "272, 0x10000000"),
    ("processes", "setns", "308, -1, 0"),
    ("processes", "clone", "56, 0x10000011, 0, 0, 0, 0"),
    ("descriptors", "pidfd_getfd", "438, -1, 0, 0"),
    ("descriptors", "open_by_handle_at", "304, -1, 0, 0"),
    ("descriptors", "name_to_handle_at", "303, -100, 0, 0, 0, 0"),
    ("descriptors", "fanotify_init", "300, 0, 0"),
    ("descriptors", "fanotify_mark", "301, -1, 0, 0, 0, 0"),
    ("files", "mount", "165, 0, 0, 0, 0, 0"),
    ("files", "umount2", "166, 0, 0"),
    ("files", "pivot_root", "155, 0, 0"),
    ("files", "chroot", "161, b'.'"),
    ("files", "fsopen", "430, 0, 0"),
    ("files", "fsconfig", "431, -1, 0, 0, 0, 0"),
    ("files", "fsmount", "432, -1, 0, 0"),
    ("files", "fspick", "433, -1, 0, 0"),
    ("files", "open_tree", "428, -1, 0, 0"),
    ("files", "move_mount", "429, -1, 0, -1, 0, 0"),
    ("files", "mount_setattr", "442, -1, 0, 0, 0, 0"),
    ("raw calls", "bpf", "321, 0, 0, 0"),
    ("raw calls", "perf_event_open", "298, 0, 0, 0, 0, 0"),
    ("raw calls", "userfaultfd", "323, 0"),
    ("raw calls", "io_uring_setup", "425, 1, 0"),
    ("raw calls", "io_uring_enter", "426, -1, 0, 0, 0, 0, 0"),
    ("raw calls", "io_uring_register", "427, -1, 0, 0, 0"),
    ("raw calls", "init_module", "175, 0, 0, 0"),
    ("raw calls", "finit_module", "313, -1, 0, 0"),
    ("raw calls", "delete_module", "176, 0, 0"),
    ("raw calls", "kexec_load", "246, 0, 99, 0, 0"),
    ("raw calls", "kexec_file_load", "320, -1, -1, 0, 0, 0"),
    ("raw calls", "reboot", "169, 0, 0, 0, 0"),  # not its magic numbers
    ("raw calls", "swapon", "167, 0, 0"),
    ("raw calls", "swapoff", "168, 0"),
    ("raw calls", "quotactl", "179, -1, 0, 0, 0"),
    ("raw calls", "acct", "163, b''"),
    ("raw calls", "syslog", "103, 10, 0, 0"),
    ("raw calls", "sethostname", "170, 0, 0"),
    ("raw calls", "setdomainname", "171, 0, 0"),
    ("raw calls", "vhangup", "153"),
    ("raw calls", "iopl", "172, 3"),
    ("raw calls", "ioperm", "173, 0, 1, 1"),
    ("raw calls", "modify_ldt", "154, 0, 0, 0"),
    ("IPC", "add_key", "248, 0, 0, 0, 0, 0"),
    ("IPC", "request_key", "249, 0, 0, 0, 0"),
    ("IPC", "keyctl", "250, 0, -3, 0, 0, 0"),
    ("socket families", "socket", "41, 38, 5, 0"),
    ("socket families", "socket", "41, 40, 1, 0"),
    ("socket families", "socket", "41, 17, 3, 0"),
    ("result channel", "ioctl", "16, 1, 0x5412, b'x'"),
    ("result channel", "ioctl", "16, 1, 0x541c, b'x'"),
]

# The kernel must have been asked in the end, so that the arguments are such that it does not
# say EPERM itself.
REFUSALS = [
    ("files", "mknod", "call(133, b'fifo', 0o10600, 0)"),
    ("files", "mknodat", "call(259, -100, b'fifo2', 0o10600, 0)"),
    ("files", "setxattr", f"call(188, b'/nothing', b'user.x', {BAD}, 1, 0)"),
    ("files", "chown", "call(92, b'.', -1, -1)"),
    ("files", "openat2", "call(437, -100, b'/', 0, 0)"),
    ("files", "sync_file_range", "call(277, -1, 0, 0, 0)"),
    ("descriptors", "memfd_create", "call(319, b'x', 0)"),
    ("descriptors", "grow a pipe", "call(72, os.pipe()[0], 1031, 1 << 18)"),
    ("descriptors", "sendmsg", "call(46, -1, 0, 0)"),
    ("descriptors", "recvmsg", "call(47, -1, 0, 0)"),
    ("descriptors", "splice", "call(275, -1, 0, -1, 0, 0, 0)"),
    ("descriptors", "tee", "call(276, -1, -1, 0, 1)"),
    ("descriptors", "vmsplice", "call(278, -1, 0, 1, 0)"),
    ("descriptors", "sendfile", "call(40, -1, -1, 0, 0)"),
    ("descriptors", "epoll", "call(291, 0)"),
    ("descriptors", "eventfd", "call(290, 0, 0)"),
    ("descriptors", "inotify", "call(294, 0)"),
    ("descriptors", "timerfd", "call(283, 1, 0)"),
    ("descriptors", "signalfd", "call(289, -1, ctypes.create_string_buffer(8), 8, 0)"),
    ("processes", "execve", "call(59, b'/no/such', 0, 0)"),
    ("processes", "execveat", "call(322, -1, b'', 0, 0, 0x1000)"),
    ("processes", "clone3", "call(435, 0, 0)"),
    ("processes", "pidfd_open", "call(434, os.getpid(), 0)"),
    ("processes", "be dumpable", "call(157, 4, 1)"),
    ("processes", "setresuid", "call(117, -1, -1, -1)"),
    ("processes", "setresgid", "call(119, -1, -1, -1)"),
    ("processes", "setfsuid", "call(122, -1)"),
    ("processes", "capset", f"call(126, {BAD}, 0)"),
    ("processes", "sched_setscheduler", f"call(144, 0, 0, {BAD})"),
    ("processes", "sched_setaffinity", "call(203, 0, 8, (ctypes.c_ulong * 1)(1))"),
    ("processes", "prctl PR_SET_MM", "call(157, 35, 99, 0, 0, 1)"),
    ("processes", "prctl PR_SET_PTRACER", "call(157, 0x59616d61, 0, 0, 0, 0)"),
    ("signals", "replace the filter's handler", "call(13, 31, 0, ctypes.create_string_buffer(64), 8)"),
    ("signals", "kill an own child", "call(62, os.getpid(), 0)"),
    ("raw calls", "seccomp", f"call(317, 2, 0, {BAD})"),
    ("raw calls", "landlock_create_ruleset", "call(444, 0, 0, 1)"),
    ("raw calls", "clock_settime", f"call(227, 0, {BAD})"),
    ("raw calls", "settimeofday", f"call(164, {BAD}, 0)"),
    ("raw calls", "adjtimex", f"call(159, {BAD})"),
    ("raw calls", "sysinfo", "call(99, ctypes.create_string_buffer(512))"),
    ("raw calls", "mincore", "call(27, 0, 0, 0)"),
    ("socket families", "unix", "call(41, 1, 1, 0)"),
    ("socket families", "inet stream", "call(41, 2, 1, 0)"),
    ("socket families", "inet datagram", "call(41, 2, 2, 0)"),
    ("socket families", "inet6", "call(41, 10, 2, 0)"),
    ("socket families", "netlink", "call(41, 16, 3, 0)"),
    ("socket families", "pair", "call(53, 1, 1, 0, (ctypes.c_int * 2)())"),
    ("socket families", "bluetooth", "call(41, 31, 3, 0)"),
    ("socket families", "CAN", "call(41, 29, 3, 1)"),
    ("socket families", "TIPC", "call(41, 30, 1, 0)"),
    ("socket families", "XDP", "call(41, 44, 3, 0)"),
    ("socket families", "SMC", "call(41, 43, 1, 0)"),
    ("IPC", "shmget", "call(29, 0, 4096, 0o1600)"),
    ("IPC", "semget", "call(64, 0, 1, 0o1600)"),
    ("IPC", "msgget", "call(68, 0, 0o1600)"),
    ("IPC", "mq_open", "call(240, b'/', 0, 0, 0)"),
    ("exhaustion", "mlock", "call(149, 0, 0)"),
    ("exhaustion", "shared memory that nobody maps", "call(9, 0, 4096, 3, 0x21, -1, 0)"),
    ("exhaustion", "shared memory of a device", "call(9, 0, 4096, 3, 0x01, os.open('/dev/zero', 0), 0)"),
    ("exhaustion", "locks of bytes", "call(72, os.open('f', 0o102), 6, struct.pack('hhlli', 1, 0, 0, 1, 0))"),
    ("exhaustion", "memory to swap", "call(28, mmap(3, 0x22), 4096, 21)"),
    ("leaks", "a lock of a file that others see", "call(73, os.open(os.__file__, 0), 6)"),
    ("leaks", "has a file of others forgotten", "call(221, os.open(os.__file__, 0), 0, 0, 4)"),
    ("leaks", "pages that others have read", "call(327, os.open(os.__file__, 0), (ctypes.c_ulong * 2)(mmap(3, 0x22), 9), 1, 0, 0, 8)"),
    ("leaks", "pages that others have, too", "call(28, mmap(3, 0x22), 4096, 12)"),
    ("exhaustion", "memfd_secret", "call(447, -1)"),
    ("executable memory", "personality", "call(135, 0x0400000)"),
    ("executable memory", "pkey_mprotect", "call(329, 0, 0, 5, -1)"),
    ("executable memory", "remap_file_pages", "call(216, 1, 0, 0, 0, 0)"),
]

ENDS = {
    "kill an own child": dict(held=Why("its own processes are all that there are: it may")),
    "XDP": dict(without=Why("it takes a capability that no run has: the kernel refuses it, too")),
}

MEMORY = [
    ("anonymous", "mapped(5, 0x22)", {}),
    ("writable and executable", "mapped(7, 0x22)", {}),
    ("shared", "mapped(5, 0x21)", {}),
    ("data becomes code", "libc.mprotect(ctypes.c_void_p(mmap(3, 0x22)), 4096, 5) == 0", {}),
    ("a library, shared", "mapped(5, 1, os.open(os.__file__, 0))", {}),
    ("an own file, shared", "mapped(5, 1, os.open(own(b'x' * 4096), 2))", {}),
]

# 32-bit getpid, and return: code from a file, which no filter can tell from a library.
INT80 = """
code = own(bytes.fromhex("b814000000cd80c3") + bytes(4088))
at = mmap(5, 2, os.open(code, 0))
if at != 2**64 - 1:
    result["said"] = ctypes.CFUNCTYPE(ctypes.c_int)(at)()
    result["reached"] = True
"""

INT80_OPEN = INT80.replace("b814000000", "b805000000")

OTHER = " of another architecture"
X32 = "said = call(0x40000000 + 39)\nresult['reached'] = said != 'ENOSYS'"


# The kernel's own answer for a family that it lacks is EAFNOSUPPORT.
FAMILIES = """
said = {(f, t): call(41, f, t, 0) for f in range(1, 47) for t in (1, 2, 3, 5) if f not in (17, 38, 40)}
result.pop("said")
result["reached"] = any(isinstance(s, int) or s not in ("EPERM", "ENOSYS") for s in said.values())
"""


def rows():
    seen = {}
    for family, name, args in TRAPS:
        seen[name] = seen.get(name, 0) + 1
        called = name if seen[name] == 1 else f"{name} ({seen[name]})"
        code = f"said = call({args})\nresult['reached'] = said not in LACKING"
        yield Row(family, "seccomp", called, code, Stopped(name))
    for family, name, expression in REFUSALS:
        yield Row(family, "seccomp", name, reached(f"kernel({expression})"), **ENDS.get(name, {}))
    for name, expression, ends in MEMORY:
        yield Row("executable memory", "seccomp", name, reached(expression), **ends)
    yield Row("socket families", "seccomp", "every family", FAMILIES)
    # The mount of its own files is noexec: so far it comes only where the filter is alone.
    yield Row("int 0x80", "seccomp", "getpid", INT80, REFUSED, Stopped("getpid" + OTHER))
    yield Row("int 0x80", "seccomp", "open", INT80_OPEN, REFUSED, Stopped("open" + OTHER))
    yield Row("int 0x80", "seccomp", "x32 getpid", X32, Stopped("getpid" + OTHER))
