/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor: see doctor.h. Nothing here knows how to judge a machine: the rows try what runs
 * do, through the functions that runs go through.
 */
#include "core/doctor.h"

#include "base/err.h"
#include "core/cgroup.h"
#include "core/config.h"
#include "core/filters.h"
#include "core/result.h"
#include "core/spawn.h"
#include "core/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RUN_CODE "result['n'] = input_data['n'] + 1"
#define RUN_INPUT "{\"n\": 1}"
#define RUN_RESULT "{\"n\":2}"
#define RUN_WALL_MS 10000
#define NAMELESS (CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT)

/* What the rows share. */
struct doctor {
    const struct cordon_options *opts;
    struct cordon_options given; /* whole, whatever the caller's size */
    struct profile_set *profiles;
    const struct profile *profile;
    char helper_dir[PATH_MAX];
    struct interpreter interpreter;
    struct buf plan;
    int filter;
};

#define SAY(t, ...) (void)snprintf((t)->detail, sizeof((t)->detail), __VA_ARGS__)

/* ---- the engine's own rows ----------------------------------------------------- */

static int look_interpreter(struct trial *t, struct cordon_err *reterr)
{
    struct doctor *d = t->host->engine;
    const char *python = d->given.python ? d->given.python : d->profile->python;

    int rc = interpreter_find(python, &d->interpreter, reterr);
    if (rc < 0)
        return rc;
    SAY(t, "%.100s is Python 3.%d, its library %.100s", d->interpreter.program,
        d->interpreter.minor, d->interpreter.stdlib);
    struct cordon_err err = {0};
    rc = view_plan(d->profile, &d->interpreter, d->helper_dir, NULL, VIEW_FOR_RUNS,
                   t->host->spec.walls_down, &d->plan, &err);
    if (rc < 0 && err.code != CORDON_E_HELPER) { /* those have a row of their own */
        *reterr = err;
        return rc;
    }
    return 0;
}

static int look_helpers(struct trial *t, struct cordon_err *reterr)
{
    static const struct {
        const char *name;
        int mode;
    } helpers[] = {{"cordon-keeper", X_OK}, {"_cordon_worker.abi3.so", R_OK}};
    const struct doctor *d = t->host->engine;
    char path[PATH_MAX + 32];

    for (size_t i = 0; i < ARRAY_LEN(helpers); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", d->helper_dir, helpers[i].name);
        if (access(path, helpers[i].mode) < 0)
            return err_set(reterr, CORDON_E_HELPER, errno, "cannot use '%s'", path);
    }
    SAY(t, "in %.200s", d->helper_dir);
    return 0;
}

static int is_right(const struct cordon_result *result)
{
    size_t len = 0;
    const char *json = cordon_result_json(result, &len);

    return json && len == strlen(RUN_RESULT) && memcmp(json, RUN_RESULT, len) == 0;
}

/* At the best level that can be had, whatever the profile says. */
static int execute(const struct doctor *d, struct trial *t, int approved, struct cordon_err *reterr)
{
    struct cordon_options options = d->given;
    const struct cordon_request request = {
        .size = sizeof(request),
        .code = RUN_CODE,
        .code_len = strlen(RUN_CODE),
        .input = RUN_INPUT,
        .input_len = strlen(RUN_INPUT),
        .approved = approved,
        .limits = {.size = sizeof(request.limits), .wall_ms = RUN_WALL_MS},
    };
    struct cordon_engine *engine = NULL;
    struct cordon_result *result = NULL;
    uint64_t begin = io_now_ns();

    options.size = sizeof(options);
    options.floor = CORDON_FLOOR_CONTAINED;
    int rc = cordon_engine_new(&options, &engine, reterr);
    if (rc == 0)
        rc = cordon_execute(engine, &request, &result, reterr);
    if (rc == 0 && cordon_result_status(result) != CORDON_OK)
        rc = err_set(reterr, CORDON_E_HOST, 0, "%.500s", cordon_result_error(result, "message"));
    if (rc == 0 && !is_right(result))
        rc = err_set(reterr, CORDON_E_HOST, 0, "a small program ran, and its result is wrong");
    int contained = rc == 0 && (result->walls_down & CORDON_WALL_NAMESPACES);
    if (contained)
        t->status = CORDON_PROBE_DEGRADED;
    SAY(t, "a small program ran to its end in %.1f ms%s, start of the box included",
        (double)(io_now_ns() - begin) / 1e6, contained ? ", contained" : "");
    cordon_result_free(result);
    cordon_engine_free(engine);
    return rc;
}

static int look_run(struct trial *t, struct cordon_err *reterr)
{
    return execute(t->host->engine, t, 0, reterr);
}

/* Strict does not stand on it. */
static int look_approved(struct trial *t, struct cordon_err *reterr)
{
    struct cordon_err why = {0};
    (void)reterr;

    if (execute(t->host->engine, t, 1, &why) == 0)
        return 0;
    t->status = CORDON_PROBE_INFO;
    t->advise = 1;
    SAY(t, "approved runs cannot be had: %.200s", why.msg);
    return 0;
}

