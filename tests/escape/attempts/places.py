# SPDX-License-Identifier: Apache-2.0
"""
Attempts that Landlock, the root, or the namespaces must hold alone: files of the host,
sockets, processes and objects that others made, names that tell where it runs.
"""

from .row import OTHER_USER, REFUSED, Row, Stopped, Why, reached

# host["file"] may be written to by everybody; host["made"] is not there yet, in a directory
# that everybody may write to.
FILES = [
    ("read", "open(host['file']).read()"),
    ("read a secret", "host['canary'][::-1] in open(host['canary_file']).read()"),
    ("read by a descriptor of the directory",
     "os.read(os.open('canary.txt', 0, dir_fd=os.open(host['folder'], os.O_PATH)), 9)"),
    ("read through a link", "[os.symlink(host['file'], 'l'), open('l').read()]"),
    ("read past its own root", "open('../' * 40 + host['file'][1:]).read()"),
    ("read the users", "open('/etc/passwd').read()"),
    ("list", "os.listdir(host['folder'])"),
    ("list the root", "'boot' in os.listdir('/') or 'root' in os.listdir('/')"),
    ("list the temporary directory", "os.listdir(os.path.dirname(host['folder']))"),
    ("list the devices", "len(os.listdir('/dev')) > 5"),
    ("list the kernel's objects", "os.listdir('/sys')"),
    ("read of another process", "open(f\"/proc/{host['canary_pid']}/cmdline\").read()"),
    ("read of itself", "open('/proc/self/status').read()"),
    ("read of the machine", "open('/proc/meminfo').read()"),
    ("write", "open(host['file'], 'a').write('x')"),
    ("truncate", "[os.truncate(host['file'], 0)]"),
    ("create", "[open(host['made'], 'x').close()]"),
    ("make a directory", "[os.mkdir(host['made'])]"),
    ("remove", "[os.unlink(host['file'])]"),
    ("rename", "[os.rename(host['file'], host['made'])]"),
    ("make a link", "[os.symlink('/', host['made'])]"),
    ("make a pipe", "[os.mkfifo(host['made'])]"),
    ("execute", "spawned('/bin/true')"),
    ("open a device", "os.open('/dev/full', 1)"),
]

ROOTS = [
    ("see that a file is there", "os.path.exists(host['canary_file'])"),
    ("see whose it is", "os.stat(host['canary_file']).st_size"),
    ("connect to a socket's path",
     "(s := __import__('socket').socket(1)) and [s.connect(host['unix_path'])]"),
    ("read shared memory", "open('/dev/shm/' + host['shm_name']).read()"),
    ("go where the caller was", "[os.chdir(host['cwd'])]"),
]

SOCKET = "s = __import__('socket').socket({})\n{}\nresult['reached'] = True"
LANDLOCKED = [
    ("socket families", "TCP connect", SOCKET.format("2", "s.connect(('127.0.0.1', host['tcp_port']))")),
    ("socket families", "TCP bind", SOCKET.format("2", "s.bind(('127.0.0.1', 0))")),
    ("socket families", "TCP6 bind", SOCKET.format("10", "s.bind(('::1', 0))")),
    ("socket families", "abstract", SOCKET.format("1", "s.connect('\\0' + host['abstract'])")),
]

THERE = "kernel({}, 'ESRCH', 'ENOSYS')"  # it is there, whatever the kernel says of it
VECTOR = "vector = (ctypes.c_ulong * 2)(ctypes.addressof(room := ctypes.create_string_buffer(16)), 16)\n"
# Where all walls stand, the call filter comes first.
TRAPPED = {"ptrace a process": Stopped("ptrace"), "read its memory": Stopped("process_vm_readv"),
           "compare with it": Stopped("kcmp")}
