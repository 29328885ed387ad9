/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check: the gate alone, over many files with one engine.
 *
 * Files are read and handed over as long as fewer than BACKLOG wait to be told, so that
 * many are judged at once and yet few are held. They are told in the order given. One that
 * cannot be read stops no other.
 */
#include "app/cmd_check.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/library.h"
#include "app/out.h"
#include "app/out_gate.h"
#include "app/term.h"
#include "base/io.h"

#define BACKLOG 32

struct file {
    const char *name;
    struct buf code;
    struct cordon_result *result;
    char why[sizeof(((struct cordon_err *)0)->msg)]; /* there is no verdict */
    int code_of_why;
    int done;
};

struct check {
    struct run_options options;
    struct cordon_engine *engine;
    struct file *files;
    size_t count;
    size_t given; /* to the engine, or failed */
    size_t told;
    struct gate_tally tally;
    struct gate_style style;
    struct buf text; /* what is to be printed next */
    int exit_code;
};

/* ---- how it ends --------------------------------------------------------------- */

/* The worst of all files decides: from the least to the worst. */
static int worse(int a, int b)
{
    static const int order[] = {EXIT_OK,    EXIT_APPROVAL, EXIT_FAILED,  EXIT_TIMEOUT,
                                EXIT_LIMIT, EXIT_USAGE,    EXIT_INTERNAL};
    for (size_t i = ARRAY_LEN(order); i-- > 0;)
        if (order[i] == a || order[i] == b)
            return order[i];
    return EXIT_INTERNAL;
}

/* ---- handing over --------------------------------------------------------------- */

static void fail(struct file *file, int code, const char *why)
{
    snprintf(file->why, sizeof(file->why), "%s", why);
    file->code_of_why = code;
    file->done = 1;
}

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct file *file = user;
    (void)run;
    file->result = result;
    file->done = 1;
    if (!result)
        fail(file, EXIT_INTERNAL, "no memory for its verdict");
}

static void submit(struct check *check, struct file *file)
{
    const struct cordon_callbacks callbacks = {.size = sizeof(callbacks), .done = on_done};
    const struct cordon_request request = {
        .size = sizeof(request),
        .code = file->code.data ? file->code.data : "",
        .code_len = file->code.len,
        .profile = check->options.profile,
        .check_only = 1,
    };
    struct cordon_err err = {0};
    if (cordon_submit(check->engine, &request, &callbacks, file, NULL, &err) < 0)
        fail(file, err.code == CORDON_E_ARG ? EXIT_USAGE : EXIT_INTERNAL, err.msg);
}

static void give(struct check *check)
{
    while (check->given < check->count && check->given < check->told + BACKLOG) {
        struct file *file = &check->files[check->given++];
        char why[128];
        if (library_read(file->name, LIBRARY_CODE_MAX, &file->code, why) < 0)
            fail(file, EXIT_USAGE, why);
        else
            submit(check, file);
    }
}

/* ---- telling --------------------------------------------------------------------- */

static int add(struct check *check, const char *text)
{
    return buf_add(&check->text, text, strlen(text), SIZE_MAX);
}

/* Prints what has gathered. 0, or the exit code of a failure. */
static int print(struct check *check, int r)
{
    if (check->text.len > 0)
        fwrite(check->text.data, 1, check->text.len, stdout);
    check->text.len = 0;
    if (r < 0) {
        out_complain("no memory to say all of it");
        return EXIT_INTERNAL;
    }
    return out_flush();
}

static int tell_person(struct check *check, const struct file *file)
{
    const struct out_run told = {strcmp(file->name, "-") == 0 ? "<stdin>" : file->name,
                                 file->code.data, file->code.len};
    int r = 0;
    if (file->result)
        r = out_gate_warnings(&check->text, &check->style, &told, file->result);
    int failed = print(check, r);
    if (!file->result)
        out_complain("%s: %s", library_name(file->name), file->why);
    else if (library_exit(cordon_result_status(file->result)) != EXIT_APPROVAL &&
             cordon_result_status(file->result) != CORDON_OK)
        out_complain("%s: %s: %s", library_name(file->name),
                     cordon_status_name(cordon_result_status(file->result)),
                     cordon_result_error(file->result, "message"));
    return failed;
}

