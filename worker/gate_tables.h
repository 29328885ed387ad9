/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_tables: what the gate knows of names by themselves: builtins, attributes, dunder names.
 * The rows are in gate_tables.c.
 */
#ifndef CORDON_WORKER_GATE_TABLES_H
#define CORDON_WORKER_GATE_TABLES_H

#include <stddef.h>

enum builtin {
    BUILTIN_NONE, /* no name of a builtin */
    BUILTIN_PLAIN,
    BUILTIN_CLASS,
    BUILTIN_SELF_MATCH, /* a class whose pattern has one positional part: the value itself */
    BUILTIN_PRINT,      /* functions that make text or a truth of a class, and keep nothing */
    BUILTIN_ISINSTANCE,
    BUILTIN_GETATTR,
    BUILTIN_SETATTR,
    BUILTIN_DELATTR,
    BUILTIN_HASATTR,
    BUILTIN_TYPE,
    BUILTIN_SUPER,
    BUILTIN_VARS,
    BUILTIN_NAMESPACE, /* globals, locals */
    BUILTIN_PROPERTY,
    BUILTIN_CLASSMETHOD,
    BUILTIN_DENIED,
};

struct builtin_row {
    const char *name;
    unsigned char what; /* enum builtin */
    const char *why;    /* of a denied one: what code could do with it, and what to use */
};
const struct builtin_row *gate_builtin(const char *name);
void gate_tables_prepare(void); /* before any look-up */

enum attr_class {
    ATTR_PLAIN,
    ATTR_DUNDER,
    ATTR_SUNDER,      /* _x_ */
    ATTR_MANGLED,     /* _X__y */
    ATTR_PRIVATE,     /* _x */
    ATTR_TAME,        /* _x that is documented: of namedtuple, of Enum */
    ATTR_INTERPRETER, /* frames, code */
    ATTR_HIDDEN,      /* dangerous once `module` is in use */
    ATTR_DOOR,        /* the name of a module or of a function that leads out */
    ATTR_OBJ,         /* AttributeError.obj */
    ATTR_FORMAT,      /* str.format: reads attributes by names in text */
};

struct attr_row {
    const char *name;
    unsigned char what; /* enum attr_class */
    const char *module; /* of ATTR_HIDDEN */
};
#define ANY_MODULE "*" /* hidden, whatever is in use */
/* What is special about an attribute's name; *ret_row may be NULL. */
enum attr_class gate_attr_class(const char *name, size_t len, const struct attr_row **ret_row);

/* Whether a special attribute's name begins so. */
int gate_attr_begins(const char *prefix, size_t len);

enum dunder_flag {
    DUNDER_DEFINE = 1,  /* a method that a class may define */
    DUNDER_ASSIGN = 2,  /* a class body may assign it */
    DUNDER_READ = 4,    /* x.__name__ */
    DUNDER_WRITE = 8,   /* x.__name__ = "y" */
    DUNDER_MODULE = 16, /* a script may assign it at its top */
    DUNDER_LOAD = 32,   /* may be loaded as a name without being bound */
    DUNDER_STATIC = 64, /* its first parameter is no instance */
};
struct dunder_row {
    const char *name;
    signed char calls; /* x.__len__() with so many arguments is what an operator does; -1: not */
    unsigned char flags;
};
const struct dunder_row *gate_dunder(const char *name);

#endif
