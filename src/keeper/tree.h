/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: how much the processes of an approved run hold together. No resource limit counts
 * over processes, and a control group is not to be had everywhere: so the keeper looks.
 */
#ifndef CORDON_KEEPER_TREE_H
#define CORDON_KEEPER_TREE_H

#include "base/wire.h"

#include <sys/types.h>

/*
 * Whether what runs in the keeper's PID namespace, but for the keeper itself and `init`,
 * holds more than spec allows. WIRE_LIMIT_NONE: no. Needs a /proc of that namespace.
 */
enum wire_limit tree_over(const struct sandbox_spec *spec, pid_t init);

#endif
