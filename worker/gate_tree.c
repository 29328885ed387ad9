/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_tree: the ast objects as one array, in pre-order, each node with its scope. Walks
 * with a stack of its own that the depth cap bounds, reads each object's fields once, and
 * takes no references: the tree outlives the gate, and no user code has seen it.
 */
#include "gate_int.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    PyObject *values[VALUES_MAX]; /* of the fields, borrowed: scalars, then children */
    PyObject *list;               /* the children that are being walked */
    uint32_t node;
    uint32_t position, field; /* in the list; in spec->children */
    const struct kind_spec *spec;
};

struct walk {
    struct gate *g;
    struct frame *frames;
    uint32_t depth, room;
    int stop; /* a cap was hit */
};

int gate_grow(void **array, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return 0;
    uint32_t more = *room ? *room * 2 : 256;
    void *grown = realloc(*array, more * size);
    if (!grown) {
        PyErr_NoMemory();
        return -1;
    }
    *array = grown;
    *room = more;
    return 0;
}

/* ---- fields ------------------------------------------------------------------------- */

/*
 * The values of a node's fields. The parser sets them in the order in which its type lists
 * them, so the dict is read from its start; one that is not as expected is looked up.
 */
static int read_values(PyObject *object, const struct field_order *order, PyObject **values)
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    AUTO_PY dict = PyObject_GenericGetDict(object, NULL);
    if (!dict)
        return -1;
    for (unsigned n = 0; n < order->absent_count; n++)
        values[order->absent[n]] = NULL;
    unsigned n = 0;
    for (; n < order->count && PyDict_Next(dict, &at, &key, &value) &&
           key == gate_keys[order->fields[n]];
         n++)
        values[order->slots[n]] = value;
    for (; n < order->count; n++) {
        value = PyDict_GetItemWithError(dict, gate_keys[order->fields[n]]);
        if (!value && PyErr_Occurred())
            return -1;
        values[order->slots[n]] = value;
    }
    return 0;
}

/* ---- scopes ------------------------------------------------------------------------- */

/* A new scope, or 0 with `stop` or an exception set. */
static uint32_t open_scope(struct walk *w, enum scope_kind kind, uint32_t parent, uint32_t node)
{
    struct gate *g = w->g;
    if (gate_grow((void **)&g->scopes, &g->scope_room, g->scope_count, sizeof(struct scope)) < 0)
        return 0;
    unsigned depth = g->scopes[parent].depth + 1u;
    if (depth > GATE_SCOPES_MAX) {
        w->stop = 1;
        (void)gate_warn(g, RULE_TOO_DEEP, node,
                        "The code has more than %u functions, classes or comprehensions inside "
                        "one another, and is not read any further.",
                        GATE_SCOPES_MAX);
        return 0;
    }
    /* The name that the source has: that of a class in a class is mangled itself. */
    uint32_t private_to = kind == SCOPE_CLASS ? N(g, node)->name2 : g->scopes[parent].private_to;
    g->scopes[g->scope_count] = (struct scope){.parent = parent,
                                               .node = node,
                                               .private_to = private_to,
                                               .kind = (unsigned char)kind,
                                               .depth = (unsigned char)depth};
    return g->scope_count++;
}

static int has_type_parameters(const struct frame *f)
{
    for (size_t k = 0; k < ARRAY_LEN(f->spec->children); k++)
        if (f->spec->children[k].type && f->spec->children[k].field == F_type_params) {
            PyObject *list = f->values[ARRAY_LEN(f->spec->scalars) + k];
            return list && PyList_Check(list) && PyList_Size(list) > 0;
        }
    return 0;
}

/* Which names it sees differs by the version of Python. */
static int warn_odd_scope(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_UNKNOWN_SYNTAX, i,
                     "Which names a comprehension among type parameters sees depends on the "
                     "version of Python.");
}

