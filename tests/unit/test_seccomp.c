/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: a table becomes the filter that it says. Every verdict here comes out of the
 * compiled bytes: those that tests/policy promises, and, for calls and arguments made up
 * around the rows' edges, those that a plain reading of the table gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "../policy/bpf.h"
#include "base/io.h"
#include "core/filters.h"
#include "core/syscalls.h"
#include "jail/filter.h"

struct promise {
    const char *call;
    uint64_t args[6];
    enum sys_action action;
};
#include "../policy/strict.h"
#include "../policy/strict_contained.h"
#include "../policy/approved.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#define NATIVE seccomp_native_audit_arch()
#endif

struct filter {
    struct sock_filter code[FILTER_BYTES_MAX / sizeof(struct sock_filter)];
    size_t count;
};

static void compile(const struct sys_table *table, struct filter *ret)
{
    struct cordon_err err = {0};
    size_t len = 0;
    int fd = -1;

    int r = seccomp_compile(table, &fd, &err);
    if (r < 0)
        print_message("%s\n", err.msg);
    assert_int_equal(r, 0);
    assert_int_equal(filter_read(fd, ret->code, &len, &err), 0);
    fd_close(&fd);
    ret->count = len / sizeof(struct sock_filter);
}

static uint32_t value_of(enum sys_action action)
{
    static const uint32_t values[] = {
        [SYS_ABSENT] = SECCOMP_RET_ERRNO | ENOSYS,
        [SYS_REFUSE] = SECCOMP_RET_ERRNO | EPERM,
        [SYS_TRAP] = SECCOMP_RET_TRAP,
        [SYS_ALLOW] = SECCOMP_RET_ALLOW,
        [SYS_ASK] = SECCOMP_RET_USER_NOTIF,
    };
    return values[action];
}

static uint32_t ask(const struct filter *f, int nr, const uint64_t args[6])
{
    struct seccomp_data call = {.nr = nr, .arch = NATIVE};
    for (size_t i = 0; i < 6; i++)
        call.args[i] = args[i];
    return bpf_run(f->code, f->count, &call);
}

/* ---- the table as text -------------------------------------------------------- */

/* Calls `each` for every name of every row. */
static void each_name(const struct sys_table *table,
                      void (*each)(void *ctx, const struct sys_rule *rule, const char *name),
                      void *ctx)
{
    char name[64];
    for (size_t i = 0; i < table->count; i++)
        for (const char *at = table->rules[i].calls; *at; at += strspn(at, " ")) {
            size_t len = strcspn(at, " ");
            assert_true(len > 0 && len < sizeof(name));
            (void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
            each(ctx, &table->rules[i], name);
            at += len;
        }
}

static void name_is_real(void *ctx, const struct sys_rule *rule, const char *name)
{
    (void)ctx;
    (void)rule;
    if (seccomp_call_number(name) == __NR_SCMP_ERROR)
        fail_msg("no architecture has a call named '%s'", name);
}

static void every_name_is_a_call_somewhere(void **state)
{
    (void)state;
    each_name(&syscalls_strict, name_is_real, NULL);
    each_name(&syscalls_contained, name_is_real, NULL);
    each_name(&syscalls_approved_contained, name_is_real, NULL);
    each_name(&syscalls_approved, name_is_real, NULL);
}

/* One number of bits or more, each of them possible; the opposite of more than one is none. */
static void check_condition(const struct sys_rule *r, const struct sys_arg *w)
{
    assert_true(w->arg < 6);
    assert_true(w->bits[0].mask != 0);
    assert_true(w->test == SYS_IS || w->bits[1].mask == 0);
    for (size_t n = 0; n < SYS_BITS_MAX; n++) {
        if (w->bits[n].mask >> 32)
            fail_msg("'%s': an int has no more than 32 bits", r->calls);
        assert_int_equal(w->bits[n].value & ~w->bits[n].mask, 0);
        assert_true(n == 0 || w->bits[n].mask == 0 || w->bits[n - 1].mask != 0);
    }
}

static void check_rows(const struct sys_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct sys_rule *r = &table->rules[i];
        assert_non_null(r->why);
        if (strlen(r->why) < 8)
            fail_msg("the row of '%s' has no reason", r->calls);
        for (size_t a = 0; a < SYS_ARGS_MAX; a++)
            if (r->when[a].test != SYS_ANY)
                check_condition(r, &r->when[a]);
        assert_true(r->when[0].test != SYS_ANY || r->when[1].test == SYS_ANY);
    }
}

