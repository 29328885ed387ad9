/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule: see schedule.h. Invariants:
 *
 *   1. `queued` counts the runs in RUN_QUEUED, `count` all runs in the ring
 *   2. inside a handler (depth > 0) no run but the one that ends is freed: a callback may
 *      cancel any run, and one further up the stack may be using it
 *   3. an approved run's result is delivered only when the gate has read its code
 */
#include "core/schedule.h"

#include "base/err.h"

#include <errno.h>
#include <poll.h>

#define STEP_BUDGET 1024
#define GROUPS_WAIT_NS 1000000000u

/* ---- runs ---------------------------------------------------------------- */

static void link_run(struct cordon_engine *e, struct cordon_run *run)
{
    run->prev = e->runs.prev;
    run->next = &e->runs;
    e->runs.prev->next = run;
    e->runs.prev = run;
    e->count++;
}

static void unlink_run(struct cordon_engine *e, struct cordon_run *run)
{
    run->prev->next = run->next;
    run->next->prev = run->prev;
    e->count--;
}

static struct cordon_run *find_run(struct cordon_engine *e, uint64_t id)
{
    for (struct cordon_run *r = e->runs.next; r != &e->runs; r = r->next)
        if (r->id == id)
            return r;
    return NULL;
}

/* Hands the result to the caller and lets go of the run. */
static void deliver(struct cordon_engine *e, struct cordon_run *run, struct cordon_result *result)
{
    struct cordon_callbacks callbacks = run->callbacks;
    void *user = run->user;
    int silent = run->cancelled;
    unlink_run(e, run);
    e->ended++;
    if (run->state == RUN_QUEUED)
        e->queued--;
    if (result && envelope_make(result) < 0) {
        cordon_result_free(result);
        result = NULL;
    }
    if (callbacks.done && !silent)
        callbacks.done(user, run, result);
    else
        cordon_result_free(result);
    run_free(run);
}

/* The gate has read an approved run's code: `result` is that reading's. */
static void on_checked(struct cordon_engine *e, struct cordon_run *check,
                       struct cordon_result *result)
{
    struct cordon_run *run = check->checks;
    run->check = NULL;
    if (result)
        run->warnings = json_incref(result->warnings);
    struct cordon_result *held = run->held;
    deliver(e, check, result);
    if (!held)
        return;
    run->held = NULL;
    held->warnings = run->warnings;
    run->warnings = NULL;
    deliver(e, run, held);
}

static void on_ended(void *ctx, struct cordon_run *run, struct cordon_result *result)
{
    struct cordon_engine *e = ctx;
    if (run->checks) {
        on_checked(e, run, result);
        return;
    }
    if (run->check && result && !run->cancelled) {
        if (run->state == RUN_QUEUED)
            e->queued--;
        run->held = result;
        run_park(run);
        return;
    }
    if (result && run->request.approved) {
        result->warnings = run->warnings;
        run->warnings = NULL;
    }
    if (run->check)
        schedule_cancel(e, run->check);
    deliver(e, run, result);
}

/* ---- boxes ----------------------------------------------------------------- */

static struct box *find_box(const struct cordon_engine *e, const struct profile *profile,
                            enum box_kind kind)
{
    for (size_t i = 0; i < BOXES_MAX; i++)
        if (e->boxes[i] && box_is(e->boxes[i], profile, kind))
            return e->boxes[i];
    return NULL;
}

static int open_box(struct cordon_engine *e, const struct profile *profile, enum box_kind kind,
                    struct box **ret_box, struct cordon_err *reterr)
{
    struct box_options opts = e->opts;
    int rc = level_walls(&e->level, &e->wish, profile, &opts.walls_down, reterr);
    for (size_t i = 0; rc == 0 && i < BOXES_MAX; i++) {
        if (e->boxes[i])
            continue;
        rc = box_open(&opts, profile, kind, NULL, &e->boxes[i], reterr);
        if (rc == 0)
            *ret_box = e->boxes[i];
        return rc;
    }
    return rc < 0 ? rc
                  : err_set(reterr, CORDON_E_HELPER, 0, "more than %d boxes are in use at once",
                            BOXES_MAX);
}

int schedule_box(struct cordon_engine *e, const struct profile *profile, struct box **ret_box,
                 struct cordon_err *reterr)
{
    *ret_box = find_box(e, profile, BOX_RUNS);
    return *ret_box ? 0 : open_box(e, profile, BOX_RUNS, ret_box, reterr);
}

/* For a reading: the box that is there; else the one that is there the sooner. */
static int schedule_reader(struct cordon_engine *e, const struct profile *profile,
                           struct box **ret_box, struct cordon_err *reterr)
{
    enum box_kind kind = profile_has_packages(profile) ? BOX_RUNS : BOX_READER;
    *ret_box = find_box(e, profile, BOX_RUNS);
    if (!*ret_box)
        *ret_box = find_box(e, profile, kind);
    return *ret_box ? 0 : open_box(e, profile, kind, ret_box, reterr);
}

