/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_field: the Field objects of dataclasses. The methods of a dataclass are written as
 * text from the names of its fields, so whoever can set the name of one writes code. They
 * are harmless where they stay: `x: int = field(...)` in a dataclass, `for f in fields(C)`
 * with only attributes of f read.
 */
#include "gate_int.h"

#include <string.h>

static int has_name(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

/* @dataclass, the first of the decorators to be applied. */
static int is_dataclass(const struct gate *g, uint32_t class)
{
    unsigned count = count_of(g, class, F_decorator_list);
    uint32_t last = count ? child_at(g, class, F_decorator_list, count - 1) : 0;
    const struct export_name *row =
        last ? export_sure(g, kind_of(g, last) == K_Call ? first_child(g, last) : last) : NULL;
    return row && row->kind == EXPORT_DATACLASS;
}

/* ---- dataclass() itself: of what is no class, the names of fields may be any text ---------- */

/* A class decorator, and what it gets is a class of the source. */
static int decorates_class(const struct gate *g, uint32_t i)
{
    uint32_t class = N(g, i)->parent;
    if (!is_in_field(g, i, K_ClassDef, F_decorator_list) ||
        !(class_facts_known(g, class) & CLASS_REAL))
        return 0;
    for (uint32_t c = N(g, i)->end; N(g, c)->field == F_decorator_list && may_go_on(g);
         c = N(g, c)->end)
        if (N(g, c)->parent != class || !is_tame_decorator(g, c))
            return 0;
    return 1;
}

static int gets_class(const struct gate *g, uint32_t call)
{
    struct call_shape shape = call_shape(g, call);
    uint32_t class = child_of(g, call, F_args);
    return shape.positional == 1 && !shape.starred && is_real_class(g, class);
}

/* frozen = dataclass(frozen=True), which then only decorates. */
static int only_decorates(const struct gate *g, uint32_t call)
{
    uint32_t statement = N(g, call)->parent;
    uint32_t target =
        is_in_field(g, call, K_Assign, F_value) ? child_of(g, statement, F_targets) : 0;
    if (!target || kind_of(g, target) != K_Name || count_of(g, statement, F_targets) != 1)
        return 0;
    uint32_t s = gate_scope_resolve(g, N(g, target)->scope, N(g, target)->name);
    if (g->symbols[s].flags & SYMBOL_KEPT && g->scopes[g->symbols[s].scope].kind == SCOPE_CLASS)
        return 0;
    for (uint32_t i = 0; s && i < g->node_count && may_go_on(g); i++)
        if (kind_of(g, i) == K_Name && is_load(g, i) && N(g, i)->link == s &&
            !decorates_class(g, i))
            return 0;
    return s && g->symbols[s].count == 1;
}

int is_dataclass_use(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent;
    if (!is_in_field(g, i, K_Call, F_func))
        return decorates_class(g, i) || is_unseen_type(g, i);
    if (count_of(g, call, F_args) > 0)
        return gets_class(g, call);
    return decorates_class(g, call) || only_decorates(g, call) ||
           (is_in_field(g, call, K_Call, F_func) && gets_class(g, N(g, call)->parent));
}

/* ---- where the objects stay ------------------------------------------------------------------ */

/* x: int = field(...), before anybody else sees the class. */
static int stays_in_class(const struct gate *g, uint32_t call)
{
    uint32_t statement = N(g, call)->parent;
    if (!is_in_field(g, call, K_AnnAssign, F_value) ||
        !is_in_field(g, statement, K_ClassDef, F_body) || !is_dataclass(g, N(g, statement)->parent))
        return 0;
    uint32_t target = child_of(g, statement, F_target);
    uint32_t s = kind_of(g, target) == K_Name
                     ? gate_scope_find(g, N(g, target)->scope, N(g, target)->name)
                     : 0;
    return s && !(g->symbols[s].flags & (SYMBOL_LOADED_IN_CLASS | SYMBOL_GLOBAL)) &&
           !has_name(g, "__init_subclass__") && !has_name(g, "__set_name__");
}

/* for f in fields(x), len(fields(x)) */
static int stays_in_loop(const struct gate *g, uint32_t call)
{
    uint32_t parent = N(g, call)->parent;
    if (is_in_field(g, call, K_Call, F_args))
        return builtin_sure(g, first_child(g, parent)) == BUILTIN_PLAIN &&
               count_of(g, parent, F_args) == 1 && !count_of(g, parent, F_keywords) &&
               strcmp(NAME(g, N(g, first_child(g, parent))->name)->text, "len") == 0;
    if (N(g, call)->field != F_iter)
        return 0;
    uint32_t target = child_of(g, parent, F_target);
    if (kind_of(g, target) != K_Name)
        return 0;
    uint32_t s = gate_scope_resolve(g, N(g, target)->scope, N(g, target)->name);
    return s && !(g->symbols[s].flags & SYMBOL_KEPT);
}

static int stays(const struct gate *g, uint32_t i, uint32_t exports)
{
    uint32_t call = N(g, i)->parent;
    if (!is_in_field(g, i, K_Call, F_func))
        return 0;
    if (exports & EXPORTS(EXPORT_FIELD) && !stays_in_class(g, call))
        return 0;
    return !(exports & EXPORTS(EXPORT_FIELDS)) || stays_in_loop(g, call);
}

/* `_: KW_ONLY` is no field. */
static int is_mark(const struct gate *g, uint32_t target)
{
    const struct export_name *row = export_sure(g, child_of(g, N(g, target)->parent, F_annotation));
    return row && strcmp(row->name, "KW_ONLY") == 0;
}

/* Others' attributes are read and set by the name of a field: getattr(x, f.name). */
static void note_field(struct gate *g, uint32_t target)
{
    uint32_t id = N(g, target)->name, class = g->scopes[N(g, target)->scope].node;
    if (is_mark(g, target))
        return;
    if (strncmp(NAME(g, id)->text, "__", 2) == 0)
        id = gate_name_mangled(g, N(g, target)->scope, id);
    PyErr_Clear(); /* memory will be missed elsewhere */
    unsigned odd = id && is_tame_attr_text(g, NAME(g, id)->str) ? 0 : FIELD_READS;
    if (!id || NAME(g, id)->text[0] == '_')
        odd |= FIELD_SETS;
    if (odd && (!(class_facts_known(g, class) & CLASS_PLAIN) || gate_is_mixed(g, class)))
        odd |= FIELD_OF_OTHERS;
    g->odd_fields |= (unsigned char)odd;
}

/* It is what it was when the loop began: no other value, and not looked at once it has ended. */
static int is_still_there(const struct gate *g, uint32_t object, uint32_t loop)
{
    const struct symbol *s = symbol_of(g, object);
    const struct bind *b = only_bind(g, s);
    uint32_t target = child_of(g, loop, F_target);
    int name = kind_of(g, target) == K_Name;
    uint32_t f = name ? gate_scope_resolve(g, N(g, target)->scope, N(g, target)->name) : 0;
    if (!b || !f || N(g, object)->flags & IN_ANNOTATION ||
        !runs_in(g, N(g, object)->scope, g->symbols[f].scope))
        return 0;
    int made = kind_of(g, loop) == K_comprehension;
    return (made ? b->kind == BIND_PARAMETER || runs_in(g, g->symbols[f].scope, s->scope)
                 : branch_of(g, loop, object) && g->symbols[f].scope == s->scope) &&
           !branch_of(g, loop, b->node);
}

/* The variable that fields() was asked about, too: it has them. */
static int has_those_fields(const struct gate *g, uint32_t object, uint32_t fields)
{
    const struct symbol *s = symbol_of(g, object);
    return s && symbol_of(g, child_of(g, fields, F_args)) == s && !g->texts &&
           is_still_there(g, object, N(g, fields)->parent) && !(g->odd_fields & FIELD_OF_OTHERS);
}

int is_tame_field_use(const struct gate *g, uint32_t object, uint32_t fields, int sets)
{
    return has_those_fields(g, object, fields) ||
           !(g->odd_fields & (sets ? FIELD_READS | FIELD_SETS : FIELD_READS));
}

void gate_fields_judge(struct gate *g)
{
    int used = gate_module_in_use(g, "dataclasses");
    for (uint32_t i = 0; used && i < g->node_count; i++)
        if (kind_of(g, i) == K_Name && is_in_field(g, i, K_AnnAssign, F_target) &&
            g->scopes[N(g, i)->scope].kind == SCOPE_CLASS)
            note_field(g, i);
}

void gate_fields_collect(struct gate *g)
{
    for (uint32_t i = 0; g->fields_made && !g->fields_roam && i < g->node_count; i++) {
        int load = (kind_of(g, i) == K_Name || kind_of(g, i) == K_Attribute) && is_load(g, i);
        uint32_t exports = load ? exports_of(g, i) : 0;
        if (exports & (EXPORTS(EXPORT_FIELD) | EXPORTS(EXPORT_FIELDS)) && !stays(g, i, exports))
            g->fields_roam = 1;
    }
}

int gate_fields_check(struct gate *g)
{
    if (!g->fields_roam || !g->name_writes)
        return 0;
    return gate_warn(g, RULE_CLASS_FIELD, g->name_writes,
                     "This could set the name of a field of a dataclass, and the methods of a "
                     "dataclass are code that is written from such names.");
}
