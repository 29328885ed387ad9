# SPDX-License-Identifier: Apache-2.0
"""
The engine believes nothing that comes from a sandbox. With the interpreter wall down the
code below finds the channel and writes what it likes on it: it can spoil its own answer,
and nothing else. Exit status 0 is no answer, and running out is told for what it is.
"""

import json
import os
import subprocess
import time

import pytest

from support import KERNEL, SANITIZED, SLOW, Many, adopt_orphans, build_host, helper_dir_of, left_behind, without_gate

run = without_gate

# Every socket the sandbox holds: its channel to the engine is one of them.
PRELUDE = """
import os, socket, stat, struct, sys, time, json
READY, FAILED, RESULT, END, REQUEST = 0x43510002, 0x43510003, 0x43510004, 0x43510005, 0x43510001
def fds(kind):
    found = []
    for fd in range(3, 256):
        try:
            if kind(os.fstat(fd).st_mode):
                found.append(fd)
        except OSError:
            pass
    return found
def send(data):
    for fd in fds(stat.S_ISSOCK):
        os.set_blocking(fd, True)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view):]
def head(kind, size, reserved=0):
    return struct.pack("=IIQ", kind, reserved, size)
def frame(kind, body=b""):
    return head(kind, len(body)) + body
OK = frame(END, b'{"outcome": "ok", "notes": []}')
result["honest"] = True
"""

HONEST = "print('honest')\nresult = {'n': %d, 'sum': sum(range(1000))}"


@pytest.fixture(scope="module")
def many(cordon, tmp_path_factory):
    return Many(cordon, tmp_path_factory.mktemp("many"))


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


def strict(text):
    """What any JSON reader must take: no duplicate names, no constants, valid UTF-8."""

    def no_constant(name):
        raise AssertionError(f"not JSON: {name}")

    def no_twice(pairs):
        names = [k for k, _ in pairs]
        assert len(names) == len(set(names)), names
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_twice)


# name: (code, statuses that may come of it; "ok" only where an ok answer was well formed)
WRITES = {
    "rubbish": ("send(b'{\"status\": \"ok\"}\\n' * 10)", {"error", "crashed"}),
    "zeros": ("send(bytes(64))", {"error", "crashed"}),
    "ones": ("send(b'\\xff' * 64)", {"error", "crashed"}),
    "one byte": ("send(b'\\x04')", {"error", "crashed"}),
    "head alone, then gone": ("send(head(END, 10))\nos._exit(0)", {"error", "crashed"}),
    "half a head, then gone": ("send(head(END, 10)[:7])\nos._exit(0)", {"error", "crashed"}),
    "torn result, then gone": ("send(head(RESULT, 100) + b'{')\nos._exit(0)", {"error", "crashed"}),
    "torn end, then silence": ("send(head(END, 100) + b'{')\ntime.sleep(60)", {"timeout", "crashed", "error"}),
    "result without end": ("send(frame(RESULT, b'{}'))\nos._exit(0)", {"error", "crashed"}),
    "end without result": ("send(OK)\nos._exit(0)", {"error", "crashed"}),
    "oversized result": ("send(head(RESULT, 17 << 20))", {"limit", "error", "crashed"}),
    "huge result": ("send(head(RESULT, 1 << 63))", {"limit", "error", "crashed"}),
    "largest result": ("send(head(RESULT, (1 << 64) - 1))", {"limit", "error", "crashed"}),
    "oversized end": ("send(head(END, 1 << 40))", {"error", "crashed"}),
    "reserved bits": ("send(head(END, 2, 1) + b'{}')", {"error", "crashed"}),
    "second readiness": ("send(frame(READY))", {"error", "crashed"}),
    "late failure": ("send(frame(FAILED, bytes(616)))", {"error", "crashed"}),
    "a request": ("send(frame(REQUEST, bytes(32)))", {"error", "crashed"}),
    "second result": ("send(frame(RESULT, b'{\"forged\": 1}') * 2 + OK)", {"error", "crashed"}),
    "answer, then another": ("send(frame(RESULT, b'{\"own\": 1}') + OK + frame(RESULT, b'{\"late\": 1}') + OK)", {"ok"}),
    "answer, then an honest one": ("send(frame(RESULT, b'{\"own\": 1}') + OK)", {"ok"}),
    "answer, then exit 0": ("send(frame(RESULT, b'{\"own\": 1}') + OK)\nos._exit(0)", {"ok"}),
    "answer, then exit 3": ("send(frame(RESULT, b'{\"own\": 1}') + OK)\nos._exit(3)", {"ok", "error", "crashed"}),
    "answer, then a loop": ("send(frame(RESULT, b'{\"own\": 1}') + OK)\nwhile True: pass", {"ok"}),
    # An envelope is one line, and one line is all that the host of these tests reads of it.
    "answer of several lines": ("send(frame(RESULT, b'{\\n\"own\":\\r\\n1}\\n') + OK)\nos._exit(0)", {"ok"}),
    "answer in single bytes": ("for b in frame(RESULT, b'{\"own\": 1}') + OK:\n    send(bytes([b]))", {"ok"}),
    "answer, then rubbish": ("send(frame(RESULT, b'{\"own\": 1}') + OK + b'\\xff' * 100000)\nos._exit(0)", {"ok"}),
    "closed channel": ("for fd in fds(stat.S_ISSOCK):\n    os.close(fd)", {"error", "crashed"}),
    "shut channel": ("for fd in fds(stat.S_ISSOCK):\n    socket.socket(fileno=fd).shutdown(socket.SHUT_RDWR)", {"error", "crashed"}),
    "closed everything": ("os.closerange(0, 256)", {"error", "crashed"}),
    "closed everything, then waits": ("os.closerange(0, 256)\ntime.sleep(60)", {"timeout", "error", "crashed"}),
    "exit 0": ("os._exit(0)", {"error", "crashed"}),
    "exit 3": ("os._exit(3)", {"error", "crashed"}),
    "killed by itself": ("import ctypes\nctypes.string_at(0)", {"crashed"}),
    "descriptors": (
        "for fd in fds(stat.S_ISSOCK):\n    s = socket.socket(fileno=os.dup(fd))\n"
        "    try:\n        socket.send_fds(s, b'x', [0, 1, 2] * 20)\n    except OSError: pass",
        {"error", "crashed"},
    ),
}

