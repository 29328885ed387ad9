/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_state: what the gate knows of one source while it judges it: names, symbols with their
 * bindings, classes, and the facts that all passes share. Included by gate_int.h alone.
 */
#ifndef CORDON_WORKER_GATE_STATE_H
#define CORDON_WORKER_GATE_STATE_H

#include "gate.h"

#include "base/rules.h"
#include "exports.h"
#include "gate_tables.h"
#include "gate_tree.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------ */

#define USES_UNBOUND INT16_MAX

struct name {
    PyObject *str;    /* borrowed */
    const char *text; /* UTF-8, lives as long as str */
    size_t len;
    uint32_t module_symbol; /* 0: none */
    uint32_t inner;         /* how many scopes other than the module's bind it */
    const struct builtin_row *builtin;
    const struct dunder_row *dunder;
    const struct attr_row *attr_row;
    unsigned char attr;             /* enum attr_class */
    unsigned char defined;          /* set as an attribute, or in a class body, by this source */
    unsigned char is_method;        /* of a function in a class, and no property */
    unsigned char is_nested_class;  /* of a class in a class */
    unsigned char is_self;          /* of the first parameter of a method */
    unsigned char stored_elsewhere; /* set as an attribute of something other than `self` */
    unsigned char is_prefixed;      /* what a name put together from text may be */
    unsigned char is_field;         /* annotated in a class that has it, too */
    unsigned char of_class;         /* taken from a class (gate_package_own.c) */
    unsigned char may_be_set;       /* as an attribute, or it stands in a text */
    unsigned char is_keyword;       /* of a call, which may make an attribute of it */
    unsigned char kept, parts_kept; /* as an attribute loaded other than to be read from */
    /*
     * The most arguments that any `.name(...)` has, USES_UNBOUND when it may be taken
     * without being called, -1 when it does not occur.
     */
    int16_t max_args;
};

/* ---- symbols ------------------------------------------------------------------------------ */

enum bind_kind {
    BIND_ASSIGN,
    BIND_UNPACK,  /* part of a tuple target */
    BIND_DECLARE, /* x: int */
    BIND_AUGMENT,
    BIND_FOR,
    BIND_WITH,
    BIND_WALRUS,
    BIND_PARAMETER,
    BIND_FUNCTION,
    BIND_CLASS,
    BIND_MODULE,  /* of .module */
    BIND_EXPORT,  /* of .export */
    BIND_REFUSED, /* by an import that got its own warning, or never runs */
    BIND_EXCEPT,
    BIND_MATCH,
    BIND_DELETE,
    BIND_TYPE_PARAMETER,
    BIND_TYPE_ALIAS,
    BIND_BEFORE, /* input_data, result; and json, with .module */
};
#define BINDS(kind) (1u << (kind))

struct bind {
    uint32_t node, next;
    unsigned char kind;
    const struct export_module *module, *from;
    const struct export_name *export;
};

enum symbol_flag {
    SYMBOL_GLOBAL = 1,
    SYMBOL_NONLOCAL = 2,
    SYMBOL_ESCAPES = 4,           /* loaded other than to be read from */
    SYMBOL_PARTS_ESCAPE = 524288, /* what it holds is loaded other than to be read from */
    SYMBOL_CLASS_ESCAPES = 8,     /* loaded other than as a class that is only compared */
    SYMBOL_LOADED_IN_CLASS = 16,
    SYMBOL_RESTRICTED = 32,    /* `cls` of an Enum without members */
    SYMBOL_STRINGS_KNOWN = 64, /* SYMBOL_STRINGS_TAME is worked out */
    SYMBOL_STRINGS_TAME = 128,
    SYMBOL_OTHER = 256, /* may hold something that is no module */
    SYMBOL_MODULES_DIFFER = 512,
    SYMBOL_ENUM_EMPTY = 1024,   /* may hold an Enum without members */
    SYMBOL_FORMAT_KNOWN = 2048, /* SYMBOL_FORMAT_TAME is worked out */
    SYMBOL_FORMAT_TAME = 4096,
    SYMBOL_DENIED_BY_STAR = 8192, /* a star import may have brought it */
    SYMBOL_SELF_KNOWN = 16384,    /* SYMBOL_SELF_GENUINE is worked out */
    SYMBOL_SELF_GENUINE = 32768,
    SYMBOL_HOLDS_CLASS = 262144,     /* `*args` with the class of an Enum without members */
    SYMBOL_MEMO = 131072,            /* of __deepcopy__ */
    SYMBOL_KEPT = 65536,             /* loaded other than to read an attribute of it */
    SYMBOL_NOTING = 1048576,         /* its values are being noted (gate_facts.c) */
    SYMBOL_CLASS_KNOWN = 2097152,    /* SYMBOL_IS_CLASS is worked out */
    SYMBOL_IS_CLASS = 4194304,       /* a parameter that gets a class (gate_roam.c) */
    SYMBOL_NOT_JUST_NAMED = 8388608, /* ... or one other than `__name__` */
    SYMBOL_TAKEN = 16777216,         /* loaded other than to be called */
};

