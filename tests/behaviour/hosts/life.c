/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life HELPER_DIR: the life cycle of the header, step by step: the order of callbacks,
 * submitting and cancelling from within them, cancelling at every stage, freeing with runs
 * in flight, and the same number of descriptors at the end as at the beginning.
 */
#include "host.h"

#include <unistd.h>

#define STOP_MS 1500

struct seen {
    struct cordon_run *run;
    char out[2][4096];
    size_t len[2];
    int done;
    enum cordon_status status;
    char json[256];
    struct cordon_engine *engine;
    struct seen *next; /* to submit when this one is done */
};

static void on_output(void *user, struct cordon_run *run, enum cordon_stream stream,
                      const char *data, size_t len)
{
    struct seen *s = user;
    MUST(!s->done);
    MUST(!s->run || run == s->run);
    MUST(stream == CORDON_STDOUT || stream == CORDON_STDERR);
    MUST(len > 0 && s->len[stream] + len < sizeof(s->out[0]));
    memcpy(s->out[stream] + s->len[stream], data, len);
    s->len[stream] += len;
}

static const struct cordon_callbacks callbacks;

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct seen *s = user;
    MUST(!s->done);
    MUST(!s->run || run == s->run);
    MUST(result);
    s->done = 1;
    s->status = cordon_result_status(result);
    size_t len;
    const char *json = cordon_result_json(result, &len);
    if (json)
        (void)snprintf(s->json, sizeof(s->json), "%.*s", (int)len, json);
    const char *text = cordon_result_output(result, CORDON_STDOUT, &len);
    MUST(len == s->len[0] && memcmp(text, s->out[0], len) == 0);
    cordon_result_free(result);
    if (s->next)
        s->next->run = host_submit(s->engine, "result = {'second': 1}", &callbacks, s->next);
}

static const struct cordon_callbacks callbacks = {
    .size = sizeof(callbacks), .output = on_output, .done = on_done};

static void turn_until(struct cordon_engine *engine, const int *flag)
{
    for (double end = host_now() + 60; !*flag;) {
        MUST(host_now() < end);
        (void)host_turn(engine, 100);
    }
}

static void callbacks_come_in_order(struct cordon_engine *engine)
{
    struct seen second = {.engine = engine};
    struct seen first = {.engine = engine, .next = &second};
    first.run = host_submit(engine,
                            "import time\nfor i in range(5):\n    print('line', i, flush=True)\n"
                            "    time.sleep(0.01)\nprint('last', end='')\nresult = {'first': 1}",
                            &callbacks, &first);
    MUST(!first.done && first.len[0] == 0); /* nothing is called within submit */
    turn_until(engine, &first.done);
    turn_until(engine, &second.done);
    MUST(first.status == CORDON_OK && strcmp(first.json, "{\"first\":1}") == 0);
    MUST(strcmp(first.out[0], "line 0\nline 1\nline 2\nline 3\nline 4\nlast") == 0);
    MUST(second.status == CORDON_OK && strcmp(second.json, "{\"second\":1}") == 0);
    MUST(host_turn(engine, 0) == 0);
}

static void no_callbacks_at_all(struct cordon_engine *engine)
{
    static const struct cordon_callbacks none = {.size = sizeof(none)};
    (void)host_submit(engine, "print('x')\nresult['a'] = 1", &none, NULL);
    for (double end = host_now() + 60; host_turn(engine, 100) > 0;)
        MUST(host_now() < end);
}

static void cancelled_runs_say_nothing_more(struct cordon_engine *engine)
{
    static const int stages_ms[] = {0, 1, 3, 10, 40, 150};
    struct seen honest = {.engine = engine};
    struct seen cancelled[sizeof(stages_ms) / sizeof(stages_ms[0])] = {{.done = 0}};
    honest.run =
        host_submit(engine, "import time\ntime.sleep(0.5)\nresult['h'] = 1", &callbacks, &honest);
    for (size_t i = 0; i < sizeof(stages_ms) / sizeof(stages_ms[0]); i++) {
        struct seen *c = &cancelled[i];
        c->run = host_submit(engine, "print('p', flush=True)\nwhile True: pass", &callbacks, c);
        for (double end = host_now() + stages_ms[i] / 1000.0; host_now() < end;)
            (void)host_turn(engine, 1);
        double start = host_now();
        cordon_cancel(engine, c->run);
        MUST(host_now() - start < STOP_MS / 1000.0);
        size_t heard = c->len[0];
        (void)host_turn(engine, 50);
        MUST(!c->done && c->len[0] == heard);
    }
    turn_until(engine, &honest.done);
    MUST(honest.status == CORDON_OK && strcmp(honest.json, "{\"h\":1}") == 0);
    for (double end = host_now() + 10; host_turn(engine, 20) > 0;)
        MUST(host_now() < end);
    for (size_t i = 0; i < sizeof(stages_ms) / sizeof(stages_ms[0]); i++)
        MUST(!cancelled[i].done);
}

