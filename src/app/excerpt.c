/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excerpt: see excerpt.h. Two passes over the line: one finds the columns of the part, the
 * other shows what lies in the window around it.
 */
#include "app/excerpt.h"

#include <stdint.h>
#include <string.h>

#include "app/cells.h"
#include "app/term.h"

#define INDENT "    "
#define DOTS "..."
#define NDOTS 3u

/* Accents on one character: more of them only pile up over the lines around it. */
#define JOINED_MOST 4

struct line {
    const char *text;
    size_t len;
};

/* Columns of the whole line, counted from 0. */
struct layout {
    size_t begin; /* the first that is no blank */
    size_t end;   /* behind the last that is no blank */
    size_t start; /* of the part */
    size_t stop;
};

/* What is shown: columns [from, to), and whether the line goes on before and after. */
struct window {
    size_t from;
    size_t to;
    int cut_left;
    int cut_right;
};

/* ---- where it is ---------------------------------------------------------------- */

static size_t line_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] != '\n' && p[n] != '\r')
        n++;
    return n;
}

/* The n-th line as Python counts them: \n, \r\n and \r end one. */
static struct line find_line(const struct excerpt *from, unsigned number)
{
    const char *p = from->code, *end = from->code + from->code_len;
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (unsigned i = 1; i < number && p < end; i++) {
        p += line_length(p, end);
        if (p < end)
            p += end - p > 1 && p[0] == '\r' && p[1] == '\n' ? 2 : 1;
    }
    return (struct line){p, line_length(p, end)};
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static struct layout measure(struct line line, const struct excerpt_part *part)
{
    struct layout l = {.begin = SIZE_MAX, .start = SIZE_MAX, .stop = SIZE_MAX};
    struct cell cell;
    size_t column = 0;
    unsigned number = 1;
    for (size_t i = 0; i < line.len; number++) {
        int blank = is_blank(line.text[i]);
        if (number == part->column)
            l.start = column;
        if (number == part->end)
            l.stop = column;
        if (!blank && l.begin == SIZE_MAX)
            l.begin = column;
        i += cell_next(&cell, line.text + i, line.len - i, column);
        column += cell.width;
        if (!blank)
            l.end = column;
    }
    if (l.start == SIZE_MAX)
        l.start = part->column ? column : l.begin;
    if (l.stop == SIZE_MAX)
        l.stop = l.end;
    return l;
}

/* At least one caret, and all that has one inside what may be shown. */
static void tidy(struct layout *l)
{
    if (l->stop <= l->start)
        l->stop = l->start + 1;
    if (l->start < l->begin)
        l->begin = l->start;
    if (l->stop > l->end)
        l->end = l->stop;
}

static struct window choose_window(const struct layout *l, size_t width)
{
    struct window w = {.from = l->begin, .to = l->end};
    size_t part = l->stop - l->start;
    if (l->end - l->begin <= width)
        return w;
    if (l->stop > l->begin + width - NDOTS) {
        size_t before = part < width / 2 ? (width - part) / 2 : width / 4;
        w.from = l->start > l->begin + before ? l->start - before : l->begin;
    }
    if (w.from + width > l->end)
        w.from = l->end - width;
    w.to = w.from + width;
    w.cut_left = w.from > l->begin;
    w.cut_right = w.to < l->end;
    w.from += w.cut_left ? NDOTS : 0;
    w.to -= w.cut_right ? NDOTS : 0;
    return w;
}

/* ---- showing it ------------------------------------------------------------------ */

static int add(struct buf *to, const char *text)
{
    return buf_add(to, text, strlen(text), SIZE_MAX);
}

static int repeat(struct buf *to, const char *text, size_t n)
{
    int r = 0;
    while (n-- > 0 && r == 0)
        r = add(to, text);
    return r;
}

/* A cell, or as many blanks as the window's edge leaves of it. */
static int add_cell(struct buf *to, const struct cell *cell, size_t column, const struct window *w)
{
    size_t end = column + cell->width;
    if (column >= w->from && end <= w->to)
        return buf_add(to, cell->text, cell->len, SIZE_MAX);
    size_t from = column > w->from ? column : w->from;
    size_t stop = end < w->to ? end : w->to;
    return stop > from ? repeat(to, " ", stop - from) : 0;
}

static int add_line(struct buf *to, struct line line, const struct window *w)
{
    struct cell cell;
    size_t column = 0, joined = 0;
    int r = add(to, w->cut_left ? INDENT DOTS : INDENT);
    for (size_t i = 0; i < line.len && column < w->to && r == 0; column += cell.width) {
        i += cell_next(&cell, line.text + i, line.len - i, column);
        joined = cell.width ? 0 : joined + 1;
        if (joined <= JOINED_MOST)
            r = add_cell(to, &cell, column, w);
    }
    return r < 0 ? r : add(to, w->cut_right ? DOTS "\n" : "\n");
}

static int add_carets(struct buf *to, const struct layout *l, const struct window *w, int colours)
{
    size_t stop = l->stop < w->to ? l->stop : w->to;
    int r = add(to, w->cut_left ? INDENT "   " : INDENT);
    if (r == 0)
        r = repeat(to, " ", l->start - w->from);
    if (r == 0 && colours)
        r = add(to, TERM_RED);
    if (r == 0)
        r = repeat(to, "^", stop - l->start);
    if (r == 0 && colours)
        r = add(to, TERM_RESET);
    return r < 0 ? r : add(to, "\n");
}

int excerpt_add(struct buf *to, const struct excerpt *from, const struct excerpt_part *part)
{
    struct line line = find_line(from, part->line);
    struct layout l = measure(line, part);
    if (l.begin == SIZE_MAX)
        return 0;
    tidy(&l);
    struct window w = choose_window(&l, from->columns - strlen(INDENT));
    int r = add_line(to, line, &w);
    return r < 0 ? r : add_carets(to, &l, &w, from->colours);
}
