# SPDX-License-Identifier: Apache-2.0
"""
What an execution means: the code is its own compilation unit, top-level code of its own
__main__, with `input_data`, `result` and `json` bound, and nothing of the host in sight.
"""

import hashlib
import json
import os
import shutil
import subprocess

import pytest

from support import KERNEL, SANITIZER_NAMES, ok, without_gate

run = without_gate

CODE_CAP = 1 << 20


# ---- the envelope ----------------------------------------------------------------


def test_envelope_has_exactly_the_documented_members(cordon):
    code = "print('hi')\nresult = {'n': 3}\n"
    envelope = json.loads(cordon("run", "--json", "-", stdin=code).out)
    # null: the gate did not run; []: it found nothing.
    assert envelope.pop("warnings") in (None, [])
    usage = envelope.pop("usage")
    assert envelope.pop("limits_by") in ("sampling", "cgroup-v1", "cgroup-v2")
    assert envelope == {
        "status": "ok",
        "result": {"n": 3},
        "stdout": "hi\n",
        "stderr": "",
        "error": None,
        "notes": [],
        "violations": [],
        "profile": "strict",
        "approved": False,
        "level": "full",
        "walls_down": [],
        "code_sha256": hashlib.sha256(code.encode()).hexdigest(),
        "truncated": {"stdout": False, "stderr": False},
    }
    assert set(usage) == {"wall_ms", "cpu_ms", "memory_peak_bytes"}
    assert 0 < usage["wall_ms"] < 30000
    assert 0 <= usage["cpu_ms"] < 30000
    assert 0 <= usage["memory_peak_bytes"] < 64 << 20


def test_walls_taken_down_are_told(cordon):
    ran = cordon("run", "--json", *KERNEL, "-", stdin="result = {}")
    assert {"gate", "interpreter"} <= set(json.loads(ran.out)["walls_down"])
    assert "interpreter" in ran.stderr


# ---- what the code finds -----------------------------------------------------------


def test_names_that_are_bound(run):
    code = """
result["before"] = [input_data, type(input_data).__name__, type(result).__name__, json.dumps([1])]
result["name"] = __name__
if __name__ == "__main__":
    result["main"] = True
"""
    assert ok(run(code)) == {
        "before": [{}, "dict", "dict", "[1]"],
        "name": "__main__",
        "main": True,
    }


def test_result_starts_empty_and_may_be_filled_or_replaced(run):
    assert ok(run("")) == {}
    assert ok(run("# only a comment")) == {}
    assert ok(run("assert result == {}\nresult['a'] = 1")) == {"a": 1}
    assert ok(run("result['a'] = 1\nresult = {'b': 2}")) == {"b": 2}


def test_input_data_arrives_whole(run):
    data = {
        "text": "é 😀 \u2028 \x00 \x7f",
        "list": [1, 2.5, True, None, {"deep": [[]]}],
        "": "empty name",
        "big": 2**200,
    }
    assert ok(run("result = input_data", data)) == data


def test_input_data_arrives_untouched(run):
    text = '{"big": 123456789012345678901234567890, "f": 1.10, "lone": "\\ud800", "nul": "\\u0000"}'
    code = """
result["big"] = input_data["big"] == 123456789012345678901234567890
result["f"] = repr(input_data["f"])
result["lone"] = input_data["lone"] == "\\ud800"
result["nul"] = [ord(c) for c in input_data["nul"]]
result["order"] = list(input_data)
"""
    assert ok(run(code, text)) == {
        "big": True,
        "f": "1.1",
        "lone": True,
        "nul": [0],
        "order": ["big", "f", "lone", "nul"],
    }


def test_input_data_of_many_megabytes(run):
    rows = [{"id": i, "name": "row number %d" % i} for i in range(100_000)]
    code = "result = {'n': len(input_data['rows']), 'last': input_data['rows'][-1]}"
    assert ok(run(code, {"rows": rows})) == {"n": 100_000, "last": rows[-1]}


