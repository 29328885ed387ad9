/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: the public entry, and the one mutex that keeps threads apart.
 *
 * Stepping: at most one thread is inside schedule_step() at a time (`stepping`), with the
 * mutex held. cordon_execute() waits either by stepping itself or, when another thread
 * does, on the condition variable. Beside cordon_step() it may poll for events that are
 * handled by now: what ends runs there also makes `wake` readable, which only it empties.
 */
#include "core/schedule.h"

#include "base/err.h"
#include "core/spawn.h"
#include "core/view.h"
#include "jail/probe.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <string.h>
#include <sys/eventfd.h>

/* ---- public: life ------------------------------------------------------------ */

static int init_locks(struct cordon_engine *e)
{
    pthread_mutexattr_t attr;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    int rc = pthread_mutex_init(&e->lock, &attr);
    (void)pthread_mutexattr_destroy(&attr);
    return rc ? rc : pthread_cond_init(&e->turn, NULL);
}

/* Walls that this version can take down. */
#define DROPPABLE                                                                                  \
    (CORDON_WALL_GATE | CORDON_WALL_INTERPRETER | CORDON_WALL_SECCOMP | CORDON_WALL_LANDLOCK |     \
     CORDON_WALL_LIMITS | CORDON_WALL_ROOT | CORDON_WALL_NAMESPACES)

/* Those that the level is about. */
#define OF_BOX (DROPPABLE & ~(CORDON_WALL_GATE | CORDON_WALL_INTERPRETER))

static int refuse(const char *option, const char *why, struct cordon_err *reterr)
{
    (void)err_set(reterr, CORDON_E_ARG, 0, "%s", why);
    err_step(reterr, option);
    return CORDON_E_ARG;
}

static int check_walls(const struct cordon_options *o, struct cordon_err *reterr)
{
    if (o->drop_walls & ~(uint32_t)DROPPABLE)
        return refuse("drop_walls", "there is no such wall", reterr);
    if (o->floor > CORDON_FLOOR_CONTAINED)
        return refuse("level", "there is no such level", reterr);
    if (o->floor == CORDON_FLOOR_FULL && o->drop_walls & OF_BOX)
        return refuse("level", "full is every wall of the box, and one is to be taken down",
                      reterr);
    return 0;
}

static int open_groups(struct cordon_engine *e, const struct cordon_options *o,
                       struct cordon_err *reterr)
{
    const char *where = o->cgroup ? o->cgroup : profile_set_cgroup(e->profiles);
    struct cordon_err why; /* there need not be any */
    int rc = o->drop_walls & CORDON_WALL_LIMITS ? 0 : cgroups_open(where, &e->groups, &why);
    if (rc < 0 && reterr)
        *reterr = why;
    e->owner.groups = rc > 0 ? &e->groups : NULL;
    return rc < 0 ? rc : 0;
}

static int take_options(struct cordon_engine *e, const struct cordon_options *given,
                        struct cordon_err *reterr)
{
    struct cordon_options o = {0};
    if (given && given->size == 0) {
        (void)err_set(reterr, CORDON_E_ARG, 0, "the options' size is not set");
        err_step(reterr, "options");
        return CORDON_E_ARG;
    }
    if (given)
        memcpy(&o, given, given->size < sizeof(o) ? given->size : sizeof(o));
    if (o.drop_walls & CORDON_WALL_NAMESPACES)
        o.drop_walls |= CORDON_WALL_ROOT; /* a root of its own takes a mount namespace */
    if (check_walls(&o, reterr) < 0)
        return CORDON_E_ARG;
    if (o.python) {
        struct interpreter found;
        int bad = interpreter_find(o.python, &found, reterr);
        if (bad < 0)
            return bad;
        e->python = strdup(o.python);
        if (!e->python)
            return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make an engine");
    }
    int rc = profile_set_load(o.config, &e->profiles, reterr);
    if (rc < 0)
        return rc;
    rc = open_groups(e, &o, reterr);
    if (rc < 0)
        return rc;
    spawn_helper_dir(o.helper_dir, e->helper_dir, sizeof(e->helper_dir));
    e->wish = (struct level_wish){
        .helper_dir = e->helper_dir, .floor = (enum cordon_floor)o.floor, .dropped = o.drop_walls};
    e->opts = (struct box_options){.loop = &e->loop,
                                   .python = e->python,
                                   .helper_dir = e->helper_dir,
                                   .walls_down = o.drop_walls | probe_missing_walls(),
                                   .let_go = &e->let_go,
                                   .events = &schedule_box_events,
                                   .ctx = e};
    return 0;
}

