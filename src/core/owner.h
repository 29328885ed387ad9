/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner: names on the host for what is not to outlive the process that made it, so that
 * whoever comes after a crash can tell: a name says which process it belongs to.
 */
#ifndef CORDON_CORE_OWNER_H
#define CORDON_CORE_OWNER_H

#include "cordon.h"

#define OWNER_NAME_MAX 96

/* A new name of this process's. */
int owner_name(char ret[OWNER_NAME_MAX], struct cordon_err *reterr);

/* Whether it is such a name, of a process of our PID namespace that has ended. */
int owner_is_gone(const char *name);

/* Calls remove(path) for what the directory holds of processes that have ended. */
void owner_sweep(const char *dir, void (*remove)(const char *path));

#endif
