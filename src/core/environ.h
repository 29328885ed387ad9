/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environ: which variables of an environment user code may see.
 *
 * Credentials are withheld, approved or not: by name, by the way a name ends, and by a
 * value that holds a URL with a password. A profile can add patterns and keep names.
 * Only copies are made: the environment given is never changed.
 */
#ifndef CORDON_CORE_ENVIRON_H
#define CORDON_CORE_ENVIRON_H

#include "cordon.h"

/* What a profile says about it. Both lists end with NULL; a NULL list is empty. */
struct environ_policy {
    const char *const
        *patterns;           /* further names to withhold; * stands for any text, case is ignored */
    const char *const *keep; /* names to pass on all the same, spelled exactly */
};

/*
 * Why the NAME=value `entry` is withheld: a fixed text for a person, or NULL when user
 * code may see it. policy may be NULL.
 */
const char *environ_reason(const char *entry, const struct environ_policy *policy);

/*
 * The environment of an approved run: envp less what is withheld, and the three PYTHON
 * variables that every run gets (their values are ours whatever envp says).
 *
 * envp:     as execve(2) takes it; NULL is an empty one. Only read.
 * ret_envp: set on success: one block, NULL-terminated; free it with one free().
 */
int environ_filter(const char *const *envp, const struct environ_policy *policy, char ***ret_envp,
                   struct cordon_err *reterr);

#endif
