/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result: the public face of a result, and the few ways to fill one.
 */
#include "core/result.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOTES_MAX 50
#define VIOLATIONS_MAX 20

struct cordon_result *result_new(void)
{
    struct cordon_result *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->notes = json_array();
    r->violations = json_array();
    r->profile = "";
    r->memory_peak_bytes = -1;
    if (!r->notes || !r->violations) {
        json_decref(r->notes);
        json_decref(r->violations);
        free(r);
        return NULL;
    }
    return r;
}

void result_error(struct cordon_result *r, enum cordon_status status, const char *kind,
                  const char *fmt, ...)
{
    AUTO_FREE char *message = NULL;
    struct buf shown = {0};
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&message, fmt, ap) < 0)
        message = NULL;
    va_end(ap);
    /* A path of the host, or a text that was cut, need not be UTF-8. */
    if (message && utf8_append_shown(&shown, message, strlen(message), 1) < 0)
        buf_done(&shown);
    free(r->message);
    r->message = shown.data;
    r->status = status;
    r->kind = kind;
}

void result_note(struct cordon_result *r, const char *text)
{
    size_t have = json_array_size(r->notes);
    if (have > NOTES_MAX)
        return;
    (void)json_array_append_new(
        r->notes,
        json_string(have == NOTES_MAX ? "more notes than can be shown: the rest was dropped"
                                      : text));
}

void result_violation(struct cordon_result *r, const char *wall, const char *what, unsigned line)
{
    if (json_array_size(r->violations) >= VIOLATIONS_MAX)
        return;
    json_t *row = json_pack("{s:s, s:s}", "wall", wall, "what", what);
    if (row && line > 0)
        (void)json_object_set_new(row, "line", json_integer(line));
    (void)json_array_append_new(r->violations, row);
}

CORDON_API enum cordon_status cordon_result_status(const struct cordon_result *result)
{
    return result->status;
}

CORDON_API const char *cordon_result_envelope(const struct cordon_result *result, size_t *ret_len)
{
    if (ret_len)
        *ret_len = result->envelope.len;
    return result->envelope.data;
}

CORDON_API const char *cordon_result_code_sha256(const struct cordon_result *result)
{
    return result->code_sha256;
}

CORDON_API const char *cordon_result_json(const struct cordon_result *result, size_t *ret_len)
{
    if (ret_len)
        *ret_len = result->json_len;
    return result->json_len > 0 ? result->envelope.data + result->json_at : NULL;
}

CORDON_API const char *cordon_result_output(const struct cordon_result *result,
                                            enum cordon_stream stream, size_t *ret_len)
{
    const struct buf *text = &result->text[stream == CORDON_STDERR];
    if (ret_len)
        *ret_len = text->len;
    return text->data ? text->data : "";
}

CORDON_API int cordon_result_truncated(const struct cordon_result *result,
                                       enum cordon_stream stream)
{
    return result->truncated[stream == CORDON_STDERR];
}

CORDON_API const char *cordon_result_error(const struct cordon_result *result, const char *member)
{
    const struct {
        const char *name;
        const char *value;
    } members[] = {
        {"kind", result->kind},
        {"message",
         result->kind && !result->message ? cordon_status_name(result->status) : result->message},
        {"type", result->type},
        {"traceback", result->traceback},
        {"limit", result->limit},
    };
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (strcmp(members[i].name, member) == 0)
            return members[i].value;
    return NULL;
}

CORDON_API unsigned cordon_result_line(const struct cordon_result *result)
{
    return result->line;
}

CORDON_API const char *cordon_result_note(const struct cordon_result *result, size_t index)
{
    return json_string_value(json_array_get(result->notes, index));
}

static unsigned number_of(const json_t *warning, const char *member)
{
    return (unsigned)json_integer_value(json_object_get(warning, member));
}

CORDON_API int cordon_result_warning(const struct cordon_result *result, size_t index,
                                     struct cordon_warning *ret_warning)
{
    const json_t *w = json_array_get(result->warnings, index);
    if (!w)
        return 0;
    const struct cordon_warning all = {
        .size = ret_warning->size,
        .rule = json_string_value(json_object_get(w, "rule")),
        .message = json_string_value(json_object_get(w, "message")),
        .snippet = json_string_value(json_object_get(w, "snippet")),
        .line = number_of(w, "line"),
        .column = number_of(w, "column"),
        .end_line = number_of(w, "end_line"),
        .end_column = number_of(w, "end_column"),
        .count = number_of(w, "count"),
    };
    memcpy(ret_warning, &all, all.size < sizeof(all) ? all.size : sizeof(all));
    return 1;
}

CORDON_API void cordon_result_free(struct cordon_result *result)
{
    if (!result)
        return;
    json_decref(result->notes);
    json_decref(result->warnings);
    json_decref(result->violations);
    buf_done(&result->preview);
    free(result->message);
    free(result->type);
    free(result->traceback);
    buf_done(&result->json);
    buf_done(&result->text[0]);
    buf_done(&result->text[1]);
    buf_done(&result->envelope);
    free(result);
}

CORDON_API const char *cordon_status_name(enum cordon_status status)
{
    switch (status) {
#define CORDON_X(name, value, text)                                                                \
    case name:                                                                                     \
        return text;
        CORDON_STATUSES(CORDON_X)
#undef CORDON_X
    default:
        return "internal";
    }
}

CORDON_API const char *cordon_version(void)
{
    return CORDON_VERSION;
}
