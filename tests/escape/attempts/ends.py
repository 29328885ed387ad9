# SPDX-License-Identifier: Apache-2.0
"""
Attempts on what is finite and on the answer itself: limits, the supervisor (what ends a run
and what is believed of it), and the interpreter wall.
"""

from .row import CRASHED, ERROR, LIMIT, REFUSED, TIMEOUT, Row, Why, reached

ITSELF = Why("the supervisor is the engine and the keeper themselves: there is no run without them")

THREADS = """
import threading, time
go = threading.Event()
def one():
    go.wait(3)
made = 0
try:
    for _ in range(60):
        threading.Thread(target=one, daemon=True).start()
        made += 1
    time.sleep(0.5)
finally:
    go.set()
result["reached"] = made == 60
"""

TREE = """
import time
for _ in range(40):
    if os.fork() == 0:
        time.sleep(1.5)
        os._exit(0)
time.sleep(0.5)
result["reached"] = True
"""

TIMERS = """
made = 0
for _ in range(300):
    libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0 and (made := made + 1)
result["reached"] = made == 300
"""

LIMITS = [
    ("memory", "libc.malloc.restype = ctypes.c_void_p\nresult['reached'] = bool(libc.malloc(ctypes.c_size_t(700 << 20)))", (REFUSED, LIMIT)),
    ("memory, mapped", "at = libc.mmap(None, 700 << 20, 3, 0x22, -1, 0)\nresult['reached'] = at != 2**64 - 1",
     (REFUSED, LIMIT)),
    ("descriptors", reached("[os.dup(0) for _ in range(200)]"), REFUSED),
    ("one large file", "with open('large', 'wb') as f:\n    f.truncate(64 << 20)\n    result['reached'] = True",
     (REFUSED, CRASHED, LIMIT)),
    ("threads", THREADS, (REFUSED, LIMIT)),
    ("processes", TREE, (REFUSED, LIMIT)),
    ("timers", TIMERS, REFUSED),
    ("locked memory", reached("libc.mlock(ctypes.c_void_p(mmap(3, 0x22)), 4096) == 0 and "
                              "libc.mlock(ctypes.create_string_buffer(1 << 20), 1 << 20) == 0"), REFUSED),
    ("raise a limit", "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))\nresult['reached'] = True",
     REFUSED),
    ("a message queue", "import resource\nresult['reached'] = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1] > 0",
     REFUSED),
]

DAEMON = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(30)
    os._exit(0)
