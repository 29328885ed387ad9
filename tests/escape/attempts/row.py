# SPDX-License-Identifier: Apache-2.0
"""
What a row of the escape suite is. A row is data: what is tried, which wall has to hold it
alone, and the three ends that it has to have. Programs end with result["reached"]; the
helpers that they use are PRELUDE.
"""

import ctypes
from typing import NamedTuple

FAMILIES = (
    "files", "descriptors", "processes", "signals", "raw calls", "int 0x80", "executable memory",
    "socket families", "IPC", "leaks", "exhaustion", "result channel",
)

# As in cordon.h. The supervisor has no bit: it is the engine and the keeper themselves.
WALLS = {"gate": 1, "interpreter": 2, "namespaces": 4, "root": 8, "seccomp": 16, "landlock": 32, "limits": 64}

# Ends.
REFUSED = "refused"  # the program ran to its end and did not get it
REACHED = "reached"  # it got it
LIMIT, TIMEOUT, CRASHED, ERROR = "limit", "timeout", "crashed", "error"


class Stopped(str):
    """The call filter ended the run and named this call."""


class Row(NamedTuple):
    family: str
    wall: str
    name: str
    code: str
    held: object = REFUSED  # (a) every wall stands but gate and interpreter
    alone: object = None  # (b) its wall alone; None: as held; a str in Why: not run
    without: object = REACHED  # (c) and that one down as well
    second: str = ""  # of two executions of one engine, the one that looks for what the first left


class Why(str):
    """In place of an end: why this one is not run."""


OTHER_USER = Why("as root the sandbox is another user, whom the kernel refuses by itself")

# Alone it is at work only without namespaces, and those can be done without from 4 on.
LANDLOCK_VERSION = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
TAKES_VERSION = {"abstract": 6, "signal a process": 6}
OLD_KERNEL = Why("this kernel's Landlock is older than what it takes")


def end_of_row(row, case, is_root=True):
    end = getattr(row, case)
    if row.wall == "landlock" and case == "alone" and LANDLOCK_VERSION < TAKES_VERSION.get(row.name, 4):
        return OLD_KERNEL
    if end is OTHER_USER and not is_root:
        return REACHED
    return row.held if case == "alone" and end is None else end


def down(row, case):
    """The walls to take down, as bits."""
    if case == "held":
        return WALLS["gate"] | (0 if row.wall == "interpreter" else WALLS["interpreter"])
    every = sum(WALLS.values())
    if row.wall == "supervisor":
        return every
    if row.wall == "root":  # it stands on the namespaces, which stay in both
        every -= WALLS["namespaces"]
    return every - (WALLS[row.wall] if case == "alone" else 0)


PRELUDE = '''
import ctypes, errno, os, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LACKING = ("ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT")

def call(nr, *args):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(nr), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    result["said"] = errno.errorcode.get(ctypes.get_errno(), "?") if got == -1 else got
    return result["said"]

def kernel(said, *refusals):
    "The kernel itself answered: not what the filter (or the wall named) answers."
    return said not in (refusals or ("EPERM", *LACKING))

def mmap(prot, flags, fd=-1):
    return libc.mmap(None, 4096, prot, flags, fd, 0)

def mapped(prot, flags, fd=-1):
    return mmap(prot, flags, fd) != 2**64 - 1

def own(data, name="own"):
    with open(name, "wb") as f:
        f.write(data)
    return name

def spawned(path, argv=("true",)):
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, list(argv))
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
'''


def program(row, code, host):
    """The whole program: `host` says what there is to be had."""
    plain = row.wall == "interpreter"
    lines = code.strip("\n").split("\n")
    return (
        f"host = {host!r}\nresult['reached'] = False\n"
        + ("" if plain else PRELUDE)
        + "try:\n"
        + "".join(f"    {line}\n" for line in lines)
        + "except Exception as e:\n    result['why'] = repr(e)[:200]\n"
    )


def reached(expression):
    return f"result['reached'] = bool({expression})"
