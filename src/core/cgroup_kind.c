/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_kind: see cgroup_kind.h. A knob that is required and not there makes a place of no use.
 */
#include "core/cgroup_kind.h"

#include "base/io.h"

static const struct knob v2_knobs[] = {
    {"memory.max", MEMORY, NULL, 1},
    {"memory.high", FIXED, "max", 0},    /* to slow down what is near its limit helps nobody */
    {"memory.swap.max", FIXED, "0", 0},  /* what is swapped out would not count */
    {"memory.oom.group", FIXED, "1", 1}, /* half a sandbox is no sandbox */
    {"pids.max", TASKS, NULL, 1},
    {"cpu.max", PROCESSORS, NULL, 0},
};

static const struct knob v1_memory_knobs[] = {
    {"memory.limit_in_bytes", MEMORY, NULL, 1},
    {"memory.memsw.limit_in_bytes", MEMORY, NULL, 0},
    {"memory.swappiness", FIXED, "0", 0},
};

static const struct knob v1_pids_knobs[] = {
    {"pids.max", TASKS, NULL, 1},
};

const struct cgroup_kind cgroup_v2 = {
    .name = "cgroup-v2",
    .mark = "cgroup.controllers",
    .knobs = v2_knobs,
    .count = ARRAY_LEN(v2_knobs),
    .now = "memory.current",
    .peak = "memory.peak",
    .events = "memory.events",
    .own = "oom",
};
const struct cgroup_kind cgroup_v1_memory = {
    .name = "cgroup-v1",
    .mark = "memory.limit_in_bytes",
    .knobs = v1_memory_knobs,
    .count = ARRAY_LEN(v1_memory_knobs),
    .now = "memory.usage_in_bytes",
    .peak = "memory.max_usage_in_bytes",
    .events = "memory.oom_control",
    .limit = "memory.limit_in_bytes", /* memory.failcnt is not kept by all kernels */
    .kills_one = 1,
};
const struct cgroup_kind cgroup_v1_pids = {
    .name = "cgroup-v1",
    .mark = "cgroup.clone_children",
    .knobs = v1_pids_knobs,
    .count = ARRAY_LEN(v1_pids_knobs),
};
