/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns: clone(2) and id maps.
 *
 * The raw system call, because glibc's fork() takes no flags and its clone() wants a new
 * stack. It is made by processes only that have no thread which holds a lock of libc's (the keeper's
 * allocate nothing), or the copy would wait for one that it does not have.
 */
#include "jail/ns.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/prctl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/*
 * glibc caches the thread id (raise(), recursive mutexes use it) and expects the kernel to
 * write it, as for its own fork(). Kernels without checkpoint support do not tell where:
 * there the copy keeps its parent's number.
 */
static int *tid_address(void)
{
    int *address = NULL;

    if (prctl(PR_GET_TID_ADDRESS, &address, 0, 0, 0) < 0)
        return NULL;
    return address;
}

pid_t ns_clone(unsigned long flags, int *ret_pidfd)
{
    int *tid = tid_address();
    if (tid)
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;

#if defined(__x86_64__)
    long pid = syscall(SYS_clone, flags, NULL, ret_pidfd, tid, 0);
#else /* CONFIG_CLONE_BACKWARDS: aarch64, riscv and most others swap the last two */
    long pid = syscall(SYS_clone, flags, NULL, ret_pidfd, 0, tid);
#endif
    return pid < 0 ? -errno : (pid_t)pid;
}

static int write_file(const char *path, const char *text, struct cordon_err *reterr)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '%s'%s", path,
                       errno == EROFS ? " (in a container, allow it an unmasked /proc)" : "");
    if (write(fd, text, strlen(text)) < 0) { /* one write or none: the kernel wants it whole */
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot write '%s' to '%s' (%s)", text, path,
                       ns_advice(sys));
    }
    return 0;
}

static int write_of(const char *process, const char *name, const char *text,
                    struct cordon_err *reterr)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%s/%s", process, name);
    return write_file(path, text, reterr);
}

int ns_write_ids(const char *process, const struct ns_ids *ids, int deny_groups,
                 struct cordon_err *reterr)
{
    char map[48];
    int r;

    if (deny_groups) {
        r = write_of(process, "setgroups", "deny", reterr);
        if (r < 0)
            return r;
    }
    (void)snprintf(map, sizeof(map), "%u %u 1", ids->inside, ids->uid);
    r = write_of(process, "uid_map", map, reterr);
    if (r < 0)
        return r;
    (void)snprintf(map, sizeof(map), "%u %u 1", ids->inside, ids->gid);
    return write_of(process, "gid_map", map, reterr);
}

/* The ranges that a map of ours lists, each onto itself. Text for a map, or an error. */
static int same_ranges(const char *path, char *map, size_t size, struct cordon_err *reterr)
{
    unsigned long first, outside, count;
    size_t used = 0;

    FILE *f = fopen(path, "re");
    if (!f)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '%s'", path);
    while (used < size && fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3)
        used += (size_t)snprintf(map + used, size - used, "%lu %lu %lu\n", first, first, count);
    (void)fclose(f);
    if (used == 0 || used >= size)
        return err_set(reterr, CORDON_E_HOST, 0, "'%s' cannot be understood", path);
    return 0;
}

static int keep_all(const char *process, const char *name, struct cordon_err *reterr)
{
    char map[4096]; /* one write, and the kernel takes a page at most */
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/%s", name);
    int r = same_ranges(path, map, sizeof(map), reterr);
    return r < 0 ? r : write_of(process, name, map, reterr);
}

int ns_keep_ids(const char *process, int all, struct cordon_err *reterr)
{
    char map[48];
    int r;

    if (all) {
        r = keep_all(process, "uid_map", reterr);
        return r < 0 ? r : keep_all(process, "gid_map", reterr);
    }
    r = write_of(process, "setgroups", "deny", reterr);
    if (r < 0)
        return r;
    (void)snprintf(map, sizeof(map), "%u %u 1", geteuid(), geteuid());
    r = write_of(process, "uid_map", map, reterr);
    if (r < 0)
        return r;
    (void)snprintf(map, sizeof(map), "%u %u 1", getegid(), getegid());
    return write_of(process, "gid_map", map, reterr);
}

