/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of requests: http_request_execute() and http_request_check() over any bytes.
 * What is accepted is one JSON object, by yajl's word, once input_data is by the library's;
 * its ranges lie in the body; what is refused is refused in words that can be sent.
 */
#include "app/http_request.h"

#include "base/utf8.h"
#include "core/jsoncheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken: %s\n", #condition);                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void look_at_problem(const struct http_problem *problem)
{
    char *text = http_problem_text(problem);
    MUST(text);
    json_t *all = json_loads(text, 0, NULL);
    MUST(json_is_string(json_object_get(all, "error")));
    MUST(json_string_length(json_object_get(all, "message")) > 0);
    MUST(json_object_get(all, "field"));
    MUST(http_problem_status(problem) >= 400);
    json_decref(all);
    free(text);
}

static int inside(const char *body, size_t len, const char *at, size_t n)
{
    return at >= body && at + n <= body + len;
}

/* Whether all of it is JSON; 1 too where that cannot be told: input_data has a depth of its own. */
static int is_json(const char *body, size_t len)
{
    char why[128];
    return json_check_object(body, len, 0, why, sizeof(why)) == 0 || strstr(why, "1000 levels");
}

static void look_at_execute(const char *body, size_t len, const struct http_request *r)
{
    char why[128];
    const struct cordon_request *run = &r->run;
    MUST(r->code && run->code == json_string_value(r->code));
    MUST(utf8_valid_prefix(run->code, run->code_len) == run->code_len);
    MUST(!r->has_files && !run->check_only && (!run->environ || run->approved));
    for (const char *const *e = run->environ; e && *e; e++)
        MUST(strchr(*e, '=') > *e);
    if (run->input)
        MUST(inside(body, len, run->input, run->input_len));
    if (!run->input || json_check_object(run->input, run->input_len, 0, why, sizeof(why)) == 0)
        MUST(is_json(body, len));
}

static void look_at_check(const char *body, size_t len, const struct http_request *r)
{
    MUST(is_json(body, len));
    MUST(r->run.check_only && !r->environ && !r->run.input && !r->has_files == !!r->code);
    for (size_t i = 0; i < r->file_count; i++)
        MUST(json_is_string(r->files[i].code));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *body = malloc(size ? size : 1); /* of its own: a read past the end is seen */
    struct http_request request;
    struct http_problem problem;
    MUST(body);
    if (size > 0)
        memcpy(body, data, size);
    if (http_request_execute(body, size, &request, &problem) == 0)
        look_at_execute(body, size, &request);
    else
        look_at_problem(&problem);
    http_request_done(&request);
    if (http_request_check(body, size, &request, &problem) == 0)
        look_at_check(body, size, &request);
    else
        look_at_problem(&problem);
    http_request_done(&request);
    free(body);
    return 0;
}
