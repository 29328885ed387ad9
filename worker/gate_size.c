/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_size: what takes Python's own compiler time that is not linear in the source: it compares
 * the keywords of a call with each other, and the code objects of a scope, and moves all of a
 * function for each of its variables that an inner one has; what stands behind `finally` it compiles
 * twice, and once more for each `return` before it. No program that people write comes near.
 */
#include "gate_int.h"

#include <stdlib.h>

#define KEYWORDS_MAX 1000u
#define FUNCTIONS_MAX 4000u /* classes, lambdas and comprehensions among them */
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

struct size {
    uint32_t functions, variables;
};

static int check_scope(struct gate *g, uint32_t scope, const struct size *size)
{
    int many = size->functions > FUNCTIONS_MAX;
    if (!many && (scope == 0 || size->variables <= VARIABLES_MAX))
        return 0;
    return gate_warn(g, RULE_TOO_LARGE, g->scopes[scope].node,
                     "There are more than %u %s here, side by side: Python would take too long to "
                     "compile them.",
                     many ? FUNCTIONS_MAX : VARIABLES_MAX, many ? "functions" : "variables");
}

static int check_scopes(struct gate *g, struct size *sizes)
{
    for (uint32_t s = 1; s < g->scope_count; s++)
        sizes[g->scopes[s].parent].functions++;
    for (uint32_t s = 1; s < g->symbol_count; s++)
        sizes[g->symbols[s].scope].variables++;
    for (uint32_t s = 0; s < g->scope_count; s++)
        if (check_scope(g, s, &sizes[s]) < 0)
            return -1;
    return 0;
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
    struct size *sizes = calloc(g->scope_count, sizeof(*sizes));
    if (!sizes) {
        PyErr_NoMemory();
        return -1;
    }
    int rc = check_scopes(g, sizes);
    free(sizes);
    int finally = 0;
    for (uint32_t i = 0; rc == 0 && i < g->node_count; i++) {
        rc = check_keywords(g, i);
        finally |= N(g, i)->field == F_finalbody;
    }
    return rc < 0 || !finally ? rc : check_finally(g);
}
