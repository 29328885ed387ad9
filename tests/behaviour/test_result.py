# SPDX-License-Identifier: Apache-2.0
"""
What `result` may hold and how each of it comes out, end to end; and that whatever cannot
come out is an error that names its place, never a crash.
"""

import json
import os
import subprocess

import pytest

from support import KERNEL, ok, without_gate

run = without_gate

IMPORTS = (
    "import datetime, decimal, fractions, enum, dataclasses, uuid, collections, typing, math\n"
    "from datetime import date, time, timezone, timedelta\n"
    "from decimal import Decimal\nfrom fractions import Fraction\n"
)


def refused(envelope):
    """The error of a result that could not be encoded."""
    assert envelope["status"] == "error", envelope
    assert envelope["error"]["kind"] == "result", envelope["error"]
    assert envelope["result"] is None
    return envelope["error"]["message"]


# The distribution's own python3 first: it is the one that packages are installed for.
HOST_PATH = {**os.environ, "PATH": "/usr/bin:" + os.environ.get("PATH", "")}


class Digits(str):
    """A number exactly as it stood in the JSON text."""


@pytest.fixture
def digits(cordon):
    """Runs code and gives its result with every number as the text it was written in."""

    def run(code, *args):
        ran = cordon("run", "--json", *args, "-", stdin=code)
        envelope = json.loads(
            ran.out, parse_int=Digits, parse_float=Digits, parse_constant=Digits
        )
        return ok(envelope)

    return run


# ---- every rule, with its value -----------------------------------------------------------

CLASS = "type('P', (), {'__annotations__': dict(%s)})"

VALUES = [
    # as Python's json does
    ("None", None),
    ("[True, False]", [True, False]),
    ("[0, -1, 10**18]", [0, -1, 10**18]),
    ("[0.1, -0.0, 1e300, 5e-324, 1e16, 2.0]", [0.1, -0.0, 1e300, 5e-324, 1e16, 2.0]),
    ("'é 😀 \\u2028 \\x7f \\\\ \" / \\t'", 'é 😀 \u2028 \x7f \\ " / \t'),
    ("(1, (2, ()))", [1, [2, []]]),
    ("{}", {}),
    ("{1: 'a', 2.5: 'b', True: 'c', None: 'd', '': 'e'}", {"1": "c", "2.5": "b", "null": "d", "": "e"}),
    ("{False: 0, float('inf'): 1, -3: 2, 10**20: 3}", {"false": 0, "Infinity": 1, "-3": 2, "100000000000000000000": 3}),
    ("collections.OrderedDict(b=1, a=2)", {"b": 1, "a": 2}),
    ("collections.Counter('aab')", {"a": 2, "b": 1}),
    ("collections.defaultdict(list, a=[1])", {"a": [1]}),
    ("collections.namedtuple('P', 'x y')(1, 2)", [1, 2]),
    ("type('D', (dict,), {})(a=1)", {"a": 1}),
    ("type('L', (list,), {})([1])", [1]),
    ("type('S', (str,), {})('s')", "s"),
    ("type('I', (int,), {})(5)", 5),
    ("type('F', (float,), {})(2.5)", 2.5),
    # dates
    ("date(2024, 1, 31)", "2024-01-31"),
    ("time(12, 30, 5)", "12:30:05"),
    ("time(12, 30, tzinfo=timezone.utc)", "12:30:00+00:00"),
    ("datetime.datetime(2024, 1, 31, 12, 30)", "2024-01-31T12:30:00"),
    ("datetime.datetime(2024, 1, 31, 12, 30, 1, 5, timezone(timedelta(hours=2)))", "2024-01-31T12:30:01.000005+02:00"),
    # numbers
    ("Decimal('1.10')", "1.10"),
    ("Decimal('1E+3')", "1E+3"),
    ("Decimal('NaN')", "NaN"),
    ("Fraction(1, 3)", "1/3"),
    ("Fraction(4, 2)", "2"),
    # sets
    ("{3, 1, 2}", [1, 2, 3]),
    ("frozenset('hello')", ["e", "h", "l", "o"]),
    ("set()", []),
    ("{(2, 'b'), (1, 'a')}", [[1, "a"], [2, "b"]]),
    ("{date(2024, 2, 1), date(2024, 1, 1)}", ["2024-01-01", "2024-02-01"]),
    # bytes
    ("b'ab\\xff'", "YWL/"),
    ("b''", ""),
    # classes
    ("enum.Enum('E', 'A B').B", 2),
    ("enum.Enum('E', {'A': (1, 'x')}).A", [1, "x"]),
    ("enum.IntEnum('E', 'A B').B", 2),
    ("enum.Enum('E', {'A': Decimal('1.5')}).A", "1.5"),
    (f"dataclasses.dataclass({CLASS % 'b=1, a=2'})(1, (2,))", {"b": 1, "a": [2]}),
    (f"dataclasses.dataclass(slots=True)({CLASS % 'x=1'})(date(2024, 1, 1))", {"x": "2024-01-01"}),
    (f"dataclasses.dataclass(frozen=True)({CLASS % 'x=1'})({{1}})", {"x": [1]}),
    ("uuid.UUID(int=1)", "00000000-0000-0000-0000-000000000001"),
]


