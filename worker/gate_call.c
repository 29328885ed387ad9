/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_call: calls of what reads, sets or makes something by a name in text. Such a call is
 * tame when each name is known and harmless; everything else about it is unknown anyway.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- getattr and kin --------------------------------------------------------------------- */

/* The fields(x) that f runs over where the name is `f.name`, or 0: names that the source has. */
static uint32_t fields_of_name(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Attribute || strcmp(text_of_name(g, i), "name") != 0 ||
        (g->fields_roam && NAME(g, N(g, i)->name)->stored_elsewhere))
        return 0;
    const struct bind *b = only_bind(g, symbol_of(g, first_child(g, i)));
    uint32_t iter = b && b->kind == BIND_FOR ? child_of(g, N(g, b->node)->parent, F_iter) : 0;
    if (!iter || kind_of(g, iter) != K_Call)
        return 0;
    const struct export_name *row = export_sure(g, first_child(g, iter));
    return row && row->kind == EXPORT_FIELDS ? iter : 0;
}

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

/* ("a", "b") in that class, and nothing else. */
static int are_tame_slots(const struct gate *g, const struct symbol *s)
{
    const struct bind *b = &g->binds[s->first];
    uint32_t value = s->count == 1 ? value_assigned(g, b) : 0;
    if (!value || (kind_of(g, value) != K_Tuple && kind_of(g, value) != K_List))
        return 0;
    FOR_CHILDREN (g, c, value) {
        PyObject *text = string_of(g, c);
        if (!text || !is_tame_attr_text(g, text))
            return 0;
    }
    return 1;
}

/* for s in self.__slots__: names that the class has, while nothing can put others there. */
static int is_slot_name(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    uint32_t iter = b && b->kind == BIND_FOR ? child_of(g, N(g, b->node)->parent, F_iter) : 0;
    uint32_t class = 0;
    if (!iter || kind_of(g, iter) != K_Attribute || /* a dataclass makes slots of its fields */
        g->odd_fields || strcmp(text_of_name(g, iter), "__slots__") != 0 ||
        !is_genuine_self(g, first_child(g, iter), &class) || count_of(g, class, F_bases) ||
        is_mentioned(g, "__dict__") || is_mentioned(g, "vars") || is_mentioned(g, "__setattr__") ||
        !gate_scope_find(g, N(g, class)->link, N(g, iter)->name))
        return 0;
    for (uint32_t s = 1; s < g->symbol_count; s++) { /* also of a class below, or beside it */
        const struct scope *scope = &g->scopes[g->symbols[s].scope];
        if (!may_go_on(g))
            return 0;
        if (g->symbols[s].name == N(g, iter)->name && scope->kind == SCOPE_CLASS &&
            (scope->node == class || g->bases_meet || child_of(g, scope->node, F_bases)) &&
            !are_tame_slots(g, &g->symbols[s]))
            return 0;
    }
    return 1;
}

/* "__name__": what could be read with a dot as well, where node i has it read. */
static int is_readable_text(const struct gate *g, uint32_t i, PyObject *str)
{
    const char *text = str ? PyUnicode_AsUTF8AndSize(str, NULL) : NULL;
    PyErr_Clear();
    return text && is_readable_dunder(g, gate_dunder(text)) &&
           (strcmp(text, "__members__") != 0 || is_tame_proxy(g, i));
}

/* The `kw` of `for k, v in kw.items()` that gives k, where it is a `**kw` that nothing changes. */
static int is_keyword_name(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    uint32_t tuple = b && b->kind == BIND_UNPACK ? N(g, b->node)->parent : 0;
    if (!tuple || N(g, tuple)->field != F_target || first_child(g, tuple) != b->node ||
        count_of(g, tuple, F_elts) != 2)
        return 0;
    uint32_t iter = child_of(g, N(g, tuple)->parent, F_iter);
    uint32_t items = kind_of(g, iter) == K_Call ? first_child(g, iter) : 0;
    if (kind_of(g, items) != K_Attribute || strcmp(text_of_name(g, items), "items") != 0)
        return 0;
    const struct symbol *s = symbol_of(g, first_child(g, items));
    const struct bind *given = only_bind(g, s);
    return given && given->kind == BIND_PARAMETER && N(g, given->node)->field == F_kwarg &&
           !(s->flags & SYMBOL_ESCAPES);
}

/*
 * setattr(self, k, v) for k, v in kw.items(): while no call has a `**x`, and nobody asks for those that
 * functools.partial() keeps, each k stands in the source as a keyword. It is then what self.__dict__.update(kw) is.
 */
