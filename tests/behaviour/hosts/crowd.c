/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd HELPER_DIR ROUNDS full|contained: every function of an engine from several threads at once, while
 * one steps it: blocking runs and checks, runs that are submitted and cancelled, boxes that are
 * warmed, questions to the engine. Two engines, so that what they share is shared. For a
 * build with ThreadSanitizer, and right in any other.
 */
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define ENGINES 2

static struct cordon_engine *engines[ENGINES];
static int rounds;
static int is_contained; /* where root may not run what is approved */
static atomic_int stop;
static atomic_int ended; /* runs that were submitted and not cancelled */

static struct cordon_request a_request(const char *code)
{
    return host_request(code, strlen(code), 20000);
}

static void *execute(void *engine)
{
    for (int i = 0; i < rounds; i++) {
        struct cordon_request request = a_request("print(1)\nresult = {'n': 1}");
        struct cordon_result *result = NULL;
        struct cordon_err err = {0};
        request.approved = !is_contained && i % 3 == 2;
        MUST(cordon_execute(engine, &request, &result, &err) == 0);
        if (cordon_result_status(result) != CORDON_OK)
            fprintf(stderr, "%s\n", cordon_result_envelope(result, NULL));
        MUST(cordon_result_status(result) == CORDON_OK && host_result_is(result, "{\"n\":1}"));
        cordon_result_free(result);
    }
    return NULL;
}

static void *check(void *engine)
{
    for (int i = 0; i < rounds; i++) {
        struct cordon_request request = a_request("import os");
        struct cordon_result *result = NULL;
        struct cordon_err err = {0};
        MUST(cordon_check(engine, &request, &result, &err) == 0);
        MUST(cordon_result_status(result) == CORDON_NEEDS_APPROVAL);
        cordon_result_free(result);
    }
    return NULL;
}

static void count_end(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user, (void)run;
    MUST(result && cordon_result_status(result) == CORDON_OK);
    cordon_result_free(result);
    atomic_fetch_add(&ended, 1);
}

static void never_end(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user, (void)run;
    fprintf(stderr, "a run that nobody ends: %s\n", cordon_result_envelope(result, NULL));
    exit(9);
}

static void *submit(void *engine)
{
    static const struct cordon_callbacks counts = {.size = sizeof(counts), .done = count_end};
    static const struct cordon_callbacks never = {.size = sizeof(never), .done = never_end};
    for (int i = 0; i < rounds; i++) {
        (void)host_submit(engine, "result = {'n': 1}", &counts, NULL);
        struct cordon_run *run = host_submit(engine, "while True: pass", &never, NULL);
        (void)usleep((useconds_t)(i % 4) * 2000);
        cordon_cancel(engine, run);
    }
    return NULL;
}

/* What takes the lock puts in order what was not before: at first only what might not. */
static void *ask(void *engine)
{
    for (int i = 0; i < 100; i++) {
        MUST(cordon_engine_level(engine) != CORDON_LEVEL_NONE);
        (void)usleep(1000);
    }
    while (!atomic_load(&stop)) {
        struct cordon_err err = {0};
        (void)usleep(1000);
        MUST(cordon_engine_warm(engine, "strict", &err) == 0);
        MUST(strcmp(cordon_engine_profile(engine, 0), "strict") == 0);
        MUST(cordon_fd(engine) >= 0);
        char *shown = cordon_engine_show_profile(engine, "strict", &err);
        MUST(shown);
        free(shown);
    }
    return NULL;
}

static void *step(void *engine)
{
    while (!atomic_load(&stop))
        (void)host_turn(engine, 20);
    return NULL;
}

int main(int argc, char **argv)
{
    static void *(*const roles[])(void *) = {execute, execute, check, submit, step, ask};
    enum { ROLES = sizeof(roles) / sizeof(*roles), ENDLESS = 2 };
    pthread_t threads[ENGINES][ROLES];
    MUST(argc == 4);
    rounds = atoi(argv[2]);
    is_contained = strcmp(argv[3], "contained") == 0;
    for (int e = 0; e < ENGINES; e++) {
        struct cordon_options options = {
            .size = sizeof(options), .helper_dir = argv[1], .floor = CORDON_FLOOR_CONTAINED};
        struct cordon_err err = {0};
        MUST(cordon_engine_new(&options, &engines[e], &err) == 0);
        for (int r = 0; r < ROLES; r++)
            MUST(pthread_create(&threads[e][r], NULL, roles[r], engines[e]) == 0);
    }
    for (int e = 0; e < ENGINES; e++)
        for (int r = 0; r < ROLES - ENDLESS; r++)
            (void)pthread_join(threads[e][r], NULL);
    for (double end = host_now() + 60; atomic_load(&ended) < ENGINES * rounds;) {
        MUST(host_now() < end);
        (void)usleep(1000);
    }
    atomic_store(&stop, 1);
    for (int e = 0; e < ENGINES; e++)
        for (int r = ROLES - ENDLESS; r < ROLES; r++)
            (void)pthread_join(threads[e][r], NULL);
    for (int e = 0; e < ENGINES; e++)
        cordon_engine_free(engines[e]);
    printf("right\n");
    return 0;
}
