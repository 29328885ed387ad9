# Leaves files behind that hinder removal, and in every temporary place.
import os, tempfile
for base in (".", tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
    try:
        os.makedirs(os.path.join(base, "cordon_leftover/a/b"))
        os.close(os.open(os.path.join(base, "cordon_leftover/a/file"), os.O_CREAT | os.O_WRONLY))
        os.chmod(os.path.join(base, "cordon_leftover/a"), 0)
    except OSError:
        pass
