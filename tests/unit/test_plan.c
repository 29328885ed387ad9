/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what was added comes back in order; anything else is refused, never read past. */
#include "base/wire.h"
#include "jail/plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    char text[1024];
    int stop_at; /* row that returns -ECANCELED; 0: none */
    int rows;
};

static int note_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    struct seen *s = ctx;
    size_t used = strlen(s->text);

    s->rows++;
    (void)snprintf(s->text + used, sizeof(s->text) - used, "%d(%s%s%s) ", (int)op, a, b ? "," : "",
                   b ? b : "");
    return s->rows == s->stop_at ? -ECANCELED : 0;
}

static void add(struct buf *plan, enum plan_op op, const char *a, const char *b)
{
    assert_int_equal(plan_add(plan, op, a, b), 0);
}

static void make_plan(struct buf *plan)
{
    add(plan, PLAN_WALLS_DOWN, "0", NULL);
    add(plan, PLAN_DIR, "/proc", NULL);
    add(plan, PLAN_BIND, "/usr/lib", "/lib");
    add(plan, PLAN_DEVICE, "/dev/null", "/dev/null");
    add(plan, PLAN_SYMLINK, "usr/lib64", "/lib64");
    add(plan, PLAN_WORK, "/work", NULL);
    add(plan, PLAN_PROGRAM, "/python", NULL);
    add(plan, PLAN_ARG, "", NULL);
    add(plan, PLAN_ENV, "A=1", NULL);
}

static void rows_come_back_in_order(void **state)
{
    struct buf plan = {0};
    struct seen s = {0};
    (void)state;

    make_plan(&plan);
    assert_int_equal(plan_each(plan.data, plan.len, note_row, &s), 0);
    assert_string_equal(s.text, "9(0) 1(/proc) 2(/usr/lib,/lib) 3(/dev/null,/dev/null) "
                                "4(usr/lib64,/lib64) 5(/work) 6(/python) 7() 8(A=1) ");
    buf_done(&plan);
}

static void an_empty_plan_has_no_rows(void **state)
{
    struct seen s = {0};
    (void)state;

    assert_int_equal(plan_each("", 0, note_row, &s), 0);
    assert_int_equal(s.rows, 0);
}

static void a_row_that_fails_ends_it(void **state)
{
    struct buf plan = {0};
    struct seen s = {.stop_at = 2};
    (void)state;

    make_plan(&plan);
    assert_int_equal(plan_each(plan.data, plan.len, note_row, &s), -ECANCELED);
    assert_int_equal(s.rows, 2);
    buf_done(&plan);
}

static void rows_that_make_no_sense_are_not_added(void **state)
{
    struct buf plan = {0};
    (void)state;

    assert_int_equal(plan_add(&plan, PLAN_BIND, "/usr", NULL), -EINVAL);
    assert_int_equal(plan_add(&plan, PLAN_DIR, "/usr", "/usr"), -EINVAL);
    assert_int_equal(plan_add(&plan, PLAN_DIR, NULL, NULL), -EINVAL);
    assert_int_equal(plan_add(&plan, (enum plan_op)0, "/usr", NULL), -EINVAL);
    assert_int_equal(plan_add(&plan, (enum plan_op)77, "/usr", NULL), -EINVAL);
    assert_int_equal(plan.len, 0);
    buf_done(&plan);
}

static void a_full_plan_stays_whole(void **state)
{
    struct buf plan = {0};
    struct seen s = {0};
    char big[1000];
    int rows = 0, r;
    (void)state;

    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    while ((r = plan_add(&plan, PLAN_BIND, big, big)) == 0)
        rows++;
    assert_int_equal(r, -E2BIG);
    assert_true(plan.len + sizeof(struct wire_msg) <= WIRE_MSG_MAX);
    assert_int_equal(plan_each(plan.data, plan.len, note_row, &s), 0);
    assert_int_equal(s.rows, rows);
    buf_done(&plan);
}

static void refuse(const char *bytes, size_t len)
{
    /* On the heap at its exact size, so that a sanitizer sees a read past the end. */
    char *copy = malloc(len);
    struct seen s = {0};

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    assert_int_equal(plan_each(copy, len, note_row, &s), -EPROTO);
    free(copy);
}

static void malformed_bytes_are_refused(void **state)
{
    (void)state;

    refuse("\1", 1);           /* no count */
    refuse("\1\1", 2);         /* no string */
    refuse("\1\1/x", 4);       /* no NUL */
    refuse("\2\1/x\0", 5);     /* a bind of one string */
    refuse("\2\2/x\0", 5);     /* the second is missing */
    refuse("\2\2/x\0/y", 7);   /* the second does not end */
    refuse("\1\2/x\0/y\0", 8); /* a directory of two */
    refuse("\1\0", 2);         /* of none */
    refuse("\0\1/x\0", 5);     /* no such row */
    refuse("\177\1/x\0", 5);   /* nor this one */
    refuse("\377\1/x\0", 5);   /* nor this one */
    refuse("\1\1/x\0\1", 6);   /* well begun */
}

static void every_cut_is_refused_or_ends_between_rows(void **state)
{
    struct buf plan = {0};
    (void)state;

    make_plan(&plan);
    int whole = 0;
    for (size_t len = 0; len < plan.len; len++) {
        char *copy = malloc(len + 1);
        struct seen s = {0};
        assert_non_null(copy);
        memcpy(copy, plan.data, len);
        int r = plan_each(copy, len, note_row, &s);
        assert_true(r == 0 || r == -EPROTO);
        whole += r == 0;
        free(copy);
    }
    assert_int_equal(whole, 9); /* the empty one, and one after each row but the last */
    buf_done(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_in_order),
        cmocka_unit_test(an_empty_plan_has_no_rows),
        cmocka_unit_test(a_row_that_fails_ends_it),
        cmocka_unit_test(rows_that_make_no_sense_are_not_added),
        cmocka_unit_test(a_full_plan_stays_whole),
        cmocka_unit_test(malformed_bytes_are_refused),
        cmocka_unit_test(every_cut_is_refused_or_ends_between_rows),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
