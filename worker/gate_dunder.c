/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_dunder: x.__something__. Refused, but for the shapes that people write and that can
 * be shown to be tame:
 *
 *   x.__name__ and kin           text; exceptions of an exception
 *   x.__len__()                  what an operator does, with as many arguments as it has
 *   super().__init__(...)        a method that classes may define
 *   Base.__init__(self, ...)     the same, inside the method of that name
 *   object.__setattr__(x, "n", v), object.__new__(cls)
 *   x.__class__, type(x)         compared, shown, asked for a name; or of a genuine self
 *   self.__dict__, vars(self)    of a genuine self
 *
 * A genuine self is an instance of a class of the source, for sure (gate_query.c): a class
 * or a function in its place would hand out the interpreter's own methods by name.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- a class as a value ------------------------------------------------------------------ */

#define OPERANDS_MAX 16

static int is_tame_comparison(const struct gate *g, uint32_t i, uint32_t compare)
{
    unsigned op = N(g, compare)->op, operands = 0;
    if (op == COMPARE_IDENTITY)
        return 1;
    if (op & COMPARE_ORDER || (op & COMPARE_IN && N(g, i)->field != F_left))
        return 0;
    FOR_CHILDREN (g, c, compare) {
        enum kind kind = kind_of(g, c);
        if (++operands > OPERANDS_MAX)
            return 0;
        if (c == i)
            continue;
        int display = kind == K_Tuple || kind == K_List || kind == K_Set;
        if (!is_class_like(g, c) || (op & COMPARE_IN && !display))
            return 0;
    }
    return 1;
}

/*
 * D[type(x)], D.get(type(x)) with a dict that is displayed once and never changes; its keys
 * are classes or constants, which do not look at what they are compared with.
 */
static int is_fixed_dict(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    uint32_t value = only_value(g, s);
    if (!value || kind_of(g, value) != K_Dict || s->flags & SYMBOL_ESCAPES)
        return 0;
    FOR_CHILDREN (g, c, value) {
        if (N(g, c)->field != F_keys)
            break;
        if (kind_of(g, c) != K_Constant && !is_class_like(g, c))
            return 0;
    }
    return 1;
}

static int is_tame_argument(const struct gate *g, uint32_t i)
{
    uint32_t func = first_child(g, N(g, i)->parent);
    enum builtin what = builtin_sure(g, func);
    if (N(g, i)->field != F_args)
        return 0;
    if (kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "get") == 0)
        return is_fixed_dict(g, first_child(g, func));
    return what == BUILTIN_PRINT || what == BUILTIN_ISINSTANCE ||
           (what == BUILTIN_SELF_MATCH && strcmp(text_of_name(g, func), "str") == 0);
}

/* "%s" % type(x), "%s" % (x, type(x)) */
static int is_formatted(const struct gate *g, uint32_t i)
{
    uint32_t up = is_in_field(g, i, K_Tuple, F_elts) ? N(g, i)->parent : i;
    uint32_t parent = N(g, up)->parent;
    return kind_of(g, parent) == K_BinOp && N(g, parent)->op == K_Mod &&
           N(g, up)->field == F_right && string_of(g, first_child(g, parent));
}

int is_tame_class_use(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Attribute:
        return is_load(g, parent);
    case K_Expr:
        return 1;
    case K_FormattedValue:
        return N(g, i)->field == F_value;
    case K_Compare:
        return is_tame_comparison(g, i, parent);
    case K_Subscript:
        return N(g, i)->field == F_slice && is_load(g, parent) &&
               is_fixed_dict(g, first_child(g, parent));
    case K_Call:
        return is_tame_argument(g, i);
    default:
        return is_instance_test(g, i) || is_formatted(g, i);
    }
}

/* T = type(x), where T is only used as above. */
static int is_kept_tame(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    uint32_t target = kind_of(g, parent) == K_Assign && count_of(g, parent, F_targets) == 1
                          ? child_of(g, parent, F_targets)
                          : 0;
    if (!target || kind_of(g, target) != K_Name)
        return 0;
    uint32_t id = gate_scope_resolve(g, N(g, target)->scope, N(g, target)->name);
    const struct symbol *s = id ? &g->symbols[id] : NULL;
    return s && s->count == 1 && !(s->flags & SYMBOL_CLASS_ESCAPES);
}

static int is_display(const struct gate *g, uint32_t i)
{
    switch (N(g, i)->kind) {
    case K_Constant:
    case K_JoinedStr:
    case K_List:
    case K_Tuple:
    case K_Dict:
    case K_Set:
        return 1;
    default:
        return 0;
    }
}

