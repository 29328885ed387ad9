/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package_shape: the ways in which a function or method of a package may be called
 * (package.h names them). A way is told by literals and by what the source makes itself: a
 * buffer, a function, an expression that only compares. What is not known is not tame.
 */
#include "gate_int.h"
#include "gate_package.h"
#include "package.h"

#include <string.h>

#define FOLLOW_MAX 8 /* names that are followed to what they are bound to */
#define ITEMS_MAX 64 /* of a display, looked at */

const char *package_name_of(const struct gate *g, uint32_t i)
{
    return NAME(g, N(g, i)->name)->text;
}

const char *package_text_of(const struct gate *g, uint32_t i)
{
    PyObject *str = i ? string_of(g, i) : NULL;
    const char *text = str ? PyUnicode_AsUTF8AndSize(str, NULL) : NULL;
    if (!text)
        PyErr_Clear();
    return text;
}

static const char *const backend_words[] = {"backend", "newbackend", NULL};

/* Keywords that name what is read or written. */
static const char *const buffer_words[] = {
    "path_or_buf",  "buf", "path_or_buffer", "fname", "filename", "io", "filepath_or_buffer",
    "excel_writer", NULL};

/* ---- arguments ------------------------------------------------------------------------- */

int package_is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return 1;
    return 0;
}

/* The first argument, also by one of these keywords. 0: there is none. */
uint32_t package_first_argument(const struct gate *g, uint32_t call, const char *const *keywords)
{
    uint32_t first = child_of(g, call, F_args);
    FOR_CHILDREN (g, c, call)
        if (!first && N(g, c)->field == F_keywords && N(g, c)->name &&
            package_is_one_of(package_name_of(g, c), keywords))
            first = first_child(g, c);
    return first;
}

int package_is_export(const struct gate *g, uint32_t i, const char *module, const char *name)
{
    const struct export_module *of = exports_find(module);
    const struct export_name *row = export_sure(g, i);
    return of && row && row == exports_name(of, name);
}

/* **{"a": 1} at the most: no keyword whose name is not written there. */
static int has_known_keywords(const struct gate *g, uint32_t call)
{
    FOR_CHILDREN (g, c, call) {
        if (kind_of(g, c) == K_Starred)
            return 0;
        if (N(g, c)->field != F_keywords || N(g, c)->name)
            continue;
        uint32_t mapping = first_child(g, c);
        if (kind_of(g, mapping) != K_Dict)
            return 0;
        FOR_CHILDREN (g, d, mapping)
            if (N(g, d)->field == F_keys &&
                (!package_text_of(g, d) || package_is_one_of(package_text_of(g, d), buffer_words)))
                return 0;
    }
    return 1;
}

/* ---- lines and texts ---------------------------------------------------------------------------- */

/* [...], text.splitlines(): lines that are read already. */
static int is_lines(const struct gate *g, uint32_t i)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    switch (N(g, i)->kind) {
    case K_List:
    case K_Tuple:
    case K_ListComp:
    case K_GeneratorExp:
        return 1;
    case K_Name: {
        uint32_t value = only_value(g, symbol_of(g, i));
        return value && kind_of(g, value) != K_Name && is_lines(g, value);
    }
    default: {
        static const char *const splits[] = {"splitlines", "split", NULL};
        return func && kind_of(g, func) == K_Attribute &&
               package_is_one_of(package_name_of(g, func), splits) &&
               !NAME(g, N(g, func)->name)->defined;
    }
    }
}

/* Text that begins like JSON, and so is no path. */
static int is_json(const struct gate *g, uint32_t i)
{
    uint32_t value = kind_of(g, i) == K_Name ? only_value(g, symbol_of(g, i)) : 0;
    const char *text = package_text_of(g, value ? value : i);
    if (text)
        return text[strspn(text, " \t\r\n")] == '{' || text[strspn(text, " \t\r\n")] == '[';
    return is_json_dump(g, value ? value : i);
}

/* Text, also under a name. */
static int is_text(const struct gate *g, uint32_t i)
{
    uint32_t value = i ? only_value(g, symbol_of(g, i)) : 0;
    i = value ? value : i;
    return i && (string_of(g, i) || kind_of(g, i) == K_JoinedStr);
}

