/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_types: the types that are told apart by name, one row each.
 *
 * Rows are filled from loaded modules before user code runs, so that nothing it rebinds
 * changes them; a module that comes later (approved runs) is looked up at the end. No
 * module is ever imported. A row's method is the type's own, called with the value, so a
 * subclass's override is not. The first row whose type fits is used: subtypes come before
 * their base. What is converted piece by piece is, so that a big frame costs no more
 * memory than its JSON.
 */
#include "encode_state.h"

#define ELEMENTS_AT_ONCE 4096
#define RECORDS_AT_ONCE 512

struct known {
    const char *module;
    const char *name;
    int (*encode)(struct encoder *e, struct level *level, PyObject *value,
                  const struct known *known);
    const char *method; /* NULL: none needed */
    const char *detail; /* of what is refused: the hint; of a column: what slices it by position */
    PyObject *type;     /* kept for good, once found */
    PyObject *call;     /* the method */
};

/* ---- how each is written ------------------------------------------------- */

static PyObject *call_known(const struct known *known, PyObject *value)
{
    return PyObject_CallFunctionObjArgs(known->call, value, NULL);
}

static int as_text(struct encoder *e, struct level *level, PyObject *value,
                   const struct known *known)
{
    PyObject *text = call_known(known, value);
    int r;

    (void)level;
    if (text && !PyUnicode_Check(text))
        r = fail_type(e, value, "its text is no str");
    else
        r = text ? out_string(e, text) : fail_python(e);
    Py_XDECREF(text);
    return r;
}

static int as_null(struct encoder *e, struct level *level, PyObject *value,
                   const struct known *known)
{
    (void)level;
    (void)value;
    (void)known;
    return out_bytes(e, "null", 4);
}

static int refused(struct encoder *e, struct level *level, PyObject *value,
                   const struct known *known)
{
    (void)level;
    return fail_type(e, value, known->detail);
}

static int as_iterable(struct encoder *e, struct level *level, PyObject *value,
                       const struct known *known)
{
    (void)known;
    return encode_iterable(e, level, value);
}

static int as_moment(struct encoder *e, struct level *level, PyObject *value,
                     const struct known *known)
{
    PyObject *text = call_known(known, value);
    int r;

    if (!text)
        return fail_python(e);
    if (PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, "NaT") == 0)
        r = as_null(e, level, value, known);
    else
        r = encode_value(e, text);
    Py_DECREF(text);
    return r;
}

/* item() of a long double is a long double again. */
static int as_scalar(struct encoder *e, struct level *level, PyObject *value,
                     const struct known *known)
{
    PyObject *plain = call_known(known, value);
    int r;

    (void)level;
    if (plain && Py_TYPE(plain) == Py_TYPE(value)) {
        Py_DECREF(plain);
        plain = PyNumber_Float(value);
    }
    r = plain ? encode_value(e, plain) : fail_python(e);
    Py_XDECREF(plain);
    return r;
}

/* ---- arrays, series, frames ---------------------------------------------- */

/* A number that an attribute gives, or -1 with an exception. */
static Py_ssize_t size_attribute(PyObject *value, const char *name)
{
    PyObject *number = attribute(value, name);
    Py_ssize_t n = number ? PyNumber_AsSsize_t(number, PyExc_OverflowError) : -1;

    Py_XDECREF(number);
    return n;
}

/* Fails before anything is copied when `count` parts of so many bytes cannot fit. */
static int check_count(struct encoder *e, Py_ssize_t count, unsigned least)
{
    if (count < 0)
        return PyErr_Occurred() ? fail_python(e) : 0;
    return (uint64_t)count > e->max / least + 1 ? fail_too_big(e) : 0;
}

/* The list that a method of `part` gives; takes the part over. */
static PyObject *list_of(PyObject *part, const char *method, const char *how)
{
    PyObject *argument = how ? PyUnicode_FromString(how) : NULL;
    PyObject *list = part && !PyErr_Occurred() ? call_method(part, method, argument) : NULL;

    Py_XDECREF(argument);
    Py_XDECREF(part);
    if (list && !PyList_Check(list)) {
        PyErr_Format(PyExc_TypeError, "%s() gave no list", method);
        Py_CLEAR(list);
    }
    return list;
}

/* The elements of `whole`, sliced so many at a time and made a list by `method`. */
static int encode_slices(struct encoder *e, struct level *level, PyObject *whole, Py_ssize_t step,
                         const char *method, const char *how)
{
    Py_ssize_t count = PyObject_Size(level->owner);
    int r = count < 0 ? fail_python(e) : out_char(e, '[');

    for (Py_ssize_t at = 0; r == 0 && at < count; at += step) {
        Py_ssize_t end = count - at < step ? count : at + step;
        PyObject *list = list_of(PySequence_GetSlice(whole, at, end), method, how);

        r = list ? encode_elements(e, level, list, at) : fail_python(e);
        Py_XDECREF(list);
    }
    return r < 0 ? r : out_char(e, ']');
}

