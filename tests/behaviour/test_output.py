# SPDX-License-Identifier: Apache-2.0
"""What the code prints: whole, in order, apart from the result, whatever end it comes to."""

import pytest

from support import KERNEL, SANITIZED, ok, without_gate

run = without_gate

CAP = 1 << 20
BOTH = """
import sys
print("to out")
print("to err", file=sys.stderr)
"""


def streams(envelope):
    return envelope["stdout"], envelope["stderr"]


# ---- apart, and at every end -----------------------------------------------------------------


@pytest.mark.parametrize(
    "end, status",
    [
        ("result['a'] = 1", "ok"),
        ("raise ValueError('x')", "error"),
        ("raise SystemExit(3)", "error"),
        ("result = 5", "error"),
        ("result['x'] = 'a' * (17 << 20)", "limit"),
        pytest.param(
            "x = 'a' * (1 << 40)",
            "limit",
            marks=pytest.mark.skipif(SANITIZED, reason="the sanitizer itself prints a warning"),
        ),
        ("while True: pass", "timeout"),
        ("import time\ntime.sleep(60)", "timeout"),
        ("import ctypes\nctypes.string_at(0)", "crashed"),
        ("import os\nos._exit(0)", ("error", "crashed")),
        ("import os, signal\nsignal.raise_signal(signal.SIGSEGV)\nwhile True: pass", ("crashed", "timeout")),
    ],
)
def test_streams_are_apart_and_come_back_at_every_end(run, end, status):
    envelope = run(BOTH + end, None, *KERNEL, "--timeout", "2")
    assert envelope["status"] in (status if isinstance(status, tuple) else (status,)), envelope
    assert streams(envelope) == ("to out\n", "to err\n")
    assert envelope["truncated"] == {"stdout": False, "stderr": False}


def test_what_is_printed_is_not_the_result(run):
    envelope = run('print(\'{"status": "ok", "result": {"forged": 1}}\')\nresult["a"] = 1')
    assert ok(envelope) == {"a": 1}
    assert envelope["stdout"] == '{"status": "ok", "result": {"forged": 1}}\n'


def test_print_in_all_its_forms(run):
    code = """
print()
print("a", 1, None, [1, "x"], sep="-", end="!\\n")
print("no newline", end="")
print("", end="")
print(" flushed", flush=True)
print("é 😀 \\u2028 \\x00 \\x1b[31m")
print(*range(3), sep=", ")
print("tail", end="")
"""
    assert run(code)["stdout"] == (
        "\na-1-None-[1, 'x']!\nno newline flushed\né 😀 \u2028 \x00 \x1b[31m\n0, 1, 2\ntail"
    )


def test_many_short_prints_keep_their_order(run):
    code = "for i in range(100_000):\n    print(i)\nresult['n'] = i"
    envelope = run(code)
    assert ok(envelope) == {"n": 99_999}
    assert envelope["stdout"] == "".join(f"{i}\n" for i in range(100_000))


def test_prints_of_every_size_keep_their_order(run):
    code = "for n in list(range(0, 300, 7)) + [4095, 4096, 4097, 16383, 16384, 16385, 70_000, 3, 1]:\n    print('x' * n)"
    sizes = [*range(0, 300, 7), 4095, 4096, 4097, 16383, 16384, 16385, 70_000, 3, 1]
    assert run(code)["stdout"] == "".join("x" * n + "\n" for n in sizes)


def test_characters_across_buffer_edges_stay_whole(run):
    for pad in range(4):
        code = f"print('a' * {pad} + '€' * 20_000 + '😀' * 10_000)"
        assert run(code)["stdout"] == "a" * pad + "€" * 20_000 + "😀" * 10_000 + "\n"


# ---- sys.stdout as an object ---------------------------------------------------------------------


def test_stdout_is_a_text_stream(run):
    code = """
import sys, io
out = sys.stdout
result["write"] = out.write("héllo\\n")
out.writelines(["a", "b\\n"])
out.flush()
result.update(tty=out.isatty(), encoding=out.encoding.lower(), fileno=out.fileno(), writable=out.writable(),
              errfileno=sys.stderr.fileno(), same=sys.__stdout__ is out, closed=out.closed)
try:
    out.write(b"bytes")
except TypeError:
    result["type"] = True
"""
    envelope = run(code, None, *KERNEL)
    assert ok(envelope) == {
        "write": 6,
        "tty": False,
        "encoding": "utf-8",
        "fileno": 1,
        "writable": True,
        "errfileno": 2,
        "same": True,
        "closed": False,
        "type": True,
    }
    assert envelope["stdout"] == "héllo\nab\n"


