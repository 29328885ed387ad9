/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_tested: what isinstance() and startswith() have told before the code gets there. A
 * parameter that nothing else is bound to stays what it is, so behind `if not isinstance(other,
 * C): return` it is an instance of C wherever it is loaded. It says nothing of classes that
 * others may answer for. A loop variable stays what it is until its loop goes on: a test holds
 * for what runs in the same round, and for nothing that is kept and runs later.
 */
#include "gate_int.h"

#include <string.h>

/* The class of `self` in type(self) or self.__class__, or 0. */
static uint32_t class_of_self(const struct gate *g, uint32_t i)
{
    uint32_t self = whose_class(g, i), class;
    return self && is_genuine_self(g, self, &class) ? class : 0;
}

/* isinstance(x, C), of a class of the source whose instances have nothing of a library's. */
static uint32_t class_in_call(const struct gate *g, uint32_t test, const struct symbol *s)
{
    uint32_t func = first_child(g, test);
    struct call_shape shape = call_shape(g, test);
    if (builtin_sure(g, func) != BUILTIN_ISINSTANCE ||
        strcmp(NAME(g, N(g, func)->name)->text, "isinstance") != 0 || shape.starred ||
        shape.keywords || shape.positional != 2 || symbol_of(g, child_of(g, test, F_args)) != s)
        return 0;
    uint32_t named = child_at(g, test, F_args, 1), class = class_sure(g, named);
    class = class ? class : class_of_self(g, named);
    unsigned facts = class ? class_facts_known(g, class) : 0;
    int sure = facts & CLASS_REAL && facts & CLASS_PLAIN && !(facts & CLASS_ABSTRACT);
    return sure && !g->mixins && !(N(g, class)->flags & MIXED) ? class : 0;
}

/* type(self) is type(x), x.__class__ == self.__class__; different: `is not`, `!=`. */
static uint32_t class_in_comparison(const struct gate *g, uint32_t test, const struct symbol *s,
                                    int different)
{
    if (count_of(g, test, F_comparators) != 1 ||
        !(N(g, test)->op == COMPARE_IDENTITY || N(g, test)->op == COMPARE_EQUAL) ||
        !(N(g, test)->flags & NEGATED) != !different)
        return 0;
    uint32_t left = first_child(g, test), right = child_of(g, test, F_comparators);
    uint32_t a = whose_class(g, left), b = whose_class(g, right);
    uint32_t class = a && symbol_of(g, a) == s   ? class_of_self(g, right)
                     : b && symbol_of(g, b) == s ? class_of_self(g, left)
                                                 : 0;
    return class && !(N(g, class)->flags & MIXED) ? class : 0;
}

/* The class that it is of where one test, no `and` nor `or`, says `outcome`, or 0. */
static uint32_t class_in_test(const struct gate *g, uint32_t test, const struct symbol *s,
                              int outcome)
{
    if (kind_of(g, test) == K_UnaryOp && N(g, test)->op == K_Not) {
        test = first_child(g, test);
        outcome = !outcome;
    }
    if (kind_of(g, test) == K_Compare)
        return class_in_comparison(g, test, s, !outcome);
    return kind_of(g, test) == K_Call && outcome ? class_in_call(g, test, s) : 0;
}

static uint32_t class_after(const struct gate *g, uint32_t test, const struct symbol *s,
                            int outcome)
{
    uint32_t class = 0;
    if (kind_of(g, test) == K_UnaryOp && N(g, test)->op == K_Not)
        return class_after(g, first_child(g, test), s, !outcome);
    if (kind_of(g, test) != K_BoolOp)
        return class_in_test(g, test, s, outcome);
    FOR_CHILDREN (g, c, test)
        if (!class && N(g, test)->op == (outcome ? K_And : K_Or))
            class = class_in_test(g, c, s, outcome);
    return class;
}

/* The last statement of the body leaves it. */
static int leaves(const struct gate *g, uint32_t branch)
{
    uint32_t last = 0;
    FOR_CHILDREN (g, c, branch) {
        if (N(g, c)->field == F_orelse)
            return 0;
        last = N(g, c)->field == F_body ? c : last;
    }
    return kind_of(g, last) == K_Return || kind_of(g, last) == K_Raise ||
           kind_of(g, last) == K_Continue || kind_of(g, last) == K_Break;
}

/* What a statement or an operand that comes before tells. */
static uint32_t class_from_before(const struct gate *g, uint32_t before, enum kind around, int op,
                                  const struct symbol *s)
{
    if (around == K_BoolOp)
        return class_after(g, before, s, op == K_And);
    if (kind_of(g, before) == K_Assert)
        return class_after(g, first_child(g, before), s, 1);
    if (kind_of(g, before) == K_If && leaves(g, before))
        return class_after(g, child_of(g, before, F_test), s, 0);
    return 0;
}

/* What is known of node `up` by where it stands in its parent. */
static uint32_t class_from_place(const struct gate *g, uint32_t up, const struct symbol *s)
{
    uint32_t parent = N(g, up)->parent;
    enum kind kind = kind_of(g, parent);
    if (kind == K_If || kind == K_IfExp) {
        uint32_t test = child_of(g, parent, F_test);
        uint32_t class = up == test ? 0 : class_after(g, test, s, N(g, up)->field == F_body);
        if (class)
            return class;
    }
    FOR_CHILDREN (g, c, parent) {
        if (c == up)
            break;
        uint32_t class = N(g, c)->field == N(g, up)->field
                             ? class_from_before(g, c, kind, (int)N(g, parent)->op, s)
                             : 0;
        if (class)
            return class;
    }
    return 0;
}

