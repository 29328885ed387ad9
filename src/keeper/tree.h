/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: the processes of a box and what each holds, as its /proc tells. One look reads one
 * small file for each process; whose run a process is follows from its parents, which a
 * process of a PID namespace cannot choose outside it.
 *
 * A look is the kernel's word: nothing in it was said by a sandbox.
 */
#ifndef CORDON_KEEPER_TREE_H
#define CORDON_KEEPER_TREE_H

#include "base/io.h"

#include <sys/types.h>

struct tree_process {
    pid_t pid;  /* as that /proc numbers them */
    pid_t look; /* whose files tell of its memory: a thread's, where the first one has ended */
    pid_t parent;
    uint32_t threads;
    uint64_t resident_bytes; /* pages that it shares with others included */
    uint64_t own_ns;         /* processor time of all its threads, in clock ticks */
    uint64_t waited_ns;      /* and of the children that it has waited for, with theirs; */
    uint64_t waited_faults;  /* their faults of any kind that took no reading */
    uint64_t faults;         /* that took no reading: how often a page was made for it */
    uint64_t born;           /* when, in the kernel's measure */
    size_t above;            /* private to tree.c: the index of its parent */
};

struct tree_sum {
    uint64_t processes;
    uint64_t threads;
    uint64_t resident_bytes;
};

/* Looks at all processes. 0 or -errno. What the calls below tell is of the last look. */
int tree_look(void);

/*
 * What number the box's /proc gives to a child of ours: the same, unless that /proc is an
 * outer one (where a box may not mount its own). 0: it is not there.
 */
pid_t tree_number(pid_t child);

/* Adds up `top` and all below it; without_top: only what is below. */
void tree_add_up(pid_t top, int without_top, struct tree_sum *ret);

/* Calls `each` for every process that tree_add_up() adds up. */
void tree_each(pid_t top, int without_top,
               void (*each)(void *ctx, const struct tree_process *process), void *ctx);

/* Its processor time at this moment, as exactly as it is to be had. Whether it is there, if only
 * because nobody has waited for it yet. */
int tree_own_time(const struct tree_process *process, uint64_t *ret_ns);

/* Whether that very process is there at this moment. */
int tree_is_there(pid_t pid, uint64_t born);

/* A file of a process's directory in the same /proc; "" when it is gone or withheld. */
#define TREE_TEXT_MAX 4096
const char *tree_read(pid_t pid, const char *file, char text[TREE_TEXT_MAX]);

/* The last number that our PID namespace has given to a process or a thread; 0: not told. */
pid_t tree_last_pid(void);

/* The descriptor of that /proc, or -1. */
int tree_proc(void);

/* Resident pages of one process at this moment; 0 when it is gone. */
uint64_t tree_resident_now(pid_t pid);

#endif
