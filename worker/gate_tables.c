/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_tables: DATA, and its look-ups: the builtins, the attributes and the dunder names
 * that the gate knows. A builtin or dunder name that is not here is refused; an attribute
 * that is not here is an ordinary one. Tables are sorted.
 */
#include "gate_int.h"

#include <string.h>

/* ---- builtins ---------------------------------------------------------------------- */

#define PLAIN(name)                                                                                \
    {                                                                                              \
#name, BUILTIN_PLAIN, NULL                                                                 \
    }
#define CLASS(name)                                                                                \
    {                                                                                              \
#name, BUILTIN_CLASS, NULL                                                                 \
    }
#define MATCH(name)                                                                                \
    {                                                                                              \
#name, BUILTIN_SELF_MATCH, NULL                                                            \
    }
#define PRINT(name)                                                                                \
    {                                                                                              \
#name, BUILTIN_PRINT, NULL                                                                 \
    }
#define AS(name, what)                                                                             \
    {                                                                                              \
#name, BUILTIN_##what, NULL                                                                \
    }
#define DENY(name, why)                                                                            \
    {                                                                                              \
#name, BUILTIN_DENIED, why                                                                 \
    }

/* clang-format off */
static const struct builtin_row builtins[] = {
    CLASS(ArithmeticError), CLASS(AssertionError), CLASS(AttributeError), CLASS(BaseException),
    CLASS(BaseExceptionGroup), CLASS(BlockingIOError), CLASS(BrokenPipeError), CLASS(BufferError),
    CLASS(BytesWarning), CLASS(ChildProcessError), CLASS(ConnectionAbortedError),
    CLASS(ConnectionError), CLASS(ConnectionRefusedError), CLASS(ConnectionResetError),
    CLASS(DeprecationWarning), CLASS(EOFError), PLAIN(Ellipsis), CLASS(EncodingWarning),
    CLASS(EnvironmentError), CLASS(Exception), CLASS(ExceptionGroup), PLAIN(False),
    CLASS(FileExistsError), CLASS(FileNotFoundError), CLASS(FloatingPointError),
    CLASS(FutureWarning), CLASS(GeneratorExit), CLASS(IOError), CLASS(ImportError),
    CLASS(ImportWarning), CLASS(IndentationError), CLASS(IndexError), CLASS(InterruptedError),
    CLASS(IsADirectoryError), CLASS(KeyError), CLASS(KeyboardInterrupt), CLASS(LookupError),
    CLASS(MemoryError), CLASS(ModuleNotFoundError), CLASS(NameError), PLAIN(None),
    CLASS(NotADirectoryError), PLAIN(NotImplemented), CLASS(NotImplementedError), CLASS(OSError),
    CLASS(OverflowError), CLASS(PendingDeprecationWarning), CLASS(PermissionError),
    CLASS(ProcessLookupError), CLASS(PythonFinalizationError), CLASS(RecursionError),
    CLASS(ReferenceError), CLASS(ResourceWarning), CLASS(RuntimeError), CLASS(RuntimeWarning),
    CLASS(StopAsyncIteration), CLASS(StopIteration), CLASS(SyntaxError), CLASS(SyntaxWarning),
    CLASS(SystemError), CLASS(SystemExit), CLASS(TabError), CLASS(TimeoutError), PLAIN(True),
    CLASS(TypeError), CLASS(UnboundLocalError), CLASS(UnicodeDecodeError),
    CLASS(UnicodeEncodeError), CLASS(UnicodeError), CLASS(UnicodeTranslateError),
    CLASS(UnicodeWarning), CLASS(UserWarning), CLASS(ValueError), CLASS(Warning),
    CLASS(ZeroDivisionError),
    DENY(__build_class__, "can make classes behind the gate's back"),
    PLAIN(__debug__),
    DENY(__import__, "can load any module, by a name made while it runs"),
    PLAIN(abs), PLAIN(aiter), PLAIN(all), PLAIN(anext), PLAIN(any), PRINT(ascii), PLAIN(bin),
    MATCH(bool),
    DENY(breakpoint, "can start a debugger"),
    MATCH(bytearray), MATCH(bytes), PRINT(callable), PLAIN(chr), AS(classmethod, CLASSMETHOD),
    DENY(compile, "can make code from text that nobody has seen"),
    CLASS(complex),
    DENY(copyright, "can print more than its name says: it belongs to the prompt"),
    DENY(credits, "can print more than its name says: it belongs to the prompt"),
    AS(delattr, DELATTR), MATCH(dict), PLAIN(dir), PLAIN(divmod), CLASS(enumerate),
    DENY(eval, "can run text as code that nobody has seen (to read data, use json.loads)"),
    DENY(exec, "can run text as code that nobody has seen"),
    DENY(exit, "belongs to the prompt and is not there (use sys.exit or raise SystemExit)"),
    CLASS(filter), MATCH(float), PRINT(format), MATCH(frozenset), AS(getattr, GETATTR),
    AS(globals, NAMESPACE), AS(hasattr, HASATTR), PLAIN(hash),
    DENY(help, "can import and describe any module"),
    PLAIN(hex), PLAIN(id),
    DENY(input, "waits for somebody to type (what the code is given is in input_data)"),
    MATCH(int), AS(isinstance, ISINSTANCE), AS(issubclass, ISINSTANCE), PLAIN(iter), PLAIN(len),
    DENY(license, "can read files: it belongs to the prompt"),
    MATCH(list), AS(locals, NAMESPACE), CLASS(map), PLAIN(max), CLASS(memoryview), PLAIN(min),
    PLAIN(next), CLASS(object), PLAIN(oct),
    DENY(open, "can read and write files"),
    PLAIN(ord), PLAIN(pow), PRINT(print), AS(property, PROPERTY),
    DENY(quit, "belongs to the prompt and is not there (use sys.exit or raise SystemExit)"),
    CLASS(range), PRINT(repr), CLASS(reversed), PLAIN(round), MATCH(set), AS(setattr, SETATTR),
    CLASS(slice), PLAIN(sorted), CLASS(staticmethod), MATCH(str), PLAIN(sum), AS(super, SUPER),
    MATCH(tuple), AS(type, TYPE), AS(vars, VARS), CLASS(zip),
};

