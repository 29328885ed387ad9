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

/* ---- decorators -------------------------------------------------------------------- */

/* The symbol of a function that is nothing else, and not decorated: its node. */
static uint32_t plain_function(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    if (!b || b->kind != BIND_FUNCTION || kind_of(g, b->node) != K_FunctionDef)
        return 0;
    return child_of(g, b->node, F_decorator_list) ? 0 : b->node;
}

/* Whether all that the function returns is its first parameter, or a function that does so. */
static int hands_back(const struct gate *g, uint32_t function, int depth)
{
    const struct symbol *first = first_parameter(g, function);
    for (uint32_t i = function; i < N(g, function)->end && may_go_on(g); i++) {
        if (N(g, i)->scope != N(g, function)->link)
            continue;
        if (kind_of(g, i) == K_Yield || kind_of(g, i) == K_YieldFrom)
            return 0;
        if (kind_of(g, i) != K_Return)
            continue;
        uint32_t value = first_child(g, i);
        uint32_t inner = value && depth > 0 ? plain_function(g, value) : 0;
        if (depth > 0 ? !inner || !hands_back(g, inner, 0)
                      : !value || !first || first->count != 1 || symbol_of(g, value) != first)
            return 0;
    }
    return 1;
}

int is_tame_decorator(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"dataclass", "final",          "runtime_checkable",
                                        "unique",    "total_ordering", "verify"};
    int call = kind_of(g, i) == K_Call;
    uint32_t func = call ? first_child(g, i) : i;
    const struct export_name *row = export_sure(g, func);
    for (size_t k = 0; row && k < ARRAY_LEN(names); k++)
        if (strcmp(row->name, names[k]) == 0)
            return !call || strcmp(row->name, "verify") == 0 ||
                   (k == 0 && !child_of(g, i, F_args)); /* final(f) is f, whatever f is */
    uint32_t function = plain_function(g, func);
    return function && hands_back(g, function, call);
}

int is_shown_to_code(const struct gate *g, uint32_t class)
{
    for (uint32_t c = first_child(g, class); c && N(g, c)->field == F_decorator_list;
         c = next_child(g, class, c))
        if (!export_sure(g, kind_of(g, c) == K_Call ? first_child(g, c) : c))
            return 1;
    return 0;
}

int stays_class(const struct gate *g, uint32_t class)
{
    struct node *n = N(g, class);
    if (n->flags & DECORATORS_KNOWN)
        return (n->flags & DECORATORS_TAME) != 0;
    n->flags |= DECORATORS_KNOWN; /* asked again meanwhile: no */
    for (uint32_t c = first_child(g, class); c && N(g, c)->field == F_decorator_list;
         c = next_child(g, class, c))
        if (!is_tame_decorator(g, c))
            return 0;
    n->flags |= DECORATORS_TAME;
    return 1;
}

/* ---- bases --------------------------------------------------------------------------- */

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

/* Classes of the library made by `type`; the others may have a register(). */
static int is_concrete(const char *name)
{
    static const char *const names[] = {
        "Counter",    "Decimal",     "Formatter", "Generic",         "JSONDecoder", "JSONEncoder",
        "NamedTuple", "OrderedDict", "Random",    "SimpleNamespace", "TypedDict",   "date",
        "datetime",   "defaultdict", "deque",     "timedelta",       "tzinfo"};
    static const char *const ends[] = {"Error", "Exception", "Warning"};
    size_t len = strlen(name);
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return 1;
    for (size_t k = 0; k < ARRAY_LEN(ends); k++)
        if (len > strlen(ends[k]) && strcmp(name + len - strlen(ends[k]), ends[k]) == 0)
            return 1;
    return 0;
}

