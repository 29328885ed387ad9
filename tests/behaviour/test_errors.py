# SPDX-License-Identifier: Apache-2.0
"""
How an execution fails: what is said is true, is about the user's code alone, and is of
bounded size whatever the code does to it.
"""

import json
import re

import pytest

from support import KERNEL, SANITIZED, ok, without_gate

run = without_gate

OURS = re.compile(r"_cordon|cordon_worker|zygote|<string>|<frozen runpy>|site-packages")


def failed(envelope, kind="exception"):
    assert envelope["status"] == "error", envelope
    error = envelope["error"]
    assert error["kind"] == kind, error
    assert envelope["result"] is None
    assert not OURS.search(error.get("traceback") or ""), error["traceback"]
    return error


def without_carets(text):
    """Which parts of a line Python underlines differs between its versions."""
    lines = [line for line in text.splitlines() if line.strip(" ~^") or not line.strip()]
    return "\n".join(lines).strip("\n")


# ---- leaving ------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", ["raise SystemExit", "raise SystemExit()", "raise SystemExit(0)", "raise SystemExit(None)", "raise SystemExit(False)"])
def test_leaving_without_a_code_keeps_the_result_so_far(run, leave):
    envelope = run(f"result['a'] = 1\nprint('x')\n{leave}\nresult['b'] = 2")
    assert ok(envelope) == {"a": 1} and envelope["stdout"] == "x\n" and envelope["stderr"] == ""
    assert envelope["error"] is None


@pytest.mark.parametrize(
    "code, said",
    [
        ("3", "3"),
        ("-1", "-1"),
        ("256", "256"),
        ("'bad thing'", "bad thing"),
        ("''", ""),
        ("(1, 2)", "(1, 2)"),
        ("0.0", "0.0"),
        ("ValueError('inner')", "inner"),
    ],
)
def test_leaving_with_a_code_or_message_is_an_error(run, code, said):
    error = failed(run(f"result['a'] = 1\n\nraise SystemExit({code})"), "exit")
    assert said in error["message"]
    assert error["line"] == 3


def test_leaving_from_deep_within(run):
    code = """
def f():
    try:
        raise SystemExit(7)
    finally:
        print("finally")
try:
    f()
except Exception:
    print("never")
"""
    envelope = run(code)
    assert "7" in failed(envelope, "exit")["message"]
    assert envelope["stdout"] == "finally\n"


def test_leaving_can_be_caught(run):
    assert ok(run("try:\n    raise SystemExit(3)\nexcept SystemExit as e:\n    result['code'] = e.code")) == {"code": 3}


def test_leaving_through_sys_and_os(run):
    assert ok(run("import sys\nresult['a'] = 1\nsys.exit()", None, *KERNEL)) == {"a": 1}
    assert "5" in failed(run("import sys\nsys.exit(5)", None, *KERNEL), "exit")["message"]
    for code in (0, 3):
        envelope = run(f"import os\nresult['a'] = 1\nprint('said')\nos._exit({code})", None, *KERNEL)
        assert envelope["status"] in ("error", "crashed"), envelope
        assert envelope["result"] is None and envelope["stdout"] == "said\n"


def test_an_exit_code_that_cannot_be_read_is_no_normal_end(run):
    code = "class E(SystemExit):\n    @property\n    def code(self): raise ValueError('x')\nraise E('left')"
    error = failed(run(code), "exit")
    assert error["line"] == 4 and "left" in error["message"]


def test_a_hostile_exit_code_is_bounded(run):
    code = "class C:\n    def __str__(self): raise ValueError('x')\nraise SystemExit(C())"
    failed(run(code), "exit")
    error = failed(run("raise SystemExit('x' * 10**8)"), "exit")
    assert len(error["message"]) < 1_000_000


# ---- exceptions -----------------------------------------------------------------------------


def test_an_exception_is_told_as_python_tells_it(run):
    code = "def f(x):\n    return 1 / x\n\nf(0)\n"
    error = failed(run(code))
    assert error["type"] == "ZeroDivisionError"
    assert error["message"] in ("division by zero", "ZeroDivisionError: division by zero")
    assert error["line"] == 2
    assert without_carets(error["traceback"]) == (
        "Traceback (most recent call last):\n"
        '  File "<code>", line 4, in <module>\n'
        "    f(0)\n"
        '  File "<code>", line 2, in f\n'
        "    return 1 / x\n"
        "ZeroDivisionError: division by zero"
    )


