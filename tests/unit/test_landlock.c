/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock: in a copy of this process, with nothing else between it and the host's files.
 * Where the kernel has no Landlock, asking for it must fail and say what to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/io.h"
#include "jail/landlock.h"
#include "jail/privs.h"

/* A directory with view/file, work/, and outside/file in it; the current one is work/. */
static char base[] = "/tmp/test-landlock-XXXXXX";
static int outside_fd; /* of outside/, opened before the wall */

static int make_file(const char *path)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    return fd < 0 ? -1 : io_write_all(fd, "#!/bin/true\n", 12);
}

static int make_tree(void **state)
{
    (void)state;
    if (!mkdtemp(base) || chdir(base) < 0 || mkdir("view", 0755) < 0 || mkdir("work", 0755) < 0 ||
        mkdir("outside", 0755) < 0 || mkdir("work/sub", 0755) < 0)
        return -1;
    if (make_file("view/file") < 0 || make_file("outside/file") < 0)
        return -1;
    outside_fd = open("outside", O_PATH | O_CLOEXEC);
    return outside_fd < 0 || chdir("work") < 0 ? -1 : 0;
}

static int remove_tree(void **state)
{
    char command[sizeof(base) + 16];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf %s", base);
    return system(command);
}

/* Runs `body` behind the wall; its value is what it returned there. */
static int behind(int (*body)(void))
{
    static const struct landlock_rule rules[] = {
        {"../view", LANDLOCK_READ, 0},
        {"/dev/null", LANDLOCK_USE, 1},
        {"/no/such/device", LANDLOCK_USE, 1},
        {".", LANDLOCK_OWN, 0},
    };
    struct cordon_err err = {0};
    int status = 0;

    if (landlock_abi() == 0)
        skip();
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (privs_no_new_privs(&err) < 0 || landlock_apply(rules, ARRAY_LEN(rules), &err) < 0) {
            (void)fprintf(stderr, "%s\n", err.msg);
            _exit(250);
        }
        _exit(body());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int fails(int r)
{
    return r < 0 ? errno : 0;
}

static int opens(const char *path, int flags)
{
    return fails(open(path, flags | O_CLOEXEC, 0600));
}

/* ---- bodies -------------------------------------------------------------------------- */

static int read_view(void)
{
    return opens("../view/file", O_RDONLY);
}

static int list_view(void)
{
    return opens("../view", O_RDONLY | O_DIRECTORY);
}

static int write_view(void)
{
    return opens("../view/file", O_WRONLY);
}

static int create_in_view(void)
{
    return opens("../view/new", O_WRONLY | O_CREAT);
}

static int truncate_view(void)
{
    return fails(truncate("../view/file", 0));
}

static int execute_view(void)
{
    char path[] = "../view/file";
    char *args[] = {path, NULL};
    char *none[] = {NULL};
    return fails(execve(path, args, none));
}

static int read_outside(void)
{
    return opens("../outside/file", O_RDONLY);
}

static int list_outside(void)
{
    return opens("..", O_RDONLY | O_DIRECTORY);
}

static int read_by_leaked_descriptor(void)
{
    return fails(openat(outside_fd, "file", O_RDONLY | O_CLOEXEC));
}

static int create_by_leaked_descriptor(void)
{
    return fails(openat(outside_fd, "new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int work_in_own_directory(void)
{
    int r = opens("file", O_RDWR | O_CREAT | O_EXCL);
    if (r == 0)
        r = fails(mkdir("dir", 0700));
    if (r == 0 && landlock_abi() >= 2) /* before, moves between directories are never possible */
        r = fails(rename("file", "sub/file"));
    else if (r == 0)
        r = fails(rename("file", "file2"));
    if (r == 0)
        r = fails(symlink("x", "link"));
    if (r == 0)
        r = fails(rmdir("dir"));
    if (r == 0)
        r = fails(unlink("link"));
    return r == 0 ? opens(".", O_RDONLY | O_DIRECTORY) : r;
}

static int make_fifo(void)
{
    return fails(mkfifo("fifo", 0600));
}

static int move_out(void)
{
    if (opens("mine", O_WRONLY | O_CREAT) != 0)
        return 1;
    return fails(rename("mine", "../outside/mine"));
}

static int bind_unix_path(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fails(bind(s, (struct sockaddr *)&at, sizeof(at)));
}

static int write_device(void)
{
    return opens("/dev/null", O_RDWR | O_TRUNC);
}

static int read_other_device(void)
{
    return opens("/dev/zero", O_RDONLY);
}

static int bind_tcp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fails(bind(s, (struct sockaddr *)&at, sizeof(at)));
}

static int connect_tcp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(1)};
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fails(connect(s, (struct sockaddr *)&at, sizeof(at)));
}

static int signal_parent(void)
{
    return fails(kill(getppid(), 0));
}

static int signal_itself(void)
{
    return fails(kill(getpid(), 0));
}

/* ---- tests ----------------------------------------------------------------------------- */

static void the_view_can_be_read_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(behind(read_view), 0);
    assert_int_equal(behind(list_view), 0);
    assert_int_equal(behind(write_view), EACCES);
    assert_int_equal(behind(create_in_view), EACCES);
    assert_int_equal(behind(execute_view), EACCES);
    if (landlock_abi() >= 3)
        assert_int_equal(behind(truncate_view), EACCES);
}

