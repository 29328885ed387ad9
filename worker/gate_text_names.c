/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_text_names: text that becomes the name of an attribute (getattr, attrgetter, fields; for
 * str.format see gate_format.c). Text is followed through names that are bound once, and no
 * further; what is not known is not tame.
 */
#include "gate_int.h"
#include "package.h"

#include <string.h>

/* ---- names in text ------------------------------------------------------------------- */

int is_tame_name(const struct gate *g, const char *text, size_t len)
{
    char name[128];
    const struct attr_row *row;
    if (len == 0 || len >= sizeof(name) || memchr(text, '\0', len))
        return 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] >= 0x80)
            return 0; /* getattr does not normalize; nobody needs it */
    memcpy(name, text, len);
    name[len] = '\0';
    enum attr_class what = gate_attr_class(name, len, &row);
    uint32_t id = gate_name_find_text(g, name, len);
    int defined = id && NAME(g, id)->defined;
    if (what == ATTR_HIDDEN)
        return !gate_module_in_use(g, row->module) && (name[0] != '_' || defined);
    if (what == ATTR_DOOR || what == ATTR_PRIVATE)
        return defined && !gate_is_library_part(g, name) &&
               !(g->packages && (what == ATTR_DOOR || package_has_part(NAME(g, id)->str)));
    if (gate_package_why(g, name))
        return 0;
    if (is_import_hint(name) || is_dispatch_word(g, name) || names_dispatcher(g, name) ||
        gate_hands_table_out(g, name))
        return 0;
    if (strcmp(name, "_name_") == 0) /* of a member of an Enum: what a copy of it reads */
        return 0;
    return what == ATTR_PLAIN || what == ATTR_TAME;
}

int is_tame_attr_text(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text)
        PyErr_Clear();
    /* Of attrgetter() it may be a path. */
    for (const char *dot; text && (dot = memchr(text, '.', (size_t)len)); text = dot + 1) {
        if (!is_tame_name(g, text, (size_t)(dot - text)))
            return 0;
        len -= dot + 1 - text;
    }
    return text && is_tame_name(g, text, (size_t)len);
}

static int is_defined_text(const struct gate *g, const char *text)
{
    uint32_t id = gate_name_find_text(g, text, strlen(text));
    return id && NAME(g, id)->defined;
}

static int is_mentioned(const struct gate *g, const char *text)
{
    return gate_name_find_text(g, text, strlen(text)) != 0;
}

/* "visit_" + x is up to x where that is an object of the code that answers for itself. */
static int adds_itself(const struct gate *g)
{
    return is_defined_text(g, "__radd__") || is_mentioned(g, "UserString") ||
           is_mentioned(g, "UserList");
}

/* The string that the text made by node i begins with. */
static PyObject *first_string(const struct gate *g, uint32_t i)
{
    uint32_t first = first_child(g, i);
    switch (N(g, i)->kind) {
    case K_JoinedStr: /* f"visit_{x}" */
        return first ? string_of(g, first) : NULL;
    case K_BinOp: /* "visit_" + x, "visit_%s" % x, if x does not answer for itself */
        if (string_of(g, child_of(g, i, F_right)))
            return NULL; /* "app" + "end": who hides a name? */
        if ((N(g, i)->op == K_Add && !adds_itself(g)) ||
            (N(g, i)->op == K_Mod && !is_defined_text(g, "__rmod__")))
            return string_of(g, first);
        return NULL;
    case K_Call: /* "visit_{}".format(x) */
        if (kind_of(g, first) != K_Attribute ||
            strcmp(NAME(g, N(g, first)->name)->text, "format") != 0)
            return NULL;
        return string_of(g, first_child(g, first));
    default:
        return NULL;
    }
}

static int calls_builtin(const struct gate *g, uint32_t i, const char *name)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    return builtin_sure(g, func) == BUILTIN_PLAIN &&
           strcmp(NAME(g, N(g, func)->name)->text, name) == 0;
}

/* dir(x) or sorted(dir(x)): texts that answer as texts do. */
static int are_plain_names(const struct gate *g, uint32_t i)
{
    if (calls_builtin(g, i, "sorted") && count_of(g, i, F_args) == 1)
        i = child_of(g, i, F_args);
    return calls_builtin(g, i, "dir") && !g->texts && !is_mentioned(g, "__dir__");
}

/* [n for n in dir(x) if n.startswith("do_")], or a name for it where nothing changes the list. */
static PyObject *prefix_of_list(const struct gate *g, uint32_t i)
{
    const struct symbol *list = symbol_of(g, i);
    uint32_t value = list ? only_value(g, list) : i;
    if (!value || kind_of(g, value) != K_ListComp || (list && list->flags & SYMBOL_ESCAPES) ||
        count_of(g, value, F_generators) != 1)
        return NULL;
    uint32_t generator = child_of(g, value, F_generators);
    const struct symbol *s = symbol_of(g, child_of(g, value, F_elt));
    const struct bind *b = only_bind(g, s);
    if (!b || b->kind != BIND_FOR || N(g, b->node)->parent != generator ||
        !are_plain_names(g, child_of(g, generator, F_iter)))
        return NULL;
    return text_tested(g, child_of(g, value, F_elt), generator);
}

