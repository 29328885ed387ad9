/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_dunder: x.__something__. Refused, but for the shapes that people write and that can
 * be shown to be tame:
 *
 *   x.__name__ and kin           text; exceptions of an exception
 *   x.__len__()                  what an operator does, with as many arguments as it has;
 *                                also as key= and kin, which are called with so many
 *   super().__init__(...)        a method that classes may define
 *   Base.__init__(self, ...)     the same, inside the method of that name
 *   object.__setattr__(x, "n", v), object.__new__(cls)
 *   x.__class__, type(x)         compared, shown, asked for a name; or of a genuine self
 *   self.__dict__, vars(self)    of a genuine self
 *   N.__lt__ = f                 an operator, as the body of N could have it
 *   C.__mro__ and kin            printed, or asked for the names of what is in it
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
           !is_method_aliased(g, function) &&
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
    if (at == 1 && !is_own_name_parameter(g, name) &&
        gate_keeps_named(g, name, child_of(g, call, F_args)))
        return 0;
    if (!is_own_name_parameter(g, name)) {
        PyObject *text = string_of(g, name);
        int may_name = !text || PyUnicode_CompareWithASCIIString(text, "name") == 0;
        if (may_name && at == 1 && !g->name_writes &&
            !is_genuine_self(g, child_of(g, call, F_args), NULL))
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

/* Methods of a descriptor. The library's hand what they get to others, by names that they get. */
int is_of_descriptor(const char *name)
{
    static const char *const names[] = {"__delete__", "__get__", "__set__", "__set_name__"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return 1;
    return 0;
}

/* x.__len__(), min(keys, key=x.__getitem__), iter(x.__next__, end) */
static int is_operator_call(const struct gate *g, uint32_t i, const struct name *name)
{
    if (!is_in_field(g, i, K_Call, F_func))
        return name->dunder && name->dunder->calls >= 0 &&
               gate_called_with(g, i) == name->dunder->calls;
    struct call_shape shape = call_shape(g, N(g, i)->parent);
    return name->dunder && name->dunder->calls >= 0 && !shape.keywords && !shape.starred &&
           shape.positional == (unsigned)name->dunder->calls;
}

/*
 * Whether super() is of an instance there. Of a class it hands out plain functions, which take
 * anything for `self`: in a class method, or where the class is given to a method by name.
 */
static int is_bound_super(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t around = function_around(g, i);
    if (is_only_method(g, around))
        return 1;
    if (!class_of_method(g, around) || child_of(g, around, F_decorator_list) ||
        name->dunder->calls < 0)
        return 0;
    const struct name *own = NAME(g, N(g, around)->name);
    int static_method = own->dunder && own->dunder->flags & DUNDER_STATIC;
    return !static_method && !is_method_aliased(g, around) &&
           (own == name || is_operator_call(g, i, name));
}

static int is_tame_super(struct gate *g, uint32_t i, const struct name *name)
{
    if (!is_in_field(g, i, K_Call, F_func) || !name->dunder ||
        !(name->dunder->flags & DUNDER_DEFINE))
        return 0;
    if (is_of_descriptor(name->text) && g->descriptor_bases)
        return 0;
    if (strcmp(name->text, "__deepcopy__") == 0 && !passes_memo(g, N(g, i)->parent, 0))
        return 0;
    int bound = name->dunder->flags & DUNDER_STATIC || is_bound_super(g, i, name);
    return bound && (!is_setter_name(name->text) || sets_tame_name(g, N(g, i)->parent, 0));
}

#define ANCESTORS_MAX 32 /* classes below each other that are followed */

/* Whether an instance of the class is one of `base`, for sure. */
static int is_in_line(const struct gate *g, uint32_t class, uint32_t base, int depth)
{
    if (class == base)
        return 1;
    FOR_CHILDREN (g, c, class) {
        uint32_t named = kind_of(g, c) == K_Subscript ? first_child(g, c) : c; /* Base[T] */
        uint32_t own = N(g, c)->field == F_bases ? class_sure(g, named) : 0;
        if (own && depth < ANCESTORS_MAX && may_go_on(g) && is_in_line(g, own, base, depth + 1))
            return 1;
    }
    return 0;
}

/* Base.__init__(self, ...) in a method of that name, self being its own; a library's looks at it. */
static int is_tame_base_call(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i), call = N(g, i)->parent, around = function_around(g, i);
    uint32_t class = class_of_method(g, around), self = child_of(g, call, F_args);
    if (!class || !self || N(g, around)->name != N(g, i)->name || !name->dunder ||
        !(name->dunder->flags & DUNDER_DEFINE) || is_setter_name(name->text) ||
        (is_of_descriptor(name->text) && (g->descriptor_bases || !class_sure(g, base))) ||
        (strcmp(name->text, "__deepcopy__") == 0 && !passes_memo(g, call, 1)))
        return 0;
    const struct symbol *s = symbol_of(g, self);
    int own = s && s == first_parameter(g, around) && s->count == 1 &&
              !child_of(g, around, F_decorator_list) &&
              (name->dunder->flags & DUNDER_STATIC || is_only_method(g, around));
    uint32_t named = class_sure(g, base);
    return own && (kind_of(g, base) == K_Name || export_sure(g, base)) && is_class_like(g, base) &&
           (!named || is_in_line(g, class, named, 0));
}

/* object.__new__(C), C.__new__(C), self.__class__.__new__(self.__class__): an empty instance. */
static int is_tame_new(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i), call = N(g, i)->parent;
    struct call_shape shape = call_shape(g, call);
    uint32_t class = child_of(g, call, F_args);
    if (strcmp(name->text, "__new__") != 0 || shape.positional != 1 || shape.keywords ||
        shape.starred)
        return 0;
    uint32_t made = whose_class(g, base), given = whose_class(g, class);
    if (made && given)
        return symbol_of(g, made) && symbol_of(g, made) == symbol_of(g, given);
    if (kind_of(g, base) != K_Name)
        return 0;
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

static int is_tame_method_call(struct gate *g, uint32_t i, const struct name *name)
{
    if (is_operator_call(g, i, name))
        return 1;
    return is_in_field(g, i, K_Call, F_func) &&
           (is_tame_base_call(g, i, name) || is_tame_new(g, i, name) ||
            is_tame_object_set(g, i, name));
}

int is_readable_dunder(const struct gate *g, const struct dunder_row *row)
{
    if (!row || !(row->flags & DUNDER_READ))
        return 0;
    /* singledispatch looks classes up by KeyError, which holds the class. */
    return !g->dispatches ||
           (strcmp(row->name, "__context__") != 0 && strcmp(row->name, "__cause__") != 0);
}

/*
 * list.__add__, dict.__getitem__: an operator of a builtin class, which takes its own only.
 * object.__hash__ and kin do what the operator does.
 */
static int is_builtin_operator(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i);
    enum builtin what = builtin_sure(g, base);
    int object = what == BUILTIN_CLASS && strcmp(text_of_name(g, base), "object") == 0;
    return name->dunder && name->dunder->calls >= 0 && (what == BUILTIN_SELF_MATCH || object);
}