def test_nothing_of_a_failure_is_printed(run):
    envelope = run("print('a')\n1/0")
    assert envelope["stdout"] == "a\n" and envelope["stderr"] == ""


@pytest.mark.parametrize(
    "code, name, message, line",
    [
        ("x = {}\nx['k']", "KeyError", "'k'", 2),
        ("[][0]", "IndexError", "list index out of range", 1),
        ("undefined", "NameError", "name 'undefined' is not defined", 1),
        ("int('x')", "ValueError", "invalid literal for int() with base 10: 'x'", 1),
        ("None.x", "AttributeError", "'NoneType' object has no attribute 'x'", 1),
        ("'a' + 1", "TypeError", 'can only concatenate str (not "int") to str', 1),
        ("assert 1 == 2, 'no'", "AssertionError", "no", 1),
        ("raise ValueError", "ValueError", "", 1),
        ("raise RuntimeError('a', 2)", "RuntimeError", "('a', 2)", 1),
        ("class E(Exception): pass\nraise E('own')", "E", "own", 2),
        ("class E(BaseException): pass\nraise E('own')", "E", "own", 2),
        ("raise KeyboardInterrupt('k')", "KeyboardInterrupt", "k", 1),
        ("raise GeneratorExit", "GeneratorExit", "", 1),
        ("raise StopIteration(1)", "StopIteration", "1", 1),
        ("next(iter([]))", "StopIteration", "", 1),
        ("raise 5", "TypeError", "exceptions must derive from BaseException", 1),
        ("raise SyntaxError('mine')", "SyntaxError", "mine", 1),
        ("class A:\n    class E(Exception): pass\nraise A.E('x')", "E", "x", 3),
        ("json.loads('{')", "JSONDecodeError", "Expecting property name enclosed in double quotes", 1),
        ("\nimport decimal\ndecimal.Decimal('x')", "InvalidOperation", "ConversionSyntax", 3),
    ],
)
def test_type_message_and_line(run, code, name, message, line):
    error = failed(run(code))
    assert error["type"].rpartition(".")[2] == name
    assert message in error["message"]
    assert error["line"] == line
    last = [l for l in error["traceback"].splitlines() if l.strip()][-1]
    assert name in last


def test_the_line_is_the_users_even_when_a_library_raised(run):
    code = "import statistics\n\ndef avg(xs):\n    return statistics.mean(xs)\n\navg([])\n"
    error = failed(run(code))
    assert error["type"].endswith("StatisticsError") and error["line"] == 4
    assert 'File "<code>", line 6, in <module>' in error["traceback"]
    assert "    return statistics.mean(xs)" in error["traceback"]


def test_the_line_in_generators_comprehensions_and_decorators(run):
    assert failed(run("def g():\n    yield 1\n    1/0\n\nlist(g())"))["line"] == 3
    assert failed(run("x = [\n    1 / n\n    for n in (1, 0)\n]"))["line"] == 2
    assert failed(run("def d(f):\n    1/0\n@d\ndef f(): pass"))["line"] == 2
    assert failed(run("sorted([1, 2],\n  key=lambda x:\n    1 / 0)"))["line"] == 3


def test_chained_causes(run):
    code = """
def load():
    raise KeyError("inner")
try:
    load()
except KeyError as e:
    raise ValueError("outer") from e
"""
    error = failed(run(code))
    assert error["type"] == "ValueError" and error["line"] == 7
    assert without_carets(error["traceback"]).splitlines() == [
        "Traceback (most recent call last):",
        '  File "<code>", line 5, in <module>',
        "    load()",
        '  File "<code>", line 3, in load',
        '    raise KeyError("inner")',
        "KeyError: 'inner'",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "<code>", line 7, in <module>',
        '    raise ValueError("outer") from e',
        "ValueError: outer",
    ]


def test_context_and_suppressed_context(run):
    during = failed(run("try:\n    1/0\nexcept ZeroDivisionError:\n    undefined\n"))
    assert "During handling of the above exception, another exception occurred" in during["traceback"]
    assert "ZeroDivisionError: division by zero" in during["traceback"]
    hidden = failed(run("try:\n    1/0\nexcept ZeroDivisionError:\n    raise ValueError('v') from None\n"))
    assert "ZeroDivisionError" not in hidden["traceback"]


