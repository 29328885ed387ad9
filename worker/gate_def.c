/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_def: what the source defines. Names that the interpreter or the standard library look
 * up by themselves are defined from a list; a class keeps the names of its fields, since a
 * positional pattern reads attributes by them.
 */
#include "gate_int.h"

#include <string.h>

static int warn_definition(struct gate *g, uint32_t i, const char *name)
{
    return gate_warn(g, RULE_DUNDER_DEFINITION, i,
                     "Defining `%s` changes what the interpreter does with this code, or where "
                     "it thinks that the code belongs.",
                     name);
}

/* Python calls it of classes: in a class body it may be defined. */
static int warn_function(struct gate *g, uint32_t i, const struct name *name)
{
    if (!name->dunder || !(name->dunder->flags & DUNDER_DEFINE) ||
        g->scopes[N(g, i)->scope].kind == SCOPE_CLASS)
        return warn_definition(g, i, name->text);
    return gate_warn(g, RULE_DUNDER_DEFINITION, i,
                     "`%s` is defined outside of a class body: put into a class later, it changes "
                     "what the interpreter does with objects, and the gate does not see which.",
                     name->text);
}

/* ---- fields ------------------------------------------------------------------------------ */

/* Names that a class pattern must not read from what it is matched against. */
static int is_dangerous_field(const struct gate *g, uint32_t id)
{
    const struct name *name = NAME(g, id);
    if (name->attr == ATTR_INTERPRETER)
        return 1;
    if (name->attr == ATTR_HIDDEN)
        return gate_module_in_use(g, name->attr_row->module);
    if (strcmp(name->text, "_name_") == 0) /* of a member of an Enum: what a copy of it reads */
        return gate_module_in_use(g, "dataclasses");
    return g->class_patterns && g->abstracts &&
           (name->attr == ATTR_OBJ || name->attr == ATTR_FORMAT || name->attr == ATTR_DOOR ||
            is_dispatch_word(g, name->text));
}

static int warn_field(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_CLASS_FIELD, i,
                     "A class with a field called `%s` can read that attribute of anything, by "
                     "way of a pattern.",
                     NAME(g, N(g, i)->name)->text);
}

static int check_field(struct gate *g, uint32_t i)
{
    if (is_import_hint(NAME(g, N(g, i)->name)->text))
        return warn_import_hint(g, i);
    return is_dangerous_field(g, N(g, i)->name) ? warn_field(g, i) : 0;
}

/* `__call__: object = None` makes a method's name a field's, once a class is a dataclass. */
static int is_method_field(const struct gate *g, uint32_t i, const struct name *name)
{
    return is_in_field(g, i, K_AnnAssign, F_target) && name->dunder &&
           name->dunder->flags & DUNDER_DEFINE && gate_module_in_use(g, "dataclasses");
}

/* ---- dunder names -------------------------------------------------------------------------- */

/* A slot makes a name of the class's own, so it may be private. */
static int is_tame_slot(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const struct attr_row *row;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }
    return strcmp(text, "__dict__") == 0 || strcmp(text, "__weakref__") == 0 ||
           is_tame_attr_text(g, str) || gate_attr_class(text, (size_t)len, &row) == ATTR_PRIVATE;
}

/* A list of slots that nothing else in the class body can hold: `__slots__ = ["a"]`. */
static int is_only_holder(const struct gate *g, uint32_t i)
{
    uint32_t statement = N(g, i)->parent;
    uint32_t s = gate_scope_find(g, N(g, i)->scope, N(g, i)->name);
    return s && g->symbols[s].count == 1 && !(g->symbols[s].flags & SYMBOL_LOADED_IN_CLASS) &&
           (kind_of(g, statement) != K_Assign || count_of(g, statement, F_targets) == 1);
}

/* __slots__ = ("a", "b"), __match_args__ = ("a", "b") */
static int are_known_names(const struct gate *g, uint32_t i, uint32_t value, int slots)
{
    enum kind kind = kind_of(g, value);
    int changes = kind == K_List || kind == K_Set || kind == K_Dict;
    if (string_of(g, value))
        return slots && is_tame_slot(g, string_of(g, value));
    if (kind != K_Tuple && !(slots && changes && is_only_holder(g, i)))
        return 0;
    FOR_CHILDREN (g, c, value) {
        if (kind == K_Dict && N(g, c)->field != F_keys)
            continue;
        PyObject *text = string_of(g, c);
        if (!text || !(slots ? is_tame_slot(g, text) : is_tame_attr_text(g, text)))
            return 0;
    }
    return 1;
}

