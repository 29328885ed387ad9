/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports: DATA ONLY, made by tools/make_exports.py from tools/exports.toml; change that
 * file, never this one. Modules and names are sorted, so that both can be searched.
 */
#include "exports.h"

/* clang-format off */
#define N(name) {name, 0, EXPORT_PLAIN, 0}
#define K(name, kind) {name, 0, EXPORT_##kind, 0}
#define D(name, why) {name, why, EXPORT_PLAIN, 0}
#define M(name, names, star) {name, names, sizeof(names) / sizeof((names)[0]), star}

static const struct export_name names_future[] = {
    N("absolute_import"), N("all_feature_names"), N("annotations"), N("barry_as_FLUFL"),
    N("division"), N("generator_stop"), N("generators"), N("nested_scopes"), N("print_function"),
    N("unicode_literals"), N("with_statement"),
};

static const struct export_name names_abc[] = {
    K("ABC", PLAIN_BASE), K("ABCMeta", METACLASS),
    D("abstractclassmethod", "binds anything to a class"), K("abstractmethod", TRANSPARENT),
    N("abstractproperty"), N("abstractstaticmethod"), D("get_cache_token", "internal"),
    D("update_abstractmethods", "internal"),
};

static const struct export_name names_array[] = {
    N("ArrayType"), N("array"), N("typecodes"),
};

static const struct export_name names_base64[] = {
    N("a85decode"), N("a85encode"), N("b16decode"), N("b16encode"), N("b32decode"), N("b32encode"),
    N("b32hexdecode"), N("b32hexencode"), N("b64decode"), N("b64encode"), N("b85decode"),
    N("b85encode"), N("decode"), N("decodebytes"), N("encode"), N("encodebytes"),
    D("main", "a command line"), N("standard_b64decode"), N("standard_b64encode"),
    D("test", "a command line"), N("urlsafe_b64decode"), N("urlsafe_b64encode"), N("z85decode"),
    N("z85encode"),
};

static const struct export_name names_binascii[] = {
    N("Error"), N("Incomplete"), N("a2b_base64"), N("a2b_hex"), N("a2b_qp"), N("a2b_uu"),
    N("b2a_base64"), N("b2a_hex"), N("b2a_qp"), N("b2a_uu"), N("crc32"), N("crc_hqx"),
    N("hexlify"), N("unhexlify"),
};

static const struct export_name names_bisect[] = {
    N("bisect"), N("bisect_left"), N("bisect_right"), N("insort"), N("insort_left"),
    N("insort_right"),
};

static const struct export_name names_calendar[] = {
    N("APRIL"), N("AUGUST"), N("Calendar"), N("DECEMBER"), N("Day"), N("FEBRUARY"), N("FRIDAY"),
    N("HTMLCalendar"), N("IllegalMonthError"), N("IllegalWeekdayError"), N("JANUARY"), N("JULY"),
    N("JUNE"), D("LocaleHTMLCalendar", "changes the locale of the process"),
    D("LocaleTextCalendar", "changes the locale of the process"), N("MARCH"), N("MAY"),
    N("MONDAY"), N("Month"), N("NOVEMBER"), N("OCTOBER"), N("SATURDAY"), N("SEPTEMBER"),
    N("SUNDAY"), N("THURSDAY"), N("TUESDAY"), N("TextCalendar"), N("WEDNESDAY"), N("calendar"),
    N("day_abbr"), N("day_name"), N("firstweekday"), N("isleap"), N("leapdays"), N("month"),
    N("month_abbr"), N("month_name"), N("monthcalendar"), N("monthrange"), N("prcal"),
    N("prmonth"), N("setfirstweekday"), N("timegm"), N("weekday"), N("weekheader"),
};

static const struct export_name names_cmath[] = {
    N("acos"), N("acosh"), N("asin"), N("asinh"), N("atan"), N("atanh"), N("cos"), N("cosh"),
    N("e"), N("exp"), N("inf"), N("infj"), N("isclose"), N("isfinite"), N("isinf"), N("isnan"),
    N("log"), N("log10"), N("nan"), N("nanj"), N("phase"), N("pi"), N("polar"), N("rect"),
    N("sin"), N("sinh"), N("sqrt"), N("tan"), N("tanh"), N("tau"),
};

