/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_choice: a text that is one of several, all of which stand in the source: one of two, what
 * a name is bound to, what a loop runs over, what the calls of a function give a parameter. Each
 * is judged as if it stood there. Every way in which something else could come must be seen: a
 * second binding, a function that is taken without being called, a star are enough to give up.
 */
#include "gate_int.h"

#include "library_calls.h"

#include <string.h>

#define DEPTH_MAX 8
#define CHOICES_MAX 256 /* strings that a display may hold */

struct choices {
    struct gate *g;
    choice_judge *judge;
    const struct symbol *given; /* the parameter whose calls are looked at: it may give itself */
};

/*
 * far: by way of what gate_facts.c does not follow when it notes names that are made from parts;
 * constants are noted wherever they stand.
 */
static int are_choices(struct choices *c, uint32_t i, int far, int depth);

/* ---- loops ------------------------------------------------------------------------------ */

/* The display that a loop runs over, where nothing changes it. */
static uint32_t display_of(struct gate *g, uint32_t iter)
{
    const struct symbol *s = symbol_of(g, iter);
    int dunder = NAME(g, N(g, iter)->name)->attr == ATTR_DUNDER;   /* dataclass() makes some */
    uint32_t constant = dunder ? 0 : gate_class_constant(g, iter); /* self.names */
    if (constant)
        return kind_of(g, constant) == K_Tuple ? constant : 0;
    if (!s)
        return iter;
    uint32_t value = only_value(g, s);
    int fixed = value && (kind_of(g, value) == K_Tuple || !(s->flags & SYMBOL_ESCAPES));
    return fixed ? value : 0;
}

static int is_display(const struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    return i && (kind == K_Tuple || kind == K_List || kind == K_Set);
}

/* Each element of a display; or its part `at`, which stands in a tuple. */
static int are_elements(struct choices *c, uint32_t display, int at, int depth)
{
    const struct gate *g = c->g;
    unsigned count = 0;
    if (!is_display(g, display))
        return 0;
    FOR_CHILDREN (g, element, display) {
        int starred = kind_of(g, element) == K_Tuple && at >= 0;
        FOR_CHILDREN (g, part, starred ? element : 0)
            if (kind_of(g, part) == K_Starred)
                return 0;
        uint32_t text = at < 0 ? element : child_at(g, element, F_elts, (unsigned)at);
        if ((at >= 0 && kind_of(g, element) != K_Tuple) || !text || ++count > CHOICES_MAX ||
            !are_choices(c, text, 1, depth))
            return 0;
    }
    return 1;
}

/* for n in ("a", "b"); for n, v in (("a", 1), ("b", 2)) */
static int are_of_loop(struct choices *c, const struct bind *b, int depth)
{
    const struct gate *g = c->g;
    uint32_t parent = N(g, b->node)->parent, loop = parent;
    int at = -1;
    if (b->kind == BIND_UNPACK) {
        if (kind_of(g, parent) != K_Tuple || N(g, parent)->field != F_target)
            return 0;
        FOR_CHILDREN (g, part, parent) {
            if (kind_of(g, part) == K_Starred)
                return 0;
            at += part <= b->node;
        }
        loop = N(g, parent)->parent;
    }
    enum kind kind = kind_of(g, loop);
    if (kind != K_For && kind != K_comprehension)
        return 0;
    uint32_t iter = child_of(g, loop, F_iter);
    if (kind_of(g, iter) == K_Call) { /* for n, v in zip(names, values) */
        uint32_t func = first_child(g, iter);
        int zips = builtin_sure(g, func) == BUILTIN_CLASS && at >= 0 &&
                   strcmp(NAME(g, N(g, func)->name)->text, "zip") == 0;
        if (!zips || call_shape(g, iter).starred)
            return 0;
        iter = child_at(g, iter, F_args, (unsigned)at);
        at = -1;
    }
    return iter && are_elements(c, display_of(c->g, iter), at, depth);
}

