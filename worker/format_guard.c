/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_guard: attributes that are read by the fields of a format. The gate knows the text that
 * str.format() is asked of, or warns; should it be led past one, the names in its fields are
 * looked at when it is used, as name_guard.c does with getattr(). What is read here is what the
 * interpreter reads (Objects/stringlib/unicode_format.h): a field up to its `}`, `:` or `!`, and
 * fields in what follows the `:` once more.
 */
#include "audit.h"
#include "gate.h"
#include "type_object.h"

#include <string.h>

/* The interpreter itself goes no deeper than 2. */
#define DEPTH_MAX 3

static PyObject *real_format, *real_format_map;

/* 0, or -1 and it is refused. */
static int check_name(const char *name, size_t len)
{
    if (!gate_leads_inside(name, len))
        return 0;
    AUTO_PY text = PyUnicode_FromStringAndSize(name, (Py_ssize_t)len);
    return text && audit_refuse_name("object.__getattr__", Py_None, text) == 0 ? 0 : -1;
}

/* "0.a[b].c": the names behind dots. */
static int check_path(const char *path, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        size_t end = at + 1;
        if (path[at] == '.' && gate_tells_name(path + end, len - end))
            return 0;
        if (path[at] == '[') {
            const char *close = memchr(path + at, ']', len - at);
            at = close ? (size_t)(close - path) : len;
        } else if (path[at] == '.') {
            while (end < len && path[end] != '.' && path[end] != '[')
                end++;
            if (check_name(path + at + 1, end - at - 1) < 0)
                return -1;
            at = end - 1;
        }
    }
    return 0;
}

/* Where the field's name ends, which begins at `at`. */
static size_t name_end(const char *text, size_t len, size_t at)
{
    for (; at < len && text[at] != '}' && text[at] != ':' && text[at] != '!'; at++) {
        if (text[at] != '[')
            continue;
        while (at + 1 < len && text[at + 1] != ']')
            at++;
    }
    return at;
}

static int check_format(const char *text, size_t len, int depth)
{
    for (size_t at = 0; at < len; at++) {
        if (text[at] != '{' || (at + 1 < len && text[at + 1] == '{')) {
            at += text[at] == '{';
            continue;
        }
        size_t name = at + 1, stop = name_end(text, len, name),
               end = gate_field_end(text, len, stop);
        if (check_path(text + name, stop - name) < 0)
            return -1;
        if (end > stop && depth < DEPTH_MAX && check_format(text + stop, end - stop, depth + 1) < 0)
            return -1;
        at = end;
    }
    return 0;
}

/* The text itself, whatever a class derived from str says that it is. */
static int check_self(PyObject *self)
{
    Py_ssize_t len;
    AUTO_PY plain = PyUnicode_FromObject(self);
    AUTO_PY bytes = plain ? PyUnicode_AsEncodedString(plain, "utf-8", "surrogatepass") : NULL;
    char *text;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &text, &len) < 0)
        return -1;
    return memchr(text, '.', (size_t)len) ? check_format(text, (size_t)len, 0) : 0;
}

/* args with `self` before them. */
static PyObject *with_self(PyObject *self, PyObject *args)
{
    Py_ssize_t count = PyTuple_Size(args);
    PyObject *all = PyTuple_New(count + 1);
    if (!all)
        return NULL;
    (void)PyTuple_SetItem(all, 0, Py_NewRef(self));
    for (Py_ssize_t i = 0; i < count; i++)
        (void)PyTuple_SetItem(all, i + 1, Py_NewRef(PyTuple_GetItem(args, i)));
    return all;
}

static PyObject *guarded_format(PyObject *self, PyObject *args, PyObject *kwargs)
{
    AUTO_PY all = check_self(self) == 0 ? with_self(self, args) : NULL;
    return all ? PyObject_Call(real_format, all, kwargs) : NULL;
}

static PyObject *guarded_format_map(PyObject *self, PyObject *mapping)
{
    return check_self(self) == 0
               ? PyObject_CallFunctionObjArgs(real_format_map, self, mapping, NULL)
               : NULL;
}

static PyMethodDef format_def = {"format", (PyCFunction)(void (*)(void))guarded_format,
                                 METH_VARARGS | METH_KEYWORDS, NULL};
static PyMethodDef format_map_def = {"format_map", guarded_format_map, METH_O, NULL};

int format_guard(void)
{
    PyObject *type = (PyObject *)&PyUnicode_Type;
    return type_put_method(type, &format_def, &real_format) < 0 ||
                   type_put_method(type, &format_map_def, &real_format_map) < 0
               ? -1
               : 0;
}
