/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8: is it, up to where, and how to show it when it is not. RFC 3629: no surrogates,
 * no overlong forms, nothing above U+10FFFF.
 */
#ifndef CORDON_BASE_UTF8_H
#define CORDON_BASE_UTF8_H

#include "base/io.h"

/* Length of the longest valid prefix of whole characters; == len when all is valid. */
size_t utf8_valid_prefix(const char *data, size_t len);

/* Whether data[0..len) (len <= 3) is the beginning of a character that was cut off. */
int utf8_is_partial(const char *data, size_t len);

/* How long one byte that is no text is, shown. */
#define UTF8_SHOWN_MAX 4

/*
 * Appends data as valid UTF-8; bytes that are not are shown as \xNN, as Python's
 * backslashreplace does. A character cut off at the very end is dropped when `cut` says
 * that the data was cut there. 0, -ENOMEM or -E2BIG.
 */
int utf8_append_shown(struct buf *out, const char *data, size_t len, int cut);

#endif
