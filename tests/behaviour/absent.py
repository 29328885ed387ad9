#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
absent.py RULE... -- COMMAND...: runs a command as on a kernel, or in a container, that
refuses some system calls. A rule is CALL=ERRNO (landlock_create_ruleset=ENOSYS) or
CALL=ERRNO:MASK, for those calls only whose first argument has all bits of MASK.
"""

import ctypes
import errno
import os
import sys

ALLOW = 0x7FFF0000
MASKED_EQ = 7


class Compare(ctypes.Structure):
    """struct scmp_arg_cmp"""

    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int),
                ("mask", ctypes.c_uint64), ("value", ctypes.c_uint64)]


def main():
    cut = sys.argv.index("--")
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ALLOW)))
    for rule in sys.argv[1:cut]:
        call, answer = rule.split("=")
        answer, _, mask = answer.partition(":")
        number = lib.seccomp_syscall_resolve_name(call.encode())
        action = ctypes.c_uint32(0x00050000 | getattr(errno, answer))
        when = Compare(0, MASKED_EQ, int(mask or "0", 0), int(mask or "0", 0))
        if lib.seccomp_rule_add_array(context, action, number, 1 if mask else 0,
                                      ctypes.byref(when)) != 0:
            sys.exit(f"absent.py: no filter for {rule}")
    if lib.seccomp_load(context) != 0:
        sys.exit("absent.py: the filter cannot be loaded")
    os.execvp(sys.argv[cut + 1], sys.argv[cut + 1:])


if __name__ == "__main__":
    main()