/* Nothing stands on it: without groups the keeper looks. */
static int look_cgroups(struct trial *t, struct cordon_err *reterr)
{
    const struct doctor *d = t->host->engine;
    const struct cgroup_limits limits = {.memory_bytes = 512u << 20, .tasks = 16, .processors = 1};
    struct cordon_err why = {0};
    struct cgroups groups;
    struct cgroup *group = NULL;

    int rc = cgroups_open(d->given.cgroup ? d->given.cgroup : profile_set_cgroup(d->profiles),
                          &groups, &why);
    if (rc < 0) {
        *reterr = why;
        return rc;
    }
    if (rc > 0)
        rc = cgroup_new(&groups, &limits, &group, &why) == 0;
    if (rc > 0) {
        SAY(t, "%s: the kernel counts what all processes of a run take", cgroups_name(&groups));
        cgroup_end(group);
        cgroups_close(&groups);
        return 0;
    }
    t->status = CORDON_PROBE_INFO;
    t->advise = 1;
    SAY(t, "sampling: the keeper looks what all processes of a run take (%.150s)", why.msg);
    return 0;
}

static const struct probe first_rows[] = {
    {"interpreter", NULL, PROBE_HERE, look_interpreter, 0, PROBE_BOTH,
     "there is a Python to run code with",
     "install Python 3.11 or later (the ordinary build, not the free-threaded one) with its "
     "library, or name one with --python or as interpreter: in a profile",
     NULL},
    {"helpers", NULL, PROBE_HERE, look_helpers, 0, PROBE_BOTH, "Cordon is installed whole",
     "install Cordon anew (make install), for everybody to read; a program that brings its own "
     "copy names the directory in cordon_options.helper_dir",
     NULL},
};

static const struct probe last_rows[] = {
    {"cgroups", NULL, PROBE_HERE, look_cgroups, 0, 0,
     "each run can have a control group of its own",
     "to have the kernel count, start the host program in a group that is delegated to it "
     "(systemd: Delegate=yes, and DelegateSubgroup= if it is not alone there), or name the "
     "directory in which groups may be made as cgroup: in the configuration",
     NULL},
    {"run", NULL, PROBE_HERE, look_run, NAMELESS, PROBE_BOTH, "strict code runs, from end to end",
     "put right what failed above; as it is, runs are to ask for less if contained is well "
     "(--level contained, or level: contained in their profile); if nothing failed, report this "
     "line",
     NULL},
    {"approved-run", "run", PROBE_HERE, look_approved, 0, 0, "approved code runs, from end to end",
     "put right what failed above, or what is said of box-proc; if all is well, report this line",
     NULL},
};

const struct probe *doctor_first(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(first_rows);
    return first_rows;
}

const struct probe *doctor_last(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(last_rows);
    return last_rows;
}

/* ---- what the rows are given ------------------------------------------------------ */

static int doctor_open(struct doctor *d, const struct cordon_options *opts,
                       struct cordon_err *reterr)
{
    d->opts = opts;
    if (opts)
        memcpy(&d->given, opts, opts->size < sizeof(d->given) ? opts->size : sizeof(d->given));
    spawn_helper_dir(d->given.helper_dir, d->helper_dir, sizeof(d->helper_dir));
    int rc = profile_set_load(d->given.config, &d->profiles, reterr);
    if (rc == 0)
        d->profile = profile_set_find(d->profiles, NULL);
    return rc;
}

static void doctor_close(struct doctor *d)
{
    profile_set_free(d->profiles);
    buf_done(&d->plan);
    fd_close(&d->filter);
}

/* Without an interpreter there is no plan, and yet something must be mounted. */
static int make_plan(struct buf *plan)
{
    return plan->len > 0 ? 0 : probe_add_files(plan);
}

static struct sandbox_spec spec_of(const struct cordon_limits *l)
{
    return (struct sandbox_spec){
        .memory_bytes = l->memory_bytes,
        .cpu_ms = l->cpu_ms,
        .tasks = l->tasks,
        .open_files = l->open_files,
        .disk_bytes = l->disk_bytes,
        .disk_files = l->disk_files,
        .walls_down = probe_missing_walls(),
    };
}

/* ---- all of them ------------------------------------------------------------------- */

#define FINDINGS_MAX 32

struct round {
    struct finding *findings;
    size_t count;
};

static int stands(const struct round *all, const char *name)
{
    for (size_t i = 0; name && i < all->count; i++)
        if (strcmp(all->findings[i].probe->name, name) == 0)
            return all->findings[i].said.status != CORDON_PROBE_FAILED &&
                   all->findings[i].said.status != CORDON_PROBE_SKIPPED;
    return 1;
}