/* ---- parameters --------------------------------------------------------------------------- */

struct parameter {
    uint32_t function, name; /* a name id */
    uint32_t symbol;         /* of the function, 0: it is a method */
    int at;                  /* among the positional ones, or -1 */
};

/* The default of a parameter, or 0. */
static uint32_t default_of(const struct gate *g, uint32_t arguments, uint32_t arg, int at)
{
    unsigned all = count_of(g, arguments, F_posonlyargs) + count_of(g, arguments, F_args);
    unsigned defaults = count_of(g, arguments, F_defaults), only = 0;
    if (at >= 0)
        return (unsigned)at + defaults < all
                   ? 0
                   : child_at(g, arguments, F_defaults, (unsigned)at + defaults - all);
    FOR_CHILDREN (g, c, arguments)
        only += N(g, c)->field == F_kwonlyargs && c < arg;
    uint32_t value = child_at(g, arguments, F_kw_defaults, only);
    return value && kind_of(g, value) != K_NONE ? value : 0;
}

/* A function of that name only, which is called and nothing else. */
static uint32_t symbol_of_called(const struct gate *g, uint32_t function)
{
    uint32_t s = gate_scope_resolve(g, N(g, function)->scope, N(g, function)->name);
    const struct bind *b = s ? only_bind(g, &g->symbols[s]) : NULL;
    int called = b && b->kind == BIND_FUNCTION && b->node == function;
    int of_class = g->scopes[g->symbols[s].scope].kind == SCOPE_CLASS; /* if 1: def m(self, n) */
    return called && !of_class && !(g->symbols[s].flags & SYMBOL_TAKEN) ? s : 0;
}

/* A method that nobody takes without calling it, nor the library calls. */
static int is_called_method(const struct gate *g, uint32_t function)
{
    uint32_t class = class_of_method(g, function);
    const struct name *name = NAME(g, N(g, function)->name);
    uint32_t s = class ? gate_scope_find(g, N(g, class)->link, N(g, function)->name) : 0;
    return s && g->symbols[s].kinds == BINDS(BIND_FUNCTION) && g->symbols[s].count == 1 &&
           !(g->symbols[s].flags & (SYMBOL_LOADED_IN_CLASS | SYMBOL_GLOBAL | SYMBOL_NONLOCAL)) &&
           (name->attr == ATTR_PLAIN || name->attr == ATTR_PRIVATE) &&
           name->max_args < USES_UNBOUND && !g->prefixed && !g->class_patterns && !g->packages &&
           library_calls(name->text) < 0 && !is_library_method(name->text) &&
           !gate_is_mixed(g, class) && !is_method_aliased(g, function);
}

/* What a call gives a parameter at that place. */
static int is_given_well(struct choices *c, uint32_t call, int at, uint32_t name, int depth)
{
    const struct gate *g = c->g;
    uint32_t positional = at >= 0 ? child_at(g, call, F_args, (unsigned)at) : 0;
    if (positional && !are_choices(c, positional, 1, depth))
        return 0;
    FOR_CHILDREN (g, k, call)
        if (N(g, k)->field == F_keywords && N(g, k)->name == name &&
            !are_choices(c, first_child(g, k), 1, depth))
            return 0;
    return !call_shape(g, call).starred;
}

static int is_call_of(const struct gate *g, uint32_t i, const struct parameter *p)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    if (p->symbol)
        return kind_of(g, func) == K_Name && N(g, func)->link == p->symbol;
    return kind_of(g, func) == K_Attribute && N(g, func)->name == N(g, p->function)->name;
}

/* Of a method the place may be one more: x.m("a"), C.m(x, "a"). */
static int are_given_well(struct choices *c, const struct parameter *p, int depth)
{
    const struct gate *g = c->g;
    int any = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (!may_go_on(g))
            return 0;
        if (!is_call_of(g, i, p))
            continue;
        any = 1;
        if (!is_given_well(c, i, p->at, p->name, depth) ||
            (!p->symbol && p->at >= 0 && !is_given_well(c, i, p->at - 1, p->name, depth)))
            return 0;
    }
    return any;
}

