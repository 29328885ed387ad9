/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result: how one execution ended, in full, and the envelope made of it. Filled by
 * verdict.c; nothing in it is hostile any more: texts are valid UTF-8 and bounded, the
 * result has been checked to be JSON.
 */
#ifndef CORDON_CORE_RESULT_H
#define CORDON_CORE_RESULT_H

#include "base/io.h"
#include "cordon.h"

#include <jansson.h>

struct cordon_result {
    enum cordon_status status;
    const char *kind;  /* static word, NULL: no error */
    const char *limit; /* static word or NULL */
    char *message;
    char *type;
    char *traceback;
    unsigned line;
    json_t *notes;      /* array of strings */
    json_t *warnings;   /* array of objects, each checked; NULL: the gate did not run */
    json_t *violations; /* array of objects, each made by result_violation() */
    struct buf preview; /* the code, where a person has to be asked about it */
    struct buf json;    /* the encoded result; moves into the envelope when that is made */
    struct buf text[2];
    int truncated[2];
    /* about the run */
    const char *profile;
    int approved;
    uint32_t walls_down;
    char code_sha256[65];
    double wall_ms;
    double cpu_ms;
    int64_t memory_peak_bytes; /* -1: not known */
    const char *limits_by;     /* static word; NULL: nothing holds them */
    /* made by envelope_make() */
    struct buf envelope;
    size_t json_at;
    size_t json_len;
};

/* A new, empty result, or NULL. */
struct cordon_result *result_new(void);

/* Sets the error; the message is printf-like. A message that cannot be had is fatal to
 * no one: the fixed text of the status stands in. */
void result_error(struct cordon_result *r, enum cordon_status status, const char *kind,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Adds a note; notes beyond 50 are dropped, the 51st says so. */
void result_note(struct cordon_result *r, const char *text);

/* Adds a violation, of at most 20; line 0: none. */
void result_violation(struct cordon_result *r, const char *wall, const char *what, unsigned line);

/* Writes the envelope. 0 or -ENOMEM. */
int envelope_make(struct cordon_result *r);

/*
 * The list in a sandbox's {"warnings": [...]}, each member checked: a new reference, or
 * NULL when it is not what a gate says (warnings.c). The text is let go of.
 */
json_t *warnings_take(struct buf *text);

/* The words of walls, for walls_down. NULL past the last; *ret_bit gets the wall's bit. */
const char *wall_name(size_t index, uint32_t *ret_bit);

#endif
