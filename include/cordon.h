/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cordon.h: run Python that nobody has read, and get an honest answer.
 *
 * The life cycle, in the order of this file:
 *
 *   1. cordon_engine_new()     one engine per host program; it owns everything below
 *   2. cordon_submit()         hand over one execution; never blocks
 *   3. cordon_fd() and         the engine is one pollable descriptor; when it is
 *      cordon_step()           readable, step: callbacks run inside the step
 *   4. the `done` callback     carries a struct cordon_result, yours to free
 *   5. cordon_engine_free()    kills whatever still runs and leaves nothing behind
 *
 * or, for a host that may block: cordon_execute() does 2 to 4 in one call.
 *
 * Errors and verdicts are different things. Whatever the *code* does (an exception,
 * a crash, a limit, a timeout) is a verdict and arrives as a result. A negative
 * return and a filled struct cordon_err mean that the *call* could not be accepted.
 *
 * Threads: every function may be called from any thread; one mutex per engine keeps
 * them apart. Callbacks run on the thread that is inside cordon_step() or
 * cordon_execute(), with that mutex held: they may call cordon_submit() and
 * cordon_cancel(), they must not block. A thread that calls needs 256 KiB of stack.
 *
 * Signals and children: the engine changes no signal disposition, and no process of
 * it ever appears in the host's wait() or waitpid(-1).
 *
 * fork(): a child of the host program must not use an engine that its parent made; the
 * engine and all that runs in it end with the process that made it.
 */
#ifndef CORDON_H
#define CORDON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORDON_VERSION "0.1.0"

#if defined(__GNUC__)
#define CORDON_API __attribute__((visibility("default")))
#else
#define CORDON_API
#endif

/* ---- errors ------------------------------------------------------------- */

/* Why a call was refused. Returned negative; X(name, value, text). */
#define CORDON_ERRORS(X)                                                                           \
    X(CORDON_E_ARG, -1, "an argument is wrong")                                                    \
    X(CORDON_E_NOMEM, -2, "out of memory in the host program")                                     \
    X(CORDON_E_HOST, -3, "the host refused something that Cordon needs")                           \
    X(CORDON_E_HELPER, -4, "a helper process could not be used or was lost")                       \
    X(CORDON_E_PROFILE, -5, "no such profile, or the profile forbids it")                          \
    X(CORDON_E_PROTOCOL, -6, "a peer broke the protocol")

enum cordon_error_code {
#define CORDON_X(name, value, text) name = value,
    CORDON_ERRORS(CORDON_X)
#undef CORDON_X
};

/*
 * One error. Caller-owned, fixed size, no pointers: it can be filled without memory
 * and sent over a pipe in one write. Filled only when a call fails.
 *
 * code: one of CORDON_E_*.
 * sys:  errno at the failing call, 0 if there was none.
 * step: what was being done ("pivot-root") or which field is wrong ("limits.wall_ms").
 * msg:  one sentence: what, where, why, and what to do now.
 */
struct cordon_err {
    int32_t code;
    int32_t sys;
    char step[24];
    char msg[512];
    uint32_t reserved[4];
};

/* The short fixed text of a CORDON_E_* code. Never NULL. */
CORDON_API const char *cordon_error_text(int code);

/* ---- 1. the engine ------------------------------------------------------ */

struct cordon_engine; /* opaque */

/* Walls that can be taken down one by one, for tests and for the curious. */
enum cordon_wall {
    CORDON_WALL_GATE = 1u << 0,
    CORDON_WALL_INTERPRETER = 1u << 1,
    CORDON_WALL_NAMESPACES = 1u << 2,
    CORDON_WALL_ROOT = 1u << 3,
    CORDON_WALL_SECCOMP = 1u << 4,
    CORDON_WALL_LANDLOCK = 1u << 5,
    CORDON_WALL_LIMITS = 1u << 6
};

/* The least that a box may be. `contained`: without namespaces and a root of its own. */
enum cordon_floor {
    CORDON_FLOOR_PROFILE = 0, /* what the profile says; `full` unless it does */
    CORDON_FLOOR_FULL = 1,
    CORDON_FLOOR_CONTAINED = 2
};