/* An approved run has a box of its own, which goes with it. */
static int find_own_box(struct cordon_engine *e, struct cordon_run *run, struct box **ret_box,
                        struct cordon_err *reterr)
{
    struct box_options opts = e->opts;
    int rc = 0;
    if (!run->box)
        rc = level_walls(&e->level, &e->wish, run->request.profile, &opts.walls_down, reterr);
    if (!run->box && rc == 0)
        rc = box_open(&opts, run->request.profile, BOX_APPROVED, run->request.environ, &run->box,
                      reterr);
    *ret_box = run->box;
    return rc;
}

static void on_box_exited(void *ctx, uint64_t id, const struct wire_exit *how)
{
    struct cordon_engine *e = ctx;
    struct cordon_run *run = find_run(e, id);
    if (!run || run->state == RUN_PARKED) /* answered or cancelled before */
        return;
    if (run_exited(run, how))
        e->queued++;
}

static void on_box_held(void *ctx, uint64_t id, const struct wire_held *held)
{
    struct cordon_run *run = find_run(ctx, id);
    if (!run)
        return;
    run->exit.held_bytes = held->bytes;
    run->others_us = held->others_us;
    run->unasked = held->unasked != 0;
}

static void on_box_failed(void *ctx, uint64_t id, const struct cordon_err *why)
{
    struct cordon_run *run = find_run(ctx, id);
    if (run && run->state != RUN_PARKED)
        run_failed(run, why);
}

static void on_box_lost(void *ctx, struct box *box, const struct cordon_err *why)
{
    struct cordon_engine *e = ctx;
    for (size_t i = 0; i < BOXES_MAX; i++)
        if (e->boxes[i] == box)
            e->boxes[i] = NULL;
    for (struct cordon_run *r = e->runs.next, *next; r != &e->runs; r = next) {
        next = r->next;
        if (r->box != box)
            continue;
        r->box = NULL;
        if (r->state == RUN_PARKED)
            continue;
        if (box_was_ready(box) && run_requeue(r))
            e->queued++;
        else
            run_failed(r, why);
    }
    rungroup_forget(&e->owner, box);
    box_close(box);
}

const struct box_events schedule_box_events = {
    .exited = on_box_exited,
    .held = on_box_held,
    .failed = on_box_failed,
    .lost = on_box_lost,
};

/* ---- starting what waits ---------------------------------------------------- */

static int find_box_for(struct cordon_engine *e, struct cordon_run *run, struct box **ret_box,
                        struct cordon_err *reterr)
{
    const struct request *r = &run->request;
    if (r->approved)
        return find_own_box(e, run, ret_box, reterr);
    if (r->gate == WIRE_GATE_ONLY)
        return schedule_reader(e, r->profile, ret_box, reterr);
    return schedule_box(e, r->profile, ret_box, reterr);
}

/* Starts one run. 0 when it has started or ended, -EMFILE when it has to wait. */
static int start_run(struct cordon_engine *e, struct cordon_run *run)
{
    struct cordon_err err = {0};
    struct box *box = NULL;
    int rc = find_box_for(e, run, &box, &err);
    if (rc < 0 && (err.sys == EMFILE || err.sys == ENFILE))
        return -EMFILE;
    if (rc < 0) {
        run_failed(run, &err);
        return 0;
    }
    run->walls_down = box_walls_down(box);
    rc = run_start(run, box);
    if (rc == 0)
        e->queued--;
    return rc < 0 ? rc : 0;
}

static int none_started(const struct cordon_engine *e)
{
    for (const struct cordon_run *r = e->runs.next; r != &e->runs; r = r->next)
        if (r->state == RUN_FORKING || r->state == RUN_RUNNING)
            return 0;
    return 1;
}

/* Nothing runs whose end would free descriptors, and yet there are none: say so. */
static void fail_starved(struct cordon_engine *e)
{
    struct cordon_run *run = e->runs.next;
    struct cordon_err err = {0};
    while (run->state != RUN_QUEUED)
        run = run->next;
    (void)err_set(&err, CORDON_E_HOST, EMFILE,
                  "the host program has no descriptors left for a run");
    run_failed(run, &err);
}

/* In order, until one has to wait for descriptors that the runs before it hold. */
static void start_queued(struct cordon_engine *e)
{
    for (struct cordon_run *r = e->runs.next, *next; r != &e->runs && e->queued > 0; r = next) {
        next = r->next;
        if (r->state != RUN_QUEUED)
            continue;
        if (r->cancelled)
            on_ended(e, r, NULL);
        else if (start_run(e, r) < 0)
            break;
    }
    if (e->queued > 0 && none_started(e))
        fail_starved(e);
}