RESULTS = {
    "not JSON": b"{",
    "two values": b"{} {}",
    "nothing": b"",
    "a list": b"[1]",
    "a number": b"5",
    "null": b"null",
    "NaN": b'{"a": NaN}',
    "trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "not UTF-8": b'{"a": "\xff"}',
    "surrogate bytes": b'{"a": "\xed\xa0\x80"}',
    "overlong": b'{"a": "\xc0\xaf"}',
    "control character": b'{"a": "\x01"}',
    "NUL": b'{"a": 1}\x00',
    "newline inside": b'{"a": "x\ny"}',
    "deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep lists": b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "comment": b"{} // x",
    "bad escape": b'{"a": "\\x"}',
    "bad number": b'{"a": 01}',
    "splice": b'{}, "status": "ok", "forged": 1',
}

ENDS = {
    "not JSON": b"{",
    "nothing": b"",
    "a list": b"[]",
    "no outcome": b"{}",
    "unknown outcome": b'{"outcome": "needs_approval"}',
    "outcome of another type": b'{"outcome": 5}',
    "not UTF-8": b'{"outcome": "exception", "message": "\xff"}',
    "deep": b"[" * 200_000,
    "twice": b'{"outcome": "ok", "outcome": "exception", "message": "x"}',
}

# Well-formed ends that lie about everything else: taken, with what is silly left out.
LIES = {
    "types": {"outcome": "exception", "message": 5, "type": [], "line": "x", "traceback": {}, "notes": 7},
    "lines": {"outcome": "exception", "message": "m", "type": "T", "line": -5},
    "huge line": {"outcome": "exception", "message": "m", "type": "T", "line": 2**62},
    "limit": {"outcome": "limit", "message": "m", "limit": "everything"},
    "notes": {"outcome": "exception", "message": "m", "type": "T", "notes": [1, None, {"a": []}, "note"]},
    "long": {"outcome": "exception", "message": "m" * 200_000, "type": "t" * 100_000, "traceback": "b" * 200_000},
    "control": {"outcome": "exception", "message": "a\0b\n\x1b[31m", "type": "T\0\n", "line": 1},
    "internal": {"outcome": "internal", "message": "not true"},
    "unknown members": {"outcome": "exception", "message": "m", "status": "ok", "forged": 1},
}


def test_whatever_it_writes_it_spoils_its_own_answer_only(many):
    """All of them in one engine, honest runs between them."""
    names = list(WRITES)
    codes = []
    for i, name in enumerate(names):
        codes += [PRELUDE + WRITES[name][0], HONEST % i]
    envelopes = many(codes, width=6, timeout_ms=3000, drop="interpreter")
    for i, name in enumerate(names):
        hostile, honest = envelopes[2 * i], envelopes[2 * i + 1]
        assert hostile["status"] in WRITES[name][1], (name, hostile)
        if hostile["status"] == "ok":
            assert hostile["result"] == {"own": 1}, (name, hostile)
        else:
            assert hostile["result"] is None and hostile["error"]["message"], (name, hostile)
        assert honest["status"] == "ok" and honest["stdout"] == "honest\n", (name, honest)
        assert honest["result"] == {"n": i, "sum": 499500}, (name, honest)
    assert left_behind() == []


