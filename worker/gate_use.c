/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_use: a name that is loaded. The world of names is closed: what is neither bound by
 * the source nor a listed builtin is refused. A name that may be a module, a reflective
 * builtin or an export with powers of its own is held to the uses that are known to be tame;
 * what it could be passed on to does not matter then, since it is not passed on.
 */
#include "gate_int.h"

#include <string.h>

/* ---- contexts -------------------------------------------------------------------------- */

/* The second argument of isinstance() and issubclass(), also within a tuple there. */
int is_instance_test(const struct gate *g, uint32_t i)
{
    uint32_t up = i;
    if (is_in_field(g, i, K_Tuple, F_elts))
        up = N(g, i)->parent;
    uint32_t call = N(g, up)->parent;
    return is_in_field(g, up, K_Call, F_args) && child_at(g, call, F_args, 1) == up &&
           builtin_sure(g, first_child(g, call)) == BUILTIN_ISINSTANCE;
}

static int is_callee(const struct gate *g, uint32_t i)
{
    return is_in_field(g, i, K_Call, F_func);
}

/* `if x:`, `not x`, `x is None` */
int is_truth_test(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    enum kind kind = kind_of(g, parent);
    if (N(g, i)->field == F_test)
        return 1;
    if (kind == K_UnaryOp)
        return N(g, parent)->op == K_Not;
    if (kind != K_Compare || N(g, parent)->op != COMPARE_IDENTITY)
        return 0;
    FOR_CHILDREN (g, c, parent)
        if (c != i && !is_none(g, c))
            return 0;
    return 1;
}

static const char *name_of(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* enumerate(cls), zip(a, cls), map(f, cls), reduce(f, cls): their iterables. */
static int is_iterated(const struct gate *g, uint32_t i, uint32_t call)
{
    static const char *const takers[] = {"chain",    "combinations", "cycle",  "islice",
                                         "pairwise", "permutations", "product"};
    uint32_t func = first_child(g, call);
    const struct export_name *row = export_sure(g, func);
    int first = child_of(g, call, F_args) == i;
    for (size_t k = 0; row && k < ARRAY_LEN(takers); k++)
        if (strcmp(row->name, takers[k]) == 0)
            return 1;
    if (row)
        return strcmp(row->name, "reduce") == 0 && child_at(g, call, F_args, 1) == i;
    if (first &&
        (builtin_sure(g, func) == BUILTIN_GETATTR || builtin_sure(g, func) == BUILTIN_HASATTR))
        return 1;
    if (builtin_sure(g, func) != BUILTIN_CLASS)
        return 0;
    const char *name = name_of(g, func);
    return strcmp(name, "zip") == 0 ||
           (first && (strcmp(name, "enumerate") == 0 || strcmp(name, "reversed") == 0)) ||
           (first && strcmp(name, "map") == 0 && count_of(g, call, F_args) == 2) ||
           (!first && (strcmp(name, "map") == 0 || strcmp(name, "filter") == 0));
}

/* object.__new__(cls), super().__new__(cls, value) */
static int is_made_instance(const struct gate *g, uint32_t i, uint32_t call)
{
    uint32_t func = first_child(g, call);
    if (kind_of(g, func) != K_Attribute || strcmp(name_of(g, func), "__new__") != 0 ||
        child_of(g, call, F_args) != i)
        return 0;
    uint32_t base = first_child(g, func);
    enum builtin what = builtin_sure(g, kind_of(g, base) == K_Call ? first_child(g, base) : base);
    return what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH || what == BUILTIN_SUPER;
}

/* list(cls), len(cls), sorted(cls, key=f): functions that take a class apart. */
static int is_only_argument(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent;
    if (!is_in_field(g, i, K_Call, F_args))
        return 0;
    struct call_shape shape = call_shape(g, call);
    enum builtin what = builtin_sure(g, first_child(g, call));
    if (shape.starred)
        return 0;
    if (shape.positional == 1 &&
        (what == BUILTIN_PLAIN ||
         (!shape.keywords && (what == BUILTIN_SELF_MATCH || what == BUILTIN_PRINT))))
        return 1;
    return is_iterated(g, i, call) || is_made_instance(g, i, call);
}

/* An annotation that nothing hands out as a value: neither fields() nor a registry. */
int is_unseen_type(const struct gate *g, uint32_t i)
{
    unsigned flags = N(g, i)->flags;
    int field = flags & IN_ANNOTATION_VAR && g->scopes[N(g, i)->scope].kind == SCOPE_CLASS &&
                (g->fields || g->fields_roam) && gate_is_read(g, READS_TYPE);
    int key = flags & EVALUATED && gate_is_read(g, READS_REGISTRY);
    return is_in_type(g, i) && !key && (!field || g->future_annotations);
}

int is_class_context(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_ClassDef:
        return N(g, i)->field == F_bases;
    case K_Attribute:
        return 1;
    case K_FormattedValue:
        return N(g, i)->field == F_value;
    case K_Call:
        return is_callee(g, i) || is_instance_test(g, i) || is_only_argument(g, i);
    case K_Tuple:
        return is_instance_test(g, i);
    case K_MatchClass:
        return N(g, i)->field == F_cls;
    case K_Subscript:
        return N(g, i)->field == F_value || is_unseen_type(g, i);
    case K_For:
    case K_AsyncFor:
    case K_comprehension:
        return N(g, i)->field == F_iter;
    case K_Compare:
        if (N(g, parent)->op == COMPARE_IN) /* x in E: E is asked, and not x */
            return N(g, i)->field == F_comparators && count_of(g, parent, F_comparators) == 1;
        return N(g, parent)->op == COMPARE_IDENTITY;
    default:
        return is_unseen_type(g, i);
    }
}

