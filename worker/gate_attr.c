/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_attr: an attribute, wherever one can be reached. On a module it is looked up in the
 * export table; on anything else its name decides, since nobody knows what the value is:
 * frames, code, the doors of modules, other people's private parts are refused by name.
 */
#include "gate_int.h"

#include <string.h>

/* ---- by name -------------------------------------------------------------------------- */

static const char unseen_private[] = "is a private part, and the gate does not see that this code "
                                     "made it";

/* Of ATTR_HIDDEN. */
static const char *refusal_of_hidden(const struct gate *g, const struct name *name,
                                     enum rule_id *ret_rule)
{
    *ret_rule = RULE_PRIVATE_ATTRIBUTE;
    if (gate_module_in_use(g, name->attr_row->module))
        return "leads from a class of the standard library into its machinery";
    return name->text[0] == '_' && !name->defined ? unseen_private : NULL;
}

/* Of what is surely the code's own, where it is that or nothing is known of it. */
static const char *refusal_of_own(const struct gate *g, uint32_t id, enum rule_id *ret_rule)
{
    const struct name *name = NAME(g, id);
    *ret_rule = RULE_PRIVATE_ATTRIBUTE;
    switch (name->attr) {
    case ATTR_INTERPRETER:
        *ret_rule = RULE_INTERPRETER_ATTRIBUTE;
        return "leads to frames, code or functions of the interpreter, and from there to "
               "everything";
    case ATTR_HIDDEN:
        return refusal_of_hidden(g, name, ret_rule);
    case ATTR_DOOR:
        *ret_rule = RULE_DOOR_ATTRIBUTE;
        return name->defined ? NULL : "is what modules call their way to files and processes";
    case ATTR_SUNDER:
        if (name->defined && !gate_has_enums(g))
            return NULL;
        return unseen_private;
    case ATTR_PRIVATE:
    case ATTR_MANGLED:
        return name->defined ? NULL : unseen_private;
    default:
        *ret_rule = RULE_PACKAGE_DOOR;
        return gate_package_why(g, name->text);
    }
}

static const char *refusal_on(const struct gate *g, uint32_t id, uint32_t base,
                              enum rule_id *ret_rule)
{
    int own = NAME(g, id)->attr == ATTR_HIDDEN && NAME(g, id)->defined && base &&
              is_own_receiver(g, base);
    const char *why = own ? NULL : refusal_of_own(g, id, ret_rule);
    why = why ? why : refusal_in_library(g, id, base);
    return why ? why : refusal_in_package(g, id, base);
}

const char *refusal_of_attr(const struct gate *g, uint32_t id, enum rule_id *ret_rule)
{
    return refusal_on(g, id, 0, ret_rule);
}

/* ---- on a module --------------------------------------------------------------------------- */

static int warn_module_attribute(struct gate *g, uint32_t i, const struct export_module *module)
{
    const char *text = NAME(g, N(g, i)->name)->text;
    const struct export_name *row = exports_name(module, text);
    if (row && row->denied)
        return gate_warn(g, RULE_MODULE_ATTRIBUTE, i, "`%s.%s` is not open to code (%s).",
                         module->name, text, row->denied);
    return warn_no_export(g, RULE_MODULE_ATTRIBUTE, i, module, text);
}

static int check_submodule(struct gate *g, uint32_t i, const struct export_module *module)
{
    gate_module_used(g, module);
    if (is_in_field(g, i, K_Attribute, F_value) || is_in_field(g, i, K_Expr, F_value))
        return 0;
    return gate_warn(g, RULE_MODULE_VALUE, i,
                     "The module `%s` is used as a value: code that gets it could reach all that "
                     "is in it, not just what the gate can see.",
                     module->name);
}

static int warn_patch(struct gate *g, uint32_t i, const char *owner)
{
    return gate_warn(g, RULE_MODULE_PATCH, i,
                     "This changes `%s.%s` for all code in the process, the interpreter's own "
                     "included.",
                     owner, NAME(g, N(g, i)->name)->text);
}

const struct export_name *owner_of_attribute(const struct gate *g, uint32_t i)
{
    for (int followed = 0; followed < 4; followed++) {
        uint32_t value = only_value(g, symbol_of(g, i));
        i = value ? value : i;
        i = kind_of(g, i) == K_Subscript ? first_child(g, i) : i;
        if (export_sure(g, i) || !symbol_of(g, i))
            break;
    }
    return export_sure(g, i);
}

static int check_on_module(struct gate *g, uint32_t i, const struct export_module *module)
{
    const char *text = NAME(g, N(g, i)->name)->text;
    const struct symbol *s = symbol_of(g, first_child(g, i));
    if (s && s->flags & SYMBOL_MODULES_DIFFER)
        return gate_warn(g, RULE_MODULE_VALUE, i,
                         "`%s` may be one of several modules here, so nobody can say what this "
                         "attribute is.",
                         NAME(g, s->name)->text);
    if (!is_load(g, i))
        return warn_patch(g, i, module->name);
    const struct export_module *sub = exports_submodule(module, text);
    if (sub && !exports_has(module, text))
        return check_submodule(g, i, sub);
    if (!exports_has(module, text))
        return warn_module_attribute(g, i, module);
    return check_restricted(g, i, EXPORTS(exports_name(module, text)->kind));
}

