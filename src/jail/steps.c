/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the sandbox's walls, in order, and the runner of such tables.
 *
 * The code here runs in a copy of the zygote: system calls and the stack, no memory is
 * allocated, no lock taken, no Python object touched.
 */
#include "jail/steps.h"

#include "base/err.h"
#include "jail/filter.h"
#include "jail/landlock.h"
#include "jail/limits.h"
#include "jail/ns.h"
#include "jail/place.h"
#include "jail/plan.h"
#include "jail/privs.h"
#include "jail/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int steps_run(const struct step *steps, size_t count, uint32_t walls_down, void *ctx,
              struct cordon_err *reterr)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t walls = steps[i].walls;
        if (walls != 0 && (walls & walls_down) == walls)
            continue;
        if ((steps[i].without & walls_down) != steps[i].without)
            continue;

        int r = steps[i].run(ctx, reterr);
        if (r < 0) {
            err_step(reterr, steps[i].name);
            return r;
        }
    }
    return 0;
}

/* What the zygote took, for its copies. */
static struct {
    char bytes[FILTER_BYTES_MAX];
    size_t len;
} call_filter;

int steps_take_filter(int fd, struct cordon_err *reterr)
{
    AUTO_FD file = fd;
    return filter_read(file, call_filter.bytes, &call_filter.len, reterr);
}

/* The same of the box's plan, where the root is down: what the view would show. */
static struct {
    char bytes[WIRE_MSG_MAX];
    size_t len;
    const char *work;
    struct landlock_rule files[256];
    size_t count;
} view;

static int leave_open(const char *path, enum landlock_grant grant)
{
    if (view.count == ARRAY_LEN(view.files))
        return -E2BIG;
    view.files[view.count++] = (struct landlock_rule){path, grant, 1};
    return 0;
}

static int take_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    (void)ctx;
    (void)b;
    switch (op) {
    case PLAN_WORK:
        view.work = a;
        return 0;
    case PLAN_BIND:
        return leave_open(a, LANDLOCK_READ);
    case PLAN_DEVICE:
        return leave_open(a, strcmp(a, "/dev/null") == 0 ? LANDLOCK_USE : LANDLOCK_READ);
    case PLAN_DIR:
    case PLAN_SYMLINK: /* a path through links ends at a row of its own */
    case PLAN_PROGRAM:
    case PLAN_ARG:
    case PLAN_ENV:
    case PLAN_WALLS_DOWN:
    case PLAN_APPROVED:
    case PLAN_PROTECT:
    case PLAN_NETWORK:
    case PLAN_UMASK:
    case PLAN_PROBE:
        return 0;
    }
    return 0;
}

