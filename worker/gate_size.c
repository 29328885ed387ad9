/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_size: what takes Python's own compiler time that is not linear in the source: it compares
 * the keywords of a call with each other, and the code objects of a scope, and moves all of a
 * function for each of its variables that an inner one has. No program that people write comes near.
 */
#include "gate_int.h"

#include <stdlib.h>

#define KEYWORDS_MAX 1000u
#define FUNCTIONS_MAX 4000u /* classes, lambdas and comprehensions among them */
#define VARIABLES_MAX 10000u

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

int gate_size_check(struct gate *g)
{
    struct size *sizes = calloc(g->scope_count, sizeof(*sizes));
    if (!sizes) {
        PyErr_NoMemory();
        return -1;
    }
    int rc = check_scopes(g, sizes);
    free(sizes);
    for (uint32_t i = 0; rc == 0 && i < g->node_count; i++)
        rc = check_keywords(g, i);
    return rc;
}
