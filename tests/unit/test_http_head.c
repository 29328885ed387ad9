/* SPDX-License-Identifier: Apache-2.0 */
#include "app/http_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINES 4

/* ---- Accept ---------------------------------------------------------------------------- */

static const struct {
    const char *lines[LINES];
    int events;
} accepts[] = {
    {{NULL}, 0},
    {{""}, 0},
    {{"*/*"}, 0},
    {{"application/json"}, 0},
    {{"text/event-stream"}, 1},
    {{"TEXT/Event-Stream"}, 1},
    {{" \ttext/event-stream\t "}, 1},
    {{"text/event-stream, */*"}, 1},
    {{"*/*", "text/event-stream"}, 1},
    {{"application/json, text/event-stream"}, 1},
    {{"application/json", "text/html", "text/event-stream"}, 1},
    {{"text/event-stream;q=0"}, 0},
    {{"text/event-stream;q=0.000, application/json"}, 0},
    {{"text/event-stream;q=0.5"}, 1},
    {{"text/event-stream ; q=1.000"}, 1},
    {{"text/event-stream;charset=utf-8;q=0.5"}, 1},
    {{"text/event-stream;charset=\"a,b;q=0\";q=1"}, 1},
    {{"text/event-stream;Q=0"}, 0},
    {{"text/event-stream;q=0.5, application/json"}, 0},
    {{"text/event-stream;q=0.5, application/json;q=0.5"}, 1},
    {{"text/event-stream;q=0.5, application/json;q=0.499"}, 1},
    {{"text/event-stream;q=0.5", "*/*;q=0.8"}, 0},
    {{"text/event-stream;q=0.001, */*;q=0"}, 1},
    {{"text/event-stream, application/json;q=0"}, 1},
    {{"text/*"}, 1},
    {{"text/*, text/event-stream;q=0"}, 0},
    {{"text/event-stream;q=0, text/*"}, 0},
    {{"text/*;q=0.1, application/*"}, 0},
    {{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 0},
    {{"text/event-streams"}, 0},
    {{"xtext/event-stream"}, 0},
    {{"text/html;x=\"text/event-stream\""}, 0},
    {{"text/html;x=\", text/event-stream"}, 0},
    {{"text/html;x=\"\\\", text/event-stream\""}, 0},
    {{"*/event-stream"}, 0},
    {{"text/event-stream;q=2"}, 0},
    {{"text/event-stream;q=1.001"}, 0},
    {{"text/event-stream;q=.5"}, 0},
    {{"text/event-stream;q=0.5000"}, 0},
    {{"text/event-stream;q=-1"}, 0},
    {{"text/event-stream;q=\"1\""}, 0},
    {{"text/event-stream;q"}, 0},
    {{"text/event-stream;q="}, 0},
    {{"text/event-stream text/html"}, 0},
    {{"text"}, 0},
    {{"text/"}, 0},
    {{"/event-stream"}, 0},
    {{",,;,/,text/event-stream;,"}, 1},
    {{"text/event-stream; ;q=0"}, 0},
    {{"\xff/\xff, text/event-stream"}, 1},
};

static void accept_says_what_is_wanted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accepts) / sizeof(accepts[0]); i++) {
        struct http_head head = {0};
        for (size_t n = 0; n < LINES && accepts[i].lines[n]; n++)
            http_head_take(&head, n ? "ACCEPT" : "Accept", accepts[i].lines[n]);
        if (http_accept_events(&head.accept) != accepts[i].events)
            fail_msg("row %zu: %s", i, accepts[i].lines[0]);
    }
}

/* ---- what is refused --------------------------------------------------------------------- */

#define NONE (-1)

