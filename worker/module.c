/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module: _cordon_worker as Python sees it. zygote() is what the keeper's command line
 * calls; the rest lets tests reach single rooms from a plain interpreter. Built for the
 * stable ABI, so that one file serves every CPython from 3.11 on.
 */
#include "worker.h"

#include "encode.h"
#include "gate.h"

#include <stdlib.h>

static PyObject *encode_error; /* _cordon_worker.EncodeError */

static PyObject *module_zygote(PyObject *self, PyObject *args)
{
    int sock;
    const char *config;
    (void)self;
    if (!PyArg_ParseTuple(args, "is:zygote", &sock, &config))
        return NULL;
    return zygote_arm(sock, config);
}

static PyObject *module_reader(PyObject *self, PyObject *args)
{
    int sock;
    const char *walls_down;
    (void)self;
    if (!PyArg_ParseTuple(args, "is:reader", &sock, &walls_down))
        return NULL;
    return reader_arm(sock, (uint32_t)strtoul(walls_down, NULL, 10));
}

static PyObject *module_approved(PyObject *self, PyObject *args)
{
    int channel, trace, text;
    (void)self;
    if (!PyArg_ParseTuple(args, "iii:approved", &channel, &trace, &text))
        return NULL;
    return approved_arm(channel, trace, text);
}

static PyObject *raise_encode_error(enum encode_outcome outcome, const char *message)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    if (outcome == ENCODE_RAISED) {
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
    }
    AUTO_PY error = PyObject_CallFunction(encode_error, "s", message);
    if (error && value)
        PyException_SetCause(error, py_take(&value));
    if (error)
        PyErr_SetObject(encode_error, error);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return NULL;
}

/* Long integers pass, as they do at the end of an execution. */
static enum encode_outcome encode_lifted(PyObject *value, int literal, uint64_t max,
                                         struct encoded *ret, char *message)
{
    long digits = digits_set(0);
    enum encode_outcome outcome =
        encode_result(value, literal, max, ret, message, ENCODE_MESSAGE_MAX);
    PyObject *type, *raised, *trace;
    PyErr_Fetch(&type, &raised, &trace);
    if (digits >= 0)
        (void)digits_set(digits);
    PyErr_Restore(type, raised, trace);
    return outcome;
}

static int prepare_encode(void)
{
    static int prepared;
    if (prepared)
        return 0;
    worker.get_int_digits = PySys_GetObject("get_int_max_str_digits");
    worker.set_int_digits = PySys_GetObject("set_int_max_str_digits");
    Py_XINCREF(worker.get_int_digits);
    Py_XINCREF(worker.set_int_digits);
    prepared = encode_prepare() == 0;
    return prepared ? 0 : -1;
}

static PyObject *module_encode(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char names[][8] = {"obj", "literal", "max"};
    char *keywords[] = {names[0], names[1], names[2], NULL};
    char message[ENCODE_MESSAGE_MAX] = "";
    struct encoded encoded = {0};
    PyObject *value;
    int literal = 0;
    unsigned long long max = 16u << 20;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|pK:encode", keywords, &value, &literal, &max))
        return NULL;
    if (prepare_encode() < 0)
        return NULL;
    enum encode_outcome outcome = encode_lifted(value, literal, max, &encoded, message);
    if (outcome != ENCODE_OK)
        return raise_encode_error(outcome, message);
    PyObject *result = Py_BuildValue("(y#N)", encoded.json.data ? encoded.json.data : "",
                                     (Py_ssize_t)encoded.json.len, encoded.notes);
    buf_done(&encoded.json);
    return result;
}

static PyObject *module_text(PyObject *self, PyObject *args)
{
    int fd;
    (void)self;
    if (!PyArg_ParseTuple(args, "i:text", &fd))
        return NULL;
    if (fd != 1 && fd != 2) {
        PyErr_SetString(PyExc_ValueError, "fd is 1 or 2");
        return NULL;
    }
    return text_object(fd);
}

static PyObject *module_check(PyObject *self, PyObject *args)
{
    static int prepared;
    struct gate_report report = {0};
    PyObject *source, *given = NULL, *code = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "U|O:check", &source, &given))
        return NULL;
    if (!prepared && gate_prepare() < 0)
        return NULL;
    prepared = 1;
    int rc = given ? gate_check(source, given, &report) : gate_source(source, &code, &report);
    Py_XDECREF(code);
    return rc < 0 ? NULL : report.warnings;
}

static PyMethodDef methods[] = {
    {"zygote", module_zygote, METH_VARARGS,
     "zygote(fd, config)\n\nLeaves all Python code and becomes the zygote. Does not return."},
    {"reader", module_reader, METH_VARARGS,
     "reader(fd, walls_down)\n\nLike zygote(), for sandboxes in which only the gate reads. It "
     "has loaded nothing for user code, and starts the sooner. Does not return."},
    {"approved", module_approved, METH_VARARGS,
     "approved(channel, trace, text)\n\nLeaves all Python code and carries out one approved run. "
     "Does not return."},
    {"encode", (PyCFunction)(void (*)(void))module_encode, METH_VARARGS | METH_KEYWORDS,
     "encode(obj, literal=False, max=16777216) -> (bytes, notes)"},
    {"check", module_check, METH_VARARGS,
     "check(source[, tree]) -> [warning, ...]\n\nWhat the gate says of the code; see "
     "worker/gate.h. The tree is parsed from the source if it is not given."},
    {"text", module_text, METH_VARARGS, "text(fd)\n\nThe text object over descriptor 1 or 2."},
    {0}};

static int exec_module(PyObject *module)
{
    if (!encode_error)
        encode_error = PyErr_NewException("_cordon_worker.EncodeError", PyExc_ValueError, NULL);
    return encode_error ? PyModule_AddObjectRef(module, "EncodeError", encode_error) : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)exec_module}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_cordon_worker",
                                        .m_size = 0, .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__cordon_worker(void);
PyMODINIT_FUNC PyInit__cordon_worker(void)
{
    return PyModuleDef_Init(&definition);
}