/*
 * How to make an engine. Set `size` to sizeof(struct cordon_options) and leave what
 * you do not need zero. Everything is copied.
 */
struct cordon_options {
    size_t size;
    const char *python; /* interpreter to use instead of the profiles' own; NULL: theirs */
    const char
        *helper_dir; /* where cordon-keeper and the worker are; NULL: where they were installed */
    uint32_t drop_walls; /* CORDON_WALL_* to take down: never on behalf of a stranger */
    const char *config;  /* configuration file (cordon.yaml(5)); NULL: the first that exists of
                            $XDG_CONFIG_HOME/cordon/cordon.yaml and /etc/cordon/cordon.yaml */
    uint32_t floor;      /* enum cordon_floor: below it nothing runs. A box is as much as the
                            machine allows: `level` in the envelope says what it was. With
                            CORDON_FLOOR_FULL no wall of the box may be in drop_walls */
    const char *cgroup;  /* where to make control groups: as cgroup: in the configuration, which
                            NULL leaves to say it */
};

/*
 * Makes an engine. Starts no process yet: a box is built when its profile is first
 * used, or by cordon_engine_warm().
 *
 * opts:       may be NULL (all defaults).
 * ret_engine: set on success; release with cordon_engine_free().
 */
CORDON_API int cordon_engine_new(const struct cordon_options *opts,
                                 struct cordon_engine **ret_engine, struct cordon_err *reterr);

/*
 * Kills every sandbox and helper of the engine, waits until they are gone (tens of
 * milliseconds) and frees it. Runs in flight end without a callback. Accepts NULL.
 */
CORDON_API void cordon_engine_free(struct cordon_engine *engine);

/* Starts the profile's box now, so that the first execution need not wait for it. */
CORDON_API int cordon_engine_warm(struct cordon_engine *engine, const char *profile,
                                  struct cordon_err *reterr);

/*
 * The profile in force, limits, modules, files and all, as a configuration file that
 * loads back to the same profile. NUL-terminated UTF-8 that the caller releases with
 * free(); NULL with reterr filled when there is no such profile or no memory.
 */
CORDON_API char *cordon_engine_show_profile(struct cordon_engine *engine, const char *profile,
                                            struct cordon_err *reterr);

/* The index-th profile's name, "strict" first; NULL past the last. Lives as long as the engine. */
CORDON_API const char *cordon_engine_profile(const struct cordon_engine *engine, size_t index);

/* ---- 2. one execution ---------------------------------------------------- */

/* How an execution ended. X(name, value, word in the envelope). */
#define CORDON_STATUSES(X)                                                                         \
    X(CORDON_OK, 0, "ok")                                                                          \
    X(CORDON_NEEDS_APPROVAL, 1, "needs_approval")                                                  \
    X(CORDON_ERROR, 2, "error")                                                                    \
    X(CORDON_TIMEOUT, 3, "timeout")                                                                \
    X(CORDON_LIMIT, 4, "limit")                                                                    \
    X(CORDON_CRASHED, 5, "crashed")                                                                \
    X(CORDON_INTERNAL, 6, "internal")

enum cordon_status {
#define CORDON_X(name, value, text) name = value,
    CORDON_STATUSES(CORDON_X)
#undef CORDON_X
};

/* The status as the envelope spells it ("needs_approval"). Never NULL. */
CORDON_API const char *cordon_status_name(enum cordon_status status);

/* What becomes of NaN and the infinities in `result`. */
enum cordon_nonfinite {
    CORDON_NONFINITE_NULL = 0,   /* null, with a note: the answer stays JSON */
    CORDON_NONFINITE_LITERAL = 1 /* NaN, Infinity, -Infinity, as Python's json writes them */
};

enum cordon_stream { CORDON_STDOUT = 0, CORDON_STDERR = 1 };

/*
 * Limits of one execution. 0 means the profile's own; a value above the profile's is
 * refused (CORDON_E_PROFILE), never silently lowered.
 */