/* ---- exports with powers of their own ------------------------------------------------------ */

static int warn_reflective(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_REFLECTIVE_VALUE, i,
                     "`%s` is kept or passed on instead of being called here: it could then reach "
                     "any attribute by name, unseen.",
                     name_of(g, i));
}

/* metaclass=ABCMeta */
static int is_metaclass_keyword(const struct gate *g, uint32_t i)
{
    uint32_t keyword = N(g, i)->parent;
    return kind_of(g, keyword) == K_keyword && kind_of(g, N(g, keyword)->parent) == K_ClassDef &&
           strcmp(name_of(g, keyword), "metaclass") == 0;
}

/* SimpleNamespace(**names), and since 3.13 SimpleNamespace(names) */
static void note_namespace(struct gate *g, uint32_t i)
{
    int named = !is_instance_test(g, i) && !is_unseen_type(g, i);
    if (is_callee(g, i)) {
        struct call_shape shape = call_shape(g, N(g, i)->parent);
        named = shape.starred || shape.positional;
    }
    if (named && !g->named_writes)
        g->named_writes = i;
}

/*
 * with warnings.catch_warnings(): right there. Its objects hold the module, or what they are
 * given in its place; what `as` binds is a list, or None.
 */
static int check_with_only(struct gate *g, uint32_t i)
{
    static const char *const allowed[] = {"action", "append", "category", "lineno", "record", NULL};
    uint32_t call = N(g, i)->parent;
    if (is_callee(g, i) && is_in_field(g, call, K_withitem, F_context_expr) &&
        !call_shape(g, call).starred && keywords_within(g, call, allowed))
        return 0;
    return gate_warn(g, RULE_MODULE_VALUE, i,
                     "An object of `%s` holds the module itself: only right behind `with`, and "
                     "without module=, does no other code get it.",
                     name_of(g, i));
}

