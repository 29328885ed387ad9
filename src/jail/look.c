/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look: see look.h. What is tried is tried with the functions that the steps call; a row
 * that repeats in its own way what another room does would drift, and then lie.
 */
#include "jail/look.h"

#include "base/err.h"
#include "jail/filter.h"
#include "jail/hostroot.h"
#include "jail/landlock.h"
#include "jail/limits.h"
#include "jail/place.h"
#include "jail/privs.h"
#include "jail/probe.h"
#include "jail/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SAY(t, ...) (void)snprintf((t)->detail, sizeof((t)->detail), __VA_ARGS__)

/* ---- what every process of ours needs ----------------------------------------- */

int look_measure(struct trial *t, struct cordon_err *reterr)
{
    struct limits_base base;

    SAY(t, "readable");
    return limits_measure(&base, reterr);
}

int look_memory_files(struct trial *t, struct cordon_err *reterr)
{
    AUTO_FD fd = memfd_create("probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a memory file");
    int r = io_seal(fd);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot seal a memory file");
    SAY(t, "can be made and sealed");
    return 0;
}

int look_pidfd(struct trial *t, struct cordon_err *reterr)
{
    int fd = -1;

    pid_t pid = ns_clone(CLONE_PIDFD | SIGCHLD, &fd);
    if (pid < 0)
        return err_set(reterr, CORDON_E_HOST, -pid, "cannot start a process with a pidfd");
    if (pid == 0)
        for (;;)
            (void)pause();
    AUTO_FD owned = fd;
    struct pollfd p = {.fd = owned, .events = POLLIN};
    int sys = pidfd_send_signal(owned, SIGKILL, NULL, 0) < 0 ? errno : 0;
    if (sys)
        (void)kill(pid, SIGKILL);
    (void)poll(&p, 1, 1000);
    (void)waitpid(pid, NULL, 0);
    if (sys || !(p.revents & POLLIN))
        return err_set(reterr, CORDON_E_HOST, sys, "a pidfd does not stand for its process");
    SAY(t, "ends a process, and tells its end");
    return 0;
}

int look_descriptors(struct trial *t, struct cordon_err *reterr)
{
    int fds[WIRE_FORK_FDS];

    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = t->sync;
    int r = privs_arrange_fds(fds, reterr);
    t->sync = fds[WIRE_FD_CHANNEL];
    SAY(t, "can all be closed but those that are meant to stay");
    return r;
}

/* ---- namespaces ---------------------------------------------------------------- */

int look_user(struct trial *t, struct cordon_err *reterr)
{
    (void)reterr;
    SAY(t, "user %u in it is %u outside", t->ids.inside, t->ids.uid);
    return 0;
}

int look_namespaces(struct trial *t, struct cordon_err *reterr)
{
    static const struct {
        int flag;
        const char *name;
    } kinds[] = {
        {CLONE_NEWPID, "PID"}, {CLONE_NEWNS, "mount"}, {CLONE_NEWNET, "network"},
        {CLONE_NEWIPC, "IPC"}, {CLONE_NEWUTS, "UTS"},  {CLONE_NEWCGROUP, "cgroup"},
    };

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (unshare(kinds[i].flag) < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot make a %s namespace",
                           kinds[i].name);
    SAY(t, "PID, mount, network, IPC, UTS, cgroup");
    return 0;
}

/* ---- the box: the keeper's steps, by the keeper's functions ----------------------- */

static int step_private_mounts(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_make_private(reterr);
}

static int step_leave_host(void *ctx, struct cordon_err *reterr)
{
    struct trial *t = ctx;
    return rootfs_leave_host(&t->fs, reterr);
}

struct rows {
    const struct rootfs *fs;
    struct cordon_err *reterr;
};

static int add_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    const struct rows *rows = ctx;
    return rootfs_add_row(rows->fs, op, a, b, rows->reterr);
}

static int step_view(void *ctx, struct cordon_err *reterr)
{
    struct trial *t = ctx;
    struct rows rows = {.fs = &t->fs, .reterr = reterr};

    int r = rootfs_open_view(&t->fs, reterr);
    return r < 0 ? r : plan_each(t->host->plan, t->host->plan_len, add_row, &rows);
}

static int step_assemble(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_assemble(reterr);
}

static int step_enter_box(void *ctx, struct cordon_err *reterr)
{
    struct trial *t = ctx;
    return rootfs_enter_box(&t->fs, reterr);
}

static int step_host_name(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return ns_set_host_name(reterr);
}

static int step_drop_root(void *ctx, struct cordon_err *reterr)
{
    const struct trial *t = ctx;
    return t->as_root ? ns_drop_root(trial_ask_ids, t->sync, reterr) : 0;
}

static int step_small_pages(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_small_pages(reterr);
}

