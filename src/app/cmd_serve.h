/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve: `cordon serve`.
 */
#ifndef CORDON_APP_CMD_SERVE_H
#define CORDON_APP_CMD_SERVE_H

#include "app/options.h"

extern const struct command cmd_serve;

#endif
