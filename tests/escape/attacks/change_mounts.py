# Mounts, remounts writable, unmounts, changes the root.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
lib = os.path.dirname(os.__file__).encode()
for name, args in {
    "tmpfs": ("mount", b"none", b"/work", b"tmpfs", 0, None),
    "proc": ("mount", b"proc", b"/work", b"proc", 0, None),
    "remount": ("mount", None, lib, None, 32 | 4096, None),
    "remount root": ("mount", None, b"/", None, 32 | 4096, None),
    "umount": ("umount2", lib, 2),
    "umount root": ("umount2", b"/", 2),
    "chroot": ("chroot", b"."),
    "unshare": ("unshare", 0x00020000),
}.items():
    if getattr(libc, args[0])(*args[1:]) == 0:
        result["achieved"] = name
