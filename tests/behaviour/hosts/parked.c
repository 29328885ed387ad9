/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked HELPER_DIR: an approved run that has ended waits for its code to be read, in a box that
 * is stopped; when that box is killed, another run's callback cancels it.
 */
#include "host.h"

static struct cordon_engine *engine;
static struct cordon_run *parked;
static int started, printed, cancelled;

static void on_output(void *user, struct cordon_run *run, enum cordon_stream stream,
                      const char *text, size_t len)
{
    (void)run;
    (void)stream;
    (void)text;
    (void)len;
    *(int *)user = 1;
}

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user;
    (void)run;
    cordon_result_free(result);
    cordon_cancel(engine, parked);
    cancelled = 1;
}

static void never(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user;
    (void)run;
    (void)result;
    MUST(!"a cancelled run called back");
}

static void turns(const int *until, double seconds)
{
    double end = host_now() + seconds;
    while (!*until && host_now() < end)
        (void)host_turn(engine, 20);
}

int main(int argc, char **argv)
{
    static const char waits[] = "import time\nprint(1, flush=True)\ntime.sleep(60)\n";
    static const char short_one[] = "print(2, flush=True)\n";
    struct cordon_callbacks first = {.size = sizeof(first), .output = on_output, .done = on_done};
    struct cordon_callbacks second = {.size = sizeof(second), .output = on_output, .done = never};
    struct cordon_request request = host_request(short_one, strlen(short_one), 20000);
    struct cordon_err err = {0};
    const int nothing = 0;

    MUST(argc == 2);
    engine = host_engine(argv[1], 0);
    (void)host_submit(engine, waits, &first, &started);
    turns(&started, 30);
    host_ask("stop the box");
    request.approved = 1;
    MUST(cordon_submit(engine, &request, &second, &printed, &parked, &err) == 0);
    turns(&printed, 30);
    turns(&nothing, 1);
    host_ask("kill the box");
    turns(&cancelled, 30);
    MUST(started && printed && cancelled);
    turns(&nothing, 0.2);
    cordon_engine_free(engine);
    printf("right\n");
    return 0;
}
