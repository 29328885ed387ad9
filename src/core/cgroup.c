/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: see cgroup.h. The tables say which knobs there are; a group is of use only when
 * every required one of them could be written.
 */
#include "core/cgroup.h"

#include "base/err.h"
#include "base/io.h"
#include "core/cgroup_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#define MIB (UINT64_C(1) << 20)
#define PIECE (2 * MIB) /* the most that is asked for at once: a huge page */

/* ---- knobs -------------------------------------------------------------------------- */

static int write_text(int dir, const char *file, const char *text)
{
    AUTO_FD fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static const char *read_text(int dir, const char *file, char *text, size_t size)
{
    AUTO_FD fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/*
 * The group counts page tables and other memory of the kernel's, which no other limit does:
 * with as much more, code meets the limit as a MemoryError that it can handle.
 */
static uint64_t memory_max(uint64_t bytes)
{
    uint64_t more = bytes / 32 + 16 * MIB;
    return bytes > INT64_MAX - more ? INT64_MAX : bytes + more;
}

static void value_text(const struct knob *knob, const struct cgroup_limits *limits, char *text,
                       size_t size)
{
    unsigned long long number = 0;

    switch (knob->value) {
    case FIXED:
        (void)snprintf(text, size, "%s", knob->text);
        return;
    case MEMORY:
        number = memory_max(limits->memory_bytes);
        break;
    case TASKS:
        number = limits->tasks;
        break;
    case PROCESSORS:
        if (limits->processors == 0)
            (void)snprintf(text, size, "max 100000");
        else
            (void)snprintf(text, size, "%llu 100000",
                           (unsigned long long)limits->processors * 100000);
        return;
    }
    (void)snprintf(text, size, "%llu", number);
}

static int write_knobs(const struct cgroup_kind *kind, int dir, const struct cgroup_limits *limits,
                       struct cordon_err *reterr)
{
    char text[48];

    for (size_t i = 0; i < kind->count; i++) {
        const struct knob *knob = &kind->knobs[i];
        value_text(knob, limits, text, sizeof(text));
        int r = write_text(dir, knob->file, text);
        if (r < 0 && (knob->required || r != -ENOENT))
            return err_set(reterr, CORDON_E_HOST, -r, "cannot write '%s' to the control file '%s'",
                           text, knob->file);
    }
    return 0;
}

/* ---- one group ------------------------------------------------------------------------ */

struct cgroup {
    struct cgroups *groups;
    struct cgroup *next;
    char name[OWNER_NAME_MAX];
    int dir[CGROUP_PLACES];
};

static int open_group(struct cgroup *g, size_t place, const struct cgroup_limits *limits,
                      struct cordon_err *reterr)
{
    const struct cgroups *all = g->groups;

    if (!all->kind[place])
        return 0;
    int r = all->make(all->dir[place], g->name);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot make a control group");
    g->dir[place] = openat(all->dir[place], g->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (g->dir[place] < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open a control group");
    return write_knobs(all->kind[place], g->dir[place], limits, reterr);
}

int cgroup_new(struct cgroups *groups, const struct cgroup_limits *limits, struct cgroup **ret,
               struct cordon_err *reterr)
{
    struct cgroup *g = calloc(1, sizeof(*g));
    if (!g)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make a control group");
    g->groups = groups;
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        g->dir[i] = -1;
    int r = owner_name(g->name, reterr);
    for (size_t i = 0; r == 0 && i < CGROUP_PLACES; i++)
        r = open_group(g, i, limits, reterr);
    if (r < 0) {
        cgroup_end(g);
        return r;
    }
    *ret = g;
    return 0;
}

int cgroup_set(const struct cgroup *group, const struct cgroup_limits *limits,
               struct cordon_err *reterr)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < CGROUP_PLACES; i++)
        if (group->dir[i] >= 0)
            r = write_knobs(group->groups->kind[i], group->dir[i], limits, reterr);
    return r;
}

int cgroup_add(const struct cgroup *group, pid_t pid, struct cordon_err *reterr)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%d", (int)pid);
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        int r = group->dir[i] >= 0 ? write_text(group->dir[i], "cgroup.procs", text) : 0;
        if (r < 0)
            return err_set(reterr, CORDON_E_HOST, -r,
                           "cannot put the sandbox in its control group");
    }
    return 0;
}

