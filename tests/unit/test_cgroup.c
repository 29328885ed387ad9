/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups, made of ordinary files: what is written to which knob, what is read back,
 * and that every group goes again. Version 2 and version 1 alike.
 */
#include "core/cgroup.h"

#include "base/io.h"
#include "core/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "execute.h"

#define MIB (1ull << 20)

struct fake {
    char root[32];
    char paths[256];
    struct cgroups groups;
    struct cgroup *group; /* NULL: none */
};

static const char *const v2_files[] = {
    "memory.max",  "memory.high",   "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max",
    "memory.peak", "memory.events", "cgroup.procs",    "cgroup.kill",      NULL,
};
static const char *const v1_files[] = {
    "memory.limit_in_bytes",
    "memory.memsw.limit_in_bytes",
    "memory.swappiness",
    "pids.max",
    "memory.max_usage_in_bytes",
    "memory.oom_control",
    "cgroup.procs",
    "cgroup.event_control",
    NULL,
};

static const char *const *files;
static const char *missing; /* a file that new groups do not have */
static int busy;            /* how often a removal is refused */

static void put(int dir, const char *name, const char *text)
{
    AUTO_FD fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
}

static int make_fake(int dir, const char *name)
{
    assert_int_equal(mkdirat(dir, name, 0700), 0);
    AUTO_FD made = openat(dir, name, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; files[i]; i++)
        if (!missing || strcmp(files[i], missing) != 0)
            put(made, files[i], "");
    return 0;
}

static int remove_fake(int dir, const char *name)
{
    if (busy > 0 && busy--)
        return -EBUSY;
    AUTO_FD made = openat(dir, name, O_RDONLY | O_DIRECTORY);
    if (made < 0)
        return -errno;
    for (size_t i = 0; files[i]; i++)
        (void)unlinkat(made, files[i], 0);
    return unlinkat(dir, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static void make_place(const struct fake *f, const char *name, const char *const *with)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/%s", f->root, name);
    assert_int_equal(mkdir(path, 0700), 0);
    AUTO_FD dir = open(path, O_RDONLY | O_DIRECTORY);
    for (; *with; with++)
        put(dir, *with, "");
}

static void open_fake(struct fake *f, int version)
{
    static const char *const v2_marks[] = {"cgroup.controllers", "cgroup.subtree_control", NULL};
    static const char *const memory_marks[] = {"memory.limit_in_bytes", "cgroup.clone_children",
                                               NULL};
    static const char *const pids_marks[] = {"cgroup.clone_children", NULL};
    struct cordon_err err = {0};

    *f = (struct fake){.group = NULL};
    (void)strcpy(f->root, "/tmp/cgroup-test-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    if (version == 2) {
        make_place(f, "a", v2_marks);
        (void)snprintf(f->paths, sizeof(f->paths), "%s/a", f->root);
    } else {
        make_place(f, "a", memory_marks);
        make_place(f, "b", pids_marks);
        (void)snprintf(f->paths, sizeof(f->paths), "%s/a:%s/b", f->root, f->root);
    }
    files = version == 2 ? v2_files : v1_files;
    missing = NULL;
    busy = 0;
    if (cgroups_open_at(f->paths, &f->groups, &err) != 0)
        fail_msg("%s", err.msg);
    f->groups.make = make_fake;
    f->groups.remove = remove_fake;
}

static size_t groups_in(int dir)
{
    size_t count = 0;
    DIR *stream = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY));
    assert_non_null(stream);
    for (struct dirent *e; (e = readdir(stream));)
        count += strncmp(e->d_name, "cordon-", 7) == 0;
    (void)closedir(stream);
    return count;
}

static void close_fake(struct fake *f)
{
    char command[64];
    cgroup_end(f->group);
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        if (f->groups.kind[i])
            assert_int_equal(groups_in(f->groups.dir[i]), 0);
    cgroups_close(&f->groups);
    (void)snprintf(command, sizeof(command), "rm -r %s", f->root);
    assert_int_equal(system(command), 0);
}

/* A file of the one group that there is. */
static int open_file(const struct fake *f, size_t place, const char *name, int flags)
{
    DIR *stream = fdopendir(openat(f->groups.dir[place], ".", O_RDONLY | O_DIRECTORY));
    struct dirent *e;
    while ((e = readdir(stream)) && strncmp(e->d_name, "cordon-", 7) != 0)
        ;
    assert_non_null(e);
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", e->d_name, name);
    int fd = openat(dirfd(stream), path, flags);
    (void)closedir(stream);
    assert_true(fd >= 0);
    return fd;
}

