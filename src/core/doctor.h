/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor: what is wrong on this machine, and what to do. The probes of jail/probe.h, and
 * around them those that only the engine can make: its interpreter, its helpers, a run.
 */
#ifndef CORDON_CORE_DOCTOR_H
#define CORDON_CORE_DOCTOR_H

#include "jail/probe.h"

/* The engine's own rows: those before the ones of probe_table(), and those after them. */
const struct probe *doctor_first(size_t *ret_count);
const struct probe *doctor_last(size_t *ret_count);

/* One row and what came of it. */
struct finding {
    const struct probe *probe;
    struct probe_said said;
};

/*
 * Weighs the findings. Where the last word, a real run ("run"), is good, what failed
 * before it is no obstacle: the helpers may be allowed what this process is not (a profile
 * of AppArmor's for cordon-keeper), and the row says so.
 */
enum cordon_level doctor_weigh(struct finding *findings, size_t count);

#endif
