/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_pattern: class patterns read attributes: the ones that their keywords name, and
 * those that the class's __match_args__ names for positions. The first are judged like any
 * attribute; the second only of classes whose names are all in the source.
 */
#include "gate_int.h"

#include <string.h>

static int warn_keyword(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_PATTERN, i,
                     "This pattern reads the attribute `%s`, which leads to private parts or to "
                     "the interpreter.",
                     NAME(g, N(g, i)->name)->text);
}

static int check_keyword(struct gate *g, uint32_t i)
{
    enum rule_id rule;
    unsigned attr = NAME(g, N(g, i)->name)->attr;
    int refused = is_dispatch_word(g, NAME(g, N(g, i)->name)->text) || attr == ATTR_DUNDER ||
                  attr == ATTR_FORMAT || attr == ATTR_OBJ ||
                  gate_hands_table_out(g, NAME(g, N(g, i)->name)->text) ||
                  refusal_of_attr(g, N(g, i)->name, &rule);
    return refused ? warn_keyword(g, i) : 0;
}

/* P = namedtuple("P", "x y") */
static int is_known_namedtuple(const struct gate *g, uint32_t i)
{
    uint32_t call = only_value(g, symbol_of(g, i));
    if (!call || kind_of(g, call) != K_Call)
        return 0;
    const struct export_name *row = export_sure(g, first_child(g, call));
    uint32_t fields = child_at(g, call, F_args, 1);
    return row && row->kind == EXPORT_NAMEDTUPLE && fields && are_tame_field_names(g, fields);
}

static int has_known_positions(const struct gate *g, uint32_t class, unsigned positions)
{
    if (builtin_sure(g, class) == BUILTIN_SELF_MATCH)
        return positions == 1;
    uint32_t own = class_sure(g, class);
    if (own)
        return (class_facts_known(g, own) & CLASS_FIELDS_KNOWN) != 0;
    return is_known_namedtuple(g, class);
}

int check_class_pattern(struct gate *g, uint32_t i)
{
    unsigned positions = count_of(g, i, F_patterns);
    FOR_CHILDREN (g, c, i)
        if (N(g, c)->field == F_kwd_attrs && check_keyword(g, c) < 0)
            return -1;
    if (positions == 0 || has_known_positions(g, child_of(g, i, F_cls), positions))
        return 0;
    return gate_warn(g, RULE_PATTERN, i,
                     "The positions of this pattern read attributes whose names only the class "
                     "knows: they are not all in this code. Write the names instead.");
}