size_t cgroup_doors(const struct cgroup *group, int ret_fds[CGROUP_PLACES])
{
    size_t count = 0;

    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        if (group->dir[i] < 0)
            continue;
        ret_fds[count] = openat(group->dir[i], "cgroup.procs", O_WRONLY | O_CLOEXEC);
        if (ret_fds[count] >= 0) {
            count++;
            continue;
        }
        while (count > 0)
            fd_close(&ret_fds[--count]);
        return 0;
    }
    return count;
}

/* What follows a whole word of the text; NULL: it is not there. */
static const char *after_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += len)
        if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[len]))
            return at + len;
    return NULL;
}

static uint64_t read_number(int dir, const char *file, const char *word)
{
    char text[1024];

    const char *at = read_text(dir, file, text, sizeof(text));
    if (word)
        at = after_word(text, word);
    return at ? strtoull(at, NULL, 10) : 0;
}

/* Of a group that has no more members than a text holds: a sandbox that just begins. */
static int is_member(int dir, pid_t pid)
{
    char text[1024];
    const char *at = read_text(dir, "cgroup.procs", text, sizeof(text));

    if (pid == 0)
        return strtol(at, NULL, 10) == 0;
    for (char *next; *at; at = next) {
        long member = strtol(at, &next, 10);
        if (next == at)
            break;
        if (member == pid)
            return 1;
    }
    return 0;
}

int cgroup_has(const struct cgroup *group, pid_t pid)
{
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        if (group->dir[i] >= 0 && !is_member(group->dir[i], pid))
            return 0;
    return 1;
}

/* Else what it lacks is lacking to a group above it, or to the host. */
static int is_full(const struct cgroup_kind *kind, int dir)
{
    if (kind->own)
        return read_number(dir, kind->events, kind->own) > 0;
    return read_number(dir, kind->peak, NULL) + PIECE >= read_number(dir, kind->limit, NULL);
}

void cgroup_read(const struct cgroup *group, struct cgroup_use *ret)
{
    *ret = (struct cgroup_use){0};
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        const struct cgroup_kind *kind = group->groups->kind[i];
        int dir = group->dir[i];
        if (dir < 0)
            continue;
        if (kind->now)
            ret->bytes = read_number(dir, kind->now, NULL);
        if (kind->peak)
            ret->peak_bytes = read_number(dir, kind->peak, NULL);
        if (kind->events && is_full(kind, dir))
            ret->kills = read_number(dir, kind->events, "oom_kill");
    }
}

int cgroup_is_full(const struct cgroup *group)
{
    return group->dir[0] >= 0 && is_full(group->groups->kind[0], group->dir[0]);
}

int cgroup_watch(const struct cgroup *group)
{
    const struct cgroup_kind *kind = group->groups->kind[0];
    char order[32];

    if (!kind->kills_one || group->dir[0] < 0)
        return -1;
    AUTO_FD events = openat(group->dir[0], kind->events, O_RDONLY | O_CLOEXEC);
    AUTO_FD fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    (void)snprintf(order, sizeof(order), "%d %d", fd, events);
    if (events < 0 || fd < 0 || write_text(group->dir[0], "cgroup.event_control", order) < 0)
        return -1;
    return fd_take(&fd);
}

/* Whether nothing of it is left there. */
static int remove_at(struct cgroup *g, size_t place)
{
    if (g->dir[place] < 0)
        return 1;
    int r = g->groups->remove(g->groups->dir[place], g->name);
    if (r == 0 || r == -ENOENT)
        fd_close(&g->dir[place]);
    return g->dir[place] < 0;
}

/* Whether nothing of it is left. */
static int try_remove(struct cgroup *g)
{
    int is_gone = 1;

    for (size_t i = 0; i < CGROUP_PLACES; i++)
        if (g->dir[i] >= 0)
            (void)write_text(g->dir[i], "cgroup.kill", "1"); /* version 2, from 5.14 on */
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        is_gone &= remove_at(g, i);
    return is_gone;
}

/* The first place is the one that is entered first; without it nobody goes on to the next. */
int cgroup_end_empty(struct cgroup *group)
{
    if (!remove_at(group, 0))
        return 0;
    cgroup_end_later(group);
    return 1;
}

void cgroup_end_later(struct cgroup *group)
{
    group->next = group->groups->ended;
    group->groups->ended = group;
}

void cgroup_end(struct cgroup *group)
{
    if (group && try_remove(group))
        free(group);
    else if (group)
        cgroup_end_later(group);
}