static void expect(const struct fake *f, size_t place, const char *name, const char *want)
{
    char text[64];
    AUTO_FD fd = open_file(f, place, name, O_RDONLY);
    ssize_t n = read(fd, text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    assert_string_equal(text, want);
}

static void say(const struct fake *f, size_t place, const char *name, const char *text)
{
    AUTO_FD fd = open_file(f, place, name, O_WRONLY | O_TRUNC);
    assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
}

static const struct cgroup_limits strict = {
    .memory_bytes = 512 * MIB, .tasks = 16, .processors = 1};
static const struct cgroup_limits wide = {.memory_bytes = UINT64_MAX, .tasks = 128};

static void new_group(struct fake *f, const struct cgroup_limits *limits)
{
    struct cordon_err err = {0};
    if (cgroup_new(&f->groups, limits, &f->group, &err) != 0)
        fail_msg("%s", err.msg);
}

static void end_group(struct fake *f)
{
    cgroup_end(f->group);
    f->group = NULL;
}

/* With one group, of strict limits; close_fake() ends it. */
static void open_with_group(struct fake *f, int version)
{
    open_fake(f, version);
    new_group(f, &strict);
}

static void version_2_writes_every_knob(void **state)
{
    (void)state;
    struct fake f;
    open_with_group(&f, 2);
    assert_string_equal(cgroups_name(&f.groups), "cgroup-v2");
    expect(&f, 0, "memory.max", "570425344"); /* a 32nd part and 16 MiB more */
    expect(&f, 0, "memory.high", "max");
    expect(&f, 0, "memory.swap.max", "0");
    expect(&f, 0, "memory.oom.group", "1");
    expect(&f, 0, "pids.max", "16");
    expect(&f, 0, "cpu.max", "100000 100000");
    assert_int_equal(cgroup_add(f.group, 4711, NULL), 0);
    expect(&f, 0, "cgroup.procs", "4711");
    assert_true(cgroup_has(f.group, 4711) && !cgroup_has(f.group, 12));
    int doors[CGROUP_PLACES];
    assert_int_equal(cgroup_doors(f.group, doors), 1);
    assert_int_equal(io_write_all(doors[0], "12", 2), 0);
    (void)close(doors[0]);
    expect(&f, 0, "cgroup.procs", "1211"); /* written over it: a file is all there is here */
    assert_int_equal(cgroup_set(f.group, &wide, NULL), 0);
    expect(&f, 0, "pids.max", "128");
    end_group(&f);
    new_group(&f, &wide);
    expect(&f, 0, "memory.max", "9223372036854775807");
    expect(&f, 0, "cpu.max", "max 100000");
    close_fake(&f);
}

static void version_1_writes_every_knob(void **state)
{
    (void)state;
    struct fake f;
    open_with_group(&f, 1);
    assert_string_equal(cgroups_name(&f.groups), "cgroup-v1");
    expect(&f, 0, "memory.limit_in_bytes", "570425344");
    expect(&f, 0, "memory.memsw.limit_in_bytes", "570425344");
    expect(&f, 0, "memory.swappiness", "0");
    expect(&f, 1, "pids.max", "16");
    assert_int_equal(cgroup_add(f.group, 12, NULL), 0);
    expect(&f, 0, "cgroup.procs", "12");
    expect(&f, 1, "cgroup.procs", "12");
    close_fake(&f);
}

/* What the kernel says in a group's files, and what is made of it. */
struct took {
    const char *memory_events, *peak;
    uint64_t peak_bytes, kills;
    int full;
};

static void say_took(const struct fake *f, int version, const struct took *took)
{
    if (took->peak)
        say(f, 0, version == 2 ? "memory.peak" : "memory.max_usage_in_bytes", took->peak);
    if (took->memory_events)
        say(f, 0, version == 2 ? "memory.events" : "memory.oom_control", took->memory_events);
}

static void expect_took(int version, const struct took *took)
{
    struct fake f;
    struct cgroup_use use;
    open_with_group(&f, version);
    say_took(&f, version, took);
    cgroup_read(f.group, &use);
    assert_int_equal(use.peak_bytes, took->peak_bytes);
    assert_int_equal(use.kills, took->kills);
    assert_int_equal(cgroup_is_full(f.group), took->full);
    close_fake(&f);
}

static void what_it_took_is_read_back(void **state)
{
    (void)state;
    expect_took(2, &(struct took){.memory_events = NULL});
    expect_took(2, &(struct took){"low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n",
                                  "123456789\n", 123456789, 2, 1});
    expect_took(1, &(struct took){"oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", "570400000\n",
                                  570400000, 7, 1});
}

static void a_kill_for_what_others_lack_is_not_counted(void **state)
{
    (void)state;
    expect_took(2, &(struct took){"low 0\nhigh 0\nmax 12\noom 0\noom_kill 2\noom_group_kill 1\n",
                                  NULL, 0, 0, 0});
    expect_took(1, &(struct took){"oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", "560000000\n",
                                  560000000, 0, 0});
}

/* That `cpuset` is handed on says nothing of `cpu`. */
static void what_is_not_handed_on_yet_is(void **state)
{
    static const struct {
        const char *before, *written;
    } rows[] = {
        {"cpuset memory pids\n", "+cpuet memory pids\n"}, /* "+cpu" is written over it */
        {"cpu memory pids\n", "cpu memory pids\n"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake f;
        struct cordon_err err = {0};
        char text[64] = "";
        open_fake(&f, 2);
        put(f.groups.dir[0], "cgroup.subtree_control", rows[i].before);
        cgroups_close(&f.groups);
        assert_int_equal(cgroups_open_at(f.paths, &f.groups, &err), 0);
        AUTO_FD fd = openat(f.groups.dir[0], "cgroup.subtree_control", O_RDONLY);
        assert_true(read(fd, text, sizeof(text) - 1) > 0);
        assert_string_equal(text, rows[i].written);
        f.groups.make = make_fake;
        f.groups.remove = remove_fake;
        close_fake(&f);
    }
}

static void only_version_1_has_to_be_watched(void **state)
{
    struct fake f;
    char order[32] = "";
    int told, about;
    (void)state;

    open_with_group(&f, 2);
    assert_int_equal(cgroup_watch(f.group), -1);
    close_fake(&f);

    open_with_group(&f, 1);
    AUTO_FD fd = cgroup_watch(f.group);
    assert_true(fd >= 0);
    AUTO_FD file = open_file(&f, 0, "cgroup.event_control", O_RDONLY);
    assert_true(read(file, order, sizeof(order) - 1) > 0);
    assert_int_equal(sscanf(order, "%d %d", &told, &about), 2);
    assert_int_equal(told, fd);
    close_fake(&f);
}

static void a_knob_that_is_needed_and_missing_is_an_error(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *file;
        int needed;
    } rows[] = {
        {2, "memory.max", 1},       {2, "pids.max", 1},
        {2, "memory.oom.group", 1}, {2, "memory.swap.max", 0},
        {2, "cpu.max", 0},          {1, "memory.limit_in_bytes", 1},
        {1, "pids.max", 1},         {1, "memory.memsw.limit_in_bytes", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake f;
        struct cordon_err err = {0};
        open_fake(&f, rows[i].version);
        missing = rows[i].file;
        assert_int_equal(cgroup_new(&f.groups, &strict, &f.group, &err) < 0, rows[i].needed);
        assert_int_equal(strstr(err.msg, rows[i].file) != NULL, rows[i].needed);
        close_fake(&f); /* no half-made group is left */
    }
}

static void a_group_that_is_busy_goes_later(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        struct fake f;
        open_with_group(&f, version);
        busy = version == 2 ? 3 : 6;
        end_group(&f);
        if (version == 2)
            expect(&f, 0, "cgroup.kill", "1");
        assert_int_equal(cgroups_collect(&f.groups), 1);
        assert_int_equal(cgroups_collect(&f.groups), 1);
        assert_int_equal(cgroups_collect(&f.groups), 0);
        assert_null(f.groups.ended);
        close_fake(&f);
    }
}

/* A standby may come in between the question and the removal, and must live on. */
static void what_is_removed_as_empty_kills_nobody(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        struct fake f;
        open_with_group(&f, version);
        busy = 1;
        assert_false(cgroup_end_empty(f.group));
        if (version == 2)
            expect(&f, 0, "cgroup.kill", "");
        assert_int_equal(groups_in(f.groups.dir[0]), 1);
        assert_true(cgroup_end_empty(f.group));
        f.group = NULL;
        assert_int_equal(groups_in(f.groups.dir[0]), 0);
        assert_int_equal(cgroups_collect(&f.groups), 0);
        close_fake(&f);
    }
}

