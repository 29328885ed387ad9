/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict: what a run's end means, in words for the person who must act. The facts, in
 * order of weight: what the frames hold, then the keeper's word on how the process ended.
 * Everything that came from the sandbox is checked here before it is passed on.
 */
#include "core/sandbox.h"

#include "base/utf8.h"
#include "core/exceeded.h"
#include "core/jsoncheck.h"
#include "jail/filter.h"
#include "jail/seccomp.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sodium.h>
#include <sys/wait.h>

/* Ten members, 50 notes and 20 violations of three members each come to half of it. */
#define END_VALUES_MOST 256

/* ---- texts from the sandbox ------------------------------------------------ */

/* A string member of END, as text without NUL; NULL when there is none. */
static char *take_text(const json_t *end, const char *member)
{
    const json_t *value = json_object_get(end, member);
    struct buf out = {0};
    if (!json_is_string(value))
        return NULL;
    const char *text = json_string_value(value);
    size_t left = json_string_length(value);
    while (left > 0) {
        size_t n = strnlen(text, left);
        if (buf_add(&out, text, n, SIZE_MAX - 1) < 0)
            break;
        text += n;
        left -= n;
        if (left > 0 && buf_add(&out, "\\x00", 4, SIZE_MAX - 1) < 0)
            break;
        if (left > 0) {
            text++;
            left--;
        }
    }
    return out.data ? out.data : strdup("");
}

static void take_notes(struct cordon_result *r, const json_t *end)
{
    const json_t *notes = json_object_get(end, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *note = json_array_get(notes, i);
        /* With a NUL in it, it is none of ours. */
        if (json_is_string(note) && strlen(json_string_value(note)) == json_string_length(note))
            result_note(r, json_string_value(note));
    }
}

/* Advisory: what the hook says that it refused. An event's name, or it is none of ours. */
static void take_violations(struct cordon_result *r, const json_t *end)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    const json_t *rows = json_object_get(end, "violations");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const json_t *what = json_object_get(row, "what");
        const char *wall = json_string_value(json_object_get(row, "wall"));
        json_int_t line = json_integer_value(json_object_get(row, "line"));
        size_t len = json_string_length(what);
        if (!wall || strcmp(wall, "interpreter") != 0 || len == 0 || len > 64 ||
            strspn(json_string_value(what), plain) != len)
            continue;
        result_violation(r, "interpreter", json_string_value(what),
                         line > 0 && line < 100000000 ? (unsigned)line : 0);
    }
}

static void take_details(struct cordon_result *r, const json_t *end)
{
    json_int_t line = json_integer_value(json_object_get(end, "line"));
    r->type = take_text(end, "type");
    r->traceback = take_text(end, "traceback");
    r->line = line > 0 && line < 100000000 ? (unsigned)line : 0;
    take_notes(r, end);
}

/* ---- an answer -------------------------------------------------------------- */

static void distrust(struct cordon_result *r, const char *why)
{
    result_error(r, CORDON_ERROR, "channel",
                 "the sandbox broke the protocol (%s), so its answer is not believed: the code has "
                 "written to Cordon's own channel",
                 why);
}

/* In JSON that was checked these can only stand between tokens; an envelope is one line. */
static void blank(char *json, size_t len, char c)
{
    for (char *at = json; at && (at = memchr(at, c, len - (size_t)(at - json)));)
        *at = ' ';
}

/* The bytes move: they are the largest thing here. */
static void take_result(struct cordon_result *r, struct cordon_run *run)
{
    char why[128];
    struct buf *json = &run->frames.result;
    int flags = run->request.nonfinite == CORDON_NONFINITE_LITERAL ? JSON_NONFINITE : 0;
    if (!run->frames.has_result) {
        distrust(r, "it ended without a result");
    } else if (json_check_object(json->data ? json->data : "", json->len, flags, why, sizeof(why)) <
               0) {
        distrust(r, why);
    } else {
        blank(json->data, json->len, '\n');
        blank(json->data, json->len, '\r');
        r->json = *json;
        *json = (struct buf){0};
    }
}

/*
 * The outcomes in which the sandbox tells what went wrong. "internal" is among them, but
 * not as a status: that it was our fault is nothing a sandbox can say.
 */
static const char *const outcomes[] = {"exception", "syntax", "exit", "result", "internal"};

static void take_error(struct cordon_result *r, const struct cordon_run *run, const json_t *end,
                       const char *outcome)
{
    const struct exceeded *limit = exceeded_find(json_string_value(json_object_get(end, "limit")));
    take_details(r, end);
    if (limit && strcmp(outcome, "limit") == 0) {
        exceeded_say(r, run, limit);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) {
        if (strcmp(outcomes[i], outcome) != 0)
            continue;
        AUTO_FREE char *message = take_text(end, "message");
        result_error(r, CORDON_ERROR, outcomes[i], "%s",
                     message && message[0] ? message : "the code failed without saying why");
        return;
    }
    distrust(r, "an unknown outcome");
}

