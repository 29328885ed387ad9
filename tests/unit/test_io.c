/* SPDX-License-Identifier: Apache-2.0 */
/* io: one owner per descriptor, whole reads and writes, messages that carry descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "base/io.h"

static int is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static int same_file(int a, int b)
{
    struct stat sa, sb;
    assert_int_equal(fstat(a, &sa), 0);
    assert_int_equal(fstat(b, &sb), 0);
    return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* The lowest free descriptor: equal before and after means that nothing leaked. */
static int next_fd(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)close(fd);
    return fd;
}

/* ---- owners --------------------------------------------------------------- */

static void close_forgets_the_number_and_keeps_errno(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int number = fd;

    errno = ETXTBSY;
    fd_close(&fd);
    assert_int_equal(fd, -1);
    assert_int_equal(errno, ETXTBSY);
    assert_false(is_open(number));
    fd_close(&fd); /* closing nothing is fine */
    assert_int_equal(fd, -1);
}

static void zero_is_a_descriptor_like_any_other(void **state)
{
    (void)state;
    int keep = fcntl(0, F_DUPFD_CLOEXEC, 10);
    int zero = 0;

    fd_close(&zero);
    assert_false(is_open(0));
    if (keep >= 0) {
        assert_int_equal(dup2(keep, 0), 0);
        (void)close(keep);
    }
}

static void leave_scope(int *ret_kept, int *ret_lost)
{
    AUTO_FD lost = open("/dev/null", O_RDONLY | O_CLOEXEC);
    AUTO_FD kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
    AUTO_FD none = -1;
    AUTO_FREE char *memory = malloc(10);
    AUTO_FREE char *nothing = NULL;
    (void)none;
    assert_non_null(memory);
    assert_null(nothing);
    *ret_lost = lost;
    *ret_kept = fd_take(&kept);
    assert_int_equal(kept, -1);
}

static void scope_closes_what_was_not_taken(void **state)
{
    (void)state;
    int kept, lost;
    leave_scope(&kept, &lost);
    assert_true(is_open(kept));
    assert_false(is_open(lost));
    (void)close(kept);
}

/* ---- whole reads and writes ------------------------------------------------ */

struct drip {
    int fd;
    const char *data;
    size_t len;
};

/* Feeds a pipe in small pieces, so that every read is short. */
static void *drip(void *arg)
{
    struct drip *d = arg;
    for (size_t at = 0; at < d->len; at += 7) {
        size_t n = d->len - at < 7 ? d->len - at : 7;
        if (write(d->fd, d->data + at, n) != (ssize_t)n)
            break;
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    (void)close(d->fd);
    return NULL;
}

static void short_reads_are_put_together(void **state)
{
    (void)state;
    static const char text[] = "the quick brown fox jumps over the lazy dog, again and again";
    char got[sizeof(text)] = {0};
    int p[2];
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    struct drip d = {.fd = p[1], .data = text, .len = sizeof(text)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drip, &d), 0);

    assert_int_equal(io_read_all(p[0], got, sizeof(text)), 0);
    assert_memory_equal(got, text, sizeof(text));
    (void)pthread_join(thread, NULL);
    assert_int_equal(io_read_all(p[0], got, 1), -EPIPE); /* the writer is gone */
    assert_int_equal(io_read_all(p[0], got, 0), 0);
    (void)close(p[0]);
    assert_int_equal(io_read_all(p[0], got, 1), -EBADF);
}

static void *drain(void *arg)
{
    int fd = *(int *)arg;
    char some[1000];
    size_t total = 0;
    ssize_t n;
    while ((n = read(fd, some, sizeof(some))) > 0)
        total += (size_t)n;
    return (void *)total;
}

static void short_writes_are_finished(void **state)
{
    (void)state;
    size_t len = 3u << 20; /* far more than a pipe holds */
    char *data = calloc(1, len);
    int p[2];
    void *total;
    pthread_t thread;
    assert_non_null(data);
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&thread, NULL, drain, &p[0]), 0);

    assert_int_equal(io_write_all(p[1], data, len), 0);
    (void)close(p[1]);
    (void)pthread_join(thread, &total);
    assert_int_equal((size_t)total, len);
    (void)close(p[0]);
    free(data);
}

