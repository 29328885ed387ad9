/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_rows: DATA ONLY, but for the look-ups: which audit events harmless code raises by
 * way of the standard library, by version. tests/behaviour/test_interpreter.py prints the
 * matrix that a Python shows and holds it to these rows.
 */
#include "audit.h"

#include "base/io.h"

#include <string.h>

#define ALL 0, 0, NULL
#define FROM(first, last) first, last, NULL
#define ONLY(attribute) 0, 0, attribute

const struct audit_row audit_rows[] = {
    /* methods that are written as text, from names that have been checked */
    {"compile", "dataclasses", NULL, ALL},
    {"exec", "dataclasses", NULL, ALL},
    {"compile", "collections", NULL, ALL},
    {"exec", "collections", NULL, ALL},
    /* annotations in text: Optional["Node"], singledispatch */
    {"compile", "typing", NULL, ALL},
    {"exec", "typing", NULL, ALL},
    /* the name of the module that a class is made in */
    {"sys._getframe", "collections", NULL, FROM(11, 11)},
    {"sys._getframe", "enum", NULL, FROM(11, 11)},
    {"sys._getframe", "typing", NULL, FROM(11, 11)},
    {"sys._getframemodulename", "collections", NULL, FROM(12, 0)},
    {"sys._getframemodulename", "enum", NULL, FROM(12, 0)},
    {"sys._getframemodulename", "typing", NULL, FROM(12, 0)},
    {"sys._getframemodulename", "dataclasses", NULL, FROM(12, 0)},
    /* signatures, which dataclasses put into __doc__ */
    {"object.__getattr__", "inspect", NULL, ALL},
    {"compile", "ast", "inspect", ALL},
    {"object.__getattr__", "typing", "functools", ALL},
    /* which of its definitions it is; an alias would hand out those without underscores */
    {"object.__getattr__", "typing", NULL, ONLY("__code__")},
    /* tracebacks in words, and the source lines in them */
    {"object.__getattr__", "traceback", NULL, ALL},
    {"compile", "ast", "traceback", ALL},
    {"open", "tokenize", "linecache", ALL},
    /* time zones: the files, the search for them, and what is loaded for the search */
    {"open", NULL, "zoneinfo._tzpath", ALL},
    {"open", NULL, "zoneinfo._common", ALL},
    {"os.listdir", NULL, "zoneinfo._tzpath", ALL},
    {"os.listdir", NULL, "zoneinfo._common", ALL},
    {"os.walk", NULL, "zoneinfo._tzpath", ALL},
    {"os.scandir", NULL, "zoneinfo._tzpath", ALL},
    {"os.scandir", NULL, "zoneinfo._common", ALL},
    {"import", NULL, "zoneinfo._tzpath", ALL},
    {"import", NULL, "zoneinfo._common", ALL},
    {"marshal.loads", "importlib._bootstrap_external", "zoneinfo._tzpath", ALL},
    {"marshal.loads", "importlib._bootstrap_external", "zoneinfo._common", ALL},
    {"exec", "importlib._bootstrap", "zoneinfo._tzpath", ALL},
    {"exec", "importlib._bootstrap", "zoneinfo._common", ALL},
    {"compile", "importlib._bootstrap", "zoneinfo._tzpath", ALL},
    {"compile", "importlib._bootstrap", "zoneinfo._common", ALL},
    {"sys._getframe", NULL, "zoneinfo._tzpath", ALL},
    {"sys._getframe", NULL, "zoneinfo._common", ALL},
    {"sys._getframemodulename", NULL, "zoneinfo._tzpath", ALL},
    {"sys._getframemodulename", NULL, "zoneinfo._common", ALL},
};
const size_t audit_row_count = ARRAY_LEN(audit_rows);

const struct audit_import audit_imports[] = {
    {"encodings", "encodings."},  /* codecs by name */
    {"warnings", "tracemalloc"},  /* a warning in words */
    {"traceback", "ast"},         /* where in the line it went wrong */
    {"traceback", "unicodedata"}, /* how wide the line is */
    {"traceback", "_suggestions"}, {"traceback", "_colorize"}, {"typing", "inspect"},
    {"dataclasses", "inspect"},    {"uuid", "_uuid"},
};
const size_t audit_import_count = ARRAY_LEN(audit_imports);

/* ---- whoever raises them -------------------------------------------------------- */

static const char *const harmless[] = {
    "array.__new__", "builtins.id", "sys.excepthook", "sys.unraisablehook", "time.sleep",
};

/* Frames, and code objects by whatever holds one. */
static const char *const guarded[] = {
    "__code__", "ag_code",   "ag_frame", "cr_code", "cr_frame", "f_back",   "f_builtins",
    "f_code",   "f_globals", "f_locals", "gi_code", "gi_frame", "tb_frame",
};

/* With a "." at its end: all that begin so. */
static const char *const hard[] = {
    "ctypes.",    "cpython.",  "fcntl.",         "os.exec",     "os.fork",
    "os.forkpty", "os.kill",   "os.posix_spawn", "os.spawn",    "os.startfile",
    "os.system",  "pty.spawn", "socket.",        "subprocess.", "sys.addaudithook",
};

static int listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        if (strcmp(names[i], name) == 0 ||
            (names[i][len - 1] == '.' && strncmp(names[i], name, len) == 0))
            return 1;
    }
    return 0;
}

int audit_harmless(const char *event)
{
    return listed(harmless, ARRAY_LEN(harmless), event);
}

int audit_guarded(const char *attribute)
{
    return listed(guarded, ARRAY_LEN(guarded), attribute);
}

int audit_hard(const char *event)
{
    return listed(hard, ARRAY_LEN(hard), event);
}
