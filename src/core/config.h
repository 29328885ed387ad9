/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: the profiles in force: the built-in one, and what a configuration file makes
 * of it and beside it (cordon.yaml(5)). A file is taken whole or refused whole, with the
 * file, line and column of what is wrong.
 */
#ifndef CORDON_CORE_CONFIG_H
#define CORDON_CORE_CONFIG_H

#include "base/io.h"
#include "core/profile.h"
#include "cordon.h"

struct profile_set; /* opaque; owns everything its profiles point to */

/*
 * Reads the configuration.
 *
 * path: the file; NULL for the first that exists of $XDG_CONFIG_HOME/cordon/cordon.yaml
 *       (~/.config/cordon/cordon.yaml where that is not set) and /etc/cordon/cordon.yaml;
 *       when there is none, the built-in profile is all there is.
 * ret:  set on success; release with profile_set_free().
 *
 * Fails with CORDON_E_ARG, step "config", when the file is wrong, or cannot be read: one
 * that is there and cannot be read is never skipped, since it may be what tightens.
 */
int profile_set_load(const char *path, struct profile_set **ret, struct cordon_err *reterr);

/* The profile of that name (NULL: "strict"), or NULL. Lives as long as the set. */
const struct profile *profile_set_find(const struct profile_set *set, const char *name);

/* The name of the index-th, strict first; NULL past the last. Lives as long as the set. */
const char *profile_set_name(const struct profile_set *set, size_t index);

/* Where control groups are to be made, in the words of cgroups_open(); NULL: not said. */
const char *profile_set_cgroup(const struct profile_set *set);

/* The file that was read, or NULL when there was none. */
const char *profile_set_file(const struct profile_set *set);

/* Accepts NULL. */
void profile_set_free(struct profile_set *set);

/*
 * Appends the profile to out as a configuration file of its own, that loads back to the
 * same profile. What no file can change stands in it as comments. 0 or -ENOMEM.
 */
int config_print(const struct profile *profile, struct buf *out);

#endif
