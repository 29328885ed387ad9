/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports_find: look-ups in the table of exports.c, and in those that packages got while the
 * zygote loaded. No Python.
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

static struct export_module added[EXPORTS_ADDED_MAX];
static const struct export_module *order[EXPORTS_ADDED_MAX]; /* by name */
static size_t added_count;

int exports_add(const struct export_module *module)
{
    size_t at = added_count;
    if (added_count == EXPORTS_ADDED_MAX)
        return -1;
    for (; at > 0 && strcmp(order[at - 1]->name, module->name) > 0; at--)
        order[at] = order[at - 1];
    added[added_count] = *module;
    order[at] = &added[added_count++];
    return 0;
}

int exports_is_added(const struct export_module *module)
{
    return module >= added && module < added + added_count;
}

size_t exports_added(void)
{
    return added_count;
}

const struct export_module *exports_added_at(size_t at)
{
    return &added[at];
}

size_t exports_index(const struct export_module *module)
{
    return exports_is_added(module) ? export_module_count + (size_t)(module - added)
                                    : (size_t)(module - export_modules);
}

static int compare_added(const void *key, const void *row)
{
    return strcmp(key, (*(const struct export_module *const *)row)->name);
}

const struct export_module *exports_find(const char *module)
{
    const struct export_module *found = bsearch(module, export_modules, export_module_count,
                                                sizeof(export_modules[0]), compare_module);
    if (found)
        return found;
    const struct export_module *const *more =
        bsearch(module, order, added_count, sizeof(order[0]), compare_added);
    return more ? *more : NULL;
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
