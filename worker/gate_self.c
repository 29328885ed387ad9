/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_self: when `self` is an instance of a class of the source, for sure. A method is a
 * plain function: taken from its class it can be called with anything in the place of
 * `self`, and of a class or a builtin all methods of the interpreter could be read by name.
 * So each way in which the function could be taken or called otherwise is looked for, in
 * the whole source (gate_facts.c), and one is enough to give up.
 */
#include "gate_int.h"

#include <string.h>

/* ---- functions and classes ------------------------------------------------------------------------ */

uint32_t function_around(const struct gate *g, uint32_t i)
{
    uint32_t scope = N(g, i)->scope;
    while (g->scopes[scope].kind == SCOPE_COMPREHENSION || g->scopes[scope].kind == SCOPE_TYPE)
        scope = g->scopes[scope].parent;
    return scope ? g->scopes[scope].node : 0;
}

uint32_t class_of_method(const struct gate *g, uint32_t function)
{
    if (!function || !is_function(g, function) || !is_in_field(g, function, K_ClassDef, F_body))
        return 0;
    uint32_t class = N(g, function)->parent;
    uint32_t s = gate_scope_find(g, N(g, class)->link, N(g, function)->name);
    int leaves = s && g->symbols[s].flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL);
    return leaves ? 0 : class; /* `global f` in a class body */
}

static uint32_t first_parameter_node(const struct gate *g, uint32_t function)
{
    uint32_t arguments = child_of(g, function, F_args);
    uint32_t first = arguments ? child_of(g, arguments, F_posonlyargs) : 0;
    return first || !arguments ? first : child_of(g, arguments, F_args);
}

struct symbol *first_parameter(const struct gate *g, uint32_t function)
{
    uint32_t arg = first_parameter_node(g, function);
    uint32_t s = arg ? gate_scope_find(g, N(g, function)->link, N(g, arg)->name) : 0;
    return s ? &g->symbols[s] : NULL;
}

uint32_t parameter_at(const struct gate *g, uint32_t function, unsigned at)
{
    uint32_t arguments = child_of(g, function, F_args);
    unsigned first = arguments ? count_of(g, arguments, F_posonlyargs) : 0;
    if (!arguments)
        return 0;
    uint32_t arg = at < first ? child_at(g, arguments, F_posonlyargs, at)
                              : child_at(g, arguments, F_args, at - first);
    return arg ? arg : child_of(g, arguments, F_vararg);
}

enum wrapping { NOT_WRAPPED, WRAPPED_AS_PROPERTY, WRAPPED };

/* `@name.setter` over a function of that name. */
static int is_setter(const struct gate *g, uint32_t decorator, uint32_t function)
{
    const char *attr =
        kind_of(g, decorator) == K_Attribute ? NAME(g, N(g, decorator)->name)->text : "";
    return (strcmp(attr, "setter") == 0 || strcmp(attr, "deleter") == 0) &&
           kind_of(g, decorator + 1) == K_Name && N(g, decorator + 1)->name == N(g, function)->name;
}

/* A property and its setters, and nothing else under that name in the class. */
static int is_property_family(const struct gate *g, uint32_t function)
{
    uint32_t s = gate_scope_find(g, N(g, function)->scope, N(g, function)->name);
    if (!s || g->symbols[s].kinds != BINDS(BIND_FUNCTION) || g->symbols[s].count > 4)
        return 0;
    uint32_t first = g->symbols[s].first;
    for (uint32_t b = first; b; b = g->binds[b].next) {
        uint32_t member = g->binds[b].node, decorator = child_of(g, member, F_decorator_list);
        if (!decorator || count_of(g, member, F_decorator_list) != 1)
            return 0;
        if (b == first ? builtin_sure(g, decorator) != BUILTIN_PROPERTY
                       : !is_setter(g, decorator, member))
            return 0;
    }
    return 1;
}

/* What the decorators make of a method. */
static enum wrapping wrapping_of(const struct gate *g, uint32_t function)
{
    if (!child_of(g, function, F_decorator_list))
        return NOT_WRAPPED;
    if (is_property_family(g, function))
        return WRAPPED_AS_PROPERTY;
    FOR_CHILDREN (g, c, function) {
        if (N(g, c)->field != F_decorator_list)
            continue;
        const struct export_name *row = export_sure(g, c);
        if (!row || row->kind != EXPORT_TRANSPARENT)
            return WRAPPED;
    }
    return NOT_WRAPPED;
}

/* How many positional arguments every call needs, `self` not counted. */
static int required_arguments(const struct gate *g, uint32_t function)
{
    uint32_t arguments = child_of(g, function, F_args);
    if (!arguments)
        return 0;
    int count = (int)count_of(g, arguments, F_posonlyargs) + (int)count_of(g, arguments, F_args) -
                (int)count_of(g, arguments, F_defaults);
    return count > 0 ? count - 1 : 0;
}

/* Whether the class itself has it under a second name. */
int is_method_aliased(const struct gate *g, uint32_t function)
{
    uint32_t class = class_of_method(g, function);
    uint32_t s = class ? gate_scope_find(g, N(g, class)->link, N(g, function)->name) : 0;
    if (s && g->symbols[s].flags & SYMBOL_LOADED_IN_CLASS)
        return 1;
    FOR_CHILDREN (g, c, class) {
        uint32_t value = kind_of(g, c) == K_Assign ? child_of(g, c, F_value) : 0;
        if (value && kind_of(g, value) == K_Name && N(g, value)->name == N(g, function)->name)
            return 1;
    }
    return 0;
}