/* "{x:,.0f}"; of what is no literal the package sees to it itself (package_seal.c). */
static int is_plain_cell(const struct gate *g, uint32_t i)
{
    uint32_t value = i ? only_value(g, symbol_of(g, i)) : 0;
    PyObject *text = i ? string_of(g, value ? value : i) : NULL;
    return !text || is_tame_format(g, text);
}

/* ---- functions, and names of some ------------------------------------------------------------- */

static int is_function_value(struct gate *g, uint32_t i, int depth);

/* A name in text that pandas looks up on a frame, a column or on numpy. */
static int is_tame_method(const struct gate *g, PyObject *str)
{
    const struct export_module *numpy = exports_find("numpy");
    const char *text = PyUnicode_AsUTF8AndSize(str, NULL);
    const struct export_name *row = text && numpy ? exports_name(numpy, text) : NULL;
    PyErr_Clear();
    return text && is_tame_attr_text(g, str) && !(row && row->denied);
}

static int are_function_values(struct gate *g, uint32_t i, int depth)
{
    unsigned looked = 0;
    FOR_CHILDREN (g, c, i) {
        if (kind_of(g, i) == K_Dict && N(g, c)->field == F_keys) {
            continue;
        }
        if (++looked > ITEMS_MAX || !is_function_value(g, c, depth + 1))
            return 0;
    }
    return 1;
}

/* Names in text that are written there; what is put together, pandas looks up by a seal. */
static int is_function_value(struct gate *g, uint32_t i, int depth)
{
    uint32_t value = only_value(g, symbol_of(g, i));
    if (depth > FOLLOW_MAX || !may_go_on(g))
        return 0;
    switch (N(g, i)->kind) {
    case K_Constant:
        return !string_of(g, i) || is_tame_method(g, string_of(g, i));
    case K_Name:
        return !value || is_function_value(g, value, depth + 1);
    case K_JoinedStr:
    case K_BinOp:
        return 0;
    case K_List:
    case K_Tuple:
    case K_Dict:
        return are_function_values(g, i, depth);
    case K_IfExp:
        return is_function_value(g, child_of(g, i, F_body), depth + 1) &&
               is_function_value(g, child_of(g, i, F_orelse), depth + 1);
    default:
        return 1;
    }
}

/* total=("price", "sum"): the second part. */
static int is_named_function(struct gate *g, uint32_t value)
{
    if (kind_of(g, value) == K_Tuple && count_of(g, value, F_elts) == 2)
        return is_function_value(g, child_at(g, value, F_elts, 1), 0);
    return is_function_value(g, value, 0);
}

static int is_shape_functions(struct gate *g, uint32_t call)
{
    static const char *const first[] = {"func", "function", "arg", NULL};
    static const char *const others[] = {
        "axis",         "args",      "raw",  "engine", "engine_kwargs", "result_type", "subset",
        "numeric_only", "min_count", "ddof", "meta",   "convert_dtype", NULL};
    uint32_t function = package_first_argument(g, call, first);
    if (function && !is_function_value(g, function, 0))
        return 0;
    FOR_CHILDREN (g, c, call) {
        if (kind_of(g, c) == K_Starred)
            return 0;
        if (N(g, c)->field != F_keywords || first_child(g, c) == function)
            continue;
        uint32_t value = first_child(g, c);
        if (!N(g, c)->name) { /* **{"a b": ("a", "sum")} */
            if (kind_of(g, value) != K_Dict)
                return 0;
            FOR_CHILDREN (g, d, value)
                if (N(g, d)->field == F_values && !is_named_function(g, d))
                    return 0;
        } else if (!package_is_one_of(package_name_of(g, c), others) && !function &&
                   !is_named_function(g, value)) {
            return 0;
        }
    }
    return 1;
}

/* ---- expressions --------------------------------------------------------------------------------- */

static int is_shape_expression(const struct gate *g, uint32_t call)
{
    static const char *const keywords[] = {"expr", NULL};
    static const char *const known[] = {"expr", "inplace", "engine", NULL};
    uint32_t first = package_first_argument(g, call, keywords);
    uint32_t value = first && kind_of(g, first) == K_Name ? only_value(g, symbol_of(g, first)) : 0;
    const char *text = package_text_of(g, value ? value : first);
    return text && package_expression_is_tame(text) && keywords_within(g, call, known);
}

/* ndarray((2, 2), float), without buffer= and strides= */
static int is_shape_array(const struct gate *g, uint32_t call)
{
    static const char *const known[] = {"shape", "dtype", "order", "itemsize", "unicode", NULL};
    struct call_shape shape = call_shape(g, call);
    return !shape.starred && shape.positional <= 2 && keywords_within(g, call, known);
}

