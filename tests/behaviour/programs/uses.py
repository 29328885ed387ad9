# SPDX-License-Identifier: Apache-2.0
# What the strict profile's modules are used for, name by name. test_uses.py runs this in a
# sandbox and in plain Python, and holds the one to the other.

import json, math, cmath, re, datetime, time, calendar, zoneinfo, collections, itertools, functools
import collections.abc as cabc
import statistics, decimal, fractions, random, string, textwrap, unicodedata, csv, copy, enum, dataclasses
import typing, abc, numbers, uuid, hashlib, base64, binascii, operator, heapq, bisect, array
import sys, io, contextlib, html, urllib.parse, pprint, pathlib, traceback, types, graphlib, secrets, warnings
import struct, zlib, difflib, fnmatch
import __future__
USED = {}
def use(name, f):
    try:
        USED[name] = repr(f())[:200]
    except BaseException as e:
        USED[name] = "!" + type(e).__name__ + ": " + str(e)[:200]
class D: pass
# json
use("json.load", lambda: json.load(io.StringIO('{"a": 1}')))
use("json.dump", lambda: json.dump({"a": [1]}, io.StringIO(), indent=2))
use("json.dumps", lambda: json.dumps({"b": 1, "a": "é"}, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
use("json.loads", lambda: json.loads(b'[1, 2.5, null]', parse_float=decimal.Decimal, object_hook=dict))
use("json.JSONEncoder", lambda: list(json.JSONEncoder(indent=1).iterencode([1, {"a": ()}])))
use("json.JSONDecoder", lambda: json.JSONDecoder().raw_decode('{"a": 1} x'))
def bad_json():
    try: json.loads("[1,")
    except json.JSONDecodeError as e: return e.pos, e.lineno, e.msg
use("json.JSONDecodeError", bad_json)
# re
use("re.compile", lambda: re.compile(r"(?P<a>x)|y", re.I | re.M | re.S | re.X | re.A).groupindex)
use("re.DEBUG", lambda: re.compile("a+", re.DEBUG))
use("re.escape", lambda: re.escape("a.b"))
use("re.findall", lambda: re.findall(r"\w+", "é b"))
use("re.finditer", lambda: [m.span() for m in re.finditer("a", "aba")])
use("re.fullmatch", lambda: re.fullmatch("a(b)?", "ab").groups())
use("re.split", lambda: re.split("(,)", "a,b"))
use("re.sub", lambda: re.sub("(a)", r"\g<1>x", "aa"))
use("re.subn", lambda: re.subn("a", lambda m: m[0] * 2, "aa"))
use("re.purge", lambda: re.purge())
use("re.error", lambda: re.compile("("))
use("re.RegexFlag", lambda: re.RegexFlag.I | re.RegexFlag.M)
use("re.L", lambda: re.compile(b"a", re.L).search(b"a").group())
use("re.match", lambda: copy.copy(re.match("a", "a")).expand(r"\g<0>"))
# datetime, time, calendar, zoneinfo
use("datetime.strptime", lambda: datetime.datetime.strptime("Mon 2024-01-01 10:11 PM", "%a %Y-%m-%d %I:%M %p"))
use("datetime.strftime", lambda: datetime.datetime(2024, 1, 1).strftime("%c|%x|%X|%U|%G-%V|%j|%%|%f|%Z"))
use("datetime.copy", lambda: copy.deepcopy(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)))
use("datetime.utcnow", lambda: datetime.datetime.utcnow().tzinfo)
use("datetime.utcfromtimestamp", lambda: datetime.datetime.utcfromtimestamp(0))
use("datetime.fromtimestamp", lambda: datetime.datetime.fromtimestamp(0, datetime.UTC))
use("datetime.date", lambda: (datetime.date.fromisocalendar(2024, 1, 1), datetime.date(2024, 1, 1).ctime(), datetime.date.fromisoformat("2024-02-03"), datetime.date.fromordinal(5), datetime.date(2024,1,1).timetuple()))
use("datetime.time", lambda: datetime.time.fromisoformat("10:11:12.5+01:00").isoformat("milliseconds"))
use("datetime.timedelta", lambda: divmod(datetime.timedelta(days=3), datetime.timedelta(hours=5)))
use("datetime.timezone", lambda: datetime.timezone(datetime.timedelta(hours=1), "X").tzname(None))
class TZ(datetime.tzinfo):
    def utcoffset(self, d): return datetime.timedelta(hours=2)
    def dst(self, d): return datetime.timedelta(0)
    def tzname(self, d): return "T"
use("datetime.tzinfo", lambda: str(datetime.datetime(2024, 1, 1, tzinfo=TZ()).astimezone(datetime.UTC)))
use("datetime.format", lambda: f"{datetime.datetime(2024, 1, 1):%d.%m.%y}")
use("time.asctime", lambda: time.asctime(time.gmtime(0)))
use("time.ctime", lambda: time.ctime(0))
use("time.gmtime", lambda: time.gmtime(0))
use("time.localtime", lambda: time.localtime(0))
use("time.mktime", lambda: time.mktime((2024, 1, 1, 0, 0, 0, 0, 0, 0)))
use("time.strftime", lambda: time.strftime("%a %b %d", time.gmtime(0)))
use("time.strptime", lambda: time.strptime("01 Jan 24", "%d %b %y"))
use("time.struct_time", lambda: time.struct_time(range(9)).tm_year)
use("time.clock_getres", lambda: time.clock_getres(time.CLOCK_MONOTONIC) > 0)
use("time.clock_gettime", lambda: time.clock_gettime(time.CLOCK_REALTIME) > 0)
use("time.clock_gettime_ns", lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME) > 0)
use("time.get_clock_info", lambda: time.get_clock_info("perf_counter").monotonic)
for n in "monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time thread_time_ns time time_ns".split():
    use("time." + n, lambda: {"monotonic": time.monotonic, "monotonic_ns": time.monotonic_ns, "perf_counter": time.perf_counter, "perf_counter_ns": time.perf_counter_ns, "process_time": time.process_time, "process_time_ns": time.process_time_ns, "thread_time": time.thread_time, "thread_time_ns": time.thread_time_ns, "time": time.time, "time_ns": time.time_ns}[n]() > 0)
