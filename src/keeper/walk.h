/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: what the processes of a run hold in pages, each page once: a walk over all their page
 * tables and maps, which they can make as long as they like. So it goes on for as many looks as
 * it takes, a part at each, and deadlines are served in between.
 *
 * Who makes it long gains nothing: what a process makes of new pages after its turn counts until
 * the walk is over, and a walk that does not come to its end is an answer, too.
 */
#ifndef CORDON_KEEPER_WALK_H
#define CORDON_KEEPER_WALK_H

#include "keeper/hold.h"

struct walked; /* opaque: a process that has been walked over */

/* Of one run. All zero: none is under way. */
struct walk {
    uint64_t begun_ns;
    uint64_t grown_bytes; /* the most that those who have had their turn can have made since then */
    struct walked *seen;
    size_t count, room;
};

enum walk_state { WALK_DONE, WALK_GOES_ON, WALK_TOO_LONG };

/*
 * Begins a walk, or goes on with it, until it is done or it is `until_ns`: then the process whose
 * turn it is is the last, so each call comes further by one.
 * ret: what those hold that have had their turn: when it is done, all that are there.
 */
enum walk_state walk_on(struct walk *walk, pid_t top, int without_top, uint64_t until_ns,
                        struct hold_pages *ret);

void walk_end(struct walk *walk);

#endif
