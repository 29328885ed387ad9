/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_enum: Enums of the source. One that has members makes no class from names in text; so
 * what surely is a member is told from what may be none, and where the class of one that has
 * none yet is handed to a method, that parameter may not be used in any way.
 */
#include "gate_int.h"

#include <string.h>

#define CHAIN_MAX 64u /* of classes derived from one another */

int is_enum_class(const struct gate *g, uint32_t class)
{
    return class_facts_known(g, class) & CLASS_ENUM || N(g, class)->flags & DERIVED_ENUM;
}

/* ---- members ------------------------------------------------------------------------- */

/* An instance of a class of the library that is no descriptor. */
static int makes_value(const struct gate *g, uint32_t call)
{
    static const char *const names[] = {"auto",      "compile", "date", "datetime", "deque",
                                        "frozenset", "member",  "time", "timedelta"};
    const struct export_name *row = export_sure(g, first_child(g, call));
    if (!row)
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(row->name, names[k]) == 0)
            return 1;
    return row->name[0] >= 'A' && row->name[0] <= 'Z' && row->kind == EXPORT_PLAIN;
}

#define OPERANDS_MAX 16

/* -1, 1 << 3: of constants only. */
static int is_arithmetic(const struct gate *g, uint32_t value)
{
    if (N(g, value)->end - value > OPERANDS_MAX)
        return 0;
    for (uint32_t i = value; i < N(g, value)->end; i++)
        if (kind_of(g, i) != K_BinOp && kind_of(g, i) != K_UnaryOp && kind_of(g, i) != K_Constant)
            return 0;
    return 1;
}

/* D(...) of a class that has nothing of a descriptor: bases of the code's own, or plain data. */
static int makes_own_value(const struct gate *g, uint32_t class, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t own = class_sure(g, c);
        const struct export_name *row = export_sure(g, c);
        int plain = builtin_sure(g, c) == BUILTIN_SELF_MATCH ||
                    (row && (row->kind == EXPORT_PLAIN_BASE || row->kind == EXPORT_NAMEDTUPLE));
        if (own ? depth == CHAIN_MAX || !makes_own_value(g, own, depth + 1) : !plain)
            return 0;
    }
    return 1;
}

/* A value that is no descriptor: functions and their like do not become members. */
static int makes_member(const struct gate *g, uint32_t value)
{
    static const char answers[] = "__getattr__";
    uint32_t id = gate_name_find_text(g, answers, sizeof(answers) - 1);
    switch (N(g, value)->kind) {
    case K_Constant:
    case K_Tuple:
    case K_List:
    case K_Dict:
    case K_Set:
    case K_JoinedStr:
        return 1;
    case K_UnaryOp:
    case K_BinOp:
        return is_arithmetic(g, value);
    case K_Call:
        return makes_value(g, value) || builtin_sure(g, value + 1) == BUILTIN_SELF_MATCH ||
               (is_own_instance(g, value) && !(id && NAME(g, id)->defined) &&
                makes_own_value(g, class_sure(g, first_child(g, value)), 0));
    default:
        return 0;
    }
}

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

/* The name of a member, and it stays in the class. */
static int names_member(const struct gate *g, uint32_t target)
{
    uint32_t s = kind_of(g, target) == K_Name
                     ? gate_scope_find(g, N(g, target)->scope, N(g, target)->name)
                     : 0;
    return s && NAME(g, N(g, target)->name)->text[0] != '_' &&
           !(g->symbols[s].flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL));
}

/* A, B = 1, 2: of a tuple the first is one for all. */
static int is_unpacked_member(const struct gate *g, uint32_t target, uint32_t value)
{
    uint32_t first = first_child(g, target);
    int display = kind_of(g, value) == K_Tuple || kind_of(g, value) == K_List;
    uint32_t member = display ? first_child(g, value) : 0;
    return first && names_member(g, first) &&
           (display ? member && makes_member(g, member) : string_of(g, value) != NULL);
}

/* An assignment that makes a member of an Enum. */
static int is_member(const struct gate *g, uint32_t statement)
{
    enum kind kind = kind_of(g, statement);
    uint32_t value = child_of(g, statement, F_value);
    if (kind != K_Assign && kind != K_AnnAssign)
        return 0;
    if (!value || !makes_member(g, value) || is_mentioned(g, "_ignore_") ||
        is_mentioned(g, "__delete__") || is_mentioned(g, "__get__") || is_mentioned(g, "__set__"))
        return 0;
    uint32_t target = child_of(g, statement, kind == K_Assign ? F_targets : F_target);
    return kind_of(g, target) == K_Tuple ? is_unpacked_member(g, target, value)
                                         : names_member(g, target);
}