/* ---- attributes ------------------------------------------------------------------------ */

#define FRAME(name) {#name, ATTR_INTERPRETER, NULL}
#define TAME(name) {#name, ATTR_TAME, NULL}
#define DOOR(name) {#name, ATTR_DOOR, NULL}
#define HIDDEN(name, module) {#name, ATTR_HIDDEN, module}

static const struct attr_row attributes[] = {
    DOOR(Popen),
    TAME(_asdict),
    HIDDEN(_evaluate, "typing"),
    HIDDEN(_exit_callbacks, "contextlib"),
    TAME(_field_defaults),
    HIDDEN(_field_type, "dataclasses"), /* tells fields from look-alikes */
    TAME(_fields),
    HIDDEN(_flavour, "pathlib"), /* a module, since 3.12 */
    TAME(_generate_next_value_),
    HIDDEN(_globber, "pathlib"), /* lists directories, since 3.13 */
    TAME(_hash), /* of an abstract Set, for `__hash__ = Set._hash`, as its documentation has it */
    TAME(_ignore_),
    TAME(_make),
    HIDDEN(_member_map_, ANY_MODULE), HIDDEN(_member_names_, ANY_MODULE), /* what an Enum goes by */
    TAME(_missing_), TAME(_name_),
    HIDDEN(_old_targets, "contextlib"),
    TAME(_order_),
    HIDDEN(_partialmethod, "dataclasses"), /* of a class: whose signature is asked for */
    HIDDEN(_pathcls, "pathlib"), /* the class of a path, kept by its parents */
    TAME(_replace),
    HIDDEN(_value2member_map_, ANY_MODULE), TAME(_value_),
    FRAME(ag_await), FRAME(ag_code), FRAME(ag_frame), FRAME(ag_running), FRAME(ag_suspended),
    HIDDEN(attrname, "functools"), /* of a cached_property: what it sets on an instance */
    DOOR(builtins), DOOR(check_output),
    FRAME(co_argcount), FRAME(co_branches), FRAME(co_cellvars), FRAME(co_code), FRAME(co_consts),
    FRAME(co_exceptiontable), FRAME(co_filename), FRAME(co_firstlineno), FRAME(co_flags),
    FRAME(co_freevars), FRAME(co_kwonlyargcount), FRAME(co_lines), FRAME(co_linetable),
    FRAME(co_lnotab), FRAME(co_name), FRAME(co_names), FRAME(co_nlocals), FRAME(co_positions),
    FRAME(co_posonlyargcount), FRAME(co_qualname), FRAME(co_stacksize), FRAME(co_varnames),
    DOOR(codecs),
    FRAME(cr_await), FRAME(cr_code), FRAME(cr_frame), FRAME(cr_origin), FRAME(cr_running),
    FRAME(cr_suspended),
    DOOR(ctypes), DOOR(environ), DOOR(exec_module), DOOR(execv), DOOR(execve),
    FRAME(f_back), FRAME(f_builtins), FRAME(f_code), FRAME(f_generator), FRAME(f_globals),
    FRAME(f_lasti), FRAME(f_lineno), FRAME(f_locals), FRAME(f_trace), FRAME(f_trace_lines),
    FRAME(f_trace_opcodes),
    FRAME(fdel), FRAME(fget), /* a property's functions, which take any object */
    DOOR(find_spec), DOOR(fork), DOOR(fork_exec),
    {"format", ATTR_FORMAT, NULL}, {"format_map", ATTR_FORMAT, NULL},
    FRAME(fset),
    DOOR(getcwd),
    FRAME(gi_code), FRAME(gi_frame), FRAME(gi_running), FRAME(gi_suspended), FRAME(gi_yieldfrom),
    DOOR(import_module), DOOR(importlib), DOOR(linecache), DOOR(load_module), DOOR(modules),
    FRAME(mro),
    {"obj", ATTR_OBJ, NULL},
    DOOR(os),
    HIDDEN(parser, "pathlib"), /* a module, since 3.13 */
    DOOR(popen), DOOR(posix), DOOR(subprocess), DOOR(sys), DOOR(system),
    FRAME(tb_frame), FRAME(tb_lasti), FRAME(tb_lineno), FRAME(tb_next),
};

