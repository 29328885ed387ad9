/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed: the shortest host program. It hands over one piece of code, waits, and prints
 * the envelope.
 *
 *   cc embed.c $(pkg-config --cflags --libs cordon) -o embed && ./embed
 */
#include <cordon.h>
#include <stdio.h>
#include <string.h>

static const char code[] = "import math\n"
                           "print('working on', input_data['n'])\n"
                           "result['factorial'] = math.factorial(input_data['n'])\n";
static const char input[] = "{\"n\": 30}";

static int run_once(struct cordon_engine *engine, struct cordon_err *err)
{
    struct cordon_request request = {
        .size = sizeof(request),
        .code = code,
        .code_len = strlen(code),
        .input = input,
        .input_len = strlen(input),
        .limits = {.size = sizeof(request.limits), .wall_ms = 5000},
    };
    struct cordon_result *result;
    int r = cordon_execute(engine, &request, &result, err);
    if (r < 0)
        return r; /* the call was wrong; whatever the code does is a result */

    printf("%s\n", cordon_result_envelope(result, NULL));
    int failed = cordon_result_status(result) != CORDON_OK;
    cordon_result_free(result);
    return failed;
}

int main(void)
{
    struct cordon_engine *engine = NULL;
    struct cordon_err err = {0};
    int r = cordon_engine_new(NULL, &engine, &err);
    if (r == 0)
        r = run_once(engine, &err);
    if (r < 0)
        fprintf(stderr, "embed: %s\n", err.msg);
    cordon_engine_free(engine);
    return r == 0 ? 0 : 1;
}
