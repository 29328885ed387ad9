/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_private: a private name that the source defines itself is open on what can be the
 * source's own, and on nothing else: classes of the standard library have private parts of
 * the same names, some of which look any module up or hand out their tables.
 */
#include "gate_int.h"

#include "library_calls.h"

#include <string.h>

#define CHAIN_MAX 16

/* ---- private methods and tables of exported classes ------------------------------------ */

/* clang-format off */
/* Of all supported Pythons, with the modules whose classes, exported or not, have them. Sorted. */
static const struct part {
    const char *name;
    const char *modules[2];
} parts[] = {
    {"_CHUNK_SIZE", {"io"}},
    {"_MutableMapping__marker", {"collections", "collections.abc"}},
    {"_SequenceMatcher__chain_b", {"difflib"}}, {"_UserList__cast", {"collections"}},
    {"_abc_caches_clear", {"*"}}, {"_abc_impl", {"*"}}, {"_abc_registry_clear", {"*"}},
    {"_add", {"fractions"}}, {"_apply", {"decimal"}}, {"_checkClosed", {"io"}},
    {"_checkReadable", {"io"}}, {"_checkSeekable", {"io"}}, {"_checkWritable", {"io"}},
    {"_check_for_existing_members", {"*"}}, {"_class_getitem_inner", {"typing"}},
    {"_collect_lines", {"difflib"}}, {"_convert_flags", {"difflib"}},
    {"_cparts", {"pathlib"}}, {"_create_async_cb_wrapper", {"contextlib"}},
    {"_create_async_exit_wrapper", {"contextlib"}}, {"_create_cb_wrapper", {"contextlib"}},
    {"_create_exit_wrapper", {"contextlib"}}, {"_days", {"calendar"}},
    {"_decoded_counterpart", {"urllib.parse"}}, {"_determine_new_args", {"typing"}},
    {"_dict_to_list", {"csv"}}, {"_dispatch", {"pprint"}}, {"_div", {"fractions"}},
    {"_divmod", {"fractions"}}, {"_dump", {"difflib"}}, {"_dump_registry", {"*"}},
    {"_encoded_counterpart", {"urllib.parse"}}, {"_fancy_helper", {"difflib"}},
    {"_fancy_replace", {"difflib"}}, {"_find_cycle", {"graphlib"}},
    {"_fix_sentence_endings", {"textwrap"}}, {"_floordiv", {"fractions"}},
    {"_format", {"pprint"}}, {"_format_dict_items", {"pprint"}},
    {"_format_float_style", {"fractions"}}, {"_format_general", {"fractions"}},
    {"_format_items", {"pprint"}}, {"_format_line", {"difflib"}},
    {"_format_namespace_items", {"pprint"}}, {"_format_parsed_parts", {"pathlib"}},
    {"_from_coprime_ints", {"fractions"}},
    {"_from_iterable", {"collections.abc", "typing"}}, {"_from_parsed_parts", {"pathlib"}},
    {"_from_parsed_string", {"pathlib"}}, {"_from_parts", {"pathlib"}},
    {"_get_nodeinfo", {"graphlib"}}, {"_get_value", {"enum", "re"}},
    {"_getitem", {"typing"}}, {"_guess_delimiter", {"csv"}},
    {"_guess_quote_and_delimiter", {"csv"}}, {"_handle_long_word", {"textwrap"}},
    {"_hostinfo", {"urllib.parse"}}, {"_init", {"pathlib"}}, {"_invalid", {"string"}},
    {"_keep_positive", {"collections"}}, {"_line_wrapper", {"difflib"}},
    {"_lines", {"pathlib"}}, {"_load_parts", {"pathlib"}}, {"_make_child", {"pathlib"}},
    {"_make_prefix", {"difflib"}}, {"_make_substitution", {"typing"}},
    {"_make_unbound_method", {"functools"}}, {"_mod", {"fractions"}},
    {"_months", {"calendar"}}, {"_mul", {"fractions"}}, {"_munge_whitespace", {"textwrap"}},
    {"_notimplemented", {"random", "secrets"}}, {"_operator_fallbacks", {"fractions"}},
    {"_parse_args", {"pathlib"}}, {"_parse_path", {"pathlib"}},
    {"_parts_normcase", {"pathlib"}}, {"_pattern_str", {"pathlib"}},
    {"_plain_replace", {"difflib"}}, {"_pprint_bytearray", {"pprint"}},
    {"_pprint_bytes", {"pprint"}}, {"_pprint_chain_map", {"pprint"}},
    {"_pprint_counter", {"pprint"}}, {"_pprint_dataclass", {"pprint"}},
    {"_pprint_default_dict", {"pprint"}}, {"_pprint_deque", {"pprint"}},
    {"_pprint_dict", {"pprint"}}, {"_pprint_list", {"pprint"}},
    {"_pprint_mappingproxy", {"pprint"}}, {"_pprint_ordered_dict", {"pprint"}},
    {"_pprint_set", {"pprint"}}, {"_pprint_simplenamespace", {"pprint"}},
    {"_pprint_str", {"pprint"}}, {"_pprint_tuple", {"pprint"}},
    {"_pprint_user_dict", {"pprint"}}, {"_pprint_user_list", {"pprint"}},
    {"_pprint_user_string", {"pprint"}}, {"_push_async_cm_exit", {"contextlib"}},
    {"_push_cm_exit", {"contextlib"}}, {"_push_exit_callback", {"contextlib"}},
    {"_qformat", {"difflib"}}, {"_randbelow", {"random", "secrets"}},
    {"_randbelow_with_getrandbits", {"random", "secrets"}},
    {"_randbelow_without_getrandbits", {"random", "secrets"}}, {"_raw_path", {"pathlib"}},
    {"_recreate_cm", {"contextlib"}}, {"_repr", {"pprint"}}, {"_richcmp", {"fractions"}},
    {"_safe_repr", {"pprint"}}, {"_split", {"textwrap"}}, {"_split_chunks", {"textwrap"}},
    {"_split_line", {"difflib"}}, {"_stack", {"pathlib"}}, {"_str_normcase", {"pathlib"}},
    {"_sub", {"fractions"}}, {"_tab_newline_replace", {"difflib"}}, {"_tail", {"pathlib"}},
    {"_unpickle", {"zoneinfo"}}, {"_userinfo", {"urllib.parse"}}, {"_validate", {"csv"}},
    {"_vformat", {"string"}}, {"_wrap_chunks", {"textwrap"}},
};
/* clang-format on */

