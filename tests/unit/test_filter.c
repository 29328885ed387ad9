/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: the strict filter loaded for real, in a copy of this process that then makes a
 * call: what it gets, how it ends, and what it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/wire.h"
#include "core/syscalls.h"
#include "jail/filter.h"
#include "jail/ns.h"
#include "jail/privs.h"

static char filter_bytes[FILTER_BYTES_MAX];
static size_t filter_len;

static int compile(void **state)
{
    struct cordon_err err = {0};
    int fd = -1;
    (void)state;

    int r = seccomp_compile(&syscalls_strict, &fd, &err);
    if (r == 0)
        r = filter_read(fd, filter_bytes, &filter_len, &err);
    fd_close(&fd);
    return r;
}

/* How a walled copy of this process ended. */
struct end {
    int status;
    char said[128]; /* on the trace descriptor */
};

static int walled(int trace, int (*body)(void))
{
    struct cordon_err err = {0};
    if (filter_watch(trace, &err) < 0 || privs_no_new_privs(&err) < 0 ||
        filter_load(filter_bytes, filter_len, &err) < 0)
        return 99;
    return body();
}

static struct end run(unsigned long spaces, int (*body)(void))
{
    struct end end = {0};
    int trace[2];

    assert_int_equal(pipe2(trace, O_CLOEXEC), 0);
    pid_t pid = ns_clone(spaces | SIGCHLD, NULL);
    if (pid < 0 && spaces) {
        print_message("no namespaces here\n");
        skip();
    }
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(walled(trace[1], body));
    (void)close(trace[1]);
    (void)io_read_all(trace[0], end.said, sizeof(end.said) - 1); /* up to its end */
    (void)close(trace[0]);
    assert_int_equal(waitpid(pid, &end.status, 0), pid);
    return end;
}

static void assert_returns(int (*body)(void), int value)
{
    struct end end = run(0, body);
    assert_true(WIFEXITED(end.status));
    assert_int_equal(WEXITSTATUS(end.status), value);
    assert_string_equal(end.said, "");
}

static void assert_stopped_for(struct end end, long nr)
{
    char line[64];
    assert_true(WIFSIGNALED(end.status));
    assert_int_equal(WTERMSIG(end.status), SIGSYS);
    (void)snprintf(line, sizeof(line), FILTER_WORD "%ld\n", nr);
    assert_string_equal(end.said, nr < 0 ? "" : line);
}

/* ---- bodies: what the copy does; the value is its exit status -------------------- */

static int nothing(void)
{
    return 7;
}

static int open_socket(void)
{
    return syscall(SYS_socket, 2, 1, 0) < 0 ? errno : 0;
}

static int call_unknown(void)
{
    return syscall(9999) < 0 ? errno : 0;
}

static int call_ptrace(void)
{
    (void)syscall(SYS_ptrace, 0, 0, 0, 0);
    return 1;
}

static int call_unshare(void)
{
    (void)unshare(CLONE_NEWUSER);
    return 1;
}

static int call_with_signal_blocked(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    return call_ptrace();
}

static int replace_handler(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    return sigaction(SIGSYS, &ignore, NULL) < 0 ? errno : 0;
}

static int replace_other_handler(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    return sigaction(SIGUSR1, &ignore, NULL) < 0 ? errno : 0;
}

static void tell(int sig)
{
    static const char line[] = "line 3\n";
    (void)sig;
    for (int fd = 3; fd < 64; fd++) /* the trace's number is not ours to know */
        if (fcntl(fd, F_GETFL) >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
            (void)!write(fd, line, sizeof(line) - 1);
}

static int call_with_line_at_hand(void)
{
    const struct sigaction action = {.sa_handler = tell};
    (void)sigaction(WIRE_TRACE_SIGNAL, &action, NULL);
    return call_ptrace();
}

static void *in_thread(void *arg)
{
    *(int *)arg = 5;
    return NULL;
}

static int start_thread(void)
{
    pthread_t thread;
    int value = 0;
    if (pthread_create(&thread, NULL, in_thread, &value) != 0)
        return 1;
    (void)pthread_join(thread, NULL);
    return value;
}

static void *ptrace_in_thread(void *arg)
{
    (void)call_ptrace();
    return arg;
}

static int trap_in_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, ptrace_in_thread, NULL) != 0)
        return 1;
    (void)pthread_join(thread, NULL);
    return 2;
}

static int fork_child(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(6);
    return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 1;
}

