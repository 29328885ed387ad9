/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package_own: what is the code's own, once it uses a package. An attribute that the
 * source defines itself may be one of a package's objects all the same: `_codes`, `_mgr`,
 * `ctypes`. So private names are open on what is surely an instance or a class of the source
 * and nothing else; and a class that derives from a package's may not redefine its machinery.
 */
#include "gate_package.h"
#include "package.h"

#include <string.h>

#define CHAIN_MAX 16 /* of classes derived from one another */

/* ---- what a package exports, as it is loaded ------------------------------------------- */

const struct export_module *package_module_of(const struct export_name *row)
{
    for (size_t k = 0; row && k < exports_added(); k++) {
        const struct export_module *module = exports_added_at(k);
        if (row >= module->names && row < module->names + module->count)
            return module;
    }
    return NULL;
}

/* The class that a package exports under that row, a new reference, or NULL. */
PyObject *package_class_of(const struct export_name *row)
{
    const struct export_module *module = package_module_of(row);
    PyObject *loaded = module ? PyDict_GetItemString(worker.modules, module->name) : NULL;
    AUTO_PY value = loaded ? PyObject_GetAttrString(loaded, row->name) : NULL;
    PyErr_Clear();
    return value && PyType_Check(value) ? py_take(&value) : NULL;
}

int is_package_class(const struct export_name *row)
{
    AUTO_PY class = package_class_of(row);
    return class != NULL;
}

/* ---- classes that derive from a package's -------------------------------------------------- */

/* Parts that pandas keeps in instances only, where their classes do not show them. */
static int is_instance_part(const char *name)
{
    static const char *const parts[] = {"_attrs",   "_cache", "_cacher", "_codes",
                                        "_data",    "_dtype", "_flags",  "_item_cache",
                                        "_is_copy", "_mgr",   "_ndarray"};
    for (size_t k = 0; k < ARRAY_LEN(parts); k++)
        if (strcmp(parts[k], name) == 0)
            return 1;
    return 0;
}

static int has_part(const struct export_name *row, const char *name)
{
    AUTO_PY class = package_class_of(row);
    int has = is_instance_part(name) || (class && PyObject_HasAttrString(class, name));
    PyErr_Clear();
    return has;
}

/* Whether a base of the class, which is a package's or not known, may have that attribute. */
static int inherits(const struct gate *g, uint32_t class, const char *name, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t own = class_sure(g, c);
        const struct export_name *row = export_sure(g, c);
        if (own && (depth == CHAIN_MAX || inherits(g, own, name, depth + 1)))
            return 1;
        int package = row && (row->kind == EXPORT_PACKAGE || row->kind == EXPORT_SHAPED);
        if (package && has_part(row, name))
            return 1;
        if (!own && !row && builtin_sure(g, c) == BUILTIN_NONE && kind_of(g, c) != K_Subscript)
            return 1;
    }
    return 0;
}

int check_package_part(struct gate *g, uint32_t i, uint32_t class)
{
    const struct name *name = NAME(g, N(g, i)->name);
    if (!g->packages || name->text[0] != '_' || name->attr == ATTR_DUNDER ||
        class_facts_known(g, class) & CLASS_PLAIN || !inherits(g, class, name->text, 0))
        return 0;
    return gate_warn(g, RULE_PRIVATE_ATTRIBUTE, i,
                     "`%s` takes the place of a private part of the class that this one derives "
                     "from; give it another name.",
                     name->text);
}

/* ---- what is surely the code's own ------------------------------------------------------------ */

int is_own_object(const struct gate *g, uint32_t i)
{
    uint32_t class;
    if (is_genuine_self(g, i, &class))
        return class_facts_known(g, class) & CLASS_PLAIN && !g->mixins;
    return is_own_value(g, i);
}

/* A parameter that is the class: of a classmethod, of __new__. */
static int is_class_parameter(const struct gate *g, uint32_t function)
{
    const struct dunder_row *row = NAME(g, N(g, function)->name)->dunder;
    if (row && row->flags & DUNDER_STATIC)
        return 1;
    FOR_CHILDREN (g, c, function)
        if (N(g, c)->field == F_decorator_list && builtin_sure(g, c) == BUILTIN_CLASSMETHOD)
            return 1;
    return 0;
}

/* The class whose method, by `cls` or super(), node i stands for, or 0. */
static uint32_t class_here(const struct gate *g, uint32_t i)
{
    uint32_t around = function_around(g, i), class = class_of_method(g, around);
    if (!class)
        return 0;
    if (kind_of(g, i) == K_Call)
        return builtin_sure(g, first_child(g, i)) == BUILTIN_SUPER ? class : 0;
    const struct symbol *s = symbol_of(g, i);
    int first = s && s == first_parameter(g, around) && s->count == 1;
    return first && is_class_parameter(g, around) ? class : 0;
}

/* ---- `self`, where no class of the source is passed on -------------------------------------- */

