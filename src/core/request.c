/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: see request.h. The limits are one table: which member, what it is called, how
 * little of it still makes sense.
 */
#include "core/request.h"

#include "base/err.h"
#include "base/utf8.h"
#include "core/jsoncheck.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is read of code that is not to be run: as much as any profile may allow. */
#define CODE_JUDGED_MAX (UINT64_C(64) << 20)

static const struct {
    const char *name;
    size_t offset;
    uint64_t least;
    const char *unit;
} limit_rows[] = {
    {"limits.wall_ms", offsetof(struct cordon_limits, wall_ms), 1, "ms"},
    {"limits.cpu_ms", offsetof(struct cordon_limits, cpu_ms), 1, "ms"},
    {"limits.memory_bytes", offsetof(struct cordon_limits, memory_bytes), 8u << 20, "bytes"},
    {"limits.tasks", offsetof(struct cordon_limits, tasks), 1, ""},
    {"limits.open_files", offsetof(struct cordon_limits, open_files), 16, ""},
    {"limits.disk_bytes", offsetof(struct cordon_limits, disk_bytes), 4096, "bytes"},
    {"limits.disk_files", offsetof(struct cordon_limits, disk_files), 1, ""},
    {"limits.stdout_bytes", offsetof(struct cordon_limits, stdout_bytes), 1, "bytes"},
    {"limits.stderr_bytes", offsetof(struct cordon_limits, stderr_bytes), 1, "bytes"},
    {"limits.result_bytes", offsetof(struct cordon_limits, result_bytes), 2, "bytes"},
};

static uint64_t *member(struct cordon_limits *limits, size_t offset)
{
    return (uint64_t *)((char *)limits + offset);
}

__attribute__((format(printf, 4, 5))) static int refuse(struct cordon_err *reterr, int code,
                                                        const char *field, const char *fmt, ...)
{
    char msg[400];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof(msg), fmt, ap);
    va_end(ap);
    (void)err_set(reterr, code, 0, "%s", msg);
    err_step(reterr, field);
    return code;
}

/* Processor time that a run can use at most while `wall_ms` pass. */
static uint64_t all_cpu_ms(uint64_t wall_ms, int approved)
{
    cpu_set_t set;
    uint64_t count = 1; /* what runs unasked has one processor */
    if (approved && sched_getaffinity(0, sizeof(set), &set) == 0)
        count = (uint64_t)CPU_COUNT(&set);
    return count > 0 && wall_ms > UINT64_MAX / count ? UINT64_MAX : wall_ms * count;
}

/* What the profile allows at most, for this kind of run. */
static void most_of(const struct profile *p, int approved, struct cordon_limits *ret)
{
    *ret = approved ? p->approved.limits : p->limits;
    if (ret->cpu_ms == 0)
        ret->cpu_ms = all_cpu_ms(ret->wall_ms, approved);
}

/* Fills every limit: the caller's where it is given and no looser, else the profile's. */
static int take_limits(const struct cordon_limits *given, const struct profile *profile,
                       int approved, struct cordon_limits *ret, struct cordon_err *reterr)
{
    struct cordon_limits asked = {0};
    struct cordon_limits limits;
    most_of(profile, approved, &limits);
    memcpy(&asked, given, given->size < sizeof(asked) ? given->size : sizeof(asked));
    for (size_t i = 0; i < ARRAY_LEN(limit_rows); i++) {
        uint64_t want = *member(&asked, limit_rows[i].offset);
        uint64_t *have = member(&limits, limit_rows[i].offset);
        if (want == 0)
            continue;
        if (want > *have)
            return refuse(reterr, CORDON_E_PROFILE, limit_rows[i].name,
                          "%llu %s is more than profile '%s' allows (%llu); ask for less or use "
                          "another profile",
                          (unsigned long long)want, limit_rows[i].unit, profile->name,
                          (unsigned long long)*have);
        if (want < limit_rows[i].least)
            return refuse(reterr, CORDON_E_ARG, limit_rows[i].name,
                          "%llu %s is too little to run anything; the least is %llu",
                          (unsigned long long)want, limit_rows[i].unit,
                          (unsigned long long)limit_rows[i].least);
        *have = want;
    }
    uint64_t all = all_cpu_ms(limits.wall_ms, approved);
    if (asked.cpu_ms == 0 && limits.cpu_ms > all)
        limits.cpu_ms = all; /* there is no more to be had in that time */
    *ret = limits;
    return 0;
}

static int check_length(const char *field, size_t len, uint64_t most, const struct profile *p,
                        struct cordon_err *reterr)
{
    if (len <= most)
        return 0;
    return refuse(reterr, CORDON_E_ARG, field, "%zu bytes are more than profile '%s' allows (%llu)",
                  len, p->name, (unsigned long long)most);
}

/*
 * How long it may be to be handed on: where the gate is asked it says itself what is too long for
 * the profile, and a person may let it run as approved.
 */
static uint64_t code_most(const struct request *r)
{
    uint64_t strict = r->profile->code_bytes, approved = r->profile->approved.code_bytes;

    if (r->gate == WIRE_GATE_ONLY)
        return CODE_JUDGED_MAX;
    if (r->approved)
        return approved;
    return r->gate == WIRE_GATE_ASK && approved > strict ? approved : strict;
}

/* Of any bytes the gate says what is wrong with them; what is no text is not run, whoever agrees. */
static int check_code(const struct cordon_request *q, const struct request *r,
                      struct cordon_err *reterr)
{
    int rc = check_length("code", q->code_len, code_most(r), r->profile, reterr);
    if (rc < 0 || r->gate == WIRE_GATE_ONLY)
        return rc;
    size_t good = utf8_valid_prefix(q->code, q->code_len);
    if (good < q->code_len)
        return refuse(reterr, CORDON_E_ARG, "code", "not valid UTF-8 at byte %zu", good);
    return 0;
}

