# Sends a signal to processes outside.
import os, signal
for pid in (input_data["canary_pid"], 2, 3, 4):
    try:
        os.kill(pid, 0)
        result["achieved"] = pid
    except OSError:
        pass
    try:
        os.close(os.pidfd_open(pid))
        result["achieved"] = ["pidfd", pid]
    except OSError:
        pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
