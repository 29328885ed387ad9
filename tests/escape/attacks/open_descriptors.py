# Holds a thousand descriptors.
import os, resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
except (OSError, ValueError):
    pass
fds = []
try:
    for _ in range(1000):
        fds.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
if len(fds) >= 1000 or hard > 64:
    result["achieved"] = [len(fds), hard]
