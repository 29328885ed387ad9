/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors: an exception in words. The traceback module does the formatting, on objects
 * whose every method may be hostile: so chains are cut before it looks at them, texts are
 * cut before it prints them, its output is taken piece by piece, and whatever it raises
 * leaves at least a type and a fixed message.
 */
#include "type_object.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Exceptions in one chain of causes that are shown. */
#define CHAIN_MAX 64
/* Characters of one exception's text, and of one note. */
#define TEXT_MAX 12000
#define NOTE_MAX 2000
#define NOTES_MAX 64
/* Characters of one source line: a traceback repeats it for every frame. */
#define SOURCE_LINE_MAX 4000
/* Frames of one traceback, the innermost: as many as Python itself prints. */
#define FRAMES_MAX 1000

static PyObject *source_entry; /* what linecache is to hold for the user's code */

/* ---- the user's lines -------------------------------------------------------- */

/* data[0..len) is a line, with its "\n" if it has one. */
static int append_line(PyObject *lines, const char *data, size_t len)
{
    size_t kept = clip_prefix(data, len, SOURCE_LINE_MAX);
    AUTO_PY line = PyUnicode_DecodeUTF8(data, (Py_ssize_t)kept, "replace");
    if (!line)
        return -1;
    if (kept == 0 || data[kept - 1] != '\n') {
        PyObject *ended = PyUnicode_FromFormat("%U\n", line);
        py_clear(&line);
        line = ended;
    }
    return line ? PyList_Append(lines, line) : -1;
}

/* Lines as the compiler counts them: ended by \n, \r\n or \r. */
static PyObject *split_lines(const char *data, size_t len)
{
    AUTO_PY lines = PyList_New(0);
    if (!lines)
        return NULL;
    for (size_t at = 0; at < len;) {
        size_t end = at;
        while (end < len && data[end] != '\n' && data[end] != '\r')
            end++;
        size_t feed = end < len && data[end] == '\n';
        if (append_line(lines, data + at, end + feed - at) < 0)
            return NULL;
        int two = end + 1 < len && data[end] == '\r' && data[end + 1] == '\n';
        at = end + (two ? 2 : 1);
    }
    return py_take(&lines);
}

int errors_seed_lines(void)
{
    return source_entry && worker.line_cache
               ? PyDict_SetItemString(worker.line_cache, USER_FILE, source_entry)
               : 0;
}

int errors_set_source(PyObject *source)
{
    Py_ssize_t len;
    const char *data = PyUnicode_AsUTF8AndSize(source, &len);
    if (!data && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear(); /* half a character: no line of it is ever run */
        data = "";
        len = 0;
    }
    AUTO_PY lines = data ? split_lines(data, (size_t)len) : NULL;
    if (!lines)
        return -1;
    py_clear(&source_entry);
    /* No modification time: linecache.checkcache() leaves such entries alone. */
    source_entry = Py_BuildValue("(nOOs)", len, Py_None, lines, USER_FILE);
    return source_entry ? errors_seed_lines() : -1;
}

/* ---- pieces of text ------------------------------------------------------------ */

/* At most max bytes of Python text, NUL-terminated; 0 or -1 with an exception set. */
static int copy_text(char *to, size_t max, PyObject *text)
{
    AUTO_PY keep = NULL;
    Py_ssize_t len;
    const char *data = clip_utf8(text, &len, &keep);
    if (!data)
        return -1;
    size_t n = clip_prefix(data, (size_t)len, max);
    memcpy(to, data, n);
    to[n] = '\0';
    for (char *nul = to; (nul = memchr(nul, 0, n - (size_t)(nul - to))); nul++)
        *nul = ' '; /* these buffers are C strings */
    return 0;
}

/* `text` cut to max characters, saying so: a new reference. */
static PyObject *shorten(PyObject *text, Py_ssize_t max)
{
    Py_ssize_t len = PyUnicode_GetLength(text);
    if (len <= max) {
        Py_INCREF(text);
        return text;
    }
    AUTO_PY start = PyUnicode_Substring(text, 0, max);
    if (!start)
        return NULL;
    return PyUnicode_FromFormat("%U ... (%zd more characters)", start, len - max);
}

