/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells: a stranger's text, a character at a time, as a terminal shows it. A person who
 * decides by what is on the screen must see what is there: what is invisible, turns the
 * direction of writing, or would be obeyed is spelled out (<U+202E>, \x1b).
 */
#ifndef CORDON_APP_CELLS_H
#define CORDON_APP_CELLS_H

#include <stddef.h>

#include "base/io.h"

/* One character: its text and how many columns it takes (0: it joins the one before). */
struct cell {
    char text[12];
    size_t len;
    size_t width;
};

/*
 * Reads one character of text[0..len), len > 0, that stands in that column, and returns how
 * many bytes it had. A tab becomes spaces up to the next multiple of 8.
 */
size_t cell_next(struct cell *ret, const char *text, size_t len, size_t column);

/* Appends all of it, on one line. 0 or -ENOMEM. */
int cells_add(struct buf *to, const char *text, size_t len);

#endif
