/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_find: where an engine makes its control groups, and what earlier ones left there.
 * Nothing here belongs to another account, nor to an engine that lives; see owner.h.
 */
#include "core/cgroup.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define V2_MOUNT "/sys/fs/cgroup"
#define DYING_MS 200 /* how long processes of an engine that has gone may take to go */

/* ---- what was left ---------------------------------------------------------------------- */

/* In version 2, from 5.14 on; else they are dying already, with their engine. */
static void kill_all(const char *path)
{
    char file[PATH_MAX];

    (void)snprintf(file, sizeof(file), "%s/cgroup.kill", path);
    AUTO_FD fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)!write(fd, "1", 1);
}

static void remove_left(const char *path)
{
    kill_all(path);
    for (int i = 0; rmdir(path) < 0 && errno == EBUSY && i < DYING_MS; i++)
        (void)poll(NULL, 0, 1);
}

static void sweep(const char *paths)
{
    char text[2 * PATH_MAX];
    char *rest = text, *path;

    (void)snprintf(text, sizeof(text), "%s", paths);
    while ((path = strsep(&rest, ":")))
        owner_sweep(path, remove_left);
}

/* ---- the place --------------------------------------------------------------------------- */

/* systemd marks the group that it leaves to a service or a user; the nearest one counts. */
static int is_delegated(const char *path)
{
    char value[2] = "";
    return (getxattr(path, "user.delegate", value, 1) == 1 ||
            getxattr(path, "trusted.delegate", value, 1) == 1) &&
           value[0] == '1' && access(path, W_OK) == 0;
}

/* The directory of the group that this process is in, of version 2. */
static int find_own(char *ret, size_t size)
{
    char text[PATH_MAX];

    AUTO_FD fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *own = strstr(text, "0::/");
    if (!own)
        return 0;
    int len = snprintf(ret, size, V2_MOUNT "%.*s", (int)strcspn(own + 3, "\n"), own + 3);
    return len > 0 && (size_t)len < size;
}

static int find_delegated(char *ret, size_t size)
{
    if (!find_own(ret, size))
        return 0;
    while (strlen(ret) > strlen(V2_MOUNT)) {
        if (is_delegated(ret))
            return 1;
        *strrchr(ret, '/') = '\0';
    }
    return 0;
}

static int move_self(const char *group)
{
    char file[PATH_MAX];

    (void)snprintf(file, sizeof(file), "%.4000s/cgroup.procs", group);
    AUTO_FD fd = open(file, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, "0", 1) == 1;
}

/*
 * A group has either processes or groups, and systemd starts a service in the very group that it
 * leaves to it, but from version 254 on with DelegateSubgroup=. So the host program goes into one
 * below it, and back when that was not all.
 */
static int open_aside(const char *path, struct cgroups *ret, struct cordon_err *reterr)
{
    char own[PATH_MAX], aside[PATH_MAX];

    int r = cgroups_open_at(path, ret, reterr);
    if (r == 0 || reterr->sys != EBUSY || !find_own(own, sizeof(own)) || strcmp(own, path) != 0)
        return r;
    (void)snprintf(aside, sizeof(aside), "%.4000s/host", path);
    if ((mkdir(aside, 0755) < 0 && errno != EEXIST) || !move_self(aside))
        return r;
    r = cgroups_open_at(path, ret, reterr);
    if (r < 0) {
        (void)move_self(path);
        (void)rmdir(aside);
    }
    return r;
}

int cgroups_open(const char *where, struct cgroups *ret, struct cordon_err *reterr)
{
    char path[PATH_MAX];
    int is_auto = !where || strcmp(where, "auto") == 0;

    if (where && strcmp(where, "off") == 0) {
        err_set(reterr, 0, 0, "the configuration says cgroup: off");
        return 0;
    }
    if (is_auto && !find_delegated(path, sizeof(path))) {
        err_set(reterr, 0, 0, "no control group was delegated to this process");
        return 0;
    }
    int r = is_auto ? open_aside(path, ret, reterr) : cgroups_open_at(where, ret, reterr);
    if (r == 0)
        sweep(is_auto ? path : where);
    return r == 0 ? 1 : is_auto ? 0 : r;
}
