# SPDX-License-Identifier: Apache-2.0
"""
The interpreter wall by itself, the gate down and the kernel walls beside the point: facade
modules hold what the export table lists and lead no further, and the audit hook refuses by
event and by whose frame raises it. It does not hold against everything, and nobody says so:
these tables are the kinds that it must hold alone.
"""

import json
import re
import subprocess
import tomllib

import pytest

from support import SANITIZED, ROOT, ok, without_gate
from test_python_versions import find

PYTHONS = {version: path for version, path in find().items() if int(version.split(".")[1]) >= 11}

run = without_gate

@pytest.fixture(scope="session")
def exports():
    with (ROOT / "tools/exports.toml").open("rb") as file:
        table = tomllib.load(file)
    table.pop("kinds")
    return {module: entry["allow"].split() for module, entry in table.items()}


def strict_modules():
    source = (ROOT / "src/core/profile.c").read_text(encoding="utf-8")
    return re.findall(r'"([^"]+)"', re.search(r"strict_allow\[\] = {(.*?)};", source, re.DOTALL)[1])


# ---- facades ---------------------------------------------------------------------------------


def test_every_strict_module_has_an_export_table(exports):
    assert set(strict_modules()) == set(exports)


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_a_facade_holds_what_the_table_lists_and_no_more(run, exports, version):
    modules = strict_modules()
    code = "import urllib\n" + "".join(
        f"import {m} as m\nresult[{m!r}] = [type(m) is type(urllib), sorted(vars(m)), m.__name__]\n" for m in modules
    )
    got = ok(run(code, None, "--python", PYTHONS[version]))
    listing = "import json, sys, importlib\nprint(json.dumps({m: dir(importlib.import_module(m)) for m in sys.argv[1:]}))"
    done = subprocess.run([PYTHONS[version], "-I", "-W", "ignore", "-c", listing, *modules],
                          capture_output=True, check=True)
    there = json.loads(done.stdout)
    for module in modules:
        exact, names, name = got[module]
        assert exact and name == module
        parts = {m.split(".")[1] for m in modules if m.startswith(module + ".")}
        lazy = {"AsyncContextManager", "ContextManager", "Match", "Pattern"}  # made when asked for, from 3.13 on
        own = {"__name__", "__doc__", "__all__"} | ({"__getattr__"} if module == "sys" else set())
        streams = {"stdout", "stderr"} if module == "sys" else set()
        expected = (set(exports[module]) & set(there[module]) - streams) | parts | own
        assert set(names) - lazy == expected - lazy, module


# Each must fail: a module, or a name that was not exported.
REFUSED = [
    "from json import decoder",
    "from json import codecs",
    "import json.decoder",
    "json.__name__ = 'os'\nfrom json import path",
    "json.__name__ = 'importlib'\nfrom json import util",
    "json.__name__ = 'os'\njson.path = 1\nfrom json import path",
    "import collections\ncollections.__name__ = 'importlib'\ndel collections.abc\nimport collections.abc as got",
    "import collections\ncollections.__name__ = 'importlib'\ndel collections.abc\nfrom collections import abc",
    "import urllib\nurllib.__name__ = 'xml'\nurllib.__dict__.pop('parse')\nfrom urllib import parse",
    "import urllib.request",
    "from urllib import request",
    "from urllib.parse import re",
    "from collections import _sys",
    "from re import _compiler",
    "from re import _parser as got",
    "import typing\ntyping.sys",
    "from sys import modules",
    "import sys\nsys.modules",
    "import sys\nsys._getframe()",
    "from sys import __getattr__",
    "from io import open",
    "import io\nio.FileIO",
    "from pathlib import Path",
    "from types import FunctionType",
    "from traceback import walk_tb",
    "from random import _os",
    "from dataclasses import sys",
    "import enum\nenum.__spec__",
    "import enum\nenum.__loader__",
    "import enum\nenum.__file__",
    "import enum\nenum.__builtins__",
    "import statistics\nstatistics.sys",
    "import csv\ncsv.__dict__['_csv']",
    "from csv import io",
    "from math import __loader__",
    "__import__('json', fromlist=['decoder'])",
    "class Name(str):\n    def __eq__(self, other): return other == 'json'\n    def __hash__(self): return hash('json')\n"
    "__import__(Name('os')).getcwd",
    # a key that takes the name away between our look and the interpreter's
    "import collections\nclass Key:\n    seen = 0\n    def __hash__(self): return hash('abc')\n"
    "    def __eq__(self, other):\n        Key.seen += 1\n        return False\n"
    "names = collections.__dict__\ndel names['abc']\nnames[Key()] = 1\n"
    "collections.__name__ = 'importlib'\nimport collections.abc as got",
]