/* Nothing ran: a person has to be asked first. */
static void say_approval(struct cordon_result *r, const struct cordon_run *run)
{
    size_t count = json_array_size(r->warnings);
    const struct request *q = &run->request;
    result_error(r, CORDON_NEEDS_APPROVAL, "needs_approval",
                 "the code was not run: the gate has %zu warning%s; approve exactly this code, or "
                 "change it",
                 count, count == 1 ? "" : "s");
    if (utf8_append_shown(&r->preview, q->bytes + q->code_at, q->code_len, 0) < 0)
        buf_done(&r->preview); /* half of it would deceive */
}

/* The gate's word first. Returns whether the rest of the answer counts. */
static int take_verdict(struct cordon_result *r, const struct cordon_run *run, const char *outcome)
{
    int asked = run->request.gate != WIRE_GATE_OFF;
    if (asked != run->frames.has_warnings || (asked && !r->warnings)) {
        /* Memory may run out before the gate has read the code: then it runs no further. */
        if (strcmp(outcome, "limit") == 0 || strcmp(outcome, "internal") == 0)
            return 1;
        distrust(r, "the gate's list is missing or not one");
        return 0;
    }
    int warned = json_array_size(r->warnings) > 0;
    int stopped = strcmp(outcome, "needs_approval") == 0;
    if (warned != stopped) {
        distrust(r, "it went on against the gate's list");
        return 0;
    }
    if (stopped)
        say_approval(r, run);
    else if (strcmp(outcome, "checked") != 0)
        return 1;
    else if (run->request.gate != WIRE_GATE_ONLY)
        distrust(r, "it did not run the code");
    return 0;
}

static void take_answer(struct cordon_result *r, struct cordon_run *run)
{
    json_t *end = json_take(&run->frames.end, END_VALUES_MOST);
    const char *outcome = json_string_value(json_object_get(end, "outcome"));
    take_violations(r, end);
    if (!outcome) {
        distrust(r, "its last word is not a JSON object, or holds too much");
    } else if (!take_verdict(r, run, outcome)) {
        /* said already */
    } else if (strcmp(outcome, "ok") == 0) {
        take_notes(r, end);
        take_result(r, run);
    } else {
        take_error(r, run, end, outcome);
    }
    json_decref(end);
}

/* ---- no answer -------------------------------------------------------------- */

unsigned verdict_trace_line(const char *text)
{
    /* faulthandler: innermost frame first; ours is the first that is the user's. */
    static const char mark[] = "File \"<code>\", line ";
    const char *at = strstr(text, mark);
    if (!at)
        return 0;
    at += sizeof(mark) - 1;
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > 8 || at[digits] == '\0')
        return 0; /* the number may go on in the next piece */
    return (unsigned)strtoul(at, NULL, 10);
}

static void say_timeout(struct cordon_result *r, const struct cordon_run *run)
{
    char where[64] = "", remedy[320];
    double seconds = (double)run->request.limits.wall_ms / 1000.0;
    r->line = run->trace_text.data ? verdict_trace_line(run->trace_text.data) : 0;
    if (r->line > 0)
        (void)snprintf(where, sizeof(where), " while line %u was running", r->line);
    exceeded_wall_remedy(run, remedy, sizeof(remedy));
    result_error(r, CORDON_TIMEOUT, "timeout",
                 "the code was stopped at its limit of %.6g s%s; %s or make it do less", seconds,
                 where, remedy);
}

/* A number of at most 32 bits, and what follows it; NULL: there is none. */
static const char *take_number(const char *text, unsigned *ret)
{
    char *end;

    if (*text < '0' || *text > '9')
        return NULL;
    unsigned long long n = strtoull(text, &end, 10);
    *ret = (unsigned)n;
    return n <= UINT32_MAX ? end : NULL;
}

int verdict_refused_call(const char *text, unsigned *ret_nr, unsigned *ret_arch)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, FILTER_WORD)); at++)
        if (at == text || at[-1] == '\n')
            last = at + sizeof(FILTER_WORD) - 1;
    *ret_arch = 0;
    last = last ? take_number(last, ret_nr) : NULL;
    if (last && strncmp(last, FILTER_OF, sizeof(FILTER_OF) - 1) == 0)
        last = take_number(last + sizeof(FILTER_OF) - 1, ret_arch);
    return last && *last == '\n';
}

