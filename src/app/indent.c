/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indent: one pass over the bytes, and the depth is all it remembers.
 */
#include "app/indent.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Deeper lines keep this indentation: nobody reads further to the right. */
#define DEEPEST 20

static int add(struct buf *to, const char *data, size_t len)
{
    return len ? buf_add(to, data, len, SIZE_MAX) : 0;
}

static int new_line(const struct indent *in, struct buf *to)
{
    static const char blanks[] = "\n                                        ";
    _Static_assert(sizeof(blanks) == 2 + 2 * DEEPEST, "two blanks for each level");
    unsigned depth = in->depth < DEEPEST ? in->depth : DEEPEST;
    return add(to, blanks, 1 + 2 * (size_t)depth);
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n", *p) && *p)
        p++;
    return p;
}

/* U+007F is one byte, U+0080 to U+009F are 0xc2 and one more. */
static size_t unsafe(const char *p, const char *end)
{
    if (*p == 0x7f)
        return 1;
    return *p == '\xc2' && end - p > 1 && (unsigned char)p[1] <= 0x9f ? 2 : 0;
}

/* One byte, escape or unsafe character inside a string. */
static int in_string(struct indent *in, struct buf *to)
{
    const char *from = in->next;
    size_t n = in->escape_c1 ? unsafe(from, in->end) : 0;
    if (n) {
        char text[8];
        snprintf(text, sizeof(text), "\\u%04x", (unsigned char)from[n - 1]);
        in->next += n;
        return add(to, text, 6);
    }
    while (in->next < in->end && in->in_string) {
        if (in->next > from && in->escape_c1 && unsafe(in->next, in->end))
            break;
        if (*in->next == '\\' && in->end - in->next > 1)
            in->next++;
        else if (*in->next == '"')
            in->in_string = 0;
        in->next++;
    }
    return add(to, from, (size_t)(in->next - from));
}

static int opens(struct indent *in, char c, struct buf *to)
{
    const char *after = skip_space(in->next, in->end);
    int r = add(to, &c, 1);
    if (r < 0)
        return r;
    if (after < in->end && (*after == '}' || *after == ']')) {
        in->next = after + 1;
        return add(to, after, 1);
    }
    in->depth++;
    return new_line(in, to);
}

static int closes(struct indent *in, char c, struct buf *to)
{
    if (in->depth)
        in->depth--;
    int r = new_line(in, to);
    return r < 0 ? r : add(to, &c, 1);
}

static int token(struct indent *in, struct buf *to)
{
    int r;
    char c = *in->next++;
    switch (c) {
    case '{':
    case '[':
        return opens(in, c, to);
    case '}':
    case ']':
        return closes(in, c, to);
    case ',':
        r = add(to, ",", 1);
        return r < 0 ? r : new_line(in, to);
    case ':':
        return add(to, ": ", 2);
    case '"':
        in->in_string = 1;
        return add(to, "\"", 1);
    default:
        return add(to, &c, 1);
    }
}

int indent_some(struct indent *in, size_t amount, struct buf *to)
{
    size_t enough = to->len + amount;
    while (in->next < in->end && to->len < enough) {
        if (!in->in_string)
            in->next = skip_space(in->next, in->end);
        if (in->next == in->end)
            break;
        int r = in->in_string ? in_string(in, to) : token(in, to);
        if (r < 0)
            return r;
    }
    return 0;
}