@pytest.mark.parametrize("code", REFUSED)
def test_a_facade_leads_no_further(run, code):
    envelope = run(code)
    assert envelope["status"] == "error", envelope
    assert envelope["error"]["type"] in ("ImportError", "AttributeError", "KeyError"), envelope["error"]


def test_what_is_withheld_is_said_so(run):
    for code, why in [
        ("import sys\nsys.modules", "every module that is loaded"),
        ("from io import open", "opens files"),
        ("import typing\ntyping.get_type_hints", "evaluates text as code"),
        ("import statistics\nstatistics.sys", ""),
    ]:
        message = run(code)["error"]["message"]
        assert "profile 'strict'" in message and "withholds it" in message and why in message
    assert "profile" not in run("import math\nmath.nothing")["error"]["message"]


def test_star_imports_bring_in_what_is_exported(run):
    code = """
from io import *
from sys import *
from collections import *
from math import *
from re import *
names = sorted(n for n in globals() if not n.startswith("__"))
result = {"has": [n in names for n in ("StringIO", "maxsize", "stdout", "deque", "pi", "compile")],
          "not": [n in names for n in ("open", "FileIO", "modules", "abc", "orig_argv", "enum", "_parser")]}
"""
    assert ok(run(code)) == {"has": [True] * 6, "not": [False] * 7}


def test_what_code_does_to_a_facade_the_standard_library_does_not_see(run):
    code = """
import json, re, math, collections, textwrap
json.loads = re.compile = math.floor = collections.namedtuple = None
re.__dict__.clear()
from typing import NamedTuple
class P(NamedTuple):
    x: int
result = {"p": P(1), "d": textwrap.dedent("  a"), "fill": textwrap.fill("a b", 2)}
"""
    assert ok(run(code)) == {"p": [1], "d": "a", "fill": "a\nb"}
    assert ok(run("result = {'a': json.loads('[1]')}")) == {"a": [1]}


def test_the_streams_of_sys_follow_a_redirection(run):
    code = """
import sys, io
from contextlib import redirect_stdout
from sys import stderr, stdout
kept = io.StringIO()
with redirect_stdout(kept):
    print("a")
    sys.stdout.write("b")
sys.stdout.write("out"); stderr.write("err")
result = {"kept": kept.getvalue(), "same": sys.stdout is stdout}
"""
    envelope = run(code)
    assert ok(envelope) == {"kept": "a\nb", "same": True}
    assert (envelope["stdout"], envelope["stderr"][-3:]) == ("out", "err")


# ---- the audit hook -----------------------------------------------------------------------------

# The real builtins and the real modules, by ways that the facades do not close.
REAL = """
real = json.dumps.__globals__["__builtins__"]
real = real if isinstance(real, dict) else vars(real)
modules = real["__import__"]("sys").modules
sys, os, posix = modules["sys"], modules["os"], modules["posix"]
def f(): pass
"""