SPACES = [
    ("processes", "ptrace a process", THERE.format("call(101, 16, host['canary_pid'], 0, 0)")),
    ("processes", "read its memory", THERE.format(
        "call(310, host['canary_pid'], vector, 1, vector, 1, 0)")),
    ("processes", "open it", THERE.format("call(434, host['canary_pid'], 0)")),
    ("processes", "its session", THERE.format("call(124, host['canary_pid'])")),
    ("processes", "its group", THERE.format("call(121, host['canary_pid'])")),
    ("processes", "its priority", THERE.format("call(140, 0, host['canary_pid'])")),
    ("processes", "its limits", THERE.format("call(302, host['canary_pid'], 7, 0, 0)")),
    ("processes", "its processors", THERE.format("call(204, host['canary_pid'], 8, (ctypes.c_ulong * 1)())")),
    ("processes", "compare with it", THERE.format("call(312, host['canary_pid'], host['canary_pid'], 0, 0, 0)")),
    ("processes", "see its parent", "os.getppid() != 0"),
    ("signals", "signal a process", THERE.format("call(62, host['canary_pid'], 0)")),
    ("signals", "signal a thread", THERE.format("call(200, host['canary_pid'], 0)")),
    ("signals", "queue a signal", THERE.format("call(129, host['canary_pid'], 10, ctypes.create_string_buffer(bytes(8) + bytes.fromhex('ffffffff'), 128))")),
    ("signals", "have the kernel signal it", THERE.format("call(72, os.pipe()[0], 8, host['canary_pid'])")),
    ("socket families", "TCP to the host", "(s := __import__('socket').socket(2)) and [s.connect(('127.0.0.1', host['tcp_port']))]"),
    ("socket families", "UDP to the host", "(s := __import__('socket').socket(2, 2)) and s.sendto(b'x', ('127.0.0.1', 9))"),
    ("socket families", "UDP6 to the host", "(s := __import__('socket').socket(10, 2)) and s.sendto(b'x', ('::1', 9))"),
    ("socket families", "abstract name of the host", "(s := __import__('socket').socket(1)) and [s.connect('\\0' + host['abstract'])]"),
    ("IPC", "shared memory of the host", "isinstance(call(29, host['shm_key'], 0, 0), int)"),
    ("IPC", "semaphores of the host", "isinstance(call(64, host['shm_key'], 0, 0), int)"),
    ("IPC", "message queue of the host", "isinstance(call(68, host['shm_key'], 0), int)"),
    ("IPC", "named queue of the host", "isinstance(call(240, host['queue'].encode(), 0, 0, 0), int)"),
    ("leaks", "the host's name", "os.uname().nodename == host['name']"),
    *(("leaks", f"the host's {kind} namespace",
       f"os.readlink('/proc/self/ns/{kind}') == host['spaces']['{kind}']")
      for kind in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")),
]

# What only two executions together show. A file of its own, an object with a name, a value
# in memory: where is it in the next one?
LEFT = [
    ("a System V object", "namespaces", "call(29, 0x4351, 4096, 0o1666)", "isinstance(call(29, 0x4351, 0, 0), int)", {}),
    ("a message queue", "namespaces", "call(68, 0x4351, 0o1666)", "isinstance(call(68, 0x4351, 0), int)", {}),
    ("semaphores", "namespaces", "call(64, 0x4351, 1, 0o1666)", "isinstance(call(64, 0x4351, 0, 0), int)", {}),
    ("a file in /tmp", "root", "open('/tmp/cordon_leftover', 'w').close()",
     "os.path.exists('/tmp/cordon_leftover')", {}),
    ("a file in /tmp", "landlock", "open('/tmp/cordon_leftover', 'w').close()",
     "os.path.exists('/tmp/cordon_leftover')", {}),
    ("a file in /dev/shm", "root", "open('/dev/shm/cordon_leftover', 'w').close()",
     "os.path.exists('/dev/shm/cordon_leftover')", {}),
    ("a file in /dev/shm", "landlock", "open('/dev/shm/cordon_leftover', 'w').close()",
     "os.path.exists('/dev/shm/cordon_leftover')", {}),
]


def rows():
    for name, expression in FILES:
        for wall in ("landlock", "root"):
            family = "processes" if name in ("execute", "read of another process") else "files"
            ends = {}
            if name == "read of another process" and wall == "root":
                ends = {"without": Why("the PID namespace, which the root stands on, hides it as well")}
            yield Row(family, wall, name, reached(expression), **ends)
    for name, expression in ROOTS:
        yield Row("files", "root", name, reached(expression))
    for family, name, code in LANDLOCKED:
        yield Row(family, "landlock", name, code)
    yield Row("signals", "landlock", "signal a process", reached("call(62, host['canary_pid'], 0) == 0"),
              without=OTHER_USER)
    for family, name, expression in SPACES:
        yield Row(family, "namespaces", name, VECTOR + reached(expression), TRAPPED.get(name, REFUSED), REFUSED)
    for name, wall, first, then, ends in LEFT:
        yield Row("leaks", wall, name, first + "\nresult['left'] = True", second=reached(then), **ends)
