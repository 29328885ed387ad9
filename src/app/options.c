/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: the tables, and the little that reads them.
 *
 * Whether a value is too large is the profile's to say, and the library says it; what is
 * refused here is what has no meaning under any profile.
 */
#include "app/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"

#define PATIENCE_MAX_MS UINT64_C(86400000)

/* ---- the walls ------------------------------------------------------------ */

const struct wall_row wall_rows[] = {
    {CORDON_WALL_GATE, "gate"},
    {CORDON_WALL_INTERPRETER, "interpreter"},
    {CORDON_WALL_NAMESPACES, "namespaces"},
    {CORDON_WALL_ROOT, "root"},
    {CORDON_WALL_SECCOMP, "seccomp"},
    {CORDON_WALL_LANDLOCK, "landlock"},
    {CORDON_WALL_LIMITS, "limits"},
};
const size_t wall_nrows = ARRAY_LEN(wall_rows);

/* ---- values --------------------------------------------------------------- */

/* Reads decimal digits at *text and moves it past them. */
static int digits(const char **text, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    for (; isdigit((unsigned char)**text); (*text)++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value))
            return -ERANGE;
    *ret_value = value;
    return 0;
}

int options_size(const char *text, uint64_t *ret_bytes)
{
    static const char units[] = "KMGT";
    uint64_t bytes;
    int r = digits(&text, &bytes);
    if (r < 0)
        return r;
    if (*text) {
        const char *unit = strchr(units, toupper((unsigned char)*text));
        if (!unit || (text[1] && strcmp(text + 1, "iB") != 0))
            return -EINVAL;
        if (__builtin_mul_overflow(bytes, UINT64_C(1) << (10 * (unit - units + 1)), &bytes))
            return -ERANGE;
    }
    *ret_bytes = bytes;
    return 0;
}

int options_seconds(const char *text, uint64_t *ret_ms)
{
    uint64_t ms = 0, part = 0;
    int r = isdigit((unsigned char)*text) ? digits(&text, &ms) : *text == '.' ? 0 : -EINVAL;
    if (r < 0)
        return r;
    if (__builtin_mul_overflow(ms, 1000, &ms))
        return -ERANGE;
    if (*text == '.') {
        if (!isdigit((unsigned char)*++text))
            return -EINVAL;
        for (unsigned unit = 100; isdigit((unsigned char)*text); text++, unit /= 10)
            part += (uint64_t)(*text - '0') * unit;
    }
    if (*text)
        return -EINVAL;
    if (__builtin_add_overflow(ms, part, &ms))
        return -ERANGE;
    *ret_ms = ms;
    return 0;
}

/* ---- one function per option: NULL, or why not ------------------------------ */

static const char *set_input(struct run_options *o, const char *arg)
{
    o->input = strcmp(arg, "@-") == 0 ? "-" : arg;
    return NULL;
}

static const char *set_approved(struct run_options *o, const char *arg)
{
    (void)arg;
    o->approved = 1;
    return NULL;
}

static const char *set_json(struct run_options *o, const char *arg)
{
    (void)arg;
    o->json = 1;
    return NULL;
}

static const char *set_profile(struct run_options *o, const char *arg)
{
    o->profile = arg;
    return NULL;
}

static const char *set_timeout(struct run_options *o, const char *arg)
{
    uint64_t ms;
    int r = options_seconds(arg, &ms);
    if (r == -ERANGE)
        return "is longer than any profile allows";
    if (r < 0)
        return "is not a number of seconds such as 30 or 2.5";
    if (ms == 0)
        return "leaves no time: the shortest is 0.001";
    o->limits.wall_ms = ms;
    return NULL;
}

static const char *set_memory(struct run_options *o, const char *arg)
{
    uint64_t bytes;
    int r = options_size(arg, &bytes);
    if (r == -ERANGE)
        return "is more than any profile allows";
    if (r < 0)
        return "is not a size such as 512M, 1G, 300KiB or a number of bytes";
    if (bytes == 0)
        return "leaves no memory";
    o->limits.memory_bytes = bytes;
    return NULL;
}

static const char *set_nonfinite(struct run_options *o, const char *arg)
{
    if (strcmp(arg, "null") == 0)
        o->nonfinite = CORDON_NONFINITE_NULL;
    else if (strcmp(arg, "literal") == 0)
        o->nonfinite = CORDON_NONFINITE_LITERAL;
    else
        return "is neither null nor literal";
    return NULL;
}

static const char *set_level(struct run_options *o, const char *arg)
{
    if (strcmp(arg, "full") == 0)
        o->floor = CORDON_FLOOR_FULL;
    else if (strcmp(arg, "contained") == 0)
        o->floor = CORDON_FLOOR_CONTAINED;
    else
        return "is neither full nor contained";
    return NULL;
}

/* What cannot stand without that wall: it is said, too. */
static uint32_t falls_with(uint32_t wall)
{
    return wall == CORDON_WALL_NAMESPACES ? CORDON_WALL_ROOT : 0;
}

