/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_constants: Python's compiler keeps all constants of a source in one table, by hashes that
 * whoever writes them can foresee: those of numbers, and of tuples of them. Many different ones of
 * one hash take it minutes. What it folds is folded here as well, if there are so many numbers in
 * the source that it can matter, which of ordinary sources is so in next to none.
 */
#include "gate_int.h"

#include <stdlib.h>
#include <string.h>

/* Of one hash, or of several with as many pairs of one hash; and of places whose constants have a
 * hash that is not known here. */
#define NUMBERS_MAX 2000u
#define WIDE_BITS 32  /* smaller ones leave a tuple's hash no room to be made */
#define SHIFT_MAX 128 /* what shifts further, the compiler does not fold */

enum state {
    CONSTANT = 1, /* the value is known, or with UNSURE not */
    WIDE = 2,     /* and an integer of many bits is part of it */
    UNSURE = 4,
    COUNTED = 8, /* as a place that is unsure */
};

struct constants {
    struct gate *g;
    PyObject **values;     /* of each node */
    uint64_t *marks;       /* of each value: a hash that nobody can foresee */
    unsigned char *states; /* enum state */
    PyObject *modulus;
    struct table known, of_hash;
    uint64_t pairs;
    uint32_t unsure;
};

static int is_wide(PyObject *value)
{
    if (!PyLong_CheckExact(value))
        return 0;
    int beyond = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &beyond);
    return beyond || number >= 1LL << WIDE_BITS || number <= -(1LL << WIDE_BITS);
}

/* ---- marks ---------------------------------------------------------------------------------- */

static uint64_t mark_of_complex(PyObject *value)
{
    double parts[2] = {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)};
    uint64_t bits[2];
    memcpy(bits, parts, sizeof(bits));
    return gate_mixed(bits[0], bits[1]);
}

/* Of a number or a text. 0 with an exception set. */
static uint64_t mark_of(struct constants *c, PyObject *value)
{
    if (PyComplex_CheckExact(value))
        return mark_of_complex(value);
    AUTO_PY rest = is_wide(value) ? PyNumber_Remainder(value, c->modulus) : Py_NewRef(value);
    Py_hash_t hash = rest ? PyObject_Hash(rest) : -1;
    return hash == -1 ? 0 : gate_mixed((uint64_t)hash, PyFloat_CheckExact(value));
}

/* ---- counting ------------------------------------------------------------------------------- */

static int note(struct constants *c, PyObject *value, uint64_t mark)
{
    Py_hash_t hash = PyObject_Hash(value);
    if (hash == -1)
        return -1;
    uint64_t one = gate_mixed((uint64_t)hash, mark) | 1, all = gate_mixed((uint64_t)hash, 0) | 1;
    if (gate_table_get(&c->known, one))
        return 0;
    uint32_t others = gate_table_get(&c->of_hash, all);
    c->pairs += others;
    return gate_table_put(&c->known, one, 1) < 0 || gate_table_put(&c->of_hash, all, others + 1) < 0
               ? -1
               : 0;
}

static void count_unsure(struct constants *c, uint32_t i)
{
    c->unsure += !(c->states[i] & COUNTED);
    c->states[i] |= COUNTED;
}

/* ---- what is folded --------------------------------------------------------------------------- */

/* The value is taken over; NULL with an exception is what cannot be folded. */
static int put_number(struct constants *c, uint32_t i, PyObject *value)
{
    if (!value) {
        PyErr_Clear();
        return 0;
    }
    c->values[i] = value;
    c->marks[i] = mark_of(c, value);
    if (!c->marks[i] && PyErr_Occurred())
        return -1;
    int wide = is_wide(value);
    c->states[i] |= (unsigned char)(CONSTANT | (wide ? WIDE : 0));
    return wide || PyComplex_CheckExact(value) ? note(c, value, c->marks[i]) : 0;
}

static int is_number(PyObject *value)
{
    return value &&
           (PyLong_Check(value) || PyFloat_CheckExact(value) || PyComplex_CheckExact(value));
}

static int fold_unary(struct constants *c, uint32_t i)
{
    PyObject *operand = c->values[first_child(c->g, i)];
    enum kind op = (enum kind)N(c->g, i)->op;
    if (!is_number(operand) || op == K_Not)
        return 0;
    return put_number(c, i,
                      op == K_USub   ? PyNumber_Negative(operand)
                      : op == K_UAdd ? PyNumber_Positive(operand)
                                     : PyNumber_Invert(operand));
}

