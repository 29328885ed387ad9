/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask: the gate's place in an execution. It judges the code and sends its list before any
 * of the code runs; the tree that it judged is the tree that is compiled.
 */
#include "worker.h"

#include "encode.h"
#include "gate.h"

static int send_warnings(int channel, PyObject *warnings)
{
    char message[ENCODE_MESSAGE_MAX];
    struct encoded encoded = {0};
    AUTO_PY all = Py_BuildValue("{s:O}", "warnings", warnings);
    if (!all)
        return -1;
    if (encode_result(all, 0, FRAME_WARNINGS_MAX, &encoded, message, sizeof(message)) !=
        ENCODE_OK) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, message);
        return -1;
    }
    int rc = frame_send(channel, FRAME_WARNINGS, encoded.json.data, encoded.json.len);
    buf_done(&encoded.json);
    Py_XDECREF(encoded.notes);
    if (rc < 0)
        _exit(0); /* the engine has gone */
    return 0;
}

int ask_gate(int channel, PyObject *source, size_t bytes_max, PyObject **ret_code)
{
    struct gate_report report = {.bytes_max = bytes_max};
    AUTO_PY code = NULL;
    int rc = gate_source(source, &code, &report);
    AUTO_PY warnings = report.warnings;
    if (rc < 0 || !warnings || send_warnings(channel, warnings) < 0)
        return -1;
    if (PyList_Size(warnings) > 0)
        return 0;
    *ret_code = py_take(&code);
    return 1;
}
