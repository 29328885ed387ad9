/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run: `cordon run`.
 */
#ifndef CORDON_APP_CMD_RUN_H
#define CORDON_APP_CMD_RUN_H

#include "app/options.h"

extern const struct command cmd_run;

#endif
