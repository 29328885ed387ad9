/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run: reads what is to run, hands it to the library, and watches over it.
 *
 * One thread, one poll loop over the engine, the signals and the two streams; nothing in
 * it blocks, so that a full pipe cannot keep an interrupt from killing the run.
 *
 * What a person approves is what was judged: the code is read once and kept, and the
 * library's hash of what ran is held against its hash of what was shown.
 */
#include "app/cmd_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/approve.h"
#include "app/library.h"
#include "app/out.h"
#include "app/out_gate.h"
#include "app/signals.h"
#include "base/io.h"

struct job {
    struct run_options options;
    const char *file;
    struct buf code;
    struct buf input;
    struct out out;
    struct cordon_engine *engine;
    struct cordon_run *run;
    struct cordon_result *result;
    int signals;
    int can_ask;
    int approving; /* a person has just said yes */
};

/* ---- what is to run --------------------------------------------------------- */

/* Reads `file` for `option` ("" for the operand), or says why not. */
static int load(const char *option, const char *file, size_t max, struct buf *to)
{
    char why[128];
    int r = library_read(file, max, to, why);
    if (r < 0)
        out_complain("%s%s: %s", option, library_name(file), why);
    return r;
}

static int load_input(struct job *job)
{
    const char *input = job->options.input;
    if (!input)
        return 0;
    if (strcmp(input, "-") == 0)
        return load("-i: ", "-", LIBRARY_INPUT_MAX, &job->input);
    if (input[0] == '@')
        return load("-i: ", input + 1, LIBRARY_INPUT_MAX, &job->input);
    return buf_add(&job->input, input, strlen(input), SIZE_MAX);
}

static int read_operand(struct job *job, char **operands, int n)
{
    const char *input = job->options.input;
    if (n == 0)
        out_complain("no FILE is given: see 'cordon run --help'");
    else if (n > 1)
        out_complain("one FILE at a time: '%s' is too much", operands[1]);
    else if (strcmp(operands[0], "-") == 0 && input && strcmp(input, "-") == 0)
        out_complain("-i: cannot be standard input when FILE is");
    else
        job->file = operands[0];
    return job->file ? 0 : -EINVAL;
}

/* ---- the run ----------------------------------------------------------------- */

static void on_output(void *user, struct cordon_run *run, enum cordon_stream stream,
                      const char *data, size_t len)
{
    struct job *job = user;
    (void)run;
    out_code(&job->out, stream, data, len);
}

/* The end of a run, for a person. */
static void tell(struct job *job, const struct out_run *told, const struct cordon_result *result)
{
    if (cordon_result_status(result) == CORDON_NEEDS_APPROVAL) {
        job->can_ask = job->can_ask && !out_gate_only_syntax(result);
        if (job->can_ask)
            out_warnings(&job->out, told, result);
        else
            out_approval(&job->out, told, result);
        return;
    }
    if (!job->approving) /* else they have been read already */
        out_warnings(&job->out, told, result);
    out_verdict(&job->out, told, result);
}

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct job *job = user;
    (void)run;
    job->run = NULL;
    job->result = result;
    const struct out_run told = {strcmp(job->file, "-") == 0 ? "<stdin>" : job->file,
                                 job->code.data, job->code.len};
    if (job->options.json)
        out_envelope(&job->out, result);
    else
        tell(job, &told, result);
}

static int show_config(struct job *job)
{
    struct cordon_err err = {0};
    AUTO_FREE char *text = NULL;
    if (library_engine(&job->options, &job->engine, &err) == 0)
        text = cordon_engine_show_profile(job->engine, job->options.profile, &err);
    return text ? out_text(text) : library_refused(job->file, &err);
}

static int submit(struct job *job, struct cordon_err *reterr)
{
    const struct run_options *o = &job->options;
    const struct cordon_request request = {
        .size = sizeof(request),
        .code = job->code.data ? job->code.data : "",
        .code_len = job->code.len,
        .input = o->input && !job->input.data ? "" : job->input.data,
        .input_len = job->input.len,
        .profile = o->profile,
        .approved = o->approved,
        .nonfinite = o->nonfinite,
        .limits = o->limits,
    };
    const struct cordon_callbacks callbacks = {
        .size = sizeof(callbacks),
        .output = o->json ? NULL : on_output,
        .done = on_done,
    };
    return cordon_submit(job->engine, &request, &callbacks, job, &job->run, reterr);
}

static int catch_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    return signals_catch(&none);
}

static int ended_by_signal(const struct job *job)
{
    int sig = signals_next(job->signals);
    return sig ? EXIT_SIGNAL + sig : 0;
}

/* A reader that went away is no news; a full disk is. */
static int write_failed(const struct job *job)
{
    if (job->out.failed == EPIPE)
        return EXIT_SIGNAL + SIGPIPE;
    out_complain("cannot write the output: %s", strerror(job->out.failed));
    return EXIT_INTERNAL;
}

