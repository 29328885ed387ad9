/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_format: texts that str.format() takes. Which attributes one reads is known when the text
 * is: a constant, one that is put together from such, an element of a display that nothing
 * changes, a constant of a class. What is not known is not tame.
 */
#include "gate_int.h"

#include <string.h>

#define FOLLOW_MAX 16          /* names and operators that are followed */
#define FORMAT_MAX (64 * 1024) /* characters of a format that is put together */
#define CHOICES_MAX 256        /* strings that a display may hold */
#define TEXT_WORK_MAX 1000000  /* steps for all the texts of a source */

/* The attributes in a replacement field: what follows each dot, up to the next delimiter. */
static int is_tame_field_text(const struct gate *g, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '.')
            continue;
        size_t end = i + 1, known = gate_tells_name(text + end, len - end);
        if (known) {
            i += known;
            continue;
        }
        while (end < len && !strchr(".[]!:{}", text[end]))
            end++;
        size_t name = end - i - 1;
        int number = name > 0 && text[i + 1] >= '0' && text[i + 1] <= '9'; /* :.2f */
        int blank = name == 0 || text[i + 1] == ' ';
        if (!number && !blank && !is_tame_name(g, text + i + 1, name))
            return 0;
    }
    return 1;
}

size_t gate_field_end(const char *text, size_t len, size_t at)
{
    int depth = 1;
    for (; at < len; at++) {
        depth += text[at] == '{';
        depth -= text[at] == '}';
        if (depth == 0)
            return at;
    }
    return len;
}

int is_tame_format(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }
    for (size_t i = 0; i < (size_t)len; i++) {
        if (text[i] != '{')
            continue;
        if (i + 1 < (size_t)len && text[i + 1] == '{') {
            i++;
            continue;
        }
        size_t end = gate_field_end(text, (size_t)len, i + 1);
        /* A bracket may hide braces from the count: then all that follows is the field. */
        if (memchr(text + i, '[', end - i))
            end = (size_t)len;
        if (!is_tame_field_text(g, text + i + 1, end - i - 1))
            return 0;
        i = end;
    }
    return 1;
}

/* ---- texts that are known ------------------------------------------------------------------- */

/*
 * What a class of the source gives a name in its body, for C.NAME, self.NAME: where no other class
 * does, nothing sets such an attribute, and instances hold what the source gave them; whether it
 * does so by names made at run time is known at the end.
 */
uint32_t gate_class_constant(struct gate *g, uint32_t i)
{
    uint32_t base = kind_of(g, i) == K_Attribute ? first_child(g, i) : 0, class = 0;
    if (!base || (!is_genuine_self(g, base, &class) && !(class = class_sure(g, base))))
        return 0;
    unsigned facts = class_facts_known(g, class);
    const struct name *name = NAME(g, N(g, i)->name);
    uint32_t s = gate_scope_find(g, N(g, class)->link, N(g, i)->name);
    uint32_t value = s ? only_value(g, &g->symbols[s]) : 0;
    uint32_t statement = value ? N(g, value)->parent : 0;
    if (kind_of(g, statement) != K_Assign || !is_in_field(g, statement, K_ClassDef, F_body) ||
        name->inner != 1 || name->may_be_set || g->symbols[s].flags & SYMBOL_LOADED_IN_CLASS ||
        g->bases_meet || !(facts & CLASS_REAL) || !(facts & CLASS_PLAIN) || facts & CLASS_ENUM)
        return 0; /* what an Enum has under the name is a member */
    if (!g->class_parts)
        g->class_parts = i;
    return value;
}

/* The text that node i surely is: a new reference, or NULL without an exception. */
static PyObject *text_of(struct gate *g, uint32_t i, int depth);

static PyObject *joined(struct gate *g, uint32_t i, int depth)
{
    AUTO_PY left = text_of(g, first_child(g, i), depth + 1);
    AUTO_PY right = left ? text_of(g, child_of(g, i, F_right), depth + 1) : NULL;
    if (!right || PyUnicode_GetLength(left) + PyUnicode_GetLength(right) > FORMAT_MAX)
        return NULL;
    g->text_work += (size_t)(PyUnicode_GetLength(left) + PyUnicode_GetLength(right)) / 16;
    return PyUnicode_Concat(left, right);
}

/* Whether no field begins in one text and goes on in the next. */
static int is_whole(PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    int depth = 0;
    for (Py_ssize_t i = 0; text && i < len && depth >= 0; i++) {
        depth += (text[i] == '{') - (text[i] == '}');
        if (text[i] == '[')
            return 0;
    }
    PyErr_Clear();
    return text && depth == 0;
}

static int is_defined(const struct gate *g, const char *name)
{
    uint32_t id = gate_name_find_text(g, name, strlen(name));
    return id && NAME(g, id)->defined;
}

