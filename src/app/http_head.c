/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head: see http_head.h. Every line is looked at: one that libmicrohttpd does not read
 * because it knows no such name, or has found that name before, may be the one that others
 * go by.
 */
#include "app/http_head.h"

#include <string.h>
#include <strings.h>

#include "base/io.h"

static void take_length(struct http_head *head, const char *value)
{
    (void)value; /* libmicrohttpd's to read */
    head->lengths++;
}

static void take_coding(struct http_head *head, const char *value)
{
    head->codings++;
    head->coding = value;
}

static void take_expectation(struct http_head *head, const char *value)
{
    head->expectations++;
    head->expectation = value;
}

static void take_type(struct http_head *head, const char *value)
{
    head->types++;
    head->type = value;
}

static void take_encoding(struct http_head *head, const char *value)
{
    struct slice coding;
    while (http_next_element(&value, &coding))
        if (coding.len > 0 && !http_is_word(coding, "identity"))
            head->encoding = coding;
}

static void take_accept(struct http_head *head, const char *value)
{
    http_accept_add(&head->accept, value);
}

static const struct {
    const char *name;
    void (*take)(struct http_head *head, const char *value);
} rows[] = {
    {"Content-Length", take_length},     {"Transfer-Encoding", take_coding},
    {"Expect", take_expectation},        {"Content-Type", take_type},
    {"Content-Encoding", take_encoding}, {"Accept", take_accept},
};

void http_head_take(struct http_head *head, const char *name, const char *value)
{
    size_t len = http_token(name);
    if (len == 0 || name[len])
        head->bad_name = name;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcasecmp(rows[i].name, name) == 0)
            rows[i].take(head, value ? value : "");
}

/* ---- what is refused ---------------------------------------------------------------- */

/* Whether `chunked` is the last coding and no other: only then has the body an end. */
static int ends_chunked(const struct http_head *head)
{
    const char *rest = head->coding;
    struct slice coding;
    unsigned count = 0, last = 0;
    while (http_next_element(&rest, &coding)) {
        last = http_is_word(coding, "chunked");
        count += last;
    }
    return last && count == 1;
}

static int check_coding(const struct http_head *head, int old, struct http_problem *ret)
{
    if (head->lengths > 1 || head->codings > 1)
        return http_problem_set(ret, HTTP_BAD_HEADER, NULL, "%s is there more than once",
                                head->lengths > 1 ? "Content-Length" : "Transfer-Encoding");
    if (head->codings == 0)
        return 0;
    if (head->lengths > 0)
        return http_problem_set(ret, HTTP_BAD_HEADER, NULL,
                                "either Transfer-Encoding or Content-Length, not both");
    if (old)
        return http_problem_set(ret, HTTP_BAD_HEADER, NULL, "HTTP/1.0 has no Transfer-Encoding");
    if (strcasecmp(head->coding, "chunked") == 0) /* to the letter, as libmicrohttpd reads it */
        return 0;
    return http_problem_set(ret, ends_chunked(head) ? HTTP_NOT_IMPLEMENTED : HTTP_BAD_HEADER, NULL,
                            "Transfer-Encoding can be 'chunked' and nothing else, not '%.100s'",
                            head->coding);
}

int http_head_check(const struct http_head *head, int old, struct http_problem *ret)
{
    if (head->bad_name)
        return http_problem_set(ret, HTTP_BAD_HEADER, NULL, "'%.100s' is no name of a header",
                                head->bad_name);
    if (check_coding(head, old, ret) < 0)
        return -1;
    if (head->expectations == 0 ||
        (head->expectations == 1 && strcasecmp(head->expectation, "100-continue") == 0))
        return 0;
    return http_problem_set(ret, HTTP_BAD_EXPECTATION, NULL,
                            "Expect can be '100-continue' and nothing else, not '%.100s'",
                            head->expectation);
}

/* JSON, or what clients call any text that they are not told the type of. */
static int is_json(const struct http_media *media)
{
    static const struct {
        const char *type;
        const char *subtype;
    } types[] = {
        {"application", "json"},
        {"text", "json"},
        {"text", "plain"},                        /* fetch(), aiohttp */
        {"application", "x-www-form-urlencoded"}, /* curl, urllib */
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (http_is_word(media->type, types[i].type) &&
            http_is_word(media->subtype, types[i].subtype))
            return 1;
    return http_is_word(media->type, "application") && media->subtype.len > 5 &&
           strncasecmp(media->subtype.data + media->subtype.len - 5, "+json", 5) == 0;
}

/* ASCII is UTF-8, too. */
static int is_utf8(const struct http_media *media)
{
    return !media->charset.data || http_is_word(media->charset, "utf-8") ||
           http_is_word(media->charset, "utf8") || http_is_word(media->charset, "us-ascii");
}

int http_head_check_content(const struct http_head *head, struct http_problem *ret)
{
    struct http_media media;
    if (head->encoding.len > 0)
        return http_problem_set(ret, HTTP_BAD_ENCODING, NULL,
                                "the body has to come as it is, not as Content-Encoding '%.*s'",
                                head->encoding.len > 100 ? 100 : (int)head->encoding.len,
                                head->encoding.data);
    if (head->types == 0)
        return 0;
    if (head->types > 1 ||
        http_media_parse((struct slice){head->type, strlen(head->type)}, &media) < 0)
        return http_problem_set(ret, HTTP_BAD_MEDIA_TYPE, NULL,
                                "Content-Type is not one media type: '%.100s'", head->type);
    if (is_json(&media) && is_utf8(&media))
        return 0;
    return http_problem_set(ret, HTTP_BAD_MEDIA_TYPE, NULL,
                            "application/json in UTF-8 is wanted here, not '%.100s'", head->type);
}
