/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_error: see http_error.h. Names of fields and pieces of the request get into
 * messages: they are shown as valid UTF-8, whatever they were.
 */
#include "app/http_error.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/utf8.h"

static const struct {
    unsigned status;
    const char *word;
} rows[] = {
#define CORDON_X(name, status, word) [name] = {status, word},
    HTTP_ERRORS(CORDON_X)
#undef CORDON_X
};

/* The library's names for what a request calls otherwise. */
static const struct {
    const char *step;
    const char *field;
} fields[] = {
    {"input", "input_data"},  {"code", "code"},           {"profile", "profile"},
    {"approved", "approved"}, {"nonfinite", "nonfinite"},
};

int http_problem_set(struct http_problem *ret, enum http_error error, const char *field,
                     const char *fmt, ...)
{
    va_list ap;
    ret->error = error;
    ret->has_field = field != NULL;
    (void)snprintf(ret->field, sizeof(ret->field), "%s", field ? field : "");
    va_start(ap, fmt);
    (void)vsnprintf(ret->message, sizeof(ret->message), fmt, ap);
    va_end(ap);
    return -1;
}

int http_problem_from(struct http_problem *ret, const struct cordon_err *err)
{
    int callers = err->code == CORDON_E_ARG || err->code == CORDON_E_PROFILE;
    const char *field = strncmp(err->step, "limits.", 7) == 0 ? err->step : NULL;
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (strcmp(err->step, fields[i].step) == 0)
            field = fields[i].field;
    return http_problem_set(ret, callers ? HTTP_BAD_VALUE : HTTP_INTERNAL, field, "%s", err->msg);
}

unsigned http_problem_status(const struct http_problem *problem)
{
    return rows[problem->error].status;
}

/* A text that may have been cut anywhere. */
static json_t *shown(const char *text)
{
    struct buf b = {0};
    int rc = utf8_append_shown(&b, text, strlen(text), 1);
    json_t *value = rc == 0 ? json_stringn(b.data ? b.data : "", b.len) : NULL;
    buf_done(&b);
    return value;
}

char *http_problem_text(const struct http_problem *problem)
{
    json_t *all = json_pack("{s:s, s:o, s:o}", "error", rows[problem->error].word, "field",
                            problem->has_field ? shown(problem->field) : json_null(), "message",
                            shown(problem->message));
    char *text = all ? json_dumps(all, JSON_PRESERVE_ORDER) : NULL;
    json_decref(all);
    return text;
}
