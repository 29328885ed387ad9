/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environ: the lists of DESIGN.md name by name, what a value can give away, what a
 * profile changes, and random environments against an oracle made of regular expressions.
 */
#include "core/environ.h"

#include "base/io.h"

#include <ctype.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int is_seen(const char *entry, const struct environ_policy *policy)
{
    const char *envp[] = {entry, NULL};
    AUTO_FREE char **out = NULL;
    assert_int_equal(environ_filter(envp, policy, &out, NULL), 0);
    int seen = strcmp(out[0], entry) == 0;
    assert_int_equal(seen, environ_reason(entry, policy) == NULL);
    return seen;
}

static void withholds_the_fixed_names(void **state)
{
    static const char *const names[] = {
        "OPENSWARM_AUTH_TOKEN", "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",       "GOOGLE_API_KEY",
        "GEMINI_API_KEY",       "OPENROUTER_API_KEY",
        "AWS_ACCESS_KEY_ID",    "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",    "GOOGLE_APPLICATION_CREDENTIALS",
        "STRIPE_API_KEY",       "STRIPE_SECRET_KEY",
        "GITHUB_TOKEN",         "Aws_Access_Key_Id",
        "aws_access_key_id",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char entry[64];
        (void)snprintf(entry, sizeof(entry), "%s=x", names[i]);
        assert_false(is_seen(entry, NULL));
    }
}