static int is_keyword_write(struct gate *g, uint32_t object, uint32_t name)
{
    if (g->double_starred || is_mentioned(g, "keywords") || !is_genuine_self(g, object, NULL) ||
        !is_own_receiver(g, object) || !is_keyword_name(g, name))
        return 0;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (!may_go_on(g) ||
            (kind_of(g, i) == K_keyword && !is_tame_attr_text(g, NAME(g, N(g, i)->name)->str)))
            return 0;
    if (!g->named_writes)
        g->named_writes = name;
    return 1;
}

static int warn_by_name(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_ATTRIBUTE_BY_NAME, i,
                     "The name of this attribute is not known before the code runs, or is that "
                     "of a private part: it could be anything that the value leads to.");
}

static int check_getattr(struct gate *g, uint32_t i, enum builtin what)
{
    struct call_shape shape = call_shape(g, i);
    uint32_t name = child_at(g, i, F_args, 1);
    unsigned least = what == BUILTIN_SETATTR ? 3 : 2;
    unsigned most = what == BUILTIN_DELATTR || what == BUILTIN_HASATTR ? 2 : 3;
    if (shape.starred || shape.keywords || shape.positional < least || shape.positional > most)
        return warn_by_name(g, i);
    const struct export_name *owner =
        what == BUILTIN_GETATTR ? NULL : owner_of_attribute(g, child_of(g, i, F_args));
    if (owner && what != BUILTIN_HASATTR)
        return gate_warn(g, RULE_MODULE_PATCH, i,
                         "This changes `%s` for all code in the process, the interpreter's own "
                         "included.",
                         owner->name);
    if (what == BUILTIN_HASATTR) /* says yes or no, and nothing more */
        return 0;
    int known = are_tame_attr_strings(g, name);
    if (what != BUILTIN_GETATTR && known && gate_keeps_named(g, name, child_of(g, i, F_args)))
        return warn_by_name(g, i);
    if (known || is_slot_name(g, name) ||
        (is_own_receiver(g, child_of(g, i, F_args)) && is_tame_own_prefix(g, name)))
        return 0;
    uint32_t fields = fields_of_name(g, name);
    if (fields && is_tame_field_use(g, child_of(g, i, F_args), fields, what != BUILTIN_GETATTR))
        return 0;
    if (is_owner_name(g, child_of(g, i, F_args), name))
        return 0;
    if (what == BUILTIN_GETATTR && is_readable_text(g, i, string_of(g, name)))
        return 0;
    if (what == BUILTIN_SETATTR &&
        (is_twin_write(g, i) || is_keyword_write(g, child_of(g, i, F_args), name)))
        return 0;
    PyObject *text = string_of(g, name);
    if (what == BUILTIN_GETATTR && text && PyUnicode_CompareWithASCIIString(text, "__dict__") == 0)
        return check_object_dict(g, i, child_of(g, i, F_args));
    return warn_by_name(g, i);
}

/* ---- vars, globals, super ------------------------------------------------------------------- */

static int check_vars(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    if (shape.positional == 1 && !shape.keywords && !shape.starred)
        return check_object_dict(g, i, child_of(g, i, F_args));
    return gate_warn(g, RULE_NAMESPACE, i,
                     "`vars` reaches every name by its text, also those of the interpreter.");
}

/* input_data or result, which the code may have bound to nothing but values that it shows. */
static int is_given_name(const struct gate *g, PyObject *str)
{
    const unsigned plain = BINDS(BIND_BEFORE) | BINDS(BIND_ASSIGN) | BINDS(BIND_DECLARE) |
                           BINDS(BIND_AUGMENT) | BINDS(BIND_DELETE);
    if (!str || (PyUnicode_CompareWithASCIIString(str, "input_data") != 0 &&
                 PyUnicode_CompareWithASCIIString(str, "result") != 0))
        return 0;
    uint32_t id = gate_name_find(g, str), s = id ? gate_scope_find(g, 0, id) : 0;
    return !(g->symbols[s].kinds & ~plain); /* 0 is empty */
}

/* "x" in globals(), globals()["input_data"], globals().get("input_data", {}) */
static int is_tame_namespace(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent, call = N(g, parent)->parent;
    switch (N(g, parent)->kind) {
    case K_Compare:
        return N(g, parent)->op == COMPARE_IN && string_of(g, first_child(g, parent)) &&
               count_of(g, parent, F_comparators) == 1;
    case K_Subscript:
        return is_load(g, parent) && is_given_name(g, string_of(g, child_of(g, parent, F_slice)));
    case K_Attribute:
        return strcmp(text_of_name(g, parent), "get") == 0 &&
               is_in_field(g, parent, K_Call, F_func) && child_of(g, call, F_args) &&
               is_given_name(g, string_of(g, child_of(g, call, F_args)));
    default:
        return 0;
    }
}