EVENTS = [
    ("open", "real['open']('/etc/hostname')"),
    ("open", "real['open']('here', 'w')"),
    ("open", "os.open('/etc/hostname', 0)"),
    ("open", "modules['_io'].FileIO('/etc/hostname')"),
    ("open", "real['open']('/usr/share/zoneinfo/../../../etc/hostname')"),
    ("open", "real['open']('/usr/share/zoneinfo/x', 'w')"),
    ("open", "modules['json'].__loader__.get_data(os.__file__)"),
    ("open", "modules['importlib'].import_module('sqlite3')"),
    ("open", "modules['linecache'].getlines('/etc/hostname') or real['open']('/etc/hostname')"),
    ("compile", "real['compile']('1', 'x', 'eval')"),
    ("compile", "real['eval']('1')"),
    ("compile", "real['exec']('1')"),
    ("import", "real['__import__']('ctypes')"),
    ("import", "real['__import__']('multiprocessing')"),
    ("os.system", "os.system('true')"),
    ("os.listdir", "os.listdir('/')"),
    ("os.scandir", "os.scandir('/')"),
    ("os.mkdir", "os.mkdir('d')"),
    ("os.remove", "os.remove('x')"),
    ("os.rename", "os.rename('x', 'y')"),
    ("os.chmod", "os.chmod('x', 0o700)"),
    ("os.fork", "os.fork()"),
    ("os.exec", "os.execv('/bin/true', ['true'])"),
    ("os.posix_spawn", "os.posix_spawn('/bin/true', ['true'], {})"),
    ("os.kill", "os.kill(1, 9)"),
    ("os.putenv", "os.putenv('A', 'b')"),
    ("os.chdir", "os.chdir('/')"),
    ("sys._getframe", "sys._getframe()"),
    ("sys.settrace", "sys.settrace(print)"),
    ("sys.setprofile", "sys.setprofile(print)"),
    ("sys._current_frames", "sys._current_frames()"),
    ("gc.get_objects", "modules['gc'].get_objects()"),
    ("gc.get_referrers", "modules['gc'].get_referrers(1)"),
    ("gc.get_referents", "modules['gc'].get_referents([1])"),
    ("marshal.loads", "modules['marshal'].loads(b'N')"),
    ("object.__getattr__", "f.__code__"),
    ("object.__getattr__", "(lambda: (yield))().gi_code"),
]


@pytest.mark.parametrize("event, code", EVENTS, ids=[f"{e}: {c[:40]}" for e, c in EVENTS])
def test_an_event_is_refused_and_told(run, event, code):
    envelope = run(f"{REAL}result['got'] = str({code})\n")
    error = envelope["error"]
    assert envelope["status"] == "error", envelope
    assert error["type"] == "PermissionError" and f"'{event}'" in error["message"], error
    assert "profile 'strict'" in error["message"]
    line = REAL.count("\n") + 1
    assert envelope["violations"] == [{"wall": "interpreter", "what": event, "line": line}]


def test_a_second_hook_is_not_added(run):
    """Python swallows the refusal, and that is all that happens."""
    envelope = run(REAL + "def hook(*a): result['heard'] = 1\nsys.addaudithook(hook)\nid(1)")
    assert ok(envelope) == {}
    assert [v["what"] for v in envelope["violations"]] == ["sys.addaudithook"]


def test_a_frame_of_a_traceback_is_refused(run):
    code = "try:\n    1 / 0\nexcept Exception as e:\n    result['x'] = e.__traceback__.tb_frame.f_lineno\n"
    envelope = run(code)
    assert envelope["error"]["type"] == "PermissionError"
    assert envelope["violations"] == [{"wall": "interpreter", "what": "object.__getattr__", "line": 4}]


def test_borrowing_a_listed_caller_does_not_help(run):
    """The caller is known by its globals as they were loaded, not by a name that code can set."""
    for code in (
        "modules['typing'] = modules['__main__']\nreal['exec']('1')",
        "__name__ = 'dataclasses'\nreal['exec']('1')",
        "list(map(real['exec'], ['1']))",
        "modules['functools'].reduce(lambda a, b: real['eval'](b), ['1'], 0)",
        # typing reads a function's __code__; its aliases read for whoever asks
        "def g(): yield\na = modules['typing'].List[int]\na.__origin__ = g()\nresult['x'] = a.gi_frame.f_lineno",
    ):
        envelope = run(REAL + code)
        assert envelope["status"] == "error" and envelope["error"]["type"] == "PermissionError", envelope
        assert envelope["violations"], envelope


def test_called_from_no_frame_at_all(run):
    """What the encoder calls has no frame of Python under it."""
    code = REAL + """
class Sly:
    isoformat = tolist = __str__ = modules["functools"].partial(real["open"], os.__file__)
result["x"] = Sly()
"""
    envelope = run(code)
    assert envelope["status"] == "error" and "class" not in json.dumps(envelope["result"]), envelope


def test_violations_are_folded_and_capped(run):
    same = run(REAL + "for i in range(50):\n    try: os.listdir('/')\n    except PermissionError: pass\n")
    assert ok(same) == {} and len(same["violations"]) == 1
    lines = "".join("try: os.listdir('/')\nexcept PermissionError: pass\n" for _ in range(30))
    many = run(REAL + lines)
    assert ok(many) == {} and len(many["violations"]) == 20


