/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_dispatch: functools.singledispatch. `register(f)` evaluates the annotations of what it
 * is given, strings among them as code; so that can only be a function that stands right
 * below it, with annotations that are types; and `register(C)` only a class.
 */
#include "gate_int.h"

#include <string.h>

/* ---- what is registered ---------------------------------------------------------------- */

static const char *text_of_name(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

int is_dispatch_word(const struct gate *g, const char *text)
{
    if (!g->dispatches)
        return 0;
    /* dispatch(x) looks x up among classes, `type` perhaps; registry may get keys of any kind. */
    int looks_up = strcmp(text, "dispatch") == 0 || strcmp(text, "registry") == 0;
    return strcmp(text, "register") == 0 || (looks_up && compares_as_it_likes(g));
}

int names_dispatcher(const struct gate *g, const char *text)
{
    return g->dispatches && (strcmp(text, "dispatch") == 0 || strcmp(text, "dispatcher") == 0);
}

int is_dispatch_part(const struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    int read = is_load(g, i) && (name->defined || strcmp(name->text, "dispatch") == 0);
    return names_dispatcher(g, name->text) && !read;
}

/* f.register, or f.register(...) */
static int is_register(const struct gate *g, uint32_t i)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : i;
    return kind_of(g, func) == K_Attribute && strcmp(text_of_name(g, func), "register") == 0;
}

static int is_method_wrapper(const struct gate *g, uint32_t i)
{
    return builtin_sure(g, i) == BUILTIN_CLASSMETHOD ||
           (kind_of(g, i) == K_Name && strcmp(text_of_name(g, i), "staticmethod") == 0 &&
            builtin_sure(g, i) != BUILTIN_NONE);
}

/* One that hands on what it gets, and is none of the code's own. */
static int is_only_register(const struct gate *g, uint32_t i)
{
    uint32_t id = gate_name_find_text(g, "register", sizeof("register") - 1);
    return is_register(g, i) && !NAME(g, id)->defined;
}

/* A decorator with nothing between it and the function but its like, which hand it on. */
static int decorates(const struct gate *g, uint32_t i)
{
    uint32_t definition = N(g, i)->parent;
    if (N(g, i)->field != F_decorator_list)
        return 0;
    for (uint32_t c = N(g, i)->end; N(g, c)->field == F_decorator_list && may_go_on(g);
         c = N(g, c)->end)
        if (N(g, c)->parent != definition || (!is_only_register(g, c) && !is_method_wrapper(g, c)))
            return 0;
    return 1;
}

void gate_mark_evaluated(struct gate *g)
{
    for (uint32_t i = 0; g->dispatches && i < g->node_count; i++) {
        if (!is_function(g, N(g, i)->parent) || N(g, i)->field != F_decorator_list ||
            !is_register(g, i))
            continue;
        uint32_t body = child_of(g, N(g, i)->parent, F_body);
        for (uint32_t k = i; k < body && may_go_on(g); k++)
            if (N(g, k)->flags & IN_ANNOTATION)
                N(g, k)->flags |= EVALUATED;
    }
}

/* A class, or a union of classes, or a constant: a register() of the code's own. */
static int is_registrable(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) == K_BinOp && N(g, i)->op == K_BitOr)
        return is_registrable(g, first_child(g, i)) && is_registrable(g, child_of(g, i, F_right));
    return kind_of(g, i) == K_Constant || is_type_maker(g, i) || is_real_class(g, i);
}

static int registers_class(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent, class = child_of(g, call, F_args);
    if (!is_in_field(g, i, K_Call, F_func) || call_shape(g, call).starred)
        return 0;
    FOR_CHILDREN (g, c, call)
        if (N(g, c)->field == F_keywords && strcmp(text_of_name(g, c), "cls") == 0)
            return 0;
    return !class || is_registrable(g, class);
}

/* r.register, r being an instance of a class of the source that has such a method. */
static int is_of_own_class(struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), value = only_value(g, symbol_of(g, base));
    uint32_t class = value && is_own_value(g, base) ? class_sure(g, first_child(g, value)) : 0;
    uint32_t s = class ? gate_scope_find(g, N(g, class)->link, N(g, i)->name) : 0;
    if (s && !g->class_parts)
        g->class_parts = i;
    return s && !NAME(g, N(g, i)->name)->may_be_set &&
           g->symbols[s].kinds == BINDS(BIND_FUNCTION) && g->symbols[s].count == 1 &&
           !child_of(g, g->binds[g->symbols[s].first].node, F_decorator_list);
}

