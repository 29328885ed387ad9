/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: what the command line can say, as tables.
 *
 * One row per option is all there is: getopt_long's arrays, the --help text, the name
 * that an error of the library is reported under are read off it, and a test holds the man
 * page against it. Nothing here prints or exits.
 */
#ifndef CORDON_APP_OPTIONS_H
#define CORDON_APP_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "cordon.h"

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_APPROVAL = 3,
    EXIT_TIMEOUT = 4,
    EXIT_LIMIT = 5,
    EXIT_INTERNAL = 6,
    EXIT_SIGNAL = 128 /* plus the signal's number */
};

/* What a command was asked to do. The strings are argv's or literals. */
struct run_options {
    const char *input; /* JSON, "@FILE" or "-"; NULL: none */
    const char *profile;
    const char *python;
    const char *config;
    const char *socket;
    struct cordon_limits limits;
    uint64_t patience_ms;
    uint32_t drop_walls;
    uint32_t floor; /* enum cordon_floor */
    int nonfinite;
    int approved;
    int json;
    int show_config;
    int until_eof;
    int help;
};

/*
 * One option.
 *
 * letter: its short form, 0 for none.
 * arg:    the argument's name in the help, NULL for a flag.
 * field:  what the library calls it in cordon_err.step, NULL if it never does.
 * set:    stores the argument; returns NULL, or the reason why it cannot.
 */
struct option_row {
    char letter;
    const char *name;
    const char *arg;
    const char *field;
    const char *help;
    const char *(*set)(struct run_options *values, const char *arg);
};

/* One subcommand. Its rows end with one that has no name. */
struct command {
    const char *name;
    const char *operands;
    const char *summary;
    const struct option_row *rows;
    const char *epilogue; /* ends its help; NULL: what can be said of a run's end */
    int (*main)(const struct command *self, int argc, char **argv);
};

/* How a status ends the process. */
struct exit_row {
    enum cordon_status status;
    int code;
    const char *meaning;
};

/* The walls as --drop-wall spells them. */
struct wall_row {
    uint32_t bit;
    const char *name;
};

extern const struct option_row run_rows[]; /* the last has no name */
extern const struct option_row check_rows[];
extern const struct option_row explain_rows[];
extern const struct option_row doctor_rows[];
extern const struct option_row serve_rows[];
extern const struct exit_row exit_rows[];
extern const size_t exit_nrows;
extern const struct wall_row wall_rows[];
extern const size_t wall_nrows;

/*
 * Reads argv[1..] by the command's rows, in any order, up to "--".
 *
 * ret_operands: the first operand's index in argv (the others follow it).
 * reterr:       on failure one sentence that names the option, in reterr->msg.
 */
int options_parse(const struct command *cmd, int argc, char **argv, struct run_options *values,
                  int *ret_operands, struct cordon_err *reterr);

/* "512M", "1G", "300KiB", "4096" to bytes; 0, -EINVAL or -ERANGE. */
int options_size(const char *text, uint64_t *ret_bytes);

/* "30", "2.5" to milliseconds, further digits dropped; 0, -EINVAL or -ERANGE. */
int options_seconds(const char *text, uint64_t *ret_ms);

/* The row whose field `text` begins with, NULL if none. */
const struct option_row *options_by_field(const char *text);

/* "--timeout", or "-i" where there is a short form. `text` needs 32 bytes. */
const char *options_spelling(const struct option_row *row, char *text);

#endif
