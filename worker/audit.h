/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit: the table of what the audit hook lets through. audit_rows.c is all data; the
 * hook that goes by it is audit.c.
 */
#ifndef CORDON_WORKER_AUDIT_H
#define CORDON_WORKER_AUDIT_H

#include <stddef.h>

/*
 * One event that the standard library raises on behalf of harmless code. An event that is
 * neither here nor among the harmless ones is refused, whoever raises it.
 */
struct audit_row {
    const char *event;
    const char *module; /* the frame that raises it is of this module; NULL: any */
    const char *via;    /* ... and between it and the code there is one of this; NULL: need not */
    int first, last;    /* minor versions of Python 3; 0: all */
    const char *attribute; /* of object.__getattr__: this one alone; NULL: any */
};

/* A module that the standard library loads when it first needs it. */
struct audit_import {
    const char *importer;
    const char *name; /* ending in "." : whatever is below that package */
};

extern const struct audit_row audit_rows[];
extern const size_t audit_row_count;
extern const struct audit_import audit_imports[];
extern const size_t audit_import_count;

/* 1: whoever raises it, nothing comes of it. */
int audit_harmless(const char *event);

/* 1: code may not read or set this attribute, of those that raise an event. */
int audit_guarded(const char *attribute);

/* 1: not even a third-party package of the profile may do this. */
int audit_hard(const char *event);

struct _object; /* a PyObject */

/*
 * The globals of whoever called the Python function that runs: a new reference, or NULL, with
 * an exception or where nobody did.
 */
struct _object *audit_caller(void);

/* 1: code runs, and nothing that we do ourselves. */
int audit_is_on(void);
/* 1: whoever called into C is the code itself; or nobody, as far as can be seen. */
int audit_is_by_code(void);
/* The frame of the code that everything from here on is done for: a new reference, or NULL. */
struct _object *audit_code_frame(void);
/* The code of a Python function, which it has to be: a new reference, or NULL with an exception. */
struct _object *audit_code_of(struct _object *function);
/* The names that stand in the body of a Python function: a new reference, or NULL. */
struct _object *audit_names_in(struct _object *function);
/* 1: between the code and here a function of that module runs, or one of a package's. */
int audit_is_within(const char *module);
/* Refuses a class with that name in it, or that base: -1, with the exception and a violation. */
int audit_refuse_class(struct _object *what);

#endif
