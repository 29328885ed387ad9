/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved HELPER_DIR: approved runs in one engine: several at once, each with an
 * environment of its own, some cancelled; nothing of them is left in the host program.
 */
#include "host.h"

#include <unistd.h>

#define AT_ONCE 12
#define ROUNDS 3

static int finished;

static void done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    char want[64];
    (void)run;
    (void)snprintf(want, sizeof(want), "{\"name\":\"%d\",\"secret\":null}", (int)(long)user);
    if (cordon_result_status(result) != CORDON_OK) {
        fprintf(stderr, "%s\n", cordon_result_envelope(result, NULL));
        exit(7);
    }
    MUST(host_result_is(result, want));
    cordon_result_free(result);
    finished++;
}

static void never(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user;
    (void)run;
    (void)result;
    MUST(!"a cancelled run called back");
}

static struct cordon_run *submit(struct cordon_engine *engine, const char *code, const char *name,
                                 const struct cordon_callbacks *callbacks, void *user)
{
    const char *const environ[] = {name, "PATH=/usr/bin:/bin", "SOME_API_KEY=hidden", NULL};
    struct cordon_request request = host_request(code, strlen(code), 20000);
    struct cordon_run *run = NULL;
    struct cordon_err err = {0};
    request.approved = 1;
    request.environ = environ;
    if (cordon_submit(engine, &request, callbacks, user, &run, &err) < 0) {
        fprintf(stderr, "not accepted: %s: %s\n", err.step, err.msg);
        exit(8);
    }
    return run;
}

static void round_of(struct cordon_engine *engine)
{
    static const char code[] = "import os\nresult['name'] = os.environ['NAME']\n"
                               "result['secret'] = os.environ.get('SOME_API_KEY')\n";
    static const char sleeper[] = "import subprocess\nsubprocess.run(['sleep', '60'])\n";
    static const struct cordon_callbacks good = {.size = sizeof(good), .done = done};
    static const struct cordon_callbacks bad = {.size = sizeof(bad), .done = never};
    struct cordon_run *sleepers[AT_ONCE / 4];
    char name[32];

    finished = 0;
    for (long i = 0; i < AT_ONCE; i++) {
        (void)snprintf(name, sizeof(name), "NAME=%ld", i);
        (void)submit(engine, code, name, &good, (void *)i);
    }
    for (size_t i = 0; i < AT_ONCE / 4; i++)
        sleepers[i] = submit(engine, sleeper, "NAME=x", &bad, NULL);
    cordon_cancel(engine, sleepers[0]); /* before it has started */
    while (finished < AT_ONCE)
        (void)host_turn(engine, 1000);
    for (size_t i = 1; i < AT_ONCE / 4; i++)
        cordon_cancel(engine, sleepers[i]);
    double end = host_now() + 5;
    while (host_now() < end && host_turn(engine, 20) > 0)
        ;
}

/* The descriptor alone tells when a box that was let go can be collected, and then is still. */
static void settle(struct cordon_engine *engine)
{
    struct pollfd p = {.fd = cordon_fd(engine), .events = POLLIN};
    int turns = 0;
    while (poll(&p, 1, 500) > 0) {
        (void)host_turn(engine, 0);
        MUST(++turns < 20 * AT_ONCE);
    }
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    int before = host_open_fds();
    struct cordon_engine *engine = host_engine(argv[1], 0);
    int after[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        round_of(engine);
        settle(engine);
        after[i] = host_open_fds();
    }
    MUST(after[ROUNDS - 1] == after[0]);
    cordon_engine_free(engine);
    MUST(host_open_fds() == before);
    return 0;
}
