/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privs: capabilities, privilege bits and descriptors, each taken away for good.
 */
#include "jail/privs.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int drop_bounding(uint64_t keep, struct cordon_err *reterr)
{
    for (unsigned cap = 0; cap < 64; cap++) {
        if (keep & PRIVS_CAP(cap))
            continue;
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
            continue;
        if (errno == EINVAL && cap > CAP_SETPCAP) /* past the last one this kernel knows */
            return 0;
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot drop capability %u from the bounding set", cap);
    }
    return 0;
}

int privs_keep_caps(uint64_t keep, struct cordon_err *reterr)
{
    /* The bounding set first: dropping from it needs a capability. */
    int r = drop_bounding(keep, reterr);
    if (r < 0)
        return r;

    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot clear the ambient capabilities");

    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    memset(data, 0, sizeof(data));
    for (size_t i = 0; i < ARRAY_LEN(data); i++)
        data[i].permitted = data[i].effective = (uint32_t)(keep >> (32 * i));
    if (syscall(SYS_capset, &head, data) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot drop the capabilities");
    return 0;
}

int privs_no_new_privs(struct cordon_err *reterr)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set no_new_privs");
    return 0;
}

int privs_set_dumpable(int on, struct cordon_err *reterr)
{
    if (prctl(PR_SET_DUMPABLE, on, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set dumpable to %d", on);
    return 0;
}

/* Where each WIRE_FORK descriptor ends up; all below FD_FIRST_FREE. */
static const int fd_places[WIRE_FORK_FDS] = {
    [WIRE_FD_STDOUT] = 1, [WIRE_FD_STDERR] = 2, [WIRE_FD_CHANNEL] = 3,
    [WIRE_FD_TRACE] = 4,  [WIRE_FD_TEXT] = 5,
};
#define FD_FIRST_FREE 6

int privs_arrange_fds(int fds[WIRE_FORK_FDS], struct cordon_err *reterr)
{
    /* Out of the way of all places first, whatever numbers they came with. */
    for (size_t i = 0; i < WIRE_FORK_FDS; i++) {
        int high = fcntl(fds[i], F_DUPFD_CLOEXEC, FD_FIRST_FREE);
        if (high < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot move descriptor %d", fds[i]);
        fds[i] = high;
    }

    /* Not the zygote's own: flags set on a shared description would be seen by others. */
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '/dev/null' in the sandbox");
    if (dup2(null, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot move '/dev/null' to descriptor 0");

    for (size_t i = 0; i < WIRE_FORK_FDS; i++) {
        if (dup2(fds[i], fd_places[i]) < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot fill descriptor %d", fd_places[i]);
        fds[i] = fd_places[i];
    }
    if (close_range(FD_FIRST_FREE, ~0u, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot close the other descriptors (Linux 5.9 or later is needed)");
    return 0;
}
