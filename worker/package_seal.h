/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_seal: the rows of package_seals.c, and what of numpy no Python can replace
 * (package_memory.c). Both are for package_seal.c alone.
 */
#ifndef CORDON_WORKER_PACKAGE_SEAL_H
#define CORDON_WORKER_PACKAGE_SEAL_H

#include "worker.h"

struct package_seal {
    const char *module; /* where it is loaded */
    const char *why;    /* what the refusal says */
    const char *text;   /* sees: module, and the functions at the head of package_seal.c */
};
extern const struct package_seal package_seals[];
extern const size_t package_seal_count;

/* Guards the constructor of numpy's arrays. 0, or -1 with an exception set. */
int package_guard_arrays(void);
/*
 * numpy takes memory for what an object says under a name. Makes that name one which no object
 * can have. 0, or -1 with an exception set.
 */
int package_hide_interfaces(void);
/* The array of an object of ours that says so, a new reference, or NULL. */
PyObject *package_array_of(PyObject *object);
/* Nothing can derive from the class any more. 0, or -1 with an exception set. */
int package_close_class(PyObject *class);

#endif
