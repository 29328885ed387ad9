/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_class: what is known of the classes that the source defines, from their bases. What
 * a base is must be certain; a class with any other base is known for nothing.
 */
#include "gate_int.h"

#include <string.h>

#define BASES_MAX 16  /* more: known for nothing */
#define CHAIN_MAX 64u /* of classes derived from one another */

static unsigned facts_of(struct gate *g, uint32_t class, unsigned depth, int *ret_failed);

/* Facts that a class without special bases has. */
#define ORDINARY (CLASS_PLAIN | CLASS_FIELDS_KNOWN | CLASS_REAL)
/* Facts that hold for a class when they hold for all of its bases, and for any of them. */
#define OF_ALL (CLASS_PLAIN | CLASS_FIELDS_KNOWN | CLASS_REAL)
#define OF_ANY (CLASS_ENUM | CLASS_ABSTRACT | CLASS_TEXT)

static unsigned facts_of_builtin(const struct gate *g, uint32_t base)
{
    const char *name = NAME(g, N(g, base)->name)->text;
    if (strcmp(name, "str") == 0)
        return ORDINARY | CLASS_TEXT;
    return strcmp(name, "AttributeError") == 0 ? CLASS_FIELDS_KNOWN | CLASS_REAL : ORDINARY;
}

static unsigned facts_of_export(const struct export_name *row)
{
    unsigned facts = ORDINARY;
    if (row->kind == EXPORT_ENUM)
        facts |= CLASS_ENUM;
    if (strcmp(row->name, "StrEnum") == 0 || strcmp(row->name, "UserString") == 0)
        facts |= CLASS_TEXT;
    if (strcmp(row->name, "ABC") == 0 || strcmp(row->name, "Protocol") == 0)
        facts |= CLASS_ABSTRACT;
    return facts;
}

/* Of a name that is bound more than once: the worst it may be. */
static unsigned facts_of_unsure(const struct gate *g, uint32_t base)
{
    const struct symbol *s = symbol_of(g, base);
    int class = s && (s->kinds & BINDS(BIND_CLASS) || s->exports & EXPORTS(EXPORT_ENUM));
    return CLASS_TEXT | CLASS_ABSTRACT | (class ? CLASS_ENUM : 0);
}

/* `namedtuple("P", "x y")` as a base, or assigned to the name that is one. */
static int is_literal_namedtuple(struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Call || !(exports_of(g, first_child(g, i)) & EXPORTS(EXPORT_NAMEDTUPLE)))
        return 0;
    uint32_t fields = child_at(g, i, F_args, 1);
    return fields && are_tame_field_names(g, fields);
}

static unsigned facts_of_base(struct gate *g, uint32_t base, unsigned depth, int *ret_failed)
{
    if (kind_of(g, base) == K_Subscript)
        base = first_child(g, base); /* Generic[T] */
    uint32_t class = class_sure(g, base);
    if (class)
        return facts_of(g, class, depth + 1, ret_failed);
    enum builtin what = builtin_sure(g, base);
    if (what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH)
        return facts_of_builtin(g, base);
    const struct export_name *row = export_sure(g, base);
    if (row)
        return facts_of_export(row);
    uint32_t value = only_value(g, symbol_of(g, base));
    if (is_literal_namedtuple(g, base) || (value && is_literal_namedtuple(g, value)))
        return ORDINARY;
    return facts_of_unsure(g, base);
}

/* An assignment that makes a member of an Enum. */
static int is_member(const struct gate *g, uint32_t statement)
{
    enum kind kind = kind_of(g, statement);
    if (kind != K_Assign && kind != K_AnnAssign)
        return 0;
    if (!child_of(g, statement, F_value))
        return 0;
    uint32_t target = child_of(g, statement, kind == K_Assign ? F_targets : F_target);
    return kind_of(g, target) == K_Tuple ||
           (kind_of(g, target) == K_Name && NAME(g, N(g, target)->name)->text[0] != '_');
}

static int has_members(const struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class)
        if (N(g, c)->field == F_body && is_member(g, c))
            return 1;
    return 0;
}

static unsigned facts_of_bases(struct gate *g, uint32_t class, unsigned depth, int *ret_failed)
{
    unsigned all = OF_ALL, any = 0, count = 0;
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field == F_keywords) /* metaclass=ABCMeta, and what is passed on */
            any |= CLASS_ABSTRACT;
        if (N(g, c)->field != F_bases)
            continue;
        unsigned facts = ++count > BASES_MAX ? CLASS_TEXT : facts_of_base(g, c, depth, ret_failed);
        all &= facts;
        any |= facts & OF_ANY;
    }
    return all | any;
}

static unsigned facts_of(struct gate *g, uint32_t class, unsigned depth, int *ret_failed)
{
    unsigned facts = gate_table_get(&g->class_facts, class);
    if (facts || depth > CHAIN_MAX) /* or a class derived from itself */
        return facts ? facts : CLASS_KNOWN | CLASS_TEXT | CLASS_ABSTRACT;
    facts = CLASS_KNOWN | CLASS_TEXT | CLASS_ABSTRACT;
    if (gate_table_put(&g->class_facts, class, facts) < 0)
        *ret_failed = 1;
    facts = CLASS_KNOWN | facts_of_bases(g, class, depth, ret_failed);
    if (facts & CLASS_ENUM && !has_members(g, class))
        facts |= CLASS_ENUM_EMPTY;
    if (gate_table_put(&g->class_facts, class, facts) < 0)
        *ret_failed = 1;
    return facts;
}

unsigned class_facts_known(const struct gate *g, uint32_t class_node)
{
    return gate_table_get(&g->class_facts, class_node);
}

/* `cls` of an Enum without members can make a class from names in text. */
static void restrict_first_parameters(struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_body || !is_function(g, c))
            continue;
        struct symbol *first = first_parameter(g, c);
        const struct dunder_row *row = NAME(g, N(g, c)->name)->dunder;
        int of_class = row && row->flags & DUNDER_STATIC;
        FOR_CHILDREN (g, d, c)
            of_class |=
                N(g, d)->field == F_decorator_list && builtin_what(g, d) == BUILTIN_CLASSMETHOD;
        if (first && of_class)
            first->flags |= SYMBOL_RESTRICTED;
    }
}

int class_facts_collect(struct gate *g)
{
    int failed = 0;
    for (uint32_t i = 0; i < g->node_count && !failed; i++) {
        if (kind_of(g, i) != K_ClassDef)
            continue;
        unsigned facts = facts_of(g, i, 0, &failed);
        g->texts |= (facts & CLASS_TEXT) != 0;
        uint32_t s = gate_scope_resolve(g, N(g, i)->scope, N(g, i)->name);
        if (s && facts & CLASS_ENUM_EMPTY)
            g->symbols[s].flags |= SYMBOL_ENUM_EMPTY;
        if (facts & CLASS_ENUM_EMPTY)
            restrict_first_parameters(g, i);
    }
    return failed ? -1 : 0;
}
