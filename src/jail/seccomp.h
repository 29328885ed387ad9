/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp: turns a table of system calls into the bytes of a filter. The only user of
 * libseccomp; runs when Cordon is built (tools/make_filters.c), never in a sandbox (that side
 * is jail/filter.h).
 *
 * How a table is read: the rows of one call exclude each other (a test holds tables to
 * it), so their order means nothing, and what no row covers gets the table's default.
 * Whoever comes through another architecture's entry (32-bit, x32) is killed at once.
 */
#ifndef CORDON_JAIL_SECCOMP_H
#define CORDON_JAIL_SECCOMP_H

#include "cordon.h"

enum sys_action {
    SYS_ABSENT, /* ENOSYS: as in a kernel without it; programs know how to do without */
    SYS_REFUSE, /* EPERM: known and not granted; Python makes a PermissionError of it */
    SYS_TRAP,   /* nobody honest calls it here: the process ends, and says for what */
    SYS_ALLOW,
    SYS_ASK, /* the keeper says, while the caller waits; where nobody counts by asking: ALLOW */
};

enum sys_test { SYS_ANY, SYS_IS, SYS_NOT };

/* What (argument & mask) may be. */
struct sys_bits {
    uint64_t mask;
    uint64_t value;
};

#define SYS_ARGS_MAX 2
#define SYS_BITS_MAX 6

/*
 * A condition on one argument. SYS_IS: it is one of `bits`, of which as many count as have
 * a mask, and which exclude each other. SYS_NOT: it is not the first. The kernel reads an int
 * from the lower half only: a mask must not reach further, or rubbish in the upper half
 * would slip past the row.
 */
struct sys_arg {
    enum sys_test test;
    unsigned arg;
    struct sys_bits bits[SYS_BITS_MAX];
};

struct sys_rule {
    enum sys_action action;
    const char *calls; /* names, separated by spaces; those that this kernel's architecture
                          does not have are left out. "name#number": newer than libseccomp */
    struct sys_arg when[SYS_ARGS_MAX]; /* all must hold */
    const char *why;
};

struct sys_table {
    const struct sys_rule *rules;
    size_t count;
    enum sys_action otherwise;
    enum sys_action foreign;      /* by another architecture's entry, whatever it is */
    const struct sys_table *over; /* whose rows hold for all calls not named in these; or NULL */
};

/*
 * Compiles a table. *ret_fd: a memory file that holds the filter, the caller's.
 * Takes a few milliseconds, by whatever kernel is running.
 */
int seccomp_compile(const struct sys_table *table, int *ret_fd, struct cordon_err *reterr);

/*
 * The number of a call of a table; negative: this architecture has none of it. New calls have
 * the same number on all that Cordon is for.
 */
int seccomp_call_number(const char *call);

/*
 * The name of a call ("ptrace"), or "call 999". arch: an AUDIT_ARCH, or 0 for this one; of
 * another it is said so ("getpid of another architecture"). Returns `name`.
 */
const char *seccomp_call_name(unsigned nr, unsigned arch, char *name, size_t size);

#endif
