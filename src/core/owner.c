/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner: see owner.h. A process is its number, the time at which it started, and the PID
 * namespace that both are of: of another namespace nothing can be known, so nothing of it
 * is ever taken for left over.
 */
#include "core/owner.h"

#include "base/err.h"
#include "base/io.h"
#include "jail/ns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

static unsigned long long own_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

/* In clock ticks since the machine started; 0: it cannot be told. */
static unsigned long long start_of(pid_t pid)
{
    char path[32], text[1024];
    unsigned long long start = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')');
    if (!at || sscanf(at + 1,
                      " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u "
                      "%*d %llu",
                      &start) != 1)
        return 0;
    return start;
}

int owner_name(char ret[OWNER_NAME_MAX], struct cordon_err *reterr)
{
    uint64_t number;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return err_set(reterr, CORDON_E_HOST, errno, "cannot get random numbers");
    (void)snprintf(ret, OWNER_NAME_MAX, "cordon-%llx-%d-%llx-%016llx", own_namespace(),
                   (int)getpid(), start_of(getpid()), (unsigned long long)number);
    return 0;
}

int owner_is_gone(const char *name)
{
    unsigned long long space, start, number;
    int pid, end = 0;

    if (sscanf(name, "cordon-%llx-%d-%llx-%16llx%n", &space, &pid, &start, &number, &end) != 4 ||
        name[end] != '\0' || pid <= 0 || space == 0 || start == 0 || space != own_namespace())
        return 0;
    if (kill(pid, 0) < 0 && errno == ESRCH)
        return 1;
    unsigned long long now = start_of(pid);
    return now != 0 && now != start;
}

/* Root's, too, is not another account's: that one could change it while it is removed. */
static int is_ours(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
           (st.st_uid == geteuid() || (geteuid() == 0 && st.st_uid >= NS_SPARE_ID_BASE));
}

void owner_sweep(const char *dir, void (*remove)(const char *path))
{
    char path[PATH_MAX];
    struct dirent *e;
    DIR *stream = opendir(dir);

    while (stream && (e = readdir(stream))) {
        if (!owner_is_gone(e->d_name) || !is_ours(dirfd(stream), e->d_name))
            continue;
        int n = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        if (n > 0 && (size_t)n < sizeof(path))
            remove(path);
    }
    if (stream)
        (void)closedir(stream);
}
