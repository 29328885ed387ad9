/* SPDX-License-Identifier: Apache-2.0 */
/* err: filled once, never overflowing, with the errno that was passed in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/err.h"

static void fills_code_errno_and_text(void **state)
{
    (void)state;
    struct cordon_err err;
    memset(&err, 0xAA, sizeof(err));

    errno = EPERM; /* not the one that was passed: it must not be read */
    assert_int_equal(err_set(&err, CORDON_E_HOST, ENOENT, "cannot open '%s'", "/x"), CORDON_E_HOST);
    assert_int_equal(err.code, CORDON_E_HOST);
    assert_int_equal(err.sys, ENOENT);
    assert_string_equal(err.msg, "cannot open '/x': No such file or directory");
    assert_string_equal(err.step, "");
    for (size_t i = 0; i < sizeof(err.reserved) / sizeof(err.reserved[0]); i++)
        assert_int_equal(err.reserved[i], 0);
}

static void without_errno_the_text_stands_alone(void **state)
{
    (void)state;
    struct cordon_err err;

    assert_int_equal(err_set(&err, CORDON_E_ARG, 0, "no %d", 7), CORDON_E_ARG);
    assert_int_equal(err.sys, 0);
    assert_string_equal(err.msg, "no 7");
}

static void unknown_errno_is_told_as_a_number(void **state)
{
    (void)state;
    struct cordon_err err;

    (void)err_set(&err, CORDON_E_HOST, 99999, "odd");
    assert_string_equal(err.msg, "odd: errno 99999");
}

static void long_text_is_cut_and_ended(void **state)
{
    (void)state;
    struct cordon_err err;
    char text[2000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';

    for (int sys = 0; sys <= ENOENT; sys += ENOENT) {
        memset(&err, 0xAA, sizeof(err));
        (void)err_set(&err, CORDON_E_HOST, sys, "%s", text);
        assert_int_equal(strnlen(err.msg, sizeof(err.msg)), sizeof(err.msg) - 1);
        assert_int_equal(err.msg[0], 'x');
    }
}

static void text_that_leaves_no_room_keeps_its_end(void **state)
{
    (void)state;
    struct cordon_err err;
    char text[sizeof(err.msg)];

    /* Every length around the edge: the appended errno text must never pass it. */
    for (size_t len = sizeof(err.msg) - 40; len < sizeof(err.msg); len++) {
        memset(text, 'y', len);
        text[len] = '\0';
        (void)err_set(&err, CORDON_E_HOST, EACCES, "%s", text);
        size_t got = strnlen(err.msg, sizeof(err.msg));
        assert_true(got >= len && got < sizeof(err.msg));
        assert_memory_equal(err.msg, text, len);
    }
}

static void nowhere_to_write_is_no_error(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, CORDON_E_NOMEM, ENOMEM, "%s", "x"), CORDON_E_NOMEM);
    err_step(NULL, "step");
}

static void first_step_wins(void **state)
{
    (void)state;
    struct cordon_err err;

    (void)err_set(&err, CORDON_E_HOST, 0, "x");
    err_step(&err, "pivot-root");
    err_step(&err, "later");
    assert_string_equal(err.step, "pivot-root");
}

static void long_step_is_cut_and_ended(void **state)
{
    (void)state;
    struct cordon_err err;

    (void)err_set(&err, CORDON_E_HOST, 0, "x");
    err_step(&err, "a-step-name-that-is-longer-than-its-field");
    assert_int_equal(strnlen(err.step, sizeof(err.step)), sizeof(err.step) - 1);
}

static void setting_again_starts_anew(void **state)
{
    (void)state;
    struct cordon_err err;

    (void)err_set(&err, CORDON_E_HOST, EIO, "first and rather long");
    err_step(&err, "one");
    (void)err_set(&err, CORDON_E_ARG, 0, "two");
    assert_string_equal(err.msg, "two");
    assert_string_equal(err.step, "");
    assert_int_equal(err.sys, 0);
}

static void every_code_has_its_own_text(void **state)
{
    (void)state;
    static const int codes[] = {
#define CORDON_X(name, value, text) name,
        CORDON_ERRORS(CORDON_X)
#undef CORDON_X
    };
    const char *unknown = cordon_error_text(-9999);
    assert_non_null(unknown);
    assert_string_equal(cordon_error_text(0), unknown);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_true(codes[i] < 0);
        assert_string_not_equal(cordon_error_text(codes[i]), unknown);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(cordon_error_text(codes[i]), cordon_error_text(codes[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_code_errno_and_text),
        cmocka_unit_test(without_errno_the_text_stands_alone),
        cmocka_unit_test(unknown_errno_is_told_as_a_number),
        cmocka_unit_test(long_text_is_cut_and_ended),
        cmocka_unit_test(text_that_leaves_no_room_keeps_its_end),
        cmocka_unit_test(nowhere_to_write_is_no_error),
        cmocka_unit_test(first_step_wins),
        cmocka_unit_test(long_step_is_cut_and_ended),
        cmocka_unit_test(setting_again_starts_anew),
        cmocka_unit_test(every_code_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
