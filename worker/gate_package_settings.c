/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package_settings: what the settings of packages are given: backends, styles, fonts,
 * options of pandas, rcParams of matplotlib. Literal names of harmless ones are tame; a setting
 * that loads code, starts a program or names a file is not (package_rows.c).
 */
#include "gate_int.h"
#include "gate_package.h"
#include "package.h"

#include <string.h>

#define ITEMS_MAX 64 /* of a display, looked at */

int is_backend(const struct gate *g, uint32_t i)
{
    static const char *const known[] = {"agg", "Agg", "AGG", "matplotlib", NULL};
    const char *text = package_text_of(g, i);
    return is_none(g, i) || (text && package_is_one_of(text, known));
}

/* "DejaVu Sans:bold", {"size": 8}: no pattern with a file in it, no path. */
int is_font(const struct gate *g, uint32_t i)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    i = value ? value : i;
    const char *text = package_text_of(g, i);
    if (text)
        return !strstr(text, "file");
    if (kind_of(g, i) == K_Call)
        return !package_is_export(g, first_child(g, i), "pathlib", "PurePath") &&
               !package_is_export(g, first_child(g, i), "pathlib", "PurePosixPath");
    if (kind_of(g, i) != K_Dict)
        return 1;
    FOR_CHILDREN (g, c, i) {
        const char *key = N(g, c)->field == F_keys ? package_text_of(g, c) : NULL;
        if (key && (strcmp(key, "fname") == 0 || strcmp(key, "file") == 0))
            return 0;
    }
    return 1;
}

int is_style(const struct gate *g, uint32_t i)
{
    const char *text = package_text_of(g, i);
    if (kind_of(g, i) == K_List || kind_of(g, i) == K_Tuple) {
        FOR_CHILDREN (g, c, i)
            if (!package_text_of(g, c) || !is_style(g, c))
                return 0;
        return 1;
    }
    return text && !strpbrk(text, "/\\.:~");
}

/* set_option("display.width", 100, "display.precision", 2) */
int is_shape_options(const struct gate *g, uint32_t call)
{
    unsigned at = 0;
    FOR_CHILDREN (g, c, call) {
        if (N(g, c)->field != F_args)
            continue;
        int is_key = at++ % 2 == 0;
        const char *key = is_key ? package_text_of(g, c) : NULL;
        if (is_key && (!key || package_option_is_door(key)))
            return 0;
    }
    return !child_of(g, call, F_keywords);
}

/* {"figure.dpi": 100}; for "axes.prop_cycle" no text, which is evaluated. */
static int is_setting(const struct gate *g, const char *key, uint32_t value)
{
    if (!key || package_setting_is_door(key))
        return 0;
    return strcmp(key, "axes.prop_cycle") != 0 || !value || kind_of(g, value) == K_Call;
}

static int are_defaults(const struct gate *g, uint32_t i)
{
    return package_is_export(g, i, "matplotlib.pyplot", "rcParamsDefault") ||
           package_is_export(g, i, "matplotlib", "rcParamsDefault");
}

static int are_settings(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Dict)
        return are_defaults(g, i);
    unsigned keys = count_of(g, i, F_keys);
    if (keys > ITEMS_MAX)
        return 0;
    for (unsigned k = 0; k < keys && may_go_on(g); k++)
        if (!is_setting(g, package_text_of(g, child_at(g, i, F_keys, k)),
                        child_at(g, i, F_values, k)))
            return 0;
    return 1;
}

/* rc("font", size=12), rc_context({"figure.dpi": 100}) */
int is_shape_rc(const struct gate *g, uint32_t call)
{
    static const char *const none[] = {"rc", NULL};
    uint32_t first = package_first_argument(g, call, none);
    const char *group = first ? package_text_of(g, first) : NULL;
    if (!first)
        return !child_of(g, call, F_keywords);
    if (!group)
        return are_settings(g, first) && count_of(g, call, F_args) == 1;
    AUTO_PY dotted = PyUnicode_FromFormat("%s.", group);
    const char *text = dotted ? PyUnicode_AsUTF8AndSize(dotted, NULL) : NULL;
    PyErr_Clear();
    if (!text || package_setting_is_door(text) || strcmp(group, "text") == 0 ||
        strcmp(group, "svg") == 0)
        return 0;
    uint32_t cycle = keyword_of(g, call, "prop_cycle");
    return !cycle || kind_of(g, cycle) == K_Call;
}

/* The value that an assignment gives to node i, or 0. */
static uint32_t assigned_to(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    return kind_of(g, parent) == K_Assign && N(g, i)->field == F_targets
               ? child_of(g, parent, F_value)
               : 0;
}

/* rcParams["figure.dpi"], rcParams.update({...}) */
int is_settings_use(const struct gate *g, uint32_t i)
{
    static const char *const reading[] = {"get",    "copy",     "keys", "items",
                                          "values", "find_all", NULL};
    uint32_t parent = N(g, i)->parent, call = N(g, parent)->parent;
    if (kind_of(g, parent) == K_Subscript && N(g, i)->field == F_value) {
        uint32_t value = is_load(g, parent) ? 0 : assigned_to(g, parent);
        return (is_load(g, parent) || value) &&
               is_setting(g, package_text_of(g, child_of(g, parent, F_slice)), value);
    }
    if (is_in_field(g, i, K_Call, F_args) && are_defaults(g, i)) /* judged with the call */
        return kind_of(g, first_child(g, parent)) == K_Attribute &&
               is_settings_use(g, first_child(g, first_child(g, parent)));
    if (kind_of(g, parent) != K_Attribute || !is_in_field(g, parent, K_Call, F_func))
        return 0;
    if (strcmp(package_name_of(g, parent), "update") == 0)
        return count_of(g, call, F_args) == 1 && !child_of(g, call, F_keywords) &&
               are_settings(g, child_of(g, call, F_args));
    return package_is_one_of(package_name_of(g, parent), reading);
}