static int tell_program(struct check *check, const struct file *file)
{
    int r = add(check, check->told == 0 ? "[" : ", ");
    if (r == 0)
        r = out_gate_json(&check->text, file->name, file->result, file->why);
    if (r == 0 && check->told + 1 == check->count)
        r = add(check, "]\n");
    return print(check, r);
}

static void count(struct check *check, const struct file *file)
{
    int code = file->result ? library_exit(cordon_result_status(file->result)) : file->code_of_why;
    size_t warnings = file->result ? out_gate_count(file->result) : 0;
    check->exit_code = worse(check->exit_code, code);
    check->tally.warnings += warnings;
    check->tally.warned += warnings > 0;
    check->tally.unchecked += code != EXIT_OK && code != EXIT_APPROVAL;
}

static void file_done(struct file *file)
{
    cordon_result_free(file->result);
    file->result = NULL;
    buf_done(&file->code);
}

/* Those whose turn it is. 0, or the exit code of a failure to print. */
static int tell(struct check *check)
{
    while (check->told < check->given && check->files[check->told].done) {
        struct file *file = &check->files[check->told];
        int failed = check->options.json ? tell_program(check, file) : tell_person(check, file);
        if (failed)
            return failed;
        count(check, file);
        file_done(file);
        check->told++;
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------- */

static int check_all(struct check *check)
{
    struct pollfd fd = {cordon_fd(check->engine), POLLIN, 0};
    struct cordon_err err = {0};
    for (;;) {
        give(check);
        int failed = tell(check);
        if (failed || check->told == check->count)
            return failed;
        if (check->told == check->given)
            continue; /* none of them came to the gate: there is nothing to wait for */
        (void)poll(&fd, 1, -1);
        if (cordon_step(check->engine, &err) < 0) {
            out_complain("%s", err.msg);
            return EXIT_INTERNAL;
        }
    }
}

static int check_files(struct check *check)
{
    struct cordon_err err = {0};
    if (library_engine(&check->options, &check->engine, &err) < 0)
        return library_refused("", &err);
    /* A profile that there is not is said once, and not of each file. */
    AUTO_FREE char *profile =
        cordon_engine_show_profile(check->engine, check->options.profile, &err);
    if (!profile)
        return library_refused("", &err);
    check->style = (struct gate_style){term_columns(STDOUT_FILENO), term_colours(STDOUT_FILENO)};
    int failed = check_all(check);
    if (failed)
        return failed;
    if (!check->options.json)
        out_gate_tally(&check->tally);
    return check->exit_code;
}

static int take_operands(struct check *check, char **operands, int n)
{
    int standard_input = 0;
    if (n == 0) {
        out_complain("no FILE is given: see 'cordon check --help'");
        return -EINVAL;
    }
    check->files = calloc((size_t)n, sizeof(*check->files));
    if (!check->files) {
        out_complain("no memory for so many files");
        return -ENOMEM;
    }
    check->tally.files = check->count = (size_t)n;
    for (int i = 0; i < n; i++) {
        check->files[i].name = operands[i];
        standard_input += strcmp(operands[i], "-") == 0;
    }
    if (standard_input < 2)
        return 0;
    out_complain("-: standard input can be read only once");
    return -EINVAL;
}

static void check_done(struct check *check)
{
    cordon_engine_free(check->engine);
    for (size_t i = 0; i < check->count; i++)
        file_done(&check->files[i]);
    free(check->files);
    buf_done(&check->text);
}

static int check_main(const struct command *self, int argc, char **argv)
{
    struct check check = {0};
    struct cordon_err err = {0};
    int operands, code = EXIT_USAGE;
    if (options_parse(self, argc, argv, &check.options, &operands, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_USAGE;
    }
    if (check.options.help)
        return out_command_help(self);
    if (take_operands(&check, argv + operands, argc - operands) == 0)
        code = check_files(&check);
    check_done(&check);
    return code;
}

const struct command cmd_check = {
    .name = "check",
    .operands = "FILE...|-",
    .summary = "Say what the gate has against the Python in each FILE, and run none of it",
    .rows = check_rows,
    .epilogue = "Exit status, of several the worst:\n"
                "  0  no file has warnings: each may run unasked\n"
                "  3  a file has warnings: a person has to be asked\n"
                "  1, 4, 5  the gate's sandbox failed, ran out of time, or of another limit\n"
                "  2  the command line is wrong, or a file cannot be read\n"
                "  6  Cordon could not do it\n",
    .main = check_main,
};
