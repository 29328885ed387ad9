/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports: what code may name of each module. One table for two walls: the gate checks
 * `module.name` and `from module import name` against it, and the interpreter makes its
 * facade modules from it. What is in neither column of the table is refused.
 */
#ifndef CORDON_WORKER_EXPORTS_H
#define CORDON_WORKER_EXPORTS_H

#include <stddef.h>

/* What the gate must know about a name beyond that it is exported. tools/exports.toml says why. */
enum export_kind {
    EXPORT_PLAIN,
    EXPORT_ATTRGETTER,
    EXPORT_METHODCALLER,
    EXPORT_WRAPS,
    EXPORT_UPDATE_WRAPPER,
    EXPORT_SINGLEDISPATCH,
    EXPORT_NAMEDTUPLE,
    EXPORT_TYPE_ALIAS,
    EXPORT_PLAIN_BASE,
    EXPORT_METACLASS,
    EXPORT_TRANSPARENT,
    EXPORT_ENUM,
    EXPORT_REDIRECT,
    EXPORT_COPY,
    EXPORT_DATACLASS,
    EXPORT_FIELDS,
    EXPORT_NAMESPACE,
    EXPORT_JSON_DUMP,
    EXPORT_DEDENT,
    EXPORT_FIELD,
    EXPORT_DEEPCOPY,
    EXPORT_COPYING,
    EXPORT_DEEP_COPYING,
    EXPORT_WITH,
    EXPORT_PACKAGE, /* of a package (package.h): nothing is known of it but that it is exported */
    EXPORT_SHAPED,  /* of a package, and called as .shape says only */
};

struct export_name {
    const char *name;
    const char *denied;  /* NULL: code may name it; else what it could do */
    unsigned char kind;  /* enum export_kind */
    unsigned char shape; /* enum package_shape, of EXPORT_SHAPED */
};

struct export_module {
    const char *name;
    const struct export_name *names; /* sorted */
    size_t count;                    /* 0: a package that only holds exported modules */
    int star;                        /* `from name import *` brings in nothing that is not listed */
};

extern const struct export_module export_modules[]; /* sorted */
extern const size_t export_module_count;

/*
 * Tables of packages are made while the zygote loads (exports_package.c), and stay. 0, or -1
 * when there is no room. The names are the caller's, and live for ever.
 */
#define EXPORTS_ADDED_MAX 128
int exports_add(const struct export_module *module);
int exports_is_added(const struct export_module *module);
/* How many there are, and each. */
size_t exports_added(void);
const struct export_module *exports_added_at(size_t at);
/* A small number of its own for each module. */
size_t exports_index(const struct export_module *module);

/* NULL: code may not import it. Dotted names are looked up whole. */
const struct export_module *exports_find(const char *module);

/* The row of a name, also when it is denied (then ->denied says why), or NULL. */
const struct export_name *exports_name(const struct export_module *module, const char *name);

/* 1: code may use this name of this module. A Python of some version may lack it all the same. */
int exports_has(const struct export_module *module, const char *name);

/* The exported module `module.name`, or NULL. */
const struct export_module *exports_submodule(const struct export_module *module, const char *name);

#endif
