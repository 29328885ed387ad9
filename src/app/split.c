/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split: see split.h. Nothing here recurses: how deep a member is nested costs nothing.
 */
#include "app/split.h"

#include <string.h>

static int fail(struct split *s, const char *why)
{
    s->why = why;
    return -1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next character that is no blank, 0 at the end. */
static char peek(struct split *s)
{
    while (s->at < s->len && is_blank(s->text[s->at]))
        s->at++;
    return s->at < s->len ? s->text[s->at] : '\0';
}

/* Moves past a string that begins here. */
static int skip_string(struct split *s)
{
    size_t from = s->at + 1;
    for (;;) {
        const char *quote = memchr(s->text + from, '"', s->len - from);
        if (!quote) {
            s->at = s->len;
            return fail(s, "a string does not end");
        }
        size_t at = (size_t)(quote - s->text), back = at;
        while (back > from && s->text[back - 1] == '\\')
            back--;
        if ((at - back) % 2 == 0) {
            s->at = at + 1;
            return 0;
        }
        from = at + 1; /* it is escaped: what is behind it begins anew */
    }
}

/* Moves past an object or list that begins here. */
static int skip_nested(struct split *s)
{
    size_t depth = 0;
    while (s->at < s->len) {
        switch (s->text[s->at]) {
        case '"':
            if (skip_string(s) < 0)
                return -1;
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (--depth == 0) {
                s->at++;
                return 0;
            }
            break;
        default:
            break;
        }
        s->at++;
    }
    return fail(s, "an object or list does not end");
}

static int ends_scalar(char c)
{
    return is_blank(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' ||
           c == '[';
}

static int skip_scalar(struct split *s)
{
    size_t from = s->at;
    while (s->at < s->len && !ends_scalar(s->text[s->at]))
        s->at++;
    return s->at > from ? 0 : fail(s, "a value is wanted here");
}

static int take_value(struct split *s, struct slice *ret)
{
    char c = peek(s);
    size_t from = s->at;
    int rc = c == '"' ? skip_string(s) : c == '{' || c == '[' ? skip_nested(s) : skip_scalar(s);
    if (rc == 0)
        *ret = (struct slice){s->text + from, s->at - from};
    return rc;
}

static int take_key(struct split *s, struct slice *ret)
{
    if (peek(s) != '"')
        return fail(s, "a name in quotes is wanted here");
    size_t from = s->at;
    if (skip_string(s) < 0)
        return -1;
    *ret = (struct slice){s->text + from, s->at - from};
    if (peek(s) != ':')
        return fail(s, "a colon is wanted here");
    s->at++;
    return 0;
}

int split_open(struct split *s, const char *text, size_t len, char open)
{
    *s = (struct split){.text = text, .len = len, .end = open == '{' ? '}' : ']'};
    if (peek(s) != open)
        return fail(s, open == '{' ? "an object is wanted here" : "a list is wanted here");
    s->at++;
    return 0;
}

static int take_end(struct split *s)
{
    s->at++;
    (void)peek(s);
    return s->at == s->len ? 0 : fail(s, "there is more behind its end");
}

int split_next(struct split *s, struct slice *ret_key, struct slice *ret_value)
{
    char c = peek(s);
    if (c == s->end)
        return take_end(s);
    if (s->begun) {
        if (c != ',')
            return fail(s, s->at == s->len ? "it ends too early" : "a comma is wanted here");
        s->at++;
    }
    s->begun = 1;
    if (s->end == '}' && take_key(s, ret_key) < 0)
        return -1;
    return take_value(s, ret_value) < 0 ? -1 : 1;
}