static int execute(void)
{
    char program[] = "/bin/true";
    char *args[] = {program, NULL};
    char *none[] = {NULL};
    (void)execve(program, args, none);
    return errno;
}

static int map(int prot, int flags, int fd)
{
    return mmap(NULL, 4096, prot, flags, fd, 0) == MAP_FAILED ? errno : 0;
}

static int map_fresh_code(void)
{
    return map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static int make_data_code(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    return mprotect(page, 4096, PROT_READ | PROT_EXEC) < 0 ? errno : 0;
}

static int map_library_code(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? 1 : map(PROT_READ | PROT_EXEC, MAP_PRIVATE, fd);
}

static int map_library_code_to_write(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? 1 : map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd);
}

static int map_data(void)
{
    return map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

#if defined(__x86_64__)
static int call_by_32_bit_gate(void)
{
    long r = 20; /* getpid there, writev here */
    __asm__ volatile("int $0x80" : "+a"(r) : : "memory");
    return 1;
}

static int call_by_x32(void)
{
    (void)syscall(0x40000000L | SYS_getpid);
    return 1;
}
#endif

/* ---- tests ------------------------------------------------------------------------- */

static void what_is_allowed_works(void **state)
{
    (void)state;
    assert_returns(nothing, 7);
    assert_returns(start_thread, 5);
    assert_returns(fork_child, 6);
    assert_returns(replace_other_handler, 0);
    assert_returns(map_data, 0);
    assert_returns(map_library_code, 0);
}

static void what_is_refused_answers_with_its_error(void **state)
{
    (void)state;
    assert_returns(open_socket, EPERM);
    assert_returns(call_unknown, ENOSYS);
    assert_returns(execute, EPERM);
    assert_returns(replace_handler, EPERM);
    assert_returns(map_fresh_code, EPERM);
    assert_returns(make_data_code, EPERM);
    assert_returns(map_library_code_to_write, EPERM);
}

static void what_is_trapped_ends_it_and_is_named(void **state)
{
    (void)state;
    assert_stopped_for(run(0, call_ptrace), SYS_ptrace);
    assert_stopped_for(run(0, call_unshare), SYS_unshare);
    assert_stopped_for(run(0, trap_in_thread), SYS_ptrace);
}

static void process_one_of_a_namespace_ends_too(void **state)
{
    (void)state;
    assert_stopped_for(run(CLONE_NEWUSER | CLONE_NEWPID, call_ptrace), SYS_ptrace);
    assert_stopped_for(run(CLONE_NEWUSER | CLONE_NEWPID, call_with_signal_blocked), -1);
}

static void a_blocked_signal_does_not_help(void **state)
{
    (void)state;
    assert_stopped_for(run(0, call_with_signal_blocked), -1);
}

static void the_running_line_follows_the_number(void **state)
{
    char said[64];
    (void)state;

    struct end end = run(0, call_with_line_at_hand);
    (void)snprintf(said, sizeof(said), FILTER_WORD "%d\nline 3\n", SYS_ptrace);
    assert_string_equal(end.said, said);
    assert_true(WIFSIGNALED(end.status));
}

static void other_entries_kill(void **state)
{
    (void)state;
#if defined(__x86_64__)
    struct end end = run(0, call_by_32_bit_gate);
    assert_true(WIFSIGNALED(end.status)); /* SIGSEGV where the kernel has no such gate */
    assert_true(WTERMSIG(end.status) != SIGSYS ||
                strcmp(end.said, FILTER_WORD "20" FILTER_OF "1073741827\n") == 0);
    assert_stopped_for(run(0, call_by_x32), 0x40000000 + SYS_getpid);
#endif
}

static void what_is_no_filter_is_not_loaded(void **state)
{
    struct cordon_err err = {0};
    static char zeros[64];
    (void)state;

    assert_int_equal(filter_load(filter_bytes, 0, &err), CORDON_E_PROTOCOL);
    assert_int_equal(filter_load(filter_bytes, 12, &err), CORDON_E_PROTOCOL);
    assert_int_equal(filter_load(filter_bytes, FILTER_BYTES_MAX + 8, &err), CORDON_E_PROTOCOL);
    assert_int_equal(filter_load(zeros, sizeof(zeros), &err), CORDON_E_HOST);
}

static void what_is_no_filter_is_not_read(void **state)
{
    struct cordon_err err = {0};
    char bytes[FILTER_BYTES_MAX];
    size_t len = 1;
    (void)state;

    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(filter_read(fd, bytes, &len, &err), CORDON_E_PROTOCOL);
    assert_int_equal(ftruncate(fd, 12), 0);
    assert_int_equal(filter_read(fd, bytes, &len, &err), CORDON_E_PROTOCOL);
    assert_int_equal(len, 1);
    assert_int_equal(ftruncate(fd, 2 * FILTER_BYTES_MAX), 0);
    assert_int_equal(filter_read(fd, bytes, &len, &err), 0); /* no more than fits is taken */
    assert_int_equal(len, FILTER_BYTES_MAX);
    fd_close(&fd);
    assert_int_equal(filter_read(-1, bytes, &len, &err), CORDON_E_PROTOCOL);
}

/* ---- who asks ------------------------------------------------------------------ */

static void ask_approved(void *bytes, size_t *len)
{
    struct cordon_err err = {0};
    int fd = -1;

    assert_int_equal(seccomp_compile(&syscalls_approved, &fd, &err), 0);
    assert_int_equal(filter_read(fd, bytes, len, &err), 0);
    fd_close(&fd);
}

static void be_quiet(int sig)
{
    (void)sig;
}

/* Hands its listener over and makes a memory file, which it is told to be number 77. */
static int asking(int sock, void *bytes, size_t len)
{
    struct cordon_err err = {0};
    struct sigaction action = {.sa_handler = be_quiet}; /* it restarts nothing */
    int listener = -1;

    if (sigaction(SIGUSR1, &action, NULL) < 0 || privs_no_new_privs(&err) < 0 ||
        filter_load_asking(bytes, len, &listener, &err) < 0)
        return 1;
    if (io_send_fds(sock, "x", 1, &listener, listener >= 0) < 0)
        return 2;
    if (listener < 0)
        return 0; /* this kernel, or a filter above, has it not */
    fd_close(&listener);
    return syscall(SYS_memfd_create, "x", 0) == 77 ? 0 : 3;
}

static void answer_late(int listener, pid_t pid)
{
    union {
        struct seccomp_notif call;
        char room[512];
    } got = {.room = {0}};

    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &got), 0);
    assert_int_equal(got.call.data.nr, SYS_memfd_create);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(kill(pid, SIGUSR1), 0);
        (void)usleep(1000);
    }
    struct seccomp_notif_resp resp = {.id = got.call.id, .val = 77};
    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp), 0);
}

