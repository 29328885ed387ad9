/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_path: where in the result something is, and what to say about it.
 *
 * Paths are read off the chain of levels only when a message or a note needs one. A key,
 * a type's name, a path and a message each have a bound, whatever user code put there,
 * and are valid UTF-8. Words must not fail: without memory they get shorter.
 */
#include "encode_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARS 60   /* kept of one key, one type's name */
#define PATH_TEXT 65536 /* of a path before it is cut */
#define PATH_BYTES 200  /* of a path after */
#define PATH_HEAD 120   /* of which this much is its beginning */
#define GAP "..."

/* ---- text that never fails ----------------------------------------------- */

static void text_add(struct buf *b, const char *s, size_t len)
{
    (void)buf_add(b, s, len, PATH_TEXT);
}

/* Escaped as in JSON, so that no name can break a line or look like a path's end. */
static void text_add_escaped(struct buf *b, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        char escape[6];

        if (is_surrogate(s + i)) {
            surrogate_escape(s + i, escape);
            text_add(b, escape, sizeof(escape));
            i += 2;
        } else if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            text_add(b, s + i, 1);
        } else {
            text_add(b, escape, json_escape(c, escape));
        }
    }
}

/* The beginning of a str. */
static void text_add_str(struct buf *b, PyObject *str)
{
    PyObject *start = PyUnicode_Substring(str, 0, NAME_CHARS);
    PyObject *bytes = start ? PyUnicode_AsEncodedString(start, "utf-8", "surrogatepass") : NULL;
    char *s;
    Py_ssize_t len;

    if (bytes && PyBytes_AsStringAndSize(bytes, &s, &len) == 0)
        text_add_escaped(b, s, (size_t)len);
    if (PyUnicode_GetLength(str) > NAME_CHARS)
        text_add(b, GAP, strlen(GAP));
    Py_XDECREF(bytes);
    Py_XDECREF(start);
    PyErr_Clear();
}