static unsigned facts_of_export(const struct export_name *row)
{
    unsigned facts = ORDINARY;
    if (row->kind == EXPORT_PACKAGE || row->kind == EXPORT_SHAPED) /* who knows what is in it? */
        return CLASS_TEXT | CLASS_ABSTRACT | (is_package_class(row) ? CLASS_REAL : 0);
    if (row->kind == EXPORT_ENUM)
        facts |= CLASS_ENUM;
    if (strcmp(row->name, "StrEnum") == 0 || strcmp(row->name, "UserString") == 0 ||
        strcmp(row->name, "Text") == 0)
        facts |= CLASS_TEXT;
    if (strcmp(row->name, "FrozenInstanceError") == 0)
        facts &= ~(unsigned)CLASS_PLAIN; /* an AttributeError */
    if (row->kind != EXPORT_ENUM && !is_concrete(row->name))
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
static unsigned facts_of_namedtuple(struct gate *g, uint32_t i)
{
    const struct export_name *row = kind_of(g, i) == K_Call ? export_sure(g, i + 1) : NULL;
    if (!row || row->kind != EXPORT_NAMEDTUPLE)
        return 0;
    uint32_t fields = child_at(g, i, F_args, 1);
    return fields && are_tame_field_names(g, fields) ? ORDINARY : CLASS_REAL | CLASS_PLAIN;
}

int gate_stands_for_another(const struct gate *g, uint32_t base)
{
    static const char *const names[] = {"Annotated", "ClassVar", "Concatenate", "Final",
                                        "Literal",   "NewType",  "NotRequired", "Optional",
                                        "ReadOnly",  "Required", "Type",        "TypeGuard",
                                        "TypeIs",    "Union",    "Unpack"};
    const struct export_name *row = export_sure(g, base);
    for (size_t k = 0; row && k < ARRAY_LEN(names); k++)
        if (strcmp(row->name, names[k]) == 0)
            return 1;
    return 0;
}

/* A base whose __get__ hands an object of the caller's choice to another descriptor's. */
static void note_descriptor_base(struct gate *g, uint32_t base)
{
    static const char *const names[] = {"cached_property", "partialmethod", "singledispatchmethod"};
    enum builtin what = builtin_sure(g, base);
    const struct export_name *row = export_sure(g, base);
    int known = class_sure(g, base) || what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH || row;
    for (size_t k = 0; row && k < ARRAY_LEN(names); k++)
        known &= strcmp(row->name, names[k]) != 0;
    g->descriptor_bases |= !known;
}

/* type("B", (A,), {}) */
static int is_made_class(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_TYPE &&
           count_of(g, i, F_args) == 3;
}

#define BINDS_LOOKED_AT 8

/* A name that is bound to one class or another: by an import, else by a class statement. */
static int are_all_classes(struct gate *g, const struct symbol *s, unsigned depth, int *ret_failed)
{
    const unsigned kinds = BINDS(BIND_CLASS) | BINDS(BIND_EXPORT);
    if (!s || s->count > BINDS_LOOKED_AT || s->kinds & ~kinds || NAME(g, s->name)->builtin)
        return 0;
    for (uint32_t b = s->first; b; b = g->binds[b].next) {
        uint32_t node = g->binds[b].node;
        if (g->binds[b].kind == BIND_CLASS &&
            !(stays_class(g, node) && facts_of(g, node, depth + 1, ret_failed) & CLASS_REAL))
            return 0;
    }
    return 1;
}

static unsigned facts_of_base(struct gate *g, uint32_t base, unsigned depth, int *ret_failed)
{
    int subscript = kind_of(g, base) == K_Subscript; /* Generic[T] */
    base = subscript ? first_child(g, base) : base;
    if (subscript && gate_stands_for_another(g, base)) {
        g->descriptor_bases = 1;
        return facts_of_unsure(g, base);
    }
    note_descriptor_base(g, base);
    uint32_t class = class_sure(g, base);
    unsigned facts = class ? facts_of(g, class, depth + 1, ret_failed) : 0;
    if (subscript && (facts & CLASS_ENUM || (class && decides_subscripts(g))))
        return facts_of_unsure(g, base); /* a member, or whatever the class says */
    if (class)
        return facts;
    enum builtin what = builtin_sure(g, base);
    if (what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH)
        return facts_of_builtin(g, base);
    const struct export_name *row = export_sure(g, base);
    if (row)
        return facts_of_export(row);
    uint32_t value = only_value(g, symbol_of(g, base));
    facts = facts_of_namedtuple(g, value ? value : base);
    if (facts)
        return facts;
    int made = is_made_class(g, value ? value : base) ||
               are_all_classes(g, symbol_of(g, base), depth, ret_failed);
    return facts_of_unsure(g, base) | (made ? CLASS_REAL : 0);
}

static void note_all_as_enums(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++)
        N(g, i)->flags |= kind_of(g, i) == K_ClassDef ? DERIVED_ENUM : 0;
}