static void try_rows(struct round *all, const struct probe *rows, size_t count,
                     const struct probe_host *host)
{
    for (size_t i = 0; i < count && all->count < FINDINGS_MAX; i++) {
        struct finding *f = &all->findings[all->count];
        f->probe = &rows[i];
        if (stands(all, rows[i].needs)) {
            probe_try(&rows[i], host, &f->said);
        } else {
            f->said.status = CORDON_PROBE_SKIPPED;
            (void)snprintf(f->said.detail, sizeof(f->said.detail), "builds upon %s", rows[i].needs);
        }
        all->count++;
    }
}

static int try_all(struct doctor *d, struct round *all, struct cordon_err *reterr)
{
    struct probe_host host = {.filter = -1, .spec = spec_of(&d->profile->limits), .engine = d};
    size_t count;
    const struct probe *rows = doctor_first(&count);

    try_rows(all, rows, count, &host);
    if (make_plan(&d->plan) < 0)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot plan the box");
    host.plan = d->plan.data;
    host.plan_len = d->plan.len;
    if (filters_open(FILTER_STRICT, &d->filter, &host.filter_err) == 0)
        host.filter = d->filter;
    rows = probe_table(&count);
    try_rows(all, rows, count, &host);
    rows = doctor_last(&count);
    try_rows(all, rows, count, &host);
    return 0;
}

static enum cordon_probe_status status_of_run(const struct finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].probe->name, "run") == 0)
            return findings[i].said.status;
    return CORDON_PROBE_FAILED;
}

static void excuse(struct probe_said *said, const char *why)
{
    char found[sizeof(said->detail)];

    memcpy(found, said->detail, sizeof(found));
    said->status = CORDON_PROBE_INFO;
    said->remedy = NULL;
    (void)snprintf(said->detail, sizeof(said->detail), "%s: %.500s", why, found);
}

/* A row that failed, in the light of the run that did not: what stood then was not needed. */
static void soften(struct finding *f, enum cordon_probe_status run)
{
    unsigned in_force = run == CORDON_PROBE_OK ? PROBE_FULL : PROBE_CONTAINED;

    if (f->probe->levels == 0) /* no level goes by it, but approved runs do */
        f->said.status = CORDON_PROBE_INFO;
    else if (f->probe->levels & in_force)
        excuse(&f->said, "not for this process, but the run below stands");
    else if (in_force == PROBE_FULL)
        excuse(&f->said, "needed only where namespaces cannot be had");
    else
        f->said.status = CORDON_PROBE_DEGRADED;
}

enum cordon_level doctor_weigh(struct finding *findings, size_t count)
{
    enum cordon_probe_status run = status_of_run(findings, count);
    enum cordon_level level = CORDON_LEVEL_FULL;

    for (size_t i = 0; i < count; i++) {
        struct finding *f = &findings[i];
        if (f->said.status == CORDON_PROBE_FAILED && run != CORDON_PROBE_FAILED)
            soften(f, run);
        if (f->said.status == CORDON_PROBE_FAILED)
            level = CORDON_LEVEL_NONE;
        else if (f->said.status == CORDON_PROBE_DEGRADED && level == CORDON_LEVEL_FULL)
            level = CORDON_LEVEL_DEGRADED;
    }
    return level != CORDON_LEVEL_NONE && run == CORDON_PROBE_DEGRADED ? CORDON_LEVEL_CONTAINED
                                                                      : level;
}

static void tell(const struct round *all, void (*row)(void *user, const struct cordon_probe *probe),
                 void *user)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct finding *f = &all->findings[i];
        const struct cordon_probe probe = {
            .size = sizeof(probe),
            .name = f->probe->name,
            .proves = f->probe->proves,
            .detail = f->said.detail,
            .remedy = f->said.remedy,
            .status = f->said.status,
            .wall = f->said.status == CORDON_PROBE_DEGRADED ? f->probe->wall : 0,
        };
        row(user, &probe);
    }
}

CORDON_API int cordon_doctor(const struct cordon_options *opts,
                             void (*row)(void *user, const struct cordon_probe *probe), void *user,
                             struct cordon_err *reterr)
{
    struct doctor d = {.filter = -1};
    AUTO_FREE struct finding *findings = calloc(FINDINGS_MAX, sizeof(*findings));
    struct round all = {.findings = findings};

    if (!findings)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "no memory for the findings");
    int rc = doctor_open(&d, opts, reterr);
    if (rc == 0)
        rc = try_all(&d, &all, reterr);
    if (rc == 0) {
        rc = (int)doctor_weigh(findings, all.count);
        tell(&all, row, user);
    }
    doctor_close(&d);
    return rc;
}

#define CORDON_X(name, value, text) [value] = text,
static const char *const status_words[] = {CORDON_PROBE_STATUSES(CORDON_X)};
static const char *const level_words[] = {CORDON_LEVELS(CORDON_X)};
#undef CORDON_X

CORDON_API const char *cordon_probe_status_name(enum cordon_probe_status status)
{
    return (size_t)status < ARRAY_LEN(status_words) ? status_words[status] : "unknown";
}

CORDON_API const char *cordon_level_name(enum cordon_level level)
{
    return (size_t)level < ARRAY_LEN(level_words) ? level_words[level] : "unknown";
}