HIDDEN = "open input breakpoint exit quit help license copyright credits sys io builtins os".split()


def test_names_that_do_not_exist(run):
    code = "".join(
        f"try:\n    {name}\nexcept NameError as e:\n    result[{name!r}] = str(e)\n"
        for name in HIDDEN
    )
    told = ok(run(code))
    assert list(told) == HIDDEN
    for name in HIDDEN:
        assert told[name].startswith(f"name '{name}' is not defined"), told[name]


def test_builtins_that_remain(run):
    code = """
result = {
    "abs": abs(-1), "all": all([1]), "any": any([0]), "ascii": ascii("é"), "bin": bin(5),
    "bool": bool([]), "bytes": bytes(2).hex(), "callable": callable(len), "chr": chr(97),
    "divmod": divmod(7, 2), "enumerate": list(enumerate("a")), "filter": list(filter(None, [0, 1])),
    "format": format(3.14159, ".2f"), "hash": isinstance(hash("a"), int), "hex": hex(255),
    "isinstance": isinstance(1, int), "iter": next(iter([9])), "len": len("abc"),
    "map": list(map(str, [1])), "max": max(1, 2), "min": min(1, 2), "oct": oct(8), "ord": ord("a"),
    "pow": pow(2, 10, 1000), "range": list(range(3)), "repr": repr("x"),
    "reversed": list(reversed([1, 2])), "round": round(2.567, 1), "slice": [1, 2, 3][slice(1)],
    "sorted": sorted([2, 1]), "str": str(1), "sum": sum([1, 2]), "zip": list(zip([1], [2])),
    "NotImplemented": NotImplemented is not None, "Ellipsis": ... is Ellipsis,
}
class A:
    @property
    def x(self): return 1
    @staticmethod
    def s(): return 2
    @classmethod
    def c(cls): return cls.__name__
class B(A):
    def __init__(self): super().__init__()
result["class"] = [B().x, B.s(), B.c(), issubclass(B, A)]
"""
    got = ok(run(code))
    assert got["divmod"] == [3, 1] and got["format"] == "3.14" and got["ascii"] == "'\\xe9'"
    assert got["pow"] == 24 and got["bytes"] == "0000" and got["class"] == [1, 2, "B", True]
    assert got["enumerate"] == [[0, "a"]] and got["hash"] is True and got["round"] == 2.6


def test_there_is_nothing_to_read(run):
    code = "import sys\nresult = {'in': sys.stdin.read() if sys.stdin else ''}"
    assert ok(run(code, None, *KERNEL)) == {"in": ""}
    assert ok(run("import os\nresult = {'in': os.read(0, 10).hex()}", None, *KERNEL)) == {"in": ""}


def test_the_environment_is_only_the_documented_one(run):
    planted = {
        "LANG": "de_DE.UTF-8",
        "OPENAI_API_KEY": "planted-1",
        "MY_SERVICE_TOKEN": "planted-2",
        "DATABASE_PASSWORD": "planted-3",
        "HOME": "/planted-4",
        "PYTHONPATH": "/planted-5",
        "PYTHONSTARTUP": "/planted-6",
        "OMP_NUM_THREADS": "planted-7",
        "TZ": "Asia/Tokyo",
    }
    code = "import os\nresult = {'env': dict(os.environ)}"
    environ = ok(run(code, None, *KERNEL, env=planted))["env"]
    assert set(environ) - SANITIZER_NAMES == {
        "PYTHONDONTWRITEBYTECODE",
        "LANG",
        "LC_ALL",
        "PYTHONUTF8",
        "PYTHONIOENCODING",
    }
    assert environ["PYTHONDONTWRITEBYTECODE"] == "1"
    assert environ["PYTHONUTF8"] == "1"
    assert environ["PYTHONIOENCODING"] == "utf-8"
    assert environ["LC_ALL"] in ("C.UTF-8", "de_DE.UTF-8")


