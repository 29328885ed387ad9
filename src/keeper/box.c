/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box: the box table, and the start of the zygote.
 *
 * Built by root, the mounts are made with real privileges (an interpreter under a
 * directory that only root may enter works) and given up in "drop-root": from there on
 * the keeper is nobody on the host. Built by an ordinary user, the user namespace comes
 * with the clone and the maps come first. Either way one row does nothing.
 */
#include "keeper/box.h"

#include "base/err.h"
#include "jail/hostroot.h"
#include "jail/place.h"
#include "jail/privs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define ZYGOTE_SOCK 3
_Static_assert(STEPS_FILTER_FD == ZYGOTE_SOCK + 1 && STEPS_PLAN_FD == ZYGOTE_SOCK + 2,
               "in the order of exec_zygote()");

static int add_string(char **list, size_t max, const char *text)
{
    size_t n = 0;

    while (list[n])
        n++;
    if (n == max)
        return -E2BIG;
    list[n] = (char *)(uintptr_t)text; /* execve() takes them so, and does not write */
    return 0;
}

static int read_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    struct box *box = ctx;
    (void)b;

    switch (op) {
    case PLAN_PROGRAM:
        box->program = a;
        return 0;
    case PLAN_ARG:
        return add_string(box->args, BOX_ARGS_MAX, a);
    case PLAN_ENV:
        return add_string(box->environ, BOX_ENVIRON_MAX, a);
    case PLAN_WALLS_DOWN:
        box->walls_down = (uint32_t)strtoul(a, NULL, 10);
        return 0;
    case PLAN_APPROVED:
        box->approved = a;
        return 0;
    case PLAN_NETWORK:
        box->host_network = strcmp(a, "host") == 0;
        return 0;
    case PLAN_PROBE:
        box->probe = a;
        return 0;
    case PLAN_UMASK:
        box->file_mask = (mode_t)(strtoul(a, NULL, 8) & 0777);
        return 0;
    case PLAN_WORK:
        box->has_view = strcmp(a, ROOTFS_WORK) == 0;
        box->place = box->has_view ? NULL : a;
        return 0;
    case PLAN_DIR:
    case PLAN_BIND:
    case PLAN_DEVICE:
    case PLAN_SYMLINK:
    case PLAN_PROTECT:
        return 0;
    }
    return -EPROTO;
}

int box_read_plan(struct box *box, const char *plan, size_t len, struct cordon_err *reterr)
{
    box->plan = plan;
    box->plan_len = len;

    int r = plan_each(plan, len, read_row, box);
    if (r < 0)
        return err_set(reterr, CORDON_E_PROTOCOL, -r, "the box's plan cannot be read");
    if (!box->probe && (!box->program || !box->args[0]))
        return err_set(reterr, CORDON_E_PROTOCOL, 0, "the box's plan names no program");
    return 0;
}

int box_has_namespaces(const struct box *box)
{
    return !(box->walls_down & CORDON_WALL_NAMESPACES);
}

int box_ask_ids(int sync, struct cordon_err *reterr)
{
    struct box_report report = {.word = BOX_WANTS_IDS};
    char answer;

    int r = io_write_all(sync, &report, sizeof(report));
    if (r == 0)
        r = io_read_all(sync, &answer, 1);
    return r < 0 ? err_set(reterr, CORDON_E_HELPER, -r, "the id maps were not written") : 0;
}

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

static int step_leave_host(void *ctx, struct cordon_err *reterr)
{
    struct box *box = ctx;
    return rootfs_leave_host(&box->fs, reterr);
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
    struct box *box = ctx;
    struct rows rows = {.fs = &box->fs, .reterr = reterr};

    int r = rootfs_open_view(&box->fs, reterr);
    return r < 0 ? r : plan_each(box->plan, box->plan_len, add_row, &rows);
}

static int step_assemble(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return rootfs_assemble(reterr);
}

static int step_enter_box(void *ctx, struct cordon_err *reterr)
{
    struct box *box = ctx;
    return rootfs_enter_box(&box->fs, reterr);
}

static int step_proc(void *ctx, struct cordon_err *reterr)
{
    struct cordon_err refused;
    (void)ctx, (void)reterr;

    (void)hostroot_mount_proc(&refused); /* where it is covered the outer one will do */
    return 0;
}

