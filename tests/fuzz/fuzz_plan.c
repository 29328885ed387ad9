/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_each() over any bytes: it says -EPROTO or hands out whole rows whose strings lie,
 * ended, inside the bytes; and what plan_add() wrote comes back as it was.
 */
#include "jail/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken: %s\n", #condition);                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct seen {
    const char *bytes;
    size_t len;
    size_t rows;
    struct buf copy;
    int copied; /* every row so far could be written again */
};

static void check_string(const struct seen *s, const char *text)
{
    if (!text)
        return;
    if (text >= s->bytes && text < s->bytes + s->len)
        MUST(memchr(text, '\0', (size_t)(s->bytes + s->len - text)));
    else
        MUST(*text == '\0'); /* an absent string may be a constant of plan.c */
}

static int look(void *ctx, enum plan_op op, const char *a, const char *b)
{
    struct seen *s = ctx;
    MUST(a);
    check_string(s, a);
    check_string(s, b);
    s->rows++;
    int rc = plan_add(&s->copy, op, a, b);
    MUST(rc != -EINVAL); /* what can be read can be written: op and strings go together */
    if (rc < 0)
        s->copied = 0;
    return 0;
}

static int count_down(void *ctx, enum plan_op op, const char *a, const char *b)
{
    (void)op;
    (void)a;
    (void)b;
    size_t *left = ctx;
    return (*left)-- == 1 ? -ECANCELED : 0;
}

static int count(void *ctx, enum plan_op op, const char *a, const char *b)
{
    (void)op;
    (void)a;
    (void)b;
    ++*(size_t *)ctx;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size ? size : 1); /* of its own: a read past the end is seen */
    MUST(bytes);
    if (size > 0)
        memcpy(bytes, data, size);
    struct seen s = {.bytes = bytes, .len = size, .copied = 1};
    int rc = plan_each(bytes, size, look, &s);
    MUST(rc == 0 || rc == -EPROTO);
    if (rc == 0 && s.copied) {
        size_t again = 0;
        MUST(plan_each(s.copy.data ? s.copy.data : "", s.copy.len, count, &again) == 0);
        MUST(again == s.rows);
    }
    if (s.rows > 0) { /* a row's own refusal is what comes back, at once */
        size_t left = 1 + size % s.rows;
        MUST(plan_each(bytes, size, count_down, &left) == -ECANCELED);
        MUST(left == 0);
    }
    buf_done(&s.copy);
    free(bytes);
    return 0;
}
