# Holds more in files than the working directory's cap.
import os
total = 0
try:
    for i in range(40):
        fd = os.open(f"f{i}", os.O_CREAT | os.O_WRONLY)
        for _ in range(2):
            total += os.write(fd, b"\xa5" * (1 << 20))
except OSError:
    pass
if total > 17 << 20:
    result["achieved"] = total