/* Whose classes, or whose values' classes, are Enums. */
static const char *const enum_modules[] = {"calendar", "enum", "re", "uuid"};

int gate_has_enums(const struct gate *g)
{
    for (size_t k = 0; k < ARRAY_LEN(enum_modules); k++)
        if (gate_module_in_use(g, enum_modules[k]))
            return 1;
    return 0;
}

static const struct part *find_part(const char *name)
{
    size_t low = 0, high = ARRAY_LEN(parts);
    if (name[0] < parts[low].name[0] || name[0] > parts[high - 1].name[0])
        return NULL; /* most names: those of the table begin with an underscore */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, parts[middle].name);
        if (order == 0)
            return &parts[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

int gate_is_library_part(const struct gate *g, const char *name)
{
    const struct part *part = find_part(name);
    return part && ((g->imports && gate_module_in_use(g, part->modules[0])) ||
                    (part->modules[1] && gate_module_in_use(g, part->modules[1])));
}

/* ---- names of those, in a class of the source ---------------------------------------------- */

/* Whether the name may be an export of that module. */
static int is_export_of(const struct gate *g, uint32_t i, const char *name)
{
    const struct symbol *s = symbol_of(g, i);
    for (uint32_t b = s ? s->first : 0; b && may_go_on(g); b = g->binds[b].next)
        if (g->binds[b].from && strcmp(g->binds[b].from->name, name) == 0)
            return 1;
    const struct export_module *module =
        kind_of(g, i) == K_Attribute ? module_of(g, first_child(g, i), NULL) : NULL;
    return module && strcmp(module->name, name) == 0;
}

int gate_is_unknown_base(const struct gate *g, uint32_t i)
{
    int subscript = kind_of(g, i) == K_Subscript;
    uint32_t base = subscript ? first_child(g, i) : i;
    if (subscript && class_sure(g, base) && decides_subscripts(g)) /* whatever the class says */
        return 1;
    return !class_sure(g, base) && !export_sure(g, base) && builtin_sure(g, base) == BUILTIN_NONE;
}

/* Whether the class may be derived from one of that module, or one below it from both. */
static int is_below(const struct gate *g, uint32_t class, const char *module, int depth)
{
    if (depth > CHAIN_MAX || (N(g, class)->flags & MIXED && gate_module_in_use(g, module)))
        return 1;
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t base = kind_of(g, c) == K_Subscript ? first_child(g, c) : c;
        uint32_t value = only_value(g, symbol_of(g, base)), own = class_sure(g, base);
        if (is_export_of(g, base, module) || (value && is_export_of(g, value, module)) ||
            (own && is_below(g, own, module, depth + 1)))
            return 1;
        if ((gate_is_unknown_base(g, c) || gate_stands_for_another(g, base)) &&
            gate_module_in_use(g, module))
            return 1; /* pick(), L[0], a name that is bound twice */
    }
    return 0;
}

