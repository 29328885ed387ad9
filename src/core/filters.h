/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filters: the call filters, ready to be handed to a box. They are compiled from the tables
 * (core/syscalls.h) when Cordon is built, by tools/make_filters.c: libseccomp takes longer for
 * one than a sandbox takes for all its walls.
 */
#ifndef CORDON_CORE_FILTERS_H
#define CORDON_CORE_FILTERS_H

#include "cordon.h"

#include <stddef.h>

/* One for each table, in whose words the rows give their reasons. */
enum filter_kind {
    FILTER_STRICT,
    FILTER_STRICT_CONTAINED,
    FILTER_APPROVED,
    FILTER_APPROVED_CONTAINED,
    FILTERS
};

/* What jail/filter.h loads. */
struct filter_image {
    const void *bytes;
    size_t len;
};
extern const struct filter_image filter_images[FILTERS]; /* generated */

/* *ret_fd: a sealed memory file that holds the filter, the caller's. */
int filters_open(enum filter_kind which, int *ret_fd, struct cordon_err *reterr);

#endif
