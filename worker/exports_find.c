/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports_find: look-ups in the table of exports.c. No Python, no memory, no state.
 */
#include "exports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_module(const void *key, const void *row)
{
    return strcmp(key, ((const struct export_module *)row)->name);
}

static int compare_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct export_name *)row)->name);
}

const struct export_module *exports_find(const char *module)
{
    return bsearch(module, export_modules, export_module_count, sizeof(export_modules[0]),
                   compare_module);
}

const struct export_name *exports_name(const struct export_module *module, const char *name)
{
    if (module->count == 0)
        return NULL;
    return bsearch(name, module->names, module->count, sizeof(module->names[0]), compare_name);
}

int exports_has(const struct export_module *module, const char *name)
{
    const struct export_name *row = exports_name(module, name);
    return row && !row->denied;
}

const struct export_module *exports_submodule(const struct export_module *module, const char *name)
{
    char dotted[64];
    int len = snprintf(dotted, sizeof(dotted), "%s.%s", module->name, name);
    return len > 0 && (size_t)len < sizeof(dotted) ? exports_find(dotted) : NULL;
}
