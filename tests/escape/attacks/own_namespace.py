# In a user namespace of its own, where it can make one: does anything come back?
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
lib = os.path.dirname(os.__file__).encode()
r, w = os.pipe()
if os.fork() == 0:
    got = []
    if libc.unshare(0x10000000 | 0x00020000 | 0x40000000) == 0:
        for name, args in {"remount": (None, lib, None, 32 | 4096, None), "remount root": (None, b"/", None, 32 | 4096, None)}.items():
            if libc.mount(*args) == 0:
                got.append(name)
        for place in (lib, b"/", b"/dev/null"):
            if libc.umount2(place, 2) == 0:
                got.append("umount")
        if libc.mount(b"proc", b"/work", b"proc", 0, None) == 0 and any(n.isdigit() for n in os.listdir("/work")):
            got.append("proc")
    os.write(w, ",".join(got).encode() + b".")
    os._exit(0)
os.close(w)
os.wait()
got = os.read(r, 200)
if got not in (b".", b""):  # nothing at all: it was killed for trying
    result["achieved"] = got.decode()
