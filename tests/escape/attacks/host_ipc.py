# Finds System V and POSIX memory of the host.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(input_data["shm_key"], 0, 0) >= 0:
    result["achieved"] = "shm"
for path in ("/dev/shm/" + input_data["shm_name"], "/dev/mqueue"):
    if os.path.exists(path):
        result["achieved"] = path
