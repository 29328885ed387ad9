/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_copy: what copying gives away. A deep copy keeps all that it meets in its memo, the
 * dicts of objects of the library among them; and a copy obeys hooks that an instance has
 * under a name in text, or makes up when it is asked.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- the memo ------------------------------------------------------------------------------- */

static int warn_memo(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_COPY_HOOK, i,
                     "The memo of a deep copy holds all that was copied, private parts included: "
                     "it may be handed on to deepcopy() as it is, and asked for id(self).");
}

static int is_memo(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    return s && s->flags & SYMBOL_MEMO;
}

/* id(self) */
static int is_own_id(const struct gate *g, uint32_t i)
{
    uint32_t arg = kind_of(g, i) == K_Call ? child_of(g, i, F_args) : 0;
    const struct symbol *s = arg ? symbol_of(g, arg) : NULL;
    return s && builtin_sure(g, first_child(g, i)) == BUILTIN_PLAIN &&
           strcmp(text_of_name(g, first_child(g, i)), "id") == 0 && s->count == 1 &&
           s == first_parameter(g, function_around(g, i)) && count_of(g, i, F_args) == 1;
}

/* deepcopy(x, memo), deepcopy(x, memo=memo), super().__deepcopy__(memo) */
static int is_handed_on(const struct gate *g, uint32_t i)
{
    uint32_t up = kind_of(g, N(g, i)->parent) == K_keyword ? N(g, i)->parent : i;
    uint32_t call = N(g, up)->parent, func = first_child(g, call);
    if (kind_of(g, call) != K_Call || N(g, up)->field == F_func)
        return 0;
    const struct export_name *row = export_sure(g, func);
    return (row && row->kind == EXPORT_DEEPCOPY) ||
           (kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "__deepcopy__") == 0);
}

int check_memo(struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent, call = N(g, parent)->parent;
    int fine = is_handed_on(g, i) || is_truth_test(g, i);
    switch (N(g, parent)->kind) {
    case K_Subscript: /* memo[id(self)] = x */
        fine |= N(g, i)->field == F_value && is_own_id(g, child_of(g, parent, F_slice));
        break;
    case K_Compare: /* id(self) in memo */
        fine |= N(g, parent)->op == COMPARE_IN && is_own_id(g, first_child(g, parent)) &&
                count_of(g, parent, F_comparators) == 1;
        break;
    case K_Attribute: /* memo.get(id(self)) */
        fine |= strcmp(text_of_name(g, parent), "get") == 0 &&
                is_in_field(g, parent, K_Call, F_func) && child_of(g, call, F_args) &&
                is_own_id(g, child_of(g, call, F_args));
        break;
    default:
        break;
    }
    return fine ? 0 : warn_memo(g, i);
}

int passes_memo(const struct gate *g, uint32_t call, unsigned at)
{
    struct call_shape shape = call_shape(g, call);
    uint32_t memo = child_at(g, call, F_args, at);
    return shape.positional == at + 1 && !shape.keywords && !shape.starred && memo &&
           is_memo(g, memo);
}

/* deepcopy(x), deepcopy(x, memo) */
int check_deepcopy(struct gate *g, uint32_t call)
{
    struct call_shape shape = call_shape(g, call);
    uint32_t memo = child_at(g, call, F_args, 1);
    memo = memo ? memo : keyword_of(g, call, "memo");
    if (!shape.starred && shape.positional <= 2 && shape.positional + shape.keywords <= 2 &&
        (!memo ? shape.positional + shape.keywords < 2 : is_none(g, memo) || is_memo(g, memo)))
        return 0;
    return warn_memo(g, call);
}

/* map(deepcopy, rows): with nothing for a memo. */
int is_tame_deepcopy(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent;
    if (is_in_field(g, i, K_Call, F_func))
        return 1;
    return is_in_field(g, i, K_Call, F_args) && count_of(g, call, F_args) == 2 &&
           !call_shape(g, call).starred && builtin_sure(g, first_child(g, call)) == BUILTIN_CLASS &&
           strcmp(text_of_name(g, first_child(g, call)), "map") == 0;
}