/* def f(rows, name), of which all calls are known. */
static int are_given(struct choices *c, const struct bind *b, int depth)
{
    const struct gate *g = c->g;
    uint32_t arguments = N(g, b->node)->parent, function = N(g, arguments)->parent;
    enum field field = (enum field)N(g, b->node)->field;
    struct parameter p = {.function = function, .name = N(g, b->node)->name, .at = -1};
    if (!is_function(g, function) || child_of(g, function, F_decorator_list) || field == F_vararg ||
        field == F_kwarg || c->given)
        return 0;
    FOR_CHILDREN (g, arg, arguments)
        p.at += field != F_kwonlyargs && arg <= b->node &&
                (N(g, arg)->field == F_posonlyargs || N(g, arg)->field == F_args);
    p.symbol = symbol_of_called(g, function);
    int in_class = is_in_field(g, function, K_ClassDef, F_body);
    if (in_class ? !is_called_method(g, function) || p.at == 0 : !p.symbol)
        return 0;
    p.symbol = in_class ? 0 : p.symbol;
    uint32_t given = default_of(g, arguments, b->node, p.at);
    uint32_t s = gate_scope_find(g, N(g, function)->link, p.name);
    c->given = &g->symbols[s];
    int known = (!given || is_none(g, given) || are_choices(c, given, 1, depth)) &&
                are_given_well(c, &p, depth);
    c->given = NULL;
    return known;
}

/* ---- names ------------------------------------------------------------------------------------ */

uint32_t value_assigned(const struct gate *g, const struct bind *b)
{
    return b->kind == BIND_ASSIGN ? child_of(g, N(g, b->node)->parent, F_value) : 0;
}

static int is_bound_well(struct choices *c, const struct bind *b, int far, int depth)
{
    uint32_t value = value_assigned(c->g, b);
    switch (b->kind) {
    case BIND_ASSIGN:
        return value && are_choices(c, value, far || symbol_of(c->g, value), depth);
    case BIND_FOR:
    case BIND_UNPACK:
        return are_of_loop(c, b, depth);
    default:
        return 0;
    }
}

static int are_bound(struct choices *c, const struct symbol *s, int far, int depth)
{
    const struct gate *g = c->g;
    const struct bind *only = only_bind(g, s);
    /* Before it is bound, it is another name's in a class, and a builtin in the module. */
    if (NAME(g, s->name)->builtin || (!only && g->scopes[s->scope].kind == SCOPE_CLASS))
        return 0;
    if (only && only->kind == BIND_PARAMETER)
        return are_given(c, only, depth);
    for (uint32_t b = s->first; b; b = g->binds[b].next)
        if (!may_go_on(g) || !is_bound_well(c, &g->binds[b], far, depth))
            return 0;
    return s->first != 0;
}

static int are_choices(struct choices *c, uint32_t i, int far, int depth)
{
    const struct gate *g = c->g;
    const struct symbol *s = symbol_of(g, i);
    if (depth > DEPTH_MAX || !i)
        return 0;
    if (s && s == c->given)
        return 1;
    if (s)
        return are_bound(c, s, far, depth + 1);
    if (kind_of(g, i) == K_IfExp)
        return are_choices(c, child_of(g, i, F_body), far, depth + 1) &&
               are_choices(c, child_of(g, i, F_orelse), far, depth + 1);
    return (!far || kind_of(g, i) == K_Constant) && c->judge(c->g, i);
}

int gate_are_choices(struct gate *g, uint32_t i, choice_judge *judge)
{
    struct choices c = {.g = g, .judge = judge};
    return are_choices(&c, i, 0, 0);
}
