/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: which host files a box holds. Starts from an interpreter and a profile, follows
 * every symbolic link on the way, and writes the rows of a plan. Looks, changes nothing.
 */
#ifndef CORDON_CORE_VIEW_H
#define CORDON_CORE_VIEW_H

#include "base/io.h"
#include "core/profile.h"
#include "cordon.h"

#include <limits.h>

/* The worker module, beside the keeper, and where it is in a box. */
#define VIEW_WORKER_NAME "_cordon_worker.abi3.so"
#define VIEW_WORKER_DIR "/cordon"
/* The working directory in a box. */
#define VIEW_WORK_DIR "/work"

/* An interpreter, as found on this host. */
struct interpreter {
    char program[PATH_MAX]; /* the path to execute, as given (made absolute) */
    char real[PATH_MAX];    /* the binary behind all links */
    char prefix[PATH_MAX];  /* what holds bin/ and lib/: sys.base_prefix */
    char stdlib[PATH_MAX];  /* the directory of os.py */
    char venv[PATH_MAX];    /* the virtual environment's directory; "" if it is none */
    int minor;              /* 11 for 3.11 */
};

/*
 * Finds out about the interpreter at `path` without running it, by the landmarks that
 * CPython's own getpath uses (pyvenv.cfg, lib/pythonX.Y/os.py; Modules/getpath.py).
 * CORDON_E_ARG with step "python" when it is not one that Cordon can use, and why.
 */
int interpreter_find(const char *path, struct interpreter *ret, struct cordon_err *reterr);

/* What the box is for. A reader's sandboxes run no user code: the gate reads it there. */
enum view_use { VIEW_FOR_RUNS, VIEW_FOR_READER };

/*
 * Writes the box's plan: its files, devices, environment and program. helper_dir is
 * where the worker module is. place: on the host, for the working directories of a box that
 * keeps the host's root; NULL: the box has a root of its own.
 */
int view_plan(const struct profile *profile, const struct interpreter *interpreter,
              const char *helper_dir, const char *place, enum view_use use, uint32_t walls_down,
              struct buf *ret_plan, struct cordon_err *reterr);

/* For an approved run: appends the rows of the files and devices, and of what else is in /dev. */
int view_files(const struct profile *profile, const struct interpreter *interpreter,
               const char *helper_dir, struct buf *plan, struct cordon_err *reterr);

#endif
