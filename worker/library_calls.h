/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: which methods the standard library calls on what it is given, and which
 * private names it uses.
 */
#ifndef CORDON_WORKER_LIBRARY_CALLS_H
#define CORDON_WORKER_LIBRARY_CALLS_H

#include <stddef.h>

/* With up to how many arguments; -1: it does not. */
int library_calls(const char *name);
/* Each private name in turn, with the module that uses it ("*": several), then NULL. */
const char *library_private(size_t at, const char **ret_module);

#endif