static int step_privileges(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    int r = privs_keep_caps(STEPS_FORK_CAPS, reterr);
    if (r == 0)
        r = privs_no_new_privs(reterr);
    return r < 0 ? r : privs_set_dumpable(0, reterr);
}

/* Named and ordered as the keeper's own table (a test compares them). */
static const struct step box_table[] = {
    {"private-mounts", step_private_mounts, "", 0, 0},
    {"leave-host", step_leave_host, "", 0, 0},
    {"view", step_view, "", 0, 0},
#define STEPS_TO_VIEW 3
    {"assemble", step_assemble, "", 0, 0},
    {"enter-box", step_enter_box, "", 0, 0},
    {"host-name", step_host_name, "", 0, 0},
    {"drop-root", step_drop_root, "", 0, 0},
    {"small-pages", step_small_pages, "", 0, 0},
    {"privileges", step_privileges, "", 0, 0},
};

int look_view(struct trial *t, struct cordon_err *reterr)
{
    SAY(t, "the files that strict code sees can be shown, read-only");
    return steps_run(box_table, STEPS_TO_VIEW, 0, t, reterr);
}

int look_enter_box(struct trial *t, struct cordon_err *reterr)
{
    SAY(t, "the host's files can be left behind, and privileges with them");
    return steps_run(box_table, ARRAY_LEN(box_table), 0, t, reterr);
}

/*
 * Strict does not need it: there the outer /proc will do (rootfs_assemble()), which nobody
 * but our own code before the walls ever sees.
 */
int look_box_proc(struct trial *t, struct cordon_err *reterr)
{
    struct cordon_err why = {0};

    int r = rootfs_make_private(reterr);
    if (r < 0)
        return r;
    if (hostroot_mount_proc(&why) == 0) {
        SAY(t, "a /proc of its own can be mounted");
        return 0;
    }
    t->status = CORDON_PROBE_INFO;
    t->advise = 1;
    SAY(t, "strict does without, approved runs cannot: %.180s", why.msg);
    return 0;
}

/* ---- a sandbox, by its own table ---------------------------------------------------- */

static _Noreturn void be_sandbox(struct trial *t, const struct sandbox_spec *spec)
{
    struct cordon_err err = {0};
    int fds[WIRE_FORK_FDS];

    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = t->sync;
    int r = steps_stand(spec->walls_down, &err);
    if (r == 0)
        r = steps_enter_sandbox(spec, fds, &err);
    t->sync = fds[WIRE_FD_CHANNEL];
    trial_answer(t, r, &err);
    _exit(0);
}

/* In the zygote's place: PID 1 of the box cannot fork a sandbox, its child can. */
static _Noreturn void be_zygote(struct trial *t)
{
    struct sandbox_spec spec = t->host->spec;
    struct cordon_err err = {0};
    int r = 0;

    if (t->host->filter >= 0)
        r = steps_take_filter(t->host->filter, &err);
    else
        spec.walls_down |= CORDON_WALL_SECCOMP; /* it has a row of its own */
    pid_t pid = r < 0 ? r : steps_fork_standby(spec.walls_down, &err);
    if (pid == 0)
        be_sandbox(t, &spec);
    if (pid < 0)
        trial_answer(t, pid, &err);
    _exit(0);
}

int look_sandbox(struct trial *t, struct cordon_err *reterr)
{
    int status;

    int r = steps_run(box_table, ARRAY_LEN(box_table), 0, t, reterr);
    if (r < 0)
        return r;
    SAY(t, "all its walls go up, in order");
    pid_t zygote = ns_clone(SIGCHLD, NULL);
    if (zygote == 0)
        be_zygote(t);
    if (zygote < 0)
        return err_set(reterr, CORDON_E_HOST, -zygote, "cannot copy the box's first process");
    while (wait(&status) > 0)
        ;
    /* It said so itself if all went well; then this comes too late to count. */
    return err_set(reterr, CORDON_E_HOST, 0, "a sandbox died while it put its walls up");
}

/* ---- single walls -------------------------------------------------------------------- */

