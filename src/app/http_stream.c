/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_stream: the answer as events: `stdout` and `stderr` with a JSON string as data, as
 * they come, and at last `envelope`.
 *
 * A chunk ends at a character boundary: what the pieces of a stream say, one after the other,
 * is what the envelope says. An event's data is one line, and so is an envelope.
 */
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "app/http_exchange.h"
#include "base/utf8.h"

/* The beginning of a character whose end has not come. */
struct rest {
    char bytes[4];
    size_t len;
};

struct stream {
    struct exchange *x;
    struct buf waiting; /* events that are not sent */
    size_t sent;        /* of them */
    struct rest rests[2];
    struct cordon_result *result;
    size_t envelope_sent;
    int ended;
    int failed; /* there was no memory: better no end than a wrong one */
};

static const char *const names[2] = {"stdout", "stderr"};

static void add(struct stream *s, const char *data, size_t len)
{
    if (buf_add(&s->waiting, data, len, SIZE_MAX - 1) < 0)
        s->failed = 1;
}

static void add_text(struct stream *s, const char *text)
{
    add(s, text, strlen(text));
}

/* Queues one event. text is valid UTF-8. */
static void add_event(struct stream *s, enum cordon_stream which, const struct buf *text)
{
    json_t *value = json_stringn(text->data, text->len);
    AUTO_FREE char *line = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (!line) {
        s->failed = 1;
        return;
    }
    add_text(s, "event: ");
    add_text(s, names[which]);
    add_text(s, "\ndata: ");
    add_text(s, line);
    add_text(s, "\n\n");
}

/* How many bytes at the end are the beginning of a character. */
static size_t partial_end(const char *data, size_t len)
{
    for (size_t n = len < 3 ? len : 3; n > 0; n--)
        if (utf8_is_partial(data + len - n, n))
            return n;
    return 0;
}

/* What there is of a stream, less the beginning of a character unless it is the end. */
static void add_output(struct stream *s, enum cordon_stream which, const char *data, size_t len,
                       int is_end, int is_cut)
{
    struct rest *rest = &s->rests[which];
    struct buf all = {0}, text = {0};
    int rc = buf_add(&all, rest->bytes, rest->len, SIZE_MAX - 1);
    if (rc == 0)
        rc = buf_add(&all, data, len, SIZE_MAX - 1);
    if (rc == 0) {
        rest->len = is_end ? 0 : partial_end(all.data, all.len);
        memcpy(rest->bytes, all.data + all.len - rest->len, rest->len);
        rc = utf8_append_shown(&text, all.data, all.len - rest->len, is_cut);
    }
    if (rc < 0)
        s->failed = 1;
    else if (text.len > 0)
        add_event(s, which, &text);
    buf_done(&all);
    buf_done(&text);
}

/* ---- sending ---------------------------------------------------------------------- */

static size_t send_waiting(struct stream *s, char *to, size_t max)
{
    size_t left = s->waiting.len - s->sent, n = left < max ? left : max;
    if (n == 0)
        return 0;
    memcpy(to, s->waiting.data + s->sent, n);
    s->sent += n;
    if (s->sent == s->waiting.len)
        s->sent = s->waiting.len = 0;
    return n;
}

/* The envelope and the end of its event. */
static size_t send_envelope(struct stream *s, char *to, size_t max)
{
    size_t len;
    const char *text = cordon_result_envelope(s->result, &len);
    size_t left = len > s->envelope_sent ? len - s->envelope_sent : 0;
    size_t n = left < max ? left : max;
    memcpy(to, text + s->envelope_sent, n);
    s->envelope_sent += n;
    for (; n < max && s->envelope_sent >= len && s->envelope_sent < len + 2; s->envelope_sent++)
        to[n++] = '\n';
    return n;
}

static ssize_t on_read(void *cls, uint64_t pos, char *to, size_t max)
{
    struct stream *s = cls;
    (void)pos;
    if (s->failed || !s->x || s->x->phase == EXCHANGE_GONE)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t n = send_waiting(s, to, max);
    if (n == 0 && s->result)
        n = send_envelope(s, to, max);
    if (n > 0)
        return (ssize_t)n;
    if (s->ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    exchange_suspend(s->x);
    return 0;
}

/* ---- for the endpoint -------------------------------------------------------------- */

static void on_freed(void *cls)
{
    struct stream *s = cls;
    if (s->x)
        s->x->stream = NULL;
    cordon_result_free(s->result);
    buf_done(&s->waiting);
    free(s);
}

struct MHD_Response *stream_new(struct exchange *x)
{
    struct stream *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32768, on_read, s, on_freed);
    if (!response) {
        free(s);
        return NULL;
    }
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    s->x = x;
    x->stream = s;
    return response;
}

void stream_forget(struct stream *s)
{
    s->x = NULL;
}

void stream_output(struct stream *s, enum cordon_stream which, const char *data, size_t len)
{
    add_output(s, which, data, len, 0, 0);
    exchange_resume(s->x);
}

void stream_end(struct stream *s, struct cordon_result *result)
{
    for (int i = 0; result && i < 2; i++)
        add_output(s, (enum cordon_stream)i, "", 0, 1,
                   cordon_result_truncated(result, (enum cordon_stream)i));
    add_text(s, "event: envelope\ndata: ");
    s->result = result;
    s->ended = 1;
    s->failed |= !result;
    exchange_resume(s->x);
}
