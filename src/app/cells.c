/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells: see cells.h. Widths are the C library's, in a UTF-8 locale of our own: the
 * caller's may be none. What is spelled out looks like no Python escape, but for controls and
 * bytes that are no UTF-8: those are \xNN as everywhere.
 */
#include "app/cells.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

#define TAB 8

/* Characters that show nothing, or change how others are shown. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x00ad, 0x00ad},   /* soft hyphen */
    {0x034f, 0x034f},   /* grapheme joiner */
    {0x061c, 0x061c},   /* Arabic letter mark */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x17b4, 0x17b5},   /* Khmer inherent vowels */
    {0x180b, 0x180f},   /* Mongolian selectors and separator */
    {0x200b, 0x200f},   /* zero width, direction marks */
    {0x2028, 0x202e},   /* separators, embeddings, overrides */
    {0x2060, 0x206f},   /* joiner, invisible operators, isolates */
    {0x2800, 0x2800},   /* a blank that is no space */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xfeff, 0xfeff},   /* byte-order mark */
    {0xffa0, 0xffa0},   /* Hangul filler */
    {0xfff9, 0xfffb},   /* annotations */
    {0x1d173, 0x1d17a}, /* musical format */
    {0xe0000, 0xe0fff}, /* tags, selectors */
};

static int is_hidden(uint32_t c)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return 1;
    return 0;
}

/* Columns of a character that is no ASCII; -1: it cannot be shown. */
static int width_of(uint32_t c)
{
    static locale_t utf8;
    if (!utf8)
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8)
        return 1;
    locale_t callers = uselocale(utf8);
    int width = wcwidth((wchar_t)c);
    (void)uselocale(callers);
    return width;
}

/* Length of the character at text; 0 when it is none. */
static size_t decode(const char *text, size_t len, uint32_t *ret_c)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t n = 1;
    while (n <= 4 && n <= len && utf8_valid_prefix(text, n) != n)
        n++;
    if (n > 4 || n > len)
        return 0;
    uint32_t c = (unsigned char)text[0] & first_bits[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    *ret_c = c;
    return n;
}

/* The character by its number. */
static void spell_out(struct cell *cell, uint32_t c)
{
    int n = c <= 0xff ? snprintf(cell->text, sizeof(cell->text), "\\x%02x", c)
                      : snprintf(cell->text, sizeof(cell->text), "<U+%04X>", c);
    cell->len = cell->width = (size_t)n;
}

static void fill_tab(struct cell *cell, size_t column)
{
    cell->len = cell->width = TAB - column % TAB;
    memset(cell->text, ' ', cell->len);
}

size_t cell_next(struct cell *ret, const char *text, size_t len, size_t column)
{
    uint32_t c = 0;
    size_t n = decode(text, len, &c);
    int width = n <= 1 ? 1 : width_of(c);
    if (n == 1 && c == '\t')
        fill_tab(ret, column);
    else if (n == 0)
        spell_out(ret, (unsigned char)text[0]);
    else if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || width < 0 || is_hidden(c))
        spell_out(ret, c);
    else {
        memcpy(ret->text, text, n);
        ret->len = n;
        ret->width = (size_t)width;
    }
    return n ? n : 1;
}

int cells_add(struct buf *to, const char *text, size_t len)
{
    for (size_t i = 0, column = 0; i < len;) {
        struct cell cell;
        i += cell_next(&cell, text + i, len - i, column);
        int r = buf_add(to, cell.text, cell.len, SIZE_MAX);
        if (r < 0)
            return r;
        column += cell.width;
    }
    return 0;
}
