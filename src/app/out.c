/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out: two halves, the queues and what is put into them.
 *
 * Nothing that came from outside (file names, messages, tracebacks, notes) goes into a
 * message other than through safe_text(). A failure is remembered in out->failed and
 * makes the rest of the calls harmless; the loop in cmd_run.c looks at it.
 */
#include "app/out.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/excerpt.h"
#include "app/out_gate.h"

/* ---- the queues ------------------------------------------------------------- */

/* A pipe that poll calls writable has room for PIPE_BUF bytes; a file always has. */
static size_t piece_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? 1u << 20 : PIPE_BUF;
}

void out_init(struct out *out)
{
    *out = (struct out){0};
    for (int i = 0; i < 2; i++) {
        struct out_sink *s = &out->sinks[i];
        s->fd = i == CORDON_STDOUT ? STDOUT_FILENO : STDERR_FILENO;
        s->tty = isatty(s->fd);
        s->piece = piece_of(s->fd);
        s->filter = (struct term_filter){.keep = "\n\t\r", .colours = 1};
    }
    out->colours = term_colours(STDERR_FILENO);
}

void out_done(struct out *out)
{
    buf_done(&out->sinks[0].text);
    buf_done(&out->sinks[1].text);
}

static void check(struct out *out, int r)
{
    if (r < 0 && !out->failed)
        out->failed = -r;
}

static void put(struct out *out, enum cordon_stream stream, const char *data, size_t len)
{
    struct out_sink *s = &out->sinks[stream];
    if (len == 0)
        return;
    check(out, buf_add(&s->text, data, len, SIZE_MAX));
    s->mid_line = data[len - 1] != '\n';
}

/* Ends the line that the code left open, and the colour that it left on. */
static void fresh_line(struct out *out, enum cordon_stream stream)
{
    struct out_sink *s = &out->sinks[stream];
    check(out, term_end(&s->filter, &s->text));
    if (s->filter.coloured)
        check(out, buf_add(&s->text, TERM_RESET, strlen(TERM_RESET), SIZE_MAX));
    s->filter.coloured = 0;
    if (s->mid_line)
        put(out, stream, "\n", 1);
    s->mid_line = 0;
}

void out_code(struct out *out, enum cordon_stream stream, const char *data, size_t len)
{
    struct out_sink *s = &out->sinks[stream];
    if (!s->tty || len == 0) {
        put(out, stream, data, len);
        return;
    }
    check(out, term_add(&s->filter, data, len, &s->text));
    s->mid_line = data[len - 1] != '\n';
}

static int result_left(const struct out_sink *s)
{
    return s->result.next < s->result.end;
}

int out_waits(const struct out *out, enum cordon_stream stream)
{
    const struct out_sink *s = &out->sinks[stream];
    return !out->failed && (s->written < s->text.len || result_left(s));
}

/* Lays out more of the result once what was queued before it is written. */
static void refill(struct out *out, struct out_sink *s)
{
    s->written = 0;
    s->text.len = 0;
    check(out, indent_some(&s->result, 1u << 16, &s->text));
    if (!result_left(s))
        check(out, buf_add(&s->text, "\n", 1, SIZE_MAX));
}

int out_write(struct out *out, enum cordon_stream stream)
{
    struct out_sink *s = &out->sinks[stream];
    if (s->written == s->text.len && result_left(s))
        refill(out, s);
    size_t n = s->text.len - s->written;
    if (out->failed || n == 0)
        return out->failed;
    ssize_t done = write(s->fd, s->text.data + s->written, n < s->piece ? n : s->piece);
    if (done >= 0) {
        s->written += (size_t)done;
        if (s->written == s->text.len)
            s->written = s->text.len = 0;
    } else if (errno != EINTR && errno != EAGAIN) {
        check(out, -errno);
    }
    return out->failed;
}

/* ---- messages --------------------------------------------------------------- */

static void put_err(struct out *out, const char *text)
{
    put(out, CORDON_STDERR, text, strlen(text));
}

static void colour(struct out *out, const char *sequence)
{
    if (out->colours)
        put_err(out, sequence);
}

/* Any text, without a control character but newline and tab. */
static void safe_text(struct out *out, const char *text, size_t len)
{
    struct out_sink *s = &out->sinks[CORDON_STDERR];
    struct term_filter f = {.keep = "\n\t"};
    check(out, term_add(&f, text, len, &s->text));
    check(out, term_end(&f, &s->text));
    if (len)
        s->mid_line = text[len - 1] != '\n';
}

/* A message of the library, which names a limit as its header does: say the option. */
static void put_message(struct out *out, const char *text)
{
    const char *at = text;
    char name[32];
    while ((at = strstr(at, "limits."))) {
        const struct option_row *row = options_by_field(at);
        if (!row) {
            at++;
            continue;
        }
        safe_text(out, text, (size_t)(at - text));
        put_err(out, options_spelling(row, name));
        text = at = at + strlen(row->field);
    }
    safe_text(out, text, strlen(text));
}