/* "json.decoder.JSONDecodeError", or "ValueError" for what needs no module. */
static PyObject *qualified_name(PyObject *type)
{
    AUTO_PY name = PyType_GetQualName((PyTypeObject *)(void *)type);
    AUTO_PY module = name ? type_module(type) : NULL;
    if (!module || PyUnicode_CompareWithASCIIString(module, "builtins") == 0 ||
        PyUnicode_CompareWithASCIIString(module, "__main__") == 0) {
        PyErr_Clear();
        return py_take(&name);
    }
    return PyUnicode_FromFormat("%U.%U", module, name);
}

static void say(char *to, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(to, size, fmt, ap);
    if (n >= 0 && (size_t)n >= size)
        to[clip_prefix(to, size, size - 1)] = '\0';
}

void errors_say(struct failure *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(f->message, sizeof(f->message), fmt, ap);
    va_end(ap);
}

void errors_add(struct failure *f, const char *fmt, ...)
{
    size_t used = strlen(f->message);
    va_list ap;
    va_start(ap, fmt);
    say(f->message + used, sizeof(f->message) - used, fmt, ap);
    va_end(ap);
}

/* ---- what traceback is allowed to see ---------------------------------------------- */

/* Ends the chain of causes after CHAIN_MAX: the code is over, nobody misses the rest. */
static void cut_chain(PyObject *value)
{
    AUTO_PY at = value;
    Py_INCREF(value);
    for (int n = 0; at; n++) {
        if (n == CHAIN_MAX) {
            PyException_SetCause(at, NULL);
            PyException_SetContext(at, NULL);
        }
        PyObject *next = PyException_GetCause(at);
        if (!next)
            next = PyException_GetContext(at);
        py_clear(&at);
        at = next;
        if (n == CHAIN_MAX)
            return;
    }
}

static int cut_text(PyObject *formatter)
{
    AUTO_PY text = PyObject_GetAttrString(formatter, "_str");
    if (!text || !PyUnicode_Check(text)) {
        PyErr_Clear();
        return 0;
    }
    AUTO_PY shorter = shorten(text, TEXT_MAX);
    return shorter ? PyObject_SetAttrString(formatter, "_str", shorter) : -1;
}

static PyObject *short_notes(PyObject *notes)
{
    Py_ssize_t count = PyList_Size(notes);
    AUTO_PY kept = PyList_New(0);
    for (Py_ssize_t i = 0; kept && i < count && i < NOTES_MAX; i++) {
        AUTO_PY note = PySequence_GetItem(notes, i); /* __str__ may empty the list */
        if (!note)
            return NULL;
        AUTO_PY text = PyUnicode_Check(note) ? shorten(note, NOTE_MAX) : PyObject_Str(note);
        AUTO_PY shorter = text && PyUnicode_Check(text) ? shorten(text, NOTE_MAX) : NULL;
        if (!shorter)
            PyErr_Clear();
        else if (PyList_Append(kept, shorter) < 0)
            return NULL;
        count = PyList_Size(notes);
    }
    return py_take(&kept);
}

/* Notes are what add_note() makes, a list; anything else could go on for ever. */
static int cut_notes(PyObject *formatter)
{
    AUTO_PY notes = PyObject_GetAttrString(formatter, "__notes__");
    if (!notes || notes == Py_None) {
        PyErr_Clear();
        return 0;
    }
    AUTO_PY kept = PyList_CheckExact(notes) ? short_notes(notes) : PyList_New(0);
    return kept ? PyObject_SetAttrString(formatter, "__notes__", kept) : -1;
}

static int append_attribute(PyObject *list, PyObject *formatter, const char *name)
{
    AUTO_PY value = PyObject_GetAttrString(formatter, name);
    if (!value || value == Py_None) {
        PyErr_Clear();
        return 0;
    }
    if (!PyList_CheckExact(value))
        return PyList_Append(list, value);
    Py_ssize_t end = PyList_Size(list);
    return PyList_SetSlice(list, end, end, value);
}

/* Cuts the texts of a TracebackException and of all that hang from it. */
static int cut_texts(PyObject *formatter)
{
    AUTO_PY todo = PyList_New(0);
    if (!todo || PyList_Append(todo, formatter) < 0)
        return -1;
    for (Py_ssize_t n; (n = PyList_Size(todo)) > 0;) {
        AUTO_PY at = PySequence_GetItem(todo, n - 1);
        if (!at || PyList_SetSlice(todo, n - 1, n, NULL) < 0)
            return -1;
        if (cut_text(at) < 0 || cut_notes(at) < 0)
            return -1;
        if (append_attribute(todo, at, "__cause__") < 0 ||
            append_attribute(todo, at, "__context__") < 0 ||
            append_attribute(todo, at, "exceptions") < 0)
            return -1;
    }
    return 0;
}