static const struct export_name names_collections[] = {
    N("ChainMap"), N("Counter"), N("OrderedDict"), K("UserDict", COPYING), K("UserList", COPYING),
    N("UserString"), N("defaultdict"), N("deque"), K("namedtuple", NAMEDTUPLE),
};

static const struct export_name names_collections_abc[] = {
    N("AsyncGenerator"), N("AsyncIterable"), N("AsyncIterator"), N("Awaitable"), N("Buffer"),
    N("ByteString"), N("Callable"), N("Collection"), N("Container"), N("Coroutine"),
    N("Generator"), N("Hashable"), N("ItemsView"), N("Iterable"), N("Iterator"), N("KeysView"),
    N("Mapping"), N("MappingView"), N("MutableMapping"), N("MutableSequence"), N("MutableSet"),
    N("Reversible"), N("Sequence"), N("Set"), N("Sized"), N("ValuesView"),
};

static const struct export_name names_contextlib[] = {
    N("AbstractAsyncContextManager"), K("AbstractContextManager", PLAIN_BASE), N("AsyncExitStack"),
    N("ContextDecorator"), N("ExitStack"), N("aclosing"), N("asynccontextmanager"),
    D("chdir", "changes the working directory"), N("closing"), N("contextmanager"),
    N("nullcontext"), K("redirect_stderr", REDIRECT), K("redirect_stdout", REDIRECT),
    N("suppress"),
};

static const struct export_name names_copy[] = {
    N("Error"), D("PyStringMap", ""), K("copy", COPY), K("deepcopy", DEEPCOPY),
    D("dispatch_table", ""), K("replace", COPYING),
};

static const struct export_name names_csv[] = {
    N("Dialect"), N("DictReader"), N("DictWriter"), N("Error"), N("QUOTE_ALL"), N("QUOTE_MINIMAL"),
    N("QUOTE_NONE"), N("QUOTE_NONNUMERIC"), N("QUOTE_NOTNULL"), N("QUOTE_STRINGS"), N("Sniffer"),
    N("excel"), N("excel_tab"), N("field_size_limit"), N("get_dialect"), N("list_dialects"),
    N("reader"), N("register_dialect"), N("unix_dialect"), N("unregister_dialect"), N("writer"),
};

static const struct export_name names_dataclasses[] = {
    D("Field", "internal"), N("FrozenInstanceError"), N("InitVar"), N("KW_ONLY"), N("MISSING"),
    K("asdict", DEEP_COPYING), K("astuple", DEEP_COPYING), K("dataclass", DATACLASS),
    K("field", FIELD), K("fields", FIELDS), N("is_dataclass"),
    D("make_dataclass", "makes code from names in text"), K("replace", COPYING),
};

static const struct export_name names_datetime[] = {
    N("MAXYEAR"), N("MINYEAR"), N("UTC"), N("date"), N("datetime"),
    D("datetime_CAPI", "a capsule for C code"), N("time"), N("timedelta"), N("timezone"),
    N("tzinfo"),
};

static const struct export_name names_decimal[] = {
    N("BasicContext"), N("Clamped"), N("Context"), N("ConversionSyntax"), N("Decimal"),
    N("DecimalException"), N("DecimalTuple"), N("DefaultContext"), N("DivisionByZero"),
    N("DivisionImpossible"), N("DivisionUndefined"), N("ExtendedContext"), N("FloatOperation"),
    N("HAVE_CONTEXTVAR"), N("HAVE_THREADS"), N("Inexact"), N("InvalidContext"),
    N("InvalidOperation"), N("MAX_EMAX"), N("MAX_PREC"), N("MIN_EMIN"), N("MIN_ETINY"),
    N("Overflow"), N("ROUND_05UP"), N("ROUND_CEILING"), N("ROUND_DOWN"), N("ROUND_FLOOR"),
    N("ROUND_HALF_DOWN"), N("ROUND_HALF_EVEN"), N("ROUND_HALF_UP"), N("ROUND_UP"), N("Rounded"),
    N("Subnormal"), N("Underflow"), N("getcontext"), N("localcontext"), N("setcontext"),
};

static const struct export_name names_difflib[] = {
    N("Differ"), N("HtmlDiff"), N("IS_CHARACTER_JUNK"), N("IS_LINE_JUNK"), N("Match"),
    N("SequenceMatcher"), N("context_diff"), N("diff_bytes"), N("get_close_matches"), N("ndiff"),
    N("restore"), N("unified_diff"),
};

