/* SPDX-License-Identifier: Apache-2.0 */
/* config_words: see config_words.h. */
#include "core/config_words.h"

#include "base/io.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#define WORD_MAX 255

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

const char *config_wrong_name(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > 64 || strspn(text, LETTERS DIGITS "_.-") != len ||
        !isalnum((unsigned char)text[0]))
        return "is no name: 1 to 64 letters, digits, _ . or -, the first a letter or digit";
    return NULL;
}

/* An absolute path, spelled the one way that needs no looking up. */
static const char *wrong_path(const char *text)
{
    if (text[0] != '/')
        return "is no absolute path";
    if (strlen(text) >= PATH_MAX)
        return "is longer than a path can be";
    for (const char *part = text + 1;; part++) {
        size_t len = strcspn(part, "/");
        if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && strncmp(part, "..", 2) == 0))
            return "is not spelled plainly: no //, no . or .., no / at the end";
        part += len;
        if (*part == '\0')
            return NULL;
    }
}

const char *config_wrong_interpreter(const char *text)
{
    return wrong_path(text);
}

const char *config_wrong_module(const char *text)
{
    if (strlen(text) > WORD_MAX)
        return "is too long for a module's name";
    for (const char *part = text;; part++) {
        size_t len = strspn(part, LETTERS DIGITS "_");
        if (len == 0 || isdigit((unsigned char)part[0]) || (part[len] != '.' && part[len] != '\0'))
            return "is no module's name";
        part += len;
        if (*part == '\0')
            return NULL;
    }
}

const char *config_wrong_view(const char *text)
{
    /* What the box makes itself; a host's path there would be hidden or hide it. */
    static const char *const taken[] = {"/proc", "/sys", "/dev", "/work", "/cordon"};
    if (strcmp(text, "/") == 0)
        return "is everything: name the directories that are needed";
    const char *why = wrong_path(text);
    for (size_t i = 0; !why && i < ARRAY_LEN(taken); i++) {
        size_t len = strlen(taken[i]);
        if (strncmp(text, taken[i], len) == 0 && (text[len] == '/' || text[len] == '\0'))
            why = "cannot be shown: the box has its own";
    }
    return why;
}

const char *config_wrong_pattern(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > WORD_MAX || strspn(text, LETTERS DIGITS "_*") != len)
        return "is no pattern of a variable's name: letters, digits, _ and *";
    return NULL;
}

static int is_variable(const char *text, size_t len)
{
    return len > 0 && len <= WORD_MAX && strspn(text, LETTERS DIGITS "_") >= len &&
           !isdigit((unsigned char)text[0]);
}

const char *config_wrong_kept(const char *text)
{
    return is_variable(text, strlen(text))
               ? NULL
               : "is no variable's name; what is kept is written out whole";
}

const char *config_wrong_setting(const char *text)
{
    static const char *const fixed[] = {"LANG", "LC_ALL", "LD_PRELOAD"};
    size_t len = strcspn(text, "=");
    if (text[len] == '\0' || !is_variable(text, len) || strlen(text) > PATH_MAX)
        return "is not of the form NAME=value";
    if (strncmp(text, "PYTHON", 6) == 0)
        return "cannot be set: Cordon starts the interpreter its own way";
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (strlen(fixed[i]) == len && strncmp(text, fixed[i], len) == 0)
            return "cannot be set: Cordon starts the interpreter its own way";
    return NULL;
}

const char *config_wrong_cgroup(const char *text)
{
    if (strcmp(text, "auto") == 0 || strcmp(text, "off") == 0)
        return NULL;
    const char *second = strchr(text, ':');
    if (text[0] != '/' || (second && (second[1] != '/' || strchr(second + 1, ':'))))
        return "is neither auto nor off, nor one or two absolute paths (/A or /A:/B)";
    return strlen(text) < PATH_MAX ? NULL : "is longer than a path can be";
}
