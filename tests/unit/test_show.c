/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indent and term: what a person sees of a stranger's bytes. Each case is also fed byte by
 * byte, since output comes cut anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "app/indent.h"
#include "app/term.h"

struct pair {
    const char *in;
    const char *out;
};

static void check_indent(const char *in, const char *out, size_t amount, int escape_c1)
{
    struct indent state = {.next = in, .end = in + strlen(in), .escape_c1 = escape_c1};
    struct buf to = {0};
    while (state.next < state.end)
        assert_int_equal(indent_some(&state, amount, &to), 0);
    assert_string_equal(to.data, out);
    buf_done(&to);
}

static void layout(void **state)
{
    static const struct pair rows[] = {
        {"{\"a\": 1.10, \"b\": 123456789012345678901234567890}",
         "{\n  \"a\": 1.10,\n  \"b\": 123456789012345678901234567890\n}"},
        {"{\"a\":[],\"b\":{ } , \"c\":[1,[2]]}",
         "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    [\n      2\n    ]\n  ]\n}"},
        {"{\"{[,:\\\"\\\\\": \"\\ud800 }]\"}", "{\n  \"{[,:\\\"\\\\\": \"\\ud800 }]\"\n}"},
        {"{\"x\": NaN, \"y\": -Infinity, \"z\": null}",
         "{\n  \"x\": NaN,\n  \"y\": -Infinity,\n  \"z\": null\n}"},
        {"{\"\xc3\xa9\": \"\xc2\x9b\x7f\"}", "{\n  \"\xc3\xa9\": \"\xc2\x9b\x7f\"\n}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_indent(rows[i].in, rows[i].out, SIZE_MAX / 2, 0);
        check_indent(rows[i].in, rows[i].out, 1, 0);
    }
    check_indent("{\"\xc2\x9b\": \"\\\\\x7f\xc2\xa0\xc2\x80\"}",
                 "{\n  \"\\u009b\": \"\\\\\\u007f\xc2\xa0\\u0080\"\n}", 1, 1);
}

/* A thousand levels must not make every line a thousand blanks wider. */
static void indentation_is_bounded(void **state)
{
    char in[3001];
    struct buf to = {0};
    (void)state;
    memset(in, '[', 1000);
    memcpy(in + 1000, "1", 1);
    memset(in + 1001, ']', 1000);
    struct indent all = {.next = in, .end = in + 2001};
    assert_int_equal(indent_some(&all, SIZE_MAX / 2, &to), 0);
    assert_true(to.len < 2001 * 42);
    buf_done(&to);
}

static void check_term(const struct pair *row, const char *keep, int colours, int whole)
{
    struct term_filter f = {.keep = keep, .colours = colours};
    struct buf to = {0};
    size_t len = strlen(row->in);
    if (whole)
        assert_int_equal(term_add(&f, row->in, len, &to), 0);
    for (size_t i = 0; !whole && i < len; i++)
        assert_int_equal(term_add(&f, row->in + i, 1, &to), 0);
    assert_int_equal(term_end(&f, &to), 0);
    assert_string_equal(to.data, row->out);
    buf_done(&to);
}

static void code_output(void **state)
{
    static const struct pair rows[] = {
        {"plain \xc3\xa9\xe2\x82\xac\n\t\r", "plain \xc3\xa9\xe2\x82\xac\n\t\r"},
        {"\x1b[1;31mred\x1b[0m\x1b[m", "\x1b[1;31mred\x1b[0m\x1b[m"},
        {"\x1b[38:5:9mx", "\x1b[38:5:9mx"},
        {"\x1b[2J", "\\x1b[2J"},
        {"\x1b[31", "\\x1b[31"},
        {"\x1b[31\x1b[32m", "\\x1b[31\x1b[32m"},
        {"\x1b\x1b[0m", "\\x1b\x1b[0m"},
        {"\x1bm", "\\x1bm"},
        {"\x1b]0;title\a", "\\x1b]0;title\\x07"},
        {"\x1b[1111111111111111111111111111m", "\\x1b[1111111111111111111111111111m"},
        {"\xc2\x9b"
         "2J",
         "\\x9b2J"},
        {"\xc2\xa0\xc2", "\xc2\xa0\xc2"},
        {"\xc2\xc2\x9b", "\xc2\\x9b"},
        {"\xc2\x1b[0m", "\xc2\x1b[0m"},
        {"\b\x7f", "\\x08\\x7f"},
        {"\xff\x80", "\xff\x80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("# case %zu\n", i);
        check_term(&rows[i], "\n\t\r", 1, 1);
        check_term(&rows[i], "\n\t\r", 1, 0);
    }
}

static void messages(void **state)
{
    static const struct pair rows[] = {
        {"a\n\tb", "a\n\tb"},
        {"\x1b[31mred\r", "\\x1b[31mred\\x0d"},
    };
    (void)state;
    check_term(&rows[0], "\n\t", 0, 1);
    check_term(&rows[1], "\n\t", 0, 1);
    check_term(&rows[1], "\n\t", 0, 0);
}

static void nul_is_shown(void **state)
{
    struct term_filter f = {.keep = "\n"};
    struct buf to = {0};
    (void)state;
    assert_int_equal(term_add(&f, "a\0b", 3, &to), 0);
    assert_string_equal(to.data, "a\\x00b");
    buf_done(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),       cmocka_unit_test(indentation_is_bounded),
        cmocka_unit_test(code_output),  cmocka_unit_test(messages),
        cmocka_unit_test(nul_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
