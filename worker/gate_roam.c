/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_roam: classes in other hands. The library calls methods of what it is given as
 * `x.append(y)`; of a class that is the plain function, with y in the place of `self`. And a
 * class that others of the library derive from lends them whatever is put into it.
 */
#include "gate_int.h"

#include <string.h>

/* ---- what the library calls --------------------------------------------------------------- */

/* With up to how many arguments; `text`: str has it. Sorted. */
static const struct method {
    const char *name;
    signed char most, text;
} methods[] = {
    {"__contains__", 1, 1}, {"__delete__", 1, 0},   {"__get__", 2, 0},
    {"__getitem__", 1, 1},  {"__set__", 2, 0},      {"__set_name__", 2, 0},
    {"add", 1, 0},          {"append", 1, 0},       {"appendleft", 1, 0},
    {"asend", 1, 0},        {"athrow", 3, 0},       {"capitalize", 0, 1},
    {"casefold", 0, 1},     {"center", 2, 1},       {"count", 3, 1},
    {"decode", 2, 0},       {"default", 1, 0},      {"difference", 1, 0},
    {"discard", 1, 0},      {"dispatch", 1, 0},     {"dst", 1, 0},
    {"encode", 2, 1},       {"endswith", 3, 1},     {"expandtabs", 1, 1},
    {"extend", 1, 0},       {"extendleft", 1, 0},   {"find", 3, 1},
    {"findall", 3, 0},      {"finditer", 3, 0},     {"format_map", 1, 1},
    {"fromutc", 1, 0},      {"fullmatch", 3, 0},    {"get", 2, 0},
    {"getrandbits", 1, 0},  {"group", 2, 0},        {"index", 3, 1},
    {"insert", 2, 0},       {"intersection", 1, 0}, {"isdisjoint", 1, 0},
    {"issubset", 1, 0},     {"issuperset", 1, 0},   {"iterencode", 2, 0},
    {"join", 1, 1},         {"ljust", 2, 1},        {"lower", 0, 1},
    {"lstrip", 1, 1},       {"match", 3, 0},        {"partition", 1, 1},
    {"pop", 2, 0},          {"raw_decode", 2, 0},   {"read", 1, 0},
    {"readinto", 1, 0},     {"readline", 1, 0},     {"readlines", 1, 0},
    {"register", 2, 0},     {"remove", 1, 0},       {"removeprefix", 1, 1},
    {"removesuffix", 1, 1}, {"replace", 3, 1},      {"rfind", 3, 1},
    {"rindex", 3, 1},       {"rjust", 2, 1},        {"rotate", 1, 0},
    {"rpartition", 1, 1},   {"rsplit", 2, 1},       {"rstrip", 1, 1},
    {"search", 3, 0},       {"seek", 2, 0},         {"send", 1, 0},
    {"setdefault", 2, 0},   {"split", 2, 1},        {"splitlines", 1, 1},
    {"startswith", 3, 1},   {"strip", 1, 1},        {"sub", 3, 0},
    {"subn", 3, 0},         {"swapcase", 0, 1},     {"symmetric_difference", 1, 0},
    {"throw", 3, 0},        {"title", 0, 1},        {"translate", 1, 1},
    {"truncate", 1, 0},     {"tzname", 1, 0},       {"union", 1, 0},
    {"update", 1, 0},       {"upper", 0, 1},        {"utcoffset", 1, 0},
    {"write", 1, 0},        {"writelines", 1, 0},   {"writerow", 1, 0},
    {"writerows", 1, 0},    {"zfill", 1, 1},
};

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

int gate_library_calls(const struct gate *g, const char *name)
{
    const struct method *method = g->classes_roam ? method_of(name) : NULL;
    if (method && name[0] == '_' && !is_mentioned(g, "partialmethod") &&
        !is_mentioned(g, "singledispatchmethod"))
        return -1; /* nothing else asks an object for these by their names */
    return method ? method->most : -1;
}

int is_library_method(const char *name)
{
    return method_of(name) != NULL;
}

int is_text_method(const char *name)
{
    const struct method *method = method_of(name);
    return method && method->text;
}

/* ---- classes of the source that are passed on --------------------------------------------- */

/* What calls the class, and does nothing else with it. */
static int is_called_there(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"defaultdict", "filter", "map", "partial"};
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) == K_keyword) {
        const char *name = NAME(g, N(g, parent)->name)->text;
        return strcmp(name, "default_factory") == 0 || strcmp(name, "key") == 0;
    }
    uint32_t func = first_child(g, parent);
    int known = builtin_sure(g, func) != BUILTIN_NONE || export_sure(g, func);
    const char *name = NAME(g, N(g, func)->name)->text;
    for (size_t k = 0; known && k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return child_of(g, parent, F_args) == i;
    return 0;
}

static int stays_put(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (N(g, i)->flags & IN_ANNOTATION || N(g, i)->field == F_decorator_list ||
        is_class_context(g, i))
        return 1;
    switch (N(g, parent)->kind) {
    case K_Expr:
    case K_Raise:
    case K_Compare:
    case K_ExceptHandler:
        return 1;
    case K_Tuple:
        return is_in_field(g, parent, K_ExceptHandler, F_type);
    case K_Call:
    case K_keyword:
        return is_called_there(g, i) || builtin_sure(g, first_child(g, parent)) == BUILTIN_SUPER;
    default:
        return 0;
    }
}

/* `cls` of a method. */
static int is_class_parameter(const struct gate *g, const struct symbol *s)
{
    const struct bind *b = s->kinds & BINDS(BIND_PARAMETER) ? &g->binds[s->first] : NULL;
    uint32_t function = b && b->kind == BIND_PARAMETER ? N(g, N(g, b->node)->parent)->parent : 0;
    if (!function || !class_of_method(g, function) || first_parameter(g, function) != s)
        return 0;
    const struct dunder_row *row = NAME(g, N(g, function)->name)->dunder;
    return (row && row->flags & DUNDER_STATIC) || child_of(g, function, F_decorator_list);
}

static int is_class_value(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    if (s)
        return s->kinds & BINDS(BIND_CLASS) || is_class_parameter(g, s);
    if (kind_of(g, i) == K_Attribute)
        return strcmp(NAME(g, N(g, i)->name)->text, "__class__") == 0;
    return kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_TYPE;
}

void gate_roam_collect(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count && !g->classes_roam; i++) {
        enum kind kind = kind_of(g, i);
        if (kind == K_Name || kind == K_Attribute || kind == K_Call)
            g->classes_roam = is_class_value(g, i) && !stays_put(g, i);
    }
}
