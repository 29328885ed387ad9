# SPDX-License-Identifier: Apache-2.0
"""
What is looked at again behind the gate, when it is done and however the code came by it:
classes of the library and their methods, names in text, text in the place of a type. With
the gate down, and each beside what harmless code does with the same things.
"""

import re
import textwrap
from unittest.mock import ANY

import pytest

from support import ROOT, Many, ok, without_gate
from test_python_versions import find

PYTHONS = {version: path for version, path in find().items() if int(version.split(".")[1]) >= 11}

run = without_gate


def each(attempts, error):
    """One program that tries them all: result[name] is what the error says, None without one."""
    return "".join(
        f"try:\n{textwrap.indent(code.strip(), '    ')}\n    result[{name!r}] = None\n"
        f"except {error} as why:\n    result[{name!r}] = str(why)\n"
        for name, code in attempts.items()
    )


CHANGES = {
    "an operator hands it over": """
class A:
    def __eq__(self, other):
        other.numerator = 1
Fraction == A()""",
    "by setattr": "setattr(Fraction, 'numerator', 1)",
    "by the class's own class": "type(ABC).__setattr__(Fraction, 'numerator', 1)",
    "deleted": "del Fraction.numerator",
    "by a decorator": "total_ordering(dataclass(Fraction))",
    "its base": "Fraction.__bases__ = (int,)",
    "an exception's": "JSONDecodeError.args = 1",
    "an own class with such a base": """
class B(Fraction):
    pass
B.__mro__[1].numerator = 1""",
}


def test_classes_of_the_library_cannot_be_changed(run):
    code = """
from abc import ABC
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from json import JSONDecodeError
""" + each(CHANGES, "TypeError")
    assert ok(run(code, None, "--drop-wall", "interpreter")) == dict.fromkeys(CHANGES, None) | {"its base": ANY}
    for name, why in ok(run(code)).items():
        assert why and "immutable type" in why, name


def test_ways_that_the_gate_does_not_follow_end_at_the_class(cordon, tmp_path):
    text = (ROOT / "tests" / "gate" / "sealed.txt").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^=== (.*)\n", text)[1:]
    for head, code, envelope in zip(parts[::2], parts[1::2], Many(cordon, tmp_path)(parts[1::2], drop="gate")):
        kind, why = head.split(" ", 1)
        assert envelope["status"] == "error" and envelope["error"]["type"] == kind, (code, envelope)
        assert why in envelope["error"]["message"], (code, envelope)


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_own_classes_with_such_bases_are_open(run, version):
    code = """
import enum, json, string, typing, decimal, collections
from abc import ABC, abstractmethod
from fractions import Fraction
class F(Fraction): pass
class E(json.JSONEncoder): pass
class T(string.Template): delimiter = "%"
class C(ABC):
    @abstractmethod
    def f(self): ...
class D(C):
    def f(self): return 1
class Colour(enum.Enum):
    RED = 1
class N(typing.NamedTuple):
    x: int
for own in F, E, T, D, N:
    own.extra = 1
    setattr(own, "more", 2)
    del own.extra
collections.abc.Sequence.register(D)
result["x"] = [F(1, 2).more, T("%a").substitute(a=1), D().f(), isinstance(D(), collections.abc.Sequence),
               Colour.RED.name, N(1).more]
"""
    assert ok(run(code, None, "--python", PYTHONS[version])) == {"x": [2, "1", 1, True, "RED", 2]}


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_what_all_code_shares_is_used_as_ever(run, version):
    code = """
import calendar, hashlib, textwrap
from decimal import BasicContext, Context, Decimal, DivisionByZero, ExtendedContext, Inexact, getcontext, localcontext, setcontext
setcontext(ExtendedContext)
result["x"] = [str(Decimal(1) / 7), ExtendedContext.flags[Inexact], getcontext().flags[Inexact]]
setcontext(BasicContext)
getcontext().prec = 5
try:
    Decimal(42) / 0
except DivisionByZero:
    result["x"] += [str(Decimal(1) / 7), BasicContext.prec]
mine = ExtendedContext.copy()
mine.prec = 4
mine.traps[Inexact] = True
mine.clear_traps()
with localcontext(mine) as c:
    c.prec = 3
    result["x"] += [str(Decimal(1) / 3), mine.prec, ExtendedContext.traps[Inexact], Context().prec]
class Calendar(calendar.HTMLCalendar):
    cssclasses = [style + " x" for style in calendar.HTMLCalendar.cssclasses]
hashlib.algorithms_available.clear()
result["x"] += ["mon x" in Calendar().formatmonth(2024, 5), textwrap.fill("a\\tb", 20), hashlib.new("sha256").name]
"""
    assert ok(run(code, None, "--python", PYTHONS[version]))["x"] == [
        "0.142857143", False, True, "0.14286", 9, "0.333", 4, False, 28, True, "a       b", "sha256"]


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_what_is_redirected_does_not_depend_on_what_an_object_holds(run, version):
    code = """
import contextlib, io, sys
got, text = [], io.StringIO()
class Own:
    def append(self, x): got.append(x)
    def pop(self): return got[0]
class Named(contextlib.redirect_stdout):
    _stream = "modules"
class Counted(contextlib.redirect_stderr):
    count = 0
    def __enter__(self):
        self.count += 1
        return super().__enter__()
for make in contextlib.redirect_stdout, Named:
    r = make(text)
    r.__dict__.update({"_str" + "eam": "modules", "_old_" + "targets": Own()})
    with r: print("a")
c = Counted(text)
with c as target, c:
    print("b", file=sys.stderr)
    try:
        with contextlib.redirect_stdout(text): raise ValueError
    except ValueError: print("c")
result["x"] = [{type(x).__name__ for x in got} <= {"Text", "TextIOWrapper"}, text.getvalue(), c.count, target is text]
"""
    envelope = run(code, None, "--python", PYTHONS[version])
    assert ok(envelope)["x"] == [True, "a\na\nb\n", 2, True] and envelope["stdout"] == "c\n"