int gate_names_library_part(const struct gate *g, uint32_t class, uint32_t id)
{
    const struct name *name = NAME(g, id);
    const struct part *part = find_part(name->text);
    if (strcmp(name->text, "_name_") == 0)
        return g->enums;
    if (name->attr == ATTR_HIDDEN && name->text[0] == '_' && gate_module_in_use(g, "dataclasses"))
        return gate_module_in_use(g, name->attr_row->module); /* which has inspect look */
    if (name->attr == ATTR_HIDDEN)
        return is_below(g, class, name->attr_row->module, 0);
    return part && (is_below(g, class, part->modules[0], 0) ||
                    (part->modules[1] && is_below(g, class, part->modules[1], 0)));
}

/* Whether that module is in use, or one whose values are of its classes. */
static int is_at_hand(const struct gate *g, const char *module)
{
    if (strcmp(module, "*") == 0)
        return g->imports || g->enums;
    if (strcmp(module, "enum") == 0)
        return gate_has_enums(g);
    return gate_module_in_use(g, module) ||
           (strcmp(module, "fractions") == 0 && gate_module_in_use(g, "statistics"));
}

int gate_library_begins(const struct gate *g, const char *prefix, size_t len)
{
    const char *module, *name;
    for (size_t k = 0; (name = library_private(k, &module)) && may_go_on(g); k++)
        if (strncmp(name, prefix, len) == 0 && is_at_hand(g, module))
            return 1;
    for (size_t k = 0; k < ARRAY_LEN(parts) && may_go_on(g); k++)
        for (size_t m = 0; m < ARRAY_LEN(parts[k].modules) && parts[k].modules[m]; m++)
            if (strncmp(parts[k].name, prefix, len) == 0 && is_at_hand(g, parts[k].modules[m]))
                return 1;
    return 0;
}

int is_private_of_library(const char *text)
{
    const char *module, *name;
    for (size_t k = 0; (name = library_private(k, &module)); k++)
        if (strcmp(name, text) == 0)
            return 1;
    return 0;
}

/* What the library keeps in its own objects, under a name that the source has as well. */
int gate_keeps_private(const struct gate *g, uint32_t id, uint32_t base)
{
    const struct name *name = NAME(g, id);
    const char *module, *text;
    if (name->attr != ATTR_PRIVATE || is_own_receiver(g, base))
        return 0;
    /* These two are C code, in which only their Python twins have such names. */
    static const char *const in_c[] = {"datetime", "operator"};
    for (size_t k = 0; (text = library_private(k, &module)) && may_go_on(g); k++)
        if (strcmp(text, name->text) == 0)
            return strcmp(module, "*") != 0 && strcmp(module, in_c[0]) != 0 &&
                   strcmp(module, in_c[1]) != 0 && is_at_hand(g, module);
    return 0;
}

int gate_keeps_named(struct gate *g, uint32_t text, uint32_t base)
{
    uint32_t id = string_of(g, text) ? gate_name_find(g, string_of(g, text)) : 0;
    if (string_of(g, text))
        return id && gate_keeps_private(g, id, base);
    return g->imports && !are_public_strings(g, text) && !is_own_receiver(g, base);
}

/* ---- whose it is --------------------------------------------------------------------- */

/* A class with a base of the library, but for those that have nothing of their own. */
static int derives_abroad(const struct gate *g, uint32_t class, unsigned depth)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t base = kind_of(g, c) == K_Subscript ? first_child(g, c) : c;
        uint32_t own = class_sure(g, base);
        const struct export_name *row = export_sure(g, base);
        if (own ? depth == CHAIN_MAX || gate_is_unknown_base(g, c) ||
                      derives_abroad(g, own, depth + 1)
                : builtin_sure(g, base) == BUILTIN_NONE && !(row && row->kind == EXPORT_PLAIN_BASE))
            return 1;
    }
    return 0;
}

/*
 * An instance of it may be of a class that has such a base beside it. Returns whether that holds
 * for any class of the source.
 */
static int note_mixed(struct gate *g, uint32_t class, unsigned depth)
{
    int any = depth == CHAIN_MAX;
    if (N(g, class)->flags & MIXED || any)
        return any;
    N(g, class)->flags |= MIXED;
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t own = class_sure(g, kind_of(g, c) == K_Subscript ? first_child(g, c) : c);
        any |= gate_is_unknown_base(g, c) || (own && note_mixed(g, own, depth + 1));
    }
    return any;
}

static int note_bases(struct gate *g, uint32_t holder, enum field field)
{
    int any = 0;
    FOR_CHILDREN (g, c, holder) {
        uint32_t base = kind_of(g, c) == K_Subscript ? first_child(g, c) : c;
        uint32_t own = N(g, c)->field == field ? class_sure(g, base) : 0;
        any |= own && (gate_is_unknown_base(g, c) || note_mixed(g, own, 0));
    }
    return any;
}