/* Their methods may run while the Enum has no members yet. */
static void note_enum_bases(struct gate *g, uint32_t class, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t named = kind_of(g, c) == K_Subscript ? first_child(g, c) : c;
        uint32_t base = class_sure(g, named);
        if (depth > CHAIN_MAX || gate_is_unknown_base(g, c)) {
            note_all_as_enums(g);
            return;
        }
        if (!base || N(g, base)->flags & DERIVED_ENUM)
            continue;
        N(g, base)->flags |= DERIVED_ENUM;
        note_enum_bases(g, base, depth + 1);
    }
}

static unsigned facts_of_bases(struct gate *g, uint32_t class, unsigned depth, int *ret_failed)
{
    unsigned all = OF_ALL, any = 0, count = 0, mixed = 0, plain = 0;
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field == F_keywords) /* metaclass=ABCMeta, and what is passed on */
            any |= CLASS_ABSTRACT;
        if (N(g, c)->field != F_bases)
            continue;
        unsigned facts = ++count > BASES_MAX ? CLASS_TEXT : facts_of_base(g, c, depth, ret_failed);
        all &= facts;
        any |= facts & OF_ANY;
        plain |= class_sure(g, c) && facts & CLASS_PLAIN;
        mixed |= !(facts & CLASS_ENUM) && (class_sure(g, c) || !(facts & CLASS_REAL));
    }
    if (any & CLASS_ENUM)
        note_enum_bases(g, class, 0);
    g->enum_mixins |= mixed && any & CLASS_ENUM;
    g->mixins |= plain && !(all & CLASS_PLAIN);
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
    if (facts & CLASS_ENUM && !enum_has_members(g, class))
        facts |= CLASS_ENUM_EMPTY;
    if (gate_table_put(&g->class_facts, class, facts) < 0)
        *ret_failed = 1;
    return facts;
}

unsigned class_facts_known(const struct gate *g, uint32_t class_node)
{
    return gate_table_get(&g->class_facts, class_node);
}

/* The bases of a class that a call makes: type("C", (A, B), {}), E("F", "X Y", type=A). */
static void note_made_class(struct gate *g, uint32_t i, int *ret_failed)
{
    int is_enum = gate_module_in_use(g, "enum");
    int is_type = builtin_what(g, first_child(g, i)) == BUILTIN_TYPE;
    if (!is_enum && !is_type)
        return;
    uint32_t bases = child_at(g, i, F_args, 1), type = keyword_of(g, i, "type");
    if (is_type && bases) {
        g->mixins = 1;
        FOR_CHILDREN (g, c, bases)
            g->texts |= (facts_of_base(g, c, 0, ret_failed) & CLASS_TEXT) != 0;
    }
    if (is_enum && !type && call_shape(g, i).starred &&
        facts_of_base(g, first_child(g, i), 0, ret_failed) & CLASS_ENUM)
        note_all_as_enums(g); /* E("F", "A", **{"type": C}) */
    if (!type || !is_enum)
        return;
    g->bases_meet = 1;
    g->texts |= (facts_of_base(g, type, 0, ret_failed) & CLASS_TEXT) != 0;
    if (class_sure(g, type)) {
        N(g, class_sure(g, type))->flags |= DERIVED_ENUM;
        note_enum_bases(g, class_sure(g, type), 0);
    }
    if (builtin_sure(g, type) == BUILTIN_NONE && !class_sure(g, type))
        note_all_as_enums(g);
    g->enum_mixins |= builtin_sure(g, type) == BUILTIN_NONE;
}

int class_facts_collect(struct gate *g)
{
    int failed = 0;
    for (uint32_t i = 0; i < g->node_count && !failed; i++) {
        if (kind_of(g, i) == K_Call)
            note_made_class(g, i, &failed);
        if (kind_of(g, i) != K_ClassDef)
            continue;
        unsigned facts = facts_of(g, i, 0, &failed);
        g->texts |= (facts & CLASS_TEXT) != 0;
        g->abstracts |= (facts & CLASS_ABSTRACT) != 0;
        uint32_t s = gate_scope_resolve(g, N(g, i)->scope, N(g, i)->name);
        if (s && facts & CLASS_ENUM_EMPTY)
            g->symbols[s].flags |= SYMBOL_ENUM_EMPTY;
        if (facts & CLASS_ENUM)
            g->enums = 1;
    }
    if (g->enums)
        restrict_in_enums(g);
    return failed ? -1 : 0;
}
