/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: see tree.h. A look costs one small file for each process. What it adds up counts
 * pages that processes share once for each of them; only when that is too much is the sum
 * made in which each has its part, which costs a walk over all page tables.
 */
#include "keeper/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX 4096
#define START_BYTES (UINT64_C(32) << 20) /* an interpreter that has loaded its library */

struct held {
    uint64_t tasks;
    uint64_t bytes;
};

/* A file of a process's directory; "" when the process has gone. */
static const char *read_of(int proc, const char *pid, const char *file, char *text)
{
    char path[300]; /* a name in /proc and a short one */

    (void)snprintf(path, sizeof(path), "%s/%s", pid, file);
    AUTO_FD fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, FILE_MAX - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* Of proc_pid_stat(5) the fields 20, threads, and 24, resident pages. */
static void add_stat(const char *text, struct held *held)
{
    unsigned long threads = 0, pages = 0;
    const char *at = strrchr(text, ')'); /* before it is a name, which may be anything */

    if (!at)
        return;
    for (unsigned field = 2; field < 20 && at; field++)
        at = strchr(at + 1, ' ');
    if (at && sscanf(at, "%lu %*u %*u %*u %lu", &threads, &pages) == 2) {
        held->tasks += threads;
        held->bytes += pages * (uint64_t)sysconf(_SC_PAGESIZE);
    }
}

static void add_part(const char *text, struct held *held)
{
    unsigned long kib = 0;
    const char *at = strstr(text, "\nPss:");

    if (at && sscanf(at, "\nPss: %lu", &kib) == 1)
        held->bytes += kib * UINT64_C(1024);
}

static void add_all(DIR *proc, pid_t init, const char *file,
                    void (*add)(const char *text, struct held *held), struct held *held)
{
    char text[FILE_MAX];
    struct dirent *e;

    rewinddir(proc);
    while ((e = readdir(proc))) {
        long pid = strtol(e->d_name, NULL, 10);
        if (pid > 1 && pid != init)
            add(read_of(dirfd(proc), e->d_name, file, text), held);
    }
}

enum wire_limit tree_over(const struct sandbox_spec *spec, pid_t init)
{
    static DIR *proc;
    struct held held = {0}, part = {0};
    uint64_t most = spec->memory_bytes + START_BYTES;

    if (!proc)
        proc = opendir("/proc");
    if (!proc)
        return WIRE_LIMIT_NONE;
    add_all(proc, init, "stat", add_stat, &held);
    if (held.tasks > spec->tasks)
        return WIRE_LIMIT_TASKS;
    if (held.bytes <= most)
        return WIRE_LIMIT_NONE;
    add_all(proc, init, "smaps_rollup", add_part, &part);
    return part.bytes > most ? WIRE_LIMIT_MEMORY : WIRE_LIMIT_NONE;
}
