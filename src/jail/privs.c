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

static int read_caps(struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    return (int)syscall(SYS_capget, &head, data);
}

int privs_has_caps(uint64_t caps)
{
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3];

    if (read_caps(now) < 0)
        return 0;
    return (((uint64_t)now[1].effective << 32 | now[0].effective) & caps) == caps;
}

static int has_no_caps(void)
{
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3];

    return read_caps(now) == 0 && (now[0].permitted | now[1].permitted) == 0;
}

static int set_caps(uint64_t keep, uint64_t over_exec, struct cordon_err *reterr)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    memset(data, 0, sizeof(data));
    for (size_t i = 0; i < ARRAY_LEN(data); i++) {
        data[i].permitted = data[i].effective = (uint32_t)(keep >> (32 * i));
        data[i].inheritable = (uint32_t)(over_exec >> (32 * i));
    }
    if (syscall(SYS_capset, &head, data) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot drop the capabilities");
    return 0;
}

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

int privs_set_caps(uint64_t keep, struct cordon_err *reterr)
{
    return set_caps(keep, 0, reterr);
}

int privs_bound_caps(uint64_t keep, struct cordon_err *reterr)
{
    int r = has_no_caps() ? 0 : drop_bounding(keep, reterr);
    if (r < 0)
        return r;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot clear the ambient capabilities");
    return 0;
}

int privs_keep_caps(uint64_t keep, struct cordon_err *reterr)
{
    /* The bounding set first: dropping from it needs a capability. */
    int r = privs_bound_caps(keep, reterr);
    return r < 0 ? r : set_caps(keep, 0, reterr);
}

static int raise_ambient(uint64_t keep, struct cordon_err *reterr)
{
    for (unsigned cap = 0; cap < 64; cap++)
        if ((keep & PRIVS_CAP(cap)) && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot hand on capability %u", cap);
    return 0;
}

/* libc's own ask every thread that it knows to do the same, and a copy of the keeper has none of those. */
static int set_ids(unsigned uid, unsigned gid)
{
    if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, gid, gid, gid) < 0)
        return -1;
    return (int)syscall(SYS_setresuid, uid, uid, uid);
}

int privs_become(unsigned uid, unsigned gid, uint64_t keep, struct cordon_err *reterr)
{
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot keep capabilities");
    if (set_ids(uid, gid) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot become user %u of the host", uid);
    int r = set_caps(keep, keep, reterr);
    return r < 0 ? r : raise_ambient(keep, reterr);
}

int privs_adopt(struct cordon_err *reterr)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot adopt what descendants leave behind");
    return 0;
}

int privs_end_with(pid_t parent, int sig, struct cordon_err *reterr)
{
    if (prctl(PR_SET_PDEATHSIG, sig, 0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot end together with the parent");
    if (getppid() != parent)
        _exit(1);
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

int privs_small_pages(struct cordon_err *reterr)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 || errno == EINVAL) /* a kernel without any */
        return 0;
    int sys = errno;
    if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
        return 0; /* which may not be changed any more */
    return err_set(reterr, CORDON_E_HOST, sys, "cannot do without huge pages");
}

/* Where each WIRE_FORK descriptor ends up; all below FD_FIRST_FREE. */
static const int fd_places[WIRE_FORK_FDS] = {
    [WIRE_FD_STDOUT] = 1,  [WIRE_FD_STDERR] = 2,
    [WIRE_FD_CHANNEL] = 3, [WIRE_FD_TRACE] = PRIVS_TRACE_PLACE,
    [WIRE_FD_TEXT] = 5,
};
#define FD_FIRST_FREE 6

int privs_arrange_fds(int fds[WIRE_FORK_FDS], struct cordon_err *reterr)
{
    /* Out of the way of all places first; what is already stays, the limit may be low. */
    for (size_t i = 0; i < WIRE_FORK_FDS; i++) {
        if (fds[i] >= FD_FIRST_FREE)
            continue;
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
