# Leaves a grandchild in a session of its own, with everything closed.
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        time.sleep(20)
    os._exit(0)
os.wait()
