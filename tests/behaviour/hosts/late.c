/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late HELPER_DIR: a thread in cordon_execute() begins to wait only when another has stepped
 * its run to the end, and some more. It must see that nothing is left to wait for.
 */
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct cordon_engine *engine;
static _Thread_local int is_late;
static atomic_int waits, is_over;

/* The library's, too. */
int poll(struct pollfd *fds, nfds_t count, int ms)
{
    struct timespec patience = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    if (is_late) {
        atomic_store(&waits, 1);
        while (!atomic_load(&is_over))
            (void)usleep(1000);
    }
    return ppoll(fds, count, ms < 0 ? NULL : &patience, NULL);
}

static void run_one(void)
{
    struct cordon_request request = host_request("result = {'n': 1}", 17, 20000);
    struct cordon_result *result = NULL;
    struct cordon_err err = {0};
    MUST(cordon_execute(engine, &request, &result, &err) == 0);
    MUST(host_result_is(result, "{\"n\":1}"));
    cordon_result_free(result);
}

static void *run_late(void *arg)
{
    is_late = 1;
    run_one();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct timespec end;
    MUST(argc == 2);
    engine = host_engine(argv[1], 0);
    run_one();
    MUST(pthread_create(&thread, NULL, run_late, NULL) == 0);
    while (!atomic_load(&waits))
        (void)usleep(1000);
    while (host_turn(engine, 20) > 0)
        ;
    for (int i = 0; i < 20; i++)
        (void)host_turn(engine, 5);
    atomic_store(&is_over, 1);
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    MUST(pthread_timedjoin_np(thread, NULL, &end) == 0);
    cordon_engine_free(engine);
    printf("right\n");
    return 0;
}