use("time.sleep", lambda: time.sleep(0))
use("calendar.month", lambda: calendar.month(2024, 2))
use("calendar.calendar", lambda: len(calendar.calendar(2024)))
use("calendar.prmonth", lambda: calendar.prmonth(2024, 1))
use("calendar.prcal", lambda: calendar.prcal(2024))
use("calendar.monthcalendar", lambda: calendar.monthcalendar(2024, 2))
use("calendar.monthrange", lambda: calendar.monthrange(2024, 2))
use("calendar.TextCalendar", lambda: calendar.TextCalendar(6).formatmonth(2024, 1))
use("calendar.HTMLCalendar", lambda: len(calendar.HTMLCalendar().formatyear(2024)))
use("calendar.HTMLpage", lambda: len(calendar.HTMLCalendar().formatyearpage(2024)))
use("calendar.Calendar", lambda: list(calendar.Calendar().itermonthdates(2024, 2))[:1])
use("calendar.names", lambda: (list(calendar.day_name), list(calendar.month_abbr), calendar.MONDAY, calendar.weekheader(3)))
use("calendar.misc", lambda: (calendar.isleap(2024), calendar.leapdays(1, 2000), calendar.weekday(2024, 1, 1), calendar.timegm(time.gmtime(9)), calendar.setfirstweekday(0), calendar.firstweekday()))
use("calendar.IllegalMonthError", lambda: calendar.monthrange(2024, 13))
use("calendar.IllegalWeekdayError", lambda: calendar.setfirstweekday(9))
use("zoneinfo.ZoneInfo", lambda: datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset())
use("zoneinfo.no_cache", lambda: zoneinfo.ZoneInfo.no_cache("Asia/Tokyo"))
use("zoneinfo.clear_cache", lambda: zoneinfo.ZoneInfo.clear_cache())
use("zoneinfo.from_file", lambda: zoneinfo.ZoneInfo.from_file(io.BytesIO(b"TZif2")))
use("zoneinfo.copy", lambda: copy.copy(zoneinfo.ZoneInfo("UTC")))
use("zoneinfo.unknown", lambda: zoneinfo.ZoneInfo("No/Where"))
use("zoneinfo.available_timezones", lambda: len(zoneinfo.available_timezones()) > 100)
use("zoneinfo.TZPATH", lambda: zoneinfo.TZPATH)
# collections, itertools, functools
use("Counter.most_common", lambda: collections.Counter("abca").most_common(2))
use("Counter.ops", lambda: (collections.Counter("aab") - collections.Counter("a"), collections.Counter(a=1).total(), +collections.Counter(a=-1)))
use("Counter.copy", lambda: copy.deepcopy(collections.Counter("aa")))
use("OrderedDict", lambda: (lambda o: (o.move_to_end("a"), o.popitem(last=False), o, copy.copy(o)))(collections.OrderedDict(a=1, b=2)))
use("defaultdict", lambda: (lambda d: (d["x"].append(1), copy.deepcopy(d)))(collections.defaultdict(list)))
use("deque", lambda: (lambda d: (d.rotate(1), copy.copy(d), d.index(2)))(collections.deque([1, 2, 3], 5)))
use("ChainMap", lambda: (collections.ChainMap({"a": 1}).new_child({"b": 2}), copy.copy(collections.ChainMap({"a": 1}))))
use("UserDict", lambda: (copy.copy(collections.UserDict(a=1)), collections.UserList([1]) + [2], collections.UserString("a").upper()))
use("namedtuple", lambda: collections.namedtuple("P", "x y", defaults=[0], module="m")(1)._asdict())
use("namedtuple.rename", lambda: collections.namedtuple("P", "def _x", rename=True)(1, 2))
class Seq(cabc.Sequence):
    def __getitem__(self, i): return [1, 2][i]
    def __len__(self): return 2
class Map(cabc.MutableMapping):
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
def maps():
    m = Map(); m.update(a=1); m.setdefault("b", 2)
    return list(m.items()), m.pop("a"), m.popitem(), list(reversed(Seq())), Seq().index(2), isinstance([], cabc.Iterable), cabc.Sequence.register(D)
use("collections.abc", maps)
use("itertools", lambda: (list(itertools.accumulate([1, 2])), list(itertools.chain.from_iterable([[1]])), list(itertools.groupby("aab"))[0][0], list(itertools.tee([1])[0]), list(itertools.pairwise([1, 2])), copy.copy(itertools.count(3)), list(itertools.starmap(pow, [(2, 3)]))))
use("functools.wraps", lambda: functools.wraps(len)(lambda: 1).__name__)
use("functools.update_wrapper", lambda: functools.update_wrapper(lambda: 1, maps).__doc__)
use("functools.partial", lambda: (functools.partial(int, base=2)("11"), repr(functools.partial(int, 1)), copy.copy(functools.partial(int))))
class PM:
    def f(self, a): return a
    g = functools.partialmethod(f, 3)
    @functools.cached_property
    def h(self): return 4
    @functools.singledispatchmethod
    def s(self, x): return "any"
    @s.register
    def _(self, x: int): return "int"
    @s.register(list)
    def _l(self, x): return "list"
