/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn: starts a helper program so that the host program never notices: it is nobody's
 * child that wait() could find, and no signal handler or descriptor of the host follows
 * it.
 */
#ifndef CORDON_CORE_SPAWN_H
#define CORDON_CORE_SPAWN_H

#include "cordon.h"

/*
 * Executes `path` with argv {name}, an empty environment, and `sock` as descriptor 3.
 * The caller keeps its own copy of sock. 0 or CORDON_E_HELPER.
 */
int spawn_helper(const char *path, const char *name, int sock, struct cordon_err *reterr);

/*
 * The directory that holds the helpers: `given`, else that of this library when a
 * cordon-keeper lies beside it (a build in place), else where they were installed.
 */
void spawn_helper_dir(const char *given, char *ret_dir, size_t size);

#endif
