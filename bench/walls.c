/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walls [ROUNDS]: what each wall adds to the way from asking for a sandbox to its being
 * ready, in microseconds. Engines with every wall up, with each one down and with all of
 * them down are warm side by side and run the same empty program in turn; compared are the
 * medians of what a run takes beside its own wall_ms, which begins when it is ready.
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

static struct side {
    const char *name;
    unsigned down;
    struct cordon_engine *engine;
    double us[ROUNDS_MAX];
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

static double median(struct side *side, int rounds)
{
    qsort(side->us, (size_t)rounds, sizeof(side->us[0]), by_size);
    return side->us[rounds / 2];
}

static int report(int rounds)
{
    double all = median(&sides[0], rounds), none = median(&sides[1], rounds);
    printf("asked to ready: %.0f us with every wall, %.0f us with none\n", all, none);
    for (size_t i = 2; i < SIDES; i++)
        printf("%-20s %+6.0f us\n", sides[i].name, all - median(&sides[i], rounds));
    int above = all - none > BAR_US;
    printf("walls: together %.0f us (bar %.0f): %s\n", all - none, BAR_US, above ? "ABOVE" : "ok");
    return above;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "walls: ROUNDS is from 1 to %d\n", ROUNDS_MAX);
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
    for (int n = 0; n < rounds; n++)
        for (size_t i = 0; i < SIDES; i++)
            sides[i].us[n] = run_once(&sides[i]);
    int above = report(rounds);
    for (size_t i = 0; i < SIDES; i++)
        cordon_engine_free(sides[i].engine);
    return above;
}
