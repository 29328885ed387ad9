/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode: walks a value and writes it as JSON.
 *
 * Exact built-in types come first and call no user code. Subclasses of str, int, float,
 * list and tuple are taken by what they hold, never by methods they override; of dict by
 * items(), as Python's json does. Everything that is being looked at is held by a
 * reference of ours, sizes are asked for again after every step, and what has no end
 * meets the limit on bytes. Recursion ends at ENCODE_MAX_DEPTH.
 */
#include "encode.h"

#include "encode_state.h"

#include <string.h>

#define WORD(e, text) out_bytes(e, text, sizeof(text) - 1)

/* ---- keys ---------------------------------------------------------------- */

/* null, true, 1, 2.5 as text: what Python's json makes of such keys. */
static int key_bare(struct encoder *e, PyObject *key)
{
    double number;

    if (key == Py_None)
        return WORD(e, "null");
    if (PyBool_Check(key))
        return key == Py_True ? WORD(e, "true") : WORD(e, "false");
    if (PyLong_Check(key))
        return out_long(e, key);

    number = PyFloat_AsDouble(key);
    if (number != number)
        return WORD(e, "NaN");
    if (number - number != 0)
        return number > 0 ? WORD(e, "Infinity") : WORD(e, "-Infinity");
    return out_double(e, number);
}

static int key_refused(struct encoder *e, PyObject *key)
{
    char name[TYPE_NAME_MAX];

    type_name(Py_TYPE(key), name, sizeof(name));
    return fail_at(
        e, e->top,
        "has a key of type %s, and JSON's keys are text; convert it, for example with str(key)",
        name);
}

/*
 * The key itself, or what it stands for: an Enum's value, the number that numpy wraps. A
 * new reference, or NULL (it has failed).
 */
static PyObject *plain_key(struct encoder *e, PyObject *key)
{
    PyObject *plain;

    if (types_is_enum(key))
        plain = attribute(key, "_value_");
    else if (PyUnicode_Check(key) || PyLong_Check(key) || PyFloat_Check(key) || key == Py_None)
        plain = Py_NewRef(key);
    else
        plain = types_plain_key(key);
    if (!plain) {
        if (PyErr_Occurred())
            fail_python(e);
        else
            key_refused(e, key);
    }
    return plain;
}

/* `plain` as text; the key it came from is named if it cannot be. */
static int write_key(struct encoder *e, PyObject *plain, PyObject *key)
{
    if (PyUnicode_Check(plain))
        return out_string(e, plain);
    if (!PyLong_Check(plain) && !PyFloat_Check(plain) && plain != Py_None)
        return key_refused(e, key);
    if (out_char(e, '"') < 0 || key_bare(e, plain) < 0)
        return -1;
    return out_char(e, '"');
}

/* ---- objects ------------------------------------------------------------- */

/* "key":value, with a comma before all but the first. */
static int encode_member(struct encoder *e, struct level *level, int first, PyObject *key,
                         PyObject *value)
{
    PyObject *plain = PyUnicode_CheckExact(key) ? Py_NewRef(key) : plain_key(e, key);
    int r = -1;

    if (!plain)
        return r;
    level->key = plain;
    if ((first || out_char(e, ',') == 0) && write_key(e, plain, key) == 0 && out_char(e, ':') == 0)
        r = encode_value(e, value);
    level->key = NULL;
    Py_DECREF(plain);
    return r;
}

static int encode_dict(struct encoder *e, struct level *level, PyObject *dict)
{
    Py_ssize_t size = PyDict_Size(dict);
    Py_ssize_t at = 0;
    PyObject *key, *value;

    if (out_char(e, '{') < 0)
        return -1;
    for (int first = 1; PyDict_Next(dict, &at, &key, &value); first = 0) {
        Py_INCREF(key);
        Py_INCREF(value);
        level->kind = STEP_KEY;

        int r = encode_member(e, level, first, key, value);

        Py_DECREF(value);
        Py_DECREF(key);
        if (r < 0)
            return r;
        if (PyDict_Size(dict) != size)
            return fail_at(e, level, "changed its size while it was encoded");
    }
    return out_char(e, '}');
}

