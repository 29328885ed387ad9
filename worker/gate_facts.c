/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_facts: what holds for the source as a whole, found before any rule is applied:
 * which symbol each load sees, how names escape, how attributes are used, which of the
 * features are in play that make others dangerous.
 */
#include "gate_int.h"

#include <string.h>

/* ---- loads ------------------------------------------------------------------------- */

static void note_exports(struct gate *g, uint32_t i)
{
    uint32_t exports = exports_of(g, i);
    g->dispatches |= (exports & EXPORTS(EXPORT_SINGLEDISPATCH)) != 0;
    g->fields |= (exports & EXPORTS(EXPORT_FIELDS)) != 0;
    if (exports & EXPORTS(EXPORT_COPY) && !g->copies)
        g->copies = i;
}

int is_method_alias(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) != K_Assign || N(g, i)->field != F_value)
        return 0;
    FOR_CHILDREN (g, c, parent) {
        if (c == i)
            continue;
        const struct dunder_row *row =
            kind_of(g, c) == K_Name ? NAME(g, N(g, c)->name)->dunder : NULL;
        if (!row || !(row->flags & DUNDER_DEFINE) || row->flags & DUNDER_STATIC)
            return 0;
    }
    return 1;
}

/* Methods of dicts and lists that read. */
static int is_reading_method(const struct gate *g, uint32_t i)
{
    static const char *const methods[] = {"get", "items", "keys", "values", "index", "count"};
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) != K_Attribute || !is_in_field(g, parent, K_Call, F_func))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(methods); k++)
        if (strcmp(NAME(g, N(g, parent)->name)->text, methods[k]) == 0)
            return 1;
    return 0;
}

int is_reading(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Subscript:
        return N(g, i)->field == F_value && N(g, parent)->op == K_Load;
    case K_Compare:
        return N(g, parent)->op == COMPARE_IN && count_of(g, parent, F_comparators) == 1 &&
               N(g, i)->field == F_comparators;
    case K_For:
    case K_AsyncFor:
    case K_comprehension:
        return N(g, i)->field == F_iter;
    default:
        return is_reading_method(g, i);
    }
}

static void link_name(struct gate *g, uint32_t i)
{
    struct node *n = N(g, i);
    n->link = gate_scope_resolve(g, n->scope, n->name);
    if (n->link && g->scopes[n->scope].kind == SCOPE_CLASS &&
        g->symbols[n->link].scope == n->scope && !is_method_alias(g, i))
        g->symbols[n->link].flags |= SYMBOL_LOADED_IN_CLASS;
}

static void note_load(struct gate *g, uint32_t i)
{
    struct symbol *s = symbol_of(g, i);
    note_exports(g, i);
    if (!s)
        return;
    if (!is_reading(g, i))
        s->flags |= SYMBOL_ESCAPES;
    if (!is_tame_class_use(g, i))
        s->flags |= SYMBOL_CLASS_ESCAPES;
}

/* ---- attributes ----------------------------------------------------------------------- */

static void note_use(struct gate *g, uint32_t id, int arguments)
{
    struct name *name = NAME(g, id);
    if (id && arguments > name->max_args)
        name->max_args = (int16_t)(arguments < USES_UNBOUND ? arguments : USES_UNBOUND);
}

/* `_Class__name` is `__name` seen from outside. */
static void note_mangled(struct gate *g, uint32_t id)
{
    const struct name *name = NAME(g, id);
    const char *private = name->len > 1 ? strstr(name->text + 1, "__") : NULL;
    if (private)
        note_use(g, gate_name_find_text(g, private, strlen(private)), USES_UNBOUND);
}

/* super().default(o), json.JSONEncoder.default(self, o) */
static int is_of_encoder(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i);
    const struct export_name *row = export_sure(g, base);
    if (!is_in_field(g, i, K_Call, F_func))
        return 0;
    return (kind_of(g, base) == K_Call && builtin_sure(g, base + 1) == BUILTIN_SUPER) ||
           (row && strcmp(row->name, "JSONEncoder") == 0);
}

