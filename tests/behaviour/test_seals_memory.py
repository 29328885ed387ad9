# SPDX-License-Identifier: Apache-2.0
"""
Memory stays where it is while C code of the interpreter works on it: with objects whose
conversion to a number, a text or a list empties what they are put into, under every supported
Python. With the gate down, and each beside what harmless code does with the same things.
"""

import pytest

from support import ok, without_gate
from test_python_versions import NEW

run = without_gate
pytestmark = pytest.mark.parametrize("version", sorted(NEW))

HEAD = """
from array import array
SIZE = 100000
class Odd:
    def __init__(self, act, value=65):
        self.act, self.value = act, value
    def __index__(self):
        self.act()
        return self.value
    def __float__(self):
        self.act()
        return 1.0
class Separator(str):
    def __len__(self):
        act()
        return 1
seen = []
def attempt(f):
    try:
        seen.append(f())
    except Exception as why:
        seen.append(type(why).__name__)
"""


def seen(run, version, code):
    return ok(run(HEAD + code + "\nresult['x'] = seen\n", None, "--python", NEW[version]))["x"]


def test_an_item_of_an_array_is_converted_before_its_place_is_looked_for(run, version):
    code = """
for code in "bBhHiIlLqQfd":
    a = array(code, [0]) * SIZE
    def act(): del a[:]
    def put(): a[SIZE - 1] = Odd(act)
    attempt(put)
    for f in (lambda: a.append(Odd(act)), lambda: a.insert(SIZE, Odd(act)),
              lambda: a.fromlist([Odd(act)] * 3), lambda: a.extend(Odd(act) for _ in range(3))):
        a = array(code, [0]) * SIZE
        attempt(f)
        seen.append(a.tolist())
class File:
    def write(self, data): del a[16:]
a = array("B", bytes(SIZE))
attempt(lambda: a.tofile(File()))
"""
    one = ["IndexError", None, [65], None, [65], None, [65] * 3, None, [65]]
    fraction = [[1.0] * len(part) if isinstance(part, list) else part for part in one]
    assert seen(run, version, code) == one * 10 + fraction * 2 + ["BufferError"]


def test_arrays_and_lists_are_what_they_were(run, version):
    code = """
from fractions import Fraction
class Counted(array):
    def __setitem__(self, i, value): super().__setitem__(i, value + 1)
c = Counted("i", [1, 2])
c[0] = 4
c.append(True)
c.extend([5])
a = array("d", [1])
a[0] = 2
a.append(Fraction(1, 2))
a.extend(range(2))
a.insert(0, True)
a.fromlist([1, 2.5])
a.extend(array("d", [4]))
a[1:2] = array("d", [8, 9])
del a[0]
l = list(range(10))
l[::2] = range(5)
l[-1] = 7
l[1:3] = (1, 2, 3)
del l[0]
class Own(list): pass
o = Own([1, 2, 3, 4])
o[::2] = (x for x in "ab")
del o[1]
seen += [c.tolist(), a.tolist(), l, o]
i = array("i", [1])
def at(a, value): a[0] = value
def part(value): l[::2] = value
for f in (lambda: at(i, 1.5), lambda: at(i, "x"), lambda: at(a, None), lambda: i.append(2 ** 40), lambda: i.extend(5),
          lambda: i.extend(a), lambda: i.fromlist((1,)), lambda: i.insert(1), lambda: part(5), lambda: part([1])):
    attempt(f)
"""
    assert seen(run, version, code) == [
        [5, 2, 1, 5], [8.0, 9.0, 0.5, 0.0, 1.0, 1.0, 2.5, 4.0], [1, 2, 3, 3, 2, 5, 3, 7, 4, 7], ["a", "b", 4],
    ] + ["TypeError"] * 3 + ["OverflowError"] + ["TypeError"] * 5 + ["ValueError"]


