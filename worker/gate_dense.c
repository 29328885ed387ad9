/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_dense: text that Python's own parser cannot read in the time that its size allows. It is
 * looked at before the parser is asked, because nothing can interrupt that. Linear, and what
 * people write comes nowhere near.
 */
#include "gate_int.h"

#include <string.h>

/* ---- strings ------------------------------------------------------------------------------ */

/* Before 3.12 each field of an f-string is looked for from the start of the whole string. */
#define FIELD_WORK_MAX 1000000000u

size_t gate_string_end(const struct gate *g, size_t at)
{
    char quote = g->text[at];
    size_t width = at + 2 < g->len && g->text[at + 1] == quote && g->text[at + 2] == quote ? 3 : 1;
    for (size_t i = at + width; i < g->len; i++) {
        if (g->text[i] == '\\')
            i++;
        else if (g->text[i] == '\n' && width == 1)
            return i;
        else if (g->text[i] == quote && (width == 1 || (i + 2 < g->len && g->text[i + 1] == quote &&
                                                        g->text[i + 2] == quote)))
            return i + width;
    }
    return g->len;
}

static int is_formatted(const struct gate *g, size_t quote)
{
    for (size_t k = 1; k <= 2 && k <= quote; k++)
        if (g->text[quote - k] == 'f' || g->text[quote - k] == 'F')
            return 1;
    return 0;
}

static size_t count_braces(const char *text, size_t len)
{
    size_t count = 0;
    for (const char *end = text + len; (text = memchr(text, '{', (size_t)(end - text))); text++)
        count++;
    return count;
}

static int has_endless_string(const struct gate *g)
{
    for (size_t i = 0, end; i < g->len; i++) {
        if (g->text[i] == '#')
            while (i < g->len && g->text[i] != '\n')
                i++;
        if (i >= g->len || (g->text[i] != '"' && g->text[i] != '\''))
            continue;
        end = gate_string_end(g, i);
        if (is_formatted(g, i) &&
            (uint64_t)count_braces(g->text + i, end - i) * (end - i) > FIELD_WORK_MAX)
            return 1;
        i = end - 1;
    }
    return 0;
}

static int warn_formatted_string(struct gate *g)
{
    if (Py_Version >= 0x030c0000 ||
        (uint64_t)count_braces(g->text, g->len) * g->len <= FIELD_WORK_MAX ||
        !has_endless_string(g))
        return 0;
    return gate_warn_at(g, RULE_TOO_LARGE, 1, 1, 1, 1,
                        "The code holds an f-string that takes Python's own parser too long.") < 0
               ? -1
               : 1;
}

/* ---- words and signs ---------------------------------------------------------------------- */

/* The parser makes an object or two of most, so that a megabyte of nothing else takes seconds.
 * Code as people write it has five bytes to one. */
#define TOKENS_MAX 300000u

int gate_is_of_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static int is_of_word(char c)
{
    return gate_is_of_word(c) || (unsigned char)c >= 0x80;
}

/* The end of a name or a number. */
static size_t word_end(const struct gate *g, size_t at)
{
    int number = g->text[at] >= '0' && g->text[at] <= '9';
    while (at < g->len && (is_of_word(g->text[at]) || (number && g->text[at] == '.')))
        at++;
    return at;
}

/* The end of what begins at `at`. *tokens: what it is for the parser, or a little more: an
 * operator of two signs counts twice. */
static size_t token_end(const struct gate *g, size_t at, size_t *tokens)
{
    char c = g->text[at];
    if (c == '#')
        return at + strcspn(g->text + at, "\n");
    if (c == ' ' || c == '\t' || (c == '\n' && (at == 0 || g->text[at - 1] == '\n')))
        return at + 1;
    ++*tokens;
    if (is_of_word(c))
        return word_end(g, at);
    if (c != '"' && c != '\'')
        return at + 1;
    size_t end = gate_string_end(g, at);
    if (is_formatted(g, at))
        *tokens += 2 * count_braces(g->text + at, end - at);
    return end;
}

static int warn_tokens(struct gate *g)
{
    size_t tokens = 0;
    for (size_t i = 0; g->len > TOKENS_MAX && i < g->len && tokens <= TOKENS_MAX;)
        i = token_end(g, i, &tokens);
    if (tokens <= TOKENS_MAX)
        return 0;
    return gate_warn_at(g, RULE_TOO_LARGE, 1, 1, 1, 1,
                        "The code has more than %u words and signs, and is not read.",
                        TOKENS_MAX) < 0
               ? -1
               : 1;
}

int gate_dense_check(struct gate *g)
{
    int warned = warn_tokens(g);
    return warned ? warned : warn_formatted_string(g);
}
