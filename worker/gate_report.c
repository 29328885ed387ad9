/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_report: warnings, from "this node" to the dict that a person's screen is made of.
 * Repeats are folded while they come in, and there is a cap: hostile source gets a list that
 * can be read, and the work stays linear.
 */
#include "gate_int.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting --------------------------------------------------------------------- */

/* The warning with that rule and message: its index, -1 when there is none, -2 on failure. */
static long seen_at(struct gate *g, PyObject *key)
{
    if (!g->seen && !(g->seen = PyDict_New()))
        return -2;
    PyObject *at = PyDict_GetItemWithError(g->seen, key);
    if (!at)
        return PyErr_Occurred() ? -2 : -1;
    return PyLong_AsLong(at);
}

static int add_warning(struct gate *g, struct warning warning, PyObject *key)
{
    if (gate_grow((void **)&g->warnings, &g->warning_room, g->warning_count,
                  sizeof(struct warning)) < 0)
        return -1;
    AUTO_PY at = PyLong_FromUnsignedLong(g->warning_count);
    if (!at || PyDict_SetItem(g->seen, key, at) < 0)
        return -1;
    Py_INCREF(warning.message);
    warning.count = 1;
    g->warnings[g->warning_count++] = warning;
    return 0;
}

static int put(struct gate *g, struct warning warning, PyObject *message)
{
    AUTO_PY key = message ? Py_BuildValue("(iO)", (int)warning.rule, message) : NULL;
    long at = key ? seen_at(g, key) : -2;
    if (at >= 0)
        g->warnings[at].count++;
    if (at != -1)
        return at < 0 ? -1 : 0;
    if (g->warning_count >= GATE_WARNINGS_MAX) {
        if (g->dropped++ == 0)
            g->dropped_node = warning.node;
        return 0;
    }
    warning.message = message;
    return add_warning(g, warning, key);
}

int gate_warn(struct gate *g, enum rule_id rule, uint32_t node, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    AUTO_PY message = PyUnicode_FromFormatV(fmt, args);
    va_end(args);
    return put(g, (struct warning){.rule = (unsigned char)rule, .node = node}, message);
}

int gate_warn_at(struct gate *g, enum rule_id rule, long line, long column, long end_line,
                 long end_column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    AUTO_PY message = PyUnicode_FromFormatV(fmt, args);
    va_end(args);
    struct warning warning = {.rule = (unsigned char)rule,
                              .line = line,
                              .column = column,
                              .end_line = end_line,
                              .end_column = end_column};
    return put(g, warning, message);
}

/* ---- places --------------------------------------------------------------------------- */

/* Lines end as Python's tokenizer ends them: \n, \r\n, \r. */
static int find_lines(struct gate *g)
{
    uint32_t room = 0;
    if (g->line_starts)
        return 0;
    for (size_t i = 0; i <= g->len; i++) {
        int starts = i == 0 || g->text[i - 1] == '\n' ||
                     (g->text[i - 1] == '\r' && (i == g->len || g->text[i] != '\n'));
        if (!starts)
            continue;
        if (gate_grow((void **)&g->line_starts, &room, g->line_count, sizeof(uint32_t)) < 0)
            return -1;
        g->line_starts[g->line_count++] = (uint32_t)i;
    }
    return 0;
}

static long count_characters(const char *text, size_t len)
{
    long count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* The byte that Python means by a line and a column in bytes. */
static size_t offset_of(const struct gate *g, long line, long bytes)
{
    if (line < 1 || bytes < 0)
        return 0;
    if ((unsigned long)line > g->line_count)
        return g->len;
    size_t start = g->line_starts[line - 1];
    size_t end = (unsigned long)line < g->line_count ? g->line_starts[line] : g->len;
    return start + (size_t)bytes < end ? start + (size_t)bytes : end;
}

static long line_of(const struct gate *g, size_t offset)
{
    uint32_t low = 0, high = g->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (long)low + 1;
}

void gate_place(struct gate *g, size_t offset, long *ret_line, long *ret_column)
{
    if (find_lines(g) < 0) {
        PyErr_Clear();
        *ret_line = *ret_column = 1;
        return;
    }
    *ret_line = line_of(g, offset);
    size_t start = g->line_starts[*ret_line - 1];
    *ret_column = count_characters(g->text + start, offset - start) + 1;
}

static long number_of(const struct gate *g, uint32_t i, enum field field)
{
    AUTO_PY value = PyObject_GetAttr(N(g, i)->object, gate_keys[field]);
    long number = value ? PyLong_AsLong(value) : -1;
    PyErr_Clear();
    return number;
}

struct span {
    size_t start, end;
};

static struct span span_of(const struct gate *g, uint32_t i)
{
    return (struct span){
        offset_of(g, number_of(g, i, F_lineno), number_of(g, i, F_col_offset)),
        offset_of(g, number_of(g, i, F_end_lineno), number_of(g, i, F_end_col_offset))};
}

/* Nodes without a place of their own are where the node around them is. */
static uint32_t placed_node(const struct gate *g, uint32_t i)
{
    while (i && (!N(g, i)->object || number_of(g, i, F_lineno) < 1))
        i = N(g, i)->parent;
    return i;
}

/* Before 3.12 places inside f-strings are not to be trusted: the string's is right. */
static uint32_t fstring_around(const struct gate *g, uint32_t i)
{
    uint32_t found = i;
    for (uint32_t up = i; N(g, up)->flags & IN_FSTRING; up = N(g, up)->parent)
        found = N(g, up)->parent;
    return found;
}

static int says_name(const struct gate *g, uint32_t i, struct span span)
{
    const struct name *name = NAME(g, N(g, i)->name);
    return kind_of(g, i) != K_Name || (span.end - span.start == name->len &&
                                       memcmp(g->text + span.start, name->text, name->len) == 0);
}

static struct span place_of(const struct gate *g, uint32_t i)
{
    uint32_t placed = placed_node(g, i);
    if (!placed)
        return (struct span){0, 0};
    struct span span = span_of(g, placed);
    uint32_t around = fstring_around(g, placed);
    if (around == placed)
        return span;
    struct span string = span_of(g, around);
    int inside = span.start > string.start && span.end < string.end && span.end > span.start;
    return inside && says_name(g, placed, span) ? span : string;
}

/* ---- the list ---------------------------------------------------------------------------- */

/* A null character is no text to those who read the list: it is shown as the replacement one. */
static PyObject *shown(const char *text, size_t len)
{
    AUTO_PY as_is = PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "replace");
    AUTO_PY null = PyUnicode_FromOrdinal(0);
    AUTO_PY instead = PyUnicode_FromOrdinal(0xfffd);
    return as_is && null && instead ? PyUnicode_Replace(as_is, null, instead, -1) : NULL;
}