struct cordon_limits {
    size_t size;
    uint64_t wall_ms;      /* from the request being handed over to its answer */
    uint64_t cpu_ms;       /* processor time of the whole sandbox */
    uint64_t memory_bytes; /* what the code may take on top of the loaded interpreter */
    uint64_t tasks;        /* processes and threads */
    uint64_t open_files;
    uint64_t disk_bytes; /* the working directory */
    uint64_t disk_files;
    uint64_t stdout_bytes; /* what is kept of it, as it is shown (a byte that is no text: \xNN);
                              the rest is dropped and `truncated` says so */
    uint64_t stderr_bytes;
    uint64_t result_bytes; /* of the encoded result */
};

/*
 * One execution to run. Set `size`; what is zero has its default. Only read during
 * cordon_submit(): code and input are copied once, towards the sandbox.
 *
 * code:  UTF-8 text. One byte-order mark is dropped. Lines keep their numbers: the code is
 *        compiled as it stands. Of more than the profile's cap (strict: 1 MiB and 64 KiB) and of
 *        NUL the gate warns; beyond what may be approved (8 MiB) it is refused. With check_only
 *        any bytes, up to 64 MiB, get a verdict.
 * input: a JSON object in UTF-8, NULL for {}. At most 1000 levels deep. Passed through
 *        untouched: big integers, 1.10 and \ud800 arrive as they were written.
 *        With nonfinite set to CORDON_NONFINITE_LITERAL it may hold NaN and Infinity too.
 */
struct cordon_request {
    size_t size;
    const char *code;
    size_t code_len;
    const char *input;
    size_t input_len;
    const char *profile; /* NULL: "strict" */
    int approved;        /* a person has seen the warnings of exactly this code */
    int nonfinite;       /* enum cordon_nonfinite */
    struct cordon_limits limits;
    const char *const *environ; /* of an approved run, before credentials are taken out; ends
                                   with NULL. NULL: the host program's own */
    int check_only;             /* the gate alone: nothing runs (see cordon_check()) */
};

struct cordon_run;    /* one execution in flight: opaque, valid until `done` or cancel */
struct cordon_result; /* how it ended: opaque, yours from `done` until you free it */

/*
 * What the engine tells during cordon_step(). Any member may be NULL.
 *
 * output: bytes the code wrote, as they come, at most the cap of its stream. Raw: they
 *         need not be UTF-8 nor end at a character boundary. (The envelope's text does.)
 * done:   called exactly once, unless the run is cancelled first. `result` is yours:
 *         release it with cordon_result_free(). `run` is no longer valid afterwards.
 */
struct cordon_callbacks {
    size_t size;
    void (*output)(void *user, struct cordon_run *run, enum cordon_stream stream, const char *data,
                   size_t len);
    void (*done)(void *user, struct cordon_run *run, struct cordon_result *result);
};

/*
 * Hands over one execution and returns at once.
 *
 * callbacks: copied. user: passed back, never looked at.
 * ret_run:   set on success; may be NULL if you will never cancel.
 *
 * Fails when the request is wrong (CORDON_E_ARG, CORDON_E_PROFILE; `step` names the
 * field). When the machine cannot run it, the submission succeeds and the result's
 * status is CORDON_INTERNAL with the reason.
 */
CORDON_API int cordon_submit(struct cordon_engine *engine, const struct cordon_request *request,
                             const struct cordon_callbacks *callbacks, void *user,
                             struct cordon_run **ret_run, struct cordon_err *reterr);

/*
 * Kills a run. No callback for it is made any more, `run` is invalid on return, and its
 * process tree is gone within 100 ms. Must not be called for a run that is done.
 */
CORDON_API void cordon_cancel(struct cordon_engine *engine, struct cordon_run *run);

/*
 * Submits and waits. Safe from many threads at once, also beside cordon_step().
 *
 * ret_result: set on success; release with cordon_result_free().
 *
 * Returns 0 when there is a verdict, whatever it is. Blocks for the wall limit plus the
 * time to start a sandbox.
 */
CORDON_API int cordon_execute(struct cordon_engine *engine, const struct cordon_request *request,
                              struct cordon_result **ret_result, struct cordon_err *reterr);

