/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_api: the endpoints. Each turns a body into calls of the library and what the library
 * says into an answer; nothing here knows of sockets.
 *
 * Memory: the body is let go as soon as the library has its copy, the envelope is sent out
 * of the result itself.
 */
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "app/http_exchange.h"
#include "app/http_request.h"
#include "app/out_gate.h"

/* How many texts of one request are with the library at once. */
#define CHECK_AT_ONCE 32

/* ---- execute ------------------------------------------------------------------------ */

static void free_result(void *result)
{
    cordon_result_free(result);
}

static void answer_envelope(struct exchange *x, struct cordon_result *result)
{
    size_t len = 0;
    const char *text = result ? cordon_result_envelope(result, &len) : NULL;
    struct MHD_Response *response = NULL;
    if (text) /* only read, whatever its type says */
        response = MHD_create_response_from_buffer_with_free_callback_cls(
            len, (void *)(uintptr_t)text, free_result, result);
    if (!response) {
        cordon_result_free(result);
        exchange_answer_text(x, 200, NULL);
        return;
    }
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    exchange_answer(x, 200, response);
}

static void on_output(void *user, struct cordon_run *run, enum cordon_stream which,
                      const char *data, size_t len)
{
    struct exchange *x = user;
    (void)run;
    if (x->stream)
        stream_output(x->stream, which, data, len);
}

static void on_done(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct exchange *x = user;
    (void)run;
    x->run = NULL;
    if (x->stream)
        stream_end(x->stream, result);
    else
        answer_envelope(x, result);
}

static int submit(struct exchange *x, struct http_request *request, int events,
                  struct http_problem *problem)
{
    const struct cordon_callbacks callbacks = {
        .size = sizeof(callbacks), .output = events ? on_output : NULL, .done = on_done};
    struct cordon_err err = {0};
    if (!request->run.environ)
        request->run.environ = exchange_environ(x);
    if (cordon_submit(exchange_engine(x), &request->run, &callbacks, x, &x->run, &err) < 0)
        return http_problem_from(problem, &err);
    return 0;
}

static int check_caller(const struct exchange *x, const struct http_request *request,
                        struct http_problem *problem)
{
    if (!request->environ || exchange_is_owner(x))
        return 0;
    return http_problem_set(problem, HTTP_FORBIDDEN, "environ",
                            "only who is the user that the daemon runs as may give one");
}

static void begin_events(struct exchange *x)
{
    struct MHD_Response *response = stream_new(x);
    if (response)
        exchange_answer(x, 200, response);
    else
        exchange_answer_text(x, 200, NULL);
}

void api_execute(struct exchange *x)
{
    struct http_request request;
    struct http_problem problem;
    int events = http_accept_events(&x->head.accept);
    if (http_request_execute(x->body.data, x->body.len, &request, &problem) < 0) {
        exchange_refuse(x, &problem);
        return;
    }
    int rc = check_caller(x, &request, &problem);
    if (rc == 0)
        rc = submit(x, &request, events, &problem);
    http_request_done(&request);
    if (rc < 0)
        exchange_refuse(x, &problem);
    else if (events)
        begin_events(x);
}

/* ---- check ---------------------------------------------------------------------------- */

struct checked {
    struct exchange *x;
    struct cordon_run *run; /* in flight */
    struct buf json;
    int done;
};

struct check {
    struct http_request request;
    struct checked *items; /* as many as files, or the one code */
    size_t count;
    size_t given; /* to the library, or refused by it */
    size_t ended;
    int failed; /* there was no memory */
    int refused;
    struct http_problem problem; /* with the one code */
};

static void check_free(struct exchange *x, struct check *check)
{
    for (size_t i = 0; i < check->given; i++) {
        if (check->items[i].run)
            cordon_cancel(exchange_engine(x), check->items[i].run);
        buf_done(&check->items[i].json);
    }
    free(check->items);
    http_request_done(&check->request);
    free(check);
}

static const char *name_of(const struct check *check, const struct checked *item)
{
    if (!check->request.has_files)
        return NULL;
    return json_string_value(check->request.files[item - check->items].name);
}

static void tell(struct check *check, struct checked *item, const struct cordon_result *result,
                 const char *why)
{
    if (out_gate_json(&item->json, name_of(check, item), result, why) < 0)
        check->failed = 1;
    item->done = 1;
    check->ended++;
}