static void what_lies_outside_does_not_open(void **state)
{
    (void)state;
    assert_int_equal(behind(read_outside), EACCES);
    assert_int_equal(behind(list_outside), EACCES);
    assert_int_equal(behind(read_by_leaked_descriptor), EACCES);
    assert_int_equal(behind(create_by_leaked_descriptor), EACCES);
    assert_int_equal(behind(read_other_device), EACCES);
}

static void the_own_directory_is_its_own(void **state)
{
    (void)state;
    assert_int_equal(behind(work_in_own_directory), 0);
    assert_int_equal(behind(make_fifo), EACCES);
    assert_int_equal(behind(bind_unix_path), EACCES);
    assert_true(behind(move_out) == EACCES || behind(move_out) == EXDEV);
    assert_int_equal(behind(write_device), 0);
}

static void tcp_does_not_exist(void **state)
{
    (void)state;
    if (landlock_abi() < 4)
        skip();
    assert_int_equal(behind(bind_tcp), EACCES);
    assert_int_equal(behind(connect_tcp), EACCES);
}

static void nobody_outside_gets_a_signal(void **state)
{
    (void)state;
    if (landlock_abi() < 6)
        skip();
    assert_int_equal(behind(signal_parent), EPERM);
    assert_int_equal(behind(signal_itself), 0);
}

/* Without the wall the same bodies get through: it is the wall that holds them. */
static void it_is_the_wall_that_holds(void **state)
{
    (void)state;
    assert_int_equal(write_view(), 0);
    assert_int_equal(read_outside(), 0);
    assert_int_equal(list_outside(), 0);
    assert_int_equal(read_by_leaked_descriptor(), 0);
    assert_int_equal(read_other_device(), 0);
    assert_int_equal(make_fifo(), 0);
    assert_int_equal(bind_unix_path(), 0);
    assert_int_equal(bind_tcp(), 0);
    assert_int_not_equal(connect_tcp(), EACCES);
    assert_int_equal(signal_parent(), 0);
}

static void a_missing_path_or_kernel_is_an_error(void **state)
{
    static const struct landlock_rule rules[] = {{"/no/such/directory", LANDLOCK_READ, 0}};
    struct cordon_err err = {0};
    (void)state;

    assert_int_equal(landlock_apply(rules, 1, &err), CORDON_E_HOST);
    assert_non_null(strstr(err.msg, landlock_abi() ? "/no/such/directory" : "lsm="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_can_be_read_and_nothing_else),
        cmocka_unit_test(what_lies_outside_does_not_open),
        cmocka_unit_test(the_own_directory_is_its_own),
        cmocka_unit_test(tcp_does_not_exist),
        cmocka_unit_test(nobody_outside_gets_a_signal),
        cmocka_unit_test(it_is_the_wall_that_holds),
        cmocka_unit_test(a_missing_path_or_kernel_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