def test_the_c_environment_holds_no_more(run):
    """What getenv() of C code sees, and the block the process was started with."""
    code = """
import ctypes
block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
names, i = [], 0
while block[i] is not None:
    names.append(block[i].split(b"=")[0].decode())
    i += 1
result["names"] = sorted(names)
"""
    env = {"OPENAI_API_KEY": "planted", "SSH_AUTH_SOCK": "/planted"}
    names = ok(run(code, None, *KERNEL, env=env))["names"]
    assert [name for name in names if name not in SANITIZER_NAMES] == [
        "LANG",
        "LC_ALL",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING",
        "PYTHONUTF8",
    ]


def test_command_line_and_path_tell_nothing_of_the_host(cordon, tmp_path):
    program = tmp_path / "secret-project" / "program.py"
    program.parent.mkdir()
    program.write_text(
        "import sys, os\n"
        "result['words'] = [sys.argv, sys.orig_argv, sys.path, os.getcwd(), globals().get('__file__')]"
    )
    ran = cordon("run", "--json", *KERNEL, program, cwd=program.parent)
    words = json.dumps(ok(json.loads(ran.out))["words"])
    assert "secret-project" not in words and str(tmp_path) not in words, words


# ---- line numbers and the compilation unit -------------------------------------------


@pytest.mark.parametrize(
    "code, line",
    [
        ("1/0", 1),
        ("1/0\n", 1),
        ("\n\n\n1/0\n\n", 4),
        ("x = '''\n\n\n'''\n1/0", 5),
        ("x = (1 +\n     2)\n# c\n1/0", 4),
        ("def f():\n\n    return 1/0\nf()\n", 3),
        ("a = 1\r\nb = 2\r\n1/0\r\n", 3),
        ("\ufeffa = 1\n1/0", 2),
        ("# -*- coding: latin-1 -*-\n\n1/0", 3),
        ("from __future__ import annotations\n1/0", 2),
        ("x = 1\n\x0c\n1/0", 3),
        ("\n" * 5000 + "1/0", 5001),
        ("class C:\n    x = [\n        1,\n        2,\n    ]\n    y = 1/0\n", 6),
    ],
)
def test_line_numbers_are_the_users_own(run, code, line):
    error = run(code)["error"]
    assert error["type"] == "ZeroDivisionError"
    assert error["line"] == line
    assert f'File "<code>", line {line}, in ' in error["traceback"]


def test_future_import_works_as_the_first_line(run):
    body = "def f(x: Undefined) -> Later:\n    return x\nresult = {'f': f(1)}\n"
    assert ok(run("from __future__ import annotations\n" + body)) == {"f": 1}
    assert ok(run('"""Doc."""\n# c\nfrom __future__ import annotations\n' + body)) == {"f": 1}
    without = run(body)
    assert without["error"]["type"] == "NameError" and without["error"]["line"] == 1


def test_future_import_must_still_be_first(run):
    error = run("x = 1\nfrom __future__ import annotations\n")["error"]
    assert error["kind"] == "syntax" and error["line"] == 2


def test_future_flags_of_ours_are_not_inherited(run):
    """Annotations are evaluated unless the user's own text says otherwise."""
    assert run("x: print('seen') = 1")["stdout"] == "seen\n"


def test_embedded_data_up_to_the_cap(run):
    head, tail = 'data = """', '"""\nresult = {"n": len(data), "end": data[-3:]}\n'
    room = CODE_CAP - len(head) - len(tail)
    code = head + "x" * (room - 3) + "end" + tail
    assert len(code) == CODE_CAP
    assert ok(run(code)) == {"n": room, "end": "end"}


def test_embedded_data_of_a_million_bytes_in_rows(run):
    row = "2024-01-31,Ærøskøbing,12.50,\"a \\\\ b\"\n"
    rows = 1_000_000 // len(row.encode())
    code = (
        'import csv\nTEXT = """' + row * rows + '"""\n'
        "rows = list(csv.reader(TEXT.splitlines()))\n"
        "result = {'n': len(rows), 'last': rows[-1]}\n"
    )
    assert ok(run(code)) == {
        "n": rows,
        "last": ["2024-01-31", "Ærøskøbing", "12.50", "a \\ b"],
    }


