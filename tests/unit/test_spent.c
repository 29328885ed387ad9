/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent: what a process has used counts once, whether it was waited for, by whom, or by nobody.
 */
#include "keeper/spent.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define USED (30 * MS)
/* Two ticks of a clock, and what it takes to end. */
#define SLACK (25 * MS)

static struct spent spent;

struct child {
    pid_t pid; /* who has used it */
    int tell;  /* to be closed: it ends */
};

static uint64_t used_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static _Noreturn void use(int say, int hear)
{
    pid_t own = getpid();
    char byte;

    while (used_ns() < USED)
        ;
    if (write(say, &own, sizeof(own)) < 0 || read(hear, &byte, 1) < 0)
        _exit(1);
    _exit(0);
}

/* A process of ours, or of one that ends without waiting for it. */
static struct child start(int is_grandchild)
{
    int up[2], down[2];
    struct child c;

    assert_int_equal(pipe(up) | pipe(down), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(down[1]);
        if (is_grandchild && fork() != 0)
            _exit(0);
        use(up[1], down[0]);
    }
    assert_true(pid > 0 && read(up[0], &c.pid, sizeof(c.pid)) == sizeof(c.pid));
    c.tell = down[1];
    (void)close(up[0]);
    (void)close(up[1]);
    (void)close(down[0]);
    return c;
}

static void end(struct child c)
{
    const struct timespec breath = {.tv_nsec = 1000000};

    (void)close(c.tell);
    if (waitpid(c.pid, NULL, 0) < 0)
        assert_int_equal(errno, ECHILD);
    while (kill(c.pid, 0) == 0)
        (void)nanosleep(&breath, NULL);
}

static uint64_t look(void)
{
    assert_int_equal(tree_look(), 0);
    spent_look(&spent, tree_number(getpid()), 0);
    return spent.others_ns;
}

/* Looks at one that is there and then is not. Returns what there is more of in the end. */
static uint64_t see(int is_grandchild)
{
    uint64_t before = look();
    struct child c = start(is_grandchild);

    assert_in_range(look() - before, USED, USED + SLACK);
    end(c);
    assert_in_range(look() - before, USED, USED + SLACK);
    return look() - before;
}

static void test_waited_for(void **state)
{
    (void)state;
    (void)signal(SIGCHLD, SIG_DFL);
    uint64_t gone = spent.gone_ns;
    for (int i = 0; i < 4; i++)
        assert_in_range(see(0), USED, USED + SLACK);
    assert_false(spent.is_hiding);
    assert_int_equal(spent.gone_ns, gone);
}

static void test_ignored(void **state)
{
    uint64_t before = look();

    (void)state;
    (void)signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 4; i++)
        assert_in_range(see(0), USED, USED + SLACK);
    (void)signal(SIGCHLD, SIG_DFL);
    assert_in_range(look() - before, 4 * USED, 4 * USED + SLACK);
    /* And who is waited for later does not stand for those. */
    assert_in_range(see(0), USED - SLACK, USED + SLACK);
    assert_true(look() - before >= 5 * USED - SLACK);
}

static void test_adopted(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    assert_in_range(see(1), USED, USED + SLACK); /* waited for by who adopts */
    (void)signal(SIGCHLD, SIG_IGN);
    assert_in_range(see(1), USED, USED + SLACK);
    (void)signal(SIGCHLD, SIG_DFL);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* With its parent, which has waited for it, between two looks. */
static void test_both_have_gone(void **state)
{
    int pair[2], go[2];

    (void)state;
    uint64_t before = look();
    assert_int_equal(pipe(pair) | pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(go[1]);
        if (fork() == 0)
            use(pair[1], go[0]);
        (void)wait(NULL);
        _exit(0);
    }
    pid_t inner;
    assert_true(read(pair[0], &inner, sizeof(inner)) == sizeof(inner));
    assert_in_range(look() - before, USED, USED + SLACK);
    (void)close(go[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_in_range(look() - before, USED, USED + SLACK);
    assert_in_range(look() - before, USED, USED + SLACK);
    assert_in_range(look() - before, USED, USED + SLACK);
    (void)close(go[0]);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waited_for),
        cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_adopted),
        cmocka_unit_test(test_both_have_gone),
    };
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    spent_close(&spent);
    return r;
}
