/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbox: a bounded queue in front of a socket.
 */
#include "keeper/outbox.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define UNSENT_MAX 16384 /* four times the runs of a box: an engine that far behind is lost */

struct unsent {
    TAILQ_ENTRY(unsent) link;
    enum wire_type type;
    uint64_t id;
    size_t size;
    char payload[];
};

int outbox_init(struct outbox *o, int sock)
{
    o->sock = sock;
    o->count = 0;
    TAILQ_INIT(&o->unsent);
    return fcntl(sock, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* Without memory of the kernel's the socket would still be one that can be written to. */
static int is_full(struct outbox *o, int r)
{
    o->again_ns = r == -ENOBUFS || r == -ENOMEM ? io_now_ns() + SOCKET_AGAIN_NS : 0;
    return r == -EAGAIN || o->again_ns != 0;
}

static int keep(struct outbox *o, enum wire_type type, uint64_t id, const void *payload,
                size_t size)
{
    if (o->count == UNSENT_MAX)
        return -ENOBUFS;

    struct unsent *u = malloc(sizeof(*u) + size);
    if (!u)
        return -ENOMEM;
    u->type = type;
    u->id = id;
    u->size = size;
    if (size > 0)
        memcpy(u->payload, payload, size);
    TAILQ_INSERT_TAIL(&o->unsent, u, link);
    o->count++;
    return 0;
}

int outbox_send(struct outbox *o, enum wire_type type, uint64_t id, const void *payload,
                size_t size)
{
    if (outbox_waits(o)) /* it must not overtake */
        return keep(o, type, id, payload, size);

    int r = wire_send(o->sock, type, id, payload, size, NULL, 0);
    return is_full(o, r) ? keep(o, type, id, payload, size) : r;
}

int outbox_waits(const struct outbox *o)
{
    return o->count > 0;
}

int outbox_flush(struct outbox *o)
{
    struct unsent *u;

    while ((u = TAILQ_FIRST(&o->unsent))) {
        int r = wire_send(o->sock, u->type, u->id, u->payload, u->size, NULL, 0);
        if (is_full(o, r))
            return 0;
        TAILQ_REMOVE(&o->unsent, u, link);
        o->count--;
        free(u);
        if (r < 0)
            return r;
    }
    return 0;
}

void outbox_drain(struct outbox *o)
{
    (void)fcntl(o->sock, F_SETFL, 0);
    while (outbox_waits(o) && outbox_flush(o) == 0)
        if (outbox_waits(o))
            (void)poll(NULL, 0, SOCKET_AGAIN_NS / 1000000);
}
