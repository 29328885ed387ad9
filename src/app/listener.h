/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener: the daemon's socket in the file system. Whoever may connect to it may run
 * code, so it is 0600 from its first moment. One daemon per path: what a dead one left is
 * taken over, a live one's is not touched, and who removes it has made it.
 */
#ifndef CORDON_APP_LISTENER_H
#define CORDON_APP_LISTENER_H

#include <sys/types.h>

#include "cordon.h"

struct listener {
    const char *path; /* the caller's */
    int fd;           /* listens already; -1: closed */
    dev_t dev;
    ino_t ino;
    int is_over; /* it takes nobody any more */
};

/* Makes the socket and listens. On failure reterr->msg is one sentence that names path. */
int listener_open(const char *path, struct listener *ret, struct cordon_err *reterr);

/*
 * Removes the socket if it is still the one that was made; nobody can connect any more. Who
 * had connected can still be accepted.
 */
void listener_end(struct listener *l);

/* The same, and nobody is accepted any more. */
void listener_close(struct listener *l);

#endif