/* A datetime64 of nanoseconds would become a bare int in tolist(). */
static int holds_moments(PyObject *array)
{
    PyObject *dtype = attribute(array, "dtype");
    PyObject *kind = dtype ? attribute(dtype, "kind") : NULL;
    int r = -1;

    if (kind && PyUnicode_Check(kind))
        r = PyUnicode_CompareWithASCIIString(kind, "M") == 0 ||
            PyUnicode_CompareWithASCIIString(kind, "m") == 0;
    else if (kind)
        PyErr_SetString(PyExc_TypeError, "a dtype's kind is a str");
    Py_XDECREF(kind);
    Py_XDECREF(dtype);
    return r;
}

/* The one element of an array without dimensions. */
static int encode_cell(struct encoder *e, PyObject *array)
{
    PyObject *index = PyTuple_New(0);
    PyObject *cell = index ? PyObject_GetItem(array, index) : NULL;
    int r = cell ? encode_value(e, cell) : fail_python(e);

    Py_XDECREF(cell);
    Py_XDECREF(index);
    return r;
}

static int encode_own_list(struct encoder *e, PyObject *array)
{
    PyObject *list = call_method(array, "tolist", NULL);
    int r = list ? encode_value(e, list) : fail_python(e);

    Py_XDECREF(list);
    return r;
}

static int as_array(struct encoder *e, struct level *level, PyObject *array,
                    const struct known *known)
{
    Py_ssize_t dimensions = size_attribute(array, "ndim");
    int moments = dimensions < 0 ? -1 : holds_moments(array);

    if (moments < 0)
        return fail_python(e);
    if (check_count(e, size_attribute(array, "size"), 2) < 0)
        return -1;
    if (dimensions == 0)
        return encode_cell(e, array);
    /* Its parts may be anything: a matrix's rows are matrices, a masked array hides some. */
    if (Py_TYPE(array) != (PyTypeObject *)known->type)
        return encode_own_list(e, array);
    if (dimensions > 1 || moments)
        return encode_iterable(e, level, array);
    return encode_slices(e, level, array, ELEMENTS_AT_ONCE, "tolist", NULL);
}

static int as_column(struct encoder *e, struct level *level, PyObject *column,
                     const struct known *known)
{
    PyObject *whole;
    int r;

    if (check_count(e, PyObject_Size(column), 2) < 0)
        return -1;
    /* A series' own slices go by label where its labels are numbers. */
    whole = known->detail ? attribute(column, known->detail) : Py_NewRef(column);
    r = whole ? encode_slices(e, level, whole, ELEMENTS_AT_ONCE, "tolist", NULL) : fail_python(e);
    Py_XDECREF(whole);
    return r;
}

/* Whether records would lose a column: 1, 0, or -1 with an exception. */
static int columns_repeat(PyObject *frame)
{
    PyObject *columns = attribute(frame, "columns");
    PyObject *unique = columns ? attribute(columns, "is_unique") : NULL;
    int r = unique ? PyObject_Not(unique) : -1;

    Py_XDECREF(unique);
    Py_XDECREF(columns);
    return r;
}

static int as_records(struct encoder *e, struct level *level, PyObject *frame,
                      const struct known *known)
{
    PyObject *whole;
    int repeat = columns_repeat(frame);
    int r;

    (void)known;
    if (repeat < 0)
        return fail_python(e);
    if (repeat)
        return fail_type(e, frame, "two of its columns have the same name: rename one");
    if (check_count(e, size_attribute(frame, "size"), 5) < 0)
        return -1;
    whole = attribute(frame, "iloc");
    r = whole ? encode_slices(e, level, whole, RECORDS_AT_ONCE, "to_dict", "records")
              : fail_python(e);
    Py_XDECREF(whole);
    return r;
}

/* ---- the table ----------------------------------------------------------- */

/* clang-format off */
#define ROW(from, what, how, ...) \
    { .module = (from), .name = (what), .encode = (how), __VA_ARGS__ }

static struct known enum_type = ROW("enum", "Enum", NULL);
static struct known dataclass_fields = ROW("dataclasses", "fields", NULL);
static struct known numpy_scalar = ROW("numpy", "generic", as_scalar, .method = "item");

