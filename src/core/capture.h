/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: one output stream of a sandbox, kept up to its cap, which holds for the text as it
 * is shown (base/utf8.h). What comes beyond is read and dropped, so that the writer never
 * blocks on us and our memory never grows.
 */
#ifndef CORDON_CORE_CAPTURE_H
#define CORDON_CORE_CAPTURE_H

#include "base/io.h"

struct capture {
    uint64_t max;
    struct buf data;
    int truncated;
    /* private */
    size_t measured; /* of data; what follows is the beginning of a character */
    uint64_t shown;  /* how long that is, shown */
};

/*
 * Takes bytes. *ret_new is how many of them were kept (they are the last of data).
 * 0 or -ENOMEM.
 */
int capture_add(struct capture *c, const char *bytes, size_t len, size_t *ret_new);

/*
 * Reads what a non-blocking pipe holds, at most `most` bytes, handing what is kept to
 * `seen`. Returns 0 at end-of-file, 1 when there may be more, or -errno.
 */
int capture_drain(struct capture *c, int fd, size_t most,
                  void (*seen)(void *ctx, const char *bytes, size_t len), void *ctx);

/*
 * Nothing comes any more: appends what was kept to `text`, shown, at most max bytes, and lets
 * go of it. `truncated` is final then. 0 or -ENOMEM.
 */
int capture_take(struct capture *c, struct buf *text);

#endif
