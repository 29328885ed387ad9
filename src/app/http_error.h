/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_error: why a request was refused: {"error": ..., "field": ..., "message": ...}.
 * What code does is no error here: it is in the envelope, with 200.
 */
#ifndef CORDON_APP_HTTP_ERROR_H
#define CORDON_APP_HTTP_ERROR_H

#include <stddef.h>

#include "cordon.h"

/* X(name, HTTP status, word in the answer). */
#define HTTP_ERRORS(X)                                                                             \
    X(HTTP_BAD_JSON, 400, "bad_json")                                                              \
    X(HTTP_BAD_TYPE, 400, "bad_type")                                                              \
    X(HTTP_BAD_VALUE, 400, "bad_value")                                                            \
    X(HTTP_UNKNOWN_FIELD, 400, "unknown_field")                                                    \
    X(HTTP_DUPLICATE_FIELD, 400, "duplicate_field")                                                \
    X(HTTP_MISSING_FIELD, 400, "missing_field")                                                    \
    X(HTTP_BAD_HEADER, 400, "bad_header")                                                          \
    X(HTTP_FORBIDDEN, 403, "forbidden")                                                            \
    X(HTTP_NOT_FOUND, 404, "not_found")                                                            \
    X(HTTP_BAD_METHOD, 405, "method_not_allowed")                                                  \
    X(HTTP_TOO_LARGE, 413, "too_large")                                                            \
    X(HTTP_BAD_ENCODING, 415, "unsupported_encoding")                                              \
    X(HTTP_BAD_MEDIA_TYPE, 415, "unsupported_media_type")                                          \
    X(HTTP_BAD_EXPECTATION, 417, "expectation_failed")                                             \
    X(HTTP_INTERNAL, 500, "internal")                                                              \
    X(HTTP_NOT_IMPLEMENTED, 501, "not_implemented")                                                \
    X(HTTP_DRAINING, 503, "draining")

enum http_error {
#define CORDON_X(name, status, word) name,
    HTTP_ERRORS(CORDON_X)
#undef CORDON_X
};

struct http_problem {
    enum http_error error;
    int has_field;
    char field[96]; /* "" is the member without a name */
    char message[560];
};

/* Fills *ret and returns -1. field: NULL where it is about none; need not be UTF-8. */
int http_problem_set(struct http_problem *ret, enum http_error error, const char *field,
                     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* What the library refused. Returns -1. */
int http_problem_from(struct http_problem *ret, const struct cordon_err *err);

unsigned http_problem_status(const struct http_problem *problem);

/* The answer's text, which the caller frees; NULL when there is no memory. */
char *http_problem_text(const struct http_problem *problem);

#endif
