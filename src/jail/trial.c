/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial: see trial.h. The copy is made without an exit signal: only a wait with __WALL
 * sees it. In it nothing allocates, so that the host program may have threads.
 */
#include "jail/trial.h"

#include "base/err.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define PATIENCE_MS 10000

/* What a copy says to the process that made it. */
struct report {
    int wants_ids; /* that its id maps are written; else it is the answer */
    int r;
    enum cordon_probe_status status;
    int advise;
    char detail[sizeof(((struct trial *)NULL)->detail)];
    struct cordon_err err;
};

int trial_ask_ids(int sync, struct cordon_err *reterr)
{
    const struct report report = {.wants_ids = 1};
    char answer;

    int r = io_write_all(sync, &report, sizeof(report));
    if (r == 0)
        r = io_read_all(sync, &answer, 1);
    return r < 0 ? err_set(reterr, CORDON_E_HELPER, -r, "the id maps were not written") : 0;
}

void trial_answer(const struct trial *t, int r, const struct cordon_err *err)
{
    struct report report = {.r = r, .status = t->status, .advise = t->advise, .err = *err};

    memcpy(report.detail, t->detail, sizeof(report.detail));
    (void)io_write_all(t->sync, &report, sizeof(report)); /* who does not listen is gone */
}

static unsigned long flags_of(enum probe_place place, int as_root)
{
    switch (place) {
    case PROBE_USER:
        return CLONE_NEWUSER;
    case PROBE_BOX:
        return as_root ? NS_ALL : NS_ALL | CLONE_NEWUSER;
    case PROBE_HERE:
    case PROBE_COPY:
        break;
    }
    return 0;
}

static _Noreturn void be_copy(struct trial *t, unsigned long flags,
                              int (*look)(struct trial *, struct cordon_err *))
{
    struct cordon_err err = {0};

    int r = flags & CLONE_NEWUSER ? trial_ask_ids(t->sync, &err) : 0;
    if (r == 0)
        r = look(t, &err);
    trial_answer(t, r, &err);
    _exit(0);
}

static int await_report(int sock, struct report *ret, struct cordon_err *reterr)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    int n;

    do
        n = poll(&p, 1, PATIENCE_MS);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return err_set(reterr, CORDON_E_HOST, ETIMEDOUT, "no end after %d s", PATIENCE_MS / 1000);
    int r = io_read_all(sock, ret, sizeof(*ret));
    if (r < 0)
        return err_set(reterr, CORDON_E_HELPER, 0, "the process that tried it died of it");
    return 0;
}

/* Writes its id maps as often as it asks, until it answers. */
static int serve(const struct trial *t, int sock, pid_t pid, struct report *ret,
                 struct cordon_err *reterr)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", pid);
    for (;;) {
        int r = await_report(sock, ret, reterr);
        if (r < 0 || !ret->wants_ids)
            return r;
        r = ns_write_ids(name, &t->ids, !t->as_root, reterr);
        if (r < 0)
            return r;
        (void)io_send_fds(sock, "", 1, NULL, 0); /* not heard: it died, and the next read tells */
    }
}

static int take_report(struct trial *t, const struct report *report, struct cordon_err *reterr)
{
    t->status = report->status;
    t->advise = report->advise;
    memcpy(t->detail, report->detail, sizeof(t->detail));
    if (report->r < 0 && reterr)
        *reterr = report->err;
    return report->r;
}

static int run_copy(struct trial *t, unsigned long flags,
                    int (*look)(struct trial *, struct cordon_err *), struct cordon_err *reterr)
{
    struct report report;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a socket pair");
    AUTO_FD ours = pair[0];
    AUTO_FD its = pair[1];
    pid_t pid = ns_clone(flags, NULL);
    if (pid < 0)
        return err_set(reterr, CORDON_E_HOST, -pid, "cannot copy this process%s",
                       flags ? " into new namespaces" : "");
    if (pid == 0) {
        fd_close(&ours);
        t->sync = its;
        be_copy(t, flags, look);
    }
    fd_close(&its);
    int r = serve(t, ours, pid, &report, reterr);
    (void)kill(pid, SIGKILL); /* not waited for yet, so it still is its number */
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    return r < 0 ? r : take_report(t, &report, reterr);
}

int trial_run(struct trial *t, enum probe_place place,
              int (*look)(struct trial *, struct cordon_err *), struct cordon_err *reterr)
{
    t->as_root = ns_box_ids(&t->ids);
    if (place == PROBE_HERE)
        return look(t, reterr);
    return run_copy(t, flags_of(place, t->as_root), look, reterr);
}
