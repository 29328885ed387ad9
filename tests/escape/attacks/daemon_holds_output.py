# Ends at once but leaves a child that holds the output open for 20 s.
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(20)
    os._exit(0)