static const struct export_name names_enum[] = {
    N("CONFORM"), N("CONTINUOUS"), N("EJECT"), K("Enum", ENUM), N("EnumCheck"),
    D("EnumDict", "for metaclasses"),
    D("EnumMeta", "a metaclass makes classes from names in text"),
    D("EnumType", "a metaclass makes classes from names in text"), K("Flag", ENUM),
    N("FlagBoundary"), K("IntEnum", ENUM), K("IntFlag", ENUM), N("KEEP"), N("NAMED_FLAGS"),
    K("ReprEnum", ENUM), N("STRICT"), K("StrEnum", ENUM), N("UNIQUE"), N("auto"),
    D("global_enum", "writes into another module"), D("global_enum_repr", "internal"),
    D("global_flag_repr", "internal"), D("global_str", "internal"), N("member"), N("nonmember"),
    D("pickle_by_enum_name", "replaces how objects are copied"),
    D("pickle_by_global_name", "replaces how objects are copied"),
    D("property", "reads an attribute of anything, by a name of its own"), N("unique"),
    N("verify"),
};

static const struct export_name names_fnmatch[] = {
    N("filter"), N("fnmatch"), N("fnmatchcase"), N("translate"),
};

static const struct export_name names_fractions[] = {
    N("Fraction"),
};

static const struct export_name names_functools[] = {
    N("WRAPPER_ASSIGNMENTS"), N("WRAPPER_UPDATES"), N("cache"), N("cached_property"),
    N("cmp_to_key"), D("get_cache_token", "internal"), N("lru_cache"), N("partial"),
    N("partialmethod"), N("reduce"), K("singledispatch", SINGLEDISPATCH),
    K("singledispatchmethod", SINGLEDISPATCH), N("total_ordering"),
    K("update_wrapper", UPDATE_WRAPPER), K("wraps", WRAPS),
};

static const struct export_name names_graphlib[] = {
    N("CycleError"), N("TopologicalSorter"),
};

static const struct export_name names_hashlib[] = {
    N("algorithms_available"), N("algorithms_guaranteed"), N("blake2b"), N("blake2s"),
    N("file_digest"), N("md5"), N("new"), N("pbkdf2_hmac"), N("scrypt"), N("sha1"), N("sha224"),
    N("sha256"), N("sha384"), N("sha3_224"), N("sha3_256"), N("sha3_384"), N("sha3_512"),
    N("sha512"), N("shake_128"), N("shake_256"),
};

static const struct export_name names_heapq[] = {
    N("heapify"), N("heappop"), N("heappush"), N("heappushpop"), N("heapreplace"), N("merge"),
    N("nlargest"), N("nsmallest"),
};

static const struct export_name names_html[] = {
    N("escape"), N("unescape"),
};

static const struct export_name names_io[] = {
    N("BytesIO"), D("FileIO", "opens files"), N("SEEK_CUR"), N("SEEK_END"), N("SEEK_SET"),
    N("StringIO"), N("UnsupportedOperation"), D("open", "opens files"),
    D("open_code", "opens files"),
};

static const struct export_name names_itertools[] = {
    N("accumulate"), N("batched"), N("chain"), N("combinations"),
    N("combinations_with_replacement"), N("compress"), N("count"), N("cycle"), N("dropwhile"),
    N("filterfalse"), N("groupby"), N("islice"), N("pairwise"), N("permutations"), N("product"),
    N("repeat"), N("starmap"), N("takewhile"), N("tee"), N("zip_longest"),
};

static const struct export_name names_json[] = {
    N("JSONDecodeError"), N("JSONDecoder"), N("JSONEncoder"), K("dump", JSON_DUMP),
    K("dumps", JSON_DUMP), N("load"), N("loads"),
};

