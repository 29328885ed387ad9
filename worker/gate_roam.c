/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_roam: classes in other hands. The library calls methods of what it is given as
 * `x.append(y)`; of a class that is the plain function, with y in the place of `self`. (Its own
 * methods look at their `self` when they are called: method_seal.c.)
 */
#include "gate_int.h"

#include <string.h>

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

static int is_defined(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

/* ---- classes of the source that are passed on --------------------------------------------- */

/* warnings.warn("text", C): its category, which comes back in what is recorded only. */
static int is_category(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"filterwarnings", "simplefilter", "warn"};
    uint32_t parent = N(g, i)->parent;
    int keyword = kind_of(g, parent) == K_keyword;
    uint32_t call = keyword ? N(g, parent)->parent : parent;
    const struct export_name *row = kind_of(g, call) == K_Call && first_child(g, call) != i
                                        ? export_sure(g, first_child(g, call))
                                        : NULL;
    if (!row || is_mentioned(g, "catch_warnings") || call_shape(g, call).starred ||
        (keyword ? strcmp(NAME(g, N(g, parent)->name)->text, "category") != 0
                 : child_of(g, call, F_args) == i))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], row->name) == 0)
            return 1;
    return 0;
}

/* Keywords whose callee calls what they are given. Others keep it, and hand it out. */
static const struct {
    const char *keyword, *callee;
} callbacks[] = {
    {"cls", "dump"},
    {"cls", "dumps"},
    {"cls", "load"},
    {"cls", "loads"},
    {"default_factory", "defaultdict"},
    {"default_factory", "field"},
    {"key", "bisect"},
    {"key", "bisect_left"},
    {"key", "bisect_right"},
    {"key", "groupby"},
    {"key", "insort"},
    {"key", "insort_left"},
    {"key", "insort_right"},
    {"key", "max"},
    {"key", "merge"},
    {"key", "min"},
    {"key", "nlargest"},
    {"key", "nsmallest"},
    {"key", "sort"},
    {"key", "sorted"},
};

static const char *name_of_builtin(const struct gate *g, uint32_t callee)
{
    return builtin_sure(g, callee) != BUILTIN_NONE ? NAME(g, N(g, callee)->name)->text : "";
}

/* The callee's own name, where it is known: of an export, a builtin, or list.sort. */
static const char *name_of_callee(const struct gate *g, uint32_t callee)
{
    const struct export_name *row = export_sure(g, callee);
    const struct name *name = NAME(g, N(g, callee)->name);
    int sorts = kind_of(g, callee) == K_Attribute && strcmp(name->text, "sort") == 0 &&
                !name->defined && !name->may_be_set && !name->is_keyword;
    if (row)
        return row->name;
    return sorts ? name->text : name_of_builtin(g, callee);
}

static int is_callback(const struct gate *g, uint32_t keyword)
{
    const char *name = NAME(g, N(g, keyword)->name)->text;
    const char *callee = name_of_callee(g, first_child(g, N(g, keyword)->parent));
    for (size_t k = 0; k < ARRAY_LEN(callbacks); k++)
        if (is_same(callbacks[k].keyword, name) && is_same(callbacks[k].callee, callee))
            return 1;
    return 0;
}

/* What calls the class, and does nothing else with it. */
static int is_called_there(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"defaultdict", "filter", "map", "partial"};
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) == K_keyword)
        return kind_of(g, N(g, parent)->parent) == K_Call && /* not class A(Base, key=C) */
               is_callback(g, parent) &&
               (strcmp(NAME(g, N(g, parent)->name)->text, "cls") != 0 ||
                is_encoder_class(g, class_sure(g, i)));
    uint32_t func = first_child(g, parent);
    int known = builtin_sure(g, func) != BUILTIN_NONE || export_sure(g, func);
    const char *name = NAME(g, N(g, func)->name)->text;
    for (size_t k = 0; known && k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return child_of(g, parent, F_args) == i;
    return 0;
}

int gate_called_with(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) == K_keyword)
        return kind_of(g, N(g, parent)->parent) == K_Call && is_callback(g, parent) &&
                       strcmp(NAME(g, N(g, parent)->name)->text, "key") == 0
                   ? 1
                   : -1;
    struct call_shape shape = call_shape(g, parent);
    const char *name =
        is_in_field(g, i, K_Call, F_args) ? name_of_builtin(g, first_child(g, parent)) : "";
    if (child_of(g, parent, F_args) != i || shape.starred || shape.keywords)
        return -1;
    if (strcmp(name, "map") == 0)
        return (int)shape.positional - 1;
    return shape.positional != 2         ? -1
           : strcmp(name, "filter") == 0 ? 1
           : strcmp(name, "iter") == 0   ? 0
                                         : -1;
}

