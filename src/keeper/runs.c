/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs: slots and lists. Look-ups walk the lists: a box holds tens of runs, its bound is
 * there for an engine gone mad.
 */
#include "keeper/runs.h"

#include <string.h>

#define RUNS_MAX 4096

static struct run slots[RUNS_MAX];

void runs_init(struct runs *runs)
{
    memset(runs, 0, sizeof(*runs));
    TAILQ_INIT(&runs->queued);
    TAILQ_INIT(&runs->live);
    TAILQ_INIT(&runs->unused);
}

static struct run *take_slot(struct runs *runs)
{
    struct run *run = TAILQ_FIRST(&runs->unused);

    if (run)
        TAILQ_REMOVE(&runs->unused, run, link);
    else if (runs->slots_used < RUNS_MAX)
        run = &slots[runs->slots_used++];
    return run;
}

struct run *runs_add(struct runs *runs, uint64_t id, const struct sandbox_spec *spec,
                     const int fds[WIRE_FORK_FDS])
{
    struct run *run = take_slot(runs);
    if (!run)
        return NULL;

    *run = (struct run){
        .state = RUN_QUEUED, .id = id, .spec = *spec, .meter = {.work = -1, .shm = -1}};
    memcpy(run->fds, fds, sizeof(run->fds));
    TAILQ_INSERT_TAIL(&runs->queued, run, link);
    return run;
}

static struct run *find_in(struct run_list *list, uint64_t id)
{
    struct run *run;

    TAILQ_FOREACH(run, list, link)
    if (run->id == id)
        return run;
    return NULL;
}

struct run *runs_find(struct runs *runs, uint64_t id)
{
    struct run *run = find_in(&runs->live, id);
    return run ? run : find_in(&runs->queued, id);
}

struct run *runs_find_pid(struct runs *runs, pid_t pid)
{
    struct run *run;

    TAILQ_FOREACH(run, &runs->live, link)
    if (run->state == RUN_RUNNING && run->pid == pid)
        return run;
    return NULL;
}

static void close_fds(struct run *run)
{
    for (size_t i = 0; i < WIRE_FORK_FDS; i++)
        fd_close(&run->fds[i]);
}

/* Takes it off its list and out of its state's account. */
static void leave_state(struct runs *runs, struct run *run)
{
    switch (run->state) {
    case RUN_QUEUED:
        close_fds(run);
        TAILQ_REMOVE(&runs->queued, run, link);
        break;
    case RUN_RUNNING:
    case RUN_ENDED:
        TAILQ_REMOVE(&runs->live, run, link);
        break;
    }
}

void runs_set_running(struct runs *runs, struct run *run, pid_t pid)
{
    leave_state(runs, run);
    run->state = RUN_RUNNING;
    run->pid = pid;
    TAILQ_INSERT_TAIL(&runs->live, run, link);
}

void runs_set_ended(struct runs *runs, struct run *run, int status, const struct rusage *usage)
{
    leave_state(runs, run);
    run->state = RUN_ENDED;
    run->due_ns = 0;
    run->status = status;
    run->usage = *usage;
    TAILQ_INSERT_TAIL(&runs->live, run, link);
}

void runs_remove(struct runs *runs, struct run *run)
{
    leave_state(runs, run);
    run->due_ns = 0;
    run->meter.look_ns = 0;
    walk_close(&run->meter.walk);
    spent_close(&run->meter.spent);
    fd_close(&run->meter.work);
    fd_close(&run->meter.shm);
    TAILQ_INSERT_HEAD(&runs->unused, run, link);
}