/* def __deepcopy__(self, memo) */
static int check_deepcopy_definition(struct gate *g, uint32_t i)
{
    uint32_t arguments = child_of(g, i, F_args);
    uint32_t memo = arguments ? child_at(g, arguments, F_args, 1) : 0;
    uint32_t s = memo ? gate_scope_find(g, N(g, i)->link, N(g, memo)->name) : 0;
    if (!s || child_of(g, i, F_decorator_list) || is_method_aliased(g, i))
        return warn_memo(g, i);
    g->symbols[s].flags |= SYMBOL_MEMO;
    return 0;
}

/* ---- a twin: an empty instance that gets what `self` has ----------------------------------------- */

/* Whether node i is the class of a genuine self that holds nothing of others; or a name for it. */
static int is_own_class(const struct gate *g, uint32_t i)
{
    static const char maker[] = "__new__";
    const unsigned other = CLASS_ENUM | CLASS_TEXT | CLASS_ABSTRACT;
    uint32_t value = only_value(g, symbol_of(g, i)), class = class_sure(g, i);
    uint32_t self = whose_class(g, value ? value : i);
    uint32_t id = gate_name_find_text(g, maker, sizeof(maker) - 1);
    int may_be_derived = self && is_genuine_self(g, self, &class);
    if (!class || (may_be_derived && N(g, class)->flags & MIXED))
        return 0;
    unsigned facts = class_facts_known(g, class);
    return facts & CLASS_REAL && facts & CLASS_PLAIN && !(facts & other) &&
           !(id && NAME(g, id)->defined) && !g->hidden_parts;
}

/* C.__new__(C): check_dunder_attribute() sees to it that both are the same. */
int is_empty_twin(const struct gate *g, uint32_t i)
{
    uint32_t call = only_value(g, symbol_of(g, i)), func = call ? first_child(g, call) : 0;
    return call && kind_of(g, call) == K_Call && kind_of(g, func) == K_Attribute &&
           strcmp(text_of_name(g, func), "__new__") == 0 && count_of(g, call, F_args) == 1 &&
           is_own_class(g, child_of(g, call, F_args));
}

/* self.__dict__, vars(self) */
static int is_own_dict(const struct gate *g, uint32_t i)
{
    uint32_t self = 0;
    if (kind_of(g, i) == K_Attribute && strcmp(text_of_name(g, i), "__dict__") == 0)
        self = first_child(g, i);
    if (kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_VARS)
        self = child_of(g, i, F_args);
    return self && is_genuine_self(g, self, NULL);
}

/* k of `for k, v in self.__dict__.items()` */
static int is_own_key(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    uint32_t tuple = b && b->kind == BIND_UNPACK ? N(g, b->node)->parent : 0;
    uint32_t iter = tuple && N(g, tuple)->field == F_target && first_child(g, tuple) == b->node
                        ? child_of(g, N(g, tuple)->parent, F_iter)
                        : 0;
    uint32_t items = iter && kind_of(g, iter) == K_Call ? first_child(g, iter) : 0;
    return items && kind_of(g, items) == K_Attribute && count_of(g, tuple, F_elts) == 2 &&
           strcmp(text_of_name(g, items), "items") == 0 && is_own_dict(g, first_child(g, items));
}

int is_twin_write(const struct gate *g, uint32_t call)
{
    return builtin_sure(g, first_child(g, call)) == BUILTIN_SETATTR &&
           count_of(g, call, F_args) == 3 && is_empty_twin(g, child_of(g, call, F_args)) &&
           is_own_key(g, child_at(g, call, F_args, 1));
}

int is_twin_update(const struct gate *g, uint32_t dict)
{
    uint32_t call = is_in_field(g, dict, K_Call, F_args) ? N(g, dict)->parent : 0;
    uint32_t update = call ? first_child(g, call) : N(g, dict)->parent;
    call = call ? call : N(g, update)->parent;
    uint32_t twin = kind_of(g, update) == K_Attribute ? first_child(g, update) : 0;
    uint32_t given = kind_of(g, call) == K_Call ? child_of(g, call, F_args) : 0;
    if (!twin || !given || first_child(g, call) != update || count_of(g, call, F_args) != 1 ||
        count_of(g, call, F_keywords) || strcmp(text_of_name(g, update), "update") != 0 ||
        kind_of(g, twin) != K_Attribute || strcmp(text_of_name(g, twin), "__dict__") != 0 ||
        !is_empty_twin(g, first_child(g, twin)))
        return 0;
    return is_own_dict(g, given) ||
           (kind_of(g, given) == K_DictComp && is_own_key(g, child_of(g, given, F_key)));
}