/* Whether a method of the code may be what `x == C` or `C in x` asks, which gets the class. */
static int answers_comparisons(const struct gate *g)
{
    static const char *const names[] = {"__contains__", "__eq__",   "__ge__", "__getitem__",
                                        "__gt__",       "__iter__", "__le__", "__lt__",
                                        "__ne__",       "__next__"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (is_defined(g, names[k]))
            return 1;
    return 0;
}

static int stays_put(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (N(g, i)->flags & IN_ANNOTATION || N(g, i)->field == F_decorator_list ||
        is_class_context(g, i))
        return 1;
    switch (N(g, parent)->kind) {
    case K_Expr:
    case K_Raise:
    case K_ExceptHandler:
        return 1;
    case K_Compare:
        return !g->compares || is_tame_comparison(g, i, parent);
    case K_Tuple:
        return is_in_field(g, parent, K_ExceptHandler, F_type);
    case K_Call:
    case K_keyword:
        return is_called_there(g, i) || is_category(g, i) ||
               builtin_sure(g, first_child(g, parent)) == BUILTIN_SUPER;
    default:
        return 0;
    }
}

/* Methods that get a class, and at which place: that of an exception, or of an instance. */
unsigned gets_class_at(const char *name)
{
    static const struct {
        const char *name;
        unsigned at;
    } rows[] = {{"__aexit__", 1},    {"__exit__", 1}, {"__get__", 2},
                {"__set_name__", 1}, {"athrow", 1},   {"throw", 1}};
    for (size_t k = 0; k < ARRAY_LEN(rows); k++)
        if (is_same(rows[k].name, name))
            return rows[k].at;
    return 0;
}

/* @classmethod, or a decorator that may come to the same. */
static int may_bind_class(const struct gate *g, uint32_t function)
{
    FOR_CHILDREN (g, c, function) {
        uint32_t func = kind_of(g, c) == K_Call ? first_child(g, c) : c;
        if (N(g, c)->field != F_decorator_list)
            break;
        int setter = kind_of(g, c) == K_Attribute && kind_of(g, c + 1) == K_Name &&
                     N(g, c + 1)->name == N(g, function)->name;
        if (!setter && builtin_sure(g, c) != BUILTIN_PROPERTY && !export_sure(g, func))
            return 1;
    }
    return 0;
}

static int gets_class(const struct gate *g, const struct symbol *s)
{
    const struct bind *b = s->kinds & BINDS(BIND_PARAMETER) ? &g->binds[s->first] : NULL;
    uint32_t arguments = b && b->kind == BIND_PARAMETER ? N(g, b->node)->parent : 0;
    uint32_t function = arguments ? N(g, arguments)->parent : 0;
    if (!function || g->scopes[N(g, function)->scope].kind != SCOPE_CLASS)
        return 0; /* wherever in the class it stands */
    unsigned at = gets_class_at(NAME(g, N(g, function)->name)->text);
    if (at && parameter_at(g, function, at) == b->node)
        return 1;
    if (parameter_at(g, function, 0) != b->node)
        return 0;
    const struct dunder_row *row = NAME(g, N(g, function)->name)->dunder;
    return (row && row->flags & DUNDER_STATIC) || may_bind_class(g, function);
}

/* `cls` of a method, `owner` of a descriptor's. */
static int is_class_parameter(const struct gate *g, struct symbol *s)
{
    if (!(s->flags & SYMBOL_CLASS_KNOWN))
        s->flags |= SYMBOL_CLASS_KNOWN | (gets_class(g, s) ? SYMBOL_IS_CLASS : 0);
    return (s->flags & SYMBOL_IS_CLASS) != 0;
}

static int is_class_value(const struct gate *g, uint32_t i)
{
    struct symbol *s = symbol_of(g, i);
    if (s)
        return s->kinds & BINDS(BIND_CLASS) || is_class_parameter(g, s);
    if (kind_of(g, i) == K_Attribute)
        return is_load(g, i) &&
               (NAME(g, N(g, i)->name)->is_nested_class || IS_NAMED(g, N(g, i)->name, "__class__"));
    return kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_TYPE;
}

/* `t` of `__exit__(self, t, error, trace)`: the class of whatever was raised. */
int is_raised_class(const struct gate *g, uint32_t i)
{
    struct symbol *s = symbol_of(g, i);
    uint32_t function = function_around(g, i);
    if (function && is_function(g, function) &&
        strcmp(NAME(g, N(g, function)->name)->text, "__set_name__") == 0)
        return 0; /* the class that it stands in; what it is called with otherwise is sealed */
    return s && is_class_parameter(g, s) &&
           N(g, N(g, g->binds[s->first].node)->parent)->kind == K_arguments &&
           first_parameter(g, function) != s;
}

/* print, json.dumps: where they go, any arguments may come. */
static int is_caller_passed_on(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"dump",   "dumps", "load",      "loads", "pp",
                                        "pprint", "print", "print_exc", "writer"};
    enum kind kind = kind_of(g, i);
    if ((kind != K_Name && kind != K_Attribute) || !is_load(g, i) ||
        is_in_field(g, i, K_Call, F_func))
        return 0;
    if (builtin_what(g, i) == BUILTIN_NONE && !exports_of(g, i))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (is_same(NAME(g, N(g, i)->name)->text, names[k]))
            return 1;
    return 0;
}