REGISTERED = {
    "a builtin class": "Mapping.register(int)",
    "by a loop": "for c in [Complex]: c.register(str)",
    "by its metaclass": "type(Own).register(Complex, str)",
    "by a text": "methodcaller('register', str)(Complex)",
    "by its name": "Mapping.register(subclass=int)",
}


def test_who_counts_as_what_is_not_changed_for_all(run):
    code = """
from abc import ABC
from collections.abc import Mapping
from numbers import Complex
from operator import methodcaller
class Own(ABC): pass
class Rows: pass
Own.register(int), Mapping.register(Rows), Complex.register(subclass=Own)
@Mapping.register
class More: pass
result["x"] = [isinstance(1, Own), isinstance(Rows(), Mapping), issubclass(Own, Complex), issubclass(More, Mapping)]
""" + each(REGISTERED, "TypeError")
    got = ok(run(code))
    assert got.pop("x") == [True] * 4
    for way, why in got.items():
        assert why and "with immutable type" in why, (way, why)


STRANGERS = {
    "Counter.copy(int)": ("copy", "Counter", "type"),
    "ChainMap.new_child(Own, 'X')": ("new_child", "ChainMap", "type"),
    "Derived.copy(int)": ("copy", "Counter", "type"),
    "list(map(UserList.copy, [int]))": ("copy", "UserList", "type"),
    "Own().copy()": ("copy", "Counter", "Own"),
    "Template.substitute(Own(), {})": ("substitute", "Template", "Own"),
    "JSONEncoder.encode(Own(), 1)": ("encode", "JSONEncoder", "Own"),
    "UserList.__add__(Own, [])": ("__add__", "UserList", "type"),
    "Derived.above(Own, {})": ("__or__", "Counter", "type"),
    "ExitStack.__exit__(Own, 1, 2)": ("__exit__", "ExitStack", "type"),
    "MutableSequence.extend(Own, [1])": ("extend", "MutableSequence", "type"),
    "MutableSequence.extend(List[Own], [1])": ("extend", "MutableSequence", "_GenericAlias"),
    "Sequence.index(Own(), 1)": ("index", "Sequence", "Own"),
    "Own.up": ("parents", "PurePath", "type"),
}