def test_a_forged_result_is_json_or_no_result(cordon, many):
    codes = [PRELUDE + f"send(frame(RESULT, {body!r}) + OK)\nos._exit(0)" for body in RESULTS.values()]
    for name, envelope in zip(RESULTS, many(codes, timeout_ms=5000, drop="interpreter")):
        assert envelope["status"] in ("error", "crashed"), (name, str(envelope)[:500])
        assert envelope["result"] is None, name


@pytest.mark.parametrize("name", ["splice", "NaN", "surrogate bytes", "deep lists"])
def test_the_envelope_stays_one_line_of_strict_json(cordon, name):
    code = PRELUDE + f"send(frame(RESULT, {RESULTS[name]!r}) + OK)\nos._exit(0)"
    ran = cordon("run", "--json", *KERNEL, "-", stdin=code)
    envelope = strict(ran.out)
    assert "forged" not in envelope and ran.out.count(b"\n") == 1 and ran.code == 1


def test_a_forged_end_is_an_object_that_makes_sense_or_none(many):
    codes = [PRELUDE + f"send(frame(RESULT, b'{{}}') + frame(END, {body!r}))\nos._exit(0)" for body in ENDS.values()]
    for name, envelope in zip(ENDS, many(codes, timeout_ms=5000, drop="interpreter")):
        assert envelope["status"] in ("error", "crashed"), (name, str(envelope)[:500])


def test_a_lying_end_is_bounded_and_cannot_add_members(many):
    members = set(many(["result = {}"])[0])
    codes = [PRELUDE + f"send(frame(END, json.dumps({lie!r}).encode()))\nos._exit(0)" for lie in LIES.values()]
    for name, envelope in zip(LIES, many(codes, timeout_ms=5000, drop="interpreter")):
        assert set(envelope) == members, name
        assert envelope["status"] in ("error", "limit", "crashed"), (name, str(envelope)[:500])
        error = envelope["error"]
        assert set(error) <= {"kind", "message", "type", "line", "traceback", "limit"}, name
        assert isinstance(error["message"], str) and error["message"], name
        assert error.get("line") is None or 1 <= error["line"] < 2**31, (name, error.get("line"))
        assert all(isinstance(note, str) for note in envelope["notes"]), name
        assert error.get("limit") in (None, "memory", "processes", "cpu", "disk", "files", "result"), name