/* ---- dunder names ------------------------------------------------------------------------ */

#define METHOD(name, calls) {#name, calls, DUNDER_DEFINE}
#define STATIC(name) {#name, -1, DUNDER_DEFINE | DUNDER_STATIC}

static const struct dunder_row dunders[] = {
    METHOD(__abs__, 0), METHOD(__add__, 1), METHOD(__aenter__, -1), METHOD(__aexit__, -1),
    METHOD(__aiter__, 0),
    {"__all__", -1, DUNDER_MODULE},
    METHOD(__and__, 1), METHOD(__anext__, -1),
    {"__author__", -1, DUNDER_MODULE},
    METHOD(__await__, -1), METHOD(__bool__, 0), METHOD(__bytes__, 0), METHOD(__call__, -1),
    {"__cause__", -1, DUNDER_READ},
    METHOD(__ceil__, 0),
    STATIC(__class_getitem__),
    METHOD(__complex__, 0), METHOD(__contains__, 1),
    {"__context__", -1, DUNDER_READ},
    METHOD(__copy__, -1),
    {"__copyright__", -1, DUNDER_MODULE}, {"__credits__", -1, DUNDER_MODULE},
    {"__date__", -1, DUNDER_MODULE}, {"__debug__", -1, DUNDER_LOAD},
    METHOD(__deepcopy__, -1), METHOD(__del__, -1), METHOD(__delattr__, -1),
    METHOD(__delete__, -1), METHOD(__delitem__, 1), METHOD(__dir__, 0), METHOD(__divmod__, 1),
    {"__doc__", -1, DUNDER_READ | DUNDER_WRITE | DUNDER_MODULE | DUNDER_ASSIGN | DUNDER_LOAD},
    {"__email__", -1, DUNDER_MODULE},
    METHOD(__enter__, 0), METHOD(__eq__, 1), METHOD(__exit__, 3), METHOD(__float__, 0),
    METHOD(__floor__, 0), METHOD(__floordiv__, 1), METHOD(__format__, 1), METHOD(__fspath__, 0),
    METHOD(__ge__, 1), METHOD(__get__, -1), METHOD(__getattr__, -1), METHOD(__getitem__, 1),
    METHOD(__gt__, 1),
    {"__hash__", 0, DUNDER_DEFINE | DUNDER_ASSIGN},
    METHOD(__iadd__, 1), METHOD(__iand__, 1), METHOD(__ifloordiv__, 1), METHOD(__ilshift__, 1),
    METHOD(__imatmul__, 1), METHOD(__imod__, 1), METHOD(__imul__, 1), METHOD(__index__, 0),
    METHOD(__init__, -1),
    STATIC(__init_subclass__),
    METHOD(__int__, 0), METHOD(__invert__, 0), METHOD(__ior__, 1), METHOD(__ipow__, 1),
    METHOD(__irshift__, 1), METHOD(__isub__, 1), METHOD(__iter__, 0), METHOD(__itruediv__, 1),
    METHOD(__ixor__, 1), METHOD(__le__, 1), METHOD(__len__, 0), METHOD(__length_hint__, 0),
    {"__license__", -1, DUNDER_MODULE},
    METHOD(__lshift__, 1), METHOD(__lt__, 1),
    {"__match_args__", -1, DUNDER_ASSIGN},
    METHOD(__matmul__, 1),
    {"__members__", -1, DUNDER_READ},
    METHOD(__missing__, -1), METHOD(__mod__, 1),
    {"__module__", -1, DUNDER_READ},
    METHOD(__mul__, 1),
    {"__name__", -1, DUNDER_READ | DUNDER_WRITE | DUNDER_LOAD},
    METHOD(__ne__, 1), METHOD(__neg__, 0),
    STATIC(__new__),
    METHOD(__next__, 0),
    {"__notes__", -1, DUNDER_READ},
    METHOD(__or__, 1), METHOD(__pos__, 0), METHOD(__post_init__, -1), METHOD(__pow__, 1),
    {"__qualname__", -1, DUNDER_READ | DUNDER_WRITE},
    METHOD(__radd__, 1), METHOD(__rand__, 1), METHOD(__rdivmod__, 1), METHOD(__replace__, -1),
    METHOD(__repr__, 0), METHOD(__reversed__, 0), METHOD(__rfloordiv__, 1),
    METHOD(__rlshift__, 1), METHOD(__rmatmul__, 1), METHOD(__rmod__, 1), METHOD(__rmul__, 1),
    METHOD(__ror__, 1), METHOD(__round__, 0), METHOD(__rpow__, 1), METHOD(__rrshift__, 1),
    METHOD(__rshift__, 1), METHOD(__rsub__, 1), METHOD(__rtruediv__, 1), METHOD(__rxor__, 1),
    METHOD(__set__, -1), METHOD(__set_name__, -1), METHOD(__setattr__, -1),
    METHOD(__setitem__, 2), METHOD(__sizeof__, 0),
    {"__slots__", -1, DUNDER_ASSIGN}, /* may be a list that copies go by: only looked at */
    {"__status__", -1, DUNDER_MODULE},
    METHOD(__str__, 0), METHOD(__sub__, 1),
    {"__suppress_context__", -1, DUNDER_READ | DUNDER_WRITE},
    METHOD(__truediv__, 1), METHOD(__trunc__, 0),
    {"__version__", -1, DUNDER_MODULE},
    METHOD(__xor__, 1),
};
/* clang-format on */

