/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_shown: values that no code of the source gets, since nothing but text, numbers or names
 * are made of them where they stand: printed, formatted, counted, compared with classes. Classes
 * may be that without leading anywhere: type(x), and what a class derives from.
 */
#include "gate_int.h"

#include <string.h>

#define CLIMB_MAX 8 /* displays, loops and calls around a value */

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

static int is_format(const struct gate *g, uint32_t func)
{
    return kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "format") == 0;
}

/* "{}".format(x); "{0[k]}" asks x for a part. */
static int is_literal_format(const struct gate *g, uint32_t func)
{
    PyObject *text = is_format(g, func) ? string_of(g, first_child(g, func)) : NULL;
    return text && PyUnicode_FindChar(text, '[', 0, PyUnicode_GetLength(text), 1) == -1;
}

/* print(x), str(x), len(x) */
static int makes_text(const struct gate *g, uint32_t call)
{
    uint32_t func = first_child(g, call);
    enum builtin what = builtin_sure(g, func);
    return what == BUILTIN_PRINT || is_literal_format(g, func) ||
           (what == BUILTIN_SELF_MATCH && strcmp(text_of_name(g, func), "str") == 0) ||
           (what == BUILTIN_PLAIN && strcmp(text_of_name(g, func), "len") == 0);
}

static int is_comprehension(const struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    return kind == K_ListComp || kind == K_SetComp || kind == K_GeneratorExp;
}

/* list(x), set(x): a set compares its parts, so that all have to be `alike`: values of that kind. */
static int collects(const struct gate *g, uint32_t call, int alike)
{
    uint32_t func = first_child(g, call);
    struct call_shape shape = call_shape(g, call);
    if (builtin_sure(g, func) != BUILTIN_SELF_MATCH || shape.positional != 1 || shape.keywords ||
        shape.starred)
        return 0;
    const char *name = text_of_name(g, func);
    return strcmp(name, "list") == 0 || strcmp(name, "tuple") == 0 ||
           (alike && (strcmp(name, "set") == 0 || strcmp(name, "frozenset") == 0));
}

/* Whether what holds the value there is judged in its place; if not, *ret_shown says the rest. */
static int goes_on(const struct gate *g, uint32_t i, int alike, int *ret_shown)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_FormattedValue:
        *ret_shown = N(g, i)->field == F_value;
        return 0;
    case K_BinOp:
        *ret_shown = N(g, parent)->op == K_Mod && N(g, i)->field == F_right &&
                     string_of(g, first_child(g, parent));
        return 0;
    case K_keyword:
        *ret_shown = N(g, parent)->name && kind_of(g, N(g, parent)->parent) == K_Call &&
                     is_literal_format(g, first_child(g, N(g, parent)->parent));
        return 0;
    case K_Compare:
        *ret_shown = N(g, parent)->op == COMPARE_EQUAL && is_tame_comparison(g, i, parent);
        return 0;
    case K_Call:
        *ret_shown = N(g, i)->field == F_args && makes_text(g, parent);
        return !*ret_shown && N(g, i)->field == F_args && collects(g, parent, alike);
    case K_ListComp:
    case K_GeneratorExp:
        return N(g, i)->field == F_elt;
    case K_SetComp:
        return N(g, i)->field == F_elt && alike;
    default:
        return kind_of(g, parent) == K_Tuple || kind_of(g, parent) == K_List ||
               kind_of(g, parent) == K_Starred;
    }
}

int is_only_shown(const struct gate *g, uint32_t i)
{
    int shown = 0;
    for (int climbed = 0, alike = 1; climbed < CLIMB_MAX && may_go_on(g); climbed++) {
        if (!goes_on(g, i, alike, &shown))
            return shown;
        i = N(g, i)->parent;
        alike &= is_comprehension(g, i);
    }
    return 0;
}

int are_locals_shown(struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent, func = first_child(g, N(g, parent)->parent);
    if (g->scopes[N(g, i)->scope].kind != SCOPE_FUNCTION)
        return 0; /* of a module or a class they are not all the code's own */
    if (kind_of(g, parent) == K_keyword && !N(g, parent)->name) /* "{a}".format(**locals()) */
        return is_in_field(g, func, K_Call, F_func) && is_format(g, func) &&
               format_of_receiver(g, first_child(g, func)) > 0;
    return is_only_shown(g, i);
}