static uint32_t find_wall(const char *name, size_t len)
{
    for (size_t i = 0; i < wall_nrows; i++)
        if (strlen(wall_rows[i].name) == len && memcmp(name, wall_rows[i].name, len) == 0)
            return wall_rows[i].bit;
    return 0;
}

static const char *set_drop_wall(struct run_options *o, const char *arg)
{
    for (size_t len = strcspn(arg, ",");; len = strcspn(arg, ",")) {
        uint32_t wall = find_wall(arg, len);
        if (wall == 0)
            return "is no wall: see 'cordon run --help'";
        o->drop_walls |= wall | falls_with(wall);
        if (arg[len] == '\0')
            return NULL;
        arg += len + 1;
    }
}

static const char *set_no_gate(struct run_options *o, const char *arg)
{
    (void)arg;
    o->drop_walls |= CORDON_WALL_GATE;
    return NULL;
}

static const char *set_python(struct run_options *o, const char *arg)
{
    if (!*arg)
        return "is empty";
    o->python = arg;
    return NULL;
}

static const char *set_config(struct run_options *o, const char *arg)
{
    if (!*arg)
        return "is empty";
    o->config = arg;
    return NULL;
}

static const char *set_show_config(struct run_options *o, const char *arg)
{
    (void)arg;
    o->show_config = 1;
    return NULL;
}

static const char *set_socket(struct run_options *o, const char *arg)
{
    if (!*arg)
        return "is empty";
    o->socket = arg;
    return NULL;
}

static const char *set_patience(struct run_options *o, const char *arg)
{
    uint64_t ms;
    if (options_seconds(arg, &ms) < 0 || ms > PATIENCE_MAX_MS)
        return "is no number of seconds up to a day, such as 60 or 2.5";
    if (ms == 0)
        return "leaves no time";
    o->patience_ms = ms;
    return NULL;
}

static const char *set_until_eof(struct run_options *o, const char *arg)
{
    (void)arg;
    o->until_eof = 1;
    return NULL;
}

static const char *set_help(struct run_options *o, const char *arg)
{
    (void)arg;
    o->help = 1;
    return NULL;
}

/* ---- the tables ----------------------------------------------------------- */

const struct option_row run_rows[] = {
    {'i', "input", "JSON|@FILE|-", "input",
     "input_data: a JSON object, a file that holds one, or standard input", set_input},
    {0, "approved", NULL, "approved",
     "a person has seen the warnings of exactly this code and said yes", set_approved},
    {0, "json", NULL, NULL, "print the envelope, one line of JSON, and nothing else", set_json},
    {0, "profile", "P", "profile", "the policy to run under; strict unless given", set_profile},
    {0, "timeout", "S", "limits.wall_ms",
     "wall-clock limit in seconds, such as 2.5; at most the profile's", set_timeout},
    {0, "memory", "SIZE", "limits.memory_bytes",
     "memory limit, such as 64M or 300KiB; at most the profile's", set_memory},
    {0, "nonfinite", "null|literal", "nonfinite",
     "what NaN and Infinity in the result become; null unless given", set_nonfinite},
    {0, "level", "full|contained", "level", "refuse to run in a lesser box than this", set_level},
    {0, "drop-wall", "W", "drop_walls",
     "take down a wall or several (W,W); never for a stranger's code", set_drop_wall},
    {0, "no-gate", NULL, NULL, "the same as --drop-wall gate", set_no_gate},
    {0, "python", "PATH", "python",
     "the interpreter to use, 3.11 or later; may be a virtual environment's", set_python},
    {0, "config", "FILE", "config",
     "the configuration file to read instead of the one that is found", set_config},
    {0, "show-config", NULL, NULL, "print the profile in force, as a configuration file, and exit",
     set_show_config},
    {'h', "help", NULL, NULL, "print this and exit", set_help},
    {.name = NULL},
};

const struct option_row check_rows[] = {
    {0, "json", NULL, NULL, "print the verdicts, one line of JSON, and nothing else", set_json},
    {0, "profile", "P", "profile", "the policy to judge by; strict unless given", set_profile},
    {0, "python", "PATH", "python",
     "the interpreter to use, 3.11 or later; may be a virtual environment's", set_python},
    {0, "config", "FILE", "config",
     "the configuration file to read instead of the one that is found", set_config},
    {'h', "help", NULL, NULL, "print this and exit", set_help},
    {.name = NULL},
};

const struct option_row explain_rows[] = {
    {0, "json", NULL, NULL, "print the rules, one line of JSON, and nothing else", set_json},
    {'h', "help", NULL, NULL, "print this and exit", set_help},
    {.name = NULL},
};

const struct option_row doctor_rows[] = {
    {0, "json", NULL, NULL, "print the findings, one line of JSON, and nothing else", set_json},
    {0, "python", "PATH", "python", "the interpreter to look at instead of the profile's",
     set_python},
    {0, "config", "FILE", "config",
     "the configuration file to read instead of the one that is found", set_config},
    {'h', "help", NULL, NULL, "print this and exit", set_help},
    {.name = NULL},
};