static int check_namespace(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    int of_module =
        N(g, i)->scope == 0 || strcmp(text_of_name(g, first_child(g, i)), "globals") == 0;
    if (!shape.positional && !shape.keywords &&
        (of_module ? is_tame_namespace(g, i) : are_locals_shown(g, i)))
        return 0;
    return gate_warn(g, RULE_NAMESPACE, i, "`%s()` reaches every name %s.",
                     text_of_name(g, first_child(g, i)),
                     of_module ? "by its text, also those of the interpreter"
                               : "of the function or class around it by its text, which the gate "
                                 "does not follow");
}

/* super().x, super(C, self).x */
static int check_super(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    uint32_t class = child_of(g, i, F_args), self = child_at(g, i, F_args, 1);
    uint32_t around = function_around(g, i);
    const struct symbol *first = around ? first_parameter(g, around) : NULL;
    int plain = shape.positional == 0 && (!first || first->count == 1);
    if (shape.positional == 2)
        plain = class_sure(g, class) && first && symbol_of(g, self) == first && first->count == 1;
    if (plain && !shape.keywords && !shape.starred && is_in_field(g, i, K_Attribute, F_value))
        return 0;
    return gate_warn(g, RULE_SUPER, i,
                     "super() is kept or given other classes than its own, and could reach "
                     "methods that were not meant.");
}

/* ---- exports ----------------------------------------------------------------------------------- */

/* attrgetter("a.b", "c") */
static int is_tame_path(const struct gate *g, uint32_t i, PyObject *str)
{
    AUTO_PY dot = PyUnicode_FromString(".");
    AUTO_PY parts = dot ? PyUnicode_Split(str, dot, -1) : NULL;
    Py_ssize_t n = parts ? PyList_Size(parts) : 0;
    for (Py_ssize_t k = 0; k < n; k++)
        if (!is_tame_attr_text(g, PyList_GetItem(parts, k)) &&
            !is_readable_text(g, i, PyList_GetItem(parts, k)))
            return 0;
    PyErr_Clear();
    return n > 0;
}

static int check_attrgetter(struct gate *g, uint32_t i)
{
    FOR_CHILDREN (g, c, i) {
        if (N(g, c)->field == F_func)
            continue;
        PyObject *text = N(g, c)->field == F_args ? string_of(g, c) : NULL;
        int tame =
            text ? is_tame_path(g, c, text) : N(g, c)->field == F_args && are_tame_paths(g, c);
        if (!tame)
            return warn_by_name(g, i);
    }
    return 0;
}

static int check_methodcaller(struct gate *g, uint32_t i)
{
    uint32_t name = child_of(g, i, F_args);
    if (!name || kind_of(g, name) == K_Starred || !are_tame_attr_strings(g, name))
        return warn_by_name(g, i);
    return 0;
}

static int warn_copied(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_COPIED_ATTRIBUTES, i,
                     "This copies attributes by their names from one object to another, and only "
                     "as `@wraps(f)` right above a function is it known what they are.");
}

/* @wraps(f), the decorator next to the function. */
static int check_wraps(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    uint32_t function = N(g, i)->parent;
    int decorates =
        N(g, i)->field == F_decorator_list && is_function(g, function) &&
        child_at(g, function, F_decorator_list, count_of(g, function, F_decorator_list) - 1) == i;
    int plain = shape.positional == 1 && !shape.keywords && !shape.starred;
    return decorates && plain ? 0 : warn_copied(g, i);
}

/*
 * update_wrapper(self, f) in a class that leaves attributes alone: what f has is then found
 * under its names, which is harmless as long as nothing looks them up in the dict.
 */
static int is_plain_self(struct gate *g, uint32_t i)
{
    static const char *const odd[] = {"__setattr__", "__slots__", "__getattr__"};
    uint32_t class = 0;
    if (!is_genuine_self(g, i, &class) || g->dict_replaced ||
        !(class_facts_known(g, class) & CLASS_PLAIN) || gate_is_mixed(g, class))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(odd); k++) {
        uint32_t id = gate_name_find_text(g, odd[k], strlen(odd[k]));
        if (id && NAME(g, id)->defined)
            return 0;
    }
    if (!g->wrapped_self)
        g->wrapped_self = i;
    if (!g->named_writes)
        g->named_writes = i;
    return 1;
}

