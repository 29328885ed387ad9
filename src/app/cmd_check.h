/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check: `cordon check`.
 */
#ifndef CORDON_APP_CMD_CHECK_H
#define CORDON_APP_CMD_CHECK_H

#include "app/options.h"

extern const struct command cmd_check;

#endif
