/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: the daemon. One thread, one poll loop over the engine, HTTP, the signals and,
 * when asked to, standard input.
 *
 * It listens only when everything else is there and a first run has gone through: who can
 * connect will be answered. It stays in the foreground and prints nothing but why it ends.
 */
#include "app/cmd_serve.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/http.h"
#include "app/library.h"
#include "app/listener.h"
#include "app/out.h"
#include "app/signals.h"

#define PATIENCE_MS 60000
#define GOES_ON (-1)

struct serve {
    struct run_options options;
    struct cordon_engine *engine;
    struct listener listener;
    struct http *http;
    int signals;
    int draining;
    char *home;
    const char *environ[4];
};

/* ---- before it listens ------------------------------------------------------------- */

/* What an approved run gets whose request names no environment: not the daemon's own. */
static int make_environ(struct serve *s)
{
    const struct passwd *user = getpwuid(geteuid());
    if (asprintf(&s->home, "HOME=%s", user && user->pw_dir ? user->pw_dir : "/") < 0) {
        s->home = NULL;
        return -ENOMEM;
    }
    s->environ[0] = "PATH=/usr/local/bin:/usr/bin:/bin";
    s->environ[1] = s->home;
    s->environ[2] = "LANG=C.UTF-8";
    return 0;
}

/* Hundreds of runs want thousands of descriptors; what they may have is set run by run. */
static void raise_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

/* A descriptor that tells the end of standard input: not that of a file, which ends at once. */
static int check_input(const struct serve *s)
{
    struct stat st;
    if (!s->options.until_eof)
        return 0;
    if (fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
                                          (S_ISCHR(st.st_mode) && isatty(STDIN_FILENO))))
        return 0;
    out_complain("--until-eof: standard input is neither a pipe nor a socket nor a terminal");
    return -EINVAL;
}

/* SIGCHLD: helpers of the library come to us when they are orphans (main.c). */
static int catch_signals(struct serve *s)
{
    sigset_t more;
    sigemptyset(&more);
    sigaddset(&more, SIGCHLD);
    s->signals = signals_catch(&more);
    if (s->signals < 0) {
        out_complain("cannot watch for signals: %s", strerror(errno));
        return -errno;
    }
    sigemptyset(&more);
    sigaddset(&more, SIGPIPE); /* a caller who went away is no reason to die */
    return sigprocmask(SIG_BLOCK, &more, NULL);
}

/* One run through everything, so that what cannot work is said now; and the box is warm. */
static int try_run(struct serve *s)
{
    static const struct cordon_request request = {.size = sizeof(request)};
    struct cordon_result *result = NULL;
    struct cordon_err err = {0};
    if (cordon_execute(s->engine, &request, &result, &err) < 0)
        return library_refused("", &err);
    enum cordon_status status = cordon_result_status(result);
    if (status != CORDON_OK)
        out_complain("a first, empty run failed: %s", cordon_result_error(result, "message"));
    cordon_result_free(result);
    return status == CORDON_OK ? EXIT_OK : EXIT_INTERNAL;
}

static int start(struct serve *s)
{
    struct cordon_err err = {0};
    if (library_engine(&s->options, &s->engine, &err) < 0)
        return library_refused("", &err);
    int code = try_run(s);
    if (code != EXIT_OK)
        return code;
    if (listener_open(s->options.socket, &s->listener, &err) < 0) {
        out_complain("--socket: %s", err.msg);
        return EXIT_USAGE;
    }
    const struct http_options options = {
        .engine = s->engine,
        .listen_fd = s->listener.fd,
        .patience_ms = s->options.patience_ms ? s->options.patience_ms : PATIENCE_MS,
        .environ = s->environ,
    };
    if (http_open(&options, &s->http, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_INTERNAL;
    }
    return EXIT_OK;
}

/* ---- while it listens --------------------------------------------------------------- */

/* GOES_ON, or the exit code. */
static int take_signal(struct serve *s)
{
    int sig = signals_next(s->signals);
    if (sig == SIGCHLD) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        return GOES_ON;
    }
    if (sig == 0)
        return GOES_ON;
    if (s->draining)
        return EXIT_SIGNAL + sig;
    s->draining = 1;
    listener_end(&s->listener);
    http_drain(s->http);
    return GOES_ON;
}

/* Whether standard input has ended. What is written there says nothing. */
static int input_ended(void)
{
    char piece[4096];
    ssize_t n = read(STDIN_FILENO, piece, sizeof(piece));
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

/* One round. GOES_ON, or the exit code. */
static int turn(struct serve *s)
{
    struct cordon_err err = {0};
    struct pollfd fds[] = {
        {cordon_fd(s->engine), POLLIN, 0},
        {http_fd(s->http), POLLIN, 0},
        {s->signals, POLLIN, 0},
        {s->options.until_eof ? STDIN_FILENO : -1, POLLIN, 0},
    };
    int code = GOES_ON;
    if (poll(fds, ARRAY_LEN(fds), http_timeout(s->http)) < 0)
        return GOES_ON;
    if (fds[3].revents && input_ended())
        return EXIT_OK;
    if (fds[2].revents && (code = take_signal(s)) != GOES_ON)
        return code;
    if (fds[0].revents && cordon_step(s->engine, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_INTERNAL;
    }
    http_step(s->http);
    return s->draining && http_drained(s->http) ? EXIT_OK : GOES_ON;
}

static int serve(struct serve *s)
{
    int code = start(s);
    if (code != EXIT_OK)
        return code;
    do
        code = turn(s);
    while (code == GOES_ON);
    return code;
}

/* A client that has died can no longer remove what it made for the socket alone. */
static void remove_directory(const struct serve *s)
{
    if (!s->options.until_eof || !s->listener.path)
        return;
    AUTO_FREE char *dir = strdup(s->options.socket);
    char *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash && slash > dir) {
        *slash = '\0';
        (void)rmdir(dir); /* fails where there is anything else in it */
    }
}

static void serve_done(struct serve *s)
{
    http_close(s->http); /* first: it takes the listening descriptor out of its own epoll */
    listener_close(&s->listener);
    cordon_engine_free(s->engine);
    remove_directory(s);
    fd_close(&s->signals);
    free(s->home);
}

int serve_main(const struct command *self, int argc, char **argv)
{
    struct serve s = {.signals = -1, .listener.fd = -1};
    struct cordon_err err = {0};
    int operands, code = EXIT_USAGE;
    if (options_parse(self, argc, argv, &s.options, &operands, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_USAGE;
    }
    if (s.options.help)
        return out_command_help(self);
    /* Bodies and results go back to the system when they are freed, however many came before. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    raise_files();
    if (operands < argc)
        out_complain("'%s': serve takes no operand", argv[operands]);
    else if (!s.options.socket)
        out_complain("no --socket is given: see 'cordon serve --help'");
    else if (check_input(&s) == 0)
        code = make_environ(&s) == 0 && catch_signals(&s) == 0 ? serve(&s) : EXIT_INTERNAL;
    serve_done(&s);
    return code;
}