static unsigned long attribute_number(PyObject *object, const char *name)
{
    AUTO_PY value = PyObject_GetAttrString(object, name);
    long number = value && PyLong_Check(value) ? PyLong_AsLong(value) : 0;
    PyErr_Clear();
    return number > 0 ? (unsigned long)number : 0;
}

/* The user's line of that number: a new reference, or NULL without an exception. */
static PyObject *source_line(unsigned long number)
{
    AUTO_PY lines = source_entry ? PySequence_GetItem(source_entry, 2) : NULL;
    PyObject *line = lines ? PySequence_GetItem(lines, (Py_ssize_t)number - 1) : NULL;
    PyErr_Clear();
    return line;
}

/*
 * A SyntaxError of the compiler, unlike one of the parser, has no source line with it:
 * CPython reads it from the file, and here there is none.
 */
static void lend_text(PyObject *value)
{
    if (PyErr_GivenExceptionMatches(value, PyExc_SyntaxError) == 0)
        return;
    AUTO_PY file = PyObject_GetAttrString(value, "filename");
    AUTO_PY text = PyObject_GetAttrString(value, "text");
    if (text == Py_None && file && PyUnicode_Check(file) &&
        PyUnicode_CompareWithASCIIString(file, USER_FILE) == 0) {
        AUTO_PY line = source_line(attribute_number(value, "lineno"));
        if (line)
            (void)PyObject_SetAttrString(value, "text", line);
    }
    PyErr_Clear();
}

/* A recursion may be a million frames deep; the code's own sys.tracebacklimit goes first. */
static PyObject *formatter_options(void)
{
    if (PySys_GetObject("tracebacklimit"))
        return Py_BuildValue("{s:O}", "compact", Py_True);
    return Py_BuildValue("{s:O,s:i}", "compact", Py_True, "limit", -FRAMES_MAX);
}

static PyObject *new_formatter(PyObject *value)
{
    lend_text(value);
    if (!worker.trace_exception)
        return NULL; /* an approved run whose code has broken the library */
    AUTO_PY trace = PyException_GetTraceback(value);
    AUTO_PY args =
        Py_BuildValue("(OOO)", (PyObject *)Py_TYPE(value), value, trace ? trace : Py_None);
    AUTO_PY kwargs = formatter_options();
    if (!args || !kwargs)
        return NULL;
    AUTO_PY formatter = PyObject_Call(worker.trace_exception, args, kwargs);
    if (!formatter || cut_texts(formatter) < 0)
        return NULL;
    return py_take(&formatter);
}

/* ---- traceback ------------------------------------------------------------------------ */

static int add_piece(struct clip *c, PyObject *piece)
{
    AUTO_PY keep = NULL;
    Py_ssize_t len;
    const char *data = clip_utf8(piece, &len, &keep);
    if (!data)
        return -1;
    clip_add(c, data, (size_t)len);
    return 0;
}

static int add_pieces(struct clip *c, PyObject *formatter, int whole)
{
    AUTO_PY pieces =
        PyObject_CallMethod(formatter, whole ? "format" : "format_exception_only", NULL);
    AUTO_PY iterator = pieces ? PyObject_GetIter(pieces) : NULL;
    if (!iterator)
        return -1;
    for (;;) {
        AUTO_PY piece = PyIter_Next(iterator);
        if (!piece)
            return PyErr_Occurred() ? -1 : 0;
        if (add_piece(c, piece) < 0)
            return -1;
    }
}

static void format_traceback(struct failure *f, PyObject *formatter, int whole)
{
    clip_open(&f->traceback);
    if (add_pieces(&f->traceback, formatter, whole) < 0) {
        static const char sorry[] = "  ... the rest could not be formatted\n";
        PyErr_Clear();
        clip_add(&f->traceback, sorry, sizeof(sorry) - 1);
    }
    clip_close(&f->traceback);
}

/* ---- line ------------------------------------------------------------------------------- */

static int is_user_file(PyObject *trace)
{
    AUTO_PY frame = PyObject_GetAttrString(trace, "tb_frame");
    AUTO_PY code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    AUTO_PY name = code ? PyObject_GetAttrString(code, "co_filename") : NULL;
    PyErr_Clear();
    return name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, USER_FILE) == 0;
}

static PyObject *next_trace(PyObject *trace)
{
    PyObject *next = PyObject_GetAttrString(trace, "tb_next");
    PyErr_Clear();
    if (next == Py_None)
        py_clear(&next);
    return next;
}

