/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_called: which methods the library calls on what the code gives it, and with how many
 * arguments. The table of its Python code is library_calls.c; here are those that C code calls,
 * or that only some callers do, and the names by which such callers are known; and by which names it hands back what it was given.
 */
#include "gate_int.h"

#include "library_calls.h"

#include <string.h>

/* ---- what the library calls --------------------------------------------------------------- */

/* With up to how many arguments. Sorted. */
static const struct method {
    const char *name;
    signed char most;
    unsigned char callers;
} methods[] = {
    {"__delete__", 1, OF_DESCRIPTOR},
    {"__get__", 2, OF_DESCRIPTOR},
    {"__set__", 2, OF_DESCRIPTOR},
    {"__set_name__", 2, OF_DESCRIPTOR},
    {"append", 1, OF_COPY},
    {"asend", 1, OF_GENERATOR},
    {"athrow", 3, OF_GENERATOR},
    {"center", 2, OF_TEXT},
    {"count", 3, OF_TEXT},
    {"decode", 2, OF_JSON | OF_TEXT},
    {"default", 1, OF_JSON},
    {"dispatch", 1, OF_DESCRIPTOR},
    {"encode", 2, OF_JSON | OF_TEXT},
    {"endswith", 3, OF_TEXT},
    {"expandtabs", 1, OF_TEXT},
    {"find", 3, OF_TEXT},
    {"findall", 3, OF_PATTERN},
    {"finditer", 3, OF_PATTERN},
    {"fullmatch", 3, OF_PATTERN},
    {"get", 2, OF_ROW},
    {"group", 2, OF_PATTERN},
    {"index", 3, OF_TEXT},
    {"iterencode", 2, OF_JSON},
    {"join", 1, OF_TEXT},
    {"ljust", 2, OF_TEXT},
    {"lstrip", 1, OF_TEXT},
    {"match", 3, OF_PATTERN},
    {"partition", 1, OF_TEXT},
    {"raw_decode", 2, OF_JSON},
    {"read", 1, OF_FILE},
    {"readinto", 1, OF_FILE},
    {"readline", 1, OF_FILE},
    {"readlines", 1, OF_FILE},
    {"register", 2, OF_DESCRIPTOR},
    {"removeprefix", 1, OF_TEXT},
    {"removesuffix", 1, OF_TEXT},
    {"replace", 3, OF_TEXT},
    {"rfind", 3, OF_TEXT},
    {"rindex", 3, OF_TEXT},
    {"rjust", 2, OF_TEXT},
    {"rpartition", 1, OF_TEXT},
    {"rsplit", 2, OF_TEXT},
    {"rstrip", 1, OF_TEXT},
    {"search", 3, OF_PATTERN},
    {"seek", 2, OF_FILE},
    {"send", 1, OF_GENERATOR},
    {"split", 3, OF_PATTERN | OF_TEXT},
    {"splitlines", 1, OF_TEXT},
    {"startswith", 3, OF_TEXT},
    {"strip", 1, OF_TEXT},
    {"sub", 3, OF_PATTERN},
    {"subn", 3, OF_PATTERN},
    {"throw", 3, OF_GENERATOR},
    {"translate", 1, OF_TEXT},
    {"truncate", 1, OF_FILE},
    {"write", 1, OF_FILE},
    {"writelines", 1, OF_FILE},
    {"writerow", 1, OF_FILE},
    {"writerows", 1, OF_FILE},
    {"zfill", 1, OF_TEXT},
};

/* Methods of builtin types that keep what they get, or hand on what they hold. */
static const char *const keepers[] = {
    "add",        "callback", "new_child",  "push",   "append", "appendleft", "extend",
    "extendleft", "format",   "format_map", "insert", "items",  "keys",       "pop",
    "popitem",    "remove",   "setdefault", "sort",   "update", "values",     NULL};

