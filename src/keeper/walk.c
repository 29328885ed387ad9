/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: see walk.h. Who has had a turn is known by number and time of birth: a number comes again.
 */
#include "keeper/walk.h"

#include "base/io.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
/* As honest ones as a limit of tasks allows take less; a run that forks all the time takes for ever. */
#define LONGEST_NS (10 * SECOND)

struct walked {
    pid_t pid;
    int is_alive; /* at this call */
    uint64_t born;
    uint64_t faults; /* by its turn */
    uint64_t resident_bytes;
    uint64_t grown_bytes;
    struct hold_pages pages;
};

struct part {
    struct walk *walk;
    uint64_t until_ns;
    int is_out_of_time;
    int took_one;
};

static uint64_t more(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static struct walked *find(const struct walk *walk, const struct tree_process *p)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->seen[i].pid == p->pid && walk->seen[i].born == p->born)
            return &walk->seen[i];
    return NULL;
}

static struct walked *add(struct walk *walk)
{
    if (walk->count == walk->room) {
        size_t room = walk->room ? 2 * walk->room : 64;
        struct walked *seen = reallocarray(walk->seen, room, sizeof(*seen));
        if (!seen)
            return NULL;
        walk->seen = seen;
        walk->room = room;
    }
    return &walk->seen[walk->count++];
}

/*
 * A fault is a page more: a new one, or a copy of one that it had together with others, which does
 * not show in how many it has; and several at once in how many it has alone.
 */
static void note_growth(struct walked *w, const struct tree_process *p)
{
    static uint64_t page;

    if (page == 0)
        page = (uint64_t)sysconf(_SC_PAGESIZE);
    w->is_alive = 1;
    w->grown_bytes = more(p->faults, w->faults) * page;
    if (more(p->resident_bytes, w->resident_bytes) > w->grown_bytes)
        w->grown_bytes = more(p->resident_bytes, w->resident_bytes);
}

static void take_turn(void *ctx, const struct tree_process *p)
{
    struct part *part = ctx;
    struct walked *w = find(part->walk, p);

    if (w) {
        note_growth(w, p);
        return;
    }
    if (part->took_one && io_now_ns() >= part->until_ns) {
        part->is_out_of_time = 1;
        return;
    }
    part->took_one = 1;
    w = add(part->walk);
    if (!w) { /* no memory for the list: its turn comes again, until that takes too long */
        part->is_out_of_time = 1;
        return;
    }
    *w = (struct walked){.pid = p->pid,
                         .is_alive = 1,
                         .born = p->born,
                         .faults = p->faults,
                         .resident_bytes = p->resident_bytes};
    hold_pages_of(p, &w->pages);
}

static void add_up(struct walk *walk, struct hold_pages *ret)
{
    *ret = (struct hold_pages){0};
    walk->grown_bytes = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const struct walked *w = &walk->seen[i];
        if (!w->is_alive)
            continue;
        ret->own_bytes += w->pages.own_bytes;
        walk->grown_bytes += w->grown_bytes;
        ret->shared_bytes += w->pages.shared_bytes;
    }
}

enum walk_state walk_on(struct walk *walk, pid_t top, int without_top, uint64_t until_ns,
                        struct hold_pages *ret)
{
    struct part part = {.walk = walk, .until_ns = until_ns};

    if (walk->begun_ns == 0)
        walk->begun_ns = io_now_ns();
    for (size_t i = 0; i < walk->count; i++)
        walk->seen[i].is_alive = 0;
    tree_each(top, without_top, take_turn, &part);
    add_up(walk, ret);
    if (part.is_out_of_time && io_now_ns() - walk->begun_ns < LONGEST_NS)
        return WALK_GOES_ON;
    uint64_t grown = walk->grown_bytes;
    walk_end(walk);
    walk->grown_bytes = grown;
    return part.is_out_of_time ? WALK_TOO_LONG : WALK_DONE;
}

void walk_end(struct walk *walk)
{
    free(walk->seen);
    *walk = (struct walk){0};
}
