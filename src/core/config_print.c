/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_print: a profile as the file that would make it: the schema run the other way,
 * so that what is printed cannot be something that is not read.
 */
#include "core/config.h"
#include "core/config_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The texts of all limits, for as long as they are printed. */
struct limit_texts {
    char text[2][LIMIT_COUNT][UNITS_TEXT_MAX];
};

static struct raw_limits limits_of(struct profile *p, int approved, struct limit_texts *texts)
{
    struct raw_limits raw = {0};
    for (enum limit_id id = 0; id < LIMIT_COUNT; id++) {
        uint64_t value = *config_limit(p, id, approved);
        char *text = texts->text[approved][id];
        units_print(config_limit_kind(id), value, text);
        raw.text[id] = value > 0 ? text : NULL; /* an approved run's cpu: up to the machine */
    }
    return raw;
}

static struct raw_list list_of(const char *const *items)
{
    unsigned n = 0;
    while (items[n])
        n++;
    return (struct raw_list){.items = n > 0 ? items : NULL, .count = n};
}

static struct raw_profile raw_of(const struct profile *profile, struct limit_texts *texts)
{
    struct profile p = *profile;
    struct raw_profile raw = {
        .name = p.name,
        .from = strcmp(p.name, "strict") == 0 ? NULL : "strict",
        .interpreter = p.python,
        .preload = list_of(p.load),
        .allow = list_of(p.allow),
        .environ = {.patterns = list_of(p.credentials.patterns),
                    .keep = list_of(p.credentials.keep),
                    .load = list_of(p.load_environ)},
        .limits = limits_of(&p, 0, texts),
        .view = list_of(p.view),
        .network = p.network,
        .gate = p.gate,
        .site = p.site,
        .level = p.level,
        .approved = {.files = p.approved.files,
                     .network = p.approved.network,
                     .limits = limits_of(&p, 1, texts)},
    };
    return raw;
}

static int add(struct buf *out, const char *text)
{
    return buf_add(out, text, strlen(text), SIZE_MAX);
}

static int add_comment(struct buf *out, const char *what, const char *const *items)
{
    int rc = add(out, what);
    for (; rc == 0 && *items; items++) {
        rc = add(out, " ");
        if (rc == 0)
            rc = add(out, *items);
    }
    return rc == 0 ? add(out, "\n") : rc;
}

int config_print(const struct profile *profile, struct buf *out)
{
    struct limit_texts texts;
    struct raw_profile raw = raw_of(profile, &texts);
    const struct raw_config config = {.profiles = &raw, .count = 1};
    int rc = add(out, "# The same in every profile:\n");
    if (rc == 0)
        rc = add_comment(out, "#   names that do not exist:", profile->hide_builtins);
    if (rc == 0)
        rc = add_comment(out, "#   environment:", profile->environ);
    if (rc == 0)
        rc = add_comment(out, "#   devices:", profile->devices);
    return rc == 0 ? config_schema_save(&config, out) : rc;
}
