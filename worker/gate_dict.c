/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_dict: x.__dict__ and vars(x), by which all attributes of x are reached under names in
 * text. Of an instance those are its own; of a class, the interpreter's methods as well.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- objects without a dict ------------------------------------------------------------------- */

static uint32_t defined_in(const struct gate *g, uint32_t class, const char *name)
{
    uint32_t id = gate_name_find_text(g, name, strlen(name));
    return id ? gate_scope_find(g, N(g, class)->link, id) : 0;
}

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

int gate_lacks_dict(const struct gate *g, uint32_t class)
{
    if (defined_in(g, class, "__slots__") ||
        (child_of(g, class, F_decorator_list) && gate_module_in_use(g, "dataclasses") &&
         (g->double_starred || is_mentioned(g, "slots"))))
        return 1;
    FOR_CHILDREN (g, c, class)
        if (N(g, c)->field == F_bases && !class_sure(g, c) && is_mentioned(g, "NamedTuple"))
            return 1;
    return 0;
}

/* Such a class has a `__getattr__`, perhaps from a base: it is asked for `__dict__` as well. */
void gate_dicts_collect(struct gate *g)
{
    for (uint32_t i = 0; is_mentioned(g, "__getattr__") && i < g->node_count; i++)
        if (kind_of(g, i) == K_ClassDef &&
            (child_of(g, i, F_bases) || defined_in(g, i, "__getattr__")))
            g->odd_dicts |= gate_lacks_dict(g, i);
}

static int may_lack_dict(const struct gate *g, uint32_t object)
{
    uint32_t class = 0, value = only_value(g, symbol_of(g, object));
    uint32_t call = value ? value : object;
    if (!g->odd_dicts)
        return 0;
    if (!is_genuine_self(g, object, &class))
        class = class_tested(g, object);
    if (!class && kind_of(g, call) == K_Call)
        class = class_sure(g, first_child(g, call));
    return !class || gate_lacks_dict(g, class);
}

/* ---- the dict of an object -------------------------------------------------------------------- */

/* The value of a return statement or of a lambda, also as one side of a condition. */
static int is_result(const struct gate *g, uint32_t i, uint32_t function)
{
    uint32_t up = i;
    while (kind_of(g, N(g, up)->parent) == K_IfExp && N(g, up)->field != F_test)
        up = N(g, up)->parent;
    if (kind_of(g, function) == K_Lambda)
        return N(g, up)->parent == function && N(g, up)->field == F_body;
    return is_in_field(g, up, K_Return, F_value);
}

/* json.dumps(x, default=lambda o: o.__dict__): the encoder gets it, and nobody else. */
static int is_default_lambda(const struct gate *g, uint32_t function)
{
    uint32_t keyword = N(g, function)->parent;
    return kind_of(g, function) == K_Lambda && kind_of(g, keyword) == K_keyword &&
           strcmp(text_of_name(g, keyword), "default") == 0 &&
           is_json_dump(g, N(g, keyword)->parent);
}

/* def default(self, o): of a json.JSONEncoder that nobody calls but the encoder. */
static int is_default_method(const struct gate *g, uint32_t function)
{
    uint32_t class = class_of_method(g, function);
    if (!class || g->default_called || g->prefixed || g->class_patterns ||
        strcmp(text_of_name(g, function), "default") != 0 ||
        child_of(g, function, F_decorator_list) || is_method_aliased(g, function))
        return 0;
    uint32_t s = gate_scope_find(g, N(g, class)->link, N(g, function)->name);
    return is_encoder_class(g, class) && s &&
           !(g->symbols[s].flags & (SYMBOL_LOADED_IN_CLASS | SYMBOL_GLOBAL | SYMBOL_NONLOCAL));
}

/* str(o), isinstance(o, C), hasattr(o, "x"), list(o), asdict(o), super().default(o) */
static int is_tame_for_encoded(const struct gate *g, uint32_t call)
{
    uint32_t func = first_child(g, call);
    const struct export_name *row = export_sure(g, func);
    const char *name =
        kind_of(g, func) == K_Name || kind_of(g, func) == K_Attribute ? text_of_name(g, func) : "";
    if (row)
        return strcmp(name, "is_dataclass") == 0 || strcmp(name, "asdict") == 0;
    switch ((int)builtin_sure(g, func)) {
    case BUILTIN_NONE:
        return kind_of(g, func) == K_Attribute && strcmp(name, "default") == 0;
    case BUILTIN_PLAIN:
        return count_of(g, call, F_args) == 1;
    case BUILTIN_SELF_MATCH:
        return strcmp(name, "dict") != 0;
    case BUILTIN_HASATTR:
    case BUILTIN_ISINSTANCE:
    case BUILTIN_PRINT:
    case BUILTIN_TYPE:
    case BUILTIN_VARS:
        return 1;
    default:
        return 0;
    }
}

