# Holds a hundred children at once; each is gone after two seconds.
import os, time
pids = []
try:
    for _ in range(100):
        pid = os.fork()
        if pid == 0:
            time.sleep(2)
            os._exit(0)
        pids.append(pid)
except OSError:
    pass
if len(pids) >= 100:
    result["achieved"] = len(pids)
