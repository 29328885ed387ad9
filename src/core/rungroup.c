/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rungroup: see rungroup.h. Version 2 kills a whole group that has run out of memory. Version 1
 * kills one process of it, and the others would wait for it, or go on as if nothing were:
 * there we are told, and end the run ourselves.
 */
#include "core/rungroup.h"

#include "base/err.h"
#include "base/io.h"

#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AHEAD 4 /* groups that a box has for standbys, beyond those for runs that wait */
/* Whoever enters a group holds up all who make or remove one: a standby should be in by then. */
#define TIDY_NS 40000000u
#define AGAIN_NS 20000000u

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

/* ---- groups ahead ----------------------------------------------------------------- */

/* An approved run is born in its group: so much is its interpreter's and its init's. */
#define BORN_BYTES (UINT64_C(8) << 20)
#define BORN_TASKS 1

static struct cgroup_limits limits_of(const struct cordon_limits *l, int approved)
{
    struct cgroup_limits limits = {
        .memory_bytes = l->memory_bytes, .tasks = l->tasks, .processors = approved ? 0 : 1};
    if (approved && limits.memory_bytes < INT64_MAX)
        limits.memory_bytes += BORN_BYTES;
    if (approved)
        limits.tasks += BORN_TASKS;
    return limits;
}

static int same_limits(const struct cgroup_limits *a, const struct cgroup_limits *b)
{
    return a->memory_bytes == b->memory_bytes && a->tasks == b->tasks &&
           a->processors == b->processors;
}

static void tidy_later(const struct run_owner *owner, uint64_t in_ns)
{
    if (owner->stock->tidy_ns == 0)
        owner->stock->tidy_ns = io_now_ns() + in_ns;
    loop_alarm(owner->loop, owner->stock->tidy_ns);
}

static void end_later(const struct run_owner *owner, struct cgroup *group)
{
    cgroup_end_later(group);
    tidy_later(owner, TIDY_NS);
}

static struct stock *find_stock(struct rungroups *all, const struct box *box)
{
    for (size_t i = 0; i < RUNGROUP_STOCKS_MAX; i++)
        if (all->stocks[i].box == box)
            return &all->stocks[i];
    return NULL;
}

/* The box's; NULL: there is no room for it. */
static struct stock *open_stock(const struct cordon_run *run)
{
    struct rungroups *all = run->owner->stock;
    struct stock *stock = find_stock(all, run->box);
    if (!stock && (stock = find_stock(all, NULL)))
        *stock =
            (struct stock){.box = run->box, .limits = limits_of(&run->request.profile->limits, 0)};
    return stock;
}

static struct spare *find_spare(struct rungroups *all, const struct box *box, uint64_t id)
{
    for (size_t i = 0; i < RUNGROUP_SPARES_MAX; i++)
        if (all->spares[i].group && all->spares[i].box == box && all->spares[i].id == id)
            return &all->spares[i];
    return NULL;
}

static size_t count_spares(const struct rungroups *all, const struct box *box)
{
    size_t count = 0;
    for (size_t i = 0; i < RUNGROUP_SPARES_MAX; i++)
        count += all->spares[i].group && all->spares[i].box == box && !all->spares[i].is_old;
    return count;
}

static int hand_over(struct box *box, uint64_t id, const struct cgroup *group)
{
    int doors[CGROUP_PLACES];
    size_t count = cgroup_doors(group, doors);
    if (count > 0)
        box_group(box, id, doors, count);
    return count > 0;
}

/* Whether there is one more. */
static int add_spare(const struct run_owner *owner, const struct stock *stock)
{
    struct rungroups *all = owner->stock;
    struct cordon_err err;
    struct spare *spare = all->spares;
    while (spare < all->spares + RUNGROUP_SPARES_MAX && spare->group)
        spare++;
    if (spare == all->spares + RUNGROUP_SPARES_MAX ||
        cgroup_new(owner->groups, &stock->limits, &spare->group, &err) < 0)
        return 0;
    spare->id = ++all->last_id;
    spare->box = stock->box;
    spare->is_old = 0;
    spare->limits = stock->limits;
    if (hand_over(stock->box, spare->id, spare->group))
        return 1;
    end_later(owner, spare->group);
    spare->group = NULL;
    return 0;
}

static void fill(const struct run_owner *owner, const struct stock *stock, size_t want)
{
    while (count_spares(owner->stock, stock->box) < want && add_spare(owner, stock))
        ;
}

/*
 * A run came without one. Those that were lost with a standby look like any that waits: the oldest
 * goes, if it is empty, and one comes for it. A standby that has its doors may enter at any moment,
 * and must not be killed for it: so it stays in its place until it is removed as an empty one.
 */
static void replace_oldest(const struct run_owner *owner, const struct box *box)
{
    struct rungroups *all = owner->stock;
    struct spare *oldest = NULL;
    for (size_t i = 0; i < RUNGROUP_SPARES_MAX; i++) {
        struct spare *s = &all->spares[i];
        if (s->group && s->box == box && !s->is_old && (!oldest || s->id < oldest->id))
            oldest = s;
    }
    if (!oldest || !cgroup_has(oldest->group, 0))
        return;
    oldest->is_old = 1;
    tidy_later(owner, TIDY_NS);
    const struct stock *stock = find_stock(all, box);
    if (stock)
        (void)add_spare(owner, stock);
}

