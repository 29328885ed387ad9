/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_scope: what each name can be bound to, and which binding a load sees, as Python
 * resolves it. Every binding is kept: a name that is a module on any path is a module.
 *
 * Nested scopes are capped, so that looking a name up costs a constant.
 */
#include "gate_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------------------- */

static size_t table_slot(const struct table *t, uint64_t key)
{
    size_t at = (size_t)gate_mixed(key, 0) & (t->size - 1);
    while (t->keys[at] && t->keys[at] != key)
        at = (at + 1) & (t->size - 1);
    return at;
}

static int table_grow(struct table *t)
{
    struct table bigger = {.size = t->size ? t->size * 2 : 256, .used = t->used};
    bigger.keys = calloc(bigger.size, sizeof(*bigger.keys));
    bigger.values = calloc(bigger.size, sizeof(*bigger.values));
    if (!bigger.keys || !bigger.values) {
        free(bigger.keys);
        free(bigger.values);
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < t->size; i++)
        if (t->keys[i]) {
            size_t at = table_slot(&bigger, t->keys[i]);
            bigger.keys[at] = t->keys[i];
            bigger.values[at] = t->values[i];
        }
    free(t->keys);
    free(t->values);
    *t = bigger;
    return 0;
}

int gate_table_put(struct table *t, uint64_t key, uint32_t value)
{
    if (t->used * 2 >= t->size && table_grow(t) < 0)
        return -1;
    size_t at = table_slot(t, key);
    t->used += t->keys[at] == 0;
    t->keys[at] = key;
    t->values[at] = value;
    return 0;
}

uint32_t gate_table_get(const struct table *t, uint64_t key)
{
    if (!t->size)
        return 0;
    size_t at = table_slot(t, key);
    return t->keys[at] ? t->values[at] : 0;
}

/* ---- looking up ---------------------------------------------------------------------- */

static uint64_t symbol_key(uint32_t scope, uint32_t name)
{
    return ((uint64_t)scope + 1) << 32 | name;
}

uint32_t gate_scope_find(const struct gate *g, uint32_t scope, uint32_t name)
{
    return gate_table_get(&g->symbol_slots, symbol_key(scope, name));
}

/* Whether names of that scope, which lies around `inner`, are seen from `from`. */
static int is_seen(const struct gate *g, uint32_t scope, uint32_t inner, uint32_t from)
{
    if (g->scopes[scope].kind != SCOPE_CLASS || scope == from)
        return 1;
    return inner == from && g->scopes[inner].kind == SCOPE_TYPE; /* but not what lies in it */
}

/* The symbol in the innermost scope that binds the name, `global` not followed. */
static uint32_t innermost(const struct gate *g, uint32_t from, uint32_t name)
{
    uint32_t inner = from;
    for (uint32_t scope = from; scope; inner = scope, scope = g->scopes[scope].parent) {
        if (!is_seen(g, scope, inner, from))
            continue;
        uint32_t s = gate_scope_find(g, scope, name);
        if (!s || g->symbols[s].flags & SYMBOL_NONLOCAL)
            continue;
        /* x: int binds nothing, but a class looks for its own names among the global ones. */
        int declared =
            g->scopes[scope].kind == SCOPE_CLASS && g->symbols[s].kinds == BINDS(BIND_DECLARE);
        return declared ? NAME(g, name)->module_symbol : s;
    }
    return NAME(g, name)->module_symbol;
}

uint32_t gate_scope_resolve(const struct gate *g, uint32_t scope, uint32_t name)
{
    uint32_t s = NAME(g, name)->inner ? innermost(g, scope, name) : NAME(g, name)->module_symbol;
    if (s && g->symbols[s].flags & SYMBOL_GLOBAL)
        s = NAME(g, name)->module_symbol;
    return s && g->symbols[s].count ? s : 0;
}

/* ---- binding --------------------------------------------------------------------------- */