/* ---- hooks ------------------------------------------------------------------------------------- */

/* name.startswith("_"), also as one of several alternatives */
static int tests_for_private(const struct gate *g, uint32_t test, const struct symbol *name)
{
    if (kind_of(g, test) == K_BoolOp && N(g, test)->op == K_Or)
        test = first_child(g, test);
    uint32_t func = kind_of(g, test) == K_Call ? first_child(g, test) : 0;
    if (!func || kind_of(g, func) != K_Attribute || count_of(g, test, F_args) != 1 ||
        strcmp(text_of_name(g, func), "startswith") != 0 ||
        symbol_of(g, first_child(g, func)) != name)
        return 0;
    PyObject *text = string_of(g, child_of(g, test, F_args));
    return text && (PyUnicode_CompareWithASCIIString(text, "_") == 0 ||
                    PyUnicode_CompareWithASCIIString(text, "__") == 0);
}

/* `def __getattr__(self, name): if name.startswith("_"): raise ...`: it makes no hooks up. */
static int refuses_private(const struct gate *g, uint32_t function)
{
    uint32_t arguments = child_of(g, function, F_args), body = child_of(g, function, F_body);
    uint32_t name = arguments ? child_at(g, arguments, F_args, 1) : 0;
    uint32_t s = name ? gate_scope_find(g, N(g, function)->link, N(g, name)->name) : 0;
    if (body && kind_of(g, body) == K_Expr && string_of(g, first_child(g, body)))
        body = N(g, body)->end; /* behind the docstring */
    if (body && kind_of(g, body) == K_Raise)
        return 1;
    uint32_t leave = body && kind_of(g, body) == K_If ? child_of(g, body, F_body) : 0;
    return s && g->symbols[s].count == 1 && leave && kind_of(g, leave) == K_Raise &&
           tests_for_private(g, first_child(g, body), &g->symbols[s]);
}

int check_copy_definition(struct gate *g, uint32_t i)
{
    const char *name = text_of_name(g, i);
    if (strcmp(name, "__deepcopy__") == 0)
        return is_function(g, i) ? check_deepcopy_definition(g, i) : warn_memo(g, i);
    if (strcmp(name, "__getattr__") == 0 && !g->open_getattr &&
        (!is_function(g, i) || child_of(g, i, F_decorator_list) || !refuses_private(g, i)))
        g->open_getattr = i;
    return 0;
}

/* ---- functions that are kept as values: only those can be hooks ------------------------------ */

static int is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* An argument that is called, and neither kept nor handed back. */
static int is_called_by(const struct gate *g, uint32_t i)
{
    static const char *const keywords[] = {"default",     "default_factory",   "key",
                                           "object_hook", "object_pairs_hook", NULL};
    static const char *const callers[] = {
        "accumulate", "cmp_to_key", "defaultdict", "dropwhile", "filter", "filterfalse", "groupby",
        "map",        "reduce",     "starmap",     "sub",       "subn",   "takewhile",   NULL};
    uint32_t parent = N(g, i)->parent;
    int keyword = kind_of(g, parent) == K_keyword;
    uint32_t func = first_child(g, keyword ? N(g, parent)->parent : parent);
    if (!keyword && !is_in_field(g, i, K_Call, F_args))
        return 0;
    if (builtin_sure(g, func) == BUILTIN_NONE && !export_sure(g, func))
        return 0;
    return is_one_of(text_of_name(g, keyword ? parent : func), keyword ? keywords : callers);
}

