/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: a walk over page tables that has no time takes one process at each call, comes to the same
 * sum as one that has, and knows what was made behind its back.
 */
#include "keeper/walk.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)
#define OWN (4 * MIB)
#define OURS (8 * MIB)
#define NEVER UINT64_MAX

struct child {
    pid_t pid;
    int tell, told; /* a byte each way */
};

static char *ours; /* of which each child has a copy that is none yet */

static char *fill(uint64_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    (void)madvise(at, bytes, MADV_NOHUGEPAGE);
    memset(at, 1, bytes);
    return at;
}

/* Fills memory of its own and says so; writes to ours when it is told to, and says so. */
static struct child start(void)
{
    int down[2], up[2];
    char byte = 0;

    assert_int_equal(pipe(down) | pipe(up), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(down[1]);
        (void)fill(OWN);
        if (write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 1)
            memset(ours, 2, OURS);
        while (write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 1)
            ;
        _exit(0);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    assert_true(pid > 0 && read(up[0], &byte, 1) == 1);
    return (struct child){.pid = pid, .tell = down[1], .told = up[0]};
}

static void tell(const struct child *c)
{
    char byte = 0;
    assert_int_equal(write(c->tell, &byte, 1), 1);
    assert_int_equal(read(c->told, &byte, 1), 1);
}

static void end(const struct child *c)
{
    (void)kill(c->pid, SIGKILL);
    assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
    (void)close(c->tell);
    (void)close(c->told);
}

static enum walk_state look(struct walk *walk, uint64_t until_ns, uint64_t *ret)
{
    struct hold_pages pages;

    assert_int_equal(tree_look(), 0);
    enum walk_state state = walk_on(walk, getpid(), 1, until_ns, &pages);
    *ret = pages.own_bytes;
    return state;
}

/* Calls without time, until one more has had its turn. */
static enum walk_state further(struct walk *walk, uint64_t *ret)
{
    uint64_t before = *ret;
    enum walk_state state;

    while ((state = look(walk, 0, ret)) == WALK_GOES_ON && *ret == before)
        (void)sched_yield();
    return state;
}

static void test_parts_come_to_the_whole(void **state)
{
    struct child c[3] = {start(), start(), start()};
    struct walk walk = {0};
    uint64_t all, one = 0, two, three;
    (void)state;

    assert_int_equal(look(&walk, NEVER, &all), WALK_DONE);
    assert_in_range(all, 3 * OWN, 3 * OWN + 3 * OURS);
    assert_int_equal(further(&walk, &one), WALK_GOES_ON);
    two = one;
    assert_int_equal(further(&walk, &two), WALK_GOES_ON);
    three = two;
    assert_int_equal(further(&walk, &three), WALK_DONE);
    assert_true(one < two && two < three);
    assert_in_range(three, all - MIB, all + MIB);
    for (size_t i = 0; i < 3; i++)
        end(&c[i]);
}

static void test_what_is_made_behind_it(void **state)
{
    struct child c[2] = {start(), start()};
    struct walk walk = {0};
    uint64_t held = 0;
    (void)state;

    assert_int_equal(further(&walk, &held), WALK_GOES_ON);
    assert_in_range(walk.grown_bytes, 0, MIB);
    tell(&c[0]); /* copies, which do not show in how many pages it has */
    tell(&c[1]); /* and who has not had its turn yet makes some, too */
    held = 0;
    while (look(&walk, 0, &held) == WALK_GOES_ON)
        assert_in_range(walk.grown_bytes, 2 * OURS, 2 * OURS + MIB);
    assert_in_range(walk.grown_bytes, OURS, OURS + MIB);
    assert_in_range(held, 2 * OWN + OURS, 2 * OWN + 3 * OURS);
    for (size_t i = 0; i < 2; i++)
        end(&c[i]);
}

static void test_who_comes_and_goes(void **state)
{
    struct child c[2] = {start(), start()};
    struct walk walk = {0};
    uint64_t held = 0;
    (void)state;

    assert_int_equal(further(&walk, &held), WALK_GOES_ON);
    const struct child later = start();
    assert_int_equal(further(&walk, &held), WALK_GOES_ON);
    end(&c[0]); /* all that had their turn */
    end(&c[1]);
    while (look(&walk, 0, &held) == WALK_GOES_ON)
        (void)sched_yield();
    assert_in_range(held, OWN, OWN + 2 * OURS);
    end(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_come_to_the_whole),
        cmocka_unit_test(test_what_is_made_behind_it),
        cmocka_unit_test(test_who_comes_and_goes),
    };

    ours = fill(OURS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
