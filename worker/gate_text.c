/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_text: the source as characters. What is shown to a person must be what runs: text
 * that an editor, a terminal or another decoder would show otherwise gets a warning.
 */
#include "gate_int.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* 1, or -1. */
static int warn_byte(struct gate *g, enum rule_id rule, size_t offset, const char *message,
                     unsigned code)
{
    long line, column;
    gate_place(g, offset, &line, &column);
    return gate_warn_at(g, rule, line, column, line, column + 1, message, code) < 0 ? -1 : 1;
}

/* ---- characters ---------------------------------------------------------------------- */

static int is_bidi(uint32_t c)
{
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x61c ||
           c == 0x200e || c == 0x200f;
}

/* A row of them is one warning. *i: moved to the last byte of it. */
static int warn_hidden(struct gate *g, size_t *i, unsigned first)
{
    long line, column, count = 0;
    size_t size, at = *i;
    gate_place(g, at, &line, &column);
    for (; at < g->len && gate_is_hidden(gate_char_at(g->text + at, g->len - at, &size)); count++)
        at += size;
    *i = at - 1;
    g->hidden = 1;
    return gate_warn_at(g, RULE_INVISIBLE_CHARACTER, line, column, line, column + count,
                        "%s U+%04x%s cannot be seen: this is not the text that it looks like. An "
                        "escape in a string would be seen.",
                        count > 1 ? "The characters from" : "The character", first,
                        count > 1 ? " on" : "") < 0
               ? -1
               : 1;
}