def test_the_wall_can_be_taken_down(run):
    code = """
import os, sys, io, builtins
import urllib.request, json.decoder
def f(): pass
result = {"cwd": os.getcwd(), "mods": "os" in sys.modules, "eval": eval("1"), "code": f.__code__.co_name,
          "list": os.listdir("."), "file": json.__file__ is not None}
with open("x", "w") as file:
    file.write("y")
"""
    envelope = run(code, None, "--drop-wall", "interpreter")
    assert ok(envelope) == {"cwd": "/work", "mods": True, "eval": 1, "code": "f", "list": [], "file": True}
    assert envelope["violations"] == []


def test_a_module_without_a_table_is_handed_out_as_it_is(run, tmp_path):
    (tmp_path / "c.yaml").write_text(
        "profiles:\n  - name: more\n    from: strict\n    allow: [json, sched, colorsys, zoneinfo]\n", encoding="utf-8"
    )
    more = ("--config", tmp_path / "c.yaml", "--profile", "more")
    code = "import sched, colorsys\nresult = {'f': bool(sched.__file__), 'c': colorsys.rgb_to_hsv(0, 0, 1)[2]}"
    envelope = run(code, None, *more)
    assert ok(envelope) == {"f": True, "c": 1} and envelope["violations"] == []
    assert run("from json import decoder", None, *more)["error"]["type"] == "ImportError"
    assert run("sys = json.dumps.__globals__['__builtins__']['open']('/x')", None, *more)["violations"]


# ---- what harmless code does, on each Python ------------------------------------------------------

