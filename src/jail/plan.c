/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: rows of a box plan as bytes.
 *
 * A row is: op (1 byte), the number of strings that follow (1 byte), and the strings,
 * each NUL-terminated. How many strings an op has is fixed by the table below, so bytes
 * that read well are rows that can be carried out.
 */
#include "jail/plan.h"

#include "base/wire.h"

#include <errno.h>
#include <string.h>

#define PLAN_MAX (WIRE_MSG_MAX - sizeof(struct wire_msg))

static const unsigned char plan_strings[] = {
    [PLAN_DIR] = 1,        [PLAN_BIND] = 2,     [PLAN_DEVICE] = 2,  [PLAN_SYMLINK] = 2,
    [PLAN_WORK] = 1,       [PLAN_PROGRAM] = 1,  [PLAN_ARG] = 1,     [PLAN_ENV] = 1,
    [PLAN_WALLS_DOWN] = 1, [PLAN_APPROVED] = 1, [PLAN_PROTECT] = 1, [PLAN_NETWORK] = 1,
    [PLAN_UMASK] = 1,      [PLAN_PROBE] = 1,
};

static unsigned strings_of(unsigned op)
{
    return op < ARRAY_LEN(plan_strings) ? plan_strings[op] : 0;
}

int plan_add(struct buf *plan, enum plan_op op, const char *a, const char *b)
{
    unsigned count = b ? 2 : 1;
    if (!a || strings_of(op) != count)
        return -EINVAL;

    size_t before = plan->len;
    unsigned char head[2] = {(unsigned char)op, (unsigned char)count};

    int r = buf_add(plan, head, sizeof(head), PLAN_MAX);
    if (r == 0)
        r = buf_add(plan, a, strlen(a) + 1, PLAN_MAX);
    if (r == 0 && b)
        r = buf_add(plan, b, strlen(b) + 1, PLAN_MAX);
    if (r < 0 && plan->data) { /* half a row would make the whole plan unreadable */
        plan->len = before;
        plan->data[before] = '\0';
    }
    return r;
}

/* The string at *pos, which is moved past it; NULL when it does not end within len. */
static const char *take_string(const char *bytes, size_t len, size_t *pos)
{
    if (*pos >= len)
        return NULL;

    const char *s = bytes + *pos;
    const char *nul = memchr(s, '\0', len - *pos);
    if (!nul)
        return NULL;

    *pos += (size_t)(nul - s) + 1;
    return s;
}

int plan_each(const char *bytes, size_t len,
              int (*row)(void *ctx, enum plan_op op, const char *a, const char *b), void *ctx)
{
    size_t pos = 0;

    while (pos < len) {
        if (len - pos < 2)
            return -EPROTO;

        unsigned op = (unsigned char)bytes[pos];
        unsigned count = (unsigned char)bytes[pos + 1];
        pos += 2;
        if (count == 0 || strings_of(op) != count)
            return -EPROTO;

        const char *a = take_string(bytes, len, &pos);
        const char *b = a && count == 2 ? take_string(bytes, len, &pos) : NULL;
        if (!a || (count == 2 && !b))
            return -EPROTO;

        int r = row(ctx, (enum plan_op)op, a, b);
        if (r < 0)
            return r;
    }
    return 0;
}
