/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split: takes one JSON object or list apart, one level deep, without looking into its
 * members: each is a range of the text, to be parsed by whoever it is for. So a member of
 * many megabytes costs neither a tree nor a copy here.
 *
 * What is between the members is checked to the letter; what is in them is not: brackets
 * and quotes are only counted. When every member is then found to be JSON, all of it was.
 */
#ifndef CORDON_APP_SPLIT_H
#define CORDON_APP_SPLIT_H

#include <stddef.h>

struct slice {
    const char *data;
    size_t len;
};

struct split {
    const char *text;
    size_t len;
    size_t at; /* after a failure: where it is wrong */
    char end;
    int begun;
    const char *why; /* what is wrong there */
};

/* Begins with what `open` ('{' or '[') opens. 0, or -1 when text does not begin with it. */
int split_open(struct split *s, const char *text, size_t len, char open);

/*
 * The next member: 1; 0 when there are no more and nothing but blanks follows; -1.
 *
 * ret_key: of an object: the name, a string with its quotes. Not set for a list.
 */
int split_next(struct split *s, struct slice *ret_key, struct slice *ret_value);

#endif
