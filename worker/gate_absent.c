/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_absent: what is said of names that are nowhere: those that Python once had, those that a
 * module does not have, those that somebody forgot to import. It judges nothing.
 */
#include "gate_int.h"

#include <string.h>

/* Names of Python 2 (or an older 3), the module they were in, and what is written for them now. */
static const struct {
    const char *name, *module, *instead;
} moved[] = {
    {"basestring", "", "str"},
    {"ifilter", "itertools", "filter"},
    {"imap", "itertools", "map"},
    {"izip", "itertools", "zip"},
    {"izip_longest", "itertools", "itertools.zip_longest"},
    {"long", "", "int"},
    {"raw_input", "", "input_data"},
    {"unichr", "", "chr"},
    {"unicode", "", "str"},
    {"xrange", "", "range"},
    {"div", "operator", "operator.floordiv"},
    {"gcd", "fractions", "math.gcd"},
    {"letters", "string", "string.ascii_letters"},
    {"lowercase", "string", "string.ascii_lowercase"},
    {"maketrans", "string", "str.maketrans"},
    {"uppercase", "string", "string.ascii_uppercase"},
    {"clock", "time", "time.perf_counter"},
    {"Callable", "collections", "collections.abc.Callable"},
    {"Hashable", "collections", "collections.abc.Hashable"},
    {"Iterable", "collections", "collections.abc.Iterable"},
    {"Iterator", "collections", "collections.abc.Iterator"},
    {"Mapping", "collections", "collections.abc.Mapping"},
    {"MutableMapping", "collections", "collections.abc.MutableMapping"},
    {"Sequence", "collections", "collections.abc.Sequence"},
};

/* What is written for it now, or NULL. module: NULL for a name without one, which may have had it. */
static const char *moved_to(const char *module, const char *name)
{
    for (size_t k = 0; k < ARRAY_LEN(moved); k++)
        if (is_same(moved[k].name, name) && (!module || is_same(moved[k].module, module)))
            return moved[k].instead;
    return NULL;
}

/* ---- of a module ------------------------------------------------------------------------------ */

/* Whether the module has no such name, nor could make one when it is asked. Not all are loaded. */
static int lacks(const struct export_module *module, const char *name)
{
    AUTO_PY key = PyUnicode_FromString(module->name);
    AUTO_PY real = key ? PyImport_GetModule(key) : NULL;
    PyErr_Clear();
    PyObject *names = real && PyModule_CheckExact(real) ? PyModule_GetDict(real) : NULL;
    return names && !PyDict_GetItemString(names, name) &&
           !PyDict_GetItemString(names, "__getattr__") && !PyDict_GetItemString(names, "__path__");
}

int warn_no_export(struct gate *g, enum rule_id rule, uint32_t i,
                   const struct export_module *module, const char *name)
{
    const char *instead = moved_to(module->name, name);
    if (instead)
        return gate_warn(g, rule, i, "Python 3 has no `%s.%s`; there, one writes `%s`.",
                         module->name, name, instead);
    if (lacks(module, name))
        return gate_warn(g, rule, i, "Python's module `%s` has no `%s`: this will be an error.",
                         module->name, name);
    return gate_warn(
        g, rule, i,
        "`%s.%s` is not among the names that code may use of this module: there may be "
        "no such name, or it has not been found harmless, and could be another module "
        "or a private part.",
        module->name, name);
}

/* ---- of nothing --------------------------------------------------------------------------------- */

/* The module that somebody most likely forgot to import it from, or NULL. */
static const char *likely_module(const char *name)
{
    static const char *const likely[] = {
        "math",  "collections", "functools",  "itertools", "dataclasses", "typing", "abc",
        "enum",  "datetime",    "decimal",    "fractions", "random",      "copy",   "bisect",
        "heapq", "operator",    "contextlib", "string",    "statistics"};
    for (size_t k = 0; name[0] && name[1] && k < ARRAY_LEN(likely); k++) {
        const struct export_module *module = exports_find(likely[k]);
        if (module && exports_has(module, name))
            return module->name;
    }
    return NULL;
}

int warn_unbound(struct gate *g, uint32_t i)
{
    const char *name = NAME(g, N(g, i)->name)->text, *instead = moved_to(NULL, name);
    const char *module = likely_module(name);
    if (exports_find(name))
        return gate_warn(g, RULE_UNKNOWN_NAME, i,
                         "The name `%s` is not defined anywhere in the code; for the module, "
                         "write `import %s`.",
                         name, name);
    if (module)
        return gate_warn(g, RULE_UNKNOWN_NAME, i,
                         "The name `%s` is not defined anywhere in the code; for what the module "
                         "has, write `from %s import %s`.",
                         name, module, name);
    if (instead)
        return gate_warn(
            g, RULE_UNKNOWN_NAME, i,
            "The name `%s` is not defined anywhere in the code, nor by Python 3; there, "
            "one writes `%s`.",
            name, instead);
    return gate_warn(g, RULE_UNKNOWN_NAME, i,
                     "The name `%s` is not defined anywhere in the code, and nobody can say what "
                     "it would be.",
                     name);
}