static void no_place_is_said_and_a_wrong_one_refused(void **state)
{
    (void)state;
    struct cgroups none;
    struct cordon_err err = {0};
    struct fake f;
    char paths[600];

    assert_int_equal(cgroups_open("off", &none, &err), 0);
    assert_non_null(strstr(err.msg, "off"));
    assert_true(cgroups_open("/nonexistent", &none, &err) < 0);
    assert_string_equal(err.step, "cgroup");
    assert_true(cgroups_open("relative", &none, &err) < 0);
    assert_true(cgroups_open("/tmp", &none, &err) < 0);
    assert_true(cgroups_open("", &none, &err) < 0);

    open_fake(&f, 1);
    (void)snprintf(paths, sizeof(paths), "%s/a", f.root);
    assert_true(cgroups_open(paths, &none, &err) < 0); /* memory without pids */
    (void)snprintf(paths, sizeof(paths), "%s/b:%s/a", f.root, f.root);
    assert_true(cgroups_open(paths, &none, &err) < 0);
    (void)snprintf(paths, sizeof(paths), "%s:%s/b", f.paths, f.root);
    assert_true(cgroups_open(paths, &none, &err) < 0);
    assert_int_equal(cgroups_open(f.paths, &none, &err), 1);
    cgroups_close(&none);
    close_fake(&f);
}

