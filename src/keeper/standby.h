/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby: copies of the zygote that are there before they are asked for. A run that comes gets
 * one at once; what the zygote is asked for is the next. From the second run on one is kept.
 *
 *   ORDERED   the zygote was asked for it; no pid is known yet
 *   STANDING  its pid is known; it puts its first walls up and waits on its socket
 *   LEFT      it went before it was used, and its end is to be waited for
 *   SPARE     it was sent away, since nobody needs it, and its end is to be waited for
 */
#ifndef CORDON_KEEPER_STANDBY_H
#define CORDON_KEEPER_STANDBY_H

#include "base/wire.h"

#include <stdint.h>
#include <sys/types.h>

/* What is on its way at a time: keeps descriptors in flight below the kernel's own cap. */
#define STANDBYS_MAX 16
#define STRAYS_MAX 256

enum standby_state { STANDBY_NONE, STANDBY_ORDERED, STANDBY_STANDING, STANDBY_LEFT, STANDBY_SPARE };

struct standby {
    enum standby_state state;
    uint64_t id; /* for the zygote: its order's number */
    pid_t pid;
    int sock; /* owned; -1 once LEFT or SPARE */
};

struct standbys {
    struct standby slots[STANDBYS_MAX];
    uint64_t orders; /* how many there were: the last one's number */
    /* Ended children that no FORKED has named: the message may still be on its way. */
    pid_t strays[STRAYS_MAX];
    size_t stray_count;
};

/* Of control groups that nobody is in yet: what WIRE_GROUP has brought, first come, first served. */
#define DOORS_MAX 64
struct door {
    uint64_t group;
    int fds[WIRE_GROUP_FDS];
    size_t count;
};
struct doors {
    struct door list[DOORS_MAX];
    size_t count;
};

/* Takes the descriptors over, if there is room. */
void doors_add(struct doors *doors, uint64_t group, int *fds, size_t count);
/* The next one; one without descriptors when there is none. */
struct door doors_next(const struct doors *doors);
/* That one was used: closes it. */
void doors_remove(struct doors *doors);

size_t standbys_in(const struct standbys *s, enum standby_state state);
struct standby *standbys_any(struct standbys *s, enum standby_state state); /* NULL: none */
struct standby *standbys_find(struct standbys *s, uint64_t id);
struct standby *standbys_find_pid(struct standbys *s, pid_t pid);

/* NONE -> ORDERED, with the keeper's end of its socket, which it takes over. NULL: no slot. */
struct standby *standbys_add(struct standbys *s, int sock);
/* ORDERED -> STANDING. */
void standbys_set_standing(struct standbys *s, struct standby *standby, pid_t pid);
/* STANDING -> LEFT. */
void standbys_set_left(struct standby *standby);
/* STANDING -> SPARE: it hears that there will be no run for it, and goes. */
void standbys_set_spare(struct standby *standby);
/* Any state -> NONE. */
void standbys_remove(struct standbys *s, struct standby *standby);

void standbys_keep_stray(struct standbys *s, pid_t pid);
int standbys_is_stray(const struct standbys *s, pid_t pid);

#endif
