/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_tree: the node types, field by field, and the array that a tree becomes. Included by
 * gate_int.h, which says how the array is to be read.
 */
#ifndef CORDON_WORKER_GATE_TREE_H
#define CORDON_WORKER_GATE_TREE_H

#include "worker.h"

/* ---- gate_spec.c ------------------------------------------------------------------ */

/* It does not come to rest on such lists. */
/* clang-format off */
#define GATE_KINDS(X) \
    X(Module) X(FunctionDef) X(AsyncFunctionDef) X(ClassDef) X(Return) X(Delete) X(Assign) \
    X(TypeAlias) X(AugAssign) X(AnnAssign) X(For) X(AsyncFor) X(While) X(If) X(With) \
    X(AsyncWith) X(Match) X(Raise) X(Try) X(TryStar) X(Assert) X(Import) X(ImportFrom) \
    X(Global) X(Nonlocal) X(Expr) X(Pass) X(Break) X(Continue) X(BoolOp) X(NamedExpr) \
    X(BinOp) X(UnaryOp) X(Lambda) X(IfExp) X(Dict) X(Set) X(ListComp) X(SetComp) X(DictComp) \
    X(GeneratorExp) X(Await) X(Yield) X(YieldFrom) X(Compare) X(Call) X(FormattedValue) \
    X(JoinedStr) X(Constant) X(Attribute) X(Subscript) X(Starred) X(Name) X(List) X(Tuple) \
    X(Slice) X(comprehension) X(ExceptHandler) X(arguments) X(arg) X(keyword) X(alias) \
    X(withitem) X(match_case) X(MatchValue) X(MatchSingleton) X(MatchSequence) \
    X(MatchMapping) X(MatchClass) X(MatchStar) X(MatchAs) X(MatchOr) X(TypeIgnore) \
    X(TypeVar) X(ParamSpec) X(TypeVarTuple) X(Load) X(Store) X(Del) X(And) X(Or) X(Add) \
    X(Sub) X(Mult) X(MatMult) X(Div) X(Mod) X(Pow) X(LShift) X(RShift) X(BitOr) X(BitXor) \
    X(BitAnd) X(FloorDiv) X(Invert) X(Not) X(UAdd) X(USub) X(Eq) X(NotEq) X(Lt) X(LtE) X(Gt) \
    X(GtE) X(Is) X(IsNot) X(In) X(NotIn)
/* clang-format on */
enum kind {
    K_NONE,  /* a hole: the key of `**x` in a dict display, no default */
    K_IDENT, /* a name that is no node in Python: of `global`, of a class pattern */
    K_UNKNOWN,
#define X(name) K_##name,
    GATE_KINDS(X)
#undef X
        K_COUNT
};

/* It does not come to rest on such lists. */
/* clang-format off */
#define GATE_FIELDS(X) \
    X(annotation) X(arg) X(args) X(argtypes) X(asname) X(attr) X(bases) X(body) X(bound) \
    X(cases) X(cause) X(cls) X(comparators) X(context_expr) X(conversion) X(ctx) \
    X(decorator_list) X(default_value) X(defaults) X(elt) X(elts) X(exc) X(finalbody) \
    X(format_spec) X(func) X(generators) X(guard) X(handlers) X(id) X(ifs) X(is_async) \
    X(items) X(iter) X(key) X(keys) X(keywords) X(kind) X(kw_defaults) X(kwarg) X(kwd_attrs) \
    X(kwd_patterns) X(kwonlyargs) X(left) X(level) X(lineno) X(lower) X(module) X(msg) \
    X(name) X(names) X(op) X(operand) X(ops) X(optional_vars) X(orelse) X(pattern) \
    X(patterns) X(posonlyargs) X(rest) X(returns) X(right) X(simple) X(slice) X(step) \
    X(subject) X(tag) X(target) X(targets) X(test) X(type) X(type_comment) X(type_ignores) \
    X(type_params) X(upper) X(value) X(values) X(vararg) X(end_lineno) X(col_offset) \
    X(end_col_offset)
/* clang-format on */
enum field {
    F_NONE,
#define X(name) F_##name,
    GATE_FIELDS(X)
#undef X
        F_COUNT
};

enum field_type {
    T_END,
    T_NODE,   /* a child, or None */
    T_LIST,   /* of children, or None among them */
    T_NAME,   /* -> node.name */
    T_NAME2,  /* -> node.name2 */
    T_IDENTS, /* a list of names: K_IDENT children */
    T_CTX,    /* the kind of a context or operator -> node.op */
    T_OPS,    /* a list of comparison operators -> node.op, a set of COMPARE_* */
    T_INT,    /* a small number -> node.op */
    T_VALUE,  /* of a constant -> node.value */
    T_SKIP,   /* known, and without meaning here */
};

struct field_spec {
    unsigned char field, type;
};

struct kind_spec {
    struct field_spec scalars[4];
    struct field_spec children[8]; /* in the order in which the array has them */
};

#define VALUES_MAX 12 /* scalars and children */

/*
 * The fields of a type as this Python lists them, up to the last one that has a meaning here,
 * and which of the values above each is; then those values that this Python has no field for.
 */
struct field_order {
    unsigned char count, fields[VALUES_MAX], slots[VALUES_MAX];
    unsigned char absent_count, absent[VALUES_MAX];
};

extern const struct kind_spec gate_specs[K_COUNT];
extern struct field_order gate_orders[K_COUNT];
extern PyObject *gate_keys[F_COUNT]; /* the fields' names, interned */

int gate_spec_prepare(void);
/* K_UNKNOWN: not a type of node that this gate was written for, field by field. */
enum kind gate_kind_of(PyObject *node);

/* ---- the tree ---------------------------------------------------------------------- */

enum { COMPARE_IDENTITY = 1, COMPARE_EQUAL = 2, COMPARE_IN = 4, COMPARE_ORDER = 8 };

enum node_flag {
    IN_ANNOTATION_FN = 1,  /* of a parameter or a return value */
    IN_ANNOTATION_VAR = 2, /* of a variable */
    IN_FSTRING = 4,
    NEGATED = 16,          /* of a comparison: is not, !=, not in */
    DECORATORS_KNOWN = 16, /* of a class, once asked: DECORATORS_TAME is worked out */
    DECORATORS_TAME = 32,
    EVALUATED = 64,     /* of an annotation that singledispatch evaluates */
    DERIVED_ENUM = 128, /* of a class: an Enum derives from it */
    MIXED = 8,          /* of a class: one below it derives from the library's as well */
    IN_TYPE = 8,        /* of an annotation, and only within what types are made of: X[Y], X | Y */
};
#define IN_ANNOTATION (IN_ANNOTATION_FN | IN_ANNOTATION_VAR)

struct node {
    unsigned char kind, field, op, flags;
    uint32_t parent, end;
    uint32_t name, name2; /* name ids, 0: none */
    uint32_t scope;       /* where its names are looked up */
    uint32_t link;        /* of what opens a scope: that scope; of a loaded Name: its symbol */
    PyObject *object;     /* borrowed: the tree outlives the gate */
    PyObject *value;      /* borrowed: of a Constant */
};

enum scope_kind { SCOPE_MODULE, SCOPE_FUNCTION, SCOPE_CLASS, SCOPE_COMPREHENSION, SCOPE_TYPE };

struct scope {
    uint32_t parent, node;
    uint32_t private_to; /* the name of the class around, by which `__x` is mangled; 0: none */
    unsigned char kind, depth;
};

#endif