/* ---- an engine that has such groups ------------------------------------------------ */

static int make_counted(int dir, const char *name)
{
    (void)make_fake(dir, name);
    AUTO_FD made = openat(dir, name, O_RDONLY | O_DIRECTORY);
    put(made, "memory.peak", "7654321\n");
    put(made, "memory.events", "oom 1\noom_kill 1\n");
    return 0;
}

/* What a group held when it was removed that was a run's: in those ahead nobody seems to be. */
static long last_member;

static int remove_counted(int dir, const char *name)
{
    char path[OWNER_NAME_MAX + 32], text[32] = "";
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", name);
    AUTO_FD fd = openat(dir, path, O_RDONLY);
    (void)!read(fd, text, sizeof(text) - 1);
    long member = strtol(text, NULL, 10);
    if (member > 0)
        last_member = member;
    return remove_fake(dir, name);
}

static void expect_in(const struct cordon_result *result, const char *part)
{
    const char *envelope = cordon_result_envelope(result, NULL);
    if (!strstr(envelope, part))
        fail_msg("no %s in %s", part, envelope);
}

static void runs_are_put_into_groups_and_judged_by_them(void **state)
{
    (void)state;
    const struct cordon_options opts = {
        .size = sizeof(opts),
        .helper_dir = getenv("CORDON_WORKER_DIR"),
        .cgroup = "off",
        .drop_walls = CORDON_WALL_GATE | CORDON_WALL_INTERPRETER,
    };
    struct cordon_engine *engine = NULL;
    struct cordon_err err = {0};
    struct fake f;
    open_fake(&f, 2);
    f.groups.make = make_counted;
    f.groups.remove = remove_counted;
    if (cordon_engine_new(&opts, &engine, &err) != 0)
        fail_msg("%s: %s", err.step, err.msg);
    engine->groups = f.groups;
    engine->owner.groups = &engine->groups;

    for (int approved = 0; approved <= 1; approved++) {
        last_member = 0;
        struct cordon_result *result = execute(engine, "result['n'] = 1", approved);
        assert_int_equal(cordon_result_status(result), CORDON_OK);
        expect_in(result, "\"limits_by\": \"cgroup-v2\"");
        expect_in(result, "\"memory_peak_bytes\": 7654321");
        cordon_result_free(result);
        for (int i = 0; i < 500 && last_member == 0; i++) { /* it is removed a moment later */
            (void)poll(NULL, 0, 10);
            assert_int_equal(cordon_step(engine, &err), 0);
        }
        assert_true(last_member > 1);

        /* Ended without an answer, and the kernel has killed something of it. */
        result = execute(engine, "import os\nos._exit(3)", approved);
        assert_int_equal(cordon_result_status(result), CORDON_LIMIT);
        assert_string_equal(cordon_result_error(result, "limit"), "memory");
        expect_in(result, "it had come to 7.3 MiB");
        cordon_result_free(result);
    }

    /* One that cannot come in is counted by its keeper, which then makes its memory files. */
    missing = "cgroup.procs";
    struct cordon_result *result = execute(
        engine, "import os\nresult['n'] = os.statvfs(os.memfd_create('x')).f_blocks > 0", 1);
    assert_int_equal(cordon_result_status(result), CORDON_OK);
    expect_in(result, "\"limits_by\": \"sampling\"");
    expect_in(result, "{\"n\":true}");
    cordon_result_free(result);
    cordon_engine_free(engine);
    AUTO_FD dir = open(f.paths, O_RDONLY | O_DIRECTORY);
    assert_int_equal(groups_in(dir), 0);
    f.groups = (struct cgroups){.kind = {NULL, NULL}};
    close_fake(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2_writes_every_knob),
        cmocka_unit_test(version_1_writes_every_knob),
        cmocka_unit_test(what_it_took_is_read_back),
        cmocka_unit_test(a_kill_for_what_others_lack_is_not_counted),
        cmocka_unit_test(what_is_not_handed_on_yet_is),
        cmocka_unit_test(only_version_1_has_to_be_watched),
        cmocka_unit_test(a_knob_that_is_needed_and_missing_is_an_error),
        cmocka_unit_test(a_group_that_is_busy_goes_later),
        cmocka_unit_test(what_is_removed_as_empty_kills_nobody),
        cmocka_unit_test(no_place_is_said_and_a_wrong_one_refused),
        cmocka_unit_test(runs_are_put_into_groups_and_judged_by_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
