/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_media: media types as headers write them (RFC 9110, 8.3 and 12.5.1). Pure: nothing
 * is allocated, what is found points into the text.
 */
#ifndef CORDON_APP_HTTP_MEDIA_H
#define CORDON_APP_HTTP_MEDIA_H

#include <stddef.h>

#include "app/split.h"

/* How many characters a token has here; 0: there is none. */
size_t http_token(const char *text);

/* The next element of a list with commas: 1, or 0 when there is none. *text moves on. */
int http_next_element(const char **text, struct slice *ret);

/* Whether it is this word, whatever its case. */
int http_is_word(struct slice text, const char *word);

struct http_media {
    struct slice type, subtype;
    struct slice charset; /* without its quotes; NULL: not said */
    int quality;          /* of `q`, in thousandths; 1000 where it is not said */
};

/* One media type or range with its parameters. 0, or -1 when it is none. */
int http_media_parse(struct slice text, struct http_media *ret);

/* What an Accept says of the two that an execution can be answered with. */
struct http_accept {
    struct {
        int rank;    /* of the most exact range that takes it; 0: none does */
        int quality; /* of that range */
    } json, events;
};

/* Takes one line of it; several lines are one list. What is no media range says nothing. */
void http_accept_add(struct http_accept *accept, const char *line);

/*
 * Whether events are wanted rather than one answer: they are taken by name (or as text), no
 * less gladly than JSON. Who takes anything gets JSON, and so does who takes neither.
 */
int http_accept_events(const struct http_accept *accept);

#endif
