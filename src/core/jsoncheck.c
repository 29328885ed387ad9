/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsoncheck: see jsoncheck.h. yajl reads the text as a stream; what it lacks is added
 * here: a bound on depth, UTF-8 without surrogates (yajl lets them through), and
 * Python's NaN and Infinity, which are masked in a copy that yajl sees: an empty list
 * and null can stand nowhere but where a value can.
 */
#include "core/jsoncheck.h"

#include "base/io.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

struct check {
    unsigned depth;
    unsigned depth_max;
    int top_seen;
    const char *why;
};

static int open_level(struct check *c)
{
    c->top_seen = 1;
    if (++c->depth <= c->depth_max)
        return 1;
    c->why = "it is nested more than 1000 levels deep";
    return 0;
}

static int on_map(void *ctx)
{
    return open_level(ctx);
}

static int on_array(void *ctx)
{
    struct check *c = ctx;
    if (!c->top_seen) {
        c->why = "it is a list, not an object";
        return 0;
    }
    return open_level(c);
}

static int on_close(void *ctx)
{
    struct check *c = ctx;
    c->depth--;
    return 1;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    (void)text;
    (void)len;
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_number = on_number, /* as text: no conversion, no range */
    /* None for strings: it would have each decoded into memory of its own. */
    .yajl_start_map = on_map,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

/* Replaces one bare word at `at` by null and blanks; returns its length, 0 if none. */
static size_t mask_word(char *piece, size_t at, size_t len)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i]);
        if (len - at < n || memcmp(piece + at, words[i], n) != 0)
            continue;
        memset(piece + at, ' ', n);
        memcpy(piece + at, n == 3 ? "[]" : "null", n == 3 ? 2 : 4);
        return n;
    }
    return 0;
}

static void mask_text(char *text, size_t len)
{
    int in_string = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == 'N' || c == 'I' || c == '-')) {
            size_t n = mask_word(text, i, len);
            i += n > 0 ? n - 1 : 0;
        }
    }
}

/* In one go: yajl reads a string that is cut into pieces anew with each of them. */
static int parse(yajl_handle h, struct check *c, const char *data, size_t len, size_t *ret_at)
{
    yajl_status status = yajl_parse(h, (const unsigned char *)data, len);
    *ret_at = yajl_get_bytes_consumed(h);
    const char *why = "it is not valid JSON";
    if (status == yajl_status_ok) {
        *ret_at = len;
        status = yajl_complete_parse(h);
        why = "it ends too early";
    }
    if (status == yajl_status_ok && c->top_seen)
        return 0;
    if (status == yajl_status_ok)
        why = "it is a single value, not an object";
    if (!c->why)
        c->why = why;
    return -1;
}

/*
 * Whether the text ends within a string. *ret_values: no less than the values in it, for each
 * but the first stands behind a bracket or a comma.
 */
static int walk(const char *text, size_t len, size_t *ret_values)
{
    int in_string = 0;
    *ret_values = 1;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string)
            *ret_values += c == '[' || c == '{' || c == ',';
    }
    return in_string;
}

/* Of what is unfinished at the end, however long, yajl would make a copy. */
static int is_unfinished(const char *text, size_t len)
{
    size_t values;
    return len == 0 || !strchr("}] \t\r\n", text[len - 1]) || walk(text, len, &values);
}

static int has_words(const char *data, size_t len)
{
    return memmem(data, len, "NaN", 3) || memmem(data, len, "Infinity", 8);
}

int json_check_object(const char *data, size_t len, int flags, char *why, size_t why_size)
{
    size_t good = utf8_valid_prefix(data, len);
    if (good < len) {
        (void)snprintf(why, why_size, "it is not valid UTF-8 at byte %zu", good);
        return -1;
    }
    if (is_unfinished(data, len)) {
        (void)snprintf(why, why_size, "it ends too early, or is not an object (at byte %zu)", len);
        return -1;
    }
    /* One more where NaN is seen as an empty list, so that the deepest value may be one. */
    struct check c = {.depth_max = JSON_DEPTH_MAX + (flags & JSON_NONFINITE ? 1 : 0)};
    yajl_handle h = yajl_alloc(&callbacks, NULL, &c);
    if (!h) {
        (void)snprintf(why, why_size, "there is no memory to check it");
        return -1;
    }
    (void)yajl_config(h, yajl_dont_validate_strings, 1); /* done above, and better */
    size_t at = 0;
    AUTO_FREE char *masked = NULL;
    if ((flags & JSON_NONFINITE) && has_words(data, len)) {
        masked = malloc(len);
        if (!masked) {
            yajl_free(h);
            (void)snprintf(why, why_size, "there is no memory to check it");
            return -1;
        }
        memcpy(masked, data, len);
        mask_text(masked, len);
    }
    int rc = parse(h, &c, masked ? masked : data, len, &at);
    yajl_free(h);
    if (rc < 0)
        (void)snprintf(why, why_size, "%s (at byte %zu)", c.why, at);
    return rc;
}

json_t *json_take(struct buf *text, size_t most)
{
    size_t values;
    (void)walk(text->data ? text->data : "", text->len, &values);
    json_t *taken = values <= most && text->data
                        ? json_loadb(text->data, text->len, JSON_ALLOW_NUL, NULL)
                        : NULL;
    buf_done(text);
    return taken;
}