static void every_row_has_a_reason_and_sane_conditions(void **state)
{
    (void)state;
    check_rows(&syscalls_strict);
    check_rows(&syscalls_contained);
    check_rows(&syscalls_approved_contained);
    check_rows(&syscalls_approved);
}

/* ---- a plain reading ------------------------------------------------------------ */

/* Two of one list that hold are as much a fault of the table as two rows. */
static int is_one_of(const struct sys_rule *r, const struct sys_arg *w, uint64_t arg)
{
    int found = 0;
    for (size_t n = 0; n < SYS_BITS_MAX && w->bits[n].mask; n++)
        found += (arg & w->bits[n].mask) == w->bits[n].value;
    if (found > 1)
        fail_msg("'%s': %llx is in the list twice", r->calls, (unsigned long long)arg);
    return found;
}

static int holds(const struct sys_rule *r, const uint64_t args[6])
{
    for (size_t i = 0; i < SYS_ARGS_MAX; i++) {
        const struct sys_arg *w = &r->when[i];
        if (w->test != SYS_ANY && is_one_of(r, w, args[w->arg]) != (w->test == SYS_IS))
            return 0;
    }
    return 1;
}

struct rows {
    int nr;
    const struct sys_rule *of[64]; /* the rows of that call */
    size_t count;
};

static void take_row(void *ctx, const struct sys_rule *rule, const char *name)
{
    struct rows *rows = ctx;
    if (seccomp_call_number(name) == rows->nr) {
        assert_true(rows->count < ARRAY_LEN(rows->of));
        rows->of[rows->count++] = rule;
    }
}

/* The action of the one row that holds; two that hold are a fault of the table. */
static enum sys_action read_rows(const struct rows *rows, const uint64_t args[6])
{
    const struct sys_rule *found = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        if (!holds(rows->of[i], args))
            continue;
        if (found)
            fail_msg("call %d: \"%s\" and \"%s\" hold both", rows->nr, found->why,
                     rows->of[i]->why);
        found = rows->of[i];
    }
    return found ? found->action : syscalls_strict.otherwise;
}

static uint64_t chance(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15; /* the same numbers in every run */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t count_of(const struct sys_arg *w)
{
    size_t n = 0;
    while (n < SYS_BITS_MAX && w->bits[n].mask)
        n++;
    return n;
}

/* Arguments near the edges: a row's own values, one bit off, with rubbish outside its mask. */
static void make_up(const struct rows *rows, uint64_t args[6])
{
    for (size_t i = 0; i < 6; i++)
        args[i] = chance() & (chance() % 2 ? UINT64_MAX : UINT32_MAX);
    if (rows->count == 0)
        return;
    const struct sys_rule *r = rows->of[chance() % rows->count];
    for (size_t i = 0; i < SYS_ARGS_MAX; i++) {
        const struct sys_arg *w = &r->when[i];
        if (w->test == SYS_ANY)
            continue;
        const struct sys_bits *bits = &w->bits[chance() % count_of(w)];
        uint64_t rest = chance() % 2 ? chance() : 0;
        args[w->arg] = (rest & ~bits->mask) | bits->value;
        if (chance() % 2)
            args[w->arg] ^= UINT64_C(1) << (chance() % (chance() % 2 ? 64 : 32));
        if (chance() % 4 == 0)
            args[w->arg] ^= chance() & bits->mask;
    }
}

static void filter_and_plain_reading_agree(void **state)
{
    static struct filter f;
    uint64_t args[6];
    (void)state;

    compile(&syscalls_strict, &f);
    for (int nr = 0; nr < 700; nr++) {
        struct rows rows = {.nr = nr};
        each_name(&syscalls_strict, take_row, &rows);
        int tries = rows.count > 0 && rows.of[0]->when[0].test != SYS_ANY ? 20000 : 20;
        for (int i = 0; i < tries; i++) {
            make_up(&rows, args);
            uint32_t got = ask(&f, nr, args);
            if (got != value_of(read_rows(&rows, args)))
                fail_msg("call %d (%llx, %llx, %llx, %llx): %x", nr, (unsigned long long)args[0],
                         (unsigned long long)args[1], (unsigned long long)args[2],
                         (unsigned long long)args[3], got);
        }
    }
}

/* ---- promises -------------------------------------------------------------------- */

static void check_promises(const struct sys_table *table, const struct promise *promises,
                           size_t count)
{
    static struct filter f;

    compile(table, &f);
    for (size_t i = 0; i < count; i++) {
        const struct promise *p = &promises[i];
        int nr = seccomp_call_number(p->call);
        if (nr == __NR_SCMP_ERROR)
            fail_msg("no call is named '%s'", p->call);
        if (nr < 0)
            continue; /* not on this architecture */
        uint32_t got = ask(&f, nr, p->args);
        if (got != value_of(p->action))
            fail_msg("%s(%llx, %llx, %llx, %llx): %x instead of %x", p->call,
                     (unsigned long long)p->args[0], (unsigned long long)p->args[1],
                     (unsigned long long)p->args[2], (unsigned long long)p->args[3], got,
                     value_of(p->action));
    }
}

static void strict_promises_hold(void **state)
{
    (void)state;
    check_promises(&syscalls_strict, strict_promises, ARRAY_LEN(strict_promises));
}

static void contained_promises_hold(void **state)
{
    (void)state;
    check_promises(&syscalls_contained, contained_promises, ARRAY_LEN(contained_promises));
}

static void approved_promises_hold(void **state)
{
    (void)state;
    check_promises(&syscalls_approved, approved_promises, ARRAY_LEN(approved_promises));
    check_promises(&syscalls_approved_contained, approved_promises, ARRAY_LEN(approved_promises));
}

static void check_entries(const struct sys_table *table, uint32_t answer)
{
    static struct filter f;
    static const uint32_t foreign[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_MIPS64, 0};

    compile(table, &f);
    for (int nr = 0; nr < 600; nr++) {
        for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
            struct seccomp_data call = {.nr = nr, .arch = foreign[i]};
            assert_int_equal(bpf_run(f.code, f.count, &call), answer);
        }
#if defined(__x86_64__)
        struct seccomp_data x32 = {.nr = nr | 0x40000000, .arch = NATIVE};
        assert_int_equal(bpf_run(f.code, f.count, &x32), answer);
#endif
    }
}

