/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init: the approved run's walls, in order, and the life of its PID 1.
 *
 * The mounts come before the ids: as real root they need no user namespace, and so work
 * where a container covers parts of /proc. Everything that only root may do is over before
 * the filter; the interpreter is executed with nothing but what it is to keep.
 */
#include "keeper/init.h"

#include "base/err.h"
#include "jail/filter.h"
#include "jail/hostroot.h"
#include "jail/landlock.h"
#include "jail/limits.h"
#include "jail/privs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- walls ---------------------------------------------------------------- */

static int step_proc(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return hostroot_mount_proc(reterr);
}

/* Where it cannot be done the keeper counts, as often as it can. */
static int step_numbers(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    (void)reterr;
    if (in->box->as_root && !(in->spec->walls_down & CORDON_WALL_LIMITS))
        (void)limits_number(in->spec->tasks);
    return 0;
}

/* Whether the keeper admits what would be memory that it cannot see (keeper/admit.h). */
static int has_to_ask(const struct init *in)
{
    return !in->is_counted && box_has_namespaces(in->box) &&
           !(in->spec->walls_down & (CORDON_WALL_LIMITS | CORDON_WALL_SECCOMP));
}

/*
 * Before there is anything of the run: all of it is counted. Its group shows to it as the root of all:
 * else its name, with the engine's number in it, could be read in /proc. Where it cannot come in the
 * keeper counts; which of the two it is decides what the call filter asks.
 */
static int step_group(void *ctx, struct cordon_err *reterr)
{
    struct init *in = ctx;
    (void)reterr;
    in->is_counted = ns_enter_group(in->door.fds, in->door.count);
    for (size_t i = 0; i < in->door.count; i++)
        fd_close(&in->door.fds[i]);
    int has_space = in->is_counted && box_has_namespaces(in->box) && unshare(CLONE_NEWCGROUP) == 0;
    in->has_group_space = has_space && in->door.count == 1;
    return 0;
}

static int step_devices(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    /* A view holds the profile's devices, and no other mount allows any. */
    if (in->box->has_view)
        return hostroot_mount_shm(in->spec->disk_bytes, in->spec->disk_files, reterr);
    return hostroot_close_devices(in->spec->disk_bytes, in->spec->disk_files, !has_to_ask(in),
                                  reterr);
}

static int step_kernel(void *ctx, struct cordon_err *reterr)
{
    struct init *in = ctx;
    int r = hostroot_seal_kernel(&in->proc, reterr);
    /* Where no group is the run's own it is its caller's that counts, and that it may know. */
    return r < 0 || !in->is_counted ? r : hostroot_show_group(in->has_group_space, reterr);
}

static int protect_row(void *ctx, enum plan_op op, const char *a, const char *b)
{
    (void)b;
    return op == PLAN_PROTECT ? hostroot_protect(a, ctx) : 0;
}

static int step_library(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    return plan_each(in->box->plan, in->box->plan_len, protect_row, reterr);
}

/* Without a PID namespace to be the first process of. */
static int step_adopt(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    int r = privs_adopt(reterr);
    return r < 0 ? r : privs_end_with(in->keeper, SIGKILL, reterr);
}

static int step_own_dir(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    if (chdir(in->box->approved) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter '%s'", in->box->approved);
    return 0;
}

static int step_work(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    return hostroot_enter_work(in->box->approved, in->spec->disk_bytes, in->spec->disk_files,
                               reterr);
}

/* An ordinary user's box has its namespace already, and the capabilities end there. */
static int step_ids(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    if (!in->box->as_root)
        return 0;

    if (unshare(CLONE_NEWUSER) < 0) {
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot make the run's user namespace (%s)",
                       ns_advice(sys));
    }
    return box_ask_ids(in->report, reterr);
}

/* Where no group counts the queues of events. */
static int step_watches(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    (void)reterr;
    if (!in->is_counted && !(in->spec->walls_down & CORDON_WALL_LIMITS))
        limits_watch(in->proc, in->spec->memory_bytes);
    return 0;
}

