/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: HTTP/1.1 on a socket that listens, for the daemon's loop: one descriptor, a timeout
 * and a step function, no thread. A request that waits for its run is suspended: it holds a
 * descriptor and its run, and nothing polls it but for its caller going away.
 */
#ifndef CORDON_APP_HTTP_H
#define CORDON_APP_HTTP_H

#include <stdint.h>

#include "cordon.h"

struct http; /* opaque */

struct http_options {
    struct cordon_engine *engine;
    int listen_fd;              /* stays the caller's */
    uint64_t patience_ms;       /* for a caller to send a request, or to take some of the answer */
    const char *const *environ; /* of approved runs whose request has none; ends with NULL */
};

/* Begins to accept. On success release with http_close(), before the engine is freed. */
int http_open(const struct http_options *options, struct http **ret, struct cordon_err *reterr);

/* Readable when http_step() has something to do. */
int http_fd(const struct http *http);

/* When to call it at the latest, in milliseconds from now; -1: no need to. */
int http_timeout(const struct http *http);

/* Does what there is to do, without blocking. To be called after each cordon_step(). */
void http_step(struct http *http);

/*
 * Accepts who has connected, nobody else, and no request any more: those that come, or are
 * being sent, are told so. What runs goes on. Nobody may be able to connect.
 */
void http_drain(struct http *http);

/* While it drains: whether all that was sent is answered. Then nothing more can be sent. */
int http_drained(struct http *http);

/* Cancels what runs, drops every connection. Accepts NULL. */
void http_close(struct http *http);

#endif
