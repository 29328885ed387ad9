/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walls [ROUNDS]: what each wall adds to the way from asking for a sandbox to its being
 * ready, in microseconds. An engine with every wall up and one with that wall, or all of them,
 * down are warm side by side and run the same empty program in turn; compared are the medians
 * of what a run takes beside its own wall_ms, which begins when it is ready.
 *
 * What a standby has done before it is asked for is not in that: there is a pause of 5 ms before
 * each. `without a pause` is of requests that leave it no time: all of it, whole runs.
 */
#include <cordon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALL                                                                                        \
    (CORDON_WALL_GATE | CORDON_WALL_INTERPRETER | CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT |      \
     CORDON_WALL_SECCOMP | CORDON_WALL_LANDLOCK | CORDON_WALL_LIMITS)
#define ROUNDS_MAX 10000
#define BAR_US 400.0
#define BLOCK 10

struct side {
    const char *name;
    unsigned down;
    struct cordon_engine *engine;
    double us[ROUNDS_MAX];
    double at_once_us[ROUNDS_MAX / BLOCK]; /* a run's share of a block */
};

static struct side up = {.name = "every wall"};
static struct side downs[] = {
    {.name = "all of them", .down = ALL},
    {.name = "namespaces and root", .down = CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT},
    {.name = "root", .down = CORDON_WALL_ROOT},
    {.name = "seccomp", .down = CORDON_WALL_SECCOMP},
    {.name = "landlock", .down = CORDON_WALL_LANDLOCK},
    {.name = "limits", .down = CORDON_WALL_LIMITS},
    {.name = "interpreter", .down = CORDON_WALL_INTERPRETER},
};

static void fail(const char *what, const struct cordon_err *err)
{
    fprintf(stderr, "walls: %s: %s\n", what, err->msg);
    exit(1);
}

static double now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* "usage": {"wall_ms": 0.21, … : the envelope is ours, so its spelling is known. */
static double wall_us(const struct cordon_result *result)
{
    static const char key[] = "\"wall_ms\": ";
    const char *envelope = cordon_result_envelope(result, NULL);
    const char *at = envelope ? strstr(envelope, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) * 1e3 : 0;
}

static double run_once(const struct side *side)
{
    const struct cordon_request request = {
        .size = sizeof(request), .code = "result = {}\n", .code_len = 12};
    struct cordon_err err = {0};
    struct cordon_result *result = NULL;
    double start = now_us();
    if (cordon_execute(side->engine, &request, &result, &err) < 0)
        fail(side->name, &err);
    double took = now_us() - start - wall_us(result);
    if (cordon_result_status(result) != CORDON_OK)
        fail(cordon_result_envelope(result, NULL), &err);
    cordon_result_free(result);
    return took;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *us, int count)
{
    qsort(us, (size_t)count, sizeof(us[0]), by_size);
    return us[count / 2];
}

static double run_block(const struct side *side)
{
    double start = now_us();
    for (int i = 0; i < BLOCK; i++)
        (void)run_once(side);
    return (now_us() - start) / BLOCK;
}

static double run_rested(const struct side *side)
{
    /* As long as a standby takes, and what the run before has left behind. */
    const struct timespec pause = {.tv_nsec = 5000000};

    (void)nanosleep(&pause, NULL);
    return run_once(side);
}

static void start(struct side *side)
{
    const struct cordon_options options = {.size = sizeof(options), .drop_walls = side->down};
    struct cordon_err err = {0};
    if (cordon_engine_new(&options, &side->engine, &err) < 0)
        fail(side->name, &err);
    for (int i = 0; i < 3; i++)
        (void)run_once(side);
}

/* What every wall takes more than this side. */
static double compare(struct side *side, int rounds)
{
    start(side);
    for (int n = 0; n < rounds; n++) {
        up.us[n] = run_rested(&up);
        side->us[n] = run_rested(side);
    }
    double all = median(up.us, rounds), less = median(side->us, rounds);
    printf("%-20s %+6.0f us (%.0f to ready, %.0f without)\n", side->name, all - less, all, less);
    return all - less;
}

static void compare_at_once(struct side *side, int blocks)
{
    for (int n = 0; n < blocks; n++) {
        up.at_once_us[n] = run_block(&up);
        side->at_once_us[n] = run_block(side);
    }
    printf("without a pause: %.0f us a run with every wall, %.0f us with none\n",
           median(up.at_once_us, blocks), median(side->at_once_us, blocks));
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    double together = 0;
    if (rounds < BLOCK || rounds > ROUNDS_MAX) {
        fprintf(stderr, "walls: ROUNDS is from %d to %d\n", BLOCK, ROUNDS_MAX);
        return 2;
    }
    start(&up);
    for (size_t i = 0; i < sizeof(downs) / sizeof(downs[0]); i++) {
        double more = compare(&downs[i], rounds);
        if (downs[i].down == ALL) {
            together = more;
            compare_at_once(&downs[i], rounds / BLOCK);
        }
        cordon_engine_free(downs[i].engine);
    }
    cordon_engine_free(up.engine);
    printf("walls: together %.0f us (bar %.0f): %s\n", together, BAR_US,
           together > BAR_US ? "ABOVE" : "ok");
    return together > BAR_US;
}