int enum_has_members(const struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class)
        if (N(g, c)->field == F_body && is_member(g, c))
            return 1;
    return 0;
}

/* ---- parameters that get the class -------------------------------------------------- */

/* The parameter at that place, which gets a class. */
static void restrict_parameter(struct gate *g, uint32_t function, unsigned at)
{
    uint32_t arg = parameter_at(g, function, at);
    uint32_t s = arg ? gate_scope_find(g, N(g, function)->link, N(g, arg)->name) : 0;
    if (s)
        g->symbols[s].flags |=
            N(g, arg)->field == F_vararg ? SYMBOL_HOLDS_CLASS : SYMBOL_RESTRICTED;
}

/* `owner` of a descriptor that stands in an Enum. */
static void restrict_owners(struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class) {
        const char *name = is_function(g, c) ? NAME(g, N(g, c)->name)->text : "";
        if (N(g, c)->field == F_body &&
            (strcmp(name, "__get__") == 0 || strcmp(name, "__set_name__") == 0))
            restrict_parameter(g, c, gets_class_at(name));
    }
}

/* A name for something that is neither a function, nor a class, nor a constant. */
static int names_object(const struct gate *g, uint32_t i, uint32_t class)
{
    const struct symbol *s = symbol_of(g, i);
    const unsigned known =
        BINDS(BIND_FUNCTION) | BINDS(BIND_CLASS) | BINDS(BIND_EXPORT) | BINDS(BIND_MODULE);
    uint32_t value = only_value(g, s);
    if (!s || s->scope == N(g, class)->link || !(s->kinds & ~known))
        return 0;
    return !value || !makes_member(g, value) || kind_of(g, value) == K_Call;
}

/* Whether anything but constants, and what the library makes, stands in the body of an Enum. */
static int holds_objects(const struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_body)
            continue;
        for (uint32_t i = c; i < N(g, c)->end && !is_function(g, c) && may_go_on(g); i++)
            if ((kind_of(g, i) == K_Call && !export_sure(g, first_child(g, i))) ||
                (!(N(g, i)->flags & IN_ANNOTATION) && names_object(g, i, class)))
                return 1;
        FOR_CHILDREN (g, d, c)
            if (N(g, d)->field == F_decorator_list && !export_sure(g, d) &&
                builtin_what(g, d) == BUILTIN_NONE)
                return 1;
    }
    return 0;
}

/*
 * `cls` of an Enum without members can make a class from names in text; and each has none
 * while its first member is made.
 */
static void restrict_first_parameters(struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_body || !is_function(g, c))
            continue;
        const struct dunder_row *row = NAME(g, N(g, c)->name)->dunder;
        int of_class = row && row->flags & DUNDER_STATIC;
        FOR_CHILDREN (g, d, c)
            of_class |=
                N(g, d)->field == F_decorator_list && builtin_what(g, d) == BUILTIN_CLASSMETHOD;
        if (of_class)
            restrict_parameter(g, c, 0);
    }
}

/* classmethod(lambda cls: cls), bind = classmethod: of whatever function of the source. */
static void restrict_all_first_parameters(struct gate *g)
{
    int loose = 0;
    for (uint32_t i = 0; !loose && i < g->node_count; i++)
        loose = kind_of(g, i) == K_Name && is_load(g, i) &&
                builtin_what(g, i) == BUILTIN_CLASSMETHOD && N(g, i)->field != F_decorator_list;
    for (uint32_t i = 0; loose && i < g->node_count; i++)
        if (is_function(g, i) || kind_of(g, i) == K_Lambda)
            restrict_parameter(g, i, 0);
}

void restrict_in_enums(struct gate *g)
{
    int odd = 0;
    restrict_all_first_parameters(g);
    for (uint32_t i = 0; !odd && i < g->node_count; i++)
        odd = kind_of(g, i) == K_ClassDef && is_enum_class(g, i) && holds_objects(g, i);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (kind_of(g, i) != K_ClassDef)
            continue;
        if (is_enum_class(g, i))
            restrict_first_parameters(g, i);
        if (odd)
            restrict_owners(g, i);
    }
}