static void answer_check(struct exchange *x, struct check *check)
{
    struct buf all = {0};
    int list = check->request.has_files;
    int rc = buf_add(&all, "[", list, SIZE_MAX - 1);
    for (size_t i = 0; rc == 0 && i < check->count; i++) {
        rc = buf_add(&all, ", ", i > 0 ? 2 : 0, SIZE_MAX - 1);
        if (rc == 0)
            rc = buf_add(&all, check->items[i].json.data, check->items[i].json.len, SIZE_MAX - 1);
    }
    if (rc == 0)
        rc = buf_add(&all, "]", list, SIZE_MAX - 1);
    if (rc < 0 || check->failed)
        buf_done(&all);
    exchange_answer_text(x, 200, all.data);
}

static void give(struct exchange *x, struct check *check);

static void on_checked(void *user, struct cordon_run *run, struct cordon_result *result)
{
    struct checked *item = user;
    struct exchange *x = item->x;
    (void)run;
    item->run = NULL;
    tell(x->check, item, result, "no memory for its verdict");
    cordon_result_free(result);
    give(x, x->check);
}

static void submit_check(struct check *check, struct checked *item)
{
    static const struct cordon_callbacks callbacks = {.size = sizeof(callbacks),
                                                      .done = on_checked};
    struct cordon_request run = check->request.run;
    struct cordon_err err = {0};
    if (check->request.has_files) {
        const json_t *code = check->request.files[item - check->items].code;
        run.code = json_string_value(code);
        run.code_len = json_string_length(code);
    }
    if (cordon_submit(exchange_engine(item->x), &run, &callbacks, item, &item->run, &err) == 0)
        return;
    check->refused = !check->request.has_files;
    if (check->refused)
        (void)http_problem_from(&check->problem, &err);
    tell(check, item, NULL, err.msg);
}

/* Hands over what there is room for; when all have ended, answers. */
static void give(struct exchange *x, struct check *check)
{
    while (check->given < check->count && check->given < check->ended + CHECK_AT_ONCE) {
        struct checked *item = &check->items[check->given++];
        *item = (struct checked){.x = x};
        submit_check(check, item);
    }
    if (check->refused)
        exchange_refuse(x, &check->problem);
    else if (check->ended == check->count)
        answer_check(x, check);
}

/* One that there is not is said once, and not of each text. */
static int refuse_profile(struct exchange *x, const char *profile, struct http_problem *problem)
{
    const char *name;
    for (size_t i = 0; profile && (name = cordon_engine_profile(exchange_engine(x), i)); i++)
        if (strcmp(name, profile) == 0)
            return 0;
    if (!profile)
        return 0;
    return http_problem_set(problem, HTTP_BAD_VALUE, "profile", "there is no profile '%.100s'",
                            profile);
}

/* Makes room for the verdicts. The texts are the check's now. */
static int begin_check(struct exchange *x, struct http_request *request,
                       struct http_problem *problem)
{
    struct check *check = calloc(1, sizeof(*check));
    if (check) {
        check->count = request->has_files ? request->file_count : 1;
        check->items = calloc(check->count ? check->count : 1, sizeof(*check->items));
    }
    if (!check || !check->items) {
        free(check);
        http_request_done(request);
        return http_problem_set(problem, HTTP_INTERNAL, NULL, "there is no memory for it");
    }
    check->request = *request;
    x->check = check;
    return 0;
}

void api_check(struct exchange *x)
{
    struct http_request request;
    struct http_problem problem;
    int rc = http_request_check(x->body.data, x->body.len, &request, &problem);
    if (rc == 0) {
        rc = refuse_profile(x, request.run.profile, &problem);
        if (rc < 0)
            http_request_done(&request);
    }
    if (rc == 0)
        rc = begin_check(x, &request, &problem);
    if (rc < 0)
        exchange_refuse(x, &problem);
    else
        give(x, x->check);
}

/* ---- health ------------------------------------------------------------------------------ */

void api_health(struct exchange *x)
{
    struct cordon_engine *engine = exchange_engine(x);
    json_t *profiles = json_array();
    const char *name;
    for (size_t i = 0; profiles && (name = cordon_engine_profile(engine, i)); i++)
        (void)json_array_append_new(profiles, json_string(name));
    json_t *all =
        json_pack("{s:s, s:s, s:s, s:o}", "status", "ready", "version", cordon_version(), "level",
                  cordon_level_name(cordon_engine_level(engine)), "profiles", profiles);
    exchange_answer_text(x, 200, all ? json_dumps(all, JSON_PRESERVE_ORDER) : NULL);
    json_decref(all);
}

/* ---- the end ------------------------------------------------------------------------------- */

void api_done(struct exchange *x)
{
    if (x->run)
        cordon_cancel(exchange_engine(x), x->run);
    x->run = NULL;
    if (x->check)
        check_free(x, x->check);
    x->check = NULL;
}
