/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: what a file means, which file is read, and that what is printed is what was
 * read. What is refused is in test_config_refused.c.
 */
#include "core/config.h"
#include "core/config_build.h"

#include <errno.h>
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

#define MIB (UINT64_C(1) << 20)

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

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static struct profile_set *load(const char *text)
{
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    write_file(file, text);
    if (profile_set_load(file, &set, &err) < 0)
        fail_msg("%s", err.msg);
    return set;
}

static int has(const char *const *list, const char *item)
{
    for (; *list; list++)
        if (strcmp(*list, item) == 0)
            return 1;
    return 0;
}

static void same_list(const char *const *a, const char *const *b)
{
    size_t i = 0;
    for (; a[i] && b[i]; i++)
        assert_string_equal(a[i], b[i]);
    assert_null(a[i]);
    assert_null(b[i]);
}

static void same_profile(const struct profile *a, const struct profile *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->python, b->python);
    same_list(a->allow, b->allow);
    same_list(a->load, b->load);
    same_list(a->c_imports, b->c_imports);
    same_list(a->hide_builtins, b->hide_builtins);
    same_list(a->view, b->view);
    same_list(a->devices, b->devices);
    same_list(a->environ, b->environ);
    same_list(a->load_environ, b->load_environ);
    same_list(a->credentials.patterns, b->credentials.patterns);
    same_list(a->credentials.keep, b->credentials.keep);
    assert_int_equal(a->network, b->network);
    assert_int_equal(a->gate, b->gate);
    assert_int_equal(a->site, b->site);
    assert_int_equal(a->level, b->level);
    assert_memory_equal(&a->limits, &b->limits, sizeof(a->limits));
    assert_int_equal(a->code_bytes, b->code_bytes);
    assert_int_equal(a->input_bytes, b->input_bytes);
    assert_int_equal(a->approved.files, b->approved.files);
    assert_int_equal(a->approved.network, b->approved.network);
    assert_memory_equal(&a->approved.limits, &b->approved.limits, sizeof(a->limits));
    assert_int_equal(a->approved.code_bytes, b->approved.code_bytes);
    assert_int_equal(a->approved.input_bytes, b->approved.input_bytes);
}

/* ---- units ---------------------------------------------------------------------- */

