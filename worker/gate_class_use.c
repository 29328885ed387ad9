/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_class_use: type(x) and x.__class__, which of a class are `type`, and that makes classes
 * from names in text. They may be compared, shown, asked for a name; a genuine self's may be
 * called. type() with three arguments may say what a class statement could.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- a class as a value ------------------------------------------------------------------ */

/*
 * D[type(x)], D.get(type(x)) with a dict that is displayed there, or once and never changes; its keys
 * are classes or constants, which do not look at what they are compared with.
 */
static int is_fixed_dict(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    uint32_t value = s ? only_value(g, s) : i;
    if (!value || kind_of(g, value) != K_Dict || (s && s->flags & SYMBOL_ESCAPES))
        return 0;
    FOR_CHILDREN (g, c, value) {
        if (N(g, c)->field != F_keys)
            break;
        if (kind_of(g, c) != K_Constant && !is_class_like(g, c))
            return 0;
    }
    return 1;
}

/* One that type(x) is looked for in: the same, or classes side by side. */
static int is_fixed_table(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    uint32_t value = s ? only_value(g, s) : i;
    enum kind kind = kind_of(g, value);
    if (kind == K_Tuple || kind == K_List || kind == K_Set)
        return is_class_like(g, value) && !(s && kind != K_Tuple && s->flags & SYMBOL_ESCAPES);
    return is_fixed_dict(g, i);
}

#define OPERANDS_MAX 16

int is_tame_comparison(const struct gate *g, uint32_t i, uint32_t compare)
{
    unsigned op = N(g, compare)->op, operands = 0;
    if (op == COMPARE_IDENTITY)
        return 1;
    if (op & COMPARE_ORDER || (op & COMPARE_IN && N(g, i)->field != F_left))
        return 0;
    FOR_CHILDREN (g, c, compare) {
        if (++operands > OPERANDS_MAX)
            return 0;
        if (c == i)
            continue;
        if (op & COMPARE_IN ? !is_fixed_table(g, c) : !is_class_like(g, c))
            return 0;
    }
    return 1;
}

/* Whether anything looks at what an exception holds. */
static int reads_errors(const struct gate *g)
{
    uint32_t id = gate_name_find_text(g, "args", sizeof("args") - 1);
    return g->prefixed || g->args_by_prefix || g->class_patterns ||
           (id && NAME(g, id)->max_args >= 0);
}

/* raise TypeError(type(x)) */
static int is_raised(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"Exception", "NotImplementedError", "RuntimeError",
                                        "TypeError", "ValueError"};
    uint32_t call = N(g, i)->parent;
    if (!is_in_field(g, call, K_Raise, F_exc) || reads_errors(g))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(text_of_name(g, first_child(g, call)), names[k]) == 0)
            return 1;
    return 0;
}

static int is_tame_argument(const struct gate *g, uint32_t i)
{
    uint32_t func = first_child(g, N(g, i)->parent);
    enum builtin what = builtin_sure(g, func);
    if (N(g, i)->field != F_args)
        return 0;
    if (kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "get") == 0)
        return child_of(g, N(g, i)->parent, F_args) == i && /* what is not there comes back */
               is_fixed_dict(g, first_child(g, func));
    return what == BUILTIN_ISINSTANCE || (what == BUILTIN_CLASS && is_raised(g, i)) ||
           is_only_shown(g, i);
}

int is_tame_class_use(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Attribute:
        return is_load(g, parent);
    case K_Expr:
        return 1;
    case K_Compare:
        return is_tame_comparison(g, i, parent);
    case K_Subscript:
        return N(g, i)->field == F_slice && is_load(g, parent) &&
               is_fixed_dict(g, first_child(g, parent)) && !reads_errors(g); /* a KeyError */
    case K_Call:
        return is_tame_argument(g, i);
    default:
        return is_instance_test(g, i) || is_only_shown(g, i);
    }
}

/* Once, and only for code that keeps a class: which names are used otherwise. */
static void find_class_escapes(struct gate *g)
{
    for (uint32_t i = 0; !g->class_escapes_known && i < g->node_count; i++) {
        struct symbol *s = symbol_of(g, i);
        if (s && !is_tame_class_use(g, i))
            s->flags |= SYMBOL_CLASS_ESCAPES;
    }
    g->class_escapes_known = 1;
}

/* T = type(x), where T is only used as above. */
static int is_kept_tame(struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    uint32_t target = kind_of(g, parent) == K_Assign && count_of(g, parent, F_targets) == 1
                          ? child_of(g, parent, F_targets)
                          : 0;
    if (!target || kind_of(g, target) != K_Name)
        return 0;
    find_class_escapes(g);
    uint32_t id = gate_scope_resolve(g, N(g, target)->scope, N(g, target)->name);
    const struct symbol *s = id ? &g->symbols[id] : NULL;
    return s && s->count == 1 && !(s->flags & SYMBOL_CLASS_ESCAPES);
}

static int is_display(const struct gate *g, uint32_t i)
{
    switch (N(g, i)->kind) {
    case K_Constant:
    case K_JoinedStr:
    case K_List:
    case K_Tuple:
    case K_Dict:
    case K_Set:
        return 1;
    default:
        return 0;
    }
}

