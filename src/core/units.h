/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units: how a configuration file writes a number: 1000, 512MiB, 1500ms. Reads and
 * writes the same texts, so that what is printed can be read back.
 */
#ifndef CORDON_CORE_UNITS_H
#define CORDON_CORE_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum unit_kind {
    UNIT_COUNT, /* 1000 */
    UNIT_SIZE,  /* bytes: 4096, 64KiB, 512MiB, 1GiB, 1TiB; K, M, G and T are the same */
    UNIT_TIME,  /* milliseconds: 1500ms, 30s, 5min, 1h; never without its unit */
};

/* Digits and a unit with nothing around them. 0, -EINVAL, or -ERANGE beyond 64 bits. */
int units_parse(enum unit_kind kind, const char *text, uint64_t *ret);

/* The shortest text that units_parse() reads as exactly `value`. */
#define UNITS_TEXT_MAX 32
void units_print(enum unit_kind kind, uint64_t value, char ret[static UNITS_TEXT_MAX]);

/* What such a number is, for a message: "a size such as 512MiB". */
const char *units_describe(enum unit_kind kind);

#endif
