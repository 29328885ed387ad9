/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err: see err.h. The only place that turns an errno into words.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct cordon_err) < 4096, "one error must fit one atomic pipe write");

static void append_errno(struct cordon_err *err, int sys)
{
    size_t used = strlen(err->msg);
    const char *text = strerrordesc_np(sys); /* a table look-up: no locale, no memory */
    if (text)
        (void)snprintf(err->msg + used, sizeof(err->msg) - used, ": %s", text);
    else
        (void)snprintf(err->msg + used, sizeof(err->msg) - used, ": errno %d", sys);
}

int err_set(struct cordon_err *reterr, int code, int sys, const char *fmt, ...)
{
    if (!reterr)
        return code;
    memset(reterr, 0, sizeof(*reterr));
    reterr->code = code;
    reterr->sys = sys;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(reterr->msg, sizeof(reterr->msg), fmt, ap);
    va_end(ap);
    if (sys > 0)
        append_errno(reterr, sys);
    return code;
}

void err_step(struct cordon_err *reterr, const char *step)
{
    if (reterr && reterr->step[0] == '\0')
        (void)snprintf(reterr->step, sizeof(reterr->step), "%s", step);
}

CORDON_API const char *cordon_error_text(int code)
{
    switch (code) {
#define CORDON_X(name, value, text)                                                                \
    case name:                                                                                     \
        return text;
        CORDON_ERRORS(CORDON_X)
#undef CORDON_X
    default:
        return "no such error";
    }
}