SWEEP = {
    "dataclass": "from dataclasses import *\n@dataclass(frozen=True, order=True, slots=True)\nclass P:\n    x: int = 0\nP(1) < P(2)\nreplace(P(1), x=2); asdict(P(1))",
    "namedtuple": "from collections import namedtuple\nP = namedtuple('P', 'x y', defaults=[1])\nP(1)._replace(x=2)",
    "NamedTuple": "from typing import NamedTuple\nclass R(NamedTuple):\n    a: int\nR(1)",
    "enum": "from enum import *\nE = Enum('E', 'A B')\nclass F(Flag):\n    A = auto()\n    B = auto()\nF.A | F.B\nclass S(StrEnum):\n    X = auto()",
    "typing": "from typing import *\nT = TypeVar('T')\nOptional['Node']\nclass G(Generic[T]): pass\nG[int]\nNewType('N', int)\nclass D(TypedDict):\n    x: 'int'\nclass Q(Protocol):\n    def f(self): ...",
    "protocol": "from typing import *\n@runtime_checkable\nclass N(Protocol):\n    name: str\nclass P:\n    name = 'a'\nisinstance(P(), N)",
    "singledispatch": "from functools import *\n@singledispatch\ndef f(x): return 1\n@f.register\ndef _(x: 'int'): return 2\nf(1)",
    "abc": "from abc import *\nclass A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass B(A):\n    def f(self): return 1\nB().f()",
    "wraps": "from functools import *\ndef d(f):\n    @wraps(f)\n    def g(*a): return f(*a)\n    return g\n@d\ndef h(x=1): 'doc'\nh()",
    "contextmanager": "from contextlib import *\n@contextmanager\ndef c():\n    yield 1\nwith c(): pass\nwith suppress(ValueError): int('x')\nwith ExitStack() as s: s.enter_context(c())",
    "copy": "import copy\nclass A:\n    def __init__(self): self.x = [1]\ncopy.deepcopy(A()); copy.copy(A())",
    "strptime": "from datetime import *\nimport time\ndatetime.strptime('2024', '%Y'); time.strptime('2024', '%Y')\ndatetime.now().astimezone()",
    "zoneinfo": "from zoneinfo import *\nfrom datetime import *\ndatetime.now(ZoneInfo('Europe/Berlin')).tzname()\navailable_timezones()\ntry: ZoneInfo('No/Where')\nexcept ZoneInfoNotFoundError: pass",
    "codecs": "for n in ('koi8-r', 'shift_jis', 'mac-roman', 'cp437', 'big5'):\n    'a'.encode(n).decode(n)\ntry: 'a'.encode('nothing')\nexcept LookupError: pass",
    "print_exc": "import traceback\ndef f(): return (1 + 2) / (3 - 3)\ntry: f()\nexcept Exception: traceback.print_exc()\ntraceback.format_exc()",
    "stdlib lines": "import traceback, json\ntry: json.loads('{')\nexcept Exception: traceback.print_exc()",
    "suggestion": "import traceback\nlength = 1\ntry: lenght\nexcept NameError: traceback.print_exc()\ntry: 'a'.uper()\nexcept AttributeError: traceback.print_exc()",
    "group": "import traceback\ntry: raise ExceptionGroup('g', [ValueError(1), TypeError('é' * 3)])\nexcept Exception: traceback.print_exc()",
    "warning": "import datetime\ndatetime.datetime.utcnow()\nx = ~True if False else 1\ndef f():\n    import typing\n    return typing.ByteString\nf()",
    "warnings": "import warnings\nwarnings.warn('a', source=object()); warnings.warn('b', stacklevel=9)\nwith warnings.catch_warnings(record=True): warnings.filterwarnings('always', 'c'); warnings.warn('c')",
    "unraisable": "class A:\n    def __del__(self): raise ValueError(1)\nA()\nx = A(); del x",
    "pprint": "import pprint\npprint.pformat({'a': [1] * 50, 'b': {'c': (1, 2)}})",
    "difflib": "import difflib\n'\\n'.join(difflib.unified_diff(['a'], ['b'])); difflib.HtmlDiff().make_table(['a'], ['b'])",
    "pathlib": "from pathlib import *\np = PurePosixPath('/a/b.txt')\np.with_suffix('.x'); p.match('*.txt'); PureWindowsPath('c:/a').as_posix(); p.relative_to('/a'); p.is_relative_to('/a')\np.full_match('/a/*') if hasattr(p, 'full_match') else 0",
    "urllib": "from urllib.parse import *\nurlsplit('http://[::1]:80/a?b=c'); parse_qs('a=1&b=2'); urlencode({'a': 'é'}); quote('é/'); urljoin('http://a/b', 'c')",
    "uuid": "import uuid\nuuid.uuid4(); uuid.uuid3(uuid.NAMESPACE_DNS, 'a')",
    "random": "import random, secrets\nrandom.seed('text'); random.sample(range(9), 3); secrets.token_urlsafe(); random.SystemRandom().random()",
    "hashes": "import hashlib, zlib, struct\nhashlib.new('sha256', b'a'); hashlib.scrypt(b'p', salt=b's', n=2, r=1, p=1); zlib.crc32(b'a')",
    "numbers": "import decimal, fractions, statistics\ndecimal.Decimal(1) / 3; fractions.Fraction('1/3'); statistics.NormalDist(1, 2).samples(3, seed=1)\nint('9' * 4000) ** 9; statistics.quantiles([1, 2, 3])",
    "calendar": "import calendar\ncalendar.month(2024, 2); calendar.HTMLCalendar().formatmonth(2024, 2)",
    "csv": "import csv, io\ncsv.Sniffer().sniff('a;b\\n1;2\\n'); list(csv.DictReader(io.StringIO('a,b\\n1,2')))",
    "graphlib": "from graphlib import *\nlist(TopologicalSorter({1: [2]}).static_order())",
    "templates": "import string, textwrap, html, re\nstring.Template('$a').substitute(a=1); textwrap.shorten('a b', 5); html.unescape('&eacute;')\nclass T(string.Template): delimiter = '%'",
    "attributes": "class A: pass\nclass B(A): pass\nA.__name__ = 'C'; A.__doc__ = 'd'; x = A(); x.__class__ = B\ndef f(a=1): pass\nf.__defaults__ = (2,); id(x)",
    "json": "import json\njson.dumps({'a': [1.5, None]}, indent=1, sort_keys=True)\nclass E(json.JSONEncoder):\n    def default(self, o): return str(o)\njson.dumps({1, 2}, cls=E)",
    "generators": "def g():\n    x = yield 1\n    return x\ni = g(); next(i)\ntry: i.send(2)\nexcept StopIteration: pass\nasync def a(): return 1\ntry: a().send(None)\nexcept StopIteration: pass",
    "sleep": "import time, array\ntime.sleep(0.001); array.array('i', [1]); time.get_clock_info('monotonic')",
    "overload": "from typing import *\n@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x): return x\nf(1)",
    "signature": "from dataclasses import *\n@dataclass(init=False)\nclass P:\n    x: int = 1\nP().x",
    "syntax": "from typing import Optional\ntry: Optional['1 +']\nexcept SyntaxError: pass",
}