static int step_no_nesting(void *ctx, struct cordon_err *reterr)
{
    struct init *in = ctx;
    int r = ns_forbid_nesting_at(in->proc, reterr);
    fd_close(&in->proc);
    return r;
}

static int step_limits(void *ctx, struct cordon_err *reterr)
{
    const struct init *in = ctx;
    const struct limits_base fresh = {.shared_user = !box_has_namespaces(in->box)};
    return limits_apply(in->spec, &fresh, reterr);
}

static int step_capabilities(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_keep_caps(0, reterr);
}

static int step_no_new_privs(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return privs_no_new_privs(reterr);
}

static int step_landlock(void *ctx, struct cordon_err *reterr)
{
    (void)ctx;
    return landlock_apart(reterr);
}

static int step_seccomp(void *ctx, struct cordon_err *reterr)
{
    static char bytes[FILTER_BYTES_MAX];
    struct init *in = ctx;
    size_t len = 0;

    int r = filter_read(in->box->filter, bytes, &len, reterr);
    return r < 0 ? r
                 : filter_load_asking(bytes, len, has_to_ask(in) ? &in->listener : NULL, reterr);
}

static const struct step init_table[] = {
    {"run-group", step_group, "first: the kernel counts all of it", 0, 0},
    {"run-proc", step_proc, "it sees its own processes, and no environment but theirs",
     CORDON_WALL_NAMESPACES, 0},
    {"run-numbers", step_numbers, "root's tasks, which no resource limit counts",
     CORDON_WALL_NAMESPACES, 0},
    {"run-devices", step_devices, "no disk, no kernel memory, whoever it is",
     CORDON_WALL_NAMESPACES, 0},
    {"run-kernel-files", step_kernel, "root without capabilities may still write settings",
     CORDON_WALL_NAMESPACES, 0},
    {"run-library", step_library, "what every later Python of the host will execute",
     CORDON_WALL_NAMESPACES, 0},
    {"run-adopt", step_adopt, "what its processes leave behind lives as long as it does", 0,
     CORDON_WALL_NAMESPACES},
    {"run-work-dir", step_work, "a directory of its own, empty and capped", CORDON_WALL_NAMESPACES,
     0},
    {"run-own-dir", step_own_dir, "the same on the host's own file system; each file is capped", 0,
     CORDON_WALL_NAMESPACES},
    {"run-ids", step_ids, "root's run: the same ids, without power over the host",
     CORDON_WALL_NAMESPACES, 0},
    {"run-watches", step_watches, "events that nobody reads are memory that no look sees",
     CORDON_WALL_NAMESPACES, 0},
    {"run-no-nesting", step_no_nesting, "a user namespace below would give capabilities",
     CORDON_WALL_NAMESPACES, 0},
    {"run-limits", step_limits, "before privileges go: it may have to lower the host's own",
     CORDON_WALL_LIMITS, 0},
    {"run-capabilities", step_capabilities, "after the mounts, which need them", 0, 0},
    {"run-no-new-privs", step_no_new_privs, "no set-id program helps it; filters demand it", 0, 0},
    {"run-landlock", step_landlock, "no environment, memory or end of anybody else's process",
     CORDON_WALL_LANDLOCK, CORDON_WALL_NAMESPACES},
    {"run-seccomp", step_seccomp, "last: it refuses most of the calls above", CORDON_WALL_SECCOMP,
     0},
};

const struct step *init_steps(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(init_table);
    return init_table;
}

static int build(struct init *in, struct cordon_err *reterr)
{
    return steps_run(init_table, ARRAY_LEN(init_table), in->box->walls_down, in, reterr);
}

/* ---- the interpreter ---------------------------------------------------------- */

static _Noreturn void fail_start(int channel, struct cordon_err *err)
{
    const struct frame_head head = {.type = FRAME_FAILED, .size = sizeof(*err)};

    err_step(err, "interpreter");
    if (io_write_all(channel, &head, sizeof(head)) == 0)
        (void)io_write_all(channel, err, sizeof(*err));
    _exit(1);
}

