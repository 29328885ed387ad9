/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_build: what a configuration file means: each profile is a copy of the one it is
 * made from, with what the file says applied, every value checked, and `strict` held to
 * what it promises.
 */
#ifndef CORDON_CORE_CONFIG_BUILD_H
#define CORDON_CORE_CONFIG_BUILD_H

#include "core/config_schema.h"

/* The lists of a profile that a file may add to; X(ID, path in the file, raw, member). */
#define CONFIG_LISTS(X)                                                                            \
    X(ALLOW, "allow", allow, allow)                                                                \
    X(PRELOAD, "preload", preload, load)                                                           \
    X(VIEW, "view", view, view)                                                                    \
    X(PATTERNS, "environ.patterns", environ.patterns, credentials.patterns)                        \
    X(KEEP, "environ.keep", environ.keep, credentials.keep)                                        \
    X(LOAD, "environ.load", environ.load, load_environ)

enum list_id {
#define CONFIG_X(id, path, raw, member) LIST_##id,
    CONFIG_LISTS(CONFIG_X)
#undef CONFIG_X
        LIST_COUNT
};

/* One profile and the arrays it owns; the texts in them belong to the raw file or are static. */
struct built {
    struct profile profile;
    const char **lists[LIST_COUNT];
    const struct raw_profile *raw; /* NULL: as built in */
    unsigned index;                /* of raw in the file */
    enum { BUILD_NEW, BUILD_BUSY, BUILD_DONE } state;
};

struct built_set {
    struct built *items; /* the first is strict */
    size_t count;
};

/*
 * Builds every profile of the file, and strict. raw may be NULL (no file); else it and
 * its texts have to outlive the result. y: only for the places of what is refused.
 */
int config_build(struct config_yaml *y, const struct raw_config *raw, struct built_set *ret,
                 struct cordon_err *reterr);
void config_build_done(struct built_set *set);

/* The place of a limit's value in a profile, approved or not. */
uint64_t *config_limit(struct profile *p, enum limit_id id, int approved);
enum unit_kind config_limit_kind(enum limit_id id);

#endif