/* Neither is so long, nor makes what comes of it so long, that it takes time. */
static int is_short(PyObject *left, PyObject *right, enum kind op)
{
    int beyond[2] = {0, 0};
    long long number = 0;
    if (PyLong_Check(left))
        (void)PyLong_AsLongLongAndOverflow(left, &beyond[0]);
    if (PyLong_Check(right))
        number = PyLong_AsLongLongAndOverflow(right, &beyond[1]);
    if (op == K_Pow || op == K_LShift)
        return !beyond[0] && !beyond[1] && number >= -SHIFT_MAX && number <= SHIFT_MAX;
    return op == K_Add || op == K_Sub || (!beyond[0] && !beyond[1]);
}

static PyObject *raised(PyObject *base, PyObject *exponent)
{
    return PyNumber_Power(base, exponent, Py_None);
}

static PyObject *folded(PyObject *left, PyObject *right, enum kind op)
{
    static PyObject *(*const operators[K_COUNT])(PyObject *, PyObject *) = {
        [K_Add] = PyNumber_Add,
        [K_Sub] = PyNumber_Subtract,
        [K_Mult] = PyNumber_Multiply,
        [K_Div] = PyNumber_TrueDivide,
        [K_Mod] = PyNumber_Remainder,
        [K_FloorDiv] = PyNumber_FloorDivide,
        [K_Pow] = raised,
        [K_LShift] = PyNumber_Lshift,
        [K_RShift] = PyNumber_Rshift,
        [K_BitOr] = PyNumber_Or,
        [K_BitXor] = PyNumber_Xor,
        [K_BitAnd] = PyNumber_And,
    };
    return operators[op] ? operators[op](left, right) : NULL;
}

/* Its value is not known here. Where it may be an odd one, places like it are counted. */
static void put_unsure(struct constants *c, uint32_t i, int wide)
{
    c->states[i] |= (unsigned char)(CONSTANT | UNSURE | (wide ? WIDE : 0));
    if (wide)
        count_unsure(c, i);
}

static int fold_binary(struct constants *c, uint32_t i)
{
    uint32_t left = first_child(c->g, i), right = next_child(c->g, i, left);
    enum kind op = (enum kind)N(c->g, i)->op;
    PyObject *a = c->values[left], *b = c->values[right];
    if (!(c->states[left] & c->states[right] & CONSTANT))
        return 0;
    if (is_number(a) && is_number(b) && is_short(a, b, op))
        return put_number(c, i, folded(a, b, op));
    put_unsure(c, i, (c->states[left] | c->states[right]) & (WIDE | UNSURE));
    return 0;
}

/* (I, J)[0] */
static void fold_part(struct constants *c, uint32_t i)
{
    uint32_t whole = first_child(c->g, i), index = next_child(c->g, i, whole);
    if (c->states[whole] & c->states[index] & CONSTANT)
        put_unsure(c, i, c->states[whole] & WIDE);
}

/* How many parts a display has, if all of them are constant; else -1. */
static Py_ssize_t parts_of(const struct constants *c, uint32_t i, unsigned *ret_states)
{
    Py_ssize_t count = 0;
    for (uint32_t k = i + 1; k < N(c->g, i)->end; k = N(c->g, k)->end, count++) {
        *ret_states |= c->states[k];
        if (!(c->states[k] & CONSTANT))
            return -1;
    }
    return count;
}

/* A tuple of the parts, and its mark. NULL with an exception set. */
static PyObject *joined(struct constants *c, uint32_t i, Py_ssize_t count, uint64_t *ret_mark)
{
    int set = kind_of(c->g, i) == K_Set;
    uint64_t mark = (uint64_t)set;
    AUTO_PY value = PyTuple_New(count);
    Py_ssize_t at = 0;
    for (uint32_t k = i + 1; value && k < N(c->g, i)->end; k = N(c->g, k)->end) {
        mark = set ? mark + gate_mixed(c->marks[k], 1) : gate_mixed(mark, c->marks[k]);
        if (PyTuple_SetItem(value, at++, Py_NewRef(c->values[k])) < 0)
            return NULL;
    }
    *ret_mark = mark;
    return py_take(&value);
}

/* Lists and sets are constants only where nothing else sees them: they are noted, no more. */
static int fold_display(struct constants *c, uint32_t i)
{
    unsigned states = 0;
    uint64_t mark;
    Py_ssize_t count = parts_of(c, i, &states);
    if (count >= 0 && states & UNSURE)
        put_unsure(c, i, states & WIDE);
    if (count < 0 || states & UNSURE)
        return 0;
    AUTO_PY value = joined(c, i, count, &mark);
    int made = kind_of(c->g, i) == K_Set && states & WIDE;
    AUTO_PY set = made && value ? PyFrozenSet_New(value) : NULL;
    if (!value || (made && !set) || (states & WIDE && note(c, made ? set : value, mark) < 0))
        return -1;
    if (kind_of(c->g, i) != K_Tuple)
        return 0;
    c->marks[i] = mark;
    c->states[i] |= (unsigned char)(CONSTANT | (states & WIDE));
    c->values[i] = py_take(&value);
    return 0;
}

