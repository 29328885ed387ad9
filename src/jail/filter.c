/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: see filter.h. What runs after a TRAP is a signal handler in a process that is
 * not to be trusted any more: system calls and its own stack, nothing else.
 */
#include "jail/filter.h"

#include "base/err.h"
#include "base/wire.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(FILTER_BYTES_MAX == BPF_MAXINSNS * sizeof(struct sock_filter), "as the kernel's");

int filter_read(int fd, void *bytes, size_t *ret_len, struct cordon_err *reterr)
{
    size_t len = 0;

    /* pread(): the memory file is read again, from its start, by a zygote that is started anew. */
    while (len < FILTER_BYTES_MAX) {
        ssize_t n = pread(fd, (char *)bytes + len, FILTER_BYTES_MAX - len, (off_t)len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(reterr, CORDON_E_PROTOCOL, errno, "cannot read the call filter");
        if (n == 0)
            break;
        len += (size_t)n;
    }
    if (len == 0 || len % sizeof(struct sock_filter) != 0)
        return err_set(reterr, CORDON_E_PROTOCOL, 0, "the call filter is no filter (%zu bytes)",
                       len);
    *ret_len = len;
    return 0;
}

static int watch_fd = -1;

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#define NATIVE 0 /* told always, and the engine knows better */
#endif

static char *before(char *at, const char *word, size_t len)
{
    return memcpy(at - len, word, len);
}

static char *number_before(char *at, unsigned number)
{
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return at;
}

static void say_number(unsigned nr, unsigned arch)
{
    char line[sizeof(FILTER_WORD FILTER_OF) + 32];
    char *at = line + sizeof(line);

    *--at = '\n';
    if (arch != NATIVE) {
        at = number_before(at, arch);
        at = before(at, FILTER_OF, sizeof(FILTER_OF) - 1);
    }
    at = number_before(at, nr);
    at = before(at, FILTER_WORD, sizeof(FILTER_WORD) - 1);
    /* A full pipe: said by SIGSYS alone. */
    (void)!write(watch_fd, at, (size_t)(line + sizeof(line) - at));
}

/* By the handler that tells the line at a deadline; where there is none, nobody is hurt. */
static void say_line(void)
{
    struct sigaction now;

    if (sigaction(WIRE_TRACE_SIGNAL, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
        (void)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), WIRE_TRACE_SIGNAL);
}

#define BY_FILTER 1 /* SYS_SECCOMP, not in every libc's headers */

static void on_refused(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    if (info->si_code == BY_FILTER) /* else somebody sent it, and there is no call in it */
        say_number((unsigned)info->si_syscall, info->si_arch);
    say_line();

    /* PID 1 of a namespace is deaf to signals that it sends to itself. Another refused call,
     * made while SIGSYS is blocked, is answered by the kernel with the end of the process. */
    (void)syscall(SYS_ptrace, -1L, 0, 0, 0);
    _exit(128 + SIGSYS);
}

int filter_watch(int fd, struct cordon_err *reterr)
{
    struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    (void)sigemptyset(&action.sa_mask);
    watch_fd = fd;
    if (sigaction(SIGSYS, &action, NULL) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot handle SIGSYS");
    return 0;
}

static int load(const void *bytes, size_t len, unsigned long flags)
{
    struct sock_fprog program = {
        .len = (unsigned short)(len / sizeof(struct sock_filter)),
        .filter = (struct sock_filter *)(uintptr_t)bytes, /* the kernel only reads it */
    };

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

int filter_load(const void *bytes, size_t len, struct cordon_err *reterr)
{
    if (len == 0 || len > FILTER_BYTES_MAX || len % sizeof(struct sock_filter) != 0)
        return err_set(reterr, CORDON_E_PROTOCOL, 0, "there is no call filter to load");
    if (load(bytes, len, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot load the call filter (a kernel with CONFIG_SECCOMP_FILTER is "
                       "needed)");
    return 0;
}

static void allow_instead(struct sock_filter *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code[i].code == (BPF_RET | BPF_K) && code[i].k == SECCOMP_RET_USER_NOTIF)
            code[i].k = SECCOMP_RET_ALLOW;
}

/* A call that somebody thinks about is not interrupted by signals, which would be an EINTR that no
 * program expects of it. */
#define ASKING (SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)

int filter_try_asking(struct cordon_err *reterr)
{
    const struct sock_filter all = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};

    AUTO_FD listener = load(&all, sizeof(all), ASKING);
    return listener >= 0 ? 0 : err_set(reterr, CORDON_E_HOST, errno, "no call can be asked about");
}

int filter_load_asking(void *bytes, size_t len, int *ret_listener, struct cordon_err *reterr)
{
    if (ret_listener)
        *ret_listener = len > 0 && len <= FILTER_BYTES_MAX ? load(bytes, len, ASKING) : -1;
    if (ret_listener && *ret_listener >= 0)
        return 0;
    allow_instead(bytes, len / sizeof(struct sock_filter));
    return filter_load(bytes, len, reterr);
}
