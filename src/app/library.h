/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library: the way from a command line to libcordon and back: options to an engine, files
 * to text, refusals to a line that names the option or file, statuses to exit codes.
 */
#ifndef CORDON_APP_LIBRARY_H
#define CORDON_APP_LIBRARY_H

#include <stddef.h>

#include "app/options.h"
#include "base/io.h"
#include "cordon.h"

/* Above every profile's own caps; they only end the reading of what has no end. */
#define LIBRARY_CODE_MAX ((size_t)16 << 20)
#define LIBRARY_INPUT_MAX ((size_t)256 << 20)

int library_engine(const struct run_options *o, struct cordon_engine **ret_engine,
                   struct cordon_err *reterr);

/* Reads `file` ("-": standard input), or says in `why` why not. 0 or -errno. */
int library_read(const char *file, size_t max, struct buf *to, char why[128]);

/* "standard input", or the file's own name. */
const char *library_name(const char *file);

/* Says what the library refused: about `file` where it is the code. Returns the exit code. */
int library_refused(const char *file, const struct cordon_err *err);

int library_exit(enum cordon_status status);

#endif