/* How much of s[0..len) is whole characters. */
static size_t utf8_whole(const char *s, size_t len)
{
    size_t lead = len;

    while (lead && ((unsigned char)s[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (!lead)
        return 0;

    unsigned char c = (unsigned char)s[lead - 1];
    size_t need = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    return len - (lead - 1) >= need ? len : lead - 1;
}

/* ---- paths --------------------------------------------------------------- */

static void path_add_key(struct buf *b, PyObject *key)
{
    int overflow = 0;
    char text[32];

    if (!key)
        return;
    if (PyUnicode_Check(key)) {
        text_add(b, "\"", 1);
        text_add_str(b, key);
        text_add(b, "\"", 1);
    } else if (key == Py_None || PyBool_Check(key)) {
        const char *word = key == Py_None ? "None" : key == Py_True ? "True" : "False";
        text_add(b, word, strlen(word));
    } else if (PyLong_Check(key)) {
        long long n = PyLong_AsLongLongAndOverflow(key, &overflow);
        snprintf(text, sizeof(text), overflow ? GAP : "%lld", n);
        text_add(b, text, strlen(text));
    } else if (PyFloat_Check(key)) {
        snprintf(text, sizeof(text), "%.17g", PyFloat_AsDouble(key));
        text_add(b, text, strlen(text));
    } else {
        text_add(b, GAP, strlen(GAP));
    }
}

static void path_add_step(struct buf *b, const struct level *level)
{
    char text[32];

    switch (level->kind) {
    case STEP_INDEX:
        snprintf(text, sizeof(text), "[%zd]", level->index);
        text_add(b, text, strlen(text));
        break;
    case STEP_KEY:
        text_add(b, "[", 1);
        path_add_key(b, level->key);
        text_add(b, "]", 1);
        break;
    case STEP_FIELD:
        text_add(b, ".", 1);
        if (level->key && PyUnicode_Check(level->key))
            text_add_str(b, level->key);
        break;
    case STEP_NONE:
        break;
    }
}

/* As deep as there are levels, which ENCODE_MAX_DEPTH bounds. */
static void path_add_levels(struct buf *b, const struct level *level)
{
    if (!level)
        return;
    path_add_levels(b, level->up);
    path_add_step(b, level);
}

/* The path down to the part that `last` is writing; a long one loses its middle. */
static void path_write(const struct level *last, char to[PATH_BYTES + 1])
{
    struct buf b = {0};

    text_add(&b, "result", strlen("result"));
    path_add_levels(&b, last);

    size_t len = b.data ? b.len : 0;

    if (len <= PATH_BYTES) {
        memcpy(to, len ? b.data : "", len + 1);
    } else {
        size_t head = utf8_whole(b.data, PATH_HEAD);
        const char *tail = b.data + len - (PATH_BYTES - PATH_HEAD - strlen(GAP));

        while (((unsigned char)*tail & 0xc0) == 0x80)
            tail++;
        memcpy(to, b.data, head);
        strcpy(to + head, GAP);
        strcat(to, tail);
    }
    buf_done(&b);
}

/* ---- failures ------------------------------------------------------------ */

static int say(struct encoder *e, enum encode_outcome outcome, const struct level *last,
               const char *text)
{
    char path[PATH_BYTES + 1];

    path_write(last, path);
    e->outcome = outcome;
    if (e->message_size) {
        snprintf(e->message, e->message_size, "%s %s", path, text);
        e->message[utf8_whole(e->message, strlen(e->message))] = 0;
    }
    return -1;
}

int fail_at(struct encoder *e, const struct level *above, const char *fmt, ...)
{
    char text[ENCODE_MESSAGE_MAX];
    va_list ap;

    PyErr_Clear();
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return say(e, ENCODE_REFUSED, above ? above->up : e->top, text);
}

void type_name(PyTypeObject *type, char *to, size_t size)
{
    PyObject *module = attribute((PyObject *)type, "__module__");
    PyObject *name = PyType_GetQualName(type);
    struct buf b = {0};

    PyErr_Clear();
    if (module && PyUnicode_Check(module) &&
        PyUnicode_CompareWithASCIIString(module, "builtins") != 0 &&
        PyUnicode_CompareWithASCIIString(module, "__main__") != 0) {
        text_add_str(&b, module);
        text_add(&b, ".", 1);
    }
    if (name && PyUnicode_Check(name))
        text_add_str(&b, name);
    snprintf(to, size, "%s", b.data ? b.data : "?");
    to[utf8_whole(to, strlen(to))] = 0;
    buf_done(&b);
    Py_XDECREF(name);
    Py_XDECREF(module);
}

int fail_type(struct encoder *e, PyObject *value, const char *hint)
{
    char name[TYPE_NAME_MAX];

    PyErr_Clear();
    type_name(Py_TYPE(value), name, sizeof(name));
    return fail_at(e, e->top, "is of type %s, which JSON cannot hold; %s", name, hint);
}

/* The lowest level whose owner is being written further up as well; *ret_first: there. */
static const struct level *find_cycle(const struct encoder *e, const struct level **ret_first)
{
    const struct level *found = NULL;

    for (const struct level *low = e->top; low; low = low->up) {
        for (const struct level *high = low->up; high; high = high->up) {
            if (high->owner == low->owner) {
                found = low;
                *ret_first = high;
            }
        }
    }
    return found;
}

/*
 * A value that holds itself is not looked for at every step: it must end here, being
 * either too deep or too big, and then both ends of the circle are on the chain.
 */
static int fail_cycle(struct encoder *e, int *ret_r)
{
    const struct level *first;
    const struct level *again = find_cycle(e, &first);
    char path[PATH_BYTES + 1];

    if (!again)
        return 0;
    path_write(first->up, path);
    *ret_r = fail_at(e, again, "refers to itself: it is %s again, and JSON cannot hold that", path);
    return 1;
}

int fail_too_big(struct encoder *e)
{
    char text[128];
    int r;

    if (fail_cycle(e, &r))
        return r;
    snprintf(text, sizeof(text), "is where the result passed its limit of %llu bytes of JSON",
             (unsigned long long)e->max);
    return say(e, ENCODE_TOO_BIG, e->top, text);
}

int fail_too_deep(struct encoder *e)
{
    int r;

    if (fail_cycle(e, &r))
        return r;
    return fail_at(e, NULL, "is nested deeper than %d levels, the limit", ENCODE_MAX_DEPTH);
}

int fail_no_memory(struct encoder *e)
{
    PyErr_Clear();
    return say(e, ENCODE_NOMEM, e->top, "is where memory ran out while the result was encoded");
}

int fail_python(struct encoder *e)
{
    PyObject *type, *value, *traceback;
    char name[TYPE_NAME_MAX] = "an exception";
    char text[TYPE_NAME_MAX + 64];

    if (PyErr_ExceptionMatches(PyExc_MemoryError))
        return fail_no_memory(e);
    PyErr_Fetch(&type, &value, &traceback);
    if (type && PyType_Check(type))
        type_name((PyTypeObject *)type, name, sizeof(name));
    snprintf(text, sizeof(text), "raised %s while it was encoded", name);
    say(e, ENCODE_RAISED, e->top, text);
    PyErr_Restore(type, value, traceback);
    return -1;
}

/* ---- notes --------------------------------------------------------------- */

static int note_add(struct encoder *e, const char *text)
{
    PyObject *note = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    int r = note ? PyList_Append(e->notes, note) : -1;

    Py_XDECREF(note);
    return r < 0 ? fail_python(e) : 0;
}

int note_null(struct encoder *e, const char *what)
{
    char path[PATH_BYTES + 1];
    char text[PATH_BYTES + 64];

    if (PyList_Size(e->notes) >= ENCODE_MAX_NOTES) {
        e->notes_more++;
        return 0;
    }
    path_write(e->top, path);
    snprintf(text, sizeof(text), "%s: %s became null", path, what);
    return note_add(e, text);
}

int notes_close(struct encoder *e)
{
    char text[64];

    if (!e->notes_more)
        return 0;
    snprintf(text, sizeof(text), "and %llu more", (unsigned long long)e->notes_more);
    return note_add(e, text);
}
