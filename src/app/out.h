/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out: what a person reads. The only file that prints.
 *
 * Two queues, one per stream: text is put in at once and written when the descriptor has
 * room, so that a full pipe never stops the loop that watches the run. What a stranger
 * wrote reaches a terminal filtered (term.h), and our own messages about it reach
 * anything filtered.
 */
#ifndef CORDON_APP_OUT_H
#define CORDON_APP_OUT_H

#include <stddef.h>

#include "app/indent.h"
#include "app/options.h"
#include "app/term.h"
#include "base/io.h"
#include "cordon.h"

struct out_sink {
    int fd;
    int tty;
    int mid_line; /* the last byte put in was no newline */
    size_t piece; /* as much as one write may take without blocking */
    size_t written;
    struct buf text;
    struct term_filter filter;
    struct indent result; /* laid out as the queue empties */
};

struct out {
    struct out_sink sinks[2]; /* indexed by enum cordon_stream */
    int colours;              /* for our own messages */
    int failed;               /* errno of a write that failed, or ENOMEM */
};

/* What the run was, as far as telling its end needs it. */
struct out_run {
    const char *name; /* of the code's file, "<stdin>" */
    const char *code;
    size_t code_len;
};

void out_init(struct out *out);
void out_done(struct out *out);

/* What the code printed, as it comes. */
void out_code(struct out *out, enum cordon_stream stream, const char *data, size_t len);

/* The end of a run for a person: result, notes, the error and its place. */
void out_verdict(struct out *out, const struct out_run *run, const struct cordon_result *result);

/* What the gate says of the code, each warning with its place. */
void out_warnings(struct out *out, const struct out_run *run, const struct cordon_result *result);

/* The same where it means that nothing ran, and what to do now. */
void out_approval(struct out *out, const struct out_run *run, const struct cordon_result *result);

/* Asks whether to run it anyway. */
void out_question(struct out *out);

/* The end of a run for a program: the envelope and a newline. */
void out_envelope(struct out *out, const struct cordon_result *result);

/* Says on stderr which walls are down. */
void out_walls(struct out *out, uint32_t walls);

/* Whether the stream has text that waits for room. */
int out_waits(const struct out *out, enum cordon_stream stream);

/* Writes one piece. Returns 0, or the errno that is then also in out->failed. */
int out_write(struct out *out, enum cordon_stream stream);

/* One line on stderr, at once: "cordon: " and what is wrong. */
void out_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Ends what was printed to stdout. EXIT_OK, or that it cannot be written is said. */
int out_flush(void);

/* The last call: some file systems tell only then that they had no room. As out_flush(). */
int out_close(void);

/* To stdout, at once. Return the process's exit code. */
int out_version(void);
int out_help(const struct command *const *commands, size_t n);
int out_command_help(const struct command *command);
/* Prints a text of ours as it is. */
int out_text(const char *text);

#endif