static void withholds_by_how_a_name_ends(void **state)
{
    static const char *const hidden[] = {
        "TOKEN=x",         "HF_TOKEN=x",
        "MYTOKEN=x",       "npm_config_authtoken=x",
        "MY_KEY=x",        "_KEY=x",
        "SECRET=x",        "APP_SECRET=",
        "PGPASSWORD=x",    "PASSWD=x",
        "Db_Passwd=x",     "CREDENTIALS=x",
        "X_CREDENTIALS=x", "SSH_AUTH_SOCK=/run/agent",
        "A_AUTH_SOCK=x",
    };
    static const char *const seen[] = {
        "PATH=/bin",    "HOME=/root",
        "KEY=x",        "MONKEY=x",
        "TOKENS=x",     "SECRETS=x",
        "TOKENIZERS=x", "PASSWORD_FILE=x",
        "AUTH_SOCK=x",  "KEYBOARD=x",
        "A_KEY_B=x",    "EMPTY=",
        "a=b=c",        "BASH_FUNC_f%%=() { :; }",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        assert_false(is_seen(hidden[i], NULL));
    for (size_t i = 0; i < ARRAY_LEN(seen); i++)
        assert_true(is_seen(seen[i], NULL));
}

static void withholds_a_url_with_a_password(void **state)
{
    static const char *const hidden[] = {
        "U=https://user:pass@host",
        "U=postgres://u:p@h:5432/db?x=1",
        "U=redis://:pw@h",
        "U=a b http://u:p@h c",
        "U=http://h:80/ http://u:p@h",
        "U=x=http://u:p@h",
        "U=git+ssh://u:p@h",
        "U=smtp://me@example.com:pw@mail",
        "U=https://token:@host",
        "U=mysql://u:p/w#?@h:3306/db",
        "U=mongodb://u:p@h1,h2/db",
        "U=http://u:%40@h",
        "U=HTTP://U:P@H",
        "U=postgres://u:#p@h",
        "U=pg://u:?p@h",
        "U=postgresql://h/db?user=u&password=p",
        "U=jdbc:sqlserver://h:1433;user=u;PWD=p;x=y",
        "U=a mysql://h?Passwd=p b",
    };
    static const char *const seen[] = {
        "U=https://host/path",
        "U=https://user@host",
        "U=http://host:8080/~a@b",
        "U=http://host:8080?mail=a@b",
        "U=http://[::1]:80/a@b",
        "U=http://[fe80::1]/a@b",
        "U=file:///c:/a@b",
        "U=http://h:80 a@b",
        "U=user:pass@host",
        "U=://u:p@h",
        "U=a ://u:p@h",
        "U=ssh://git@host:22/a@b",
        "U=http:/u:p@h",
        "U=a:b://",
        "U=http://host:/a@b",
        "U=http://h?password=",
        "U=http://h?password=&a=b",
        "U=http://h?passwords=x",
        "U=http://h?no_password=x",
        "U=http://h ?password=x",
        "U=h?password=x",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        assert_false(is_seen(hidden[i], NULL));
    for (size_t i = 0; i < ARRAY_LEN(seen); i++)
        assert_true(is_seen(seen[i], NULL));
}

static void a_profile_adds_patterns(void **state)
{
    static const char *const patterns[] = {"*_DSN", "vault*", "A*B*C", "EXACT", NULL};
    const struct environ_policy policy = {.patterns = patterns};
    static const char *const hidden[] = {"X_DSN=x", "_dsn=x",     "VAULT=x", "VAULT_ADDR=x",
                                         "ABC=x",   "axxbxbxc=x", "exact=x", "HF_TOKEN=x"};
    static const char *const seen[] = {"X_DSN_=x", "DSN=x",     "AVAULT=x", "ABCD=x",
                                       "ACB=x",    "EXACTLY=x", "V=EXACT"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        assert_false(is_seen(hidden[i], &policy));
    for (size_t i = 0; i < ARRAY_LEN(seen); i++)
        assert_true(is_seen(seen[i], &policy));
}

static void a_star_pattern_leaves_what_is_kept(void **state)
{
    static const char *const patterns[] = {"*", NULL};
    static const char *const keep[] = {"PATH", "GITHUB_TOKEN", NULL};
    const struct environ_policy policy = {.patterns = patterns, .keep = keep};
    (void)state;
    assert_true(is_seen("PATH=/bin", &policy));
    assert_true(is_seen("GITHUB_TOKEN=x", &policy));
    assert_false(is_seen("HOME=/root", &policy));
}

static void a_kept_name_is_meant_exactly(void **state)
{
    static const char *const keep[] = {"HF_TOKEN", "DATABASE_URL", NULL};
    const struct environ_policy policy = {.keep = keep};
    (void)state;
    assert_true(is_seen("HF_TOKEN=x", &policy));
    assert_true(is_seen("DATABASE_URL=pg://u:p@h", &policy));
    assert_false(is_seen("hf_token=x", &policy));
    assert_false(is_seen("MY_HF_TOKEN=x", &policy));
    assert_false(is_seen("HF_TOKE_TOKEN=x", &policy));
}

static void says_why(void **state)
{
    static const char *const patterns[] = {"*_DSN", NULL};
    const struct environ_policy policy = {.patterns = patterns};
    (void)state;
    assert_string_equal(environ_reason("GITHUB_TOKEN=x", NULL), "writes to repositories");
    assert_string_equal(environ_reason("U=a://u:p@h", NULL),
                        "its value holds a URL with a password");
    assert_string_equal(environ_reason("A_DSN=x", &policy), "the profile withholds it");
    assert_null(environ_reason("A_DSN=x", NULL));
}

static void drops_what_is_no_variable(void **state)
{
    (void)state;
    assert_false(is_seen("NOEQUALS", NULL));
    assert_false(is_seen("=x", NULL));
    assert_false(is_seen("", NULL));
}

static void sets_the_three_python_variables(void **state)
{
    const char *envp[] = {"PYTHONUTF8=0",  "A=1",           "PYTHONIOENCODING=latin-1",
                          "PYTHONPATH=/x", "PYTHONUTF8X=0", NULL};
    static const char *const expected[] = {"A=1",           "PYTHONPATH=/x",
                                           "PYTHONUTF8X=0", "PYTHONDONTWRITEBYTECODE=1",
                                           "PYTHONUTF8=1",  "PYTHONIOENCODING=utf-8"};
    AUTO_FREE char **out = NULL;
    (void)state;
    assert_int_equal(environ_filter(envp, NULL, &out, NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        assert_string_equal(out[i], expected[i]);
    assert_null(out[ARRAY_LEN(expected)]);
}

static void no_environment_is_an_empty_one(void **state)
{
    AUTO_FREE char **out = NULL;
    (void)state;
    assert_int_equal(environ_filter(NULL, NULL, &out, NULL), 0);
    assert_string_equal(out[0], "PYTHONDONTWRITEBYTECODE=1");
    assert_null(out[3]);
}

/* ---- random environments --------------------------------------------------- */

static uint64_t seed = 20260417;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

/* The same promise, said a second time in another language. */
static const char oracle_name[] =
    "(TOKEN|_KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS|_AUTH_SOCK)$|^AWS_ACCESS_KEY_ID$";
static const char oracle_url[] =
    "[a-z0-9+.-]://([^/?#[:space:]]*:[^/?#[:space:]]*@"
    "|([^[/?#:[:space:]][^/?#:[:space:]]*)?:"
    "([^/?#[:space:]]*[^/?#[:space:]0-9][^/?#[:space:]]*[/?#]|[?#])[^[:space:]]*@"
    "|[^[:space:]]*[?&;](password|passwd|pwd)=[^&;[:space:]])";

/* Words that make near misses likely; letters are taken in either case. */
static void random_name(char *out)
{
    static const char *const words[] = {
        "TOKEN", "_KEY", "KEY",         "SECRET",     "PASSWORD", "PASSWD",
        "PASS",  "WORD", "CREDENTIALS", "_AUTH_SOCK", "AUTH",     "AWS_ACCESS_KEY_ID",
        "_ID",   "_",    "S",           "X",          "GITHUB_"};
    out[0] = '\0';
    for (unsigned n = 1 + below(3); n > 0; n--)
        (void)strcat(out, words[below(ARRAY_LEN(words))]);
    for (char *p = out; *p; p++)
        if (below(4) == 0)
            *p = (char)tolower((unsigned char)*p);
}

static void random_value(char *out)
{
    static const char *const words[] = {"http", "://", "://", "u", "p",   ":",  ":",
                                        "@",    "@",   "/",   "?", "#",   "80", " ",
                                        "[",    "h.x", "pg",  "&", "pwd="};
    (void)strcpy(out, below(2) ? "http://" : "");
    for (unsigned n = below(14); n > 0; n--)
        (void)strcat(out, words[below(ARRAY_LEN(words))]);
}

static void random_environments_agree_with_the_oracle(void **state)
{
    regex_t name_re, url_re;
    unsigned withheld = 0, by_value = 0;
    (void)state;
    assert_int_equal(regcomp(&name_re, oracle_name, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
    assert_int_equal(regcomp(&url_re, oracle_url, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
    for (int round = 0; round < 100000; round++) {
        char name[80], value[120], entry[220];
        random_name(name);
        random_value(value);
        (void)snprintf(entry, sizeof(entry), "%s=%s", name, value);
        int bad_name = regexec(&name_re, name, 0, NULL, 0) == 0;
        int bad_value = regexec(&url_re, value, 0, NULL, 0) == 0;
        if (is_seen(entry, NULL) != !(bad_name || bad_value))
            fail_msg("%s: name %d, value %d by the oracle", entry, bad_name, bad_value);
        withheld += (unsigned)(bad_name || bad_value);
        by_value += (unsigned)(!bad_name && bad_value);
    }
    regfree(&name_re);
    regfree(&url_re);
    assert_in_range(withheld, 10000, 90000); /* the generator meets both sides */
    assert_in_range(by_value, 1000, 90000);
}

/* Order kept, nothing invented, nothing twice. */
static void random_environments_keep_their_order(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        char entries[40][220];
        const char *envp[41] = {NULL};
        unsigned n = below(40);
        for (unsigned i = 0; i < n; i++) {
            char name[80], value[120];
            random_name(name);
            random_value(value);
            (void)snprintf(entries[i], sizeof(entries[i]), "%s=%s", name, value);
            envp[i] = entries[i];
        }
        AUTO_FREE char **out = NULL;
        assert_int_equal(environ_filter(envp, NULL, &out, NULL), 0);
        size_t at = 0;
        for (unsigned i = 0; i < n; i++)
            if (!environ_reason(envp[i], NULL))
                assert_string_equal(out[at++], envp[i]);
        assert_string_equal(out[at], "PYTHONDONTWRITEBYTECODE=1");
        assert_null(out[at + 3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(withholds_the_fixed_names),
        cmocka_unit_test(withholds_by_how_a_name_ends),
        cmocka_unit_test(withholds_a_url_with_a_password),
        cmocka_unit_test(a_profile_adds_patterns),
        cmocka_unit_test(a_star_pattern_leaves_what_is_kept),
        cmocka_unit_test(a_kept_name_is_meant_exactly),
        cmocka_unit_test(says_why),
        cmocka_unit_test(drops_what_is_no_variable),
        cmocka_unit_test(sets_the_three_python_variables),
        cmocka_unit_test(no_environment_is_an_empty_one),
        cmocka_unit_test(random_environments_agree_with_the_oracle),
        cmocka_unit_test(random_environments_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
