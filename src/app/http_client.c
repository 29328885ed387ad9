/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client: see http_client.h. The time is that of a whole request: libmicrohttpd's own
 * time-out begins anew with every byte.
 */
#include "app/http_client.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/io.h"

/* How long one may have a place and ask for nothing when there is none left for others. */
#define CROWDED_MS 2000

static void ring_init(struct client *ring)
{
    ring->next = ring->prev = ring;
}

void clients_init(struct clients *all, unsigned most, uint64_t patience_ms)
{
    *all = (struct clients){.most = most, .patience_ms = patience_ms};
    ring_init(&all->awaited);
    ring_init(&all->sending);
}

/* When whoever has been in the ring the longest has had his time. */
static uint64_t due_ns(const struct clients *all, const struct client *ring)
{
    uint64_t ms = all->patience_ms;
    if (ring == &all->awaited && all->count >= all->most && ms > CROWDED_MS)
        ms = CROWDED_MS;
    return ring->next != ring ? ring->next->since_ns + ms * 1000000u : UINT64_MAX;
}

uint64_t clients_due_ns(const struct clients *all)
{
    uint64_t head = due_ns(all, &all->awaited), body = due_ns(all, &all->sending);
    return head < body ? head : body;
}

static void lose_patience(struct clients *all, struct client *ring)
{
    uint64_t now = io_now_ns();
    while (due_ns(all, ring) <= now) {
        struct client *c = ring->next;
        client_stop_awaiting(c);
        (void)shutdown(c->fd, SHUT_RDWR);
    }
}

void clients_lose_patience(struct clients *all)
{
    lose_patience(all, &all->awaited);
    lose_patience(all, &all->sending);
}

/* ---- one of them ---------------------------------------------------------------------- */

struct client *client_new(struct clients *all, int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    struct client *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->all = all;
    c->fd = fd;
    c->known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0;
    if (c->known)
        c->uid = peer.uid;
    all->count++;
    ring_init(c);
    client_await_request(c);
    return c;
}

void client_free(struct client *c)
{
    client_stop_awaiting(c);
    c->all->count--;
    free(c);
}

void client_stop_awaiting(struct client *c)
{
    c->prev->next = c->next;
    c->next->prev = c->prev;
    ring_init(c);
}

static void await_in(struct client *ring, struct client *c)
{
    client_stop_awaiting(c);
    struct client *before = ring->prev;
    while (before != ring && before->since_ns > c->since_ns)
        before = before->prev;
    c->prev = before;
    c->next = before->next;
    c->next->prev = before->next = c;
}

void client_await_request(struct client *c)
{
    c->since_ns = io_now_ns();
    c->has_begun = 0;
    await_in(&c->all->awaited, c);
}

void client_await_body(struct client *c)
{
    await_in(&c->all->sending, c);
}

int client_has_sent(const struct client *c)
{
    int unread = 0;
    return c->has_begun || (ioctl(c->fd, FIONREAD, &unread) == 0 && unread > 0);
}