/* A class of the source, by whatever name. */
static int is_some_class(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_Name)
        return is_load(g, i) && (class_sure(g, i) || class_here(g, i));
    if (kind_of(g, i) == K_Attribute)
        return strcmp(NAME(g, N(g, i)->name)->text, "__class__") == 0;
    return kind_of(g, i) == K_Call && builtin_sure(g, first_child(g, i)) == BUILTIN_TYPE;
}

/* field(default_factory=C), defaultdict(C), map(C, x), super(C, self), object.__new__(C) */
static int is_handed_to_maker(const struct gate *g, uint32_t i)
{
    uint32_t up = kind_of(g, N(g, i)->parent) == K_keyword ? N(g, i)->parent : i;
    uint32_t call = N(g, up)->parent, func = first_child(g, call);
    if (kind_of(g, call) != K_Call || func == up)
        return 0;
    const struct export_name *row = export_sure(g, func);
    if (row)
        return strcmp(row->name, "field") == 0 || strcmp(row->name, "defaultdict") == 0;
    if (kind_of(g, func) == K_Attribute)
        return strcmp(NAME(g, N(g, func)->name)->text, "__new__") == 0;
    enum builtin what = builtin_sure(g, func);
    return what == BUILTIN_SUPER || what == BUILTIN_PRINT ||
           (what == BUILTIN_CLASS && strcmp(NAME(g, N(g, func)->name)->text, "map") == 0);
}

static int stays_in_place(const struct gate *g, uint32_t i)
{
    switch (N(g, N(g, i)->parent)->kind) {
    case K_Compare: /* else __eq__ of something sees it */
        return N(g, N(g, i)->parent)->op == COMPARE_IDENTITY;
    case K_Attribute:
    case K_ClassDef:
    case K_ExceptHandler:
    case K_Expr:
    case K_MatchClass:
    case K_Raise:
        return 1;
    default:
        return is_in_field(g, i, K_Call, F_func) || is_instance_test(g, i) ||
               N(g, i)->flags & IN_ANNOTATION || is_handed_to_maker(g, i);
    }
}

/* `@x.setter`, of an x that the class made with @property before. */
static int is_setter_of(const struct gate *g, uint32_t i)
{
    uint32_t base = kind_of(g, i) == K_Attribute ? first_child(g, i) : 0;
    if (!base || kind_of(g, base) != K_Name || strcmp(NAME(g, N(g, i)->name)->text, "setter") != 0)
        return 0;
    uint32_t s = gate_scope_find(g, N(g, base)->scope, N(g, base)->name);
    const struct bind *first = s ? &g->binds[g->symbols[s].first] : NULL;
    uint32_t made = first && first->kind == BIND_FUNCTION && first->node < i
                        ? child_of(g, first->node, F_decorator_list)
                        : 0;
    return made && builtin_sure(g, made) == BUILTIN_PROPERTY;
}

/* What makes of a function a method that is called with its instance, or keeps a class. */
static int is_known_decorator(const struct gate *g, uint32_t i)
{
    static const char *const known[] = {"abstractmethod",
                                        "asynccontextmanager",
                                        "cache",
                                        "cached_property",
                                        "contextmanager",
                                        "dataclass",
                                        "final",
                                        "lru_cache",
                                        "overload",
                                        "override",
                                        "runtime_checkable",
                                        "singledispatchmethod",
                                        "total_ordering",
                                        "unique"};
    uint32_t what = kind_of(g, i) == K_Call ? first_child(g, i) : i;
    const struct export_name *row = export_sure(g, what);
    for (size_t k = 0; row && k < ARRAY_LEN(known); k++)
        if (strcmp(row->name, known[k]) == 0)
            return 1;
    enum builtin builtin = builtin_sure(g, what);
    return builtin == BUILTIN_PROPERTY || builtin == BUILTIN_CLASSMETHOD || is_setter_of(g, what);
}

static int has_own_decorator(const struct gate *g, uint32_t i)
{
    FOR_CHILDREN (g, c, i)
        if (N(g, c)->field == F_decorator_list && !is_known_decorator(g, c))
            return 1;
    return 0;
}

/* x.default_factory, fields(C)[0].type: classes that were put away come out again. */
static int hands_out_classes(const struct gate *g, uint32_t i)
{
    const char *name = kind_of(g, i) == K_Attribute ? NAME(g, N(g, i)->name)->text : "";
    return strcmp(name, "default_factory") == 0 || (strcmp(name, "type") == 0 && g->fields_made);
}

void gate_package_classes(struct gate *g)
{
    g->class_is_value |= g->packages && gate_hands_out_classes(g);
    for (uint32_t i = 0; g->packages && i < g->node_count; i++) {
        if (kind_of(g, i) == K_ClassDef)
            g->class_is_value |= has_own_decorator(g, i);
        g->class_is_value |= hands_out_classes(g, i);
        if (!is_some_class(g, i))
            continue;
        uint32_t parent = N(g, i)->parent;
        g->class_is_value |= !stays_in_place(g, i);
        if (kind_of(g, parent) == K_Attribute)
            NAME(g, N(g, parent)->name)->of_class = 1;
    }
}

