# Makes a file where the caller may, or changes one of the library's.
import json, os
places = [input_data["writable"] + "/made", "/tmp/cordon_made", "/var/tmp/cordon_made", "/dev/shm/cordon_made", "/run/cordon_made", "/cordon_made",
          os.path.dirname(os.__file__) + "/cordon_made.py", "/dev/cordon_made"]
for path in places:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
        result["achieved"] = path
    except OSError:
        pass
for path in (os.__file__, json.__cached__ or json.__file__, json.__file__):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
        result["achieved"] = path
    except OSError:
        pass