const struct option_row serve_rows[] = {
    {0, "socket", "PATH", NULL, "the Unix socket to listen at, which is made", set_socket},
    {0, "patience", "S", NULL,
     "how long a caller may take over a request, in seconds; 60 unless given", set_patience},
    {0, "until-eof", NULL, NULL, "end, and all that runs, when standard input does", set_until_eof},
    {0, "python", "PATH", "python",
     "the interpreter to use, 3.11 or later; may be a virtual environment's", set_python},
    {0, "config", "FILE", "config",
     "the configuration file to read instead of the one that is found", set_config},
    {'h', "help", NULL, NULL, "print this and exit", set_help},
    {.name = NULL},
};

const struct exit_row exit_rows[] = {
    {CORDON_OK, EXIT_OK, "the code ran to its end"},
    {CORDON_ERROR, EXIT_FAILED, "the code failed: an exception, a syntax error, a bad result"},
    {CORDON_CRASHED, EXIT_FAILED, "the interpreter died of a signal"},
    {CORDON_NEEDS_APPROVAL, EXIT_APPROVAL, "a person has to approve it; nothing ran"},
    {CORDON_TIMEOUT, EXIT_TIMEOUT, "the wall-clock limit passed"},
    {CORDON_LIMIT, EXIT_LIMIT, "another limit was reached"},
    {CORDON_INTERNAL, EXIT_INTERNAL, "Cordon could not do it; not the code's fault"},
};
const size_t exit_nrows = ARRAY_LEN(exit_rows);

/* ---- reading them ----------------------------------------------------------- */

static int begins_with(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && !isalnum((unsigned char)text[n]) && text[n] != '_';
}

const struct option_row *options_by_field(const char *text)
{
    for (const struct option_row *row = run_rows; row->name; row++)
        if (row->field && begins_with(text, row->field))
            return row;
    return NULL;
}

const char *options_spelling(const struct option_row *row, char *text)
{
    if (row->letter)
        snprintf(text, 32, "-%c", row->letter);
    else
        snprintf(text, 32, "--%s", row->name);
    return text;
}

/* getopt_long's own arrays, read off a command's rows. */
#define MAX_ROWS 32
#define ROW_VALUE 256 /* above every letter: a row's number is told as ROW_VALUE + n */

struct getopt_arrays {
    char letters[2 * MAX_ROWS + 2];
    struct option longs[MAX_ROWS + 1];
};

static void fill_arrays(const struct command *cmd, struct getopt_arrays *a)
{
    char *letter = a->letters;
    *letter++ = ':'; /* a missing argument is told apart from an unknown option */
    for (size_t i = 0; cmd->rows[i].name && i < MAX_ROWS; i++) {
        const struct option_row *row = &cmd->rows[i];
        a->longs[i] = (struct option){row->name, row->arg ? required_argument : no_argument, NULL,
                                      ROW_VALUE + (int)i};
        if (!row->letter)
            continue;
        *letter++ = row->letter;
        if (row->arg)
            *letter++ = ':';
    }
}

/* The row that getopt_long's answer means; NULL if none. */
static const struct option_row *row_of(const struct command *cmd, int answer)
{
    if (answer >= ROW_VALUE)
        return &cmd->rows[answer - ROW_VALUE];
    for (const struct option_row *row = cmd->rows; answer > 0 && row->name; row++)
        if (row->letter == answer)
            return row;
    return NULL;
}

static int refuse_unreadable(const struct command *cmd, int answer, char **argv,
                             struct cordon_err *reterr)
{
    const struct option_row *row = row_of(cmd, optopt);
    char name[32];
    if (answer == ':' && row)
        return err_set(reterr, CORDON_E_ARG, 0, "%s: wants an argument: %s",
                       options_spelling(row, name), row->arg);
    if (row)
        return err_set(reterr, CORDON_E_ARG, 0, "%s: takes no argument",
                       options_spelling(row, name));
    if (optopt)
        return err_set(reterr, CORDON_E_ARG, 0, "-%c: no such option: see 'cordon %s --help'",
                       optopt, cmd->name);
    return err_set(reterr, CORDON_E_ARG, 0, "%s: no such option: see 'cordon %s --help'",
                   argv[optind - 1], cmd->name);
}

int options_parse(const struct command *cmd, int argc, char **argv, struct run_options *values,
                  int *ret_operands, struct cordon_err *reterr)
{
    struct getopt_arrays a = {0};
    fill_arrays(cmd, &a);
    opterr = 0;
    optind = 0; /* glibc: forget an earlier call */

    int answer;
    while ((answer = getopt_long(argc, argv, a.letters, a.longs, NULL)) != -1) {
        const struct option_row *row = answer == '?' || answer == ':' ? NULL : row_of(cmd, answer);
        if (!row)
            return refuse_unreadable(cmd, answer, argv, reterr);
        const char *why = row->set(values, optarg);
        char name[32];
        if (why)
            return err_set(reterr, CORDON_E_ARG, 0, "%s: '%.200s' %s", options_spelling(row, name),
                           optarg, why);
    }
    *ret_operands = optind;
    return 0;
}
