/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environ: see environ.h. What counts as a credential is one table; a variable is passed
 * on only when no row matches it, or the profile keeps its name.
 */
#include "core/environ.h"

#include "base/err.h"
#include "base/io.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

static int holds_password(const char *value);

/* By name (* stands for any text, case is ignored) or, where `holds` is set, by value. */
static const struct {
    const char *name;
    int (*holds)(const char *value);
    const char *why;
} credential_rows[] = {
    {"OPENSWARM_AUTH_TOKEN", NULL, "the host app's own session"},
    {"ANTHROPIC_API_KEY", NULL, "buys model calls"},
    {"OPENAI_API_KEY", NULL, "buys model calls"},
    {"GOOGLE_API_KEY", NULL, "buys model and map calls"},
    {"GEMINI_API_KEY", NULL, "buys model calls"},
    {"OPENROUTER_API_KEY", NULL, "buys model calls"},
    {"AWS_ACCESS_KEY_ID", NULL, "half of a cloud account's key pair"},
    {"AWS_SECRET_ACCESS_KEY", NULL, "the other half: acts as the cloud account"},
    {"AWS_SESSION_TOKEN", NULL, "acts as the cloud account until it runs out"},
    {"GOOGLE_APPLICATION_CREDENTIALS", NULL, "says where a cloud account's key file is"},
    {"STRIPE_API_KEY", NULL, "moves money"},
    {"STRIPE_SECRET_KEY", NULL, "moves money"},
    {"GITHUB_TOKEN", NULL, "writes to repositories"},
    {"*TOKEN", NULL, "its name says that it holds a token"},
    {"*_KEY", NULL, "its name says that it holds a key"},
    {"*SECRET", NULL, "its name says that it holds a secret"},
    {"*PASSWORD", NULL, "its name says that it holds a password"},
    {"*PASSWD", NULL, "its name says that it holds a password"},
    {"*CREDENTIALS", NULL, "its name says that it holds credentials"},
    {"*_AUTH_SOCK", NULL, "the door to an agent that signs with the caller's keys"},
    {"*", holds_password, "its value holds a URL with a password"},
};

/* What every run gets, whatever the caller's environment says. */
static const char *const always[] = {
    "PYTHONDONTWRITEBYTECODE=1", /* no .pyc beside the files that the code imports */
    "PYTHONUTF8=1",              /* what the code reads and writes is UTF-8 in any locale */
    "PYTHONIOENCODING=utf-8",    /* and so is what it prints */
};

/* Whether the len bytes at name are what pattern describes. */
static int matches(const char *pattern, const char *name, size_t len)
{
    const char *star = NULL; /* the last * met, and where in the name it was tried to end */
    size_t at = 0, retry = 0;
    while (at < len) {
        if (*pattern == '*') {
            star = pattern++;
            retry = at;
        } else if (*pattern &&
                   tolower((unsigned char)*pattern) == tolower((unsigned char)name[at])) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star + 1;
            at = ++retry;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/*
 * Whether what follows a "://" begins with user:password@. A password with / ? or # in it
 * should have been percent-encoded and often is not: what stands after the colon and is
 * no port number is taken for one, too.
 */
static int authority_has_password(const char *rest)
{
    size_t word = strcspn(rest, " \t\r\n");
    size_t len = strcspn(rest, "/?# \t\r\n");
    const char *colon = memchr(rest, ':', len);
    if (!colon)
        return 0;
    size_t left = len - (size_t)(colon - rest);
    if (memchr(colon, '@', left))
        return 1;
    int is_port = strspn(colon + 1, "0123456789") == left - 1;
    if (left == 1) /* none at all is one before a path only */
        is_port = rest[len] != '?' && rest[len] != '#';
    int is_ipv6 = rest[0] == '[';
    return !is_port && !is_ipv6 && memchr(rest + len, '@', word - len) != NULL;
}

/* Whether it has a parameter that is one, as databases take it: ?user=u&password=p, ;PWD=p. */
static int query_has_password(const char *rest)
{
    static const char *const names[] = {"password=", "passwd=", "pwd="};
    size_t word = strcspn(rest, " \t\r\n");
    for (size_t at = 0; at < word; at++)
        for (size_t i = 0; strchr("?&;", rest[at]) && i < ARRAY_LEN(names); i++) {
            size_t len = strlen(names[i]);
            if (strncasecmp(rest + at + 1, names[i], len) == 0 &&
                !strchr("&; \t\r\n", rest[at + 1 + len]))
                return 1;
        }
    return 0;
}

static int holds_password(const char *value)
{
    for (const char *p = value; (p = strstr(p, "://")) != NULL; p += 3)
        if (p > value && (isalnum((unsigned char)p[-1]) || strchr("+.-", p[-1])) &&
            (authority_has_password(p + 3) || query_has_password(p + 3)))
            return 1;
    return 0;
}

static int is_kept(const struct environ_policy *policy, const char *name, size_t len)
{
    for (const char *const *keep = policy ? policy->keep : NULL; keep && *keep; keep++)
        if (strlen(*keep) == len && memcmp(*keep, name, len) == 0)
            return 1;
    return 0;
}

const char *environ_reason(const char *entry, const struct environ_policy *policy)
{
    size_t len = strcspn(entry, "=");
    if (entry[len] == '\0' || len == 0)
        return "it is not of the form NAME=value";
    if (is_kept(policy, entry, len))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(credential_rows); i++)
        if (matches(credential_rows[i].name, entry, len) &&
            (!credential_rows[i].holds || credential_rows[i].holds(entry + len + 1)))
            return credential_rows[i].why;
    for (const char *const *p = policy ? policy->patterns : NULL; p && *p; p++)
        if (matches(*p, entry, len))
            return "the profile withholds it";
    return NULL;
}

/* Whether the entry sets one of the variables whose value is ours. */
static int is_ours(const char *entry)
{
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        if (strncmp(entry, always[i], strcspn(always[i], "=") + 1) == 0)
            return 1;
    return 0;
}

/* Room for every entry of envp and ours: pointers first, then the texts. */
static size_t room_for(const char *const *envp, size_t *ret_count)
{
    size_t bytes = 0, count = ARRAY_LEN(always);
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        bytes += strlen(always[i]) + 1;
    for (; envp && *envp; envp++, count++)
        bytes += strlen(*envp) + 1;
    *ret_count = count;
    return (count + 1) * sizeof(char *) + bytes;
}

int environ_filter(const char *const *envp, const struct environ_policy *policy, char ***ret_envp,
                   struct cordon_err *reterr)
{
    size_t count, n = 0;
    char **out = malloc(room_for(envp, &count));
    if (!out)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot copy the environment");
    char *text = (char *)(out + count + 1);
    for (; envp && *envp; envp++)
        if (!is_ours(*envp) && !environ_reason(*envp, policy)) {
            out[n++] = text;
            text = stpcpy(text, *envp) + 1;
        }
    for (size_t i = 0; i < ARRAY_LEN(always); i++) {
        out[n++] = text;
        text = stpcpy(text, always[i]) + 1;
    }
    out[n] = NULL;
    *ret_envp = out;
    return 0;
}
