/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: see capture.h. Each call is bounded, whatever the writer does.
 */
#include "core/capture.h"

#include <errno.h>

#define PIECE 65536

int capture_add(struct capture *c, const char *bytes, size_t len, size_t *ret_new)
{
    size_t room = c->data.len < c->max ? (size_t)(c->max - c->data.len) : 0;
    size_t take = len < room ? len : room;
    if (take < len)
        c->truncated = 1;
    *ret_new = take;
    return take > 0 ? buf_add(&c->data, bytes, take, SIZE_MAX - 1) : 0;
}

int capture_drain(struct capture *c, int fd, size_t most,
                  void (*seen)(void *ctx, const char *bytes, size_t len), void *ctx)
{
    char piece[PIECE];
    while (most > 0) {
        size_t kept;
        ssize_t n = read(fd, piece, most < sizeof(piece) ? most : sizeof(piece));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? 1 : -errno;
        if (n == 0)
            return 0;
        most -= (size_t)n;
        int rc = capture_add(c, piece, (size_t)n, &kept);
        if (rc < 0)
            return rc;
        if (kept > 0 && seen)
            seen(ctx, piece, kept);
    }
    return 1;
}