static int step_place(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    int given = box->as_root && box_has_namespaces(box); /* to whom the keeper is to become */
    int shared = box->as_root && !given;                 /* by sandboxes of a user each */

    return place_make(box->place, shared ? PLACE_SHARED : PLACE_OWN,
                      given ? box->ids.uid : geteuid(), given ? box->ids.gid : getegid(), reterr);
}

void box_clean(const struct box *box)
{
    if (box->place)
        place_remove(box->place);
}

static int step_host_name(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return ns_set_host_name(reterr);
}

static int step_drop_root(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;
    return box->as_root ? ns_drop_root(box_ask_ids, box->sync, reterr) : 0;
}

/*
 * Without a PID namespace to die with the keeper. The starter lives on, as the parent of
 * what a killed keeper leaves behind; when it is the starter that is killed, the keeper is
 * told by a signal, and ends in order.
 */
int box_adopt(const struct box *box, struct cordon_err *reterr)
{
    int r = privs_adopt(reterr);
    return r < 0 ? r : privs_end_with(box->starter, BOX_END_SIGNAL, reterr);
}

static int step_adopt(void *ctx, struct cordon_err *reterr)
{
    return box_adopt(ctx, reterr);
}

static int step_resources(void *ctx, struct cordon_err *reterr)
{
    const struct rlimit none = {0, 0};
    struct rlimit files;
    (void)ctx;

    if (setrlimit(RLIMIT_CORE, &none) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot forbid core dumps");

    /* Forks that wait for the zygote hold their descriptors here. */
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot read RLIMIT_NOFILE");
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot raise RLIMIT_NOFILE");
    return 0;
}

/* Inherited by all that it starts, and sandboxes may not undo it. */
static int step_small_pages(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_small_pages(reterr);
}

static int step_privileges(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;

    /* The keeper looks into sandboxes, which are not dumpable. Over the host neither means
     * anything. */
    int r = privs_keep_caps(STEPS_FORK_CAPS | PRIVS_CAP(CAP_SYS_PTRACE), reterr);
    if (r == 0)
        r = privs_no_new_privs(reterr);
    return r < 0 ? r : privs_set_dumpable(0, reterr);
}

/* What root's keeper needs on the host itself: to make its sandboxes others, look into them,
 * end them, and remove what they leave. */
#define ZYGOTE_CAPS (PRIVS_CAP(CAP_SETUID) | PRIVS_CAP(CAP_SETGID))
#define KEEPER_CAPS                                                                                \
    (ZYGOTE_CAPS | PRIVS_CAP(CAP_SYS_PTRACE) | PRIVS_CAP(CAP_KILL) | PRIVS_CAP(CAP_DAC_OVERRIDE) | \
     PRIVS_CAP(CAP_FOWNER))

static int step_keeper_privileges(void *ctx, struct cordon_err *reterr)
{
    const struct box *box = ctx;

    int r = privs_keep_caps(box->as_root ? KEEPER_CAPS : 0, reterr);
    if (r == 0)
        r = privs_no_new_privs(reterr);
    return r < 0 ? r : privs_set_dumpable(0, reterr);
}

static const struct step box_table[] = {
    {"box-ids", step_ids, "an ordinary user's box: files made below need an owner",
     CORDON_WALL_NAMESPACES, 0},
    {"private-mounts", step_private_mounts, "nothing that follows is seen on the host",
     CORDON_WALL_NAMESPACES, 0},
    {"leave-host", step_leave_host, "sources stay reachable, also those under /tmp",
     CORDON_WALL_ROOT, 0},
    {"view", step_view, "the plan's rows, each read-only", CORDON_WALL_ROOT, 0},
    {"assemble", step_assemble, "sealed, and doubled: the box has /proc, a sandbox does not",
     CORDON_WALL_ROOT, 0},
    {"enter-box", step_enter_box, "the host's files are gone from here on", CORDON_WALL_ROOT, 0},
    {"outer-proc", step_proc, "the host's tree stays: its /proc is of other processes",
     CORDON_WALL_NAMESPACES, CORDON_WALL_ROOT},
    {"work-place", step_place, "on the host, for working directories; removed with the box", 0,
     CORDON_WALL_ROOT},
    {"host-name", step_host_name, "while there is a privilege to do it; sandboxes inherit it",
     CORDON_WALL_NAMESPACES, 0},
    {"drop-root", step_drop_root, "root's box: after the mounts, which needed root",
     CORDON_WALL_NAMESPACES, 0},
    {"adopt", step_adopt, "what sandboxes leave behind stays the keeper's to kill", 0,
     CORDON_WALL_NAMESPACES},
    {"resources", step_resources, "no cores; room for descriptors that wait", 0, 0},
    {"small-pages", step_small_pages,
     "what is left of a huge page keeps all of it, and no limit counts that", CORDON_WALL_LIMITS,
     0},
    {"privileges", step_privileges, "last: the rows above need them", CORDON_WALL_NAMESPACES, 0},
    {"keeper-privileges", step_keeper_privileges, "root's: to make each sandbox another user", 0,
     CORDON_WALL_NAMESPACES},
};

const struct step *box_steps(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(box_table);
    return box_table;
}

int box_build(struct box *box, struct cordon_err *reterr)
{
    return steps_run(box_table, ARRAY_LEN(box_table), box->walls_down, box, reterr);
}

int box_enter_view(struct box *box, struct cordon_err *reterr)
{
    size_t first = 0, end = 0;

    while (box_table[first].run != step_leave_host)
        first++;
    for (end = first; box_table[end].run != step_enter_box;)
        end++;
    return steps_run(box_table + first, end + 1 - first, box->walls_down, box, reterr);
}

/* The plan as a file; -1: not wanted, or not to be had, and the zygote will say so. */
static int plan_file(const struct box *box)
{
    if (!box->place)
        return -1;
    AUTO_FD fd = memfd_create("plan", MFD_CLOEXEC);
    return fd >= 0 && io_write_all(fd, box->plan, box->plan_len) == 0 ? fd_take(&fd) : -1;
}

/* What the zygote gets, in its places, and nothing else: -1 leaves a place empty. */
static int place_fds(const int wanted[], size_t count)
{
    int moved[4];

    /* Out of the way of all places first, whatever numbers they have. */
    for (size_t i = 0; i < count; i++) {
        moved[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD, ZYGOTE_SOCK + (int)count);
        if (wanted[i] >= 0 && moved[i] < 0)
            return -1;
    }
    for (size_t i = 0; i < count; i++) {
        int place = ZYGOTE_SOCK + (int)i;
        if (moved[i] < 0 ? close(place) < 0 && errno != EBADF : dup2(moved[i], place) < 0)
            return -1;
    }
    return close_range(ZYGOTE_SOCK + (unsigned)count, ~0u, 0);
}

/* Where the box makes it nobody on the host, that is done; else it has to be here. */
static int become_zygote(const struct box *box, pid_t keeper, struct cordon_err *reterr)
{
    int r = 0;

    if (box_has_namespaces(box))
        return privs_set_caps(STEPS_FORK_CAPS, reterr);
    if (box->as_root)
        r = privs_become(box->ids.uid, box->ids.gid, ZYGOTE_CAPS, reterr);
    return r < 0 ? r : privs_end_with(keeper, SIGKILL, reterr);
}

/* In the copy that becomes the zygote. Does not return. */
static void exec_zygote(const struct box *box, int sock, pid_t keeper)
{
    struct cordon_err err = {0};
    sigset_t none;

    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    const int fds[] = {sock, box->filter, plan_file(box)};
    if (place_fds(fds, ARRAY_LEN(fds)) < 0 || become_zygote(box, keeper, &err) < 0)
        _exit(127); /* the socket's end says it */

    (void)execve(box->program, box->args, box->environ);
    int sys = errno;
    err_set(&err, CORDON_E_HOST, sys, "cannot execute '%s' in the box%s", box->program,
            sys == EACCES && box->as_root
                ? " (the box does not run as root: the file must be executable for everyone)"
                : "");
    err_step(&err, "zygote");
    (void)wire_send(ZYGOTE_SOCK, WIRE_FAILED, 0, &err, sizeof(err), NULL, 0);
    _exit(127);
}

int box_start_zygote(const struct box *box, pid_t *ret_pid, int *ret_sock,
                     struct cordon_err *reterr)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make the zygote's socket");
    AUTO_FD ours = pair[0];
    AUTO_FD its = pair[1];
    if (fcntl(ours, F_SETFL, O_NONBLOCK) < 0) /* this end only: the zygote's blocks */
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set up the zygote's socket");

    pid_t keeper = getpid();
    pid_t pid = ns_clone(SIGCHLD, NULL);
    if (pid < 0)
        return err_set(reterr, CORDON_E_HOST, -pid, "cannot fork the zygote");
    if (pid == 0)
        exec_zygote(box, its, keeper);

    *ret_pid = pid;
    *ret_sock = fd_take(&ours);
    return 0;
}