static void reads_and_writes_units(void **state)
{
    static const struct {
        enum unit_kind kind;
        const char *text;
        uint64_t value;
        const char *printed;
    } rows[] = {
        {UNIT_COUNT, "0", 0, "0"},
        {UNIT_COUNT, "18446744073709551615", UINT64_MAX, "18446744073709551615"},
        {UNIT_SIZE, "512MiB", 512 * MIB, "512MiB"},
        {UNIT_SIZE, "512M", 512 * MIB, "512MiB"},
        {UNIT_SIZE, "1024K", MIB, "1MiB"},
        {UNIT_SIZE, "1000", 1000, "1000"},
        {UNIT_SIZE, "0KiB", 0, "0"},
        {UNIT_SIZE, "1TiB", UINT64_C(1) << 40, "1TiB"},
        {UNIT_TIME, "1500ms", 1500, "1500ms"},
        {UNIT_TIME, "030s", 30000, "30s"},
        {UNIT_TIME, "90s", 90000, "90s"},
        {UNIT_TIME, "60min", 3600000, "1h"},
        {UNIT_TIME, "0s", 0, "0ms"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t value = 1, again = 1;
        char text[UNITS_TEXT_MAX];
        assert_int_equal(units_parse(rows[i].kind, rows[i].text, &value), 0);
        assert_int_equal(value, rows[i].value);
        units_print(rows[i].kind, value, text);
        assert_string_equal(text, rows[i].printed);
        assert_int_equal(units_parse(rows[i].kind, text, &again), 0);
        assert_int_equal(again, value);
    }
}

static void refuses_what_is_no_number(void **state)
{
    static const char *const texts[] = {"",     "s",    "-1s", "+1s", " 1s", "1s ", "1 s",
                                        "1.5s", "1e3s", "1S",  "1m",  "1",   "0x1s"};
    uint64_t value = 7;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_int_equal(units_parse(UNIT_TIME, texts[i], &value), -EINVAL);
    assert_int_equal(units_parse(UNIT_SIZE, "1KB", &value), -EINVAL);
    assert_int_equal(units_parse(UNIT_COUNT, "18446744073709551616", &value), -ERANGE);
    assert_int_equal(units_parse(UNIT_SIZE, "16777216TiB", &value), -ERANGE);
    assert_int_equal(value, 7);
}

/* ---- what a file means ------------------------------------------------------------- */

static void an_empty_file_leaves_strict(void **state)
{
    static const char *const texts[] = {
        "", "# nothing\n", "---\n", "{}\n", "profiles: []\n", "\xef\xbb\xbf# a byte-order mark\n"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct profile_set *set = load(texts[i]);
        same_profile(profile_set_find(set, NULL), profile_find("strict"));
        assert_ptr_equal(profile_set_find(set, NULL), profile_set_find(set, "strict"));
        assert_null(profile_set_find(set, "a"));
        assert_string_equal(profile_set_file(set), file);
        profile_set_free(set);
    }
    profile_set_free(NULL);
}

static void a_new_profile_is_strict_with_another_name(void **state)
{
    struct profile_set *set = load(A);
    struct profile expected = *profile_find("strict");
    (void)state;
    expected.name = "a";
    same_profile(profile_set_find(set, "a"), &expected);
    profile_set_free(set);
}

static void takes_every_key(void **state)
{
    struct profile_set *set = load(
        A "    interpreter: /srv/venv/bin/python\n    site: on\n    level: contained\n"
          "    preload: [x.y]\n"
          "    allow: [numpy, json]\n    view: [/etc/fonts]\n    network: host\n    gate: off\n"
          "    environ: {patterns: [\"*_DSN\"], keep: [HF_TOKEN], load: [MPLBACKEND=Agg]}\n"
          "    limits: {wall: 1500ms, cpu: 5s, memory: 64MiB, tasks: 2, open_files: 20,\n"
          "      disk: 1MiB, disk_files: 3, stdout: 1K, stderr: 2K, result: 3K, code: 4K, input: "
          "5K}\n"
          "    approved: {files: none, network: none, limits: {cpu: 9s, tasks: 5}}\n");
    const struct profile *a = profile_set_find(set, "a"), *strict = profile_set_find(set, NULL);
    const struct cordon_limits limits = {sizeof(limits), 1500, 5000, 64 * MIB, 2, 20, MIB, 3,
                                         1024,           2048, 3072};
    (void)state;
    assert_string_equal(a->python, "/srv/venv/bin/python");
    assert_true(has(a->load, "x.y") && has(a->load, "traceback") && !has(strict->load, "x.y"));
    assert_true(has(a->allow, "numpy") && has(a->allow, "math") && !has(strict->allow, "numpy"));
    assert_true(has(a->view, "/etc/fonts") && has(a->view, "/etc/localtime"));
    assert_true(has(a->load_environ, "MPLBACKEND=Agg") &&
                has(a->load_environ, "OMP_NUM_THREADS=1"));
    assert_true(has(a->credentials.patterns, "*_DSN") && has(a->credentials.keep, "HF_TOKEN"));
    assert_int_equal(a->network, PROFILE_NETWORK_HOST);
    assert_int_equal(a->gate, PROFILE_GATE_OFF);
    assert_int_equal(a->site, PROFILE_SITE_ON);
    assert_int_equal(a->level, PROFILE_LEVEL_CONTAINED);
    assert_memory_equal(&a->limits, &limits, sizeof(limits));
    assert_int_equal(a->code_bytes, 4096);
    assert_int_equal(a->input_bytes, 5120);
    assert_int_equal(a->approved.files, PROFILE_FILES_NONE);
    assert_int_equal(a->approved.network, PROFILE_NETWORK_NONE);
    assert_int_equal(a->approved.limits.cpu_ms, 9000);
    assert_int_equal(a->approved.limits.tasks, 5);
    same_profile(strict, profile_find("strict"));
    profile_set_free(set);
}

static void a_chain_adds_up_in_any_order(void **state)
{
    struct profile_set *set = load(P "  - {name: c, from: b, allow: [z, x], limits: {tasks: 9}}\n"
                                     "  - {name: b, from: a, allow: [y], limits: {wall: 7s}}\n"
                                     "  - {name: a, allow: [x], limits: {tasks: 4, wall: 6s},\n"
                                     "     environ: {load: [OMP_NUM_THREADS=2]}, gate: off}\n");
    const struct profile *a = profile_set_find(set, "a"), *c = profile_set_find(set, "c");
    size_t n = 0;
    (void)state;
    while (profile_find(NULL)->allow[n])
        n++;
    assert_string_equal(c->allow[n], "x");
    assert_string_equal(c->allow[n + 1], "y");
    assert_string_equal(c->allow[n + 2], "z");
    assert_null(c->allow[n + 3]);
    assert_null(a->allow[n + 1]);
    assert_int_equal(c->limits.tasks, 9);
    assert_int_equal(c->limits.wall_ms, 7000);
    assert_int_equal(c->gate, PROFILE_GATE_OFF);
    assert_string_equal(c->load_environ[0], "OMP_NUM_THREADS=2"); /* in place of strict's */
    profile_set_free(set);
}

static void strict_can_be_tightened_for_all(void **state)
{
    struct profile_set *set = load(
        A "  - name: strict\n    interpreter: /opt/python\n    environ: {patterns: [X]}\n"
          "    limits: {wall: 10s, memory: 256MiB}\n    allow: [json]\n    gate: on\n"
          "    network: none\n    approved: {files: none, network: none, limits: {tasks: 8}}\n");
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct profile *p = profile_set_find(set, i ? "a" : "strict");
        assert_string_equal(p->python, "/opt/python");
        assert_string_equal(p->credentials.patterns[0], "X");
        assert_int_equal(p->limits.wall_ms, 10000);
        assert_int_equal(p->limits.memory_bytes, 256 * MIB);
        assert_int_equal(p->approved.limits.tasks, 8);
        assert_int_equal(p->approved.files, PROFILE_FILES_NONE);
        same_list(p->allow, profile_find("strict")->allow);
    }
    assert_int_equal(profile_find("strict")->limits.wall_ms, 30000);
    profile_set_free(set);
}

