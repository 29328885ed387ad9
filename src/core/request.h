/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: what a caller asks for, checked once and copied: after this nobody looks at
 * the caller's memory again.
 */
#ifndef CORDON_CORE_REQUEST_H
#define CORDON_CORE_REQUEST_H

#include "base/wire.h"
#include "core/config.h"
#include "cordon.h"

struct request {
    const struct profile *profile;
    struct cordon_limits limits; /* every member set */
    char *bytes;                 /* FRAME_REQUEST: headers, code, input; owned */
    size_t len;
    size_t code_at; /* the code's place in bytes */
    size_t code_len;
    int nonfinite;
    int approved;
    uint32_t gate;  /* enum wire_gate: what is asked of this very run */
    int gate_up;    /* the gate is to read the code; 0: it is down, for this engine or profile */
    char **environ; /* of an approved run: the caller's, less credentials; owned */
};

/* Checks and copies. The profile is one of `profiles`. On failure reterr->step names the field. */
int request_take(const struct profile_set *profiles, int gate_up,
                 const struct cordon_request *given, struct request *ret,
                 struct cordon_err *reterr);
/* A request under the same profile in which the gate reads the code of `approved`, no more. */
int request_for_check(const struct request *approved, struct request *ret,
                      struct cordon_err *reterr);
void request_done(struct request *r);

#endif
