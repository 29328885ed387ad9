/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode: what user code left in `result`, as JSON bytes.
 *
 * It runs at the end of an execution, inside the sandbox, on objects whose every method
 * may be hostile. The invariant: whatever they do, the C stack, the memory and the time
 * between two calls of user code stay bounded, and a failure is one of the outcomes below
 * with a message that names the place. Nothing here is trusted by the engine.
 */
#ifndef CORDON_WORKER_ENCODE_H
#define CORDON_WORKER_ENCODE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>

#include "base/io.h"

#include <stddef.h>
#include <stdint.h>

/* Arrays and objects in one another, counted at the innermost. */
#define ENCODE_MAX_DEPTH 1000
/* Notes told one by one; then one line says how many more. */
#define ENCODE_MAX_NOTES 20
/* A message never needs more. */
#define ENCODE_MESSAGE_MAX 512

enum encode_outcome {
    ENCODE_OK = 0,
    ENCODE_REFUSED, /* a value that JSON cannot hold, a cycle, too deep */
    ENCODE_TOO_BIG, /* more than max_bytes */
    ENCODE_RAISED,  /* user code raised: that exception is set, the caller's to fetch */
    ENCODE_NOMEM,   /* no memory, or a MemoryError; no exception is set */
};

struct encoded {
    struct buf json; /* release it with buf_done() */
    PyObject *notes; /* new list of str, possibly empty: what was changed on the way */
};

/*
 * Looks up and keeps the types that are told apart by name (datetime, Decimal, numpy's,
 * pandas'...) from the modules loaded so far, before user code can rebind them. Called in
 * the zygote after its modules are loaded; imports nothing. What is loaded only later is
 * found at encode_result(). Returns 0, or -1 with a Python exception set.
 */
int encode_prepare(void);

/*
 * Encodes `value`, which is called `result` in messages. Runs user code. The caller has
 * checked that it is a dict if it must be one, and has lifted sys.set_int_max_str_digits
 * if long integers are to pass.
 *
 * literal_nonfinite: 0 writes null for NaN and infinities and adds a note; else NaN,
 *                    Infinity, -Infinity.
 * max_bytes:         of JSON; passing it is noticed at once, so memory stays bounded.
 * ret:               written on ENCODE_OK only.
 * message:           set for every other outcome: UTF-8, names the path
 *                    (`result["rows"][3]["when"]`) and the type; cut to message_size.
 *
 * On ENCODE_RAISED the exception is set; on all others none is. Needs about 1 MiB of C
 * stack for ENCODE_MAX_DEPTH levels.
 */
enum encode_outcome encode_result(PyObject *value, int literal_nonfinite, uint64_t max_bytes,
                                  struct encoded *ret, char *message, size_t message_size);

#endif