/* `n` of a loop over dir(x), behind n.startswith("do_"): "do_", or NULL. */
static PyObject *tested_prefix(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    uint32_t loop = b && b->kind == BIND_FOR ? N(g, b->node)->parent : 0;
    uint32_t iter = loop ? child_of(g, loop, F_iter) : 0;
    if (!iter)
        return NULL;
    return are_plain_names(g, iter) ? text_tested(g, i, loop) : prefix_of_list(g, iter);
}

const char *gate_prefix_of(const struct gate *g, uint32_t i, size_t *ret_len)
{
    PyObject *text = kind_of(g, i) == K_Name ? tested_prefix(g, i) : first_string(g, i);
    Py_ssize_t len = 0;
    const char *prefix = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    PyErr_Clear();
    if (prefix && kind_of(g, i) != K_JoinedStr &&
        kind_of(g, i) != K_Name) /* up to the first place for something else */
        len = (Py_ssize_t)strcspn(prefix, "%{}");
    *ret_len = (size_t)len;
    return prefix;
}

/* Every string that begins so is tame when no special name does. */
static int is_tame_prefix(const struct gate *g, uint32_t i, int own)
{
    size_t len;
    const char *prefix = gate_prefix_of(g, i, &len);
    if (!prefix || len < 2 || (prefix[0] == '_' && (prefix[1] == '_' || len < 3)) ||
        (prefix[0] == '_' && !own && gate_library_begins(g, prefix, len)))
        return 0;
    for (size_t k = 0; k < len; k++)
        if ((unsigned char)prefix[k] >= 0x80 || prefix[k] == '\0')
            return 0;
    if (g->packages && package_attribute_begins(prefix, len))
        return 0;
    static const char *const others[] = {"_name_", "name_from", "register", "registry", "dispatch"};
    for (size_t k = 0; k < ARRAY_LEN(others); k++)
        if (strncmp(others[k], prefix, len) == 0 && (k < 2 || g->dispatches))
            return 0;
    return !gate_attr_begins(prefix, len);
}

/* A string, or one that begins as no special name does. */
static int is_tame_leaf(struct gate *g, uint32_t i)
{
    PyObject *text = string_of(g, i);
    return text ? is_tame_attr_text(g, text) : is_tame_prefix(g, i, 0);
}

int are_tame_attr_strings(struct gate *g, uint32_t i)
{
    struct symbol *s = symbol_of(g, i);
    if (!s)
        return gate_are_choices(g, i, is_tame_leaf);
    if (!(s->flags & SYMBOL_STRINGS_KNOWN))
        s->flags |=
            SYMBOL_STRINGS_KNOWN | (gate_are_choices(g, i, is_tame_leaf) ? SYMBOL_STRINGS_TAME : 0);
    return s->flags & SYMBOL_STRINGS_TAME || is_tame_prefix(g, i, 0);
}

static int is_tame_path(struct gate *g, uint32_t i)
{
    return string_of(g, i) && is_tame_attr_text(g, string_of(g, i));
}

int are_tame_paths(struct gate *g, uint32_t i)
{
    return gate_are_choices(g, i, is_tame_path);
}

static int is_public_text(struct gate *g, uint32_t i)
{
    PyObject *text = string_of(g, i) ? string_of(g, i) : first_string(g, i);
    return text && PyUnicode_GetLength(text) > 0 && PyUnicode_ReadChar(text, 0) != '_';
}

int are_public_strings(struct gate *g, uint32_t i)
{
    return gate_are_choices(g, i, is_public_text);
}

int is_tame_own_prefix(const struct gate *g, uint32_t i)
{
    return !symbol_of(g, i) && is_tame_prefix(g, i, 1);
}

/* ---- names of fields -------------------------------------------------------------------- */

/* "a b, c" */
static int are_tame_words(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }
    for (size_t i = 0, start = 0; i <= (size_t)len; i++) {
        int between = i == (size_t)len || text[i] == ' ' || text[i] == ',' || text[i] == '\n' ||
                      text[i] == '\t';
        if (!between)
            continue;
        if (i > start && (text[start] == '_' || !is_tame_name(g, text + start, i - start)))
            return 0;
        start = i + 1;
    }
    return 1;
}

/* "a", or ("a", anything) */
static int is_tame_field(const struct gate *g, uint32_t i)
{
    uint32_t name = kind_of(g, i) == K_Tuple || kind_of(g, i) == K_List ? first_child(g, i) : i;
    PyObject *text = name ? string_of(g, name) : NULL;
    return text && are_tame_words(g, text);
}

int are_tame_field_names(const struct gate *g, uint32_t i)
{
    if (string_of(g, i))
        return are_tame_words(g, string_of(g, i));
    enum kind kind = kind_of(g, i);
    if (kind != K_Tuple && kind != K_List && kind != K_Dict)
        return 0;
    FOR_CHILDREN (g, c, i)
        if ((kind != K_Dict || N(g, c)->field == F_keys) && !is_tame_field(g, c))
            return 0;
    return 1;
}