def test_bytes_through_the_buffer_keep_their_place(run):
    code = """
import sys
print("1")
sys.stdout.buffer.write(b"2\\n")
sys.stdout.buffer.flush()
print("3")
"""
    assert run(code, None, *KERNEL)["stdout"] == "1\n2\n3\n"


def test_redirection_and_replacement(run):
    code = """
import sys, io, contextlib
with contextlib.redirect_stdout(io.StringIO()) as f:
    print("caught")
result["caught"] = f.getvalue()
print("err", file=sys.stderr)
sys.stdout = None
print("nowhere")
sys.stdout = sys.__stdout__
print("back")
"""
    envelope = run(code, None, *KERNEL)
    assert ok(envelope) == {"caught": "caught\n"}
    assert streams(envelope) == ("back\n", "err\n")


def test_order_of_print_and_raw_writes_with_flushes(run):
    code = "import os\nfor i in range(50):\n    print('p', i, flush=True)\n    os.write(1, b'w %d\\n' % i)"
    assert run(code, None, *KERNEL)["stdout"] == "".join(f"p {i}\nw {i}\n" for i in range(50))


def test_text_of_c_code(run):
    code = """
import ctypes
libc = ctypes.CDLL(None)
libc.puts(b"from C")
libc.printf(b"%d\\n", 42)
"""
    assert run(code, None, *KERNEL)["stdout"] == "from C\n42\n"


def test_text_of_a_child_process(run):
    code = """
import os
if os.fork() == 0:
    os.write(1, b"child\\n")
    os.write(2, b"child err\\n")
    os._exit(0)
os.wait()
print("parent")
"""
    envelope = run(code, None, *KERNEL)
    assert streams(envelope) == ("child\nparent\n", "child err\n")


def test_text_printed_before_a_fork_is_not_printed_twice(run):
    code = """
import os
print("once")
if os.fork() == 0:
    os._exit(0)
os.wait()
print("end")
"""
    assert run(code, None, *KERNEL)["stdout"] == "once\nend\n"


def test_closing_the_streams_is_no_crash(run):
    envelope = run("import os\nprint('lost or not')\nos.close(1)\nos.close(2)\nprint('x', flush=True)", None, *KERNEL)
    assert envelope["status"] in ("ok", "error"), envelope
    envelope = run("import sys\nsys.stdout.close()\nsys.stderr.close()\nresult['a'] = 1", None, *KERNEL)
    assert envelope["status"] in ("ok", "error"), envelope


# ---- the cap -----------------------------------------------------------------------------------


def test_output_above_its_cap_is_cut_and_the_run_goes_on(run):
    envelope = run("print('x' * 3_000_000)\nprint('more')\nresult['end'] = 1")
    assert ok(envelope) == {"end": 1}
    assert envelope["stdout"] == "x" * CAP
    assert envelope["truncated"] == {"stdout": True, "stderr": False}
    assert any("stdout" in note for note in envelope["notes"]), envelope["notes"]


@pytest.mark.parametrize("pad", range(4))
@pytest.mark.parametrize("char", ["é", "€", "😀"])
def test_the_cut_is_at_a_character_boundary(run, char, pad):
    envelope = run(f"print('a' * {pad} + {char!r} * 600_000)")
    whole = (CAP - pad) // len(char.encode())
    assert envelope["stdout"] == "a" * pad + char * whole
    assert envelope["truncated"]["stdout"] is True


def test_output_of_exactly_its_cap_is_whole(run):
    envelope = run(f"print('x' * {CAP - 1})")
    assert len(envelope["stdout"]) == CAP and envelope["truncated"]["stdout"] is False
    assert envelope["notes"] == []
    envelope = run(f"print('x' * {CAP})")
    assert envelope["stdout"] == "x" * CAP and envelope["truncated"]["stdout"] is True


