/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: a control group for each sandbox, where the host lets us make groups: then the
 * kernel counts what the sandbox takes, whoever of it takes it. Version 2, or version 1
 * with memory and pids.
 *
 * Life: cgroups_open() finds the place; cgroup_new() makes a group when a sandbox is
 * asked for; cgroup_add() puts its first process in before user code is there;
 * cgroup_read() asks what it took; cgroup_end() kills what is in it and removes it, now or,
 * by cgroups_collect(), when the last process has gone.
 */
#ifndef CORDON_CORE_CGROUP_H
#define CORDON_CORE_CGROUP_H

#include "core/owner.h"
#include "cordon.h"

#include <sys/types.h>

#define CGROUP_PLACES 2 /* version 1 has one hierarchy for each controller */

struct cgroup_kind; /* static */

/* Where groups can be made. */
struct cgroups {
    const struct cgroup_kind *kind[CGROUP_PLACES]; /* NULL: no such place */
    int dir[CGROUP_PLACES];
    struct cgroup *ended; /* not yet removed */
    /* How a group is made and removed: mkdirat(2) and rmdir, but in tests. */
    int (*make)(int dir, const char *name);
    int (*remove)(int dir, const char *name);
};

struct cgroup; /* opaque */

struct cgroup_use {
    uint64_t peak_bytes; /* 0: not told */
    uint64_t bytes;      /* now */
    uint64_t kills;      /* by the kernel, when the group's own memory had run out */
};

/* What a group is to hold. */
struct cgroup_limits {
    uint64_t memory_bytes;
    uint64_t tasks;
    uint64_t processors; /* 0: all */
};

/*
 * where: "off"; "auto" or NULL: the group that was delegated to this process, if one was;
 * else the absolute path of a directory in which to make groups, or, in version 1, two of
 * them with a colon between: of the memory and of the pids controller.
 *
 * Returns 1 when there is a place, which is to be closed; 0 when there is none, and reterr
 * says why; a negative code when there should be one. What earlier engines left there is
 * removed.
 */
int cgroups_open(const char *where, struct cgroups *ret, struct cordon_err *reterr);

/* The same for one place in the form of paths, without a sweep. */
int cgroups_open_at(const char *paths, struct cgroups *ret, struct cordon_err *reterr);

/* Removes what can be removed. */
void cgroups_close(struct cgroups *groups);

/* "cgroup-v2" or "cgroup-v1". */
const char *cgroups_name(const struct cgroups *groups);

/* Makes a group; every knob of it is written. */
int cgroup_new(struct cgroups *groups, const struct cgroup_limits *limits, struct cgroup **ret,
               struct cordon_err *reterr);

/* Other limits; every knob is written. */
int cgroup_set(const struct cgroup *group, const struct cgroup_limits *limits,
               struct cordon_err *reterr);

int cgroup_add(const struct cgroup *group, pid_t pid, struct cordon_err *reterr);

/* Whether that process is in. 0: whether nobody is. */
int cgroup_has(const struct cgroup *group, pid_t pid);

/* Descriptors, the caller's, through which processes can go in by themselves. How many, or 0. */
size_t cgroup_doors(const struct cgroup *group, int ret_fds[CGROUP_PLACES]);

void cgroup_read(const struct cgroup *group, struct cgroup_use *ret);

/* Whether its own limit of memory has stood in the way, and not one of a group above it. */
int cgroup_is_full(const struct cgroup *group);

/*
 * A descriptor of the caller's that can be read when the kernel finds no memory left for the
 * group, in version 1, where it then kills one process of it and lets the others run on; -1:
 * there is no need of one, or none to be had.
 */
int cgroup_watch(const struct cgroup *group);

/* Takes the group over. Accepts NULL. */
void cgroup_end(struct cgroup *group);

/* The same without a call that may have to wait for others: for cgroups_collect() to do. */
void cgroup_end_later(struct cgroup *group);

/*
 * Removes a group that nobody is in, and kills nobody for it: who is about to enter is in before,
 * or stays outside. Whether it is gone; else it is as it was.
 */
int cgroup_end_empty(struct cgroup *group);

/* Removes ended groups whose processes have gone. Returns how many are left. */
size_t cgroups_collect(struct cgroups *groups);

#endif