/* def m(self=C): C.m() calls it with that. */
static int has_default_self(const struct gate *g, uint32_t function)
{
    uint32_t arguments = child_of(g, function, F_args);
    return arguments && count_of(g, arguments, F_posonlyargs) + count_of(g, arguments, F_args) <=
                            count_of(g, arguments, F_defaults);
}

/* An Enum calls the __repr__ of a base with the member's value, and compares the others of its bases. */
static int is_taken_by_enums(const char *name)
{
    static const char *const names[] = {"__repr__", "__str__", "__format__", "__reduce_ex__"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return 1;
    return 0;
}

/* Whether whoever calls a method by that name gives `self` an instance, and the arguments needed. */
static int is_called_well_by(const struct gate *g, uint32_t class, uint32_t id, int required)
{
    const struct name *name = NAME(g, id);
    uint32_t s = gate_scope_find(g, N(g, class)->link, id);
    if (!s || g->symbols[s].flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL | SYMBOL_LOADED_IN_CLASS))
        return 0;
    if (g->enum_mixins && is_taken_by_enums(name->text))
        return 0;
    if (gate_library_calls(g, name->text) > required)
        return 0;
    int called_well = name->max_args <= required;
    if (name->attr == ATTR_DUNDER)
        return name->dunder && (name->dunder->flags & DUNDER_DEFINE) &&
               !(name->dunder->flags & DUNDER_STATIC) && (name->dunder->calls < 0 || called_well);
    if (name->attr == ATTR_SUNDER || name->attr == ATTR_TAME)
        return 0;
    return !g->prefixed && !(g->class_patterns && g->abstracts) && called_well;
}

/* `__add__ = m`: C.__add__(x) calls m, with x as `self` when there are too few arguments. */
static int is_called_well_as(const struct gate *g, uint32_t class, uint32_t function, int required)
{
    FOR_CHILDREN (g, c, class) {
        uint32_t value = kind_of(g, c) == K_Assign ? child_of(g, c, F_value) : 0;
        if (!value || kind_of(g, value) != K_Name || N(g, value)->name != N(g, function)->name)
            continue;
        FOR_CHILDREN (g, target, c)
            if (target != value && (NAME(g, N(g, target)->name)->max_args > required ||
                                    !is_called_well_by(g, class, N(g, target)->name, required)))
                return 0;
    }
    return 1;
}

int is_only_method(const struct gate *g, uint32_t function)
{
    uint32_t class = class_of_method(g, function);
    if (!class || (first_parameter_node(g, function) && has_default_self(g, function)))
        return 0;
    /* An instance as a base is handed the functions of the class. */
    if (!(class_facts_known(g, class) & CLASS_REAL))
        return 0;
    uint32_t id = N(g, function)->name;
    if (g->enum_mixins && is_taken_by_enums(NAME(g, id)->text))
        return 0;
    enum wrapping wrapping = wrapping_of(g, function);
    uint32_t s = gate_scope_find(g, N(g, class)->link, id);
    int loaded = !s || g->symbols[s].flags & SYMBOL_LOADED_IN_CLASS;
    if (wrapping == WRAPPED_AS_PROPERTY) /* no other class gets it afterwards: property_seal.c */
        return !g->odd_classmethods && !NAME(g, id)->is_field && !loaded;
    if (wrapping == WRAPPED ||
        (g->packages && g->class_is_value)) /* np.take(C, x): C.take(x, ...) */
        return 0;
    int required = required_arguments(g, function);
    return is_called_well_by(g, class, id, required) &&
           is_called_well_as(g, class, function, required);
}

/* The method that the parameter is `self` of, or 0. */
static uint32_t method_of_self(const struct gate *g, const struct bind *b)
{
    if (!b || b->kind != BIND_PARAMETER)
        return 0;
    uint32_t function = N(g, N(g, b->node)->parent)->parent;
    int is_self = first_parameter_node(g, function) == b->node && is_only_method(g, function);
    return is_self ? function : 0;
}

int is_genuine_self(const struct gate *g, uint32_t i, uint32_t *ret_class)
{
    struct symbol *s = symbol_of(g, i);
    const struct bind *b = only_bind(g, s);
    if (!b)
        return 0;
    if (!(s->flags & SYMBOL_SELF_KNOWN))
        s->flags |= SYMBOL_SELF_KNOWN | (method_of_self(g, b) ? SYMBOL_SELF_GENUINE : 0);
    if (!(s->flags & SYMBOL_SELF_GENUINE))
        return 0;
    if (ret_class)
        *ret_class = class_of_method(g, N(g, N(g, b->node)->parent)->parent);
    return 1;
}

static int is_class_call(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_Call)
        return builtin_sure(g, i + 1) == BUILTIN_TYPE && count_of(g, i, F_args) == 1 &&
               count_of(g, i, F_keywords) == 0;
    return kind_of(g, i) == K_Attribute && strcmp(NAME(g, N(g, i)->name)->text, "__class__") == 0;
}

int is_class_like(const struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    if (kind == K_Tuple || kind == K_List || kind == K_Set) {
        FOR_CHILDREN (g, c, i)
            if (kind_of(g, c) == K_Tuple || !is_class_like(g, c))
                return 0;
        return 1;
    }
    enum builtin what = builtin_sure(g, i);
    return what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH || is_none(g, i) ||
           class_sure(g, i) || export_sure(g, i) || is_class_call(g, i);
}