/* What limits: says for approved runs, too, and how much processor time a wall limit is. */
static void limits_carry_over_to_approved_runs(void **state)
{
    struct profile_set *set =
        load(P "  - {name: a, limits: {wall: 60s, memory: 4GiB, tasks: 3, result: 1MiB}}\n"
               "  - {name: b, from: a, approved: {limits: {wall: 5s, memory: 8MiB}}}\n"
               "  - {name: c, limits: {cpu: 90s}, approved: {limits: {cpu: 20s}}}\n"
               "  - {name: d, from: c, limits: {wall: 1s}}\n");
    const struct profile *a = profile_set_find(set, "a"), *b = profile_set_find(set, "b");
    const struct profile *c = profile_set_find(set, "c"), *d = profile_set_find(set, "d");
    (void)state;
    assert_int_equal(a->limits.cpu_ms, 60000);
    assert_int_equal(a->approved.limits.wall_ms, 60000);
    assert_int_equal(a->approved.limits.cpu_ms, 0);
    assert_int_equal(a->approved.limits.memory_bytes, 4096 * MIB);
    assert_int_equal(a->approved.limits.tasks, 128);
    assert_int_equal(a->approved.limits.result_bytes, MIB);
    assert_int_equal(b->limits.wall_ms, 60000);
    assert_int_equal(b->approved.limits.wall_ms, 5000);
    assert_int_equal(b->approved.limits.memory_bytes, 8 * MIB);
    assert_int_equal(c->limits.wall_ms, 30000);
    assert_int_equal(c->limits.cpu_ms, 90000);
    assert_int_equal(c->approved.limits.cpu_ms, 20000);
    assert_int_equal(d->limits.cpu_ms, 1000);
    assert_int_equal(d->approved.limits.cpu_ms, 0);
    profile_set_free(set);
}

/* ---- which file -------------------------------------------------------------------- */