static int is_mentioned(const struct gate *g, const char *name)
{
    return gate_name_find_text(g, name, strlen(name)) != 0;
}

/* "{:>6}" * n, of any n that cannot answer for itself: two stand for any number of them. */
static PyObject *repeated_often(struct gate *g, uint32_t i, int depth)
{
    if (is_defined(g, "__rmul__") || is_mentioned(g, "UserString") || is_mentioned(g, "UserList") ||
        g->packages)
        return NULL; /* those two leave it to what they hold */
    AUTO_PY text = text_of(g, first_child(g, i), depth + 1);
    if (!text || !is_whole(text) || 2 * PyUnicode_GetLength(text) > FORMAT_MAX)
        return NULL;
    g->text_work += (size_t)PyUnicode_GetLength(text) / 8;
    return PyUnicode_Concat(text, text);
}

static PyObject *repeated(struct gate *g, uint32_t i, int depth)
{
    uint32_t right = child_of(g, i, F_right);
    PyObject *number = kind_of(g, right) == K_Constant ? N(g, right)->value : NULL;
    long times = number && PyLong_CheckExact(number) ? PyLong_AsLong(number) : -1;
    PyErr_Clear();
    if (!number)
        return repeated_often(g, i, depth);
    AUTO_PY text = times > 0 ? text_of(g, first_child(g, i), depth + 1) : NULL;
    if (!text || PyUnicode_GetLength(text) * times > FORMAT_MAX || times > FORMAT_MAX)
        return NULL;
    g->text_work += (size_t)(PyUnicode_GetLength(text) * times) / 16;
    return PySequence_Repeat(text, times);
}

/* "{:<%d}" % width: what is put in has digits only, so the fields stay what they are. */
static PyObject *with_numbers(struct gate *g, uint32_t i, int depth)
{
    AUTO_PY text = text_of(g, first_child(g, i), depth + 1);
    AUTO_PY zeros = text ? PyObject_CallMethod(text, "replace", "ss", "%d", "0") : NULL;
    AUTO_PY percent = zeros ? PyUnicode_FromString("%") : NULL;
    if (!percent || is_defined(g, "__rmod__") || PyUnicode_Contains(zeros, percent) != 0)
        return NULL;
    g->text_work += (size_t)PyUnicode_GetLength(text) / 16;
    return py_take(&zeros);
}

/* ---- numbers in texts: of those only digits come ------------------------------------------- */

static int calls_builtin(const struct gate *g, uint32_t i, const char *name)
{
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    return builtin_sure(g, func) != BUILTIN_NONE &&
           strcmp(NAME(g, N(g, func)->name)->text, name) == 0;
}

/* 3, len(x), int(x), max(len(x) for x in y) + 2 */
static int is_number(struct gate *g, uint32_t i)
{
    for (int down = 0; kind_of(g, i) == K_BinOp && down < FOLLOW_MAX; down++) {
        int op = N(g, i)->op;
        if ((op != K_Add && op != K_Sub && op != K_Mult && op != K_FloorDiv) ||
            kind_of(g, child_of(g, i, F_right)) == K_BinOp ||
            !is_number(g, child_of(g, i, F_right)))
            return 0;
        i = first_child(g, i);
    }
    if (kind_of(g, i) == K_Constant)
        return PyLong_CheckExact(N(g, i)->value);
    if (calls_builtin(g, i, "len") || calls_builtin(g, i, "int"))
        return 1;
    uint32_t arg = child_of(g, i, F_args);
    if (!(calls_builtin(g, i, "max") || calls_builtin(g, i, "min") || calls_builtin(g, i, "sum")) ||
        !arg || call_shape(g, i).positional != 1 || call_shape(g, i).keywords)
        return 0;
    if (kind_of(g, arg) == K_GeneratorExp || kind_of(g, arg) == K_ListComp)
        return calls_builtin(g, child_of(g, arg, F_elt), "len");
    uint32_t mapped = calls_builtin(g, arg, "map") ? child_of(g, arg, F_args) : 0;
    return mapped && builtin_sure(g, mapped) == BUILTIN_PLAIN &&
           strcmp(NAME(g, N(g, mapped)->name)->text, "len") == 0;
}

static PyObject *digits(struct gate *g, uint32_t i)
{
    return gate_are_choices(g, i, is_number) ? PyUnicode_FromString("0") : NULL;
}