static int fold(struct constants *c, uint32_t i)
{
    switch ((int)kind_of(c->g, i)) {
    case K_Constant:
        return put_number(c, i, Py_NewRef(N(c->g, i)->value));
    case K_Name:
        return IS_NAMED(c->g, N(c->g, i)->name, "__debug__") ? put_number(c, i, Py_NewRef(Py_True))
                                                             : 0;
    case K_UnaryOp:
        return fold_unary(c, i);
    case K_BinOp:
        return fold_binary(c, i);
    case K_Subscript:
        fold_part(c, i);
        return 0;
    case K_Tuple:
    case K_List:
    case K_Set:
        return fold_display(c, i);
    default:
        return 0;
    }
}

/* ---- tuples that the compiler makes ------------------------------------------------------------ */

/* f(1, 2, **k) */
static int has_double_star(const struct gate *g, uint32_t call)
{
    for (uint32_t k = call + 1; k < N(g, call)->end; k = N(g, k)->end)
        if (kind_of(g, k) == K_keyword && !N(g, k)->name)
            return 1;
    return 0;
}

/* It may make one of that child and others: of keys, of defaults, of arguments. */
static int makes_tuple(struct constants *c, uint32_t i, enum field field)
{
    switch ((int)kind_of(c->g, i)) {
    case K_Dict:
    case K_MatchMapping:
        return field == F_keys;
    case K_arguments:
        return field == F_defaults || field == F_kw_defaults;
    case K_Slice:
        return 1;
    case K_Call:
        return field == F_args && !(c->states[i] & COUNTED) && has_double_star(c->g, i);
    default:
        return 0;
    }
}

/* Where a constant stands others may stand beside it: all those of a function are one tuple. */
static void count_places(struct constants *c, uint32_t i)
{
    uint32_t parent = N(c->g, i)->parent, function = c->g->scopes[N(c->g, i)->scope].node;
    if (makes_tuple(c, parent, (enum field)N(c->g, i)->field))
        count_unsure(c, parent);
    if (function)
        count_unsure(c, function);
}

/* ---- the pass ------------------------------------------------------------------------------------ */

static int warn_same(struct constants *c, uint32_t i)
{
    return gate_warn(c->g, RULE_TOO_LARGE, i,
                     "There are more than %u numbers (or tuples of them) here that Python's own "
                     "tables cannot keep apart: it would take too long to compile them.",
                     NUMBERS_MAX);
}

/* From the last node to the first: what is within another one comes before it. */
static int count_all(struct constants *c)
{
    for (uint32_t i = c->g->node_count; i-- > 0;) {
        if (fold(c, i) < 0)
            return -1;
        if (c->states[i] & WIDE)
            count_places(c, i);
        if (c->pairs > NUMBERS_MAX * (NUMBERS_MAX - 1) / 2 || c->unsure > NUMBERS_MAX)
            return warn_same(c, i);
    }
    return 0;
}

static int count_and_free(struct constants *c)
{
    uint32_t count = c->g->node_count;
    c->values = calloc(count, sizeof(*c->values));
    c->marks = calloc(count, sizeof(*c->marks));
    c->states = calloc(count, sizeof(*c->states));
    c->modulus = PyLong_FromUnsignedLongLong(gate_mixed(1, 1) >> 5 | 1);
    int rc = -1;
    if (!c->values || !c->marks || !c->states)
        PyErr_NoMemory();
    else if (c->modulus)
        rc = count_all(c);
    for (uint32_t i = 0; c->values && i < count; i++)
        Py_XDECREF(c->values[i]);
    Py_XDECREF(c->modulus);
    free(c->values);
    free(c->marks);
    free(c->states);
    free(c->known.keys);
    free(c->known.values);
    free(c->of_hash.keys);
    free(c->of_hash.values);
    return rc;
}

/* Whether what comes of it can have a hash that was made. */
static int is_odd(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_BinOp)
        return kind_of(g, i + 1) == K_Constant || kind_of(g, i + 1) == K_UnaryOp;
    PyObject *value = kind_of(g, i) == K_Constant ? N(g, i)->value : NULL;
    return value && (is_wide(value) || PyComplex_CheckExact(value));
}

int gate_constants_check(struct gate *g)
{
    uint32_t odd = 0;
    for (uint32_t i = 0; g->node_count > NUMBERS_MAX && i < g->node_count; i++)
        odd += (uint32_t)is_odd(g, i);
    struct constants c = {.g = g};
    return odd > NUMBERS_MAX ? count_and_free(&c) : 0;
}