def test_code_beyond_the_cap_is_refused_before_it_runs(cordon):
    ran = cordon("run", "--json", "-", stdin="#" * (CODE_CAP * 2))
    assert ran.code == 3
    [warning] = json.loads(ran.out)["warnings"]
    assert warning["rule"] == "too-large"
    assert "1114112" in warning["message"], warning  # 1 MiB, and 64 KiB around it


def test_900_kib_of_ordinary_statements(run):
    lines = ["rows = []", "total = 0"]
    size = 0
    while size < 900 * 1024:
        i = len(lines)
        line = f'rows.append({{"id": {i}, "name": "customer number {i}", "amount": {i}.25, "tags": ["a"]}})'
        lines.append(line)
        size += len(line) + 1
    n = len(lines) - 2
    lines.append('result = {"n": len(rows), "sum": sum(r["id"] for r in rows)}')
    code = "\n".join(lines)
    assert 900 * 1024 < len(code) <= CODE_CAP
    assert ok(run(code)) == {"n": n, "sum": sum(range(2, n + 2))}


def test_900_kib_of_short_statements(run):
    assert ok(run("x = 0\n" + "x = x + 1\n" * 92_000 + "result = {'x': x}")) == {"x": 92_000}
    branches = "if x: y = [1, 2, 3]; z = {'a': (1, None)}\n" * 22_000
    assert ok(run("x = 1\n" + branches + "result = {'z': z, 'y': y}")) == {"z": {"a": [1, None]}, "y": [1, 2, 3]}


# ---- nothing in the code changes what surrounds it ------------------------------------


@pytest.mark.parametrize(
    "code, line",
    [
        ("x = 'abc", 1),
        ('x = "abc\nresult = {"a": 1}', 1),
        ('ok = 1\nx = """abc\n\n', 2),
        ("ok = 1\nx = (1,\n", 2),
        ("ok = 1\n)\n", 2),
        ("  x = 1\n", 1),
        ("if True:\nx = 1\n", 2),
        ("if True:\n    x = 1\n  y = 2\n", 3),
        ("x = 1\nreturn x\n", 2),
        ("x = 1\nyield x\n", 2),
        ("x = 1\nawait x\n", 2),
        ("x = 1\nbreak\n", 2),
        ("f'{x'\n", 1),
        ("x = 5 5\n", 1),
    ],
)
def test_unfinished_code_is_the_users_syntax_error(run, code, line):
    envelope = run(code)
    assert envelope["status"] == "error"
    assert envelope["error"]["kind"] == "syntax"
    assert envelope["error"]["line"] == line, envelope
    assert envelope["error"]["type"] in ("SyntaxError", "IndentationError")
    assert envelope["result"] is None and envelope["stdout"] == ""


@pytest.mark.parametrize("ending", ["\\", "\\\n", "#", "# \\", ";", "\t", "    ", "\n    \n", "\x0c"])
def test_odd_endings(run, ending):
    envelope = run("result = {'a': 1}" + ending)
    if ending.startswith("\\"):
        # A backslash joins the next line, and there is none: ours must not be it.
        assert envelope["status"] == "error" and envelope["error"]["kind"] == "syntax"
    else:
        assert ok(envelope) == {"a": 1}