/* ---- what a class derives from ---------------------------------------------------------- */

int is_name_dunder(const struct name *name)
{
    static const char *const names[] = {"__module__", "__name__", "__qualname__"};
    for (size_t k = 0; name->dunder && k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name->text) == 0)
            return 1;
    return 0;
}

/*
 * `c` of `for c in D.__mro__`, or of enumerate(D.__mro__): asked for its name, and nothing else.
 * A class that binds the name as well would read the module's before it does so.
 */
static int is_just_named(const struct gate *g, uint32_t target, int numbered)
{
    if (numbered)
        target = kind_of(g, target) == K_Tuple && count_of(g, target, F_elts) == 2
                     ? child_at(g, target, F_elts, 1)
                     : 0;
    if (!target || kind_of(g, target) != K_Name)
        return 0;
    uint32_t id = gate_scope_find(g, N(g, target)->scope, N(g, target)->name);
    const struct symbol *s = &g->symbols[id]; /* 0 is empty */
    enum scope_kind kind = (enum scope_kind)g->scopes[s->scope].kind;
    int hidden = kind == SCOPE_FUNCTION || kind == SCOPE_COMPREHENSION ||
                 (kind == SCOPE_MODULE && !NAME(g, s->name)->defined);
    return hidden && only_bind(g, s) &&
           !(s->flags & (SYMBOL_NOT_JUST_NAMED | SYMBOL_GLOBAL | SYMBOL_NONLOCAL));
}

/* A part of it, or all of it again. *ret_numbered: in pairs. */
static int is_taken_apart(const struct gate *g, uint32_t i, int *ret_numbered)
{
    uint32_t parent = N(g, i)->parent, func = first_child(g, parent);
    if (is_in_field(g, i, K_Subscript, F_value))
        return is_load(g, parent) && !*ret_numbered;
    if (!is_in_field(g, i, K_Call, F_args) || builtin_sure(g, func) != BUILTIN_CLASS ||
        child_of(g, parent, F_args) != i)
        return 0;
    if (*ret_numbered) /* pairs go straight into a loop */
        return 0;
    *ret_numbered = strcmp(text_of_name(g, func), "enumerate") == 0;
    return *ret_numbered || strcmp(text_of_name(g, func), "reversed") == 0;
}

static int are_just_named(const struct gate *g, uint32_t i)
{
    int numbered = 0;
    for (int climbed = 0; climbed < CLIMB_MAX && may_go_on(g); climbed++) {
        uint32_t parent = N(g, i)->parent;
        enum kind kind = kind_of(g, parent);
        if (kind == K_Attribute && is_load(g, parent))
            return is_name_dunder(NAME(g, N(g, parent)->name));
        if ((kind == K_For || kind == K_comprehension) && N(g, i)->field == F_iter)
            return is_just_named(g, child_of(g, parent, F_target), numbered);
        if (!is_taken_apart(g, i, &numbered))
            return is_only_shown(g, i);
        i = parent;
    }
    return 0;
}

int is_lineage_shown(const struct gate *g, uint32_t i)
{
    static const struct {
        const char *name;
        int call;
    } rows[] = {
        {"__base__", 0}, {"__bases__", 0}, {"__mro__", 0}, {"__subclasses__", 1}, {"mro", 1}};
    size_t k = 0;
    while (k < ARRAY_LEN(rows) && strcmp(rows[k].name, text_of_name(g, i)) != 0)
        k++;
    if (k == ARRAY_LEN(rows) || !is_load(g, i))
        return 0;
    if (strcmp(rows[k].name, "__subclasses__") == 0 && !is_real_class(g, first_child(g, i)))
        return 0; /* object's are all that there are */
    if (!rows[k].call)
        return are_just_named(g, i);
    uint32_t call = N(g, i)->parent;
    return is_in_field(g, i, K_Call, F_func) && N(g, call)->end == N(g, i)->end &&
           are_just_named(g, call);
}