def test_methods_of_the_library_are_for_their_instances(run):
    code = """
from collections import ChainMap, Counter, UserList
from collections.abc import MutableSequence, Sequence
from contextlib import ExitStack
from json import JSONEncoder
from pathlib import PurePath
from string import Template
from typing import List
class Own:
    maps = [(), {}]
    copy = Counter.copy
    up = classmethod(PurePath.parents)
class Derived(Counter):
    @classmethod
    def above(cls, *two): return super().__or__(*two)
""" + each({call: call for call in STRANGERS}, "TypeError")
    assert ok(run(code)) == {
        call: f"descriptor '{method}' for '{owner}' objects doesn't apply to a '{given}' object"
        for call, (method, owner, given) in STRANGERS.items()
    }


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_functions_that_make_something_by_the_class_of_what_they_get_take_no_class(run, version):
    code = """
import statistics
from abc import ABC
class Made(ABC): pass
class Number:
    def __radd__(self, other): return self
    def __truediv__(self, other): return Made
class Data:
    @staticmethod
    def as_integer_ratio(): return Number(), None
""" + each({f: f"statistics.{f}([Data, Data])" for f in ("mean", "variance", "harmonic_mean")}, "Exception")
    got = ok(run(code, None, "--python", PYTHONS[version]))
    assert got["mean"] == got["variance"] == "_exact_ratio() takes no class" and got["harmonic_mean"]


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_a_cache_of_the_library_keeps_no_types(run, version):
    code = """
import urllib.parse
from urllib.parse import urlsplit
seen = []
class Odd:
    def __init__(self, hash): self.hash = hash
    def __hash__(self): return self.hash
    def __eq__(self, other):
        seen.append(other)
        return False
    def __str__(self): return ""
    def __bool__(self): return False
for url in "http://a/b", "http://a/b":
    for odd in hash(str), hash(bool), hash(type):
        for scheme in ("", Odd(odd)):
            for split in urlsplit, urllib.parse.urlsplit:
                try: split(url, scheme, Odd(odd))
                except Exception: pass
result["x"] = [type(seen).__name__, any(isinstance(x, type) for x in seen), urlsplit("http://a/b?c").netloc,
               hasattr(urlsplit, "cache_clear"), urllib.parse.urlparse("http://a/b;c").params]
"""
    assert ok(run(code, None, "--python", PYTHONS[version]))["x"] == ["list", False, "a", True, "c"]


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_such_methods_are_what_they_were_to_instances(run, version):
    code = """
import copy, json, pprint
from collections import Counter, UserDict, UserList
from collections.abc import MutableMapping, MutableSequence, Sequence, Set
from contextlib import ExitStack, suppress
from enum import Flag, IntEnum, StrEnum
from fractions import Fraction
from functools import cached_property
from statistics import mean
from textwrap import TextWrapper
class Lower(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)
    update = MutableMapping.update
class Pair:
    def __init__(self, *two): self.two = two
    def __len__(self): return 2
    def __getitem__(self, i): return self.two[i]
    index = Sequence.index
lower = Lower()
lower.update({"A": 1})
class Words(Counter):
    def copy(self):
        return super().copy()
    def total(self):
        return Counter.total(self) + 100
class Fixed(UserDict):
    def __getitem__(self, key): return 1
class Encoder(json.JSONEncoder):
    def default(self, o):
        return ["own", type(o).__name__] if isinstance(o, set) else json.JSONEncoder.default(self, o)
try:
    Fraction(1, 2).numerator = 3
except AttributeError as why:
    result["set"] = str(why)
try:
    json.dumps(1j, cls=Encoder)
except TypeError as why:
    result["why"] = str(why)
class Bits(Flag):
    A = 1
    B = 2
class Name(StrEnum): X = "x"
class One(IntEnum): ONE = 1
class Once:
    @cached_property
    def x(self): return 5
class Few(Set):
    def __init__(self, few): self.few = list(few)
    def __contains__(self, x): return x in self.few
    def __iter__(self): return iter(self.few)
    def __len__(self): return len(self.few)
few = []
MutableSequence.extend(few, [1, 2])
with suppress(KeyError), ExitStack() as stack:
    stack.callback(few.append, 3)
    {}["a"]
result["more"] = [(Bits.A | Bits.B).value, Name.X, One.ONE + 1, Once().x, list(Few([1, 2]) & Few([2])), few,
    str(Fraction(1, 2) + 1), int(mean([1, 2, Fraction(3)])), pprint.pformat(UserDict(a=1)), Words("a") == Words("a"),
    Few([1]) <= {1, 2}, list(Few([1]) | {2}), UserList([1]) + [2] == [1, 2], Fraction(7, 2).__round__()]
result["x"] = [Words("aab").copy()["a"], Words("ab").total(), list(map(Counter.most_common, [Counter("aab")])),
               Fixed(a=2).get("a"), json.dumps({1, 2}, cls=Encoder), sorted(UserList([2, 1]).copy()),
               Counter.copy.__name__, copy.deepcopy(Counter.copy) is Counter.copy, callable(Counter.total),
               list(lower), Pair(3, 4).index(4), TextWrapper.fill(self=TextWrapper(), text="a")]
"""
    got = ok(run(code, None, "--python", PYTHONS[version]))
    assert got["x"] == [2, 102, [[["a", 2], ["b", 1]]], 1, '["own", "set"]', [1, 2], "copy", True, True, ["a"], 1, "a"]
    assert got["more"] == [3, "x", 2, 5, [2], [1, 2, 3], "3/2", 2, "{'a': 1}", True, True, [1, 2], True, 4]
    assert got["why"] == "Object of type complex is not JSON serializable"
    assert got["set"] == "property 'numerator' of 'Fraction' object has no setter"


