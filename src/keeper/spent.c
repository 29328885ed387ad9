/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent: see spent.h. A process is known by number and time of birth: a number comes again.
 *
 * What a parent has waited for is read before what each has used itself: who is there then cannot be
 * in it. Who has ended may not be in it yet, as one that ended between the two readings is not: so
 * what it had is owed by those above it, and only what none of them has by the look after is lost.
 */
#include "keeper/spent.h"

#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define NOBODY SIZE_MAX

struct spender {
    pid_t pid, parent;
    uint64_t born;
    uint64_t own_ns;
    uint64_t waited_ns; /* what its children had, and theirs, that were waited for */
    uint64_t waited_faults;
    uint64_t grown_ns; /* waited_ns since the look before, without what is known to be in it */
    uint64_t owed_ns;  /* of those that have gone below it: it may come to have waited for them */
    uint64_t late_ns;  /* the same, from looks before */
    int has_waited;    /* since the look before */
    size_t up;         /* its parent, in the same list */
    size_t heir;       /* itself, in the next list */
};

static struct spender *now; /* of the look under way */
static size_t now_count, now_room;

/* ---- who is there ----------------------------------------------------------------- */

static struct spender *add(void)
{
    if (now_count == now_room) {
        size_t room = now_room ? 2 * now_room : 16;
        struct spender *more = reallocarray(now, room, sizeof(*more));
        if (!more)
            return NULL;
        now = more;
        now_room = room;
    }
    return &now[now_count++];
}

static void note(void *ctx, const struct tree_process *p)
{
    int *complete = ctx;
    uint64_t own_ns;

    if (!tree_own_time(p, &own_ns))
        return;
    struct spender *one = add();
    if (!one) {
        *complete = 0;
        return;
    }
    *one = (struct spender){.pid = p->pid,
                            .parent = p->parent,
                            .born = p->born,
                            .own_ns = own_ns,
                            .waited_ns = p->waited_ns,
                            .waited_faults = p->waited_faults};
}

static int compare(const void *a, const void *b)
{
    pid_t left = ((const struct spender *)a)->pid, right = ((const struct spender *)b)->pid;
    return (left > right) - (left < right);
}

static size_t find(const struct spender *list, size_t count, pid_t pid)
{
    const struct spender key = {.pid = pid};
    const struct spender *found = count ? bsearch(&key, list, count, sizeof(key), compare) : NULL;
    return found ? (size_t)(found - list) : NOBODY;
}

/* Who was overlooked, or has left the tree, is no end of it. */
static int keep_living(const struct spent *s)
{
    size_t listed = now_count;

    for (size_t i = 0; i < s->count; i++) {
        const struct spender *was = &s->seen[i];
        if (find(now, listed, was->pid) != NOBODY || !tree_is_there(was->pid, was->born))
            continue;
        struct spender *one = add();
        if (!one)
            return 0;
        *one = *was;
        one->owed_ns = one->late_ns = 0; /* it inherits them as any other */
    }
    if (now_count > listed)
        qsort(now, now_count, sizeof(*now), compare);
    return 1;
}

static int collect(const struct spent *s, pid_t top)
{
    int complete = 1;

    now_count = 0;
    tree_each(top, 0, note, &complete);
    complete = complete && keep_living(s) && find(now, now_count, top) != NOBODY;
    for (size_t i = 0; complete && i < now_count; i++)
        now[i].up = find(now, now_count, now[i].parent);
    return complete;
}

/* ---- who has gone ------------------------------------------------------------------- */

/* As much as there is of it. */
static void cover(uint64_t *owed_ns, uint64_t *grown_ns)
{
    uint64_t part = *owed_ns < *grown_ns ? *owed_ns : *grown_ns;

    *owed_ns -= part;
    *grown_ns -= part;
}

static void inherit(struct spender *was)
{
    size_t at = find(now, now_count, was->pid);
    struct spender *one = at != NOBODY ? &now[at] : NULL;

    was->heir = NOBODY;
    if (!one || one->born != was->born || one->own_ns < was->own_ns ||
        one->waited_ns < was->waited_ns)
        return;
    was->heir = at;
    one->grown_ns = one->waited_ns - was->waited_ns;
    one->has_waited = one->waited_faults != was->waited_faults;
    one->late_ns = was->late_ns + was->owed_ns;
    cover(&one->late_ns, &one->grown_ns);
}

/*
 * Nobody but its parent waits for it; but when that has gone, too, who waited for that has both, or
 * whoever has adopted it: one of those above. (A process that was waited for has made faults.)
 */
static void leave(struct spent *s, const struct spender *was, struct spender *top)
{
    uint64_t had_ns = was->own_ns + was->waited_ns + was->owed_ns + was->late_ns;
    struct spender *debtor = top;
    int has_waited = top->has_waited;
    size_t at = was->up;

    for (size_t steps = 0; at != NOBODY && steps < s->count; steps++, at = s->seen[at].up) {
        if (s->seen[at].heir == NOBODY)
            continue;
        struct spender *above = &now[s->seen[at].heir];
        has_waited |= above->has_waited;
        cover(&had_ns, &above->grown_ns);
        if (steps == 0) {
            debtor = above;
            has_waited = above->has_waited;
            break;
        }
    }
    debtor->owed_ns += had_ns;
    s->is_hiding |= !has_waited;
}

static void settle(struct spent *s, struct spender *top)
{
    for (size_t i = 0; i < s->count; i++)
        inherit(&s->seen[i]);
    s->is_hiding = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->seen[i].heir == NOBODY)
            leave(s, &s->seen[i], top);
}

/* ---- all of it ----------------------------------------------------------------------- */

/* What is waited for is told in clock ticks, of user and of system time: so much may yet be in it. */
static uint64_t untold_ns(void)
{
    return 2 * SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Whose own time the engine knows at any moment: below an init its oldest child. */
static uint64_t own_time_of_first(const struct spender *top, int without_top)
{
    const struct spender *first = NULL;

    if (!without_top)
        return top->own_ns;
    for (size_t i = 0; i < now_count; i++)
        if (now[i].parent == top->pid && (!first || now[i].born < first->born))
            first = &now[i];
    return first ? first->own_ns : 0;
}

static void sum_up(struct spent *s, const struct spender *top, int without_top)
{
    uint64_t most = untold_ns();

    s->total_ns = 0;
    for (size_t i = 0; i < now_count; i++) {
        struct spender *one = &now[i];
        if (one->late_ns > most) {
            s->gone_ns += one->late_ns - most;
            one->late_ns = most;
        }
        s->total_ns += one->waited_ns + one->owed_ns + one->late_ns;
        if (one != top || !without_top)
            s->total_ns += one->own_ns;
    }
    s->total_ns += s->gone_ns;
    s->others_ns = s->total_ns - own_time_of_first(top, without_top);
}

static void keep(struct spent *s)
{
    struct spender *seen = s->seen;
    size_t room = s->room;

    s->seen = now;
    s->count = now_count;
    s->room = now_room;
    now = seen;
    now_room = room;
}

void spent_look(struct spent *s, pid_t top, int without_top)
{
    if (!collect(s, top))
        return; /* what is known stays so; the next look sees what has gone */
    struct spender *first = &now[find(now, now_count, top)];
    settle(s, first);
    sum_up(s, first, without_top);
    keep(s);
}

void spent_close(struct spent *s)
{
    free(s->seen);
    *s = (struct spent){0};
}