def test_exception_groups_and_notes(run):
    code = """
try:
    raise ValueError("first")
except ValueError as e:
    e.add_note("look here")
    v = e
raise ExceptionGroup("several", [v, TypeError("second")])
"""
    error = failed(run(code))
    assert error["type"] == "ExceptionGroup" and error["line"] == 7
    for text in ("several (2 sub-exceptions)", "ValueError: first", "look here", "TypeError: second"):
        assert text in error["traceback"]


def test_long_chains_and_cycles_of_causes_are_bounded(run):
    cycle = "a, b = ValueError('a'), ValueError('b')\na.__cause__, b.__cause__ = b, a\nraise a"
    assert len(failed(run(cycle))["traceback"]) < 10_000
    chain = "e = None\nfor i in range(20000):\n    n = ValueError(i)\n    n.__cause__ = e\n    e = n\nraise e"
    error = failed(run(chain))
    assert error["type"] == "ValueError" and "19999" in error["message"]
    assert len(error["traceback"]) < 1_000_000
    group = "e = ValueError(1)\nfor i in range(2000):\n    e = ExceptionGroup('g', [e, ValueError(i)])\nraise e"
    assert len(failed(run(group))["traceback"]) < 1_000_000


def test_endless_recursion(run):
    error = failed(run("def f(n):\n    return f(n + 1)\nf(0)"))
    assert error["type"] == "RecursionError" and error["line"] == 2
    assert "maximum recursion depth exceeded" in error["message"]
    assert len(error["traceback"]) < 100_000


def test_a_line_of_a_megabyte_is_not_repeated_whole(run):
    error = failed(run("x = '" + "y" * 500_000 + "' + 1"))
    assert error["type"] == "TypeError" and error["line"] == 1
    assert len(json.dumps(error)) < 600_000


# ---- hostile exceptions ------------------------------------------------------------------------

