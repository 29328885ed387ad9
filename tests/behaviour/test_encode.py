# SPDX-License-Identifier: Apache-2.0
"""
What `result` may hold, and what it becomes: the worker's encoder, called directly.

    _cordon_worker.encode(value, literal=False, max=16777216) -> (bytes, [note, ...])

raises _cordon_worker.EncodeError, with what the value's own code raised as its cause. The
module is looked for in the directory that CORDON_WORKER_DIR names; that it is there is a
test too.
"""

import array
import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import gc
import importlib
import json
import math
import os
import pathlib
import random
import struct
import sys
import tracemalloc
import typing
import uuid
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.environ.get("CORDON_WORKER_DIR", "build"))
try:
    worker = importlib.import_module("_cordon_worker")
except ImportError as error:
    pytest.fail(f"no _cordon_worker in CORDON_WORKER_DIR: {error}", pytrace=False)


class Boom(Exception):
    pass


MAX = 16 * 1024 * 1024


def encoded(value, **options):
    return worker.encode(value, **options)[0].decode()


def value_of(value, **options):
    return json.loads(worker.encode(value, **options)[0])


def refusal(value, **options):
    with pytest.raises(worker.EncodeError) as caught:
        worker.encode(value, **options)
    return str(caught.value)


def raised(value, kind):
    with pytest.raises(worker.EncodeError) as caught:
        worker.encode(value)
    assert isinstance(caught.value.__cause__, kind)
    return str(caught.value)


# ---- as Python's json does -----------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        (),
        "",
        None,
        True,
        0,
        {"a": [1, -1, 0.5, None, True, False, "x", [], {}, ()]},
        {1: 1, -7: 2, 2.5: 3, True: 4, None: 5, 10**30: 6},
        {float("nan"): 1, float("inf"): 2, float("-inf"): 3},
        {1: "a", "1": "b"},
        collections.OrderedDict([("b", 1), ("a", 2)]),
        collections.defaultdict(list, {"a": [1]}),
        collections.Counter("abca"),
        collections.namedtuple("Point", "x y")(1, 2),
        [2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64, 10**400],
        [0.0, -0.0, 1e16, 1e15, 123456789012345.0, 1e-4, 1e-5, 0.1, 5e-324, 1.7976931348623157e308],
        "\"\\/\b\f\n\r\t\x00\x01\x1f\x7f\x80\u2028\u2029\ufffe\U0010ffff",
        "\ud800 a \udfff \ud83d\ude00",
        {"\ud800": "\x00", "é\n": 1},
        ["a" * n + '"' + "b" * n for n in range(40)],
        ["é" * n + "\\" for n in range(40)],
    ],
    ids=repr,
)
def test_like_json(value):
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    expected = "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in expected)
    assert encoded(value) == expected


keys = st.one_of(
    st.text(st.characters()), st.integers(), st.floats(), st.booleans(), st.none()
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-(10**12), 10**12, places=3).map(float),
    st.text(st.characters()),
    st.text("ab\"\\\x00\n\ud800é"),
)
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(keys, inner)
    ),
    max_leaves=60,
)


@settings(deadline=None, database=None, max_examples=150)
@given(documents)
def test_any_document_is_like_json(document):
    data, notes = worker.encode(document)
    assert notes == []
    assert json.loads(data) == json.loads(json.dumps(document))


@settings(deadline=None, database=None, max_examples=400)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_repr(number):
    assert encoded(number) == repr(number)


def test_many_floats_are_repr():
    draw = random.Random(5)
    for _ in range(100_000):
        number = draw.choice(
            [
                draw.uniform(-1e6, 1e6),
                round(draw.uniform(-1e5, 1e5), draw.randint(0, 6)),
                draw.randint(-(10**16), 10**16) / 10 ** draw.randint(0, 8),
                struct.unpack("d", draw.randbytes(8))[0],
            ]
        )
        if math.isfinite(number):
            assert encoded(number) == repr(number)


def test_long_integers_keep_their_digits():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        number = 7**20000
        assert encoded(number) == str(number)
        assert encoded({number: -number}) == f'{{"{number}":-{number}}}'
    finally:
        sys.set_int_max_str_digits(before)


def test_integers_without_hope_take_no_time():
    assert "limit of 1000 bytes" in refusal(1 << (1 << 28), max=1000)