/* *i: moved to the last byte of what was looked at. */
static int check_wide(struct gate *g, size_t *i)
{
    size_t size, at = *i;
    uint32_t c = gate_char_at(g->text + at, g->len - at, &size);
    if (is_bidi(c))
        return warn_byte(g, RULE_BIDI_CONTROL, at,
                         "The character U+%04x changes the direction of the text around it: "
                         "what is shown is not what runs.",
                         c);
    if ((c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029)
        return warn_byte(g, RULE_CONTROL_CHARACTER, at,
                         "The character U+%04x is shown as a new line, or not at all, by some "
                         "programs.",
                         c);
    size = gate_is_hidden(c) ? gate_hidden_needed(g->text, g->len, at) : size;
    if (size == 0)
        return warn_hidden(g, i, c);
    *i += size - 1;
    return 0;
}

/* Blanks between it and the start of its line, and nothing else. */
static int is_among_blanks(const struct gate *g, size_t i)
{
    size_t at = i;
    while (at > 0 && (g->text[at - 1] == ' ' || g->text[at - 1] == '\t'))
        at--;
    return at < i && (at == 0 || g->text[at - 1] == '\n');
}

/* 1: warned; 0; -1. */
static int check_byte(struct gate *g, size_t *at)
{
    size_t i = *at;
    unsigned char c = (unsigned char)g->text[i];
    if (c == '\0')
        return warn_byte(g, RULE_NULL_BYTE, i,
                         "The code holds a null character: what comes after it may not be shown, "
                         "and Python does not read it.",
                         0u);
    if (c == '\r')
        return i + 1 < g->len && g->text[i + 1] == '\n'
                   ? 0
                   : warn_byte(g, RULE_LONE_CARRIAGE_RETURN, i,
                               "A lone carriage return ends a line for Python, but is shown as "
                               "none: what looks like a comment may be code.",
                               0u);
    if (c == '\f')
        return !is_among_blanks(g, i)
                   ? 0
                   : warn_byte(g, RULE_CONTROL_CHARACTER, i,
                               "A form feed among the blanks of an indentation sets it back to "
                               "nothing: the line stands in another block than it seems to.",
                               0u);
    if (c < 0x80)
        return warn_byte(g, RULE_CONTROL_CHARACTER, i,
                         "The control character U+%04x can change what a terminal shows.", c);
    return check_wide(g, at);
}

/* Bytes that need no look: printable ones, blanks, and those that begin no odd character. */
static const unsigned char ordinary[256] = {
    ['\t'] = 1,          ['\n'] = 1,          [0x20 ... 0x7e] = 1, [0x80 ... 0xc1] = 1,
    [0xc3 ... 0xcc] = 1, [0xce ... 0xd7] = 1, [0xd9 ... 0xe0] = 1, [0xe4 ... 0xee] = 1,
    [0xf1 ... 0xf2] = 1, [0xf4 ... 0xff] = 1,
};

#define ODD_MAX 100 /* warned of: finding the place of each costs its line */

static int check_characters(struct gate *g)
{
    int odd = 0;
    for (size_t i = 0; odd < ODD_MAX; i++) {
        while (ordinary[(unsigned char)g->text[i]]) /* which the one behind the text is not */
            i++;
        if (i >= g->len)
            break;
        int warned = check_byte(g, &i);
        if (warned < 0)
            return -1;
        odd += warned;
    }
    return 0;
}

/* ---- coding cookies --------------------------------------------------------------------- */

static const char *end_of_line(const char *text, const char *end)
{
    while (text < end && *text != '\n' && *text != '\r')
        text++;
    return text;
}

/* What PEP 263 reads in a line: the encoding's name, or NULL. */
static const char *find_cookie(const char *line, const char *end, size_t *ret_len)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\f'))
        line++;
    if (line == end || *line != '#')
        return NULL;
    for (const char *p = line; p + 7 <= end; p++) {
        if (memcmp(p, "coding", 6) != 0 || (p[6] != ':' && p[6] != '='))
            continue;
        for (p += 7; p < end && (*p == ' ' || *p == '\t'); p++)
            ;
        const char *name = p;
        while (p < end && (*p == '-' || *p == '_' || *p == '.' || (*p >= '0' && *p <= '9') ||
                           (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
            p++;
        *ret_len = (size_t)(p - name);
        if (*ret_len)
            return name;
        p -= p == end; /* the loop looks on behind a cookie without a name */
    }
    return NULL;
}

static int is_plain_encoding(const struct gate *g, const char *name, size_t len)
{
    static const char *const always[] = {"utf-8", "utf8", "utf_8", "utf-8-sig"};
    static const char *const if_ascii[] = {"ascii",  "us-ascii",   "latin-1",
                                           "latin1", "iso-8859-1", "cp1252",
                                           "l1",     "iso8859-15", "mbcs"};
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        if (strlen(always[i]) == len && strncasecmp(always[i], name, len) == 0)
            return 1;
    for (size_t i = 0; i < g->len; i++)
        if ((unsigned char)g->text[i] >= 0x80)
            return 0;
    for (size_t i = 0; i < ARRAY_LEN(if_ascii); i++)
        if (strlen(if_ascii[i]) == len && strncasecmp(if_ascii[i], name, len) == 0)
            return 1;
    return 0;
}

static int check_cookies(struct gate *g)
{
    const char *line = g->text, *end = g->text + g->len;
    for (int number = 1; number <= 2 && line < end; number++) {
        const char *stop = end_of_line(line, end);
        size_t len;
        const char *name = find_cookie(line, stop, &len);
        char text[64];
        if (name && !is_plain_encoding(g, name, len)) {
            (void)snprintf(text, sizeof(text), "%.*s", (int)(len < 60 ? len : 60), name);
            return gate_warn_at(g, RULE_CODING_COOKIE, number, 1, number, (long)(stop - line) + 1,
                                "The comment asks for the encoding `%s`: here it has no effect, "
                                "but saved to a file the text could become other code.",
                                text);
        }
        line = stop < end && stop[0] == '\r' && stop + 1 < end && stop[1] == '\n' ? stop + 2
                                                                                  : stop + 1;
    }
    return 0;
}

/* ---- letters of names that Python reads as others ------------------------------------------ */

/* Each character is one byte of UTF-8. */
static int is_ascii(const struct gate *g)
{
    return (size_t)PyUnicode_GetLength(g->source) == g->len;
}

/* Catalan writes a dot between two of them. */
static int is_between_ls(const struct gate *g, size_t i, size_t size)
{
    return i > 0 && i + size < g->len && (g->text[i - 1] | 32) == 'l' &&
           (g->text[i + size] | 32) == 'l';
}

/* A walk over what is code: not strings and comments, but the fields of formatted strings. */
struct letters {
    struct gate *g;
    size_t at;
    size_t end;
    unsigned odd;
    size_t odd_end; /* of the name that was warned of last */
    unsigned depth; /* of formatted strings in fields of each other */
};

#define LETTERS_DEPTH_MAX 100

/* Letters of Chinese and Japanese that are drawn like an operator, a bracket or a blank between
 * two words: UTS 39's confusables of < | - = + / , ; and of a box. */
static int looks_like_operator(uint32_t c)
{
    static const uint32_t letters[] = {0x3007, 0x304f, 0x30a4, 0x30cb, 0x30ce, 0x30ed,
                                       0x30fc, 0x31d3, 0x3401, 0x4e00, 0x4e28, 0x4e36,
                                       0x4e3f, 0x4e8c, 0x5341, 0x53e3, 0xff70};
    for (size_t k = 0; k < ARRAY_LEN(letters); k++)
        if (letters[k] == c)
            return 1;
    return 0;
}

static int warn_operator(struct letters *l, uint32_t c)
{
    l->odd++;
    return warn_byte(l->g, RULE_MIXED_SCRIPT, l->at,
                     "The letter U+%04x within a name looks like an operator between two names.",
                     c);
}

/* One warning for each name, however many of its letters are odd. */
static int warn_letter(struct letters *l, uint32_t c)
{
    const struct gate *g = l->g;
    l->odd++;
    for (l->odd_end = l->at; l->odd_end < g->len; l->odd_end++)
        if (!gate_is_of_word(g->text[l->odd_end]) && (unsigned char)g->text[l->odd_end] < 0x80)
            break;
    return warn_byte(l->g, RULE_MIXED_SCRIPT, l->at,
                     "A name with the letter U+%04x is not read as it looks: Python takes it for "
                     "another one, or a dot within it looks like an attribute's.",
                     c);
}

static int check_letter(struct letters *l, uint32_t c, size_t size)
{
    if (c > 0x3000 && l->odd < ODD_MAX && l->at > 0 && looks_like_operator(c) &&
        gate_is_of_word(l->g->text[l->at - 1]) && gate_is_of_word(l->g->text[l->at + size]))
        return warn_operator(l, c);
    if (c < 0x80 || l->odd == ODD_MAX || l->at < l->odd_end || !gate_reads_otherwise(c) ||
        is_between_ls(l->g, l->at, size))
        return 0;
    return warn_letter(l, c);
}

/* f"", rf"", Fr"": what stands before the quote, and nothing longer. */
static int is_field_string(const struct gate *g, size_t quote, int *ret_raw)
{
    size_t len = 0;
    int f = 0, r = 0;
    while (len < quote && len < 3) {
        char c = g->text[quote - 1 - len];
        if (!gate_is_of_word(c) && (unsigned char)c < 0x80)
            break;
        f += (c | 32) == 'f';
        r += (c | 32) == 'r';
        len++;
    }
    *ret_raw = r;
    return f == 1 && r < 2 && len == (size_t)(f + r);
}

static int walk_code(struct letters *l, int in_field);

/* The text of a formatted string up to its quotes, or of what follows a field's colon. */
static int walk_text(struct letters *l, char quote, size_t width, int raw)
{
    const char *text = l->g->text;
    while (l->at < l->end) {
        char c = text[l->at], next = l->at + 1 < l->end ? text[l->at + 1] : '\0';
        if (quote ? c == quote && (width == 1 || (next == quote && text[l->at + 2] == quote))
                  : c == '}')
            return 0;
        if (c == '\n' && width == 1)
            return 0;
        if (c == '\\' && next == 'N' && !raw && quote) { /* a character by its name */
            const char *stop = memchr(text + l->at, '}', l->end - l->at);
            l->at = stop ? (size_t)(stop - text) + 1 : l->end;
        } else if ((c == '\\' && next != '{') || (quote && c == '{' && next == '{')) {
            l->at += 2;
        } else {
            l->at++;
            if (c == '{' && l->depth < LETTERS_DEPTH_MAX && walk_code(l, 1) < 0)
                return -1;
        }
    }
    return 0;
}

/* From its quotes. Until Python 3.12 it ends at the first ones like them, wherever they stand. */
static int walk_string(struct letters *l)
{
    const char *text = l->g->text;
    size_t stop = gate_string_end(l->g, l->at), end = l->end, from = l->at;
    int raw;
    if (!is_field_string(l->g, l->at, &raw) || l->depth == LETTERS_DEPTH_MAX) {
        l->at = stop;
        return 0;
    }
    char quote = text[l->at];
    size_t width = l->at + 2 < end && text[l->at + 1] == quote && text[l->at + 2] == quote ? 3 : 1;
    if (Py_Version < 0x030c0000 && stop < end)
        l->end = stop;
    l->at += width;
    l->depth++;
    int r = walk_text(l, quote, width, raw);
    l->depth--;
    l->at += width;
    l->end = end;
    if (Py_Version < 0x030c0000 || l->at <= from)
        l->at = stop;
    return r;
}

/* in_field: up to the brace that closes it, and behind that. */
static int walk_code(struct letters *l, int in_field)
{
    unsigned open = 0;
    for (size_t size; l->at < l->end; l->at += size) {
        uint32_t c = gate_char_at(l->g->text + l->at, l->end - l->at, &size);
        size += size == 0;
        if (c == '#') {
            size = strcspn(l->g->text + l->at, "\n");
        } else if (c == '"' || c == '\'') {
            if (walk_string(l) < 0)
                return -1;
            size = 0;
        } else if (in_field && open == 0 && c == ':') {
            l->at++;
            if (walk_text(l, '\0', 3, 1) < 0)
                return -1;
            size = 0;
        } else if (in_field && open == 0 && c == '}') {
            l->at++;
            return 0;
        } else if (check_letter(l, c, size) < 0) {
            return -1;
        }
        open += c == '(' || c == '[' || c == '{';
        open -= open && (c == ')' || c == ']' || c == '}');
    }
    return 0;
}

static int check_letters(struct gate *g)
{
    struct letters l = {.g = g, .end = is_ascii(g) ? 0 : g->len};
    return walk_code(&l, 0);
}

/* ---- the whole text ---------------------------------------------------------------------- */

static int warn_surrogate(struct gate *g)
{
    Py_ssize_t len = PyUnicode_GetLength(g->source);
    long line = 1, column = 1;
    g->text = "";
    g->len = 0;
    for (Py_ssize_t i = 0; i < len; i++) {
        Py_UCS4 c = PyUnicode_ReadChar(g->source, i);
        if (c >= 0xdc80 && c <= 0xdcff) /* surrogateescape's, see run.c */
            return gate_warn_at(g, RULE_LONE_SURROGATE, line, column, line, column + 1,
                                "The code holds a byte (0x%02x) that is no UTF-8 text: Python does "
                                "not read it.",
                                (unsigned)c - 0xdc00u);
        if (c >= 0xd800 && c <= 0xdfff)
            return gate_warn_at(g, RULE_LONE_SURROGATE, line, column, line, column + 1,
                                "The code holds half a character (U+%04x), which is no text: "
                                "Python does not read it.",
                                (unsigned)c);
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n';
    }
    return 0;
}

int gate_text_check(struct gate *g)
{
    Py_ssize_t len;
    g->text = PyUnicode_AsUTF8AndSize(g->source, &len);
    if (!g->text) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return -1;
        PyErr_Clear();
        return warn_surrogate(g) < 0 ? -1 : 1;
    }
    g->len = (size_t)len;
    size_t max = g->report->bytes_max ? g->report->bytes_max : GATE_BYTES_MAX;
    if (g->len > max) {
        g->text = "";
        g->len = 0;
        return gate_warn_at(g, RULE_TOO_LARGE, 1, 1, 1, 1,
                            "The code is longer than %zu bytes, and is not read.", max) < 0
                   ? -1
                   : 1;
    }
    if (check_characters(g) < 0 || check_letters(g) < 0 || check_cookies(g) < 0)
        return -1;
    return memchr(g->text, '\0', g->len) ? 1 : gate_dense_check(g);
}
