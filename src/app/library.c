/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library: see library.h. Whether text is UTF-8, JSON, or too much is the library's to
 * say: here it only gets the name of the option or file that it came from.
 */
#include "app/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/out.h"

int library_engine(const struct run_options *o, struct cordon_engine **ret_engine,
                   struct cordon_err *reterr)
{
    const struct cordon_options options = {
        .size = sizeof(options),
        .python = o->python,
        .drop_walls = o->drop_walls,
        .config = o->config,
        .floor = o->floor,
    };
    return cordon_engine_new(&options, ret_engine, reterr);
}

/* Reads all of fd. 0, -errno, or -E2BIG past max. */
static int read_fd(int fd, size_t max, struct buf *to)
{
    char piece[65536];
    ssize_t n;
    while ((n = read(fd, piece, sizeof(piece))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        int r = n < 0 ? -errno : buf_add(to, piece, (size_t)n, max);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_named(const char *file, size_t max, struct buf *to)
{
    if (strcmp(file, "-") == 0)
        return read_fd(STDIN_FILENO, max, to);
    AUTO_FD fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : read_fd(fd, max, to);
}

int library_read(const char *file, size_t max, struct buf *to, char why[128])
{
    int r = read_named(file, max, to);
    if (r == -E2BIG)
        snprintf(why, 128, "longer than %zu MiB, more than any profile takes", max >> 20);
    else if (r < 0)
        snprintf(why, 128, "%s", strerror(-r));
    return r;
}

const char *library_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

int library_refused(const char *file, const struct cordon_err *err)
{
    const struct option_row *row = options_by_field(err->step);
    char name[32];
    if (row)
        out_complain("%s: %s", options_spelling(row, name), err->msg);
    else if (strcmp(err->step, "code") == 0)
        out_complain("%s: %s", library_name(file), err->msg);
    else
        out_complain("%s", err->msg);
    return err->code == CORDON_E_ARG || err->code == CORDON_E_PROFILE ? EXIT_USAGE : EXIT_INTERNAL;
}

int library_exit(enum cordon_status status)
{
    for (size_t i = 0; i < exit_nrows; i++)
        if (exit_rows[i].status == status)
            return exit_rows[i].code;
    return EXIT_INTERNAL;
}