# ---- what json lacks ------------------------------------------------------------


class Color(enum.Enum):
    RED = "red"
    PAIR = (1, 2)
    LEVEL = 3


class Size(enum.IntEnum):
    BIG = 2


class Flags(enum.Flag):
    A = 1
    B = 2


class Word(str, enum.Enum):
    HI = "hi"


class Inner(enum.Enum):
    SAME = Color.RED


@dataclasses.dataclass
class Point:
    z: int
    a: object = None
    shared: typing.ClassVar[int] = 5
    hidden: int = dataclasses.field(default=1, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Small:
    n: int


@pytest.mark.parametrize(
    "value, expected",
    [
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (datetime.time(1, 2, 3, 4), "01:02:03.000004"),
        (datetime.datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05"),
        (datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc), "2024-01-02T00:00:00+00:00"),
        (
            datetime.datetime(2024, 7, 2, 3, 4, 5, 6, ZoneInfo("Europe/Berlin")),
            "2024-07-02T03:04:05.000006+02:00",
        ),
        (decimal.Decimal("1.10"), "1.10"),
        (decimal.Decimal("1E+30"), "1E+30"),
        (decimal.Decimal("NaN"), "NaN"),
        (fractions.Fraction(6, 8), "3/4"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pathlib.Path("/a") / "b", "/a/b"),
        (pathlib.PureWindowsPath("c:/x"), "c:\\x"),
        (b"", ""),
        (b"\x00\xff\x10", "AP8Q"),
        (bytearray(b"ab"), "YWI="),
        (memoryview(b"abcdef")[::2], "YWNl"),
        (memoryview(array.array("H", [1])), base64.b64encode(struct.pack("H", 1)).decode()),
        (array.array("d", [1, 2]), [1.0, 2.0]),
        (collections.deque([1, "a"]), [1, "a"]),
        (range(3), [0, 1, 2]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.values(), [1]),
        ({"a": 1}.items(), [["a", 1]]),
        (collections.OrderedDict(a=1).keys(), ["a"]),
        (Color.RED, "red"),
        (Color.PAIR, [1, 2]),
        (Color.LEVEL, 3),
        (Size.BIG, 2),
        (Flags.A | Flags.B, 3),
        (Word.HI, "hi"),
        (Inner.SAME, "red"),
        (Point(1, Point(2)), {"z": 1, "a": {"z": 2, "a": None, "hidden": 1}, "hidden": 1}),
        (Small(4), {"n": 4}),
        ({Color.RED: 1, Size.BIG: 2, Word.HI: 3}, {"red": 1, "2": 2, "hi": 3}),
    ],
    ids=repr,
)
def test_values(value, expected):
    assert value_of(value) == expected
    assert value_of({"x": [value]}) == {"x": [expected]}


def test_dataclass_fields_keep_their_order():
    assert encoded(Point(1, 2)) == '{"z":1,"a":2,"hidden":1}'


@settings(deadline=None, database=None)
@given(st.binary())
def test_bytes_are_base64(data):
    assert value_of(data) == base64.b64encode(data).decode()


@pytest.mark.parametrize(
    "value, expected",
    [
        ({3, 1, 2}, "[1,2,3]"),
        (frozenset("cab"), '["a","b","c"]'),
        ({(2, 1), (1, 2)}, "[[1,2],[2,1]]"),
        ({1.5, 1, 2}, "[1,1.5,2]"),
        (set(), "[]"),
        ({"b", 1, None, (1,), "a"}, '["a","b",1,[1],null]'),
        ({frozenset("ab"), frozenset("c"), frozenset()}, '[["a","b"],["c"],[]]'),
        ({10, 9, "a"}, '["a",10,9]'),
    ],
    ids=repr,
)
def test_sets_have_one_order(value, expected):
    assert encoded(value) == expected


def test_order_of_a_set_does_not_depend_on_its_making():
    items = ["é", "b", 2, 1.5, None, (3, "x"), frozenset({1, "q"}), Color.RED]
    texts = set()
    for turn in range(30):
        random.Random(turn).shuffle(items)
        texts.add(encoded(set(items)))
    assert len(texts) == 1


def test_a_set_with_nan_keeps_its_numbers():
    assert sorted(map(str, value_of({3.5, float("nan"), 1}))) == ["1", "3.5", "None"]


# ---- NaN, infinities, notes -----------------------------------------------------


def test_nonfinite_becomes_null_with_a_note():
    data, notes = worker.encode({"x": [1, 2, 3, float("nan")], "y": -math.inf, "z": {5: math.inf}})
    assert json.loads(data) == {"x": [1, 2, 3, None], "y": None, "z": {"5": None}}
    assert notes == [
        'result["x"][3]: NaN became null',
        'result["y"]: -Infinity became null',
        'result["z"][5]: Infinity became null',
    ]


def test_nonfinite_literals():
    data, notes = worker.encode([math.nan, math.inf, -math.inf], literal=True)
    assert data == b"[NaN,Infinity,-Infinity]"
    assert notes == []


def test_notes_have_an_end():
    notes = worker.encode([math.nan] * 20)[1]
    assert len(notes) == 20
    notes = worker.encode([math.nan] * 1020)[1]
    assert len(notes) == 21
    assert notes[-1] == "and 1000 more"


# ---- what is refused ------------------------------------------------------------


class Plain:
    pass


def generator():
    yield 1


@pytest.mark.parametrize(
    "value, where, kind, hint",
    [
        ({"rows": [0, 1, 2, {"when": 1j}]}, 'result["rows"][3]["when"]', "complex", "str(x)"),
        ({"t": datetime.timedelta(1)}, 'result["t"]', "datetime.timedelta", "total_seconds()"),
        ({"g": generator()}, 'result["g"]', "generator", "list(x)"),
        ({"g": map(str, [])}, 'result["g"]', "map", "list(x)"),
        ({"g": iter([])}, 'result["g"]', "list_iterator", "list(x)"),
        ({"c": Plain}, 'result["c"]', "type", "class"),
        ({"f": len}, 'result["f"]', "builtin_function_or_method", "called"),
        ({"o": Plain()}, 'result["o"]', "Plain", "vars(x)"),
        ({"s": collections.UserString("a")}, 'result["s"]', "collections.UserString", "str(x)"),
        ({"m": collections.ChainMap()}, 'result["m"]', "collections.ChainMap", "dict(x)"),
        ({"m": sys}, 'result["m"]', "module", "str(x)"),
        ({"e": ValueError("x")}, 'result["e"]', "ValueError", "str(x)"),
        ({"z": ZoneInfo("UTC")}, 'result["z"]', "zoneinfo.ZoneInfo", "str(x)"),
        ({"p": Point(1, {2: [1j]})}, 'result["p"].a[2][0]', "complex", "str(x)"),
        ({"s": {1j}}, 'result["s"][0]', "complex", "str(x)"),
        ({None: {True: {2.5: 1j}}}, "result[None][True][2.5]", "complex", "str(x)"),
        (1j, "result", "complex", "str(x)"),
        ({Color.RED: {Size.BIG: 1j}}, 'result["red"][2]', "complex", "str(x)"),
        (NotImplemented, "result", "NotImplementedType", "str(x)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refused_by_path_and_type(value, where, kind, hint):
    message = refusal(value)
    assert message.startswith(f"{where} is of type "), message
    assert kind in message.split(",")[0]
    assert "JSON cannot hold" in message
    assert hint in message


@pytest.mark.parametrize(
    "key, kind",
    [
        ((1, 2), "tuple"),
        (datetime.date(2024, 1, 1), "datetime.date"),
        (b"x", "bytes"),
        (decimal.Decimal(1), "decimal.Decimal"),
        (Color.PAIR, "Color"),
        (Plain(), "Plain"),
    ],
)
def test_refused_keys(key, kind):
    message = refusal({"rows": [{key: 1}]})
    assert message.startswith('result["rows"][0] has a key of type ')
    assert kind in message
    assert "str(key)" in message


def test_long_paths_lose_their_middle():
    value = 1j
    for turn in range(500):
        value = {f"key {turn} é": value}
    message = refusal(value)
    path = message.split(" is of type ")[0]
    assert path.startswith('result["key 499 é"]["key 498 é"]')
    assert path.endswith('["key 1 é"]["key 0 é"]')
    assert "..." in path
    assert len(path.encode()) <= 200


def test_odd_keys_in_paths():
    assert refusal({'a"]\n\x00\ud800': 1j}).startswith('result["a\\"]\\n\\u0000\\ud800"] is')
    assert len(refusal({"k" * 10**6: {"é" * 10**6: 1j}})) < 512
    assert refusal({10**30: 1j}).startswith("result[...] is")


def test_odd_type_names():
    for name in ("N" * 10**6, "é" * 10**5, "a\nb"):
        message = refusal({"x": type(name, (), {})()})
        assert len(message.encode()) < 512
        assert "\n" not in message


# ---- cycles, depth, size --------------------------------------------------------


def test_cycles_are_named():
    value = {"q": [1, {}]}
    value["q"][1]["self"] = value
    message = refusal(value)
    assert message.startswith('result["q"][1]["self"] refers to itself: it is result again')

    value = []
    value.append(value)
    assert refusal({"a": value}).startswith('result["a"][0] refers to itself: it is result["a"]')

    point = Point(1)
    point.a = point
    assert refusal({"p": point}).startswith('result["p"].a refers to itself: it is result["p"]')


def test_cycles_are_named_even_when_size_ends_them():
    value = {"text": "x" * 1000}
    value["self"] = value
    assert refusal(value, max=3000).startswith('result["self"] refers to itself')


def test_the_same_value_twice_is_no_cycle():
    part = [1]
    assert value_of({"a": part, "b": [part, part]}) == {"a": [1], "b": [[1], [1]]}


def nested(depth, wrap):
    value = 1
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}, Point])
def test_depth_has_a_limit(wrap):
    worker.encode(nested(1000, wrap))
    for depth in (1001, 100_000) if wrap is not Point else (1001,):
        message = refusal(nested(depth, wrap))
        assert "is nested deeper than 1000 levels" in message
        assert len(message) < 512


@pytest.mark.parametrize(
    "value",
    [
        "x" * 2000,
        "é" * 2000,
        b"x" * 2000,
        ["x" * 10] * 200,
        {str(n): n for n in range(500)},
        range(10**18),
        set(range(5000)),
        {"a" * 999, 5, None, "b" * 999},
        10**1500,
    ],
    ids=lambda value: type(value).__name__,
)
def test_size_has_a_limit(value):
    message = refusal({"big": value}, max=1000)
    assert "limit of 1000 bytes" in message


def test_size_limit_is_exact():
    for value in ("x" * 98, "é" * 49, list(range(10)) * 5, {1, "a", "x" * 80}, b"x" * 72):
        size = len(worker.encode(value)[0])
        worker.encode(value, max=size)
        refusal(value, max=size - 1)


# ---- hostile values -------------------------------------------------------------


class Explodes(dict):
    def items(self):
        raise Boom("items")


class Endless(dict):
    def items(self):
        n = 0
        while True:
            yield str(n), n
            n += 1


class Deeper(dict):
    def items(self):
        return [("more", Deeper())]


def test_raising_items():
    assert raised({"a": [Explodes()]}, Boom).startswith('result["a"][0] raised test_encode.Boom')


def test_endless_items():
    assert "limit of 16777216 bytes" in refusal({"a": Endless()})


def test_endlessly_deeper_items():
    assert "deeper than 1000" in refusal(Deeper())


@pytest.mark.parametrize("items", [[1], [(1,)], [("a", 1, 2)], ["ab"], [["a", 1]]], ids=repr)
def test_items_that_are_no_pairs(items):
    class Odd(dict):
        def items(self):
            return items

    assert refusal({"x": Odd()}).startswith('result["x"] has an items()')


@pytest.mark.parametrize("items", [5, None, Boom], ids=repr)
def test_items_that_are_nothing(items):
    class Odd(dict):
        def items(self):
            return items

    raised({"x": Odd()}, TypeError)


def test_overrides_of_plain_types_are_not_called():
    def boom(*args, **kwargs):
        raise Boom

    def hostile(base):
        names = "__iter__ __len__ __getitem__ __str__ __repr__ __int__ __float__ __index__ __eq__"
        body = dict.fromkeys(names.split(), boom)
        return type("Hostile", (base,), {**body, "__hash__": base.__hash__})

    assert value_of(hostile(list)([1, 2])) == [1, 2]
    assert value_of(hostile(tuple)([1, 2])) == [1, 2]
    assert value_of(hostile(str)("a")) == "a"
    assert value_of([hostile(int)(5), hostile(int)(10**30)]) == [5, 10**30]
    assert value_of(hostile(float)(1.5)) == 1.5
    assert value_of(hostile(set)({2, 1})) == [1, 2]
    assert value_of(hostile(frozenset)({2, 1})) == [1, 2]
    assert value_of({hostile(str)("k"): 1, hostile(int)(3): 2}) == {"k": 1, "3": 2}

    class Day(datetime.date):
        isoformat = boom

    class Money(decimal.Decimal):
        __str__ = boom

    assert value_of([Day(2024, 1, 1), Money("1.0")]) == ["2024-01-01", "1.0"]


def test_types_that_lie_about_their_class():
    class Liar:
        __class__ = dict

    class Field:
        __dataclass_fields__ = {"x": 5}

    class Meta(type):
        def __getattribute__(cls, name):
            raise Boom(name)

    class Closed(metaclass=Meta):
        pass

    assert isinstance(Liar(), dict)
    assert "of type" in refusal({"x": Liar()})
    assert "of type" in refusal({"x": Closed()})
    raised({"x": Field()}, AttributeError)


class Acts:
    """A dict that does something to its surroundings while it is encoded."""

    def __new__(cls, act):
        class Actor(dict):
            def items(self):
                act()
                return ()

        return Actor()


def test_dict_that_changes_size_meanwhile():
    value = {}
    value["a"] = Acts(lambda: value.update({str(n): n for n in range(1000)}))
    value["b"] = 1
    assert refusal({"v": value}).startswith('result["v"] changed its size')

    value = {"z": Acts(lambda: value.clear()), "y": [1, 2, 3]}
    assert "changed its size" in refusal(value)


def test_dict_that_replaces_what_is_being_read():
    value = {}
    value["a"] = Acts(lambda: value.update(a=1, b="x" * 5))
    value["b"] = [object]
    assert value_of(value) == {"a": {}, "b": "xxxxx"}


def test_dict_that_moves_its_keys_for_ever():
    value = {}

    class Turning(dict):
        def items(self):
            value.pop(next(iter(value)))
            value[str(len(out))] = self
            out.append(1)
            return ()

    out = []
    actor = Turning()
    value.update({"x": actor, "y": actor})
    try:
        worker.encode(value, max=100_000)
    except worker.EncodeError as error:
        assert "limit" in str(error) or "changed" in str(error)


def test_list_that_changes_size_meanwhile():
    value = []
    value += [Acts(value.clear), [1], [2]]
    assert value_of(value) == [{}]

    value = []
    value.append(Acts(lambda: value.extend([7, 8])))
    assert value_of(value) == [{}, 7, 8]

    value = []

    def grow():
        value.append(Acts(grow))

    grow()
    assert "limit of 2000 bytes" in refusal(value, max=2000)


def test_set_whose_order_acts():
    class Item:
        def __lt__(self, other):
            value.clear()
            return NotImplemented

    class Bad(Item):
        def __lt__(self, other):
            raise Boom

    value = {Item(), Item(), Item()}
    assert "of type" in refusal({"s": value})
    raised({Bad(), Bad()}, Boom)


def test_time_zones_that_raise():
    class Zone(datetime.tzinfo):
        def utcoffset(self, when):
            raise Boom

    raised({"x": [datetime.datetime(2024, 1, 1, tzinfo=Zone())]}, Boom)


def test_enum_that_is_its_own_value():
    class Ring(enum.Enum):
        A = 1

    Ring.A._value_ = Ring.A
    assert refusal({"x": Ring.A}).startswith('result["x"] refers to itself')


def test_property_of_a_dataclass_that_raises():
    @dataclasses.dataclass
    class Bad:
        a: int

        def __getattribute__(self, name):
            raise Boom

    raised({"x": Bad(1)}, Boom)


def test_views_and_queues_that_change_meanwhile():
    inner = {}
    inner["a"] = Acts(lambda: inner.update(b=1, c=2))
    raised({"x": inner.values()}, RuntimeError)
    queue = collections.deque()
    queue.append(Acts(lambda: queue.append(1)))
    raised({"x": queue}, RuntimeError)


def test_released_memory():
    view = memoryview(b"abc")
    view.release()
    raised({"x": view}, ValueError)


def test_values_are_left_alone():
    value = {"a": [3, 1], "s": {2, 1}, "t": (1,), "p": Point(1), "o": collections.OrderedDict(b=1)}
    kept = [sys.getrefcount(item) for item in value.values()]
    before = repr(value)
    worker.encode(value)
    assert repr(value) == before
    assert [sys.getrefcount(item) for item in value.values()] == kept


def leak_cases():
    cyclic = []
    cyclic.append([cyclic])
    yield from (
        {"a": [1, 2.5, "é\ud800", 10**30, None], 5: {3, 1}, None: {"x", 1, (2,)}},
        {Color.RED: Color.PAIR, "d": datetime.datetime(2024, 1, 1), "u": uuid.UUID(int=7)},
        [decimal.Decimal("1.1"), fractions.Fraction(1, 3), range(9), {"k": 1}.items()],
        [b"x" * 50, bytearray(5), memoryview(b"abc")[::2], Point(1, Small(2))],
        [math.nan] * 30,
        collections.OrderedDict(a=[collections.Counter("aa")]),
        {"x": 1j},
        {(1, 2): 3},
        {"x": generator},
        nested(1001, lambda v: [v]),
        cyclic,
        ["x" * 50] * 100,
        {"a": Explodes()},
        {"a": datetime.timedelta(1)},
    )
    yield [np.arange(9).reshape(3, 3), np.float32(1), np.array(5), np.ma.masked_array([1], [1])]
    yield {"x": np.array([1, 1j]), "y": 1}
    yield {np.int64(4): np.datetime64("2024-01-01")}


@pytest.mark.parametrize("value", list(leak_cases()), ids=lambda value: type(value).__name__)
def test_nothing_leaks(value):
    def once():
        try:
            worker.encode(value, max=2000)
        except worker.EncodeError:
            pass

    def growth(turns):
        sys._clear_type_cache()  # it keeps thousands of names, numpy's look-ups fill it
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(turns):
            once()
        sys._clear_type_cache()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before

    # A leak of one object, 16 bytes at least, shows in every round; a cache that fills
    # up, or garbage of others, does not.
    turns = 200
    tracemalloc.start()
    try:
        rounds = [growth(turns) for _ in range(3)]
    finally:
        tracemalloc.stop()
    assert min(rounds) < turns * 16, rounds


# ---- numpy ----------------------------------------------------------------------


def test_numpy_scalars():
    scalars = [np.int8(-5), np.uint64(2**64 - 1), np.float32(1.5), np.float64(2.5), np.bool_(True)]
    assert encoded(scalars) == "[-5,18446744073709551615,1.5,2.5,true]"
    assert value_of([np.str_("s"), np.bytes_(b"x"), np.longdouble(1.25)]) == ["s", "eA==", 1.25]
    assert value_of({np.int64(5): 1, np.float32(0.5): 2, np.bool_(True): 3, np.str_("k"): 4}) == {
        "5": 1,
        "0.5": 2,
        "true": 3,
        "k": 4,
    }
    assert worker.encode([np.float32("nan")])[1] == ["result[0]: NaN became null"]


def test_numpy_times():
    assert value_of(np.datetime64("2024-01-02T03:04:05")) == "2024-01-02T03:04:05"
    assert value_of(np.array(["2024-01-01", "NaT"], dtype="datetime64[D]")) == ["2024-01-01", None]
    nanoseconds = value_of(np.array(["2024-01-01T00:00:00.000000001"], dtype="datetime64[ns]"))
    assert nanoseconds == ["2024-01-01T00:00:00.000000001"]
    assert "numpy.timedelta64" in refusal(np.timedelta64(5, "s"))
    assert refusal({"x": np.array([[5]], dtype="m8[s]")}).startswith('result["x"][0][0] is of type')


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numpy_arrays():
    assert value_of(np.arange(24).reshape(2, 3, 4)) == np.arange(24).reshape(2, 3, 4).tolist()
    assert value_of(np.arange(10_000)) == list(range(10_000))
    assert encoded(np.arange(4096.0)) == encoded([float(n) for n in range(4096)])
    assert value_of([np.array(5), np.zeros((0, 3)), np.zeros((2, 0))]) == [5, [], [[], []]]
    assert value_of(np.array([1, "a", None, [1]], dtype=object)) == [1, "a", None, [1]]
    assert value_of(np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])) == [[1, 2.5]]
    assert value_of(np.matrix([[1, 2], [3, 4]])) == [[1, 2], [3, 4]]
    assert value_of(np.ma.masked_array([1, 2, 3], [0, 1, 0])) == [1, None, 3]
    assert value_of(np.array(["a", "b"])) == ["a", "b"]
    assert value_of(np.arange(10)[::-3]) == [9, 6, 3, 0]


