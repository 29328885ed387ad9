# The way from len to a program without an import: there is no program to run.
spawn = None
for module in __import__("sys").modules.values():
    spawn = spawn or getattr(module, "fork_exec", None)
import os
r, w = os.pipe()
e_r, e_w = os.pipe()
for program in (b"/bin/sh", b"/usr/bin/env", b"/bin/busybox", b"/usr/bin/id"):
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(w, 1)
            os.execve(program, [program, b"-c", b"echo walked"], {})
        except OSError:
            os._exit(9)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 9:
        result["achieved"] = program.decode()