/* The class of a genuine self; that of a member of an Enum can make classes as well. */
static int is_tame_own_class(const struct gate *g, uint32_t i, uint32_t object)
{
    uint32_t class = 0;
    if (!is_genuine_self(g, object, &class))
        return 0;
    if (!is_enum_class(g, class))
        return 1;
    struct call_shape shape = {.positional = 1};
    if (is_in_field(g, i, K_Call, F_func))
        shape = call_shape(g, N(g, i)->parent);
    return shape.positional == 1 && !shape.keywords && !shape.starred && is_class_context(g, i);
}

/*
 * What `except` binds, where it is bound: behind its block a global name, or one of a class body,
 * is that of something else again.
 */
static int is_caught(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    uint32_t handler = 0;
    if (!s || s->kinds != BINDS(BIND_EXCEPT))
        return 0;
    if (g->scopes[s->scope].kind != SCOPE_MODULE && g->scopes[s->scope].kind != SCOPE_CLASS)
        return 1; /* an unbound local is an error */
    for (uint32_t b = s->first; b && may_go_on(g); b = g->binds[b].next)
        if (g->binds[b].node < i && i < N(g, g->binds[b].node)->end)
            handler = g->binds[b].node;
    for (uint32_t b = s->first; handler && b && may_go_on(g); b = g->binds[b].next)
        if (handler < g->binds[b].node && g->binds[b].node < N(g, handler)->end)
            return 0; /* and unbound in between */
    return handler && N(g, i)->scope == s->scope;
}

int check_class_value(struct gate *g, uint32_t i, uint32_t object)
{
    int call = kind_of(g, i) == K_Call; /* type(x) */
    int unpacked = is_in_field(g, i, K_Call, F_func) && call_shape(g, N(g, i)->parent).starred;
    if (is_caught(g, object) && !unpacked) /* an exception, and never a class */
        return 0;
    if (is_tame_own_class(g, i, object) || is_tame_class_use(g, i) ||
        (call && (is_display(g, object) || is_kept_tame(g, i))))
        return 0;
    return gate_warn(g, RULE_TYPE_VALUE, i,
                     "The class of a value is kept or called: of a class it is `type`, which "
                     "makes new classes from names in text; isinstance() or `.__name__` is not "
                     "affected.");
}

/* The value of a dict display's key. */
static uint32_t value_of_key(const struct gate *g, uint32_t dict, uint32_t key)
{
    unsigned at = 0;
    FOR_CHILDREN (g, c, dict) {
        if (c == key)
            return child_at(g, dict, F_values, at);
        at++;
    }
    return 0;
}

/* What a class statement with that method would be asked about it. */
static int is_tame_made_method(const struct gate *g, const char *name, uint32_t body, uint32_t key)
{
    if (strcmp(name, "__deepcopy__") == 0)
        return 0; /* it gets what the whole copy is made of */
    if (g->enums && strcmp(name, "__get__") == 0)
        return 0; /* the Enum, perhaps, before it has members */
    return !gate_module_in_use(g, "dataclasses") || !makes_instances(name) ||
           has_plain_signature(g, value_of_key(g, body, key));
}

/* object, or a class of the source that holds nothing of others. */
static int is_plain_class(const struct gate *g, uint32_t i)
{
    uint32_t class = class_sure(g, i);
    return class ? class_facts_known(g, class) & CLASS_PLAIN && !count_of(g, class, F_bases)
                 : builtin_sure(g, i) == BUILTIN_CLASS;
}

/* type("Name", (Base,), {"method": ...}) as a class statement could have it. */
static int is_tame_factory(const struct gate *g, uint32_t call)
{
    uint32_t name = child_of(g, call, F_args), bases = child_at(g, call, F_args, 1);
    uint32_t body = child_at(g, call, F_args, 2);
    if (!string_of(g, name) || kind_of(g, bases) != K_Tuple || kind_of(g, body) != K_Dict)
        return 0;
    FOR_CHILDREN (g, c, bases)
        if (kind_of(g, c) == K_Starred || (g->packages && !is_plain_class(g, c)))
            return 0;
    FOR_CHILDREN (g, c, body) {
        PyObject *key = N(g, c)->field == F_keys ? string_of(g, c) : NULL;
        const char *text = key ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        PyErr_Clear();
        if (N(g, c)->field != F_keys)
            break;
        const struct dunder_row *row = text ? gate_dunder(text) : NULL;
        int method = row && row->flags & DUNDER_DEFINE && !(row->flags & DUNDER_STATIC) &&
                     strcmp(text, "__set_name__") != 0; /* these get the class */
        if (!text || !(row ? method : is_tame_attr_text(g, key)) ||
            !is_tame_made_method(g, text, body, c))
            return 0;
    }
    return 1;
}

int check_type_call(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    if (shape.positional == 1 && !shape.keywords && !shape.starred)
        return check_class_value(g, i, child_of(g, i, F_args));
    if (shape.positional == 3 && !shape.keywords && !shape.starred && is_tame_factory(g, i))
        return 0;
    return gate_warn(g, RULE_CLASS_FACTORY, i,
                     "type() makes a class here, with names that are not all known or not "
                     "allowed: they decide what the interpreter calls.");
}