INSIDE = {
    "getattr": "getattr(f, a)",
    "getattr with another value": "getattr(f, a, None)",
    "as a value": "list(map(getattr, [f], [a]))",
    "attrgetter": "attrgetter(a)(f)",
    "attrgetter, further on": "attrgetter('name', 'f.' + a)(f)",
    "methodcaller": "methodcaller('__subclass' + 'es__')(object)",
    "text with manners of its own": "getattr(f, Text(a))",
    "and a method": "methodcaller(Text('__subclass' + 'es__'))(object)",
    "a generator's frame": "getattr((x for x in ()), 'gi_' + 'frame')",
    "a class": "getattr(1, '__cla' + 'ss__')",
}


def test_names_that_lead_inside_are_looked_at_when_they_are_used(run):
    code = """
from operator import attrgetter, methodcaller
a = "__glob" + "als__"
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("name")
    def split(self, *a): return ["name"]
def f(): pass
f.f, f.name = f, 1
""" + each(INSIDE, "PermissionError")
    envelope = run(code)
    for name, why in ok(envelope).items():
        assert why and "the interpreter refuses 'object.__getattr__' (" in why, name
    assert [v["what"] for v in envelope["violations"]] == ["object.__getattr__"] * len(INSIDE)


def test_text_is_read_by_what_it_says_not_by_how_it_compares(run):
    code = """
from operator import attrgetter, methodcaller
class Liar(str):
    def __eq__(self, other): return other == "__subclasses__"
    def __hash__(self): return hash("__subclasses__")
""" + each({way: way for way in ("getattr(object, Liar('x'))", "attrgetter(Liar('x'))(object)",
                                 "methodcaller(Liar('x'))(object)")}, "AttributeError")
    assert set(ok(run(code)).values()) == {"type object 'object' has no attribute 'x'"}


def test_other_names_are_read_as_ever(run):
    code = """
from operator import attrgetter, methodcaller
class A:
    a = _b = 1
    def f(self, x, y=0): return [x, y]
def f():
    "text"
def says(do):
    try:
        return do()
    except Exception as why:
        return f"{type(why).__name__}: {why}"
x = A()
x.x = x
result["x"] = [getattr(x, "a"), getattr(x, "_b"), getattr(x, "c", 3), attrgetter("x.x.a", "a")(x), methodcaller("f", 1, y=2)(x),
    getattr(f, "__doc__"), getattr(f, "__name__"), getattr([1], "__len__")(), getattr(x, chr(0xdc80), 4),
    says(lambda: getattr(x, "c")), says(lambda: getattr(x, 1)), says(lambda: getattr(x)), says(lambda: attrgetter(1)),
    says(lambda: methodcaller()), says(lambda: getattr(x, "__nothing__", 0))]
"""
    assert ok(run(code))["x"] == [
        1, 1, 3, [1, 1], [1, 2], "text", "f", 1, 4,
        "AttributeError: 'A' object has no attribute 'c'",
        "TypeError: getattr(): attribute name must be string",
        "TypeError: getattr expected at least 2 arguments, got 1",
        "TypeError: attribute name must be a string",
        "TypeError: methodcaller needs at least one argument, the method name",
        "PermissionError: the interpreter refuses 'object.__getattr__' (__nothing__): profile 'strict' decides what code may do",
    ]


