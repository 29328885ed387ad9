/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: what processes keep in memory beside their own pages: page tables, memory files, pipes,
 * System V objects, file systems in memory; and what each has of the pages that several share.
 * Of the processes that tree_look() has found.
 */
#ifndef CORDON_KEEPER_HOLD_H
#define CORDON_KEEPER_HOLD_H

#include "keeper/tree.h"

/* What a pipe can hold: the filters let nobody make one larger. */
#define HOLD_PIPE_BYTES (UINT64_C(64) * 1024)
/*
 * What a socket counts for besides what waits in it: the kernel keeps 2 to 5 KiB for one, and the
 * rest is what each lengthens a look by. Of 20,000 one takes 0.1 to 0.2 s where the run keeps all
 * processors, and they were filled with 15 to 45 KiB each before it was over; so there are no more of
 * them than a look is in time for.
 */
#define HOLD_SOCKET_BYTES (UINT64_C(16) * 1024)

/* What is kept of a file of /proc, at the most: a line as long as a path of 60,000 directories; of a
 * directory on overlayfs, with 130,000 names. */
#define HOLD_PROC_BYTES (UINT64_C(64) * 1024 * 1024)
#define HOLD_DIRECTORY_BYTES (UINT64_C(16) * 1024 * 1024)

struct hold_objects {
    uint64_t pipes;
    uint64_t sockets;
    uint64_t file_bytes;  /* in memory files that a descriptor is open for */
    uint64_t proc_files;  /* of /proc: each keeps what was read of it */
    uint64_t directories; /* on some file systems each keeps its list of names */
};

/* How many descriptors they are open for together: one look at each process. 0: not told (before 6.2). */
uint64_t hold_descriptors(pid_t top, int without_top);

/* Before each process `is_over` is asked whether it is of no use to go on; NULL: never. */
struct hold_stop {
    int (*is_over)(void *ctx);
    void *ctx;
};

/*
 * What descriptors of `top` and all below it are open for, each object once. every: also
 * where so few are open that they cannot come to much unless they are memory files. 1: it was broken
 * off, and is not all.
 */
int hold_count(pid_t top, int without_top, int every, const struct hold_stop *stop,
               struct hold_objects *ret);

/* Whether the last count has met that socket. */
int hold_has_socket(uint64_t inode);

/*
 * What no page of theirs shows: page tables, which a process can make a thousand times as large
 * as what it touches, swap, and huge pages of the host's store.
 */
uint64_t hold_unseen(pid_t top, int without_top);

/*
 * What the kernel keeps of their mappings, at the most: with each fork a mapping that was written to
 * has one link more, to each of the processes it came from. `enough` when it is no less, or when it
 * was not known by `until_ns`.
 */
uint64_t hold_mappings(pid_t top, int without_top, uint64_t enough, uint64_t until_ns);

/* Shared memory, messages and semaphores of our own IPC namespace. processes: of the run. */
uint64_t hold_ipc(uint64_t processes);

/* What lies in the file system in memory that `dir` is of; 0 unless it is one of `most` bytes. */
uint64_t hold_filed(int dir, uint64_t most);

/* A descriptor, of use to hold_filed() only, of a directory in a process's root; -1: none. */
int hold_open(pid_t pid, const char *path);

/*
 * What a process holds in pages that no file is behind, of those that it has together with others
 * its share: a walk over its page tables. 0 when it does not let that be seen, or is gone.
 */
struct hold_pages {
    uint64_t own_bytes;
    uint64_t shared_bytes; /* of memory files and the like */
};
int hold_pages_of(const struct tree_process *process, struct hold_pages *ret);

/* Of shared memory without a name: what the processes have mapped, if only one page of it. */
struct hold_shared {
    uint64_t objects;
    uint64_t bytes; /* that they hold together, mapped or not; UINT64_MAX: not for us to see */
};
/* 0; -1: one of the processes does not let itself be looked at, or it took until `until_ns`. */
int hold_shared(pid_t top, int without_top, uint64_t until_ns, struct hold_shared *ret);

/* What the whole host has in files in memory and shared memory, swapped out or not. */
uint64_t hold_of_host(void);
/* What its kernel has taken for itself: buffers and queues, but no cache and no page tables. */
uint64_t hold_of_kernel(void);
/* What the whole host has not given to anybody. */
uint64_t hold_free(void);

#endif