int look_limits(struct trial *t, struct cordon_err *reterr)
{
    struct limits_base base;

    int r = limits_measure(&base, reterr);
    if (r == 0)
        r = limits_apply(&t->host->spec, &base, reterr);
    if (r < 0)
        return r;
#ifndef CORDON_SANITIZED /* there the limits on memory are not set */
    size_t more = t->host->spec.memory_bytes + 1;
    if (mmap(NULL, more, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        return err_set(reterr, CORDON_E_HOST, 0, "a limit on memory is set and not kept");
#endif
    SAY(t, "resource limits, for each process");
    return 0;
}

int look_no_new_privs(struct trial *t, struct cordon_err *reterr)
{
    SAY(t, "set");
    return privs_no_new_privs(reterr);
}

uint32_t probe_missing_walls(void)
{
    return landlock_abi() > 0 ? 0 : CORDON_WALL_LANDLOCK;
}

int look_landlock(struct trial *t, struct cordon_err *reterr)
{
    static const struct landlock_rule rules[] = {{"/", LANDLOCK_READ, 0}};
    const int abi = landlock_abi();

    if (probe_missing_walls() & CORDON_WALL_LANDLOCK) {
        t->status = CORDON_PROBE_DEGRADED;
        SAY(t, "this kernel has none, or was started without it");
        return 0;
    }
    int r = privs_no_new_privs(reterr);
    if (r == 0)
        r = landlock_apply(rules, ARRAY_LEN(rules), reterr);
    if (r < 0)
        return r;
    AUTO_FD fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        return err_set(reterr, CORDON_E_HOST, 0, "its rules are taken and not kept");
    SAY(t, "version %d: files%s%s", abi, abi >= 4 ? ", TCP" : "; TCP from version 4 on",
        abi >= 6 ? ", signals, abstract sockets" : "; signals and abstract sockets from 6 on");
    return 0;
}

int look_seccomp(struct trial *t, struct cordon_err *reterr)
{
    char bytes[FILTER_BYTES_MAX];
    size_t len;

    if (t->host->filter < 0) {
        *reterr = t->host->filter_err;
        return CORDON_E_HOST;
    }
    int r = filter_read(t->host->filter, bytes, &len, reterr);
    if (r == 0)
        r = privs_no_new_privs(reterr);
    if (r == 0)
        r = filter_load(bytes, len, reterr);
    if (r < 0)
        return r;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        return err_set(reterr, CORDON_E_HOST, 0, "the call filter is loaded and not kept");
    SAY(t, "strict's filter loads (%zu instructions), and holds", len / 8);
    return 0;
}

int look_hidden_memory(struct trial *t, struct cordon_err *reterr)
{
    int r = privs_no_new_privs(reterr);
    if (r == 0)
        r = filter_try_asking(reterr);
    if (r == 0)
        SAY(t, "the keeper is asked before it is made");
    return r;
}

/* ---- a sandbox without namespaces, by its own table ------------------------------------- */

/* In a copy that stands for a sandbox: t->host->plan names its place. */
static int be_contained(struct trial *t, struct cordon_err *reterr)
{
    struct sandbox_spec spec = t->host->spec;
    int fds[WIRE_FORK_FDS];

    spec.walls_down |= CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT;
    if (t->host->filter < 0)
        spec.walls_down |= CORDON_WALL_SECCOMP; /* it has a row of its own */
    AUTO_FD plan = memfd_create("plan", MFD_CLOEXEC);
    if (plan < 0 || io_write_all(plan, t->host->plan, t->host->plan_len) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a memory file");
    int r = steps_take_plan(fd_take(&plan), reterr);
    if (r == 0 && t->host->filter >= 0)
        r = steps_take_filter(t->host->filter, reterr);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = t->sync;
    if (r == 0)
        r = steps_stand(spec.walls_down, reterr);
    if (r == 0) {
        r = steps_enter_sandbox(&spec, fds, reterr);
        t->sync = fds[WIRE_FD_CHANNEL];
    }
    if (r == 0 && open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0)
        return err_set(reterr, CORDON_E_HOST, 0, "Landlock's rules are taken and not kept");
    return r;
}

static int try_contained(const struct trial *t, const char *place, struct cordon_err *reterr)
{
    struct probe_host host = *t->host;
    struct trial inner = {.host = &host, .sync = -1, .fs = ROOTFS_CLOSED};
    struct buf plan = {0};

    int r = plan_add(&plan, PLAN_WORK, place, NULL);
    if (r == 0)
        r = plan_add(&plan, PLAN_DEVICE, "/dev/null", "/dev/null");
    if (r < 0)
        return err_set(reterr, CORDON_E_NOMEM, -r, "cannot plan the box");
    host.plan = plan.data;
    host.plan_len = plan.len;
    r = trial_run(&inner, PROBE_COPY, be_contained, reterr);
    buf_done(&plan);
    return r;
}

int look_contained(struct trial *t, struct cordon_err *reterr)
{
    char place[64];
    uint64_t number = 0;

    if (landlock_abi() < LANDLOCK_ALONE)
        return err_set(reterr, CORDON_E_HOST, 0,
                       "it takes Landlock's version %d or later, and this kernel has %d",
                       LANDLOCK_ALONE, landlock_abi());
    (void)!getrandom(&number, sizeof(number), 0);
    (void)snprintf(place, sizeof(place), "/tmp/cordon-%016llx", (unsigned long long)number);
    int r = place_make(place, t->as_root ? PLACE_SHARED : PLACE_OWN, geteuid(), getegid(), reterr);
    if (r == 0)
        r = try_contained(t, place, reterr);
    place_remove(place);
    SAY(t, "all its walls go up; Landlock alone holds files and TCP");
    return r;
}