ENDLESS = {
    "channel zeros": "while True: send(bytes(1 << 20))",
    "channel result": "send(head(RESULT, 1 << 62))\nwhile True: send(b'x' * (1 << 20))",
    "after the end": "send(frame(RESULT, b'{\"own\": 1}') + OK)\nwhile True: send(b'x' * (1 << 20))",
    "many small frames": "send(frame(RESULT, b'{}'))\nwhile True: send(frame(READY) * 1000)",
    "every pipe": "n = 0\nwhile True:\n    for fd in fds(stat.S_ISFIFO):\n        os.set_blocking(fd, False)\n        try: os.write(fd, b'y' * 65536)\n        except OSError: pass",
    "descriptors": "while True:\n    for fd in fds(stat.S_ISSOCK):\n        socket.send_fds(socket.socket(fileno=os.dup(fd)), b'z' * 4096, [0] * 50)",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_endless_writes_cost_the_engine_no_memory(cordon, name):
    """The process's own peak: a limit on its address space would only hide a leak."""
    code = PRELUDE + ENDLESS[name]
    watch = (
        "import os, resource, subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdin=0)\n"
        "_, _, usage = os.wait4(p.pid, 0)\n"
        "print(usage.ru_maxrss, file=sys.stderr)\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        ["python3", "-c", watch, cordon.path, "run", "--json", *KERNEL, "--timeout", "1", "-"],
        input=code.encode(),
        capture_output=True,
        timeout=60 * SLOW,
        check=False,
    )
    envelope = strict(done.stdout)
    peak_mib = int(done.stderr.split()[-1]) >> 10
    assert envelope["status"] in ("timeout", "error", "crashed", "limit", "ok"), envelope
    assert envelope["status"] != "ok" or name in ("after the end",)
    assert len(done.stdout) < 20 << 20
    assert peak_mib < 100 * SLOW, peak_mib
    assert time.monotonic() - start < 10 * SLOW
    assert left_behind() == []


FLOOD = """
WARNINGS = 0x43510006
def flood(piece, *to):
    for _ in range(40):
        for fd in to:
            os.write(fd, piece * (65536 // len(piece)))
def many_of(start, value, end, size):
    return start + value * ((size - len(start) - len(end)) // len(value)) + end
def answer(body, end=OK):
    send(frame(RESULT, body) + end)
    time.sleep(1)
END_OF = lambda value: many_of(b'{"outcome": "ok", "notes": [', value + b",", b"1]}", 512 << 10)
BIG_RESULT = many_of(b'{"a": "', b"x", b'"}', 16 << 20)
NO_OBJECTS = frame(WARNINGS, many_of(b'{"warnings": [', b"{},", b"1]}", 1 << 20))
"""

# name: (code, MiB: what the envelope has, where a control character takes six bytes; the text of stdout and
# stderr, and both once more while it is built). 2 more are for END, WARNINGS and the like.
MIB = 1 << 20
COSTS = {
    "bytes": ("flood(b'\\xff', 1, 2)", 2 + 2 + 2.5),
    "NUL": ("flood(b'\\0', 1)", 1 + 1 + 6),
    "half characters": ("flood(b'\\xe2\\x82', 1, 2)", 2 + 2 + 2.5),
    "end of objects": ("send(frame(END, END_OF(b'{}')))\ntime.sleep(1)", 0),
    "end of lists": ("send(frame(END, END_OF(b'[]')))\ntime.sleep(1)", 0),
    "end of strings": ("send(frame(END, END_OF(b'\"\"')))\ntime.sleep(1)", 0),
    "warnings": ("send(NO_OBJECTS + OK)\ntime.sleep(1)", 0),
    "result": ("answer(BIG_RESULT)", 16),
    "result of escapes": ("answer(many_of(b'{\"a\": \"', b'\\\\n', b'\"}', 16 << 20))", 16),
    "result of lists": ("answer(many_of(b'{\"a\": [', b'[],', b'1]}', 16 << 20))", 16),
    "endless string": ("answer(BIG_RESULT[:-2] + b'xx')", 16),
    "endless number": ("answer(many_of(b'{\"a\":', b'1', b'', 16 << 20))", 16),
    "all": ("flood(b'\\xff', 1, 2)\nanswer(BIG_RESULT, NO_OBJECTS + frame(END, END_OF(b'{}')))", 2 + 2 + 2.5 + 16),
}


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps what was freed")
def test_what_hostile_output_costs_the_host_program(cordon, tmp_path):
    codes = [(PRELUDE + FLOOD + code).encode() for code, _ in COSTS.values()]
    done = subprocess.run(
        [build_host(cordon, "peak", tmp_path), helper_dir_of(cordon)],
        input=b"".join(b"%d\n%s" % (len(code), code) for code in codes),
        capture_output=True,
        timeout=60,
        check=True,
        env={k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"},  # it fills what nobody uses
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == len(COSTS)
    for (name, (_, most)), (status, kib, stdout, stderr) in zip(COSTS.items(), lines):
        assert int(stdout) <= MIB and int(stderr) <= MIB, name
        assert int(kib) / 1024 < most + 2, (name, kib, most, status)


TEXT = """
import mmap
def text_fds():
    return [fd for fd in fds(stat.S_ISREG) if os.fstat(fd).st_size >= 32768]
print("kept")
"""


@pytest.mark.parametrize(
    "numbers",
    ["b'\\xff' * 8", "struct.pack('=II', 0, 1 << 31)", "struct.pack('=II', 16384, 0)", "struct.pack('=II', 0, 16385)", "struct.pack('=II', 5, 4)"],
)
@pytest.mark.parametrize("stream", [0, 8 + 16384])
def test_lies_in_the_shared_text_memory(run, numbers, stream):
    """The engine reads what a dead sandbox left there: start and end are not believed."""
    code = f"""
for fd in text_fds():
    try:
        os.pwrite(fd, {numbers}, {stream})
    except OSError:
        m = mmap.mmap(fd, 32784)
        m[{stream}:{stream} + 8] = {numbers}
import ctypes
ctypes.string_at(0)
"""
    envelope = run(PRELUDE + TEXT + code, None, *KERNEL)
    assert envelope["status"] in ("crashed", "error"), envelope
    assert len(envelope["stdout"]) <= 16384 * 4 + 5 and len(envelope["stderr"]) <= 16384 * 4


def test_a_text_memory_that_cannot_shrink(run):
    """Truncated under the engine's reading hand it would be a crash of the engine."""
    code = "for fd in text_fds():\n    try:\n        os.ftruncate(fd, 0)\n        result['shrunk'] = True\n    except OSError:\n        pass\n"
    envelope = run(PRELUDE + TEXT + code, None, *KERNEL)
    assert envelope["status"] == "ok" and envelope["result"] == {"honest": True}
    assert envelope["stdout"] == "kept\n"


# ---- how it died -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, signal",
    [
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
        ("import ctypes\nctypes.memset(1, 0, 10)", "SIGSEGV"),
        ("import os, ctypes\nif os.fork() == 0:\n    ctypes.string_at(0)\nos.wait()\nctypes.string_at(0)", "SIGSEGV"),
    ],
)
def test_a_crash_names_its_signal(cordon, code, signal):
    ran = cordon("run", "--json", *KERNEL, "-", stdin="print('before')\n" + code)
    envelope = json.loads(ran.out)
    assert envelope["status"] == "crashed" and ran.code == 1
    assert signal in envelope["error"]["message"], envelope["error"]
    assert envelope["error"]["kind"] == "crash" and envelope["stdout"] == "before\n"


def test_abort_is_a_crash(run):
    """In the first process of a namespace abort() looks like SIGSEGV."""
    envelope = run("import os\nos.abort()", None, *KERNEL)
    assert envelope["status"] == "crashed" and "SIG" in envelope["error"]["message"]


def test_unlimited_recursion_in_c(run):
    code = """
import sys
sys.setrecursionlimit(1 << 30)
class Deep:
    def __repr__(self):
        return repr(self)
repr(Deep())
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] in ("crashed", "error", "limit"), envelope


# ---- running out --------------------------------------------------------------------------------


def limit(envelope, word):
    assert envelope["status"] == "limit", envelope
    assert envelope["error"]["limit"] == word and envelope["error"]["message"]
    assert envelope["result"] is None
    return envelope["error"]["message"]


@pytest.mark.skipif(SANITIZED, reason="a sanitizer build has no limit on address space")
def test_memory(run):
    assert "512 MiB" in limit(run("x = bytearray(600 << 20)", None, *KERNEL), "memory")
    mapped = "import mmap\nkeep = [mmap.mmap(-1, 1 << 20) for _ in range(2000)]"
    envelope = run(mapped, None, *KERNEL)
    assert envelope["status"] in ("limit", "error"), envelope


def test_a_fork_bomb_is_bounded(run):
    """Its own bound: at most 200 children, gone after two seconds."""
    code = """
import os, time
pids = []
try:
    for _ in range(200):
        pid = os.fork()
        if pid == 0:
            time.sleep(2)
            os._exit(0)
        pids.append(pid)
except OSError as e:
    result["error"] = type(e).__name__
result["children"] = len(pids)
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] == "ok", envelope
    assert envelope["result"] == {"error": "BlockingIOError", "children": 15}
    assert left_behind() == []


def test_a_fork_tree_is_bounded(run):
    code = """
import os, time
r, w = os.pipe()
def grow(depth):
    for _ in range(2):
        try:
            pid = os.fork()
        except OSError:
            os.write(w, b"0")
            continue
        if pid == 0:
            os.write(w, b"1")
            if depth < 7:
                grow(depth + 1)
            time.sleep(1)
            os._exit(0)
grow(1)
time.sleep(0.5)
os.set_blocking(r, False)
result["born"] = os.read(r, 65536).count(b"1")
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] == "ok" and envelope["result"]["born"] <= 30, envelope
    assert left_behind() == []


def test_processes_running_out_is_a_limit(run):
    code = "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(2)\n        os._exit(0)"
    assert "16" in limit(run(code, None, *KERNEL), "processes")


def test_threads_running_out(run):
    code = "import threading, time\nfor _ in range(100):\n    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()"
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] in ("limit", "error"), envelope
    assert envelope["status"] == "error" or envelope["error"]["limit"] == "processes"


def test_disk_running_out_is_a_limit(run):
    code = "import os\nfd = os.open('big', os.O_CREAT | os.O_WRONLY)\nfor _ in range(64):\n    os.write(fd, bytes(1 << 20))"
    assert "16 MiB" in limit(run(code, None, *KERNEL), "disk")


def test_files_running_out_is_a_limit(run):
    code = "import os\nfor i in range(3000):\n    os.close(os.open(str(i), os.O_CREAT | os.O_WRONLY))"
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] == "limit" and envelope["error"]["limit"] in ("files", "disk"), envelope


def test_descriptors_running_out_is_a_limit(run):
    code = "import os\nkeep = [os.open('/dev/null', 0) for _ in range(200)]"
    assert "64" in limit(run(code, None, *KERNEL), "files")