static PyObject *snippet_of(const struct gate *g, struct span span)
{
    const char *text = g->text + span.start;
    size_t len = span.end - span.start, cut = 0;
    long characters = 0;
    while (cut < len &&
           (characters < GATE_SNIPPET_MAX || ((unsigned char)text[cut] & 0xc0) == 0x80)) {
        characters += ((unsigned char)text[cut] & 0xc0) != 0x80;
        cut++;
    }
    return shown(text, cut);
}

#define MESSAGE_MAX 400 /* characters; what is longer has names that nobody reads to the end */
#define NAME_SHOWN_MAX 60
#define ELLIPSIS 0x2026

/* The message with its long names cut. */
static PyObject *without_long_names(PyObject *message)
{
    Py_ssize_t len = PyUnicode_GetLength(message), used = 0, in_word = 0;
    if (len <= MESSAGE_MAX)
        return Py_NewRef(message);
    Py_UCS4 text[MESSAGE_MAX + 1], before = 0;
    for (Py_ssize_t i = 0; i < len && used < MESSAGE_MAX; i++) {
        Py_UCS4 c = PyUnicode_ReadChar(message, i);
        if (c == ' ' && in_word > NAME_SHOWN_MAX && before == '`')
            text[used++] = before;
        in_word = c == ' ' ? 0 : in_word + 1;
        if (in_word <= NAME_SHOWN_MAX + 1)
            text[used++] = in_word <= NAME_SHOWN_MAX ? c : ELLIPSIS;
        before = c;
    }
    int order = 0;
    return PyUnicode_DecodeUTF32((const char *)text, used * (Py_ssize_t)sizeof(*text),
                                 "surrogatepass", &order);
}

static struct span span_of_warning(struct gate *g, const struct warning *w)
{
    if (!w->line)
        return place_of(g, w->node);
    struct span span;
    for (int end = 0; end < 2; end++) {
        long line = end ? w->end_line : w->line, column = end ? w->end_column : w->column;
        size_t at = offset_of(g, line, 0);
        for (long k = 1; k < column && at < g->len; k++)
            do
                at++;
            while (at < g->len && ((unsigned char)g->text[at] & 0xc0) == 0x80);
        *(end ? &span.end : &span.start) = at;
    }
    span.end = span.end < span.start ? span.start : span.end;
    return span;
}

static PyObject *dict_of(struct gate *g, struct warning *w)
{
    struct span span = span_of_warning(g, w);
    if (!w->line) {
        gate_place(g, span.start, &w->line, &w->column);
        gate_place(g, span.end, &w->end_line, &w->end_column);
    }
    AUTO_PY snippet = snippet_of(g, span);
    AUTO_PY message = without_long_names(w->message);
    if (!snippet || !message)
        return NULL;
    return Py_BuildValue("{s:s,s:O,s:l,s:l,s:l,s:l,s:O,s:k}", "rule", rules[w->rule].name,
                         "message", message, "line", w->line, "column", w->column, "end_line",
                         w->end_line, "end_column", w->end_column, "snippet", snippet, "count",
                         (unsigned long)w->count);
}

/* The most serious first, then as they stand in the source. */
static int compare_warnings(const void *a, const void *b)
{
    const struct warning *x = a, *y = b;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static int say_more(struct gate *g)
{
    AUTO_PY message = PyUnicode_FromFormat("There are %lu more warnings, which are not shown.",
                                           (unsigned long)g->dropped);
    AUTO_PY key = PyLong_FromLong(0);
    struct warning more = {.rule = RULE_MORE_WARNINGS, .node = g->dropped_node};
    more.message = message;
    return message && key ? add_warning(g, more, key) : -1;
}

int gate_report_close(struct gate *g)
{
    if (g->dropped && say_more(g) < 0)
        return -1;
    if (g->warning_count && find_lines(g) < 0)
        return -1;
    AUTO_PY list = PyList_New(0);
    if (!list)
        return -1;
    if (g->warning_count)
        qsort(g->warnings, g->warning_count, sizeof(struct warning), compare_warnings);
    for (uint32_t i = 0; i < g->warning_count; i++) {
        AUTO_PY row = dict_of(g, &g->warnings[i]);
        if (!row || PyList_Append(list, row) < 0)
            return -1;
    }
    g->report->warnings = py_take(&list);
    return 0;
}