/*
 * N.__lt__ = f, of a class of the source that derives from no library's: as `__lt__ = f` in its
 * body. Only operators of up to one operand: an `__exit__` would get a class and a traceback. A
 * body with `__eq__` ends the hash of its base, which it is too late for here.
 */
static int is_late_operator(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t statement = N(g, i)->parent, class = class_sure(g, first_child(g, i));
    unsigned facts = class ? class_facts_known(g, class) : 0;
    const struct dunder_row *row = name->dunder;
    return kind_of(g, statement) == K_Assign && N(g, i)->field == F_targets && row &&
           row->flags == DUNDER_DEFINE && (row->calls == 0 || row->calls == 1) &&
           strcmp(row->name, "__eq__") != 0 && facts & CLASS_REAL && facts & CLASS_PLAIN &&
           !(facts & (CLASS_ENUM | CLASS_ABSTRACT)) && !gate_is_mixed(g, class) && !g->packages &&
           !g->enum_mixins;
}

static int is_tame_access(struct gate *g, uint32_t i, const struct name *name)
{
    unsigned flags = name->dunder ? name->dunder->flags : 0;
    if (!is_load(g, i))
        return N(g, i)->op == K_Store && (flags & DUNDER_WRITE || is_late_operator(g, i, name));
    if (is_super_call(g, first_child(g, i)))
        return is_tame_super(g, i, name);
    return is_readable_dunder(g, name->dunder) || is_builtin_operator(g, i, name) ||
           is_tame_method_call(g, i, name);
}

static int is_defined(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

/* E.__members__, pattern.groupindex: what is compared or joined with it gets the dict behind it.
 * 0: where nobody knows what is done with it. */
int is_tame_proxy(const struct gate *g, uint32_t i)
{
    static const char *const names[] = {"__eq__", "__ge__", "__gt__", "__le__",
                                        "__lt__", "__ne__", "__or__", "__ror__"};
    if (i && (is_reading(g, i) || is_read_by_call(g, i)))
        return 1;
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (is_defined(g, names[k]))
            return 0;
    return 1;
}

/* itertools.count().__next__, which makes numbers whenever it is called. */
static int is_counter(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t base = first_child(g, i);
    const struct export_name *row =
        kind_of(g, base) == K_Call ? export_sure(g, first_child(g, base)) : NULL;
    return is_load(g, i) && strcmp(name->text, "__next__") == 0 && row &&
           row == exports_name(exports_find("itertools"), "count");
}

int check_dunder_attribute(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    uint32_t base = first_child(g, i);
    if (strcmp(name->text, "__class__") == 0 && is_load(g, i))
        return check_class_value(g, i, base);
    if (strcmp(name->text, "__dict__") == 0 && N(g, i)->op != K_Del)
        return check_object_dict(g, i, base);
    if (strcmp(name->text, "__members__") == 0 && is_load(g, i) && !is_tame_proxy(g, i))
        return gate_warn(g, RULE_DUNDER_ATTRIBUTE, i,
                         "Compared or joined, `__members__` hands the table behind it to the "
                         "methods of the other side, which this code defines.");
    if (strcmp(name->text, "__slots__") == 0 && is_load(g, i) &&
        (is_reading(g, i) || is_read_by_call(g, i)))
        return 0;
    if (is_tame_access(g, i, name) || is_counter(g, i, name) || is_lineage_shown(g, i))
        return 0;
    if (strcmp(name->text, "__traceback__") == 0)
        return gate_warn(g, RULE_DUNDER_ATTRIBUTE, i,
                         "`.__traceback__` leads to the frames of whatever code runs (for its "
                         "text, use traceback.format_exc()).");
    return gate_warn(g, RULE_DUNDER_ATTRIBUTE, i,
                     "`.%s` belongs to the interpreter: through such names code can reach "
                     "classes, functions and modules that it was not given.%s",
                     name->text,
                     strcmp(name->text, "__traceback__") == 0
                         ? " The text of a traceback is had by traceback.format_exc()."
                         : "");
}