/* In the copy that becomes the interpreter. */
static _Noreturn void exec_interpreter(struct init *in)
{
    struct cordon_err err = {0};
    sigset_t none;

    if (privs_arrange_fds(in->fds, &err) < 0)
        fail_start(in->fds[WIRE_FD_CHANNEL], &err);
    if (!(in->spec->walls_down & CORDON_WALL_LIMITS) &&
        limits_open_files(in->spec->open_files, &err) < 0)
        fail_start(WIRE_FD_CHANNEL, &err);
    (void)setsid(); /* no process group of the init's */
    (void)umask(in->box->file_mask);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execve(in->box->program, in->box->args, in->environ);
    err_set(&err, CORDON_E_HOST, errno, "cannot execute '%s'", in->box->program);
    fail_start(in->fds[WIRE_FD_CHANNEL], &err);
}

static pid_t start_interpreter(struct init *in)
{
    struct cordon_err err = {0};

    pid_t pid = ns_clone(SIGCHLD, NULL);
    if (pid == 0)
        exec_interpreter(in);
    if (pid < 0) {
        err_set(&err, CORDON_E_HOST, -pid, "cannot fork the interpreter");
        fail_start(in->fds[WIRE_FD_CHANNEL], &err);
    }
    /* From here on only the run holds them: their end is its end. */
    for (size_t i = 0; i < WIRE_FORK_FDS; i++)
        fd_close(&in->fds[i]);
    return pid;
}

/* ---- its life -------------------------------------------------------------------- */

static void say_failed(const struct init *in, const struct cordon_err *err)
{
    const struct box_report r = {.word = BOX_FAILED, .err = *err};

    (void)io_write_all(in->report, &r, sizeof(r)); /* without a keeper there is no init either */
}

/* Hands over what the keeper needs of the run, who may not be allowed to look into it, and keeps
 * nothing of that. */
static int say_built(struct init *in, struct cordon_err *reterr)
{
    const struct box_report built = {.word = BOX_BUILT, .counted = in->is_counted != 0};
    int fds[INIT_FDS];
    size_t count = 0;

    fds[count++] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    fds[count] = open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fds[count++] < 0) /* a host may have none: then what is no memory */
        fds[INIT_FD_SHM] = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (in->listener >= 0)
        fds[count++] = fd_take(&in->listener);
    int had = fds[INIT_FD_WORK] >= 0 && fds[INIT_FD_SHM] >= 0;
    int r = had ? io_send_fds(in->report, &built, sizeof(built), fds, count) : -errno;
    for (size_t i = 0; i < count; i++)
        fd_close(&fds[i]);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r,
                       had ? "cannot hand descriptors to the keeper"
                           : "cannot open the run's working directory or its '/dev/shm'");
    return 0;
}

/* Reaps whatever has ended; does not return when the interpreter has. */
static void reap(int report, pid_t interpreter)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        if (pid != interpreter)
            continue;
        const struct init_end end = {.status = status};
        (void)io_write_all(report, &end, sizeof(end));
        _exit(0); /* and with PID 1 everything that the run has left behind */
    }
}

static _Noreturn void live(int report, pid_t interpreter, const sigset_t *awaited)
{
    for (;;) {
        int sig = sigwaitinfo(awaited, NULL);
        if (sig == WIRE_TRACE_SIGNAL)
            (void)kill(interpreter, WIRE_TRACE_SIGNAL_APPROVED);
        reap(report, interpreter);
    }
}

_Noreturn void init_main(struct init *in)
{
    struct cordon_err err = {0};
    sigset_t awaited;

    /* Blocked, not handled: what comes before somebody waits for it is not lost. */
    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGCHLD);
    (void)sigaddset(&awaited, WIRE_TRACE_SIGNAL);
    (void)sigprocmask(SIG_BLOCK, &awaited, NULL);

    if (build(in, &err) < 0 || say_built(in, &err) < 0) {
        say_failed(in, &err);
        _exit(1);
    }
    pid_t interpreter = start_interpreter(in);
    live(in->report, interpreter, &awaited);
}
