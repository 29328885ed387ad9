/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: which walls the boxes of an engine can have on this machine, and whether that is
 * enough. The rungs are `full`, and `contained`: the same without namespaces and a root.
 *
 * A box never has less than its floor: what cannot be had is an error, with the reason.
 */
#ifndef CORDON_CORE_LEVEL_H
#define CORDON_CORE_LEVEL_H

#include "core/profile.h"

/* What an engine knows of its machine; zero to begin with. */
struct level {
    int is_asked;           /* asked once, when it first matters */
    struct cordon_err lack; /* why a full box cannot be had; code 0: it can */
};

/* What a box is to be, as its engine was told. */
struct level_wish {
    const char *helper_dir;
    enum cordon_floor floor; /* CORDON_FLOOR_PROFILE: the profile's own */
    uint32_t dropped;        /* walls that the caller took down */
};

/* The walls that are down in a box of that profile, or an error where it would be too few. */
int level_walls(struct level *level, const struct level_wish *wish, const struct profile *profile,
                uint32_t *ret_walls_down, struct cordon_err *reterr);

/* The word of the level that such a box has ("full"). */
const char *level_word(uint32_t walls_down);

#endif
