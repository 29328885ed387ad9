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
    int is_asked;
    int had_turn;
    uint64_t born;
    uint64_t faults,
        resident_bytes;   /* at the begin of the walk, or its own; then when it was asked */
    uint64_t grown_bytes; /* since then */
    uint64_t asked_faults;
    uint64_t asked_resident_bytes;
    struct hold_pages pages;
};

struct part {
    struct walk *walk;
    uint64_t until_ns;
    int is_first; /* of this walk */
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

/* NULL: no memory for the list. */
static struct walked *meet(const struct part *part, const struct tree_process *p)
{
    struct walked *w = find(part->walk, p);

    if (w || !(w = add(part->walk)))
        return w;
    /* Who comes later has all that it has made itself from then on; what it was born with is
     * somebody's who was there before. */
    *w = (struct walked){.pid = p->pid,
                         .born = p->born,
                         .faults = part->is_first ? p->faults : 0,
                         .resident_bytes = p->resident_bytes};
    return w;
}

/* Whether there was time. What comes after the question need not be in the answer. */
static int ask(struct part *part, const struct tree_process *p, struct walked *w)
{
    if (!w->is_asked) {
        w->is_asked = 1;
        w->asked_faults = p->faults;
        w->asked_resident_bytes = p->resident_bytes;
    }
    walk_ready(part->walk);
    int r = part->walk->reader ? reader_pages(part->walk->reader, p, part->until_ns, &w->pages)
                               : hold_pages_of(p, &w->pages); /* as long as it takes */
    if (r == 0)
        w->pages.own_bytes = tree_resident_now(p->look);
    return r >= 0;
}

static void take_turn(void *ctx, const struct tree_process *p)
{
    struct part *part = ctx;
    struct walked *w = meet(part, p);

    if (!w) { /* its turn comes again, until that takes too long */
        part->is_out_of_time = 1;
        return;
    }
    note_growth(w, p);
    if (w->had_turn || part->is_out_of_time)
        return;
    if ((part->took_one && io_now_ns() >= part->until_ns) || !ask(part, p, w)) {
        part->is_out_of_time = 1;
        return;
    }
    part->took_one = 1;
    w->had_turn = 1;
    w->faults = w->asked_faults;
    w->resident_bytes = w->asked_resident_bytes;
    note_growth(w, p);
}

/* What those who have ended had made others may have now, who had it from them. */
static void add_up(struct walk *walk, struct hold_pages *ret)
{
    *ret = (struct hold_pages){0};
    walk->grown_bytes = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const struct walked *w = &walk->seen[i];
        walk->grown_bytes += w->grown_bytes;
        if (!w->is_alive || !w->had_turn)
            continue;
        ret->own_bytes += w->pages.own_bytes;
        ret->shared_bytes += w->pages.shared_bytes;
    }
}

enum walk_state walk_on(struct walk *walk, pid_t top, int without_top, uint64_t until_ns,
                        struct hold_pages *ret)
{
    struct part part = {.walk = walk, .until_ns = until_ns, .is_first = walk->begun_ns == 0};

    if (part.is_first)
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
    struct reader *reader = walk->reader;

    free(walk->seen);
    *walk = (struct walk){.reader = reader};
}

void walk_ready(struct walk *walk)
{
    if (!walk->reader)
        walk->reader = reader_take();
}

void walk_close(struct walk *walk)
{
    walk_end(walk);
    reader_leave(walk->reader);
    walk->reader = NULL;
}
