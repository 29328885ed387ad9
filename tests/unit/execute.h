/* SPDX-License-Identifier: Apache-2.0 */
/* execute: one run of an engine, as a host program asks for it; fails the test if there is no answer. */
#ifndef CORDON_TESTS_EXECUTE_H
#define CORDON_TESTS_EXECUTE_H

#include <cordon.h>

/* The caller frees what it returns. */
static inline struct cordon_result *execute(struct cordon_engine *engine, const char *code,
                                            int approved)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const struct cordon_request request = {.size = sizeof(request),
                                           .code = code,
                                           .code_len = strlen(code),
                                           .approved = approved,
                                           .environ = environment,
                                           .limits = {.size = sizeof(request.limits)}};
    struct cordon_result *result = NULL;
    struct cordon_err err = {0};
    if (cordon_execute(engine, &request, &result, &err) != 0)
        fail_msg("%s: %s", err.step, err.msg);
    return result;
}

#endif