def test_every_value_of_the_rules(run):
    """All in one run: each value alone under its number, and inside a list."""
    code = IMPORTS + "".join(
        f"result[{str(i)!r}] = {value}\nresult[{f'in {i}'!r}] = [{{'v': {value}}}]\n"
        for i, (value, _) in enumerate(VALUES)
    )
    got = ok(run(code))
    for i, (value, want) in enumerate(VALUES):
        assert got[str(i)] == want and type(got[str(i)]) is type(want), value
        assert got[f"in {i}"] == [{"v": want}], value


def test_members_keep_their_order(run):
    code = "result = {k: i for i, k in enumerate('zebra')}"
    assert list(ok(run(code))) == list("zebra")


def test_a_set_that_cannot_be_sorted_is_a_list_in_any_order(run):
    got = ok(run("result = {'s': {1, 'a', None, (2,)}}"))["s"]
    assert len(got) == 4 and all(v in got for v in (1, "a", None, [2]))


def test_dataclasses_within_one_another(run):
    code = """
from dataclasses import dataclass, field
from decimal import Decimal
@dataclass
class Item:
    price: Decimal
    hidden: int = field(default=1, repr=False)
@dataclass
class Cart:
    items: list
    by_name: dict
result = {"cart": Cart([Item(Decimal("1.50"))], {"a": Item(Decimal(2))})}
"""
    assert ok(run(code)) == {
        "cart": {
            "items": [{"price": "1.50", "hidden": 1}],
            "by_name": {"a": {"price": "2", "hidden": 1}},
        }
    }


def test_paths(run):
    code = "import pathlib\nresult = {'a': pathlib.Path('a/b'), 'p': pathlib.PurePosixPath('/x')}"
    assert ok(run(code, None, *KERNEL)) == {"a": "a/b", "p": "/x"}


def test_numbers_keep_every_digit(digits):
    code = """
result = {"big": 2**200, "neg": -(10**4000), "f": [1.1, 1.10, 1e22, 1e-7, 123456789.123456789, -0.0, 1e16]}
"""
    got = digits(code)
    assert got["big"] == str(2**200)
    assert got["neg"] == "-1" + "0" * 4000
    assert got["f"] == ["1.1", "1.1", "1e+22", "1e-07", "123456789.12345679", "-0.0", "1e+16"]


def test_an_integer_of_more_digits_than_python_prints(cordon):
    """Python's own limit is 4300 digits: either every digit comes out, or a clear error."""
    ran = cordon("run", "--json", "-", stdin="result = {'n': 10**20000}")
    envelope = json.loads(ran.out, parse_int=Digits)
    if envelope["status"] == "ok":
        assert envelope["result"]["n"] == "1" + "0" * 20000
    else:
        assert 'result["n"]' in refused(envelope)


def test_lone_surrogates_and_nul_survive(run, cordon):
    code = "result = {'s': 'a\\ud800b', 'n': 'a\\0b', 'k\\udfff\\0': 1, 'pair': '\\ud83d\\ude00', 'swapped': '\\ude00\\ud83d'}"
    got = ok(run(code))
    assert got["s"] == "a\ud800b" and got["n"] == "a\0b" and got["k\udfff\0"] == 1
    assert got["swapped"] == "\ude00\ud83d"
    ran = cordon("run", "--json", "-", stdin=code)
    assert b"\\ud800" in ran.out.lower() and b"\\u0000" in ran.out and b"\0" not in ran.out
    ran.out.decode("utf-8")  # the envelope itself is valid UTF-8


