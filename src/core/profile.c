/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: DATA ONLY, but for the look-up. Every list says what its entries are for;
 * change policy here and nowhere else.
 */
#include "core/profile.h"

#include <string.h>

#define MIB (1024u * 1024u)

/* Shapes data, computes. Code gets of each what worker/exports.c lists, no door to the host. */
static const char *const strict_allow[] = {
    "json",      "math",      "cmath",       "re",          "datetime",
    "time",      "calendar",  "zoneinfo",    "collections", "collections.abc",
    "itertools", "functools", "statistics",  "decimal",     "fractions",
    "random",    "string",    "textwrap",    "unicodedata", "csv",
    "copy",      "enum",      "dataclasses", "typing",      "abc",
    "numbers",   "uuid",      "hashlib",     "base64",      "binascii",
    "operator",  "heapq",     "bisect",      "array",       "__future__",
    "sys",       "io",        "contextlib",  "html",        "urllib.parse",
    "pprint",    "pathlib",   "traceback",   "types",       "graphlib",
    "secrets",   "struct",    "zlib",        "difflib",     "fnmatch",
    "warnings",  NULL,
};

/* Loaded so that user code meets them ready: each would otherwise be imported mid-run. */
static const char *const strict_load[] = {
    "traceback",        /* errors are formatted with it */
    "linecache",        /* it shows the user's source lines */
    "faulthandler",     /* it tells the line at the deadline */
    "_strptime",        /* datetime.strptime, on first use */
    "encodings.cp1252", /* codecs by name, on first use */
    "encodings.latin_1",
    "encodings.ascii",
    "encodings.utf_16",
    "encodings.utf_16_le",
    "encodings.utf_16_be",
    "encodings.utf_32",
    "encodings.utf_32_le",
    "encodings.utf_32_be",
    "encodings.iso8859_15",
    "encodings.unicode_escape",
    "encodings.raw_unicode_escape",
    "encodings.utf_8_sig",
    "encodings.idna", /* with stringprep */
    "encodings.punycode",
    NULL,
};

/* CPython's C code imports these through the __import__ of whoever calls it. */
static const char *const strict_c_imports[] = {
    "_strptime",    /* time.strptime and datetime.strptime */
    "_pylong",      /* arithmetic on huge integers, from 3.12 on */
    "_sha2",        /* random.seed of text, from 3.13 on */
    "copyreg",      /* object.__reduce_ex__, which copy uses */
    "io",           /* showing an exception in __del__ */
    "json.decoder", /* its exception, raised from C */
    "re",           /* templates of sub() */
    "struct",       /* memoryview formats */
    "time",         /* datetime.strftime */
    "traceback",    /* showing an exception in __del__ */
    "typing",       /* generics in syntax, from 3.12 on */
    "unicodedata",  /* \N{...} in patterns */
    "warnings",     NULL,
};

static const char *const strict_hide_builtins[] = {
    "open",  /* files: there are none to open */
    "input", /* nothing to read */
    "breakpoint", "exit",      "quit",    "help",
    "license",    "copyright", "credits", /* for people at a prompt */
    "eval",       "exec",      "compile", /* text that becomes code cannot be judged beforehand */
    NULL,
};

/* Time zones; local time as on the host. The interpreter's own files are added to these. */
static const char *const strict_view[] = {"/usr/share/zoneinfo", "/etc/localtime", NULL};

static const char *const strict_devices[] = {
    "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", NULL,
};

static const char *const strict_environ[] = {
    "PYTHONDONTWRITEBYTECODE=1", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "PYTHONUTF8=1",
    "PYTHONIOENCODING=utf-8",    NULL,
};

/*
 * As many threads as a run has processors, which is one: numerical libraries read it once,
 * when they are loaded. Some would start them there and then, and a zygote must have none.
 */
static const char *const strict_load_environ[] = {
    "OMP_NUM_THREADS=1",
    "NUMEXPR_NUM_THREADS=1",
    "OPENBLAS_NUM_THREADS=1",
    "MKL_NUM_THREADS=1",
    "MPLBACKEND=Agg",     /* figures in memory: there is no display */
    "TMPDIR=/cordon/tmp", /* a writable place, the only one of the box, for modules that need it */
    NULL,
};

/* strict withholds what core/environ.c lists, no more, and keeps no name. */
static const char *const none[] = {NULL};

static const struct profile profiles[] = {
    {
        .name = "strict",
        .python = CORDON_PYTHON,
        .allow = strict_allow,
        .load = strict_load,
        .c_imports = strict_c_imports,
        .hide_builtins = strict_hide_builtins,
        .view = strict_view,
        .devices = strict_devices,
        .environ = strict_environ,
        .load_environ = strict_load_environ,
        .limits =
            {
                .size = sizeof(struct cordon_limits),
                .wall_ms = 30000,
                .cpu_ms = 30000, /* the wall limit times the one processor allowed */
                .memory_bytes = 512ull * MIB,
                .tasks = 16,
                .open_files = 64,
                .disk_bytes = 16ull * MIB,
                .disk_files = 1000,
                .stdout_bytes = MIB,
                .stderr_bytes = MIB,
                .result_bytes = 16ull * MIB,
            },
        .code_bytes = MIB + 64 * 1024, /* a MiB of embedded data, and the code around it */
        .input_bytes = 128ull * MIB,
        .credentials = {.patterns = none, .keep = none},
        .network = PROFILE_NETWORK_NONE,
        .gate = PROFILE_GATE_ON,
        .level = PROFILE_LEVEL_FULL, /* less only where somebody says that it is enough */
        .site = PROFILE_SITE_OFF,    /* the standard library is all there is, and starts sooner */
        .approved =
            {
                .files = PROFILE_FILES_HOST,
                .network = PROFILE_NETWORK_HOST,
                .limits =
                    {
                        .size = sizeof(struct cordon_limits),
                        .wall_ms = 30000,
                        .cpu_ms = 0, /* all processors for the wall limit: depends on the machine */
                        .memory_bytes = 1024ull * MIB,
                        .tasks = 128,
                        .open_files = 256,
                        .disk_bytes = 256ull * MIB,
                        .disk_files = 10000,
                        .stdout_bytes = MIB,
                        .stderr_bytes = MIB,
                        .result_bytes = 16ull * MIB,
                    },
                .code_bytes = 8ull * MIB,
                .input_bytes = 128ull * MIB,
            },
    },
};

static int is_listed(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

int profile_names_python(const struct profile *p)
{
    return p->python != profiles[0].python;
}

int profile_has_packages(const struct profile *p)
{
    for (size_t i = 0; p->allow[i]; i++)
        if (!is_listed(profile_find(NULL)->allow, p->allow[i]))
            return 1;
    return 0;
}

const struct profile *profile_find(const char *name)
{
    if (!name)
        name = "strict";
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}
