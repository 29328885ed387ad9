/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_query: questions about nodes. The answers hold for every run of the code, or are
 * "no": a name with a second binding, a call with a star, an attribute taken without being
 * called are enough to give up.
 */
#include "gate_int.h"

#include <string.h>

/* ---- shapes -------------------------------------------------------------------------- */

uint32_t child_at(const struct gate *g, uint32_t i, enum field field, unsigned at)
{
    FOR_CHILDREN (g, c, i)
        if (N(g, c)->field == field && at-- == 0)
            return c;
    return 0;
}

uint32_t child_of(const struct gate *g, uint32_t i, enum field field)
{
    return child_at(g, i, field, 0);
}

unsigned count_of(const struct gate *g, uint32_t i, enum field field)
{
    unsigned count = 0;
    FOR_CHILDREN (g, c, i)
        count += N(g, c)->field == field;
    return count;
}

#define CLIMB_MAX 256 /* levels; what lies deeper gets no proof */

uint32_t branch_of(const struct gate *g, uint32_t ancestor, uint32_t i)
{
    for (int climbed = 0; climbed < CLIMB_MAX && may_go_on(g); climbed++) {
        if (N(g, i)->parent == ancestor)
            return i;
        i = N(g, i)->parent;
    }
    return 0;
}

int is_none(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Constant && N(g, i)->value == Py_None;
}

PyObject *string_of(const struct gate *g, uint32_t i)
{
    PyObject *value = kind_of(g, i) == K_Constant ? N(g, i)->value : NULL;
    return value && PyUnicode_CheckExact(value) ? value : NULL;
}

struct call_shape call_shape(const struct gate *g, uint32_t call)
{
    struct call_shape shape = {0};
    FOR_CHILDREN (g, c, call) {
        shape.positional += N(g, c)->field == F_args;
        shape.keywords += N(g, c)->field == F_keywords;
        shape.starred |= N(g, c)->field == F_args && kind_of(g, c) == K_Starred;
        shape.starred |= N(g, c)->field == F_keywords && N(g, c)->name == 0;
    }
    return shape;
}

uint32_t keyword_of(const struct gate *g, uint32_t call, const char *name)
{
    FOR_CHILDREN (g, c, call)
        if (N(g, c)->field == F_keywords && strcmp(NAME(g, N(g, c)->name)->text, name) == 0)
            return first_child(g, c);
    return 0;
}

int keywords_within(const struct gate *g, uint32_t call, const char *const *allowed)
{
    FOR_CHILDREN (g, c, call) {
        if (N(g, c)->field != F_keywords)
            continue;
        const char *const *a = allowed;
        while (*a && strcmp(NAME(g, N(g, c)->name)->text, *a) != 0)
            a++;
        if (!*a)
            return 0;
    }
    return 1;
}

/* ---- names --------------------------------------------------------------------------------- */

const struct bind *only_bind(const struct gate *g, const struct symbol *s)
{
    if (!s || s->count != 1)
        return NULL;
    /* Before it is bound, a name of the module or of a class may be that of something else. */
    const struct name *name = NAME(g, s->name);
    enum scope_kind kind = (enum scope_kind)g->scopes[s->scope].kind;
    int other = name->builtin || (kind == SCOPE_CLASS && (name->module_symbol || name->inner > 1));
    return other && (kind == SCOPE_MODULE || kind == SCOPE_CLASS) ? NULL : &g->binds[s->first];
}

const struct builtin_row *builtin_of(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Name || !is_load(g, i))
        return NULL;
    const struct builtin_row *row = NAME(g, N(g, i)->name)->builtin;
    const struct symbol *s = symbol_of(g, i);
    return row && s && is_bound_before(g, s, i) ? NULL : row;
}

enum builtin builtin_what(const struct gate *g, uint32_t i)
{
    const struct builtin_row *row = builtin_of(g, i);
    return row ? (enum builtin)row->what : BUILTIN_NONE;
}

enum builtin builtin_sure(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Name || !is_load(g, i) || symbol_of(g, i))
        return BUILTIN_NONE;
    const struct builtin_row *row = NAME(g, N(g, i)->name)->builtin;
    return row ? (enum builtin)row->what : BUILTIN_NONE;
}