def test_nothing_of_the_input_is_lost_on_the_way_through(cordon, tmp_path):
    data = {"i": 3**300, "s": "\ud800\0é😀", "l": [[], {}, None, True], "deep": json.loads("[" * 200 + "]" * 200)}
    file = tmp_path / "in.json"
    file.write_text(json.dumps(data))
    ran = cordon("run", "--json", "-i", f"@{file}", "-", stdin="result = input_data")
    assert ok(json.loads(ran.out)) == data


# ---- NaN and the infinities -----------------------------------------------------------------

NONFINITE = "result = {'a': float('nan'), 'b': [1.5, float('inf')], 'c': {'d': float('-inf')}}"


def test_nonfinite_numbers_become_null_with_a_note(run):
    envelope = run(NONFINITE)
    assert ok(envelope) == {"a": None, "b": [1.5, None], "c": {"d": None}}
    notes = envelope["notes"]
    assert 1 <= len(notes) <= 4
    assert 'result["a"]' in notes[0] and "null" in notes[0], notes
    assert run(NONFINITE, None, "--nonfinite", "null")["result"] == envelope["result"]


def test_nonfinite_numbers_may_stay_literals(digits, run):
    got = digits(NONFINITE, "--nonfinite", "literal")
    assert got == {"a": "NaN", "b": ["1.5", "Infinity"], "c": {"d": "-Infinity"}}
    assert run(NONFINITE, None, "--nonfinite", "literal")["notes"] == []


def test_nonfinite_numbers_of_the_input_come_back_as_literals(cordon, run):
    given = '{"a": [NaN, Infinity, -Infinity]}'
    got = run("result = input_data", given, "--nonfinite", "literal")["result"]
    assert repr(got) == "{'a': [nan, inf, -inf]}"
    ran = cordon("run", "-i", given, "-", stdin="")
    assert ran.code == 2 and "not valid JSON" in ran.stderr


def test_notes_of_many_nonfinite_numbers_are_bounded(run):
    envelope = run("result = {'a': [float('nan')] * 100000}")
    assert ok(envelope)["a"] == [None] * 100000
    assert 1 <= len(envelope["notes"]) <= 100
    assert sum(map(len, envelope["notes"])) < 100_000


def test_no_note_without_a_change(run):
    assert run("result = {'a': 1.5}")["notes"] == []


# ---- what cannot be encoded ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, place, kind",
    [
        ("result['z'] = 1j", 'result["z"]', "complex"),
        ("result['o'] = object()", 'result["o"]', "object"),
        ("result['f'] = lambda: 1", 'result["f"]', "function"),
        ("result['g'] = (i for i in ())", 'result["g"]', "generator"),
        ("result['m'] = json", 'result["m"]', "module"),
        ("result['t'] = int", 'result["t"]', "type"),
        ("class C: pass\nresult['c'] = [C()]", 'result["c"][0]', "C"),
        (
            "result['rows'] = [{'when': 1}] * 3 + [{'when': object()}]",
            'result["rows"][3]["when"]',
            "object",
        ),
        ("result['a'] = {'b': ({'c': {2j}},)}", 'result["a"]["b"][0]["c"][0]', "complex"),
        ("result['k'] = {(1, 2): 3}", 'result["k"]', "tuple"),
        ("result['k'] = {b'x': 3}", 'result["k"]', "bytes"),
        ("result['e'] = ...", 'result["e"]', "ellipsis"),
        ("result['x'] = ValueError('v')", 'result["x"]', "ValueError"),
        ("result['r'] = range(3).__iter__()", 'result["r"]', "range_iterator"),
    ],
)
def test_what_cannot_be_encoded_names_its_place_and_type(run, code, place, kind):
    message = refused(run("print('said')\n" + code))
    assert place in message and kind in message, message


def test_a_refused_result_keeps_the_output(run):
    envelope = run("print('said')\nresult['o'] = object()")
    assert envelope["stdout"] == "said\n" and refused(envelope)