def test_numpy_paths_and_notes():
    column = np.zeros(9000)
    column[8999] = np.inf
    assert worker.encode({"c": column})[1] == ['result["c"][8999]: Infinity became null']
    grid = np.array([[1.0, 2.0], [3.0, np.nan]])
    assert worker.encode({"g": grid})[1] == ['result["g"][1][1]: NaN became null']
    mixed = np.array([0] * 5000 + [1j], dtype=object)
    assert refusal({"m": mixed}).startswith('result["m"][5000] is of type complex')


def test_numpy_refusals():
    for value in (np.complex64(1), np.complex128(1), np.clongdouble(1), np.array([1j])):
        assert "complex" in refusal({"x": value})
    assert "numpy.datetime64" in refusal({np.datetime64("2024-01-01"): 1})
    assert "limit" in refusal(np.broadcast_to(0, (10**12,)))


# ---- pandas ---------------------------------------------------------------------


def frame():
    return pd.DataFrame(
        {
            "n": [1, 2],
            "x": [1.5, float("nan")],
            "s": ["a", None],
            "when": pd.to_datetime(["2024-01-01", "2024-01-02 03:04:05"]),
            "odd": [pd.NaT, pd.Timestamp("2024-01-01", tz="Europe/Berlin")],
        }
    )


