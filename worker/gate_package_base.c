/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package_base: classes of the source that packages written in C take at their word. What
 * derives from an array or a frame may lie about its shape, what derives from a number may
 * compute as it likes: no table of such lies would be complete, so it is asked about.
 */
#include "gate_package.h"
#include "type_object.h"

#include <string.h>

#define CHAIN_MAX 16 /* of classes derived from one another */

static uint32_t base_of(const struct gate *g, uint32_t i)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    i = value ? value : i;
    return kind_of(g, i) == K_Subscript ? first_child(g, i) : i;
}

static int is_static(PyObject *class)
{
    AUTO_PY module = type_module(class);
    return !(PyType_GetFlags((PyTypeObject *)(void *)class) & Py_TPFLAGS_HEAPTYPE) && module &&
           PyUnicode_CompareWithASCIIString(module, "builtins") != 0;
}

/* Whether it is written in C, or something that it derives from. */
static int is_in_c(PyObject *class)
{
    AUTO_PY order = PyObject_GetAttrString(class, "__mro__");
    PyErr_Clear();
    for (Py_ssize_t k = 0; order && k < PyTuple_Size(order); k++)
        if (is_static(PyTuple_GetItem(order, k)))
            return 1;
    return !order;
}

static int is_trusted(const struct export_name *row)
{
    AUTO_PY class = package_class_of(row);
    const char *module = package_module_of(row)->name;
    if (class && PyObject_IsSubclass(class, PyExc_BaseException) == 1)
        return 0;
    return strncmp(module, "numpy", 5) == 0 || strncmp(module, "pandas", 6) == 0 ||
           (class && is_in_c(class));
}

/* A base of which nothing is known but that it is none of a package's. */
static int is_made_elsewhere(const struct gate *g, uint32_t i)
{
    const struct symbol *s = symbol_of(g, i);
    if (s && s->kinds == BINDS(BIND_REFUSED))
        return 1; /* and warned of, or never bound */
    return class_sure(g, i) || builtin_sure(g, i) != BUILTIN_NONE || export_sure(g, i) ||
           (kind_of(g, i) == K_Call && export_sure(g, first_child(g, i)) &&
            !package_module_of(export_sure(g, first_child(g, i))));
}

int check_package_base(struct gate *g, uint32_t base)
{
    if (!g->packages)
        return 0;
    uint32_t i = base_of(g, base);
    const struct export_name *row = export_sure(g, i);
    const char *name = "This base";
    if (row && package_module_of(row)) {
        name = row->name;
        if (!is_trusted(row))
            return 0;
    } else if (is_made_elsewhere(g, i)) {
        return 0;
    }
    return gate_warn(
        g, RULE_PACKAGE_DOOR, base,
        "%s %s written in C: a class that completes one can make it read and write any "
        "memory of the process.",
        name, row ? "is, at least in part," : "is not known, and may be");
}

/* ---- numbers and texts that compute as they like ----------------------------------------------- */

static int is_number(const struct gate *g, uint32_t base)
{
    static const char *const names[] = {"bytes", "complex", "float", "int", "str", "tuple"};
    const struct export_name *row = export_sure(g, base);
    if (row && row->kind == EXPORT_ENUM)
        return strcmp(row->name, "Enum") != 0 && strcmp(row->name, "Flag") != 0;
    for (size_t k = 0; builtin_sure(g, base) != BUILTIN_NONE && k < ARRAY_LEN(names); k++)
        if (strcmp(NAME(g, N(g, base)->name)->text, names[k]) == 0)
            return 1;
    return 0;
}

static int derives_number(const struct gate *g, uint32_t class, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t base = base_of(g, c), own = class_sure(g, base);
        if (own ? depth < CHAIN_MAX && derives_number(g, own, depth + 1) : is_number(g, base))
            return 1;
    }
    return 0;
}

/* An operator, a comparison or a conversion, but for what only shows the object. */
static int is_computing(const struct name *name)
{
    static const char *const showing[] = {"__bool__", "__dir__", "__format__", "__hash__",
                                          "__repr__", "__str__", "__sizeof__"};
    for (size_t k = 0; k < ARRAY_LEN(showing); k++)
        if (strcmp(showing[k], name->text) == 0)
            return 0;
    return name->dunder && name->dunder->calls >= 0 && name->dunder->flags & DUNDER_DEFINE;
}

static int computes(const struct gate *g, uint32_t class, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        uint32_t own = N(g, c)->field == F_bases ? class_sure(g, base_of(g, c)) : 0;
        uint32_t target = kind_of(g, c) == K_Assign ? child_of(g, c, F_targets) : c;
        if ((own && depth < CHAIN_MAX && computes(g, own, depth + 1)) ||
            (N(g, c)->field == F_body && is_computing(NAME(g, N(g, target)->name))))
            return 1;
    }
    return 0;
}

int check_package_number(struct gate *g, uint32_t class)
{
    if (!g->packages || !derives_number(g, class, 0) || !computes(g, class, 0))
        return 0;
    return gate_warn(g, RULE_DUNDER_DEFINITION, class,
                     "The instances of this class are numbers or texts that compute as they like: "
                     "packages written in C take them for sizes and places in memory.");
}