/* The symbol, made if need be; 0 with an exception set. */
static uint32_t symbol_at(struct gate *g, uint32_t scope, uint32_t name)
{
    uint32_t s = gate_scope_find(g, scope, name);
    if (s)
        return s;
    if (gate_grow((void **)&g->symbols, &g->symbol_room, g->symbol_count, sizeof(struct symbol)) <
            0 ||
        gate_table_put(&g->symbol_slots, symbol_key(scope, name), g->symbol_count) < 0)
        return 0;
    g->symbols[g->symbol_count] = (struct symbol){.scope = scope, .name = name};
    if (scope == 0)
        NAME(g, name)->module_symbol = g->symbol_count;
    else
        NAME(g, name)->inner++;
    return g->symbol_count++;
}

static int add_bind(struct gate *g, uint32_t symbol, struct bind bind)
{
    if (gate_grow((void **)&g->binds, &g->bind_room, g->bind_count, sizeof(struct bind)) < 0)
        return -1;
    struct symbol *s = &g->symbols[symbol];
    bind.next = 0;
    g->binds[g->bind_count] = bind;
    if (s->last)
        g->binds[s->last].next = g->bind_count;
    else
        s->first = g->bind_count;
    s->last = g->bind_count++;
    s->count++;
    s->kinds |= BINDS(bind.kind);
    if (bind.export)
        s->exports |= EXPORTS(bind.export->kind);
    if (!bind.module)
        s->flags |= SYMBOL_OTHER;
    else if (s->module && s->module != bind.module)
        s->flags |= SYMBOL_MODULES_DIFFER;
    else
        s->module = bind.module;
    return 0;
}

/* `nonlocal`: every scope around that has the name gets the binding. */
static int bind_around(struct gate *g, uint32_t scope, uint32_t name, struct bind bind)
{
    for (uint32_t around = g->scopes[scope].parent; around; around = g->scopes[around].parent) {
        uint32_t s = gate_scope_find(g, around, name);
        if (s && !(g->symbols[s].flags & SYMBOL_NONLOCAL) && add_bind(g, s, bind) < 0)
            return -1;
    }
    return 0;
}

static int bind_full(struct gate *g, uint32_t scope, uint32_t name, struct bind bind)
{
    uint32_t s = symbol_at(g, scope, name);
    if (!s)
        return -1;
    int nonlocal = (g->symbols[s].flags & SYMBOL_NONLOCAL) != 0;
    g->pending |= (unsigned char)nonlocal;
    if (nonlocal != g->late)
        return 0;
    if (nonlocal)
        return bind_around(g, scope, name, bind);
    if (g->symbols[s].flags & SYMBOL_GLOBAL)
        s = symbol_at(g, 0, name);
    return s ? add_bind(g, s, bind) : -1;
}

static int bind(struct gate *g, uint32_t scope, uint32_t name, enum bind_kind kind, uint32_t node)
{
    if (g->scopes[scope].kind == SCOPE_CLASS)
        NAME(g, name)->defined = 1;
    return bind_full(g, scope, name, (struct bind){.node = node, .kind = (unsigned char)kind});
}

/* ---- targets ------------------------------------------------------------------------------ */

/* The part of a statement that a stored Name is: itself, or the tuple around it. */
static uint32_t whole_target(const struct gate *g, uint32_t i)
{
    for (;;) {
        enum kind kind = kind_of(g, N(g, i)->parent);
        if (kind != K_Tuple && kind != K_List && kind != K_Starred)
            return i;
        i = N(g, i)->parent;
    }
}

static enum bind_kind target_kind(const struct gate *g, uint32_t i)
{
    uint32_t whole = whole_target(g, i), parent = N(g, whole)->parent;
    switch (N(g, parent)->kind) {
    case K_AnnAssign:
        return child_of(g, parent, F_value) ? BIND_ASSIGN : BIND_DECLARE;
    case K_AugAssign:
        return BIND_AUGMENT;
    case K_For:
    case K_AsyncFor:
    case K_comprehension:
        return whole == i ? BIND_FOR : BIND_UNPACK;
    case K_withitem:
        return BIND_WITH;
    case K_NamedExpr:
        return BIND_WALRUS;
    case K_TypeAlias:
        return BIND_TYPE_ALIAS;
    default:
        return whole == i ? BIND_ASSIGN : BIND_UNPACK;
    }
}