static const struct export_name names_math[] = {
    N("acos"), N("acosh"), N("asin"), N("asinh"), N("atan"), N("atan2"), N("atanh"), N("cbrt"),
    N("ceil"), N("comb"), N("copysign"), N("cos"), N("cosh"), N("degrees"), N("dist"), N("e"),
    N("erf"), N("erfc"), N("exp"), N("exp2"), N("expm1"), N("fabs"), N("factorial"), N("floor"),
    N("fma"), N("fmod"), N("frexp"), N("fsum"), N("gamma"), N("gcd"), N("hypot"), N("inf"),
    N("isclose"), N("isfinite"), N("isinf"), N("isnan"), N("isqrt"), N("lcm"), N("ldexp"),
    N("lgamma"), N("log"), N("log10"), N("log1p"), N("log2"), N("modf"), N("nan"), N("nextafter"),
    N("perm"), N("pi"), N("pow"), N("prod"), N("radians"), N("remainder"), N("sin"), N("sinh"),
    N("sqrt"), N("sumprod"), N("tan"), N("tanh"), N("tau"), N("trunc"), N("ulp"),
};

static const struct export_name names_numbers[] = {
    N("Complex"), N("Integral"), N("Number"), N("Rational"), N("Real"),
};

static const struct export_name names_operator[] = {
    N("abs"), N("add"), N("and_"), K("attrgetter", ATTRGETTER), N("call"), N("concat"),
    N("contains"), N("countOf"), N("delitem"), N("eq"), N("floordiv"), N("ge"), N("getitem"),
    N("gt"), N("iadd"), N("iand"), N("iconcat"), N("ifloordiv"), N("ilshift"), N("imatmul"),
    N("imod"), N("imul"), N("index"), N("indexOf"), N("inv"), N("invert"), N("ior"), N("ipow"),
    N("irshift"), N("is_"), N("is_not"), N("isub"), N("itemgetter"), N("itruediv"), N("ixor"),
    N("le"), N("length_hint"), N("lshift"), N("lt"), N("matmul"), K("methodcaller", METHODCALLER),
    N("mod"), N("mul"), N("ne"), N("neg"), N("not_"), N("or_"), N("pos"), N("pow"), N("rshift"),
    N("setitem"), N("sub"), N("truediv"), N("truth"), N("xor"),
};

static const struct export_name names_pathlib[] = {
    D("Path", "reads and writes files"), D("PosixPath", "reads and writes files"), N("PurePath"),
    N("PurePosixPath"), N("PureWindowsPath"), D("WindowsPath", "reads and writes files"),
};

static const struct export_name names_pprint[] = {
    K("PrettyPrinter", COPYING), N("isreadable"), N("isrecursive"), N("pformat"), N("pp"),
    N("pprint"), N("saferepr"),
};

static const struct export_name names_random[] = {
    N("Random"), N("SystemRandom"), N("betavariate"), N("binomialvariate"), N("choice"),
    N("choices"), N("expovariate"), N("gammavariate"), N("gauss"), N("getrandbits"), N("getstate"),
    N("lognormvariate"), N("normalvariate"), N("paretovariate"), N("randbytes"), N("randint"),
    N("random"), N("randrange"), N("sample"), N("seed"), N("setstate"), N("shuffle"),
    N("triangular"), N("uniform"), N("vonmisesvariate"), N("weibullvariate"),
};

static const struct export_name names_re[] = {
    N("A"), N("ASCII"), N("DEBUG"), N("DOTALL"), N("I"), N("IGNORECASE"), N("L"), N("LOCALE"),
    N("M"), N("MULTILINE"), N("Match"), N("NOFLAG"), N("Pattern"), N("PatternError"),
    N("RegexFlag"), N("S"), D("Scanner", "undocumented"), N("U"), N("UNICODE"), N("VERBOSE"),
    N("X"), N("compile"), N("error"), N("escape"), N("findall"), N("finditer"), N("fullmatch"),
    N("match"), N("purge"), N("search"), N("split"), N("sub"), N("subn"),
    D("template", "gone since 3.13 and never documented"),
};

static const struct export_name names_secrets[] = {
    N("SystemRandom"), N("choice"), N("compare_digest"), N("randbelow"), N("randbits"),
    N("token_bytes"), N("token_hex"), N("token_urlsafe"),
};

static const struct export_name names_statistics[] = {
    N("NormalDist"), N("StatisticsError"), N("correlation"), N("covariance"), N("fmean"),
    N("geometric_mean"), N("harmonic_mean"), N("kde"), N("kde_random"), N("linear_regression"),
    N("mean"), N("median"), N("median_grouped"), N("median_high"), N("median_low"), N("mode"),
    N("multimode"), N("pstdev"), N("pvariance"), N("quantiles"), N("stdev"), N("variance"),
};