PROGRAMS = ["print(1)", "__import__", "x.__globals__", "(lambda: 1)", "[y for y in x]", "f'{x}'", "(y := 1)", "{1: x()}"]


def test_text_in_the_place_of_a_type_is_no_program(run):
    attempts = {f"{way} {text}": f"text = {text!r}\ndef f(x: text): pass\ndef g(x: List[text]): pass\n{way}"
                for text in PROGRAMS for way in ("show.register(f)", "show.register(g)")}
    code = """
from functools import singledispatch
from typing import List
show = singledispatch(str)
""" + each(attempts, "PermissionError")
    envelope = run(code)
    why = "the interpreter refuses 'exec': profile 'strict' decides what code may do"
    assert ok(envelope) == dict.fromkeys(attempts, why)
    assert [v["what"] for v in envelope["violations"]] == ["exec"] * min(len(attempts), 20)


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_types_may_be_text(run, version):
    code = """
from __future__ import annotations
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Annotated, Dict, List, Literal, NamedTuple, Optional, Tuple, TypedDict
@dataclass
class Node:
    kids: List["Node"]
    by_name: Optional[Dict["str", "Node | None"]] = None
class Pair(NamedTuple):
    a: "Tuple[int, ...]"
    b: Callable[["int"], "str"] = str
@singledispatch
def show(x): return "any"
@show.register
def _(x: int): return "int"
@show.register
def _(x: Node): return "node"
class Range:
    def __init__(self, *ends): pass
class Row(TypedDict):
    a: Annotated[int, Range(0, 10), lambda x: x > 0]
class Cells(NamedTuple):
    a: Annotated[int, Range(0, 10)]
kinds = [Optional["Annotated[int, Range(0)]"], List["Node"], Optional["dict[str, 'Node']"], Literal["(lambda: 1)()"], Dict["some-key", "collections.abc.Set[int]"]]
result["x"] = [show(1), show(Node([])), show(""), Pair((1,)).b(2), len(kinds)]
"""
    envelope = run(code, None, "--python", PYTHONS[version])
    assert ok(envelope) == {"x": ["int", "node", "any", "2", 5]} and envelope["violations"] == []


# ---- keys of time zones ----------------------------------------------------------------------------

# What says one path and then another, or empties the cache while it is walked.
KEYS = {
    "a text that adds as it likes": """
class K(str):
    def __radd__(self, other): return "/../../../etc/passwd"
result["key"] = ZoneInfo(K("UTC")).key""",
    "a text that splits as it likes": """
class K(str):
    def split(self, *args): return ["antigravity"]
    def startswith(self, *args): return False
result["key"] = ZoneInfo.no_cache(K("UTC")).key""",
    "a text that clears the cache": """
class K(str):
    def __eq__(self, other): ZoneInfo.clear_cache()
    def __hash__(self): return 5
for n in range(200):
    for name in ("Europe/Berlin", "Europe/Paris", "UTC"):
        result["key"] = ZoneInfo(K(name)).key""",
}


@pytest.mark.parametrize("code", KEYS.values(), ids=KEYS)
def test_a_zones_key_is_what_its_text_says(run, code):
    answer = run("from zoneinfo import ZoneInfo\n" + code)
    assert ok(answer)["key"] == "UTC" and answer["violations"] == []


@pytest.mark.parametrize("version", PYTHONS)
def test_time_zones(run, version):
    """As the library's own; only keys that are no texts are refused at once."""
    code = """
import copy
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError
class Own(ZoneInfo): pass
class K:
    def __eq__(self, other): ZoneInfo.clear_cache()
    def __hash__(self): return 5
z = ZoneInfo("Europe/Berlin")
result["name"] = [repr(z), str(z), z.key, type(z).__name__]
result["same"] = [z is ZoneInfo(key="Europe/Berlin"), z is ZoneInfo.no_cache("Europe/Berlin"),
                  copy.deepcopy(z) is z, isinstance(z, tzinfo), isinstance(Own("UTC"), ZoneInfo)]
result["time"] = datetime(2024, 7, 1, tzinfo=z).isoformat()
result["own"] = repr(Own("UTC"))
for key in ("No/Where", "../etc/passwd", 5, K()):
    try: ZoneInfo(key)
    except Exception as why: result[type(why).__name__] = str(why)
"""
    assert ok(run(code, None, "--python", PYTHONS[version])) == {
        "name": ["zoneinfo.ZoneInfo(key='Europe/Berlin')", "Europe/Berlin", "Europe/Berlin",
                 "ZoneInfo"],
        "same": [True, False, True, True, True], "time": "2024-07-01T00:00:00+02:00",
        "own": ANY,
        "ZoneInfoNotFoundError": "'No time zone found with key No/Where'", "ValueError": ANY,
        "TypeError": "a ZoneInfo's key must be a str",
    }


