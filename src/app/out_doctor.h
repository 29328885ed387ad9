/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_doctor: out's other half: how findings about the machine are told, to a person or
 * as JSON. Zero it, set `json`; then one call per probe, and the level at the end.
 */
#ifndef CORDON_APP_OUT_DOCTOR_H
#define CORDON_APP_OUT_DOCTOR_H

#include <jansson.h>

#include "base/io.h"
#include "cordon.h"

struct out_doctor {
    int json;
    struct buf remedies; /* text, for after the table */
    struct buf failed;   /* names, for the last line */
    uint32_t walls_down;
    json_t *probes;
    int no_memory;
};

/* A cordon_doctor() callback; `user` is a struct out_doctor. */
void out_doctor_probe(void *user, const struct cordon_probe *probe);

/* Says the level and ends. 0, or the exit code of a failure to write. */
int out_doctor_level(struct out_doctor *out, enum cordon_level level);
void out_doctor_done(struct out_doctor *out);

#endif
