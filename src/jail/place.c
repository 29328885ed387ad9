/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place: see place.h. A tree is removed from the top: what a directory below holds is moved
 * up beside it, until the directory is empty. So there is no depth that could be too great.
 */
#include "jail/place.h"

#include "base/err.h"
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int place_make(const char *path, enum place_use use, uid_t uid, gid_t gid,
               struct cordon_err *reterr)
{
    /* The mode once more: the first time the mask counts. */
    if (mkdir(path, 0700) < 0 || (use != PLACE_OWN && chmod(path, use) < 0))
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot make the working directory's place '%s'", path);
    if ((uid != geteuid() || gid != getegid()) && lchown(path, uid, gid) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot give '%s' to the box's user", path);
    return 0;
}

static int is_entry(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int unlink_any(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static DIR *open_below(int dir, const char *name)
{
    /* Whoever owns the directory above may have put a link there in this moment. */
    (void)!fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (!stream && fd >= 0)
        (void)close(fd);
    return stream;
}

/* Empties the directory `name` of `top` into `top`. Whether it could be removed then. */
static int lift(int top, const char *name, unsigned long *number)
{
    char up[32];
    struct dirent *e;
    DIR *stream = open_below(top, name);

    if (!stream)
        return 0;
    while ((e = readdir(stream))) {
        if (!is_entry(e) || unlink_any(dirfd(stream), e->d_name))
            continue;
        /* To change its "..". */
        (void)!fchmodat(dirfd(stream), e->d_name, 0700, AT_SYMLINK_NOFOLLOW);
        (void)snprintf(up, sizeof(up), ".%lu", (*number)++);
        (void)renameat(dirfd(stream), e->d_name, top, up);
    }
    (void)closedir(stream);
    return unlinkat(top, name, AT_REMOVEDIR) == 0;
}

/* Returns whether anything went that was there. */
static int sweep(DIR *top, unsigned long *number)
{
    int any = 0;
    struct dirent *e;

    rewinddir(top);
    while ((e = readdir(top)))
        if (is_entry(e))
            any |= unlink_any(dirfd(top), e->d_name) || lift(dirfd(top), e->d_name, number);
    return any;
}

void place_remove(const char *path)
{
    unsigned long number = 0;

    if (rmdir(path) == 0 || errno == ENOENT)
        return;
    DIR *top = open_below(AT_FDCWD, path);
    if (!top)
        return;
    while (sweep(top, &number))
        ;
    (void)closedir(top);
    (void)rmdir(path);
}
