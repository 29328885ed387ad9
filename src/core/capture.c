/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: see capture.h. Each call is bounded, whatever the writer does.
 */
#include "core/capture.h"

#include "base/utf8.h"

#include <errno.h>

#define PIECE 65536

/* Measures what is new. Returns whether it fits; what does not is not measured. */
static int measure(struct capture *c)
{
    while (c->measured < c->data.len) {
        const char *at = c->data.data + c->measured;
        size_t left = c->data.len - c->measured;
        uint64_t room = c->max - c->shown;
        size_t good = utf8_valid_prefix(at, left < room ? left : (size_t)room);
        c->measured += good;
        c->shown += good;
        at += good;
        left -= good;
        if (left == 0 || utf8_is_partial(at, left))
            return 1;
        if (utf8_valid_prefix(at, left < 4 ? left : 4) > 0 || room - good < UTF8_SHOWN_MAX)
            return 0;
        c->measured++;
        c->shown += UTF8_SHOWN_MAX;
    }
    return 1;
}

int capture_add(struct capture *c, const char *bytes, size_t len, size_t *ret_new)
{
    size_t before = c->data.len;
    size_t room = c->truncated ? 0 : (size_t)(c->max - before);
    size_t take = len < room ? len : room;
    int rc = take > 0 ? buf_add(&c->data, bytes, take, SIZE_MAX - 1) : 0;
    *ret_new = 0;
    if (rc < 0)
        return rc;
    c->truncated |= take < len;
    if (!measure(c)) {
        c->truncated = 1;
        buf_cut(&c->data, c->measured);
    }
    *ret_new = c->data.len > before ? c->data.len - before : 0;
    return 0;
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

int capture_take(struct capture *c, struct buf *text)
{
    /* Half a character is shown as bytes if there is room for it, and not at all at a cut. */
    uint64_t half = UTF8_SHOWN_MAX * (uint64_t)(c->data.len - c->measured);
    c->truncated |= half > c->max - c->shown;
    int rc = buf_reserve(text, (size_t)(c->shown + (c->truncated ? 0 : half)));
    if (rc == 0)
        rc = utf8_append_shown(text, c->data.data ? c->data.data : "", c->data.len, c->truncated);
    buf_done(&c->data);
    return rc;
}
