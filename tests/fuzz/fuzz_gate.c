/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate over any bytes, in a Python of its own: it always comes to a verdict, never with
 * an exception left behind, within its caps; and what it has no tree for gets a warning.
 */
#include "gate.h"
#include "audit.h"
#include "worker.h"

#include "base/rules.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken: %s\n", #condition);                                           \
            PyErr_Print();                                                                         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct worker worker; /* load.c's: there is no profile here, and so no package */

/* audit.c's, for the seals of packages. */
PyObject *audit_caller(void)
{
    return NULL;
}

/* What a Python holds to its end is no leak of ours. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    MUST(setenv("PYTHONMALLOC", "malloc", 1) == 0); /* the sanitizer sees each object */
    Py_InitializeEx(0);
    MUST(gate_prepare() == 0);
    return 0;
}

static void check_warning(PyObject *row)
{
    static const char *const numbers[] = {"line", "column", "end_line", "end_column", "count"};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        PyObject *number = PyDict_GetItemString(row, numbers[i]);
        MUST(number && PyLong_AsLong(number) >= 1);
    }
    PyObject *rule = PyDict_GetItemString(row, "rule");
    MUST(rule && rule_find(PyUnicode_AsUTF8AndSize(rule, NULL)));
    PyObject *snippet = PyDict_GetItemString(row, "snippet");
    MUST(snippet && PyUnicode_GetLength(snippet) <= GATE_SNIPPET_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gate_report report = {0};
    AUTO_PY tree = NULL;
    AUTO_PY source = PyUnicode_DecodeUTF8((const char *)data, (Py_ssize_t)size, "surrogateescape");
    MUST(source);
    MUST(gate_source(source, &tree, &report) == 0);
    MUST(!PyErr_Occurred() && report.warnings);
    Py_ssize_t count = PyList_Size(report.warnings);
    MUST(count <= (Py_ssize_t)GATE_WARNINGS_MAX + 1 && (tree || count > 0));
    for (Py_ssize_t i = 0; i < count; i++)
        check_warning(PyList_GetItem(report.warnings, i));
    Py_DECREF(report.warnings);
    return 0;
}