struct canceller {
    struct cordon_engine *engine;
    struct cordon_run *victim;
    int done;
};

static void cancel_the_other(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct canceller *c = user;
    (void)run;
    cordon_result_free(result);
    cordon_cancel(c->engine, c->victim);
    c->done = 1;
}

static void cancelling_from_a_callback(struct cordon_engine *engine)
{
    static const struct cordon_callbacks cancels = {.size = sizeof(cancels),
                                                    .done = cancel_the_other};
    struct seen victim = {.engine = engine};
    struct canceller c = {.engine = engine};
    victim.run = c.victim = host_submit(engine, "while True: pass", &callbacks, &victim);
    (void)host_submit(engine, "result['a'] = 1", &cancels, &c);
    turn_until(engine, &c.done);
    (void)host_turn(engine, 50);
    MUST(!victim.done);
}

static void descriptor_is_quiet_when_there_is_nothing_to_do(struct cordon_engine *engine)
{
    int fd = cordon_fd(engine);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (int i = 0; i < 20 && poll(&p, 1, 50) > 0; i++)
        (void)host_turn(engine, 0);
    MUST(poll(&p, 1, 100) == 0);
    struct seen s = {.engine = engine};
    s.run = host_submit(engine, "result['a'] = 1", &callbacks, &s);
    turn_until(engine, &s.done);
    MUST(cordon_fd(engine) == fd);
}

static void freeing_with_runs_in_flight(const char *helper_dir)
{
    struct seen s[12] = {{.done = 0}};
    for (int warm = 0; warm < 2; warm++) {
        struct cordon_engine *engine = host_engine(helper_dir, 0);
        if (warm)
            MUST(cordon_engine_warm(engine, "strict", NULL) == 0);
        for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
            s[i] = (struct seen){.engine = engine};
            s[i].run = host_submit(engine, "while True: pass", &callbacks, &s[i]);
        }
        for (double end = host_now() + (warm ? 0.3 : 0.0); host_now() < end;)
            (void)host_turn(engine, 10);
        double start = host_now();
        cordon_engine_free(engine);
        MUST(host_now() - start < STOP_MS / 1000.0);
        for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++)
            MUST(!s[i].done);
    }
    cordon_engine_free(NULL);
    cordon_engine_free(host_engine(helper_dir, 0)); /* never used */
}

static void many_runs_leave_no_descriptor(struct cordon_engine *engine)
{
    int before = host_open_fds();
    for (int i = 0; i < 60; i++) {
        static const char *const codes[] = {"result['a'] = 1", "1/0", "print('x' * 3000000)",
                                            "result['a'] = object()", "raise SystemExit(1)"};
        struct cordon_request request = host_request(codes[i % 5], strlen(codes[i % 5]), 20000);
        struct cordon_result *result = NULL;
        MUST(cordon_execute(engine, &request, &result, NULL) == 0);
        MUST(cordon_result_status(result) == (i % 5 == 0 || i % 5 == 2 ? CORDON_OK : CORDON_ERROR));
        cordon_result_free(result);
    }
    for (double end = host_now() + 10; host_turn(engine, 10) > 0 || host_open_fds() > before;)
        MUST(host_now() < end);
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    cordon_engine_free(host_engine(argv[1], 0)); /* what the C library opens once is open now */
    int before = host_open_fds();
    struct cordon_engine *engine = host_engine(argv[1], 0);
    callbacks_come_in_order(engine);
    no_callbacks_at_all(engine);
    cancelled_runs_say_nothing_more(engine);
    cancelling_from_a_callback(engine);
    descriptor_is_quiet_when_there_is_nothing_to_do(engine);
    many_runs_leave_no_descriptor(engine);
    cordon_engine_free(engine);
    freeing_with_runs_in_flight(argv[1]);
    MUST(host_open_fds() == before);
    cordon_result_free(NULL);
    printf("right\n");
    return 0;
}
