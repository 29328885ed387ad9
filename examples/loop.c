/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop: a host program with an event loop of its own. A hundred runs are in flight at
 * once, the engine is one descriptor among the loop's others (here a timer), and every
 * answer is checked.
 *
 *   cc loop.c $(pkg-config --cflags --libs cordon) -o loop && ./loop
 */
#include <cordon.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define RUNS 100
#define PATIENCE_S 60

static const char code[] = "print('run', input_data['n'])\n"
                           "result['square'] = input_data['n'] ** 2\n";

/* What one run carries from its submission to its answer: `user` of the callbacks. */
struct ticket {
    int n;
    int printed;
    int right;
};

static void on_output(void *user, struct cordon_run *run, enum cordon_stream stream,
                      const char *data, size_t len)
{
    struct ticket *ticket = user;
    (void)run;
    (void)stream;
    (void)data;
    ticket->printed += (int)len;
}

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct ticket *ticket = user;
    char printed[32];
    int square = -1;
    (void)run;
    int len = snprintf(printed, sizeof(printed), "run %d\n", ticket->n);

    /* A host with a JSON library would use it here. */
    const char *json = cordon_result_json(result, NULL);
    ticket->right = cordon_result_status(result) == CORDON_OK && json &&
                    sscanf(json, " { \"square\" : %d }", &square) == 1 &&
                    square == ticket->n * ticket->n && ticket->printed == len &&
                    strcmp(cordon_result_output(result, CORDON_STDOUT, NULL), printed) == 0;
    if (!ticket->right)
        fprintf(stderr, "loop: run %d: %s\n", ticket->n, cordon_result_envelope(result, NULL));
    cordon_result_free(result);
}

static int submit_all(struct cordon_engine *engine, struct ticket *tickets, struct cordon_err *err)
{
    static const struct cordon_callbacks callbacks = {
        .size = sizeof(callbacks),
        .output = on_output,
        .done = on_done,
    };
    for (int i = 0; i < RUNS; i++) {
        char input[32];
        struct cordon_request request = {
            .size = sizeof(request),
            .code = code,
            .code_len = strlen(code),
            .input = input,
            .input_len = (size_t)snprintf(input, sizeof(input), "{\"n\": %d}", i),
        };
        tickets[i].n = i;
        int r = cordon_submit(engine, &request, &callbacks, &tickets[i], NULL, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int watch(int loop, int fd)
{
    struct epoll_event want = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(loop, EPOLL_CTL_ADD, fd, &want);
}

/* The loop itself: the engine has no say in it but for its one descriptor. */
static int serve(struct cordon_engine *engine, int loop, struct cordon_err *err)
{
    int in_flight = RUNS;
    while (in_flight > 0) {
        struct epoll_event event;
        if (epoll_wait(loop, &event, 1, -1) != 1)
            continue;
        if (event.data.fd != cordon_fd(engine)) {
            fprintf(stderr, "loop: %d runs unanswered after %d s\n", in_flight, PATIENCE_S);
            return 0;
        }
        in_flight = cordon_step(engine, err);
    }
    return in_flight;
}

static int count_right(const struct ticket *tickets)
{
    int right = 0;
    for (int i = 0; i < RUNS; i++)
        right += tickets[i].right;
    return right;
}

int main(void)
{
    static struct ticket tickets[RUNS];
    const struct itimerspec patience = {.it_value.tv_sec = PATIENCE_S};
    struct cordon_engine *engine = NULL;
    struct cordon_err err = {0};
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

    int r = cordon_engine_new(NULL, &engine, &err);
    if (r == 0)
        r = submit_all(engine, tickets, &err);
    if (r == 0 && timerfd_settime(timer, 0, &patience, NULL) == 0 && watch(loop, timer) == 0 &&
        watch(loop, cordon_fd(engine)) == 0)
        r = serve(engine, loop, &err);
    if (r < 0)
        fprintf(stderr, "loop: %s\n", err.msg);
    cordon_engine_free(engine);
    close(timer);
    close(loop);

    printf("%d of %d answers are right\n", count_right(tickets), RUNS);
    return count_right(tickets) == RUNS ? 0 : 1;
}
