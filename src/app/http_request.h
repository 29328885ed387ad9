/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request: the body of a request, taken apart. The caller may be anybody: every
 * member is known, of its type, bounded and there once, or the request is refused with the
 * name of what is wrong. `input_data` stays where it is: its range is handed to the library,
 * which checks it in a stream.
 */
#ifndef CORDON_APP_HTTP_REQUEST_H
#define CORDON_APP_HTTP_REQUEST_H

#include <jansson.h>
#include <stddef.h>

#include "app/http_error.h"
#include "app/library.h"
#include "cordon.h"

/* Room for the largest input and code that a profile can allow, the code's escapes included. */
#define HTTP_BODY_MAX (LIBRARY_INPUT_MAX + 2 * LIBRARY_CODE_MAX)
/* Every member but the code and the input. */
#define HTTP_SMALL_MAX ((size_t)4 << 20)
#define HTTP_FILES_MAX 10000

/* One of several texts to check. */
struct http_file {
    json_t *name; /* NULL: it has none */
    json_t *code;
};

/* What is not in `run` itself it points to: the body, and the rest of this. */
struct http_request {
    struct cordon_request run;
    json_t *code;
    json_t *profile;
    char **environ; /* NULL: not given */
    struct http_file *files;
    size_t file_count;
    int has_files;
};

/* Of POST /v1/execute and /v1/check. 0, or -1 with *ret_problem filled and *ret empty. */
int http_request_execute(const char *body, size_t len, struct http_request *ret,
                         struct http_problem *ret_problem);
int http_request_check(const char *body, size_t len, struct http_request *ret,
                       struct http_problem *ret_problem);

void http_request_done(struct http_request *request);

#endif
