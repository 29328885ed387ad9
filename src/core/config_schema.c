/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_schema: see config_schema.h. The schema is data; below it, libcyaml's log is
 * turned into one refusal. libcyaml logs what was wrong and then, from the inside out,
 * the keys and entries that lead to it: with these names (not with its line numbers,
 * which are those of the last value it liked) the place is looked up.
 */
#include "core/config_schema.h"

#include "base/err.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the schema ---------------------------------------------------------------- */

#define OPTIONAL CYAML_FLAG_OPTIONAL
#define FLOW CYAML_FLAG_FLOW

static const cyaml_schema_value_t text_value = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

#define TEXT(key, type, member)                                                                    \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | OPTIONAL, type, member, 0, CYAML_UNLIMITED)
#define LIST(key, type, member)                                                                    \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | OPTIONAL | FLOW, type, member.items,      \
                               member.count, &text_value, 0, CONFIG_ITEMS_MAX)
#define CHOICE(key, type, member, words)                                                           \
    CYAML_FIELD_ENUM(key, OPTIONAL | CYAML_FLAG_STRICT, type, member, words, ARRAY_LEN(words))
#define SECTION(key, type, member, fields) CYAML_FIELD_MAPPING(key, OPTIONAL, type, member, fields)

static const cyaml_strval_t network_words[] = {
    {"none", PROFILE_NETWORK_NONE},
    {"host", PROFILE_NETWORK_HOST},
};
static const cyaml_strval_t gate_words[] = {{"on", PROFILE_GATE_ON}, {"off", PROFILE_GATE_OFF}};
static const cyaml_strval_t site_words[] = {{"on", PROFILE_SITE_ON}, {"off", PROFILE_SITE_OFF}};
static const cyaml_strval_t level_words[] = {
    {"full", PROFILE_LEVEL_FULL},
    {"contained", PROFILE_LEVEL_CONTAINED},
};
static const cyaml_strval_t files_words[] = {
    {"host", PROFILE_FILES_HOST},
    {"none", PROFILE_FILES_NONE},
};