use("functools.partialmethod", lambda: PM().g())
use("functools.cached_property", lambda: PM().h)
use("functools.singledispatchmethod", lambda: (PM().s(1), PM().s([]), PM().s("")))
def single():
    @functools.singledispatch
    def f(x): return 0
    @f.register
    def _(x: "int | str"): return 1
    @f.register(cabc.Mapping)
    def _(x): return 2
    return f(1), f("a"), f({}), f(2.5), f.dispatch(int) is not None, len(f.registry)
use("functools.singledispatch", single)
def cached():
    @functools.lru_cache(maxsize=2, typed=True)
    def f(x): return x
    f(1); f(1); f(2); f(3)
    return f.cache_info(), f.cache_parameters(), f.cache_clear()
use("functools.lru_cache", cached)
@functools.total_ordering
class Tot:
    def __eq__(self, o): return True
    def __lt__(self, o): return False
use("functools.total_ordering", lambda: Tot() >= Tot())
use("functools.misc", lambda: (functools.reduce(operator.add, [1, 2]), sorted("ba", key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b))), functools.cache(abs)(-1)))
# statistics, decimal, fractions, random
S = statistics
use("statistics", lambda: (S.mean([1, 2]), S.fmean([1, 2], weights=[1, 3]), S.geometric_mean([1, 2]), S.harmonic_mean([1, 2]), S.median([1, 2]), S.median_low([1, 2]), S.median_high([1, 2]), S.median_grouped([1, 2, 2]), S.mode("aab"), S.multimode("ab"), S.quantiles([1, 2, 3]), S.pstdev([1, 2]), S.pvariance([1, 2]), S.stdev([1, 2]), S.variance([1, 2]), S.covariance([1, 2], [2, 3]), S.correlation([1, 2], [2, 3]), S.linear_regression([1, 2], [2, 3])))
use("statistics.NormalDist", lambda: (S.NormalDist(0, 1).inv_cdf(.5), S.NormalDist(1, 2) + 3, S.NormalDist(0, 1).quantiles(), S.NormalDist(0,1).zscore(1), copy.copy(S.NormalDist())))
use("statistics.mixed", lambda: (S.mean([decimal.Decimal("1.5"), decimal.Decimal(2)]), S.mean([fractions.Fraction(1, 3)]), S.stdev([fractions.Fraction(1, 3), fractions.Fraction(2)])))
use("statistics.error", lambda: S.mean([]))
if hasattr(S, "kde"):
    use("statistics.kde", lambda: S.kde([1.0, 2.0], h=1)(1.5))
    use("statistics.kde_random", lambda: S.kde_random([1.0, 2.0], h=1, seed=1)() > -99)
use("decimal", lambda: (decimal.Decimal("1.1").quantize(decimal.Decimal("1"), decimal.ROUND_CEILING), decimal.getcontext().prec, f"{decimal.Decimal('1234.5'):,.2f}", decimal.Decimal(2).ln(), copy.deepcopy(decimal.Decimal(1)), hash(decimal.Decimal(1)), decimal.Decimal("1").as_integer_ratio(), decimal.Decimal("-1").as_tuple()))
def ctx():
    with decimal.localcontext(decimal.Context(prec=3, rounding=decimal.ROUND_DOWN)) as c:
        c.traps[decimal.Inexact] = False
        return decimal.Decimal(2) / 3, repr(c), c.copy().prec
use("decimal.Context", ctx)
use("decimal.setcontext", lambda: decimal.setcontext(decimal.ExtendedContext))
use("decimal.DivisionByZero", lambda: (decimal.setcontext(decimal.DefaultContext), decimal.Decimal(1) / 0))
use("decimal.InvalidOperation", lambda: decimal.Decimal("x"))
use("fractions", lambda: (fractions.Fraction("1/3") + 1, fractions.Fraction(1.5), fractions.Fraction(decimal.Decimal("0.1")), float(fractions.Fraction(1, 3)), round(fractions.Fraction(10, 3), 2), copy.copy(fractions.Fraction(1, 2)), fractions.Fraction(1, 3).limit_denominator(2), hash(fractions.Fraction(1, 2))))
R = random.Random(7)
use("random.Random", lambda: (R.random(), R.randint(1, 9), R.choice("ab"), R.choices([1, 2], [1, 2], k=3), R.sample(range(9), 2), R.shuffle([1, 2]), R.uniform(1, 2), R.triangular(), R.gauss(0, 1), R.normalvariate(), R.betavariate(1, 2), R.expovariate(1), R.gammavariate(1, 2), R.lognormvariate(0, 1), R.paretovariate(1), R.vonmisesvariate(0, 1), R.weibullvariate(1, 2), R.randbytes(2), R.getrandbits(3), R.randrange(3)))
use("random.sample", lambda: random.Random(1).sample(["a", "b"], counts=[2, 3], k=3))
use("random.state", lambda: random.setstate(random.getstate()))
use("random.seed", lambda: (random.seed("x"), random.random(), random.seed(b"x"), random.seed(1.5), random.seed()))
use("random.copy", lambda: copy.copy(random.Random(1)).random())
use("random.SystemRandom", lambda: 0 <= random.SystemRandom().random() < 1)
class RR(random.Random):
    def random(self): return .5
use("random.subclass", lambda: RR().choice([1, 2]))
# strings
use("string.Template", lambda: (string.Template("$a ${b}").safe_substitute(a=1), string.capwords("a b"), string.punctuation))
if sys.version_info >= (3, 11):
    use("string.Template.get_identifiers", lambda: string.Template("$a $b").get_identifiers())
