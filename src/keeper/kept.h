/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept: what the kernel keeps of descriptors of an approved run and charges to nobody: descriptors
 * that wait in sockets, locks of files, what an epoll watches. The kernel tells of them in a file
 * for each descriptor. To read them all takes longer than any other look, so they are read only when
 * the host's kernel has grown by more than the run may take.
 */
#ifndef CORDON_KEEPER_KEPT_H
#define CORDON_KEEPER_KEPT_H

#include "keeper/tree.h"

struct kept {
    int waits;      /* descriptors wait in sockets, and with them what nobody has another one of */
    uint64_t bytes; /* of locks and of what is watched */
    int too_long;   /* it was not known by `until_ns`: who makes it longer has something to hide */
};

/* Of `top` and all below it; without_top: only of what is below. */
void kept_look(pid_t top, int without_top, uint64_t until_ns, struct kept *ret);

#endif
