/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads HELPER_DIR ignore|own|plain: eight threads execute at once in one engine, each
 * with answers that only it can get. With "ignore" SIGCHLD is ignored; with "own" the host
 * keeps children of its own and one thread sits in waitpid(-1) all the while, and may see
 * those children only. Dispositions and masks must be what they were.
 */
#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define RUNS 6
#define CHILDREN 20
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK (2048 * 1024) /* its frames are larger */
#else
#define STACK (256 * 1024)
#endif

static struct cordon_engine *engine;
static atomic_int stop, strangers, own_seen;
static pid_t own[CHILDREN];

static void *execute(void *arg)
{
    int me = (int)(size_t)arg;
    for (int i = 0; i < RUNS; i++) {
        char code[200], want[64];
        int len = snprintf(code, sizeof(code),
                           "import time\ntime.sleep(0.02)\nprint(%d)\nresult = {'n': %d}", me,
                           me * 1000 + i);
        (void)snprintf(want, sizeof(want), "{\"n\":%d}", me * 1000 + i);
        struct cordon_request request = host_request(code, (size_t)len, 20000);
        struct cordon_result *result = NULL;
        struct cordon_err err = {0};
        int rc = cordon_execute(engine, &request, &result, &err);
        if (rc < 0)
            fprintf(stderr, "execute: %s: %s\n", err.step, err.msg);
        MUST(rc == 0 && result);
        if (cordon_result_status(result) != CORDON_OK)
            fprintf(stderr, "%s\n", cordon_result_envelope(result, NULL));
        MUST(cordon_result_status(result) == CORDON_OK);
        MUST(host_result_is(result, want));
        MUST(atoi(cordon_result_output(result, CORDON_STDOUT, NULL)) == me);
        cordon_result_free(result);
    }
    return NULL;
}

static int index_of(pid_t pid)
{
    for (int i = 0; i < CHILDREN; i++)
        if (own[i] == pid)
            return i;
    return -1;
}

static void *wait_for_all(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop) || atomic_load(&own_seen) < CHILDREN) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0) {
            MUST(errno == ECHILD || errno == EINTR);
            if (atomic_load(&own_seen) == CHILDREN)
                (void)usleep(1000);
            continue;
        }
        int i = index_of(pid);
        if (i < 0)
            atomic_fetch_add(&strangers, 1);
        else
            MUST(WIFEXITED(status) && WEXITSTATUS(status) == 10 + i);
        atomic_fetch_add(&own_seen, i >= 0);
    }
    return NULL;
}

static void start_children(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        own[i] = fork();
        MUST(own[i] >= 0);
        if (own[i] == 0) {
            (void)usleep((useconds_t)(i * 20000));
            _exit(10 + i);
        }
    }
}

int main(int argc, char **argv)
{
    MUST(argc == 3);
    int waits = strcmp(argv[2], "own") == 0;
    struct sigaction before[65], after;
    sigset_t mask_before, mask_after;
    pthread_t threads[THREADS], waiter;
    pthread_attr_t small; /* the stack that cordon.h asks for, and no more */

    if (strcmp(argv[2], "ignore") == 0)
        MUST(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    for (int s = 1; s < 65; s++)
        (void)sigaction(s, NULL, &before[s]);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_before);

    if (waits) {
        start_children();
        MUST(pthread_create(&waiter, NULL, wait_for_all, NULL) == 0);
    }
    engine = host_engine(argv[1], 0);
    MUST(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, STACK) == 0);
    for (size_t i = 0; i < THREADS; i++)
        MUST(pthread_create(&threads[i], &small, execute, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    cordon_engine_free(engine);
    if (waits) {
        atomic_store(&stop, 1);
        (void)pthread_join(waiter, NULL);
        MUST(atomic_load(&own_seen) == CHILDREN);
        MUST(atomic_load(&strangers) == 0);
    }

    for (int s = 1; s < 65; s++) {
        if (sigaction(s, NULL, &after) < 0)
            continue;
        MUST(after.sa_handler == before[s].sa_handler && after.sa_flags == before[s].sa_flags);
    }
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    MUST(memcmp(&mask_before, &mask_after, sizeof(mask_before)) == 0);
    MUST(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    printf("right\n");
    return 0;
}