/* One pair that items() gave; takes it over. */
static int encode_pair(struct encoder *e, struct level *level, int first, PyObject *pair)
{
    int r;

    if (PyTuple_Check(pair) && PyTuple_Size(pair) == 2) {
        level->kind = STEP_KEY;
        r = encode_member(e, level, first, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
    } else {
        r = fail_at(e, level, "has an items() that gives something other than pairs");
    }
    Py_DECREF(pair);
    return r;
}

/* A subclass of dict may have an order of its own, or another idea of what it holds. */
static int encode_items(struct encoder *e, struct level *level, PyObject *dict)
{
    PyObject *items = call_method(dict, "items", NULL);
    PyObject *iterator = items ? PyObject_GetIter(items) : NULL;
    PyObject *pair;
    int r = iterator ? out_char(e, '{') : fail_python(e);

    for (int first = 1; r == 0 && (pair = PyIter_Next(iterator)); first = 0)
        r = encode_pair(e, level, first, pair);
    if (r == 0)
        r = PyErr_Occurred() ? fail_python(e) : out_char(e, '}');
    Py_XDECREF(iterator);
    Py_XDECREF(items);
    return r;
}

static int encode_field(struct encoder *e, struct level *level, int first, PyObject *field)
{
    PyObject *name = attribute(field, "name");
    PyObject *part = NULL;
    int r;

    level->kind = STEP_FIELD;
    level->key = name;
    if (name)
        part = PyObject_GetAttr(level->owner, name);
    r = part ? encode_member(e, level, first, name, part) : fail_python(e);
    level->key = NULL;
    Py_XDECREF(part);
    Py_XDECREF(name);
    return r;
}

/* 1: not an instance of a dataclass. */
static int encode_dataclass(struct encoder *e, struct level *level, PyObject *value)
{
    PyObject *fields = types_fields(value);
    int r;

    if (!fields)
        return PyErr_Occurred() ? fail_python(e) : 1;
    r = out_char(e, '{');
    for (Py_ssize_t i = 0; r == 0 && i < PyTuple_Size(fields); i++)
        r = encode_field(e, level, i == 0, PyTuple_GetItem(fields, i));
    Py_DECREF(fields);
    return r < 0 ? r : out_char(e, '}');
}

/* ---- arrays -------------------------------------------------------------- */

static int encode_element(struct encoder *e, struct level *level, Py_ssize_t index, PyObject *value)
{
    level->kind = STEP_INDEX;
    level->index = index;
    if (index && out_char(e, ',') < 0)
        return -1;
    return encode_value(e, value);
}

int encode_elements(struct encoder *e, struct level *level, PyObject *list, Py_ssize_t start)
{
    int r = 0;

    for (Py_ssize_t i = 0; r == 0 && i < PyList_Size(list); i++) {
        PyObject *item = Py_NewRef(PyList_GetItem(list, i));

        r = encode_element(e, level, start + i, item);
        Py_DECREF(item);
    }
    return r;
}

static int encode_list(struct encoder *e, struct level *level, PyObject *list)
{
    if (out_char(e, '[') < 0 || encode_elements(e, level, list, 0) < 0)
        return -1;
    return out_char(e, ']');
}

static int encode_tuple(struct encoder *e, struct level *level, PyObject *tuple)
{
    Py_ssize_t size = PyTuple_Size(tuple);
    int r = out_char(e, '[');

    for (Py_ssize_t i = 0; r == 0 && i < size; i++)
        r = encode_element(e, level, i, PyTuple_GetItem(tuple, i));
    return r < 0 ? r : out_char(e, ']');
}

int encode_iterable(struct encoder *e, struct level *level, PyObject *value)
{
    PyObject *iterator = PyObject_GetIter(value);
    PyObject *item;
    int r = iterator ? out_char(e, '[') : fail_python(e);

    for (Py_ssize_t i = 0; r == 0 && (item = PyIter_Next(iterator)); i++) {
        r = encode_element(e, level, i, item);
        Py_DECREF(item);
    }
    if (r == 0)
        r = PyErr_Occurred() ? fail_python(e) : out_char(e, ']');
    Py_XDECREF(iterator);
    return r;
}

/* ---- bytes --------------------------------------------------------------- */

static int encode_buffer(struct encoder *e, PyObject *value)
{
    Py_buffer view;

    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) < 0)
        return fail_python(e);

    int r = out_base64(e, view.buf, (size_t)view.len);

    PyBuffer_Release(&view);
    return r;
}

static int encode_memoryview(struct encoder *e, PyObject *value)
{
    PyObject *whole = PyMemoryView_GetContiguous(value, PyBUF_READ, 'C');
    int r = whole ? encode_buffer(e, whole) : fail_python(e);

    Py_XDECREF(whole);
    return r;
}

/* ---- what cannot be ------------------------------------------------------ */

static int has_attribute(PyObject *value, const char *name)
{
    PyObject *found = attribute((PyObject *)Py_TYPE(value), name);

    PyErr_Clear();
    Py_XDECREF(found);
    return found != NULL;
}