def test_a_name_in_a_path_is_quoted_and_bounded(run):
    message = refused(run("result['a\"]\\n\\0' + 'k' * 10**6] = object()"))
    assert len(message) < 2000 and "\n" not in message and "object" in message


@pytest.mark.parametrize(
    "value, kind",
    [
        ("[1, 2]", "list"),
        ("'text'", "str"),
        ("5", "int"),
        ("None", "NoneType"),
        ("(1,)", "tuple"),
        ("{1}", "set"),
        ("1.5", "float"),
        ("object()", "object"),
        ("lambda: 1", "function"),
        ("dict", "type"),
    ],
)
def test_a_result_that_is_no_dict_says_so_and_how_to_wrap_it(run, value, kind):
    message = refused(run(f"result = {value}"))
    assert "dict" in message and kind in message
    assert "result = {" in message, message


def test_a_result_may_be_a_dict_subclass(run):
    assert ok(run("from collections import Counter\nresult = Counter('aab')")) == {"a": 2, "b": 1}
    assert ok(run("from collections import OrderedDict\nresult = OrderedDict(a=1)")) == {"a": 1}


# ---- cycles and depth ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "result['self'] = result",
        "a = []\na.append(a)\nresult['a'] = a",
        "a, b = {}, {}\na['b'], b['a'] = b, [a]\nresult['a'] = a",
        "from dataclasses import dataclass\n@dataclass\nclass N:\n    n: object\nn = N(1)\nn.n = n\nresult['n'] = n",
    ],
)
def test_a_cycle_is_an_error(run, code):
    message = refused(run(code))
    assert "result" in message and ("itself" in message or "circular" in message or "cycl" in message)


def test_the_same_object_twice_is_no_cycle(run):
    assert ok(run("a = [1]\nresult = {'a': a, 'b': [a, a]}")) == {"a": [1], "b": [[1], [1]]}


def test_depth_that_json_can_hold(run):
    got = ok(run("x = 'end'\nfor _ in range(500):\n    x = [x]\nresult['x'] = x"))["x"]
    for _ in range(500):
        (got,) = got
    assert got == "end"


@pytest.mark.parametrize("wrap", ["[x]", "(x,)", "{'k': x}", "{'k': [x]}"])
@pytest.mark.parametrize("levels", [5000, 100_000])
def test_depth_beyond_it_is_an_error(run, wrap, levels):
    envelope = run(f"x = 1\nfor _ in range({levels}):\n    x = {wrap}\nresult['x'] = x")
    message = refused(envelope)
    assert "deep" in message or "depth" in message or "levels" in message
    assert len(message) < 2000


# ---- hostile objects ---------------------------------------------------------------------------------