/*
 * The gate alone: judges the request's code in a strict sandbox and runs none of it. Like
 * cordon_execute() otherwise; the status is CORDON_OK (no warnings) or
 * CORDON_NEEDS_APPROVAL. Without blocking: cordon_submit() with `check_only` set.
 */
CORDON_API int cordon_check(struct cordon_engine *engine, const struct cordon_request *request,
                            struct cordon_result **ret_result, struct cordon_err *reterr);

/* ---- 3. the host's own loop ---------------------------------------------- */

/*
 * The engine's one descriptor: readable when cordon_step() has something to do. Stays
 * the same for the engine's life; poll it (level-triggered), never read it.
 */
CORDON_API int cordon_fd(const struct cordon_engine *engine);

/*
 * Does what there is to do, without blocking, and makes the callbacks. Returns the
 * number of runs in flight afterwards, or a negative code when the engine itself is
 * broken (then free it).
 */
CORDON_API int cordon_step(struct cordon_engine *engine, struct cordon_err *reterr);

/* ---- 4. the result ------------------------------------------------------- */

/*
 * Everything a result returns belongs to the result and lives until it is freed.
 *
 * How `result` is encoded (see README, "What a result may hold"): as Python's json does,
 * and date, time, datetime (ISO 8601), Decimal and Fraction (text), set and frozenset
 * (sorted list), bytes (base64), Enum (its value), dataclass (object), UUID, path, numpy
 * and pandas values.
 */
CORDON_API enum cordon_status cordon_result_status(const struct cordon_result *result);

/* The JSON answer to the execution, whole: NUL-terminated UTF-8, no newline. */
CORDON_API const char *cordon_result_envelope(const struct cordon_result *result, size_t *ret_len);

/* The SHA-256 of the code, in hexadecimal: an approval is for exactly one. Never NULL. */
CORDON_API const char *cordon_result_code_sha256(const struct cordon_result *result);

/* The encoded `result`, ret_len bytes and no NUL behind them; NULL when the code gave none. */
CORDON_API const char *cordon_result_json(const struct cordon_result *result, size_t *ret_len);

/* What was printed, as valid UTF-8 (\xNN for a byte that is none), cut at the cap. Never NULL. */
CORDON_API const char *cordon_result_output(const struct cordon_result *result,
                                            enum cordon_stream stream, size_t *ret_len);

/* Whether that stream was cut at its cap. */
CORDON_API int cordon_result_truncated(const struct cordon_result *result,
                                       enum cordon_stream stream);

/*
 * One member of the envelope's `error`: "kind", "message", "type", "traceback" or
 * "limit". NULL when there is none.
 */
CORDON_API const char *cordon_result_error(const struct cordon_result *result, const char *member);

/* The line of the user's code that the error is about, from 1; 0 when there is none. */
CORDON_API unsigned cordon_result_line(const struct cordon_result *result);

/*
 * One reason why the gate will not let the code run unasked. Lines and columns count from
 * 1, columns in characters, and the end lies just behind the last character. The texts
 * belong to the result.
 */
struct cordon_warning {
    size_t size; /* set by the caller, as in the requests */
    const char *rule;
    const char *message;
    const char *snippet;
    unsigned line;
    unsigned column;
    unsigned end_line;
    unsigned end_column;
    unsigned count; /* how often the code gives this reason */
};

/* The index-th warning: 1, or 0 past the last (or when the gate did not run). */
CORDON_API int cordon_result_warning(const struct cordon_result *result, size_t index,
                                     struct cordon_warning *ret_warning);

/* The notes: what was changed on the way out. NULL past the last. */
CORDON_API const char *cordon_result_note(const struct cordon_result *result, size_t index);

/* Accepts NULL. */
CORDON_API void cordon_result_free(struct cordon_result *result);

/* ---- what this machine allows --------------------------------------------- */

