/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve: `cordon serve`, as the command line knows it.
 */
#include "app/cmd_serve.h"

const struct command cmd_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer requests over HTTP at a Unix socket, until a signal ends it",
    .rows = serve_rows,
    .epilogue = "Exit status:\n"
                "  0  it was asked to end, and all that ran had ended (or standard input had)\n"
                "  2  the command line or the configuration is wrong, or the socket is not to be "
                "had\n"
                "  6  Cordon could not do it\n"
                "  128 + n  a second signal n ended it, and what ran\n",
    .main = serve_main,
};