#define CALLED_ONLY                                                                                \
    (EXPORTS(EXPORT_ATTRGETTER) | EXPORTS(EXPORT_METHODCALLER) | EXPORTS(EXPORT_WRAPS) |           \
     EXPORTS(EXPORT_UPDATE_WRAPPER) | EXPORTS(EXPORT_REDIRECT))

/* Literal[x]: typing keeps the type of x, and compares it with what it is asked for next. */
static int keeps_types(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (!is_in_field(g, i, K_Subscript, F_value) || !compares_as_it_likes(g) ||
        !may_be_export(g, i, "Literal"))
        return 0;
    uint32_t slice = child_of(g, parent, F_slice);
    for (uint32_t k = slice; k < N(g, slice)->end; k++)
        if (kind_of(g, k) != K_Tuple && kind_of(g, k) != K_Constant)
            return 1;
    return 0;
}

/* lru_cache, not called right there: who knows whether with typed=True. */
static int is_cache_value(const struct gate *g, uint32_t i)
{
    return may_be_export(g, i, "lru_cache") && compares_as_it_likes(g) && !is_callee(g, i) &&
           N(g, i)->field != F_decorator_list && !is_unseen_type(g, i);
}

/* A class that is made of it sets attributes by any text, also those that another base goes by. */
static int is_base_beside(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent, call = N(g, parent)->parent;
    if (is_in_field(g, i, K_ClassDef, F_bases))
        return count_of(g, parent, F_bases) > 1 || N(g, parent)->flags & MIXED;
    return kind_of(g, parent) == K_Tuple && count_of(g, parent, F_elts) > 1 &&
           kind_of(g, call) == K_Call && builtin_what(g, first_child(g, call)) == BUILTIN_TYPE;
}

int check_restricted(struct gate *g, uint32_t i, uint32_t exports)
{
    if (exports & EXPORTS(EXPORT_PLAIN) && is_cache_value(g, i))
        return gate_warn(g, RULE_TYPE_VALUE, i,
                         "`%s` is passed on: called with typed=True it keeps classes, and compares "
                         "them with objects whose `__eq__` and `__hash__` this code defines.",
                         name_of(g, i));
    if (exports & EXPORTS(EXPORT_PLAIN) && keeps_types(g, i))
        return warn_reflective(g, i);
    if (exports & EXPORTS(EXPORT_NAMESPACE))
        note_namespace(g, i);
    int fine = !(exports & CALLED_ONLY) || is_callee(g, i);
    if (exports & EXPORTS(EXPORT_NAMESPACE))
        fine &= !is_base_beside(g, i);
    if (exports & EXPORTS(EXPORT_NAMEDTUPLE))
        fine &= is_callee(g, i) || is_in_field(g, i, K_ClassDef, F_bases);
    if (exports & EXPORTS(EXPORT_TYPE_ALIAS))
        fine &= is_unseen_type(g, i) && !(N(g, i)->flags & EVALUATED);
    if (exports & EXPORTS(EXPORT_METACLASS))
        fine &= is_metaclass_keyword(g, i);
    if (exports & EXPORTS(EXPORT_DATACLASS))
        fine &= is_dataclass_use(g, i);
    if (exports & EXPORTS(EXPORT_DEEPCOPY))
        fine &= is_tame_deepcopy(g, i);
    if (exports & EXPORTS(EXPORT_ENUM))
        fine &= is_class_context(g, i);
    if (exports & EXPORTS(EXPORT_WITH) && check_with_only(g, i) < 0)
        return -1;
    if (fine && exports & EXPORTS(EXPORT_SHAPED) && !is_shaped_use(g, i))
        return warn_shaped(g, i);
    return fine ? 0 : warn_reflective(g, i);
}

/* ---- builtins ---------------------------------------------------------------------------------- */

/* len(set(map(type, x))): of one argument each. */
static int is_type_map_shown(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent;
    struct call_shape shape = call_shape(g, call);
    return is_in_field(g, i, K_Call, F_args) && child_of(g, call, F_args) == i &&
           shape.positional == 2 && !shape.starred && gate_called_with(g, i) == 1 &&
           strcmp(name_of(g, first_child(g, call)), "map") == 0 && is_only_shown(g, call);
}