static int is_no_value(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Attribute:
    case K_ClassDef:
    case K_Compare:
    case K_ExceptHandler:
    case K_Expr:
    case K_MatchClass:
    case K_Raise:
        return 1;
    case K_Subscript:
        return N(g, i)->field == F_value;
    case K_Assign: /* __getattr__ = dict.get */
        return N(g, i)->field == F_value && count_of(g, parent, F_targets) == 1 &&
               NAME(g, N(g, child_of(g, parent, F_targets))->name)->attr == ATTR_DUNDER;
    case K_Tuple:
        return is_in_field(g, parent, K_ExceptHandler, F_type) || is_instance_test(g, i);
    default:
        return N(g, i)->flags & IN_ANNOTATION || N(g, i)->field == F_decorator_list ||
               is_in_field(g, i, K_Call, F_func) || is_instance_test(g, i) || is_called_by(g, i);
    }
}

static int may_be_callable(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    switch (N(g, i)->kind) {
    case K_Lambda:
        return 1;
    case K_Name:
        if (s)
            return s->exports || s->kinds & (BINDS(BIND_FUNCTION) | BINDS(BIND_CLASS));
        return builtin_what(g, i) != BUILTIN_NONE &&
               strcmp(text_of_name(g, i), "NotImplemented") != 0;
    case K_Attribute:
        return is_load(g, i) && (export_sure(g, i) || NAME(g, N(g, i)->name)->is_method ||
                                 is_library_method(text_of_name(g, i)));
    default:
        return 0;
    }
}

static int functions_roam(const struct gate *g)
{
    static const char *const makers[] = {"NewType",      "__call__", "attrgetter",   "itemgetter",
                                         "methodcaller", "partial",  "partialmethod"};
    for (size_t k = 0; k < ARRAY_LEN(makers); k++)
        if (gate_name_find_text(g, makers[k], strlen(makers[k])))
            return 1;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (may_be_callable(g, i) && !is_no_value(g, i))
            return 1;
    return 0;
}

/* What gives a function the `__name__` of anything, by which a method is copied. */
static int labels_functions(const struct gate *g)
{
    static const char *const names[] = {
        "asynccontextmanager", "cache",          "contextmanager", "lru_cache",
        "singledispatch",      "update_wrapper", "wraps"};
    for (size_t k = 0; g->shallow_copies && k < ARRAY_LEN(names); k++)
        if (gate_name_find_text(g, names[k], strlen(names[k])))
            return 1;
    return 0;
}

static int check_made_hooks(struct gate *g)
{
    if (!g->hooked_copies || !g->open_getattr || !(functions_roam(g) || labels_functions(g)))
        return 0;
    return gate_warn(g, RULE_COPY_HOOK, g->open_getattr,
                     "A copy asks objects for hooks, and this `__getattr__` may make them up: "
                     "they are given private parts. Let it raise AttributeError first of all "
                     "when `name.startswith(\"_\")`.");
}

/* ---- names that a copy goes by ------------------------------------------------------------------ */

/* The copy of a bound method is looked up by the function's `__name__`. */
static int is_tame_label(struct gate *g, uint32_t value)
{
    if (!value)
        return 0;
    if (kind_of(g, value) == K_Attribute)
        return strcmp(text_of_name(g, value), "__name__") == 0 ||
               strcmp(text_of_name(g, value), "__qualname__") == 0;
    return are_tame_attr_strings(g, value);
}

/* What has a name in text: a class or a type that a call makes. */
static int makes_label(const struct gate *g, uint32_t call)
{
    static const char *const makers[] = {
        "NewType", "ParamSpec", "TypeAliasType", "TypeVar", "TypeVarTuple", "TypedDict", NULL};
    uint32_t func = first_child(g, call);
    const struct export_name *row = export_sure(g, func);
    const struct symbol *s = symbol_of(g, func);
    if (builtin_what(g, func) == BUILTIN_TYPE)
        return count_of(g, call, F_args) > 1;
    if ((s && s->flags & (SYMBOL_ENUM_EMPTY | SYMBOL_RESTRICTED)) ||
        exports_of(g, func) & EXPORTS(EXPORT_ENUM))
        return count_of(g, call, F_args) > 1 || count_of(g, call, F_keywords) > 0;
    return exports_of(g, func) & EXPORTS(EXPORT_NAMEDTUPLE) ||
           (row && is_one_of(row->name, makers));
}

