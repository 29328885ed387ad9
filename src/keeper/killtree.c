/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killtree: see killtree.h. A fork that races the kill loses: its parent's death makes it
 * the caller's child before the caller looks again, and a look costs less than a fork.
 */
#include "keeper/killtree.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define CHILDREN_MAX 4096 /* taken in one look; there are more looks */
#define PATIENCE_NS UINT64_C(10000000)

struct children {
    pid_t pids[CHILDREN_MAX];
    size_t count;
};

static void add(struct children *c, pid_t pid)
{
    if (c->count < CHILDREN_MAX)
        c->pids[c->count++] = pid;
}

/* proc_pid_task_tid_children(5). -errno where the kernel does not tell. */
static int read_children(struct children *ret)
{
    char text[8192];
    char path[64];
    size_t held = 0;
    ssize_t n;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while ((n = read(fd, text + held, sizeof(text) - 1 - held)) > 0) {
        char *at = text, *space;
        text[held + (size_t)n] = '\0';
        for (; (space = strchr(at, ' ')); at = space + 1)
            add(ret, (pid_t)strtol(at, NULL, 10));
        held = strlen(at);
        memmove(text, at, held);
    }
    return n < 0 ? -errno : 0;
}

static pid_t parent_of(int proc, const char *pid)
{
    char path[280], text[512];
    int parent = -1;

    (void)snprintf(path, sizeof(path), "%s/stat", pid);
    AUTO_FD fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')'); /* before it is a name, which may be anything */
    return at && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

/* The same from the list of all processes. */
static void search_children(struct children *ret)
{
    DIR *proc = opendir("/proc");
    struct dirent *e;
    pid_t self = getpid();

    while (proc && (e = readdir(proc))) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid > 0 && parent_of(dirfd(proc), e->d_name) == self)
            add(ret, pid);
    }
    if (proc)
        (void)closedir(proc);
}

/* One layer. How many it was. */
static size_t kill_layer(int (*is_spared)(const void *ctx, pid_t pid), const void *ctx)
{
    static struct children found;
    size_t killed = 0;

    found.count = 0;
    if (read_children(&found) < 0) {
        found.count = 0;
        search_children(&found);
    }
    for (size_t i = 0; i < found.count; i++) {
        if (is_spared && is_spared(ctx, found.pids[i]))
            continue;
        (void)kill(found.pids[i], SIGKILL);
        killed++;
    }
    for (size_t i = 0; i < found.count && killed > 0; i++)
        if (!is_spared || !is_spared(ctx, found.pids[i]))
            (void)waitpid(found.pids[i], NULL, WNOHANG | __WALL);
    return killed;
}

int killtree_strays(int (*is_spared)(const void *ctx, pid_t pid), const void *ctx)
{
    const struct timespec breath = {.tv_nsec = 20000};
    uint64_t until = io_now_ns() + PATIENCE_NS;

    while (kill_layer(is_spared, ctx) > 0) {
        if (io_now_ns() > until)
            return 0;
        (void)nanosleep(&breath, NULL); /* to die takes them a moment */
    }
    return 1;
}

void killtree_all(void)
{
    /* The list may miss one that is just coming up; a wait does not. */
    while (!killtree_strays(NULL, NULL) || waitpid(-1, NULL, WNOHANG | __WALL) >= 0)
        ;
}

int killtree_is_child(pid_t pid)
{
    siginfo_t info;

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}