/* `type` itself, where no class comes out of it. */
static int is_tame_type(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (is_callee(g, i) || is_instance_test(g, i) || is_type_map_shown(g, i))
        return 1;
    if (kind_of(g, parent) == K_Compare)
        return N(g, parent)->op == COMPARE_IDENTITY;
    if (kind_of(g, parent) == K_MatchClass)
        return count_of(g, parent, F_patterns) == 0;
    return is_unseen_type(g, i) && !(N(g, i)->flags & EVALUATED);
}

/* A call of json.dumps whose default= only the encoder gets. */
int is_json_dump(const struct gate *g, uint32_t i)
{
    const struct export_name *row =
        kind_of(g, i) == K_Call ? export_sure(g, first_child(g, i)) : NULL;
    return row && row->kind == EXPORT_JSON_DUMP && !g->default_called && !g->class_patterns &&
           !keyword_of(g, i, "cls") && !call_shape(g, i).starred;
}

/* json.dumps(x, default=vars) */
static int is_json_default(const struct gate *g, uint32_t i)
{
    uint32_t keyword = N(g, i)->parent;
    if (kind_of(g, keyword) != K_keyword || strcmp(name_of(g, keyword), "default") != 0)
        return 0;
    return is_json_dump(g, N(g, keyword)->parent);
}

static int check_builtin(struct gate *g, uint32_t i, const struct builtin_row *row)
{
    switch (row->what) {
    case BUILTIN_CLASS:
        if (strcmp(row->name, "ImportError") == 0 || strcmp(row->name, "ModuleNotFoundError") == 0)
            return check_import_error(g, i);
        return 0;
    case BUILTIN_DENIED:
        return gate_warn(g, RULE_DENIED_BUILTIN, i, "`%s` %s.", row->name, row->why);
    case BUILTIN_TYPE:
        if (is_in_field(g, i, K_ClassDef, F_bases))
            return gate_warn(g, RULE_METACLASS, i,
                             "A class below `type` is a metaclass: it decides what a class is, "
                             "what it is an instance of and what its names mean.");
        return is_tame_type(g, i) ? 0 : warn_reflective(g, i);
    case BUILTIN_VARS:
        return is_callee(g, i) || is_json_default(g, i) ? 0 : warn_reflective(g, i);
    case BUILTIN_NAMESPACE:
        if (is_callee(g, i))
            return 0;
        return gate_warn(g, RULE_NAMESPACE, i,
                         "`%s` is passed on: it reaches every name by its text, also those of "
                         "the interpreter.",
                         row->name);
    case BUILTIN_GETATTR:
    case BUILTIN_SETATTR:
    case BUILTIN_DELATTR:
    case BUILTIN_HASATTR:
    case BUILTIN_SUPER:
        return is_callee(g, i) ? 0 : warn_reflective(g, i);
    default:
        return 0;
    }
}

/* ---- modules ------------------------------------------------------------------------------------- */

static int check_module_value(struct gate *g, uint32_t i, const struct export_module *module)
{
    if (is_in_field(g, i, K_Attribute, F_value) || is_truth_test(g, i) ||
        is_in_field(g, i, K_Expr, F_value))
        return 0;
    if (N(g, i)->flags & IN_ANNOTATION_FN && is_in_type(g, i) && !(N(g, i)->flags & EVALUATED))
        return 0;
    return gate_warn(g, RULE_MODULE_VALUE, i,
                     "The module `%s` is used as a value: code that gets it could reach all that "
                     "is in it, not just what the gate can see.",
                     module->name);
}

/* ---- names that nothing binds ----------------------------------------------------------------------- */

