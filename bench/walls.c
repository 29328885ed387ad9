/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walls [ROUNDS]: what each wall adds to the way from asking for a sandbox to its being
 * ready, in microseconds. Engines with every wall up, with each one down and with all of
 * them down are warm side by side and run the same empty program in turn; compared are the
 * medians of what a run takes beside its own wall_ms, which begins when it is ready.
 *
 * What a standby has done before it is asked for is not in that, if the next request leaves it
 * the time. The last line is of requests that do not: all of it, the whole run included.
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

static struct side {
    const char *name;
    unsigned down;
    struct cordon_engine *engine;
    double us[ROUNDS_MAX];
    double at_once_us[ROUNDS_MAX / BLOCK]; /* a run's share of a block */
} sides[] = {
    {.name = "every wall", .down = 0},
    {.name = "none", .down = ALL},
    {.name = "namespaces and root", .down = CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT},
    {.name = "root", .down = CORDON_WALL_ROOT},
    {.name = "seccomp", .down = CORDON_WALL_SECCOMP},
    {.name = "landlock", .down = CORDON_WALL_LANDLOCK},
    {.name = "limits", .down = CORDON_WALL_LIMITS},
    {.name = "interpreter", .down = CORDON_WALL_INTERPRETER},
};
#define SIDES (sizeof(sides) / sizeof(sides[0]))

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

static int report(int rounds)
{
    double all = median(sides[0].us, rounds), none = median(sides[1].us, rounds);
    printf("asked to ready: %.0f us with every wall, %.0f us with none\n", all, none);
    for (size_t i = 2; i < SIDES; i++)
        printf("%-20s %+6.0f us\n", sides[i].name, all - median(sides[i].us, rounds));
    int above = all - none > BAR_US;
    printf("without a pause: %.0f us a run with every wall, %.0f us with none\n",
           median(sides[0].at_once_us, rounds / BLOCK),
           median(sides[1].at_once_us, rounds / BLOCK));
    printf("walls: together %.0f us (bar %.0f): %s\n", all - none, BAR_US, above ? "ABOVE" : "ok");
    return above;
}

static double run_block(const struct side *side)
{
    double start = now_us();
    for (int i = 0; i < BLOCK; i++)
        (void)run_once(side);
    return (now_us() - start) / BLOCK;
}

static void measure(int rounds)
{
    for (int n = 0; n < rounds; n++)
        for (size_t i = 0; i < SIDES; i++)
            sides[i].us[n] = run_once(&sides[i]);
    for (int n = 0; n < rounds / BLOCK; n++)
        for (size_t i = 0; i < 2; i++)
            sides[i].at_once_us[n] = run_block(&sides[i]);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    if (rounds < BLOCK || rounds > ROUNDS_MAX) {
        fprintf(stderr, "walls: ROUNDS is from %d to %d\n", BLOCK, ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < SIDES; i++) {
        const struct cordon_options options = {.size = sizeof(options),
                                               .drop_walls = sides[i].down};
        struct cordon_err err = {0};
        if (cordon_engine_new(&options, &sides[i].engine, &err) < 0)
            fail(sides[i].name, &err);
        (void)run_once(&sides[i]);
    }
    measure(rounds);
    int above = report(rounds);
    for (size_t i = 0; i < SIDES; i++)
        cordon_engine_free(sides[i].engine);
    return above;
}
