/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: asks the kernel what a process has in pages, without waiting for the answer longer than
 * there is time. The kernel takes the lock of the process's mappings anew for each of them when
 * others want it, and who holds it may wait for a processor: a run can make one question as long as
 * it likes. So threads ask, and the keeper goes on without an answer.
 *
 * Threads touch nothing but their own reader, and allocate nothing: the keeper may fork meanwhile.
 */
#ifndef CORDON_KEEPER_READER_H
#define CORDON_KEEPER_READER_H

#include "keeper/hold.h"

struct reader; /* opaque: it has one question at a time */

/* NULL: there can be no more threads. */
struct reader *reader_take(void);
/* It may be asking still: then it can be had again when it is done. */
void reader_leave(struct reader *reader);

/* As hold_pages_of(). -EAGAIN: there was no time. Then it goes on asking, for the next call. */
int reader_pages(struct reader *reader, const struct tree_process *process, uint64_t until_ns,
                 struct hold_pages *ret);

#endif
