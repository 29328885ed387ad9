# Asks for ids and capabilities, and whether a set-user-id program would still give some.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0])):
    try:
        call()
        result["achieved"] = "ids"
    except OSError:
        pass
head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
if libc.capset(head, data) == 0:
    result["achieved"] = "capset"
libc.capget(head, data)
if any(data) or libc.prctl(39, 0, 0, 0, 0) != 1:
    result["achieved"] = ["caps", list(data)]