int steps_take_plan(int fd, struct cordon_err *reterr)
{
    AUTO_FD file = fd;
    ssize_t n = pread(file, view.bytes, sizeof(view.bytes), 0);
    if (n < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot read the box's plan");
    view.len = (size_t)n;
    int r = plan_each(view.bytes, view.len, take_row, NULL);
    if (r == 0)
        r = leave_open(".", LANDLOCK_OWN);
    if (r < 0 || !view.work)
        return err_set(reterr, CORDON_E_PROTOCOL, -r, "the box's plan cannot be used");
    return 0;
}

/* What a standby has measured, for the limits that come with its request. */
static struct limits_base base;

struct sandbox {
    const struct sandbox_spec *spec;
    int *fds;
};

static int step_ids(void *ctx, struct cordon_err *reterr)
{
    static const struct ns_ids user = {.inside = 1000, .uid = 0, .gid = 0};
    (void)ctx;

    /* Without it /proc/self belongs to someone else, and the maps cannot be written. */
    int r = privs_set_dumpable(1, reterr);
    return r < 0 ? r : ns_write_ids("self", &user, 1, reterr);
}

static pid_t keeper; /* the parent of zygote and sandboxes; 0 in a rehearsal */

/*
 * Without a user namespace it has to be somebody else on the host itself, which only root's
 * can; an ordinary user's stays who that is, and file modes keep nothing from it.
 */
static int step_own_user(void *ctx, struct cordon_err *reterr)
{
    struct ns_ids own;
    int r = 0;
    (void)ctx;

    base.shared_user = 1;
    if (privs_has_caps(PRIVS_CAP(CAP_SETUID) | PRIVS_CAP(CAP_SETGID)) && ns_spare_ids(&own))
        base.shared_user = (r = privs_become(own.uid, own.gid, 0, reterr)) < 0;
    return r < 0 ? r : privs_end_with(keeper ? keeper : getppid(), SIGKILL, reterr);
}

static int step_no_nesting(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return ns_forbid_nesting(reterr);
}

static int step_measure(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return limits_measure(&base, reterr);
}

static int step_root(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_enter_sandbox(reterr);
}

static int step_work(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_enter_work(view.work ? view.work : ROOTFS_WORK, reterr);
}

static int step_own_dir(void *ctx, struct cordon_err *reterr)
{
    char path[PATH_MAX];
    (void)ctx;

    (void)snprintf(path, sizeof(path), "%s/%d", view.work, getpid());
    int r = place_make(path, PLACE_OWN, geteuid(), getegid(), reterr);
    if (r == 0 && chdir(path) < 0)
        r = err_set(reterr, CORDON_E_HOST, errno, "cannot enter '%s'", path);
    return r;
}

static int step_work_size(void *ctx, struct cordon_err *reterr)
{
    const struct sandbox *s = ctx;
    return rootfs_size_work(s->spec->disk_bytes, s->spec->disk_files, reterr);
}

static int step_descriptors(void *ctx, struct cordon_err *reterr)
{
    struct sandbox *s = ctx;
    return privs_arrange_fds(s->fds, reterr);
}

static int step_limits(void *ctx, struct cordon_err *reterr)
{
    const struct sandbox *s = ctx;
    return limits_apply(s->spec, &base, reterr);
}

static int step_bounding_set(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_bound_caps(0, reterr);
}

static int step_capabilities(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_set_caps(0, reterr);
}

static int step_session(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    (void)umask(077);
    if (setsid() < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot start a session");
    return 0;
}

static int step_not_dumpable(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_set_dumpable(0, reterr);
}

static int step_no_new_privs(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_no_new_privs(reterr);
}

static int step_landlock(void *ctx, struct cordon_err *reterr)
{
    static const struct landlock_rule rules[] = {
        {"/", LANDLOCK_READ, 0},
        {"/dev/null", LANDLOCK_USE, 1},
        {".", LANDLOCK_OWN, 0},
    };
    (void)ctx;
    return view.count > 0 ? landlock_apply(view.files, view.count, reterr)
                          : landlock_apply(rules, ARRAY_LEN(rules), reterr);
}

static int step_seccomp(void *ctx, struct cordon_err *reterr)
{
    const struct sandbox *s = ctx;
    int r = filter_watch(s->fds[WIRE_FD_TRACE], reterr);
    return r < 0 ? r : filter_load(call_filter.bytes, call_filter.len, reterr);
}

/*
 * The namespaces themselves are made by the clone, not by a row. Where they are down so is
 * the root, and the rows that stand in are weaker than what they stand in for.
 *
 * The rows up to `STEPS_AHEAD` a standby goes through before there is a request for it.
 */
static const struct step sandbox_steps[] = {
    {"ids", step_ids, "an ordinary user inside and nobody outside; needs /proc, so first",
     CORDON_WALL_NAMESPACES, 0},
    {"own-user", step_own_user, "root's: a user that no account has; dies with the keeper", 0,
     CORDON_WALL_NAMESPACES},
    {"no-nesting", step_no_nesting, "a user namespace below would give capabilities; needs /proc",
     CORDON_WALL_NAMESPACES, 0},
    {"measure", step_measure, "memory limits count from here; needs /proc", 0, 0},
    {"root", step_root, "nothing but the view: no /proc, no way back", CORDON_WALL_ROOT, 0},
    {"work-dir", step_work, "a directory of its own, and no room in it yet", CORDON_WALL_NAMESPACES,
     0},
    {"own-dir", step_own_dir, "the same on the host's own file system; each file is capped", 0,
     CORDON_WALL_NAMESPACES},
    {"bounding-set", step_bounding_set, "no program that is executed can get a privilege", 0, 0},
    {"session", step_session, "no terminal and no process group of others", 0, 0},
    {"not-dumpable", step_not_dumpable, "no core, no tracing by its own kind", 0, 0},
    {"no-new-privs", step_no_new_privs, "no set-id program helps it; filters demand it", 0, 0},
#define STEPS_AHEAD 11
    {"descriptors", step_descriptors,
     "nothing inherited stays open; before the limits, which may be too low to move them", 0, 0},
    {"work-size", step_work_size, "as much as the request may have; takes a privilege",
     CORDON_WALL_NAMESPACES, 0},
    {"limits", step_limits, "before privileges go: it may have to lower the host's own",
     CORDON_WALL_LIMITS, 0},
    {"capabilities", step_capabilities, "after the mounts, which need them", 0, 0},
    {"landlock", step_landlock, "no file but the view's and its own, whatever got in; no program",
     CORDON_WALL_LANDLOCK, 0},
    {"seccomp", step_seccomp, "last: it refuses most of the calls above", CORDON_WALL_SECCOMP, 0},
};

const struct step *steps_sandbox(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(sandbox_steps);
    return sandbox_steps;
}

pid_t steps_fork_standby(uint32_t walls_down, struct cordon_err *reterr)
{
    unsigned long spaces = walls_down & CORDON_WALL_NAMESPACES ? 0 : CLONE_NEWUSER | NS_ALL;

    /* CLONE_PARENT: the keeper's child, not the zygote's, so it outlives the zygote. The
     * exit signal is then the zygote's own and none may be named. */
    keeper = getppid();
    pid_t pid = ns_clone(CLONE_PARENT | spaces, NULL);
    if (pid < 0) {
        err_set(reterr, CORDON_E_HOST, -pid, "cannot copy the zygote into new namespaces (%s)",
                ns_advice(-pid));
        err_step(reterr, "fork");
        return CORDON_E_HOST;
    }
    return pid;
}

int steps_stand(uint32_t walls_down, struct cordon_err *reterr)
{
    return steps_run(sandbox_steps, STEPS_AHEAD, walls_down, NULL, reterr);
}

int steps_enter_sandbox(const struct sandbox_spec *spec, int fds[WIRE_FORK_FDS],
                        struct cordon_err *reterr)
{
    struct sandbox s = {.spec = spec, .fds = fds};
    return steps_run(sandbox_steps + STEPS_AHEAD, ARRAY_LEN(sandbox_steps) - STEPS_AHEAD,
                     spec->walls_down, &s, reterr);
}