/* Who wants NaN back as it is spelled by Python's json may also give it so. */
static int check_input(const struct cordon_request *q, struct cordon_err *reterr)
{
    char why[128];
    int flags = q->nonfinite == CORDON_NONFINITE_LITERAL ? JSON_NONFINITE : 0;
    if (!q->input)
        return 0;
    if (json_check_object(q->input, q->input_len, flags, why, sizeof(why)) < 0)
        return refuse(reterr, CORDON_E_ARG, "input", "not a JSON object: %s", why);
    return 0;
}

/*
 * An approved run's own interpreter does not judge: by then it has the caller's files,
 * and the gate belongs behind walls (request_for_check).
 */
static uint32_t gate_mode(const struct cordon_request *q, const struct request *r)
{
    if (q->check_only)
        return WIRE_GATE_ONLY;
    return r->gate_up && !r->approved ? WIRE_GATE_ASK : WIRE_GATE_OFF;
}

/* Lays out the frame that the sandbox will get, once and for all. */
static int lay_out(const struct cordon_request *q, struct request *r, struct cordon_err *reterr)
{
    size_t input_len = q->input ? q->input_len : 0;
    struct frame_request body = {.code_len = q->code_len,
                                 .input_len = input_len,
                                 .result_max = r->limits.result_bytes,
                                 .nonfinite = (uint32_t)q->nonfinite,
                                 .approved = q->approved != 0,
                                 .gate = r->gate,
                                 .code_max = (uint32_t)r->profile->code_bytes};
    struct frame_head head = {.type = FRAME_REQUEST,
                              .size = sizeof(body) + q->code_len + input_len};
    r->code_at = sizeof(head) + sizeof(body);
    r->code_len = q->code_len;
    r->len = sizeof(head) + head.size;
    r->bytes = malloc(r->len);
    if (!r->bytes)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot copy the request");
    memcpy(r->bytes, &head, sizeof(head));
    memcpy(r->bytes + sizeof(head), &body, sizeof(body));
    if (q->code_len > 0)
        memcpy(r->bytes + r->code_at, q->code, q->code_len);
    if (input_len > 0)
        memcpy(r->bytes + r->code_at + q->code_len, q->input, input_len);
    return 0;
}

static int check_texts(const struct cordon_request *q, const struct request *r,
                       struct cordon_err *reterr)
{
    const struct profile *p = r->profile;
    int rc = check_code(q, r, reterr);
    if (rc == 0 && q->input)
        rc = check_length("input", q->input_len,
                          r->approved ? p->approved.input_bytes : p->input_bytes, p, reterr);
    return rc < 0 ? rc : check_input(q, reterr);
}

int request_take(const struct profile_set *profiles, int gate_up,
                 const struct cordon_request *given, struct request *ret, struct cordon_err *reterr)
{
    struct cordon_request q = {0};
    struct request r = {0};
    if (!given || given->size == 0)
        return refuse(reterr, CORDON_E_ARG, "request",
                      "there is none, or its size is not set to sizeof(struct cordon_request)");
    memcpy(&q, given, given->size < sizeof(q) ? given->size : sizeof(q));
    if (!q.code && q.code_len > 0)
        return refuse(reterr, CORDON_E_ARG, "code", "code_len is set, but there is no code");
    r.profile = profile_set_find(profiles, q.profile);
    if (!r.profile)
        return refuse(reterr, CORDON_E_PROFILE, "profile", "there is no profile '%.100s'",
                      q.profile);
    r.approved = q.approved != 0;
    r.gate_up = gate_up && r.profile->gate != PROFILE_GATE_OFF;
    if (r.approved && q.check_only)
        return refuse(reterr, CORDON_E_ARG, "approved",
                      "code that is only checked needs no approval");
    if (q.nonfinite != CORDON_NONFINITE_NULL && q.nonfinite != CORDON_NONFINITE_LITERAL)
        return refuse(reterr, CORDON_E_ARG, "nonfinite", "%d is not one of enum cordon_nonfinite",
                      q.nonfinite);
    r.nonfinite = q.nonfinite;
    r.gate = gate_mode(&q, &r);
    int rc = check_texts(&q, &r, reterr);
    if (rc == 0)
        rc = take_limits(&q.limits, r.profile, r.approved, &r.limits, reterr);
    if (rc == 0 && r.approved)
        rc = environ_filter(q.environ ? q.environ : (const char *const *)environ,
                            &r.profile->credentials, &r.environ, reterr);
    if (rc == 0)
        rc = lay_out(&q, &r, reterr);
    if (rc < 0) {
        request_done(&r);
        return rc;
    }
    *ret = r;
    return 0;
}

int request_for_check(const struct request *approved, struct request *ret,
                      struct cordon_err *reterr)
{
    struct request r = {.profile = approved->profile, .limits = approved->profile->limits};
    const struct cordon_request q = {.size = sizeof(q),
                                     .code = approved->bytes + approved->code_at,
                                     .code_len = approved->code_len,
                                     .check_only = 1};
    r.gate = gate_mode(&q, &r);
    int rc = lay_out(&q, &r, reterr);
    if (rc == 0)
        *ret = r;
    return rc;
}

void request_done(struct request *r)
{
    free(r->bytes);
    free(r->environ);
    *r = (struct request){0};
}