static const cyaml_schema_field_t limits_fields[] = {
#define CONFIG_X(id, key, kind, member, least, most, follows)                                      \
    TEXT(key, struct raw_limits, text[LIMIT_##id]),
    CONFIG_LIMITS(CONFIG_X)
#undef CONFIG_X
        CYAML_FIELD_END,
};

static const cyaml_schema_field_t environ_fields[] = {
    LIST("patterns", struct raw_environ, patterns),
    LIST("keep", struct raw_environ, keep),
    LIST("load", struct raw_environ, load),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t approved_fields[] = {
    CHOICE("files", struct raw_approved, files, files_words),
    CHOICE("network", struct raw_approved, network, network_words),
    SECTION("limits", struct raw_approved, limits, limits_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t profile_fields[] = {
    TEXT("name", struct raw_profile, name),
    TEXT("from", struct raw_profile, from),
    TEXT("interpreter", struct raw_profile, interpreter),
    CHOICE("site", struct raw_profile, site, site_words),
    LIST("preload", struct raw_profile, preload),
    LIST("allow", struct raw_profile, allow),
    SECTION("environ", struct raw_profile, environ, environ_fields),
    SECTION("limits", struct raw_profile, limits, limits_fields),
    LIST("view", struct raw_profile, view),
    CHOICE("network", struct raw_profile, network, network_words),
    CHOICE("gate", struct raw_profile, gate, gate_words),
    CHOICE("level", struct raw_profile, level, level_words),
    SECTION("approved", struct raw_profile, approved, approved_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t profile_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_profile, profile_fields),
};

static const cyaml_schema_field_t config_fields[] = {
    TEXT("cgroup", struct raw_config, cgroup),
    CYAML_FIELD_SEQUENCE_COUNT("profiles", CYAML_FLAG_POINTER | OPTIONAL, struct raw_config,
                               profiles, count, &profile_value, 0, CONFIG_PROFILES_MAX),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t config_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_config, config_fields),
};

/* ---- what libcyaml says when it refuses ------------------------------------------- */

struct complaint {
    char path[CONFIG_PATH_MAX]; /* where, built from the inside out */
    char key[256];              /* a key that is unknown or repeated */
    unsigned steps;             /* of the path */
    unsigned long entries;      /* begun in the list that the path ends in */
};

/* Puts one step before the path: ".key" or "[index]". */
static void prepend(struct complaint *c, const char *step)
{
    char path[CONFIG_PATH_MAX];
    if (snprintf(path, sizeof(path), "%s%s", step, c->path) < (int)sizeof(path))
        memcpy(c->path, path, sizeof(path));
    c->steps++;
}

/* Whether text begins with `before`; copies what follows, up to the last `end`. */
static int take(const char *text, const char *before, char end, char *value, size_t size)
{
    size_t skip = strlen(before);
    if (strncmp(text, before, skip) != 0)
        return 0;
    (void)snprintf(value, size, "%.*s", (int)size - 1, text + skip);
    char *last = strrchr(value, end);
    if (last)
        *last = '\0';
    return 1;
}

__attribute__((format(printf, 3, 0))) static void note(cyaml_log_t level, void *ctx,
                                                       const char *fmt, va_list ap)
{
    struct complaint *c = ctx;
    char text[320], word[160], step[176];
    (void)level;
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    if (take(text, "Load: Unexpected key: ", '\n', c->key, sizeof(c->key)) ||
        take(text, "Load: Mapping field already seen: ", '\n', c->key, sizeof(c->key)))
        return;
    if (take(text, "  in mapping field '", '\'', word, sizeof(word))) {
        (void)snprintf(step, sizeof(step), ".%s", word);
        prepend(c, step);
    } else if (take(text, "  in sequence entry '", '\'', word, sizeof(word))) {
        unsigned long count = strtoul(word, NULL, 10); /* of entries begun */
        if (c->steps == 0)
            c->entries = count;
        (void)snprintf(step, sizeof(step), "[%lu]", count > 0 ? count - 1 : 0);
        prepend(c, step);
    }
}

/* The schema of the value at the path, or NULL. */
static const cyaml_schema_value_t *schema_at(const char *path)
{
    const cyaml_schema_value_t *value = &config_value;
    while (*path) {
        size_t len = strcspn(path + 1, ".[") + 1;
        const cyaml_schema_field_t *field =
            value->type == CYAML_MAPPING ? value->mapping.fields : NULL;
        if (*path == '[' && value->type == CYAML_SEQUENCE) {
            value = value->sequence.entry;
        } else {
            while (field && field->key &&
                   (strlen(field->key) != len - 1 || memcmp(field->key, path + 1, len - 1) != 0))
                field++;
            if (!field || !field->key)
                return NULL;
            value = &field->value;
        }
        path += len;
    }
    return value;
}

/* "a list", "none or host" */
static void describe_wanted(const char *path, char *ret, size_t size)
{
    const cyaml_schema_value_t *value = schema_at(path);
    const char *type = !value                          ? "something else"
                       : value->type == CYAML_MAPPING  ? "a mapping (lines of key: value)"
                       : value->type == CYAML_SEQUENCE ? "a list"
                       : value->type == CYAML_ENUM     ? ""
                                                       : "a text";
    (void)snprintf(ret, size, "%s", type);
    for (uint32_t i = 0; value && value->type == CYAML_ENUM && i < value->enumeration.count; i++) {
        size_t used = strlen(ret);
        (void)snprintf(ret + used, size - used, "%s%s", i > 0 ? " or " : "",
                       value->enumeration.strings[i].str);
    }
}

static int refuse(struct config_yaml *y, cyaml_err_t why, const struct complaint *c,
                  struct cordon_err *reterr)
{
    const char *path = c->path;
    char text[80], found[80], outer[CONFIG_PATH_MAX], entry[CONFIG_PATH_MAX + 24];
    switch ((int)why) {
    case CYAML_ERR_OOM:
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot read '%s'", y->file);
    case CYAML_ERR_INVALID_KEY:
        return config_refuse_key(y, reterr, path, c->key, 0, "there is no key '%s' here", c->key);
    case CYAML_ERR_INVALID_VALUE: /* a wrong type, or none of a choice's words */
        describe_wanted(path, text, sizeof(text));
        config_yaml_describe(y, path, found, sizeof(found));
        return config_refuse(y, reterr, path, "%s is wanted here, not %s", text, found);
    case CYAML_ERR_SEQUENCE_ENTRIES_MAX:
        (void)take(path, "", '[', outer, sizeof(outer));
        (void)snprintf(entry, sizeof(entry), "%s[%lu]", outer, c->entries);
        return config_refuse(y, reterr, entry, "this list is too long: it may have %lu entries",
                             c->entries);
    case CYAML_ERR_UNEXPECTED_EVENT:
        (void)take(path, "", '.', outer, sizeof(outer));
        return config_refuse_key(y, reterr, outer, c->key, 1, "'%s' is here a second time", c->key);
    default:
        return config_refuse(y, reterr, path, "libcyaml refuses this: %s", cyaml_strerror(why));
    }
}

/* ---- reading and writing ------------------------------------------------------------ */

static cyaml_config_t settings(struct complaint *c)
{
    return (cyaml_config_t){
        .log_fn = c ? note : NULL,
        .log_ctx = c,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_NO_ALIAS | CYAML_CFG_STYLE_BLOCK,
    };
}

int config_schema_load(struct config_yaml *y, const char *text, size_t len, struct raw_config **ret,
                       struct cordon_err *reterr)
{
    struct complaint c = {0};
    const cyaml_config_t cfg = settings(&c);
    cyaml_data_t *raw = NULL;
    cyaml_err_t why = cyaml_load_data((const uint8_t *)text, len, &cfg, &config_value, &raw, NULL);
    if (why != CYAML_OK)
        return refuse(y, why, &c, reterr);
    *ret = raw;
    return 0;
}

void config_schema_free(struct raw_config *raw)
{
    const cyaml_config_t cfg = settings(NULL);
    if (raw)
        (void)cyaml_free(&cfg, &config_value, raw, 0);
}

int config_schema_save(const struct raw_config *raw, struct buf *out)
{
    const cyaml_config_t cfg = settings(NULL);
    char *text = NULL;
    size_t len = 0;
    if (cyaml_save_data(&text, &len, &cfg, &config_value, raw, 0) != CYAML_OK)
        return -ENOMEM; /* what we made ourselves is well-formed */
    int rc = buf_add(out, text, len, SIZE_MAX);
    free(text);
    return rc;
}