/* f"{{:>{width}}}": its own texts, and numbers. */
static PyObject *of_fields(struct gate *g, uint32_t i)
{
    AUTO_PY text = PyUnicode_FromString("");
    FOR_CHILDREN (g, c, i) {
        int number = kind_of(g, c) == K_FormattedValue && !child_of(g, c, F_format_spec);
        AUTO_PY part = number ? digits(g, first_child(g, c)) : NULL;
        PyObject *piece = part ? part : string_of(g, c);
        PyObject *whole = text && piece ? PyUnicode_Concat(text, piece) : NULL;
        Py_XDECREF(text);
        text = whole;
    }
    return py_take(&text);
}

/* " ".join("{}" for x in y): each is read as if it stood alone, and two of them stand for all. */
static PyObject *of_join(struct gate *g, uint32_t i, int depth)
{
    uint32_t func = first_child(g, i), arg = child_of(g, i, F_args);
    if (kind_of(g, func) != K_Attribute || !arg || count_of(g, i, F_args) != 1 ||
        count_of(g, i, F_keywords) || strcmp(NAME(g, N(g, func)->name)->text, "join") != 0 ||
        (kind_of(g, arg) != K_GeneratorExp && kind_of(g, arg) != K_ListComp))
        return NULL;
    AUTO_PY between = text_of(g, first_child(g, func), depth + 1);
    AUTO_PY part = between ? text_of(g, child_of(g, arg, F_elt), depth + 1) : NULL;
    if (!part || !is_whole(between) || !is_whole(part) ||
        PyUnicode_GetLength(between) + 2 * PyUnicode_GetLength(part) > FORMAT_MAX)
        return NULL;
    g->text_work += (size_t)(PyUnicode_GetLength(between) + PyUnicode_GetLength(part)) / 16;
    return PyUnicode_FromFormat("%U%U%U", part, between, part);
}

static PyObject *text_of(struct gate *g, uint32_t i, int depth)
{
    if (depth > FOLLOW_MAX || g->text_work > TEXT_WORK_MAX)
        return NULL;
    g->text_work++;
    PyObject *text = string_of(g, i);
    if (text) {
        Py_INCREF(text);
        return text;
    }
    const struct symbol *s = symbol_of(g, i);
    if (s && !NAME(g, s->name)->builtin) {
        uint32_t value = only_value(g, s);
        return value ? text_of(g, value, depth + 1) : NULL;
    }
    if (kind_of(g, i) == K_BinOp && N(g, i)->op == K_Add)
        return joined(g, i, depth);
    if (kind_of(g, i) == K_BinOp && N(g, i)->op == K_Mult)
        return repeated(g, i, depth);
    if (kind_of(g, i) == K_BinOp && N(g, i)->op == K_Mod)
        return with_numbers(g, i, depth);
    if (calls_builtin(g, i, "str") && call_shape(g, i).positional == 1)
        return digits(g, child_of(g, i, F_args));
    if (kind_of(g, i) == K_Call)
        return of_join(g, i, depth);
    if (kind_of(g, i) == K_JoinedStr)
        return of_fields(g, i);
    uint32_t constant = gate_class_constant(g, i);
    return constant ? text_of(g, constant, depth + 1) : NULL;
}

/* What a display holds: an element, a dict's value. */
#define FOR_VALUES(g, c, display)                                                                  \
    FOR_CHILDREN (g, c, display)                                                                   \
        if (!is_key(g, c))

static int is_key(const struct gate *g, uint32_t i)
{
    return N(g, i)->field == F_keys && kind_of(g, i) != K_NONE; /* that would be **x */
}

static int is_display(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_Dict || kind_of(g, i) == K_List || kind_of(g, i) == K_Tuple;
}

static int are_tame_texts(const struct gate *g, uint32_t display)
{
    unsigned count = 0;
    FOR_VALUES(g, c, display)
    {
        PyObject *text = string_of(g, c);
        if (!text || ++count > CHOICES_MAX || !is_tame_format(g, text))
            return 0;
    }
    return 1;
}

/* A dict of displays of such. One that has texts beside them could be asked for a part of a text. */
static int are_tame_tables(const struct gate *g, uint32_t display)
{
    unsigned count = 0;
    FOR_VALUES(g, c, display)
    if (!is_display(g, c) || ++count > CHOICES_MAX || !are_tame_texts(g, c))
        return 0;
    return kind_of(g, display) == K_Dict && count > 0;
}

/* What x.get(y, other) answers with where x has no y. */
static int is_tame_default(const struct gate *g, uint32_t other, uint32_t base, int tables)
{
    PyObject *text = string_of(g, other);
    const struct symbol *s = symbol_of(g, base);
    if (kind_of(g, other) == K_Subscript)
        return s && symbol_of(g, first_child(g, other)) == s;
    return tables ? kind_of(g, other) == K_Dict && are_tame_texts(g, other)
                  : text && is_tame_format(g, text);
}

