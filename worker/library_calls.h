/* SPDX-License-Identifier: Apache-2.0 */
/* library_calls: which methods the standard library calls on what it is given. */
#ifndef CORDON_WORKER_LIBRARY_CALLS_H
#define CORDON_WORKER_LIBRARY_CALLS_H

/* With up to how many arguments; -1: it does not. */
int library_calls(const char *name);

#endif
