/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units: see units.h. Each kind is a list of units, largest first.
 */
#include "core/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name; /* NULL ends the list */
    const char *alias;
    uint64_t factor;
};

static const struct unit count_units[] = {{"", "", 1}, {NULL, NULL, 0}};

static const struct unit size_units[] = {
    {"TiB", "T", UINT64_C(1) << 40},
    {"GiB", "G", UINT64_C(1) << 30},
    {"MiB", "M", UINT64_C(1) << 20},
    {"KiB", "K", UINT64_C(1) << 10},
    {"", "", 1},
    {NULL, NULL, 0},
};

static const struct unit time_units[] = {
    {"h", "h", 3600000}, {"min", "min", 60000}, {"s", "s", 1000}, {"ms", "ms", 1}, {NULL, NULL, 0},
};

static const struct {
    const struct unit *units;
    const char *what;
} kinds[] = {
    [UNIT_COUNT] = {count_units, "a whole number such as 1000"},
    [UNIT_SIZE] = {size_units, "a size such as 512MiB or 64KiB"},
    [UNIT_TIME] = {time_units, "a duration such as 30s or 1500ms"},
};

int units_parse(enum unit_kind kind, const char *text, uint64_t *ret)
{
    uint64_t value = 0;
    size_t n = strspn(text, "0123456789");
    const struct unit *unit = kinds[kind].units;
    while (unit->name && strcmp(text + n, unit->name) != 0 && strcmp(text + n, unit->alias) != 0)
        unit++;
    if (n == 0 || !unit->name)
        return -EINVAL;
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return -ERANGE;
    if (__builtin_mul_overflow(value, unit->factor, &value))
        return -ERANGE;
    *ret = value;
    return 0;
}

void units_print(enum unit_kind kind, uint64_t value, char ret[static UNITS_TEXT_MAX])
{
    const struct unit *unit = kinds[kind].units;
    while (unit->factor > 1 && (value == 0 || value % unit->factor != 0))
        unit++;
    (void)snprintf(ret, UNITS_TEXT_MAX, "%" PRIu64 "%s", value / unit->factor, unit->name);
}

const char *units_describe(enum unit_kind kind)
{
    return kinds[kind].what;
}
