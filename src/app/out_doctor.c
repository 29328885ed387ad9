/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_doctor: see out_doctor.h. Details hold paths and the kernel's words: they are shown
 * without control characters, and in JSON as valid UTF-8.
 */
#include "app/out_doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/options.h"
#include "app/out.h"
#include "app/term.h"
#include "base/utf8.h"

static void check(struct out_doctor *out, int r)
{
    if (r < 0)
        out->no_memory = 1;
}

static void put(struct out_doctor *out, struct buf *to, const char *text)
{
    check(out, buf_add(to, text, strlen(text), SIZE_MAX - 1));
}

/* The text, fit to be shown: printed, in a buffer that the caller frees. */
static struct buf safe(struct out_doctor *out, const char *text)
{
    struct term_filter one_line = {.keep = ""};
    struct buf shown = {0};

    check(out, term_add(&one_line, text, strlen(text), &shown));
    check(out, term_end(&one_line, &shown));
    put(out, &shown, "");
    return shown;
}

/* ---- for a person --------------------------------------------------------------- */

static void add_name(struct out_doctor *out, const char *name)
{
    if (out->failed.len > 0)
        put(out, &out->failed, ", ");
    put(out, &out->failed, name);
}

static void print_probe(struct out_doctor *out, const struct cordon_probe *probe)
{
    const int failed = probe->status == CORDON_PROBE_FAILED;
    struct buf detail = safe(out, probe->detail);

    printf("%-9s %-16s %s\n", failed ? "FAILED" : cordon_probe_status_name(probe->status),
           probe->name, detail.data ? detail.data : "");
    buf_done(&detail);
    if (failed)
        add_name(out, probe->name);
    if (!probe->remedy)
        return;
    put(out, &out->remedies, "  ");
    put(out, &out->remedies, probe->name);
    put(out, &out->remedies, ": ");
    put(out, &out->remedies, probe->remedy);
    put(out, &out->remedies, "\n");
}

static void print_walls(uint32_t walls)
{
    const char *between = "";

    for (size_t i = 0; i < wall_nrows; i++)
        if (walls & wall_rows[i].bit) {
            printf("%s%s", between, wall_rows[i].name);
            between = ", ";
        }
}

static void print_level(const struct out_doctor *out, enum cordon_level level)
{
    if (out->remedies.len > 0)
        printf("\nWhat to do:\n%s", out->remedies.data);
    printf("\nlevel: %s", cordon_level_name(level));
    if (level == CORDON_LEVEL_DEGRADED || level == CORDON_LEVEL_CONTAINED) {
        printf(": strict runs%s without ",
               level == CORDON_LEVEL_CONTAINED ? ", with --level contained," : "");
        print_walls(out->walls_down);
    }
    if (level == CORDON_LEVEL_NONE)
        printf(": strict cannot run here: %s", out->failed.data ? out->failed.data : "");
    printf("\n");
}

/* ---- for a program ---------------------------------------------------------------- */

static json_t *text_of(struct out_doctor *out, const char *text)
{
    struct buf shown = {0};

    check(out, utf8_append_shown(&shown, text, strlen(text), 0));
    json_t *value = json_stringn(shown.data ? shown.data : "", shown.len);
    buf_done(&shown);
    return value;
}

static void add_probe(struct out_doctor *out, const struct cordon_probe *probe)
{
    if (!out->probes)
        out->probes = json_array();
    json_t *row = json_pack("{s:s, s:s, s:s, s:o, s:s?}", "name", probe->name, "status",
                            cordon_probe_status_name(probe->status), "proves", probe->proves,
                            "detail", text_of(out, probe->detail), "remedy", probe->remedy);
    check(out, json_array_append_new(out->probes, row));
}

static void print_json(struct out_doctor *out, enum cordon_level level)
{
    json_t *walls = json_array();

    for (size_t i = 0; i < wall_nrows; i++)
        if (out->walls_down & wall_rows[i].bit)
            check(out, json_array_append_new(walls, json_string(wall_rows[i].name)));
    json_t *all = json_pack("{s:s, s:o, s:O?}", "level", cordon_level_name(level), "walls_down",
                            walls, "probes", out->probes);
    AUTO_FREE char *text = all ? json_dumps(all, JSON_PRESERVE_ORDER) : NULL;
    json_decref(all);
    if (text)
        printf("%s\n", text);
    check(out, text ? 0 : -ENOMEM);
}

/* ---- both -------------------------------------------------------------------------- */

void out_doctor_probe(void *user, const struct cordon_probe *probe)
{
    struct out_doctor *out = user;

    out->walls_down |= probe->wall;
    if (out->json)
        add_probe(out, probe);
    else
        print_probe(out, probe);
}

int out_doctor_level(struct out_doctor *out, enum cordon_level level)
{
    if (out->json)
        print_json(out, level);
    else
        print_level(out, level);
    if (out->no_memory) {
        out_complain("no memory to say all of it");
        return EXIT_INTERNAL;
    }
    return out_flush();
}

void out_doctor_done(struct out_doctor *out)
{
    buf_done(&out->remedies);
    buf_done(&out->failed);
    json_decref(out->probes);
}