int check_register(struct gate *g, uint32_t i)
{
    int registers = strcmp(text_of_name(g, i), "register") == 0;
    if (strcmp(text_of_name(g, i), "registry") == 0 && (is_reading(g, i) || is_read_by_call(g, i)))
        return 0;
    if ((registers && decorates(g, i)) || registers_class(g, i) || is_of_own_class(g, i))
        return 0;
    return gate_warn(g, RULE_ANNOTATION, i,
                     "`%s` of a singledispatch function evaluates the annotations of what it gets, "
                     "or compares it with classes: give it a class, or put it right above the "
                     "function.",
                     text_of_name(g, i));
}

/* ---- annotations ----------------------------------------------------------------------- */

/*
 * An export that a text may name. The registry hands classes out: then only those that may be
 * used in any way.
 */
static int is_type_export(const struct gate *g, const struct export_name *row)
{
    switch ((int)row->kind) {
    case EXPORT_PLAIN:
        return 1;
    case EXPORT_COPYING:
    case EXPORT_ENUM:
    case EXPORT_NAMESPACE:
    case EXPORT_PLAIN_BASE:
        return !gate_is_read(g, READS_REGISTRY);
    default:
        return 0;
    }
}

/* What a global name is, for sure: a class of the source or of a module. */
static int names_type(const struct gate *g, const char *text, size_t len, int subscripts)
{
    uint32_t id = gate_name_find_text(g, text, len);
    char name[64];
    if (!id || !NAME(g, id)->module_symbol) {
        if (len >= sizeof(name))
            return 0;
        memcpy(name, text, len);
        name[len] = '\0';
        const struct builtin_row *row = gate_builtin(name);
        return strcmp(name, "None") == 0 ||
               (row && (row->what == BUILTIN_CLASS || row->what == BUILTIN_SELF_MATCH));
    }
    const struct bind *b = only_bind(g, &g->symbols[NAME(g, id)->module_symbol]);
    if (b && b->kind == BIND_CLASS)
        return stays_class(g, b->node) && class_facts_known(g, b->node) & CLASS_REAL &&
               !(class_facts_known(g, b->node) & CLASS_ENUM && gate_is_read(g, READS_REGISTRY)) &&
               !(subscripts && decides_subscripts(g));
    return b && b->kind == BIND_EXPORT && b->export && is_type_export(g, b->export);
}

static int is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Text that can only be a type: names of classes, brackets, commas, bars. */
static int is_type_text(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }
    int subscripts = memchr(text, '[', (size_t)len) != NULL;
    for (size_t k = 0, end; k < (size_t)len; k = end) {
        for (end = k; end < (size_t)len && is_word((unsigned char)text[end]);)
            end++;
        if (end > k ? !names_type(g, text + k, end - k, subscripts)
                    : !text[k] || !strchr(",[]| ", text[k]))
            return 0;
        end += end == k;
    }
    return 1;
}

/* T = TypeVar("T") */
static int is_type_variable(const struct gate *g, uint32_t i)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    const struct export_name *row =
        value && kind_of(g, value) == K_Call ? export_sure(g, first_child(g, value)) : NULL;
    return row && strcmp(row->name, "TypeVar") == 0;
}

static int is_type_name(const struct gate *g, uint32_t i)
{
    enum builtin what = builtin_sure(g, i);
    const struct symbol *s = symbol_of(g, i);
    if (g->future_annotations && ((s && s->scope) || NAME(g, N(g, i)->name)->attr == ATTR_MANGLED))
        return 0; /* it is evaluated among the global names, as it is written */
    if (what == BUILTIN_CLASS || what == BUILTIN_SELF_MATCH || is_real_class(g, i) ||
        export_sure(g, i) || is_type_variable(g, i))
        return 1;
    if (module_of(g, i, NULL)) /* its use is judged with the attribute */
        return is_in_field(g, i, K_Attribute, F_value);
    return s && s->kinds == BINDS(BIND_TYPE_PARAMETER);
}

/* list[int], Optional[int]; not E["A"], a member, which may be text. */
static int is_plain_subscript(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), class = class_sure(g, base);
    return class ? is_type_maker(g, base) && !(class_facts_known(g, class) & CLASS_ENUM)
                 : is_type_maker(g, base);
}

static int is_type_part(const struct gate *g, uint32_t i)
{
    switch (N(g, i)->kind) {
    case K_Name:
        return is_type_name(g, i);
    case K_Attribute:
        return export_sure(g, i) || module_of(g, i, NULL);
    case K_Subscript:
        return is_plain_subscript(g, i);
    case K_Tuple:
    case K_List:
        return 1;
    case K_BinOp:
        return N(g, i)->op == K_BitOr;
    case K_Constant:
        return !string_of(g, i) || is_type_text(g, string_of(g, i));
    default:
        return 0;
    }
}

int check_annotation(struct gate *g, uint32_t i)
{
    if (is_type_part(g, i))
        return 0;
    return gate_warn(g, RULE_ANNOTATION, i,
                     "singledispatch evaluates annotations, and this one is more than a type: it "
                     "would be run as code.");
}