/* What a probe found. X(name, value, word). */
#define CORDON_PROBE_STATUSES(X)                                                                   \
    X(CORDON_PROBE_OK, 0, "ok")                                                                    \
    X(CORDON_PROBE_INFO, 1, "info")         /* strict does not need it; good to know */            \
    X(CORDON_PROBE_SKIPPED, 2, "skipped")   /* what it builds upon failed */                       \
    X(CORDON_PROBE_DEGRADED, 3, "degraded") /* a wall that strict can go without is missing */     \
    X(CORDON_PROBE_FAILED, 4, "failed")     /* strict cannot run */

enum cordon_probe_status {
#define CORDON_X(name, value, text) name = value,
    CORDON_PROBE_STATUSES(CORDON_X)
#undef CORDON_X
};

/* The word of a probe's status ("degraded"). Never NULL. */
CORDON_API const char *cordon_probe_status_name(enum cordon_probe_status status);

/* How well `strict` is walled in on this machine. X(name, value, word). */
#define CORDON_LEVELS(X)                                                                           \
    X(CORDON_LEVEL_FULL, 0, "full")           /* every wall stands */                              \
    X(CORDON_LEVEL_DEGRADED, 1, "degraded")   /* runs say in walls_down what is missing */         \
    X(CORDON_LEVEL_NONE, 2, "none")           /* nothing runs */                                   \
    X(CORDON_LEVEL_CONTAINED, 3, "contained") /* only what has CORDON_FLOOR_CONTAINED runs */

enum cordon_level {
#define CORDON_X(name, value, text) name = value,
    CORDON_LEVELS(CORDON_X)
#undef CORDON_X
};

/* The word of a level ("full"). Never NULL. */
CORDON_API const char *cordon_level_name(enum cordon_level level);

/*
 * The level of an engine's runs, from what was asked for and what the kernel lacks. Builds
 * nothing: that a box can be made at all is for cordon_doctor() or a run to say.
 */
CORDON_API enum cordon_level cordon_engine_level(const struct cordon_engine *engine);

/*
 * One thing that was tried. The strings live until the callback returns.
 *
 * name:   kebab-case, the step or wall it is about ("user-namespaces").
 * proves: what works when it works.
 * detail: what was found: one sentence, or the error of what failed.
 * remedy: what to do about it; NULL when there is nothing to do.
 * wall:   the CORDON_WALL_* bit that is down because of it, or 0.
 */
struct cordon_probe {
    size_t size;
    const char *name;
    const char *proves;
    const char *detail;
    const char *remedy;
    enum cordon_probe_status status;
    uint32_t wall;
};

/*
 * Finds out which walls stand for this user on this machine, by building each of them in a
 * short-lived copy of this process with the code that runs use, and ends with a real run.
 *
 * opts: as for cordon_engine_new(); a wrong interpreter is a finding, not an error.
 * row:  called once per probe, in order, when all have been made.
 *
 * Returns the enum cordon_level, or a negative code when it could not find out. Takes well
 * under a second where all is well, and may block for a minute where something hangs. The
 * copies are no children that wait() or waitpid(-1) could find.
 */
CORDON_API int cordon_doctor(const struct cordon_options *opts,
                             void (*row)(void *user, const struct cordon_probe *probe), void *user,
                             struct cordon_err *reterr);

/* ---- what the gate asks about ------------------------------------------------- */

/*
 * One rule of the gate. The texts are the library's own.
 *
 * name:    stable, kebab-case: what a warning's `rule` may be.
 * meaning: one sentence.
 * trips:   code that gets a warning by this rule; NULL where `maker` is not.
 * passes:  code that does the like and gets none; may be NULL.
 * maker:   a Python program that prints code that gets a warning by this rule, which is too
 *          long, or holds what no text can; NULL where `trips` is not.
 */
struct cordon_rule {
    size_t size; /* set by the caller, as in the requests */
    const char *name;
    const char *meaning;
    const char *trips;
    const char *passes;
    const char *maker;
};

/* The index-th rule, the most serious first: 1, or 0 past the last. */
CORDON_API int cordon_rule(size_t index, struct cordon_rule *ret_rule);

/* ---- about this library -------------------------------------------------- */

/* "0.1.0". */
CORDON_API const char *cordon_version(void);

#ifdef __cplusplus
}
#endif

#endif /* CORDON_H */
