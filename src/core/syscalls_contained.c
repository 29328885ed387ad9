/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls without namespaces, of strict code and of approved: DATA ONLY. The calls named here
 * answer in this way; all others as in strict's own table, and in approved's. Each is one that strict may make because a
 * namespace or a mount takes the harm out of it: here the numbers of processes are the
 * host's, the user may be the caller, and the file system is what it is.
 */
#include "core/syscalls_words.h"

#include "base/io.h"

#include <fcntl.h>

/* clang-format off */
static const struct sys_rule contained_rules[] = {
    {ALLOW,  "clone", {IS(0, BITS(NEW_SPACES | ODD_KIN | THREAD_FDS, THREAD_FDS))}, "threads of its own"},
    {REFUSE, "clone", {IS(0, BITS(NEW_SPACES | ODD_KIN | THREAD_FDS, CLONE_THREAD))},
             "a thread with descriptors of its own: no look at the process finds them"},
    {REFUSE, "clone", {IS(0, BITS(NEW_SPACES | CLONE_THREAD, 0))},
             "no process but this one, which dies with the keeper: there is no PID namespace to end"},
    {TRAP,   "clone", {NOT(0, BITS(NEW_SPACES, 0))}, "a namespace of its own makes it privileged in there"},
    {REFUSE, "fork vfork", ANY, "no process but this one"},
    {REFUSE, "kill tkill tgkill", ANY, "the user's other processes have numbers here, too"},
    {ALLOW,  "fcntl", {IS(1, SPAN(F_DUPFD, 4), SPAN(F_SETFL, 2), V(F_DUPFD_CLOEXEC), V(F_GETPIPE_SZ),
             V(F_GET_SEALS))}, "copies, flags; the others only ask"},
    {REFUSE, "fcntl", {IS(1, SPAN(F_SETLK, 2), V(F_LOCK_OF_OPEN_FILE), V(F_LOCK_OF_OPEN_FILE_WAIT),
             V(F_SETPIPE_SZ))}, "locks of bytes, pipe buffers: kernel memory that no limit counts"},
    {REFUSE, "fcntl", {IS(1, V(F_SETOWN), V(F_SETSIG), V(F_SETOWN_EX))},
             "the owner of a descriptor gets its signals, and any signal at that"},
    {ALLOW,  "prlimit64", {IS(0, V(0))}, "limits of its own"},
    {REFUSE, "prlimit64", {NOT(0, V(0))}, "limits of the user's other processes end them"},
    {REFUSE, "chmod fchmod fchmodat utime utimes futimesat utimensat", ANY,
             "Landlock does not hold them, and the user's own files are no read-only mounts"},
};
/* clang-format on */

const struct sys_table syscalls_contained = {
    .rules = contained_rules,
    .count = ARRAY_LEN(contained_rules),
    .otherwise = SYS_ABSENT,
    .foreign = SYS_TRAP,
    .over = &syscalls_strict,
};

/* clang-format off */
static const struct sys_rule approved_contained_rules[] = {
    {REFUSE, "prlimit64", {NOT(0, V(0))}, "limits of the user's other processes end them"},
};
/* clang-format on */

const struct sys_table syscalls_approved_contained = {
    .rules = approved_contained_rules,
    .count = ARRAY_LEN(approved_contained_rules),
    .otherwise = SYS_ALLOW,
    .foreign = SYS_ABSENT,
    .over = &syscalls_approved,
};