/* Sets the link of a node that opens a scope. 0, or -1 (also at a cap). */
static int open_scopes(struct walk *w, uint32_t i, const struct frame *f)
{
    uint32_t outer = N(w->g, i)->scope;
    enum scope_kind kind;
    switch (N(w->g, i)->kind) {
    case K_FunctionDef:
    case K_AsyncFunctionDef:
    case K_Lambda:
        kind = SCOPE_FUNCTION;
        break;
    case K_ClassDef:
        kind = SCOPE_CLASS;
        break;
    case K_ListComp:
    case K_SetComp:
    case K_DictComp:
    case K_GeneratorExp:
        if (w->g->scopes[outer].kind == SCOPE_TYPE && warn_odd_scope(w->g, i) < 0)
            return -1;
        kind = SCOPE_COMPREHENSION;
        break;
    case K_TypeAlias:
        kind = SCOPE_TYPE;
        break;
    default:
        return 0;
    }
    if ((kind == SCOPE_FUNCTION || kind == SCOPE_CLASS) && has_type_parameters(f)) {
        outer = open_scope(w, SCOPE_TYPE, outer, i);
        if (!outer)
            return -1;
    }
    N(w->g, i)->link = open_scope(w, kind, outer, i);
    return N(w->g, i)->link ? 0 : -1;
}

/* Where names of a child in that field are looked up. */
static uint32_t scope_of_child(const struct gate *g, uint32_t i, enum field field)
{
    const struct node *n = N(g, i);
    uint32_t around = n->link ? g->scopes[n->link].parent : n->scope; /* with type parameters */
    switch (n->kind) {
    case K_FunctionDef:
    case K_AsyncFunctionDef:
    case K_Lambda:
        return field == F_body                                ? n->link
               : field == F_decorator_list || field == F_args ? n->scope
                                                              : around;
    case K_ClassDef:
        return field == F_body ? n->link : field == F_decorator_list ? n->scope : around;
    case K_TypeAlias:
        return field == F_name ? n->scope : n->link;
    case K_arguments: /* defaults belong outside, annotations to the type parameters */
        return field == F_defaults || field == F_kw_defaults
                   ? n->scope
                   : g->scopes[N(g, n->parent)->link].parent;
    case K_ListComp:
    case K_SetComp:
    case K_DictComp:
    case K_GeneratorExp:
        return n->link;
    case K_comprehension: /* the first iterable is evaluated outside */
        return field == F_iter && i == n->parent + 1 ? N(g, n->parent)->scope : n->scope;
    default:
        return n->scope;
    }
}

static int makes_types(const struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    return kind == K_Subscript || kind == K_Tuple || kind == K_List || kind == K_Attribute ||
           kind == K_Starred || (kind == K_BinOp && N(g, i)->op == K_BitOr);
}

static unsigned flags_of_child(const struct gate *g, uint32_t i, enum field field)
{
    enum kind kind = kind_of(g, i);
    unsigned flags = N(g, i)->flags & ~(kind == K_Compare ? (unsigned)NEGATED : 0u);
    if (flags & IN_TYPE && !makes_types(g, i))
        flags &= ~(unsigned)IN_TYPE;
    if (field == F_annotation)
        flags |= IN_TYPE | (kind == K_AnnAssign ? IN_ANNOTATION_VAR : IN_ANNOTATION_FN);
    if (field == F_returns || field == F_bound || (kind == K_TypeAlias && field == F_value))
        flags |= IN_TYPE | IN_ANNOTATION_FN;
    if (kind == K_JoinedStr)
        flags |= IN_FSTRING;
    return flags;
}

/* ---- scalars ------------------------------------------------------------------------------ */

static unsigned compare_bit(PyObject *op)
{
    switch ((int)gate_kind_of(op)) {
    case K_Is:
    case K_IsNot:
        return COMPARE_IDENTITY;
    case K_Eq:
    case K_NotEq:
        return COMPARE_EQUAL;
    case K_In:
    case K_NotIn:
        return COMPARE_IN;
    default:
        return COMPARE_ORDER;
    }
}