/* The value of `name = value`, or 0. */
static uint32_t value_of(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    enum kind kind = kind_of(g, parent);
    return kind == K_Assign || kind == K_AnnAssign ? child_of(g, parent, F_value) : 0;
}

static int is_tame_class_dunder(const struct gate *g, uint32_t i, const struct name *name)
{
    uint32_t value = value_of(g, i);
    if (!value)
        return 0;
    if (strcmp(name->text, "__module__") == 0) /* its own */
        return kind_of(g, value) == K_Name && !symbol_of(g, value) &&
               strcmp(NAME(g, N(g, value)->name)->text, "__name__") == 0;
    if (!name->dunder)
        return 0;
    if (strcmp(name->text, "__slots__") == 0)
        return are_known_names(g, i, value, 1);
    if (strcmp(name->text, "__match_args__") == 0)
        return are_known_names(g, i, value, 0);
    if (strcmp(name->text, "__doc__") == 0 && gate_module_in_use(g, "dataclasses"))
        return string_of(g, value) && !is_signature_text(string_of(g, value));
    return (name->dunder->flags & (DUNDER_DEFINE | DUNDER_ASSIGN)) != 0;
}

static int check_library_name(struct gate *g, uint32_t i, uint32_t id);

/* A slot is a name in the class like any other. */
static int check_slots(struct gate *g, uint32_t i, uint32_t value)
{
    FOR_CHILDREN (g, c, value) {
        uint32_t id = string_of(g, c) ? gate_name_id(g, string_of(g, c)) : 0;
        if (id && check_library_name(g, i, id) < 0)
            return -1;
    }
    uint32_t only = string_of(g, value) ? gate_name_id(g, string_of(g, value)) : 0;
    return only ? check_library_name(g, i, only) : 0;
}

static int check_dunder_store(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    enum scope_kind scope = (enum scope_kind)g->scopes[N(g, i)->scope].kind;
    int tame = 0;
    if (scope == SCOPE_CLASS)
        tame = is_tame_class_dunder(g, i, name);
    else if (scope == SCOPE_MODULE)
        tame = value_of(g, i) && name->dunder && name->dunder->flags & DUNDER_MODULE;
    if (!tame)
        return warn_definition(g, i, name->text);
    if (scope != SCOPE_CLASS)
        return 0;
    if (g->enums && ((name->dunder && name->dunder->flags & DUNDER_STATIC) ||
                     strcmp(name->text, "__set_name__") == 0 || strcmp(name->text, "__get__") == 0))
        return warn_definition(g, i, name->text);
    if (is_method_field(g, i, name))
        return warn_field(g, i);
    if (strcmp(name->text, "__slots__") == 0 && check_slots(g, i, value_of(g, i)) < 0)
        return -1;
    return check_copy_definition(g, i) < 0 ? -1 : check_signature(g, i, value_of(g, i));
}

/* `def attrname` in a class below cached_property; `_name_` beside Enums. */
static int check_library_name(struct gate *g, uint32_t i, uint32_t id)
{
    const struct scope *scope = &g->scopes[N(g, i)->scope];
    if (scope->kind != SCOPE_CLASS || !gate_names_library_part(g, scope->node, id))
        return 0;
    return gate_warn(g, RULE_CLASS_FIELD, i,
                     "The standard library goes by what `%s` of such an object says, and here it "
                     "is what this class says.",
                     NAME(g, id)->text);
}

int check_bound_dunder(struct gate *g, uint32_t i, uint32_t id)
{
    if (id && check_library_name(g, i, id) < 0)
        return -1;
    return id && NAME(g, id)->attr == ATTR_DUNDER ? warn_definition(g, i, NAME(g, id)->text) : 0;
}