static void note_attribute(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    note_exports(g, i);
    if (n->op != K_Load) {
        NAME(g, n->name)->defined = 1;
        return;
    }
    if (NAME(g, n->name)->attr == ATTR_MANGLED)
        note_mangled(g, n->name);
    g->default_called |= strcmp(NAME(g, n->name)->text, "default") == 0 && !is_of_encoder(g, i);
    int arguments = USES_UNBOUND;
    if (is_in_field(g, i, K_Call, F_func)) {
        struct call_shape shape = call_shape(g, n->parent);
        if (!shape.starred)
            arguments = (int)(shape.positional + shape.keywords);
    }
    note_use(g, n->name, arguments);
}

static void note_text_part(struct gate *g, const char *text, size_t len)
{
    uint32_t id = gate_name_find_text(g, text, len);
    if (id)
        note_use(g, id, USES_UNBOUND);
}

#define NAME_IN_TEXT_MAX 200 /* longer strings name nothing; attrgetter paths are judged there */

/* A string may name an attribute: getattr, attrgetter, methodcaller. */
static void note_text(struct gate *g, uint32_t i)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(N(g, i)->value, &len);
    if (!text)
        PyErr_Clear();
    if (!text || len == 0 || len > NAME_IN_TEXT_MAX)
        return;
    g->default_called |= strcmp(text, "default") == 0;
    for (const char *part = text;;) {
        const char *dot = memchr(part, '.', (size_t)(text + len - part));
        note_text_part(g, part, (size_t)((dot ? dot : text + len) - part));
        if (!dot)
            return;
        part = dot + 1;
    }
}

/* getattr(x, f"prefix{y}") */
static void note_call(struct gate *g, uint32_t i)
{
    enum builtin what = builtin_what(g, first_child(g, i));
    if (what != BUILTIN_GETATTR && what != BUILTIN_SETATTR)
        return;
    uint32_t name = child_at(g, i, F_args, 1);
    g->prefixed |= name && kind_of(g, name) == K_JoinedStr;
    /* Names that are set by text count as defined by the source. */
    PyObject *text = what == BUILTIN_SETATTR && name ? string_of(g, name) : NULL;
    uint32_t id = text ? gate_name_find(g, text) : 0;
    if (id)
        NAME(g, id)->defined = NAME(g, id)->stored_elsewhere = 1;
}

/* ---- the passes -------------------------------------------------------------------------- */

static void note_node(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    switch (n->kind) {
    case K_Name:
        if (n->op == K_Load)
            note_load(g, i);
        break;
    case K_Attribute:
        note_attribute(g, i);
        break;
    case K_Constant:
        if (string_of(g, i))
            note_text(g, i);
        break;
    case K_IDENT:
        if (n->field == F_kwd_attrs)
            note_use(g, n->name, USES_UNBOUND);
        break;
    case K_MatchClass:
        g->class_patterns |= child_of(g, i, F_patterns) != 0;
        break;
    case K_Call:
        note_call(g, i);
        break;
    case K_alias:
        if (strcmp(NAME(g, n->name)->text, "annotations") == 0 &&
            strcmp(NAME(g, N(g, n->parent)->name)->text, "__future__") == 0)
            g->future_annotations = 1;
        break;
    default:
        break;
    }
}

/* Once `self` can be told: attributes that are set on anything else. */
static void note_store(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    if (n->kind == K_Attribute && n->op != K_Load && !is_genuine_self(g, first_child(g, i), NULL))
        NAME(g, n->name)->stored_elsewhere = 1;
}

/* Strings in `__slots__` define names too. */
static void note_slots(struct gate *g, uint32_t i)
{
    PyObject *text = string_of(g, i);
    uint32_t id = text ? gate_name_find(g, text) : 0;
    if (id && g->scopes[N(g, i)->scope].kind == SCOPE_CLASS)
        NAME(g, id)->defined = 1;
}

int gate_facts_collect(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (is_in_field(g, i, K_AugAssign, F_target) && kind_of(g, i) == K_Name)
            N(g, i)->op = K_Load; /* it is bound; from here on it is read */
        if (N(g, i)->kind == K_Name && N(g, i)->op == K_Load)
            link_name(g, i);
    }
    for (uint32_t i = 0; i < g->node_count; i++)
        note_node(g, i);
    for (uint32_t i = 0; i < g->node_count; i++) {
        note_store(g, i);
        if (N(g, i)->kind == K_Constant)
            note_slots(g, i);
    }
    return class_facts_collect(g);
}