CORDON_API int cordon_engine_new(const struct cordon_options *opts,
                                 struct cordon_engine **ret_engine, struct cordon_err *reterr)
{
    struct cordon_engine *e = calloc(1, sizeof(*e));
    if (!e || sodium_init() < 0) {
        free(e);
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot make an engine");
    }
    e->loop = (struct loop){.epoll = -1, .timer = -1};
    e->wake = -1;
    schedule_init(e);
    int rc = init_locks(e);
    if (rc != 0) {
        free(e);
        return err_set(reterr, CORDON_E_HOST, rc, "cannot make a mutex");
    }
    rc = take_options(e, opts, reterr);
    if (rc == 0)
        rc = loop_open(&e->loop, reterr);
    if (rc == 0 && (e->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        rc = err_set(reterr, CORDON_E_HOST, errno, "cannot make an event descriptor");
    if (rc < 0) {
        cordon_engine_free(e);
        return rc;
    }
    *ret_engine = e;
    return 0;
}

CORDON_API void cordon_engine_free(struct cordon_engine *engine)
{
    if (!engine)
        return;
    schedule_done(engine);
    cgroups_close(&engine->groups);
    fd_close(&engine->wake);
    loop_close(&engine->loop);
    (void)pthread_mutex_destroy(&engine->lock);
    (void)pthread_cond_destroy(&engine->turn);
    profile_set_free(engine->profiles);
    free(engine->python);
    free(engine);
}

/* The profile of that name, or NULL with reterr filled. */
static const struct profile *find_profile(const struct cordon_engine *e, const char *name,
                                          struct cordon_err *reterr)
{
    const struct profile *p = profile_set_find(e->profiles, name);
    if (!p) {
        (void)err_set(reterr, CORDON_E_PROFILE, 0, "there is no profile '%.100s'", name);
        err_step(reterr, "profile");
    }
    return p;
}

CORDON_API char *cordon_engine_show_profile(struct cordon_engine *engine, const char *profile,
                                            struct cordon_err *reterr)
{
    struct buf out = {0};
    const struct profile *p = find_profile(engine, profile, reterr);
    if (!p)
        return NULL;
    if (config_print(p, &out) < 0) {
        buf_done(&out);
        (void)err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot show the profile");
    }
    return out.data;
}

CORDON_API const char *cordon_engine_profile(const struct cordon_engine *engine, size_t index)
{
    return profile_set_name(engine->profiles, index);
}

CORDON_API enum cordon_level cordon_engine_level(const struct cordon_engine *engine)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&engine->lock; /* no part of the answer */
    (void)pthread_mutex_lock(lock);
    int contained = engine->level.lack.code != 0; /* asked by the first run */
    (void)pthread_mutex_unlock(lock);
    if (contained)
        return CORDON_LEVEL_CONTAINED;
    return engine->opts.walls_down ? CORDON_LEVEL_DEGRADED : CORDON_LEVEL_FULL;
}

CORDON_API int cordon_engine_warm(struct cordon_engine *engine, const char *profile,
                                  struct cordon_err *reterr)
{
    const struct profile *p = find_profile(engine, profile, reterr);
    struct box *box;
    if (!p)
        return CORDON_E_PROFILE;
    (void)pthread_mutex_lock(&engine->lock);
    int rc = schedule_box(engine, p, &box, reterr);
    (void)pthread_mutex_unlock(&engine->lock);
    return rc;
}

/* ---- public: runs -------------------------------------------------------------- */

CORDON_API int cordon_submit(struct cordon_engine *engine, const struct cordon_request *request,
                             const struct cordon_callbacks *callbacks, void *user,
                             struct cordon_run **ret_run, struct cordon_err *reterr)
{
    struct request taken;
    int gate_up = !(engine->opts.walls_down & CORDON_WALL_GATE);
    int rc = request_take(engine->profiles, gate_up, request, &taken, reterr);
    if (rc < 0)
        return rc;
    (void)pthread_mutex_lock(&engine->lock);
    rc = schedule_submit(engine, &taken, callbacks, user, ret_run, reterr);
    (void)pthread_mutex_unlock(&engine->lock);
    if (rc < 0)
        request_done(&taken);
    return rc;
}

CORDON_API void cordon_cancel(struct cordon_engine *engine, struct cordon_run *run)
{
    (void)pthread_mutex_lock(&engine->lock);
    schedule_cancel(engine, run);
    (void)pthread_mutex_unlock(&engine->lock);
}

CORDON_API int cordon_fd(const struct cordon_engine *engine)
{
    return engine->loop.epoll;
}

static int step_locked(struct cordon_engine *e, struct cordon_err *reterr)
{
    int rc = schedule_step(e);
    if (rc < 0)
        return err_set(reterr, CORDON_E_HOST, -rc, "cannot wait for events");
    return (int)e->count;
}

CORDON_API int cordon_step(struct cordon_engine *engine, struct cordon_err *reterr)
{
    (void)pthread_mutex_lock(&engine->lock);
    unsigned long ended = engine->ended;
    int rc = engine->depth > 0 ? (int)engine->count : step_locked(engine, reterr);
    if (engine->stepping && engine->ended != ended)
        (void)eventfd_write(engine->wake, 1); /* a cordon_execute() polls: its run may be ended */
    (void)pthread_cond_broadcast(&engine->turn);
    (void)pthread_mutex_unlock(&engine->lock);
    return rc;
}

/* ---- public: blocking ------------------------------------------------------------ */

struct waiting {
    int done;
    struct cordon_result *result;
};

static void on_waited(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct waiting *w = user;
    (void)run;
    w->result = result;
    w->done = 1;
}

/* Waits for events without the mutex, then steps with it. */
static int take_turn(struct cordon_engine *e, struct cordon_err *reterr)
{
    struct pollfd fds[] = {{e->loop.epoll, POLLIN, 0}, {e->wake, POLLIN, 0}};
    eventfd_t count;
    e->stepping = 1;
    (void)pthread_mutex_unlock(&e->lock);
    (void)poll(fds, ARRAY_LEN(fds), -1);
    (void)pthread_mutex_lock(&e->lock);
    (void)eventfd_read(e->wake, &count);
    int rc = step_locked(e, reterr);
    e->stepping = 0;
    (void)pthread_cond_broadcast(&e->turn);
    return rc;
}

CORDON_API int cordon_execute(struct cordon_engine *engine, const struct cordon_request *request,
                              struct cordon_result **ret_result, struct cordon_err *reterr)
{
    static const struct cordon_callbacks callbacks = {.size = sizeof(callbacks), .done = on_waited};
    struct waiting w = {0};
    struct cordon_run *run;
    int rc = cordon_submit(engine, request, &callbacks, &w, &run, reterr);
    if (rc < 0)
        return rc;
    (void)pthread_mutex_lock(&engine->lock);
    while (!w.done && rc >= 0) {
        if (engine->stepping)
            (void)pthread_cond_wait(&engine->turn, &engine->lock);
        else
            rc = take_turn(engine, reterr);
    }
    if (!w.done)
        cordon_cancel(engine, run);
    (void)pthread_mutex_unlock(&engine->lock);
    if (!w.done)
        return rc;
    if (!w.result)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "no memory for the result");
    *ret_result = w.result;
    return 0;
}

CORDON_API int cordon_check(struct cordon_engine *engine, const struct cordon_request *request,
                            struct cordon_result **ret_result, struct cordon_err *reterr)
{
    struct cordon_request q = {0};
    if (request)
        memcpy(&q, request, request->size < sizeof(q) ? request->size : sizeof(q));
    q.size = request && request->size > 0 ? sizeof(q) : 0;
    q.check_only = 1;
    return cordon_execute(engine, &q, ret_result, reterr);
}
