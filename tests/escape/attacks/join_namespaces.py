# Joins a namespace of another process.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in ("1", "self", str(input_data["canary_pid"])):
    for kind in ("net", "mnt", "user", "uts", "pid"):
        try:
            if libc.setns(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0) == 0:
                result["achieved"] = f"{pid}/{kind}"
        except OSError:
            pass
try:
    if libc.setns(os.pidfd_open(input_data["canary_pid"]), 0x00020000) == 0:
        result["achieved"] = "pidfd"
except OSError:
    pass
