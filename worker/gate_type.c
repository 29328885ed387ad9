/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_type: type expressions. An annotation is code like any other, and most are run: what
 * stands in one is harmless only where nothing but classes of the standard library, or
 * classes of the source that do not decide it themselves, get to see it.
 */
#include "gate_int.h"

#include <string.h>

#define UNION_MAX 64 /* parts of `X | Y | Z` that are looked at */

int is_real_class(const struct gate *g, uint32_t i)
{
    uint32_t class = class_sure(g, i);
    return class && class_facts_known(g, class) & CLASS_REAL;
}

int decides_subscripts(const struct gate *g)
{
    static const char method[] = "__class_getitem__";
    uint32_t id = gate_name_find_text(g, method, sizeof(method) - 1);
    return id && NAME(g, id)->defined;
}

int is_type_maker(const struct gate *g, uint32_t i)
{
    enum builtin what = builtin_sure(g, i);
    return what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH || what == BUILTIN_TYPE ||
           export_sure(g, i) || (is_real_class(g, i) && !decides_subscripts(g));
}

/* One side of `X | Y`: something whose `|` is not the code's own. */
static int is_type(const struct gate *g, uint32_t i)
{
    for (int looked = 0; looked < UNION_MAX; looked++) {
        if (kind_of(g, i) != K_BinOp || N(g, i)->op != K_BitOr) {
            if (kind_of(g, i) == K_Subscript)
                return is_type_maker(g, first_child(g, i));
            return kind_of(g, i) == K_Constant || is_type_maker(g, i) || is_real_class(g, i);
        }
        if (!is_type(g, child_of(g, i, F_right)))
            return 0;
        i = first_child(g, i);
    }
    return 0;
}

static int is_defined(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

int compares_as_it_likes(const struct gate *g)
{
    return is_defined(g, "__eq__") &&
           (is_defined(g, "__hash__") || gate_module_in_use(g, "dataclasses") ||
            g->derives_abroad); /* UserString hashes and compares what it holds */
}

int is_in_type(const struct gate *g, uint32_t i)
{
    if (!(N(g, i)->flags & IN_ANNOTATION))
        return 0;
    if (g->future_annotations && !(N(g, i)->flags & EVALUATED))
        return 1; /* kept as text, which nothing evaluates */
    if (!(N(g, i)->flags & IN_TYPE))
        return 0;
    for (uint32_t up = i; N(g, N(g, up)->parent)->flags & IN_TYPE && may_go_on(g);
         up = N(g, up)->parent) {
        uint32_t parent = N(g, up)->parent;
        if (kind_of(g, parent) == K_Subscript && N(g, up)->field == F_slice) {
            uint32_t base = first_child(g, parent);
            if (!is_type_maker(g, base))
                return 0;
            /* typing keeps what it made, and compares it with what it is asked for next. */
            if (export_sure(g, base) && compares_as_it_likes(g))
                return 0;
        }
        if (kind_of(g, parent) != K_BinOp)
            continue;
        uint32_t left = first_child(g, parent);
        if (!is_type(g, left == up ? child_of(g, parent, F_right) : left))
            return 0;
    }
    return 1;
}