# What is refused is the plain build's to find; with the sanitizers one version shows the memory.
@pytest.mark.parametrize("version", sorted(PYTHONS)[:1] if SANITIZED else sorted(PYTHONS))
def test_harmless_code_is_never_refused(run, version):
    for name, code in SWEEP.items():
        envelope = run(code, None, "--python", PYTHONS[version])
        assert envelope["status"] == "ok", (name, envelope["error"])
        assert envelope["violations"] == [], (name, envelope)
        assert "PermissionError" not in envelope["stderr"], (name, envelope["stderr"])


# Runs each program with a hook that notes what is raised, and from which module's frame.
WATCH = """
import sys, json
programs = json.load(sys.stdin)
for module in programs.pop("modules"):
    __import__(module)
seen, on = set(), False
def hook(event, args):
    global on
    if on:
        on = False  # looking raises events, too
        look(event, args, sys._getframe(1))
        on = True
def look(event, args, frame):
    module = frame.f_globals.get("__name__", "?")
    detail = args[1] if event.startswith("object.__") else args[0] if event in ("import", "open") else ""
    while frame and frame.f_globals is not names:
        if frame.f_globals.get("__name__", "").startswith(("zoneinfo.", "importlib.")):
            return  # what zoneinfo looks for and loading a module have rules of their own
        frame = frame.f_back
    seen.add((event, module, str(detail)))
sys.addaudithook(hook)
import io
sys.stderr, keep = io.StringIO(), sys.stdout
for name, code in programs.items():
    names = {"__name__": "__main__"}
    sys.modules["__main__"].__dict__.update(names)
    compiled = compile(code, "<code>", "exec")
    on = True
    try:
        exec(compiled, names)
    except BaseException as error:
        on = False
        sys.exit(print(name, repr(error), file=sys.__stderr__) or 1)
    on = False
print(json.dumps(sorted(seen)))
"""


def table_of(name, source):
    body = re.search(rf"{name}\[\] = {{(.*?)\n}};", source, re.DOTALL)[1]
    return re.findall(r'{"([^"]+)", (?:"([^"]+)"|NULL)(?:, (?:"([^"]+)"|NULL), (?:(ALL)|FROM\((\d+, \d+)\)|ONLY\("(\w+)"\)))?}', body)


def words_of(name, source):
    return re.findall(r'"([^"]+)"', re.search(rf"{name}\[\] = {{(.*?)}};", source, re.DOTALL)[1])


def row_is_for(row, minor, attribute):
    """ALL; FROM(first, last), 0 being none; or ONLY("attribute")."""
    everything, versions, only = row[3:]
    first, last = map(int, versions.split(",")) if versions else (0, 0)
    return bool(everything or only == attribute or versions and first <= minor <= (last or minor))


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_the_matrix_of_events_is_the_table(version, capsys):
    source = (ROOT / "worker/audit_rows.c").read_text(encoding="utf-8")
    rows, imports = table_of("audit_rows", source), table_of("audit_imports", source)
    harmless, guarded = words_of("harmless", source), words_of("guarded", source)
    assert len(rows) > 20 and len(imports) > 3
    modules = [*strict_modules(), "linecache", "_strptime", "encodings.idna"]
    done = subprocess.run([PYTHONS[version], "-I", "-W", "ignore", "-c", WATCH],
                          input=json.dumps({**SWEEP, "modules": modules}).encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    profile = (ROOT / "src/core/profile.c").read_text(encoding="utf-8")
    own = {("exec", "__main__"), *(("import", n) for n in words_of("strict_c_imports", profile))}
    matrix = [(e, m, d) for e, m, d in json.loads(done.stdout)
              if e not in harmless and not {(e, m), (e, d)} & own]
    with capsys.disabled():
        print(f"\nevents of harmless code on {version}:")
        for event, module in sorted({(e, m) for e, m, _ in matrix if not e.startswith("object.__")}):
            print(f"  {event:26} {module}")
    minor = int(version.split(".")[1])
    for event, module, detail in matrix:
        if event.startswith("object.__") and detail not in guarded:
            continue
        if event == "import":
            assert any(i == module and (n == detail or n.endswith(".") and detail.startswith(n)) for i, n, *_ in imports), detail
        elif event == "open" and (detail.startswith("<") or "/zoneinfo/" in detail):
            continue
        else:
            fits = [r for r in rows if r[0] == event and r[1] in (module, "") and row_is_for(r, minor, detail)]
            assert fits, (event, module, detail)
