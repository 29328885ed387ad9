/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term: a filter that looks at one byte at a time and holds at most one sequence.
 *
 * Two things can be unfinished: ESC [ 3 1 of a colour, and the first byte (0xc2) of a
 * two-byte UTF-8 character that may turn out to be a C1 control: U+009B alone starts a
 * sequence on many terminals. Bytes that are no UTF-8 pass: a UTF-8 terminal shows them
 * as damage and obeys none of them.
 */
#include "app/term.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define ESC '\x1b'
#define C1_LEAD '\xc2'

static int plain(struct buf *to, const char *data, size_t len)
{
    return len ? buf_add(to, data, len, SIZE_MAX) : 0;
}

static int is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* One byte that is no part of a sequence. */
static int show(const struct term_filter *f, unsigned char c, struct buf *to)
{
    char text[8];
    if (!is_control(c) || (c && strchr(f->keep, c)))
        return plain(to, (const char *)&c, 1);
    int n = snprintf(text, sizeof(text), "\\x%02x", c);
    return plain(to, text, (size_t)n);
}

int term_end(struct term_filter *f, struct buf *to)
{
    size_t n = f->nheld;
    f->nheld = 0;
    for (size_t i = 0; i < n; i++) {
        int r = show(f, (unsigned char)f->held[i], to);
        if (r < 0)
            return r;
    }
    return 0;
}

/* A byte after 0xc2: a C1 control, or an ordinary character. */
static int after_lead(struct term_filter *f, unsigned char c, struct buf *to)
{
    char text[8];
    f->nheld = 0;
    if (c >= 0x80 && c <= 0x9f) {
        int n = snprintf(text, sizeof(text), "\\x%02x", c);
        return plain(to, text, (size_t)n);
    }
    int r = plain(to, &(char){C1_LEAD}, 1);
    return r < 0 ? r : term_add(f, (const char *)&c, 1, to);
}

/* A byte after ESC: goes on with a colour, ends it, or proves that it is none. */
static int after_escape(struct term_filter *f, unsigned char c, struct buf *to)
{
    int goes_on = f->nheld == 1 ? c == '[' : (c >= '0' && c <= '9') || c == ';' || c == ':';
    if (goes_on && f->nheld < sizeof(f->held)) {
        f->held[f->nheld++] = (char)c;
        return 0;
    }
    if (c == 'm' && f->nheld > 1) {
        int r = plain(to, f->held, f->nheld);
        f->nheld = 0;
        f->coloured = 1;
        return r < 0 ? r : plain(to, "m", 1);
    }
    int r = term_end(f, to);
    return r < 0 ? r : term_add(f, (const char *)&c, 1, to);
}

/* How many bytes from here on need no look: neither control nor 0xc2. */
static size_t harmless(const char *data, size_t len)
{
    size_t n = 0;
    while (n < len && !is_control((unsigned char)data[n]) && data[n] != C1_LEAD)
        n++;
    return n;
}

static int one(struct term_filter *f, char c, struct buf *to)
{
    if (f->nheld)
        return f->held[0] == ESC ? after_escape(f, (unsigned char)c, to)
                                 : after_lead(f, (unsigned char)c, to);
    if (c == C1_LEAD || (c == ESC && f->colours)) {
        f->held[f->nheld++] = c;
        return 0;
    }
    return show(f, (unsigned char)c, to);
}

int term_add(struct term_filter *f, const char *data, size_t len, struct buf *to)
{
    for (size_t i = 0; i < len;) {
        size_t n = f->nheld ? 0 : harmless(data + i, len - i);
        int r = n ? plain(to, data + i, n) : one(f, data[i], to);
        if (r < 0)
            return r;
        i += n ? n : 1;
    }
    return 0;
}

/* ---- the terminal itself -------------------------------------------------------- */

int term_colours(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

size_t term_columns(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return 120;
    return size.ws_col < 40 ? 40 : size.ws_col > 160 ? 160 : size.ws_col;
}