HOSTILE = {
    "items raises": "class D(dict):\n    def items(self): raise KeyboardInterrupt('x')\nresult = D(a=1)",
    "items exits": "class D(dict):\n    def items(self): raise SystemExit(0)\nresult['d'] = D(a=1)",
    "items lies": "class D(dict):\n    def items(self): return [1, 2, 3]\nresult['d'] = D(a=1)",
    "items of threes": "class D(dict):\n    def items(self): return [(1, 2, 3)]\nresult['d'] = D(a=1)",
    "items is no method": "class D(dict):\n    items = 5\nresult['d'] = D(a=1)",
    "everything raises": """
class Odd(dict):
    def boom(self, *a):
        raise KeyboardInterrupt("walls")
    items = keys = values = __iter__ = __len__ = get = __contains__ = __getitem__ = __repr__ = boom
    __class__ = property(boom)
result = Odd(achieved=False)
""",
    "list shrinks": """
class Shrink(dict):
    def items(self):
        xs.clear()
        return [('a', 1)]
xs = [Shrink(a=1)] + list(range(1000))
result['xs'] = xs
""",
    "list grows": """
class Grow(dict):
    def items(self):
        if len(xs) < 1000:
            xs.append(Grow(a=1))
        return [('a', 1)]
xs = [Grow(a=1)]
result['xs'] = xs
""",
    "dict changes": """
class Change(dict):
    def items(self):
        result['more' + str(len(result))] = 1
        result.pop('b', None)
        return [('a', 1)]
result['a'] = Change(a=1)
result['b'] = [1]
""",
    "result rebinds": "class D(dict):\n    def items(self):\n        global result\n        result = None\n        return []\nresult['d'] = D(a=1)",
    "isoformat raises": "import datetime\nclass T(datetime.date):\n    def isoformat(self): raise ValueError('x')\nresult['t'] = T(2024, 1, 1)",
    "isoformat lies": "import datetime\nclass T(datetime.date):\n    def isoformat(self): return object()\nresult['t'] = T(2024, 1, 1)",
    "str raises": "import decimal\nclass T(decimal.Decimal):\n    def __str__(self): raise ValueError('x')\nresult['t'] = T(1)",
    "str lies": "import fractions\nclass T(fractions.Fraction):\n    def __str__(self): return 5\nresult['t'] = T(1)",
    "value raises": "import enum\nclass E(enum.Enum):\n    A = 1\n    @property\n    def value(self): raise ValueError('x')\nresult['e'] = E.A",
    "field raises": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    def __getattribute__(self, n): raise ValueError(n)\nresult['p'] = P(1)",
    "fields lie": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 0\nP.__dataclass_fields__ = {5: 6, 'x': None}\nresult['p'] = P(1)",
    "comparison raises": "class K:\n    def __hash__(self): return 1\n    def __eq__(self, o): raise ValueError('x')\n    def __lt__(self, o): raise ValueError('y')\nresult['s'] = {K()}",
    "key raises": "class K(str):\n    def __hash__(self): return 1\n    def __str__(self): raise ValueError('x')\n    def __repr__(self): raise ValueError('y')\nresult[K('k')] = K('v')",
    "iterator raises": "class L(list):\n    def __iter__(self): raise ValueError('x')\n    def __len__(self): raise ValueError('y')\n    def __getitem__(self, i): raise ValueError('z')\nresult['l'] = L([1])",
    "type name": "T = type('T\\n\\0' + 'x' * 10**6, (), {})\nresult['t'] = T()",
    "metaclass": "class M(type):\n    def __instancecheck__(c, i): raise ValueError('x')\n    def __getattribute__(c, n): raise ValueError(n)\nclass T(metaclass=M): pass\nresult['t'] = T()",
    "class lies": "class T:\n    @property\n    def __class__(self): return dict\nresult['t'] = T()",
    "recursion in items": "class D(dict):\n    def items(self): return self.items()\nresult['d'] = D(a=1)",
    "new levels for ever": "class D(dict):\n    def items(self): return [('d', D(a=1))]\nresult['d'] = D(a=1)",
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_objects_are_encoded_or_refused(run, code):
    envelope = run("print('before')\n" + code)
    assert envelope["status"] in ("ok", "error"), envelope
    if envelope["status"] == "error":
        assert envelope["error"]["kind"] in ("result", "exception"), envelope
    assert envelope["stdout"] == "before\n"
    assert len(json.dumps(envelope)) < 100_000


def test_hostile_items_is_an_error_that_says_what_was_raised(run):
    envelope = run(HOSTILE["items raises"])
    assert envelope["status"] == "error" and envelope["result"] is None
    assert "KeyboardInterrupt" in json.dumps(envelope["error"])
    assert run(HOSTILE["items exits"])["status"] == "error"


def test_subclasses_of_plain_types_cannot_forge_their_text(run):
    """As Python's json: a number's text is the number's, whatever its class says."""
    code = """
class I(int):
    def __repr__(self): return '"forged"'
    __str__ = __index__ = __int__ = __repr__
class F(float):
    def __repr__(self): return '"forged"'
    __str__ = __float__ = __repr__
class S(str):
    def __repr__(self): return 'forged'
    __str__ = __repr__
result = {"i": I(5), "f": F(1.5), "s": S("s"), S("k"): 1}
"""
    assert ok(run(code)) == {"i": 5, "f": 1.5, "s": "s", "k": 1}


@pytest.mark.parametrize(
    "endless",
    [
        "class D(dict):\n    def items(self):\n        while True: pass",
        "class D(dict):\n    def items(self):\n        while True: yield 'a', 1",
    ],
    ids=["loop", "generator"],
)
def test_endless_items_meets_a_limit(run, endless):
    envelope = run(endless + "\nresult['d'] = D(a=1)", None, "--timeout", "2")
    assert envelope["status"] in ("timeout", "limit", "error"), envelope
    assert envelope["status"] != "error" or envelope["error"]["kind"] == "result"


# ---- size ---------------------------------------------------------------------------------------------


def test_a_result_just_below_its_limit_comes_out_whole(run):
    got = ok(run("result['x'] = 'a' * ((16 << 20) - 100)"))
    assert got["x"] == "a" * ((16 << 20) - 100)


@pytest.mark.parametrize(
    "code",
    [
        "result['x'] = 'a' * (16 << 20)",
        "result['x'] = 'a' * (64 << 20)",
        "result['x'] = list(range(3_000_000))",
        "a = 'y' * 10000\nresult['x'] = [a] * 2000",
        "result['x'] = '\\0' * (3 << 20)",
        "x = [1] * 100\nfor _ in range(10):\n    x = [x] * 10\nresult['x'] = x",
    ],
)
def test_a_result_above_its_limit_is_a_limit(run, code):
    envelope = run("print('said')\n" + code)
    assert envelope["status"] == "limit", envelope
    assert envelope["error"]["limit"] == "result"
    assert "16 MiB" in envelope["error"]["message"], envelope["error"]
    assert envelope["result"] is None and envelope["stdout"] == "said\n"


# ---- numpy and pandas, where the host has them ---------------------------------------------------------

# An interpreter that sees the host's packages, in a box whose root holds them. Debian's
# numpy finds its libraries through /etc/alternatives, which no box shows: they are loaded
# by path first.
HOST_PACKAGES = """
import ctypes, glob
for name in ("blas/libblas.so.3", "lapack/liblapack.so.3"):
    for path in glob.glob("/usr/lib/*/" + name):
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
"""


@pytest.fixture(scope="module")
def data(run, tmp_path_factory):
    """data(module, code): the envelope of code that may import what the host has."""
    folder = tmp_path_factory.mktemp("data") / "venv"
    make = ["python3", "-m", "venv", "--without-pip", "--system-site-packages", str(folder)]
    if subprocess.run(make, check=False, capture_output=True, env=HOST_PATH).returncode != 0:
        pytest.skip("the host's python3 cannot make a virtual environment")

    def data(module, code):
        args = (*KERNEL, "--drop-wall", "limits", "--python", folder / "bin" / "python")
        try_it = run(HOST_PACKAGES + f"import {module}", None, *args)
        if try_it["status"] == "error" and "Error" in try_it["error"]["type"]:
            pytest.skip(f"no {module} here: {try_it['error']['message']}")
        return run(HOST_PACKAGES + code, None, *args)

    return data


def test_numpy_values(data):
    code = """
import numpy as np
result = {
    "i": np.int64(5), "u": np.uint8(200), "f": np.float32(1.5), "d": np.float64(0.1), "b": np.bool_(True),
    "a": np.arange(6).reshape(2, 3), "s": np.array(["x", "y"]), "nan": np.array([1.0, np.nan]), "zero": np.array(5),
    "e": np.array([]), "in": [{"k": np.int32(-1)}],
}
"""
    envelope = data("numpy", code)
    assert ok(envelope) == {
        "i": 5,
        "u": 200,
        "f": 1.5,
        "d": 0.1,
        "b": True,
        "a": [[0, 1, 2], [3, 4, 5]],
        "s": ["x", "y"],
        "nan": [1.0, None],
        "zero": 5,
        "e": [],
        "in": [{"k": -1}],
    }
    assert envelope["notes"] and "complex" in refused(
        data("numpy", "import numpy as np\nresult['z'] = np.complex128(1j)")
    )


def test_pandas_values(data):
    code = """
import pandas as pd
df = pd.DataFrame({"a": [1, 2], "b": ["x", None], "t": pd.to_datetime(["2024-01-31", "2024-02-01"])})
result = {"df": df, "s": pd.Series([1.5, 2.5], name="n"), "t": pd.Timestamp("2024-01-31 12:00")}
"""
    got = ok(data("pandas", code))
    assert got["df"] == [
        {"a": 1, "b": "x", "t": "2024-01-31T00:00:00"},
        {"a": 2, "b": None, "t": "2024-02-01T00:00:00"},
    ]
    assert got["s"] == [1.5, 2.5]
    assert got["t"] == "2024-01-31T12:00:00"