/* Whoever has come into one is a standby with a group like any other. */
static void remove_old(struct rungroups *all)
{
    for (size_t i = 0; i < RUNGROUP_SPARES_MAX; i++) {
        struct spare *s = &all->spares[i];
        if (s->group && s->is_old && cgroup_end_empty(s->group))
            s->group = NULL;
        s->is_old = 0;
    }
}

void rungroup_tidy(const struct run_owner *owner)
{
    struct rungroups *all = owner->stock;
    if (!owner->groups || all->tidy_ns == 0)
        return;
    if (io_now_ns() < all->tidy_ns) {
        loop_alarm(owner->loop, all->tidy_ns);
        return;
    }
    all->tidy_ns = 0;
    remove_old(all);
    for (size_t i = 0; i < RUNGROUP_STOCKS_MAX; i++)
        if (all->stocks[i].box)
            fill(owner, &all->stocks[i], all->stocks[i].due + AHEAD);
    if (cgroups_collect(owner->groups) > 0)
        tidy_later(owner, AGAIN_NS);
}

void rungroup_forget(const struct run_owner *owner, const struct box *box)
{
    struct rungroups *all = owner->stock;
    for (size_t i = 0; i < RUNGROUP_SPARES_MAX; i++) {
        struct spare *s = &all->spares[i];
        if (!s->group || (box && s->box != box))
            continue;
        end_later(owner, s->group);
        s->group = NULL;
    }
    for (size_t i = 0; i < RUNGROUP_STOCKS_MAX; i++)
        if (!box || all->stocks[i].box == box)
            all->stocks[i] = (struct stock){0};
}

/* ---- a run's ----------------------------------------------------------------------- */

static void settle(struct cordon_run *run)
{
    struct stock *stock = run->group_due ? find_stock(run->owner->stock, run->box) : NULL;
    if (stock && stock->due > 0)
        stock->due--;
    run->group_due = 0;
}

static int make_own(struct cordon_run *run)
{
    struct cordon_err err;
    const struct cgroup_limits limits = limits_of(&run->request.limits, run->request.approved);
    return cgroup_new(run->owner->groups, &limits, &run->group, &err);
}

void rungroup_make(struct cordon_run *run)
{
    if (!run->owner->groups)
        return;
    if (run->request.approved) {
        if (make_own(run) == 0)
            (void)hand_over(run->box, 0, run->group);
        return;
    }
    struct stock *stock = open_stock(run);
    if (!stock)
        return;
    stock->due++;
    run->group_due = 1;
    fill(run->owner, stock, stock->due + (stock->is_used != 0));
    stock->is_used = 1;
}

/* What it came with, if the kernel says so. */
static int take_spare(struct cordon_run *run)
{
    struct cordon_err err;
    const struct cgroup_limits limits = limits_of(&run->request.limits, 0);
    struct spare *spare = find_spare(run->owner->stock, run->box, run->frames.ready.group);
    if (!spare || !cgroup_has(spare->group, run->pid) ||
        (!same_limits(&spare->limits, &limits) && cgroup_set(spare->group, &limits, &err) < 0))
        return 0;
    run->group = spare->group;
    spare->group = NULL;
    tidy_later(run->owner, TIDY_NS);
    return 1;
}

/* Its keeper looks at it in any case, and knows of no group. */
static void join_made(struct cordon_run *run)
{
    struct cordon_err err;
    replace_oldest(run->owner, run->box);
    (void)make_own(run);
    if (run->group && cgroup_add(run->group, run->pid, &err) < 0)
        rungroup_leave(run);
}

/*
 * Its init is in, and then the keeper admits nothing: or it could not come in, and then the group is
 * empty, and the keeper counts all of it.
 */
static int join_approved(struct cordon_run *run, struct cordon_err *reterr)
{
    struct cgroup_use use;
    int r = cgroup_has(run->group, run->pid) ? 0 : cgroup_add(run->group, run->pid, reterr);
    if (r < 0) {
        err_step(reterr, "cgroup");
        if (!cgroup_end_empty(run->group))
            return r;
        run->group = NULL;
        tidy_later(run->owner, TIDY_NS);
        return 0;
    }
    cgroup_read(run->group, &use);
    run->group_born_bytes = use.bytes;
    return 0;
}

int rungroup_join(struct cordon_run *run, struct cordon_err *reterr)
{
    int r = 0;
    if (!run->owner->groups)
        return 0;
    settle(run);
    if (!run->request.approved && !take_spare(run))
        join_made(run);
    else if (run->request.approved && run->group)
        r = join_approved(run, reterr);
    if (r < 0)
        return r;
    run->group_full.fd = run->group ? cgroup_watch(run->group) : -1;
    if (run->group_full.fd >= 0 && loop_add(run->owner->loop, &run->group_full, EPOLLIN) < 0)
        fd_close(&run->group_full.fd);
    return 0;
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
    settle(run);
    unwatch(run);
    if (run->group)
        end_later(run->owner, run->group);
    run->group = NULL;
}