static void note_label(struct gate *g, uint32_t i)
{
    uint32_t value = 0;
    switch (N(g, i)->kind) {
    case K_Attribute:
        if (is_load(g, i) || strcmp(text_of_name(g, i), "__name__") != 0)
            return;
        if (is_in_field(g, i, K_Assign, F_targets))
            value = child_of(g, N(g, i)->parent, F_value);
        break;
    case K_Call:
        if (!makes_label(g, i))
            return;
        value = child_of(g, i, F_args);
        break;
    case K_keyword:
        if (strcmp(text_of_name(g, i), "__name__") != 0)
            return;
        break;
    default:
        return;
    }
    if (!is_tame_label(g, value))
        g->renames = i;
}

/* The copy of List[int] is looked up among all names of typing, by its `_name`. */
static int sets_alias_name(const struct gate *g, uint32_t i)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    if (kind_of(g, i) == K_Attribute)
        return !is_load(g, i) && strcmp(text_of_name(g, i), "_name") == 0 &&
               !is_genuine_self(g, first_child(g, i), NULL);
    int sets =
        func &&
        (builtin_what(g, func) == BUILTIN_SETATTR ||
         (kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "__setattr__") == 0));
    uint32_t name = sets ? child_at(g, i, F_args, 1) : 0;
    int by_class = name && child_at(g, i, F_args, 2); /* object.__setattr__(x, n, v) too */
    if (by_class && !string_of(g, name))
        return !is_twin_write(g, i) && !is_genuine_self(g, child_of(g, i, F_args), NULL);
    FOR_CHILDREN (g, c, i) {
        PyObject *text = sets && N(g, c)->field == F_args ? string_of(g, c) : NULL;
        if (text && PyUnicode_CompareWithASCIIString(text, "_name") == 0)
            return !is_genuine_self(g, child_of(g, i, F_args), NULL);
    }
    return 0;
}

static void note_setattr(struct gate *g, uint32_t i)
{
    uint32_t name = child_at(g, i, F_args, 1);
    PyObject *text = name ? string_of(g, name) : NULL;
    const char *word = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyErr_Clear();
    if (is_twin_write(g, i))
        return;
    if (!g->name_writes && (!word || strcmp(word, "name") == 0))
        g->name_writes = i;
}

void note_copied_names(struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_Call && builtin_what(g, first_child(g, i)) == BUILTIN_SETATTR)
        note_setattr(g, i);
    if (g->shallow_copies && !g->renames)
        note_label(g, i);
    if (g->hooked_copies && !g->alias_names && sets_alias_name(g, i) &&
        gate_module_in_use(g, "typing"))
        g->alias_names = i;
}

static int check_copied_names(struct gate *g)
{
    if (g->alias_names &&
        gate_warn(g, RULE_COPY_HOOK, g->alias_names,
                  "This may set `_name` of a type of typing, and a copy of one is looked up by "
                  "that name among all that typing has, the builtins included.") < 0)
        return -1;
    if (!g->renames)
        return 0;
    return gate_warn(g, RULE_COPY_HOOK, g->renames,
                     "This gives something a name made at run time, and other parts of the code "
                     "copy objects: the copy of a method is looked up by its `__name__`.");
}

/* Copying an object obeys hooks that an instance may have been given under a name in text. */
int check_copies(struct gate *g)
{
    uint32_t writes = g->named_writes;
    if (!writes && g->fields_roam)
        writes = g->name_writes; /* of a field: asdict() reads the attribute of that name */
    if (check_made_hooks(g) < 0 || check_copied_names(g) < 0)
        return -1;
    if (g->packages && g->named_writes)
        return gate_warn(g, RULE_COPY_HOOK, g->named_writes,
                         "This gives an object attributes whose names are not known before the "
                         "code runs, and numpy asks every object for some, whose answers it "
                         "takes for memory.");
    if (!g->copies || !writes)
        return 0;
    return gate_warn(g, RULE_COPY_HOOK, writes,
                     "This gives an object attributes whose names are not known before the code "
                     "runs, and other parts of the code copy objects: a copy obeys what such "
                     "names say.");
}