size_t cgroups_collect(struct cgroups *groups)
{
    size_t left = 0;

    for (struct cgroup **at = &groups->ended, *g; (g = *at);) {
        if (try_remove(g)) {
            *at = g->next;
            free(g);
        } else {
            at = &g->next;
            left++;
        }
    }
    return left;
}

/* ---- the place --------------------------------------------------------------------------- */

static int make_dir(int dir, const char *name)
{
    return mkdirat(dir, name, 0755) < 0 ? -errno : 0;
}

static int remove_dir(int dir, const char *name)
{
    return unlinkat(dir, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static int has(int dir, const char *file)
{
    return faccessat(dir, file, F_OK, 0) == 0;
}

static const struct cgroup_kind *kind_of(int dir)
{
    static const struct cgroup_kind *const kinds[] = {&cgroup_v2, &cgroup_v1_memory,
                                                      &cgroup_v1_pids};

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (has(dir, kinds[i]->mark))
            return kinds[i];
    return NULL;
}

/* The controllers are the parent's to hand on. */
static int hand_on(int dir, const char *path, struct cordon_err *reterr)
{
    static const char *const wanted[] = {"memory", "pids", "cpu"};
    char text[512], order[16];

    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        (void)read_text(dir, "cgroup.subtree_control", text, sizeof(text));
        if (after_word(text, wanted[i]))
            continue;
        (void)snprintf(order, sizeof(order), "+%s", wanted[i]);
        int r = write_text(dir, "cgroup.subtree_control", order);
        if (r < 0 && strcmp(wanted[i], "cpu") != 0)
            return err_set(reterr, CORDON_E_HOST, -r,
                           "'%.200s' cannot hand on the controller '%s'%s", path, wanted[i],
                           r == -EBUSY ? ": there are processes in it, and a group has either "
                                         "processes or groups"
                                       : "");
    }
    return 0;
}

static int open_place(const char *path, size_t place, struct cgroups *ret,
                      struct cordon_err *reterr)
{
    int dir = path[0] == '/' ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (dir < 0)
        return err_set(reterr, CORDON_E_ARG, path[0] == '/' ? errno : EINVAL,
                       "cannot open the control group '%.300s'", path);
    ret->dir[place] = dir;
    ret->kind[place] = kind_of(dir);
    if (!ret->kind[place])
        return err_set(reterr, CORDON_E_ARG, 0, "'%.300s' is no control group of memory or pids",
                       path);
    return ret->kind[place] == &cgroup_v2 ? hand_on(dir, path, reterr) : 0;
}

/* One of version 2, or memory and pids of version 1. */
static int check_places(const struct cgroups *g, struct cordon_err *reterr)
{
    if (g->kind[0] == &cgroup_v2 && !g->kind[1])
        return 0;
    if (g->kind[0] == &cgroup_v1_memory && g->kind[1] == &cgroup_v1_pids)
        return 0;
    return err_set(reterr, CORDON_E_ARG, 0,
                   "a directory of version 2 is wanted, or MEMORY:PIDS, directories of version 1");
}

int cgroups_open_at(const char *paths, struct cgroups *ret, struct cordon_err *reterr)
{
    struct cgroups g = {.dir = {-1, -1}, .make = make_dir, .remove = remove_dir};
    char text[2 * PATH_MAX];
    char *rest = text, *path;
    int r = 0;

    (void)snprintf(text, sizeof(text), "%s", paths);
    for (size_t i = 0; r == 0 && (path = strsep(&rest, ":")); i++)
        r = i < CGROUP_PLACES ? open_place(path, i, &g, reterr)
                              : err_set(reterr, CORDON_E_ARG, 0, "there are too many paths");
    if (r == 0)
        r = check_places(&g, reterr);
    if (r < 0) {
        cgroups_close(&g);
        err_step(reterr, "cgroup");
        return r;
    }
    *ret = g;
    return 0;
}

void cgroups_close(struct cgroups *groups)
{
    (void)cgroups_collect(groups);
    while (groups->ended) { /* the next engine finds them by their names */
        struct cgroup *g = groups->ended;
        groups->ended = g->next;
        for (size_t i = 0; i < CGROUP_PLACES; i++)
            fd_close(&g->dir[i]);
        free(g);
    }
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        if (groups->kind[i] || groups->dir[i] > 0)
            fd_close(&groups->dir[i]);
        groups->kind[i] = NULL;
    }
}

const char *cgroups_name(const struct cgroups *groups)
{
    return groups->kind[0] ? groups->kind[0]->name : NULL;
}
