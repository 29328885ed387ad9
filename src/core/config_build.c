/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_build: see config_build.h. The order of profiles in the file does not matter:
 * each is built when one made from it needs it, and one that is needed while it is being
 * built closes a loop.
 */
#include "core/config_build.h"

#include "base/err.h"
#include "core/config_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ANOTHER "define another profile, made from strict"

static const struct {
    const char *key;
    enum unit_kind kind;
    size_t plain;
    size_t approved;
    uint64_t least;
    uint64_t most;
    int follows;
} limit_rows[] = {
#define CONFIG_X(id, key, kind, member, least, most, follows)                                      \
    {key,                                                                                          \
     kind,                                                                                         \
     offsetof(struct profile, member),                                                             \
     offsetof(struct profile, approved.member),                                                    \
     least,                                                                                        \
     most,                                                                                         \
     follows},
    CONFIG_LIMITS(CONFIG_X)
#undef CONFIG_X
};

static const struct {
    const char *path;
    size_t raw;
    size_t member;
} list_rows[] = {
#define CONFIG_X(id, path, raw, member)                                                            \
    {path, offsetof(struct raw_profile, raw), offsetof(struct profile, member)},
    CONFIG_LISTS(CONFIG_X)
#undef CONFIG_X
};

static const char *(*const list_checks[])(const char *) = {
    [LIST_ALLOW] = config_wrong_module, [LIST_PRELOAD] = config_wrong_module,
    [LIST_VIEW] = config_wrong_view,    [LIST_PATTERNS] = config_wrong_pattern,
    [LIST_KEEP] = config_wrong_kept,    [LIST_LOAD] = config_wrong_setting,
};

struct build {
    struct config_yaml *y;
    struct built_set *set;
    struct cordon_err *reterr;
};

uint64_t *config_limit(struct profile *p, enum limit_id id, int approved)
{
    size_t offset = approved ? limit_rows[id].approved : limit_rows[id].plain;
    return (uint64_t *)(void *)((char *)p + offset);
}

enum unit_kind config_limit_kind(enum limit_id id)
{
    return limit_rows[id].kind;
}

/* strict is first, and is the one whose promises a file cannot loosen. */
static int is_strict(const struct build *b, const struct built *p)
{
    return p == b->set->items;
}

/* Refuses what stands at `below` (a path within the profile). */
__attribute__((format(printf, 4, 5))) static int
refuse(const struct build *b, const struct built *p, const char *below, const char *fmt, ...)
{
    char path[CONFIG_PATH_MAX], message[400];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    (void)snprintf(path, sizeof(path), "profiles[%u]%s%s", p->index, below[0] ? "." : "", below);
    return config_refuse(b->y, b->reterr, path, "%s", message);
}

static int no_memory(const struct build *b)
{
    return err_set(b->reterr, CORDON_E_NOMEM, ENOMEM, "cannot read the configuration");
}

/* ---- lists ------------------------------------------------------------------------ */

static const char *const **list_member(struct profile *p, enum list_id id)
{
    return (const char *const **)(void *)((char *)p + list_rows[id].member);
}

static const struct raw_list *raw_list(const struct raw_profile *raw, enum list_id id)
{
    return (const struct raw_list *)(const void *)((const char *)raw + list_rows[id].raw);
}

/* Whether two entries are about the same thing: the same text, or the same NAME=. */
static int is_same(enum list_id id, const char *a, const char *b)
{
    size_t len = id == LIST_LOAD ? strcspn(a, "=") + 1 : strlen(a) + 1;
    return strncmp(a, b, len) == 0;
}

static const char **find_entry(enum list_id id, const char **list, const char *text)
{
    for (; *list; list++)
        if (is_same(id, *list, text))
            return list;
    return NULL;
}

/* Checks entry i of what the file lists. */
static int check_entry(const struct build *b, const struct built *p, enum list_id id, unsigned i)
{
    const struct raw_list *raw = raw_list(p->raw, id);
    char place[64];
    (void)snprintf(place, sizeof(place), "%s[%u]", list_rows[id].path, i);
    const char *why = list_checks[id](raw->items[i]);
    if (why)
        return refuse(b, p, place, "'%.80s' %s", raw->items[i], why);
    for (unsigned k = 0; k < i; k++)
        if (is_same(id, raw->items[k], raw->items[i]))
            return refuse(b, p, place, "'%.80s' is here a second time", raw->items[i]);
    const char **had = find_entry(id, p->lists[id], raw->items[i]);
    if (is_strict(b, p) && id != LIST_PATTERNS && (!had || strcmp(*had, raw->items[i]) != 0))
        return refuse(b, p, place, "strict cannot be given '%.80s': " ANOTHER, raw->items[i]);
    return 0;
}

