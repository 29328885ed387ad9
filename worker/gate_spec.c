/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_spec: the node types that the gate was written for, field by field. A type that is
 * not here, or has a field that is not here, is unknown to it and gets a warning wherever it
 * occurs: a later Python's syntax is refused, not ignored.
 *
 * The order of `children` is the order of the array. What matters in it: the parts of a
 * function that belong to the scope around it come before its body, a comprehension's
 * first iterable before its targets.
 */
#include "gate_int.h"

#include <string.h>

#define STATEMENT_WITH_BODY(condition)                                                             \
    {                                                                                              \
        .children = { {F_##condition, T_NODE}, {F_body, T_LIST}, {F_orelse, T_LIST} }              \
    }
#define FUNCTION                                                                                   \
    {                                                                                              \
        .scalars = {{F_name, T_NAME}, {F_type_comment, T_SKIP}},                                   \
        .children = {{F_decorator_list, T_LIST},                                                   \
                     {F_args, T_NODE},                                                             \
                     {F_type_params, T_LIST},                                                      \
                     {F_returns, T_NODE},                                                          \
                     {F_body, T_LIST}},                                                            \
    }
#define LOOP                                                                                       \
    {                                                                                              \
        .scalars = {{F_type_comment, T_SKIP}},                                                     \
        .children = {{F_iter, T_NODE}, {F_target, T_NODE}, {F_body, T_LIST}, {F_orelse, T_LIST}},  \
    }
#define WITH                                                                                       \
    {                                                                                              \
        .scalars = {{F_type_comment, T_SKIP}}, .children = {{F_items, T_LIST}, {F_body, T_LIST}},  \
    }
#define COMPREHENSION                                                                              \
    {                                                                                              \
        .children = {{F_generators, T_LIST}, {F_elt, T_NODE}},                                     \
    }
#define DISPLAY                                                                                    \
    {                                                                                              \
        .scalars = {{F_ctx, T_CTX}}, .children = {{F_elts, T_LIST}},                               \
    }
#define TRY                                                                                        \
    {                                                                                              \
        .children = {                                                                              \
            {F_body, T_LIST}, {F_handlers, T_LIST}, {F_orelse, T_LIST}, {F_finalbody, T_LIST}},    \
    }
#define VALUE                                                                                      \
    {                                                                                              \
        .children = {{F_value, T_NODE}},                                                           \
    }

const struct kind_spec gate_specs[K_COUNT] = {
    [K_Module] = {.children = {{F_body, T_LIST}}, .scalars = {{F_type_ignores, T_SKIP}}},
    [K_FunctionDef] = FUNCTION,
    [K_AsyncFunctionDef] = FUNCTION,
    [K_ClassDef] = {.scalars = {{F_name, T_NAME}},
                    .children = {{F_decorator_list, T_LIST},
                                 {F_type_params, T_LIST},
                                 {F_bases, T_LIST},
                                 {F_keywords, T_LIST},
                                 {F_body, T_LIST}}},
    [K_Return] = VALUE,
    [K_Delete] = {.children = {{F_targets, T_LIST}}},
    [K_Assign] = {.scalars = {{F_type_comment, T_SKIP}},
                  .children = {{F_value, T_NODE}, {F_targets, T_LIST}}},
    [K_TypeAlias] = {.children = {{F_name, T_NODE}, {F_type_params, T_LIST}, {F_value, T_NODE}}},
    [K_AugAssign] = {.scalars = {{F_op, T_CTX}},
                     .children = {{F_value, T_NODE}, {F_target, T_NODE}}},
    [K_AnnAssign] = {.scalars = {{F_simple, T_INT}},
                     .children = {{F_value, T_NODE}, {F_annotation, T_NODE}, {F_target, T_NODE}}},
    [K_For] = LOOP,
    [K_AsyncFor] = LOOP,
    [K_While] = STATEMENT_WITH_BODY(test),
    [K_If] = STATEMENT_WITH_BODY(test),
    [K_With] = WITH,
    [K_AsyncWith] = WITH,
    [K_Match] = {.children = {{F_subject, T_NODE}, {F_cases, T_LIST}}},
    [K_Raise] = {.children = {{F_exc, T_NODE}, {F_cause, T_NODE}}},
    [K_Try] = TRY,
    [K_TryStar] = TRY,
    [K_Assert] = {.children = {{F_test, T_NODE}, {F_msg, T_NODE}}},
    [K_Import] = {.children = {{F_names, T_LIST}}},
    [K_ImportFrom] = {.scalars = {{F_module, T_NAME}, {F_level, T_INT}},
                      .children = {{F_names, T_LIST}}},
    [K_Global] = {.children = {{F_names, T_IDENTS}}},
    [K_Nonlocal] = {.children = {{F_names, T_IDENTS}}},
    [K_Expr] = VALUE,
    [K_BoolOp] = {.scalars = {{F_op, T_CTX}}, .children = {{F_values, T_LIST}}},
    [K_NamedExpr] = {.children = {{F_value, T_NODE}, {F_target, T_NODE}}},
    [K_BinOp] = {.scalars = {{F_op, T_CTX}}, .children = {{F_left, T_NODE}, {F_right, T_NODE}}},
    [K_UnaryOp] = {.scalars = {{F_op, T_CTX}}, .children = {{F_operand, T_NODE}}},
    [K_Lambda] = {.children = {{F_args, T_NODE}, {F_body, T_NODE}}},
    [K_IfExp] = {.children = {{F_test, T_NODE}, {F_body, T_NODE}, {F_orelse, T_NODE}}},
    [K_Dict] = {.children = {{F_keys, T_LIST}, {F_values, T_LIST}}},
    [K_Set] = {.children = {{F_elts, T_LIST}}},
    [K_ListComp] = COMPREHENSION,
    [K_SetComp] = COMPREHENSION,
    [K_GeneratorExp] = COMPREHENSION,
    [K_DictComp] = {.children = {{F_generators, T_LIST}, {F_key, T_NODE}, {F_value, T_NODE}}},
    [K_Await] = VALUE,
    [K_Yield] = VALUE,
    [K_YieldFrom] = VALUE,
    [K_Compare] = {.scalars = {{F_ops, T_OPS}},
                   .children = {{F_left, T_NODE}, {F_comparators, T_LIST}}},
    [K_Call] = {.children = {{F_func, T_NODE}, {F_args, T_LIST}, {F_keywords, T_LIST}}},
    [K_FormattedValue] = {.scalars = {{F_conversion, T_SKIP}},
                          .children = {{F_value, T_NODE}, {F_format_spec, T_NODE}}},
    [K_JoinedStr] = {.children = {{F_values, T_LIST}}},
    [K_Constant] = {.scalars = {{F_value, T_VALUE}, {F_kind, T_SKIP}}},
    [K_Attribute] = {.scalars = {{F_attr, T_NAME}, {F_ctx, T_CTX}},
                     .children = {{F_value, T_NODE}}},
    [K_Subscript] = {.scalars = {{F_ctx, T_CTX}},
                     .children = {{F_value, T_NODE}, {F_slice, T_NODE}}},
    [K_Starred] = {.scalars = {{F_ctx, T_CTX}}, .children = {{F_value, T_NODE}}},
    [K_Name] = {.scalars = {{F_id, T_NAME}, {F_ctx, T_CTX}}},
    [K_List] = DISPLAY,
    [K_Tuple] = DISPLAY,
    [K_Slice] = {.children = {{F_lower, T_NODE}, {F_upper, T_NODE}, {F_step, T_NODE}}},
    [K_comprehension] = {.scalars = {{F_is_async, T_SKIP}},
                         .children = {{F_iter, T_NODE}, {F_target, T_NODE}, {F_ifs, T_LIST}}},
    [K_ExceptHandler] = {.scalars = {{F_name, T_NAME}},
                         .children = {{F_type, T_NODE}, {F_body, T_LIST}}},
    [K_arguments] = {.children = {{F_defaults, T_LIST},
                                  {F_kw_defaults, T_LIST},
                                  {F_posonlyargs, T_LIST},
                                  {F_args, T_LIST},
                                  {F_vararg, T_NODE},
                                  {F_kwonlyargs, T_LIST},
                                  {F_kwarg, T_NODE}}},
    [K_arg] = {.scalars = {{F_arg, T_NAME}, {F_type_comment, T_SKIP}},
               .children = {{F_annotation, T_NODE}}},
    [K_keyword] = {.scalars = {{F_arg, T_NAME}}, .children = {{F_value, T_NODE}}},
    [K_alias] = {.scalars = {{F_name, T_NAME}, {F_asname, T_NAME2}}},
    [K_withitem] = {.children = {{F_context_expr, T_NODE}, {F_optional_vars, T_NODE}}},
    [K_match_case] = {.children = {{F_pattern, T_NODE}, {F_guard, T_NODE}, {F_body, T_LIST}}},
    [K_MatchValue] = VALUE,
    [K_MatchSingleton] = {.scalars = {{F_value, T_VALUE}}},
    [K_MatchSequence] = {.children = {{F_patterns, T_LIST}}},
    [K_MatchMapping] = {.scalars = {{F_rest, T_NAME}},
                        .children = {{F_keys, T_LIST}, {F_patterns, T_LIST}}},
    [K_MatchClass] = {.children = {{F_cls, T_NODE},
                                   {F_patterns, T_LIST},
                                   {F_kwd_attrs, T_IDENTS},
                                   {F_kwd_patterns, T_LIST}}},
    [K_MatchStar] = {.scalars = {{F_name, T_NAME}}},
    [K_MatchAs] = {.scalars = {{F_name, T_NAME}}, .children = {{F_pattern, T_NODE}}},
    [K_MatchOr] = {.children = {{F_patterns, T_LIST}}},
    [K_TypeIgnore] = {.scalars = {{F_lineno, T_SKIP}, {F_tag, T_SKIP}}},
    [K_TypeVar] = {.scalars = {{F_name, T_NAME}},
                   .children = {{F_bound, T_NODE}, {F_default_value, T_NODE}}},
    [K_ParamSpec] = {.scalars = {{F_name, T_NAME}}, .children = {{F_default_value, T_NODE}}},
    [K_TypeVarTuple] = {.scalars = {{F_name, T_NAME}}, .children = {{F_default_value, T_NODE}}},
};

static const char *const kind_names[K_COUNT] = {
#define X(name) [K_##name] = #name,
    GATE_KINDS(X)
#undef X
};

static const char *const field_names[F_COUNT] = {
#define X(name) [F_##name] = #name,
    GATE_FIELDS(X)
#undef X
};

PyObject *gate_keys[F_COUNT];
struct field_order gate_orders[K_COUNT];

/* type object -> kind, by address; the types are never collected. */
#define SLOTS 512u
static struct {
    PyTypeObject *type;
    enum kind kind;
} slots[SLOTS];

static size_t slot_of(const PyTypeObject *type)
{
    uint64_t x = (uint64_t)(uintptr_t)type >> 4;
    size_t at = (size_t)((x * 0x9e3779b97f4a7c15u) >> 55);
    while (slots[at].type && slots[at].type != type)
        at = (at + 1) % SLOTS;
    return at;
}

enum kind gate_kind_of(PyObject *node)
{
    size_t at = slot_of(Py_TYPE(node));
    return slots[at].type ? slots[at].kind : K_UNKNOWN;
}

/* What is known of the value in that slot; of type T_END if there is none. */
static const struct field_spec *spec_of_slot(const struct kind_spec *spec, size_t slot)
{
    return slot < ARRAY_LEN(spec->scalars) ? &spec->scalars[slot]
                                           : &spec->children[slot - ARRAY_LEN(spec->scalars)];
}

/* Which of the values the field of that name is, or -1; *ret_field. */
static int slot_of_field(const struct kind_spec *spec, const char *name, unsigned char *ret_field)
{
    for (size_t i = 0; i < VALUES_MAX; i++) {
        const struct field_spec *field = spec_of_slot(spec, i);
        *ret_field = field->field;
        if (field->type && strcmp(field_names[field->field], name) == 0)
            return (int)i;
    }
    return -1;
}

/* Fields without a meaning behind all others are not read; what is not read is absent. */
static void close_order(const struct kind_spec *spec, struct field_order *order)
{
    while (order->count && spec_of_slot(spec, order->slots[order->count - 1])->type == T_SKIP)
        order->count--;
    order->absent_count = 0;
    for (unsigned char slot = 0; slot < VALUES_MAX; slot++)
        if (spec_of_slot(spec, slot)->type && !memchr(order->slots, slot, order->count))
            order->absent[order->absent_count++] = slot;
}

/* 1: each field that this Python's type has is in the specification; 0; -1. */
static int knows_type(enum kind kind, PyObject *type)
{
    struct field_order *order = &gate_orders[kind];
    AUTO_PY fields = PyObject_GetAttrString(type, "_fields");
    Py_ssize_t n = fields ? PySequence_Size(fields) : -1;
    order->count = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        AUTO_PY name = PySequence_GetItem(fields, i);
        const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        if (!text)
            return -1;
        int slot = slot_of_field(&gate_specs[kind], text, &order->fields[order->count]);
        if (slot < 0 || order->count == VALUES_MAX - 1)
            return 0;
        order->slots[order->count++] = (unsigned char)slot;
    }
    close_order(&gate_specs[kind], order);
    return n < 0 ? -1 : 1;
}

static int prepare_kind(PyObject *module, enum kind kind)
{
    PyObject *type = PyObject_GetAttrString(module, kind_names[kind]);
    if (!type) { /* a Python that does not have it yet */
        PyErr_Clear();
        return 0;
    }
    int known = knows_type(kind, type);
    if (known < 0)
        return -1;
    size_t at = slot_of((PyTypeObject *)type);
    slots[at].type = (PyTypeObject *)type; /* keeps the reference */
    slots[at].kind = known ? kind : K_UNKNOWN;
    return 0;
}

int gate_spec_prepare(void)
{
    AUTO_PY module = PyImport_ImportModule("_ast");
    if (!module)
        return -1;
    for (int f = F_NONE + 1; f < F_COUNT; f++) {
        gate_keys[f] = PyUnicode_InternFromString(field_names[f]);
        if (!gate_keys[f])
            return -1;
    }
    for (int k = K_UNKNOWN + 1; k < K_COUNT; k++)
        if (prepare_kind(module, (enum kind)k) < 0)
            return -1;
    return 0;
}
