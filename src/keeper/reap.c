/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap: the end of a run where no PID namespace makes it whole.
 *
 * What the run's processes leave behind are children of the keeper, which knows its other
 * children by name: the zygote, the standbys, and the first process of each run. What was just
 * forked has no name yet. So while a fork is on its way nothing is taken for a stray, and
 * while a stray may be there none is ordered; a fork takes a millisecond.
 */
#include "keeper/keeper.h"

#include "jail/place.h"
#include "keeper/killtree.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>

#define LOOK_EVERY_NS UINT64_C(10000000) /* for strays of runs that go on */
#define AGAIN_NS UINT64_C(1000000)

static int is_known(const void *ctx, pid_t pid)
{
    struct keeper *k = (struct keeper *)(uintptr_t)ctx;
    return pid == k->zygote.pid || runs_find_pid(&k->runs, pid) != NULL ||
           standbys_find_pid(&k->standbys, pid) != NULL;
}

/* What it had on the host: its own directory, named after its first process. */
void reap_directory(const struct keeper *k, pid_t first)
{
    char path[PATH_MAX];

    if (!k->box->place)
        return;
    (void)snprintf(path, sizeof(path), "%s/%d", k->box->place, first);
    place_remove(path);
}

void reap_later(struct keeper *k, struct run *run, int status, const struct rusage *usage)
{
    runs_set_ended(&k->runs, run, status, usage);
    k->reaper.look_ns = 1;
}

static struct run *find_ended(struct keeper *k)
{
    struct run *run;

    TAILQ_FOREACH(run, &k->runs.live, link)
    if (run->state == RUN_ENDED)
        return run;
    return NULL;
}

static void finish_ended(struct keeper *k)
{
    struct run *run;

    while ((run = find_ended(k))) {
        reap_directory(k, run->pid);
        keeper_exit_run(k, run, run->status, &run->usage);
    }
}

uint64_t reap_turn(struct keeper *k, uint64_t now)
{
    struct reaper *r = &k->reaper;

    if (TAILQ_EMPTY(&k->runs.live)) {
        r->look_ns = r->hold = 0;
        return UINT64_MAX;
    }
    if (now < r->look_ns)
        return r->look_ns;
    int held = r->hold;
    r->hold = standbys_in(&k->standbys, STANDBY_ORDERED) > 0;
    if (r->hold)
        return UINT64_MAX; /* the zygote's answer wakes us */
    if (!killtree_strays(is_known, k)) {
        r->look_ns = now + AGAIN_NS;
        return r->look_ns;
    }
    finish_ended(k);
    r->look_ns = now + LOOK_EVERY_NS;
    return held ? now : r->look_ns; /* a run may wait for what was not ordered */
}

void reap_all(struct keeper *k)
{
    (void)k;
    killtree_all();
}