uint32_t class_tested(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    const struct bind *b = only_bind(g, s);
    if (!b || b->kind != BIND_PARAMETER || N(g, b->node)->field == F_vararg ||
        N(g, b->node)->field == F_kwarg)
        return 0;
    uint32_t function = N(g, N(g, b->node)->parent)->parent, class = 0;
    for (uint32_t up = i; up && up != function && !class && may_go_on(g); up = N(g, up)->parent)
        class = class_from_place(g, up, s);
    return class;
}

/* ---- startswith() ------------------------------------------------------------------------ */

/* n.startswith("do_"): that text. */
static PyObject *text_in_test(const struct gate *g, uint32_t test, const struct symbol *s)
{
    uint32_t func = kind_of(g, test) == K_Call ? first_child(g, test) : 0;
    if (kind_of(g, func) != K_Attribute || symbol_of(g, first_child(g, func)) != s ||
        strcmp(NAME(g, N(g, func)->name)->text, "startswith") != 0 ||
        count_of(g, test, F_args) != 1)
        return NULL;
    return string_of(g, child_of(g, test, F_args));
}

/* The same of a test of several that all have to hold. */
static PyObject *text_in_tests(const struct gate *g, uint32_t test, const struct symbol *s)
{
    PyObject *text = text_in_test(g, test, s);
    if (!text && kind_of(g, test) == K_BoolOp && N(g, test)->op == K_And)
        FOR_CHILDREN (g, c, test)
            text = text ? text : text_in_test(g, c, s);
    return text;
}

/* not n.startswith("do_"), or one of several of which none holds. */
static PyObject *text_denied(const struct gate *g, uint32_t test, const struct symbol *s)
{
    PyObject *text = NULL;
    if (kind_of(g, test) == K_UnaryOp && N(g, test)->op == K_Not)
        return text_in_test(g, first_child(g, test), s);
    if (kind_of(g, test) == K_BoolOp && N(g, test)->op == K_Or)
        FOR_CHILDREN (g, part, test)
            if (kind_of(g, part) == K_UnaryOp && N(g, part)->op == K_Not && !text)
                text = text_in_test(g, first_child(g, part), s);
    return text;
}

/* What an operand, an `if` of a comprehension or a statement that comes before tells. */
static PyObject *text_from_before(const struct gate *g, uint32_t before, uint32_t around,
                                  const struct symbol *s)
{
    enum kind kind = kind_of(g, around);
    if (kind == K_BoolOp)
        return N(g, around)->op == K_And ? text_in_test(g, before, s) : NULL;
    if (kind == K_comprehension)
        return text_in_tests(g, before, s);
    return kind_of(g, before) == K_If && leaves(g, before)
               ? text_denied(g, child_of(g, before, F_test), s)
               : NULL;
}

/* What is known of node `up` by where it stands in its parent. */
static PyObject *text_from_place(const struct gate *g, uint32_t up, const struct symbol *s)
{
    uint32_t parent = N(g, up)->parent;
    PyObject *text = NULL;
    if ((kind_of(g, parent) == K_If || kind_of(g, parent) == K_IfExp) && N(g, up)->field == F_body)
        text = text_in_tests(g, child_of(g, parent, F_test), s);
    FOR_CHILDREN (g, c, parent) {
        if (c == up || text)
            break;
        if (N(g, c)->field == N(g, up)->field)
            text = text_from_before(g, c, parent, s);
    }
    return text;
}

int runs_in(const struct gate *g, uint32_t inner, uint32_t outer)
{
    if (g->scopes[outer].kind == SCOPE_CLASS || g->scopes[outer].kind == SCOPE_TYPE)
        return 0;
    while (inner != outer && may_go_on(g)) {
        const struct scope *scope = &g->scopes[inner];
        if (scope->kind != SCOPE_COMPREHENSION || kind_of(g, scope->node) == K_GeneratorExp)
            return 0;
        inner = scope->parent;
    }
    return inner == outer;
}

/* What all `if`s of a comprehension's loop tell what comes behind them, or is made in a round. */
static PyObject *text_in_ifs(const struct gate *g, uint32_t loop, uint32_t branch,
                             const struct symbol *s)
{
    PyObject *text = NULL;
    if (N(g, branch)->field == F_generators && branch < loop)
        return NULL;
    FOR_CHILDREN (g, c, loop)
        if (N(g, c)->field == F_ifs)
            text = text ? text : text_in_tests(g, c, s);
    return text;
}

PyObject *text_tested(const struct gate *g, uint32_t i, uint32_t loop)
{
    const struct symbol *s = symbol_of(g, i);
    int statement = kind_of(g, loop) != K_comprehension;
    PyObject *text = NULL;
    if (N(g, i)->flags & IN_ANNOTATION || /* since Python 3.14 whoever asks for it runs it */
        !runs_in(g, N(g, i)->scope, s->scope) || (statement && !branch_of(g, loop, i)))
        return NULL;
    for (uint32_t up = i; up && may_go_on(g); up = N(g, up)->parent) {
        uint32_t parent = N(g, up)->parent;
        text = text ? text : text_from_place(g, up, s);
        if (parent == loop)
            return N(g, up)->field == (statement ? F_body : F_ifs) ? text : NULL;
        if (!statement && parent == N(g, loop)->parent)
            return text ? text : text_in_ifs(g, loop, up, s);
    }
    return NULL;
}