/* update_wrapper(inner, f) of a function of the source. */
static int check_update_wrapper(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    uint32_t wrapper = child_of(g, i, F_args);
    const struct bind *b = wrapper ? only_bind(g, symbol_of(g, wrapper)) : NULL;
    int own = b && b->kind == BIND_FUNCTION && !child_of(g, b->node, F_decorator_list);
    int plain = shape.positional == 2 && !shape.keywords && !shape.starred;
    return plain && (own || is_plain_self(g, wrapper)) ? 0 : warn_copied(g, i);
}

/* namedtuple(...): the names are checked by itself, and patterns look at known ones only. */
static int check_namedtuple(struct gate *g, uint32_t i)
{
    if (!keyword_of(g, i, "module") && !call_shape(g, i).starred)
        return 0;
    return gate_warn(g, RULE_CLASS_FACTORY, i,
                     "This makes a class and says that it belongs to another module: code that "
                     "is made for it would run there.");
}

/* Whether it holds a name at all: an Enum without members makes classes. */
static int names_any(const struct gate *g, uint32_t i)
{
    PyObject *text = string_of(g, i);
    for (Py_ssize_t k = 0; text && k < PyUnicode_GetLength(text); k++)
        if (!strchr(" ,\t\n", (int)(PyUnicode_ReadChar(text, k) & 0x7f)))
            return 1;
    return !text && first_child(g, i);
}

/* Enum("Name", "A B C") */
static int check_enum(struct gate *g, uint32_t i)
{
    static const char *const allowed[] = {"names", "start", "type", "boundary", NULL};
    struct call_shape shape = call_shape(g, i);
    uint32_t names = child_at(g, i, F_args, 1);
    if (!names)
        names = keyword_of(g, i, "names");
    if (!shape.starred && shape.positional == 1 && !shape.keywords)
        return 0; /* a look-up by value */
    if (!shape.starred && shape.positional <= 2 && names && keywords_within(g, i, allowed) &&
        are_tame_field_names(g, names) && names_any(g, names))
        return 0;
    return gate_warn(g, RULE_CLASS_FACTORY, i,
                     "This makes a class with names that are not all known before the code runs: "
                     "they decide what the interpreter calls.");
}

int check_special_call(struct gate *g, uint32_t i, uint32_t exports)
{
    static const struct {
        enum export_kind kind;
        int (*check)(struct gate *, uint32_t);
    } checks[] = {
        {EXPORT_ATTRGETTER, check_attrgetter}, {EXPORT_METHODCALLER, check_methodcaller},
        {EXPORT_WRAPS, check_wraps},           {EXPORT_UPDATE_WRAPPER, check_update_wrapper},
        {EXPORT_NAMEDTUPLE, check_namedtuple}, {EXPORT_ENUM, check_enum},
        {EXPORT_SHAPED, check_shaped_call},    {EXPORT_DEEPCOPY, check_deepcopy},
    };
    for (size_t k = 0; k < ARRAY_LEN(checks); k++)
        if (exports & EXPORTS(checks[k].kind) && checks[k].check(g, i) < 0)
            return -1;
    return 0;
}

/*
 * lru_cache(typed=True) keeps the types of what it gets beside it, and compares them with what it
 * gets next.
 */
static int check_typed_cache(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    if (!may_be_export(g, first_child(g, i), "lru_cache") || !compares_as_it_likes(g) ||
        !(shape.starred || shape.positional > 1 || keyword_of(g, i, "typed")))
        return 0;
    return gate_warn(g, RULE_TYPE_VALUE, i,
                     "A cache by types keeps the classes of what it is given, and compares them "
                     "with objects whose `__eq__` and `__hash__` this code defines.");
}

/* ---- any call ---------------------------------------------------------------------------------------- */

int check_call(struct gate *g, uint32_t i)
{
    uint32_t func = first_child(g, i);
    const struct symbol *s = symbol_of(g, func);
    uint32_t exports = exports_of(g, func);
    if (s && s->flags & (SYMBOL_ENUM_EMPTY | SYMBOL_RESTRICTED))
        exports |= EXPORTS(EXPORT_ENUM);
    if (exports && check_special_call(g, i, exports) < 0)
        return -1;
    if (check_package_keywords(g, i) < 0 || (exports && check_typed_cache(g, i) < 0))
        return -1;
    enum builtin what = builtin_what(g, func);
    switch ((int)what) {
    case BUILTIN_GETATTR:
    case BUILTIN_SETATTR:
    case BUILTIN_DELATTR:
    case BUILTIN_HASATTR:
        return check_getattr(g, i, what);
    case BUILTIN_TYPE:
        return check_type_call(g, i);
    case BUILTIN_VARS:
        return check_vars(g, i);
    case BUILTIN_NAMESPACE:
        return check_namespace(g, i);
    case BUILTIN_SUPER:
        return check_super(g, i);
    default:
        return 0;
    }
}
