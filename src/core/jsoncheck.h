/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsoncheck: is this text one JSON object, in bounds? The bytes themselves pass through
 * untouched, so that big integers, 1.10 and \ud800 survive.
 */
#ifndef CORDON_CORE_JSONCHECK_H
#define CORDON_CORE_JSONCHECK_H

#include "base/io.h"

#include <jansson.h>

#define JSON_DEPTH_MAX 1000

enum json_flags {
    JSON_NONFINITE = 1 << 0, /* NaN, Infinity and -Infinity count as numbers */
};

/*
 * 0 when data is exactly one JSON object in valid UTF-8, no deeper than JSON_DEPTH_MAX.
 * Else -1, and `why` says what is wrong and at which byte.
 */
int json_check_object(const char *data, size_t len, int flags, char *why, size_t why_size);

/*
 * JSON text of a sandbox, loaded, and let go of. NULL when it is none, or may hold more than
 * `most` values: a value takes much more memory than its text does.
 */
json_t *json_take(struct buf *text, size_t most);

#endif