/* The profile's list: a copy of its parent's (already in the member), then the file's. */
static int build_list(const struct build *b, struct built *p, enum list_id id)
{
    static const struct raw_list nothing;
    const struct raw_list *raw = p->raw ? raw_list(p->raw, id) : &nothing;
    const char *const **member = list_member(&p->profile, id);
    size_t n = 0;
    while ((*member)[n])
        n++;
    const char **list = calloc(n + raw->count + 1, sizeof(*list));
    if (!list)
        return no_memory(b);
    memcpy(list, *member, n * sizeof(*list));
    p->lists[id] = list;
    *member = list;
    for (unsigned i = 0; i < raw->count; i++) {
        int rc = check_entry(b, p, id, i);
        if (rc < 0)
            return rc;
        const char **had = find_entry(id, list, raw->items[i]);
        *(had ? had : &list[n++]) = raw->items[i];
    }
    return 0;
}

/* ---- limits ------------------------------------------------------------------------- */

static int check_limit(const struct build *b, const struct built *p, enum limit_id id,
                       const char *place, const char *text, int approved)
{
    char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
    enum unit_kind kind = limit_rows[id].kind;
    uint64_t value = 0, bound = limit_rows[id].most;
    struct profile built_in = *profile_find("strict");
    int rc = units_parse(kind, text, &value);
    if (rc == -EINVAL)
        return refuse(b, p, place, "'%.40s' is not %s", text, units_describe(kind));
    if (is_strict(b, p) && *config_limit(&built_in, id, approved) > 0)
        bound = *config_limit(&built_in, id, approved);
    units_print(kind, limit_rows[id].least, least);
    units_print(kind, bound, most);
    if (rc == -ERANGE || value > bound)
        return refuse(b, p, place, "'%.40s' is too much: %s %s%s", text,
                      is_strict(b, p) ? "strict promises at most" : "the most is", most,
                      is_strict(b, p) ? "; " ANOTHER : "");
    if (value < limit_rows[id].least)
        return refuse(b, p, place, "'%.40s' is too little to run anything: the least is %s", text,
                      least);
    return 0;
}

static int take_limits(const struct build *b, struct built *p, const struct raw_limits *raw,
                       int approved)
{
    for (enum limit_id id = 0; id < LIMIT_COUNT; id++) {
        char place[64];
        if (!raw->text[id])
            continue;
        (void)snprintf(place, sizeof(place), "%slimits.%s", approved ? "approved." : "",
                       limit_rows[id].key);
        int rc = check_limit(b, p, id, place, raw->text[id], approved);
        if (rc < 0)
            return rc;
        (void)units_parse(limit_rows[id].kind, raw->text[id],
                          config_limit(&p->profile, id, approved));
    }
    return 0;
}

/* What `limits:` said and `approved: limits:` did not: see CONFIG_LIMITS, `follows`. */
static void carry_over(struct profile *p, const struct raw_limits *said,
                       const struct raw_limits *approved)
{
    if (said->text[LIMIT_WALL] && !said->text[LIMIT_CPU])
        p->limits.cpu_ms = p->limits.wall_ms; /* one processor */
    for (enum limit_id id = 0; id < LIMIT_COUNT; id++) {
        uint64_t *to = config_limit(p, id, 1), from = *config_limit(p, id, 0);
        if (said->text[id] && !approved->text[id] && *to != 0)
            *to = limit_rows[id].follows || *to < from ? from : *to;
    }
    if ((said->text[LIMIT_WALL] || approved->text[LIMIT_WALL]) && !approved->text[LIMIT_CPU])
        p->approved.limits.cpu_ms = 0; /* all processors */
}

static int build_limits(const struct build *b, struct built *p)
{
    int rc = take_limits(b, p, &p->raw->limits, 0);
    if (rc == 0)
        rc = take_limits(b, p, &p->raw->approved.limits, 1);
    if (rc == 0)
        carry_over(&p->profile, &p->raw->limits, &p->raw->approved.limits);
    return rc;
}

/* ---- one profile ----------------------------------------------------------------------- */

