/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of core that need no process: capture, utf8, request, interpreter, view, verdict. */
#include "base/utf8.h"
#include "core/sandbox.h"
#include "core/view.h"
#include "jail/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* ---- utf8 ---------------------------------------------------------------- */

static void check_shown(const char *in, size_t len, int cut, const char *expected)
{
    struct buf out = {0};
    assert_int_equal(utf8_append_shown(&out, in, len, cut), 0);
    assert_string_equal(out.data ? out.data : "", expected);
    buf_done(&out);
}

static void shows_bytes_that_are_no_text(void **state)
{
    (void)state;
    check_shown("abc", 3, 0, "abc");
    check_shown("a\xff\xfe z", 5, 0, "a\\xff\\xfe z");
    check_shown("\xed\xa0\x80", 3, 0, "\\xed\\xa0\\x80");          /* a surrogate */
    check_shown("\xc0\xaf", 2, 0, "\\xc0\\xaf");                   /* overlong */
    check_shown("\xf4\x90\x80\x80", 4, 0, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    check_shown("\xe2\x82\xac", 3, 0, "\xe2\x82\xac");
}

static void drops_half_a_character_only_at_a_cut(void **state)
{
    (void)state;
    check_shown("ab\xe2\x82", 4, 1, "ab");
    check_shown("ab\xe2\x82", 4, 0, "ab\\xe2\\x82");
    check_shown("ab\xff", 3, 1, "ab\\xff");
}

/* ---- capture ---------------------------------------------------------------- */

static void keeps_up_to_the_cap(void **state)
{
    (void)state;
    struct capture c = {.max = 5};
    size_t kept;
    assert_int_equal(capture_add(&c, "abc", 3, &kept), 0);
    assert_int_equal(kept, 3);
    assert_int_equal(c.truncated, 0);
    assert_int_equal(capture_add(&c, "defg", 4, &kept), 0);
    assert_int_equal(kept, 2);
    assert_int_equal(c.truncated, 1);
    assert_string_equal(c.data.data, "abcde");
    buf_done(&c.data);
}

static void an_exact_fit_is_no_cut(void **state)
{
    (void)state;
    struct capture c = {.max = 3};
    size_t kept;
    assert_int_equal(capture_add(&c, "abc", 3, &kept), 0);
    assert_int_equal(c.truncated, 0);
    buf_done(&c.data);
}

/* The cap holds for the text as it is shown, wherever the pieces end. */
static void check_taken(const char *in, size_t len, uint64_t max, const char *shown, int truncated)
{
    for (size_t piece = 1; piece <= len; piece++) {
        struct capture c = {.max = max};
        struct buf text = {0};
        size_t kept, sum = 0;
        for (size_t at = 0; at < len; at += piece) {
            size_t n = len - at < piece ? len - at : piece;
            assert_int_equal(capture_add(&c, in + at, n, &kept), 0);
            assert_true(kept <= n);
            sum += kept;
        }
        assert_true(sum <= max);
        assert_int_equal(capture_take(&c, &text), 0);
        assert_string_equal(text.data, shown);
        assert_int_equal(text.len, strlen(shown));
        assert_int_equal(c.truncated, truncated);
        assert_null(c.data.data);
        buf_done(&text);
    }
}

static void the_cap_is_of_the_text_as_shown(void **state)
{
    (void)state;
    check_taken("abcd", 4, 4, "abcd", 0);
    check_taken("\xff\xff", 2, 8, "\\xff\\xff", 0);
    check_taken("\xff\xff", 2, 7, "\\xff", 1);
    check_taken("\xffz", 2, 4, "\\xff", 1);
    check_taken("\xff", 1, 3, "", 1);
    check_taken("a\xe2\x82\xac", 4, 4, "a\xe2\x82\xac", 0);
    check_taken("ab\xe2\x82\xac", 5, 4, "ab", 1);
    check_taken("ab\xe2\x82", 4, 10, "ab\\xe2\\x82", 0); /* it ends so */
    check_taken("ab\xe2\x82", 4, 9, "ab", 1);
    check_taken("\xe2\x82z", 3, 8, "", 1);
    check_taken("\xe2\x82wxyz", 6, 11, "\\xe2\\x82wxy", 1);
}

/* ---- request ---------------------------------------------------------------- */

static struct profile_set *profiles;

/* An empty file: whatever the machine's own configuration says, only the built-in counts. */
static int load_profiles(void **state)
{
    (void)state;
    char path[] = "/tmp/cordon-test-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || io_write_all(fd, "profiles: []\n", 13) < 0 || close(fd) < 0)
        return -1;
    int rc = profile_set_load(path, &profiles, NULL);
    return unlink(path) < 0 ? -1 : rc;
}

static int free_profiles(void **state)
{
    (void)state;
    profile_set_free(profiles);
    return 0;
}

static struct cordon_request asking(const char *code)
{
    return (struct cordon_request){.size = sizeof(struct cordon_request),
                                   .code = code,
                                   .code_len = strlen(code),
                                   .limits = {.size = sizeof(struct cordon_limits)}};
}

static void expect_refusal(const struct cordon_request *q, int code, const char *field)
{
    struct request taken;
    struct cordon_err err = {0};
    assert_int_equal(request_take(profiles, 0, q, &taken, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.step, field);
    assert_true(strlen(err.msg) > 10);
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    struct cordon_request q = asking("x = 1");
    q.profile = "nobody";
    expect_refusal(&q, CORDON_E_PROFILE, "profile");
    q = asking("x = 1");
    q.input = "[1]";
    q.input_len = 3;
    expect_refusal(&q, CORDON_E_ARG, "input");
    q = asking("x = 1");
    q.limits.wall_ms = 30001;
    expect_refusal(&q, CORDON_E_PROFILE, "limits.wall_ms");
    q = asking("x = 1");
    q.limits.memory_bytes = 4096;
    expect_refusal(&q, CORDON_E_ARG, "limits.memory_bytes");
    q = asking("\xff");
    expect_refusal(&q, CORDON_E_ARG, "code");
    q = asking("x = 1");
    q.nonfinite = 7;
    expect_refusal(&q, CORDON_E_ARG, "nonfinite");
    q = asking("x = 1");
    q.size = 0;
    expect_refusal(&q, CORDON_E_ARG, "request");
}

static void fills_in_the_profile_s_limits(void **state)
{
    (void)state;
    struct cordon_request q = asking("x = 1");
    struct request taken;
    q.limits.wall_ms = 1500;
    assert_int_equal(request_take(profiles, 0, &q, &taken, NULL), 0);
    assert_int_equal(taken.limits.wall_ms, 1500);
    assert_int_equal(taken.limits.cpu_ms, 1500); /* one processor: no more than the wall limit */
    assert_int_equal(taken.limits.memory_bytes, 512u << 20);
    assert_int_equal(taken.limits.tasks, 16);
    assert_int_equal(taken.limits.open_files, 64);
    assert_int_equal(taken.limits.disk_bytes, 16u << 20);
    assert_int_equal(taken.limits.disk_files, 1000);
    assert_int_equal(taken.limits.stdout_bytes, 1u << 20);
    assert_int_equal(taken.limits.result_bytes, 16u << 20);
    assert_memory_equal(taken.bytes + taken.code_at, "x = 1", 5);
    request_done(&taken);
}

/* A caller compiled against an older, shorter struct is served. */
static void takes_a_shorter_request(void **state)
{
    (void)state;
    struct cordon_request q = asking("x = 1");
    struct request taken;
    q.size = offsetof(struct cordon_request, input);
    q.profile = "nobody"; /* lies beyond size: not looked at */
    assert_int_equal(request_take(profiles, 0, &q, &taken, NULL), 0);
    assert_string_equal(taken.profile->name, "strict");
    request_done(&taken);
}

/* ---- interpreter and view ----------------------------------------------------- */

static void write_file(const char *path, const char *text, int mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(close(fd), 0);
}

static void finds_the_interpreter(void **state)
{
    (void)state;
    struct interpreter in;
    struct cordon_err err = {0};
    assert_int_equal(interpreter_find(profile_find("strict")->python, &in, &err), 0);
    assert_true(in.minor >= 11);
    assert_string_equal(in.venv, "");
    char os_py[PATH_MAX + 8];
    (void)snprintf(os_py, sizeof(os_py), "%s/os.py", in.stdlib);
    assert_int_equal(access(os_py, R_OK), 0);
}

static void refuses_what_is_no_interpreter(void **state)
{
    (void)state;
    char script[] = "/tmp/cordon-test-XXXXXX";
    struct interpreter in;
    struct cordon_err err = {0};
    int fd = mkstemp(script);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    write_file(script, "#!/bin/sh\n", 0755);
    assert_int_equal(chmod(script, 0755), 0);
    assert_int_equal(interpreter_find(script, &in, &err), CORDON_E_ARG);
    assert_non_null(strstr(err.msg, "script"));
    assert_string_equal(err.step, "python");
    assert_int_equal(unlink(script), 0);
    memset(&err, 0, sizeof(err));
    assert_int_equal(interpreter_find(script, &in, &err), CORDON_E_ARG);
    assert_int_equal(err.sys, ENOENT);
}

struct rows {
    int binds;
    int links;
    int programs;
    const char *last_program;
};

static int count_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    struct rows *r = ctx;
    r->binds += op == PLAN_BIND;
    r->links += op == PLAN_SYMLINK;
    if (op == PLAN_BIND &&
        (strcmp(a, "/") == 0 || strcmp(a, "/home") == 0 || strcmp(b, "/etc") == 0))
        return -1; /* far too much to show anyone */
    if (op == PLAN_PROGRAM) {
        r->programs++;
        r->last_program = a;
    }
    return 0;
}

static void plans_a_box(void **state)
{
    (void)state;
    char dir[] = "/tmp/cordon-test-XXXXXX";
    char worker[64];
    struct interpreter in;
    struct buf plan = {0};
    struct rows rows = {0};
    struct cordon_err err = {0};
    const struct profile *p = profile_find("strict");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(interpreter_find(p->python, &in, &err), 0);
    assert_int_equal(view_plan(p, &in, dir, NULL, VIEW_FOR_RUNS, 0, &plan, &err),
                     CORDON_E_HELPER); /* no worker there */
    assert_non_null(strstr(err.msg, "installed whole"));
    (void)snprintf(worker, sizeof(worker), "%s/_cordon_worker.abi3.so", dir);
    write_file(worker, "", 0644);
    assert_int_equal(view_plan(p, &in, dir, NULL, VIEW_FOR_RUNS, 0, &plan, &err), 0);
    assert_int_equal(plan_each(plan.data, plan.len, count_row, &rows), 0);
    assert_int_equal(rows.programs, 1);
    assert_string_equal(rows.last_program, in.program);
    assert_true(rows.binds >= 3);
    buf_done(&plan);
    assert_int_equal(unlink(worker), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* ---- verdict ------------------------------------------------------------------ */

static void reads_the_running_line(void **state)
{
    (void)state;
    assert_int_equal(
        verdict_trace_line("Current thread 0x00 (most recent call first):\n"
                           "  File \"/usr/lib/python3.11/re/__init__.py\", line 166 in match\n"
                           "  File \"<code>\", line 12 in f\n"
                           "  File \"<code>\", line 20 in <module>\n"),
        12);
    assert_int_equal(verdict_trace_line("  File \"<code>\", line 12"), 0); /* may go on */
    assert_int_equal(verdict_trace_line("  File \"<code>\", line x\n"), 0);
    assert_int_equal(verdict_trace_line("  File \"<code>\", line 999999999999999\n"), 0);
    assert_int_equal(verdict_trace_line(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_bytes_that_are_no_text),
        cmocka_unit_test(drops_half_a_character_only_at_a_cut),
        cmocka_unit_test(keeps_up_to_the_cap),
        cmocka_unit_test(an_exact_fit_is_no_cut),
        cmocka_unit_test(the_cap_is_of_the_text_as_shown),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(fills_in_the_profile_s_limits),
        cmocka_unit_test(takes_a_shorter_request),
        cmocka_unit_test(finds_the_interpreter),
        cmocka_unit_test(refuses_what_is_no_interpreter),
        cmocka_unit_test(plans_a_box),
        cmocka_unit_test(reads_the_running_line),
    };
    return cmocka_run_group_tests(tests, load_profiles, free_profiles);
}
