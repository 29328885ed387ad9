/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: what the processes of a run hold in pages, each page once: a walk over all their page
 * tables and maps, which they can make as long as they like. So it goes on for as many looks as
 * it takes, a part at each, and deadlines are served in between.
 *
 * Who makes it long gains nothing: what processes make of new pages after their turn, or while they
 * wait for it, counts until the walk is over, and a walk that does not come to its end is an answer, too.
 */
#ifndef CORDON_KEEPER_WALK_H
#define CORDON_KEEPER_WALK_H

#include "keeper/reader.h"

struct walked; /* opaque: a process that has been walked over */

/* Of one run. All zero: none is under way. */
struct walk {
    uint64_t begun_ns;
    uint64_t grown_bytes;  /* the most that all can have made behind its back: since their turn, or
                           * since it began */
    struct reader *reader; /* owned; NULL: not yet */
    struct walked *seen;
    size_t count, room;
};

enum walk_state { WALK_DONE, WALK_GOES_ON, WALK_TOO_LONG };

/*
 * Begins a walk, or goes on with it, until it is done or it is `until_ns`. What is being asked then
 * goes on being asked, so that even calls without any time come to the end.
 * ret: what those hold that have had their turn: when it is done, all that are there.
 */
enum walk_state walk_on(struct walk *walk, pid_t top, int without_top, uint64_t until_ns,
                        struct hold_pages *ret);

/* What is known of them is forgotten. */
void walk_end(struct walk *walk);

/* So that a later walk takes no thread that would count as one of the run's tasks. */
void walk_ready(struct walk *walk);
/* When there will be no walk any more. */
void walk_close(struct walk *walk);

#endif
