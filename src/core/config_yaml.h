/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_yaml: where in a YAML file something stands, so that every refusal can say its
 * file, line and column. libcyaml fills our structures but keeps no positions: the same
 * text is parsed a second time, by libyaml, into a tree that does.
 *
 * A place in the file is named by a path: "profiles[2].limits.wall".
 */
#ifndef CORDON_CORE_CONFIG_YAML_H
#define CORDON_CORE_CONFIG_YAML_H

#include "cordon.h"

#include <stddef.h>
#include <yaml.h>

#define CONFIG_PATH_MAX 128 /* of a place, NUL included: our keys are few and short */

struct config_yaml {
    const char *file; /* its name in messages; not owned */
    yaml_document_t document;
};

/*
 * Parses the text. Refuses what is no YAML, and what the schema should not have to think
 * about: aliases, a second document, keys that are no text, NUL characters in a text.
 *
 * file: kept, not copied. ret: on success, release with config_yaml_done().
 */
int config_yaml_open(const char *file, const char *text, size_t len, struct config_yaml *ret,
                     struct cordon_err *reterr);
void config_yaml_done(struct config_yaml *y);

/* Whether there is nothing in it, or only comments. */
int config_yaml_is_empty(struct config_yaml *y);

/*
 * Fills *reterr with "FILE:LINE:COLUMN: message" and returns CORDON_E_ARG. The place is
 * that of the value at `path`, or of what encloses it when the file has none there.
 */
int config_refuse(struct config_yaml *y, struct cordon_err *reterr, const char *path,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same for a key of the mapping at `path`: its nth occurrence, from 0. */
int config_refuse_key(struct config_yaml *y, struct cordon_err *reterr, const char *path,
                      const char *key, unsigned nth, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* What the file has at `path`: "a list", "a mapping", "nothing" or the text, quoted. */
void config_yaml_describe(struct config_yaml *y, const char *path, char *ret, size_t size);

#endif