/* class X(L[0], PurePath): whichever that is, it stands beside another. */
static int has_unknown_partner(const struct gate *g, uint32_t class)
{
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field == F_bases && gate_is_unknown_base(g, c))
            return count_of(g, class, F_bases) > 1;
    }
    return 0;
}

static int is_of_type(const struct gate *g, uint32_t keyword)
{
    return N(g, keyword)->name && strcmp(NAME(g, N(g, keyword)->name)->text, "type") == 0;
}

static int has_library_parts(const struct gate *g, uint32_t class)
{
    return !(class_facts_known(g, class) & CLASS_PLAIN) || derives_abroad(g, class, 0) ||
           gate_has_hidden_parts(g, class, 0);
}

void gate_mixed_collect(struct gate *g)
{
    int any = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        int made = kind_of(g, i) == K_Call && builtin_what(g, i + 1) == BUILTIN_TYPE;
        uint32_t bases = made ? child_at(g, i, F_args, 1) : 0; /* type("C", (A, B), {}) */
        any |= kind_of(g, i) == K_ClassDef && has_unknown_partner(g, i);
        g->derives_abroad |= kind_of(g, i) == K_ClassDef && derives_abroad(g, i, 0);
        if (kind_of(g, i) == K_ClassDef && has_library_parts(g, i))
            any |= note_bases(g, i, F_bases);
        else if (bases)
            any |= note_bases(g, bases, F_elts);
        else if (kind_of(g, i) == K_keyword && g->enums &&
                 is_of_type(g, i)) /* E("F", "X", type=C) */
            any |= note_bases(g, i, F_value);
    }
    for (uint32_t i = 0; any && i < g->node_count; i++)
        if (kind_of(g, i) == K_ClassDef)
            N(g, i)->flags |= MIXED;
}

int gate_is_mixed(const struct gate *g, uint32_t class)
{
    return derives_abroad(g, class, 0) || N(g, class)->flags & MIXED;
}

int is_own_receiver(const struct gate *g, uint32_t i)
{
    uint32_t class = 0, value = only_value(g, symbol_of(g, i));
    value = value ? value : i;
    if (!is_genuine_self(g, i, &class))
        class = is_own_value(g, i) ? class_sure(g, first_child(g, value)) : class_sure(g, i);
    class = class ? class : class_tested(g, i);
    return class && !gate_is_mixed(g, class);
}

/* uuid.SafeUUID, ExitStack(), or a name for one: not of the source, whatever it defines. */
static int is_of_library(const struct gate *g, uint32_t i)
{
    for (int followed = 0; followed < CHAIN_MAX && i; followed++) {
        uint32_t value = only_value(g, symbol_of(g, i));
        i = value ? value : i;
        const struct export_name *row = export_sure(g, i);
        enum kind kind = kind_of(g, i);
        if (row || kind == K_Call) {
            row = row ? row : export_sure(g, first_child(g, i));
            return row &&
                   ((row->name[0] >= 'A' && row->name[0] <= 'Z') || row->kind == EXPORT_REDIRECT);
        }
        if (kind != K_Attribute && kind != K_Subscript)
            return 0;
        i = first_child(g, i);
    }
    return 0;
}

const char *refusal_in_library(const struct gate *g, uint32_t id, uint32_t base)
{
    const struct name *name = NAME(g, id);
    if (name->attr != ATTR_PRIVATE && name->attr != ATTR_SUNDER && name->attr != ATTR_MANGLED)
        return NULL;
    if (base && is_of_library(g, base))
        return "is a private part of the standard library here";
    if (!gate_is_library_part(g, name->text) || (base && is_own_receiver(g, base)))
        return NULL;
    return "may be a private part of a class of the standard library as well: it is only known "
           "to be this code's own on `self`, or on what the code makes of its own classes";
}

/* Instances of these hold parts that are hidden where they stand as a name. */
int gate_has_hidden_parts(const struct gate *g, uint32_t class, unsigned depth)
{
    static const char *const names[] = {"AsyncExitStack", "ExitStack", "cached_property",
                                        "redirect_stderr", "redirect_stdout"};
    FOR_CHILDREN (g, c, class) {
        if (N(g, c)->field != F_bases)
            continue;
        uint32_t base = kind_of(g, c) == K_Subscript ? first_child(g, c) : c;
        uint32_t own = class_sure(g, base);
        const struct export_name *row = export_sure(g, base);
        int known = !gate_is_unknown_base(g, c);
        if (own && (depth == CHAIN_MAX || gate_has_hidden_parts(g, own, depth + 1)))
            return 1;
        for (size_t k = 0; k < ARRAY_LEN(names); k++)
            if (known ? row && strcmp(row->name, names[k]) == 0
                      : gate_name_find_text(g, names[k], strlen(names[k])) != 0)
                return 1;
    }
    return 0;
}
