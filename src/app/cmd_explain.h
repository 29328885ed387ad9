/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_explain: `cordon explain`.
 */
#ifndef CORDON_APP_CMD_EXPLAIN_H
#define CORDON_APP_CMD_EXPLAIN_H

#include "app/options.h"

extern const struct command cmd_explain;

#endif
