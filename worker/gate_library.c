/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_library: what harmless looking code can make the standard library do on its behalf:
 * import a module while an error is put into words, run text as the signature of a class, make
 * something by the class of what it is given, or write to what `__new__` answers with.
 */
#include "gate_int.h"

#include <string.h>

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

/* ---- ImportError: a suggestion imports the module -------------------------------------------- */

int is_import_hint(const char *name)
{
    return is_same(name, "name_from");
}

int warn_import_hint(struct gate *g, uint32_t i)
{
    return gate_warn(g, RULE_IMPORT, i,
                     "An ImportError with `name_from` makes Python import the module that it "
                     "names, to find a suggestion for the message.");
}

int check_keyword_name(struct gate *g, uint32_t i)
{
    if (kind_of(g, N(g, i)->parent) == K_Call && NAME(g, N(g, i)->name)->attr == ATTR_DUNDER)
        return gate_warn(g, RULE_DUNDER_NAME, i,
                         "`%s` is given as a keyword: it may become an attribute that the "
                         "interpreter asks for.",
                         text_of_name(g, i));
    return is_import_hint(text_of_name(g, i)) ? warn_import_hint(g, i) : 0;
}

static int is_in_handler(const struct gate *g, uint32_t i)
{
    uint32_t up = is_in_field(g, i, K_Tuple, F_elts) ? N(g, i)->parent : i;
    return is_in_field(g, up, K_ExceptHandler, F_type);
}

/* ImportError, where its arguments are not seen and could hold any name. */
int check_import_error(struct gate *g, uint32_t i)
{
    int call = is_in_field(g, i, K_Call, F_func) && !call_shape(g, N(g, i)->parent).starred;
    if (!g->double_starred || call || is_in_handler(g, i) || is_instance_test(g, i) ||
        is_in_field(g, i, K_Raise, F_exc) || is_in_type(g, i))
        return 0;
    return warn_import_hint(g, i);
}

/* ---- dataclasses: the signature goes into the documentation ---------------------------------- */

int makes_instances(const char *name)
{
    return strcmp(name, "__init__") == 0 || strcmp(name, "__new__") == 0;
}

/* A lambda, or a function of the source without decorators. */
int has_plain_signature(const struct gate *g, uint32_t value)
{
    const struct bind *b = value ? only_bind(g, symbol_of(g, value)) : NULL;
    if (gate_name_find_text(g, "update_wrapper", sizeof("update_wrapper") - 1) ||
        gate_name_find_text(g, "wraps", sizeof("wraps") - 1))
        return 0; /* `__wrapped__` answers for it */
    return value && (kind_of(g, value) == K_Lambda ||
                     (b && b->kind == BIND_FUNCTION && is_function(g, b->node) &&
                      !child_of(g, b->node, F_decorator_list)));
}

/* `def __init__` and no other object in its place, which could answer with text. */
int check_signature(struct gate *g, uint32_t i, uint32_t value)
{
    if (!gate_module_in_use(g, "dataclasses") || !makes_instances(text_of_name(g, i)))
        return 0;
    if (value ? has_plain_signature(g, value)
              : is_function(g, i) && !child_of(g, i, F_decorator_list))
        return 0;
    return gate_warn(g, RULE_DUNDER_DEFINITION, i,
                     "A dataclass asks for the signature of `%s`, and what stands in for a "
                     "method can answer with text that is evaluated.",
                     text_of_name(g, i));
}

/* Text that `__text_signature__` of a class is made of. */
int is_signature_text(PyObject *str)
{
    const char *text = PyUnicode_AsUTF8AndSize(str, NULL);
    PyErr_Clear();
    return !text || strstr(text, ")\n--\n\n");
}

int check_docstring(struct gate *g, uint32_t class)
{
    uint32_t body = child_of(g, class, F_body);
    PyObject *text = body && kind_of(g, body) == K_Expr && first_child(g, body)
                         ? string_of(g, first_child(g, body))
                         : NULL;
    if (!text || !gate_module_in_use(g, "dataclasses") || !is_signature_text(text))
        return 0;
    return gate_warn(g, RULE_DUNDER_DEFINITION, body,
                     "A dataclass asks its bases for their signatures, and this docstring is "
                     "taken for one, names in which are evaluated.");
}

/* ---- __new__: the library writes to what it gets -------------------------------------------------- */

/* super().__new__(cls), C(), a constant, what the class keeps itself. */
static int is_own_answer(const struct gate *g, uint32_t i, unsigned depth)
{
    uint32_t first = first_child(g, i), base = first;
    const struct symbol *s = symbol_of(g, i);
    switch (N(g, i)->kind) {
    case K_Constant:
        return 1;
    case K_IfExp:
        return depth < 4 && is_own_answer(g, child_of(g, i, F_body), depth + 1) &&
               is_own_answer(g, child_of(g, i, F_orelse), depth + 1);
    case K_Call:
        return class_sure(g, first) ||
               (kind_of(g, first) == K_Attribute && strcmp(text_of_name(g, first), "__new__") == 0);
    case K_Attribute: /* cls.one, cls.all[key] */
    case K_Subscript:
        while (kind_of(g, base) == K_Attribute || kind_of(g, base) == K_Subscript)
            base = first_child(g, base);
        return class_sure(g, base) ||
               (symbol_of(g, base) &&
                symbol_of(g, base) == first_parameter(g, function_around(g, i)));
    default:
        break;
    }
    int assigned = s && s->kinds == BINDS(BIND_ASSIGN);
    for (uint32_t b = assigned ? s->first : 0; b && assigned && may_go_on(g);
         b = g->binds[b].next) {
        uint32_t value = child_of(g, N(g, g->binds[b].node)->parent, F_value);
        assigned = depth < 4 && value && is_own_answer(g, value, depth + 1);
    }
    return assigned;
}

int check_new(struct gate *g, uint32_t function)
{
    if (!class_of_method(g, function) || strcmp(text_of_name(g, function), "__new__") != 0 ||
        !(g->copies || g->derives_abroad))
        return 0;
    for (uint32_t i = function; i < N(g, function)->end && may_go_on(g); i++) {
        uint32_t answer =
            kind_of(g, i) == K_Return && function_around(g, i) == function ? first_child(g, i) : 0;
        if (answer && !is_own_answer(g, answer, 0))
            return gate_warn(g, RULE_DUNDER_DEFINITION, i,
                             "`__new__` may answer with another object than one of its class: a "
                             "copy, an Enum or a container then writes to that.");
    }
    return 0;
}

/* statistics makes its answer by the class of the data: of a class, that is its metaclass. */
int check_ratio(struct gate *g, uint32_t i)
{
    uint32_t arguments = is_function(g, i) ? child_of(g, i, F_args) : 0;
    if (g->scopes[N(g, i)->scope].kind != SCOPE_CLASS ||
        strcmp(text_of_name(g, i), "as_integer_ratio") != 0 || !gate_module_in_use(g, "statistics"))
        return 0;
    if (arguments && !child_of(g, i, F_decorator_list) &&
        count_of(g, arguments, F_args) + count_of(g, arguments, F_posonlyargs) >
            count_of(g, arguments, F_defaults))
        return 0;
    return gate_warn(g, RULE_TYPE_VALUE, i,
                     "A class that answers to `as_integer_ratio` itself is a number to statistics, "
                     "which calls the class of its data.");
}
