/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many HELPER_DIR WIDTH WALL_MS WALLS [PYTHON|- [CONFIG PROFILE]]: reads programs from stdin
 * (a line with the length, then the bytes, again and again), runs them all in one engine
 * with WIDTH in flight, and prints one line for each: its number and its envelope.
 * WALLS, those that are down: none, gate, interpreter, box, bare, walls:BITS.
 */
#include "host.h"

struct program {
    char *code;
    size_t len;
};

static struct cordon_engine *engine;
static struct program *programs;
static size_t count, next_one, finished;
static uint64_t wall_ms;
static const char *profile; /* NULL: strict */

static int read_program(struct program *ret)
{
    size_t len;
    if (scanf("%zu", &len) != 1)
        return 0;
    MUST(getchar() == '\n');
    ret->code = malloc(len + 1);
    MUST(ret->code);
    MUST(fread(ret->code, 1, len, stdin) == len);
    ret->len = len;
    return 1;
}

static void submit_next(void);

static void done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    (void)run;
    size_t len;
    const char *envelope = cordon_result_envelope(result, &len);
    MUST(strlen(envelope) == len && !memchr(envelope, '\n', len));
    printf("%zu %s\n", (size_t)user, envelope);
    cordon_result_free(result);
    finished++;
    submit_next();
}

static void submit_next(void)
{
    static const struct cordon_callbacks callbacks = {.size = sizeof(callbacks), .done = done};
    if (next_one >= count)
        return;
    size_t me = next_one++;
    struct cordon_request request = host_request(programs[me].code, programs[me].len, wall_ms);
    struct cordon_err err = {0};
    request.profile = profile;
    if (cordon_submit(engine, &request, &callbacks, (void *)me, NULL, &err) < 0) {
        fprintf(stderr, "program %zu not accepted: %s: %s\n", me, err.step, err.msg);
        exit(8);
    }
}

int main(int argc, char **argv)
{
    MUST(argc >= 5 && argc <= 8 && argc != 7);
    size_t width = strtoul(argv[2], NULL, 10);
    wall_ms = strtoul(argv[3], NULL, 10);
    uint32_t drop = 0;
    if (strncmp(argv[4], "walls:", 6) == 0)
        drop = (uint32_t)strtoul(argv[4] + 6, NULL, 10);
    else if (strcmp(argv[4], "none") != 0)
        drop |= (uint32_t)CORDON_WALL_GATE;
    if (strcmp(argv[4], "interpreter") == 0 || strcmp(argv[4], "box") == 0)
        drop |= (uint32_t)CORDON_WALL_INTERPRETER;
    if (strcmp(argv[4], "box") == 0) /* namespaces, root and limits stay */
        drop |= (uint32_t)CORDON_WALL_SECCOMP | CORDON_WALL_LANDLOCK;
    if (strcmp(argv[4], "bare") == 0) /* it may fork, and no namespace ends what it leaves */
        drop |= (uint32_t)CORDON_WALL_INTERPRETER | CORDON_WALL_NAMESPACES | CORDON_WALL_SECCOMP |
                CORDON_WALL_LIMITS;
    struct program one;
    while (read_program(&one)) {
        programs = realloc(programs, (count + 1) * sizeof(*programs));
        MUST(programs);
        programs[count++] = one;
    }
    const char *python = argc > 5 && strcmp(argv[5], "-") != 0 ? argv[5] : NULL;
    profile = argc > 6 ? argv[7] : NULL;
    engine = host_engine_by(argv[1], drop, python, argc > 6 ? argv[6] : NULL);
    for (size_t i = 0; i < width; i++)
        submit_next();
    while (finished < count)
        (void)host_turn(engine, 1000);
    cordon_engine_free(engine);
    for (size_t i = 0; i < count; i++)
        free(programs[i].code);
    free(programs);
    return 0;
}