HOSTILE = {
    "str raises": "class E(Exception):\n    def __str__(self): raise ValueError('inner')\nraise E",
    "str exits": "class E(Exception):\n    def __str__(self): raise SystemExit(0)\nraise E",
    "str lies": "class E(Exception):\n    def __str__(self): return 5\nraise E",
    "str recurses": "class E(Exception):\n    def __str__(self): return str(self)\nraise E",
    "str of 100 MB": "class E(Exception):\n    def __str__(self): return 'x' * 10**8\nraise E",
    "message of 100 MB": "class E(Exception): pass\nraise E('y' * 10**8)",
    "surrogates": "class E(Exception): pass\nraise E('a\\ud800\\0b\\udfff')",
    "str subclass": "class S(str):\n    def __str__(self): raise ValueError('z')\n    __repr__ = __len__ = __str__\nclass E(Exception):\n    def __str__(self): return S('text')\nraise E",
    "type name": "E = type('E' * 10**6, (Exception,), {})\nraise E('named')",
    "odd type name": "E = type('E\\n\\0\\ud800', (Exception,), {})\nraise E('named')",
    "qualname and module": "class E(Exception): pass\nE.__module__ = 5\nE.__qualname__ = 'q' * 10**6\nraise E",
    "notes": "class E(Exception): pass\ne = E('n')\ne.__notes__ = 5\nraise e",
    "many notes": "class E(Exception): pass\ne = E('n')\ne.__notes__ = ['note' * 1000] * 100000\nraise e",
    "hostile notes": "class N:\n    def __str__(self): raise ValueError\n    __repr__ = __str__\nclass E(Exception): pass\ne = E('n')\ne.__notes__ = [N()]\nraise e",
    "attributes raise": "class E(Exception):\n    def __getattribute__(self, n): raise ValueError(n)\nraise E('g')",
    "cause lies": "class E(Exception):\n    @property\n    def __cause__(self): raise ValueError\n    @property\n    def __context__(self): return 5\n    @property\n    def __traceback__(self): return 'tb'\nraise E('c')",
    "metaclass": "class M(type):\n    @property\n    def __name__(c): raise ValueError\n    @property\n    def __qualname__(c): return 5\n    @property\n    def __module__(c): raise ValueError\nclass E(Exception, metaclass=M): pass\nraise E('m')",
    "syntax error lies": "e = SyntaxError('s')\ne.lineno, e.text, e.offset, e.filename, e.end_lineno = 'x', 5, -10**9, [], 10**30\nraise e",
    "syntax error numbers": "e = SyntaxError('s', ('<code>', 10**6, -5, 'x' * 10**6, -7, 10**9))\nraise e",
    "traceback dropped": "class E(Exception): pass\nraise E('t').with_traceback(None)",
    "unicode error": "e = UnicodeDecodeError('utf-8', b'x', 0, 1, 'r')\ne.object = b''\ne.start = 10**9\nraise e",
    "os error": "e = OSError(2, 'm', 'f')\ne.filename = e.strerror = e.errno = e\nraise e",
    "key error": "class K:\n    def __repr__(self): raise ValueError('x')\nraise KeyError(K())",
    "excepthook": "import sys\nsys.excepthook = None\nsys.stderr = None\nraise ValueError('h')",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_exception_is_told_and_bounded(run, name):
    walls = KERNEL if name == "excepthook" else ()
    envelope = run("print('before')\n" + HOSTILE[name], None, *walls)
    assert envelope["status"] == "error", (name, str(envelope)[:2000])
    error = envelope["error"]
    assert error["kind"] in ("exception", "exit"), error
    assert len(json.dumps(envelope)) < 1_500_000
    assert len(error["message"]) < 600_000
    assert envelope["stdout"] == "before\n"
    if name in ("str raises", "str exits", "str lies", "str recurses", "str of 100 MB", "surrogates"):
        assert error["type"] == "E" and error["kind"] == "exception"
    if name == "surrogates":
        assert "a" in error["message"] and "b" in error["message"]


def test_an_endless_str_meets_the_deadline(run):
    code = "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"
    envelope = run(code, None, "--timeout", "1")
    assert envelope["status"] in ("timeout", "error"), envelope


# ---- syntax errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, name, message, line",
    [
        ("x = 1\ny = = 2\n", "SyntaxError", "invalid syntax", 2),
        ("print 'x'", "SyntaxError", "Missing parentheses in call to 'print'", 1),
        ("def f(:\n  pass", "SyntaxError", "invalid syntax", 1),
        ("if True:\npass", "IndentationError", "expected an indented block", 2),
        ("if 1:\n\tx = 1\n        y = 2", "TabError", "inconsistent use of tabs and spaces", 3),
        ("x = 0777", "SyntaxError", "leading zeros in decimal integer literals", 1),
        ("a = 'é' b", "SyntaxError", "invalid syntax", 1),
        ("f(a=1, a=2)", "SyntaxError", "keyword argument repeated: a", 1),
        ("x = 1\nfrom __future__ import braces", "SyntaxError", "", 2),
        ("def f():\n    x = 1\n    global x", "SyntaxError", "name 'x' is assigned to before global declaration", 3),
        ("x = “quoted”", "SyntaxError", "invalid character '“' (U+201C)", 1),
        ("\n\n  x = 1", "IndentationError", "unexpected indent", 3),
    ],
)
def test_syntax_errors(run, code, name, message, line):
    error = failed(run(code), "syntax")
    assert error["type"] == name and error["line"] == line and message in error["message"]
    assert f'File "<code>", line {line}' in error["traceback"]
    assert code.split("\n")[line - 1].strip() in error["traceback"]
    assert error["traceback"].rstrip().splitlines()[-1].startswith(name)


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000,
        "x = " + "(" * 150 + "1" + ")" * 150 + " +",
        "x = " + "-" * 100_000 + "1",
        "x = " + "a." * 100_000 + "a",
        "x = " + "+".join(["1"] * 100_000),
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 120)),
        "x = " + "[" * 90 + "]" * 90 + "\n" + "lambda: " * 20_000 + "1",
        "f(" * 20_000 + ")" * 20_000,
        "x = {" * 3000,
        "\\\n" * 100_000,
        "1 if 1 else " * 30_000 + "1",
    ],
    ids=["parens", "unfinished", "minus", "dots", "plus", "indent", "lambda", "calls", "braces", "joins", "ifelse"],
)
def test_code_that_is_hard_to_parse_ends_in_words(run, code):
    envelope = run(code)
    assert envelope["status"] in ("ok", "error", "limit"), str(envelope)[:1000]
    assert len(json.dumps(envelope)) < 2_000_000


