/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indent: lays JSON out for reading without parsing a value.
 *
 * Only the white space between tokens changes, so that 1.10, integers of any length and
 * \ud800 stay as they were written. It works a piece at a time: a hostile result, deeply
 * nested and long, grows many times over by its indentation and must never be held whole.
 */
#ifndef CORDON_APP_INDENT_H
#define CORDON_APP_INDENT_H

#include <stddef.h>

#include "base/io.h"

/* The text that is left, which must be valid JSON and stay where it is. */
struct indent {
    const char *next;
    const char *end;
    unsigned depth;
    int in_string;
    int escape_c1; /* write U+007F to U+009F, which a terminal may obey, as \u00xx */
};

/* Appends about `amount` bytes more, or what is left. 0 or -ENOMEM. */
int indent_some(struct indent *in, size_t amount, struct buf *to);

#endif