static int is_property(const struct gate *g, uint32_t function)
{
    FOR_CHILDREN (g, c, function)
        if (N(g, c)->field == F_decorator_list)
            return builtin_sure(g, c) == BUILTIN_PROPERTY || kind_of(g, c) == K_Attribute;
    return 0;
}

/* Whoever loads the class loads that name, and nothing else goes by it. */
static int has_one_name(const struct gate *g, uint32_t class)
{
    uint32_t s = gate_scope_resolve(g, N(g, class)->scope, N(g, class)->name);
    return s && g->symbols[s].count == 1 && g->scopes[N(g, class)->scope].kind != SCOPE_CLASS;
}

/* The class whose method has node i as its `self`, which nobody calls otherwise; or 0. */
static uint32_t class_of_self(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    if (!b || b->kind != BIND_PARAMETER)
        return 0;
    uint32_t function = N(g, N(g, b->node)->parent)->parent;
    uint32_t class = class_of_method(g, function);
    if (!class || !has_one_name(g, class) || g->class_is_value ||
        first_parameter(g, function) != symbol_of(g, i) || has_own_decorator(g, function) ||
        is_class_parameter(g, function) || NAME(g, N(g, function)->name)->of_class)
        return 0;
    uint32_t s = gate_scope_find(g, N(g, class)->link, N(g, function)->name);
    int loaded = s && g->symbols[s].flags & SYMBOL_LOADED_IN_CLASS && !is_property(g, function);
    return class_facts_known(g, class) & CLASS_REAL && s && !loaded ? class : 0;
}

/* Node i is an instance or a class of the source, and `name` no part of a package's in it. */
static int is_own_place(const struct gate *g, uint32_t i, const char *name)
{
    if (is_own_object(g, i))
        return 1;
    uint32_t class = 0;
    if (!is_genuine_self(g, i, &class))
        class = class_sure(g, i) ? class_sure(g, i) : class_here(g, i);
    class = class ? class : class_of_self(g, i);
    class = class ? class : class_tested(g, i);
    if (!class)
        return 0;
    if (class_facts_known(g, class) & CLASS_PLAIN)
        return !g->mixins;
    return !inherits(g, class, name, 0);
}

const char *refusal_in_package(const struct gate *g, uint32_t id, uint32_t base)
{
    const struct name *name = NAME(g, id);
    int door = name->attr == ATTR_SUNDER || name->attr == ATTR_DOOR;
    int private = name->attr == ATTR_PRIVATE || name->attr == ATTR_MANGLED;
    if (!g->packages || !(door || (private && package_has_part(name->str))) ||
        (base && is_own_place(g, base, name->text)))
        return NULL;
    return "may be a part of a package's object as well: it is only known to be this code's own "
           "on `self`, or on what the code makes of its own classes";
}

/* ---- df.style.format ----------------------------------------------------------------------------- */

/* df.style, df.style.hide(axis="index"), or a name for one. */
static int is_styler(const struct gate *g, uint32_t i)
{
    for (int followed = 0; followed < CHAIN_MAX; followed++) {
        uint32_t value = only_value(g, symbol_of(g, i));
        i = value ? value : i;
        if (kind_of(g, i) == K_Call)
            i = first_child(g, i);
        if (kind_of(g, i) != K_Attribute)
            return 0;
        const struct name *name = NAME(g, N(g, i)->name);
        if (strcmp(name->text, "style") == 0)
            return !name->defined;
        i = first_child(g, i);
    }
    return 0;
}

/* "{:.2f}", a function, or a dict of those: what a cell is shown as. */
static int is_tame_formatter(struct gate *g, uint32_t i, int depth)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    const struct bind *b = only_bind(g, symbol_of(g, i));
    i = value ? value : i;
    if (string_of(g, i))
        return is_tame_format(g, string_of(g, i));
    if (kind_of(g, i) == K_Lambda || is_none(g, i) || (b && b->kind == BIND_FUNCTION))
        return 1;
    if (kind_of(g, i) == K_Attribute) /* "{:.2f}".format, which is judged by itself */
        return string_of(g, first_child(g, i)) != NULL;
    if (kind_of(g, i) != K_Dict || depth > 0)
        return 0;
    FOR_CHILDREN (g, c, i)
        if (N(g, c)->field == F_values && !is_tame_formatter(g, c, depth + 1))
            return 0;
    return 1;
}

int is_tame_style(struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent;
    if (!g->packages || !is_in_field(g, i, K_Call, F_func) || !is_styler(g, first_child(g, i)) ||
        call_shape(g, call).starred)
        return 0;
    uint32_t first = child_of(g, call, F_args);
    first = first ? first : keyword_of(g, call, "formatter");
    return !first || is_tame_formatter(g, first, 0);
}
