/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: what is refused, and that it is refused by its place. Each row is a file and
 * the end of the message: LINE:COLUMN: what is wrong.
 */
#include "base/io.h"
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define P "profiles:\n"
#define A P "  - name: a\n"
#define S P "  - name: strict\n"
#define PATHS "one or two absolute paths (/A or /A:/B)"
#define ANOTHER "define another profile, made from strict"

struct row {
    const char *text;
    const char *message;
};

static char dir[] = "/tmp/test-config-XXXXXX";
static char file[64];

static int make_dir(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(file, sizeof(file), "%s/cordon.yaml", dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    (void)unlink(file);
    return rmdir(dir);
}

static void write_file(const char *text, size_t len)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void check_bytes(const char *text, size_t len, const char *message)
{
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    char expected[600];
    write_file(text, len);
    if (profile_set_load(file, &set, &err) == 0)
        fail_msg("taken, instead of %s:\n%s", message, text);
    (void)snprintf(expected, sizeof(expected), "%s:%s", file, message);
    assert_string_equal(err.msg, expected);
    assert_string_equal(err.step, "config");
    assert_int_equal(err.code, CORDON_E_ARG);
    assert_null(set);
}

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_bytes(rows[i].text, strlen(rows[i].text), rows[i].message);
}

static void what_is_no_yaml(void **state)
{
    static const struct row rows[] = {
        {"profiles: [\n", "2:1: this is no YAML: did not find expected node content while parsing "
                          "a flow node"},
        {A "\tbad: 1\n", "3:1: this is no YAML: found a tab character that violates indentation "
                         "while scanning a plain scalar"},
        {"a: b: c\n", "1:5: this is no YAML: mapping values are not allowed in this context"},
        {P "  - name: \"a\n", "3:1: this is no YAML: found unexpected end of stream while scanning "
                              "a quoted scalar"},
        {"a: b\nc\xc3\xa9: \xff\n", "2:5: this is no YAML: invalid leading UTF-8 octet"},
        {"a: b\nc: d\x07\n", "2:5: this is no YAML: control characters are not allowed"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "1:33: this is nested too deeply"},
        {"{} {}", "1:4: this is no YAML: did not find expected <document start>"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void yaml_that_is_more_than_a_configuration_needs(void **state)
{
    static const struct row rows[] = {
        {A "    allow: &x [numpy]\n  - name: b\n    allow: *x\n",
         "3:12: anchors (&name) are not taken: write it out, or use from:"},
        {P "  - &x\n    name: a\n",
         "2:5: anchors (&name) are not taken: write it out, or use from:"},
        {P "  - name: &x a\n", "2:11: anchors (&name) are not taken: write it out, or use from:"},
        {A "    allow: *x\n", "3:12: aliases (*name) are not taken: write it out, or use from:"},
        {A "    gate: !!bool on\n",
         "3:11: tags (!name) are not taken: each key says what its value is"},
        {A "    allow: !set [x]\n",
         "3:12: tags (!name) are not taken: each key says what its value is"},
        {P "  - !!map {name: a}\n",
         "2:5: tags (!name) are not taken: each key says what its value is"},
        {"profiles: []\n---\nprofiles: []\n",
         "2:1: a second document: everything belongs under one profiles:"},
        {"? [a]\n: 1\n", "1:3: a key has to be a word"},
        {A "    ? {x: 1}\n    : 2\n", "3:7: a key has to be a word"},
        {P "  - name: \"a\\0b\"\n", "2:11: a text must not hold a NUL character"},
        {P "  - {name: a, <<: {gate: off}}\n", "2:15: there is no key '<<' here"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void unknown_keys(void **state)
{
    static const struct row rows[] = {
        {"colour: red\n", "1:1: there is no key 'colour' here"},
        {"profiles: []\nprofile: []\n", "2:1: there is no key 'profile' here"},
        {A "    limits: {wall: 1s}\n    Network: none\n", "4:5: there is no key 'Network' here"},
        {P "  - colour: red\n    name: a\n", "2:5: there is no key 'colour' here"},
        {A "    from: strict\n  - name: b\n    allow: [x]\n    allows: [y]\n",
         "6:5: there is no key 'allows' here"},
        {A "    limits:\n      wall: 1s\n      walls: 2s\n", "5:7: there is no key 'walls' here"},
        {A "    environ: {keep: [], kept: [A]}\n", "3:25: there is no key 'kept' here"},
        {A "    approved:\n      gate: off\n", "4:7: there is no key 'gate' here"},
        {A "    approved: {limits: {cpus: 1}}\n", "3:25: there is no key 'cpus' here"},
        {A "    \"al\\nlow\": [x]\n", "3:5: there is no key 'al?low' here"},
        {A "    \"\": x\n", "3:5: there is no key '' here"},
        {A "    \"\\e[31m\": x\n", "3:5: there is no key '?[31m' here"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void repeated_keys(void **state)
{
    static const struct row rows[] = {
        {"profiles: []\nprofiles: []\n", "2:1: 'profiles' is here a second time"},
        {A "    name: b\n", "3:5: 'name' is here a second time"},
        {A "    limits: {wall: 1s}\n    view: [/x]\n    limits: {cpu: 1s}\n",
         "5:5: 'limits' is here a second time"},
        {A "    approved:\n      limits: {wall: 1s, cpu: 2s, wall: 1s}\n",
         "4:35: 'wall' is here a second time"},
        {A "    allow: [x]\n    \"allow\": [y]\n", "4:5: 'allow' is here a second time"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void wrong_types(void **state)
{
    static const struct row rows[] = {
        {"- name: a\n", "1:1: a mapping (lines of key: value) is wanted here, not a list"},
        {"strict\n", "1:1: a mapping (lines of key: value) is wanted here, not 'strict'"},
        {"profiles:\n", "1:10: a list is wanted here, not nothing"},
        {"profiles: strict\n", "1:11: a list is wanted here, not 'strict'"},
        {P "  name: a\n", "2:3: a list is wanted here, not a mapping"},
        {P "  - a\n", "2:5: a mapping (lines of key: value) is wanted here, not 'a'"},
        {A "  - [b]\n", "3:5: a mapping (lines of key: value) is wanted here, not a list"},
        {P "  - name: [a]\n", "2:11: a text is wanted here, not a list"},
        {"cgroup: maybe\n", "1:9: 'maybe' is neither auto nor off, nor " PATHS},
        {A "cgroup: a/b\n", "3:9: 'a/b' is neither auto nor off, nor " PATHS},
        {"cgroup: /a:b\n", "1:9: '/a:b' is neither auto nor off, nor " PATHS},
        {"cgroup: /a:/b:/c\n", "1:9: '/a:/b:/c' is neither auto nor off, nor " PATHS},
        {A "    from: {name: b}\n", "3:11: a text is wanted here, not a mapping"},
        {A "    limits: 3\n", "3:13: a mapping (lines of key: value) is wanted here, not '3'"},
        {A "    limits: [wall]\n",
         "3:13: a mapping (lines of key: value) is wanted here, not a list"},
        {A "    limits: {wall: [1s]}\n", "3:20: a text is wanted here, not a list"},
        {A "    allow: numpy\n", "3:12: a list is wanted here, not 'numpy'"},
        {A "    allow:\n      - numpy\n      - [pandas]\n",
         "5:9: a text is wanted here, not a list"},
        {A "    allow: [numpy, {x: y}]\n", "3:20: a text is wanted here, not a mapping"},
        {A "    network: maybe\n", "3:14: none or host is wanted here, not 'maybe'"},
        {A "    network: 1\n", "3:14: none or host is wanted here, not '1'"},
        {A "    network: [host]\n", "3:14: none or host is wanted here, not a list"},
        {A "    gate: true\n", "3:11: on or off is wanted here, not 'true'"},
        {A "    site:\n", "3:10: on or off is wanted here, not nothing"},
        {A "    level: none\n", "3:12: full or contained is wanted here, not 'none'"},
        {A "    approved: {files: all}\n", "3:23: host or none is wanted here, not 'all'"},
        {A "    approved:\n      limits: {wall: {s: 1}}\n",
         "4:22: a text is wanted here, not a mapping"},
        {A "    environ: {keep: A}\n", "3:21: a list is wanted here, not 'A'"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void wrong_numbers(void **state)
{
    static const struct row rows[] = {
        {A "    limits: {memory: 12XB}\n", "3:22: '12XB' is not a size such as 512MiB or 64KiB"},
        {A "    limits: {memory: 1.5GiB}\n",
         "3:22: '1.5GiB' is not a size such as 512MiB or 64KiB"},
        {A "    limits: {memory: -1}\n", "3:22: '-1' is not a size such as 512MiB or 64KiB"},
        {A "    limits: {disk: \"\"}\n", "3:20: '' is not a size such as 512MiB or 64KiB"},
        {A "    limits: {tasks: 0x10}\n", "3:21: '0x10' is not a whole number such as 1000"},
        {A "    limits: {tasks: 1K}\n", "3:21: '1K' is not a whole number such as 1000"},
        {A "    limits: {wall: 30}\n", "3:20: '30' is not a duration such as 30s or 1500ms"},
        {A "    limits: {wall: 30 s}\n", "3:20: '30 s' is not a duration such as 30s or 1500ms"},
        {A "    limits: {memory: 1KiB}\n",
         "3:22: '1KiB' is too little to run anything: the least is 8MiB"},
        {A "    limits: {wall: 0s}\n",
         "3:20: '0s' is too little to run anything: the least is 1ms"},
        {A "    limits: {open_files: 3}\n",
         "3:26: '3' is too little to run anything: the least is 16"},
        {A "    limits:\n      wall: 8000h\n", "4:13: '8000h' is too much: the most is 168h"},
        {A "    limits: {input: 99999999999999999999}\n",
         "3:21: '99999999999999999999' is too much: the most is 4GiB"},
        {A "    limits: {code: 99999999999TiB}\n",
         "3:20: '99999999999TiB' is too much: the most is 64MiB"},
        {A "    approved:\n      limits:\n        wall: 1s\n        result: 2GiB\n",
         "6:17: '2GiB' is too much: the most is 1GiB"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void wrong_words(void **state)
{
#define NAME_RULE " is no name: 1 to 64 letters, digits, _ . or -, the first a letter or digit"
    static const struct row rows[] = {
        {P "  - name: \xc3\xa9t\xc3\xa9\n", "2:11: '\xc3\xa9t\xc3\xa9'" NAME_RULE},
        {P "  - name: -a\n", "2:11: '-a'" NAME_RULE},
        {P "  - name: \"\"\n", "2:11: ''" NAME_RULE},
        {P "  - name: a/b\n", "2:11: 'a/b'" NAME_RULE},
        {A "    interpreter: python3\n", "3:18: 'python3' is no absolute path"},
        {A "    view: [etc]\n", "3:12: 'etc' is no absolute path"},
        {A "    view: [/ok, /usr/../etc]\n",
         "3:17: '/usr/../etc' is not spelled plainly: no //, no . or .., no / at the end"},
        {A "    view: [/usr/]\n",
         "3:12: '/usr/' is not spelled plainly: no //, no . or .., no / at the end"},
        {A "    view: [/]\n", "3:12: '/' is everything: name the directories that are needed"},
        {A "    view: [/proc/self]\n", "3:12: '/proc/self' cannot be shown: the box has its own"},
        {A "    allow: [os.path, 2to3]\n", "3:22: '2to3' is no module's name"},
        {A "    preload: [a..b]\n", "3:15: 'a..b' is no module's name"},
        {A "    preload: [\"a\\e[31m\"]\n", "3:15: 'a?[31m' is no module's name"},
        {A "    environ: {patterns: [\"A?\"]}\n",
         "3:26: 'A?' is no pattern of a variable's name: letters, digits, _ and *"},
        {A "    environ:\n      keep: [A, \"B*\"]\n",
         "4:17: 'B*' is no variable's name; what is kept is written out whole"},
        {A "    environ:\n      load: [A=1, B]\n", "4:19: 'B' is not of the form NAME=value"},
        {A "    environ: {load: [PYTHONHOME=/x]}\n",
         "3:22: 'PYTHONHOME=/x' cannot be set: Cordon starts the interpreter its own way"},
        {A "    environ: {load: [LD_PRELOAD=/x]}\n",
         "3:22: 'LD_PRELOAD=/x' cannot be set: Cordon starts the interpreter its own way"},
        {A "    allow: [numpy, pandas, numpy]\n", "3:28: 'numpy' is here a second time"},
        {A "    environ: {load: [A=1, A=2]}\n", "3:27: 'A=2' is here a second time"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void profiles_that_cannot_be_made(void **state)
{
    static const struct row rows[] = {
        {P "  - from: strict\n", "2:5: this profile has no name:"},
        {A "  - {}\n", "3:5: this profile has no name:"},
        {A "  - name: a\n", "3:11: there is a profile 'a' already"},
        {S "  - name: strict\n", "3:11: there is a profile 'strict' already"},
        {A "    from: nope\n", "3:11: there is no profile 'nope'"},
        {A "    from: a\n", "3:11: 'a' cannot be made from itself"},
        {A "    from: b\n  - name: b\n    from: a\n", "5:11: a loop: 'a' is itself made from 'b'"},
        {A "    from: b\n  - name: b\n    from: c\n  - name: c\n    from: a\n",
         "7:11: a loop: 'a' is itself made from 'c'"},
        {A "  - name: b\n    from: c\n  - name: c\n    from: d\n  - name: d\n    from: c\n",
         "8:11: a loop: 'c' is itself made from 'd'"},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void what_strict_does_not_promise(void **state)
{
    static const struct row rows[] = {
        {S "    from: a\n  - name: a\n",
         "3:11: strict is built in, it is made from no other profile"},
        {S "    limits: {memory: 513MiB}\n",
         "3:22: '513MiB' is too much: strict promises at most 512MiB; " ANOTHER},
        {S "    limits:\n      wall: 1s\n      tasks: 17\n",
         "5:14: '17' is too much: strict promises at most 16; " ANOTHER},
        {S "    approved: {limits: {disk: 1GiB}}\n",
         "3:31: '1GiB' is too much: strict promises at most 256MiB; " ANOTHER},
        {S "    allow: [json, os]\n", "3:19: strict cannot be given 'os': " ANOTHER},
        {S "    preload: [numpy]\n", "3:15: strict cannot be given 'numpy': " ANOTHER},
        {S "    view: [/etc]\n", "3:12: strict cannot be given '/etc': " ANOTHER},
        {S "    environ: {keep: [GITHUB_TOKEN]}\n",
         "3:22: strict cannot be given 'GITHUB_TOKEN': " ANOTHER},
        {S "    environ: {load: [OMP_NUM_THREADS=2]}\n",
         "3:22: strict cannot be given 'OMP_NUM_THREADS=2': " ANOTHER},
        {S "    network: host\n", "3:14: strict has no network: " ANOTHER},
        {S "    gate: off\n", "3:11: strict keeps its gate: " ANOTHER},
        {S "    site: on\n", "3:11: strict has the standard library only: " ANOTHER},
    };
    (void)state;
    check(rows, ARRAY_LEN(rows));
}

static void lists_that_are_too_long(void **state)
{
    struct buf text = {0};
    (void)state;
    assert_int_equal(buf_add(&text, A "    allow:\n", strlen(A "    allow:\n"), SIZE_MAX), 0);
    for (int i = 0; i < 1025; i++) {
        char line[32];
        int n = snprintf(line, sizeof(line), "    - m%d\n", i);
        assert_int_equal(buf_add(&text, line, (size_t)n, SIZE_MAX), 0);
    }
    check_bytes(text.data, text.len, "1028:7: this list is too long: it may have 1024 entries");
    buf_done(&text);
}

static void a_file_that_is_too_large(void **state)
{
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    (void)state;
    char *text = malloc(1048577);
    assert_non_null(text);
    memset(text, '#', 1048577);
    write_file(text, 1048577);
    free(text);
    assert_int_equal(profile_set_load(file, &set, &err), CORDON_E_ARG);
    assert_non_null(strstr(err.msg, "cordon.yaml': it is larger than 1 MiB"));
}

static void files_that_cannot_be_read(void **state)
{
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    char expected[128];
    (void)state;
    assert_int_equal(profile_set_load(dir, &set, &err), CORDON_E_ARG);
    (void)snprintf(expected, sizeof(expected), "cannot read the configuration '%s': Is a directory",
                   dir);
    assert_string_equal(err.msg, expected);
    assert_int_equal(profile_set_load("/nonexistent/c.yaml", &set, &err), CORDON_E_ARG);
    assert_string_equal(err.msg, "cannot read the configuration '/nonexistent/c.yaml': "
                                 "No such file or directory");
    assert_string_equal(err.step, "config");
    assert_null(set);
}

/* Any one byte of a good file changed: taken or refused, but never worse (sanitizers). */
static void damaged_files(void **state)
{
    static const char good[] = A "    from: b\n    limits: {wall: 5s, memory: 64MiB}\n"
                                 "    view: [/a, \"/b\"]\n  - name: b\n    environ:\n"
                                 "      keep: [X]\n    approved: {files: none}\n";
    static const char bytes[] = {'\0', '\n', ' ', '[', ']', '{', ':', '-', '&', '*', '"', '\xc3'};
    (void)state;
    for (size_t i = 0; i + 1 < sizeof(good); i++)
        for (size_t k = 0; k < 3; k++) {
            char text[sizeof(good)];
            struct profile_set *set = NULL;
            struct cordon_err err = {0};
            memcpy(text, good, sizeof(good));
            text[i] = bytes[(3 * i + k) % sizeof(bytes)];
            write_file(text, sizeof(good) - 1);
            if (profile_set_load(file, &set, &err) < 0)
                assert_true(err.msg[0] != '\0' && strncmp(err.msg, file, strlen(file)) == 0);
            profile_set_free(set);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_yaml),
        cmocka_unit_test(yaml_that_is_more_than_a_configuration_needs),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(repeated_keys),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(wrong_words),
        cmocka_unit_test(profiles_that_cannot_be_made),
        cmocka_unit_test(what_strict_does_not_promise),
        cmocka_unit_test(lists_that_are_too_long),
        cmocka_unit_test(a_file_that_is_too_large),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
