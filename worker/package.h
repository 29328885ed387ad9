/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package: what is known of third-party packages. Their export tables are made from what
 * they call public themselves (exports_package.c) when a profile that allows them loads;
 * package_rows.c, all data, says what stays out of them nevertheless and which calls are
 * open in one way only (gate_package.c). A package without rows is as open as it says.
 */
#ifndef CORDON_WORKER_PACKAGE_H
#define CORDON_WORKER_PACKAGE_H

#include <stddef.h>

struct _object; /* a PyObject */

/* How a function or method may be used. All but the first two: called, where it is named. */
enum package_shape {
    SHAPE_ANY,        /* as one likes */
    SHAPE_NEVER,      /* not at all */
    SHAPE_BUFFER,     /* its first argument is an io.StringIO or BytesIO of the code's */
    SHAPE_LINES,      /* ... or a list of lines */
    SHAPE_JSON,       /* ... or JSON text */
    SHAPE_TEXT,       /* without that argument it returns text; sys.stdout will do too */
    SHAPE_EXPRESSION, /* a literal that compares and computes */
    SHAPE_FUNCTIONS,  /* functions, or literal names of some */
    SHAPE_PIVOT,      /* such a function by keyword only */
    SHAPE_BACKEND,    /* "Agg" */
    SHAPE_STYLE,      /* a literal name that is no path */
    SHAPE_OPTIONS,    /* literal names of options that load nothing */
    SHAPE_RC,         /* a literal group of settings that start nothing */
    SHAPE_RESIZE,     /* of a name, and with keywords that are written there */
    SHAPE_FILTER,     /* the first argument is no text */
    SHAPE_CELL,       /* a format, if it is text, that reads no attribute */
    SHAPE_FONT,       /* a value that names no file */
    SHAPE_FORMAT,     /* a value that is not "pgf" */
    SHAPE_SETTINGS,   /* a mapping of those, by literal names */
    SHAPE_FEW,        /* by its first three arguments and keywords */
    SHAPE_LOOP,       /* over one array, without a buffer */
    SHAPE_ARRAY,      /* a class whose constructor takes no memory of others */
};

/*
 * One name of a package. module "a.*": in every module of a. name NULL: the module, whether
 * it is followed from its parent; "b*": whatever begins with b; "*": the names that have no
 * row of their own. A row opens a name also where the module does not list it in __all__.
 */
struct package_row {
    const char *module, *name;
    unsigned char shape; /* enum package_shape */
    const char *why;     /* what it could do; NULL with SHAPE_ANY */
};

/* An attribute of whatever packages hand out, or a keyword of whatever they let be called. */
struct package_name {
    const char *name;
    unsigned char shape;
    const char *why;
};

/* The row that decides on a name of a module (NULL: on the module), or NULL. */
const struct package_row *package_row_of(const char *module, const char *name);
/* Each row in turn, then NULL. */
const struct package_row *package_row_at(size_t at);
/* 1: the package called `top` has rows: what has none in it was not reviewed with it. */
int package_is_reviewed(const char *top);
const struct package_name *package_attribute(const char *name);
int package_attribute_begins(const char *prefix, size_t len);
const struct package_name *package_keyword(const char *name);
/* 1: an option or setting of this name loads code or starts programs. */
int package_option_is_door(const char *key);
int package_setting_is_door(const char *key);

/* 1: text for DataFrame.query() that reads no attribute, calls nothing and knows columns only. */
int package_expression_is_tame(const char *text);

/* package_parts.c: collects private names of packages; whether one is of those. */
int package_parts_collect(void);
int package_has_part(struct _object *name);

/* package_seal.c: shuts what the gate cannot see anybody go through. 0 or -1. */
int package_seal(void);

/* Makes the tables of the packages in worker.allow, and adds the modules found. 0 or -1. */
int exports_package_prepare(void);

#endif