# ---- hasattr() ---------------------------------------------------------------------------------------


def test_whether_an_attribute_is_there_is_no_reading_of_it(run):
    answer = run("""
def f(): yield
class C: pass
c = C()
c.gi_frame = 1
class T(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("gi_frame")
names = ["gi_frame", "gi_" + "code", "__globals__", "__subclasses__", "__dict__", "nothing"]
result["generator"] = [hasattr(f(), n) for n in names]
result["function"] = [hasattr(f, n) for n in names]
result["class"] = [hasattr(C, n) for n in names]
result["object"] = [hasattr(c, n) for n in names]
result["text"] = hasattr(f(), T("nothing"))
result["own"] = getattr(c, "__di" + "ct__")
class P:
    @property
    def x(self): raise AttributeError("no")
    @property
    def y(self): return 1 / 0
result["property"] = hasattr(P(), "x")
for n, wrong in enumerate((lambda: hasattr(P(), "y"), lambda: hasattr(P(), 5), lambda: hasattr(P()))):
    try: wrong()
    except Exception as why: result[str(n)] = type(why).__name__
""")
    assert ok(answer) == {
        "generator": [True, True, False, False, False, False],
        "function": [False, False, True, False, True, False],
        "class": [False, False, False, True, True, False],
        "object": [True, False, False, False, True, False], "text": False, "property": False,
        "own": {"gi_frame": 1},
        "0": "ZeroDivisionError", "1": "TypeError", "2": "TypeError",
    }
    assert answer["violations"] == []


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_the_library_goes_by_no_name_that_an_object_says(run, version):
    code = """
import copy
from enum import Enum
from functools import cached_property
class Mixed:
    @property
    def _name_(self): return "__class__"
    @_name_.setter
    def _name_(self, value): pass
class Member(Mixed, Enum):
    A = 1
class Named(cached_property):
    @property
    def attrname(self): return "other"
    @attrname.setter
    def attrname(self, value): pass
class Cached:
    x = Named(lambda self: 1)
class Below: pass
def kept(function):
    Below.m = function
    return function
class Above:
    @kept
    def __setattr__(self, name, value): pass
class Bound:
    m = classmethod(Below.m)
cached, hooked = Cached(), Cached()
cached.x
hooked.__dict__["__reduce_ex__"] = lambda protocol: "text"
hooked.__dict__["__deepcopy__"] = lambda memo: 5
result["x"] = [copy.copy(Member(1)) is Member.A, copy.deepcopy(Member(1)) is Member.A, vars(cached),
               copy.copy(Bound.m) == Bound.m, type(copy.copy(hooked)).__name__, type(copy.deepcopy(hooked)).__name__]
"""
    answer = ok(run(code, None, "--python", PYTHONS[version]))["x"]
    assert answer == [True, True, {"x": 1}, True, "Cached", "Cached"]


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_no_code_of_a_dataclass_says_what_calling_it_takes(run, version):
    code = """
from dataclasses import dataclass
from functools import partialmethod
seen = []
class Odd:
    def __call__(self): pass
    def __eq__(self, other): seen.append(str(other))
    __hash__ = None
@dataclass
class Partial:
    x: int = 1
    _partialmethod = partialmethod(Odd())
class Init:
    def __init__(self, x): self.x = x
    __init__.__wrapped__ = Odd()
@dataclass(init=False)
class Wrapped(Init):
    x: int = 1
@dataclass
class Told:
    x: int = 1
    __signature__ = Odd()
result["x"] = [seen, Partial.__doc__, Wrapped.__doc__, Told.__doc__]
"""
    answer = ok(run(code, None, "--python", PYTHONS[version]))["x"]
    assert answer == [[], "Partial(x: int = 1)", "Wrapped(...)", "Told(x: int = 1)"]
