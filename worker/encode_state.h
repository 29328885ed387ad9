/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_state: what the files of the encoder share; nobody else includes it.
 *
 * encode.c walks values, encode_set.c orders sets, encode_types.c knows the types that are
 * not built in, encode_out.c writes bytes, encode_path.c words what went wrong. Every
 * function here that returns int returns 0, or -1 after the outcome and its message were
 * set, and then the whole encoding ends. Whoever passes an object holds a reference to it
 * for the call.
 */
#ifndef CORDON_WORKER_ENCODE_STATE_H
#define CORDON_WORKER_ENCODE_STATE_H

#include "encode.h"

enum step_kind {
    STEP_NONE,  /* the value stands for another one: no part of a path */
    STEP_INDEX, /* [index] */
    STEP_KEY,   /* ["key"] */
    STEP_FIELD, /* .key */
};

/* One value that holds others and is being written: a chain on the C stack. */
struct level {
    struct level *up;
    PyObject *owner;
    PyObject *key;    /* of the part being written */
    Py_ssize_t index; /* of the part being written */
    enum step_kind kind;
};

#define STAGE_SIZE 8192

struct encoder {
    struct buf json;
    uint64_t max;
    int literal;
    int depth;
    struct level *top;
    enum encode_outcome outcome;
    PyObject *notes;
    uint64_t notes_more;
    char *message;
    size_t message_size;
    size_t staged;
    char stage[STAGE_SIZE]; /* small writes gather here: one growing append per 8 KiB */
};

/*
 * As PyObject_GetAttrString, but by an interned name: the interpreter's cache of look-ups
 * goes by the name's address, and a fresh name each time would wash it out.
 */
static inline PyObject *attribute(PyObject *value, const char *name)
{
    PyObject *text = PyUnicode_InternFromString(name);
    PyObject *found = text ? PyObject_GetAttr(value, text) : NULL;

    Py_XDECREF(text);
    return found;
}

static inline PyObject *call_method(PyObject *value, const char *name, PyObject *argument)
{
    PyObject *method = attribute(value, name);
    PyObject *given = method ? PyObject_CallFunctionObjArgs(method, argument, NULL) : NULL;

    Py_XDECREF(method);
    return given;
}

/* ---- encode_out.c: bytes ------------------------------------------------- */

int out_flush(struct encoder *e);
int out_bytes(struct encoder *e, const char *data, size_t len);
int out_string(struct encoder *e, PyObject *text);
int out_long(struct encoder *e, PyObject *number);
int out_double(struct encoder *e, double number);
int out_base64(struct encoder *e, const unsigned char *data, size_t len);

/* Room for `len` <= STAGE_SIZE bytes at the end of the stage, or NULL (it has failed). */
static inline char *out_room(struct encoder *e, size_t len)
{
    if (STAGE_SIZE - e->staged < len && out_flush(e) < 0)
        return NULL;
    return e->stage + e->staged;
}

static inline int out_char(struct encoder *e, char c)
{
    char *to = out_room(e, 1);

    if (!to)
        return -1;
    *to = c;
    e->staged++;
    return 0;
}

/* The JSON escape of an ASCII character that needs one: its length, at most 6. */
size_t json_escape(unsigned char c, char to[6]);
/* Whether UTF-8 made with "surrogatepass" has one here (three bytes), and its \udXXX. */
int is_surrogate(const char *s);
void surrogate_escape(const char *s, char to[6]);

/* ---- encode_path.c: words ------------------------------------------------ */

/* "<path> <text>", the path ending above `above` (NULL: at the value being written). */
int fail_at(struct encoder *e, const struct level *above, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Where `value`'s own level is the top: "<path> is of type T, which JSON cannot hold; <hint>" */
int fail_type(struct encoder *e, PyObject *value, const char *hint);
int fail_too_big(struct encoder *e);
int fail_too_deep(struct encoder *e);
int fail_no_memory(struct encoder *e);
/* A Python exception is set: a MemoryError is no memory, any other is user code's. */
int fail_python(struct encoder *e);
/* The name of a type, with its module unless that is builtins or __main__. */
#define TYPE_NAME_MAX 160
void type_name(PyTypeObject *type, char *to, size_t size);
/* Adds "<path>: <what> became null" to the notes. */
int note_null(struct encoder *e, const char *what);
/* "and N more", if there are. */
int notes_close(struct encoder *e);

/* ---- encode_types.c: types that are told apart by name ------------------- */

/* Finds types whose modules have come since. */
void types_refresh(void);
int types_is_enum(PyObject *value);
/* What a numpy scalar stands for, a new reference; NULL without an exception: it is none. */
PyObject *types_plain_key(PyObject *key);
/* A dataclass instance's fields, a new tuple; NULL without an exception: it is none. */
PyObject *types_fields(PyObject *value);
/* 1: not a known type. The level is the value's own. */
int types_encode(struct encoder *e, struct level *level, PyObject *value);

/* ---- encode_set.c: sets -------------------------------------------------- */

/* Sorted where its elements have an order, else by their text. */
int encode_set(struct encoder *e, struct level *level, PyObject *set);

/* ---- encode.c: values ---------------------------------------------------- */

int encode_value(struct encoder *e, PyObject *value);
/* The items of a list as parts `start` and on of the array being written at `level`. */
int encode_elements(struct encoder *e, struct level *level, PyObject *list, Py_ssize_t start);
/* What iterating over `value` gives, as an array. */
int encode_iterable(struct encoder *e, struct level *level, PyObject *value);

#endif
