/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_gate: see out_gate.h. Messages hold names out of the code, and file names anything:
 * both are shown through cells.h, so that a line is a line and says what is there.
 */
#include "app/out_gate.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/cells.h"
#include "app/excerpt.h"
#include "app/term.h"
#include "base/utf8.h"

/* ---- looking at them -------------------------------------------------------------- */

static int warning_at(const struct cordon_result *result, size_t i, struct cordon_warning *ret)
{
    *ret = (struct cordon_warning){.size = sizeof(*ret)};
    return cordon_result_warning(result, i, ret);
}

size_t out_gate_count(const struct cordon_result *result)
{
    struct cordon_warning w;
    size_t n = 0;
    while (warning_at(result, n, &w))
        n++;
    return n;
}

/* Python would refuse it too. */
static int is_no_python(const char *rule)
{
    return strcmp(rule, "syntax") == 0 || strcmp(rule, "null-byte") == 0 ||
           strcmp(rule, "lone-surrogate") == 0;
}

int out_gate_only_syntax(const struct cordon_result *result)
{
    struct cordon_warning w;
    size_t n = 0;
    for (; warning_at(result, n, &w); n++)
        if (!is_no_python(w.rule))
            return 0;
    return n > 0;
}

/* ---- for a person ------------------------------------------------------------------- */

static int add(struct buf *to, const char *text)
{
    return buf_add(to, text, strlen(text), SIZE_MAX);
}

static int add_style(struct buf *to, const struct gate_style *style, const char *sequence)
{
    return style->colours ? add(to, sequence) : 0;
}

static int add_place(struct buf *to, const struct gate_style *style, const char *name,
                     const struct cordon_warning *w)
{
    char place[64];
    snprintf(place, sizeof(place), ":%u:%u:", w->line, w->column);
    int r = add_style(to, style, TERM_BOLD);
    if (r == 0)
        r = cells_add(to, name, strlen(name));
    if (r == 0)
        r = add(to, place);
    if (r == 0)
        r = add_style(to, style, TERM_RESET);
    return r < 0 ? r : add(to, " ");
}

static int add_reason(struct buf *to, const struct cordon_warning *w)
{
    char times[32] = "]\n";
    if (w->count > 1)
        snprintf(times, sizeof(times), "] ×%u\n", w->count);
    int r = cells_add(to, w->message, strlen(w->message));
    if (r == 0)
        r = add(to, " [");
    if (r == 0)
        r = cells_add(to, w->rule, strlen(w->rule));
    return r < 0 ? r : add(to, times);
}

static int add_warning(struct buf *to, const struct gate_style *style, const struct out_run *run,
                       const struct cordon_warning *w)
{
    const struct excerpt from = {run->code, run->code_len, style->columns, style->colours};
    const struct excerpt_part part = {.line = w->line,
                                      .column = w->column ? w->column : 1,
                                      .end = w->end_line == w->line ? w->end_column : 0};
    int r = add_place(to, style, run->name, w);
    if (r == 0)
        r = add_reason(to, w);
    return r < 0 ? r : excerpt_add(to, &from, &part);
}

int out_gate_warnings(struct buf *to, const struct gate_style *style, const struct out_run *run,
                      const struct cordon_result *result)
{
    struct cordon_warning w;
    for (size_t i = 0; warning_at(result, i, &w); i++) {
        int r = add_warning(to, style, run, &w);
        if (r < 0)
            return r;
    }
    return 0;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void out_gate_tally(const struct gate_tally *t)
{
    size_t checked = t->files - t->unchecked;
    if (t->warnings)
        fprintf(stderr, "%zu warning%s in %zu of %zu file%s", t->warnings, plural(t->warnings),
                t->warned, t->files, plural(t->files));
    else if (checked)
        fprintf(stderr, "no warnings");
    else
        fprintf(stderr, "nothing was checked");
    if (t->unchecked && checked)
        fprintf(stderr, "; %zu of %zu files could not be checked", t->unchecked, t->files);
    fprintf(stderr, "\n");
}

/* ---- for a program -------------------------------------------------------------------- */

static json_t *text_of(const char *text)
{
    struct buf shown = {0};
    if (!text)
        return json_null();
    int r = utf8_append_shown(&shown, text, strlen(text), 0);
    json_t *value = r < 0 ? NULL : json_stringn(shown.data ? shown.data : "", shown.len);
    buf_done(&shown);
    return value;
}

static json_t *refused_row(const char *file, const char *why)
{
    return json_pack("{s:o, s:s, s:n, s:{s:s, s:o}}", "file", text_of(file), "status", "unreadable",
                     "warnings", "error", "kind", "file", "message", text_of(why));
}

/* The envelope of a check, less what only a run has. */
static json_t *checked_row(const char *file, const struct cordon_result *result)
{
    size_t len = 0;
    const char *text = cordon_result_envelope(result, &len);
    json_t *all = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
    json_t *row = json_pack(
        "{s:o, s:O, s:O, s:O, s:O}", "file", text_of(file), "status",
        json_object_get(all, "status"), "warnings", json_object_get(all, "warnings"), "error",
        json_object_get(all, "error"), "code_sha256", json_object_get(all, "code_sha256"));
    json_decref(all);
    return row;
}

int out_gate_json(struct buf *to, const char *file, const struct cordon_result *result,
                  const char *why)
{
    json_t *row = result ? checked_row(file, result) : refused_row(file, why);
    AUTO_FREE char *text = row ? json_dumps(row, JSON_PRESERVE_ORDER) : NULL;
    json_decref(row);
    return text ? add(to, text) : -ENOMEM;
}
