/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box: the walled place in which one zygote and its sandboxes live, or one approved run
 * (keeper/approved.c), built from a plan.
 *
 * Two processes take part: the starter (the executed helper, outside) and the keeper (its
 * copy, PID 1 of the box). The keeper runs the box table and tells the starter how it
 * went over `sync`; the starter writes id maps when asked, since only a process outside
 * may.
 */
#ifndef CORDON_KEEPER_BOX_H
#define CORDON_KEEPER_BOX_H

#include "jail/ns.h"
#include "jail/rootfs.h"
#include "jail/steps.h"

#define BOX_ARGS_MAX 64
#define BOX_ENVIRON_MAX 64

/* Keeper -> starter; the starter answers BOX_WANTS_IDS with one byte. */
enum box_word { BOX_WANTS_IDS = 1, BOX_BUILT, BOX_FAILED };
struct box_report {
    uint32_t word;         /* enum box_word */
    uint32_t counted;      /* BOX_BUILT of an approved run: a control group counts what it holds */
    struct cordon_err err; /* BOX_FAILED */
};

struct box {
    const char *plan; /* rows; strings below point into it */
    size_t plan_len;
    int as_root;       /* built with real privileges, which are then given up */
    struct ns_ids ids; /* who the box's root is outside */
    pid_t starter;     /* outside; it lives as long as the box where that has no namespaces */
    int sync;          /* the keeper's end; -1 once the box is built */
    int engine;        /* pidfd of the engine's process; -1: not to be had */
    int filter;        /* memory file with the sandboxes' call filter; -1: none, the wall is down */
    struct rootfs fs;
    int has_view;      /* a root of its own, not the host's */
    const char *place; /* on the host, where the root is down: of working directories */
    uint32_t walls_down;
    const char *approved; /* where an approved run's working directory is to be; NULL: a zygote's
                             box, and the next ones do not count */
    int host_network;
    mode_t file_mask;
    int environ_fd;    /* memory file with its environment */
    const char *probe; /* no box at all: only this row of the probe table; NULL: a box */
    const char *program;
    char *args[BOX_ARGS_MAX + 1];
    char *environ[BOX_ENVIRON_MAX + 1];
};

/* What the starter's end does to the keeper where it has no PID namespace. */
#define BOX_END_SIGNAL SIGTERM

/* Whether it is a place of its own to the kernel, too. */
int box_has_namespaces(const struct box *box);

/* Takes from the plan what is not files. `plan` must outlive the box. */
int box_read_plan(struct box *box, const char *plan, size_t len, struct cordon_err *reterr);

/* Without namespaces: the keeper adopts what its descendants leave, and ends with the starter. */
int box_adopt(const struct box *box, struct cordon_err *reterr);

/* Asks for the id maps at the other end of `sync` to be written, and waits for it. */
int box_ask_ids(int sync, struct cordon_err *reterr);

/* In the keeper: runs the box table. */
int box_build(struct box *box, struct cordon_err *reterr);

/* Removes what box_build() made on the host. Everything in the box is over then. */
void box_clean(const struct box *box);

/* The rows of the box table that leave the host's files for the view. */
int box_enter_view(struct box *box, struct cordon_err *reterr);

/* The box table, for the test that asserts its order and for printing. */
const struct step *box_steps(size_t *ret_count);

/*
 * Starts the zygote: fd 3 is its end of a control socket, whose other end (non-blocking)
 * is the caller's; STEPS_FILTER_FD is the call filter, if there is one, STEPS_PLAN_FD the
 * plan, where it needs it. What keeps it from being executed arrives there as WIRE_FAILED.
 */
int box_start_zygote(const struct box *box, pid_t *ret_pid, int *ret_sock,
                     struct cordon_err *reterr);

#endif