/* "cordon: timeout: ", to be followed by the message. */
static void headline(struct out *out, const char *label, const char *style)
{
    fresh_line(out, CORDON_STDERR);
    colour(out, style);
    put_err(out, "cordon: ");
    put_err(out, label);
    put_err(out, ": ");
    if (*style)
        colour(out, TERM_RESET);
}

static void put_note(struct out *out, const char *text)
{
    headline(out, "note", "");
    safe_text(out, text, strlen(text));
    fresh_line(out, CORDON_STDERR);
}

void out_walls(struct out *out, uint32_t walls)
{
    if (!walls)
        return;
    colour(out, TERM_BOLD TERM_RED);
    put_err(out, "cordon: WARNING: these walls are DOWN for this run:");
    for (size_t i = 0; i < wall_nrows; i++)
        if (walls & wall_rows[i].bit) {
            put_err(out, " ");
            put_err(out, wall_rows[i].name);
        }
    colour(out, TERM_RESET);
    put_err(out, "\n");
}

/* ---- the place in the code ------------------------------------------------- */

/* The line as Python's tracebacks show one, with carets under it. */
static void excerpt(struct out *out, const struct out_run *run, unsigned number)
{
    const struct excerpt from = {run->code, run->code_len, term_columns(STDERR_FILENO),
                                 out->colours};
    const struct excerpt_part all = {.line = number};
    char where[32];
    put_err(out, "  File \"");
    safe_text(out, run->name, strlen(run->name));
    snprintf(where, sizeof(where), "\", line %u\n", number);
    put_err(out, where);
    check(out, excerpt_add(&out->sinks[CORDON_STDERR].text, &from, &all));
}

/* The traceback, with the file's own name where the interpreter was told "<code>". */
static void traceback(struct out *out, const struct out_run *run, const char *text)
{
    static const char told[] = "  File \"<code>\", line ";
    const char *at;
    fresh_line(out, CORDON_STDERR);
    while ((at = strstr(text, told))) {
        safe_text(out, text, (size_t)(at - text));
        put_err(out, "  File \"");
        safe_text(out, run->name, strlen(run->name));
        put_err(out, "\", line ");
        text = at + strlen(told);
    }
    safe_text(out, text, strlen(text));
    fresh_line(out, CORDON_STDERR);
}

/* ---- the end of a run -------------------------------------------------------- */

static void say_failure(struct out *out, enum cordon_status status, const char *message)
{
    headline(out, cordon_status_name(status), TERM_BOLD TERM_RED);
    if (status == CORDON_TIMEOUT || status == CORDON_LIMIT)
        put_message(out, message);
    else
        safe_text(out, message, strlen(message));
    fresh_line(out, CORDON_STDERR);
}

static void failure(struct out *out, const struct out_run *run, const struct cordon_result *result)
{
    enum cordon_status status = cordon_result_status(result);
    const char *message = cordon_result_error(result, "message");
    const char *trace = cordon_result_error(result, "traceback");
    const char *kind = cordon_result_error(result, "kind");
    unsigned line = cordon_result_line(result);

    /* The code said itself that it ends here: no need to prove it. */
    if (kind && strcmp(kind, "exit") == 0)
        trace = NULL;
    if (trace)
        traceback(out, run, trace);
    if (!message)
        message = "there is no message";
    /* Python's traceback ends with the message: a person need not read it twice. */
    if (!trace || !strstr(trace, message))
        say_failure(out, status, message);
    if (!trace && line)
        excerpt(out, run, line);
}

static void notes(struct out *out, const struct cordon_result *result)
{
    static const char *const cut[] = {"what was printed is cut at the profile's cap",
                                      "standard error is cut at the profile's cap"};
    const char *note;
    for (size_t i = 0; (note = cordon_result_note(result, i)); i++)
        put_note(out, note);
    for (int i = 0; i < 2; i++)
        if (cordon_result_truncated(result, (enum cordon_stream)i))
            put_note(out, cut[i]);
}

void out_verdict(struct out *out, const struct out_run *run, const struct cordon_result *result)
{
    struct out_sink *s = &out->sinks[CORDON_STDOUT];
    size_t len = 0;
    const char *json = cordon_result_json(result, &len);
    if (json && !(len == 2 && memcmp(json, "{}", 2) == 0)) {
        fresh_line(out, CORDON_STDOUT);
        s->result = (struct indent){.next = json, .end = json + len, .escape_c1 = s->tty};
    } else if (s->tty) {
        fresh_line(out, CORDON_STDOUT);
    }
    if (out->sinks[CORDON_STDERR].tty)
        fresh_line(out, CORDON_STDERR);
    notes(out, result);
    if (cordon_result_status(result) != CORDON_OK)
        failure(out, run, result);
}