static const struct {
    const char *lines[2 * LINES]; /* name, value, ... */
    int old;
    int error;   /* of any request */
    int content; /* of one whose body is read */
} heads[] = {
    {{NULL}, 0, NONE, NONE},
    {{"Host", "x", "X-Y", ""}, 0, NONE, NONE},
    {{"Content-Length", "5"}, 0, NONE, NONE},
    {{"Content-Length", "5", "content-length", "5"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "chunked"}, 0, NONE, NONE},
    {{"transfer-encoding", "Chunked"}, 0, NONE, NONE},
    {{"Transfer-Encoding", "chunked"}, 1, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "chunked", "Content-Length", "5"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Content-Length", "5", "Transfer-Encoding", "chunked"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "gzip, chunked"}, 0, HTTP_NOT_IMPLEMENTED, NONE},
    {{"Transfer-Encoding", "chunked;a=b"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "chunked, gzip"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "chunked, chunked"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "gzip"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "identity"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", ""}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "\x0b"
                           "chunked"},
     0,
     HTTP_BAD_HEADER,
     NONE},
    {{"Transfer-Encoding", "gzip", "Transfer-Encoding", "chunked"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Content-Length ", "5"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Transfer-Encoding\t", "chunked"}, 0, HTTP_BAD_HEADER, NONE},
    {{" Host", "x"}, 0, HTTP_BAD_HEADER, NONE},
    {{"", "x"}, 0, HTTP_BAD_HEADER, NONE},
    {{"Expect", "100-continue"}, 0, NONE, NONE},
    {{"Expect", "100-Continue"}, 0, NONE, NONE},
    {{"Expect", "100-continue", "Expect", "100-continue"}, 0, HTTP_BAD_EXPECTATION, NONE},
    {{"Expect", "100-continue, more"}, 0, HTTP_BAD_EXPECTATION, NONE},
    {{"Expect", ""}, 0, HTTP_BAD_EXPECTATION, NONE},
    {{"Content-Encoding", "identity"}, 0, NONE, NONE},
    {{"Content-Encoding", "Identity, identity"}, 0, NONE, NONE},
    {{"Content-Encoding", ""}, 0, NONE, NONE},
    {{"Content-Encoding", "gzip"}, 0, NONE, HTTP_BAD_ENCODING},
    {{"Content-Encoding", "gzip", "Content-Encoding", "identity"}, 0, NONE, HTTP_BAD_ENCODING},
    {{"Content-Encoding", "identity,br"}, 0, NONE, HTTP_BAD_ENCODING},
    {{"Content-Type", "application/json"}, 0, NONE, NONE},
    {{"Content-Type", "Application/JSON; Charset=UTF-8"}, 0, NONE, NONE},
    {{"Content-Type", "application/json;charset=\"utf-8\""}, 0, NONE, NONE},
    {{"Content-Type", "application/json; charset=us-ascii"}, 0, NONE, NONE},
    {{"Content-Type", "application/json; profile=\"http://x/\""}, 0, NONE, NONE},
    {{"Content-Type", "application/vnd.cordon+json"}, 0, NONE, NONE},
    {{"Content-Type", "text/plain; charset=utf-8"}, 0, NONE, NONE},
    {{"Content-Type", "application/x-www-form-urlencoded"}, 0, NONE, NONE},
    {{"Content-Type", "application/json; charset=latin-1"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "application/json; charset=\"\""}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "text/plain; charset=utf-16"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "application/+json"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "image/x+json"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "text/html"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "multipart/form-data; boundary=x"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "*/*"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "json"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", ""}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "application/json, text/html"}, 0, NONE, HTTP_BAD_MEDIA_TYPE},
    {{"Content-Type", "application/json", "Content-Type", "application/json"},
     0,
     NONE,
     HTTP_BAD_MEDIA_TYPE},
};

static void refuses_each_head(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct http_head head = {0};
        struct http_problem problem;
        const char *const *lines = heads[i].lines;
        for (size_t n = 0; n + 1 < 2 * LINES && lines[n]; n += 2)
            http_head_take(&head, lines[n], lines[n + 1]);
        int rc = http_head_check(&head, heads[i].old, &problem);
        if ((rc < 0 ? (int)problem.error : NONE) != heads[i].error)
            fail_msg("row %zu, any: %s", i, rc < 0 ? problem.message : "not refused");
        rc = http_head_check_content(&head, &problem);
        if ((rc < 0 ? (int)problem.error : NONE) != heads[i].content)
            fail_msg("row %zu, content: %s", i, rc < 0 ? problem.message : "not refused");
    }
}

/* A header without a colon's right side comes as NULL. */
static void a_value_may_be_missing(void **state)
{
    static const char *const names[] = {"Accept", "Expect", "Content-Type", "Transfer-Encoding",
                                        "Content-Encoding"};
    struct http_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct http_head head = {0};
        http_head_take(&head, names[i], NULL);
        (void)http_head_check(&head, 0, &problem);
        (void)http_head_check_content(&head, &problem);
        assert_false(http_accept_events(&head.accept));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_says_what_is_wanted),
        cmocka_unit_test(refuses_each_head),
        cmocka_unit_test(a_value_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