static const struct export_name names_string[] = {
    D("Formatter", "reads attributes by names found in text, and hands out what it reads"),
    N("Template"), N("ascii_letters"), N("ascii_lowercase"), N("ascii_uppercase"), N("capwords"),
    N("digits"), N("hexdigits"), N("octdigits"), N("printable"), N("punctuation"), N("whitespace"),
};

static const struct export_name names_struct[] = {
    N("Struct"), N("calcsize"), N("error"), N("iter_unpack"), N("pack"), N("pack_into"),
    N("unpack"), N("unpack_from"),
};

static const struct export_name names_sys[] = {
    D("addaudithook", "watches the interpreter"), N("argv"), N("byteorder"),
    D("displayhook", "replaces how values are shown"),
    D("exc_info", "hands out a traceback, and with it frames"),
    D("excepthook", "replaces how errors are shown"),
    D("exception", "hands out the exception being handled"),
    D("executable", "where the interpreter lies"), N("exit"), N("float_info"),
    N("float_repr_style"), N("get_int_max_str_digits"), N("getdefaultencoding"),
    N("getrecursionlimit"), D("getrefcount", "internal"), N("getsizeof"), N("hash_info"),
    N("hexversion"), N("int_info"), N("intern"), N("maxsize"), N("maxunicode"),
    D("meta_path", "how modules are found"),
    D("modules", "every module that is loaded, with all that it can do"),
    D("path", "where modules are found"), D("path_hooks", "how modules are found"), N("platform"),
    N("set_int_max_str_digits"), D("setprofile", "runs code at every call"),
    N("setrecursionlimit"), D("settrace", "runs code at every line"), N("stderr"),
    D("stdin", "there is nothing to read"), N("stdout"), N("version"), N("version_info"),
};

static const struct export_name names_textwrap[] = {
    N("TextWrapper"), K("dedent", DEDENT), N("fill"), N("indent"), N("shorten"), N("wrap"),
};

static const struct export_name names_time[] = {
    N("CLOCK_BOOTTIME"), N("CLOCK_MONOTONIC"), N("CLOCK_MONOTONIC_RAW"),
    N("CLOCK_PROCESS_CPUTIME_ID"), N("CLOCK_REALTIME"), N("CLOCK_TAI"),
    N("CLOCK_THREAD_CPUTIME_ID"), N("altzone"), N("asctime"), N("clock_getres"),
    N("clock_gettime"), N("clock_gettime_ns"), D("clock_settime", "sets the clock of the machine"),
    D("clock_settime_ns", "sets the clock of the machine"), N("ctime"), N("daylight"),
    N("get_clock_info"), N("gmtime"), N("localtime"), N("mktime"), N("monotonic"),
    N("monotonic_ns"), N("perf_counter"), N("perf_counter_ns"), N("process_time"),
    N("process_time_ns"),
    D("pthread_getcpuclockid", "about threads that code has no business with"), N("sleep"),
    N("strftime"), N("strptime"), N("struct_time"), N("thread_time"), N("thread_time_ns"),
    N("time"), N("time_ns"), N("timezone"), N("tzname"),
    D("tzset", "changes what local time is for the whole process"),
};

static const struct export_name names_traceback[] = {
    D("TracebackException", "looks into frames"), D("extract_stack", "looks into frames"),
    N("format_exc"), D("format_exception", "takes a traceback; format_exc() does without"),
    D("format_exception_only", "takes anything for an exception; str(e) and type(e).__name__ do without"),
    D("format_stack", "looks into frames"), N("print_exc"),
    D("print_exception", "takes a traceback; print_exc() does without"),
    D("print_stack", "looks into frames"), D("walk_stack", "hands out frames"),
    D("walk_tb", "hands out frames"),
};

static const struct export_name names_types[] = {
    N("AsyncGeneratorType"), D("CodeType", "makes code from bytes"), N("CoroutineType"),
    N("EllipsisType"), D("FrameType", "frames"),
    D("FunctionType", "makes functions from code objects"), N("GeneratorType"),
    D("GenericAlias", "calls any class"), D("LambdaType", "makes functions from code objects"),
    N("MappingProxyType"), D("MethodType", "binds functions to anything"),
    D("ModuleType", "makes modules"), N("NoneType"), N("NotImplementedType"),
    K("SimpleNamespace", NAMESPACE), N("TracebackType"), N("UnionType"),
    D("new_class", "makes classes from names in text"),
    D("prepare_class", "makes classes from names in text"),
};

