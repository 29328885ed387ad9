/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package_buffer: what is surely a buffer in memory, or None: io.StringIO and io.BytesIO
 * that the source makes itself, under whatever name. A parameter is one where each call of its
 * function is seen, and gives it one. None opens no file: packages refuse it, or return text.
 */
#include "gate_int.h"
#include "gate_package.h"

#include <string.h>

#define CALLS_MAX 8 /* functions that hand it on to one another */

static int is_new_buffer(const struct gate *g, uint32_t i)
{
    if (i && kind_of(g, i) == K_NamedExpr)
        i = child_of(g, i, F_value);
    if (!i || kind_of(g, i) != K_Call)
        return 0;
    return package_is_export(g, first_child(g, i), "io", "StringIO") ||
           package_is_export(g, first_child(g, i), "io", "BytesIO");
}

/* a, b = x, y: what one of them is given. */
static uint32_t value_of_part(const struct gate *g, uint32_t i)
{
    uint32_t tuple = N(g, i)->parent, assign = N(g, tuple)->parent, at = 0;
    uint32_t value = kind_of(g, assign) == K_Assign ? child_of(g, assign, F_value) : 0;
    if (kind_of(g, tuple) != K_Tuple || N(g, tuple)->field != F_targets ||
        kind_of(g, value) != K_Tuple || count_of(g, value, F_elts) != count_of(g, tuple, F_elts))
        return 0;
    FOR_CHILDREN (g, c, tuple) {
        if (kind_of(g, c) == K_Starred)
            return 0;
        if (c == i)
            return child_at(g, value, F_elts, at);
        at++;
    }
    return 0;
}

/* What the binding gives the name, where that is an expression by itself. */
static uint32_t value_of_bind(const struct gate *g, const struct bind *b)
{
    uint32_t parent = N(g, b->node)->parent;
    switch (b->kind) {
    case BIND_ASSIGN:
    case BIND_WALRUS:
        return child_of(g, parent, F_value);
    case BIND_WITH:
        return kind_of(g, parent) == K_withitem ? child_of(g, parent, F_context_expr) : 0;
    case BIND_UNPACK:
        return value_of_part(g, b->node);
    default:
        return 0;
    }
}

static int is_buffer_at(const struct gate *g, uint32_t i, unsigned depth);

/* ---- parameters ------------------------------------------------------------------------- */

/* What the parameter is where no argument is given for it, or 0. */
static uint32_t default_of(const struct gate *g, uint32_t arguments, uint32_t arg)
{
    unsigned count = count_of(g, arguments, F_posonlyargs) + count_of(g, arguments, F_args);
    unsigned first = count - count_of(g, arguments, F_defaults), at = 0, keyword_at = 0;
    FOR_CHILDREN (g, c, arguments) {
        int positional = N(g, c)->field == F_posonlyargs || N(g, c)->field == F_args;
        if (c == arg && positional)
            return at < first ? 0 : child_at(g, arguments, F_defaults, at - first);
        if (c == arg)
            return N(g, c)->field == F_kwonlyargs
                       ? child_at(g, arguments, F_kw_defaults, keyword_at)
                       : 0;
        at += positional;
        keyword_at += N(g, c)->field == F_kwonlyargs;
    }
    return 0;
}

static int is_default_tame(const struct gate *g, uint32_t value)
{
    return !value || kind_of(g, value) == K_NONE || is_none(g, value) || is_new_buffer(g, value);
}

/* The call gives the parameter a buffer, or nothing. */
static int is_given_buffer(const struct gate *g, uint32_t call, uint32_t function, uint32_t arg,
                           unsigned depth)
{
    uint32_t given = keyword_of(g, call, package_name_of(g, arg));
    unsigned at = 0;
    if (call_shape(g, call).starred)
        return 0;
    for (uint32_t c = child_of(g, call, F_args); c && N(g, c)->field == F_args && may_go_on(g);
         c = next_child(g, call, c), at++)
        if (parameter_at(g, function, at) == arg)
            given = c;
    return !given || is_none(g, given) || is_buffer_at(g, given, depth + 1);
}

