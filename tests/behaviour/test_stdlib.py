# SPDX-License-Identifier: Apache-2.0
"""
The standard library that strict code may use works in full: not only imports, but what C
code and generated code do behind an import, with the user's own builtins and __import__.
"""

import pytest

from support import KERNEL, ok, without_gate

run = without_gate

# ---- the allowlist: every module, and something that it is for ------------------------------

USES = {
    "json": ("json.loads(json.dumps({'a': [1, None]}, indent=1))", {"a": [1, None]}),
    "math": ("[math.comb(5, 2), math.isqrt(17), math.gcd(12, 18)]", [10, 4, 6]),
    "cmath": ("round(abs(cmath.exp(1j * cmath.pi) + 1), 9)", 0.0),
    "re": ("re.sub(r'(?P<a>\\d+)', lambda m: str(int(m['a']) * 2), 'x10y2')", "x20y4"),
    "datetime": ("str(datetime.date(2024, 2, 28) + datetime.timedelta(2))", "2024-03-01"),
    "time": ("time.strftime('%Y-%m-%d', time.gmtime(0))", "1970-01-01"),
    "calendar": ("[calendar.isleap(2024), calendar.monthrange(2024, 2)[1]]", [True, 29]),
    "zoneinfo": ("str(zoneinfo.ZoneInfo('Europe/Berlin'))", "Europe/Berlin"),
    "collections": ("collections.Counter('abca').most_common(1)", [["a", 2]]),
    "collections.abc": ("isinstance([], collections.abc.Sequence)", True),
    "itertools": ("list(itertools.islice(itertools.accumulate(itertools.count(1)), 4))", [1, 3, 6, 10]),
    "functools": ("functools.reduce(lambda a, b: a * b, [1, 2, 3, 4])", 24),
    "statistics": ("[statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2])]", [2.5, 2]),
    "decimal": ("str(decimal.Decimal('0.1') + decimal.Decimal('0.2'))", "0.3"),
    "fractions": ("str(fractions.Fraction(1, 3) + fractions.Fraction(1, 6))", "1/2"),
    "random": ("random.Random(42).randint(1, 100)", 82),
    "string": ("string.Template('$a-$b').substitute(a=1, b=2)", "1-2"),
    "textwrap": ("textwrap.dedent('  a\\n  b')", "a\nb"),
    "unicodedata": ("unicodedata.normalize('NFD', 'é').encode().hex()", "65cc81"),
    "csv": ("list(csv.reader(['a,\"b,c\"']))", [["a", "b,c"]]),
    "copy": ("copy.deepcopy({'a': [1]})", {"a": [1]}),
    "enum": ("enum.Enum('E', 'A B').B.value", 2),
    "dataclasses": ("dataclasses.is_dataclass(int)", False),
    "typing": ("str(typing.Optional[int])", "typing.Optional[int]"),
    "abc": ("abc.ABC.__name__", "ABC"),
    "numbers": ("isinstance(1, numbers.Integral)", True),
    "uuid": ("str(uuid.uuid5(uuid.NAMESPACE_DNS, 'a'))", "4f3f2898-69e3-5a0d-820a-c4e87987dbce"),
    "hashlib": (
        "hashlib.sha256(b'a').hexdigest()",
        "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    ),
    "base64": ("base64.b64encode(b'ab').decode()", "YWI="),
    "binascii": ("binascii.crc32(b'hello')", 907060870),
    "operator": ("[operator.itemgetter(1)([1, 2]), operator.add(1, 2)]", [2, 3]),
    "heapq": ("heapq.nsmallest(2, [3, 1, 2])", [1, 2]),
    "bisect": ("bisect.bisect([1, 2, 3], 2)", 2),
    "array": ("array.array('i', [1, 2]).tolist()", [1, 2]),
    "__future__": ("__future__.annotations.optional[:2]", [3, 7]),
    "sys": ("[sys.maxsize > 2**31, sys.version_info >= (3, 11), sys.byteorder]", [True, True, "little"]),
    "io": ("io.StringIO('a\\nb').readlines() + [io.BytesIO(b'x').getvalue().decode()]", ["a\n", "b", "x"]),
    "contextlib": ("isinstance(contextlib.nullcontext(), contextlib.AbstractContextManager)", True),
    "html": ("html.unescape(html.escape('<&eacute;'))", "<&eacute;"),
    "urllib.parse": ("urllib.parse.urlsplit('http://h:1/p?q=1').port", 1),
    "pprint": ("pprint.pformat({'b': [1], 'a': 2})", "{'a': 2, 'b': [1]}"),
    "pathlib": ("str(pathlib.PurePosixPath('/a') / 'b.txt')", "/a/b.txt"),
    "traceback": ("traceback.format_exc()", "NoneType: None\n"),
    "types": ("types.SimpleNamespace(a=1).a", 1),
    "graphlib": ("list(graphlib.TopologicalSorter({'b': ['a']}).static_order())", ["a", "b"]),
    "secrets": ("len(secrets.token_hex(4))", 8),
    "struct": ("list(struct.unpack('<HB', struct.pack('<HB', 1, 2)))", [1, 2]),
    "zlib": ("zlib.decompress(zlib.compress(b'aa')).decode()", "aa"),
    "difflib": ("difflib.get_close_matches('appel', ['apple', 'x'])", ["apple"]),
    "warnings": ("[warnings.warn('a'), warnings.simplefilter('ignore')]", [None, None]),
    "fnmatch": ("fnmatch.filter(['a.py', 'b'], '*.py')", ["a.py"]),
}


def test_every_module_of_the_allowlist_is_importable_and_of_use(run):
    code = "".join(f"import {m}\nresult[{m!r}] = {use}\n" for m, (use, _) in USES.items())
    got = ok(run(code))
    for module, (use, value) in USES.items():
        assert got[module] == value, (module, use)


def test_a_warning_shows_the_line_of_the_code(run):
    envelope = run("import warnings\n\nwarnings.warn('careful')\n")
    assert envelope["stderr"] == "<code>:3: UserWarning: careful\n  warnings.warn('careful')\n"


def test_ways_to_import(run):
    code = """
import json as j, math
from collections import OrderedDict, deque as dq
from collections.abc import Mapping
import collections.abc as cabc
from math import *
result = {"a": j.dumps([1]), "b": dq([1, 2])[1], "c": Mapping is cabc.Mapping,
          "d": floor(pi), "e": OrderedDict(x=1), "m": [m.__name__ for m in (j, math, cabc)]}
"""
    assert ok(run(code)) == {
        "a": "[1]",
        "b": 2,
        "c": True,
        "d": 3,
        "e": {"x": 1},
        "m": ["json", "math", "collections.abc"],
    }


def test_an_import_inside_a_function_and_again(run):
    code = """
def f():
    import statistics
    from decimal import Decimal
    return statistics.mean([Decimal(1), Decimal(2)])
result = {"a": f(), "b": f(), "same": __import__("json") is json}
"""
    assert ok(run(code)) == {"a": "1.5", "b": "1.5", "same": True}


REFUSED = [
    ("import os", "os"),
    ("import builtins", "builtins"),
    ("import urllib.request", "urllib.request"),
    ("import importlib.resources", "importlib.resources"),
    ("import os.path", "os"),
    ("from os import path", "os"),
    ("from os.path import join", "os"),
    ("import subprocess as s", "subprocess"),
    ("import socket", "socket"),
    ("import ctypes", "ctypes"),
    ("import importlib", "importlib"),
    ("import pickle", "pickle"),
    ("import inspect", "inspect"),
    ("import encodings.idna", "encodings"),
    ("import _strptime", "_strptime"),
    ("import posix", "posix"),
    ("import _posixsubprocess", "_posixsubprocess"),
    ("import _cordon_worker", "_cordon_worker"),
    ("import numpy", "numpy"),
    ("import no_such_module", "no_such_module"),
    ("__import__('os')", "os"),
    ("__import__('o' + 's', {}, {}, ['path'])", "os"),
    ("import json.tool", "json.tool"),
    ("import collections.nothing", "collections.nothing"),
]


@pytest.mark.parametrize("statement, module", REFUSED, ids=[s for s, _ in REFUSED])
def test_a_refused_import_names_the_module_and_the_profile(run, statement, module):
    envelope = run(f"x = 1\n{statement}\n")
    error = envelope["error"]
    assert envelope["status"] == "error" and error["kind"] == "exception"
    assert error["type"] in ("ImportError", "ModuleNotFoundError")
    assert f"'{module}" in error["message"] and "profile" in error["message"], error["message"]
    assert "strict" in error["message"]
    assert error["line"] == 2


def test_a_refused_import_can_be_caught(run):
    code = """
try:
    import numpy as np
except ImportError as e:
    np = None
    result["name"] = e.name
result["np"] = np
"""
    assert ok(run(code)) == {"name": "numpy", "np": None}


def test_odd_imports_are_errors_of_the_code(run):
    for statement, types in [
        ("from json import no_such_name", ("ImportError",)),
        ("from . import x", ("ImportError",)),
        ("from .json import x", ("ImportError", "ModuleNotFoundError")),
        ("__import__('')", ("ValueError", "ImportError")),
        ("__import__(5)", ("TypeError",)),
        ("__import__('json', level=-1)", ("ValueError", "ImportError")),
        ("__import__()", ("TypeError",)),
        ("__import__('js\\0on')", ("ImportError", "ModuleNotFoundError", "ValueError")),
        ("__import__('j\\ud800n')", ("ImportError", "ModuleNotFoundError", "UnicodeEncodeError")),
    ]:
        envelope = run(statement)
        assert envelope["status"] == "error", (statement, envelope)
        assert envelope["error"]["type"] in types, (statement, envelope["error"])


# ---- csv ------------------------------------------------------------------------------------


def test_csv(run):
    code = r"""
import csv
text = 'name,amount\nann,3\n"b, ""ob"" ",4.5\n'
rows = list(csv.DictReader(text.splitlines()))
class Sink:
    def __init__(self): self.parts = []
    def write(self, s): self.parts.append(s); return len(s)
sink = Sink()
w = csv.DictWriter(sink, ["a", "b"], delimiter=";", quoting=csv.QUOTE_MINIMAL)
w.writeheader()
w.writerow({"a": 1, "b": "x;y"})
class Pipes(csv.Dialect):
    delimiter = "|"
    quotechar = "'"
    lineterminator = "\n"
    quoting = csv.QUOTE_ALL
csv.register_dialect("pipes", Pipes)
csv.writer(sink, "pipes").writerow(["p", 2])
result = {"rows": rows, "out": "".join(sink.parts), "sniff": csv.Sniffer().sniff("a;b\n1;2\n").delimiter,
          "dialects": sorted(csv.list_dialects())}
try:
    list(csv.reader(["a\0b"], strict=True))
except csv.Error as e:
    result["error"] = "line" in str(e)
try:
    next(csv.reader(['"open'], strict=True))
except csv.Error as e:
    result["strict"] = str(e)
"""
    got = ok(run(code))
    assert got["rows"] == [{"name": "ann", "amount": "3"}, {"name": 'b, "ob" ', "amount": "4.5"}]
    assert got["out"] == "a;b\r\n1;\"x;y\"\r\n'p'|'2'\n"
    assert got["sniff"] == ";"
    assert got["dialects"] == ["excel", "excel-tab", "pipes", "unix"]
    assert got["strict"] == "unexpected end of data"


# ---- classes that are made by code ------------------------------------------------------------


def test_dataclasses_with_methods(run):
    code = """
from dataclasses import dataclass, field, asdict, astuple, replace, fields, KW_ONLY, InitVar
from typing import ClassVar

@dataclass(order=True)
class Money:
    amount: float
    currency: str = "EUR"
    def __post_init__(self):
        self.amount = round(self.amount, 2)
    def __add__(self, other):
        return Money(self.amount + other.amount, self.currency)
    @property
    def text(self):
        return f"{self.amount:.2f} {self.currency}"
    @classmethod
    def zero(cls):
        return cls(0)

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5

@dataclass
class Cart:
    owner: str
    items: list = field(default_factory=list)
    count: ClassVar[int] = 0
    seed: InitVar[int] = 1
    _: KW_ONLY
    note: str = field(default="", repr=False, compare=False)
    def __post_init__(self, seed):
        self.seeded = seed * 2
    def total(self): return sum(self.items, Money.zero())

cart = Cart("ann", [Money(1.005), Money(2)], 5, note="n")
result = {
    "text": cart.total().text, "repr": repr(cart), "eq": Money(1) == Money(1.001),
    "lt": Money(1) < Money(2), "asdict": asdict(cart), "astuple": astuple(Money(3)),
    "replace": replace(Point(3, 4), x=0), "norm": Point(3, 4).norm(), "hash": len({Point(1), Point(1, 0)}),
    "fields": [f.name for f in fields(Cart)], "seeded": cart.seeded, "plain": cart,
}
try:
    Point(1).x = 2
except Exception as e:
    result["frozen"] = type(e).__name__
try:
    Cart()
except TypeError as e:
    result["missing"] = str(e)
"""
    got = ok(run(code))
    assert got["text"] == "3.00 EUR" or got["text"] == "3.01 EUR"
    assert got["eq"] is True and got["lt"] is True and got["norm"] == 5.0 and got["hash"] == 1
    assert got["repr"].startswith("Cart(owner='ann', items=[Money(amount=")
    assert "note" not in got["repr"]
    assert got["asdict"]["items"][1] == {"amount": 2, "currency": "EUR"}
    assert got["astuple"] == [3, "EUR"]
    assert got["replace"] == {"x": 0, "y": 4}
    assert got["fields"] == ["owner", "items", "note"] and got["seeded"] == 10
    assert got["frozen"] == "FrozenInstanceError"
    assert got["missing"] == "Cart.__init__() missing 1 required positional argument: 'owner'"
    assert got["plain"]["owner"] == "ann" and got["plain"]["note"] == "n"


def test_dataclass_under_future_annotations(run):
    code = """from __future__ import annotations
from dataclasses import dataclass, field
from typing import Optional
@dataclass
class Node:
    value: int
    next: Optional[Node] = None
    tags: dict[str, list[int]] = field(default_factory=dict)
    def walk(self):
        node = self
        while node:
            yield node.value
            node = node.next
result = {"walk": list(Node(1, Node(2, Node(3))).walk()), "repr": repr(Node(1))}
"""
    assert ok(run(code)) == {"walk": [1, 2, 3], "repr": "Node(value=1, next=None, tags={})"}


def test_named_tuples(run):
    code = """
from collections import namedtuple
from typing import NamedTuple
P = namedtuple("P", "x y", defaults=[5])
class Row(NamedTuple):
    id: int
    name: str = "?"
    def label(self): return f"{self.id}:{self.name}"
p = P(1)
result = {
    "p": p, "repr": repr(p), "asdict": p._asdict(), "replace": p._replace(x=9), "fields": P._fields,
    "row": Row(1, "a"), "label": Row(2).label(), "rowrepr": repr(Row(3)), "unpack": [*Row(4)],
    "eq": P(1, 5) == (1, 5), "module": [P.__module__, Row.__module__], "rename": namedtuple("Q", "a def a", rename=True)._fields,
    "make": P._make([7, 8]), "slots": hasattr(p, "__dict__"),
}
"""
    assert ok(run(code)) == {
        "p": [1, 5],
        "repr": "P(x=1, y=5)",
        "asdict": {"x": 1, "y": 5},
        "replace": [9, 5],
        "fields": ["x", "y"],
        "row": [1, "a"],
        "label": "2:?",
        "rowrepr": "Row(id=3, name='?')",
        "unpack": [4, "?"],
        "eq": True,
        "module": ["__main__", "__main__"],
        "rename": ["a", "_1", "_2"],
        "make": [7, 8],
        "slots": False,
    }


def test_enums(run):
    code = """
from enum import Enum, IntEnum, Flag, IntFlag, StrEnum, auto, unique
@unique
class Color(Enum):
    RED = 1
    GREEN = auto()
    @property
    def title(self): return self.name.title()
    @classmethod
    def parse(cls, s): return cls[s.upper()]
class Level(IntEnum):
    LOW = 1
    HIGH = 10
class Mode(StrEnum):
    READ = auto()
class Perm(Flag):
    R = auto()
    W = auto()
    RW = R | W
Animal = Enum("Animal", {"CAT": "c", "DOG": "d"})
result = {
    "value": Color(2).name, "title": Color.parse("red").title, "list": [c.value for c in Color],
    "repr": repr(Color.RED), "str": str(Color.RED), "level": Level.HIGH > Level.LOW, "sum": Level.LOW + Level.HIGH,
    "mode": f"{Mode.READ}", "flag": (Perm.R | Perm.W) is Perm.RW, "in": Perm.R in Perm.RW, "animal": Animal("d").name,
    "member": Color.RED, "is": Color["RED"] is Color.RED, "module": [Color.__module__, Animal.__module__],
}
try:
    Color(99)
except ValueError as e:
    result["error"] = str(e)
try:
    @unique
    class Twice(Enum):
        A = 1
        B = 1
except ValueError as e:
    result["unique"] = "duplicate values" in str(e)
"""
    assert ok(run(code)) == {
        "value": "GREEN",
        "title": "Red",
        "list": [1, 2],
        "repr": "<Color.RED: 1>",
        "str": "Color.RED",
        "level": True,
        "sum": 11,
        "mode": "read",
        "flag": True,
        "in": True,
        "animal": "DOG",
        "member": 1,
        "is": True,
        "module": ["__main__", "__main__"],
        "error": "99 is not a valid Color",
        "unique": True,
    }


def test_typing_protocols_and_generics(run):
    code = """
from typing import (Protocol, runtime_checkable, Generic, TypeVar, Any, Callable, Union, Literal,
    TypedDict, get_args, cast, overload, Annotated, Iterator, NewType, Final)
T = TypeVar("T")
@runtime_checkable
class Named(Protocol):
    name: str
    def greet(self) -> str: ...
class Person:
    name = "ann"
    def greet(self): return "hi " + self.name
class Stack(Generic[T]):
    def __init__(self): self.items: list[T] = []
    def push(self, x: T) -> None: self.items.append(x)
class Movie(TypedDict, total=False):
    title: str
    year: int
UserId = NewType("UserId", int)
def f(a: int, b: "Stack[int]" = None) -> Union[int, None]: return a
s = Stack[int](); s.push(1)
result = {
    "protocol": [isinstance(Person(), Named), isinstance(1, Named)], "items": s.items,
    "movie": Movie(title="x"), "hints": sorted(f.__annotations__), "args": get_args(Literal["a", "b"]),
    "origin": str(dict[str, int]), "cast": cast(int, "x"), "id": UserId(5),
    "pipe": str(int | None), "annotated": get_args(Annotated[int, "m"])[1],
}
"""
    assert ok(run(code)) == {
        "protocol": [True, False],
        "items": [1],
        "movie": {"title": "x"},
        "hints": ["a", "b", "return"],
        "args": ["a", "b"],
        "origin": "dict[str, int]",
        "cast": "x",
        "id": 5,
        "pipe": "int | None",
        "annotated": "m",
    }


def test_functools(run):
    code = """
from functools import singledispatch, singledispatchmethod, lru_cache, cache, partial, wraps, total_ordering, cached_property, cmp_to_key
@singledispatch
def show(x): return "?"
@show.register
def _(x: int): return "int"
@show.register(list)
def _(x): return "list of " + str(len(x))
@show.register
def _(x: float | complex): return "number"
class Fmt:
    @singledispatchmethod
    def f(self, x): return "?"
    @f.register
    def _(self, x: str): return "str"
calls = []
@lru_cache(maxsize=2)
def sq(x): calls.append(x); return x * x
@cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def deco(fn):
    @wraps(fn)
    def inner(*a): return fn(*a) + 1
    return inner
@deco
def one():
    "Doc."
    return 1
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
    @cached_property
    def slow(self): calls.append("slow"); return self.n
v = V(1)
result = {"show": [show(1), show([1, 2]), show("x"), show(2.5), show(True)], "method": [Fmt().f("a"), Fmt().f(1)],
  "sq": [sq(2), sq(2), sq.cache_info().hits], "fib": fib(80), "one": [one(), one.__name__, one.__doc__],
  "order": V(2) >= V(1), "cached": [v.slow, v.slow], "calls": calls, "partial": partial(pow, 2)(5),
  "cmp": sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a))}
"""
    assert ok(run(code)) == {
        "show": ["int", "list of 2", "?", "number", "int"],
        "method": ["str", "?"],
        "sq": [4, 4, 1],
        "fib": 23416728348467685,
        "one": [2, "one", "Doc."],
        "order": True,
        "cached": [1, 1],
        "calls": [2, "slow"],
        "partial": 32,
        "cmp": [3, 2, 1],
    }


def test_abstract_classes_metaclasses_descriptors(run):
    code = """
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Sq(Shape):
    def __init__(self, a): self.a = a
    def area(self): return self.a ** 2
class Base:
    def __init_subclass__(cls, **kw): cls.sub = kw
class Meta(type):
    def __new__(m, name, bases, ns, **kw):
        cls = super().__new__(m, name, bases, ns, **kw)
        cls.kw = kw
        return cls
    def __init__(cls, *a, **kw): super().__init__(*a)
class K(Base, metaclass=Meta, flag=1):
    def __class_getitem__(cls, i): return i
class L(K, tag="t"): pass
class D:
    def __set_name__(self, o, n): self.n = n
    def __get__(self, i, o): return self.n
class U: field = D()
result = {"area": Sq(3).area(), "kw": [K.kw, L.sub, K[5]], "desc": U().field}
try:
    Shape()
except TypeError as e:
    result["abstract"] = str(e).startswith("Can't instantiate abstract class Shape")
"""
    assert ok(run(code)) == {
        "area": 9,
        "kw": [{"flag": 1}, {"tag": "t"}, 5],
        "desc": "field",
        "abstract": True,
    }


# ---- dates ----------------------------------------------------------------------------------


def test_strftime_and_strptime(run):
    code = """
from datetime import datetime, date, timedelta, timezone
import time
d = datetime.strptime("2024-02-29 13:05:06.789", "%Y-%m-%d %H:%M:%S.%f")
result = {
    "d": d, "fmt": d.strftime("%A %d %B %Y %I:%M %p %j %U"), "date": date(2024, 1, 5).strftime("%y/%m"),
    "zone": datetime.strptime("2024-01-01 +0530", "%Y-%m-%d %z"), "iso": datetime.fromisoformat("2024-07-01T10:00:00Z"),
    "struct": list(time.strptime("31 Dec 99", "%d %b %y"))[:3], "gm": time.strftime("%H:%M", time.gmtime(3600)),
    "week": date(2024, 12, 30).isocalendar(), "delta": str(timedelta(days=1, seconds=3661)),
    "utc": datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp(), "f": f"{d:%H-%M}", "mk": time.mktime(time.localtime(0)),
}
try:
    datetime.strptime("x", "%Y")
except ValueError as e:
    result["error"] = str(e)
"""
    assert ok(run(code)) == {
        "d": "2024-02-29T13:05:06.789000",
        "fmt": "Thursday 29 February 2024 01:05 PM 060 08",
        "date": "24/01",
        "zone": "2024-01-01T00:00:00+05:30",
        "iso": "2024-07-01T10:00:00+00:00",
        "struct": [1999, 12, 31],
        "gm": "01:00",
        "week": [2025, 1, 1],
        "delta": "1 day, 1:01:01",
        "utc": 1704067200.0,
        "f": "13-05",
        "mk": 0.0,
        "error": "time data 'x' does not match format '%Y'",
    }


def test_zoneinfo(run):
    code = """
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones
from datetime import datetime, timedelta, timezone
berlin = ZoneInfo("Europe/Berlin")
summer = datetime(2024, 7, 1, 12, tzinfo=berlin)
winter = datetime(2024, 1, 1, 12, tzinfo=berlin)
fold = datetime(2024, 10, 27, 2, 30, tzinfo=berlin)
result = {
    "summer": summer, "winter": winter, "name": [summer.tzname(), winter.tzname()],
    "ny": summer.astimezone(ZoneInfo("America/New_York")), "fold": [fold, fold.replace(fold=1)],
    "tokyo": datetime(2024, 1, 1, tzinfo=timezone.utc).astimezone(ZoneInfo("Asia/Tokyo")),
    "gap": (datetime(2024, 3, 31, 1, 59, tzinfo=berlin).astimezone(timezone.utc) + timedelta(minutes=2)).astimezone(berlin),
    "far": datetime(2090, 7, 1, tzinfo=berlin).utcoffset().total_seconds(),
    "many": len(available_timezones()) > 300, "has": "Europe/Berlin" in available_timezones(),
}
for bad in ("Nowhere/City", "../../../etc/passwd", "/etc/passwd"):
    try:
        ZoneInfo(bad)
    except (ZoneInfoNotFoundError, ValueError) as e:
        result[bad] = True
"""
    got = ok(run(code))
    assert got.pop("Nowhere/City") and got.pop("../../../etc/passwd") and got.pop("/etc/passwd")
    assert got == {
        "summer": "2024-07-01T12:00:00+02:00",
        "winter": "2024-01-01T12:00:00+01:00",
        "name": ["CEST", "CET"],
        "ny": "2024-07-01T06:00:00-04:00",
        "fold": ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"],
        "tokyo": "2024-01-01T09:00:00+09:00",
        "gap": "2024-03-31T03:01:00+02:00",
        "far": 7200.0,
        "many": True,
        "has": True,
    }


# ---- text and bytes -----------------------------------------------------------------------------


def test_codecs_by_name(run):
    names = {
        "utf-8": "c3a9",
        "utf8": "c3a9",
        "UTF_8": "c3a9",
        "latin-1": "e9",
        "iso-8859-1": "e9",
        "cp1252": "e9",
        "windows-1252": "e9",
        "utf-16": "fffee900",
        "utf-16-le": "e900",
        "utf-16-be": "00e9",
        "utf-32-le": "e9000000",
        "utf-8-sig": "efbbbfc3a9",
        "idna": "786e2d2d396361",
    }
    code = f"""
names = {list(names)!r}
result["encode"] = {{n: "é".encode(n).hex() for n in names}}
result["decode"] = [bytes.fromhex(result["encode"][n]).decode(n) for n in names]
result["euro"] = "€".encode("cp1252").hex()
result["idna"] = "bücher.example".encode("idna").decode()
result["back"] = b"xn--bcher-kva.example".decode("idna")
result["puny"] = "bücher".encode("punycode").decode()
result["escape"] = "a\\nb".encode("unicode_escape").decode()
result["ascii"] = "é".encode("ascii", "backslashreplace").decode() + "é".encode("ascii", "xmlcharrefreplace").decode()
try:
    "é".encode("ascii")
except UnicodeEncodeError as e:
    result["error"] = e.reason
try:
    "x".encode("no-such-codec")
except LookupError as e:
    result["unknown"] = str(e)
"""
    got = ok(run(code))
    assert got["encode"] == names
    assert got["decode"] == ["é"] * len(names)
    assert got["euro"] == "80"
    assert got["idna"] == "xn--bcher-kva.example" and got["back"] == "bücher.example"
    assert got["puny"] == "bcher-kva" and got["escape"] == "a\\nb"
    assert got["ascii"] == "\\xe9&#233;"
    assert got["error"] == "ordinal not in range(128)"
    assert got["unknown"] == "unknown encoding: no-such-codec"


def test_regular_expressions_and_text(run):
    code = r"""
import re, textwrap, string, unicodedata
m = re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-05")
result = {
    "groups": m.groupdict(), "split": re.split(r"[,;]\s*", "a, b;c"), "verbose": bool(re.fullmatch(r'''(?x) a + # as
        b''', "aab")), "sub": re.subn("a", "b", "banana"), "unicode": re.findall(r"\w+", "naïve café"),
    "scan": [(x.start(), x[0]) for x in re.finditer("o", "foo")], "flags": re.sub("(?i)A", "x", "aA"),
    "fill": textwrap.fill("the quick brown fox", 10), "short": textwrap.shorten("hello big world", 12),
    "name": unicodedata.name("é"), "caps": string.capwords("a b"), "fmt": "{0!r:>6}|{a[1]:05.1f}|{b.real}".format("x", a=[1, 2.25], b=3),
    "tr": "abc".translate(str.maketrans("ab", "xy", "c")), "case": "ß".upper() + "ǅ".lower(), "join": "-".join(map(str, range(3))),
    "pct": "%05d %-4s|" % (42, "ab"),
}
"""
    got = ok(run(code))
    assert got["groups"] == {"y": "2024", "m": "05"} and got["split"] == ["a", "b", "c"]
    assert got["verbose"] is True and got["sub"] == ["bbnbnb", 3]
    assert got["unicode"] == ["naïve", "café"] and got["scan"] == [[1, "o"], [2, "o"]]
    assert got["fill"] == "the quick\nbrown fox" and got["short"] == "hello [...]"
    assert got["name"] == "LATIN SMALL LETTER E WITH ACUTE" and got["caps"] == "A B"
    assert got["fmt"] == "   'x'|002.2|3" and got["tr"] == "xy" and got["case"] == "SSǆ"
    assert got["pct"] == "00042 ab  |" and got["flags"] == "xx"


def test_hashes_and_encodings_of_bytes(run):
    code = """
import hashlib, base64, binascii, uuid, array
result = {
    "md5": hashlib.md5(b"a").hexdigest(), "sha1": hashlib.new("sha1", b"a").hexdigest(), "blake": hashlib.blake2b(b"a", digest_size=4).hexdigest(),
    "sha3": hashlib.sha3_256(b"").hexdigest()[:8], "pbkdf2": hashlib.pbkdf2_hmac("sha256", b"p", b"s", 2).hex()[:8],
    "avail": {"md5", "sha256", "blake2s"} <= hashlib.algorithms_available, "b32": base64.b32encode(b"a").decode(), "b85": base64.b85encode(b"ab").decode(),
    "url": base64.urlsafe_b64encode(b"\\xfb\\xff").decode(), "hex": binascii.hexlify(b"az").decode(), "u3": str(uuid.uuid3(uuid.NAMESPACE_URL, "a")),
    "u": uuid.UUID("12345678123456781234567812345678").version, "arr": array.array("H", b"\\1\\0\\2\\0").tolist(),
    "bytes": int.from_bytes((1000).to_bytes(2, "big"), "big"), "mv": bytes(memoryview(b"abcd")[::2]).decode(),
}
"""
    assert ok(run(code)) == {
        "md5": "0cc175b9c0f1b6a831c399e269772661",
        "sha1": "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
        "blake": "ca234c55",
        "sha3": "a7ffc6f8",
        "pbkdf2": "1998f3d3",
        "avail": True,
        "b32": "ME======",
        "b85": "VPX",
        "url": "-_8=",
        "hex": "617a",
        "u3": "33838e93-63bc-3732-bf9e-b68d970b79c2",
        "u": None,
        "arr": [1, 2],
        "bytes": 1000,
        "mv": "ac",
    }


# ---- numbers --------------------------------------------------------------------------------------


def test_decimal_fractions_statistics(run):
    code = """
from decimal import Decimal, getcontext, localcontext, ROUND_HALF_UP, ROUND_HALF_EVEN, InvalidOperation, DivisionByZero
from fractions import Fraction
import statistics as st, math
with localcontext() as ctx:
    ctx.prec = 30
    third = Decimal(1) / Decimal(3)
result = {
    "third": third, "prec": getcontext().prec, "round": Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP),
    "even": Decimal("2.665").quantize(Decimal("0.01"), ROUND_HALF_EVEN), "sqrt": Decimal(2).sqrt(), "exp": Decimal("1E+3") + 1,
    "fmt": f"{Decimal('1234567.891'):,.2f}", "frac": Fraction("0.125") * 3, "limit": Fraction(math.pi).limit_denominator(100),
    "mean": st.mean([1, 2, 3, 4, 10]), "stdev": round(st.stdev([1, 2, 3, 4, 10]), 3), "q": st.quantiles([1, 2, 3, 4, 10], n=4),
    "mode": st.multimode("aabb"), "dmean": st.mean([Decimal("0.5"), Decimal("0.75")]), "corr": st.correlation([1, 2, 3], [2, 4, 6]),
    "reg": list(st.linear_regression([1, 2, 3], [3, 5, 7])), "nd": round(st.NormalDist(100, 15).cdf(115), 4), "hm": st.harmonic_mean([40, 60]),
    "fsum": math.fsum([0.1] * 10), "prod": math.prod([2, 3]), "lcm": math.lcm(4, 6),
}
try:
    Decimal("x")
except InvalidOperation as e:
    result["invalid"] = type(e).__name__
try:
    Decimal(1) / 0
except DivisionByZero as e:
    result["zero"] = isinstance(e, ZeroDivisionError)
try:
    st.mean([])
except st.StatisticsError as e:
    result["empty"] = str(e)
"""
    assert ok(run(code)) == {
        "third": "0.333333333333333333333333333333",
        "prec": 28,
        "round": "2.68",
        "even": "2.66",
        "sqrt": "1.414213562373095048801688724",
        "exp": "1001",
        "fmt": "1,234,567.89",
        "frac": "3/8",
        "limit": "311/99",
        "mean": 4,
        "stdev": 3.536,
        "q": [1.5, 3.0, 7.0],
        "mode": ["a", "b"],
        "dmean": "0.625",
        "corr": 1.0,
        "reg": [2.0, 1.0],
        "nd": 0.8413,
        "hm": 48.0,
        "fsum": 1.0,
        "prod": 6,
        "lcm": 12,
        "invalid": "InvalidOperation",
        "zero": True,
        "empty": "mean requires at least one data point",
    }


def test_collections_and_algorithms(run):
    code = """
from collections import Counter, OrderedDict, defaultdict, deque, ChainMap, UserDict, UserList
import heapq, bisect, itertools as it, operator as op, copy
dd = defaultdict(list); dd["a"].append(1)
q = deque([1, 2, 3], maxlen=3); q.append(4); q.rotate(1)
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0)
class Up(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.upper(), v)
od = OrderedDict(a=1, b=2); od.move_to_end("a")
u = Up(); u["x"] = 1
xs = [1, 3]; bisect.insort(xs, 2)
result = {
    "dd": dd, "q": list(q), "heap": [heapq.heappop(h) for _ in range(4)], "up": dict(u), "od": list(od), "chain": dict(ChainMap({"a": 1}, {"a": 2, "b": 3})),
    "counter": Counter("banana") - Counter("an"), "xs": xs, "group": {k: len(list(g)) for k, g in it.groupby("aabbb")}, "prod": list(it.product("ab", [1])),
    "pair": list(it.pairwise([1, 2, 3])), "zip": list(it.zip_longest([1], [2, 3])), "perm": len(list(it.permutations(range(4)))), "chainit": list(it.chain.from_iterable([[1], [2]])),
    "key": max([{"n": 1}, {"n": 3}], key=op.itemgetter("n")), "method": op.methodcaller("upper")("a"), "merge": list(heapq.merge([1, 4], [2, 3])),
    "deep": (lambda a: (copy.deepcopy(a)[0] is a[0], copy.copy(a)[0] is a[0]))([[1]]), "ul": list(UserList([1]) + [2]),
}
"""
    assert ok(run(code)) == {
        "dd": {"a": [1]},
        "q": [4, 2, 3],
        "heap": [0, 1, 4, 5],
        "up": {"X": 1},
        "od": ["b", "a"],
        "chain": {"a": 1, "b": 3},
        "counter": {"a": 2, "n": 1, "b": 1},
        "xs": [1, 2, 3],
        "group": {"a": 2, "b": 3},
        "prod": [["a", 1], ["b", 1]],
        "pair": [[1, 2], [2, 3]],
        "zip": [[1, 2], [None, 3]],
        "perm": 24,
        "chainit": [1, 2],
        "key": {"n": 3},
        "method": "A",
        "merge": [1, 2, 3, 4],
        "deep": [False, True],
        "ul": [1, 2],
    }


# ---- the language -------------------------------------------------------------------------------


def test_match(run):
    code = """
from dataclasses import dataclass
from enum import Enum
class C(Enum):
    A = 1
@dataclass
class P:
    x: int
    y: int
def f(v):
    match v:
        case 0 | 1: return "small"
        case int(n) if n > 100: return f"big {n}"
        case [a, *rest]: return [a, rest]
        case {"kind": "k", **more}: return more
        case P(x=0, y=y): return f"on axis {y}"
        case P(x, y): return x + y
        case str() as s: return s.upper()
        case C.A: return "enum"
        case None: return "none"
        case _: return "?"
result = {"r": [f(v) for v in (1, 500, [1, 2, 3], {"kind": "k", "z": 1}, P(0, 5), P(1, 2), "ab", C.A, None, 50.5)]}
"""
    assert ok(run(code)) == {
        "r": ["small", "big 500", [1, [2, 3]], {"z": 1}, "on axis 5", 3, "AB", "enum", "none", "?"]
    }


def test_exception_groups(run):
    code = """
seen = []
def boom():
    raise ExceptionGroup("g", [ValueError("v"), TypeError("t"), ExceptionGroup("in", [KeyError("k")])])
try:
    boom()
except* ValueError as eg:
    seen.append([type(e).__name__ for e in eg.exceptions])
except* (TypeError, KeyError) as eg:
    seen.append(str(eg))
try:
    try:
        boom()
    except* ValueError:
        pass
except ExceptionGroup as rest:
    seen.append(len(rest.exceptions))
result = {"seen": seen}
"""
    assert ok(run(code)) == {"seen": [["ValueError"], "g (2 sub-exceptions)", 2]}


def test_the_rest_of_the_language(run):
    code = """
def gen():
    got = yield 1
    yield from [got, 3]
g = gen()
async def co():
    return 5
def drive(c):
    try:
        c.send(None)
    except StopIteration as e:
        return e.value
def counter():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    return inc
class Ctx:
    def __enter__(self): return 7
    def __exit__(self, *a): return True
inc = counter(); inc()
with Ctx() as c:
    raise ValueError
def args(a, /, b, *c, d=1, **e): return [a, b, c, d, e]
x, *y = range(4)
if (w := 10) > 5: pass
del x
result = {"gen": [next(g), g.send(2), next(g)], "co": drive(co()), "inc": inc(), "c": c, "args": args(1, 2, 3, d=4, z=5),
  "y": y, "w": w, "comp": {k: [i for i in range(k) if i % 2] for k in range(3)}, "set": len({*"aab"}), "f": f"{w!r:>4}{w=}", "cond": 1 if y else 0,
  "chain": 1 < 2 < 3, "lambda": (lambda *a: a)(1), "slice": "abcdef"[::-2], "int": 1_000, "bits": 6 & 3 | 8 ^ 1, "mat": 7 // 2 - 7 % -3, "try": None}
try:
    raise KeyError("a")
except KeyError as e:
    result["try"] = e.args
else:
    result["try"] = "no"
finally:
    result["finally"] = True
global_name = 1
def setg():
    global global_name
    global_name = 2
setg()
result["global"] = global_name
for i in range(3):
    if i == 5: break
else:
    result["else"] = i
assert True
"""
    assert ok(run(code)) == {
        "gen": [1, 2, 3],
        "co": 5,
        "inc": 2,
        "c": 7,
        "args": [1, 2, [3], 4, {"z": 5}],
        "y": [1, 2, 3],
        "w": 10,
        "comp": {"0": [], "1": [], "2": [1]},
        "set": 2,
        "f": "  10w=10",
        "cond": 1,
        "chain": True,
        "lambda": [1],
        "slice": "fdb",
        "int": 1000,
        "bits": 11,
        "mat": 5,
        "try": ["a"],
        "finally": True,
        "global": 2,
        "else": 2,
    }


def test_deep_recursion_within_pythons_own_limit(run):
    code = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nresult = {'n': f(900)}"
    assert ok(run(code)) == {"n": 900}


def test_modules_changed_by_the_code_are_changed_for_it_alone(run):
    code = "import math\nmath.pi = 3\nmath.extra = 1\nresult = {'pi': math.pi}"
    assert ok(run(code)) == {"pi": 3}
    assert ok(run("import math\nresult = {'pi': math.pi, 'extra': hasattr(math, 'extra')}")) == {
        "pi": 3.141592653589793,
        "extra": False,
    }


def test_user_modules_are_not_found_in_the_working_directory(run, tmp_path):
    (tmp_path / "json.py").write_text("dumps = None")
    (tmp_path / "helper.py").write_text("x = 1")
    assert ok(run("import json\nresult = {'d': json.dumps(1)}", cwd=tmp_path)) == {"d": "1"}
    assert run("import helper", None, *KERNEL, cwd=tmp_path)["error"]["type"] == "ModuleNotFoundError"