static const struct export_name names_typing[] = {
    N("AbstractSet"), N("Annotated"), N("Any"), N("AnyStr"), N("AsyncContextManager"),
    N("AsyncGenerator"), N("AsyncIterable"), N("AsyncIterator"), N("Awaitable"), N("BinaryIO"),
    N("ByteString"), N("Callable"), N("ChainMap"), N("ClassVar"), N("Collection"),
    N("Concatenate"), N("Container"), K("ContextManager", PLAIN_BASE), N("Coroutine"),
    N("Counter"), N("DefaultDict"), N("Deque"), N("Dict"), N("Final"),
    D("ForwardRef", "evaluates text as code"), N("FrozenSet"), N("Generator"),
    K("Generic", PLAIN_BASE), N("Hashable"), N("IO"), N("ItemsView"), N("Iterable"), N("Iterator"),
    N("KeysView"), N("List"), N("Literal"), N("LiteralString"), N("Mapping"), N("MappingView"),
    N("Match"), N("MutableMapping"), N("MutableSequence"), N("MutableSet"),
    K("NamedTuple", NAMEDTUPLE), N("Never"), N("NewType"), D("NoDefault", "internal"),
    N("NoReturn"), N("NotRequired"), N("Optional"), N("OrderedDict"), N("ParamSpec"),
    D("ParamSpecArgs", "internal"), D("ParamSpecKwargs", "internal"), N("Pattern"),
    K("Protocol", PLAIN_BASE), N("ReadOnly"), N("Required"), N("Reversible"), N("Self"),
    N("Sequence"), N("Set"), N("Sized"), N("SupportsAbs"), N("SupportsBytes"),
    N("SupportsComplex"), N("SupportsFloat"), N("SupportsIndex"), N("SupportsInt"),
    N("SupportsRound"), N("TYPE_CHECKING"), N("Text"), N("TextIO"), N("Tuple"),
    K("Type", TYPE_ALIAS), N("TypeAlias"), N("TypeAliasType"), N("TypeGuard"), N("TypeIs"),
    N("TypeVar"), N("TypeVarTuple"), N("TypedDict"), N("Union"), N("Unpack"), N("ValuesView"),
    N("assert_never"), N("assert_type"), N("cast"), D("clear_overloads", "internal"),
    N("dataclass_transform"), K("final", TRANSPARENT), N("get_args"),
    D("get_origin", "hands out the class `type`"), D("get_overloads", "internal"),
    N("get_protocol_members"), D("get_type_hints", "evaluates text as code"), N("is_protocol"),
    N("is_typeddict"), D("no_type_check", "looks at all attributes of what it gets"),
    D("no_type_check_decorator", "internal"), N("overload"), K("override", TRANSPARENT),
    N("reveal_type"), N("runtime_checkable"),
};

static const struct export_name names_unicodedata[] = {
    D("UCD", "an old database"), N("bidirectional"), N("category"), N("combining"), N("decimal"),
    N("decomposition"), N("digit"), N("east_asian_width"), N("is_normalized"), N("lookup"),
    N("mirrored"), N("name"), N("normalize"), N("numeric"), D("ucd_3_2_0", "an old database"),
    N("unidata_version"),
};

static const struct export_name names_urllib_parse[] = {
    N("DefragResult"), N("DefragResultBytes"), N("ParseResult"), N("ParseResultBytes"),
    N("SplitResult"), N("SplitResultBytes"), N("parse_qs"), N("parse_qsl"), N("quote"),
    N("quote_from_bytes"), N("quote_plus"), N("unquote"), N("unquote_plus"), N("unquote_to_bytes"),
    N("urldefrag"), N("urlencode"), N("urljoin"), N("urlparse"), N("urlsplit"), N("urlunparse"),
    N("urlunsplit"),
};

static const struct export_name names_uuid[] = {
    D("Enum", "not its own"), N("NAMESPACE_DNS"), N("NAMESPACE_OID"), N("NAMESPACE_URL"),
    N("NAMESPACE_X500"), N("RESERVED_FUTURE"), N("RESERVED_MICROSOFT"), N("RESERVED_NCS"),
    N("RFC_4122"), N("SafeUUID"), N("UUID"), D("bytes_", "internal"),
    D("getnode", "asks the machine for its network address, and starts programs for it"),
    D("int_", "internal"), D("main", "a command line"), D("os", "a module"),
    D("platform", "a module"), D("sys", "a module"),
    D("uuid1", "tells the machine's network address, and may start programs to find it; uuid4() is random"),
    N("uuid3"), N("uuid4"), N("uuid5"),
};