def test_bytes_do_not_move_while_they_are_searched(run, version):
    code = """
b = bytearray(SIZE)
def act(): b.clear()
for name in "find", "rfind", "index", "rindex", "count", "startswith", "endswith":
    attempt(lambda: getattr(b, name)(b"x", Odd(act, 9)))
attempt(lambda: b.find(Odd(act)))
attempt(lambda: b.hex(Separator(":")))
attempt(lambda: Odd(act) in b)
attempt(lambda: bytearray(b"%d") % 3 == b"3")
f = bytearray(b"%d %d")
attempt(lambda: f % (Odd(lambda: f.clear()), 4))
def parts():
    yield b"a"
    b.clear()
    yield b"b"
attempt(lambda: b.join(parts()))
view = memoryview(b)
def act(): view.release()
attempt(lambda: view.hex(Separator(":")))
seen += [len(b), b"abc".hex("-"), bytearray(b"ab").hex("-"), 97 in bytearray(b"a"), bytearray(b"aba").rfind(b"a"),
         bytearray(b",").join([b"a", b"b"]).decode(), memoryview(b"abcd").cast("H").nbytes, memoryview(b"a").hex(),
         bytearray.find.__name__]
"""
    errors = seen(run, version, code)
    assert errors[-9:] == [100000, "61-62-63", "61-62", True, 2, "a,b", 4, "61", "find"]
    assert errors[:-9] == ["BufferError"] * 9 + ["TypeError", True] + ["BufferError"] * 3


def test_what_goes_to_every_other_place_of_a_list_is_made_before(run, version):
    code = """
l = [0] * SIZE
def parts():
    yield 1
    l.clear()
    yield 2
def put(): l[SIZE - 4::2] = parts()
attempt(put)
class Own(list):
    def put(self, i, values): super().__setitem__(i, values)
l = Own([0] * SIZE)
attempt(lambda: l.put(slice(0, 4, 2), parts()))
"""
    assert seen(run, version, code) == ["ValueError"] * 2


def test_no_iterator_is_asked_by_what_it_asks(run, version):
    code = """
import csv, itertools
class Source:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        next(asked, None)
        return "a,b"
class Items:
    asked = False
    def __getitem__(self, i):
        if not self.asked:
            self.asked = True
            for x in asked: pass
        raise IndexError
class Deeper(itertools.chain):
    def __next__(self): return super().__next__()
def parts():
    yield [1]
    next(asked, None)
for make in (csv.reader, itertools.pairwise, lambda s: itertools.groupby(s, str), Deeper.from_iterable):
    asked = make(Source())
    attempt(lambda: list(asked))
asked = itertools.chain.from_iterable(parts())
attempt(lambda: list(asked))
asked = iter(Items())
attempt(lambda: list(asked))
class Plain:
    def __getitem__(self, i): return [1, 2, 3][i]
twice = [iter(Plain())] * 2
n = iter([1, 2, 0]).__next__
seen += [list(zip(*twice)), list(Deeper("ab", "c")), list(csv.reader(["a,b", '"c;', 'd"'])), list(iter(n, 0)),
         list(itertools.islice(itertools.cycle("ab"), 3)), [(k, len(list(g))) for k, g in itertools.groupby("aab")],
         list(csv.DictReader(["x,y", "1,2"])), next(itertools.chain(itertools.count(5)))]
"""
    assert seen(run, version, code) == ["ValueError"] * 6 + [
        [[1, 2]], ["a", "b", "c"], [["a", "b"], ["c;d"]], [1, 2], ["a", "b", "a"], [["a", 2], ["b", 1]],
        [{"x": "1", "y": "2"}], 5,
    ]


def test_a_struct_is_made_once(run, version):
    code = """
import struct
class Own(struct.Struct):
    def __init__(self, form, label=""):
        super().__init__(form)
        self.label = label
    def again(self, form): super().__init__(form)
s = Own("2i", "x")
walk = s.iter_unpack(bytes(8))
attempt(lambda: s.again("100s"))
attempt(lambda: s.pack(1, Odd(lambda: s.again("4000i"))))
attempt(lambda: struct.Struct("zz"))
seen += [list(walk), s.label, s.size, struct.Struct("<H").pack(258).hex(), struct.calcsize("3s"), s.format]
"""
    assert seen(run, version, code) == ["TypeError", "TypeError", "error", [[0, 0]], "x", 8, "0201", 3, "2i"]