def test_frames_are_records():
    data, notes = worker.encode({"f": frame()})
    assert json.loads(data) == {
        "f": [
            {"n": 1, "x": 1.5, "s": "a", "when": "2024-01-01T00:00:00", "odd": None},
            {
                "n": 2,
                "x": None,
                "s": None,
                "when": "2024-01-02T03:04:05",
                "odd": "2024-01-01T00:00:00+01:00",
            },
        ]
    }
    assert notes == ['result["f"][1]["x"]: NaN became null']
    assert value_of([pd.DataFrame(), pd.DataFrame([[1, 2]])]) == [[], [{"0": 1, "1": 2}]]


def test_long_frames():
    long = pd.DataFrame({"a": range(3000), "b": ["x"] * 2999 + [1j]})
    assert refusal({"f": long}).startswith('result["f"][2999]["b"] is of type complex')
    long["b"] = "x"
    assert value_of(long) == long.to_dict("records")
    assert "limit of 1000 bytes" in refusal(long, max=1000)


def test_frames_that_records_would_cut():
    assert "two of its columns" in refusal({"f": pd.DataFrame([[1, 2]], columns=["a", "a"])})
    pairs = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    assert "key of type tuple" in refusal(pd.DataFrame([[1, 2]], columns=pairs))


def test_series_and_others_are_lists():
    table = frame()
    assert value_of(table["when"]) == ["2024-01-01T00:00:00", "2024-01-02T03:04:05"]
    assert value_of(pd.Series([1, 2], index=[5.0, 6.0])) == [1, 2]
    assert value_of(pd.Series([1, None], dtype="Int64")) == [1, None]
    assert value_of(pd.Series(range(5000))) == list(range(5000))
    assert value_of([table.index, table.columns]) == [[0, 1], ["n", "x", "s", "when", "odd"]]
    assert value_of(pd.Categorical(["a", "b", "a"])) == ["a", "b", "a"]
    assert value_of(table.iloc[0]) == [1, 1.5, "a", "2024-01-01T00:00:00", None]
    assert value_of(table["n"].value_counts().to_dict()) == {"1": 1, "2": 1}
    assert value_of(table.groupby("n")["x"].sum()) == [1.5, 0.0]


def test_pandas_scalars():
    assert worker.encode([pd.NaT, pd.NA]) == (b"[null,null]", [])
    exact = "2024-01-01T00:00:00.000000001"
    assert value_of(pd.Timestamp(exact)) == exact
    assert value_of([pd.Period("2024-01"), pd.Timestamp("2024-01-01")]) == [
        "2024-01",
        "2024-01-01T00:00:00",
    ]
    assert "total_seconds()" in refusal({"t": pd.Timedelta("1s")})
    assert refusal({"g": frame().groupby("n")}).startswith('result["g"] is of type pandas')
