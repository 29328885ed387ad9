/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clip: long text kept short, in memory that was there before. Of a traceback of any
 * length the beginning and the end are kept; the cut falls between lines, or between
 * characters where there are no lines.
 */
#include "worker.h"

#include <stdio.h>
#include <string.h>

void clip_open(struct clip *c)
{
    c->total = 0;
    c->len = 0;
    c->text[0] = '\0';
}

void clip_add(struct clip *c, const char *data, size_t len)
{
    if (c->total < CLIP_HEAD) {
        size_t take = CLIP_HEAD - (size_t)c->total;
        if (take > len)
            take = len;
        memcpy(c->head + c->total, data, take);
        c->total += take;
        data += take;
        len -= take;
    }
    while (len > 0) {
        size_t at = (size_t)((c->total - CLIP_HEAD) % CLIP_TAIL);
        size_t take = CLIP_TAIL - at < len ? CLIP_TAIL - at : len;
        memcpy(c->tail + at, data, take);
        c->total += take;
        data += take;
        len -= take;
    }
}

static int is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t clip_prefix(const char *data, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && is_continuation(data[max]))
        max--;
    return max;
}

/* Where the head ends when something is left out after it. */
static size_t head_end(const char *head, size_t len)
{
    for (size_t n = len; n > len / 2; n--)
        if (head[n - 1] == '\n')
            return n;
    return clip_prefix(head, len, len - 1);
}

/* Where the tail begins when something is left out before it. */
static size_t tail_start(const char *tail, size_t len)
{
    for (size_t n = 0; n < len / 2; n++)
        if (tail[n] == '\n')
            return n + 1;
    size_t n = 0;
    while (n < len && is_continuation(tail[n]))
        n++;
    return n;
}

/* Copies the ring, oldest byte first. */
static size_t unroll(const struct clip *c, char *to)
{
    if (c->total <= CLIP_HEAD)
        return 0;
    uint64_t ringed = c->total - CLIP_HEAD;
    if (ringed <= CLIP_TAIL) {
        memcpy(to, c->tail, (size_t)ringed);
        return (size_t)ringed;
    }
    size_t at = (size_t)(ringed % CLIP_TAIL);
    memcpy(to, c->tail + at, CLIP_TAIL - at);
    memcpy(to + CLIP_TAIL - at, c->tail, at);
    return CLIP_TAIL;
}

void clip_close(struct clip *c)
{
    size_t head = c->total < CLIP_HEAD ? (size_t)c->total : CLIP_HEAD;
    memcpy(c->text, c->head, head);
    if (c->total <= CLIP_HEAD + CLIP_TAIL) {
        c->len = head + unroll(c, c->text + head);
        return;
    }
    head = head_end(c->text, head);
    char *to = c->text + sizeof(c->text) - CLIP_TAIL;
    size_t tail = unroll(c, to);
    size_t skip = tail_start(to, tail);
    tail -= skip;
    int n = snprintf(c->text + head, 128, "%s  ... %llu bytes were left out here ...\n",
                     head > 0 && c->text[head - 1] == '\n' ? "" : "\n",
                     (unsigned long long)(c->total - head - tail));
    memmove(c->text + head + n, to + skip, tail);
    c->len = head + (size_t)n + tail;
}

const char *clip_utf8(PyObject *text, Py_ssize_t *ret_len, PyObject **keep)
{
    const char *data = PyUnicode_AsUTF8AndSize(text, ret_len);
    if (data) {
        Py_INCREF(text);
        *keep = text;
        return data;
    }
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return NULL;
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (!bytes)
        return NULL;
    *ret_len = PyBytes_Size(bytes);
    *keep = bytes;
    return PyBytes_AsString(bytes);
}
