/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: the keeper of one approved run. Until the run's init stands the keeper has the
 * privileges to build it; then it gives up all of them, and only watches: the tree's size
 * (no resource limit counts over processes, and none counts root's), its end, the deadline.
 */
#include "keeper/approved.h"

#include "base/err.h"
#include "jail/hostroot.h"
#include "jail/place.h"
#include "jail/privs.h"
#include "keeper/hold.h"
#include "keeper/init.h"
#include "keeper/meter.h"
#include "keeper/sockets.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SLICE_NS UINT64_C(100000) /* the least there is */

/* ---- the box ---------------------------------------------------------------- */

static int step_ids(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    return box->as_root ? 0 : box_ask_ids(box->sync, reterr);
}

static int step_private_mounts(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_make_private(reterr);
}

/* A profile may say that not even an approved run of it sees files of the host. */
static int step_view(void *ctx, struct cordon_err *reterr)
{
    struct box *box = ctx;
    return box->has_view ? box_enter_view(box, reterr) : 0;
}

/* The caller's own name stays with the caller's files: programs look it up in them. */
static int step_host_name(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    return box->has_view ? ns_set_host_name(reterr) : 0;
}

static int step_proc(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    return box->has_view ? 0 : hostroot_mount_proc(reterr); /* a view has one */
}

static int step_work_place(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    if (!box->has_view && mkdir(box->approved, 0700) < 0)
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot make the working directory's place '%s'", box->approved);
    return 0;
}

static int step_loopback(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    (void)reterr;
    if (!box->host_network)
        ns_raise_loopback();
    return 0;
}

static int step_not_dumpable(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_set_dumpable(0, reterr);
}

static int step_adopt(void *ctx, struct cordon_err *reterr)
{
    return box_adopt(ctx, reterr);
}

static const struct step approved_table[] = {
    {"box-ids", step_ids, "an ordinary user's box: without them it may do nothing",
     CORDON_WALL_NAMESPACES, 0},
    {"private-mounts", step_private_mounts, "nothing that follows is seen on the host",
     CORDON_WALL_NAMESPACES, 0},
    {"own-view", step_view, "only where the profile withholds the host's files", CORDON_WALL_ROOT,
     0},
    {"host-name", step_host_name, "only where the profile withholds the host's files",
     CORDON_WALL_NAMESPACES, 0},
    {"box-proc", step_proc, "the keeper's: to write id maps, and to look at the run",
     CORDON_WALL_NAMESPACES, 0},
    {"adopt", step_adopt, "what the run leaves behind stays the keeper's to kill", 0,
     CORDON_WALL_NAMESPACES},
    {"work-place", step_work_place, "on the host, and empty where the run can mount over it", 0, 0},
    {"own-loopback", step_loopback, "without the host's network it can talk to itself",
     CORDON_WALL_NAMESPACES, 0},
    {"not-dumpable", step_not_dumpable, "neither keeper nor init can be traced by the run", 0, 0},
};

int approved_build(struct box *box, struct cordon_err *reterr)
{
    return steps_run(approved_table, ARRAY_LEN(approved_table), box->walls_down, box, reterr);
}

void approved_clean(const struct box *box)
{
    if (!box->has_view)
        place_remove(box->approved);
}

/* ---- the run's environment ------------------------------------------------------ */

/* The memory file's texts as execve() takes them. They stay for the keeper's life. */
static int read_environ(int fd, char ***ret, struct cordon_err *reterr)
{
    struct stat st;
    size_t count = 0, len = 0;
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &st) == 0)
        len = (size_t)st.st_size;
    if (len > 0) {
        text = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (text == MAP_FAILED || text[len - 1] != '\0')
            return err_set(reterr, CORDON_E_PROTOCOL, 0, "the run's environment cannot be read");
    }
    for (size_t at = 0; at < len; at += strlen(text + at) + 1)
        count++;
    char **list = calloc(count + 1, sizeof(*list));
    if (!list)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot hold the run's environment");
    count = 0;
    for (size_t at = 0; at < len; at += strlen(text + at) + 1)
        list[count++] = text + at;
    *ret = list;
    return 0;
}

/* ---- the start ------------------------------------------------------------------- */

/* Of the meter, and of who admits what it cannot see. */
static void take_fds(struct keeper *k, struct run *run, const int fds[INIT_FDS])
{
    run->meter.work = fds[INIT_FD_WORK];
    run->meter.shm = fds[INIT_FD_SHM];
    k->approved.listener = fds[INIT_FD_LISTENER];
    const struct wire_held held = {.unasked = fds[INIT_FD_LISTENER] < 0};
    run->meter.unasked = held.unasked;
    keeper_tell(k, WIRE_HELD, run->id, &held, sizeof(held));
}

