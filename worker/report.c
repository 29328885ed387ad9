/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: the frames that a sandbox sends. FRAME_END is put together here without Python
 * and without memory of its own, so that it can be sent when both have failed. Every
 * member has a budget of encoded bytes, and their sum is below FRAME_END_MAX.
 */
#include "worker.h"

#include <stdio.h>
#include <string.h>

/* Encoded: an escape takes up to 6 bytes. */
#define TYPE_BUDGET 2048u
#define MESSAGE_BUDGET (64u * 1024)
#define TRACEBACK_BUDGET (320u * 1024)
#define NOTE_BUDGET (8u * 1024)
#define NOTES_BUDGET (96u * 1024)
#define VIOLATION_BUDGET 384u

_Static_assert(TYPE_BUDGET + MESSAGE_BUDGET + TRACEBACK_BUDGET + NOTES_BUDGET +
                       VIOLATIONS_MAX * VIOLATION_BUDGET + 4096 <
                   FRAME_END_MAX,
               "FRAME_END must fit whatever is in it");

static struct {
    struct frame_head head;
    char data[FRAME_END_MAX];
} end_frame;
static size_t end_len;

static void put(const char *data, size_t len)
{
    memcpy(end_frame.data + end_len, data, len);
    end_len += len;
}

static size_t escape(unsigned char c, char to[8])
{
    static const char shorts[] = "\"\"\\\\\nn\rr\tt";
    for (size_t i = 0; shorts[i]; i += 2)
        if (c == (unsigned char)shorts[i]) {
            to[0] = '\\';
            to[1] = shorts[i + 1];
            return 2;
        }
    if (c >= 0x20) {
        to[0] = (char)c;
        return 1;
    }
    return (size_t)snprintf(to, 8, "\\u%04x", c);
}

/* Text as a JSON string of at most `budget` bytes; what does not fit is cut off. */
static void put_string(const char *data, size_t len, size_t budget)
{
    char one[8];
    size_t start = end_len;
    put("\"", 1);
    for (size_t i = 0; i < len; i++) {
        size_t n = escape((unsigned char)data[i], one);
        if (end_len - start + n + 1 > budget) {
            while (((unsigned char)end_frame.data[end_len - 1] & 0xc0) == 0x80)
                end_len--; /* no half characters: the lead byte goes below */
            if ((unsigned char)end_frame.data[end_len - 1] >= 0xc0)
                end_len--;
            break;
        }
        put(one, n);
    }
    put("\"", 1);
}

static void put_member(const char *key, const char *data, size_t len, size_t budget)
{
    put(end_len > 1 ? ",\"" : "\"", end_len > 1 ? 2 : 1);
    put(key, strlen(key));
    put("\":", 2);
    put_string(data, len, budget);
}

static void put_failure(const struct failure *f)
{
    put_member("message", f->message, strlen(f->message), MESSAGE_BUDGET);
    if (f->type[0])
        put_member("type", f->type, strlen(f->type), TYPE_BUDGET);
    if (f->limit)
        put_member("limit", f->limit, strlen(f->limit), TYPE_BUDGET);
    if (f->traceback.len > 0)
        put_member("traceback", f->traceback.text, f->traceback.len, TRACEBACK_BUDGET);
    if (f->line > 0) {
        char line[48];
        int n = snprintf(line, sizeof(line), ",\"line\":%lu", f->line);
        put(line, (size_t)n);
    }
}

static void put_notes(PyObject *notes)
{
    put(",\"notes\":[", 10);
    size_t start = end_len;
    Py_ssize_t count = notes ? PyList_Size(notes) : 0;
    for (Py_ssize_t i = 0; i < count && end_len - start + NOTE_BUDGET < NOTES_BUDGET; i++) {
        AUTO_PY keep = NULL;
        Py_ssize_t len;
        const char *text = clip_utf8(PyList_GetItem(notes, i), &len, &keep);
        if (!text) {
            PyErr_Clear();
            continue;
        }
        if (end_len > start)
            put(",", 1);
        put_string(text, (size_t)len, NOTE_BUDGET);
    }
    put("]", 1);
}

static void put_violations(void)
{
    const struct violation *rows;
    size_t count = audit_violations(&rows);
    if (count == 0)
        return;
    put(",\"violations\":[", strlen(",\"violations\":["));
    for (size_t i = 0; i < count; i++) {
        char line[48];
        static const char start[] = "{\"wall\":\"interpreter\",\"what\":";
        if (i > 0)
            put(",", 1);
        put(start, sizeof(start) - 1);
        put_string(rows[i].what, strlen(rows[i].what), VIOLATION_BUDGET - 80);
        int n = snprintf(line, sizeof(line), rows[i].line ? ",\"line\":%lu}" : "}", rows[i].line);
        put(line, (size_t)n);
    }
    put("]", 1);
}

int frame_send(int fd, enum frame_type type, const void *data, size_t len)
{
    struct frame_head head = {.type = type, .size = len};
    int rc = io_write_all(fd, &head, sizeof(head));
    return rc < 0 ? rc : io_write_all(fd, data, len);
}

void report_make(const struct failure *failure, PyObject *notes)
{
    const char *outcome = failure ? failure->outcome : "ok";
    end_len = 0;
    put("{", 1);
    put_member("outcome", outcome, strlen(outcome), TYPE_BUDGET);
    if (failure)
        put_failure(failure);
    put_notes(notes);
    put_violations();
    put("}", 1);
    end_frame.head = (struct frame_head){.type = FRAME_END, .size = end_len};
}

void report_send(int fd)
{
    (void)io_write_all(fd, &end_frame, sizeof(end_frame.head) + end_len); /* nobody to tell */
}
