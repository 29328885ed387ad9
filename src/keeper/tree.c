/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: see tree.h. The list is sorted by number, as /proc lists them, so that parents are
 * found by bisection.
 */
#include "keeper/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PROCESSES_MAX 16384 /* more than any limit on them that is worth having */
#define NOBODY SIZE_MAX     /* no process of the list */

static DIR *proc;
static struct tree_process list[PROCESSES_MAX];
static size_t count;

static int open_proc(void)
{
    if (!proc)
        proc = opendir("/proc");
    return proc ? 0 : -errno;
}

int tree_proc(void)
{
    return open_proc() < 0 ? -1 : dirfd(proc);
}

const char *tree_read(pid_t pid, const char *file, char text[TREE_TEXT_MAX])
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%d/%s", pid, file);
    AUTO_FD fd = openat(tree_proc(), path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, TREE_TEXT_MAX - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

pid_t tree_last_pid(void)
{
    char text[128];

    AUTO_FD fd = openat(tree_proc(), "loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *last = strrchr(text, ' ');
    return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

/* ---- one process ---------------------------------------------------------------- */

static uint64_t ticks_ns(uint64_t ticks)
{
    return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Of proc_pid_stat(5) the fields 3, 4, 10, 11, 14 to 17, 20, 22 and 24. 0 when it cannot be understood. */
static int take_stat(const char *text, struct tree_process *p, char *ret_state)
{
    unsigned long long faults, waited_faults, user, system, waited_user, waited_system, born;
    unsigned long pages;
    unsigned threads;
    int parent;
    const char *at = strrchr(text, ')'); /* before it is a name, which may be anything */

    if (!at || sscanf(at + 1,
                      " %c %d %*d %*d %*d %*d %*u %llu %llu %*u %*u %llu %llu %llu %llu %*d %*d %u "
                      "%*d %llu %*u %lu",
                      ret_state, &parent, &faults, &waited_faults, &user, &system, &waited_user,
                      &waited_system, &threads, &born, &pages) != 11)
        return 0;
    p->parent = parent;
    p->threads = threads;
    p->faults = faults;
    p->born = born;
    p->resident_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    p->own_ns = ticks_ns(user + system);
    p->waited_ns = ticks_ns(waited_user + waited_system);
    p->waited_faults = waited_faults;
    return 1;
}

static int has_ended(char state)
{
    return state == 'Z' || state == 'X';
}

/* A thread of it that lives on; 0: there is none any more. */
static pid_t living_thread(pid_t pid, uint64_t *ret_bytes)
{
    struct tree_process thread;
    char path[64], text[TREE_TEXT_MAX], state;
    struct dirent *e;
    pid_t found = 0;

    (void)snprintf(path, sizeof(path), "%d/task", pid);
    int fd = openat(tree_proc(), path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    DIR *tasks = fd >= 0 ? fdopendir(fd) : NULL;
    if (!tasks && fd >= 0)
        (void)close(fd);
    while (tasks && found == 0 && (e = readdir(tasks))) {
        pid_t number = (pid_t)strtol(e->d_name, NULL, 10);
        if (number <= 0 || !take_stat(tree_read(number, "stat", text), &thread, &state) ||
            has_ended(state))
            continue;
        found = number;
        *ret_bytes = thread.resident_bytes;
    }
    if (tasks)
        (void)closedir(tasks);
    return found;
}

/*
 * The first thread of a process may end before the others: then the files of the process show
 * no memory, no maps and no descriptors, and those of any other thread do.
 */
static int read_process(pid_t pid, struct tree_process *ret)
{
    char text[TREE_TEXT_MAX], state;

    *ret = (struct tree_process){.pid = pid, .look = pid, .above = NOBODY};
    if (!take_stat(tree_read(pid, "stat", text), ret, &state))
        return 0;
    pid_t thread =
        has_ended(state) && ret->threads > 1 ? living_thread(pid, &ret->resident_bytes) : 0;
    if (thread > 0)
        ret->look = thread;
    return 1;
}

uint64_t tree_resident_now(pid_t pid)
{
    struct tree_process p;

    return read_process(pid, &p) ? p.resident_bytes : 0;
}

/* ---- all of them ------------------------------------------------------------------ */

static size_t find(pid_t pid)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].pid == pid)
            return middle;
        if (list[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return NOBODY;
}

/* Whose parent ended between the two readings: it has been given to another since. */
static void ask_again(struct tree_process *p)
{
    struct tree_process now;

    if (find(p->parent) == NOBODY && read_process(p->pid, &now))
        p->parent = now.parent;
}

int tree_look(void)
{
    struct dirent *e;

    int r = open_proc();
    if (r < 0)
        return r;
    rewinddir(proc);
    count = 0;
    while (count < PROCESSES_MAX && (e = readdir(proc))) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid > 0 && (count == 0 || list[count - 1].pid < pid) && read_process(pid, &list[count]))
            count++;
    }
    for (size_t i = 0; i < count; i++)
        ask_again(&list[i]);
    return 0;
}

/* Whether `top` is the process at that index or an ancestor of it. */
static int is_below(size_t at, size_t top)
{
    for (size_t steps = 0; at != NOBODY && steps <= count; steps++) {
        if (at == top)
            return 1;
        if (list[at].above == NOBODY)
            list[at].above = find(list[at].parent);
        at = list[at].above;
    }
    return 0;
}

void tree_each(pid_t top, int without_top,
               void (*each)(void *ctx, const struct tree_process *process), void *ctx)
{
    size_t head = find(top);

    for (size_t i = 0; head != NOBODY && i < count; i++)
        if ((i != head || !without_top) && is_below(i, head))
            each(ctx, &list[i]);
}

static void add(void *ctx, const struct tree_process *p)
{
    struct tree_sum *sum = ctx;

    sum->processes++;
    sum->threads += p->threads;
    sum->resident_bytes += p->resident_bytes;
}

void tree_add_up(pid_t top, int without_top, struct tree_sum *ret)
{
    *ret = (struct tree_sum){0};
    tree_each(top, without_top, add, ret);
}

/* ---- an outer /proc ------------------------------------------------------------------ */

/* The number that /proc gives to us. */
static pid_t own_number(void)
{
    char text[24];
    ssize_t n = readlinkat(tree_proc(), "self", text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    return (pid_t)strtol(text, NULL, 10);
}

/* Of the numbers in a status file's NSpid line, outermost first, the one of `depth`. */
static pid_t number_at(const char *status, unsigned depth, unsigned *ret_depth)
{
    const char *at = strstr(status, "\nNSpid:");
    pid_t found = 0;
    char *next;

    *ret_depth = 0;
    for (at = at ? at + 7 : ""; *at == '\t'; at = next) {
        long number = strtol(at, &next, 10);
        if (++*ret_depth == depth)
            found = (pid_t)number;
    }
    return found;
}

/* The same as the kernel's, unless that /proc is an outer one. */
static pid_t known_number(void)
{
    static pid_t own;

    if (own == 0)
        own = own_number();
    return own;
}

pid_t tree_number(pid_t child)
{
    static unsigned depth;
    char text[TREE_TEXT_MAX];
    unsigned deep;

    pid_t own = known_number();
    if (own == getpid())
        return child;
    if (depth == 0)
        (void)number_at(tree_read(own, "status", text), 0, &depth);
    for (size_t i = 0; i < count; i++)
        if (list[i].parent == own &&
            number_at(tree_read(list[i].pid, "status", text), depth, &deep) == child)
            return list[i].pid;
    return 0;
}

/* ---- processor time ------------------------------------------------------------------ */

/*
 * By its files: in clock ticks, each of two sums cut off, which is nothing of a process that lives
 * for less; and exactly, where the kernel has that, for the first of its threads.
 */
static int own_time_filed(const struct tree_process *process, uint64_t *ret_ns)
{
    unsigned long long first_ns = 0;
    char text[TREE_TEXT_MAX];
    struct tree_process again;

    if (!read_process(process->pid, &again) || again.born != process->born)
        return 0;
    (void)sscanf(tree_read(process->pid, "schedstat", text), "%llu", &first_ns);
    *ret_ns = again.own_ns > first_ns ? again.own_ns : first_ns;
    return 1;
}

int tree_own_time(const struct tree_process *process, uint64_t *ret_ns)
{
    struct timespec used;
    clockid_t clock;

    if (known_number() != getpid())
        return own_time_filed(process, ret_ns);
    if (clock_getcpuclockid(process->pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
        return 0;
    *ret_ns = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
    return 1;
}

int tree_is_there(pid_t pid, uint64_t born)
{
    struct tree_process p;

    return read_process(pid, &p) && p.born == born;
}