/* Without a number its signal was blocked, or the code sent it. */
static void say_refused_call(struct cordon_result *r, const struct cordon_run *run)
{
    char name[96];
    unsigned nr, arch;
    const char *text = run->trace_text.data ? run->trace_text.data : "";
    int known = verdict_refused_call(text, &nr, &arch);
    r->line = verdict_trace_line(text);
    if (known)
        result_error(r, CORDON_CRASHED, "crash",
                     "the interpreter was stopped for calling %s, which the profile's call filter "
                     "refuses",
                     seccomp_call_name(nr, arch, name, sizeof(name)));
    else
        result_error(r, CORDON_CRASHED, "crash",
                     "the interpreter died of SIGSYS, for a system call that the profile's call "
                     "filter refuses, or because the code sent that signal");
}

/* "SIGTERM (Terminated)"; signals of real time have a number only. */
static const char *signal_name(int sig, char *to, size_t size)
{
    if (sigabbrev_np(sig))
        (void)snprintf(to, size, "SIG%s (%s)", sigabbrev_np(sig), sigdescr_np(sig));
    else if (sig >= SIGRTMIN && sig <= SIGRTMAX)
        (void)snprintf(to, size, "SIGRTMIN+%d (signal %d)", sig - SIGRTMIN, sig);
    else
        (void)snprintf(to, size, "%d", sig);
    return to;
}

/* A sandbox has nobody in it who could: its first process gets no SIGKILL from below. */
static const char *who_killed(const struct cordon_run *run)
{
    return run->request.approved ? ": the code, a program that it started or something on the "
                                   "host killed it, perhaps for lack of memory"
                                 : ": something on the host killed it, perhaps for lack of memory";
}

/* What a user cannot guess. */
static const char *why_signal(const struct cordon_run *run, int sig)
{
    if (sig == SIGBUS && run->request.approved)
        return ": perhaps it wrote to shared memory or a mapped file, and there was no room "
               "left in /dev/shm or the working directory (limits: disk)";
    return sig == SIGKILL ? who_killed(run) : "";
}

static void say_signal(struct cordon_result *r, const struct cordon_run *run, int sig)
{
    char name[64];
    int cpu_up = run->exit.cpu_us / 1000u >= run->request.limits.cpu_ms;
    if (sig == SIGXCPU || (sig == SIGKILL && cpu_up)) {
        exceeded_say(r, run, exceeded_of(WIRE_LIMIT_CPU));
        return;
    }
    if (sig == SIGSYS && !run->request.approved && !(run->walls_down & CORDON_WALL_SECCOMP)) {
        say_refused_call(r, run);
        return;
    }
    result_error(r, CORDON_CRASHED, "crash", "the interpreter died of signal %s%s",
                 signal_name(sig, name, sizeof(name)), why_signal(run, sig));
}

static void say_exit(struct cordon_result *r, const struct cordon_run *run)
{
    int status = run->exit.status;
    if (run->exit.deadline)
        say_timeout(r, run);
    else if (run->exit.limit != WIRE_LIMIT_NONE)
        exceeded_say(r, run, exceeded_of(run->exit.limit));
    else if (run->group_use.kills > 0)
        exceeded_say(r, run, exceeded_of(WIRE_LIMIT_MEMORY));
    else if (WIFSIGNALED(status))
        say_signal(r, run, WTERMSIG(status));
    else
        result_error(r, CORDON_ERROR, "exit",
                     "the code ended its own process with exit status %d%s before its result was "
                     "taken; let it run to its end instead",
                     WEXITSTATUS(status),
                     WEXITSTATUS(status) == 0 && run->request.approved
                         ? ", or closed descriptors that it had not opened,"
                         : "");
}

/* ---- all of it --------------------------------------------------------------- */

static void note_cut(struct cordon_result *r, int stream, uint64_t max)
{
    char note[96];
    (void)snprintf(note, sizeof(note), "%s was cut at its limit of %llu bytes",
                   stream == 0 ? "stdout" : "stderr", (unsigned long long)max);
    result_note(r, note);
}

static int take_output(struct cordon_result *r, struct cordon_run *run)
{
    for (int i = 0; i < 2; i++) {
        struct capture *c = &run->stream[i].kept;
        if (capture_take(c, &r->text[i]) < 0)
            return -ENOMEM;
        r->truncated[i] = c->truncated;
        if (c->truncated)
            note_cut(r, i, c->max);
    }
    return 0;
}

static void take_code_hash(struct cordon_result *r, const struct cordon_run *run)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    const struct request *q = &run->request;
    (void)crypto_hash_sha256(hash, (const unsigned char *)q->bytes + q->code_at, q->code_len);
    (void)sodium_bin2hex(r->code_sha256, sizeof(r->code_sha256), hash, sizeof(hash));
}

