/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps HELPER_DIR: keeps one run in flight and says so; the test then does something to
 * the helpers and sends a line. Prints the envelope of the run that was in flight, then
 * of one that was submitted afterwards, then of 20 more as a count of those that are ok.
 */
#include "host.h"

static int finished;
static int has_begun;

static void output(void *user, struct cordon_run *run, enum cordon_stream stream, const char *data,
                   size_t len)
{
    (void)user, (void)run, (void)stream, (void)data, (void)len;
    has_begun = 1;
}

static void done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)run;
    if (user)
        printf("%s\n", cordon_result_envelope(result, NULL));
    finished += cordon_result_status(result) == CORDON_OK || user;
    cordon_result_free(result);
}

static void wait_for(struct cordon_engine *engine, int count)
{
    for (double end = host_now() + 60; finished < count;) {
        MUST(host_now() < end);
        (void)host_turn(engine, 50);
    }
}

int main(int argc, char **argv)
{
    static const struct cordon_callbacks callbacks = {
        .size = sizeof(callbacks), .output = output, .done = done};
    char loud[] = "loud";
    MUST(argc == 2);
    struct cordon_engine *engine = host_engine(argv[1], 0);
    (void)host_submit(
        engine, "import time\nprint('started', flush=True)\ntime.sleep(3)\nresult = {'slept': 1}",
        &callbacks, loud);
    for (double begun = host_now(); !has_begun || host_now() < begun + 1.0;) {
        MUST(host_now() < begun + 60);
        (void)host_turn(engine, 20);
    }
    host_ask("in flight");

    (void)host_submit(engine, "result = {'next': 1}", &callbacks, loud);
    wait_for(engine, 2);
    finished = 0;
    for (int i = 0; i < 20; i++)
        (void)host_submit(engine, "result = {'more': 1}", &callbacks, NULL);
    for (double end = host_now() + 60; host_turn(engine, 50) > 0;)
        MUST(host_now() < end);
    printf("%d\n", finished);
    host_ask("idle");
    cordon_engine_free(engine);
    host_ask("freed");
    return 0;
}
