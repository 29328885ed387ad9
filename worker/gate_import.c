/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_import: import statements, against the export table. A module may be named, never
 * kept, and nothing is imported into a class.
 */
#include "gate_int.h"

#include <string.h>

static int warn_import(struct gate *g, uint32_t i, const char *module)
{
    return gate_warn(
        g, RULE_IMPORT, i,
        "The module `%s` is not among those that code may use without being asked: "
        "it has not been found harmless, and could reach files, programs or the network.",
        module);
}

/* An import in a class body binds an attribute: whatever it is, C.x is it, and C().x. */
static int check_kept(struct gate *g, uint32_t i, enum rule_id rule, const char *what)
{
    if (g->scopes[N(g, i)->scope].kind != SCOPE_CLASS)
        return 0;
    return gate_warn(g, rule, i,
                     "`%s` becomes an attribute of a class, where the gate cannot see what is done "
                     "with it; import it above the class.",
                     what);
}

/*
 * For those who check types: it binds nothing, as `if False: x = 1` does not. But what it names
 * counts as bound, and the interpreter's own names are bound already.
 */
static int is_for_checkers(const struct gate *g, uint32_t i)
{
    FOR_CHILDREN (g, c, i) {
        const char *name = NAME(g, N(g, c)->name2 ? N(g, c)->name2 : N(g, c)->name)->text;
        if (strncmp(name, "__", 2) == 0 || strcmp(name, "*") == 0)
            return 0;
    }
    return is_never_run(g, i);
}

int check_import(struct gate *g, uint32_t i)
{
    if (is_for_checkers(g, i))
        return 0;
    FOR_CHILDREN (g, c, i) {
        const char *module = NAME(g, N(g, c)->name)->text;
        if (!exports_find(module) ? warn_import(g, c, module) < 0
                                  : check_kept(g, c, RULE_MODULE_VALUE, module) < 0)
            return -1;
    }
    return 0;
}

static int check_item(struct gate *g, uint32_t i, const struct export_module *module)
{
    const char *item = NAME(g, N(g, i)->name)->text;
    const struct export_name *row = exports_name(module, item);
    if (strcmp(item, "*") == 0)
        return module->star ? 0
                            : gate_warn(g, RULE_STAR_IMPORT, i,
                                        "`from %s import *` would bring in names that are not "
                                        "open to code; import the ones that are needed.",
                                        module->name);
    if (row && !row->denied)
        return check_kept(g, i, RULE_IMPORT_NAME, item);
    if (row)
        return gate_warn(g, RULE_IMPORT_NAME, i, "`%s.%s` is not open to code (%s).", module->name,
                         item, row->denied);
    if (exports_submodule(module, item))
        return check_kept(g, i, RULE_MODULE_VALUE, item);
    return warn_no_export(g, RULE_IMPORT_NAME, i, module, item);
}

int check_import_from(struct gate *g, uint32_t i)
{
    const char *text = NAME(g, N(g, i)->name)->text;
    if (is_for_checkers(g, i))
        return 0;
    if (N(g, i)->op != 0)
        return gate_warn(g, RULE_RELATIVE_IMPORT, i,
                         "A relative import asks for a module beside this one, and there is "
                         "none: what it finds is anybody's guess.");
    const struct export_module *module = exports_find(text);
    if (!module)
        return warn_import(g, i, text);
    FOR_CHILDREN (g, c, i)
        if (check_item(g, c, module) < 0)
            return -1;
    return 0;
}
