/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_kind: what the versions of control groups call their files, as data. Of core/cgroup.c's.
 */
#ifndef CORDON_CORE_CGROUP_KIND_H
#define CORDON_CORE_CGROUP_KIND_H

#include <stddef.h>

enum value { FIXED, MEMORY, TASKS, PROCESSORS };

struct knob {
    const char *file;
    enum value value;
    const char *text; /* FIXED */
    int required;     /* else it may not be there: of an older kernel, or not delegated */
};

struct cgroup_kind {
    const char *name;
    const char *mark; /* a file that directories of this kind have, and others have not */
    const struct knob *knobs;
    size_t count;
    const char *now;    /* the file with what is charged, */
    const char *peak;   /* and with the most that was */
    const char *events; /* the file with the line "oom_kill N" */
    const char *own;    /* its line that says how often the group's own memory was not enough; */
    const char *limit;  /* NULL: the peak has come to what this file says */
    int kills_one;      /* what the kernel kills is a process, not the group */
};

extern const struct cgroup_kind cgroup_v2, cgroup_v1_memory, cgroup_v1_pids;

#endif
