# Ignores and blocks every signal in a tree of its own and computes past the deadline.
import os, signal
for sig in range(1, 65):
    try:
        signal.signal(sig, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
os.fork()
os.fork()
while True:
    pass