static const char *hint_for(PyObject *value)
{
    if (PyComplex_Check(value))
        return "convert it, for example to [x.real, x.imag] or str(x)";
    if (PyIter_Check(value))
        return "collect what it gives with list(x)";
    if (PyType_Check(value))
        return "it is a class: an instance was probably meant";
    if (PyCallable_Check(value))
        return "it was probably meant to be called";
    if (has_attribute(value, "keys") && has_attribute(value, "__getitem__"))
        return "convert it with dict(x)";
    if (has_attribute(value, "encode"))
        return "convert it with str(x)";
    if (has_attribute(value, "__iter__"))
        return "convert it with list(x)";
    return "convert it, for example with str(x) or vars(x)";
}

/* ---- any value ----------------------------------------------------------- */

/* Subclasses of what JSON has. 1: it is none. */
static int encode_subclass(struct encoder *e, struct level *level, PyObject *value)
{
    if (PyUnicode_Check(value))
        return out_string(e, value);
    if (PyLong_Check(value))
        return out_long(e, value);
    if (PyFloat_Check(value))
        return out_double(e, PyFloat_AsDouble(value));
    if (PyDict_Check(value))
        return encode_items(e, level, value);
    if (PyList_Check(value))
        return encode_list(e, level, value);
    if (PyTuple_Check(value))
        return encode_tuple(e, level, value);
    return 1;
}

/* Built-in types that JSON lacks. 1: it is none. */
static int encode_builtin(struct encoder *e, struct level *level, PyObject *value)
{
    if (PyAnySet_Check(value))
        return encode_set(e, level, value);
    if (PyBytes_Check(value) || PyByteArray_Check(value))
        return encode_buffer(e, value);
    if (PyMemoryView_Check(value))
        return encode_memoryview(e, value);
    if (PyRange_Check(value) || PyDictViewSet_Check(value) || PyDictValues_Check(value))
        return encode_iterable(e, level, value);
    return 1;
}

static int encode_enum(struct encoder *e, PyObject *value)
{
    PyObject *plain = attribute(value, "_value_");
    int r = plain ? encode_value(e, plain) : fail_python(e);

    Py_XDECREF(plain);
    return r;
}

static int encode_other(struct encoder *e, struct level *level, PyObject *value)
{
    int r = types_is_enum(value) ? encode_enum(e, value) : encode_subclass(e, level, value);

    if (r == 1)
        r = types_encode(e, level, value);
    if (r == 1)
        r = encode_builtin(e, level, value);
    if (r == 1)
        r = encode_dataclass(e, level, value);
    return r == 1 ? fail_type(e, value, hint_for(value)) : r;
}

static int encode_compound(struct encoder *e, PyObject *value)
{
    struct level level = {.up = e->top, .owner = value};
    int r;

    if (e->depth >= ENCODE_MAX_DEPTH)
        return fail_too_deep(e);
    e->depth++;
    e->top = &level;
    if (PyDict_CheckExact(value))
        r = encode_dict(e, &level, value);
    else if (PyList_CheckExact(value))
        r = encode_list(e, &level, value);
    else if (PyTuple_CheckExact(value))
        r = encode_tuple(e, &level, value);
    else
        r = encode_other(e, &level, value);
    e->top = level.up;
    e->depth--;
    return r;
}

int encode_value(struct encoder *e, PyObject *value)
{
    if (PyUnicode_CheckExact(value))
        return out_string(e, value);
    if (PyLong_CheckExact(value))
        return out_long(e, value);
    if (PyFloat_CheckExact(value))
        return out_double(e, PyFloat_AsDouble(value));
    if (value == Py_None)
        return WORD(e, "null");
    if (value == Py_True)
        return WORD(e, "true");
    if (value == Py_False)
        return WORD(e, "false");
    return encode_compound(e, value);
}

enum encode_outcome encode_result(PyObject *value, int literal_nonfinite, uint64_t max_bytes,
                                  struct encoded *ret, char *message, size_t message_size)
{
    struct encoder e = {.max = max_bytes,
                        .literal = literal_nonfinite,
                        .message = message,
                        .message_size = message_size,
                        .notes = PyList_New(0)};

    types_refresh();
    if (!e.notes)
        fail_no_memory(&e);
    else if (encode_value(&e, value) == 0 && out_flush(&e) == 0 && notes_close(&e) == 0) {
        ret->json = e.json;
        ret->notes = e.notes;
        return ENCODE_OK;
    }
    buf_done(&e.json);
    Py_XDECREF(e.notes);
    return e.outcome;
}
