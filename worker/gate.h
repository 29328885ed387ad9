/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate: whether code may run without asking a person. It judges the `ast` objects that will
 * be compiled and lists warnings; an empty list is consent. It decides nothing else, runs
 * nothing of the code, and is total: any text gets a list, in time and memory linear in it.
 *
 * What it knows of the world is data: exports.c (modules), gate_tables.c (builtins,
 * attributes, dunder names). What it does not know it refuses.
 */
#ifndef CORDON_WORKER_GATE_H
#define CORDON_WORKER_GATE_H

#include "worker.h"

#define GATE_BYTES_MAX (1088u << 10) /* of source, as UTF-8: what strict allows */
#define GATE_NODES_MAX 200000u       /* of the tree, operators and contexts not counted */
#define GATE_DEPTH_MAX 1000u         /* of the tree */
#define GATE_SCOPES_MAX 100u         /* functions, classes, comprehensions inside one another */
#define GATE_WARNINGS_MAX 200u       /* different ones; then one more says that there are more */
#define GATE_SNIPPET_MAX 120         /* characters */

struct gate_report {
    size_t bytes_max, nodes_max; /* set by the caller; 0: as above */
    /*
     * A new reference to a list of dicts {"rule", "message", "line", "column", "end_line",
     * "end_column", "snippet", "count"}: lines and columns count from 1, columns in
     * characters, the end is just behind the last character. The most serious first.
     */
    PyObject *warnings;
};

/* Once, before any user code: what the gate needs of the interpreter. 0 or -1. */
int gate_prepare(void);

/*
 * Parses the source, judges it, and compiles the tree that was judged. *ret_code: what came of
 * that, a new reference; NULL when there is none, and then there is a warning. 0, or -1 with an
 * exception set when memory ran out.
 */
int gate_source(PyObject *source, PyObject **ret_code, struct gate_report *report);

/* Judges a tree that is there already; `source` is the text it was parsed from. */
int gate_check(PyObject *source, PyObject *tree, struct gate_report *report);

/* Why no module may let code use something of that name ("eval", "os"), or NULL. */
const char *gate_why_never(const char *name);

/* Whether an attribute of that name leads into the interpreter ("__globals__", "gi_frame"). */
int gate_leads_inside(const char *name, size_t len);
/* Whether a class may have that name in it: what the gate lets a class statement bind. */
int gate_may_be_in_class(const char *name);
/* 1: code may set or delete an attribute of that name by text: it is none of the interpreter's. */
int gate_may_be_set(const char *name, size_t len);
/*
 * How much of a field's text, behind a dot, does no more than tell a name and ends the path:
 * "__class__.__name__". 0: it is something else.
 */
size_t gate_tells_name(const char *text, size_t len);
/* Where the field of a format that `at` lies in ends; fields may lie in what it says. */
size_t gate_field_end(const char *text, size_t len, size_t at);
/* Whether that is a method of instances, which the interpreter calls and classes may define. */
int gate_is_method(const char *name);

#endif
