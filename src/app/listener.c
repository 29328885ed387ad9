/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener: see listener.h.
 *
 * Between "nobody answers there" and "I listen there" no other starter may come to the same
 * conclusion. The lock for that is on the directory: it needs no file of its own, which
 * would have to stay behind for ever.
 */
#include "app/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"

#define BACKLOG 512
/* How long another starter, or whoever else may lock the directory, is waited for. */
#define LOCK_TRIES 200
#define LOCK_PAUSE_NS 25000000L

static int refuse(struct cordon_err *reterr, const char *path, int sys, const char *why)
{
    return err_set(reterr, CORDON_E_ARG, sys, "'%.200s' %s", path, why);
}

static int address_of(const char *path, struct sockaddr_un *ret, struct cordon_err *reterr)
{
    size_t len = strlen(path);
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (len >= sizeof(ret->sun_path))
        return refuse(reterr, path, 0,
                      "is longer than the 107 bytes that a socket's name may have");
    memcpy(ret->sun_path, path, len + 1);
    return 0;
}

/* The directory of path, locked until it is closed. */
static int lock_directory(const char *path, int *ret_fd, struct cordon_err *reterr)
{
    char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0; /* with the slash: "/" is one, too */
    memcpy(dir, len > 0 ? path : ".", len > 0 ? len : 1);
    dir[len > 0 ? len : 1] = '\0';
    AUTO_FD fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return refuse(reterr, path, errno, "lies in no directory that can be opened");
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == LOCK_TRIES)
            return refuse(reterr, path, errno, "lies in a directory that cannot be locked");
        (void)nanosleep(&pause, NULL);
    }
    *ret_fd = fd_take(&fd);
    return 0;
}

/* Whether somebody listens at the address: 1, 0, or -errno. */
static int is_served(const struct sockaddr_un *address)
{
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
        return 1; /* EAGAIN: and has much to do */
    return errno == ECONNREFUSED ? 0 : -errno;
}

/* Makes room at path: a socket that nobody serves any more goes. */
static int clear_path(const struct sockaddr_un *address, struct cordon_err *reterr)
{
    const char *path = address->sun_path;
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : refuse(reterr, path, errno, "cannot be looked at");
    if (!S_ISSOCK(st.st_mode)) /* connect() would be refused by any file */
        return refuse(reterr, path, 0, "is there, and is no socket");
    int served = is_served(address);
    if (served > 0)
        return refuse(reterr, path, 0, "is served by another daemon, which is alive");
    if (served < 0)
        return refuse(reterr, path, -served, "is there, and cannot be asked whether it is served");
    if (unlink(path) < 0)
        return refuse(reterr, path, errno, "is a dead daemon's, and cannot be removed");
    return 0;
}

static int bind_private(int fd, const struct sockaddr_un *address)
{
    mode_t before = umask(0177); /* the process has one thread */
    int rc = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
    (void)umask(before);
    return rc;
}

static int serve_at(const struct sockaddr_un *address, struct listener *ret,
                    struct cordon_err *reterr)
{
    const char *path = address->sun_path;
    struct stat st;
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return refuse(reterr, path, errno, "cannot be made");
    int rc = bind_private(fd, address);
    if (rc < 0)
        return refuse(reterr, path, -rc, "cannot be made");
    if (lstat(path, &st) < 0 || listen(fd, BACKLOG) < 0) {
        int sys = errno;
        (void)unlink(path);
        return refuse(reterr, path, sys, "cannot be listened at");
    }
    ret->dev = st.st_dev;
    ret->ino = st.st_ino;
    ret->fd = fd_take(&fd);
    return 0;
}

int listener_open(const char *path, struct listener *ret, struct cordon_err *reterr)
{
    struct sockaddr_un address;
    struct listener l = {.path = path, .fd = -1};
    AUTO_FD lock = -1;
    int rc = address_of(path, &address, reterr);
    if (rc == 0)
        rc = lock_directory(path, &lock, reterr);
    if (rc == 0)
        rc = clear_path(&address, reterr);
    if (rc == 0)
        rc = serve_at(&address, &l, reterr);
    if (rc == 0)
        *ret = l;
    return rc;
}

void listener_end(struct listener *l)
{
    struct stat st;
    if (l->fd < 0 || l->is_over)
        return;
    /* As long as we listen nobody takes it over: what is there and ours stays ours. */
    if (lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
        (void)unlink(l->path);
    (void)shutdown(l->fd, SHUT_RD);
    l->is_over = 1;
}

void listener_close(struct listener *l)
{
    listener_end(l);
    fd_close(&l->fd);
}
