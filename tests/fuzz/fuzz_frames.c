/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames from a hostile sandbox, in pieces of hostile size. Whatever comes: what is kept
 * stays within the caps, memory follows the bytes received and never just the lengths claimed,
 * and ENDED, FAILED and BROKEN are left by nothing.
 *
 * Input: one byte that picks result_max, one that seeds the sizes of the pieces, then the
 * bytes of the channel. A first byte with its top bit set starts behind an honest READY.
 */
#include "base/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken: %s\n", #condition);                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static int is_terminal(enum frame_state state)
{
    return state == FRAMES_ENDED || state == FRAMES_FAILED || state == FRAMES_BROKEN;
}

/* A buffer is never larger than its bytes allow: it grows by half at most, or to `times`. */
static void check_buf(const struct buf *b, uint64_t max, size_t times)
{
    MUST(b->len <= max);
    MUST(b->cap <= 64 || b->cap <= b->len * times + times + 2);
    MUST(!b->data || b->data[b->len] == '\0');
}

static void check_reader(const struct frame_reader *r, size_t fed)
{
    check_buf(&r->result, r->result_max, 24); /* of half as much again as 16 times */
    check_buf(&r->end, FRAME_END_MAX, 2);
    check_buf(&r->warnings, FRAME_WARNINGS_MAX, 2);
    MUST(r->result.len + r->end.len <= fed);
    MUST(!r->result.len || r->has_result);
    MUST(!r->result_too_big || r->state == FRAMES_BROKEN);
    MUST((r->state == FRAMES_BROKEN) == (r->why != NULL));
    if (r->state == FRAMES_FAILED) {
        MUST(memchr(r->failure.step, '\0', sizeof(r->failure.step)));
        MUST(memchr(r->failure.msg, '\0', sizeof(r->failure.msg)));
    }
}

/* Feeds one piece from memory of its own, so that a read past its end is seen. */
static void feed(struct frame_reader *r, const uint8_t *data, size_t len)
{
    struct frame_reader before = *r;
    char *piece = malloc(len ? len : 1);
    MUST(piece);
    memcpy(piece, data, len);
    MUST(frame_reader_feed(r, piece, len) == 0);
    free(piece);
    if (is_terminal(before.state)) {
        MUST(r->state == before.state);
        MUST(r->result.len == before.result.len && r->end.len == before.end.len);
        MUST(r->why == before.why);
    }
    MUST(before.state != FRAMES_WAIT_END || r->state != FRAMES_WAIT_READY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t maxima[] = {0, 1, 100, 4096, 1u << 20, UINT64_MAX - 1};
    static const struct {
        struct frame_head head;
        struct frame_ready body;
    } ready = {{.type = FRAME_READY, .size = sizeof(struct frame_ready)}, {0}};
    if (size < 2)
        return 0;
    struct frame_reader r = {.result_max = maxima[(data[0] & 0x7f) % ARRAY_LEN(maxima)]};
    uint32_t step = data[1];
    size_t fed = 0;
    if (data[0] & 0x80) {
        feed(&r, (const uint8_t *)&ready, sizeof(ready));
        MUST(r.state == FRAMES_WAIT_END);
        fed += sizeof(ready);
    }
    for (size_t at = 2; at < size;) {
        step = step * 1103515245u + 12345u;
        size_t n = (step >> 16) % 97;
        n = n < size - at ? n : size - at;
        feed(&r, data + at, n);
        at += n;
        fed += n;
        check_reader(&r, fed);
    }
    feed(&r, data, 0);
    check_reader(&r, fed);
    frame_reader_done(&r);
    MUST(!r.result.data && !r.end.data);
    return 0;
}