static const struct export_name names_warnings[] = {
    K("catch_warnings", WITH), D("deprecated", "changes classes and functions"),
    N("filterwarnings"), D("formatwarning", "reads lines of any file"), N("resetwarnings"),
    D("showwarning", "reads lines of any file"), N("simplefilter"), N("warn"),
    D("warn_explicit", "speaks for any module, and asks what it is given for its source"),
};

static const struct export_name names_zlib[] = {
    N("DEFLATED"), N("DEF_BUF_SIZE"), N("DEF_MEM_LEVEL"), N("MAX_WBITS"),
    N("ZLIB_RUNTIME_VERSION"), N("ZLIB_VERSION"), N("Z_BEST_COMPRESSION"), N("Z_BEST_SPEED"),
    N("Z_BLOCK"), N("Z_DEFAULT_COMPRESSION"), N("Z_DEFAULT_STRATEGY"), N("Z_FILTERED"),
    N("Z_FINISH"), N("Z_FIXED"), N("Z_FULL_FLUSH"), N("Z_HUFFMAN_ONLY"), N("Z_NO_COMPRESSION"),
    N("Z_NO_FLUSH"), N("Z_PARTIAL_FLUSH"), N("Z_RLE"), N("Z_SYNC_FLUSH"), N("Z_TREES"),
    N("adler32"), N("compress"), N("compressobj"), N("crc32"), N("decompress"), N("decompressobj"),
    N("error"),
};

static const struct export_name names_zoneinfo[] = {
    N("InvalidTZPathWarning"), N("TZPATH"), N("ZoneInfo"), N("ZoneInfoNotFoundError"),
    N("available_timezones"), D("reset_tzpath", "changes where time zone files are read from"),
};

const struct export_module export_modules[] = {
    M("__future__", names_future, 1),
    M("abc", names_abc, 1),
    M("array", names_array, 1),
    M("base64", names_base64, 1),
    M("binascii", names_binascii, 1),
    M("bisect", names_bisect, 1),
    M("calendar", names_calendar, 1),
    M("cmath", names_cmath, 1),
    M("collections", names_collections, 1),
    M("collections.abc", names_collections_abc, 1),
    M("contextlib", names_contextlib, 1),
    M("copy", names_copy, 1),
    M("csv", names_csv, 1),
    M("dataclasses", names_dataclasses, 1),
    M("datetime", names_datetime, 1),
    M("decimal", names_decimal, 1),
    M("difflib", names_difflib, 1),
    M("enum", names_enum, 1),
    M("fnmatch", names_fnmatch, 1),
    M("fractions", names_fractions, 1),
    M("functools", names_functools, 1),
    M("graphlib", names_graphlib, 1),
    M("hashlib", names_hashlib, 1),
    M("heapq", names_heapq, 1),
    M("html", names_html, 1),
    M("io", names_io, 0),
    M("itertools", names_itertools, 1),
    M("json", names_json, 1),
    M("math", names_math, 1),
    M("numbers", names_numbers, 1),
    M("operator", names_operator, 1),
    M("pathlib", names_pathlib, 0),
    M("pprint", names_pprint, 1),
    M("random", names_random, 1),
    M("re", names_re, 1),
    M("secrets", names_secrets, 1),
    M("statistics", names_statistics, 1),
    M("string", names_string, 1),
    M("struct", names_struct, 1),
    M("sys", names_sys, 0),
    M("textwrap", names_textwrap, 1),
    M("time", names_time, 1),
    M("traceback", names_traceback, 0),
    M("types", names_types, 0),
    M("typing", names_typing, 1),
    M("unicodedata", names_unicodedata, 1),
    {"urllib", 0, 0, 0},
    M("urllib.parse", names_urllib_parse, 1),
    M("uuid", names_uuid, 0),
    M("warnings", names_warnings, 1),
    M("zlib", names_zlib, 1),
    M("zoneinfo", names_zoneinfo, 1),
};
const size_t export_module_count = sizeof(export_modules) / sizeof(export_modules[0]);
