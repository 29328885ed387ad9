/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look: one function per row of the probe table. Each is called in a copy of the process,
 * in the place that its row names, and may do to itself whatever it wants to.
 *
 * 0 and t->detail, and where it is not simply well t->status; or a negative code.
 */
#ifndef CORDON_JAIL_LOOK_H
#define CORDON_JAIL_LOOK_H

#include "jail/trial.h"

int look_measure(struct trial *t, struct cordon_err *reterr);
int look_memory_files(struct trial *t, struct cordon_err *reterr);
int look_pidfd(struct trial *t, struct cordon_err *reterr);
int look_descriptors(struct trial *t, struct cordon_err *reterr);
int look_user(struct trial *t, struct cordon_err *reterr);
int look_namespaces(struct trial *t, struct cordon_err *reterr);
int look_box_proc(struct trial *t, struct cordon_err *reterr);
int look_view(struct trial *t, struct cordon_err *reterr);
int look_enter_box(struct trial *t, struct cordon_err *reterr);
int look_sandbox(struct trial *t, struct cordon_err *reterr);
int look_limits(struct trial *t, struct cordon_err *reterr);
int look_no_new_privs(struct trial *t, struct cordon_err *reterr);
int look_landlock(struct trial *t, struct cordon_err *reterr);
int look_contained(struct trial *t, struct cordon_err *reterr);
int look_seccomp(struct trial *t, struct cordon_err *reterr);
int look_hidden_memory(struct trial *t, struct cordon_err *reterr);

#endif