/* ---- shapes ------------------------------------------------------------------------------------------- */

/* df.to_csv(), df.to_csv(None), df.to_csv(sys.stdout) */
static int is_shape_text(const struct gate *g, uint32_t first)
{
    if (!first)
        return 1;
    return is_none(g, first) || package_is_buffer(g, first) ||
           package_is_export(g, first, "sys", "stdout");
}

/*
 * What a keyword is asked about for may be said by its place as well: those stand behind what
 * is read or written and how.
 */
static int has_few_arguments(const struct gate *g, uint32_t call, unsigned char shape)
{
    int few = shape == SHAPE_BUFFER || shape == SHAPE_LINES || shape == SHAPE_JSON ||
              shape == SHAPE_TEXT || shape == SHAPE_FEW;
    return !few || count_of(g, call, F_args) <= 3;
}

/* for x in nditer(a): without a buffer, whose views outlive it. */
static int is_shape_loop(const struct gate *g, uint32_t call)
{
    static const char *const known[] = {"flags", "op_flags", "order", NULL};
    uint32_t flags = keyword_of(g, call, "flags");
    if (count_of(g, call, F_args) != 1 || !keywords_within(g, call, known) ||
        (flags && kind_of(g, flags) != K_List))
        return 0;
    for (uint32_t c = flags ? first_child(g, flags) : 0; c; c = next_child(g, flags, c))
        if (!package_text_of(g, c) || strstr(package_text_of(g, c), "buf"))
            return 0;
    return 1;
}

int is_tame_package_call(struct gate *g, uint32_t call, unsigned char shape, int method)
{
    uint32_t first = package_first_argument(g, call, buffer_words);
    if (!has_few_arguments(g, call, shape))
        return 0;
    if (shape != SHAPE_FUNCTIONS && shape != SHAPE_RC && !has_known_keywords(g, call))
        return 0;
    switch (shape) {
    case SHAPE_ANY:
    case SHAPE_FEW:
        return 1;
    case SHAPE_LOOP:
        return is_shape_loop(g, call);
    case SHAPE_RESIZE: /* the name is a reference, which resize() counts */
        return kind_of(g, first_child(g, first_child(g, call))) == K_Name;
    case SHAPE_CELL:
        return is_plain_cell(g, child_of(g, call, F_args)) &&
               is_plain_cell(g, keyword_of(g, call, "formatter"));
    case SHAPE_FILTER:
        return !is_text(g, child_of(g, call, F_args)) && !is_text(g, keyword_of(g, call, "func"));
    case SHAPE_BUFFER:
        return package_is_buffer(g, first);
    case SHAPE_LINES:
        return first && (package_is_buffer(g, first) || is_lines(g, first));
    case SHAPE_JSON:
        return first && (package_is_buffer(g, first) || is_json(g, first));
    case SHAPE_TEXT:
        return is_shape_text(g, first);
    case SHAPE_EXPRESSION:
        return is_shape_expression(g, call);
    case SHAPE_FUNCTIONS:
        return is_shape_functions(g, call);
    case SHAPE_PIVOT: /* aggfunc= is judged with the keywords */
        return count_of(g, call, F_args) <= (method ? 3u : 4u);
    case SHAPE_BACKEND:
        first = package_first_argument(g, call, backend_words);
        return first && is_backend(g, first) && count_of(g, call, F_args) <= 1;
    case SHAPE_STYLE:
        return count_of(g, call, F_args) >= 1 && is_style(g, child_of(g, call, F_args));
    case SHAPE_OPTIONS:
        return is_shape_options(g, call);
    case SHAPE_RC:
        return is_shape_rc(g, call);
    case SHAPE_ARRAY:
        return is_shape_array(g, call);
    default:
        return 0;
    }
}

/* aggfunc="sum", backend=None */
int is_tame_package_value(struct gate *g, uint32_t value, unsigned char shape)
{
    if (shape == SHAPE_FUNCTIONS)
        return is_function_value(g, value, 0);
    if (shape == SHAPE_FONT)
        return is_font(g, value);
    if (shape == SHAPE_FORMAT)
        return !package_text_of(g, value) || strcmp(package_text_of(g, value), "pgf") != 0;
    return shape == SHAPE_BACKEND ? is_backend(g, value) : is_none(g, value);
}
