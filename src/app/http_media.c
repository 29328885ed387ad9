/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_media: see http_media.h. Everything here ends at a NUL or at the slice's end at the
 * latest; the text is a stranger's.
 */
#include "app/http_media.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_token(char c)
{
    return c > ' ' && c < 127 && (isalnum((unsigned char)c) || strchr("!#$%&'*+-.^_`|~", c));
}

size_t http_token(const char *text)
{
    size_t n = 0;
    while (is_token(text[n]))
        n++;
    return n;
}

static struct slice trimmed(struct slice s)
{
    while (s.len > 0 && is_blank(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && is_blank(s.data[s.len - 1]))
        s.len--;
    return s;
}

int http_next_element(const char **text, struct slice *ret)
{
    const char *from = *text, *at = from;
    int quoted = 0;
    if (!from)
        return 0;
    for (; *at && (quoted || *at != ','); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && at[1])
            at++;
    }
    *ret = trimmed((struct slice){from, (size_t)(at - from)});
    *text = *at ? at + 1 : NULL;
    return 1;
}

int http_is_word(struct slice text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

/* ---- one media type ------------------------------------------------------------------ */

/* Takes what is at the beginning off *rest. */
static int take_char(struct slice *rest, char c)
{
    if (rest->len == 0 || rest->data[0] != c)
        return -1;
    rest->data++;
    rest->len--;
    return 0;
}

static int take_token(struct slice *rest, struct slice *ret)
{
    size_t n = 0;
    while (n < rest->len && is_token(rest->data[n]))
        n++;
    *ret = (struct slice){rest->data, n};
    rest->data += n;
    rest->len -= n;
    return n > 0 ? 0 : -1;
}

/* A quoted string; what is escaped in it stays so. */
static int take_quoted(struct slice *rest, struct slice *ret)
{
    size_t n = 1;
    while (n < rest->len && rest->data[n] != '"')
        n += rest->data[n] == '\\' ? 2 : 1;
    if (n >= rest->len)
        return -1;
    *ret = (struct slice){rest->data + 1, n - 1};
    rest->data += n + 1;
    rest->len -= n + 1;
    return 0;
}

/* "0.5" is 500. -1: it is no weight (RFC 9110, 12.4.2). */
static int parse_quality(struct slice text)
{
    int value = 0;
    if (text.len == 0 || text.len > 5 || (text.len > 1 && text.data[1] != '.'))
        return -1;
    for (size_t i = 0; i < 5; i++) {
        char c = i < text.len ? text.data[i] : '0';
        if (i == 1)
            continue;
        if (c < '0' || c > '9')
            return -1;
        value = 10 * value + (c - '0');
    }
    return value <= 1000 ? value : -1;
}

static int take_parameter(struct slice *rest, struct http_media *media)
{
    struct slice name, value;
    int quoted;
    if (take_token(rest, &name) < 0 || take_char(rest, '=') < 0)
        return -1;
    quoted = rest->len > 0 && rest->data[0] == '"';
    if ((quoted ? take_quoted(rest, &value) : take_token(rest, &value)) < 0)
        return -1;
    if (http_is_word(name, "charset"))
        media->charset = value;
    if (!http_is_word(name, "q"))
        return 0;
    media->quality = quoted ? -1 : parse_quality(value);
    return media->quality < 0 ? -1 : 0;
}

int http_media_parse(struct slice text, struct http_media *ret)
{
    struct slice rest = trimmed(text);
    *ret = (struct http_media){.quality = 1000};
    if (take_token(&rest, &ret->type) < 0 || take_char(&rest, '/') < 0 ||
        take_token(&rest, &ret->subtype) < 0)
        return -1;
    while ((rest = trimmed(rest)).len > 0) {
        if (take_char(&rest, ';') < 0)
            return -1;
        rest = trimmed(rest);
        if (rest.len > 0 && rest.data[0] != ';' && take_parameter(&rest, ret) < 0)
            return -1;
    }
    return 0;
}

/* ---- Accept ------------------------------------------------------------------------------ */

/* How exactly a range names a type: 3, 2 (all of its kind), 1 (anything), or 0: it does not. */
static int rank_of(const struct http_media *range, const char *type, const char *subtype)
{
    if (http_is_word(range->type, "*"))
        return http_is_word(range->subtype, "*") ? 1 : 0;
    if (!http_is_word(range->type, type))
        return 0;
    if (http_is_word(range->subtype, "*"))
        return 2;
    return http_is_word(range->subtype, subtype) ? 3 : 0;
}

void http_accept_add(struct http_accept *accept, const char *line)
{
    struct slice element;
    struct http_media range;
    while (http_next_element(&line, &element)) {
        if (http_media_parse(element, &range) < 0)
            continue;
        int json = rank_of(&range, "application", "json");
        int events = rank_of(&range, "text", "event-stream");
        if (json > accept->json.rank) {
            accept->json.rank = json;
            accept->json.quality = range.quality;
        }
        if (events > accept->events.rank) {
            accept->events.rank = events;
            accept->events.quality = range.quality;
        }
    }
}

int http_accept_events(const struct http_accept *accept)
{
    int json = accept->json.rank > 0 ? accept->json.quality : 0;
    return accept->events.rank > 1 && accept->events.quality > 0 && accept->events.quality >= json;
}
