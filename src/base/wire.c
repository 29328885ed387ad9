/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: see wire.h. frame_reader_feed() is the one parser that hostile bytes reach
 * first. Its invariants:
 *
 *   1. state only moves forward, and never leaves ENDED, FAILED or BROKEN
 *   2. memory grows with bytes received, never with lengths claimed
 *   3. result holds at most result_max bytes, end at most FRAME_END_MAX
 */
#include "base/wire.h"

#include <errno.h>
#include <string.h>

_Static_assert(WIRE_TEXT_CHUNK <= 4096, "a piece must be written to a pipe whole or not at all");

int wire_send(int sock, enum wire_type type, uint64_t id, const void *payload, size_t size,
              const int *fds, size_t nfds)
{
    char packet[WIRE_MSG_MAX];
    struct wire_msg head = {.type = type, .size = (uint32_t)size, .id = id};
    if (size > sizeof(packet) - sizeof(head))
        return -EMSGSIZE;
    memcpy(packet, &head, sizeof(head));
    if (size > 0)
        memcpy(packet + sizeof(head), payload, size);
    return io_send_fds(sock, packet, sizeof(head) + size, fds, nfds);
}

static int refuse_packet(struct wire_packet *packet, int why)
{
    for (size_t i = 0; i < packet->nfds; i++)
        fd_close(&packet->fds[i]);
    packet->nfds = 0;
    return why;
}

int wire_recv(int sock, struct wire_packet *packet)
{
    char bytes[WIRE_MSG_MAX];
    ssize_t n = io_recv_fds(sock, bytes, sizeof(bytes), packet->fds, WIRE_FORK_FDS, &packet->nfds);
    /* Told once, of a peer that ended with something unread. What it had said is still there. */
    if (n == -ECONNRESET)
        n = io_recv_fds(sock, bytes, sizeof(bytes), packet->fds, WIRE_FORK_FDS, &packet->nfds);
    if (n < 0)
        return refuse_packet(packet, (int)n);
    if (n == 0)
        return refuse_packet(packet, 0);
    if ((size_t)n < sizeof(packet->head))
        return refuse_packet(packet, -EPROTO);
    memcpy(&packet->head, bytes, sizeof(packet->head));
    size_t size = (size_t)n - sizeof(packet->head);
    if (packet->head.size != size)
        return refuse_packet(packet, -EPROTO);
    memcpy(packet->payload, bytes + sizeof(packet->head), size);
    packet->payload[size] = '\0';
    return 1;
}

static int broken(struct frame_reader *r, const char *why)
{
    r->state = FRAMES_BROKEN;
    r->why = why;
    return 0;
}

/* A header is complete: may such a frame come now, and is its length believable? */
static int check_head(struct frame_reader *r)
{
    const struct frame_head *h = &r->head;
    if (h->reserved != 0)
        return broken(r, "a frame header with unknown flags");
    if (r->state == FRAMES_WAIT_READY) {
        if (h->type == FRAME_READY && h->size == sizeof(r->ready))
            return 0;
        if (h->type == FRAME_FAILED && h->size == sizeof(struct cordon_err))
            return 0;
        return broken(r, "something other than its readiness came first");
    }
    if (h->type == FRAME_WARNINGS && !r->has_warnings && !r->has_result) {
        r->has_warnings = 1;
        return h->size <= FRAME_WARNINGS_MAX ? 0 : broken(r, "a list of warnings without end");
    }
    if (h->type == FRAME_RESULT && !r->has_result) {
        r->has_result = 1;
        r->result_too_big = h->size > r->result_max;
        return r->result_too_big ? broken(r, "a result larger than its limit") : 0;
    }
    if (h->type == FRAME_END && h->size <= FRAME_END_MAX)
        return 0;
    if (h->type == FRAME_RESULT || h->type == FRAME_WARNINGS)
        return broken(r, "a second result or verdict");
    return broken(r, "an unknown or oversized frame");
}

/* A frame's last byte is in. */
static void finish_frame(struct frame_reader *r)
{
    switch ((enum frame_type)r->head.type) {
    case FRAME_READY:
        r->state = FRAMES_WAIT_END;
        break;
    case FRAME_FAILED:
        r->failure.step[sizeof(r->failure.step) - 1] = '\0';
        r->failure.msg[sizeof(r->failure.msg) - 1] = '\0';
        r->state = FRAMES_FAILED;
        break;
    case FRAME_END:
        r->state = FRAMES_ENDED;
        break;
    case FRAME_RESULT:
    case FRAME_WARNINGS:
    case FRAME_REQUEST:
        break;
    }
    r->head_got = 0;
    r->body_got = 0;
}

/*
 * Room for the rest, and for the envelope around it, once it is no mere claim: a large buffer
 * that grows by and by may be there twice each time.
 */
static void make_room(struct frame_reader *r)
{
    uint64_t size = r->head.size;
    if (r->head.type == FRAME_RESULT && r->result.len >= size / 16)
        (void)buf_reserve(&r->result, size + size / 2 - r->result.len);
}

/* Stores part of the current frame's body. */
static int take_body(struct frame_reader *r, const char *data, size_t len)
{
    int rc = 0;
    if (r->head.type == FRAME_READY)
        memcpy((char *)&r->ready + r->body_got, data, len);
    else if (r->head.type == FRAME_FAILED)
        memcpy((char *)&r->failure + r->body_got, data, len);
    else if (r->head.type == FRAME_RESULT)
        rc = buf_add(&r->result, data, len, r->result_max);
    else if (r->head.type == FRAME_WARNINGS)
        rc = buf_add(&r->warnings, data, len, FRAME_WARNINGS_MAX);
    else if (r->head.type == FRAME_END)
        rc = buf_add(&r->end, data, len, FRAME_END_MAX);
    if (rc < 0)
        return rc;
    r->body_got += len;
    make_room(r);
    return 0;
}

int frame_reader_feed(struct frame_reader *r, const char *data, size_t len)
{
    while (r->state == FRAMES_WAIT_READY || r->state == FRAMES_WAIT_END) {
        if (r->head_got < sizeof(r->head)) {
            if (len == 0)
                return 0;
            size_t take = sizeof(r->head) - r->head_got;
            if (take > len)
                take = len;
            memcpy((char *)&r->head + r->head_got, data, take);
            r->head_got += take;
            data += take;
            len -= take;
            if (r->head_got < sizeof(r->head))
                return 0;
            (void)check_head(r);
            continue;
        }
        uint64_t left = r->head.size - r->body_got;
        size_t take = left < len ? (size_t)left : len;
        int rc = take_body(r, data, take);
        if (rc < 0)
            return rc;
        data += take;
        len -= take;
        if (r->body_got < r->head.size)
            return 0;
        finish_frame(r);
    }
    return 0;
}

void frame_reader_done(struct frame_reader *r)
{
    buf_done(&r->result);
    buf_done(&r->warnings);
    buf_done(&r->end);
}
