/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request: see http_request.h. split.h finds the members, the tables below say who
 * reads which, jansson reads the small ones. Types are told by the first character, before
 * anything is parsed: what has the wrong one never becomes a tree.
 */
#include "app/http_request.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/split.h"
#include "base/io.h"

#define CODE_SLICE_MAX (6 * LIBRARY_CODE_MAX) /* every byte of it an escape */

struct parse {
    struct http_request *out;
    struct http_problem *problem;
    const char *body;
};

struct member {
    const char *name;
    int (*take)(struct parse *p, const char *field, struct slice value);
};

/* ---- refusals -------------------------------------------------------------------- */

/* What the first character of a value says that it is. */
static const char *kind_of(char c)
{
    switch (c) {
    case '{':
        return "an object";
    case '[':
        return "a list";
    case '"':
        return "a string";
    case 't':
    case 'f':
        return "true or false";
    case 'n':
        return "null";
    default:
        return (c >= '0' && c <= '9') || c == '-' ? "a number" : "something else";
    }
}

static int check_kind(struct parse *p, const char *field, struct slice value, char first)
{
    if (value.data[0] == first)
        return 0;
    return http_problem_set(p->problem, HTTP_BAD_TYPE, field, "%s is wanted here, not %s",
                            kind_of(first), kind_of(value.data[0]));
}

static int refuse_split(struct parse *p, const char *field, const struct split *s)
{
    return http_problem_set(p->problem, HTTP_BAD_JSON, field, "at byte %zu of the body: %s",
                            (size_t)(s->text - p->body) + s->at, s->why);
}

/* ---- small members ------------------------------------------------------------------- */

/* The value as jansson reads it; NULL: refused. */
static json_t *load(struct parse *p, const char *field, struct slice value, size_t max,
                    size_t flags)
{
    json_error_t why;
    if (value.len > max) {
        (void)http_problem_set(p->problem, HTTP_BAD_VALUE, field,
                               "%zu bytes are more than it may have (%zu)", value.len, max);
        return NULL;
    }
    const char *nul = memchr(value.data, '\0', value.len);
    if (nul) { /* jansson overlooks one after a number */
        (void)http_problem_set(p->problem, HTTP_BAD_JSON, field, "at byte %zu of the body: a NUL",
                               (size_t)(nul - p->body));
        return NULL;
    }
    json_t *loaded = json_loadb(value.data, value.len, flags | JSON_DECODE_ANY, &why);
    if (!loaded)
        (void)http_problem_set(p->problem,
                               json_error_code(&why) == json_error_duplicate_key
                                   ? HTTP_DUPLICATE_FIELD
                                   : HTTP_BAD_JSON,
                               field, "at byte %zu of the body: %s",
                               (size_t)(value.data - p->body) + (size_t)why.position, why.text);
    return loaded;
}

static int take_text(struct parse *p, const char *field, struct slice value, size_t max,
                     size_t flags, json_t **ret)
{
    if (check_kind(p, field, value, '"') < 0)
        return -1;
    *ret = load(p, field, value, max, flags);
    return *ret ? 0 : -1;
}

static json_t *load_object(struct parse *p, const char *field, struct slice value)
{
    if (check_kind(p, field, value, '{') < 0)
        return NULL;
    return load(p, field, value, HTTP_SMALL_MAX, JSON_REJECT_DUPLICATES);
}

/* ---- one function per member ---------------------------------------------------------- */

static int take_code(struct parse *p, const char *field, struct slice value)
{
    /* A NUL in it is the library's to refuse. */
    return take_text(p, field, value, CODE_SLICE_MAX, JSON_ALLOW_NUL, &p->out->code);
}

static int take_input(struct parse *p, const char *field, struct slice value)
{
    p->out->run.input = value.data;
    p->out->run.input_len = value.len;
    return check_kind(p, field, value, '{');
}

