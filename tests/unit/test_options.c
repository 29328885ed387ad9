/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: sizes and durations, the sanity of the tables, and what is said about a
 * command line that cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "app/cmd_run.h"
#include "app/options.h"
#include "base/io.h"

#define MIB (UINT64_C(1) << 20)

struct number {
    const char *text;
    int r;
    uint64_t value;
};

static void sizes(void **state)
{
    static const struct number rows[] = {
        {"0", 0, 0},
        {"4096", 0, 4096},
        {"512M", 0, 512 * MIB},
        {"512m", 0, 512 * MIB},
        {"1G", 0, 1024 * MIB},
        {"300KiB", 0, 300 * 1024},
        {"2TiB", 0, 2 * MIB * MIB},
        {"18446744073709551615", 0, UINT64_MAX},
        {"18446744073709551616", -ERANGE, 0},
        {"99999999T", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"1X", -EINVAL, 0},
        {"1.5G", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"+1", -EINVAL, 0},
        {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"M", -EINVAL, 0},
        {"1MB", -EINVAL, 0},
        {"1Mi", -EINVAL, 0},
        {"1MiBs", -EINVAL, 0},
        {"1KM", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t value = 77;
        print_message("# size '%s'\n", rows[i].text);
        assert_int_equal(options_size(rows[i].text, &value), rows[i].r);
        assert_true(value == (rows[i].r == 0 ? rows[i].value : 77));
    }
}

static void durations(void **state)
{
    static const struct number rows[] = {
        {"30", 0, 30000},
        {"2.5", 0, 2500},
        {".5", 0, 500},
        {"0", 0, 0},
        {"0.001", 0, 1},
        {"0.0009", 0, 0},
        {"1.23456789012345678901234567890", 0, 1234},
        {"18446744073709551", 0, UINT64_C(18446744073709551000)},
        {"18446744073709551.615", 0, UINT64_MAX},
        {"18446744073709551.616", -ERANGE, 0},
        {"18446744073709552", -ERANGE, 0},
        {"99999999999999999999999", -ERANGE, 0},
        {"", -EINVAL, 0},
        {".", -EINVAL, 0},
        {"1.", -EINVAL, 0},
        {"1.2.3", -EINVAL, 0},
        {"1,5", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"1e9", -EINVAL, 0},
        {"nan", -EINVAL, 0},
        {"inf", -EINVAL, 0},
        {"5s", -EINVAL, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t value = 77;
        print_message("# seconds '%s'\n", rows[i].text);
        assert_int_equal(options_seconds(rows[i].text, &value), rows[i].r);
        assert_true(value == (rows[i].r == 0 ? rows[i].value : 77));
    }
}

/* A row that getopt_long could not tell apart, or that the help could not show. */
static void option_rows(void **state)
{
    size_t n = 0;
    (void)state;
    for (const struct option_row *row = run_rows; row->name; row++, n++) {
        assert_true(strlen(row->name) > 1 && strlen(row->name) < 28);
        assert_non_null(row->help);
        assert_non_null(row->set);
        assert_true(strlen(row->help) < 70);
        for (const struct option_row *other = run_rows; other < row; other++) {
            assert_string_not_equal(row->name, other->name);
            assert_true(!row->letter || row->letter != other->letter);
            assert_true(!row->field || !other->field || strcmp(row->field, other->field) != 0);
        }
    }
    assert_true(n > 0 && n <= 32); /* what fits getopt_long's arrays */
}

static void every_status_has_an_exit(void **state)
{
    static const int codes[] = {
#define X(name, value, text) [value] = name == CORDON_OK,
        CORDON_STATUSES(X)
#undef X
    };
    (void)state;
    assert_int_equal(exit_nrows, ARRAY_LEN(codes));
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        size_t found = 0;
        for (size_t j = 0; j < exit_nrows; j++)
            if ((size_t)exit_rows[j].status == i) {
                assert_int_equal(exit_rows[j].code == 0, codes[i]);
                assert_int_not_equal(exit_rows[j].code, EXIT_USAGE);
                found++;
            }
        assert_int_equal(found, 1);
    }
}

static void every_wall_has_a_name(void **state)
{
    uint32_t seen = 0;
    (void)state;
    for (size_t i = 0; i < wall_nrows; i++) {
        assert_int_equal(seen & wall_rows[i].bit, 0);
        seen |= wall_rows[i].bit;
    }
    assert_int_equal(seen, 2 * CORDON_WALL_LIMITS - 1);
}

#define MAX_WORDS 8

static int parse(const char *const *words, struct run_options *values, int *operands,
                 struct cordon_err *err)
{
    char text[MAX_WORDS][64] = {"run"};
    char *argv[MAX_WORDS + 2] = {text[0]};
    int argc = 1;
    for (; words[argc - 1]; argc++) {
        strncpy(text[argc], words[argc - 1], sizeof(text[argc]) - 1);
        argv[argc] = text[argc];
    }
    return options_parse(&cmd_run, argc, argv, values, operands, err);
}

static void what_is_given_is_stored(void **state)
{
    static const char *const words[] = {
        "FILE", "--timeout", "2", "--memory=64M", "--json", "--no-gate", "--drop-wall=root", NULL};
    struct run_options values = {0};
    struct cordon_err err = {0};
    int operands = 0;
    (void)state;
    assert_int_equal(parse(words, &values, &operands, &err), 0);
    assert_int_equal(operands, 7); /* moved behind the options */
    assert_int_equal(values.limits.wall_ms, 2000);
    assert_int_equal(values.limits.memory_bytes, 64 * MIB);
    assert_int_equal(values.json, 1);
    assert_int_equal(values.approved, 0);
    assert_int_equal(values.drop_walls, CORDON_WALL_GATE | CORDON_WALL_ROOT);
}

static void walls_come_one_by_one_or_with_commas(void **state)
{
    static const struct {
        const char *words[5];
        uint32_t walls; /* 0: refused */
    } rows[] = {
        {{"--drop-wall", "seccomp,limits", NULL}, CORDON_WALL_SECCOMP | CORDON_WALL_LIMITS},
        {{"--drop-wall=root", "--drop-wall", "gate,root", NULL},
         CORDON_WALL_ROOT | CORDON_WALL_GATE},
        {{"--drop-wall=namespaces", NULL}, CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT},
        {{"--drop-wall=", NULL}, 0},
        {{"--drop-wall=root,", NULL}, 0},
        {{"--drop-wall=,root", NULL}, 0},
        {{"--drop-wall=roo", NULL}, 0},
        {{"--drop-wall=root gate", NULL}, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run_options values = {0};
        struct cordon_err err = {0};
        int operands = 0;
        int r = parse(rows[i].words, &values, &operands, &err);
        assert_int_equal(r, rows[i].walls ? 0 : CORDON_E_ARG);
        if (r == 0)
            assert_int_equal(values.drop_walls, rows[i].walls);
    }
}

static void what_is_refused_is_named(void **state)
{
    static const struct {
        const char *words[4];
        const char *start;
    } rows[] = {
        {{"--timeout", "abc", NULL}, "--timeout: 'abc' "},
        {{"--timeout", NULL}, "--timeout: wants an argument: S"},
        {{"-i", NULL}, "-i: wants an argument"},
        {{"--json=1", NULL}, "--json: takes no argument"},
        {{"--bogus", NULL}, "--bogus: no such option"},
        {{"--bogus=3", NULL}, "--bogus=3: no such option"},
        {{"-x", NULL}, "-x: no such option"},
        {{"FILE", "-x", NULL}, "-x: no such option"},
        {{"--level", "none", NULL}, "--level: 'none' "},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run_options values = {0};
        struct cordon_err err = {0};
        int operands = 77;
        assert_int_equal(parse(rows[i].words, &values, &operands, &err), CORDON_E_ARG);
        print_message("# %s\n", err.msg);
        assert_int_equal(strncmp(err.msg, rows[i].start, strlen(rows[i].start)), 0);
        assert_int_equal(operands, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(option_rows),
        cmocka_unit_test(every_status_has_an_exit),
        cmocka_unit_test(every_wall_has_a_name),
        cmocka_unit_test(what_is_given_is_stored),
        cmocka_unit_test(walls_come_one_by_one_or_with_commas),
        cmocka_unit_test(what_is_refused_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