/* Serves the init until its walls stand. */
static int await_walls(struct keeper *k, struct run *run, int sync, pid_t pid,
                       struct cordon_err *reterr)
{
    struct box_report got;
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", pid);
    for (;;) {
        int fds[INIT_FDS] = {-1, -1, -1};
        size_t nfds;
        if (io_recv_fds(sync, &got, sizeof(got), fds, INIT_FDS, &nfds) != (ssize_t)sizeof(got))
            return err_set(reterr, CORDON_E_HELPER, 0, "the init died while building its walls");
        if (got.word == BOX_BUILT) {
            run->meter.counted = got.counted;
            take_fds(k, run, fds);
            return 0;
        }
        if (got.word == BOX_FAILED) {
            *reterr = got.err;
            return CORDON_E_HOST;
        }
        int r = ns_keep_ids(name, 1, reterr);
        if (r == 0 && io_write_all(sync, "", 1) < 0)
            r = err_set(reterr, CORDON_E_HELPER, 0, "the init died while building its walls");
        if (r < 0)
            return r;
    }
}

/*
 * What it looks at belongs to its own user. An ordinary user's run lives in the keeper's own
 * user namespace, where the right to look into what is not dumpable is one more capability,
 * which root's keeper has over the run's namespace because it is its owner. That one keeps the
 * right to be told what a mapping holds (hold.c), where it has it, and is told of mappings at all.
 */
static int give_up_privileges(const struct keeper *k, struct cordon_err *reterr)
{
    int as_root = k->box->as_root;
    uint64_t look = PRIVS_CAP(as_root ? CAP_CHECKPOINT_RESTORE : CAP_SYS_PTRACE);
    if (!box_has_namespaces(k->box) || (as_root && k->approved.listener < 0) ||
        !privs_has_caps(look))
        look = 0;
    int r = privs_keep_caps(look, reterr);
    return r < 0 ? r : privs_no_new_privs(reterr);
}

/* In the copy that becomes the init: only what is its own stays open. */
static _Noreturn void become_init(const struct keeper *k, const struct run *run, int report,
                                  char **env)
{
    struct init in = {.box = k->box,
                      .keeper = getppid(),
                      .spec = &run->spec,
                      .report = report,
                      .environ = env,
                      .door = doors_next(&k->doors),
                      .listener = -1,
                      .proc = -1};

    memcpy(in.fds, run->fds, sizeof(in.fds));
    (void)close(k->outbox.sock);
    (void)close(k->signals);
    if (k->box->engine >= 0)
        (void)close(k->box->engine);
    if (k->box->environ_fd >= 0)
        (void)close(k->box->environ_fd);
    init_main(&in);
}

static int start_init(struct keeper *k, struct run *run, pid_t *ret_pid, struct cordon_err *reterr)
{
    char **env = NULL;
    int pair[2];

    int r = read_environ(k->box->environ_fd, &env, reterr);
    if (r < 0)
        return r;
    AUTO_FREE char **owned = env;
    (void)owned; /* frees the list on every way out */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make the init's socket");
    AUTO_FD ours = pair[0];
    AUTO_FD its = pair[1];
    unsigned long spaces = box_has_namespaces(k->box) ? CLONE_NEWPID | CLONE_NEWNS : 0;
    pid_t pid = ns_clone(spaces | SIGCHLD, NULL);
    if (pid == 0) {
        (void)close(ours);
        become_init(k, run, its, env);
    }
    if (pid < 0)
        return err_set(reterr, CORDON_E_HOST, -pid, "cannot make the run's namespaces (%s)",
                       ns_advice(-pid));
    fd_close(&its);
    doors_remove(&k->doors);
    r = await_walls(k, run, ours, pid, reterr);
    if (r == 0)
        r = give_up_privileges(k, reterr);
    if (r < 0) {
        (void)kill(pid, SIGKILL);
        return r;
    }
    *ret_pid = pid;
    k->approved.report = fd_take(&ours);
    return 0;
}

/*
 * A hundred processes that are busy at once leave the keeper a fiftieth of two processors. As of Linux
 * 6.12 (sched_setattr(2), a slice of its own) who wants short turns gets the next one.
 */
static void take_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice_ns, deadline_ns, period_ns;
    } now = {.size = sizeof(now)};

    if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) < 0)
        return;
    now.slice_ns = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &now, 0); /* an older kernel does not read it */
}

void approved_start(struct keeper *k)
{
    struct run *run = TAILQ_FIRST(&k->runs.queued);
    struct cordon_err err = {0};
    pid_t pid = -1;

    if (!run)
        return;
    if (k->approved.started)
        err_set(&err, CORDON_E_PROTOCOL, 0, "this box was made for one run and has had it");
    else if (start_init(k, run, &pid, &err) == 0) {
        k->approved.started = 1;
        take_short_turns();
        sockets_open(!k->box->host_network);
        runs_set_running(&k->runs, run, pid);
        meter_start(k, run);
        return;
    }
    err_step(&err, "init");
    keeper_fail_run(k, run, &err);
}

/* ---- the end --------------------------------------------------------------------- */

int approved_status(struct keeper *k, int status)
{
    struct init_end end;

    if (k->approved.report >= 0 && io_read_all(k->approved.report, &end, sizeof(end)) == 0)
        status = end.status;
    fd_close(&k->approved.report);
    return status;
}
