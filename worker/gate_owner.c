/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_owner: attributes under names that classes give: a descriptor is told its own in
 * `__set_name__`, keeps "_" + name, and reads and sets that of the object that it is found on. The
 * names are those that stand in the bodies of classes, as long as nobody else calls
 * `__set_name__`, makes classes otherwise, or sets what is kept; each is judged with its prefix.
 */
#include "gate_int.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 100 /* of one that is put together; longer ones get no proof */

/* `name` of `def __set_name__(self, owner, name)`. */
static int is_given_name(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    uint32_t arguments = b && b->kind == BIND_PARAMETER ? N(g, b->node)->parent : 0;
    uint32_t function = arguments ? N(g, arguments)->parent : 0;
    return function && class_of_method(g, function) && N(g, b->node)->field == F_args &&
           strcmp(NAME(g, N(g, function)->name)->text, "__set_name__") == 0 &&
           !child_of(g, function, F_decorator_list) && parameter_at(g, function, 2) == b->node;
}

/* The "_" of "_" + name, f"_{name}", or NULL. */
static PyObject *prefix_of_kept(const struct gate *g, uint32_t i)
{
    uint32_t first = first_child(g, i), rest = 0;
    if (kind_of(g, i) == K_BinOp && N(g, i)->op == K_Add)
        rest = child_of(g, i, F_right);
    else if (kind_of(g, i) == K_JoinedStr && count_of(g, i, F_values) == 2)
        rest = child_at(g, i, F_values, 1);
    if (kind_of(g, rest) == K_FormattedValue)
        rest = child_of(g, rest, F_format_spec) ? 0 : first_child(g, rest);
    return rest && is_given_name(g, rest) ? string_of(g, first) : NULL;
}

/* self.p = "_" + name; a second one is the same. */
static int is_kept_well(const struct gate *g, uint32_t store, PyObject **prefix)
{
    uint32_t statement = N(g, store)->parent;
    if (!is_in_field(g, store, K_Assign, F_targets) ||
        !is_genuine_self(g, first_child(g, store), NULL))
        return 0;
    PyObject *text = prefix_of_kept(g, child_of(g, statement, F_value));
    if (!text || (*prefix && PyUnicode_Compare(*prefix, text) != 0))
        return 0;
    *prefix = text;
    return 1;
}

/* Whether classes get names from elsewhere than their bodies. */
static int makes_class(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Call && builtin_what(g, first_child(g, i)) == BUILTIN_TYPE &&
           count_of(g, i, F_args) > 1;
}

/* The prefix of what the attribute holds wherever it is set, or NULL. */
static PyObject *prefix_kept(const struct gate *g, uint32_t name)
{
    PyObject *prefix = NULL;
    for (uint32_t i = 0; i < g->node_count; i++) {
        PyObject *text = string_of(g, i);
        int sets = kind_of(g, i) == K_Attribute && !is_load(g, i) && N(g, i)->name == name;
        if (!may_go_on(g) || (text && gate_name_find(g, text) == name) || makes_class(g, i) ||
            (sets && !is_kept_well(g, i, &prefix)))
            return NULL;
    }
    return prefix;
}

/* Nothing but classes of the code's own, whose instances have what that gives them. */
static int has_own_bases(const struct gate *g, uint32_t class, int depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t own = class_sure(g, c);
        const struct export_name *row = export_sure(g, c);
        if (own ? depth > 8 || !has_own_bases(g, own, depth + 1)
                : !row || row->kind != EXPORT_PLAIN_BASE)
            return 0;
    }
    return 1;
}

static int is_defined(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

/* Whether `self.p` is what the code sets as such, or nothing. */
static int is_own_part(const struct gate *g, uint32_t attribute)
{
    uint32_t class, name = N(g, attribute)->name;
    if (!is_genuine_self(g, first_child(g, attribute), &class) || NAME(g, name)->is_field ||
        NAME(g, name)->is_prefixed || NAME(g, name)->attr > ATTR_PRIVATE || g->bases_meet ||
        is_defined(g, "__getattr__") || is_defined(g, "__getattribute__") ||
        !has_own_bases(g, class, 0))
        return 0;
    return class_facts_known(g, class) & CLASS_PLAIN && !gate_is_mixed(g, class);
}

/* ---- whose attributes --------------------------------------------------------------------- */

static int is_own_object_here(const struct gate *g, uint32_t i)
{
    return is_genuine_self(g, i, NULL) || is_own_value(g, i) || class_sure(g, i) ||
           is_owner_instance(g, i);
}

/* Whether a descriptor of the code's could get into a class of the library. */
static int may_change_others(const struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        uint32_t base = kind_of(g, i) == K_Attribute && !is_load(g, i) ? first_child(g, i) : 0;
        if (kind_of(g, i) == K_Call && builtin_what(g, first_child(g, i)) == BUILTIN_SETATTR)
            base = child_of(g, i, F_args);
        if (!may_go_on(g) || (base && !is_own_object_here(g, base)))
            return 1;
    }
    return g->derives_abroad;
}

