/* SPDX-License-Identifier: Apache-2.0 */
/* kept: see kept.h. One line is one lock, or one descriptor that an epoll watches. */
#include "keeper/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* A lock takes 192 bytes, and what is watched 128 with 72 for its place in a queue (6.18). */
#define ITEM_BYTES 256
#define STEPS_PER_LOOK_AT_THE_CLOCK 256

struct looking {
    uint64_t until_ns;
    unsigned steps; /* who has few is looked at to the end, however long we had to wait */
    struct kept *ret;
};

/* Closes the file, which is about one descriptor. */
static void read_about(int fd, struct looking *l)
{
    char line[256];
    unsigned count;

    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        fd_close(&fd);
        return;
    }
    while (!l->ret->too_long && fgets(line, sizeof(line), f)) {
        if (strncmp(line, "lock:", 5) == 0 || strncmp(line, "tfd:", 4) == 0)
            l->ret->bytes += ITEM_BYTES;
        else if (sscanf(line, "scm_fds: %u", &count) == 1)
            l->ret->waits |= count > 0;
        if (++l->steps % STEPS_PER_LOOK_AT_THE_CLOCK == 0)
            l->ret->too_long |= io_now_ns() > l->until_ns;
    }
    (void)fclose(f);
}

static void look_at(void *ctx, const struct tree_process *p)
{
    struct looking *l = ctx;
    char path[64];
    struct dirent *e;

    (void)snprintf(path, sizeof(path), "%d/fdinfo", p->look);
    int fd = openat(tree_proc(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        fd_close(&fd);
        return;
    }
    while (!l->ret->too_long && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            read_about(openat(dirfd(dir), e->d_name, O_RDONLY | O_CLOEXEC), l);
    (void)closedir(dir);
}

void kept_look(pid_t top, int without_top, uint64_t until_ns, struct kept *ret)
{
    struct looking l = {.until_ns = until_ns, .ret = ret};

    *ret = (struct kept){0};
    tree_each(top, without_top, look_at, &l);
}
