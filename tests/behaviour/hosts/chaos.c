/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chaos HELPER_DIR WIDTH: one engine with WIDTH executions in flight, strict and approved,
 * until stdin ends; then it waits for the last answer, frees the engine and prints
 *
 *     SUBMITTED ANSWERED DESCRIPTORS-BEFORE DESCRIPTORS-AFTER STATUS=COUNT...
 *
 * The letter x on stdin makes it exit at once, with everything in flight; f makes a copy of
 * it, by fork() alone, which does nothing but live, and prints its number.
 */
#include "host.h"

#include <unistd.h>

static const char *const programs[] = {
    "result['n'] = 1",
    "import os, time\n"
    "for n in range(3):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    "        time.sleep(30)\n"
    "time.sleep(0.05)\n",
    "import os, time\n"
    "with open('file', 'wb') as f:\n"
    "    f.write(bytes(1 << 20))\n"
    "x = bytearray(5 << 20)\n"
    "time.sleep(0.1)\n",
    "import time\n"
    "print('y' * 100_000, flush=True)\n"
    "time.sleep(30)\n", /* to its deadline */
    "1 / 0",
};

static struct cordon_engine *engine;
static size_t submitted, answered, of_status[CORDON_INTERNAL + 1];
static int is_over;

static void submit_next(void);

static void done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)user, (void)run;
    MUST(result);
    of_status[cordon_result_status(result)]++;
    cordon_result_free(result);
    answered++;
    submit_next();
}

static void submit_next(void)
{
    static const struct cordon_callbacks callbacks = {.size = sizeof(callbacks), .done = done};
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    if (is_over)
        return;
    const char *code = programs[submitted % (sizeof(programs) / sizeof(programs[0]))];
    struct cordon_request request = host_request(code, strlen(code), 700);
    request.approved = submitted % 4 == 3;
    request.environ = environment;
    struct cordon_err err = {0};
    if (cordon_submit(engine, &request, &callbacks, NULL, NULL, &err) < 0) {
        fprintf(stderr, "not accepted: %s: %s\n", err.step, err.msg);
        exit(8);
    }
    submitted++;
}

static void make_copy(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            (void)pause();
    printf("%d\n", (int)pid);
    (void)fflush(stdout);
}

static void take_order(void)
{
    char letter;
    ssize_t n = read(STDIN_FILENO, &letter, 1);
    if (n == 0)
        is_over = 1;
    else if (n == 1 && letter == 'x')
        _exit(0);
    else if (n == 1 && letter == 'f')
        make_copy();
}

int main(int argc, char **argv)
{
    MUST(argc == 3);
    int before = host_open_fds();
    engine = host_engine(argv[1], CORDON_WALL_GATE | CORDON_WALL_INTERPRETER);
    for (size_t i = strtoul(argv[2], NULL, 10); i > 0; i--)
        submit_next();
    while (!is_over || answered < submitted) {
        struct pollfd fds[] = {{.fd = cordon_fd(engine), .events = POLLIN},
                               {.fd = is_over ? -1 : STDIN_FILENO, .events = POLLIN}};
        (void)poll(fds, 2, 1000);
        if (fds[1].revents)
            take_order();
        (void)host_turn(engine, 0);
    }
    cordon_engine_free(engine);
    printf("%zu %zu %d %d", submitted, answered, before, host_open_fds());
    for (int i = 0; i <= CORDON_INTERNAL; i++)
        printf(" %s=%zu", cordon_status_name((enum cordon_status)i), of_status[i]);
    printf("\n");
    return 0;
}
