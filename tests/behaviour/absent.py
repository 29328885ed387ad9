#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
absent.py RULE... -- COMMAND...: runs a command as on a kernel, or in a container, that
refuses some system calls. A rule is CALL=ERRNO (landlock_create_ruleset=ENOSYS), or
CALL=ERRNO:MASK, for those calls only whose first argument has all bits of MASK, or
CALL=ABIn: Landlock says that its version is n.
"""

import ctypes
import errno
import os
import subprocess
import sys
import threading

ALLOW = 0x7FFF0000
NOTIFY = 0x7FC00000
ERRNO = 0x00050000
EQUAL = 4
MASKED_EQ = 7


class Compare(ctypes.Structure):
    """struct scmp_arg_cmp"""

    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int),
                ("mask", ctypes.c_uint64), ("value", ctypes.c_uint64)]


class Request(ctypes.Structure):
    """struct seccomp_notif"""

    _fields_ = [("id", ctypes.c_uint64), ("pid", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("nr", ctypes.c_int), ("arch", ctypes.c_uint32), ("ip", ctypes.c_uint64),
                ("args", ctypes.c_uint64 * 6)]


class Response(ctypes.Structure):
    """struct seccomp_notif_resp"""

    _fields_ = [("id", ctypes.c_uint64), ("val", ctypes.c_int64), ("error", ctypes.c_int32),
                ("flags", ctypes.c_uint32)]


def answer(lib, listener, version):
    """Says the version for as long as anybody is left who could ask."""
    request, response = Request(), Response()
    while True:
        ctypes.memset(ctypes.byref(request), 0, ctypes.sizeof(request))
        if lib.seccomp_notify_receive(listener, ctypes.byref(request)) != 0:
            continue  # who asked was killed meanwhile
        response.id, response.val = request.id, version
        lib.seccomp_notify_respond(listener, ctypes.byref(response))


def main():
    cut = sys.argv.index("--")
    command = sys.argv[cut + 1:]
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ALLOW)))
    version = None
    for rule in sys.argv[1:cut]:
        call, what = rule.split("=")
        number = lib.seccomp_syscall_resolve_name(call.encode())
        if what.startswith("ABI"):
            version = int(what[3:])
            action, compare = NOTIFY, Compare(2, EQUAL, 1, 0)  # flags: LANDLOCK_CREATE_RULESET_VERSION
        else:
            what, _, mask = what.partition(":")
            action = ERRNO | getattr(errno, what)
            compare = Compare(0, MASKED_EQ, int(mask, 0), int(mask, 0)) if mask else None
        if lib.seccomp_rule_add_array(context, ctypes.c_uint32(action), number, 1 if compare else 0,
                                      ctypes.byref(compare) if compare else None) != 0:
            sys.exit(f"absent.py: no filter for {rule}")

    if lib.seccomp_load(context) != 0:
        sys.exit("absent.py: the filter cannot be loaded")
    if version is None:
        os.execvp(command[0], command)
    # Who is to be told a version needs somebody who tells it.
    listener = lib.seccomp_notify_fd(context)
    threading.Thread(target=answer, args=(lib, listener, version), daemon=True).start()
    os._exit(subprocess.run(command, check=False).returncode % 256)


if __name__ == "__main__":
    main()