static void retry_boxes(struct cordon_engine *e)
{
    for (size_t i = 0; i < BOXES_MAX; i++)
        if (e->boxes[i])
            box_retry(e->boxes[i]);
    for (struct cordon_run *r = e->runs.next; r != &e->runs; r = r->next)
        if (r->request.approved && r->box)
            box_retry(r->box);
}

static void ring_alarms(struct cordon_engine *e)
{
    retry_boxes(e);
    uint64_t now = io_now_ns();
    for (struct cordon_run *r = e->runs.next, *next; r != &e->runs; r = next) {
        next = r->next;
        if (r->alarm_ns == 0)
            continue;
        if (r->alarm_ns <= now)
            run_alarm(r);
        else
            loop_alarm(&e->loop, r->alarm_ns);
    }
}

/* ---- for the engine ----------------------------------------------------------- */

/* Runs that have nothing more to come, and were cancelled while a handler might hold them. */
static void sweep_parked(struct cordon_engine *e)
{
    e->parked_cancelled = 0;
    for (struct cordon_run *r = e->runs.next, *next; r != &e->runs; r = next) {
        next = r->next;
        if (r->state != RUN_PARKED || !r->cancelled)
            continue;
        unlink_run(e, r);
        run_free(r);
    }
}

int schedule_step(struct cordon_engine *e)
{
    e->depth++;
    start_queued(e);
    int rang = loop_step(&e->loop, STEP_BUDGET);
    if (rang > 0)
        ring_alarms(e);
    start_queued(e);
    boxes_collect(&e->let_go, 0);
    rungroup_tidy(&e->owner);
    if (--e->depth == 0 && e->parked_cancelled)
        sweep_parked(e);
    return rang < 0 ? rang : 0;
}

/* Queues one run. */
static struct cordon_run *add_run(struct cordon_engine *e, struct request *request,
                                  const struct cordon_callbacks *callbacks, void *user)
{
    struct cordon_run *run =
        run_new(&e->owner, ++e->last_id, request, callbacks, user, e->opts.walls_down);
    if (!run)
        return NULL;
    link_run(e, run);
    e->queued++;
    return run;
}

/* Beside an approved run: a strict one in which the gate reads the code, and no more. */
static int add_check(struct cordon_engine *e, struct cordon_run *run, struct cordon_err *reterr)
{
    struct request request;
    int rc = request_for_check(&run->request, &request, reterr);
    if (rc < 0)
        return rc;
    run->check = add_run(e, &request, NULL, NULL);
    if (!run->check) {
        request_done(&request);
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot take the run");
    }
    run->check->checks = run;
    return 0;
}

int schedule_submit(struct cordon_engine *e, struct request *request,
                    const struct cordon_callbacks *callbacks, void *user,
                    struct cordon_run **ret_run, struct cordon_err *reterr)
{
    int with_check = request->approved && request->gate_up;
    struct cordon_run *run = add_run(e, request, callbacks, user);
    if (!run)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot take the run");
    int rc = with_check ? add_check(e, run, reterr) : 0;
    if (rc < 0) {
        schedule_cancel(e, run);
        return rc;
    }
    if (ret_run)
        *ret_run = run;
    /* Started by the next step, so that no callback comes before this returns. */
    loop_alarm(&e->loop, 1);
    return 0;
}

void schedule_cancel(struct cordon_engine *e, struct cordon_run *run)
{
    if (run->check) {
        run->check->checks = NULL;
        schedule_cancel(e, run->check);
        run->check = NULL;
    }
    if (e->depth > 0) {
        run->cancelled = 1; /* it may be in use further up: its exit frees it, or the step's end */
        if (run->state == RUN_PARKED)
            e->parked_cancelled = 1;
        else if (run->box)
            box_kill(run->box, run->id);
        return;
    }
    if (run->state == RUN_QUEUED)
        e->queued--;
    unlink_run(e, run);
    run_free(run);
}

void schedule_init(struct cordon_engine *e)
{
    e->runs.next = e->runs.prev = &e->runs;
    e->owner =
        (struct run_owner){.loop = &e->loop, .stock = &e->stock, .ended = on_ended, .ctx = e};
}

void schedule_done(struct cordon_engine *e)
{
    while (e->runs.next != &e->runs) {
        struct cordon_run *run = e->runs.next;
        unlink_run(e, run);
        run_free(run);
    }
    for (size_t i = 0; i < BOXES_MAX; i++)
        box_close(e->boxes[i]);
    boxes_collect(&e->let_go, 1);
    rungroup_forget(&e->owner, NULL);
    uint64_t until = io_now_ns() + GROUPS_WAIT_NS;
    while (cgroups_collect(&e->groups) > 0 && io_now_ns() < until)
        (void)poll(NULL, 0, 1);
}
