/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker: what the files of _cordon_worker share; nobody else includes it.
 *
 *   module.c   the module and its few functions
 *   zygote.c   loads nothing itself, forks, and walls in what it forked
 *   approved.c one interpreter of its own for one approved run
 *   spawned.c  what its children by multiprocessing know of the code
 *   load.c     everything that is done once, before the first fork
 *   run.c      one execution, from its request to its end
 *   interp.c   the world that user code sees: builtins, __import__, __main__
 *   exports*.c what code may name of each module, and package_rows.c of packages
 *   package_seal*.c what packages may not do, whoever calls them; package_memory.c numpy
 *   facade.c   the modules in it                  audit*.c  what is refused at run time
 *   *_seal.c   classes and methods of the library, type_object.c what classes are in memory
 *   text.c     sys.stdout and sys.stderr
 *   print.c    what they print, over memory shared with the engine
 *   errors.c   an exception in words          verdict.c  what it means for the execution
 *   clip.c     long text kept short           report.c   FRAME_END, without any Python
 *   encode*.c  the result as JSON
 *
 * One process is one zygote or one sandbox and has one thread of ours, so what is shared
 * is a plain global. Functions returning int return 0, or -1 with a Python exception set.
 */
#ifndef CORDON_WORKER_H
#define CORDON_WORKER_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>

#include "base/wire.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The name that user code is compiled under, and that tracebacks show. */
#define USER_FILE "<code>"

/* Drops a reference and forgets it, also when user code runs meanwhile. */
static inline void py_clear(PyObject **p)
{
    PyObject *old = *p;
    *p = NULL;
    Py_XDECREF(old);
}
#define AUTO_PY __attribute__((cleanup(py_clear))) PyObject *

/* Hands the reference over. */
static inline PyObject *py_take(PyObject **p)
{
    PyObject *taken = *p;
    *p = NULL;
    return taken;
}

/* What load.c sets up. Read-only afterwards, but for `spec` and `pid`. */
struct worker {
    uint32_t walls_down;  /* CORDON_WALL_* */
    PyObject *profile;    /* its name, str */
    PyObject *allow;      /* dict: importable name -> what is handed out, a facade or a module */
    PyObject *allow_text; /* the same names for a message, str */
    PyObject *c_imports;  /* frozenset of str */
    PyObject *hidden;     /* frozenset of str: builtins that the profile withholds */
    PyObject *builtins;   /* what user code gets as __builtins__ */

    PyObject *compile;          /* builtins.compile */
    PyObject *json;             /* the module, or its facade */
    PyObject *loads;            /* json.loads */
    PyObject *get_int_digits;   /* sys.get_int_max_str_digits */
    PyObject *set_int_digits;   /* sys.set_int_max_str_digits */
    PyObject *modules;          /* sys.modules */
    PyObject *line_cache;       /* linecache.cache */
    PyObject *trace_exception;  /* traceback.TracebackException */
    PyObject *trace_signal;     /* faulthandler.register */
    PyObject *numpy_seed;       /* numpy.random.seed, NULL without numpy */
    unsigned char raise_opcode; /* RAISE_VARARGS of this version */

    int approved; /* this process is a normal Python but for how it begins and ends */
    int work_dir; /* approved: a descriptor of the working directory */
    int spare;    /* approved: a descriptor to give up when the code has used up all, or 0 */

    struct sandbox_spec spec; /* of the sandbox this process is */
    pid_t pid;                /* of the sandbox; a process that user code forked has another */
};
extern struct worker worker;

static inline int interpreter_wall_up(void)
{
    return !(worker.walls_down & CORDON_WALL_INTERPRETER);
}

/* ---- clip.c: long text kept short ----------------------------------------- */

/*
 * UTF-8 text of any length, of which the beginning and the end are kept: the first
 * CLIP_HEAD bytes and, in a ring, the last CLIP_TAIL.
 */
#define CLIP_HEAD (80u * 1024)
#define CLIP_TAIL (47u * 1024)
struct clip {
    uint64_t total;
    char head[CLIP_HEAD];
    char tail[CLIP_TAIL];
    char text[CLIP_HEAD + CLIP_TAIL + 128]; /* set by clip_close() */
    size_t len;
};
void clip_open(struct clip *c);
void clip_add(struct clip *c, const char *data, size_t len);
/* Puts the text together; what was left out is said on a line of its own. */
void clip_close(struct clip *c);

/* The longest prefix of at most max bytes that ends at a character's end. */
size_t clip_prefix(const char *data, size_t len, size_t max);

/*
 * Python text as UTF-8, surrogates as \udXXX. The bytes live as long as *keep, which the
 * caller releases (it may be `text` itself). NULL with an exception set.
 */
const char *clip_utf8(PyObject *text, Py_ssize_t *ret_len, PyObject **keep);

/* ---- errors.c: an exception in words --------------------------------------- */

#define FAILURE_TYPE_MAX 256
#define FAILURE_MESSAGE_MAX (16u * 1024)