/* ---- the names ------------------------------------------------------------------------------ */

/* A function or class without decorators, or a constant: no descriptor of the code's. */
static int is_bound_to_other(const struct gate *g, const struct symbol *s)
{
    for (uint32_t b = s->first; b; b = g->binds[b].next) {
        uint32_t value = value_assigned(g, &g->binds[b]);
        int defines = g->binds[b].kind == BIND_FUNCTION || g->binds[b].kind == BIND_CLASS;
        enum kind kind = value ? kind_of(g, value) : K_NONE;
        int plain = kind == K_Constant || kind == K_Tuple || kind == K_List || kind == K_Dict;
        if (!may_go_on(g) ||
            !(plain || (defines && !child_of(g, g->binds[b].node, F_decorator_list))))
            return 0;
    }
    return 1;
}

/* Whether "_" + name is a private part that nobody else has. */
static int is_tame_made(const struct gate *g, PyObject *prefix, const char *name, int others)
{
    char text[NAME_MAX_LEN];
    const struct attr_row *row;
    Py_ssize_t len;
    const char *first = PyUnicode_AsUTF8AndSize(prefix, &len);
    if (!first)
        PyErr_Clear();
    if (!first || first[0] != '_' || (size_t)len != strlen(first) ||
        (size_t)len + strlen(name) >= sizeof(text))
        return 0;
    (void)snprintf(text, sizeof(text), "%s%s", first, name);
    for (size_t k = 0; text[k]; k++)
        if ((unsigned char)text[k] >= 0x80)
            return 0;
    return gate_attr_class(text, strlen(text), &row) == ATTR_PRIVATE &&
           !gate_is_library_part(g, text) && !(others && is_private_of_library(text));
}

static int ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return n <= len && strcmp(text + len - n, end) == 0;
}

/* An attribute that is put on a class later may name a descriptor, too: dataclass(slots=True) says so. */
static int are_stored_tame(const struct gate *g, PyObject *prefix, int others)
{
    for (uint32_t id = 1; id < g->name_count; id++)
        if (NAME(g, id)->stored_elsewhere && !is_tame_made(g, prefix, NAME(g, id)->text, others))
            return 0;
    return 1;
}

/* kept: the attribute that keeps it, which no class binds, and no descriptor may set. */
static int are_made_tame(const struct gate *g, PyObject *prefix, const char *kept)
{
    int others = may_change_others(g);
    if (!are_stored_tame(g, prefix, others))
        return 0;
    for (uint32_t s = 1; s < g->symbol_count; s++) {
        const struct symbol *symbol = &g->symbols[s];
        const char *name = NAME(g, symbol->name)->text;
        if (g->scopes[symbol->scope].kind != SCOPE_CLASS)
            continue;
        if (!may_go_on(g) || strcmp(name, kept) == 0 || (kept[0] == '_' && ends_with(kept, name)))
            return 0;
        if (!is_bound_to_other(g, symbol) && !is_tame_made(g, prefix, name, others))
            return 0;
    }
    return 1;
}

/* getattr(obj, self.p), setattr(obj, self.p, value) */
int is_owner_name(struct gate *g, uint32_t object, uint32_t text)
{
    static const char set_name[] = "__set_name__";
    uint32_t id = gate_name_find_text(g, set_name, sizeof(set_name) - 1);
    if (!id || NAME(g, id)->max_args >= 0 || kind_of(g, text) != K_Attribute || g->packages ||
        gate_module_in_use(g, "enum") || !is_own_part(g, text) || !is_owner_instance(g, object))
        return 0;
    PyObject *prefix = prefix_kept(g, N(g, text)->name);
    if (!prefix || !are_made_tame(g, prefix, NAME(g, N(g, text)->name)->text))
        return 0;
    if (!g->class_parts)
        g->class_parts = text;
    return 1;
}
