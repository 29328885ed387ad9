/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init: PID 1 above an approved run. It builds the run's walls, starts the interpreter,
 * reaps what it leaves behind, and tells the keeper how it ended; a PID 1 that is the
 * interpreter itself could neither die of its own signals nor wait for its own children
 * alone. It holds nothing that the run must not have, and cannot be traced by it.
 */
#ifndef CORDON_KEEPER_INIT_H
#define CORDON_KEEPER_INIT_H

#include "keeper/box.h"
#include "keeper/standby.h"

/* What comes with its BOX_BUILT, the last one only where there is one (filter_load_asking()). */
enum init_fd { INIT_FD_WORK, INIT_FD_SHM, INIT_FD_LISTENER, INIT_FDS };

/*
 * What the init says on `report`: struct box_report while it builds (keeper/box.h), then,
 * once, this; silence means that it was killed.
 */
struct init_end {
    int32_t status; /* of the interpreter, as wait4() gives it */
};

struct init {
    const struct box *box;
    pid_t keeper;
    const struct sandbox_spec *spec;
    int fds[WIRE_FORK_FDS];
    int report;
    struct door door;    /* of its control group */
    int is_counted;      /* by the group, whose memory limit it is in */
    int has_group_space; /* in which that one is the root of version 2's only hierarchy */
    char **environ;      /* of the run */
    int listener;        /* of the call filter; -1: none, or the keeper's already */
    int proc;            /* a /proc whose settings can be written to, until they are */
};

/* The init table, for the test that asserts its order and for printing. */
const struct step *init_steps(size_t *ret_count);

/* In the new process. */
_Noreturn void init_main(struct init *init);

#endif