/* ---- str.format --------------------------------------------------------------------------------- */

/* C() of a class of the source that makes nothing but its own instances. */
int is_own_instance(const struct gate *g, uint32_t i)
{
    static const char maker[] = "__new__";
    uint32_t class = kind_of(g, i) == K_Call ? class_sure(g, first_child(g, i)) : 0;
    if (!class || count_of(g, class, F_keywords) || count_of(g, class, F_decorator_list))
        return 0;
    uint32_t id = gate_name_find_text(g, maker, sizeof(maker) - 1);
    if (!count_of(g, class, F_bases))
        return !id || !gate_scope_find(g, N(g, class)->link, id);
    unsigned facts = class_facts_known(g, class);
    return facts & CLASS_REAL && facts & CLASS_PLAIN && !(facts & (CLASS_TEXT | CLASS_ENUM)) &&
           !(id && NAME(g, id)->defined);
}

int is_own_value(const struct gate *g, uint32_t i)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    return is_own_instance(g, i) || (value && is_own_instance(g, value));
}

/* Something that has a method `format` of its own, and is no str. */
static int has_own_format(const struct gate *g, uint32_t base)
{
    uint32_t class;
    if (is_genuine_self(g, base, &class))
        return !g->texts && class_facts_known(g, class) & CLASS_PLAIN;
    return is_own_value(g, base);
}

int check_format_attribute(struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), call = N(g, i)->parent;
    if (builtin_sure(g, base) == BUILTIN_SELF_MATCH && is_in_field(g, i, K_Call, F_func) &&
        child_of(g, call, F_args))
        base = child_of(g, call, F_args); /* str.format(text, ...) */
    else if (has_own_format(g, base) || is_tame_style(g, i))
        return 0;
    int tame = format_of_receiver(g, base);
    if (tame > 0)
        return 0;
    if (tame == 0)
        return gate_warn(g, RULE_FORMAT_STRING, i,
                         "This format reads attributes that lead to private parts, from whatever "
                         "it is given.");
    return gate_warn(g, RULE_FORMAT_RECEIVER, i,
                     "The text that is formatted is not known before the code runs, and a format "
                     "can read any attribute by name; an f-string cannot.%s",
                     NAME(g, N(g, i)->name)->is_method
                         ? " If it is a method of this code's own, another name would tell."
                         : "");
}

/* ---- on anything ----------------------------------------------------------------------------------- */

/* AttributeError.obj is whatever an attribute was missing on, modules included. */
static int check_obj(struct gate *g, uint32_t i)
{
    uint32_t class;
    if (is_genuine_self(g, first_child(g, i), &class) &&
        class_facts_known(g, class) & CLASS_PLAIN && !(N(g, class)->flags & MIXED))
        return 0;
    return gate_warn(g, RULE_EXCEPTION_OBJECT, i,
                     "`.obj` of an AttributeError hands out the object that the attribute was "
                     "looked for on, whatever it is; give your own attribute another name.");
}

/* "".join(x) */
static int is_joined(const struct gate *g, uint32_t i)
{
    uint32_t func = first_child(g, N(g, i)->parent);
    return is_in_field(g, i, K_Call, F_args) && kind_of(g, func) == K_Attribute &&
           string_of(g, first_child(g, func)) &&
           strcmp(NAME(g, N(g, func)->name)->text, "join") == 0;
}

/* E._member_names_, where it is only looked at. */
static int is_enum_read(const struct gate *g, uint32_t i)
{
    const struct attr_row *row = NAME(g, N(g, i)->name)->attr_row;
    return row && row->what == ATTR_HIDDEN && strcmp(row->module, ANY_MODULE) == 0 &&
           is_load(g, i) && (is_reading(g, i) || is_read_by_call(g, i) || is_joined(g, i));
}

/* Number.register(C) of a class of the source. */
static int registers_own(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent, class = child_of(g, call, F_args);
    struct call_shape shape = call_shape(g, call);
    return is_in_field(g, i, K_ClassDef, F_decorator_list) ||
           (is_in_field(g, i, K_Call, F_func) && shape.positional == 1 && !shape.keywords &&
            !shape.starred && is_real_class(g, class));
}

/* Abstract classes of the library: who counts as one. */
static int check_registration(struct gate *g, uint32_t i)
{
    const struct export_name *owner = owner_of_attribute(g, first_child(g, i));
    if (!owner || registers_own(g, i))
        return 0;
    return gate_warn(g, RULE_MODULE_PATCH, i,
                     "This makes all code in the process take other classes for a `%s`; a class of "
                     "this code's own may be registered.",
                     owner->name);
}

/* A view of a dict that the library keeps. */
static int is_proxy(const struct gate *g, const char *name)
{
    return (g->imports && is_same(name, "groupindex")) || /* many modules have a pattern */
           ((g->fields || g->fields_roam) && strcmp(name, "metadata") == 0) ||
           (g->dispatches && strcmp(name, "registry") == 0);
}