static void other_entries_are_closed(void **state)
{
    (void)state;
    check_entries(&syscalls_strict, SECCOMP_RET_TRAP);
    check_entries(&syscalls_contained, SECCOMP_RET_TRAP);
    check_entries(&syscalls_approved, SECCOMP_RET_ERRNO | ENOSYS);
}

static void numbers_beyond_all_calls_are_absent(void **state)
{
    static struct filter f;
    static const int numbers[] = {700, 100000, 0x3fffffff, -1};
    static const uint64_t none[6];
    (void)state;

    compile(&syscalls_strict, &f);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        assert_int_equal(ask(&f, numbers[i], none), value_of(SYS_ABSENT));
}

/* filter.c ends the process by it, and relies on there being no way back. */
static void ptrace_is_trapped_whatever_it_asks(void **state)
{
    static struct filter f;
    uint64_t args[6];
    struct rows none = {0};
    (void)state;

    compile(&syscalls_strict, &f);
    for (int i = 0; i < 1000; i++) {
        make_up(&none, args);
        assert_int_equal(ask(&f, SYS_ptrace, args), value_of(SYS_TRAP));
    }
}

/* ---- the compiler ------------------------------------------------------------------ */

static void rows_equal_to_the_default_and_unknown_names_are_left_out(void **state)
{
    static struct filter f;
    static const struct sys_rule rules[] = {
        {SYS_ALLOW, "read write", {{0}}, "allowed"},
        {SYS_ABSENT, "clone3", {{0}}, "absent by default too"},
        {SYS_TRAP, "no_such_call getpid", {{0}}, "the second counts"},
    };
    static const struct sys_table table = {rules, ARRAY_LEN(rules), SYS_ABSENT, SYS_TRAP, NULL};
    static const uint64_t none[6];
    (void)state;

    compile(&table, &f);
    assert_int_equal(ask(&f, SYS_read, none), value_of(SYS_ALLOW));
    assert_int_equal(ask(&f, SYS_write, none), value_of(SYS_ALLOW));
    assert_int_equal(ask(&f, SYS_clone3, none), value_of(SYS_ABSENT));
    assert_int_equal(ask(&f, SYS_getpid, none), value_of(SYS_TRAP));
    assert_int_equal(ask(&f, SYS_getppid, none), value_of(SYS_ABSENT));
}

static void a_table_may_have_another_default(void **state)
{
    static struct filter f;
    static const struct sys_rule rules[] = {
        {SYS_ALLOW, "read", {{0}}, "the default"},
        {SYS_REFUSE, "socket", {{SYS_NOT, 0, {{0xffffffff, 2}}}}, "all but one family"},
    };
    static const struct sys_table table = {rules, ARRAY_LEN(rules), SYS_ALLOW, SYS_TRAP, NULL};
    (void)state;

    compile(&table, &f);
    for (uint64_t family = 0; family < 64; family++) {
        const uint64_t args[6] = {family | family << 32, 1, 2, 3, 4, 5};
        assert_int_equal(ask(&f, SYS_socket, args), value_of(family == 2 ? SYS_ALLOW : SYS_REFUSE));
    }
}