/*
 * The stream to write now. stderr lets stdout go first: where both are one terminal or
 * pipe, what we say about a run comes after its output and result.
 */
static int writing(const struct job *job, enum cordon_stream stream)
{
    if (stream == CORDON_STDERR && out_waits(&job->out, CORDON_STDOUT))
        return 0;
    return out_waits(&job->out, stream);
}

/* One round: waits, and does what has become possible. 0, or the exit code to stop with. */
static int turn(struct job *job)
{
    struct cordon_err err = {0};
    struct pollfd fds[] = {
        {job->result ? -1 : cordon_fd(job->engine), POLLIN, 0},
        {job->signals, POLLIN, 0},
        {writing(job, CORDON_STDOUT) ? STDOUT_FILENO : -1, POLLOUT, 0},
        {writing(job, CORDON_STDERR) ? STDERR_FILENO : -1, POLLOUT, 0},
    };
    int stop = 0;
    if (poll(fds, ARRAY_LEN(fds), -1) < 0)
        return 0;
    if (fds[1].revents && (stop = ended_by_signal(job)))
        return stop;
    if (fds[0].revents && cordon_step(job->engine, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_INTERNAL;
    }
    if (fds[2].revents)
        (void)out_write(&job->out, CORDON_STDOUT);
    if (fds[3].revents)
        (void)out_write(&job->out, CORDON_STDERR);
    return job->out.failed ? write_failed(job) : 0;
}

static int watch(struct job *job)
{
    while (!job->result || out_waits(&job->out, CORDON_STDOUT) ||
           out_waits(&job->out, CORDON_STDERR)) {
        int stop = turn(job);
        if (stop)
            return stop;
    }
    return library_exit(cordon_result_status(job->result));
}

/* ---- Run anyway? ----------------------------------------------------------------- */

/* The same bytes again, with the approval. */
static int run_approved(struct job *job)
{
    struct cordon_err err = {0};
    AUTO_FREE char *shown = strdup(cordon_result_code_sha256(job->result));
    cordon_result_free(job->result);
    job->result = NULL;
    job->approving = job->options.approved = 1;
    if (!shown) {
        out_complain("no memory to run it");
        return EXIT_INTERNAL;
    }
    if (submit(job, &err) < 0)
        return library_refused(job->file, &err);
    int code = watch(job);
    if (job->result && strcmp(shown, cordon_result_code_sha256(job->result)) != 0) {
        out_complain("what ran is not what was shown");
        return EXIT_INTERNAL;
    }
    return code;
}

static int ask(struct job *job)
{
    approve_forget();
    out_question(&job->out);
    int code = watch(job); /* writes the question */
    if (code != EXIT_APPROVAL)
        return code;
    int answer = approve_answer(job->signals);
    if (answer < 0)
        return ended_by_signal(job);
    return answer ? run_approved(job) : EXIT_APPROVAL;
}

static int run_job(struct job *job)
{
    struct cordon_err err = {0};
    job->signals = catch_signals();
    if (job->signals < 0) {
        out_complain("cannot watch for signals: %s", strerror(errno));
        return EXIT_INTERNAL;
    }
    job->can_ask = approve_can_ask(&job->options, job->file);
    out_walls(&job->out, job->options.drop_walls);
    if (library_engine(&job->options, &job->engine, &err) < 0 || submit(job, &err) < 0)
        return library_refused(job->file, &err);
    int code = watch(job);
    return code == EXIT_APPROVAL && job->can_ask ? ask(job) : code;
}

static void job_done(struct job *job)
{
    cordon_engine_free(job->engine); /* kills what an interrupt or a failure left running */
    cordon_result_free(job->result);
    out_done(&job->out);
    buf_done(&job->code);
    buf_done(&job->input);
    fd_close(&job->signals);
}

static int run_main(const struct command *self, int argc, char **argv)
{
    struct job job = {.options.limits.size = sizeof(struct cordon_limits), .signals = -1};
    struct cordon_err err = {0};
    int operands, code = EXIT_USAGE;
    if (options_parse(self, argc, argv, &job.options, &operands, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_USAGE;
    }
    if (job.options.help)
        return out_command_help(self);
    out_init(&job.out);
    if (job.options.show_config)
        code = show_config(&job);
    else if (read_operand(&job, argv + operands, argc - operands) == 0 &&
             load("", job.file, LIBRARY_CODE_MAX, &job.code) == 0 && load_input(&job) == 0)
        code = run_job(&job);
    job_done(&job);
    return code;
}

const struct command cmd_run = {
    .name = "run",
    .operands = "FILE|-",
    .summary = "Run the Python in FILE (- for standard input) in a fresh sandbox",
    .rows = run_rows,
    .main = run_main,
};
