/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope: a result as JSON. Everything goes through jansson but the encoded result, which
 * stays as the sandbox wrote it: the envelope grows around its bytes. What is large is there
 * once only: a sandbox has its caps to fill.
 */
#include "core/result.h"

#include "core/level.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t bit;
    const char *name;
} walls[] = {
    {CORDON_WALL_GATE, "gate"},
    {CORDON_WALL_INTERPRETER, "interpreter"},
    {CORDON_WALL_NAMESPACES, "namespaces"},
    {CORDON_WALL_ROOT, "root"},
    {CORDON_WALL_SECCOMP, "seccomp"},
    {CORDON_WALL_LANDLOCK, "landlock"},
    {CORDON_WALL_LIMITS, "limits"},
};

const char *wall_name(size_t index, uint32_t *ret_bit)
{
    if (index >= ARRAY_LEN(walls))
        return NULL;
    if (ret_bit)
        *ret_bit = walls[index].bit;
    return walls[index].name;
}

static json_t *text_of(const struct buf *b)
{
    return json_stringn(b->data ? b->data : "", b->len);
}

static json_t *error_of(const struct cordon_result *r)
{
    if (!r->kind)
        return json_null();
    json_t *error = json_pack("{s:s, s:s}", "kind", r->kind, "message",
                              r->message ? r->message : cordon_status_name(r->status));
    if (!error)
        return NULL;
    int rc = 0;
    if (r->type)
        rc |= json_object_set_new(error, "type", json_string(r->type));
    if (r->line > 0)
        rc |= json_object_set_new(error, "line", json_integer(r->line));
    if (r->traceback)
        rc |= json_object_set_new(error, "traceback", json_string(r->traceback));
    if (r->limit)
        rc |= json_object_set_new(error, "limit", json_string(r->limit));
    if (rc == 0)
        return error;
    json_decref(error);
    return NULL;
}

static json_t *walls_of(const struct cordon_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < ARRAY_LEN(walls); i++)
        if (r->walls_down & walls[i].bit)
            (void)json_array_append_new(list, json_string(walls[i].name));
    return list;
}

/* Milliseconds to the microsecond: more digits would be noise. */
static double rounded(double ms)
{
    return round(ms * 1000.0) / 1000.0;
}

/* All members but status and result. */
static json_t *members(const struct cordon_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:O?, s:O, s:O, s:s, s:b, s:s, s:o, s:s, s:{s:b, s:b},"
                     " s:{s:f, s:f, s:o}, s:s?}",
                     "stdout", text_of(&r->text[0]), "stderr", text_of(&r->text[1]), "error",
                     error_of(r), "warnings", r->warnings, "notes", r->notes, "violations",
                     r->violations, "profile", r->profile, "approved", r->approved, "level",
                     level_word(r->walls_down), "walls_down", walls_of(r), "code_sha256",
                     r->code_sha256, "truncated", "stdout", r->truncated[0], "stderr",
                     r->truncated[1], "usage", "wall_ms", rounded(r->wall_ms), "cpu_ms",
                     rounded(r->cpu_ms), "memory_peak_bytes",
                     r->memory_peak_bytes < 0 ? json_null() : json_integer(r->memory_peak_bytes),
                     "limits_by", r->limits_by);
}

/* What the approval dialog shows: present only when there is something to approve. */
static int add_preview(json_t *all, const struct cordon_result *r)
{
    return r->preview.len > 0 ? json_object_set_new(all, "code_preview", text_of(&r->preview)) : 0;
}

static int add(const char *data, size_t len, void *envelope)
{
    return buf_add(envelope, data, len, SIZE_MAX - 1);
}

static int add_text(struct buf *e, const char *text)
{
    return add(text, strlen(text), e);
}

#define HEAD_MOST 64

/* {"status": "ok", "result": <bytes>: the bytes stay where they are, but for a few to one side. */
static int place_result(struct cordon_result *r)
{
    char head[HEAD_MOST];
    struct buf *e = &r->envelope;
    (void)snprintf(head, sizeof(head),
                   "{\"status\": \"%s\", \"result\": ", cordon_status_name(r->status));
    *e = r->json;
    r->json = (struct buf){0};
    r->json_len = e->len;
    r->json_at = strlen(head);
    int rc = add_text(e, r->json_len > 0 ? "" : "null");
    size_t len = e->len;
    if (rc == 0)
        rc = add_text(e, head);
    if (rc < 0)
        return rc;
    memmove(e->data + r->json_at, e->data, len);
    memcpy(e->data, head, r->json_at);
    return 0;
}

/* Room for all of it first: what grows by and by may be there twice. */
int envelope_make(struct cordon_result *r)
{
    static const size_t flags = JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) | JSON_EMBED;
    json_t *rest = members(r);
    int rc = rest && add_preview(rest, r) == 0 ? 0 : -ENOMEM;
    if (rc == 0)
        rc = buf_reserve(&r->json, 2 * (size_t)HEAD_MOST + json_dumpb(rest, NULL, 0, flags));
    if (rc == 0)
        rc = place_result(r);
    if (rc == 0)
        rc = add_text(&r->envelope, ", ");
    if (rc == 0)
        rc = json_dump_callback(rest, add, &r->envelope, flags);
    if (rc == 0)
        rc = add_text(&r->envelope, "}");
    json_decref(rest);
    return rc < 0 ? -ENOMEM : 0;
}