/* Lists of two arguments: each with each, and no more. */
static void lists_of_values_multiply(void **state)
{
    static struct filter f;
    static const struct sys_rule rules[] = {
        {SYS_ALLOW,
         "socket",
         {{SYS_IS, 0, {{0xffffffff, 1}, {0xfffffffe, 4}}},
          {SYS_IS, 2, {{0xffffffff, 0}, {0xffffffff, 6}}}},
         "three families with two protocols"},
    };
    static const struct sys_table table = {rules, ARRAY_LEN(rules), SYS_ABSENT, SYS_TRAP, NULL};
    (void)state;

    compile(&table, &f);
    for (uint64_t family = 0; family < 8; family++)
        for (uint64_t protocol = 0; protocol < 8; protocol++) {
            const uint64_t args[6] = {family, 1, protocol};
            int in = (family == 1 || family == 4 || family == 5) && protocol % 6 == 0;
            assert_int_equal(ask(&f, SYS_socket, args), value_of(in ? SYS_ALLOW : SYS_ABSENT));
        }
}

/* What was compiled when Cordon was built, and what its tables say now. */
static void the_filters_are_those_of_the_tables(void **state)
{
    static const struct sys_table *const tables[FILTERS] = {
        [FILTER_STRICT] = &syscalls_strict,
        [FILTER_STRICT_CONTAINED] = &syscalls_contained,
        [FILTER_APPROVED] = &syscalls_approved,
        [FILTER_APPROVED_CONTAINED] = &syscalls_approved_contained,
    };
    static struct filter built, now;
    struct cordon_err err = {0};
    (void)state;

    for (size_t i = 0; i < FILTERS; i++) {
        size_t len = 0;
        int fd = -1;

        compile(tables[i], &now);
        assert_int_equal(filters_open((enum filter_kind)i, &fd, &err), 0);
        assert_int_equal(filter_read(fd, built.code, &len, &err), 0);
        fd_close(&fd);
        assert_int_equal(len, now.count * sizeof(struct sock_filter));
        assert_memory_equal(built.code, now.code, len);
    }
}

static void the_filter_cannot_be_changed_any_more(void **state)
{
    struct cordon_err err = {0};
    int fd = -1;
    (void)state;

    assert_int_equal(filters_open(FILTER_STRICT, &fd, &err), 0);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    fd_close(&fd);
}

static void calls_have_names(void **state)
{
    char name[96];
    (void)state;

    assert_string_equal(seccomp_call_name(SYS_ptrace, 0, name, sizeof(name)), "ptrace");
    assert_string_equal(seccomp_call_name(99999, NATIVE, name, sizeof(name)), "call 99999");
#if defined(__x86_64__)
    static const char other[] = "getpid of another architecture";
    assert_string_equal(seccomp_call_name(0x40000000 + 39, 0, name, sizeof(name)), other);
    assert_string_equal(seccomp_call_name(20, AUDIT_ARCH_I386, name, sizeof(name)), other);
    assert_string_equal(seccomp_call_name(9999, AUDIT_ARCH_I386, name, sizeof(name)),
                        "call 9999 of another architecture");
    assert_string_equal(seccomp_call_name(0x7fffffff, 1, name, sizeof(name)),
                        "call 1073741823 of another architecture");
#endif
    assert_string_equal(seccomp_call_name(SYS_ptrace, 0, name, 4), "ptr");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_a_call_somewhere),
        cmocka_unit_test(every_row_has_a_reason_and_sane_conditions),
        cmocka_unit_test(filter_and_plain_reading_agree),
        cmocka_unit_test(strict_promises_hold),
        cmocka_unit_test(contained_promises_hold),
        cmocka_unit_test(approved_promises_hold),
        cmocka_unit_test(other_entries_are_closed),
        cmocka_unit_test(numbers_beyond_all_calls_are_absent),
        cmocka_unit_test(ptrace_is_trapped_whatever_it_asks),
        cmocka_unit_test(rows_equal_to_the_default_and_unknown_names_are_left_out),
        cmocka_unit_test(a_table_may_have_another_default),
        cmocka_unit_test(lists_of_values_multiply),
        cmocka_unit_test(the_filters_are_those_of_the_tables),
        cmocka_unit_test(the_filter_cannot_be_changed_any_more),
        cmocka_unit_test(calls_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
