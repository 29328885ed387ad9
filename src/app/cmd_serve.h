/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve: `cordon serve`. What it does is a program of its own, cordon-serve: the HTTP
 * library brings a dozen others along, whose loading would double the time in which `cordon
 * run` is there. Both programs are the same but for serve_main(): serve_exec.c for the one,
 * serve.c for the other.
 */
#ifndef CORDON_APP_CMD_SERVE_H
#define CORDON_APP_CMD_SERVE_H

#include "app/options.h"

extern const struct command cmd_serve;

int serve_main(const struct command *self, int argc, char **argv);

#endif