static const struct export_module *module_of_name(const struct gate *g, uint32_t i, int *ret_mixed)
{
    const struct symbol *s = symbol_of(g, i);
    if (!s || !s->module)
        return NULL;
    int only_given = !(s->kinds & BINDS(BIND_MODULE));
    if (only_given && s->flags & SYMBOL_OTHER && is_bound_before(g, s, i))
        return NULL; /* the code's own `json` */
    *ret_mixed = (s->flags & (SYMBOL_OTHER | SYMBOL_MODULES_DIFFER)) != 0;
    return s->module;
}

#define MODULE_DEPTH_MAX 4 /* no exported module lies deeper in its package */

const struct export_module *module_of(const struct gate *g, uint32_t i, int *ret_mixed)
{
    int ignored;
    if (!ret_mixed)
        ret_mixed = &ignored;
    *ret_mixed = 0;
    if (kind_of(g, i) == K_Name)
        return module_of_name(g, i, ret_mixed);
    uint32_t down = i;
    while (kind_of(g, down) == K_Attribute && down - i < MODULE_DEPTH_MAX)
        down++; /* the value of an attribute is its first child */
    if (down == i || kind_of(g, down) != K_Name)
        return NULL;
    const struct export_module *module = module_of_name(g, down, ret_mixed);
    while (module && down > i)
        module = exports_submodule(module, NAME(g, N(g, --down)->name)->text);
    return module;
}

uint32_t exports_of(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    if (s)
        return s->exports;
    if (kind_of(g, i) != K_Attribute)
        return 0;
    const struct export_module *module = module_of(g, first_child(g, i), NULL);
    const struct export_name *row =
        module ? exports_name(module, NAME(g, N(g, i)->name)->text) : NULL;
    return row && !row->denied ? EXPORTS(row->kind) : 0;
}

const struct export_name *export_sure(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    if (b)
        return b->kind == BIND_EXPORT ? b->export : NULL;
    if (kind_of(g, i) != K_Attribute)
        return NULL;
    int mixed;
    const struct export_module *module = module_of(g, first_child(g, i), &mixed);
    const struct export_name *row =
        module && !mixed ? exports_name(module, NAME(g, N(g, i)->name)->text) : NULL;
    return row && !row->denied ? row : NULL;
}

int may_be_export(const struct gate *g, uint32_t i, const char *name)
{
    const struct symbol *s = symbol_of(g, i);
    for (uint32_t b = s ? s->first : 0; b && may_go_on(g); b = g->binds[b].next)
        if (g->binds[b].export && strcmp(g->binds[b].export->name, name) == 0)
            return 1;
    return kind_of(g, i) == K_Attribute && module_of(g, first_child(g, i), NULL) &&
           strcmp(NAME(g, N(g, i)->name)->text, name) == 0;
}

uint32_t class_sure(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    return b && b->kind == BIND_CLASS && stays_class(g, b->node) ? b->node : 0;
}

uint32_t only_value(const struct gate *g, const struct symbol *s)
{
    const struct bind *b = only_bind(g, s);
    return b && b->kind == BIND_ASSIGN ? child_of(g, N(g, b->node)->parent, F_value) : 0;
}

/* ---- never run ------------------------------------------------------------------------------ */

/* typing.TYPE_CHECKING, by whatever name: False when code runs, and nobody may set it. */
static int is_type_checking(const struct gate *g, uint32_t i)
{
    const struct export_name *row = export_sure(g, i);
    return row && row == exports_name(exports_find("typing"), "TYPE_CHECKING");
}

int is_never_run(const struct gate *g, uint32_t i)
{
    for (uint32_t up = i; up && may_go_on(g); up = N(g, up)->parent)
        if (is_in_field(g, up, K_If, F_body) &&
            is_type_checking(g, child_of(g, N(g, up)->parent, F_test)))
            return 1;
    return 0;
}

/* ---- bound before it is loaded ---------------------------------------------------------------- */

#define BLOCK_LOOK 64 /* statements of a block that are looked at */

/* Whether the statement, once it ended, has surely bound the name. */
static int binds_surely(const struct gate *g, uint32_t statement, uint32_t name, int depth);

static int block_binds(const struct gate *g, uint32_t i, enum field field, uint32_t name, int depth)
{
    int looked = 0;
    FOR_CHILDREN (g, c, i) {
        if (N(g, c)->field == field && binds_surely(g, c, name, depth + 1))
            return 1;
        if (++looked > BLOCK_LOOK)
            return 0;
    }
    return 0;
}

