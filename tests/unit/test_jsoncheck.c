/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jsoncheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define YES 0
#define NO (-1)

static const struct {
    const char *text;
    int strict;
    int nonfinite;
} cases[] = {
    {"{}", YES, YES},
    {" {} \n", YES, YES},
    {"{\"a\": [1, 1.10, -0, 1e999, \"\\ud800\\u0000\"]}", YES, YES},
    {"{\"n\": 123456789012345678901234567890123456789012345678901234567890}", YES, YES},
    {"{\"a\": NaN}", NO, YES},
    {"{\"a\": [Infinity, -Infinity, \"NaN\\\"\"]}", NO, YES},
    {"{\"a\": -NaN}", NO, NO},
    {"{\"a\": 1NaN}", NO, NO},
    {"{\"a\": NaN1}", NO, NO},
    {"{\"a\": 1Infinity}", NO, NO},
    {"{NaN: 1}", NO, NO},
    {"{\"a\": Nan}", NO, NO},
    {"[1]", NO, NO},
    {"NaN", NO, NO},
    {"3", NO, NO},
    {"", NO, NO},
    {"{", NO, NO},
    {"{}x", NO, NO},
    {"{}{}", NO, NO},
    {"/* */{}", NO, NO},
    {"{\"a\": 01}", NO, NO},
    {"{\"a\": .5}", NO, NO},
    {"{\"a\": 1,}", NO, NO},
    {"{\"a\" 1}", NO, NO},
    {"{'a': 1}", NO, NO},
    {"{\"a\": \"\x01\"}", NO, NO},
    {"{\"a\": \"\\x\"}", NO, NO},
    {"{\"a\": \"\xff\"}", NO, NO},
    {"{\"a\": \"\xed\xa0\x80\"}", NO, NO},
    {"{\"a\": \"\xc0\x80\"}", NO, NO},
};

static void judges_each_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char why[128] = "";
        size_t len = strlen(cases[i].text);
        if (json_check_object(cases[i].text, len, 0, why, sizeof(why)) != cases[i].strict)
            fail_msg("'%s' is judged wrongly: %s", cases[i].text, why);
        if (json_check_object(cases[i].text, len, JSON_NONFINITE, why, sizeof(why)) !=
            cases[i].nonfinite)
            fail_msg("'%s' is judged wrongly with NaN allowed: %s", cases[i].text, why);
    }
}

/* What is wrong inside is not told as something that is missing behind. */
static void says_why(void **state)
{
    static const char *const short_ones[] = {"", "{", "{\"a\"", "{\"a\": [1", "{\"a\": \"x"};
    static const char *const wrong_ones[] = {"{\"a\": 1,}", "{,}", "{\"a\"}", "{\"a\": 1}}",
                                             "{\"a\": 1e}"};
    char why[128];
    (void)state;
    for (size_t i = 0; i < sizeof(short_ones) / sizeof(short_ones[0]); i++) {
        assert_int_equal(
            json_check_object(short_ones[i], strlen(short_ones[i]), 0, why, sizeof(why)), NO);
        assert_non_null(strstr(why, "ends too early"));
    }
    for (size_t i = 0; i < sizeof(wrong_ones) / sizeof(wrong_ones[0]); i++) {
        assert_int_equal(
            json_check_object(wrong_ones[i], strlen(wrong_ones[i]), 0, why, sizeof(why)), NO);
        assert_non_null(strstr(why, "not valid JSON"));
    }
}

/* {"a": [[...core...]]}, `depth` levels in all. */
static char *nested(int depth, const char *core)
{
    char *text = calloc(1, (size_t)depth * 2 + strlen(core) + 16);
    assert_non_null(text);
    strcpy(text, "{\"a\":");
    for (int i = 1; i < depth; i++)
        strcat(text, "[");
    strcat(text, core);
    for (int i = 1; i < depth; i++)
        strcat(text, "]");
    return strcat(text, "}");
}

static void bounds_the_depth(void **state)
{
    (void)state;
    char why[128] = "";
    char *deepest = nested(1000, "NaN");
    char *deeper = nested(1001, "1");
    assert_int_equal(json_check_object(deepest, strlen(deepest), JSON_NONFINITE, why, sizeof(why)),
                     0);
    assert_int_equal(json_check_object(deeper, strlen(deeper), 0, why, sizeof(why)), -1);
    assert_non_null(strstr(why, "1000 levels"));
    free(deepest);
    free(deeper);
}

/* One long string costs what its length says: 64 MiB of it are judged within seconds. */
static void long_strings_cost_no_more(void **state)
{
    (void)state;
    char why[128] = "";
    size_t len = (size_t)64 << 20;
    char *text = malloc(len);
    assert_non_null(text);
    memset(text, 'x', len);
    memcpy(text, "{\"a\":\"NaN", 9);
    memcpy(text + len - 2, "\"}", 2);
    clock_t begun = clock();
    assert_int_equal(json_check_object(text, len, 0, why, sizeof(why)), 0);
    assert_int_equal(json_check_object(text, len, JSON_NONFINITE, why, sizeof(why)), 0);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 5);
    free(text);
}

static void check_loaded(const char *text, size_t most, int expected)
{
    struct buf b = {0};
    assert_int_equal(buf_add(&b, text, strlen(text), SIZE_MAX - 1), 0);
    json_t *value = json_take(&b, most);
    assert_int_equal(value != NULL, expected);
    assert_null(b.data);
    json_decref(value);
}

static void loads_as_many_values_as_it_may(void **state)
{
    (void)state;
    struct buf none = {0};
    assert_null(json_take(&none, 10));
    check_loaded("{\"a\": [1, 2], \"b\": \"[[{,\\\"[\"}", 5, 1);
    check_loaded("{\"a\": [1, 2], \"b\": 3}", 4, 0);
    check_loaded("[{},{},{}]", 7, 1);
    check_loaded("[{},{},{}]", 6, 0);
    check_loaded("{\"a\": \"", 9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_each_case),
        cmocka_unit_test(says_why),
        cmocka_unit_test(bounds_the_depth),
        cmocka_unit_test(long_strings_cost_no_more),
        cmocka_unit_test(loads_as_many_values_as_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