def test_many_prints_above_the_cap(run):
    envelope = run("for i in range(300_000):\n    print('line', i)\nresult['i'] = i")
    assert ok(envelope) == {"i": 299_999}
    whole = "".join(f"line {i}\n" for i in range(300_000))
    assert envelope["stdout"] == whole[:CAP]


def test_each_stream_has_a_cap_of_its_own(run):
    code = "import sys\nprint('e' * 2_000_000, file=sys.stderr)\nprint('out')"
    envelope = run(code, None, *KERNEL)
    assert streams(envelope) == ("out\n", "e" * CAP)
    assert envelope["truncated"] == {"stdout": False, "stderr": True}


def test_a_flood_is_taken_without_being_kept(run):
    code = """
import os
block = b"a" * 65536
total = 0
while total < 256 << 20:
    total += os.write(1, block)
result["mib"] = total >> 20
"""
    envelope = run(code, None, *KERNEL)
    assert ok(envelope) == {"mib": 256}
    assert envelope["stdout"] == "a" * CAP


# ---- what is not UTF-8 -----------------------------------------------------------------------------

NOT_UTF8 = [
    b"\xff",
    b"a\xffb",
    b"\xc3(",
    b"\xe2\x82",
    b"\xe2\x28\xa1",
    b"\xf0\x9f\x98",
    b"\xf0\x28\x8c\xbc",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\x80\x81 \xbf",
    b"ok \xe2\x82\xac \xfe\xff \x00 \x7f end",
]


def test_bytes_that_are_not_utf8_are_shown_and_lose_nothing_else(run):
    code = "import os\n" + "".join(f"os.write(1, {raw + bytes([10])!r})\n" for raw in NOT_UTF8)
    envelope = run(code, None, *KERNEL)
    assert ok(envelope) == {}
    assert envelope["stdout"] == (
        "\\xff\na\\xffb\n\\xc3(\n\\xe2\\x82\n\\xe2(\\xa1\n\\xf0\\x9f\\x98\n\\xf0(\\x8c\\xbc\n\\xed\\xa0\\x80\n"
        "\\xc0\\xaf\n\\xe0\\x80\\xaf\n\\xf4\\x90\\x80\\x80\n\\xf5\\x80\\x80\\x80\n\\x80\\x81 \\xbf\n"
        "ok € \\xfe\\xff \x00 \x7f end\n"
    )
    assert envelope["stdout"] == b"".join(r + b"\n" for r in NOT_UTF8).decode("utf-8", "backslashreplace")


def test_every_byte(run):
    envelope = run("import os\nos.write(2, bytes(range(256)))", None, *KERNEL)
    assert envelope["stderr"] == bytes(range(256)).decode("utf-8", "backslashreplace")


def test_a_character_cut_off_at_the_end_is_shown(run):
    envelope = run("import os\nos.write(1, b'x\\xe2\\x82')", None, *KERNEL)
    assert envelope["stdout"] == "x\\xe2\\x82"


def test_a_character_written_in_pieces_is_whole(run):
    code = "import os, time\nfor b in '€😀'.encode():\n    os.write(1, bytes([b]))\n    time.sleep(0.02)"
    assert run(code, None, *KERNEL)["stdout"] == "€😀"


def test_printing_a_lone_surrogate_is_the_codes_affair(run):
    envelope = run("print('before')\nprint('out\\udfff')\nresult['a'] = 1")
    assert envelope["status"] in ("ok", "error"), envelope
    assert envelope["stdout"].startswith("before\n")
    envelope["stdout"].encode("utf-8")
    if envelope["status"] == "error":
        assert envelope["error"]["type"] == "UnicodeEncodeError" and envelope["error"]["line"] == 2
    else:
        assert "out" in envelope["stdout"]


# ---- for a person ------------------------------------------------------------------------------------


def test_without_json_streams_go_where_they_belong(cordon):
    ran = cordon("run", *KERNEL, "-", stdin=BOTH + "result['a'] = 1")
    assert ran.code == 0
    assert ran.stdout.startswith("to out\n") and '"a": 1' in ran.stdout
    assert "to err\n" in ran.stderr and "to err" not in ran.stdout
