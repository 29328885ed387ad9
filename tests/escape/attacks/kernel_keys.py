# Leaves a key in a keyring that the caller can search.
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
import os
if os.uname().machine == "x86_64" and libc.syscall(250, 10, -4, b"user", b"cordon-escape-canary", 0) >= 0:
    result["achieved"] = "the caller's keyring"
