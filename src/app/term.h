/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term: makes a stranger's bytes safe to show.
 *
 * Escape sequences can retitle a window, fill the clipboard, or draw a false question.
 * What passes here holds no control character but those a caller names, and no sequence
 * but, where allowed, plain colours; everything else is shown as what it is (\x1b).
 */
#ifndef CORDON_APP_TERM_H
#define CORDON_APP_TERM_H

#include <stddef.h>

#include "base/io.h"

#define TERM_RED "\x1b[31m"
#define TERM_BOLD "\x1b[1m"
#define TERM_RESET "\x1b[0m"

/* Whether messages to fd may have colours: a terminal that has some, and no NO_COLOR. */
int term_colours(int fd);

/* How many columns a line on fd should keep to; 120 where it is no terminal. */
size_t term_columns(int fd);

/*
 * A filter over a stream. Zero it, then set what passes: `keep` lists the control
 * characters ("\n\t"), `colours` lets sequences of the form ESC [ digits m through.
 */
struct term_filter {
    const char *keep;
    int colours;
    int coloured; /* a colour is on: the owner resets it at the end */
    size_t nheld; /* bytes of a sequence that is not whole yet */
    char held[24];
};

/* Appends the safe form of data to `to`. 0 or -ENOMEM. */
int term_add(struct term_filter *f, const char *data, size_t len, struct buf *to);

/* Appends what is still held. 0 or -ENOMEM. */
int term_end(struct term_filter *f, struct buf *to);

#endif
