# Reads through a descriptor that the caller left open.
import os, stat
for fd in range(3, 300):
    try:
        st = os.fstat(fd)
        if stat.S_ISDIR(st.st_mode) or stat.S_ISREG(st.st_mode) and input_data["canary"].encode() in os.pread(fd, 200, 0):
            result["achieved"] = fd
    except OSError:
        pass
