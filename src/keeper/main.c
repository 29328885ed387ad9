/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cordon-keeper: started by libcordon with a control socket as descriptor 3.
 *
 * What is executed is the starter. It reads the plan, makes the keeper (a copy of itself,
 * PID 1 of the box), writes its id maps from outside, tells the engine that the box
 * stands, handing over a pidfd, and exits. It keeps nothing that the box could use.
 */
#include "base/err.h"
#include "jail/privs.h"
#include "jail/probe.h"
#include "keeper/approved.h"
#include "keeper/killtree.h"
#include "keeper/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ENGINE_FD 3
#define OOM_SCORE "/proc/self/oom_score_adj"

extern char **environ;

static struct wire_packet plan_packet; /* the plan's rows stay here for the box's life */

/* Whatever started us: no signal state, no environment (not even in /proc), no descriptor. */
static int start_clean(struct cordon_err *reterr)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int sig = 1; sig < _NSIG; sig++)
        (void)sigaction(sig, &standard, NULL); /* some cannot be changed, and need not be */
    (void)signal(SIGPIPE, SIG_IGN);            /* a lost peer is an error to report */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)umask(022);

    for (char **e = environ; e && *e; e++)
        memset(*e, 0, strlen(*e));
    (void)clearenv();

    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '/dev/null'");
    for (int fd = 0; fd < 3; fd++)
        if (dup2(null, fd) < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot put '/dev/null' on %d", fd);
    if (close_range(ENGINE_FD + 1, ~0u, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot close inherited descriptors (Linux 5.9 or later is needed)");
    if (fcntl(ENGINE_FD, F_SETFD, FD_CLOEXEC) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set up the control socket");
    return 0;
}

/* A host program that is spared when memory runs out is none whose sandboxes are. */
static int be_no_survivor(struct cordon_err *reterr)
{
    char now = '\0';

    AUTO_FD fd = open(OOM_SCORE, O_RDWR | O_CLOEXEC);
    if (fd < 0 || pread(fd, &now, 1, 0) != 1 || now != '-')
        return 0; /* no /proc to tell, or nothing to give up */
    if (write(fd, "0", 1) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot write '0' to '" OOM_SCORE "'");
    return 0;
}

/*
 * What a host program may have been given, or have taken, to come before others: its sandboxes
 * come with all others. (As a real-time process one would starve the machine, and die of
 * RLIMIT_RTTIME.) And mappings are executable only when that is asked for.
 */
static int give_up_precedence(struct cordon_err *reterr)
{
    const struct sched_param ordinary = {.sched_priority = 0};

    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    if ((policy == SCHED_FIFO || policy == SCHED_RR) &&
        sched_setscheduler(0, SCHED_OTHER, &ordinary) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot leave the real-time scheduler");
    if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot give up a negative nice value");
    if (syscall(SYS_ioprio_set, 1, 0, 0) < 0 && errno != ENOSYS)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot give up an I/O priority");
    if (personality(PER_LINUX) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot leave the host program's personality");
    return be_no_survivor(reterr);
}

/*
 * The process that made the socket. End-of-file alone would not do: a copy of the host
 * program, forked without executing anything, holds the engine's end as well.
 */
static int open_engine(int *ret_pidfd, struct cordon_err *reterr)
{
    struct ucred who = {0};
    socklen_t size = sizeof(who);

    if (getsockopt(ENGINE_FD, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0 || who.pid <= 0)
        return 0; /* of a process that we do not see: end-of-file is all there is */
    *ret_pidfd = pidfd_open(who.pid, 0);
    if (*ret_pidfd < 0 && errno == ESRCH)
        return err_set(reterr, CORDON_E_HELPER, 0, "the engine has gone");
    return 0;
}

static int receive_plan(struct box *box, struct cordon_err *reterr)
{
    int r = wire_recv(ENGINE_FD, &plan_packet);
    if (r <= 0)
        return err_set(reterr, CORDON_E_PROTOCOL, -r, "no plan came");
    if (plan_packet.head.type != WIRE_PLAN)
        return err_set(reterr, CORDON_E_PROTOCOL, 0, "the first message is no plan");
    r = box_read_plan(box, plan_packet.payload, plan_packet.head.size, reterr);
    if (r < 0)
        return r;
    size_t next = 0;
    if (box->approved && plan_packet.nfds > next)
        box->environ_fd = fd_take(&plan_packet.fds[next++]);
    if (plan_packet.nfds > next)
        box->filter = fd_take(&plan_packet.fds[next]);
    return 0;
}

static void report(int sync, enum box_word word, const struct cordon_err *err)
{
    struct box_report r = {.word = word};

    if (err)
        r.err = *err;
    (void)io_write_all(sync, &r, sizeof(r)); /* a starter that is gone needs no report */
}

/* Instead of a box: tries what the engine asks about, as the program that would build one. */
static int answer_probe(const struct box *box)
{
    const struct probe_host host = {
        .plan = box->plan, .plan_len = box->plan_len, .filter = -1, .spec = probe_spec()};
    struct cordon_err err = {0};

    int r = probe_ask(box->probe, &host, &err);
    r = r < 0 ? wire_send(ENGINE_FD, WIRE_FAILED, 0, &err, sizeof(err), NULL, 0)
              : wire_send(ENGINE_FD, WIRE_READY, 0, NULL, 0, NULL, 0);
    return r < 0;
}

static void clean(const struct box *box)
{
    if (box->approved)
        approved_clean(box);
    else
        box_clean(box);
}

/* PID 1 of the box. */
static int run_keeper(struct box *box)
{
    struct cordon_err err = {0};
    char end;

    (void)setsid(); /* a terminal's Ctrl-C is not for the box */
    if ((box->approved ? approved_build(box, &err) : box_build(box, &err)) < 0) {
        report(box->sync, BOX_FAILED, &err);
        return 1;
    }
    report(box->sync, BOX_BUILT, NULL);
    /* The starter's end: only then may anything else be said to the engine. */
    (void)io_read_all(box->sync, &end, 1);
    fd_close(&box->sync);
    int status = supervise(ENGINE_FD, box);
    clean(box);
    return status;
}

/* Serves the keeper until its box stands. */
static int await_box(const struct box *box, int sync, pid_t pid, struct cordon_err *reterr)
{
    struct box_report got;
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", pid);
    for (;;) {
        int r = io_read_all(sync, &got, sizeof(got));
        if (r < 0)
            return err_set(reterr, CORDON_E_HELPER, -r, "the keeper died while building the box");
        if (got.word == BOX_BUILT)
            return 0;
        if (got.word == BOX_FAILED) {
            *reterr = got.err;
            return CORDON_E_HOST;
        }
        r = box->approved ? ns_keep_ids(name, 0, reterr)
                          : ns_write_ids(name, &box->ids, !box->as_root, reterr);
        if (r < 0) {
            err_step(reterr, box->as_root ? "drop-root" : "box-ids");
            return r;
        }
        r = io_write_all(sync, "", 1);
        if (r < 0)
            return err_set(reterr, CORDON_E_HELPER, -r, "the keeper died while building the box");
    }
}

static unsigned long flags_of(const struct box *box)
{
    unsigned long spaces = box->as_root ? NS_ALL : NS_ALL | CLONE_NEWUSER;

    if (box->approved && box->host_network)
        spaces &= ~(unsigned long)CLONE_NEWNET;
    return (box_has_namespaces(box) ? spaces : 0) | CLONE_PIDFD | SIGCHLD;
}

/* On success the keeper waits for the end of *ret_sync before it speaks to the engine. */
static int start_box(struct box *box, int *ret_sync, pid_t *ret_keeper, int *ret_pidfd,
                     struct cordon_err *reterr)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a socket pair");
    AUTO_FD ours = pair[0];
    box->sync = pair[1];

    pid_t pid = ns_clone(flags_of(box), ret_pidfd);
    if (pid < 0)
        return err_set(reterr, CORDON_E_HOST, -pid, "cannot make the box's namespaces (%s)",
                       ns_advice(-pid));
    if (pid == 0) {
        fd_close(&ours);
        _exit(run_keeper(box));
    }
    fd_close(&box->sync);
    int r = await_box(box, ours, pid, reterr);
    if (r == 0) {
        *ret_sync = fd_take(&ours);
        *ret_keeper = pid;
    }
    return r;
}

/*
 * Where there is no PID namespace to end with the keeper, the starter is there for the
 * keeper's end, whatever it is. Its own pidfd is what the engine gets: with it, all is over.
 */
static int prepare_guard(const struct box *box, struct cordon_err *reterr)
{
    if (box_has_namespaces(box))
        return 0;
    int r = privs_adopt(reterr);
    return r < 0 ? r : privs_set_dumpable(0, reterr);
}

static int be_guard(const struct box *box, pid_t keeper, int engine)
{
    (void)close(engine); /* its end has to be the keeper's end alone */
    while (waitpid(keeper, NULL, __WALL) < 0 && errno == EINTR)
        ;
    killtree_all();
    clean(box);
    return 0;
}

static int choose_pidfd(const struct box *box, int *pidfd)
{
    if (box_has_namespaces(box))
        return 0;
    fd_close(pidfd);
    *pidfd = pidfd_open(getpid(), 0);
    return *pidfd < 0 ? -errno : 0;
}

int main(void)
{
    struct box box = {
        .sync = -1, .engine = -1, .filter = -1, .environ_fd = -1, .fs = ROOTFS_CLOSED};
    struct cordon_err err = {0};
    struct stat st;
    int sync = -1, pidfd = -1;
    pid_t keeper = -1;

    if (fstat(ENGINE_FD, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        (void)fputs("cordon-keeper: a helper of libcordon, of no use by itself\n", stderr);
        return 2;
    }

    int r = start_clean(&err);
    if (r == 0)
        r = give_up_precedence(&err);
    if (r == 0)
        r = open_engine(&box.engine, &err);
    if (r == 0)
        r = receive_plan(&box, &err);
    if (r == 0 && box.probe)
        return answer_probe(&box);
    if (r == 0) {
        box.as_root = ns_box_ids(&box.ids);
        box.starter = getpid();
        r = prepare_guard(&box, &err);
    }
    if (r == 0)
        r = start_box(&box, &sync, &keeper, &pidfd, &err);
    if (r < 0) {
        err_step(&err, "box");
        (void)wire_send(ENGINE_FD, WIRE_FAILED, 0, &err, sizeof(err), NULL, 0);
        return 1;
    }
    r = choose_pidfd(&box, &pidfd);
    if (r == 0)
        r = wire_send(ENGINE_FD, WIRE_STARTED, 0, NULL, 0, &pidfd, 1);
    fd_close(&sync);
    return box_has_namespaces(&box) ? r < 0 : be_guard(&box, keeper, ENGINE_FD);
}