/* ---- the gate ----------------------------------------------------------------- */

void out_warnings(struct out *out, const struct out_run *run, const struct cordon_result *result)
{
    const struct gate_style style = {term_columns(STDERR_FILENO), out->colours};
    fresh_line(out, CORDON_STDERR);
    check(out, out_gate_warnings(&out->sinks[CORDON_STDERR].text, &style, run, result));
}

void out_approval(struct out *out, const struct out_run *run, const struct cordon_result *result)
{
    char text[160];
    size_t n = out_gate_count(result);
    const char *way =
        out_gate_only_syntax(result)
            ? "it is no Python as it stands"
            : "if you have read them and agree, run exactly this code with --approved";
    out_warnings(out, run, result);
    snprintf(text, sizeof(text), "nothing ran: the gate has %zu warning%s; %s", n,
             n == 1 ? "" : "s", way);
    say_failure(out, CORDON_NEEDS_APPROVAL, text);
}

void out_question(struct out *out)
{
    fresh_line(out, CORDON_STDERR);
    colour(out, TERM_BOLD);
    put_err(out, "Run anyway? [y/N]");
    colour(out, TERM_RESET);
    put_err(out, " ");
    out->sinks[CORDON_STDERR].mid_line = 0; /* the answer ends it */
}

/* ---- for a program -------------------------------------------------------------- */

void out_envelope(struct out *out, const struct cordon_result *result)
{
    size_t len = 0;
    const char *envelope = cordon_result_envelope(result, &len);
    put(out, CORDON_STDOUT, envelope, len);
    put(out, CORDON_STDOUT, "\n", 1);
}

/* ---- at once ---------------------------------------------------------------- */

void out_complain(const char *fmt, ...)
{
    char text[1024];
    struct term_filter one_line = {.keep = "\t"};
    struct buf safe = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    int r = buf_add(&safe, "cordon: ", 8, SIZE_MAX);
    if (r == 0)
        r = term_add(&one_line, text, strlen(text), &safe);
    if (r == 0)
        r = buf_add(&safe, "\n", 1, SIZE_MAX);
    if (r == 0)
        (void)io_write_all(STDERR_FILENO, safe.data, safe.len);
    buf_done(&safe);
}

/* sys: why, as errno; 0: it was a piece before, whose reason is lost. */
static int say_unwritten(int sys)
{
    if (sys != EPIPE)
        out_complain("cannot write standard output%s%s", sys ? ": " : "", sys ? strerror(sys) : "");
    return EXIT_INTERNAL;
}

int out_flush(void)
{
    int had_failed = ferror(stdout);
    if (fflush(stdout) == 0 && !had_failed)
        return EXIT_OK;
    int sys = had_failed ? 0 : errno;
    clearerr(stdout); /* it is said once */
    return say_unwritten(sys);
}

int out_close(void)
{
    return close(STDOUT_FILENO) == 0 || errno == EINTR ? EXIT_OK : say_unwritten(errno);
}

int out_version(void)
{
    printf("cordon %s\n", cordon_version());
    return out_flush();
}

int out_text(const char *text)
{
    fputs(text, stdout);
    return out_flush();
}

int out_help(const struct command *const *commands, size_t n)
{
    printf("Usage: cordon COMMAND [OPTION...] ...\n\n"
           "Runs Python that nobody has read yet, boxed in, and gives an honest answer.\n\n"
           "Commands:\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\nOptions:\n"
           "  -h, --help     print this and exit\n"
           "      --version  print the version and exit\n\n"
           "'cordon COMMAND --help' tells more, and 'man cordon' everything.\n");
    return out_flush();
}

static void option_help(const struct option_row *row)
{
    char spelling[64], letter[4] = "  ";
    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c", row->letter);
    snprintf(spelling, sizeof(spelling), "%s%c --%s%s%s", letter, row->letter ? ',' : ' ',
             row->name, row->arg ? " " : "", row->arg ? row->arg : "");
    printf("  %-30s %s\n", spelling, row->help);
}

int out_command_help(const struct command *command)
{
    printf("Usage: cordon %s [OPTION...]%s%s\n\n%s\n\nOptions:\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary);
    for (const struct option_row *row = command->rows; row->name; row++)
        option_help(row);
    if (command->epilogue) {
        printf("\n%s", command->epilogue);
        return out_flush();
    }
    printf("\nWalls, for --drop-wall:");
    for (size_t i = 0; i < wall_nrows; i++)
        printf(" %s", wall_rows[i].name);
    printf("\n\nExit status:\n");
    for (size_t i = 0; i < exit_nrows; i++)
        printf("  %d  %-15s %s\n", exit_rows[i].code, cordon_status_name(exit_rows[i].status),
               exit_rows[i].meaning);
    printf("  %d  %-15s %s\n", EXIT_USAGE, "", "the command line or a file is wrong; nothing ran");
    return out_flush();
}
