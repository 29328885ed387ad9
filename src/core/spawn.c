/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn: see spawn.h. The host program may have threads, handlers, SIGCHLD ignored and a
 * thread in waitpid(-1). So no fork: two nested vforks, the way posix_spawn works.
 *
 *   host ── clone(VM|VFORK, exit_signal 0) ── middle ── clone(VM|VFORK) ── exec helper
 *
 * The middle exits at once, so the helper is an orphan and nobody's to wait for. The
 * middle itself has no exit signal: only a wait with __WCLONE sees it (wait(2)). While
 * either runs, the calling thread is suspended and every signal is blocked, because both
 * run on the host's memory.
 */
#include "core/spawn.h"

#include "base/err.h"
#include "base/io.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELPER_FD 3
#define STACK_BYTES (64 * 1024)

#ifndef CORDON_LIBEXECDIR
#define CORDON_LIBEXECDIR "/usr/local/libexec/cordon"
#endif

struct spawn {
    const char *path;
    char *argv[2];
    int sock;
    char *stack; /* the inner clone's, above it the outer one's */
    int sys;     /* errno of what failed, written through the shared memory */
};

/* Not instrumented: on a borrowed stack, the sanitizers' own checks would misfire. */
#define ON_BORROWED_STACK __attribute__((no_sanitize_address, no_sanitize_thread))

#ifdef __SANITIZE_THREAD__
/* The sanitizer's clone() takes this for a fork, and watches the thread no more. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);
#define clone __clone
#endif

/*
 * What the sanitizers take for our own doing, on descriptors and at our end, though it is another
 * process's, goes past them by the raw system call.
 */
ON_BORROWED_STACK static int take_as(int fd, int number)
{
    return (int)syscall(SYS_dup3, fd, number, 0);
}

ON_BORROWED_STACK __attribute__((noreturn)) static void leave(int code)
{
    for (;;)
        (void)syscall(SYS_exit_group, code);
}

ON_BORROWED_STACK static int run_helper(void *arg)
{
    struct spawn *s = arg;
    char *envp[] = {NULL};
    /* Onto itself it would be left close-on-exec. */
    if (s->sock == HELPER_FD ? fcntl(HELPER_FD, F_SETFD, 0) < 0 : take_as(s->sock, HELPER_FD) < 0)
        s->sys = errno;
    else {
        (void)execve(s->path, s->argv, envp);
        s->sys = errno;
    }
    leave(127);
}

ON_BORROWED_STACK static int run_middle(void *arg)
{
    struct spawn *s = arg;
    if (clone(run_helper, s->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, s) < 0)
        s->sys = errno;
    leave(0);
}

static int spawn_hidden(struct spawn *s)
{
    pid_t middle = clone(run_middle, s->stack + (size_t)2 * STACK_BYTES, CLONE_VM | CLONE_VFORK, s);
    if (middle < 0)
        return -errno;
    /* ECHILD is a normal answer: the host may wait for everything, __WALL included. */
    while (waitpid(middle, NULL, __WCLONE) < 0 && errno == EINTR)
        ;
    return -s->sys;
}

int spawn_helper(const char *path, const char *name, int sock, struct cordon_err *reterr)
{
    char argv0[64];
    (void)snprintf(argv0, sizeof(argv0), "%s", name);
    struct spawn s = {.path = path, .argv = {argv0, NULL}, .sock = sock};
    s.stack = mmap(NULL, (size_t)2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (s.stack == MAP_FAILED)
        return err_set(reterr, CORDON_E_NOMEM, errno, "cannot start '%s'", path);
    sigset_t all;
    sigset_t before;
    int cancel;
    (void)sigfillset(&all);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int rc = spawn_hidden(&s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_setcancelstate(cancel, NULL);
    (void)munmap(s.stack, (size_t)2 * STACK_BYTES);
    if (rc < 0)
        return err_set(reterr, CORDON_E_HELPER, -rc,
                       "cannot start the helper '%s'; is Cordon installed whole?", path);
    return 0;
}

void spawn_helper_dir(const char *given, char *ret_dir, size_t size)
{
    Dl_info info;
    char absolute[PATH_MAX];
    (void)snprintf(ret_dir, size, "%s", given ? given : CORDON_LIBEXECDIR);
    if (given && realpath(given, absolute))
        (void)snprintf(ret_dir, size, "%s", absolute);
    if (given || dladdr((const void *)(uintptr_t)cordon_version, &info) == 0 || !info.dli_fname)
        return;
    char lib[PATH_MAX];
    char keeper[PATH_MAX + 32];
    if (!realpath(info.dli_fname, lib))
        return;
    char *slash = strrchr(lib, '/');
    if (!slash)
        return;
    *slash = '\0';
    (void)snprintf(keeper, sizeof(keeper), "%s/cordon-keeper", lib);
    if (access(keeper, X_OK) == 0)
        (void)snprintf(ret_dir, size, "%s", lib);
}