use("string.Template.error", lambda: string.Template("$").substitute())
use("textwrap", lambda: (textwrap.wrap("a b c", 3), textwrap.fill("a b", 1), textwrap.shorten("a b c d", 6), textwrap.dedent(" a\n b"), textwrap.indent("a\nb", "> "), textwrap.TextWrapper(width=5, initial_indent="*").fill("aa bb cc")))
use("unicodedata", lambda: (unicodedata.name("é"), unicodedata.lookup("SNOWMAN"), unicodedata.normalize("NFKD", "ﬁ"), unicodedata.category("a"), unicodedata.bidirectional("a"), unicodedata.combining("a"), unicodedata.decimal("1"), unicodedata.decomposition("é"), unicodedata.digit("1"), unicodedata.east_asian_width("a"), unicodedata.is_normalized("NFC", "a"), unicodedata.mirrored("("), unicodedata.numeric("½"), unicodedata.unidata_version > "1"))
use("N escape", lambda: "\N{SNOWMAN}".casefold())
use("str methods", lambda: ("ß".upper(), "a-b".partition("-"), "%s %r %d" % ("a", "b", 3), "{0:>5}|{x!r:^7}".format("a", x="b"), "{:,}".format(12345), "abc".translate(str.maketrans("a", "b")), "{a}".format_map({"a": 1}), "é".encode("cp1252"), b"\xff".decode("latin-1")))
use("int format", lambda: (f"{1234.5:,.2f} {255:#x} {True:d} {1e10:g} {0.5:%} {10**20:n}", (5).to_bytes(2, "big"), int("0x1f", 16), (1.5).hex(), float.fromhex("0x1p3"), (1.5).as_integer_ratio(), (7).bit_count()))
# csv, copy, enum, dataclasses
def csvs():
    class Dia(csv.Dialect):
        delimiter = ";"; quotechar = "'"; lineterminator = "\n"; quoting = csv.QUOTE_ALL; doublequote = True
    csv.register_dialect("d", Dia)
    b = io.StringIO()
    w = csv.DictWriter(b, ["a", "b"], dialect="d", extrasaction="ignore"); w.writeheader(); w.writerow({"a": 1, "b": "x'y", "c": 2})
    rows = list(csv.DictReader(io.StringIO(b.getvalue()), dialect="d"))
    csv.get_dialect("d").delimiter; csv.unregister_dialect("d")
    return b.getvalue(), rows, csv.list_dialects(), csv.Sniffer().sniff("a;b\n1;2\n").delimiter, csv.Sniffer().has_header("a,b\n1,2\n3,4\n"), csv.field_size_limit()
use("csv", csvs)
use("csv.Error", lambda: list(csv.reader(io.StringIO('"a'), strict=True)))
use("csv.more", lambda: (list(csv.reader(["1,2"], quoting=csv.QUOTE_NONNUMERIC)), list(csv.reader(["a b"], delimiter=" ")), csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE, escapechar="/").writerow(["a,b"]), csv.excel_tab.delimiter, csv.unix_dialect.quoting, csv.excel.delimiter))
class CP:
    __slots__ = ("a", "__dict__")
    def __init__(self): self.a = [1]; self.b = {2: self}
use("copy", lambda: (copy.copy(CP()).a, copy.deepcopy(CP()).b[2].a, copy.deepcopy([1, (2, [3])]), copy.copy({1}), copy.deepcopy(lambda: 1) is not None))
use("copy.exceptions", lambda: copy.copy(ValueError(1, 2)).args)
use("copy.many", lambda: [copy.deepcopy(x) for x in (range(3), slice(1), b"a", bytearray(b"a"), 1j, None, ..., frozenset([1]), array.array("i", [1]), uuid.UUID(int=1), pathlib.PurePosixPath("a"), types.SimpleNamespace(a=1), collections.UserDict(a=1), enum.Enum("E", "A").A.name, iter([1]), zip([1]), map(abs, [1]), property(), int, struct.Struct("i").format, re.compile("a"))][:4])
use("copy.Error", lambda: copy.copy(x for x in [1]))
if hasattr(copy, "replace"):
    use("copy.replace", lambda: copy.replace(datetime.date(2024, 1, 1), day=2))
class Color(enum.Enum):
    def _generate_next_value_(name, start, count, last): return name.lower()
    RED = enum.auto(); BLUE = "b"
    @classmethod
    def _missing_(cls, v): return cls.RED if v == "?" else None
    @enum.nonmember
    class Inner: pass
class Perm(enum.Flag, boundary=enum.KEEP):
    R = 1; W = 2; RW = 3
class IP(enum.IntFlag):
    A = 1; B = 2
class St(enum.StrEnum):
    X = enum.auto()
use("enum", lambda: (Color("?"), Color.RED.value, Color["BLUE"], list(Color), Color.__members__.keys(), dir(Color)[-1], Perm.R | Perm.W, ~Perm.R, list(Perm.RW), Perm(9), IP.A | 8, IP.A + 1, St.X, f"{St.X}", copy.deepcopy(Color.RED), Color.RED.Inner.__name__, Color.RED in Color, hash(Color.RED) is not None))
use("enum.unique", lambda: enum.unique(enum.Enum("U", {"A": 1, "B": 1})))
use("enum.verify", lambda: enum.verify(enum.CONTINUOUS)(enum.IntEnum("V", [("A", 1), ("B", 3)])))
use("enum.functional", lambda: (enum.Enum("E", "A B", module="m", qualname="q.E", start=5).A.value, enum.Flag("F", "A B").B.value, enum.StrEnum("S", "A").A))
use("enum.member", lambda: enum.Enum("M", {"A": enum.member(3)}).A.value)
class Strict(enum.Flag, boundary=enum.STRICT):
    A = 1
