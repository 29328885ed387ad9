/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_size: what takes Python's own compiler time that is not linear in the source: it compares
 * the keywords of a call with each other, and the code objects of one name wherever they stand, and
 * moves all of a function for each of its variables that an inner one has; what stands behind
 * `finally` it compiles twice, and once more for each `return` before it. No program that people
 * write comes near. Its constants: gate_constants.c.
 */
#include "gate_int.h"

#include <stdlib.h>
#include <string.h>

#define KEYWORDS_MAX 1000u
#define FUNCTIONS_MAX 4000u /* of one name, or of several with as many pairs of one name */
#define VARIABLES_MAX 10000u
#define COPIES_MAX 200000u /* nodes that are compiled again */

/* f(a=1, ...), class A(a=1, ...), case A(a=1, ...) */
static int check_keywords(struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    if ((kind != K_Call && kind != K_ClassDef && kind != K_MatchClass) ||
        N(g, i)->end - i <= KEYWORDS_MAX)
        return 0;
    unsigned count = count_of(g, i, kind == K_MatchClass ? F_kwd_attrs : F_keywords);
    return count <= KEYWORDS_MAX
               ? 0
               : gate_warn(g, RULE_TOO_LARGE, i,
                           "There are more than %u names here, each with a value: Python would "
                           "take too long to compile them.",
                           KEYWORDS_MAX);
}

/* `__f` in a class: it is known here by what it is mangled to, and to the compiler as it is. */
static int may_be_mangled(const struct gate *g, uint32_t node)
{
    const char *text = NAME(g, N(g, node)->name)->text;
    return g->scopes[N(g, node)->scope].private_to && text[0] == '_' && text[1] != '_' &&
           strstr(text, "__");
}

/* Those of one name are counted together, and so are those of one kind without a name. */
static uint32_t *count_for(const struct gate *g, uint32_t s, uint32_t *of_name, uint32_t *nameless)
{
    uint32_t node = g->scopes[s].node;
    uint32_t name = kind_of(g, node) == K_ClassDef ? N(g, node)->name2 : N(g, node)->name;
    int named = name && g->scopes[s].kind != SCOPE_TYPE && !may_be_mangled(g, node);
    return named ? &of_name[name] : &nameless[kind_of(g, node)];
}

/*
 * Functions of one name may have one hash, and lie in one table for the whole source: before 3.12
 * the hash leaves out where they stand. Classes, lambdas and comprehensions are functions here.
 */
static int check_functions(struct gate *g, uint32_t *of_name, uint32_t *nameless)
{
    uint64_t pairs = 0;
    for (uint32_t s = 1; s < g->scope_count; s++) {
        pairs += (*count_for(g, s, of_name, nameless))++;
        if (pairs > FUNCTIONS_MAX * (FUNCTIONS_MAX - 1) / 2)
            return gate_warn(g, RULE_TOO_LARGE, g->scopes[s].node,
                             "There are more than %u functions of one name (or without one) here, "
                             "or too many of several: Python would take too long to compile them.",
                             FUNCTIONS_MAX);
    }
    return 0;
}

static int check_variables(struct gate *g, uint32_t *of_scope)
{
    for (uint32_t s = 1; s < g->symbol_count; s++) {
        uint32_t scope = g->symbols[s].scope;
        if (scope != 0 && ++of_scope[scope] == VARIABLES_MAX + 1 &&
            gate_warn(g, RULE_TOO_LARGE, g->scopes[scope].node,
                      "There are more than %u variables here, side by side: Python would take too "
                      "long to compile them.",
                      VARIABLES_MAX) < 0)
            return -1;
    }
    return 0;
}

static int check_scopes(struct gate *g)
{
    uint32_t nameless[K_COUNT] = {0};
    uint32_t *counts = calloc((size_t)g->name_count + g->scope_count, sizeof(*counts));
    if (!counts) {
        PyErr_NoMemory();
        return -1;
    }
    int rc = check_functions(g, counts, nameless);
    if (rc == 0)
        rc = check_variables(g, counts + g->name_count);
    free(counts);
    return rc;
}

/* ---- finally ------------------------------------------------------------------------------------ */

static uint64_t up_to(uint64_t count)
{
    return count < COPIES_MAX ? count : COPIES_MAX + 1;
}

/* Nodes behind `finally` that leaving the function from node i runs on the way. */
static uint64_t passed(const struct gate *g, uint32_t i)
{
    uint64_t nodes = 0;
    for (uint32_t up = i; up && !is_function(g, up) && may_go_on(g); up = N(g, up)->parent) {
        uint32_t parent = N(g, up)->parent;
        uint32_t body = kind_of(g, parent) == K_Try ? child_of(g, parent, F_finalbody) : 0;
        if (body && N(g, up)->field != F_finalbody)
            nodes += N(g, parent)->end - body;
    }
    return nodes;
}

/* How often each node is compiled, of which the first time counts for nothing. */
static int check_copies_made(struct gate *g, uint64_t *times)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        enum kind kind = kind_of(g, i);
        times[i] = i ? times[N(g, i)->parent] : 1;
        if (is_in_field(g, i, K_Try, F_finalbody))
            times[i] = up_to(2 * times[i]);
        if (kind == K_Return || kind == K_Break || kind == K_Continue)
            sum += times[i] * up_to(passed(g, i));
        sum += times[i] - 1;
        if (sum > COPIES_MAX)
            return gate_warn(g, RULE_TOO_LARGE, i,
                             "What stands behind `finally` is compiled once more for each way to "
                             "it, and here there are too many.");
    }
    return 0;
}

static int check_finally(struct gate *g)
{
    uint64_t *times = calloc(g->node_count, sizeof(*times));
    if (!times) {
        PyErr_NoMemory();
        return -1;
    }
    int rc = check_copies_made(g, times);
    free(times);
    return rc;
}

int gate_size_check(struct gate *g)
{
    int rc = check_scopes(g);
    int finally = 0;
    for (uint32_t i = 0; rc == 0 && i < g->node_count; i++) {
        rc = check_keywords(g, i);
        finally |= N(g, i)->field == F_finalbody;
    }
    return rc < 0 || !finally ? rc : check_finally(g);
}