static unsigned long user_line(PyObject *value)
{
    unsigned long line = 0;
    for (PyObject *next, *at = PyException_GetTraceback(value); at; at = next) {
        if (is_user_file(at))
            line = attribute_number(at, "tb_lineno");
        next = next_trace(at);
        Py_DECREF(at);
    }
    return line;
}

PyObject *errors_innermost(PyObject *value)
{
    AUTO_PY at = PyException_GetTraceback(value);
    while (at) {
        PyObject *next = next_trace(at);
        if (!next)
            break;
        py_clear(&at);
        at = next;
    }
    return py_take(&at);
}

/* ---- message ------------------------------------------------------------------------------ */

/* What stands after "ValueError: ": a new reference, or NULL with an exception set. */
static PyObject *exception_text(PyObject *value, PyObject *formatter)
{
    if (PyErr_GivenExceptionMatches((PyObject *)Py_TYPE(value), PyExc_SyntaxError)) {
        AUTO_PY text = PyObject_GetAttrString(value, "msg");
        if (text && PyUnicode_Check(text))
            return py_take(&text);
        PyErr_Clear();
    }
    if (formatter)
        return PyObject_GetAttrString(formatter, "_str");
    return PyObject_Str(value);
}

static void set_type(struct failure *f, PyObject *value)
{
    AUTO_PY name = PyType_GetName(Py_TYPE(value));
    if (!name || copy_text(f->type, FAILURE_TYPE_MAX, name) < 0) {
        PyErr_Clear();
        (void)snprintf(f->type, sizeof(f->type), "Exception");
    }
}

static void set_message(struct failure *f, PyObject *value, PyObject *formatter)
{
    AUTO_PY name = qualified_name((PyObject *)Py_TYPE(value));
    if (!name || copy_text(f->message, FAILURE_TYPE_MAX, name) < 0) {
        PyErr_Clear();
        errors_say(f, "%s", f->type);
    }
    AUTO_PY text = exception_text(value, formatter);
    AUTO_PY shorter = text && PyUnicode_Check(text) ? shorten(text, TEXT_MAX) : NULL;
    if (!shorter) {
        PyErr_Clear();
        errors_add(f, ": <its text could not be had>");
        return;
    }
    if (PyUnicode_GetLength(shorter) == 0)
        return;
    errors_add(f, ": ");
    size_t used = strlen(f->message);
    if (copy_text(f->message + used, FAILURE_MESSAGE_MAX - used, shorter) < 0)
        PyErr_Clear();
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* For when the traceback module fails: where the user's line was, and the message. */
static void plain_traceback(struct failure *f)
{
    char text[256];
    clip_open(&f->traceback);
    int n = snprintf(text, sizeof(text), "Traceback (most recent call last):\n");
    clip_add(&f->traceback, text, (size_t)n);
    if (f->line > 0) {
        n = snprintf(text, sizeof(text), "  File \"" USER_FILE "\", line %lu\n", f->line);
        clip_add(&f->traceback, text, (size_t)n);
    }
    clip_add(&f->traceback, f->message, strlen(f->message));
    clip_add(&f->traceback, "\n", 1);
    clip_close(&f->traceback);
}

void errors_describe(struct failure *f, PyObject *value, int whole)
{
    f->line = whole ? user_line(value) : attribute_number(value, "lineno");
    set_type(f, value);
    cut_chain(value);
    if (errors_seed_lines() < 0)
        PyErr_Clear();
    AUTO_PY formatter = new_formatter(value);
    PyErr_Clear();
    set_message(f, value, formatter);
    if (formatter)
        format_traceback(f, formatter, whole);
    else
        plain_traceback(f);
    PyErr_Clear();
}

/* A frame, a chain, carets and a suggestion: what formatting imports on first use. */
int errors_prepare(void)
{
    static const char sample[] = "try:\n    (1).nothing\nexcept Exception:\n    nothing + 1\n";
    static struct failure unused;
    AUTO_PY source = PyUnicode_FromString(sample);
    AUTO_PY names = PyDict_New();
    if (!source || !names || errors_set_source(source) < 0)
        return -1;
    AUTO_PY code = Py_CompileString(sample, USER_FILE, Py_file_input);
    AUTO_PY done = code ? PyEval_EvalCode(code, names, names) : NULL;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        (void)PyException_SetTraceback(value, trace);
    if (value)
        errors_describe(&unused, value, 1);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return 0;
}
