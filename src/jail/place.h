/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place: a directory on the host for the working directories of one box, where the box has
 * no root of its own to keep them in. Whoever made it removes it, with all that is in it.
 *
 * What is in it was made by hostile code: nothing here follows a link, recurses, or holds
 * more than two descriptors, however deep and odd the tree is.
 */
#ifndef CORDON_JAIL_PLACE_H
#define CORDON_JAIL_PLACE_H

#include "cordon.h"

#include <sys/types.h>

/* PLACE_SHARED: everybody may make things in it, and neither list nor remove others'. */
enum place_use { PLACE_OWN = 0700, PLACE_SHARED = 01733 };

/* Makes the directory `path` for that user. Only root can give one away. */
int place_make(const char *path, enum place_use use, uid_t uid, gid_t gid,
               struct cordon_err *reterr);

/* Removes it and all below it. Nothing there, or not ours: nothing done. */
void place_remove(const char *path);

#endif
