/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_gate: out's other half: how the gate's warnings are told, to a person or as JSON.
 * Texts go into a buffer; who asked for them writes it.
 */
#ifndef CORDON_APP_OUT_GATE_H
#define CORDON_APP_OUT_GATE_H

#include <stddef.h>

#include "app/out.h"
#include "base/io.h"
#include "cordon.h"

struct gate_style {
    size_t columns;
    int colours;
};

/* How many warnings there are, repeats folded. */
size_t out_gate_count(const struct cordon_result *result);

/* Whether all there is to say is that the code is no Python: then there is nothing to ask. */
int out_gate_only_syntax(const struct cordon_result *result);

/*
 * Appends every warning: "FILE:LINE:COLUMN: message [rule] ×count", the source line, and
 * carets. 0 or -ENOMEM.
 */
int out_gate_warnings(struct buf *to, const struct gate_style *style, const struct out_run *run,
                      const struct cordon_result *result);

/*
 * Appends one file's object of `cordon check --json`. file: NULL for a text without a name.
 * Without a result it could not be checked, and `why` says why. 0 or -ENOMEM.
 */
int out_gate_json(struct buf *to, const char *file, const struct cordon_result *result,
                  const char *why);

/* What `cordon check` did, for its last line. */
struct gate_tally {
    size_t files;
    size_t warned;    /* files with warnings */
    size_t unchecked; /* files that have no verdict */
    size_t warnings;
};

/* Says it on standard error, after all that went to standard output. */
void out_gate_tally(const struct gate_tally *tally);

#endif
