/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exceeded: a limit that ran out, in words for the person who must act: which it was, how
 * much of it there was, how much the code took, and where to raise it.
 */
#ifndef CORDON_CORE_EXCEEDED_H
#define CORDON_CORE_EXCEEDED_H

#include "core/sandbox.h"

struct exceeded; /* one kind of limit; static */

/* By the word that a sandbox has for it (base/wire.h, FRAME_END's object), or NULL. */
const struct exceeded *exceeded_find(const char *word);

/* By the keeper's number. Never NULL. */
const struct exceeded *exceeded_of(enum wire_limit limit);

/* Makes it the result's error. */
void exceeded_say(struct cordon_result *r, const struct cordon_run *run,
                  const struct exceeded *which);

/* What to do about a deadline: where to raise it. */
void exceeded_wall_remedy(const struct cordon_run *run, char *text, size_t size);

#endif
