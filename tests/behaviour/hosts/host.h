/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the test hosts share: an engine that finds its helpers in the build directory, a
 * request in one line, and an end of the program at the first thing that is not as it
 * should be.
 */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include <cordon.h>

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(9);                                                                               \
        }                                                                                          \
    } while (0)

static inline struct cordon_engine *host_engine_by(const char *helper_dir, uint32_t drop_walls,
                                                   const char *python, const char *config)
{
    struct cordon_options opts = {.size = sizeof(opts),
                                  .python = python,
                                  .helper_dir = helper_dir,
                                  .config = config,
                                  .drop_walls = drop_walls};
    struct cordon_engine *engine = NULL;
    struct cordon_err err = {0};
    if (cordon_engine_new(&opts, &engine, &err) < 0) {
        fprintf(stderr, "no engine: %s: %s\n", err.step, err.msg);
        exit(8);
    }
    return engine;
}

static inline struct cordon_engine *host_engine_of(const char *helper_dir, uint32_t drop_walls,
                                                   const char *python)
{
    return host_engine_by(helper_dir, drop_walls, python, NULL);
}

static inline struct cordon_engine *host_engine(const char *helper_dir, uint32_t drop_walls)
{
    return host_engine_of(helper_dir, drop_walls, NULL);
}

static inline struct cordon_request host_request(const char *code, size_t len, uint64_t wall_ms)
{
    return (struct cordon_request){
        .size = sizeof(struct cordon_request),
        .code = code,
        .code_len = len,
        .limits = {.size = sizeof(struct cordon_limits), .wall_ms = wall_ms}};
}

/* Submits; the call itself must be accepted. */
static inline struct cordon_run *host_submit(struct cordon_engine *engine, const char *code,
                                             const struct cordon_callbacks *callbacks, void *user)
{
    struct cordon_request request = host_request(code, strlen(code), 20000);
    struct cordon_run *run = NULL;
    struct cordon_err err = {0};
    if (cordon_submit(engine, &request, callbacks, user, &run, &err) < 0) {
        fprintf(stderr, "not accepted: %s: %s\n", err.step, err.msg);
        exit(8);
    }
    return run;
}

/* Waits at most `ms` for the engine's descriptor and steps. Returns the runs in flight. */
static inline int host_turn(struct cordon_engine *engine, int ms)
{
    struct pollfd p = {.fd = cordon_fd(engine), .events = POLLIN};
    struct cordon_err err = {0};
    (void)poll(&p, 1, ms);
    int left = cordon_step(engine, &err);
    if (left < 0) {
        fprintf(stderr, "the engine broke: %s: %s\n", err.step, err.msg);
        exit(8);
    }
    return left;
}

static inline double host_now(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Whether the encoded result is exactly `want`. (It is a part of the envelope: no NUL.) */
static inline int host_result_is(const struct cordon_result *result, const char *want)
{
    size_t len = 0;
    const char *json = cordon_result_json(result, &len);
    if (json && len == strlen(want) && memcmp(json, want, len) == 0)
        return 1;
    fprintf(stderr, "wanted %s, got %.*s\n", want, (int)len, json ? json : "");
    return 0;
}

static inline int host_open_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    MUST(dir);
    while (readdir(dir))
        count++;
    (void)closedir(dir);
    return count - 3; /* ".", ".." and the directory's own */
}

/* Prints a word and waits until the test has answered with a line. */
static inline void host_ask(const char *word)
{
    char line[64];
    printf("%s\n", word);
    (void)fflush(stdout);
    MUST(fgets(line, sizeof(line), stdin));
}

#endif