def test_warnings_of_the_compiler_stop_nothing(run):
    assert ok(run("x = 1 is 1\ny = '\\d'\nresult = {'x': x, 'y': y}")) == {"x": True, "y": "\\d"}


# ---- the end of the objects -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('in del')",
        "raise SystemExit(3)",
        "raise KeyboardInterrupt",
        "print('deleted')",
        "1/0",
        "global result\n        result = None",
    ],
)
def test_exceptions_in_del_spoil_nothing(run, body):
    code = f"""
class D:
    def __del__(self):
        {body}
d = D()
result["a"] = [1, 2]
D()
result = {{"a": result["a"] if result else [1, 2]}}
"""
    envelope = run(code)
    assert ok(envelope) == {"a": [1, 2]}


def test_an_endless_del_at_the_end_spoils_nothing(run):
    code = "class D:\n    def __del__(self):\n        while True: pass\nd = D()\nresult['a'] = 1"
    envelope = run(code, None, "--timeout", "3")
    assert envelope["status"] in ("ok", "timeout")
    assert envelope["status"] != "ok" or envelope["result"] == {"a": 1}


def test_an_unraisable_exception_is_on_stderr(run):
    code = "class D:\n    def __del__(self): raise ValueError('in del')\nd = D()\ndel d\nresult['a'] = 1"
    envelope = run(code)
    assert ok(envelope) == {"a": 1}
    assert "ValueError: in del" in envelope["stderr"] and not OURS.search(envelope["stderr"])


def test_threads_and_exit_handlers(run):
    code = """
import threading, atexit, time
atexit.register(print, "at exit")
threading.Thread(target=time.sleep, args=(30,), daemon=False).start()
result["a"] = 1
"""
    envelope = run(code, None, *KERNEL, "--timeout", "5")
    assert envelope["status"] in ("ok", "timeout")
    if envelope["status"] == "ok":
        assert envelope["result"] == {"a": 1} and envelope["usage"]["wall_ms"] < 5000


def test_a_thread_that_changes_the_result_while_it_is_written(run):
    code = """
import threading, time
def churn():
    stop, i = time.monotonic() + 2, 0
    while time.monotonic() < stop:
        result["k%d" % (i % 5000)] = i
        result.pop("k%d" % ((i * 7) % 5000), None)
        i += 1
threading.Thread(target=churn, daemon=True).start()
time.sleep(0.05)
result["a"] = 1
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] in ("ok", "error"), envelope
    assert envelope["status"] == "error" or envelope["result"]["a"] == 1


# ---- memory ----------------------------------------------------------------------------------------

unlimited = pytest.mark.skipif(SANITIZED, reason="a sanitizer build has no limit on address space")


@unlimited
@pytest.mark.parametrize(
    "code",
    [
        "x = []\nwhile True:\n    x.append('a' * 1_000_000 + str(len(x)))",
        "x = 'a' * (1 << 40)",
        "x = bytearray(1 << 30)",
        "x = [0]\nwhile True: x += x",
        "d = {}\ni = 0\nwhile True:\n    d[i] = [i]\n    i += 1",
    ],
    ids=["pieces", "at once", "a gigabyte", "doubling", "small objects"],
)
def test_memory_running_out_is_a_limit(run, code):
    envelope = run("print('before')\n" + code)
    assert envelope["status"] == "limit", envelope
    assert envelope["error"]["limit"] == "memory"
    assert "512 MiB" in envelope["error"]["message"], envelope["error"]
    assert envelope["stdout"] == "before\n" and envelope["result"] is None


@unlimited
def test_memory_that_ran_out_can_be_handled(run):
    code = "try:\n    x = bytearray(1 << 31)\nexcept MemoryError:\n    result['caught'] = True\nx = bytearray(1 << 20)"
    assert ok(run(code)) == {"caught": True}


@unlimited
def test_a_smaller_memory_limit_is_named(run):
    envelope = run("x = bytearray(100 << 20)", None, "--memory", "64MiB")
    assert envelope["status"] == "limit" and envelope["error"]["limit"] == "memory"
    assert "64 MiB" in envelope["error"]["message"]
    assert ok(run("x = bytearray(30 << 20)\nresult['n'] = len(x)", None, "--memory", "64MiB")) == {"n": 30 << 20}


def test_most_of_the_memory_can_be_used(run):
    assert ok(run("x = bytearray(400 << 20)\nresult['n'] = len(x)")) == {"n": 400 << 20}
