/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_yaml: see config_yaml.h. Lines and columns count from 1, columns in characters,
 * as editors do.
 */
#include "core/config_yaml.h"

#include "base/err.h"
#include "base/io.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 32   /* of lists and mappings in each other: libyaml's time is quadratic in it */
#define FILE_SHOWN 160 /* bytes of the file's name in a message: its end says more */

/* ---- saying where ------------------------------------------------------------ */

/* The text with control characters and broken UTF-8 made visible: files are not trusted
   with the reader's terminal. */
static void make_safe(char *text, size_t size)
{
    struct buf shown = {0};
    if (utf8_append_shown(&shown, text, strlen(text), 0) == 0 && shown.data)
        (void)snprintf(text, size, "%s", shown.data);
    buf_done(&shown);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

static int report(const char *file, size_t line, size_t column, const char *message,
                  struct cordon_err *reterr)
{
    char safe[512];
    size_t len = strlen(file);
    const char *cut = len > FILE_SHOWN ? "..." : "";
    (void)snprintf(safe, sizeof(safe), "%s%s:%zu:%zu: %s", cut,
                   len > FILE_SHOWN ? file + len - FILE_SHOWN : file, line, column, message);
    make_safe(safe, sizeof(safe));
    (void)err_set(reterr, CORDON_E_ARG, 0, "%s", safe);
    err_step(reterr, "config");
    return CORDON_E_ARG;
}

static int report_mark(const char *file, yaml_mark_t mark, const char *message,
                       struct cordon_err *reterr)
{
    return report(file, mark.line + 1, mark.column + 1, message, reterr);
}

/* ---- paths --------------------------------------------------------------------- */

/* The nth pair of the mapping with that key, or NULL. */
static yaml_node_pair_t *find_pair(yaml_document_t *doc, yaml_node_t *map, const char *key,
                                   size_t len, unsigned nth)
{
    yaml_node_pair_t *pair = map->data.mapping.pairs.start;
    for (; pair < map->data.mapping.pairs.top; pair++) {
        yaml_node_t *node = yaml_document_get_node(doc, pair->key);
        if (node->type == YAML_SCALAR_NODE && node->data.scalar.length == len &&
            memcmp(node->data.scalar.value, key, len) == 0 && nth-- == 0)
            return pair;
    }
    return NULL;
}

/* The node one step of the path further, or NULL; moves *path past the step. */
static yaml_node_t *take_step(yaml_document_t *doc, yaml_node_t *node, const char **path)
{
    if (**path == '[') {
        char *end = NULL;
        unsigned long index = strtoul(*path + 1, &end, 10);
        *path = *end == ']' ? end + 1 : end;
        if (node->type != YAML_SEQUENCE_NODE ||
            index >= (size_t)(node->data.sequence.items.top - node->data.sequence.items.start))
            return NULL;
        return yaml_document_get_node(doc, node->data.sequence.items.start[index]);
    }
    if (**path == '.')
        ++*path;
    size_t len = strcspn(*path, ".[");
    const char *key = *path;
    *path += len;
    if (node->type != YAML_MAPPING_NODE)
        return NULL;
    yaml_node_pair_t *pair = find_pair(doc, node, key, len, 0);
    return pair ? yaml_document_get_node(doc, pair->value) : NULL;
}

/* The node at path, or the last one on the way to it. */
static yaml_node_t *find_node(struct config_yaml *y, const char *path)
{
    yaml_node_t *node = yaml_document_get_root_node(&y->document);
    while (*path) {
        yaml_node_t *next = take_step(&y->document, node, &path);
        if (!next)
            break;
        node = next;
    }
    return node;
}

int config_refuse(struct config_yaml *y, struct cordon_err *reterr, const char *path,
                  const char *fmt, ...)
{
    char message[400];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return report_mark(y->file, find_node(y, path)->start_mark, message, reterr);
}

int config_refuse_key(struct config_yaml *y, struct cordon_err *reterr, const char *path,
                      const char *key, unsigned nth, const char *fmt, ...)
{
    char message[400];
    yaml_node_t *node = find_node(y, path);
    yaml_node_pair_t *pair = NULL;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    if (node->type == YAML_MAPPING_NODE)
        pair = find_pair(&y->document, node, key, strlen(key), nth);
    if (pair)
        node = yaml_document_get_node(&y->document, pair->key);
    return report_mark(y->file, node->start_mark, message, reterr);
}

void config_yaml_describe(struct config_yaml *y, const char *path, char *ret, size_t size)
{
    const yaml_node_t *node = find_node(y, path);
    if (node->type != YAML_SCALAR_NODE)
        (void)snprintf(ret, size, node->type == YAML_MAPPING_NODE ? "a mapping" : "a list");
    else if (node->data.scalar.length == 0)
        (void)snprintf(ret, size, "nothing");
    else
        (void)snprintf(ret, size, "'%.60s'", (const char *)node->data.scalar.value);
}

/* ---- opening --------------------------------------------------------------------- */

/* libyaml's reader knows only the byte: which line and column that is. */
static void locate(const char *text, size_t at, size_t *ret_line, size_t *ret_column)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

static int refuse_syntax(const char *file, const char *text, size_t len,
                         const yaml_parser_t *parser, struct cordon_err *reterr)
{
    char message[400];
    size_t line = parser->problem_mark.line + 1, column = parser->problem_mark.column + 1;
    if (parser->error == YAML_MEMORY_ERROR)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot read '%s'", file);
    if (parser->error == YAML_READER_ERROR)
        locate(text, parser->problem_offset < len ? parser->problem_offset : len, &line, &column);
    (void)snprintf(message, sizeof(message), "this is no YAML: %s%s%s",
                   parser->problem ? parser->problem : "", parser->context ? " " : "",
                   parser->context ? parser->context : "");
    return report(file, line, column, message, reterr);
}

struct met {
    unsigned documents;
    unsigned depth;
};

/* &name or !tag: what they would change is not taken, so they had better not be there. */
static const char *decoration(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return "anchors (&name) are not taken: write it out, or use from:";
    return tag ? "tags (!name) are not taken: each key says what its value is" : NULL;
}

/* Why this event may not be in a configuration file, or NULL. */
static const char *event_complaint(const yaml_event_t *event, struct met *met)
{
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
        met->depth++;
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
        met->depth--;
    if (met->depth > DEPTH_MAX)
        return "this is nested too deeply";
    if (event->type == YAML_ALIAS_EVENT)
        return "aliases (*name) are not taken: write it out, or use from:";
    if (event->type == YAML_DOCUMENT_START_EVENT && ++met->documents > 1)
        return "a second document: everything belongs under one profiles:";
    if (event->type == YAML_SCALAR_EVENT &&
        memchr(event->data.scalar.value, '\0', event->data.scalar.length))
        return "a text must not hold a NUL character";
    return decoration(event);
}

/* Goes through the whole text once, event by event. */
static int check_events(const char *file, const char *text, size_t len, yaml_parser_t *parser,
                        struct cordon_err *reterr)
{
    struct met met = {0};
    for (int at_end = 0; !at_end;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return refuse_syntax(file, text, len, parser, reterr);
        const char *why = event_complaint(&event, &met);
        int rc = why ? report_mark(file, event.start_mark, why, reterr) : 0;
        at_end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_keys(struct config_yaml *y, struct cordon_err *reterr)
{
    for (yaml_node_t *n = y->document.nodes.start; n < y->document.nodes.top; n++) {
        if (n->type != YAML_MAPPING_NODE)
            continue;
        yaml_node_pair_t *pair = n->data.mapping.pairs.start;
        for (; pair < n->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = yaml_document_get_node(&y->document, pair->key);
            if (key->type != YAML_SCALAR_NODE)
                return report_mark(y->file, key->start_mark, "a key has to be a word", reterr);
        }
    }
    return 0;
}

/* Runs one pass of libyaml over the text: the check, or (with `document`) the tree. */
static int parse(const char *file, const char *text, size_t len, yaml_document_t *document,
                 struct cordon_err *reterr)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot read '%s'", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    int rc = 0;
    if (!document)
        rc = check_events(file, text, len, &parser, reterr);
    else if (!yaml_parser_load(&parser, document))
        rc = refuse_syntax(file, text, len, &parser, reterr);
    yaml_parser_delete(&parser);
    return rc;
}

int config_yaml_open(const char *file, const char *text, size_t len, struct config_yaml *ret,
                     struct cordon_err *reterr)
{
    struct config_yaml y = {.file = file};
    int rc = parse(file, text, len, NULL, reterr);
    if (rc == 0)
        rc = parse(file, text, len, &y.document, reterr);
    if (rc < 0)
        return rc;
    rc = check_keys(&y, reterr);
    if (rc < 0) {
        config_yaml_done(&y);
        return rc;
    }
    *ret = y;
    return 0;
}

void config_yaml_done(struct config_yaml *y)
{
    yaml_document_delete(&y->document);
}

int config_yaml_is_empty(struct config_yaml *y)
{
    const yaml_node_t *root = yaml_document_get_root_node(&y->document);
    return !root || (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0 &&
                     root->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}