static void what_is_sealed_stays_as_it_is(void **state)
{
    (void)state;
    AUTO_FD fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(io_write_all(fd, "text", 4), 0);
    assert_int_equal(io_seal(fd), 0);
    assert_int_equal(io_write_all(fd, "x", 1), -EPERM);
    assert_int_equal(ftruncate(fd, 3), -1);
    assert_int_equal(ftruncate(fd, 5), -1);
    assert_int_equal(io_seal(fd), -EPERM); /* for good */
}

static void writing_to_nobody_is_an_error(void **state)
{
    (void)state;
    int p[2];
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    (void)close(p[0]);
    assert_int_equal(io_write_all(p[1], "x", 1), -EPIPE);
    (void)close(p[1]);
}

static void on_alarm(int sig)
{
    (void)sig;
}

static void *write_after_signals(void *arg)
{
    int fd = *(int *)arg;
    (void)nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    return write(fd, "ok", 2) == 2 ? NULL : arg;
}

static void signals_do_not_interrupt(void **state)
{
    (void)state;
    struct sigaction act = {.sa_handler = on_alarm}; /* no SA_RESTART: read() sees EINTR */
    struct itimerspec every = {.it_interval.tv_nsec = 5000000, .it_value.tv_nsec = 5000000};
    timer_t timer;
    struct sigevent to_us = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    char got[2];
    int p[2];
    pthread_t thread;
    sigset_t alarm;
    (void)sigemptyset(&alarm);
    (void)sigaddset(&alarm, SIGALRM);
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    (void)pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* inherited: the helper sees no signal */
    assert_int_equal(pthread_create(&thread, NULL, write_after_signals, &p[1]), 0);
    (void)pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &to_us, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &every, NULL), 0);

    assert_int_equal(io_read_all(p[0], got, sizeof(got)), 0);
    (void)timer_delete(timer);
    (void)pthread_join(thread, NULL);
    assert_memory_equal(got, "ok", 2);
    (void)close(p[0]);
    (void)close(p[1]);
}

/* ---- messages -------------------------------------------------------------- */

static void pair(int type, int sv[2])
{
    assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, sv), 0);
}

static void message_carries_bytes_and_descriptors(void **state)
{
    (void)state;
    int before = next_fd();
    int sv[2], p[2], got[4];
    size_t n = 99;
    char data[16];
    pair(SOCK_SEQPACKET, sv);
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);

    assert_int_equal(io_send_fds(sv[0], "hello", 5, p, 2), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), got, 4, &n), 5);
    assert_memory_equal(data, "hello", 5);
    assert_int_equal(n, 2);
    assert_true(same_file(got[0], p[0]));
    assert_true(same_file(got[1], p[1]));
    assert_true(fcntl(got[0], F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(got[1], F_GETFD) & FD_CLOEXEC);
    (void)close(got[0]);
    (void)close(got[1]);

    assert_int_equal(io_send_fds(sv[0], "none", 4, NULL, 0), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), got, 4, &n), 4);
    assert_int_equal(n, 0);
    (void)close(p[0]);
    (void)close(p[1]);
    (void)close(sv[0]);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), got, 4, &n), 0); /* end-of-file */
    assert_int_equal(n, 0);
    (void)close(sv[1]);
    assert_int_equal(next_fd(), before);
}

static void descriptors_that_nobody_wants_are_closed(void **state)
{
    (void)state;
    int before = next_fd();
    int sv[2], got[1];
    int many[5] = {0, 0, 0, 0, 0};
    size_t n;
    char data[8];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = null;
    pair(SOCK_SEQPACKET, sv);

    assert_int_equal(io_send_fds(sv[0], "x", 1, many, ARRAY_LEN(many)), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), got, 1, &n), 1);
    assert_int_equal(n, 1);
    (void)close(got[0]);
    assert_int_equal(io_send_fds(sv[0], "x", 1, many, ARRAY_LEN(many)), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), NULL, 0, &n), 1);
    assert_int_equal(n, 0);
    (void)close(sv[0]);
    (void)close(sv[1]);
    (void)close(null);
    assert_int_equal(next_fd(), before);
}