static void looks_where_it_should(void **state)
{
    char home[64], config[96], cordon[128], own[160];
    struct profile_set *set = NULL;
    (void)state;
    (void)snprintf(home, sizeof(home), "%s/h", dir);
    (void)snprintf(config, sizeof(config), "%s/.config", home);
    (void)snprintf(cordon, sizeof(cordon), "%s/cordon", config);
    (void)snprintf(own, sizeof(own), "%s/cordon.yaml", cordon);
    assert_int_equal(mkdir(home, 0700) + mkdir(config, 0700) + mkdir(cordon, 0700), 0);
    write_file(own, A);

    assert_int_equal(setenv("HOME", home, 1) + unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(profile_set_load(NULL, &set, NULL), 0);
    assert_string_equal(profile_set_file(set), own);
    profile_set_free(set);

    assert_int_equal(setenv("HOME", "/nonexistent", 1) + setenv("XDG_CONFIG_HOME", config, 1), 0);
    assert_int_equal(profile_set_load(NULL, &set, NULL), 0);
    assert_string_equal(profile_set_file(set), own);
    profile_set_free(set);

    /* A relative one is ignored, and a file that is named is the only one. */
    assert_int_equal(setenv("HOME", home, 1) + setenv("XDG_CONFIG_HOME", "x", 1), 0);
    assert_int_equal(profile_set_load(NULL, &set, NULL), 0);
    assert_string_equal(profile_set_file(set), own);
    profile_set_free(set);
    set = load("");
    assert_string_equal(profile_set_file(set), file);
    profile_set_free(set);

    assert_int_equal(unlink(own) + rmdir(cordon) + rmdir(config) + rmdir(home), 0);
}

static void no_file_leaves_strict(void **state)
{
    struct profile_set *set = NULL;
    (void)state;
    assert_int_equal(setenv("HOME", dir, 1) + unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(profile_set_load(NULL, &set, NULL), 0);
    if (profile_set_file(set)) /* this machine is configured */
        assert_string_equal(profile_set_file(set), "/etc/cordon/cordon.yaml");
    else
        same_profile(profile_set_find(set, NULL), profile_find(NULL));
    profile_set_free(set);
}

static void a_default_file_that_is_wrong_is_no_missing_one(void **state)
{
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    char cordon[64], own[96];
    (void)state;
    (void)snprintf(cordon, sizeof(cordon), "%s/cordon", dir);
    (void)snprintf(own, sizeof(own), "%s/cordon.yaml", cordon);
    assert_int_equal(mkdir(cordon, 0700) + mkdir(own, 0700), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
    assert_int_equal(profile_set_load(NULL, &set, &err), CORDON_E_ARG);
    assert_non_null(strstr(err.msg, "Is a directory"));
    assert_int_equal(rmdir(own) + rmdir(cordon), 0);
}

/* ---- printing ------------------------------------------------------------------------ */

static void check_round_trip(const struct profile *p)
{
    struct buf text = {0}, again = {0};
    assert_int_equal(config_print(p, &text), 0);
    struct profile_set *set = load(text.data);
    const struct profile *back = profile_set_find(set, p->name);
    assert_non_null(back);
    same_profile(p, back);
    assert_int_equal(config_print(back, &again), 0);
    assert_string_equal(text.data, again.data);
    profile_set_free(set);
    buf_done(&text);
    buf_done(&again);
}

static void what_is_printed_loads_back(void **state)
{
    static const char text[] =
        P "  - {name: strict, environ: {patterns: [\"*\", \"*_dsn\"]}, limits: {disk: 5000}}\n"
          "  - {name: a, interpreter: \"/a b/#: \\u00e9\", allow: [x], limits: {wall: 61s}}\n"
          "  - name: b\n    from: a\n    site: on\n    gate: off\n    network: host\n"
          "    environ: {keep: [A, \"null\", \"true\"], load: ['A= x: #''\" ', \"B=\\n\\t\", "
          "OMP_NUM_THREADS=3]}\n"
          "    view: [\"/- x\", \"/\\U0001F600\", '/a,b]', /very/long/path/that/makes/the/line/be/"
          "folded/somewhere in/the middle/of/it/and/then some/more/of it]\n"
          "    approved: {files: none, network: none, limits: {cpu: 1ms, input: 7, memory: 9M}}\n"
          "  - {name: c, from: b, limits: {wall: 1h}}\n";
    static const char *const names[] = {"strict", "a", "b", "c"};
    struct profile_set *set = load(text);
    (void)state;
    check_round_trip(profile_find(NULL));
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        check_round_trip(profile_set_find(set, names[i]));
    profile_set_free(set);
}

static void says_what_no_file_can_change(void **state)
{
    struct buf text = {0};
    (void)state;
    assert_int_equal(config_print(profile_find(NULL), &text), 0);
    assert_non_null(strstr(text.data, "#   names that do not exist: open input "));
    assert_non_null(strstr(text.data, "PYTHONUTF8=1"));
    assert_non_null(strstr(text.data, "\n    memory: 512MiB\n"));
    assert_non_null(strstr(text.data, "\n      memory: 1GiB\n"));
    buf_done(&text);
}

/* ---- the man page and the example --------------------------------------------------------------------- */

static void source_path(char *ret, size_t size, const char *name)
{
    const char *source = getenv("CORDON_SOURCE");
    assert_non_null(source);
    (void)snprintf(ret, size, "%s/%s", source, name);
}

/* The rows of its table are those of the profile. */
static void the_man_page_has_the_limits_of_strict(void **state)
{
    static const char *const keys[] = {
#define CONFIG_X(id, key, kind, member, least, most, follows) key,
        CONFIG_LIMITS(CONFIG_X)
#undef CONFIG_X
    };
    struct profile strict = *profile_find(NULL);
    char path[4096], page[32768], row[64], end[128], text[2][UNITS_TEXT_MAX];
    (void)state;
    source_path(path, sizeof(path), "man/cordon.yaml.5.scd");
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
    assert_int_equal(fclose(f), 0);
    for (enum limit_id id = 0; id < LIMIT_COUNT; id++) {
        for (int i = 0; i < 2; i++)
            units_print(config_limit_kind(id), *config_limit(&strict, id, i), text[i]);
        (void)snprintf(row, sizeof(row), "\n|  %s\n:  ", keys[id]);
        (void)snprintf(end, sizeof(end), "\n:  %s\n:  %s\n", text[0],
                       id == LIMIT_CPU ? "wall, times all processors" : text[1]);
        const char *at = strstr(page, row);
        assert_non_null(at);
        at = strchr(at + strlen(row), '\n');
        assert_memory_equal(at, end, strlen(end));
    }
}

static void the_example_loads(void **state)
{
    char path[4096];
    struct profile_set *set = NULL;
    struct cordon_err err = {0};
    (void)state;
    source_path(path, sizeof(path), "examples/cordon.yaml");
    if (profile_set_load(path, &set, &err) < 0)
        fail_msg("%s", err.msg);
    const struct profile *data = profile_set_find(set, "data");
    assert_non_null(data);
    assert_true(has(data->allow, "numpy") && has(data->allow, "pandas") &&
                has(data->allow, "matplotlib.pyplot") && has(data->allow, "json"));
    assert_true(has(data->load_environ, "MPLBACKEND=Agg") &&
                has(data->load_environ, "OMP_NUM_THREADS=1"));
    assert_int_equal(data->network, PROFILE_NETWORK_NONE);
    assert_int_equal(data->gate, PROFILE_GATE_ON);
    check_round_trip(data);
    check_round_trip(profile_set_find(set, "strict"));
    check_round_trip(profile_set_find(set, "fetch"));
    profile_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_units),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(an_empty_file_leaves_strict),
        cmocka_unit_test(a_new_profile_is_strict_with_another_name),
        cmocka_unit_test(takes_every_key),
        cmocka_unit_test(a_chain_adds_up_in_any_order),
        cmocka_unit_test(strict_can_be_tightened_for_all),
        cmocka_unit_test(limits_carry_over_to_approved_runs),
        cmocka_unit_test(looks_where_it_should),
        cmocka_unit_test(no_file_leaves_strict),
        cmocka_unit_test(a_default_file_that_is_wrong_is_no_missing_one),
        cmocka_unit_test(what_is_printed_loads_back),
        cmocka_unit_test(says_what_no_file_can_change),
        cmocka_unit_test(the_man_page_has_the_limits_of_strict),
        cmocka_unit_test(the_example_loads),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
