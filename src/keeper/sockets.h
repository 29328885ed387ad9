/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: what the buffers of an approved run's sockets hold, as the kernel's socket
 * diagnosis tells. A look walks over all sockets of the network namespace, so it is only
 * asked for when there are enough of them to matter.
 */
#ifndef CORDON_KEEPER_SOCKETS_H
#define CORDON_KEEPER_SOCKETS_H

#include <stdint.h>

/* every: all sockets of our network namespace are the run's, those in flight included. */
void sockets_open(int every);

/* The most that one socket of this host can hold. */
uint64_t sockets_most(void);

/* What the sockets hold that hold_count() has found; 0 where the kernel does not tell. */
struct sockets_sum {
    uint64_t charged;
    uint64_t unsure; /* and what may wait in them of others who are closed, at the most */
};
void sockets_held(struct sockets_sum *ret);

#endif
