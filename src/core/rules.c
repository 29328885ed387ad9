/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules: the gate's rules for whoever shows warnings to a person. The rows are base's.
 */
#include "base/io.h"
#include "base/rules.h"
#include "cordon.h"

#include <string.h>

CORDON_API int cordon_rule(size_t index, struct cordon_rule *ret_rule)
{
    if (index >= RULE_COUNT)
        return 0;
    const struct rule *row = &rules[index];
    const struct cordon_rule all = {
        .size = ret_rule->size,
        .name = row->name,
        .meaning = row->meaning,
        .trips = row->bad,
        .passes = row->good,
        .maker = row->maker,
    };
    memcpy(ret_rule, &all, all.size < sizeof(all) ? all.size : sizeof(all));
    return 1;
}