def test_the_place_of_a_unicode_error_lies_in_its_text(run, version):
    code = """
def wrong(start, end, text=b"abc"):
    e = UnicodeDecodeError("x", b"abc", 0, 1, "r")
    e.start, e.end, e.object = start, end, text
    return str(e)
class Reason:
    def __str__(self):
        e.start, e.end = -5, -4
        return "why"
e = UnicodeDecodeError("x", b"abc", 0, 1, "r")
e.reason = Reason()
for f in (lambda: wrong(-9, -8), lambda: wrong(7, 8), lambda: wrong(0, 1, 5), lambda: str(e),
          lambda: str(UnicodeDecodeError("x", b"a", -5, -4, "r")), lambda: str(UnicodeEncodeError("x", "a", 5, 6, "r"))):
    attempt(f)
for f in (lambda: b"a\\xff".decode(), lambda: "\\xe4".encode("ascii"), lambda: "a\\u20ac".encode("latin-1"),
          lambda: "\\U0001f600\\U0001f600".encode("latin-1"), lambda: b"\\xe4\\xf6".decode("utf-8"), lambda: b"\\xe2\\x82".decode()):
    try:
        f()
    except UnicodeError as why:
        seen.append(str(why))
seen.append(str(UnicodeTranslateError("a\\xe4", 1, 2, "no")))
"""
    assert seen(run, version, code) == [
        "'x' codec can't decode bytes in position -9--9: r", "'x' codec can't decode bytes in position 7-7: r",
        "'x' codec can't decode bytes in position 0-0: r", "'x' codec can't decode bytes in position -5--5: why",
        "'x' codec can't decode bytes in position -5--5: r", "'x' codec can't encode characters in position 5-5: r",
        "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte",
        "'ascii' codec can't encode character '\\xe4' in position 0: ordinal not in range(128)",
        "'latin-1' codec can't encode character '\\u20ac' in position 1: ordinal not in range(256)",
        "'latin-1' codec can't encode characters in position 0-1: ordinal not in range(256)",
        "'utf-8' codec can't decode byte 0xe4 in position 0: invalid continuation byte",
        "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data",
        "can't translate character '\\xe4' in position 1: no",
    ]


def test_the_flags_of_a_context_live_as_long_as_what_they_point_into(run, version):
    code = """
from decimal import Context, Decimal, Inexact, getcontext, localcontext, setcontext
class Own(Context):
    def flag(self): return super().__getattribute__("fla" + "gs")
views = [make() for _ in range(50) for make in (lambda: Context().flags, lambda: Context().traps, lambda: Own().flag())]
words = [bytes([k]) * n for k in range(1, 100) for n in range(20, 110, 3)]
before = [word.hex() for word in words]
for view in views:
    for signal in view: view[signal] = True
seen.append(before == [word.hex() for word in words])
with localcontext() as c:
    c.prec = 3
    Decimal(1) / 3
    seen += [c.flags[Inexact], getcontext().flags[Inexact], str(Decimal(1) / 3)]
seen += [getcontext().flags[Inexact], Context(prec=5).prec]
"""
    assert seen(run, version, code) == [True, True, True, "0.333", False, 5]


def test_contexts_whose_flags_nobody_has_any_more_go(run, version):
    code = """
from decimal import Context
for _ in range(100000):
    flags = Context().flags
result["x"] = True
"""
    envelope = run(code, None, "--python", NEW[version])
    assert ok(envelope)["x"] and envelope["usage"]["memory_peak_bytes"] < 16 << 20  # each has 300 bytes


def test_ordered_dicts_are_compared_as_they_were_when_asked(run, version):
    code = """
from collections import OrderedDict
class Key:
    count = 0
    def __init__(self, value): self.value = value
    def __hash__(self): return self.value
    def __eq__(self, other):
        Key.count += 1
        if Key.count == 41:
            a.clear()
            b.clear()
        return True
a, b = (OrderedDict((Key(i), 1) for i in range(40)) for _ in range(2))
attempt(lambda: a == b)
seen.clear()
class Own(OrderedDict): pass
c, d = OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)
seen += [c == d, c != d, c == dict(d), dict(c) == d, Own(c) == c, Own(c) != Own(d), c == OrderedDict(a=1, b=3), c == 5]
attempt(lambda: c < d)
"""
    assert seen(run, version, code) == [False, True, True, True, True, True, False, False, "TypeError"]
