/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: what the keeper has to be told for one approved run. Looks, changes nothing.
 */
#ifndef CORDON_CORE_APPROVED_H
#define CORDON_CORE_APPROVED_H

#include "core/view.h"

/*
 * A path for the run's working directory that does not exist: below $XDG_RUNTIME_DIR when
 * that can be used, else below /tmp.
 */
int approved_work_path(char *ret, size_t size, struct cordon_err *reterr);

/* Writes the plan. work: such a path, unused when the profile says that an approved run of it
 * sees no files of the host. helper_dir is where the worker module is. */
int approved_plan(const struct profile *profile, const struct interpreter *interpreter,
                  const char *helper_dir, const char *work, uint32_t walls_down,
                  struct buf *ret_plan, struct cordon_err *reterr);

/* *ret_fd: a sealed memory file with the environment, each text with its NUL. */
int approved_environ(char *const *envp, int *ret_fd, struct cordon_err *reterr);

#endif
