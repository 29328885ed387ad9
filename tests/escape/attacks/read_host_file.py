# Reads a host file by its path, through links, and through dot-dot.
import os
target = input_data["canary_file"]
os.symlink(target, "link")
for path in (target, "link", "../" * 40 + target.lstrip("/"), "/proc/self/root" + target, "/proc/self/cwd/" + "../" * 40 + target, "//" + target):
    try:
        if input_data["canary"].encode() in os.read(os.open(path, os.O_RDONLY), 200):
            result["achieved"] = path
    except OSError:
        pass
