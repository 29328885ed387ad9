/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: what the keeper has to be told for one approved run. Looks, changes nothing.
 */
#ifndef CORDON_CORE_APPROVED_H
#define CORDON_CORE_APPROVED_H

#include "core/view.h"

/*
 * A path for working directories that does not exist: below $XDG_RUNTIME_DIR when that can
 * be used, and by its users, who as_root are others than the caller; else below /tmp.
 */
int approved_work_path(int as_root, char *ret, size_t size, struct cordon_err *reterr);

/* Whether the run sees no files of the host, as the profile may say. */
int approved_has_view(const struct profile *profile, uint32_t walls_down);

/* Whether the profile's promises to approved runs can be kept with those walls down. */
int approved_check(const struct profile *profile, uint32_t walls_down, struct cordon_err *reterr);

/* Writes the plan. work: such a path, unused when the run has a view of its own. helper_dir is where the worker module is. */
int approved_plan(const struct profile *profile, const struct interpreter *interpreter,
                  const char *helper_dir, const char *work, uint32_t walls_down,
                  struct buf *ret_plan, struct cordon_err *reterr);

/*
 * The interpreter of the virtual environment that the run's own environment has been put into
 * (activate sets VIRTUAL_ENV); 0 and *ret_in, or -1: it is the profile's. Profiles that name an
 * interpreter, or packages, or that show a view, mean theirs.
 */
int approved_venv(const struct profile *profile, uint32_t walls_down, char *const *envp,
                  struct interpreter *ret_in);

/* *ret_fd: a sealed memory file with the environment, each text with its NUL. */
int approved_environ(char *const *envp, int *ret_fd, struct cordon_err *reterr);

#endif