static int target_binds(const struct gate *g, uint32_t target, uint32_t name)
{
    if (kind_of(g, target) == K_Name)
        return N(g, target)->name == name;
    if (kind_of(g, target) != K_Tuple && kind_of(g, target) != K_List)
        return 0;
    int looked = 0;
    FOR_CHILDREN (g, c, target) {
        if (kind_of(g, c) == K_Name && N(g, c)->name == name)
            return 1;
        if (++looked > BLOCK_LOOK)
            return 0;
    }
    return 0;
}

static int targets_bind(const struct gate *g, uint32_t i, uint32_t name)
{
    FOR_CHILDREN (g, c, i)
        if ((N(g, c)->field == F_targets || N(g, c)->field == F_target) && target_binds(g, c, name))
            return 1;
    return 0;
}

static int aliases_bind(const struct gate *g, uint32_t i, uint32_t name)
{
    FOR_CHILDREN (g, c, i)
        if ((N(g, c)->name2 ? N(g, c)->name2 : N(g, c)->name) == name)
            return 1;
    return 0;
}

static int binds_surely(const struct gate *g, uint32_t statement, uint32_t name, int depth)
{
    if (depth > 4)
        return 0;
    switch (N(g, statement)->kind) {
    case K_FunctionDef:
    case K_AsyncFunctionDef:
    case K_ClassDef:
        return N(g, statement)->name == name;
    case K_AnnAssign:
        if (!child_of(g, statement, F_value))
            return 0;
        return targets_bind(g, statement, name);
    case K_Assign:
        return targets_bind(g, statement, name);
    case K_Import:
    case K_ImportFrom:
        return aliases_bind(g, statement, name);
    case K_If:
        return block_binds(g, statement, F_body, name, depth) &&
               block_binds(g, statement, F_orelse, name, depth);
    default: /* loops may not run, `with` and `try` may swallow an exception */
        return 0;
    }
}

static enum field field_of_branch(const struct gate *g, uint32_t ancestor, uint32_t i)
{
    uint32_t branch = branch_of(g, ancestor, i);
    return branch ? (enum field)N(g, branch)->field : F_NONE;
}

/* A loop variable, or that of a `with`, inside the body. */
static int is_in_body_of(const struct gate *g, uint32_t binding, uint32_t i)
{
    uint32_t up = binding;
    for (int depth = 0; depth < 4; depth++) {
        uint32_t parent = N(g, up)->parent;
        enum kind kind = kind_of(g, parent);
        if (kind == K_For || kind == K_AsyncFor || kind == K_With || kind == K_AsyncWith)
            return (N(g, up)->field == F_target || N(g, up)->field == F_items) && i > parent &&
                   i < N(g, parent)->end && field_of_branch(g, parent, i) == F_body;
        if (kind != K_Tuple && kind != K_List && kind != K_withitem)
            return 0;
        up = parent;
    }
    return 0;
}

/*
 * Whether the binding is done whenever node i is reached: it lies in a statement that comes
 * before, in the same block, the statement that holds i. A function between them does not
 * matter: it was defined after the binding.
 */
static int dominates(const struct gate *g, uint32_t binding, uint32_t name, uint32_t i)
{
    if (is_in_body_of(g, binding, i))
        return 1;
    uint32_t up = binding;
    for (int climbed = 0; up && climbed < CLIMB_MAX && may_go_on(g); climbed++) {
        uint32_t parent = N(g, up)->parent;
        if (i >= parent && i < N(g, parent)->end)
            return N(g, up)->end <= i &&
                   field_of_branch(g, parent, i) == (enum field)N(g, up)->field &&
                   binds_surely(g, up, name, 0);
        up = parent;
    }
    return 0;
}

#define BINDS_TRIED 8

int is_bound_before(const struct gate *g, const struct symbol *s, uint32_t i)
{
    enum scope_kind kind = (enum scope_kind)g->scopes[s->scope].kind;
    if (kind != SCOPE_MODULE && kind != SCOPE_CLASS)
        return 1; /* an unbound local is an error, never a builtin */
    if (s->kinds & (BINDS(BIND_DELETE) | BINDS(BIND_EXCEPT)))
        return 0;
    int tried = 0;
    for (uint32_t b = s->first; b && tried < BINDS_TRIED; b = g->binds[b].next, tried++)
        if (g->binds[b].node && dominates(g, g->binds[b].node, s->name, i))
            return 1;
    return 0;
}