int ns_forbid_nesting_at(int proc, struct cordon_err *reterr)
{
    AUTO_FD fd = openat(proc, "sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot forbid further user namespaces");
    return 0;
}

int ns_forbid_nesting(struct cordon_err *reterr)
{
    /* The file shows and sets the count of whoever opens it, per user namespace. */
    return write_file("/proc/sys/user/max_user_namespaces", "0", reterr);
}

unsigned ns_spare_id(const char *map_path, unsigned wish)
{
    unsigned long best_first = 0, best_count = 0;
    FILE *f = fopen(map_path, "re");
    if (!f)
        return 0;

    unsigned long first, outside, count;
    while (fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3) {
        if (wish >= first && wish - first < count) {
            (void)fclose(f);
            return wish;
        }
        if (count > best_count) {
            best_first = first;
            best_count = count;
        }
    }
    (void)fclose(f);
    if (best_count == 0)
        return 0;
    return (unsigned)(best_first + best_count - 1 - wish % best_count);
}

/* One per process; never 0 (see rootfs and limits). */
int ns_spare_ids(struct ns_ids *ret_ids)
{
    unsigned wish = NS_SPARE_ID_BASE + (unsigned)getpid();
    unsigned uid = ns_spare_id("/proc/self/uid_map", wish);
    unsigned gid = ns_spare_id("/proc/self/gid_map", wish);

    if (uid == 0 || gid == 0)
        return 0;
    ret_ids->uid = uid;
    ret_ids->gid = gid;
    return 1;
}

int ns_box_ids(struct ns_ids *ret_ids)
{
    *ret_ids = (struct ns_ids){.inside = 0, .uid = geteuid(), .gid = getegid()};
    return geteuid() == 0 && ns_spare_ids(ret_ids);
}

int ns_drop_root(int (*ask)(int sync, struct cordon_err *reterr), int sync,
                 struct cordon_err *reterr)
{
    if (unshare(CLONE_NEWUSER) < 0) {
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot make the box's user namespace (%s)",
                       ns_advice(sys));
    }
    int r = ask(sync, reterr);
    if (r < 0)
        return r;
    if (setgroups(0, NULL) < 0 || setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot become the box's own user");
    return 0;
}

int ns_set_host_name(struct cordon_err *reterr)
{
    static const char name[] = "sandbox";

    if (sethostname(name, sizeof(name) - 1) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set the box's host name");
    if (setdomainname("", 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot clear the box's domain name");
    return 0;
}

void ns_raise_loopback(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0)
        (void)ioctl(fd, SIOCSIFFLAGS, &lo); /* it is no wall, only of use */
}

int ns_enter_group(const int *doors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (write(doors[i], "0", 1) != 1)
            return 0;
    return count > 0;
}

static int setting_is(const char *path, char value)
{
    char text[2] = "";

    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, text, 1) == 1 && text[0] == value;
}

const char *ns_advice(int sys)
{
    static const char no_more[] =
        "the kernel gives out no more namespaces: raise the user.max_*_namespaces settings";
    static const char none[] = "the kernel gives out no user namespaces: "
                               "sysctl user.max_user_namespaces=15000";
    static const char debian[] = "this kernel keeps user namespaces from ordinary users: "
                                 "sysctl kernel.unprivileged_userns_clone=1";
    static const char apparmor[] =
        "AppArmor keeps user namespaces from ordinary users: give cordon-keeper a profile that "
        "has 'userns,', or sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    static const char container[] =
        "if this is a container, its system-call filter or a missing CAP_SYS_ADMIN forbids it: "
        "run it with user namespaces allowed (docker run --security-opt seccomp=unconfined "
        "--security-opt systempaths=unconfined)";

    if (setting_is("/proc/sys/user/max_user_namespaces", '0'))
        return none;
    if (sys == ENOSPC || sys == EUSERS)
        return no_more;
    if (sys == EINVAL || sys == ENOSYS)
        return "the kernel was built without one of the namespaces";
    if (geteuid() != 0 && setting_is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        return debian;
    if (setting_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        return apparmor;
    return container;
}
