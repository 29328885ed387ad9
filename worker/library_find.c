/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_find: look-ups in the tables of library_calls.c. No Python.
 */
#include "library_calls.h"

#include <string.h>

const char *library_private(size_t at, const char **ret_module)
{
    if (at >= library_name_count)
        return NULL;
    *ret_module = library_name_rows[at].module;
    return library_name_rows[at].name;
}

int library_calls(const char *name)
{
    size_t low = 0, high = library_call_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, library_call_rows[middle].name);
        if (order == 0)
            return library_call_rows[middle].most;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}
