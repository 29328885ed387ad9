# Writes half a gigabyte to each stream.
import os
for fd in (1, 2):
    total = 0
    while total < 512 << 20:
        total += os.write(fd, b"a" * 65536)
