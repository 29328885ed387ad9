/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: which methods the standard library calls on what it is given, and which
 * private names it uses. The tables are library_calls.c, the look-ups library_find.c.
 */
#ifndef CORDON_WORKER_LIBRARY_CALLS_H
#define CORDON_WORKER_LIBRARY_CALLS_H

#include <stddef.h>

struct library_call {
    const char *name;
    int most; /* arguments */
};

struct library_name {
    const char *name, *module;
};

/* Both sorted. */
extern const struct library_call library_call_rows[];
extern const size_t library_call_count;
extern const struct library_name library_name_rows[];
extern const size_t library_name_count;

/* With up to how many arguments; -1: it does not. */
int library_calls(const char *name);
/* Each private name in turn, with the module that uses it ("*": several), then NULL. */
const char *library_private(size_t at, const char **ret_module);

#endif
