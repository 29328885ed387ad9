/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbox: the keeper's words to the engine, in order, none lost while the engine is slow
 * to read, and never a reason to block: a keeper that waits keeps no deadline.
 */
#ifndef CORDON_KEEPER_OUTBOX_H
#define CORDON_KEEPER_OUTBOX_H

#include "base/wire.h"

#include <sys/queue.h>

/* After so long a socket is tried again that did not take something, and will not tell when it does. */
#define SOCKET_AGAIN_NS UINT64_C(10000000)

struct unsent; /* a word that the socket had no room for */

struct outbox {
    int sock; /* not owned */
    size_t count;
    uint64_t again_ns; /* when to try again what the socket will not tell; 0: it will */
    TAILQ_HEAD(unsent_list, unsent) unsent;
};

/* Makes the socket non-blocking. 0 or -errno. */
int outbox_init(struct outbox *o, int sock);

/* Sends or keeps it. 0, or -errno when the engine is gone or has not read for too long. */
int outbox_send(struct outbox *o, enum wire_type type, uint64_t id, const void *payload,
                size_t size);

/* Whether words wait for the socket to become writable. */
int outbox_waits(const struct outbox *o);

/* Sends what the socket takes. 0 or -errno. */
int outbox_flush(struct outbox *o);

/* Sends everything, however long the engine takes to read it. */
void outbox_drain(struct outbox *o);

#endif
