/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts for DataFrame.query(): what only compares and computes passes, and each way to an
 * attribute, a call or a name of the code around does not, however it is quoted.
 */
#include "package.h"

#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void what_compares_passes(void **state)
{
    static const char *const tame[] = {
        "age > 30",
        "age > 30 and city == 'Paris'",
        "price >= 1.5",
        "(a > 1) & (b < .5)",
        "a in [1, 2]",
        "a not in ('x', \"y\")",
        "`col name` > 3",
        "c = a + b",
        "a == 'x.y@z'",
        "a\n> 1",
        "not (a > -1e5)",
        "1 < a <= 3.25",
        "",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tame); i++)
        if (!package_expression_is_tame(tame[i]))
            fail_msg("refused: %s", tame[i]);
}

static void what_reaches_does_not(void **state)
{
    static const char *const hostile[] = {
        "a.b",       "a .b",        "a. b",          "a\n.b",
        "a > @x",    "f(a)",        "a [0]",         "a['x']",
        "(a)(b)",    "(a).b",       "'x'.upper",     "\"x\" \"y\".z",
        "f'{a}'",    "a.__class__", "__x",           "1. real",
        "1.real",    "1..real",     "0x1.real",      "1e5. real",
        "1.(b)",     "1.[b]",       "[1][0]",        "in (a).b",
        "lambda: 1", "a # b",       "a; b",          "a := 1",
        "$a",        "a == 'x",     "{a}",           "a == 'x\\'' + b",
        "`a@b`",     "a if b: c",   "`a'` + `b'.v`", "'''a'b ''' + x.values + '''c'd '''",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++)
        if (package_expression_is_tame(hostile[i]))
            fail_msg("passed: %s", hostile[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_compares_passes),
        cmocka_unit_test(what_reaches_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