static int check_class_value(struct gate *g, uint32_t i, uint32_t object)
{
    int call = kind_of(g, i) == K_Call; /* type(x) */
    const struct symbol *s = symbol_of(g, object);
    int unpacked = is_in_field(g, i, K_Call, F_func) && call_shape(g, N(g, i)->parent).starred;
    if (s && s->kinds == BINDS(BIND_EXCEPT) && !unpacked) /* an exception, and never a class */
        return 0;
    if (is_genuine_self(g, object, NULL) || is_tame_class_use(g, i) ||
        (call && (is_display(g, object) || is_kept_tame(g, i))))
        return 0;
    return gate_warn(g, RULE_TYPE_VALUE, i,
                     "The class of a value is kept or called: of a class it is `type`, which "
                     "makes new classes from names in text; isinstance() or `.__name__` is not "
                     "affected.");
}

/* type("Name", (Base,), {"method": ...}) as a class statement could have it. */
static int is_tame_factory(const struct gate *g, uint32_t call)
{
    uint32_t name = child_of(g, call, F_args), bases = child_at(g, call, F_args, 1);
    uint32_t body = child_at(g, call, F_args, 2);
    if (!string_of(g, name) || kind_of(g, bases) != K_Tuple || kind_of(g, body) != K_Dict)
        return 0;
    FOR_CHILDREN (g, c, bases)
        if (kind_of(g, c) == K_Starred)
            return 0;
    FOR_CHILDREN (g, c, body) {
        PyObject *key = N(g, c)->field == F_keys ? string_of(g, c) : NULL;
        const char *text = key ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        PyErr_Clear();
        if (N(g, c)->field != F_keys)
            break;
        const struct dunder_row *row = text ? gate_dunder(text) : NULL;
        int method = row && row->flags & DUNDER_DEFINE && !(row->flags & DUNDER_STATIC) &&
                     strcmp(text, "__set_name__") != 0; /* these get the class */
        if (!text || !(row ? method : is_tame_attr_text(g, key)))
            return 0;
    }
    return 1;
}

int check_type_call(struct gate *g, uint32_t i)
{
    struct call_shape shape = call_shape(g, i);
    if (shape.positional == 1 && !shape.keywords && !shape.starred)
        return check_class_value(g, i, child_of(g, i, F_args));
    if (shape.positional == 3 && !shape.keywords && !shape.starred && is_tame_factory(g, i))
        return 0;
    return gate_warn(g, RULE_CLASS_FACTORY, i,
                     "type() makes a class here, with names that are not all known or not "
                     "allowed: they decide what the interpreter calls.");
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
        child_of(g, function, F_decorator_list))
        return 0;
    uint32_t s = gate_scope_find(g, N(g, class)->link, N(g, function)->name);
    return is_encoder_class(g, class) && s &&
           !(g->symbols[s].flags & (SYMBOL_LOADED_IN_CLASS | SYMBOL_GLOBAL | SYMBOL_NONLOCAL));
}

static int is_for_encoder(const struct gate *g, uint32_t i, uint32_t object)
{
    const struct bind *b = only_bind(g, symbol_of(g, object));
    uint32_t function = b && b->kind == BIND_PARAMETER ? N(g, N(g, b->node)->parent)->parent : 0;
    return function && is_result(g, i, function) &&
           (is_default_lambda(g, function) || is_default_method(g, function));
}

/* What isinstance() or `type(a) is type(b)` says of node i's name. */
static int tests_for_own_class(const struct gate *g, uint32_t test, uint32_t name)
{
    if (kind_of(g, test) != K_Call || builtin_sure(g, first_child(g, test)) != BUILTIN_ISINSTANCE ||
        strcmp(text_of_name(g, first_child(g, test)), "isinstance") != 0 ||
        count_of(g, test, F_args) != 2)
        return 0;
    uint32_t object = child_of(g, test, F_args), class = child_at(g, test, F_args, 1);
    uint32_t own = class_sure(g, class);
    int safe = own && class_facts_known(g, own) & CLASS_PLAIN &&
               !(class_facts_known(g, own) & CLASS_ABSTRACT);
    return kind_of(g, object) == K_Name && N(g, object)->name == name && safe;
}

