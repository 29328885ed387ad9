/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err: fill, and never lose, one struct cordon_err.
 *
 * The contract: success leaves the error untouched; a failure fills it once, at the
 * failing call, with errno passed in as an argument; the first error wins, callers only
 * add the name of the step. No function here allocates, so all are safe after fork.
 */
#ifndef CORDON_BASE_ERR_H
#define CORDON_BASE_ERR_H

#include "cordon.h"

/*
 * Fills *reterr (which may be NULL) and returns `code`, so that a failing call reads
 * `return err_set(reterr, CORDON_E_HOST, errno, "cannot mount '%s'", path);`.
 * `sys` > 0 appends ": " and the errno's own text.
 */
int err_set(struct cordon_err *reterr, int code, int sys, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Names the step an already filled error belongs to, unless it has a name. */
void err_step(struct cordon_err *reterr, const char *step);

#endif