"""

# Name, program, its end with all walls, and with none but the supervisor.
SUPERVISED = [
    ("exhaustion", "never ends", "while True:\n    pass", TIMEOUT, TIMEOUT),
    ("exhaustion", "sleeps", "import time\ntime.sleep(60)", TIMEOUT, TIMEOUT),
    ("exhaustion", "endless output", "while True:\n    os.write(1, b'x' * 65536)", TIMEOUT, TIMEOUT),
    ("signals", "ignores every signal",
     "import signal\nfor s in range(1, 65):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n"
     "    except (OSError, ValueError):\n        pass\nwhile True:\n    pass", TIMEOUT, TIMEOUT),
    ("signals", "stops itself", "os.kill(os.getpid(), 19)\nimport time\ntime.sleep(60)",
     (TIMEOUT, REFUSED), TIMEOUT),
    ("processes", "a daemon outlives the answer", DAEMON, REFUSED, REFUSED),
    ("processes", "a daemon outlives a crash", DAEMON + "os._exit(3)", (ERROR, CRASHED), (ERROR, CRASHED)),
    ("processes", "a daemon holds the output", DAEMON + "print('x', flush=True)", REFUSED, REFUSED),
    ("descriptors", "reads what the caller has open",
     "for fd in range(3, 256):\n    try:\n        data = os.pread(fd, 100, 0)\n    except OSError:\n        continue\n"
     "    if host['canary'][::-1].encode() in data:\n        result['reached'] = True", REFUSED, REFUSED),
    ("descriptors", "goes to a directory that the caller has open",
     "for fd in range(3, 256):\n    try:\n        os.fchdir(fd)\n        result['reached'] = True\n"
     "    except OSError:\n        pass", REFUSED, REFUSED),
    ("leaks", "secrets of the caller's environment",
     "result['reached'] = host['secret'][::-1] in ctypes.string_at(ctypes.cast(ctypes.c_void_p.in_dll(libc, 'environ').value, "
     "ctypes.POINTER(ctypes.c_char_p))[0]).decode() if ctypes.c_void_p.in_dll(libc, 'environ').value and ctypes.cast("
     "ctypes.c_void_p.in_dll(libc, 'environ').value, ctypes.POINTER(ctypes.c_char_p))[0] else "
     "any(host['secret'][::-1] in v for v in os.environ.values())", REFUSED, REFUSED),
    ("result channel", "forges an answer on stdout",
     "os.write(1, b'\\n{\"status\": \"ok\", \"forged\": 1}\\n')", REFUSED, REFUSED),
    ("result channel", "forges a frame and leaves",
     "for fd in range(3, 16):\n    try:\n        os.write(fd, b'{\"status\": \"ok\", \"result\": {\"forged\": 1}}' * 50)\n"
     "    except OSError:\n        pass\nos._exit(0)", (ERROR, CRASHED), (ERROR, CRASHED)),
    ("result channel", "leaves as if all were well", "os._exit(0)", (ERROR, CRASHED), (ERROR, CRASHED)),
    ("result channel", "closes every descriptor", "os.closerange(0, 1024)\nos._exit(0)", (ERROR, CRASHED), (ERROR, CRASHED)),
    ("result channel", "crashes", "ctypes.string_at(8)", CRASHED, CRASHED),
    ("result channel", "a deep result",
     "a = []\nfor _ in range(100000):\n    a = [a]\nresult['a'] = a", (ERROR, CRASHED, LIMIT), (ERROR, CRASHED, LIMIT)),
    ("result channel", "a huge result", "result['a'] = 'x' * (40 << 20)", (ERROR, LIMIT), (ERROR, LIMIT)),
    ("result channel", "a lone surrogate", "result['a'] = '\\ud800'", (REFUSED, ERROR), (REFUSED, ERROR)),
    ("result channel", "output that is no text", "os.write(1, bytes(range(256)) * 64)", REFUSED, REFUSED),
]

INTERPRETED = [
    ("files", "open", "open('/etc/passwd').read()"),
    ("files", "os", "__import__('os').listdir('/')"),
    ("files", "io", "__import__('io').open('/etc/passwd').read()"),
    ("files", "codecs", "__import__('codecs').open('/etc/passwd').read()"),
    ("files", "pathlib", "__import__('pathlib').Path('/etc/passwd').read_text()"),
    ("files", "shutil", "__import__('shutil').copy('/etc/passwd', 'x')"),
    ("processes", "subprocess", "__import__('subprocess').Popen"),
    ("processes", "_posixsubprocess", "__import__('_posixsubprocess').fork_exec"),
    ("processes", "multiprocessing", "__import__('multiprocessing').Process"),
    ("raw calls", "ctypes", "__import__('ctypes').CDLL(None).getpid()"),
    ("raw calls", "_ctypes", "__import__('_ctypes').dlopen(None, 0)"),
    ("executable memory", "mmap", "__import__('mmap').mmap(-1, 4096, prot=5)"),
    ("socket families", "socket", "__import__('socket').socket()"),
    ("signals", "signal", "[__import__('signal').raise_signal(0)]"),
    ("descriptors", "fcntl", "__import__('fcntl').fcntl(0, 1)"),
    ("leaks", "the worker's frames", "__import__('sys')._getframe"),
]


def rows():
    for name, code, held in LIMITS:
        yield Row("exhaustion", "limits", name, code, held)
    for family, name, code, held, alone in SUPERVISED:
        yield Row(family, "supervisor", name, code, held, alone, without=ITSELF)
    for family, name, expression in INTERPRETED:
        yield Row(family, "interpreter", name, reached(f"[{expression}]"))