static int bind_name(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    uint32_t scope = n->scope;
    if (n->op == K_Del)
        return bind(g, scope, n->name, BIND_DELETE, i);
    if (is_in_field(g, i, K_AnnAssign, F_target) && !N(g, n->parent)->op &&
        !child_of(g, n->parent, F_value))
        return 0; /* (x): int says nothing of x */
    enum bind_kind kind = target_kind(g, i);
    while (kind == BIND_WALRUS && g->scopes[scope].kind == SCOPE_COMPREHENSION)
        scope = g->scopes[scope].parent;
    return bind(g, scope, n->name, kind, i);
}

/* ---- imports -------------------------------------------------------------------------------- */

/* The bit of a module's first letter: most questions are of modules that none in use begins as. */
static uint32_t letter_of(const char *module)
{
    return 1u << (module[0] & 31);
}

static void mark_module(struct gate *g, const struct export_module *module, unsigned char how)
{
    g->modules[exports_index(module)] = how;
    g->module_letters |= letter_of(module->name);
}

void gate_module_used(struct gate *g, const struct export_module *module)
{
    mark_module(g, module, 1);
    g->packages |= exports_is_added(module);
}

int gate_module_in_use(const struct gate *g, const char *module)
{
    if (strcmp(module, ANY_MODULE) == 0)
        return 1;
    if (!(g->module_letters & letter_of(module)))
        return 0;
    const struct export_module *found = exports_find(module);
    return found && g->modules[exports_index(found)];
}

/* The id of the part of a dotted name before its first dot. */
static uint32_t top_name(struct gate *g, uint32_t name)
{
    const char *dot = strchr(NAME(g, name)->text, '.');
    if (!dot)
        return name;
    AUTO_PY top = PyUnicode_FromStringAndSize(NAME(g, name)->text, dot - NAME(g, name)->text);
    return top ? gate_name_id(g, top) : 0;
}

static int bind_import(struct gate *g, uint32_t i)
{
    uint32_t name = N(g, i)->name, as = N(g, i)->name2;
    uint32_t top = as ? as : top_name(g, name);
    if (!top)
        return -1;
    const struct export_module *module = exports_find(NAME(g, name)->text);
    if (module)
        gate_module_used(g, module);
    struct bind bind = {.node = i, .kind = module ? BIND_MODULE : BIND_REFUSED, .module = module};
    if (module && !as)
        bind.module = exports_find(NAME(g, top)->text);
    return bind_full(g, N(g, i)->scope, top, bind);
}

/* Binds those of the module's names that the source mentions. */
static int bind_star(struct gate *g, uint32_t i, const struct export_module *module)
{
    for (size_t k = 0; k < module->count; k++) {
        const char *text = module->names[k].name;
        uint32_t id = gate_name_find_text(g, text, strlen(text));
        struct bind bind = {.node = i,
                            .kind = module->names[k].denied ? BIND_REFUSED : BIND_EXPORT,
                            .from = module,
                            .export = module->names[k].denied ? NULL : &module->names[k]};
        if (id && bind_full(g, N(g, i)->scope, id, bind) < 0)
            return -1;
        if (id && module->names[k].denied && NAME(g, id)->module_symbol)
            g->symbols[NAME(g, id)->module_symbol].flags |= SYMBOL_DENIED_BY_STAR;
    }
    return 0;
}

static int bind_import_from(struct gate *g, uint32_t i, const struct export_module *module)
{
    const struct node *n = N(g, i);
    const char *text = NAME(g, n->name)->text;
    struct bind bind = {.node = i, .kind = BIND_REFUSED};
    if (module && strcmp(text, "*") == 0)
        return bind_star(g, i, module);
    if (strcmp(text, "*") == 0)
        return 0;
    if (module && exports_has(module, text)) {
        bind.kind = BIND_EXPORT;
        bind.from = module;
        bind.export = exports_name(module, text);
    } else if (module && exports_submodule(module, text)) {
        bind.kind = BIND_MODULE;
        bind.module = exports_submodule(module, text);
        gate_module_used(g, bind.module);
    }
    return bind_full(g, n->scope, n->name2 ? n->name2 : n->name, bind);
}

