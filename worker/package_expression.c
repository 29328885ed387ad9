/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_expression: the text that DataFrame.query() and eval() evaluate, where the source
 * has it as a literal. Not a parser: it lets through what can be told to be tame character by
 * character, and refuses the rest. No Python.
 */
#include "package.h"

#include "base/io.h"

#include <string.h>

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the quoted part that begins at `at` ends, or NULL. */
static const char *after_quoted(const char *at)
{
    const char *end = strchr(at + 1, *at);
    if (!end || strcspn(at + 1, "\n") < (size_t)(end - at))
        return NULL;
    size_t inner = strcspn(at + 1, "@'\"`");
    return *at != '`' || at + 1 + inner == end ? end + 1 : NULL;
}

/* "(" that calls what stands before it, which `word` to `end` is. */
static int is_callable_word(const char *word, const char *end)
{
    static const char *const operators[] = {"and", "or", "not", "in"};
    char text[8];
    size_t len = (size_t)(end - word);
    if (len == 0 || len >= sizeof(text))
        return len != 0;
    memcpy(text, word, len);
    text[len] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(operators); i++)
        if (strcmp(text, operators[i]) == 0)
            return 0;
    return 1;
}

/* "1.5", ".5", "1." and no attribute of anything, "1. real" included. */
static int is_decimal_point(const char *text, const char *word, const char *end)
{
    int follows = end == text && text > word;
    for (const char *c = word; follows && c < end; c++)
        if (!is_digit(*c) && *c != '_')
            return 0;
    const char *next = text + 1 + strspn(text + 1, " \t\n");
    return is_digit(text[1]) || (follows && !is_word(*next) && *next != '.');
}

/*
 * Names, numbers, quoted text, operators, parentheses: no attribute, no call, no subscript of
 * what is no list, no `@name` of the code around, nothing between double underscores.
 */
int package_expression_is_tame(const char *text)
{
    const char *word = text, *end = text; /* the last word */
    char last = 0;                        /* the last character that is no blank */
    if (strchr(text, '\\') || strstr(text, "__") || strstr(text, "'''") || strstr(text, "\"\"\""))
        return 0; /* quoted in ways that this does not follow */
    while (*text) {
        if (*text == '\'' || *text == '"' || *text == '`') {
            if (is_word(last) && end == text) /* f"..." */
                return 0;
            last = *text;
            text = after_quoted(text);
            if (!text)
                return 0;
            continue;
        }
        if (is_word(*text)) {
            for (word = text; is_word(*text); text++)
                ;
            end = text;
            last = 'a';
            continue;
        }
        if (*text == '.' && !is_decimal_point(text, word, end))
            return 0;
        if ((*text == '(' || *text == '[') &&
            (last == ')' || last == ']' || last == '\'' || last == '"' || last == '`' ||
             (last == 'a' && is_callable_word(word, end))))
            return 0;
        if (!strchr(" \t\n.()[],<>=!+-*/%&|~^", *text))
            return 0;
        if (*text != ' ' && *text != '\t' && *text != '\n')
            last = *text == '.' ? 'a' : *text; /* a part of a number */
        text++;
    }
    return 1;
}
