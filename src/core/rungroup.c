/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rungroup: see rungroup.h. Version 2 kills a whole group that has run out of memory. Version 1
 * kills one process of it, and the others would wait for it, or go on as if nothing were:
 * there we are told, and end the run ourselves.
 */
#include "core/rungroup.h"

#include "base/io.h"

#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

static void unwatch(struct cordon_run *run)
{
    loop_del(run->owner->loop, &run->group_full);
    fd_close(&run->group_full.fd);
}

/* A part of it was killed, or will be in a moment: a half is of no use. */
static void on_group_full(struct watch *w, uint32_t events)
{
    struct cordon_run *run =
        (struct cordon_run *)((char *)w - offsetof(struct cordon_run, group_full));
    (void)events;
    if (!run->group || !cgroup_is_full(run->group)) { /* groups above it tell it too */
        uint64_t count;
        (void)!read(w->fd, &count, sizeof(count));
        return;
    }
    run->group_use.kills = 1;
    unwatch(run);
    box_kill(run->box, run->id);
}

void rungroup_init(struct cordon_run *run)
{
    run->group_full = (struct watch){.fd = -1, .ready = on_group_full};
}

/* So that it shows to the run as the root of all groups, and its name nowhere. */
static void tell_box(const struct cordon_run *run, struct box *box)
{
    int doors[CGROUP_PLACES];
    size_t count = cgroup_doors(run->group, doors);
    if (count > 0)
        box_group(box, doors, count);
}

void rungroup_make(struct cordon_run *run, struct box *box)
{
    const struct cordon_limits *l = &run->request.limits;
    const struct cgroup_limits limits = {.memory_bytes = l->memory_bytes,
                                         .tasks = l->tasks,
                                         .processors = run->request.approved ? 0 : 1};
    struct cordon_err err;
    if (!run->owner->groups || cgroup_new(run->owner->groups, &limits, &run->group, &err) < 0)
        return;
    if (run->request.approved)
        tell_box(run, box);
}

void rungroup_join(struct cordon_run *run)
{
    struct cordon_err err;
    if (!run->group)
        return;
    if (cgroup_add(run->group, run->pid, &err) < 0) {
        rungroup_leave(run);
        return;
    }
    run->group_full.fd = cgroup_watch(run->group);
    if (run->group_full.fd >= 0 && loop_add(run->owner->loop, &run->group_full, EPOLLIN) < 0)
        fd_close(&run->group_full.fd);
}

void rungroup_read(struct cordon_run *run)
{
    uint64_t noticed = run->group_use.kills;
    if (!run->group)
        return;
    cgroup_read(run->group, &run->group_use);
    if (run->group_use.kills == 0) /* we were faster */
        run->group_use.kills = noticed;
}

void rungroup_leave(struct cordon_run *run)
{
    unwatch(run);
    cgroup_end(run->group);
    run->group = NULL;
}