static void message_that_does_not_fit_says_so(void **state)
{
    (void)state;
    int before = next_fd();
    int sv[2], got[2];
    size_t n = 99;
    char data[4];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pair(SOCK_SEQPACKET, sv);

    assert_int_equal(io_send_fds(sv[0], "longer", 6, &null, 1), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), got, 2, &n), -EMSGSIZE);
    assert_true(n <= 2); /* "always set": what came is the caller's */
    for (size_t i = 0; i < n; i++)
        (void)close(got[i]);
    (void)close(sv[0]);
    (void)close(sv[1]);
    (void)close(null);
    assert_int_equal(next_fd(), before);
}

static void sockets_fail_as_numbers(void **state)
{
    (void)state;
    int sv[2];
    size_t n = 99;
    char data[4];
    pair(SOCK_SEQPACKET, sv);
    assert_int_equal(fcntl(sv[1], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(io_recv_fds(sv[1], data, sizeof(data), NULL, 0, &n), -EAGAIN);
    assert_int_equal(n, 0);
    (void)close(sv[1]);
    assert_int_equal(io_send_fds(sv[0], "x", 1, NULL, 0), -EPIPE); /* and no SIGPIPE */
    (void)close(sv[0]);
    assert_int_equal(io_send_fds(sv[0], "x", 1, NULL, 0), -EBADF);
}

/* ---- time and buffers ------------------------------------------------------ */

static void clock_goes_forward(void **state)
{
    (void)state;
    uint64_t a = io_now_ns();
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    uint64_t b = io_now_ns();
    assert_true(b - a >= 2000000u);
}

static void buffer_grows_up_to_its_cap(void **state)
{
    (void)state;
    struct buf b = {0};
    char block[1000];
    memset(block, 'z', sizeof(block));

    for (size_t i = 0; i < 10; i++)
        assert_int_equal(buf_add(&b, block, sizeof(block), 10000), 0);
    assert_int_equal(b.len, 10000);
    assert_int_equal(b.data[b.len], '\0');
    assert_int_equal(buf_add(&b, "x", 1, 10000), -E2BIG);
    assert_int_equal(b.len, 10000);
    assert_int_equal(b.data[9999], 'z');
    assert_int_equal(buf_add(&b, NULL, 0, 10000), 0);
    assert_int_equal(buf_add(&b, "x", 1, 5), -E2BIG); /* a cap below what is held */
    assert_int_equal(buf_add(&b, block, SIZE_MAX, SIZE_MAX - 5), -E2BIG);
    assert_int_equal(buf_add(&b, "yx", 2, 10002), 0);
    assert_string_equal(b.data + 10000, "yx");
    buf_done(&b);
    assert_null(b.data);
    assert_int_equal(b.len, 0);
    buf_done(&b);
}

static void buffer_refusing_the_first_byte_stays_empty(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_int_equal(buf_add(&b, "abc", 3, 2), -E2BIG);
    assert_int_equal(b.len, 0);
    assert_null(b.data);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_forgets_the_number_and_keeps_errno),
        cmocka_unit_test(zero_is_a_descriptor_like_any_other),
        cmocka_unit_test(scope_closes_what_was_not_taken),
        cmocka_unit_test(short_reads_are_put_together),
        cmocka_unit_test(short_writes_are_finished),
        cmocka_unit_test(what_is_sealed_stays_as_it_is),
        cmocka_unit_test(writing_to_nobody_is_an_error),
        cmocka_unit_test(signals_do_not_interrupt),
        cmocka_unit_test(message_carries_bytes_and_descriptors),
        cmocka_unit_test(descriptors_that_nobody_wants_are_closed),
        cmocka_unit_test(message_that_does_not_fit_says_so),
        cmocka_unit_test(sockets_fail_as_numbers),
        cmocka_unit_test(clock_goes_forward),
        cmocka_unit_test(buffer_grows_up_to_its_cap),
        cmocka_unit_test(buffer_refusing_the_first_byte_stays_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