static void a_signal_does_not_end_the_wait_for_an_answer(void **state)
{
    static char bytes[FILTER_BYTES_MAX];
    size_t len = 0, nfds;
    int pair[2], listener = -1, status;
    char byte;
    (void)state;

    ask_approved(bytes, &len);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(asking(pair[1], bytes, len));
    assert_int_equal(io_recv_fds(pair[0], &byte, 1, &listener, 1, &nfds), 1);
    if (listener >= 0)
        answer_late(listener, pid);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fd_close(&listener);
    fd_close(&pair[0]);
    fd_close(&pair[1]);
}

static int asking_nobody(void *bytes, size_t len)
{
    struct cordon_err err = {0};

    if (privs_no_new_privs(&err) < 0 || filter_load_asking(bytes, len, NULL, &err) < 0)
        return 1;
    return syscall(SYS_memfd_create, "x", 0) >= 0 && syscall(SYS_keyctl, 0) < 0 ? 0 : 2;
}

static void where_nobody_can_be_asked_it_is_allowed(void **state)
{
    static char bytes[FILTER_BYTES_MAX];
    size_t len = 0;
    int status;
    (void)state;

    ask_approved(bytes, &len);
    pid_t pid = fork();
    if (pid == 0)
        _exit(asking_nobody(bytes, len));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allowed_works),
        cmocka_unit_test(what_is_refused_answers_with_its_error),
        cmocka_unit_test(what_is_trapped_ends_it_and_is_named),
        cmocka_unit_test(process_one_of_a_namespace_ends_too),
        cmocka_unit_test(a_blocked_signal_does_not_help),
        cmocka_unit_test(the_running_line_follows_the_number),
        cmocka_unit_test(other_entries_kill),
        cmocka_unit_test(what_is_no_filter_is_not_loaded),
        cmocka_unit_test(what_is_no_filter_is_not_read),
        cmocka_unit_test(a_signal_does_not_end_the_wait_for_an_answer),
        cmocka_unit_test(where_nobody_can_be_asked_it_is_allowed),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
