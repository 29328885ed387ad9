/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: sys.stdout and sys.stderr of user code, as objects; the bytes go to print.c. Text
 * becomes UTF-8, and what cannot be is escaped.
 */
#include "worker.h"

#include <errno.h>

static PyObject *text_type, *bytes_type;
static PyObject *objects[2];

/* ---- what the text and the bytes object have in common ---------------------- */

struct stream {
    PyObject_HEAD int which; /* 0: stdout, 1: stderr */
    PyObject *buffer;        /* of text: the bytes object */
};

static int which_of(PyObject *self)
{
    return ((struct stream *)(void *)self)->which;
}

static PyObject *stream_flush(PyObject *self, PyObject *unused)
{
    (void)unused;
    print_flush(which_of(self));
    Py_RETURN_NONE;
}

static PyObject *stream_fileno(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(which_of(self) + 1);
}

static PyObject *stream_true(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Py_RETURN_TRUE;
}

static PyObject *stream_false(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Py_RETURN_FALSE;
}

/* close(): descriptor 1 and 2 outlive their objects, as in a Python that exits. */
static PyObject *stream_none(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    Py_RETURN_NONE;
}

static PyObject *stream_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_INCREF(self);
    return self;
}

static PyObject *stream_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return stream_flush(self, NULL);
}

static PyObject *stream_writelines(PyObject *self, PyObject *lines)
{
    AUTO_PY iterator = PyObject_GetIter(lines);
    if (!iterator)
        return NULL;
    for (;;) {
        AUTO_PY line = PyIter_Next(iterator);
        if (!line)
            break;
        AUTO_PY done = PyObject_CallMethod(self, "write", "O", line);
        if (!done)
            return NULL;
    }
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *unsupported(const char *what)
{
    AUTO_PY io = PyImport_ImportModuleLevel("io", NULL, NULL, NULL, 0);
    AUTO_PY type = io ? PyObject_GetAttrString(io, "UnsupportedOperation") : NULL;
    if (type)
        PyErr_SetString(type, what);
    return NULL;
}

static PyObject *stream_read(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    return unsupported("not readable");
}

static PyObject *stream_seek(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    return unsupported("underlying stream is not seekable");
}

static PyObject *stream_detach(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return unsupported("detach");
}

static void stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
    py_clear(&((struct stream *)(void *)self)->buffer);
    free_it(self);
    Py_DECREF((PyObject *)type);
}

/* As FileIO names a descriptor. */
static PyObject *get_number(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(which_of(self) + 1);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(which_of(self) ? "<stderr>" : "<stdout>");
}

static PyObject *get_text(PyObject *self, void *text)
{
    (void)self;
    return PyUnicode_FromString(text);
}

static PyObject *get_none(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    Py_RETURN_NONE;
}

static PyObject *get_false(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    Py_RETURN_FALSE;
}

#define KEYWORDS(function) ((PyCFunction)(void (*)(void))(function)), METH_VARARGS | METH_KEYWORDS
#define COMMON_METHODS                                                                             \
    {"writelines", stream_writelines, METH_O, NULL}, {"flush", stream_flush, METH_NOARGS, NULL},   \
        {"fileno", stream_fileno, METH_NOARGS, NULL}, {"isatty", stream_false, METH_NOARGS, NULL}, \
        {"writable", stream_true, METH_NOARGS, NULL},                                              \
        {"readable", stream_false, METH_NOARGS, NULL},                                             \
        {"seekable", stream_false, METH_NOARGS, NULL}, {"close", KEYWORDS(stream_none), NULL},     \
        {"read", KEYWORDS(stream_read), NULL}, {"readline", KEYWORDS(stream_read), NULL},          \
        {"readlines", KEYWORDS(stream_read), NULL}, {"seek", KEYWORDS(stream_seek), NULL},         \
        {"tell", KEYWORDS(stream_seek), NULL}, {"truncate", KEYWORDS(stream_seek), NULL},          \
        {"__enter__", stream_enter, METH_NOARGS, NULL},                                            \
    {                                                                                              \
        "__exit__", stream_exit, METH_VARARGS, NULL                                                \
    }

