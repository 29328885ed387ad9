/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_set: sets as arrays, in an order that does not depend on hashes.
 *
 * A set is copied from its own storage, so no __iter__ is called. Where its elements have
 * a total order that is the order; where they have none (mixed types, NaN, sets ordered
 * by inclusion), the order of their JSON text is.
 */
#include "encode_state.h"

#include <string.h>

/* One element's text in the buffer. */
struct piece {
    size_t at;
    size_t len;
};

static int compare_pieces(const void *a, const void *b, void *data)
{
    const struct piece *left = a;
    const struct piece *right = b;
    const char *text = data;
    size_t common = left->len < right->len ? left->len : right->len;
    int order = memcmp(text + left->at, text + right->at, common);

    if (order)
        return order;
    return (left->len > right->len) - (left->len < right->len);
}

/*
 * Writes every element's text after the buffer's end, without commas. The list is ours,
 * but user code can get hold of any list: it may be shorter or longer by now.
 */
static int write_pieces(struct encoder *e, struct level *level, PyObject *list,
                        struct piece *pieces, size_t *count)
{
    size_t n = 0;

    level->kind = STEP_INDEX;
    for (; n < *count && n < (size_t)PyList_Size(list); n++) {
        PyObject *item = Py_NewRef(PyList_GetItem(list, (Py_ssize_t)n));
        int r;

        level->index = (Py_ssize_t)n;
        pieces[n].at = e->json.len;
        r = encode_value(e, item);
        Py_DECREF(item);
        if (r < 0 || out_flush(e) < 0)
            return -1;
        pieces[n].len = e->json.len - pieces[n].at;
    }
    *count = n;
    return 0;
}

/* Replaces what the buffer holds from `start` on by the pieces in their order. */
static int write_sorted(struct encoder *e, size_t start, const struct piece *pieces, size_t count)
{
    size_t len = e->json.len - start;
    char *text = PyMem_Malloc(len + 1);
    int r = text ? 0 : fail_no_memory(e);

    if (text)
        memcpy(text, e->json.data + start, len);
    e->json.len = start;
    for (size_t i = 0; r == 0 && i < count; i++) {
        if (i)
            r = out_char(e, ',');
        if (r == 0)
            r = out_bytes(e, text + (pieces[i].at - start), pieces[i].len);
    }
    PyMem_Free(text);
    return r;
}

static int encode_by_text(struct encoder *e, struct level *level, PyObject *list)
{
    size_t count = (size_t)PyList_Size(list);
    struct piece *pieces = PyMem_Calloc(count, sizeof(*pieces));
    int r;

    if (!pieces)
        return fail_no_memory(e);
    r = out_flush(e);

    size_t start = e->json.len;

    if (r == 0)
        r = write_pieces(e, level, list, pieces, &count);
    if (r == 0) {
        qsort_r(pieces, count, sizeof(*pieces), compare_pieces, e->json.data);
        r = write_sorted(e, start, pieces, count);
    }
    PyMem_Free(pieces);
    return r;
}

/* Would sorting by < end in an order that depends on where it began? */
static int ordered_in_part(PyObject *list)
{
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *item = PyList_GetItem(list, i);

        if (PyAnySet_Check(item))
            return 1;
        if (PyFloat_Check(item) && PyFloat_AsDouble(item) != PyFloat_AsDouble(item))
            return 1;
    }
    return 0;
}

/* 1: sorted; 0: there is no order. */
static int sort_list(struct encoder *e, PyObject *list)
{
    if (ordered_in_part(list))
        return 0;
    if (PyList_Sort(list) == 0)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return fail_python(e);
    PyErr_Clear();
    return 0;
}

int encode_set(struct encoder *e, struct level *level, PyObject *set)
{
    PyObject *copy = PyFrozenSet_New(set);
    PyObject *list = copy ? PySequence_List(copy) : NULL;
    int r = list ? out_char(e, '[') : fail_python(e);

    if (r == 0 && (uint64_t)PyList_Size(list) > e->max)
        r = fail_too_big(e);
    if (r == 0)
        r = sort_list(e, list);
    if (r == 1)
        r = encode_elements(e, level, list, 0);
    else if (r == 0 && PyList_Size(list) > 0)
        r = encode_by_text(e, level, list);
    Py_XDECREF(list);
    Py_XDECREF(copy);
    return r < 0 ? r : out_char(e, ']');
}