static const struct method *method_of(const char *name)
{
    size_t low = 0, high = ARRAY_LEN(methods);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, methods[middle].name);
        if (order == 0)
            return &methods[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

unsigned char gate_callers(const struct gate *g)
{
    static const struct {
        const char *name;
        unsigned char caller;
    } names[] = {
        {"AsyncGenerator", OF_GENERATOR},
        {"Coroutine", OF_GENERATOR},
        {"DictWriter", OF_ROW},
        {"DictWriter", OF_FILE},
        {"Generator", OF_GENERATOR},
        {"PrettyPrinter", OF_FILE},
        {"Template", OF_PATTERN},
        {"TextWrapper", OF_PATTERN},
        {"asynccontextmanager", OF_GENERATOR},
        {"capwords", OF_TEXT},
        {"contextmanager", OF_GENERATOR},
        {"dump", OF_FILE},
        {"file_digest", OF_FILE},
        {"from_file", OF_FILE},
        {"partialmethod", OF_DESCRIPTOR},
        {"pp", OF_FILE},
        {"pprint", OF_FILE},
        {"print_exc", OF_FILE},
        {"redirect_stderr", OF_FILE},
        {"redirect_stdout", OF_FILE},
        {"singledispatchmethod", OF_DESCRIPTOR},
        {"writer", OF_FILE},
    };
    static const char *const modules[] = {"base64",   "difflib",      "fnmatch", "html",
                                          "textwrap", "urllib.parse", "uuid"};
    unsigned char callers = gate_module_in_use(g, "base64") ? OF_FILE : 0;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (is_mentioned(g, names[k].name))
            callers |= names[k].caller;
    for (size_t k = 0; k < ARRAY_LEN(modules); k++)
        if (gate_module_in_use(g, modules[k]))
            callers |= OF_TEXT;
    return callers;
}

/* f(**x), where f is not the code's own. */
static int is_spread_abroad(const struct gate *g, uint32_t keyword)
{
    uint32_t call = N(g, keyword)->parent, func = first_child(g, call);
    const unsigned own = BINDS(BIND_FUNCTION) | BINDS(BIND_CLASS) | BINDS(BIND_PARAMETER);
    const struct symbol *s = symbol_of(g, func);
    if (N(g, keyword)->name || kind_of(g, call) != K_Call)
        return 0;
    int super = kind_of(g, func) == K_Attribute && kind_of(g, func + 1) == K_Call &&
                builtin_sure(g, func + 2) == BUILTIN_SUPER;
    return !super && !(s && !(s->kinds & ~own));
}

/* print(file=x), json.dumps(cls=x) */
unsigned char gate_caller_of_keyword(const struct gate *g, uint32_t keyword)
{
    const char *name = NAME(g, N(g, keyword)->name)->text;
    if (is_spread_abroad(g, keyword))
        return OF_FILE | OF_JSON;
    if (strcmp(name, "cls") == 0)
        return OF_JSON;
    return strcmp(name, "file") == 0 || strcmp(name, "stream") == 0 ? OF_FILE : 0;
}

#define ANY_COUNT 100

/* What the Python code of some module may do with a class that it meets for an object. */
static int called_by_code(const struct gate *g, const char *name)
{
    const struct dunder_row *row = gate_dunder(name);
    int makes = strcmp(name, "__init__") == 0 || strcmp(name, "__post_init__") == 0;
    if (!g->imports)
        return -1;
    if (row)
        return makes && g->enum_makers ? ANY_COUNT : row->calls; /* x.__contains__ */
    return library_calls(name);
}

int gate_library_calls(const struct gate *g, const char *name)
{
    if (!g->classes_roam)
        return -1;
    if (g->copied_methods && strncmp(name, "__", 2) != 0) /* deepcopy(x.f) makes one of y.f */
        return ANY_COUNT;
    const struct method *method = method_of(name);
    int most = method && method->callers & g->library_callers ? method->most : -1;
    int other = called_by_code(g, name);
    return most > other ? most : other;
}

int is_library_method(const char *name)
{
    const char *const *k = keepers;
    while (*k && strcmp(*k, name) != 0)
        k++;
    return *k || method_of(name);
}

/* ---- what it hands back ------------------------------------------------------------------- */

static const char *const readings[READINGS] = {
    [READS_DEFAULT_FACTORY] = "default_factory",
    [READS_FUNC] = "func",
    [READS_REGISTRY] = "registry",
    [READS_TYPE] = "type",
};

int gate_is_read(const struct gate *g, enum reading what)
{
    uint32_t id = gate_name_find_text(g, readings[what], strlen(readings[what]));
    const struct name *name = NAME(g, id); /* 0 is no name */
    /* getattr(x, f.name) of fields() reads names that the source has. */
    return g->reads & 1u << what || name->max_args >= 0 || (g->prefixed && name->defined);
}

void gate_note_reading(struct gate *g, const char *text, size_t len, int begins)
{
    for (size_t k = 0; k < READINGS; k++) {
        size_t own = strlen(readings[k]);
        if ((begins ? len <= own : len == own) && (!len || memcmp(readings[k], text, len) == 0))
            g->reads |= (unsigned char)(1u << k);
    }
}
