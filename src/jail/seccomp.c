/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: see seccomp.h. libseccomp knows "masked and equal" but not its opposite, and
 * gives rules of one call that overlap an order of its own: a SYS_NOT becomes rules that
 * exclude each other, one for each bit of its mask; a SYS_IS becomes one for each of its bits.
 */
#include "jail/seccomp.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint32_t action_of(enum sys_action action)
{
    switch (action) {
    case SYS_ALLOW:
        return SCMP_ACT_ALLOW;
    case SYS_REFUSE:
        return SCMP_ACT_ERRNO(EPERM);
    case SYS_ASK:
        return SCMP_ACT_NOTIFY;
    case SYS_TRAP:
        return SCMP_ACT_TRAP;
    case SYS_ABSENT:
        break;
    }
    return SCMP_ACT_ERRNO(ENOSYS);
}

/* A row of the table on its way to rules of libseccomp: the conditions so far. */
struct compiler {
    scmp_filter_ctx ctx;
    const struct sys_rule *rule;
    int nr;
    struct scmp_arg_cmp cmp[SYS_ARGS_MAX];
    unsigned count;
};

static int add_from(struct compiler *c, size_t i);

/* The rules in which argument `i` of the row is this. */
static int add_bits(struct compiler *c, size_t i, struct sys_bits bits)
{
    c->cmp[c->count++] =
        SCMP_CMP64(c->rule->when[i].arg, SCMP_CMP_MASKED_EQ, bits.mask, bits.value);
    int r = add_from(c, i + 1);
    c->count--;
    return r;
}

/*
 * What differs from value in at least one bit of mask, by the lowest such bit: equal below
 * it, different in it, whatever above.
 */
static int add_opposite(struct compiler *c, size_t i, struct sys_bits bits)
{
    uint64_t below = 0;
    int r = 0;

    for (uint64_t bit = 1; bit != 0 && r == 0; bit <<= 1) {
        if (!(bits.mask & bit))
            continue;
        below |= bit;
        r = add_bits(c, i, (struct sys_bits){below, (bits.value & below) ^ bit});
    }
    return r;
}

/* The rules for the arguments of the row from `i` on. */
static int add_from(struct compiler *c, size_t i)
{
    int r = 0;

    if (i == SYS_ARGS_MAX || c->rule->when[i].test == SYS_ANY)
        return seccomp_rule_add_exact_array(c->ctx, action_of(c->rule->action), c->nr, c->count,
                                            c->cmp);
    const struct sys_arg *when = &c->rule->when[i];
    if (when->test == SYS_NOT)
        return add_opposite(c, i, when->bits[0]);
    for (size_t n = 0; n < SYS_BITS_MAX && when->bits[n].mask && r == 0; n++)
        r = add_bits(c, i, when->bits[n]);
    return r;
}

int seccomp_call_number(const char *call)
{
    const char *number = strchr(call, '#');
    return number ? atoi(number + 1) : seccomp_syscall_resolve_name(call);
}

static int is_named(const struct sys_table *table, const char *name, size_t len)
{
    for (size_t i = 0; table && i < table->count; i++)
        for (const char *at = table->rules[i].calls; *at; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");
            if (n == len && memcmp(at, name, len) == 0)
                return 1;
            at += n;
        }
    return 0;
}

static int add_rule(scmp_filter_ctx ctx, const struct sys_rule *rule, const struct sys_table *top,
                    struct cordon_err *reterr)
{
    struct compiler c = {.ctx = ctx, .rule = rule};
    char name[64];

    for (const char *at = rule->calls; *at;) {
        size_t len = strcspn(at, " ");
        (void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
        c.nr = is_named(top, name, strlen(name)) ? -1 : seccomp_call_number(name);
        int r = c.nr < 0 ? 0 : add_from(&c, 0); /* negative: this architecture has none of it */
        if (r < 0)
            return err_set(reterr, CORDON_E_HOST, -r, "libseccomp refuses the row of '%s'", name);
        at += len;
        at += strspn(at, " ");
    }
    return 0;
}

/* But for the calls that `top` names. */
static int add_rows(scmp_filter_ctx ctx, const struct sys_table *table, const struct sys_table *top,
                    struct cordon_err *reterr)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->rules[i].action == table->otherwise)
            continue; /* says what happens anyway, and why; libseccomp would refuse it */
        int r = add_rule(ctx, &table->rules[i], top, reterr);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_rules(scmp_filter_ctx ctx, const struct sys_table *table, struct cordon_err *reterr)
{
    /* 2: a binary tree by call number. A chain costs every call, and loads at half the speed. */
    int r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (r == 0)
        r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, action_of(table->foreign));
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r,
                       "libseccomp 2.5 and a kernel with system-call filters are needed");

    r = add_rows(ctx, table, NULL, reterr);
    return r == 0 && table->over ? add_rows(ctx, table->over, table, reterr) : r;
}

static int export(scmp_filter_ctx ctx, int *ret_fd, struct cordon_err *reterr)
{
    AUTO_FD fd = memfd_create("call-filter", MFD_CLOEXEC);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make memory for the call filter");
    int r = seccomp_export_bpf(ctx, fd);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "libseccomp cannot compile the call filter");
    *ret_fd = fd_take(&fd);
    return 0;
}

int seccomp_compile(const struct sys_table *table, int *ret_fd, struct cordon_err *reterr)
{
    /* For the kernel that will run it, not the one that it is built on: 5 knows SYS_ASK. */
    (void)seccomp_api_set(5);
    scmp_filter_ctx ctx = seccomp_init(action_of(table->otherwise));
    if (!ctx)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make a call filter");
    int r = add_rules(ctx, table, reterr);
    if (r == 0)
        r = export(ctx, ret_fd, reterr);
    seccomp_release(ctx);
    return r;
}