use("enum.STRICT", lambda: Strict(8))
@dataclasses.dataclass(order=True, unsafe_hash=True, kw_only=True, slots=True)
class DC:
    a: int = dataclasses.field(default=1, metadata={"x": 1}, compare=False, repr=False)
    b: list = dataclasses.field(default_factory=list, hash=False)
    c: dataclasses.InitVar[int] = 3
    d: "typing.ClassVar[int]" = 4
    def __post_init__(self, c): self.b.append(c)
@dataclasses.dataclass(frozen=True)
class FZ:
    x: int
    _: dataclasses.KW_ONLY
    y: "int" = 2
class Base: pass
@dataclasses.dataclass
class Sub(Base):
    n: "Sub | None" = None
use("dataclasses", lambda: (DC(b=[1]), DC().b, hash(DC(b=1)) is not None, DC() < DC(b=[9]), dataclasses.asdict(FZ(1)), dataclasses.astuple(FZ(1)), dataclasses.replace(FZ(1), y=5), [f.name for f in dataclasses.fields(DC)], dataclasses.is_dataclass(FZ), FZ.__match_args__, FZ.__doc__, repr(Sub(Sub())), copy.deepcopy(DC()).b))
use("dataclasses.FrozenInstanceError", lambda: FZ(1).__setattr__("x", 3))
def weak():
    @dataclasses.dataclass(slots=True, weakref_slot=True)
    class W: x: int = 1
    @dataclasses.dataclass(repr=False, eq=False, init=False, match_args=False)
    class N: x: int = 1
    return W(), N().x
use("dataclasses.options", weak)
# typing
def overloads():
    @typing.overload
    def f(x: int) -> int: ...
    @typing.overload
    def f(x: str) -> str: ...
    def f(x): return x
    class K:
        @typing.overload
        def g(self, x: int) -> int: ...
        @typing.overload
        @classmethod
        def g(self, x: str) -> str: ...
        def g(self, x): return x
    return f(1), K().g("a")
use("typing.overload", overloads)
def tfinal():
    @typing.final
    class A:
        @typing.final
        def f(self): return 1
    return A().f(), A.__final__
use("typing.final", tfinal)
if hasattr(typing, "override"):
    use("typing.override", lambda: typing.override(maps).__override__)
T = typing.TypeVar("T"); P = typing.ParamSpec("P"); Ts = typing.TypeVarTuple("Ts")
class Gen(typing.Generic[T]):
    def get(self) -> T: return 1
class GTs(typing.Generic[typing.Unpack[Ts]]): pass
class Td(typing.TypedDict, total=False):
    a: typing.Required[int]
    b: "typing.NotRequired[str]"
class Nt(typing.NamedTuple):
    "doc"
    x: "int"
    y: str = "b"
    def both(self): return self.x, self.y
@typing.runtime_checkable
class Pr(typing.Protocol[T]):
    name: str
    def f(self) -> T: ...
class Im(Pr[int]):
    name = "n"
    def f(self): return 3
use("typing.Generic", lambda: (Gen[int]().get(), repr(Gen[int]), GTs[int, str], Gen.__class_getitem__(int)))
use("typing.TypedDict", lambda: (Td(a=1), typing.is_typeddict(Td), typing.TypedDict("X", {"a": int})(a=1)))
use("typing.NamedTuple", lambda: (Nt(1).both(), Nt(1)._replace(x=2), typing.NamedTuple("Q", [("a", int)])(1), Nt._field_defaults))
use("typing.Protocol", lambda: (isinstance(Im(), Pr), isinstance(3, Pr), Im().f()))
use("typing.issubclass", lambda: issubclass(Im, Pr))
use("typing.NewType", lambda: (typing.NewType("U", int)(3), repr(typing.NewType("U", int))))
use("typing.forms", lambda: [repr(x) for x in (typing.Optional["Node"], typing.Union[int, None], typing.Callable[[int], str], typing.Callable[P, T], typing.Literal["a", 1], typing.Annotated[int, 3], typing.Dict[str, typing.List[int]], typing.Tuple[int, ...], typing.Type[int], typing.Final[int], typing.ClassVar[int], typing.Deque[int], typing.DefaultDict[str, int], typing.Counter[str], typing.ChainMap[str, int], typing.Iterator[int], typing.Concatenate[int, P], typing.TypeGuard[int], typing.Self, typing.Never, typing.LiteralString)])
use("typing.get_args", lambda: typing.get_args(typing.Dict[str, int]))
use("typing.cast", lambda: (typing.cast("int", 3), typing.assert_type(3, int), typing.TYPE_CHECKING))
use("typing.assert_never", lambda: typing.assert_never(3))
if hasattr(typing, "is_protocol"):
    use("typing.is_protocol", lambda: (typing.is_protocol(Pr), sorted(typing.get_protocol_members(Pr))))
    use("typing.ReadOnly", lambda: (typing.ReadOnly[int], typing.TypeIs[int]))
use("typing.dataclass_transform", lambda: typing.dataclass_transform()(maps) is maps)
use("typing.ForwardRef error", lambda: typing.Optional["1 +"])
use("typing.List index", lambda: typing.List[int, str])
use("typing.ByteString", lambda: isinstance(b"", typing.ByteString))
use("typing.Supports", lambda: (isinstance(3, typing.SupportsInt), isinstance("", typing.SupportsAbs), isinstance(3, typing.SupportsIndex)))
use("typing.TypeVar", lambda: (repr(typing.TypeVar("A", bound="int", covariant=True)), typing.TypeVar("B", int, str).__constraints__))
# abc, numbers, uuid, hashes
class Ab(abc.ABC):
    @property
    @abc.abstractmethod
    def v(self): ...
    @classmethod
    def __subclasshook__(cls, c): return NotImplemented