int check_name_store(struct gate *g, uint32_t i)
{
    if (NAME(g, N(g, i)->name)->attr == ATTR_DUNDER)
        return check_dunder_store(g, i);
    if (g->scopes[N(g, i)->scope].kind != SCOPE_CLASS)
        return 0;
    if (check_ratio(g, i) < 0 || check_library_name(g, i, N(g, i)->name) < 0)
        return -1;
    return check_package_part(g, i, g->scopes[N(g, i)->scope].node) < 0 ? -1 : check_field(g, i);
}

int check_function(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    if (check_new(g, i) < 0 || check_ratio(g, i) < 0 || check_library_name(g, i, N(g, i)->name) < 0)
        return -1;
    if (class_of_method(g, i) && check_package_part(g, i, class_of_method(g, i)) < 0)
        return -1;
    if (name->attr != ATTR_DUNDER)
        return is_import_hint(name->text) ? warn_import_hint(g, i) : 0;
    if (check_package_definition(g, i) < 0)
        return -1;
    int tame = g->scopes[N(g, i)->scope].kind == SCOPE_CLASS && name->dunder &&
               name->dunder->flags & DUNDER_DEFINE;
    if (!tame)
        return warn_function(g, i, name);
    return check_copy_definition(g, i) < 0 ? -1 : check_signature(g, i, 0);
}

/* ---- classes --------------------------------------------------------------------------------- */

static int check_class_keyword(struct gate *g, uint32_t i)
{
    const char *name = NAME(g, N(g, i)->name)->text;
    const struct export_name *row = export_sure(g, first_child(g, i));
    if (N(g, i)->name && name[0] != '_' && strcmp(name, "metaclass") != 0) /* _simple of Enum */
        return 0;
    if (N(g, i)->name && row && row->kind == EXPORT_METACLASS)
        return 0;
    return gate_warn(g, RULE_METACLASS, i,
                     "A metaclass decides what a class is, what it is an instance of and what "
                     "its names mean; only ABCMeta is known to be tame.");
}

/* An Enum that gets out of sight while it has no members: calling it makes classes. */
static int check_empty_enum(struct gate *g, uint32_t i)
{
    unsigned facts = class_facts_known(g, i);
    int enums = 0, shown = is_shown_to_code(g, i) || !stays_class(g, i) ||
                           g->scopes[N(g, i)->scope].kind == SCOPE_CLASS;
    FOR_CHILDREN (g, c, i) {
        const struct symbol *s = symbol_of(g, c);
        enums |= N(g, c)->field == F_bases &&
                 (exports_of(g, c) & EXPORTS(EXPORT_ENUM) || (s && s->flags & SYMBOL_ENUM_EMPTY));
    }
    if (!enums || (facts & CLASS_REAL && !(facts & CLASS_ENUM_EMPTY && shown)))
        return 0;
    return gate_warn(g, RULE_CLASS_FACTORY, i,
                     "An Enum without members is given to something else here, and calling it "
                     "makes a class with any names.");
}

int check_class(struct gate *g, uint32_t i)
{
    if (check_bound_dunder(g, i, N(g, i)->name) < 0 || check_docstring(g, i) < 0 ||
        check_empty_enum(g, i) < 0 || check_package_number(g, i) < 0)
        return -1;
    FOR_CHILDREN (g, c, i) {
        if (N(g, c)->field == F_keywords && check_class_keyword(g, c) < 0)
            return -1;
        if (N(g, c)->field == F_bases && check_package_base(g, c) < 0)
            return -1;
        if (N(g, c)->field == F_bases && may_be_export(g, c, "singledispatchmethod") &&
            gate_warn(
                g, RULE_TYPE_VALUE, c,
                "A class below `singledispatchmethod` can have a dispatcher of its own, which "
                "would be given the class of each argument, `type` among them.") < 0)
            return -1;
        if (N(g, c)->field == F_bases && kind_of(g, c) == K_Subscript &&
            gate_stands_for_another(g, first_child(g, c)) &&
            gate_warn(g, RULE_METACLASS, c,
                      "A base that is only meant for annotations stands for another class here: "
                      "derive from that one.") < 0)
            return -1;
        if (N(g, c)->field == F_bases && kind_of(g, c) == K_Starred &&
            gate_warn(g, RULE_METACLASS, c,
                      "The bases of this class are not known before the code runs.") < 0)
            return -1;
    }
    return 0;
}
