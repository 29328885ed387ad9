/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: the sanity of the tables, what becomes of a row that fails, hangs back or dies,
 * and how findings are weighed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/err.h"
#include "core/doctor.h"

/* ---- the tables ------------------------------------------------------------- */

#define ROWS_MAX 32

struct all {
    const struct probe *rows[ROWS_MAX];
    size_t count;
};

static void add(struct all *all, const struct probe *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(all->count < ROWS_MAX);
        all->rows[all->count++] = &rows[i];
    }
}

static struct all all_rows(void)
{
    struct all all = {.count = 0};
    size_t count;

    const struct probe *rows = doctor_first(&count);
    add(&all, rows, count);
    rows = probe_table(&count);
    add(&all, rows, count);
    rows = doctor_last(&count);
    add(&all, rows, count);
    return all;
}

static void every_row_can_be_named_tried_and_put_right(void **state)
{
    const struct all all = all_rows();
    (void)state;

    assert_true(all.count > 15);
    for (size_t i = 0; i < all.count; i++) {
        const struct probe *p = all.rows[i];
        print_message("# %s\n", p->name);
        assert_int_equal(strspn(p->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(p->name));
        assert_true(strlen(p->name) <= 16); /* the table's column */
        assert_non_null(p->look);
        assert_true(strlen(p->proves) > 10 && strlen(p->proves) < 80);
        assert_true(strlen(p->remedy) > 20);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(p->name, all.rows[k]->name);
    }
}

static void every_cause_has_a_remedy(void **state)
{
    const struct all all = all_rows();
    (void)state;

    for (size_t i = 0; i < all.count; i++)
        for (int sys = 0; sys < 134; sys++) {
            struct cordon_err err = {.code = CORDON_E_HOST, .sys = sys};
            assert_true(strlen(probe_remedy(all.rows[i], &err)) > 20);
        }
}

static void a_row_builds_upon_earlier_ones_only(void **state)
{
    const struct all all = all_rows();
    (void)state;

    for (size_t i = 0; i < all.count; i++) {
        size_t k = 0;
        while (all.rows[i]->needs && k < i && strcmp(all.rows[k]->name, all.rows[i]->needs) != 0)
            k++;
        assert_true(!all.rows[i]->needs || k < i);
    }
}

static void words_are_complete(void **state)
{
    (void)state;
    assert_string_equal(cordon_probe_status_name(CORDON_PROBE_FAILED), "failed");
    assert_string_equal(cordon_level_name(CORDON_LEVEL_NONE), "none");
    assert_string_equal(cordon_level_name((enum cordon_level)17), "unknown");
}

/* ---- trying ------------------------------------------------------------------- */

static int look_well(struct trial *t, struct cordon_err *reterr)
{
    (void)reterr;
    (void)snprintf(t->detail, sizeof(t->detail), "pid %d", getpid());
    return 0;
}

static int look_lesser(struct trial *t, struct cordon_err *reterr)
{
    (void)reterr;
    t->status = CORDON_PROBE_DEGRADED;
    return 0;
}

static int look_bad(struct trial *t, struct cordon_err *reterr)
{
    (void)t;
    int r = err_set(reterr, CORDON_E_HOST, EPERM, "cannot do it");
    err_step(reterr, "some-step");
    return r;
}

static int look_dying(struct trial *t, struct cordon_err *reterr)
{
    (void)t;
    (void)reterr;
    (void)raise(SIGKILL);
    return 0;
}

static struct probe_said said_of(int (*look)(struct trial *, struct cordon_err *))
{
    const struct probe row = {"row",      NULL,     PROBE_COPY, look, 0,
                              PROBE_BOTH, "proves", "remedy",   NULL};
    const struct probe_host host = {.filter = -1};
    struct probe_said said;

    probe_try(&row, &host, &said);
    /* Not one that this program could find. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return said;
}

static void what_is_well_needs_no_remedy(void **state)
{
    struct probe_said said = said_of(look_well);
    char ours[32];
    (void)state;

    (void)snprintf(ours, sizeof(ours), "pid %d", getpid());
    assert_int_equal(said.status, CORDON_PROBE_OK);
    assert_null(said.remedy);
    assert_int_equal(strncmp(said.detail, "pid ", 4), 0);
    assert_string_not_equal(said.detail, ours);
}

static void what_is_not_well_has_one(void **state)
{
    (void)state;
    struct probe_said said = said_of(look_lesser);
    assert_int_equal(said.status, CORDON_PROBE_DEGRADED);
    assert_string_equal(said.remedy, "remedy");
    said = said_of(look_bad);
    assert_int_equal(said.status, CORDON_PROBE_FAILED);
    assert_string_equal(said.remedy, "remedy");
    assert_int_equal(strncmp(said.detail, "some-step: cannot do it: ", 25), 0);
}

static void a_row_that_dies_has_failed(void **state)
{
    (void)state;
    struct probe_said said = said_of(look_dying);
    assert_int_equal(said.status, CORDON_PROBE_FAILED);
    assert_non_null(strstr(said.detail, "died"));
}

/* ---- weighing -------------------------------------------------------------------- */

/* a is needed by every level, b by full alone. */
static enum cordon_level weigh(enum cordon_probe_status a, enum cordon_probe_status b,
                               enum cordon_probe_status run, struct finding *f)
{
    static const struct probe rows[] = {{.name = "a", .levels = PROBE_BOTH},
                                        {.name = "b", .levels = PROBE_FULL},
                                        {.name = "run", .levels = PROBE_BOTH}};
    const enum cordon_probe_status states[] = {a, b, run};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        f[i] = (struct finding){.probe = &rows[i], .said = {.status = states[i], .remedy = "x"}};
        (void)snprintf(f[i].said.detail, sizeof(f[i].said.detail), "found");
    }
    return doctor_weigh(f, ARRAY_LEN(rows));
}

static void the_worst_finding_makes_the_level(void **state)
{
    struct finding f[3];
    (void)state;

    assert_int_equal(weigh(CORDON_PROBE_OK, CORDON_PROBE_INFO, CORDON_PROBE_OK, f),
                     CORDON_LEVEL_FULL);
    assert_int_equal(weigh(CORDON_PROBE_DEGRADED, CORDON_PROBE_OK, CORDON_PROBE_OK, f),
                     CORDON_LEVEL_DEGRADED);
    assert_int_equal(weigh(CORDON_PROBE_FAILED, CORDON_PROBE_DEGRADED, CORDON_PROBE_FAILED, f),
                     CORDON_LEVEL_NONE);
    assert_int_equal(weigh(CORDON_PROBE_OK, CORDON_PROBE_OK, CORDON_PROBE_FAILED, f),
                     CORDON_LEVEL_NONE);
}

static void a_good_run_is_the_last_word(void **state)
{
    struct finding f[3];
    (void)state;

    assert_int_equal(weigh(CORDON_PROBE_FAILED, CORDON_PROBE_OK, CORDON_PROBE_OK, f),
                     CORDON_LEVEL_FULL);
    assert_int_equal(f[0].said.status, CORDON_PROBE_INFO);
    assert_null(f[0].said.remedy);
    assert_non_null(strstr(f[0].said.detail, ": found"));
}

static void a_contained_run_makes_less_of_what_only_full_needs(void **state)
{
    struct finding f[3];
    (void)state;

    assert_int_equal(weigh(CORDON_PROBE_OK, CORDON_PROBE_FAILED, CORDON_PROBE_DEGRADED, f),
                     CORDON_LEVEL_CONTAINED);
    assert_int_equal(f[1].said.status, CORDON_PROBE_DEGRADED);
    assert_string_equal(f[1].said.remedy, "x");
    assert_int_equal(weigh(CORDON_PROBE_FAILED, CORDON_PROBE_FAILED, CORDON_PROBE_DEGRADED, f),
                     CORDON_LEVEL_CONTAINED);
    assert_int_equal(f[0].said.status, CORDON_PROBE_INFO);
    assert_int_equal(weigh(CORDON_PROBE_OK, CORDON_PROBE_FAILED, CORDON_PROBE_FAILED, f),
                     CORDON_LEVEL_NONE);
}

static void every_row_says_which_levels_need_it(void **state)
{
    const struct all all = all_rows();
    (void)state;

    for (size_t i = 0; i < all.count; i++) {
        const struct probe *p = all.rows[i];
        assert_int_equal(p->levels & ~PROBE_BOTH, 0);
        if (p->levels == PROBE_FULL) /* what contained does without is what is down in it */
            assert_int_equal(p->wall, CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_can_be_named_tried_and_put_right),
        cmocka_unit_test(every_cause_has_a_remedy),
        cmocka_unit_test(a_row_builds_upon_earlier_ones_only),
        cmocka_unit_test(words_are_complete),
        cmocka_unit_test(what_is_well_needs_no_remedy),
        cmocka_unit_test(what_is_not_well_has_one),
        cmocka_unit_test(a_row_that_dies_has_failed),
        cmocka_unit_test(the_worst_finding_makes_the_level),
        cmocka_unit_test(a_good_run_is_the_last_word),
        cmocka_unit_test(a_contained_run_makes_less_of_what_only_full_needs),
        cmocka_unit_test(every_row_says_which_levels_need_it),
    };
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