static int is_negated(PyObject *list)
{
    for (Py_ssize_t k = 0; PyList_Check(list) && k < PyList_Size(list); k++) {
        enum kind op = gate_kind_of(PyList_GetItem(list, k));
        if (op == K_IsNot || op == K_NotEq || op == K_NotIn)
            return 1;
    }
    return 0;
}

static unsigned compare_set(PyObject *list)
{
    unsigned set = 0;
    for (Py_ssize_t k = 0; PyList_Check(list) && k < PyList_Size(list); k++)
        set |= compare_bit(PyList_GetItem(list, k));
    return set;
}

/* Names that Python mangles: all but those of keyword arguments and of what is imported. */
static int is_mangled(enum kind kind, enum field_type type)
{
    return kind != K_keyword && kind != K_ImportFrom && (kind != K_alias || type == T_NAME2);
}

static int read_name(struct gate *g, uint32_t i, enum field_type type, PyObject *value)
{
    struct node *n = N(g, i);
    uint32_t written = gate_name_id(g, value);
    uint32_t id = written && is_mangled((enum kind)n->kind, type)
                      ? gate_name_mangled(g, n->scope, written)
                      : written;
    if (!id)
        return -1;
    if (n->kind == K_ClassDef)
        n->name2 = written;
    *(type == T_NAME ? &n->name : &n->name2) = id;
    return 0;
}

static int read_scalar(struct gate *g, uint32_t i, const struct field_spec *spec, PyObject *value)
{
    long number;
    switch (spec->type) {
    case T_NAME:
    case T_NAME2:
        return read_name(g, i, (enum field_type)spec->type, value);
    case T_CTX:
        N(g, i)->op = (unsigned char)gate_kind_of(value);
        return 0;
    case T_OPS:
        N(g, i)->op = (unsigned char)compare_set(value);
        N(g, i)->flags |= (unsigned char)(is_negated(value) ? NEGATED : 0);
        return 0;
    case T_INT:
        number = PyLong_AsLong(value);
        PyErr_Clear();
        N(g, i)->op = number >= 0 && number < 255 ? (unsigned char)number : 255;
        return 0;
    case T_VALUE:
        N(g, i)->value = value;
        return 0;
    default:
        return 0;
    }
}

