# Sees the host's directories, processes or devices in a listing.
import os
for place in ("/", "/home", "/root", "/srv", "/tmp", "/proc", "/sys", "/dev", "/run", os.path.dirname(input_data["canary_file"])):
    try:
        names = os.listdir(place)
    except OSError:
        continue
    if place in ("/home", "/root", "/srv", "/tmp", "/sys", "/run") and names or any(n.isdigit() for n in names) or "sda" in names or "vda" in names:
        result["achieved"] = [place, names[:5]]
    if os.path.basename(input_data["canary_file"]) in names:
        result["achieved"] = place