/* `s` is the function's: every load of it is a call that gives the parameter a buffer. */
static int are_calls_tame(const struct gate *g, const struct symbol *s, uint32_t function,
                          uint32_t arg, unsigned depth)
{
    for (uint32_t k = 0; k < g->node_count; k++) {
        if (!may_go_on(g))
            return 0;
        if (kind_of(g, k) != K_Name || N(g, k)->name != s->name)
            continue;
        if (symbol_of(g, k) != s) { /* another's, or no load */
            if (is_load(g, k) && !symbol_of(g, k))
                return 0;
            continue;
        }
        if (!is_in_field(g, k, K_Call, F_func) ||
            !is_given_buffer(g, N(g, k)->parent, function, arg, depth))
            return 0;
    }
    return 1;
}

/* Names that reach a function by other ways than its own. */
static int has_namespaces(const struct gate *g)
{
    static const char *const names[] = {"globals", "locals", "vars"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (gate_name_find_text(g, names[k], strlen(names[k])))
            return 1;
    return 0;
}

/* def save(buf=None): of a function that is called by its name only. */
static int is_buffer_parameter(const struct gate *g, uint32_t arg, unsigned depth)
{
    uint32_t arguments = N(g, arg)->parent, function = N(g, arguments)->parent;
    if (depth > CALLS_MAX || kind_of(g, function) != K_FunctionDef ||
        N(g, arg)->field == F_vararg || N(g, arg)->field == F_kwarg ||
        child_of(g, function, F_decorator_list) || has_namespaces(g) ||
        g->scopes[N(g, function)->scope].kind == SCOPE_CLASS)
        return 0;
    uint32_t s = gate_scope_resolve(g, N(g, function)->scope, N(g, function)->name);
    return s && g->symbols[s].kinds == BINDS(BIND_FUNCTION) && g->symbols[s].count == 1 &&
           is_default_tame(g, default_of(g, arguments, arg)) &&
           are_calls_tame(g, &g->symbols[s], function, arg, depth);
}

/* ---- names -------------------------------------------------------------------------------- */

/* What is bound to `s`: buf or io.StringIO(), `io.StringIO() if buf is None else buf` */
static int is_buffer_value(const struct gate *g, uint32_t i, const struct symbol *s, unsigned depth)
{
    if (!i || depth > CALLS_MAX)
        return 0;
    if (is_new_buffer(g, i) || symbol_of(g, i) == s || is_none(g, i))
        return 1;
    if (kind_of(g, i) == K_IfExp)
        return is_buffer_value(g, child_of(g, i, F_body), s, depth + 1) &&
               is_buffer_value(g, child_of(g, i, F_orelse), s, depth + 1);
    if (kind_of(g, i) != K_BoolOp)
        return 0;
    FOR_CHILDREN (g, c, i)
        if (!is_buffer_value(g, c, s, depth + 1))
            return 0;
    return 1;
}

/* Each binding of the name is a buffer or None. */
static int holds_buffers(const struct gate *g, const struct symbol *s, unsigned depth)
{
    if (!s || NAME(g, s->name)->builtin || g->scopes[s->scope].kind == SCOPE_CLASS)
        return 0;
    for (uint32_t b = s->first; b; b = g->binds[b].next) {
        const struct bind *bind = &g->binds[b];
        int tame = bind->kind == BIND_PARAMETER ? is_buffer_parameter(g, bind->node, depth)
                                                : is_buffer_value(g, value_of_bind(g, bind), s, 0);
        if (!may_go_on(g) || !tame)
            return 0;
    }
    return s->first != 0;
}

static int is_buffer_at(const struct gate *g, uint32_t i, unsigned depth)
{
    return i && (is_new_buffer(g, i) || holds_buffers(g, symbol_of(g, i), depth));
}

int package_is_buffer(const struct gate *g, uint32_t i)
{
    return is_buffer_at(g, i, 0);
}