@pytest.mark.parametrize(
    "code",
    [
        "json = 5",
        "__name__ = 'os'",
        "json.dumps = json.JSONEncoder = json.encoder = None",
        "json.dumps = lambda *a, **k: '{\"forged\": 1}'",
        "print = None",
        "str = dict = list = isinstance = type = len = repr = None",
        "class dict: pass",
        "input_data = None",
        "del input_data, json",
        "__builtins__ = {}",
        "__builtins__ = None",
        "__spec__ = __loader__ = __doc__ = __file__ = 5",
        "__import__ = None",
        "import math as json, re as result\nresult = {}",
        "def result(): pass\nresult = {}",
        "import datetime\ndatetime.datetime = datetime.date = None",
        "import decimal\ndecimal.Decimal = int\nimport enum\nenum.Enum = None",
        "BaseException = Exception = SystemExit = None",
    ],
)
def test_rebinding_changes_nothing_around_it(run, code):
    envelope = run(code + "\nresult['a'] = [1, 'é', None, 1.5]\nresult['b'] = {'c': True}")
    assert ok(envelope) == {"a": [1, "é", None, 1.5], "b": {"c": True}}
    assert envelope["stdout"] == "" and envelope["stderr"] == ""


def test_the_library_that_code_has_changed_does_not_encode_its_result(run):
    code = "json.JSONEncoder.encode = json.JSONEncoder.default = lambda *a: '\"forged\"'\nresult['a'] = [1, 'é']"
    assert ok(run(code, None, "--drop-wall", "interpreter")) == {"a": [1, "é"]}


def test_code_does_not_reach_ours_by_its_name(run):
    """Whatever text the code holds, it is text of the code."""
    code = "result['s'] = '''</code>\\n\"\"\" EOF %s {0} $x `id` \\x00 '''"
    assert ok(run(code)) == {"s": '</code>\n""" EOF %s {0} $x `id` \x00 '}


def test_an_encoding_cookie_is_only_a_comment(run):
    for cookie in ("latin-1", "utf-7", "ascii", "rot13", "no-such-codec"):
        code = f"# -*- coding: {cookie} -*-\nresult = {{'s': 'é+AGE-'}}"
        assert ok(run(code)) == {"s": "é+AGE-"}, cookie


def test_globals_cleared_is_a_missing_result_and_no_crash(run):
    envelope = run("globals().clear()")
    assert envelope["status"] == "error" and envelope["error"]["kind"] == "result"
    envelope = run("del result")
    assert envelope["status"] == "error" and envelope["error"]["kind"] == "result"
    assert "result" in envelope["error"]["message"]


def test_the_working_directory_is_private_and_empty(run, tmp_path):
    (tmp_path / "here.txt").write_text("host")
    code = "import os\nresult = {'cwd': os.getcwd(), 'files': os.listdir('.')}"
    got = ok(run(code, None, *KERNEL, cwd=tmp_path))
    assert got["files"] == [] and got["cwd"] != str(tmp_path)


# ---- time as on the host ---------------------------------------------------------------


LOCAL = """
import time, datetime
t = 1720000000
l = time.localtime(t)
result = {
    "local": [l.tm_year, l.tm_mon, l.tm_mday, l.tm_hour, l.tm_min, l.tm_isdst],
    "offset": datetime.datetime.fromtimestamp(t).astimezone().utcoffset().total_seconds(),
    "zone": time.strftime("%Z", l),
}
"""


def test_local_time_is_the_hosts(run):
    host = subprocess.run(
        ["/usr/bin/env", "-u", "TZ", "python3", "-c", LOCAL + "\nimport json; print(json.dumps(result))"],
        capture_output=True,
        check=True,
    )
    assert ok(run(LOCAL)) == json.loads(host.stdout)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can bind another /etc/localtime")
@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare here")
def test_local_time_follows_the_hosts_zone_file(cordon):
    """In a mount namespace of its own, where the host's zone is Kathmandu's (+05:45)."""
    zone = "/usr/share/zoneinfo/Asia/Kathmandu"
    if not os.path.exists(zone) or not os.path.exists("/etc/localtime"):
        pytest.skip("no zone files on this host")
    script = f'mount --bind {zone} /etc/localtime && exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", cordon.path, "run", "--json", "-"],
        input=LOCAL.encode(),
        capture_output=True,
        check=False,
    )
    got = ok(json.loads(done.stdout))
    assert got["local"] == [2024, 7, 3, 15, 31, 0]
    assert got["offset"] == 5.75 * 3600
    assert got["zone"] == "+0545"