/* ---- bytes objects: sys.stdout.buffer ---------------------------------------- */

static PyObject *bytes_write(PyObject *self, PyObject *data)
{
    if (PyUnicode_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "a bytes-like object is required, not 'str'");
        return NULL;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    Py_ssize_t len = view.len;
    print_put(which_of(self), view.buf, (size_t)len);
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(len);
}

static PyMethodDef bytes_methods[] = {{"write", bytes_write, METH_O, NULL},
                                      {"detach", stream_detach, METH_NOARGS, NULL},
                                      COMMON_METHODS,
                                      {0}};

static PyGetSetDef bytes_attributes[] = {{"name", get_number, NULL, NULL, NULL},
                                         {"mode", get_text, NULL, NULL, (void *)(uintptr_t) "wb"},
                                         {"closed", get_false, NULL, NULL, NULL},
                                         {0}};

static PyType_Slot bytes_slots[] = {{Py_tp_dealloc, (void *)stream_dealloc},
                                    {Py_tp_methods, bytes_methods},
                                    {Py_tp_getset, bytes_attributes},
                                    {0, NULL}};

static PyType_Spec bytes_spec = {.name = "_cordon_worker.Bytes",
                                 .basicsize = sizeof(struct stream),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                          Py_TPFLAGS_IMMUTABLETYPE,
                                 .slots = bytes_slots};

/* ---- text objects --------------------------------------------------------------- */

static PyObject *write_escaped(PyObject *self, PyObject *text)
{
    AUTO_PY keep = NULL;
    Py_ssize_t len;
    const char *data = clip_utf8(text, &len, &keep);
    if (!data)
        return NULL;
    print_put(which_of(self), data, (size_t)len);
    return PyLong_FromSsize_t(PyUnicode_GetLength(text));
}

static PyObject *text_write(PyObject *self, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        AUTO_PY name = PyType_GetName(Py_TYPE(text));
        if (name)
            PyErr_Format(PyExc_TypeError, "write() argument must be str, not %U", name);
        return NULL;
    }
    Py_ssize_t len;
    const char *data = PyUnicode_AsUTF8AndSize(text, &len);
    if (!data) {
        PyErr_Clear();
        return write_escaped(self, text);
    }
    print_put(which_of(self), data, (size_t)len);
    return PyLong_FromSsize_t(PyUnicode_GetLength(text));
}

/* A bool among the arguments; what is not given or None stays as it is. */
static int take_switch(PyObject *kwargs, const char *name, int *ret)
{
    PyObject *value = kwargs ? PyDict_GetItemString(kwargs, name) : NULL;
    int is = value && value != Py_None ? PyObject_IsTrue(value) : *ret;
    if (is < 0)
        return -1;
    *ret = is;
    return 0;
}

/* Encoding and errors stay what they are: see above. */
static PyObject *text_reconfigure(PyObject *self, PyObject *args, PyObject *kwargs)
{
    int which = which_of(self);
    (void)args;
    if (take_switch(kwargs, "line_buffering", &print_habits[which].lines) < 0 ||
        take_switch(kwargs, "write_through", &print_habits[which].all) < 0)
        return NULL;
    return stream_flush(self, NULL);
}

static PyObject *get_switch(PyObject *self, void *all)
{
    int which = which_of(self);
    return PyBool_FromLong(all ? print_habits[which].all : print_habits[which].lines);
}

static PyObject *get_buffer(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *buffer = ((struct stream *)(void *)self)->buffer;
    Py_INCREF(buffer);
    return buffer;
}

/* For whoever puts a wrapper of their own around the bytes; this one goes on working. */
static PyObject *text_detach(PyObject *self, PyObject *unused)
{
    (void)unused;
    print_flush(which_of(self));
    return get_buffer(self, NULL);
}

static PyMethodDef text_methods[] = {{"write", text_write, METH_O, NULL},
                                     {"reconfigure", KEYWORDS(text_reconfigure), NULL},
                                     {"detach", text_detach, METH_NOARGS, NULL},
                                     COMMON_METHODS,
                                     {0}};