int gate_hands_table_out(const struct gate *g, const char *name)
{
    return is_proxy(g, name) && !is_tame_proxy(g, 0);
}

/* obj._value_ = v, of no genuine self and of nothing that `__new__` has just made. */
static int sets_others_value(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), value = only_value(g, symbol_of(g, base));
    uint32_t func = value && kind_of(g, value) == K_Call ? first_child(g, value) : 0;
    int made =
        kind_of(g, func) == K_Attribute && strcmp(NAME(g, N(g, func)->name)->text, "__new__") == 0;
    return strcmp(NAME(g, N(g, i)->name)->text, "_value_") == 0 && gate_has_enums(g) && !made &&
           !is_genuine_self(g, base, NULL);
}

/*
 * a.__n outside of classes, where a class of the source has `__n`, which is `_A__n` there: nobody
 * has the other, and the code shows that.
 */
static int is_unmangled(const struct gate *g, uint32_t i)
{
    const char *text = NAME(g, N(g, i)->name)->text;
    size_t len = strlen(text);
    int shown = is_load(g, i) && !g->scopes[N(g, i)->scope].private_to && !g->packages;
    if (!shown || strncmp(text, "__", 2) != 0 || is_private_of_library(text))
        return 0;
    for (uint32_t id = 1; id < g->name_count && may_go_on(g); id++) {
        const struct name *name = NAME(g, id);
        if (name->attr == ATTR_MANGLED && name->defined && name->len > len &&
            strcmp(name->text + name->len - len, text) == 0)
            return 1;
    }
    return 0;
}

int check_attribute(struct gate *g, uint32_t i)
{
    int mixed = 0;
    const struct name *name = NAME(g, N(g, i)->name);
    const struct export_module *module = module_of(g, first_child(g, i), &mixed);
    if (module && check_on_module(g, i, module) < 0)
        return -1;
    if (module && !mixed)
        return 0;
    const struct export_name *owner =
        is_load(g, i) ? NULL : owner_of_attribute(g, first_child(g, i));
    if (owner)
        return warn_patch(g, i, owner->name);
    if (!is_load(g, i) && is_raised_class(g, first_child(g, i)))
        return warn_patch(g, i, "an exception's class");
    if (is_load(g, i) && is_same(name->text, "register") && check_registration(g, i) < 0)
        return -1;
    int read = is_load(g, i) || is_in_field(g, i, K_AugAssign, F_target);
    if (!is_load(g, i) && is_import_hint(name->text))
        return warn_import_hint(g, i);
    if (!is_load(g, i) && sets_others_value(g, i))
        return gate_warn(g, RULE_PRIVATE_ATTRIBUTE, i,
                         "This may set the value of a member of an Enum that is not this code's "
                         "own: all code that uses it goes by that.");
    if (!is_load(g, i) && is_same(name->text, "_name_"))
        return gate_warn(g, RULE_PRIVATE_ATTRIBUTE, i,
                         "A copy of a member of an Enum reads the attribute that `_name_` says, "
                         "whatever its name is.");
    if (is_load(g, i) && is_dispatch_word(g, name->text))
        return check_register(g, i);
    if (is_dispatch_part(g, i))
        return gate_warn(g, RULE_TYPE_VALUE, i,
                         "A singledispatch function asks what is in `%s` for the class of each "
                         "argument, `type` among them.",
                         name->text);
    if (name->attr == ATTR_DUNDER)
        return check_dunder_attribute(g, i);
    if (name->attr == ATTR_FORMAT)
        return read ? check_format_attribute(g, i) : 0;
    if (name->attr == ATTR_OBJ)
        return read ? check_obj(g, i) : 0;
    if (gate_package_why(g, name->text))
        return check_package_attribute(g, i);
    if (is_enum_read(g, i) || is_lineage_shown(g, i))
        return 0;
    if (is_load(g, i) && is_proxy(g, name->text) && !is_tame_proxy(g, i))
        return gate_warn(g, RULE_PRIVATE_ATTRIBUTE, i,
                         "Compared or joined, `%s` hands the table behind it to the methods of the "
                         "other side, which this code defines.",
                         name->text);
    if (!is_load(g, i) && gate_keeps_private(g, N(g, i)->name, first_child(g, i)))
        return gate_warn(g, RULE_PRIVATE_ATTRIBUTE, i,
                         "This may set `%s` of an object of the standard library, which goes by "
                         "it: it is only known to be this code's own on `self`.",
                         name->text);
    enum rule_id rule = RULE_PRIVATE_ATTRIBUTE;
    const char *why = refusal_on(g, N(g, i)->name, first_child(g, i), &rule);
    if (why && rule == RULE_PRIVATE_ATTRIBUTE && name->attr == ATTR_PRIVATE && is_unmangled(g, i))
        return 0;
    return why ? gate_warn(g, rule, i, "The attribute `%s` %s.", name->text, why) : 0;
}
