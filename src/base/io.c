/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io: see io.h. Every loop here copes with EINTR and short transfers, so that no caller
 * has to.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* More than any message of ours carries; what a peer sends beyond it is closed unseen. */
#define MAX_FDS 16

void fd_close(int *fd)
{
    if (*fd < 0)
        return;
    int saved = errno;
    (void)close(*fd); /* Linux frees the number whatever close() says */
    *fd = -1;
    errno = saved;
}

void io_cleanup_fd(int *fd)
{
    fd_close(fd);
}

void io_cleanup_free(void *p)
{
    free(*(void **)p);
}

int io_seal(int fd)
{
    int all = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    return fcntl(fd, F_ADD_SEALS, all) < 0 ? -errno : 0;
}

int io_read_all(int fd, void *data, size_t len)
{
    char *at = data;
    while (len > 0) {
        ssize_t n = read(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return -EPIPE;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int io_write_all(int fd, const void *data, size_t len)
{
    const char *at = data;
    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int io_send_fds(int sock, const void *data, size_t len, const int *fds, size_t nfds)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * MAX_FDS)];
    } control;
    struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (nfds > MAX_FDS)
        return -EINVAL;
    if (nfds > 0) {
        memset(&control, 0, sizeof(control));
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * nfds);
    }
    for (;;) {
        ssize_t n = sendmsg(sock, &msg, MSG_NOSIGNAL);
        if (n >= 0)
            return (size_t)n == len ? 0 : -EMSGSIZE;
        if (errno != EINTR)
            return -errno;
    }
}

/* Keeps the first max_fds descriptors of one control message, closes the others. */
static void take_fds(const struct cmsghdr *c, int *fds, size_t max_fds, size_t *nfds)
{
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
        if (*nfds < max_fds)
            fds[(*nfds)++] = fd;
        else
            (void)close(fd);
    }
}

ssize_t io_recv_fds(int sock, void *data, size_t len, int *fds, size_t max_fds, size_t *ret_nfds)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * MAX_FDS)];
    } control;
    struct iovec iov = {.iov_base = data, .iov_len = len};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    *ret_nfds = 0;
    ssize_t n;
    do
        n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            take_fds(c, fds, max_fds, ret_nfds);
    return (msg.msg_flags & MSG_TRUNC) ? -EMSGSIZE : n;
}

uint64_t io_now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail for this clock */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int grow(struct buf *b, size_t cap)
{
    char *grown = realloc(b->data, cap);
    if (!grown)
        return -ENOMEM;
    b->data = grown;
    b->cap = cap;
    return 0;
}

int buf_reserve(struct buf *b, size_t len)
{
    size_t need = b->len + len + 1;
    if (need > b->cap && grow(b, need) < 0)
        return -ENOMEM;
    b->data[b->len] = '\0';
    return 0;
}

int buf_add(struct buf *b, const void *data, size_t len, size_t max)
{
    if (len > max || b->len > max - len)
        return -E2BIG;
    size_t need = b->len + len + 1;
    size_t cap = b->cap + b->cap / 2;
    if (cap < need)
        cap = need < 64 ? 64 : need;
    if (need > b->cap && grow(b, cap) < 0)
        return -ENOMEM;
    if (len > 0)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
    return 0;
}

void buf_cut(struct buf *b, size_t len)
{
    if (len >= b->len)
        return;
    b->len = len;
    b->data[len] = '\0';
}

void buf_done(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}
