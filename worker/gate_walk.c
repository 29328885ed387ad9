/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_walk: each node of the tree once, in the order of the source, to the rules that
 * judge its kind. A kind without a rule does nothing by itself: its parts are judged.
 */
#include "gate_int.h"

#include <string.h>

static int check_except_star(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_EXCEPT_STAR, i,
                     "`except*` lets an exception of the code's own decide how it is taken apart, "
                     "which can bring the interpreter down.");
}

static int check_alias(struct gate *g, uint32_t i)
{
    return check_bound_dunder(g, i, N(g, i)->name2);
}

static int check_name(struct gate *g, uint32_t i)
{
    if (is_in_field(g, i, K_AugAssign, F_target) && check_name_store(g, i) < 0)
        return -1;
    return is_load(g, i) ? check_name_load(g, i) : check_name_store(g, i);
}

static int check_binder(struct gate *g, uint32_t i)
{
    return check_bound_dunder(g, i, N(g, i)->name);
}

/* global __setattr__ */
static int check_ident(struct gate *g, uint32_t i)
{
    return N(g, i)->field == F_names ? check_binder(g, i) : 0;
}

static int check_pattern(struct gate *g, uint32_t i)
{
    return check_class_pattern(g, i);
}

static int (*const checks[K_COUNT])(struct gate *, uint32_t) = {
    [K_Name] = check_name,
    [K_Attribute] = check_attribute,
    [K_Constant] = check_package_text,
    [K_Call] = check_call,
    [K_Import] = check_import,
    [K_ImportFrom] = check_import_from,
    [K_keyword] = check_keyword_name,
    [K_alias] = check_alias,
    [K_FunctionDef] = check_function,
    [K_AsyncFunctionDef] = check_function,
    [K_ClassDef] = check_class,
    [K_arg] = check_binder,
    [K_IDENT] = check_ident,
    [K_ExceptHandler] = check_binder,
    [K_MatchAs] = check_binder,
    [K_MatchStar] = check_binder,
    [K_MatchMapping] = check_binder,
    [K_MatchClass] = check_pattern,
    [K_TypeVar] = check_binder,
    [K_ParamSpec] = check_binder,
    [K_TypeVarTuple] = check_binder,
    [K_TryStar] = check_except_star,
};

static int check_node(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    if (n->flags & EVALUATED && n->kind != K_TypeVar && n->kind != K_ParamSpec &&
        n->kind != K_TypeVarTuple && check_annotation(g, i) < 0)
        return -1;
    return checks[n->kind] ? checks[n->kind](g, i) : 0;
}

/* What was copied to `self` is looked up by its names in text. */
static int check_wrapped_self(struct gate *g)
{
    if (!g->wrapped_self || !g->object_dicts)
        return 0;
    return gate_warn(g, RULE_COPIED_ATTRIBUTES, g->wrapped_self,
                     "This copies attributes by their names to `self`, and the code looks at the "
                     "dict where they are then found.");
}

/* Attributes that were taken for what a class's body says. */
static int check_class_parts(struct gate *g)
{
    if (!g->class_parts ||
        !(g->named_writes || g->dict_replaced || g->wrapped_self || g->hooked_copies))
        return 0;
    int registers = strcmp(NAME(g, N(g, g->class_parts)->name)->text, "register") == 0;
    enum field field = (enum field)N(g, g->class_parts)->field;
    int names = field == F_args || field == F_iter; /* getattr(x, self.p); for n in self.names */
    return gate_warn(g,
                     registers ? RULE_ANNOTATION
                     : names   ? RULE_ATTRIBUTE_BY_NAME
                               : RULE_FORMAT_RECEIVER,
                     g->class_parts,
                     "This goes by what stands in a class, and the code sets attributes by names "
                     "made at run time: it may be anything.");
}

int gate_walk(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++)
        if (check_node(g, i) < 0)
            return -1;
    return check_copies(g) < 0 || check_wrapped_self(g) < 0 || check_class_parts(g) < 0
               ? -1
               : gate_fields_check(g);
}
