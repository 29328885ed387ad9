/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head: what the headers of a request say, as far as anybody here cares: how its body
 * ends, what it is, and which answer is wanted.
 *
 * Where two readers could come to different ends of one body, it is refused: what one takes
 * for the rest of it the other takes for a request.
 */
#ifndef CORDON_APP_HTTP_HEAD_H
#define CORDON_APP_HTTP_HEAD_H

#include "app/http_error.h"
#include "app/http_media.h"

/* Filled line by line; what it points to are the lines. */
struct http_head {
    unsigned lengths; /* so many lines of Content-Length, ... */
    unsigned codings; /* Transfer-Encoding, */
    unsigned expectations;
    unsigned types;
    const char *coding; /* and the last of each */
    const char *expectation;
    const char *type;
    struct slice encoding; /* of the content, when it is not `identity` */
    const char *bad_name;  /* a line's that is no name */
    struct http_accept accept;
};

void http_head_take(struct http_head *head, const char *name, const char *value);

/* What any request may be refused for. old: HTTP/1.0. 0, or -1 with *ret_problem filled. */
int http_head_check(const struct http_head *head, int old, struct http_problem *ret_problem);
/* And one whose body is read. */
int http_head_check_content(const struct http_head *head, struct http_problem *ret_problem);

#endif