struct symbol {
    uint32_t scope, name;
    uint32_t first, last, count; /* bindings, in the order of the source */
    uint32_t kinds;              /* BINDS() */
    uint32_t exports;            /* EXPORTS() of what it may hold */
    uint32_t flags;
    const struct export_module *module; /* that it may hold */
};
#define EXPORTS(kind) (1u << (kind))

/* ---- classes -------------------------------------------------------------------------------- */

enum class_fact {
    CLASS_KNOWN = 1,
    CLASS_PLAIN = 2, /* instances hold what the source gave them, and nothing else */
    CLASS_ENUM = 4,
    CLASS_ENUM_EMPTY = 8,    /* an Enum without members: calling it can make a class */
    CLASS_FIELDS_KNOWN = 16, /* __match_args__ can only hold names of the source */
    CLASS_ABSTRACT = 32,     /* isinstance() may be answered by others */
    CLASS_TEXT = 64,         /* instances may be str */
    CLASS_REAL = 128,        /* its bases are classes, so it is one, and made by `type` */
};

/* ---- the gate ---------------------------------------------------------------------------------- */

#define GATE_MODULES_MAX (128 + EXPORTS_ADDED_MAX)

struct warning {
    unsigned char rule;
    uint32_t node;                           /* 0 when line is set */
    long line, column, end_line, end_column; /* column: characters, from 1 */
    uint32_t count;
    PyObject *message;
};

struct table { /* open addressing, a power of two */
    uint64_t *keys;
    uint32_t *values;
    size_t size, used;
};

#define KNOWN_NAMES 256

struct gate {
    PyObject *source;
    const char *text; /* UTF-8 of source */
    size_t len;
    struct gate_report *report;

    struct node *nodes; /* 0 is the Module */
    uint32_t node_count, node_room;
    struct scope *scopes; /* 0 is the module's */
    uint32_t scope_count, scope_room;
    struct name *names; /* 0 is no name */
    uint32_t name_count, name_room;
    uint32_t *name_slots; /* hash -> id */
    size_t name_slot_count;
    uint32_t known_names[KNOWN_NAMES]; /* address -> id, of the last one that was asked for */
    struct symbol *symbols;            /* 0 is no symbol */
    uint32_t symbol_count, symbol_room;
    struct bind *binds; /* 0 is no binding */
    uint32_t bind_count, bind_room;
    struct table symbol_slots;
    struct table class_facts; /* node -> CLASS_* */

    struct warning *warnings;
    uint32_t warning_count, warning_room;
    uint32_t dropped, dropped_node;
    PyObject *seen;        /* dict: (rule, message) -> index */
    uint32_t *line_starts; /* byte offsets, made on demand */
    uint32_t line_count;