static int build_choices(const struct build *b, struct built *p)
{
    const struct raw_profile *raw = p->raw;
    struct profile *to = &p->profile;
    const char *why = raw->interpreter ? config_wrong_interpreter(raw->interpreter) : NULL;
    if (why)
        return refuse(b, p, "interpreter", "'%.80s' %s", raw->interpreter, why);
    if (is_strict(b, p) && raw->network == PROFILE_NETWORK_HOST)
        return refuse(b, p, "network", "strict has no network: " ANOTHER);
    if (is_strict(b, p) && raw->gate == PROFILE_GATE_OFF)
        return refuse(b, p, "gate", "strict keeps its gate: " ANOTHER);
    if (is_strict(b, p) && raw->site == PROFILE_SITE_ON)
        return refuse(b, p, "site", "strict has the standard library only: " ANOTHER);
    to->python = raw->interpreter ? raw->interpreter : to->python;
    to->network = raw->network ? raw->network : to->network;
    to->gate = raw->gate ? raw->gate : to->gate;
    to->site = raw->site ? raw->site : to->site;
    to->level = raw->level ? raw->level : to->level;
    to->approved.files = raw->approved.files ? raw->approved.files : to->approved.files;
    to->approved.network = raw->approved.network ? raw->approved.network : to->approved.network;
    return 0;
}

static struct built *find_built(const struct built_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].profile.name, name) == 0)
            return &set->items[i];
    return NULL;
}

static int build_one(const struct build *b, struct built *p);

/* Makes *p a copy of what it is made from; its own name stays. */
static int inherit(const struct build *b, struct built *p)
{
    const char *name = p->profile.name, *from = p->raw && p->raw->from ? p->raw->from : "strict";
    struct built *parent = find_built(b->set, from);
    if (is_strict(b, p) && p->raw && p->raw->from)
        return refuse(b, p, "from", "strict is built in, it is made from no other profile");
    if (is_strict(b, p))
        return 0;
    if (!parent)
        return refuse(b, p, "from", "there is no profile '%.64s'", from);
    if (parent == p)
        return refuse(b, p, "from", "'%.64s' cannot be made from itself", from);
    if (parent->state == BUILD_BUSY)
        return refuse(b, p, "from", "a loop: '%.64s' is itself made from '%.64s'", from, name);
    int rc = build_one(b, parent);
    if (rc < 0)
        return rc;
    p->profile = parent->profile;
    p->profile.name = name;
    return 0;
}

static int build_one(const struct build *b, struct built *p)
{
    if (p->state == BUILD_DONE)
        return 0;
    p->state = BUILD_BUSY;
    int rc = inherit(b, p);
    if (rc == 0 && p->raw)
        rc = build_choices(b, p);
    if (rc == 0 && p->raw)
        rc = build_limits(b, p);
    for (enum list_id id = 0; rc == 0 && id < LIST_COUNT; id++)
        rc = build_list(b, p, id);
    p->state = BUILD_DONE;
    return rc;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Gives every profile of the file its place in the set: strict the first, which it has. */
static int place_all(const struct build *b, const struct raw_config *raw)
{
    for (unsigned i = 0; raw && i < raw->count; i++) {
        const struct raw_profile *r = &raw->profiles[i];
        struct built new = {.profile.name = r->name, .raw = r, .index = i};
        const char *why = r->name ? config_wrong_name(r->name) : NULL;
        if (!r->name)
            return refuse(b, &new, "", "this profile has no name:");
        if (why)
            return refuse(b, &new, "name", "'%.80s' %s", r->name, why);
        struct built *old = find_built(b->set, r->name);
        if (old && old->raw)
            return refuse(b, &new, "name", "there is a profile '%.64s' already", r->name);
        if (old) {
            old->raw = r;
            old->index = i;
        } else {
            b->set->items[b->set->count++] = new;
        }
    }
    return 0;
}

static int check_cgroup(const struct build *b, const struct raw_config *raw)
{
    const char *where = raw ? raw->cgroup : NULL;
    const char *why = where ? config_wrong_cgroup(where) : NULL;
    return why ? config_refuse(b->y, b->reterr, "cgroup", "'%.80s' %s", where, why) : 0;
}

int config_build(struct config_yaml *y, const struct raw_config *raw, struct built_set *ret,
                 struct cordon_err *reterr)
{
    struct built_set set = {0};
    const struct build b = {.y = y, .set = &set, .reterr = reterr};
    set.items = calloc((raw ? raw->count : 0) + 1u, sizeof(*set.items));
    if (!set.items)
        return no_memory(&b);
    set.items[0].profile = *profile_find("strict");
    set.count = 1;
    int rc = check_cgroup(&b, raw);
    if (rc == 0)
        rc = place_all(&b, raw);
    for (size_t i = 0; rc == 0 && i < set.count; i++)
        rc = build_one(&b, &set.items[i]);
    if (rc < 0) {
        config_build_done(&set);
        return rc;
    }
    *ret = set;
    return 0;
}

void config_build_done(struct built_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        for (enum list_id id = 0; id < LIST_COUNT; id++)
            free(set->items[i].lists[id]);
    free(set->items);
    *set = (struct built_set){0};
}
