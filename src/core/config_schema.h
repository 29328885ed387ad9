/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_schema: the shape of a configuration file, as libcyaml reads and writes it. What
 * comes out is the file's words in C structures: which keys there are and of which type
 * is settled here, what they mean is config_build's business.
 */
#ifndef CORDON_CORE_CONFIG_SCHEMA_H
#define CORDON_CORE_CONFIG_SCHEMA_H

#include "base/io.h"
#include "core/config_yaml.h"
#include "core/profile.h"
#include "core/units.h"

#define CONFIG_WEEK_MS (UINT64_C(7) * 24 * 3600 * 1000)
#define CONFIG_TIB (UINT64_C(1) << 40)
#define CONFIG_GIB (UINT64_C(1) << 30)
#define CONFIG_MIB (UINT64_C(1) << 20)

/*
 * Every limit: X(ID, key, kind, member of struct profile and of its `approved`, least,
 * most, follows). The least is what still runs anything; the most is what no honest file
 * says. follows: an approved run's is the same unless `approved:` says otherwise.
 */
#define CONFIG_LIMITS(X)                                                                           \
    X(WALL, "wall", UNIT_TIME, limits.wall_ms, 1, CONFIG_WEEK_MS, 1)                               \
    X(CPU, "cpu", UNIT_TIME, limits.cpu_ms, 1, 1024 * CONFIG_WEEK_MS, 0)                           \
    X(MEMORY, "memory", UNIT_SIZE, limits.memory_bytes, 8 * CONFIG_MIB, 16 * CONFIG_TIB, 0)        \
    X(TASKS, "tasks", UNIT_COUNT, limits.tasks, 1, 4194304, 0)                                     \
    X(OPEN_FILES, "open_files", UNIT_COUNT, limits.open_files, 16, 1048576, 0)                     \
    X(DISK, "disk", UNIT_SIZE, limits.disk_bytes, 4096, 16 * CONFIG_TIB, 0)                        \
    X(DISK_FILES, "disk_files", UNIT_COUNT, limits.disk_files, 1, 1000000000, 0)                   \
    X(STDOUT, "stdout", UNIT_SIZE, limits.stdout_bytes, 1, CONFIG_GIB, 1)                          \
    X(STDERR, "stderr", UNIT_SIZE, limits.stderr_bytes, 1, CONFIG_GIB, 1)                          \
    X(RESULT, "result", UNIT_SIZE, limits.result_bytes, 2, CONFIG_GIB, 1)                          \
    X(CODE, "code", UNIT_SIZE, code_bytes, 1, 64 * CONFIG_MIB, 0)                                  \
    X(INPUT, "input", UNIT_SIZE, input_bytes, 2, 4 * CONFIG_GIB, 1)

enum limit_id {
#define CONFIG_X(id, key, kind, member, least, most, follows) LIMIT_##id,
    CONFIG_LIMITS(CONFIG_X)
#undef CONFIG_X
        LIMIT_COUNT
};

struct raw_list {
    const char *const *items;
    unsigned count;
};

struct raw_limits {
    const char *text[LIMIT_COUNT]; /* NULL: not said */
};

struct raw_environ {
    struct raw_list patterns;
    struct raw_list keep;
    struct raw_list load;
};

struct raw_approved {
    enum profile_files files; /* 0: not said; so are all choices below */
    enum profile_network network;
    struct raw_limits limits;
};

struct raw_profile {
    const char *name;
    const char *from;
    const char *interpreter;
    struct raw_list preload;
    struct raw_list allow;
    struct raw_environ environ;
    struct raw_limits limits;
    struct raw_list view;
    enum profile_network network;
    enum profile_gate gate;
    enum profile_site site;
    enum profile_level level;
    struct raw_approved approved;
};

struct raw_config {
    const char *cgroup; /* NULL: not said */
    struct raw_profile *profiles;
    unsigned count;
};

#define CONFIG_PROFILES_MAX 256 /* profiles in one file */
#define CONFIG_ITEMS_MAX 1024   /* entries of one list */

/*
 * Reads the text that `y` was opened with. Unknown and repeated keys, wrong types and
 * words that are not one of a choice are refused with their place.
 */
int config_schema_load(struct config_yaml *y, const char *text, size_t len, struct raw_config **ret,
                       struct cordon_err *reterr);
void config_schema_free(struct raw_config *raw);

/* Appends the YAML text of `raw` to out. 0 or -ENOMEM. */
int config_schema_save(const struct raw_config *raw, struct buf *out);

#endif