use("abc", lambda: Ab())
use("abc.register", lambda: (Ab.register(int), isinstance(3, Ab), issubclass(str, Ab)))
use("abc.ABCMeta", lambda: abc.ABCMeta("M", (), {})())
class Num(numbers.Number): pass
use("numbers", lambda: (isinstance(3, numbers.Integral), isinstance(decimal.Decimal(1), numbers.Number), isinstance(1j, numbers.Complex), isinstance(Num(), numbers.Number)))
use("uuid", lambda: (uuid.UUID("12345678123456781234567812345678").fields, uuid.uuid3(uuid.NAMESPACE_DNS, "a"), uuid.uuid5(uuid.NAMESPACE_URL, "a"), uuid.UUID(bytes=bytes(16)).hex, uuid.UUID(int=5).urn, uuid.uuid4().version, uuid.UUID(int=3).is_safe))
for n in sorted(hashlib.algorithms_guaranteed):
    use("hashlib." + n, lambda: (lambda h: h.hexdigest(8) if "shake" in n else h.hexdigest())(hashlib.new(n, b"a", usedforsecurity=False)))
use("hashlib.file_digest", lambda: hashlib.file_digest(io.BytesIO(b"a"), "sha256").hexdigest())
use("hashlib.kdf", lambda: (hashlib.pbkdf2_hmac("sha512", b"p", b"s", 3), hashlib.scrypt(b"p", salt=b"s", n=2, r=1, p=1)[:4], hashlib.blake2b(b"a", key=b"k", salt=b"s", person=b"p", digest_size=8).hexdigest(), hashlib.sha256(b"a").copy().name, hashlib.sha3_256(b"a").digest_size))
use("hashlib.unknown", lambda: hashlib.new("nothing"))
use("hashlib.available", lambda: [hashlib.new(n).name for n in sorted(hashlib.algorithms_available) if n in ("sm3", "ripemd160", "md4", "whirlpool", "md5-sha1")] and 0)
B = base64
use("base64", lambda: (B.b64encode(b"a\xff", b"-_"), B.b64decode("YQ==", validate=True), B.b32encode(b"a"), B.b32decode("ME======"), B.b16encode(b"a"), B.b16decode("61"), B.a85encode(b"abcd"), B.a85decode(b"@:E_W"), B.b85encode(b"abc"), B.b85decode(b"VPaz"), B.urlsafe_b64encode(b"\xff"), B.standard_b64decode("YQ=="), B.encodebytes(b"a"), B.decodebytes(b"YQ=="), B.b32hexencode(b"a"), B.urlsafe_b64decode("_w==")))
use("base64.files", lambda: (lambda o: (B.encode(io.BytesIO(b"a"), o), o.getvalue()))(io.BytesIO()))
use("base64.bad", lambda: B.b64decode("a"))
use("binascii", lambda: (binascii.hexlify(b"a", ":"), binascii.unhexlify("61"), binascii.crc32(b"a"), binascii.crc_hqx(b"a", 0), binascii.b2a_base64(b"a", newline=False), binascii.a2b_base64("YQ=="), binascii.b2a_qp(b"\xe9"), binascii.a2b_qp(b"=E9"), binascii.b2a_uu(b"a"), binascii.a2b_uu(b'!80  \n')))
use("binascii.Error", lambda: binascii.unhexlify("6"))
use("operator", lambda: (operator.attrgetter("real", "imag")(1), operator.itemgetter(0, -1)("abc"), operator.methodcaller("upper")("a"), operator.length_hint([1]), operator.iadd([1], [2]), operator.index(3), operator.concat("a", "b"), copy.copy(operator.itemgetter(1))("ab")))
if hasattr(operator, "call"):
    use("operator.call", lambda: operator.call(abs, -1))
use("heapq", lambda: (lambda h: (heapq.heapify(h), heapq.heappop(h), heapq.heappushpop(h, 2), heapq.heapreplace(h, 9), heapq.nlargest(1, h), heapq.nsmallest(1, h, key=lambda x: -x), list(heapq.merge([1, 3], [2], reverse=False))))([3, 1, 2]))
use("bisect", lambda: (bisect.bisect([1, 2], 1), bisect.bisect_left([1, 2], 1, key=lambda x: x), bisect.insort([1], 2)))
use("array", lambda: (lambda a: (a.tobytes(), a.tolist(), a.typecode, a.buffer_info()[1], a.byteswap(), copy.deepcopy(a), memoryview(a).format))(array.array("i", [1, 2])))
use("array.u", lambda: array.array("u", "ab").tounicode())
use("array.frombytes", lambda: (lambda a: (a.frombytes(b"12345678"), a.fromlist([1]), a))(array.array("q")))
# sys, io, contextlib
use("sys", lambda: (sys.byteorder, sys.float_info.max, sys.getdefaultencoding(), sys.getrecursionlimit(), sys.setrecursionlimit(1500), sys.getsizeof(1) > 1, sys.hash_info.width, sys.intern("a"), sys.maxunicode, sys.set_int_max_str_digits(5000), sys.get_int_max_str_digits(), sys.version_info[0], sys.int_info.bits_per_digit > 1))
use("sys.exit", lambda: sys.exit(3))
use("io", lambda: (lambda b: (b.write(b"ab"), b.seek(0, io.SEEK_END), b.getvalue(), bytes(b.getbuffer()), b.readline(), b.truncate(1)))(io.BytesIO()))
use("io.StringIO", lambda: (list(io.StringIO("a\nb\r\n", newline=None)), io.StringIO("a").read(), copy.copy(io.StringIO("a")).read()))
use("io.UnsupportedOperation", lambda: io.BytesIO().fileno())
def ctxs():
    out = []
    @contextlib.contextmanager
    def c():
        out.append("in")
        try: yield 5
        except ValueError: out.append("caught")
        finally: out.append("out")
    with c() as v, contextlib.suppress(KeyError), contextlib.nullcontext(3) as n, contextlib.closing(io.StringIO()) as s:
        raise ValueError
    with contextlib.ExitStack() as st:
        st.enter_context(c()); st.callback(out.append, "cb"); st.push(lambda *a: True); st.pop_all().close()
    @c()
    def deco(): out.append("deco")
    deco()
    b = io.StringIO()
    with contextlib.redirect_stdout(b): print("x")
    with contextlib.redirect_stderr(b): print("y", file=sys.stderr)
    return out, b.getvalue()