#define COMPLEX_HINT "convert it, for example to [x.real, x.imag] or str(x)"
#define SECONDS_HINT "convert it, for example with x.total_seconds() or str(x)"

static struct known known_types[] = {
    /* NaT is a datetime, a Timestamp is one too, and every datetime is a date. */
    ROW("pandas", "NaT", as_null),
    ROW("pandas", "NA", as_null),
    ROW("pandas", "Timestamp", as_text, .method = "isoformat"),
    ROW("datetime", "datetime", as_text, .method = "isoformat"),
    ROW("datetime", "date", as_text, .method = "isoformat"),
    ROW("datetime", "time", as_text, .method = "isoformat"),
    ROW("datetime", "timedelta", refused, .detail = SECONDS_HINT),
    ROW("decimal", "Decimal", as_text, .method = "__str__"),
    ROW("fractions", "Fraction", as_text, .method = "__str__"),
    ROW("uuid", "UUID", as_text, .method = "__str__"),
    ROW("pathlib", "PurePath", as_text, .method = "__str__"),
    ROW("collections", "deque", as_iterable),
    ROW("array", "array", as_iterable),
    ROW("numpy", "datetime64", as_moment, .method = "__str__"),
    ROW("numpy", "timedelta64", refused, .detail = "convert it, for example with str(x)"),
    ROW("numpy", "complexfloating", refused, .detail = COMPLEX_HINT),
    ROW("numpy", "ndarray", as_array),
    ROW("pandas", "DataFrame", as_records),
    ROW("pandas", "Series", as_column, .detail = "iloc"),
    ROW("pandas", "Index", as_column),
    ROW("pandas.api.extensions", "ExtensionArray", as_column),
    ROW("pandas", "Period", as_text, .method = "__str__"),
};
/* clang-format on */

/* The object named, or NULL without an exception if it is not loaded. */
static PyObject *loaded(const struct known *known)
{
    PyObject *name = PyUnicode_FromString(known->module);
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *found = module ? attribute(module, known->name) : NULL;

    PyErr_Clear();
    Py_XDECREF(module);
    Py_XDECREF(name);
    return found;
}

static void look_up(struct known *known)
{
    PyObject *found;
    PyObject *type;

    if (known->type || !(found = loaded(known)))
        return;
    /* What is null is the one object of its type. */
    type = Py_NewRef(known->encode == as_null ? (PyObject *)Py_TYPE(found) : found);
    Py_DECREF(found);
    if (known->method) {
        known->call = attribute(type, known->method);
        PyErr_Clear();
    }
    if (known->method && !known->call)
        Py_DECREF(type);
    else
        known->type = type;
}

void types_refresh(void)
{
    look_up(&enum_type);
    look_up(&dataclass_fields);
    look_up(&numpy_scalar);
    for (size_t i = 0; i < ARRAY_LEN(known_types); i++)
        look_up(&known_types[i]);
}

int encode_prepare(void)
{
    types_refresh();
    return 0;
}

static int is_a(PyObject *value, const struct known *known)
{
    return known->type && PyType_Check(known->type) &&
           PyType_IsSubtype(Py_TYPE(value), (PyTypeObject *)known->type);
}

static const struct known *find(PyObject *value)
{
    for (size_t i = 0; i < ARRAY_LEN(known_types); i++)
        if (known_types[i].type == (PyObject *)Py_TYPE(value))
            return &known_types[i];
    for (size_t i = 0; i < ARRAY_LEN(known_types); i++)
        if (is_a(value, &known_types[i]))
            return &known_types[i];
    return is_a(value, &numpy_scalar) ? &numpy_scalar : NULL;
}

int types_encode(struct encoder *e, struct level *level, PyObject *value)
{
    const struct known *known = find(value);

    return known ? known->encode(e, level, value, known) : 1;
}

int types_is_enum(PyObject *value)
{
    return is_a(value, &enum_type);
}

PyObject *types_plain_key(PyObject *key)
{
    return is_a(key, &numpy_scalar) ? call_known(&numpy_scalar, key) : NULL;
}

PyObject *types_fields(PyObject *value)
{
    PyObject *type = (PyObject *)Py_TYPE(value);
    PyObject *mark = attribute(type, "__dataclass_fields__");
    PyObject *fields;

    if (!mark && !PyErr_ExceptionMatches(PyExc_MemoryError))
        PyErr_Clear();
    if (!mark || !dataclass_fields.type) {
        Py_XDECREF(mark);
        return NULL;
    }
    Py_DECREF(mark);
    fields = PyObject_CallFunctionObjArgs(dataclass_fields.type, type, NULL);
    if (fields && !PyTuple_Check(fields))
        Py_CLEAR(fields);
    return fields;
}