/*
 * The rows of a table by a hash of their names: most names that are looked for are in none, and
 * that is seen without comparing them.
 */
#define INDEX_SIZE 2048u /* a power of two, so large that most places are empty */
struct index {
    unsigned short rows[INDEX_SIZE]; /* 0: none, else the number of the row and 1 */
};
static struct index builtin_index, attribute_index, dunder_index;
_Static_assert(ARRAY_LEN(builtins) < INDEX_SIZE / 2 && ARRAY_LEN(attributes) < INDEX_SIZE / 2 &&
                   ARRAY_LEN(dunders) < INDEX_SIZE / 2,
               "an index has room for its table");

/* Each row begins with its name. */
static const char *name_in(const void *table, size_t size, size_t i)
{
    return *(const char *const *)((const char *)table + i * size);
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash ^ hash >> 15;
}

static void make_index(struct index *index, const void *table, size_t size, size_t count)
{
    *index = (struct index){0};
    for (size_t i = 0; i < count; i++) {
        uint32_t at = hash_of(name_in(table, size, i)) % INDEX_SIZE;
        while (index->rows[at])
            at = (at + 1) % INDEX_SIZE;
        index->rows[at] = (unsigned short)(i + 1);
    }
}

void gate_tables_prepare(void)
{
    make_index(&builtin_index, builtins, sizeof(builtins[0]), ARRAY_LEN(builtins));
    make_index(&attribute_index, attributes, sizeof(attributes[0]), ARRAY_LEN(attributes));
    make_index(&dunder_index, dunders, sizeof(dunders[0]), ARRAY_LEN(dunders));
}

static const void *find(const struct index *index, const void *table, size_t size, const char *name)
{
    for (uint32_t at = hash_of(name) % INDEX_SIZE; index->rows[at]; at = (at + 1) % INDEX_SIZE) {
        size_t row = index->rows[at] - 1u;
        if (strcmp(name, name_in(table, size, row)) == 0)
            return (const char *)table + row * size;
    }
    return NULL;
}