    unsigned char modules[GATE_MODULES_MAX]; /* which exported modules are in use */
    uint32_t module_letters;                 /* what their names begin with (gate_scope.c) */
    unsigned char future_annotations;
    unsigned char hidden;         /* characters that cannot be seen are warned of */
    unsigned char dispatches;     /* singledispatch is in use: annotations are evaluated */
    unsigned char fields;         /* dataclasses.fields is in use */
    unsigned char abstracts;      /* isinstance() of a class may be answered by others */
    unsigned char class_patterns; /* a class pattern has positional parts */
    unsigned char args_by_prefix; /* getattr(x, f"ar{y}") occurs */
    unsigned char prefixed;       /* getattr(x, f"prefix{y}") occurs */
    unsigned char texts;          /* a class of the source is a str */
    unsigned char enum_mixins;    /* an Enum has bases of the source that are none */
    unsigned char late, pending;  /* of gate_scope.c */
    unsigned char fields_made;    /* dataclasses.field or fields is in use */
    unsigned char class_escapes_known;
    unsigned char derives_abroad;   /* a class of the source has a base of the library's */
    unsigned char odd_fields;       /* FIELD_* */
    unsigned char dict_replaced;    /* x.__dict__ = y occurs */
    unsigned char odd_dicts;        /* x.__dict__ may be what a `__getattr__` of the source says */
    unsigned char double_starred;   /* f(**x) occurs */
    unsigned char fields_roam;      /* and what it makes may be anywhere */
    unsigned char odd_classmethods; /* classmethod is given what may be a property */
    unsigned char free_classmethod; /* it is used other than as a decorator */
    unsigned char default_called;   /* `.default` is taken from other than super() */
    unsigned char descriptor_bases; /* a class may derive from a descriptor of the library */
    unsigned char shallow_copies;   /* copy.copy is in use */
    unsigned char copied_methods;   /* bound methods may get another `self` */
    unsigned char library_callers;  /* of gate_roam.c: who calls methods of what it is given */
    unsigned char classes_roam;     /* a class of the source is passed on */
    unsigned char compares;         /* the code defines what a comparison does */
    unsigned char reads;            /* READS_*: attributes whose names stand in texts */
    unsigned char imports;          /* a module is in use, whose code may get it */
    unsigned char enums;            /* a class of the source is an Enum */
    unsigned char hidden_parts;     /* one has instances with parts of the library's */
    unsigned char enum_makers;      /* an Enum may make its members by a `__new__` of the source */
    unsigned char packages;         /* one of a package's modules is in use */
    unsigned char mixins;           /* a plain class of the source is a base beside others */
    unsigned char bases_meet;       /* a class has several: the first may say what the others do */
    unsigned char class_is_value;   /* of gate_package_own.c: a class of the source is a value */
    size_t text_work;               /* steps spent on texts that are put together */
    size_t *steps, steps_max;       /* spent on questions; beyond the limit all answers are void */
    uint32_t copies;        /* first node that copies objects, or reads them as a copy does; or 0 */
    uint32_t hooked_copies; /* first one that asks objects for hooks, or 0 */
    uint32_t open_getattr;  /* first `__getattr__` that may answer to private names, or 0 */
    uint32_t renames;     /* first node that gives something a `__name__` made at run time, or 0 */
    uint32_t alias_names; /* first node that sets `_name` on what may be an alias of typing, or 0 */
    uint32_t name_writes; /* first node that sets an attribute `name` to what is not known */
    uint32_t object_dicts; /* first node that reads the dict of an object, or 0 */
    uint32_t wrapped_self; /* first node that copies attributes to a genuine self, or 0 */
    uint32_t named_writes; /* first node that sets attributes named at run time, or 0 */
    uint32_t class_parts;  /* first one that takes an attribute for what a class says it is, or 0 */
};

#define N(g, i) (&(g)->nodes[i])
#define NAME(g, id) (&(g)->names[id])
/* Most texts that are compared differ in their first byte, which is seen without a call. */
static inline int is_same(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}
/* Whether the name of that id is the text, a literal. */
#define IS_NAMED(g, id, literal)                                                                   \
    (NAME(g, id)->len == sizeof(literal) - 1 &&                                                    \
     memcmp(NAME(g, id)->text, literal, sizeof(literal) - 1) == 0)

#endif