static int take_approved(struct parse *p, const char *field, struct slice value)
{
    p->out->run.approved = value.len == 4 && memcmp(value.data, "true", 4) == 0;
    if (p->out->run.approved || (value.len == 5 && memcmp(value.data, "false", 5) == 0))
        return 0;
    return http_problem_set(p->problem, HTTP_BAD_TYPE, field,
                            "true or false is wanted here, not %s", kind_of(value.data[0]));
}

static int take_profile(struct parse *p, const char *field, struct slice value)
{
    int rc = take_text(p, field, value, HTTP_SMALL_MAX, 0, &p->out->profile);
    p->out->run.profile = json_string_value(p->out->profile);
    return rc;
}

static int take_nonfinite(struct parse *p, const char *field, struct slice value)
{
    static const char *const words[] = {
        [CORDON_NONFINITE_NULL] = "\"null\"", [CORDON_NONFINITE_LITERAL] = "\"literal\""};
    if (check_kind(p, field, value, '"') < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (value.len == strlen(words[i]) && memcmp(value.data, words[i], value.len) == 0) {
            p->out->run.nonfinite = (int)i;
            return 0;
        }
    return http_problem_set(p->problem, HTTP_BAD_VALUE, field,
                            "it is neither \"null\" nor \"literal\"");
}

/* ---- limits ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    size_t offset;
} limit_rows[] = {
    {"wall_ms", offsetof(struct cordon_limits, wall_ms)},
    {"cpu_ms", offsetof(struct cordon_limits, cpu_ms)},
    {"memory_bytes", offsetof(struct cordon_limits, memory_bytes)},
    {"tasks", offsetof(struct cordon_limits, tasks)},
    {"open_files", offsetof(struct cordon_limits, open_files)},
    {"disk_bytes", offsetof(struct cordon_limits, disk_bytes)},
    {"disk_files", offsetof(struct cordon_limits, disk_files)},
    {"stdout_bytes", offsetof(struct cordon_limits, stdout_bytes)},
    {"stderr_bytes", offsetof(struct cordon_limits, stderr_bytes)},
    {"result_bytes", offsetof(struct cordon_limits, result_bytes)},
};

static int take_limit(struct parse *p, const char *name, const json_t *value)
{
    char field[sizeof(p->problem->field)];
    (void)snprintf(field, sizeof(field), "limits.%s", name);
    for (size_t i = 0; i < ARRAY_LEN(limit_rows); i++) {
        if (strcmp(limit_rows[i].name, name) != 0)
            continue;
        if (!json_is_integer(value))
            return http_problem_set(p->problem, HTTP_BAD_TYPE, field, "a whole number is wanted");
        if (json_integer_value(value) < 1)
            return http_problem_set(p->problem, HTTP_BAD_VALUE, field, "it leaves nothing");
        *(uint64_t *)((char *)&p->out->run.limits + limit_rows[i].offset) =
            (uint64_t)json_integer_value(value);
        return 0;
    }
    return http_problem_set(p->problem, HTTP_UNKNOWN_FIELD, field, "there is no such limit");
}

static int take_limits(struct parse *p, const char *field, struct slice value)
{
    json_t *limits = load_object(p, field, value);
    const char *name;
    json_t *limit;
    int rc = limits ? 0 : -1;
    json_object_foreach(limits, name, limit)
    {
        rc = take_limit(p, name, limit);
        if (rc < 0)
            break;
    }
    json_decref(limits);
    return rc;
}

/* ---- environ ------------------------------------------------------------------------------ */

static char *join(const char *name, const char *value)
{
    char *entry;
    return asprintf(&entry, "%s=%s", name, value) < 0 ? NULL : entry;
}

static int take_variable(struct parse *p, const char *name, const json_t *value, char **ret)
{
    char field[sizeof(p->problem->field)];
    (void)snprintf(field, sizeof(field), "environ.%s", name);
    if (!json_is_string(value))
        return http_problem_set(p->problem, HTTP_BAD_TYPE, field, "a string is wanted here");
    if (!name[0] || strchr(name, '='))
        return http_problem_set(p->problem, HTTP_BAD_VALUE, field,
                                "this cannot be the name of a variable");
    *ret = join(name, json_string_value(value));
    if (!*ret)
        return http_problem_set(p->problem, HTTP_INTERNAL, field, "there is no memory for it");
    return 0;
}

static int take_environ(struct parse *p, const char *field, struct slice value)
{
    json_t *all = load_object(p, field, value);
    const char *name;
    json_t *text;
    size_t n = 0;
    if (!all)
        return -1;
    int rc = 0;
    p->out->environ = calloc(json_object_size(all) + 1, sizeof(char *));
    if (!p->out->environ)
        rc = http_problem_set(p->problem, HTTP_INTERNAL, field, "there is no memory for it");
    else
        json_object_foreach(all, name, text)
        {
            rc = take_variable(p, name, text, &p->out->environ[n++]);
            if (rc < 0)
                break;
        }
    json_decref(all);
    p->out->run.environ = (const char *const *)p->out->environ;
    return rc;
}

/* ---- all members of an object ---------------------------------------------------------------- */

/* path: the object's own name in errors, NULL: it is the body. */
static void name_member(char *ret, size_t size, const char *path, const char *name)
{
    (void)snprintf(ret, size, "%s%s%s", path ? path : "", path ? "." : "", name);
}

static int unknown_member(struct parse *p, const struct member *members, const char *field)
{
    char known[256] = "";
    for (const struct member *m = members; m->name; m++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", m->name);
    }
    return http_problem_set(p->problem, HTTP_UNKNOWN_FIELD, field,
                            "there is no such field here; there are: %s", known);
}

/* seen: one bit per member. */
static int take_member(struct parse *p, const struct member *members, const char *path,
                       struct slice key, struct slice value, unsigned *seen)
{
    char field[sizeof(p->problem->field)];
    json_t *name = load(p, path, key, HTTP_SMALL_MAX, 0);
    if (!name)
        return -1;
    name_member(field, sizeof(field), path, json_string_value(name));
    const struct member *m = members;
    while (m->name && strcmp(m->name, json_string_value(name)) != 0)
        m++;
    unsigned bit = 1u << (m - members);
    int rc;
    if (!m->name)
        rc = unknown_member(p, members, field);
    else if (*seen & bit)
        rc = http_problem_set(p->problem, HTTP_DUPLICATE_FIELD, field, "it is here a second time");
    else
        rc = m->take(p, field, value);
    *seen |= bit;
    json_decref(name);
    return rc;
}

static int take_object(struct parse *p, const struct member *members, const char *path,
                       struct slice text)
{
    struct split s;
    struct slice key, value;
    unsigned seen = 0;
    int more = split_open(&s, text.data, text.len, '{') < 0 ? -1 : 1;
    while (more > 0 && (more = split_next(&s, &key, &value)) > 0)
        if (take_member(p, members, path, key, value, &seen) < 0)
            return -1;
    return more < 0 ? refuse_split(p, path, &s) : 0;
}

/* ---- files -------------------------------------------------------------------------------------- */

static struct http_file *last_file(struct parse *p)
{
    return &p->out->files[p->out->file_count - 1];
}

static int take_file_name(struct parse *p, const char *field, struct slice value)
{
    return take_text(p, field, value, HTTP_SMALL_MAX, 0, &last_file(p)->name);
}

static int take_file_code(struct parse *p, const char *field, struct slice value)
{
    return take_text(p, field, value, CODE_SLICE_MAX, JSON_ALLOW_NUL, &last_file(p)->code);
}

static const struct member file_members[] = {
    {"name", take_file_name},
    {"code", take_file_code},
    {NULL, NULL},
};

static int add_file(struct parse *p)
{
    size_t count = p->out->file_count;
    if (count == HTTP_FILES_MAX)
        return http_problem_set(p->problem, HTTP_BAD_VALUE, "files",
                                "there are more than %d of them", HTTP_FILES_MAX);
    if ((count & (count - 1)) == 0) { /* a power of two is full */
        struct http_file *grown =
            realloc(p->out->files, (count ? 2 * count : 1) * sizeof(*p->out->files));
        if (!grown)
            return http_problem_set(p->problem, HTTP_INTERNAL, "files", "there is no memory");
        p->out->files = grown;
    }
    p->out->files[p->out->file_count++] = (struct http_file){0};
    return 0;
}

static int take_file(struct parse *p, struct slice value)
{
    char path[32], field[48];
    (void)snprintf(path, sizeof(path), "files[%zu]", p->out->file_count);
    if (check_kind(p, path, value, '{') < 0 || add_file(p) < 0 ||
        take_object(p, file_members, path, value) < 0)
        return -1;
    if (last_file(p)->code)
        return 0;
    name_member(field, sizeof(field), path, "code");
    return http_problem_set(p->problem, HTTP_MISSING_FIELD, field, "it is missing");
}

static int take_files(struct parse *p, const char *field, struct slice value)
{
    struct split s;
    struct slice key, file;
    p->out->has_files = 1;
    if (check_kind(p, field, value, '[') < 0)
        return -1;
    int more = split_open(&s, value.data, value.len, '[') < 0 ? -1 : 1;
    while (more > 0 && (more = split_next(&s, &key, &file)) > 0)
        if (take_file(p, file) < 0)
            return -1;
    return more < 0 ? refuse_split(p, field, &s) : 0;
}

/* ---- the bodies ---------------------------------------------------------------------------------- */

static const struct member execute_members[] = {
    {"code", take_code},           {"input_data", take_input},
    {"approved", take_approved},   {"profile", take_profile},
    {"limits", take_limits},       {"environ", take_environ},
    {"nonfinite", take_nonfinite}, {NULL, NULL},
};

static const struct member check_members[] = {
    {"code", take_code},
    {"files", take_files},
    {"profile", take_profile},
    {NULL, NULL},
};

static int check_execute(struct parse *p)
{
    const struct http_request *r = p->out;
    if (!r->code)
        return http_problem_set(p->problem, HTTP_MISSING_FIELD, "code", "it is missing");
    if (r->environ && !r->run.approved)
        return http_problem_set(p->problem, HTTP_BAD_VALUE, "environ",
                                "only an approved run has an environment of the caller's");
    return 0;
}

static int check_check(struct parse *p)
{
    const struct http_request *r = p->out;
    if (r->code && r->has_files)
        return http_problem_set(p->problem, HTTP_BAD_VALUE, "files",
                                "either code or files, not both");
    if (!r->code && !r->has_files)
        return http_problem_set(p->problem, HTTP_MISSING_FIELD, "code", "it is missing");
    return 0;
}

static int take_body(const char *body, size_t len, const struct member *members,
                     int (*check)(struct parse *p), struct http_request *ret,
                     struct http_problem *ret_problem)
{
    struct parse p = {.out = ret, .problem = ret_problem, .body = body};
    *ret = (struct http_request){.run.size = sizeof(ret->run),
                                 .run.limits.size = sizeof(ret->run.limits)};
    int rc = take_object(&p, members, NULL, (struct slice){body, len});
    if (rc == 0)
        rc = check(&p);
    if (rc < 0) {
        http_request_done(ret);
        return rc;
    }
    ret->run.code = ret->code ? json_string_value(ret->code) : "";
    ret->run.code_len = ret->code ? json_string_length(ret->code) : 0;
    return 0;
}

int http_request_execute(const char *body, size_t len, struct http_request *ret,
                         struct http_problem *ret_problem)
{
    return take_body(body, len, execute_members, check_execute, ret, ret_problem);
}

int http_request_check(const char *body, size_t len, struct http_request *ret,
                       struct http_problem *ret_problem)
{
    int rc = take_body(body, len, check_members, check_check, ret, ret_problem);
    if (rc == 0)
        ret->run.check_only = 1;
    return rc;
}

void http_request_done(struct http_request *request)
{
    json_decref(request->code);
    json_decref(request->profile);
    for (char **e = request->environ; e && *e; e++)
        free(*e);
    free(request->environ);
    for (size_t i = 0; i < request->file_count; i++) {
        json_decref(request->files[i].name);
        json_decref(request->files[i].code);
    }
    free(request->files);
    *request = (struct http_request){0};
}