const struct builtin_row *gate_builtin(const char *name)
{
    return find(&builtin_index, builtins, sizeof(builtins[0]), name);
}

const struct dunder_row *gate_dunder(const char *name)
{
    if (name[0] != '_' || name[1] != '_')
        return NULL;
    return find(&dunder_index, dunders, sizeof(dunders[0]), name);
}

int gate_attr_begins(const char *prefix, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(attributes); i++)
        if (attributes[i].what != ATTR_TAME && strncmp(attributes[i].name, prefix, len) == 0)
            return 1;
    return 0;
}

static enum attr_class class_by_shape(const char *name, size_t len)
{
    if (len == 0 || name[0] != '_')
        return ATTR_PLAIN;
    int ends = len > 2 && name[len - 1] == '_';
    if (len > 4 && name[1] == '_' && ends && name[len - 2] == '_')
        return ATTR_DUNDER;
    if (name[1] != '_' && strstr(name, "__"))
        return ATTR_MANGLED;
    if (name[1] != '_' && ends)
        return ATTR_SUNDER;
    return ATTR_PRIVATE;
}

enum attr_class gate_attr_class(const char *name, size_t len, const struct attr_row **ret_row)
{
    const struct attr_row *row = find(&attribute_index, attributes, sizeof(attributes[0]), name);
    *ret_row = row;
    return row ? (enum attr_class)row->what : class_by_shape(name, len);
}

int gate_leads_inside(const char *name, size_t len)
{
    const struct attr_row *row;
    enum attr_class what = gate_attr_class(name, len, &row);
    const struct dunder_row *dunder = what == ATTR_DUNDER ? gate_dunder(name) : NULL;
    int tame = dunder && (dunder->flags & DUNDER_READ || dunder->calls >= 0);
    return what == ATTR_INTERPRETER || (what == ATTR_DUNDER && !tame);
}

int gate_may_be_set(const char *name, size_t len)
{
    /* Python puts them into dicts of instances: a loop over vars(x) sets them again. */
    static const char *const of_instances[] = {"__notes__", "__orig_class__"};
    const struct attr_row *row;
    enum attr_class what = gate_attr_class(name, len, &row);
    const struct dunder_row *dunder = what == ATTR_DUNDER ? gate_dunder(name) : NULL;
    for (size_t k = 0; k < ARRAY_LEN(of_instances); k++)
        if (what == ATTR_DUNDER && strcmp(of_instances[k], name) == 0)
            return 1;
    return what == ATTR_DUNDER ? dunder && dunder->flags & DUNDER_WRITE : what != ATTR_INTERPRETER;
}

size_t gate_tells_name(const char *text, size_t len)
{
    static const char *const paths[] = {
        "__name__",           "__qualname__",           "__module__",          "__doc__",
        "__class__.__name__", "__class__.__qualname__", "__class__.__module__"};
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        size_t n = strlen(paths[i]);
        if (n <= len && memcmp(paths[i], text, n) == 0 &&
            (n == len || text[n] == '}' || text[n] == '!' || text[n] == ':'))
            return n;
    }
    return 0;
}

int gate_is_method(const char *name)
{
    const struct dunder_row *row = gate_dunder(name);
    return row && row->flags & DUNDER_DEFINE && !(row->flags & DUNDER_STATIC);
}

/* What the compiler and the library put into classes of the code. */
static const char *const of_classes[] = {
    "__abstractmethods__",   "__annotate__",          "__annotate_func__",
    "__annotations__",       "__annotations_cache__", "__classcell__",
    "__classdict__",         "__classdictcell__",     "__conditional_annotations__",
    "__firstlineno__",       "__getnewargs__",        "__module__",
    "__orig_bases__",        "__parameters__",        "__qualname__",
    "__static_attributes__", "__type_params__",
};

int gate_may_be_in_class(const char *name)
{
    const struct attr_row *row;
    const struct dunder_row *dunder = gate_dunder(name);
    if (gate_attr_class(name, strlen(name), &row) != ATTR_DUNDER)
        return 1;
    if (dunder && dunder->flags & (DUNDER_DEFINE | DUNDER_ASSIGN))
        return 1;
    for (size_t k = 0; k < ARRAY_LEN(of_classes); k++)
        if (strcmp(of_classes[k], name) == 0)
            return 1;
    return 0;
}