/* `isinstance(other, C) and ... other.__dict__`, or the like as an early return before. */
static int is_guarded(const struct gate *g, uint32_t i, uint32_t object)
{
    const struct bind *b = only_bind(g, symbol_of(g, object));
    if (!b || b->kind != BIND_PARAMETER)
        return 0;
    uint32_t name = N(g, object)->name, up = i;
    for (int climbed = 0; climbed < 8 && up; climbed++, up = N(g, up)->parent) {
        uint32_t parent = N(g, up)->parent;
        uint32_t before = first_child(g, parent);
        if (kind_of(g, parent) == K_BoolOp && N(g, parent)->op == K_And && before != up &&
            tests_for_own_class(g, before, name))
            return 1;
        if (!is_function(g, parent) || N(g, up)->field != F_body)
            continue;
        before = child_of(g, parent, F_body);
        if (kind_of(g, before) == K_Expr && string_of(g, first_child(g, before)))
            before = N(g, before)->end; /* behind the docstring */
        uint32_t test = before != up && kind_of(g, before) == K_If ? first_child(g, before) : 0;
        uint32_t leave = test ? child_of(g, before, F_body) : 0;
        return leave && kind_of(g, test) == K_UnaryOp && N(g, test)->op == K_Not &&
               (kind_of(g, leave) == K_Return || kind_of(g, leave) == K_Raise) &&
               tests_for_own_class(g, first_child(g, test), name);
    }
    return 0;
}

/* dict(x), json.dumps(x): functions that read a dict. */
static int is_read_by_call(const struct gate *g, uint32_t i)
{
    if (!is_in_field(g, i, K_Call, F_args))
        return 0;
    uint32_t func = first_child(g, N(g, i)->parent);
    enum builtin what = builtin_sure(g, func);
    const struct export_name *row = export_sure(g, func);
    return what == BUILTIN_PLAIN || what == BUILTIN_PRINT || what == BUILTIN_SELF_MATCH ||
           (row && row->kind == EXPORT_JSON_DUMP);
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

static int reads_only(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Compare:
    case K_FormattedValue:
    case K_Dict:    /* {**self.__dict__} */
    case K_keyword: /* f(**self.__dict__) */
        return kind_of(g, parent) != K_keyword || N(g, parent)->name == 0;
    default:
        return is_reading(g, i) || is_read_by_call(g, i) || is_plain_write(g, i);
    }
}

int check_object_dict(struct gate *g, uint32_t i, uint32_t object)
{
    if (is_for_encoder(g, i, object))
        return 0;
    if (is_genuine_self(g, object, NULL) || is_guarded(g, i, object)) {
        if (!reads_only(g, i) && !g->named_writes)
            g->named_writes = i;
        return 0;
    }
    return gate_warn(g, RULE_OBJECT_DICT, i,
                     "This reaches all attributes of a value by their names in text: if the "
                     "value is a class, that includes the interpreter's own methods.");
}

/* ---- methods by their dunder names ---------------------------------------------------------------- */

static int is_super_call(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Call && builtin_what(g, first_child(g, i)) == BUILTIN_SUPER;
}

/* `name` in `def __setattr__(self, name, value)`: what a statement of the source says. */
static int is_own_name_parameter(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    if (!b || b->kind != BIND_PARAMETER)
        return 0;
    uint32_t arguments = N(g, b->node)->parent, function = N(g, arguments)->parent;
    const char *name = is_function(g, function) ? text_of_name(g, function) : "";
    uint32_t self = child_of(g, arguments, F_args);
    return class_of_method(g, function) && !child_of(g, function, F_decorator_list) &&
           (strcmp(name, "__setattr__") == 0 || strcmp(name, "__delattr__") == 0) && self &&
           child_at(g, arguments, F_args, 1) == b->node;
}

/* The first parameter of the method that node i stands in. */
static int is_own_self(const struct gate *g, uint32_t i)
{
    uint32_t around = function_around(g, i);
    const struct symbol *s = symbol_of(g, i);
    return s && class_of_method(g, around) && s == first_parameter(g, around) && s->count == 1;
}

/* Whether the name that is set or deleted, argument `at`, is tame. */
static int sets_tame_name(struct gate *g, uint32_t call, unsigned at)
{
    uint32_t name = child_at(g, call, F_args, at);
    if (!name || call_shape(g, call).starred)
        return 0;
    if (!is_own_name_parameter(g, name)) {
        PyObject *text = string_of(g, name);
        int may_name = !text || PyUnicode_CompareWithASCIIString(text, "name") == 0;
        if (may_name && at == 1 && !g->name_writes && !is_own_self(g, child_of(g, call, F_args)))
            g->name_writes = call;
        return are_tame_attr_strings(g, name);
    }
    if (at == 1 && !is_own_self(g, child_of(g, call, F_args)))
        return 0; /* object.__setattr__(x, name, value) */
    if (!g->named_writes)
        g->named_writes = call;
    return 1;
}

static int is_setter_name(const char *name)
{
    return strcmp(name, "__setattr__") == 0 || strcmp(name, "__delattr__") == 0;
}