use("contextlib", ctxs)
def drive(co):
    try:
        while True: co.send(None)
    except StopIteration as e: return e.value
def actx():
    @contextlib.asynccontextmanager
    async def a(): yield 3
    async def main():
        async with a() as x, contextlib.AsyncExitStack() as st:
            st.push_async_callback(a2)
            async with contextlib.nullcontext(4) as y: pass
            return x, y
    async def a2(): pass
    return drive(main())
use("contextlib.async", actx)
def agen():
    async def g():
        for i in range(3): yield i
    async def main():
        async with contextlib.aclosing(g()) as it: return [x async for x in it]
    return drive(main())
use("async generators", agen)
def gens():
    def g():
        try: x = yield 1
        except KeyError: yield "k"
        finally: pass
    i = g(); next(i); a = i.throw(KeyError); i.close()
    def d(): yield from [1, 2]; return 3
    return a, list(d())
use("generators", gens)
# the rest
use("html", lambda: (html.escape("<a b='c'>"), html.unescape("&lt;&#233;&eacute;&notit;")))
U = urllib.parse
use("urllib.parse", lambda: (U.urlparse("http://u:p@h:80/p;x?q=1#f"), U.urlsplit("//[::1]:8/a").port, U.urlunparse(("http", "h", "p", "", "", "")), U.urlunsplit(("http", "h", "p", "", "")), U.urldefrag("a#b"), U.urljoin("http://a/b/", "../c"), U.parse_qs("a=1&a=2"), U.parse_qsl("a=1"), U.urlencode({"a": [1, 2]}, doseq=True), U.quote("é /"), U.quote_plus("a b"), U.quote_from_bytes(b"\xff"), U.unquote("%C3%A9"), U.unquote_plus("a+b"), U.unquote_to_bytes("%ff"), U.urlsplit(b"http://a").decode(), U.urlsplit("http://a")._replace(scheme="x").geturl()))
use("urllib.parse.bad", lambda: U.urlsplit("http://[::1"))
use("urllib.parse.idna", lambda: U.urlsplit("http://b\u2100c/"))
use("pprint", lambda: (pprint.pformat({"b": list(range(40)), "a": {"x": (1,), "y": "z" * 100}}), pprint.pprint([1]), pprint.pp({1: 2}), pprint.isreadable(3), pprint.isrecursive([]), pprint.saferepr({1, 2}), pprint.PrettyPrinter(indent=2, compact=True, width=20).pformat([collections.OrderedDict(a=1), collections.deque([1]), types.SimpleNamespace(a=1), FZ(3), collections.Counter("a"), collections.UserDict(a=1), collections.ChainMap({}), b"abc" * 30, types.MappingProxyType({})])))
PP = pathlib.PurePosixPath
use("pathlib", lambda: (PP("/a/b.tar.gz").suffixes, PP("a") / "b", PP("/a/b").relative_to("/a"), PP("a.b").with_suffix(".c"), PP("a.b").stem, PP("/a/b").parents[0], PP("/a").match("*"), PP("a").with_name("z"), PP("/a").as_uri(), pathlib.PureWindowsPath("c:\\a").drive, pathlib.PurePath("a") < pathlib.PurePath("b"), PP("/a/b").is_relative_to("/a"), PP("a").is_absolute(), hash(PP("a")) is not None, PP("a/../b").parts))
def tbs():
    try: {}["x"]
    except KeyError:
        return traceback.format_exc().splitlines()[-1], traceback.print_exc(file=io.StringIO()), traceback.format_exc(limit=1)[:9]