/* default(o) is given what it returned again, if no encoder knows it: the dict of a class. */
static int is_tame_encoded(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    const char *attr = kind_of(g, parent) == K_Attribute ? text_of_name(g, parent) : "";
    if (is_in_field(g, i, K_Tuple, F_elts)) /* "%s, %r" % (1, o) */
        parent = N(g, parent)->parent;
    switch (N(g, parent)->kind) {
    case K_Attribute:
        return is_load(g, parent) && first_child(g, parent) == i && strcmp(attr, "copy") != 0 &&
               !is_library_method(attr);
    case K_FormattedValue:
        return 1;
    case K_BinOp:
        return N(g, parent)->op == K_Mod && string_of(g, first_child(g, parent));
    case K_For:
    case K_comprehension:
        return N(g, i)->field == F_iter;
    case K_Call:
        return N(g, i)->field == F_args && is_tame_for_encoded(g, parent);
    default:
        return is_truth_test(g, i);
    }
}

static int is_encoded_tame(const struct gate *g, uint32_t function, const struct symbol *object)
{
    for (uint32_t i = function; i < N(g, function)->end; i++)
        if (!may_go_on(g) || (symbol_of(g, i) == object && !is_tame_encoded(g, i)))
            return 0;
    return 1;
}

static int is_for_encoder(const struct gate *g, uint32_t i, uint32_t object)
{
    const struct bind *b = only_bind(g, symbol_of(g, object));
    uint32_t function = b && b->kind == BIND_PARAMETER ? N(g, N(g, b->node)->parent)->parent : 0;
    return function && is_result(g, i, function) &&
           is_encoded_tame(g, function, symbol_of(g, object)) &&
           (is_default_lambda(g, function) || is_default_method(g, function));
}

/* The x of type(x) or x.__class__, or 0. */
uint32_t whose_class(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_Attribute)
        return strcmp(text_of_name(g, i), "__class__") == 0 ? first_child(g, i) : 0;
    return kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_TYPE &&
                   count_of(g, i, F_args) == 1 && !count_of(g, i, F_keywords)
               ? child_of(g, i, F_args)
               : 0;
}

/* dict(x), json.dumps(x): functions that read a dict. */
int is_read_by_call(const struct gate *g, uint32_t i)
{
    if (!is_in_field(g, i, K_Call, F_args))
        return 0;
    uint32_t func = first_child(g, N(g, i)->parent);
    enum builtin what = builtin_sure(g, func);
    const struct export_name *row = export_sure(g, func);
    if (what == BUILTIN_PLAIN) /* of two, as in divmod(), the other is asked as well */
        return count_of(g, N(g, i)->parent, F_args) == 1;
    return what == BUILTIN_PRINT || what == BUILTIN_SELF_MATCH ||
           (row && row->kind == EXPORT_JSON_DUMP && !keyword_of(g, N(g, i)->parent, "cls") &&
            !call_shape(g, N(g, i)->parent).starred);
}

/* self.__dict__["name"] = ... with a name that is known and tame. */
static int is_plain_write(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) != K_Subscript || N(g, i)->field != F_value)
        return 0;
    PyObject *key = string_of(g, child_of(g, parent, F_slice));
    return key && is_tame_attr_text(g, key);
}

/* self.__dict__ == other.__dict__, "x" in vars(self): nobody else is asked. */
static int is_plain_comparison(const struct gate *g, uint32_t i, uint32_t compare)
{
    uint32_t left = first_child(g, compare), right = child_of(g, compare, F_comparators);
    if (count_of(g, compare, F_comparators) != 1)
        return 0;
    if (N(g, compare)->op == COMPARE_IN || N(g, compare)->op == COMPARE_IDENTITY)
        return i == right || N(g, compare)->op == COMPARE_IDENTITY;
    uint32_t other = i == left ? right : left;
    if (kind_of(g, other) == K_Call)
        return builtin_sure(g, first_child(g, other)) == BUILTIN_VARS;
    return kind_of(g, other) == K_Dict ||
           (kind_of(g, other) == K_Attribute && strcmp(text_of_name(g, other), "__dict__") == 0);
}

/* One of the values of a dict display that stand without a key. */
static int is_spread(const struct gate *g, uint32_t i, uint32_t dict)
{
    unsigned at = 0;
    if (N(g, i)->field != F_values)
        return 0;
    FOR_CHILDREN (g, c, dict) {
        if (c == i)
            break;
        at += N(g, c)->field == F_values;
    }
    uint32_t key = child_at(g, dict, F_keys, at);
    return key && kind_of(g, key) == K_NONE;
}