static int bind_alias(struct gate *g, uint32_t i)
{
    uint32_t statement = N(g, i)->parent;
    if (kind_of(g, statement) == K_Import)
        return bind_import(g, i);
    const struct export_module *module = exports_find(NAME(g, N(g, statement)->name)->text);
    if (N(g, statement)->op != 0)
        module = NULL; /* relative */
    if (module && g->modules[exports_index(module)] < 2 &&
        strcmp(NAME(g, N(g, i)->name)->text, "*") == 0) {
        mark_module(g, module, 2); /* the names of a star import, but once */
        return bind_import_from(g, i, module);
    }
    if (module && strcmp(NAME(g, N(g, i)->name)->text, "*") == 0)
        return 0;
    if (module && !g->modules[exports_index(module)])
        gate_module_used(g, module);
    return bind_import_from(g, i, module);
}

/* ---- all bindings ------------------------------------------------------------------------------ */

static int bind_node(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    switch (n->kind) {
    case K_FunctionDef:
    case K_AsyncFunctionDef:
        return bind(g, n->scope, n->name, BIND_FUNCTION, i);
    case K_ClassDef:
        return bind(g, n->scope, n->name, BIND_CLASS, i);
    case K_arg: /* of arguments of a function */
        return bind(g, N(g, N(g, n->parent)->parent)->link, n->name, BIND_PARAMETER, i);
    case K_Name:
        return n->op == K_Load ? 0 : bind_name(g, i);
    case K_alias:
        return bind_alias(g, i);
    case K_ExceptHandler:
        return n->name ? bind(g, n->scope, n->name, BIND_EXCEPT, i) : 0;
    case K_MatchAs:
    case K_MatchStar:
    case K_MatchMapping:
        return n->name ? bind(g, n->scope, n->name, BIND_MATCH, i) : 0;
    case K_TypeVar:
    case K_ParamSpec:
    case K_TypeVarTuple:
        return bind(g, n->scope, n->name, BIND_TYPE_PARAMETER, i);
    default:
        return 0;
    }
}

/* `global` and `nonlocal` hold for the whole scope, wherever they stand in it. */
static int declare_all(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (kind_of(g, i) != K_IDENT || N(g, i)->field != F_names)
            continue;
        uint32_t s = symbol_at(g, N(g, i)->scope, N(g, i)->name);
        if (!s)
            return -1;
        g->symbols[s].flags |=
            kind_of(g, N(g, i)->parent) == K_Global ? SYMBOL_GLOBAL : SYMBOL_NONLOCAL;
    }
    return 0;
}

/* late: the names that are `nonlocal`, once all scopes have theirs. */
static int bind_all(struct gate *g, unsigned char late)
{
    g->late = late;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (bind_node(g, i) < 0)
            return -1;
    return 0;
}

static int bind_given(struct gate *g, const char *text, const char *module)
{
    AUTO_PY str = PyUnicode_FromString(text);
    uint32_t id = str ? gate_name_id(g, str) : 0;
    struct bind bind = {.kind = BIND_BEFORE, .module = module ? exports_find(module) : NULL};
    return id ? bind_full(g, 0, id, bind) : -1;
}

/* What a class body binds is an attribute as well, of which no Name tells. */
static void note_class_symbols(struct gate *g)
{
    for (uint32_t s = 1; s < g->symbol_count; s++)
        if (g->scopes[g->symbols[s].scope].kind == SCOPE_CLASS)
            g->symbols[s].flags |=
                SYMBOL_ESCAPES | SYMBOL_PARTS_ESCAPE | SYMBOL_CLASS_ESCAPES | SYMBOL_KEPT;
}

int gate_scope_bind(struct gate *g)
{
    g->symbol_count = g->bind_count = 1; /* 0 is none */
    if (gate_grow((void **)&g->symbols, &g->symbol_room, 0, sizeof(struct symbol)) < 0 ||
        gate_grow((void **)&g->binds, &g->bind_room, 0, sizeof(struct bind)) < 0)
        return -1;
    g->symbols[0] = (struct symbol){0};
    g->binds[0] = (struct bind){0};
    if (bind_given(g, "input_data", NULL) < 0 || bind_given(g, "result", NULL) < 0 ||
        bind_given(g, "json", "json") < 0 || declare_all(g) < 0)
        return -1;
    if (bind_all(g, 0) < 0 || (g->pending && bind_all(g, 1) < 0))
        return -1;
    note_class_symbols(g);
    return 0;
}
