/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privs, limits and ns: what they do to a process, seen in a child of the test. What needs
 * namespaces is proved by the behaviour tests, in real sandboxes.
 */
#include "jail/limits.h"
#include "jail/ns.h"
#include "jail/privs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

/* Runs `body` in a child; its return value must be 0, else it is the line that failed. */
static void in_child(int (*body)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(body());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* A file that can be told from others by its length, at the number `fd`. */
static int put_file(int fd, int length)
{
    char path[] = "/tmp/cordon-test-XXXXXX";
    int made = mkstemp(path);

    if (made < 0 || unlink(path) < 0 || ftruncate(made, length) < 0)
        return -1;
    if (made == fd)
        return fd;
    int r = dup2(made, fd);
    (void)close(made);
    return r;
}

static int length_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) < 0 ? -1 : (int)st.st_size;
}

/* The worst numbers: each descriptor sits where another belongs. */
static int arrange_crossed_fds(void)
{
    int fds[WIRE_FORK_FDS] = {
        [WIRE_FD_CHANNEL] = 1, [WIRE_FD_STDOUT] = 3, [WIRE_FD_STDERR] = 5,
        [WIRE_FD_TRACE] = 0,   [WIRE_FD_TEXT] = 4,
    };
    struct stat st;

    for (int i = 0; i < WIRE_FORK_FDS; i++)
        CHECK(put_file(fds[i], 100 + i) == fds[i]);
    CHECK(put_file(6, 7) == 6 && put_file(60, 7) == 60);

    CHECK(privs_arrange_fds(fds, NULL) == 0);
    CHECK(length_of(fds[WIRE_FD_CHANNEL]) == 100 + WIRE_FD_CHANNEL);
    CHECK(length_of(1) == 100 + WIRE_FD_STDOUT);
    CHECK(length_of(2) == 100 + WIRE_FD_STDERR);
    CHECK(length_of(fds[WIRE_FD_TRACE]) == 100 + WIRE_FD_TRACE);
    CHECK(length_of(fds[WIRE_FD_TEXT]) == 100 + WIRE_FD_TEXT);
    CHECK(fstat(0, &st) == 0 && S_ISCHR(st.st_mode));
    for (int fd = 3; fd < 6; fd++)
        CHECK(fds[WIRE_FD_CHANNEL] == fd || fds[WIRE_FD_TRACE] == fd || fds[WIRE_FD_TEXT] == fd);
    for (int fd = 6; fd < 256; fd++)
        CHECK(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
    return 0;
}

static void descriptors_find_their_places(void **state)
{
    (void)state;
    in_child(arrange_crossed_fds);
}

static int arrange_closed_fd(void)
{
    int fds[WIRE_FORK_FDS] = {250, 251, 252, 253, 254};
    struct cordon_err err = {0};

    CHECK(privs_arrange_fds(fds, &err) == CORDON_E_HOST);
    CHECK(err.sys == EBADF);
    return 0;
}

static void a_descriptor_that_is_none_is_an_error(void **state)
{
    (void)state;
    in_child(arrange_closed_fd);
}

static int drop_everything(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    CHECK(privs_keep_caps(0, NULL) == 0);
    CHECK(syscall(SYS_capget, &head, data) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(data[i].permitted == 0 && data[i].effective == 0 && data[i].inheritable == 0);
    for (int cap = 0; cap < 64; cap++)
        CHECK(prctl(PR_CAPBSET_READ, cap, 0, 0, 0) <= 0);
    return 0;
}

static void no_capability_is_left(void **state)
{
    (void)state;
    if (prctl(PR_CAPBSET_READ, CAP_SETPCAP, 0, 0, 0) != 1 || geteuid() != 0)
        skip(); /* an ordinary user has none to drop, and may not touch the bounding set */
    in_child(drop_everything);
}

static int set_bits(void)
{
    CHECK(privs_no_new_privs(NULL) == 0);
    CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    CHECK(privs_set_dumpable(0, NULL) == 0);
    CHECK(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    CHECK(privs_set_dumpable(1, NULL) == 0);
    CHECK(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
    return 0;
}

static void privilege_bits_are_set(void **state)
{
    (void)state;
    in_child(set_bits);
}

/* ---- limits ---------------------------------------------------------------- */

static int limit_is(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit now;

    return getrlimit((__rlimit_resource_t)resource, &now) == 0 && now.rlim_cur == soft &&
           now.rlim_max == hard;
}

static int apply_limits(void)
{
    const struct sandbox_spec spec = {
        .memory_bytes = 1 << 30, .cpu_ms = 1500, .tasks = 5, .open_files = 20, .disk_bytes = 4096};
    struct limits_base base = {0};

    CHECK(limits_measure(&base, NULL) == 0);
    CHECK(base.vm_bytes > 0 && base.data_bytes > 0 && base.data_bytes < base.vm_bytes);
    CHECK(limits_apply(&spec, &base, NULL) == 0);

#ifdef CORDON_SANITIZED
    CHECK(!limit_is(RLIMIT_AS, base.vm_bytes + (1 << 30), base.vm_bytes + (1 << 30)));
#else
    CHECK(limit_is(RLIMIT_AS, base.vm_bytes + (1 << 30), base.vm_bytes + (1 << 30)));
    CHECK(limit_is(RLIMIT_DATA, base.data_bytes + (1 << 30), base.data_bytes + (1 << 30)));
#endif
    CHECK(limit_is(RLIMIT_CPU, 2, 3));
    CHECK(limit_is(RLIMIT_NPROC, 5, 5));
    CHECK(limit_is(RLIMIT_NOFILE, 20, 20));
    CHECK(limit_is(RLIMIT_FSIZE, 4096, 4096));
    CHECK(limit_is(RLIMIT_CORE, 0, 0));
    CHECK(limit_is(RLIMIT_MSGQUEUE, 0, 0));
    CHECK(limit_is(RLIMIT_NICE, 0, 0));
    CHECK(limit_is(RLIMIT_RTPRIO, 0, 0));
    for (int resource = 0; resource < (int)RLIM_NLIMITS; resource++) {
        struct rlimit now;
        CHECK(getrlimit((__rlimit_resource_t)resource, &now) == 0);
        if (resource != RLIMIT_AS && resource != RLIMIT_DATA && resource != RLIMIT_RSS)
            CHECK(now.rlim_max != RLIM_INFINITY);
    }
    return 0;
}

static void every_limit_is_set(void **state)
{
    (void)state;
    in_child(apply_limits);
}

static int apply_above_the_host(void)
{
    const struct rlimit host = {12, 12};
    const struct sandbox_spec spec = {.memory_bytes = 1 << 30, .cpu_ms = 1000, .open_files = 64};
    struct limits_base base = {.vm_bytes = UINT64_MAX - 1, .data_bytes = UINT64_MAX - 1};

    CHECK(setrlimit(RLIMIT_NOFILE, &host) == 0);
    CHECK(privs_keep_caps(0, NULL) == 0 || geteuid() != 0);
    CHECK(limits_apply(&spec, &base, NULL) == 0);
    CHECK(limit_is(RLIMIT_NOFILE, 12, 12));
    CHECK(limit_is(RLIMIT_CPU, 1, 2));
    return 0;
}

static void a_lower_limit_of_the_host_holds(void **state)
{
    (void)state;
    in_child(apply_above_the_host);
}

#define TASKS 20

/* How many can live at once, the caller not counted. */
static int fill_with_tasks(void)
{
    int tasks = 0;
    pid_t pid;

    while (tasks < 10 * TASKS && (pid = fork()) >= 0) {
        if (pid == 0)
            for (;;)
                (void)pause();
        tasks++;
    }
    return errno == EAGAIN ? tasks : -1;
}

static int number_tasks(void)
{
    int status;

    CHECK(unshare(CLONE_NEWNS | CLONE_NEWPID) == 0);
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int done = mount("proc", "/proc", "proc", 0, NULL) == 0 ? limits_number(TASKS) : -1;
        _exit(done == 1 ? fill_with_tasks() : done == 0 ? 0 : 255);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 39 || WEXITSTATUS(status) == 0);
    return WEXITSTATUS(status) == 0 ? 77 : 0;
}

static void there_are_numbers_for_less_than_twice_as_many_tasks(void **state)
{
    int status;
    (void)state;

    if (geteuid() != 0)
        skip();
    pid_t pid = fork();
    if (pid == 0)
        _exit(number_tasks());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); /* a kernel whose namespaces have no numbers of their own, or too many of them */
    assert_int_equal(status, 0);
}

/* ---- ns -------------------------------------------------------------------- */

static unsigned spare_in(const char *map, unsigned wish)
{
    char path[] = "/tmp/cordon-test-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, map, strlen(map)), strlen(map));
    unsigned id = ns_spare_id(path, wish);
    (void)close(fd);
    (void)unlink(path);
    return id;
}

static void spare_ids_are_never_root(void **state)
{
    (void)state;
    assert_int_equal(spare_in("         0          0 4294967295\n", 1879050000), 1879050000);
    /* A container with a range of its own: somewhere in it. */
    unsigned id = spare_in("         0       1000          1\n         1     100000      65536\n",
                           1879050000);
    assert_in_range(id, 1, 65536);
    /* Nothing but root. */
    assert_int_equal(spare_in("         0       1000          1\n", 1879050000), 0);
    assert_int_equal(spare_in("", 1879050000), 0);
    assert_int_equal(ns_spare_id("/nonexistent", 1), 0);
}

static void a_copy_has_its_own_pid(void **state)
{
    int status, pidfd = -1;
    (void)state;

    pid_t pid = ns_clone(CLONE_PIDFD | SIGCHLD, &pidfd);
    if (pid == 0)
        _exit(getpid() == (pid_t)syscall(SYS_getpid) && raise(0) == 0 ? 7 : 8);
    assert_true(pid > 0);
    assert_true(pidfd >= 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    (void)close(pidfd);
}

static void advice_is_never_missing(void **state)
{
    (void)state;
    for (int sys = 0; sys < 200; sys++)
        assert_true(strlen(ns_advice(sys)) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_find_their_places),
        cmocka_unit_test(a_descriptor_that_is_none_is_an_error),
        cmocka_unit_test(no_capability_is_left),
        cmocka_unit_test(privilege_bits_are_set),
        cmocka_unit_test(every_limit_is_set),
        cmocka_unit_test(a_lower_limit_of_the_host_holds),
        cmocka_unit_test(there_are_numbers_for_less_than_twice_as_many_tasks),
        cmocka_unit_test(spare_ids_are_never_root),
        cmocka_unit_test(a_copy_has_its_own_pid),
        cmocka_unit_test(advice_is_never_missing),
    };
    return cmocka_run_group_tests_name("privs", tests, NULL, NULL);
}
