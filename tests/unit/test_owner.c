/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names on the host tell whose they are: what a process that has ended left behind is found
 * and removed, and nothing of one that lives, of another namespace, or of anybody else.
 */
#include "core/owner.h"

#include "base/io.h"
#include "jail/ns.h"
#include "jail/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A name of a process that has ended: the child's own word. */
static void name_of_the_dead(char ret[OWNER_NAME_MAX])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char name[OWNER_NAME_MAX] = "";
        (void)owner_name(name, NULL);
        _exit(write(ends[1], name, sizeof(name)) != sizeof(name));
    }
    assert_int_equal(io_read_all(ends[0], ret, OWNER_NAME_MAX), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void one_s_own_names_are_not_gone(void **state)
{
    (void)state;
    char a[OWNER_NAME_MAX], b[OWNER_NAME_MAX];
    assert_int_equal(owner_name(a, NULL), 0);
    assert_int_equal(owner_name(b, NULL), 0);
    assert_string_not_equal(a, b);
    assert_false(owner_is_gone(a));
}

static void those_of_the_dead_are(void **state)
{
    (void)state;
    char name[OWNER_NAME_MAX];
    name_of_the_dead(name);
    assert_true(owner_is_gone(name));
}

static void a_number_that_is_another_s_now_is_told_by_its_start(void **state)
{
    (void)state;
    char name[OWNER_NAME_MAX], other[OWNER_NAME_MAX + 16];
    unsigned long long space, start, number;
    int pid;
    assert_int_equal(owner_name(name, NULL), 0);
    assert_int_equal(sscanf(name, "cordon-%llx-%d-%llx-%llx", &space, &pid, &start, &number), 4);
    (void)snprintf(other, sizeof(other), "cordon-%llx-%d-%llx-%016llx", space, pid, start - 1,
                   number);
    assert_true(owner_is_gone(other));
    (void)snprintf(other, sizeof(other), "cordon-%llx-%d-%llx-%016llx", space + 1, pid, start - 1,
                   number);
    assert_false(owner_is_gone(other)); /* of another namespace */
}

static void what_is_no_such_name_is_nobody_s(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        ".",
        "..",
        "cordon",
        "cordon-",
        "cordon-0123456789abcdef",
        "cordon-0-1-1-1",
        "cordon-f0000000-1-1",
        "cordon-f0000000--1-1-0000000000000000",
    };
    char name[OWNER_NAME_MAX], longer[OWNER_NAME_MAX + 2];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_false(owner_is_gone(names[i]));
    name_of_the_dead(name);
    (void)snprintf(longer, sizeof(longer), "%s~", name);
    assert_false(owner_is_gone(longer));
}

static int removed;

static void remove_one(const char *path)
{
    removed++;
    (void)rmdir(path);
}

static void a_sweep_takes_what_the_dead_left_and_no_more(void **state)
{
    (void)state;
    char dir[] = "/tmp/owner-test-XXXXXX";
    char names[3][OWNER_NAME_MAX], paths[3][4 * OWNER_NAME_MAX];
    assert_non_null(mkdtemp(dir));
    assert_int_equal(owner_name(names[0], NULL), 0);
    (void)snprintf(names[1], sizeof(names[1]), "another-directory");
    name_of_the_dead(names[2]);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/%s", dir, names[i]);
        assert_int_equal(mkdir(paths[i], 0700), 0);
    }
    removed = 0;
    owner_sweep(dir, remove_one);
    assert_int_equal(removed, 1);
    assert_int_equal(rmdir(paths[0]), 0);
    assert_int_equal(rmdir(paths[1]), 0);
    assert_int_equal(rmdir(dir), 0); /* the third has gone */
    owner_sweep("/nonexistent", remove_one);
    assert_int_equal(removed, 1);
}

static void root_takes_no_other_account_s(void **state)
{
    char dir[] = "/tmp/test_owner_XXXXXX", name[OWNER_NAME_MAX], path[sizeof(dir) + OWNER_NAME_MAX];
    (void)state;
    if (geteuid() != 0)
        skip();

    assert_non_null(mkdtemp(dir));
    name_of_the_dead(name);
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    assert_int_equal(mkdir(path, 0700), 0);
    removed = 0;
    for (unsigned i = 0; i < 2; i++) {
        /* 1234 is somebody's; no account has the other: it was a sandbox's. */
        assert_int_equal(chown(path, i == 0 ? 1234 : NS_SPARE_ID_BASE + 5, (gid_t)-1), 0);
        owner_sweep(dir, remove_one);
        assert_int_equal(removed, i);
    }
    assert_int_equal(rmdir(dir), 0);
}

static void a_link_is_not_followed(void **state)
{
    char dir[] = "/tmp/test_owner_XXXXXX", link[sizeof(dir) + 8];
    struct stat st;
    (void)state;

    assert_non_null(mkdtemp(dir));
    assert_int_equal(chmod(dir, 0755), 0);
    (void)snprintf(link, sizeof(link), "%s-link", dir);
    assert_int_equal(symlink(dir, link), 0);
    place_remove(link);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_s_own_names_are_not_gone),
        cmocka_unit_test(those_of_the_dead_are),
        cmocka_unit_test(a_number_that_is_another_s_now_is_told_by_its_start),
        cmocka_unit_test(what_is_no_such_name_is_nobody_s),
        cmocka_unit_test(a_sweep_takes_what_the_dead_left_and_no_more),
        cmocka_unit_test(root_takes_no_other_account_s),
        cmocka_unit_test(a_link_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
