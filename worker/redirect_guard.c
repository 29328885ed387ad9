/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redirect_guard: redirect_stdout sets sys.stdout and redirect_stderr sets sys.stderr, and neither
 * any other attribute of sys, whose modules could be had by it: the library looks up which one
 * on the instance, and to an instance there are more ways than the gate can follow.
 */
#include "type_object.h"

#include "base/io.h"

static const struct {
    const char *class, *stream;
} rows[] = {{"redirect_stdout", "stdout"}, {"redirect_stderr", "stderr"}};

static PyObject *classes[ARRAY_LEN(rows)];

/* Of sys; NULL with an exception where it is neither. */
static const char *stream_of(PyObject *self)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (PyType_IsSubtype(Py_TYPE(self), (PyTypeObject *)(void *)classes[i]))
            return rows[i].stream;
    PyErr_SetString(PyExc_TypeError, "only stdout and stderr can be redirected");
    return NULL;
}

static PyObject *enter(PyObject *self, PyObject *none)
{
    const char *stream = stream_of(self);
    PyObject *old = stream ? PySys_GetObject(stream) : NULL;
    (void)none;
    if (stream && !old)
        return PyErr_Format(PyExc_AttributeError, "module 'sys' has no attribute '%s'", stream);
    AUTO_PY targets = stream ? PyObject_GetAttrString(self, "_old_targets") : NULL;
    AUTO_PY kept = targets ? PyObject_CallMethod(targets, "append", "O", old) : NULL;
    AUTO_PY target = kept ? PyObject_GetAttrString(self, "_new_target") : NULL;
    return target && PySys_SetObject(stream, target) == 0 ? py_take(&target) : NULL;
}

static PyObject *leave(PyObject *self, PyObject *what)
{
    const char *stream = stream_of(self);
    (void)what;
    AUTO_PY targets = stream ? PyObject_GetAttrString(self, "_old_targets") : NULL;
    AUTO_PY old = targets ? PyObject_CallMethod(targets, "pop", NULL) : NULL;
    return old && PySys_SetObject(stream, old) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef enter_def = {"__enter__", enter, METH_NOARGS, NULL};
static PyMethodDef leave_def = {"__exit__", leave, METH_VARARGS, NULL};

int redirect_guard(void)
{
    PyObject *module = PyDict_GetItemString(worker.modules, "contextlib");
    if (!module)
        return 0; /* the profile does not hand it out */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!(classes[i] = PyObject_GetAttrString(module, rows[i].class)))
            return -1;
    AUTO_PY both = PyObject_GetAttrString(module, "_RedirectStream");
    AUTO_PY real_enter = NULL;
    AUTO_PY real_leave = NULL;
    return !both || type_put_method(both, &enter_def, &real_enter) < 0
               ? -1
               : type_put_method(both, &leave_def, &real_leave);
}