static int check_unbound(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    if (name->dunder && name->dunder->flags & DUNDER_LOAD)
        return 0;
    if (name->attr == ATTR_DUNDER)
        return gate_warn(g, RULE_DUNDER_NAME, i,
                         "`%s` belongs to the interpreter: through it code could reach modules, "
                         "builtins or its own machinery.",
                         name->text);
    if (is_never_run(g, i))
        return 0;
    return warn_unbound(g, i);
}

/* A method loaded by its name in the class body could be called with anything as `self`. */
static int check_dunder_method(struct gate *g, uint32_t i, const struct symbol *s)
{
    const struct dunder_row *row = NAME(g, s->name)->dunder;
    if (!row || !(row->flags & DUNDER_DEFINE) || g->scopes[s->scope].kind != SCOPE_CLASS ||
        is_method_alias(g, i))
        return 0;
    return gate_warn(g, RULE_DUNDER_NAME, i,
                     "The method `%s` is taken by its name: it could be called with anything as "
                     "`self`.",
                     row->name);
}

/* Whether versions of Python differ in how a name in the head of a generic class is mangled. */
static int is_oddly_mangled(const struct gate *g, uint32_t i)
{
    if (strncmp(name_of(g, i), "__", 2) != 0 || NAME(g, N(g, i)->name)->attr == ATTR_DUNDER)
        return 0;
    for (uint32_t scope = N(g, i)->scope; scope && g->scopes[scope].kind != SCOPE_CLASS;
         scope = g->scopes[scope].parent)
        if (g->scopes[scope].kind == SCOPE_TYPE && kind_of(g, g->scopes[scope].node) == K_ClassDef)
            return 1;
    return 0;
}

/* In a class body a name that is not bound yet is a global one, whatever lies between. */
static int check_shadow(struct gate *g, uint32_t i, const struct symbol *s)
{
    if (g->scopes[s->scope].kind != SCOPE_CLASS || is_bound_before(g, s, i))
        return 0;
    const struct symbol *outer = &g->symbols[NAME(g, s->name)->module_symbol]; /* 0 is empty */
    if (!outer->module && !(outer->exports & ~EXPORTS(EXPORT_PLAIN)) &&
        !(outer->flags & (SYMBOL_ENUM_EMPTY | SYMBOL_RESTRICTED | SYMBOL_DENIED_BY_STAR)) &&
        !(outer->kinds & (BINDS(BIND_FUNCTION) | BINDS(BIND_CLASS))))
        return 0;
    return gate_warn(g, RULE_REFLECTIVE_VALUE, i,
                     "`%s` may be the class's own or that of the whole code, which nobody "
                     "follows there; give one of them another name.",
                     name_of(g, i));
}

int check_name_load(struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    const struct builtin_row *row = builtin_of(g, i);
    if (row && check_builtin(g, i, row) < 0)
        return -1;
    if (!s || is_oddly_mangled(g, i))
        return row ? 0 : check_unbound(g, i);
    if (check_shadow(g, i, s) < 0)
        return -1;
    const struct export_module *module = module_of(g, i, NULL);
    if (module && check_module_value(g, i, module) < 0)
        return -1;
    if (check_dunder_method(g, i, s) < 0 || (s->flags & SYMBOL_MEMO && check_memo(g, i) < 0))
        return -1;
    if (s->flags & SYMBOL_HOLDS_CLASS && warn_reflective(g, i) < 0)
        return -1;
    if (s->flags & SYMBOL_DENIED_BY_STAR &&
        gate_warn(g, RULE_IMPORT_NAME, i,
                  "`%s` can come from a star import, and is not open to code.",
                  NAME(g, s->name)->text) < 0)
        return -1;
    uint32_t exports = s->exports;
    if (s->flags & (SYMBOL_ENUM_EMPTY | SYMBOL_RESTRICTED))
        exports |= EXPORTS(EXPORT_ENUM);
    return exports ? check_restricted(g, i, exports) : 0;
}