/* x of x[y], or of x.get(y), x.get(y, other); 0. tables: what comes of it is no text yet. */
static uint32_t container_of(const struct gate *g, uint32_t i, int tables)
{
    if (kind_of(g, i) == K_Subscript)
        return first_child(g, i);
    uint32_t func = kind_of(g, i) == K_Call ? first_child(g, i) : 0;
    if (kind_of(g, func) != K_Attribute || strcmp(NAME(g, N(g, func)->name)->text, "get") != 0)
        return 0;
    struct call_shape shape = call_shape(g, i);
    uint32_t base = first_child(g, func), other = child_at(g, i, F_args, 1);
    if (shape.starred || shape.keywords || (other && !is_tame_default(g, other, base, tables)))
        return 0;
    return base;
}

/* Whether a text comes of D[x], or, of tables, of D[x][y], and each that may come is tame. */
static int is_tame_table(const struct gate *g, uint32_t display, int tables, int parts_stay)
{
    if (!is_display(g, display))
        return 0;
    return tables ? parts_stay && are_tame_tables(g, display) : are_tame_texts(g, display);
}

/* D["x"], D["x"]["y"] of a display of texts, or of such displays, that nothing changes. */
static int format_of_element(struct gate *g, uint32_t i)
{
    uint32_t base = container_of(g, i, 0), outer = container_of(g, base, 1);
    int tables = outer != 0;
    base = tables ? outer : base;
    struct symbol *s = symbol_of(g, base);
    uint32_t display = s ? only_value(g, s) : gate_class_constant(g, base);
    const struct name *attribute = NAME(g, N(g, base)->name);
    if (!display || (s ? s->flags & SYMBOL_ESCAPES || NAME(g, s->name)->builtin : attribute->kept))
        return -1;
    int parts_stay = s ? !(s->flags & SYMBOL_PARTS_ESCAPE) : !attribute->parts_kept;
    if (!s || tables)
        return is_tame_table(g, display, tables, parts_stay) ? 1 : -1;
    if (!(s->flags & SYMBOL_FORMAT_KNOWN))
        s->flags |= SYMBOL_FORMAT_KNOWN |
                    (is_tame_table(g, display, 0, parts_stay) ? SYMBOL_FORMAT_TAME : 0);
    return s->flags & SYMBOL_FORMAT_TAME ? 1 : -1;
}

/* x.strip(), dedent(x): the same text as far as fields go. */
static uint32_t without_blanks(const struct gate *g, uint32_t i)
{
    if (kind_of(g, i) != K_Call)
        return i;
    uint32_t func = first_child(g, i);
    struct call_shape shape = call_shape(g, i);
    if (exports_of(g, func) == EXPORTS(EXPORT_DEDENT) && export_sure(g, func) &&
        shape.positional == 1 && !shape.keywords && !shape.starred)
        return child_of(g, i, F_args);
    if (kind_of(g, func) != K_Attribute || shape.positional || shape.keywords)
        return i;
    const char *name = NAME(g, N(g, func)->name)->text;
    int strips =
        strcmp(name, "strip") == 0 || strcmp(name, "rstrip") == 0 || strcmp(name, "lstrip") == 0;
    return strips ? first_child(g, func) : i;
}

static int work_out_format(struct gate *g, uint32_t i)
{
    if (container_of(g, i, 0))
        return format_of_element(g, i);
    AUTO_PY text = text_of(g, i, 0);
    PyErr_Clear();
    if (text)
        g->text_work += (size_t)PyUnicode_GetLength(text) / 16;
    return text ? is_tame_format(g, text) : -1;
}

static int is_tame_leaf(struct gate *g, uint32_t i)
{
    return string_of(g, i) && is_tame_format(g, string_of(g, i));
}

int format_of_receiver(struct gate *g, uint32_t i)
{
    i = without_blanks(g, without_blanks(g, i));
    if (kind_of(g, i) == K_IfExp) {
        int yes = work_out_format(g, child_of(g, i, F_body));
        int no = work_out_format(g, child_of(g, i, F_orelse));
        return yes < 0 || no < 0 ? -1 : yes && no;
    }
    struct symbol *s = symbol_of(g, i);
    if (!s)
        return work_out_format(g, i);
    if (!(s->flags & SYMBOL_FORMAT_KNOWN)) {
        uint32_t value = only_value(g, s);
        int tame = value && !NAME(g, s->name)->builtin
                       ? work_out_format(g, without_blanks(g, without_blanks(g, value)))
                       : -1;
        tame = tame < 0 ? gate_are_choices(g, i, is_tame_leaf) : tame;
        s->flags |= SYMBOL_FORMAT_KNOWN | (tame > 0 ? SYMBOL_FORMAT_TAME : 0);
    }
    return s->flags & SYMBOL_FORMAT_TAME ? 1 : -1;
}