/* A class that gets out of sight; its methods could be called by way of another name. */
/* C[int], which answers to C's names; of an Enum it is a member. */
static int is_class_alias(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), class = class_sure(g, base);
    if (kind_of(g, i) != K_Subscript || !is_load(g, i) || !is_class_value(g, base))
        return 0;
    class = class ? class : class_of_method(g, function_around(g, i));
    return !class || !is_enum_class(g, class);
}

/* A class in a class that is a member, the default of a field, or found by a text or pattern. */
static int is_value_of_class(const struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    const struct scope *around = &g->scopes[N(g, i)->scope];
    return around->kind == SCOPE_CLASS &&
           (name->is_field || name->may_be_set || name->kept || is_enum_class(g, around->node));
}

int gate_hands_out_classes(const struct gate *g)
{
    if (is_mentioned(g, "catch_warnings") && is_mentioned(g, "category"))
        return 1;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (kind_of(g, i) == K_ClassDef && is_value_of_class(g, i))
            return 1;
    return 0;
}

/* What hands out classes that the code nowhere passes on by name. */
static int has_other_ways(const struct gate *g)
{
    static const char *const names[] = {"AsyncExitStack", "ExitStack", "get_args", "registry"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (is_mentioned(g, names[k]))
            return 1;
    return g->fields || g->fields_roam || gate_is_read(g, READS_DEFAULT_FACTORY) ||
           gate_is_read(g, READS_REGISTRY) ||
           (is_mentioned(g, "partial") && gate_is_read(g, READS_FUNC));
}

/* Of most names it can be told at once that they hold no class. */
static int may_be_class(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    if (s)
        return (s->kinds & (BINDS(BIND_CLASS) | BINDS(BIND_PARAMETER))) != 0;
    return kind_of(g, i) == K_Subscript ? is_class_alias(g, i) : is_class_value(g, i);
}

static int roams(const struct gate *g, uint32_t i)
{
    return may_be_class(g, i) && !stays_put(g, i) &&
           (kind_of(g, i) == K_Subscript || is_class_value(g, i));
}

static void note_roaming(struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    if (kind != K_Name && kind != K_Attribute && kind != K_Call && kind != K_Subscript)
        return;
    g->classes_roam = roams(g, i);
}

/* Who calls methods of what it is given. */
static void note_callers(struct gate *g)
{
    g->library_callers = gate_callers(g) | (g->hooked_copies ? OF_COPY : 0);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (kind_of(g, i) == K_keyword)
            g->library_callers |= gate_caller_of_keyword(g, i);
        if (is_caller_passed_on(g, i))
            g->library_callers |= OF_FILE | OF_JSON;
    }
}

/* `*args` of a method that gets a class there, and `__set_name__ = f`: who knows where it goes? */
static int takes_class_unseen(const struct gate *g, uint32_t i)
{
    if (g->scopes[N(g, i)->scope].kind != SCOPE_CLASS ||
        (kind_of(g, i) != K_Name && !is_function(g, i)))
        return 0;
    const struct name *name = NAME(g, N(g, i)->name);
    unsigned at = gets_class_at(name->text);
    int static_method = name->dunder && name->dunder->flags & DUNDER_STATIC;
    if (kind_of(g, i) == K_Name)
        return N(g, i)->op == K_Store && (at || static_method);
    if (!is_function(g, i) || !(at || static_method || may_bind_class(g, i)))
        return 0;
    uint32_t first = parameter_at(g, i, 0);
    return first && N(g, first)->field == F_vararg;
}

void gate_roam_collect(struct gate *g)
{
    g->classes_roam = g->free_classmethod || has_other_ways(g) ||
                      (is_mentioned(g, "catch_warnings") && is_mentioned(g, "category"));
    g->compares = answers_comparisons(g);
    g->copied_methods = g->hooked_copies && is_mentioned(g, "__deepcopy__");
    for (size_t k = 0; k < ARRAY_LEN(g->modules); k++)
        g->imports |= g->modules[k];
    for (uint32_t i = 0; i < g->node_count; i++) {
        g->classes_roam |= takes_class_unseen(g, i);
        if (kind_of(g, i) == K_ClassDef) {
            g->hidden_parts |= gate_has_hidden_parts(g, i, 0);
            g->enum_makers |= is_enum_class(g, i) && is_defined(g, "__new__");
            g->classes_roam |=
                is_shown_to_code(g, i) || !stays_class(g, i) || is_value_of_class(g, i);
            NAME(g, N(g, i)->name)->is_nested_class |=
                g->scopes[N(g, i)->scope].kind == SCOPE_CLASS;
        }
    }
    for (uint32_t i = 0; i < g->node_count && !g->classes_roam; i++)
        note_roaming(g, i);
    if (g->classes_roam)
        note_callers(g);
}