static int reads_only(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Compare:
        return is_plain_comparison(g, i, parent);
    case K_Dict: /* {**self.__dict__}, and no value of it */
        return is_spread(g, i, parent);
    case K_FormattedValue:
    case K_keyword: /* f(**self.__dict__) */
        return kind_of(g, parent) != K_keyword || N(g, parent)->name == 0;
    default:
        return is_reading(g, i) || is_read_by_call(g, i) || is_plain_write(g, i);
    }
}

/* `obj` of a descriptor's __get__ or __set__: an instance whose attribute is looked up. */
int is_owner_instance(const struct gate *g, uint32_t object)
{
    const struct bind *b = only_bind(g, symbol_of(g, object));
    if (!b || b->kind != BIND_PARAMETER || g->odd_classmethods)
        return 0;
    uint32_t arguments = N(g, b->node)->parent, function = N(g, arguments)->parent;
    const char *name = is_function(g, function) ? text_of_name(g, function) : "";
    int looks_up = strcmp(name, "__get__") == 0 || strcmp(name, "__set__") == 0 ||
                   strcmp(name, "__delete__") == 0;
    return looks_up && child_at(g, arguments, F_args, 1) == b->node &&
           !child_of(g, function, F_decorator_list) && is_only_method(g, function) &&
           !is_method_aliased(g, function) && NAME(g, N(g, function)->name)->max_args < 0;
}

/* C(...) of a class of the source, SimpleNamespace(...), or a name for one: no class. */
static int is_known_instance(const struct gate *g, uint32_t i)
{
    static const char maker[] = "__new__";
    uint32_t value = only_value(g, symbol_of(g, i));
    uint32_t call = value ? value : i;
    if (kind_of(g, call) != K_Call)
        return 0;
    const struct export_name *row = export_sure(g, first_child(g, call));
    if (row)
        return row->kind == EXPORT_NAMESPACE;
    uint32_t class = class_sure(g, first_child(g, call));
    unsigned facts = class ? class_facts_known(g, class) : 0;
    uint32_t id = gate_name_find_text(g, maker, sizeof(maker) - 1);
    return facts & CLASS_REAL && facts & CLASS_PLAIN && !(facts & (CLASS_ENUM | CLASS_ABSTRACT)) &&
           !(id && NAME(g, id)->defined);
}

/*
 * What the library keeps in its own instances is found there as well. A property may have been
 * taken from its class, and put into another one.
 */
static int holds_library_parts(const struct gate *g, uint32_t i, uint32_t object)
{
    uint32_t class;
    if (!g->hidden_parts || is_plain_write(g, i) || is_known_instance(g, object))
        return 0;
    if (!is_genuine_self(g, object, &class))
        return 1;
    return gate_has_hidden_parts(g, class, 0) || N(g, class)->flags & MIXED ||
           child_of(g, function_around(g, i), F_decorator_list);
}

/*
 * json.dumps([e.__dict__ for e in es]): without a default nor an encoder of the code's, nothing but
 * text comes of it; that of a class is no dict, and an error.
 */
static int is_only_dumped(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    int part = is_in_field(g, i, K_ListComp, F_elt) || is_in_field(g, i, K_DictComp, F_value);
    uint32_t arg = part ? parent : i, call = N(g, arg)->parent;
    const struct export_name *row =
        is_in_field(g, arg, K_Call, F_args) ? export_sure(g, first_child(g, call)) : NULL;
    return row && strcmp(row->name, "dumps") == 0 && row->kind == EXPORT_JSON_DUMP &&
           child_of(g, call, F_args) == arg && !call_shape(g, call).starred &&
           !keyword_of(g, call, "cls") && !keyword_of(g, call, "default");
}

int check_object_dict(struct gate *g, uint32_t i, uint32_t object)
{
    if (is_only_dumped(g, i)) {
        g->object_dicts = g->object_dicts ? g->object_dicts : i;
        return 0;
    }
    if (is_for_encoder(g, i, object))
        return 0;
    if (may_lack_dict(g, object))
        return gate_warn(g, RULE_OBJECT_DICT, i,
                         "An object may have no `__dict__` here: then this is whatever the "
                         "`__getattr__` of its class says, a class perhaps.");
    if (holds_library_parts(g, i, object))
        return gate_warn(g, RULE_OBJECT_DICT, i,
                         "This reaches what the standard library keeps in its own objects, by "
                         "names in text: this class derives from one of its classes.");
    if (is_genuine_self(g, object, NULL) || class_tested(g, object) ||
        is_owner_instance(g, object) || is_known_instance(g, object) || is_empty_twin(g, object)) {
        if (!g->object_dicts)
            g->object_dicts = i;
        if (!reads_only(g, i) && !is_twin_update(g, i) && !g->named_writes)
            g->named_writes = i;
        return 0;
    }
    return gate_warn(g, RULE_OBJECT_DICT, i,
                     "This reaches all attributes of a value by their names in text: if the "
                     "value is a class, that includes the interpreter's own methods.");
}