static uint64_t over(uint64_t bytes, uint64_t born)
{
    return bytes > born ? bytes - born : 0;
}

/*
 * What the limit of memory counts: what there was at the most, of the whole tree as the
 * keeper saw it or of its largest process as the kernel has it, over what the interpreter
 * had taken before the code came.
 */
static void take_memory(struct cordon_result *r, const struct cordon_run *run)
{
    uint64_t born = run->frames.ready.resident_bytes;
    uint64_t most = run->exit.held_bytes > run->exit.maxrss_bytes ? run->exit.held_bytes
                                                                  : run->exit.maxrss_bytes;
    r->memory_peak_bytes = most == 0 ? -1 : (int64_t)over(most, born);
    if (run->group && run->group_use.peak_bytes > 0)
        r->memory_peak_bytes = (int64_t)over(run->group_use.peak_bytes, run->group_born_bytes);
    r->limits_by = run->group                             ? cgroups_name(run->owner->groups)
                   : run->walls_down & CORDON_WALL_LIMITS ? NULL
                                                          : "sampling";
}

/* Without the wall nobody expects it. */
static void note_uncounted(struct cordon_result *r, const struct cordon_run *run)
{
    if (run->unasked && !run->group && run->request.approved &&
        !(run->walls_down & (CORDON_WALL_LIMITS | CORDON_WALL_SECCOMP)))
        result_note(r, "memory that none of its processes shows was not counted ('cordon doctor': "
                       "hidden-memory)");
}

static void take_usage(struct cordon_result *r, const struct cordon_run *run)
{
    uint64_t cpu_ns = run->exit.cpu_us * 1000u;
    if (run->started_ns > 0 && run->answered_ns > run->started_ns)
        r->wall_ms = (double)(run->answered_ns - run->started_ns) / 1e6;
    if (cpu_ns > run->cpu_at_start_ns)
        r->cpu_ms = (double)(cpu_ns - run->cpu_at_start_ns) / 1e6;
}

/* Advisory: a child that the filter has ended is no end of the run, but it is said. */
static void take_refused_call(struct cordon_result *r, const struct cordon_run *run)
{
    char name[96];
    unsigned nr, arch;
    const char *text = run->trace_text.data ? run->trace_text.data : "";
    if (!run->request.approved && verdict_refused_call(text, &nr, &arch))
        result_violation(r, "seccomp", seccomp_call_name(nr, arch, name, sizeof(name)),
                         verdict_trace_line(text));
}

/* A fresh interpreter starts by what the caller's environment says. */
static void say_stillborn(struct cordon_result *r, const struct cordon_run *run)
{
    int status = run->exit.status;
    if (run->request.approved && WIFEXITED(status))
        result_error(r, CORDON_INTERNAL, "internal",
                     "the interpreter ended with exit status %d before the code was handed to it: "
                     "look at its stderr, and at what the environment tells it (PYTHONHOME, "
                     "PYTHONPATH, a sitecustomize module)",
                     WEXITSTATUS(status));
    else
        result_error(r, CORDON_INTERNAL, "internal",
                     "the sandbox died before the code was handed to it (wait status %d)", status);
}

static void judge(struct cordon_result *r, struct cordon_run *run)
{
    const struct frame_reader *f = &run->frames;
    switch (f->state) {
    case FRAMES_ENDED:
        take_answer(r, run);
        break;
    case FRAMES_BROKEN:
        if (f->result_too_big)
            exceeded_say(r, run, exceeded_find("result"));
        else
            distrust(r, f->why);
        break;
    case FRAMES_FAILED:
        result_error(r, CORDON_INTERNAL, "internal", "%s%s%s", f->failure.step,
                     f->failure.step[0] ? ": " : "", f->failure.msg);
        break;
    case FRAMES_WAIT_READY:
    case FRAMES_WAIT_END:
        say_exit(r, run);
        break;
    }
    if (f->state == FRAMES_WAIT_READY && r->status != CORDON_INTERNAL)
        say_stillborn(r, run);
}

struct cordon_result *verdict_make(struct cordon_run *run)
{
    struct cordon_result *r = result_new();
    if (!r)
        return NULL;
    r->profile = run->request.profile->name;
    r->walls_down = run->walls_down;
    r->approved = run->request.approved;
    take_code_hash(r, run);
    take_usage(r, run);
    take_memory(r, run);
    if (run->frames.has_warnings)
        r->warnings = warnings_take(&run->frames.warnings);
    judge(r, run);
    take_refused_call(r, run);
    note_uncounted(r, run);
    if (take_output(r, run) < 0) {
        cordon_result_free(r);
        return NULL;
    }
    return r;
}