use("traceback", tbs)
use("types", lambda: (types.SimpleNamespace(a=1), types.MappingProxyType({"a": 1})["a"], types.NoneType, types.TracebackType, types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType, types.EllipsisType, types.NotImplementedType, isinstance(int | str, types.UnionType)))
use("graphlib", lambda: list(graphlib.TopologicalSorter({1: [2], 2: [3]}).static_order()))
use("graphlib.CycleError", lambda: graphlib.TopologicalSorter({1: [2], 2: [1]}).prepare())
use("warnings", lambda: (warnings.filterwarnings("ignore", "q.*", UserWarning), warnings.warn("quiet"), warnings.simplefilter("ignore"), warnings.resetwarnings()))
use("secrets", lambda: (len(secrets.token_bytes(3)), len(secrets.token_hex(3)), len(secrets.token_urlsafe(3)), secrets.randbelow(1), secrets.choice("a"), secrets.randbits(0 + 1) in (0, 1), secrets.compare_digest("a", "a"), secrets.SystemRandom().randint(1, 1)))
use("struct", lambda: (struct.pack("<ih", 1, 2), struct.unpack(">H", b"\x00\x01"), struct.calcsize("iq"), list(struct.iter_unpack("B", b"ab")), struct.Struct("i").size, struct.unpack_from("B", b"abc", 1)))
use("struct.error", lambda: struct.pack("B", 999))
use("zlib", lambda: (zlib.decompress(zlib.compress(b"a" * 9)), zlib.crc32(b"a"), zlib.adler32(b"a"), (lambda c: c.compress(b"a") + c.flush())(zlib.compressobj(9, wbits=31))[:2], zlib.decompressobj().decompress(zlib.compress(b"q"))))
use("zlib.error", lambda: zlib.decompress(b"x"))
use("difflib", lambda: (list(difflib.unified_diff(["a\n"], ["b\n"], "x", "y")), list(difflib.ndiff(["abc"], ["abd"])), list(difflib.context_diff(["a"], ["b"])), difflib.get_close_matches("appel", ["apple"]), difflib.SequenceMatcher(None, "abc", "abd").ratio(), difflib.SequenceMatcher(None, "ab", "bc").get_opcodes(), len(difflib.HtmlDiff().make_file(["a"], ["b"])) > 9, list(difflib.restore(difflib.ndiff(["a"], ["b"]), 1)), list(difflib.Differ().compare(["a"], ["b"])), list(difflib.diff_bytes(difflib.unified_diff, [b"a"], [b"b"])), difflib.IS_LINE_JUNK("#"), difflib.IS_CHARACTER_JUNK(" ")))
use("fnmatch", lambda: (fnmatch.filter(["a.py"], "*.py"), fnmatch.fnmatch("A", "a"), fnmatch.fnmatchcase("a", "[!b]"), fnmatch.translate("*")[:3]))
use("__future__", lambda: (__future__.annotations.compiler_flag, __future__.all_feature_names[:1]))
use("math", lambda: (math.gcd(4, 6), math.lcm(4, 6), math.perm(5, 2), math.prod([1, 2]), math.fsum([.1] * 3), math.isqrt(10), math.dist((0, 0), (3, 4)), math.hypot(3, 4), math.frexp(8), math.modf(1.5), math.nextafter(1, 2), math.ulp(1.0), math.factorial(20), math.cbrt(27), math.exp2(3), math.remainder(5, 3)))
use("cmath", lambda: (cmath.polar(1j), cmath.rect(1, 0), cmath.phase(-1), cmath.sqrt(-1), cmath.isclose(1, 1), cmath.exp(0), cmath.infj, cmath.nanj))
# the builtins
use("builtins", lambda: (abs(-1), all([1]), any([0]), ascii("é"), bin(5), callable(len), chr(233), complex(1, 2), divmod(7, 3), list(enumerate("a", 1)), list(filter(None, [0, 1])), format(3.14159, ".2f"), frozenset([1]), hex(255), id(3) > 0, isinstance(1, int), issubclass(bool, int), iter([1]) is not None, max([1, 2], key=lambda x: -x), memoryview(b"a")[0], min(1, 2), next(iter([5])), oct(8), ord("a"), pow(2, 3, 5), list(range(3)), repr("a"), list(reversed([1, 2])), round(2.5), set("a"), slice(1, 2), sorted([2, 1]), sum([1, 2], 3), tuple([1]), list(zip([1], [2], strict=True)), bytes(2), bytearray(b"a"), dict(a=1), float("1.5"), int("12"), str(1), bool(0), hash(1), len("abc")))
use("builtins.zip strict", lambda: list(zip([1], [], strict=True)))
use("builtins.print", lambda: print("a", "b", sep="-", end="!\n", flush=True))
class Cls:
    x = 1
    @property
    def p(self): return self._p
    @p.setter
    def p(self, v): self._p = v
    @staticmethod
    def s(): return "s"
    @classmethod
    def c(cls): return cls.__name__
    def __init_subclass__(cls, **k): cls.k = k
    def __class_getitem__(cls, i): return i
    def __getattr__(self, n): raise AttributeError(n)
class Cls2(Cls, flag=1):
    def __init__(self): super().__init__(); self.p = 5
use("classes", lambda: (Cls2().p, Cls2.s(), Cls2.c(), Cls2.k, Cls[3], getattr(Cls2(), "q", 9), hasattr(Cls2(), "p"), vars(Cls2())["_p"], type(Cls2()).__name__))
use("globals", lambda: "USED" in globals() and "x" not in locals())
use("exceptions", lambda: [repr(e) for e in (ValueError("a"), OSError(2, "x"), UnicodeDecodeError("utf-8", b"a", 0, 1, "r"), KeyError("a"), ExceptionGroup("g", [ValueError(1)]), StopIteration(3), ImportError("m", name="n"))])
def egs():
    try: raise ExceptionGroup("g", [ValueError(1), ExceptionGroup("h", [TypeError(2)])])
    except ExceptionGroup as g:
        return repr(g.split(ValueError)), repr(g.subgroup(lambda e: isinstance(e, TypeError))), g.exceptions, g.derive([ValueError()])
use("exception groups", egs)
def noted():
    try:
        try: 1 / 0
        except ZeroDivisionError as e: e.add_note("n"); raise ValueError("v") from e
    except ValueError as e: return repr(e.__cause__), e.__cause__.__notes__, e.__suppress_context__
use("exceptions.cause", noted)
def scopes():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    return [inc() for _ in range(3)], (lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4), [y := 3, y ** 2]
use("scopes", scopes)
result["used"] = USED
