# Makes or opens a device other than the harmless ones.
import os, stat
for path in ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/tty", "/dev/console", "/dev/loop0"):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        result["achieved"] = path
    except OSError:
        pass
for kind in (stat.S_IFBLK, stat.S_IFCHR):
    try:
        os.mknod("node", kind | 0o600, os.makedev(1, 3))
        os.close(os.open("node", os.O_RDONLY))
        result["achieved"] = "mknod"
    except OSError:
        pass
