/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client: connections: who is at the other end, and how long we wait for him. A client is
 * awaited until the head of a request is there, then until its body is; not while it is answered.
 */
#ifndef CORDON_APP_HTTP_CLIENT_H
#define CORDON_APP_HTTP_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

struct clients;

struct client {
    struct client *prev; /* those that something is awaited of, the first that began first */
    struct client *next;
    struct clients *all;
    int fd; /* MHD's */
    uid_t uid;
    int known;
    int has_begun; /* to send the request that is awaited: its first line was read */
    uint64_t since_ns;
};

struct clients {
    struct client awaited; /* rings: a whole head, */
    struct client sending; /* and the body */
    unsigned count;
    unsigned most;
    uint64_t patience_ms;
};

void clients_init(struct clients *all, unsigned most, uint64_t patience_ms);
/* When to call clients_lose_patience() at the latest; UINT64_MAX: no need to. */
uint64_t clients_due_ns(const struct clients *all);
/* Drops those who took too long: MHD finds the end of what they sent. */
void clients_lose_patience(struct clients *all);

/* A request of it is awaited. NULL: no memory. */
struct client *client_new(struct clients *all, int fd);
void client_free(struct client *c);

void client_await_request(struct client *c);
/* The head is there. The time goes on. */
void client_await_body(struct client *c);
void client_stop_awaiting(struct client *c);

/* Whether there is any of the request that is awaited. */
int client_has_sent(const struct client *c);

#endif