static int is_tame_super(struct gate *g, uint32_t i, const struct name *name)
{
    if (!is_in_field(g, i, K_Call, F_func) || !name->dunder ||
        !(name->dunder->flags & DUNDER_DEFINE))
        return 0;
    int bound = name->dunder->flags & DUNDER_STATIC || name->dunder->calls >= 0 ||
                is_only_method(g, function_around(g, i)); /* else super() may be of a class */
    return bound && (!is_setter_name(name->text) || sets_tame_name(g, N(g, i)->parent, 0));
}

/* Base.__init__(self, ...) in a method of that name, self being its own. */
static int is_tame_base_call(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i), call = N(g, i)->parent, around = function_around(g, i);
    uint32_t class = class_of_method(g, around), self = child_of(g, call, F_args);
    if (!class || !self || N(g, around)->name != N(g, i)->name || !name->dunder ||
        !(name->dunder->flags & DUNDER_DEFINE) || is_setter_name(name->text))
        return 0;
    const struct symbol *s = symbol_of(g, self);
    int own = s && s == first_parameter(g, around) && s->count == 1 &&
              !child_of(g, around, F_decorator_list) &&
              (name->dunder->flags & DUNDER_STATIC || is_only_method(g, around));
    return own && (kind_of(g, base) == K_Name || export_sure(g, base)) && is_class_like(g, base);
}

/* object.__new__(C), C.__new__(C): an empty instance. */
static int is_tame_new(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i), call = N(g, i)->parent;
    struct call_shape shape = call_shape(g, call);
    if (strcmp(name->text, "__new__") != 0 || shape.positional != 1 || shape.keywords ||
        shape.starred || kind_of(g, base) != K_Name)
        return 0;
    uint32_t class = child_of(g, call, F_args);
    return builtin_sure(g, base) == BUILTIN_CLASS ||
           (kind_of(g, class) == K_Name && N(g, class)->name == N(g, base)->name);
}

/* object.__setattr__(self, "name", value) */
static int is_tame_object_set(struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i);
    return is_setter_name(name->text) && builtin_sure(g, base) == BUILTIN_CLASS &&
           strcmp(text_of_name(g, base), "object") == 0 && sets_tame_name(g, N(g, i)->parent, 1);
}

static int is_operator_call(const struct gate *g, uint32_t i, const struct name *name)
{
    struct call_shape shape = call_shape(g, N(g, i)->parent);
    return name->dunder && name->dunder->calls >= 0 && !shape.keywords && !shape.starred &&
           shape.positional == (unsigned)name->dunder->calls;
}

static int is_tame_method_call(struct gate *g, uint32_t i, const struct name *name)
{
    if (!is_in_field(g, i, K_Call, F_func))
        return 0;
    return is_operator_call(g, i, name) || is_tame_base_call(g, i, name) ||
           is_tame_new(g, i, name) || is_tame_object_set(g, i, name);
}

int is_readable_dunder(const struct gate *g, const struct dunder_row *row)
{
    if (!row || !(row->flags & DUNDER_READ))
        return 0;
    /* singledispatch looks classes up by KeyError, which holds the class. */
    return !g->dispatches ||
           (strcmp(row->name, "__context__") != 0 && strcmp(row->name, "__cause__") != 0);
}

/* list.__add__, dict.__getitem__: an operator of a builtin class, which takes its own only. */
static int is_builtin_operator(const struct gate *g, uint32_t i, const struct name *name)
{
    return name->dunder && name->dunder->calls >= 0 &&
           builtin_sure(g, first_child(g, i)) == BUILTIN_SELF_MATCH;
}

static int is_tame_access(struct gate *g, uint32_t i, const struct name *name)
{
    unsigned flags = name->dunder ? name->dunder->flags : 0;
    if (!is_load(g, i))
        return N(g, i)->op == K_Store && flags & DUNDER_WRITE;
    if (is_super_call(g, first_child(g, i)))
        return is_tame_super(g, i, name);
    return is_readable_dunder(g, name->dunder) || is_builtin_operator(g, i, name) ||
           is_tame_method_call(g, i, name);
}

int check_dunder_attribute(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    uint32_t base = first_child(g, i);
    if (strcmp(name->text, "__class__") == 0 && is_load(g, i))
        return check_class_value(g, i, base);
    if (strcmp(name->text, "__dict__") == 0 && N(g, i)->op != K_Del)
        return check_object_dict(g, i, base);
    if (strcmp(name->text, "__slots__") == 0 && is_load(g, i) &&
        (is_reading(g, i) || is_read_by_call(g, i)))
        return 0;
    if (is_tame_access(g, i, name))
        return 0;
    return gate_warn(g, RULE_DUNDER_ATTRIBUTE, i,
                     "`.%s` belongs to the interpreter: through such names code can reach "
                     "classes, functions and modules that it was not given.",
                     name->text);
}
