/* SPDX-License-Identifier: Apache-2.0 */
/* steps: the order of the walls, and what the runner makes of a failing one. */
#include "base/err.h"
#include "jail/steps.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void the_walls_go_up_in_this_order(void **state)
{
    static const char *const order[] = {
        "ids",
        "own-user",
        "no-nesting",
        "measure",
        "root",
        "work-dir",
        "own-dir",
        "bounding-set",
        "session",
        "not-dumpable",
        "no-new-privs",
        /* a standby waits here */
        "descriptors",
        "work-size",
        "limits",
        "capabilities",
        "landlock",
        "seccomp",
    };
    size_t count;
    const struct step *steps = steps_sandbox(&count);
    (void)state;

    for (size_t i = 0; i < count && i < ARRAY_LEN(order); i++)
        assert_string_equal(steps[i].name, order[i]);
    assert_int_equal(count, ARRAY_LEN(order));
}

static void every_step_can_be_named_and_says_why(void **state)
{
    size_t count;
    const struct step *steps = steps_sandbox(&count);
    (void)state;

    for (size_t i = 0; i < count; i++) {
        assert_non_null(steps[i].run);
        assert_true(strlen(steps[i].why) > 10);
        assert_true(strlen(steps[i].name) < sizeof(((struct cordon_err *)NULL)->step));
        assert_int_equal(strspn(steps[i].name, "abcdefghijklmnopqrstuvwxyz-"),
                         strlen(steps[i].name));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(steps[i].name, steps[k].name);
    }
}

static void only_the_walls_that_can_fall_alone_are_optional(void **state)
{
    size_t count;
    const struct step *steps = steps_sandbox(&count);
    (void)state;

    static const struct {
        const char *name;
        uint32_t walls, without;
    } optional[] = {
        {"ids", CORDON_WALL_NAMESPACES, 0},        {"own-user", 0, CORDON_WALL_NAMESPACES},
        {"no-nesting", CORDON_WALL_NAMESPACES, 0}, {"root", CORDON_WALL_ROOT, 0},
        {"work-dir", CORDON_WALL_NAMESPACES, 0},   {"own-dir", 0, CORDON_WALL_NAMESPACES},
        {"work-size", CORDON_WALL_NAMESPACES, 0},  {"limits", CORDON_WALL_LIMITS, 0},
        {"landlock", CORDON_WALL_LANDLOCK, 0},     {"seccomp", CORDON_WALL_SECCOMP, 0},
    };

    for (size_t i = 0; i < count; i++) {
        uint32_t walls = 0, without = 0;
        for (size_t k = 0; k < ARRAY_LEN(optional); k++)
            if (strcmp(steps[i].name, optional[k].name) == 0) {
                walls = optional[k].walls;
                without = optional[k].without;
            }
        assert_int_equal(steps[i].walls, walls);
        assert_int_equal(steps[i].without, without);
    }
}

/* ---- the runner ------------------------------------------------------------ */

static int count_up(void *ctx, struct cordon_err *reterr)
{
    int *n = ctx;
    (void)reterr;
    (*n)++;
    return 0;
}

static int refuse(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return err_set(reterr, CORDON_E_HOST, EPERM, "cannot do it");
}

static int fail_with_a_name(void *ctx, struct cordon_err *reterr)
{
    int r = refuse(ctx, reterr);
    err_step(reterr, "deeper");
    return r;
}

static void success_leaves_the_error_alone(void **state)
{
    const struct step steps[] = {{"one", count_up, "", 0, 0}, {"two", count_up, "", 0, 0}};
    struct cordon_err err = {0}, none = {0};
    int n = 0;
    (void)state;

    assert_int_equal(steps_run(steps, 2, 0, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_memory_equal(&err, &none, sizeof(err));
}

static void a_failing_step_ends_it_and_is_named(void **state)
{
    const struct step steps[] = {
        {"one", count_up, "", 0, 0}, {"bad", refuse, "", 0, 0}, {"three", count_up, "", 0, 0}};
    struct cordon_err err = {0};
    int n = 0;
    (void)state;

    assert_int_equal(steps_run(steps, 3, 0, &n, &err), CORDON_E_HOST);
    assert_int_equal(n, 1);
    assert_string_equal(err.step, "bad");
    assert_int_equal(err.sys, EPERM);
    assert_int_equal(steps_run(steps, 3, 0, &n, NULL), CORDON_E_HOST);
}

static void the_first_name_stays(void **state)
{
    const struct step steps[] = {{"outer", fail_with_a_name, "", 0, 0}};
    struct cordon_err err = {0};
    (void)state;

    assert_int_equal(steps_run(steps, 1, 0, NULL, &err), CORDON_E_HOST);
    assert_string_equal(err.step, "deeper");
}

static int run_with_walls(uint32_t walls, uint32_t down)
{
    const struct step steps[] = {{"wall", count_up, "", walls, 0}};
    int n = 0;

    assert_int_equal(steps_run(steps, 1, down, &n, NULL), 0);
    return n;
}

static void a_step_may_stand_in_for_others(void **state)
{
    const uint32_t both = CORDON_WALL_ROOT | CORDON_WALL_LIMITS;
    const struct step steps[] = {{"instead", count_up, "", CORDON_WALL_GATE, both}};
    int n = 0;
    (void)state;

    assert_int_equal(steps_run(steps, 1, CORDON_WALL_ROOT, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_int_equal(steps_run(steps, 1, both, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(steps_run(steps, 1, both | CORDON_WALL_GATE, &n, NULL), 0);
    assert_int_equal(n, 1);
}

static void a_step_is_left_out_when_all_its_walls_are_down(void **state)
{
    const uint32_t both = CORDON_WALL_ROOT | CORDON_WALL_LIMITS;
    (void)state;

    assert_int_equal(run_with_walls(0, UINT32_MAX), 1);
    assert_int_equal(run_with_walls(CORDON_WALL_ROOT, 0), 1);
    assert_int_equal(run_with_walls(CORDON_WALL_ROOT, CORDON_WALL_LIMITS), 1);
    assert_int_equal(run_with_walls(CORDON_WALL_ROOT, both), 0);
    assert_int_equal(run_with_walls(both, CORDON_WALL_ROOT), 1);
    assert_int_equal(run_with_walls(both, both), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walls_go_up_in_this_order),
        cmocka_unit_test(every_step_can_be_named_and_says_why),
        cmocka_unit_test(only_the_walls_that_can_fall_alone_are_optional),
        cmocka_unit_test(success_leaves_the_error_alone),
        cmocka_unit_test(a_failing_step_ends_it_and_is_named),
        cmocka_unit_test(the_first_name_stays),
        cmocka_unit_test(a_step_may_stand_in_for_others),
        cmocka_unit_test(a_step_is_left_out_when_all_its_walls_are_down),
    };
    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