static PyGetSetDef text_attributes[] = {
    {"buffer", get_buffer, NULL, NULL, NULL},
    {"name", get_name, NULL, NULL, NULL},
    {"mode", get_text, NULL, NULL, (void *)(uintptr_t) "w"},
    {"encoding", get_text, NULL, NULL, (void *)(uintptr_t) "utf-8"},
    {"errors", get_text, NULL, NULL, (void *)(uintptr_t) "backslashreplace"},
    {"newlines", get_none, NULL, NULL, NULL},
    {"line_buffering", get_switch, NULL, NULL, NULL},
    {"write_through", get_switch, NULL, NULL, (void *)(uintptr_t) "all"},
    {"closed", get_false, NULL, NULL, NULL},
    {0}};

static PyType_Slot text_slots[] = {{Py_tp_dealloc, (void *)stream_dealloc},
                                   {Py_tp_methods, text_methods},
                                   {Py_tp_getset, text_attributes},
                                   {0, NULL}};

static PyType_Spec text_spec = {.name = "_cordon_worker.Text",
                                .basicsize = sizeof(struct stream),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                         Py_TPFLAGS_IMMUTABLETYPE,
                                .slots = text_slots};

/* ---- set-up ------------------------------------------------------------------------ */

static PyObject *new_stream(PyObject *type, int which, PyObject *buffer)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_alloc);
    PyObject *self = alloc((PyTypeObject *)(void *)type, 0);
    if (!self)
        return NULL;
    struct stream *stream = (struct stream *)(void *)self;
    stream->which = which;
    Py_XINCREF(buffer);
    stream->buffer = buffer;
    return self;
}

/* isinstance(sys.stdout, io.TextIOBase) must hold: libraries ask. */
static int register_with(PyObject *io, const char *base, PyObject *type)
{
    AUTO_PY abstract = PyObject_GetAttrString(io, base);
    AUTO_PY done = abstract ? PyObject_CallMethod(abstract, "register", "O", type) : NULL;
    return done ? 0 : -1;
}

static int make_types(void)
{
    AUTO_PY io = PyImport_ImportModule("io");
    if (!io)
        return -1;
    text_type = PyType_FromSpec(&text_spec);
    bytes_type = PyType_FromSpec(&bytes_spec);
    if (!text_type || !bytes_type)
        return -1;
    if (register_with(io, "TextIOBase", text_type) < 0)
        return -1;
    return register_with(io, "BufferedIOBase", bytes_type);
}

int text_prepare(void)
{
    if (objects[1])
        return 0;
    if (make_types() < 0)
        return -1;
    for (int which = 0; which < 2; which++) {
        AUTO_PY buffer = new_stream(bytes_type, which, NULL);
        objects[which] = buffer ? new_stream(text_type, which, buffer) : NULL;
        if (!objects[which])
            return -1;
    }
    int rc = print_prepare();
    if (rc != 0) {
        errno = rc;
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    return 0;
}

PyObject *text_object(int fd)
{
    if (text_prepare() < 0)
        return NULL;
    Py_INCREF(objects[fd - 1]);
    return objects[fd - 1];
}

static void adopt_one(int which, PyObject *old)
{
    int *const switches[] = {&print_habits[which].lines, &print_habits[which].all};
    static const char *const names[] = {"line_buffering", "write_through"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_PY value = PyObject_GetAttrString(old, names[i]);
        *switches[i] = value && PyObject_IsTrue(value) > 0;
        PyErr_Clear();
    }
    AUTO_PY done = PyObject_CallMethod(old, "flush", NULL);
    (void)done; /* closed, perhaps */
    PyErr_Clear();
}

void text_adopt(void)
{
    static const char *const names[] = {"stdout", "stderr"};
    for (int which = 0; which < 2; which++) {
        PyObject *old = PySys_GetObject(names[which]);
        if (old && old != Py_None)
            adopt_one(which, old);
    }
}

int text_install(void)
{
    static const char *const names[] = {"stdout", "stderr", "__stdout__", "__stderr__"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (PySys_SetObject(names[i], objects[i & 1]) < 0)
            return -1;
    return 0;
}
