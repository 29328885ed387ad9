/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: named policies, all data. profile.c holds the built-in ones, each row with
 * its reason; nothing here decides anything. A configuration file makes more of them
 * (core/config.h).
 */
#ifndef CORDON_CORE_PROFILE_H
#define CORDON_CORE_PROFILE_H

#include "core/environ.h"
#include "cordon.h"

/* Every choice begins at 1: 0 is "not said". */
enum profile_network {
    PROFILE_NETWORK_NONE = 1, /* a network namespace of its own, with nothing in it */
    PROFILE_NETWORK_HOST = 2, /* the host's */
};
enum profile_gate { PROFILE_GATE_ON = 1, PROFILE_GATE_OFF = 2 };
/* Whether the zygote's interpreter loads its site module, and so finds installed packages.
   One of a virtual environment always does: without it, it has no packages at all. */
enum profile_site { PROFILE_SITE_OFF = 1, PROFILE_SITE_ON = 2 };
/* The least that a box of it may be (core/level.h). */
enum profile_level { PROFILE_LEVEL_FULL = 1, PROFILE_LEVEL_CONTAINED = 2 };
enum profile_files {
    PROFILE_FILES_HOST = 1, /* all that the caller may open */
    PROFILE_FILES_NONE = 2, /* the profile's view and the working directory, as for strict runs */
};

/* What an approved run gets. */
struct profile_approved {
    enum profile_files files;
    enum profile_network network;
    struct cordon_limits limits; /* cpu_ms 0: the wall limit times the processors it may use */
    uint64_t code_bytes;
    uint64_t input_bytes;
};

struct profile {
    const char *name;
    const char *python;           /* the interpreter, unless the engine's options name one */
    const char *const *allow;     /* modules that user code may import; all loaded beforehand */
    const char *const *load;      /* further modules to load beforehand */
    const char *const *c_imports; /* what C code imports by itself through the user's __import__ */
    const char *const *hide_builtins; /* builtins that do not exist as names */
    const char *const *view; /* host paths to show read-only, beside the interpreter's own */
    const char *const *devices;
    const char *const *environ;        /* the environment of user code, whole */
    const char *const *load_environ;   /* set while modules are loaded, gone before user code */
    struct environ_policy credentials; /* what of the caller's environment an approved run sees */
    enum profile_network network;      /* of runs that are not approved */
    enum profile_gate gate;
    enum profile_site site;
    enum profile_level level;
    struct cordon_limits limits;
    uint64_t code_bytes;
    uint64_t input_bytes;
    struct profile_approved approved;
};

/* Whether it allows modules that the built-in profile does not know: what code may use of
   them can be told only when they have been loaded. */
int profile_has_packages(const struct profile *p);
/* Whether somebody has said which interpreter it is. */
int profile_names_python(const struct profile *p);

/* The built-in profile of that name (NULL: "strict"), or NULL. Lives for ever. */
const struct profile *profile_find(const char *name);

#endif
