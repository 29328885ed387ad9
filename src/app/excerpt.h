/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excerpt: a line of source text and, below it, carets under a part of it. What is shown is
 * safe (cells.h), and a long line is cut so that the part is seen.
 */
#ifndef CORDON_APP_EXCERPT_H
#define CORDON_APP_EXCERPT_H

#include <stddef.h>

#include "base/io.h"

/* How and from what excerpts are made. */
struct excerpt {
    const char *code;
    size_t code_len;
    size_t columns; /* what the screen has; at least 40 */
    int colours;
};

/*
 * Which part: from the column to the one just behind it, counted from 1 in characters.
 * end 0: to the end of the line. column 0: all of it but the blanks around it.
 */
struct excerpt_part {
    unsigned line;
    unsigned column;
    unsigned end;
};

/* Appends two lines, or nothing where the line is blank or not there. 0 or -ENOMEM. */
int excerpt_add(struct buf *to, const struct excerpt *from, const struct excerpt_part *part);

#endif