static int read_scalars(struct gate *g, uint32_t i, const struct frame *f)
{
    for (size_t k = 0; k < ARRAY_LEN(f->spec->scalars) && f->spec->scalars[k].type; k++) {
        PyObject *value = f->values[k];
        if (f->spec->scalars[k].type == T_SKIP)
            continue;
        int none = value == Py_None && f->spec->scalars[k].type != T_VALUE;
        if (value && !none && read_scalar(g, i, &f->spec->scalars[k], value) < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static int add_node(struct walk *w, uint32_t parent, enum kind kind, enum field field,
                    PyObject *object, uint32_t *ret)
{
    struct gate *g = w->g;
    size_t max = g->report->nodes_max ? g->report->nodes_max : GATE_NODES_MAX;
    if (g->node_count >= max) {
        w->stop = 1;
        return gate_warn(g, RULE_TOO_LARGE, parent,
                         "The code has more than %zu parts (names, operators, calls, ...), and "
                         "is not read any further.",
                         max);
    }
    if (gate_grow((void **)&g->nodes, &g->node_room, g->node_count, sizeof(struct node)) < 0)
        return -1;
    uint32_t i = g->node_count++;
    *N(g, i) = (struct node){.kind = (unsigned char)kind,
                             .field = (unsigned char)field,
                             .parent = parent,
                             .end = i + 1,
                             .object = object};
    if (i != 0) {
        N(g, i)->scope = scope_of_child(g, parent, field);
        N(g, i)->flags = (unsigned char)flags_of_child(g, parent, field);
    }
    *ret = i;
    return 0;
}

static int push(struct walk *w, uint32_t parent, enum field field, PyObject *object)
{
    enum kind kind = gate_kind_of(object);
    uint32_t i = 0;
    if (add_node(w, parent, kind, field, object, &i) < 0)
        return -1;
    if (w->stop)
        return 0;
    if (kind == K_UNKNOWN)
        return gate_warn(w->g, RULE_UNKNOWN_SYNTAX, i,
                         "This is syntax that the gate does not know, so nobody can say what it "
                         "does.");
    if (w->depth >= GATE_DEPTH_MAX) {
        w->stop = 1;
        return gate_warn(w->g, RULE_TOO_DEEP, parent,
                         "The code is nested more than %u levels deep, and is not read any "
                         "further.",
                         GATE_DEPTH_MAX);
    }
    if (gate_grow((void **)&w->frames, &w->room, w->depth, sizeof(struct frame)) < 0)
        return -1;
    struct frame *f = &w->frames[w->depth];
    f->list = NULL;
    f->node = i;
    f->position = f->field = 0;
    f->spec = &gate_specs[kind];
    if (read_values(object, &gate_orders[kind], f->values) < 0 || read_scalars(w->g, i, f) < 0)
        return -1;
    if (!f->spec->children[0].type) /* a leaf */
        return 0;
    w->depth++;
    return open_scopes(w, i, f) < 0 && !w->stop ? -1 : 0;
}

static void pop(struct walk *w)
{
    struct frame *f = &w->frames[--w->depth];
    N(w->g, f->node)->end = w->g->node_count;
}

static int add_ident(struct walk *w, struct frame *f, enum field field, PyObject *str)
{
    uint32_t i = 0, id = gate_name_id(w->g, str);
    if (!id || add_node(w, f->node, K_IDENT, field, NULL, &i) < 0)
        return -1;
    if (w->stop)
        return 0;
    if (field == F_names) /* of `global`; a class pattern names attributes as they are */
        id = gate_name_mangled(w->g, N(w->g, i)->scope, id);
    N(w->g, i)->name = id;
    return id ? 0 : -1;
}

static int step_list(struct walk *w, struct frame *f, const struct field_spec *spec)
{
    PyObject *item = PyList_GetItem(f->list, f->position++);
    uint32_t hole = 0;
    if (!item)
        return -1;
    if (spec->type == T_IDENTS)
        return add_ident(w, f, (enum field)spec->field, item);
    if (item == Py_None)
        return add_node(w, f->node, K_NONE, (enum field)spec->field, NULL, &hole);
    return push(w, f->node, (enum field)spec->field, item);
}

/* One step of the innermost frame: its next child, or its end. */
static int step(struct walk *w)
{
    struct frame *f = &w->frames[w->depth - 1];
    const struct field_spec *spec = &f->spec->children[f->field];
    if (f->list && f->position < (uint32_t)PyList_Size(f->list))
        return step_list(w, f, spec);
    if (f->list) {
        f->list = NULL;
        spec = &f->spec->children[++f->field];
    }
    if (f->field >= ARRAY_LEN(f->spec->children) || spec->type == T_END) {
        pop(w);
        return 0;
    }
    PyObject *value = f->values[ARRAY_LEN(f->spec->scalars) + f->field];
    if (value && spec->type != T_NODE && PyList_Check(value)) {
        f->list = value;
        f->position = 0;
        return 0;
    }
    f->field++;
    return value && value != Py_None ? push(w, f->node, (enum field)spec->field, value) : 0;
}

static int walk(struct walk *w, PyObject *tree)
{
    if (push(w, 0, F_NONE, tree) < 0)
        return -1;
    while (w->depth > 0 && !w->stop)
        if (step(w) < 0)
            return -1;
    return w->stop && PyErr_Occurred() ? -1 : 0;
}

int gate_tree_open(struct gate *g, PyObject *tree)
{
    struct walk w = {.g = g};
    if (gate_grow((void **)&g->scopes, &g->scope_room, 0, sizeof(struct scope)) < 0)
        return -1;
    g->scopes[0] = (struct scope){0};
    g->scope_count = 1;
    int rc = walk(&w, tree);
    while (w.depth > 0)
        pop(&w);
    free(w.frames);
    return rc < 0 ? -1 : w.stop;
}
