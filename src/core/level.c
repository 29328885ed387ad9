/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: see level.h. Whether namespaces can be had is asked of the keeper's own program:
 * a security module may allow it what it does not allow the host program.
 */
#include "core/level.h"

#include "base/err.h"
#include "base/wire.h"
#include "core/spawn.h"
#include "jail/landlock.h"
#include "jail/plan.h"
#include "jail/probe.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define PATIENCE_MS 20000
#define NAMELESS (CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT)

/* ---- asking ------------------------------------------------------------------------ */

static int send_question(int sock, struct cordon_err *reterr)
{
    struct buf plan = {0};

    int rc = plan_add(&plan, PLAN_PROBE, "sandbox", NULL);
    if (rc == 0)
        rc = probe_add_files(&plan);
    if (rc == 0)
        rc = wire_send(sock, WIRE_PLAN, 0, plan.data, plan.len, NULL, 0);
    buf_done(&plan);
    return rc < 0 ? err_set(reterr, CORDON_E_HELPER, -rc, "cannot send the keeper its question")
                  : 0;
}

/* READY, or what is in the way. Anything else is a keeper that could not be asked. */
static int read_answer(int sock, struct wire_packet *packet, struct cordon_err *ret_lack,
                       struct cordon_err *reterr)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    int n;

    do
        n = poll(&p, 1, PATIENCE_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0 || wire_recv(sock, packet) != 1)
        return err_set(reterr, CORDON_E_HELPER, 0, "the keeper does not say what can be had here");
    for (size_t i = 0; i < packet->nfds; i++)
        fd_close(&packet->fds[i]);
    if (packet->head.type == WIRE_READY)
        return 0;
    if (packet->head.type != WIRE_FAILED || packet->head.size != sizeof(*ret_lack))
        return err_set(reterr, CORDON_E_HELPER, 0, "the keeper's answer is none");
    memcpy(ret_lack, packet->payload, sizeof(*ret_lack));
    ret_lack->step[sizeof(ret_lack->step) - 1] = '\0';
    ret_lack->msg[sizeof(ret_lack->msg) - 1] = '\0';
    return 0;
}

static int ask(struct level *level, const char *helper_dir, struct cordon_err *reterr)
{
    char path[PATH_MAX + 32];
    int pair[2];

    AUTO_FREE struct wire_packet *packet = calloc(1, sizeof(*packet));
    if (!packet)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot ask what can be had here");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make a socket for the keeper");
    AUTO_FD ours = pair[0];
    AUTO_FD its = pair[1];
    int rc = send_question(ours, reterr);
    (void)snprintf(path, sizeof(path), "%s/cordon-keeper", helper_dir);
    if (rc == 0)
        rc = spawn_helper(path, "cordon-keeper", its, reterr);
    if (rc < 0)
        return rc;
    fd_close(&its);
    rc = read_answer(ours, packet, &level->lack, reterr);
    level->is_asked = rc == 0;
    return rc;
}

/* ---- deciding ------------------------------------------------------------------------ */

static int floor_of(const struct level_wish *wish, const struct profile *profile)
{
    if (wish->floor != CORDON_FLOOR_PROFILE)
        return (int)wish->floor;
    return profile->level == PROFILE_LEVEL_CONTAINED ? CORDON_FLOOR_CONTAINED : CORDON_FLOOR_FULL;
}

/* Without a root, files and TCP are Landlock's alone: it must know all of them. */
static int check_landlock(const struct level *level, struct cordon_err *reterr)
{
    int abi = landlock_abi();
    if (abi >= LANDLOCK_ALONE)
        return 0;
    (void)err_set(
        reterr, CORDON_E_HOST, 0,
        "without namespaces, or a root of its own, a run needs Landlock, version %d or later "
        "(Linux 6.7), and this kernel has %s%d%s%.300s",
        LANDLOCK_ALONE, abi ? "version " : "none: ", abi,
        level->lack.code ? "; namespaces cannot be had: " : "", level->lack.msg);
    err_step(reterr, "landlock");
    return CORDON_E_HOST;
}

int level_walls(struct level *level, const struct level_wish *wish, const struct profile *profile,
                uint32_t *ret_walls_down, struct cordon_err *reterr)
{
    uint32_t down = wish->dropped | probe_missing_walls();

    /* With the floor at `full` there is nothing to ask: the box itself says what is missing. */
    if (!(down & CORDON_WALL_NAMESPACES) && floor_of(wish, profile) == CORDON_FLOOR_CONTAINED) {
        int rc = level->is_asked ? 0 : ask(level, wish->helper_dir, reterr);
        if (rc < 0)
            return rc;
        if (level->lack.code != 0)
            down |= NAMELESS;
    }
    if ((down & NAMELESS) && !(wish->dropped & CORDON_WALL_LANDLOCK)) {
        int rc = check_landlock(level, reterr);
        if (rc < 0)
            return rc;
    }
    *ret_walls_down = down;
    return 0;
}

const char *level_word(uint32_t walls_down)
{
    return walls_down & CORDON_WALL_NAMESPACES ? "contained" : "full";
}