/* How an execution ended other than well; all text is UTF-8. */
struct failure {
    const char *outcome; /* as FRAME_END spells it */
    const char *limit;   /* NULL unless outcome is "limit", or "exception" and it may be that */
    char type[FAILURE_TYPE_MAX + 1];
    char message[FAILURE_MESSAGE_MAX + 64]; /* NUL-terminated */
    unsigned long line;                     /* of the user's code, 0: none */
    struct clip traceback;
};

/* Called once in the zygote: formats an exception, so that all it takes is loaded. */
int errors_prepare(void);

/* Lets tracebacks show the user's lines, also those that the code itself prints. */
int errors_set_source(PyObject *source);
/* Once linecache has been loaded late. 0, or -1 with an exception. */
int errors_seed_lines(void);

/*
 * Words for `value`: type, message, line, traceback. Runs user code (__str__), survives
 * whatever it does, and always leaves a usable failure and no exception set.
 * whole: with the stack; else as Python shows an error of compilation.
 */
void errors_describe(struct failure *f, PyObject *value, int whole);

/* Replaces, or adds a sentence to, the message. */
void errors_say(struct failure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void errors_add(struct failure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Where `value` was raised: a new reference to the innermost traceback entry, or NULL. */
PyObject *errors_innermost(PyObject *value);

/* ---- verdict.c: what an exception means ------------------------------------- */

enum phase { PHASE_COMPILE, PHASE_RUN, PHASE_ENCODE };

/*
 * Takes the exception that is set and fills the failure. Returns 0, or 1 when it is no
 * failure: SystemExit with nothing or 0.
 */
int verdict(struct failure *f, enum phase phase);

/* "the code ran out of memory ..." for a limit word; for when no exception tells it. */
void verdict_limit(struct failure *f, const char *limit);

/* Keeps some memory back for what comes after the code. 0 or -errno. */
int verdict_reserve(void);
/* Gives it up. verdict() does so itself. */
void verdict_release(void);

/* ---- report.c: FRAME_END ----------------------------------------------------- */

/* Sends one frame. 0 or -errno. After fork, before the walls: allowed. */
int frame_send(int fd, enum frame_type type, const void *data, size_t len);

/* Puts FRAME_END together. failure: NULL when all is well. notes: list of str, or NULL. */
void report_make(const struct failure *failure, PyObject *notes);
/* Sends it: without Python, which may have ended meanwhile. */
void report_send(int fd);

/* ---- print.c: what is printed, on its way to the pipe ----------------------------- */

/* What is written out at once, not when the memory is full: every line, or everything. */
extern struct print_habit {
    int lines, all;
} print_habits[2];

/* Once, before anything is printed. 0 or an errno. */
int print_prepare(void);
/* From now on the memory is this one, shared with the engine. 0 or -errno. */
int print_attach(int memfd);
/* which is 0 for stdout, 1 for stderr. */
void print_put(int which, const char *data, size_t len);
/* Write out what is waiting, in C only. */
void print_flush(int which);
void print_flush_all(void);
/* Before somebody else may write to the same pipes: flushes, now and for a while each line. */
void print_take_turns(void);

/* ---- text.c: sys.stdout and sys.stderr ---------------------------------------- */

/* Makes the types; the objects are not in use yet. */
int text_prepare(void);
/* The object for fd 1 or 2: a new reference. */
PyObject *text_object(int fd);
/* Makes them sys.stdout, sys.stderr and their __dunder__ twins. */
int text_install(void);
/* Before text_install: the old objects' last words, and when they wrote out what they had. */
void text_adopt(void);

/* ---- interp.c: the world of user code ------------------------------------------ */

int interp_prepare(void);
/* A fresh __main__: the module, a new reference. input_data is not stolen. */
PyObject *interp_main(PyObject *input_data);

/* ---- facade.c: what code gets instead of a module -------------------------------- */

/* Puts facades in the place of the modules of worker.allow. */
int facade_prepare(void);
/* 1: what is handed out under that name is a facade. */
int facade_is(PyObject *name);
/* 1: the table lists `item` for module `name`, and the facade still holds it; 0. */
int facade_offers(PyObject *facade, PyObject *name, PyObject *item);
/* What the withheld name could do, or NULL. */
const char *facade_why(PyObject *name, PyObject *item);
/* 1: the module has it, and the facade does not. */
int facade_withholds(PyObject *name, PyObject *item);

/* ---- audit.c: what is refused once code runs --------------------------------------- */

struct violation {
    char what[48];      /* the audit event */
    unsigned long line; /* of the user's code, 0: none */
};
#define VIOLATIONS_MAX 20

/* name_guard.c: looks at names of attributes in text once more. As class_seal(). */
int name_guard(void);

/* zone_guard.c: keys of time zones are texts and nothing but. As class_seal(). */
int zone_guard(void);

/* class_seal.c: from now on no class of the library can be changed. 0, or -1 with an exception. */
int class_seal(void);
/* memory_guard.c: memory stays where it is while C code of the interpreter works on it. As that. */
int memory_guard(void);
/* advance_guard.c: no iterator is asked by what it asks. As that. */
int advance_guard(void);
/* state_guard.c: C code finds in its objects what it has put there. As that. */
int state_guard(void);
/* redirect_guard.c: redirect_stdout() sets sys.stdout and nothing else. As that. */
int redirect_guard(void);
/* machinery_guard.c: what the library goes by in objects that the code gets. As that. */
int machinery_guard(void);
/* copy_guard.c: what the library does by a name that an object has for it. As that. */
int copy_guard(void);
/* own_guard.c: what ExitStack and PrettyPrinter look up on `self` is their own. As that. */
int own_guard(void);
/* path_guard.c: no path leads to a module. As that. */
int path_guard(void);
/* dict_guard.c: a class's dict hands out nothing that takes anything for `self`. As that. */
int dict_guard(void);
/* format_guard.c: fields of a format read no attribute that leads inside. As that. */
int format_guard(void);
/* signature_guard.c: what dataclasses say of themselves is found out by no code of theirs. As that. */
int signature_guard(void);
/* made_seal.c: classes that the code makes have no names but those of class statements. As that. */
int made_seal(void);
/* property_seal.c: a property is for instances of the class that it was made in. As that. */
int property_seal(void);
/*
 * A class is to be made with those names, of those bases: 0, or -1 and it has a property of another
 * one. The other, when it has been made.
 */
int property_seal_begin(PyObject *names, PyObject *bases);
int property_seal_end(PyObject *names, PyObject *class);
/* method_seal.c: their methods are for their instances. Before class_seal(). As that. */
int method_seal(void);

/* Adds the hook, which lets everything pass until audit_start(). */
int audit_prepare(void);
/* From now on code runs whose globals these are. */
void audit_start(PyObject *globals);
/* annotation.c: 1: the code could be a type; 0: it is a program, or cannot be read. */
int annotation_is_type(PyObject *code);
/* Before that. 0, or -1 with an exception. */
int annotation_prepare(void);
/* Refuses the reading of an attribute as the hook does: -1, with the exception and a violation. */
int audit_refuse_name(const char *event, PyObject *object, PyObject *name);
/* What was refused, at most VIOLATIONS_MAX. */
size_t audit_violations(const struct violation **ret_rows);

/* ---- load.c, zygote.c, run.c --------------------------------------------------- */

/*
 * All that is done once: configuration, modules, look-ups. Returns 0 or a negative code
 * with reterr filled.
 */
int load_all(const char *config, struct cordon_err *reterr);
/* The same for a zygote whose sandboxes only read code, by the gate, and run none. */
int load_reader(struct cordon_err *reterr);

/* What an approved run needs of it before it starts; and, once it has failed, the rest. */
int load_approved(struct cordon_err *reterr);
int load_late(void);
int load_json(void);

/* 1 when the process has one thread. */
int load_single_threaded(void);

/* Whether long integers may become text and back; returns what was set before, or -1. */
long digits_set(long digits);

/*
 * Sets sys.excepthook and an exception, so that the interpreter calls `def` once the Python
 * code that we were called from is left. Returns NULL. In def, start_forget() first.
 */
PyObject *start_arm(PyMethodDef *def);
void start_forget(void);

/* Says FRAME_READY. Leaves for ever when the engine has gone. */
void start_ready(int channel);

/* The line that runs when `signal` comes goes to the descriptor. 0 or -1 with an exception. */
int start_trace(int signal, int trace);

/* Arranges that the approved run starts in the same way. Returns NULL. */
PyObject *approved_arm(int channel, int trace, int text);
/* ---- spawned.c: children that are no forks ---- */

void spawned_set_source(PyObject *source);
/* multiprocessing is about to start some: they are to find what the code defines. */
void spawned_prepare(void);

/* Whether the code could tell that `json` is not there: loading it takes a third of a start. */
int approved_wants_json(const char *code, size_t len);
/* An exception has ended the code: shows it to the sys.excepthook of its own. Without one the
 * traceback, which has to stay, is printed if no answer can be given any more. */
void approved_except(PyObject *value, const struct clip *traceback);
/* The code has ended: what Python does before it ends itself. */
void approved_wind_up(void);
/* Ends Python, with all that hangs from it: files that are open are written out. */
void approved_finalize(void);

/*
 * Arranges that the zygote starts once the Python code that calls this is left, and sets
 * the exception that leaves it. Returns NULL.
 */
PyObject *zygote_arm(int sock, const char *config);
PyObject *reader_arm(int sock, uint32_t walls_down);

/*
 * Lets the gate judge the code and sends its list. 1: no warnings, *ret_code is what to
 * run (a new reference); 0: there are warnings, as of code of more than bytes_max; -1 with an
 * exception.
 */
int ask_gate(int channel, PyObject *source, size_t bytes_max, PyObject **ret_code);

/* Waits for the request on the channel, carries it out, answers. */
_Noreturn void run_request(int channel);

#endif
