/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_out: JSON's bytes: strings, numbers, base64.
 *
 * Small writes go to the stage, full stages to the buffer; the limit is checked there, so
 * no more than one stage beyond it is ever held. Numbers are written as repr writes them:
 * the digits of an int are exact, a float is the shortest text that reads back as it.
 * Nothing here calls user code.
 */
#include "encode_state.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int add(struct encoder *e, const char *data, size_t len)
{
    int r = buf_add(&e->json, data, len, e->max);

    if (r == -E2BIG)
        return fail_too_big(e);
    return r < 0 ? fail_no_memory(e) : 0;
}

int out_flush(struct encoder *e)
{
    size_t len = e->staged;

    e->staged = 0;
    return len ? add(e, e->stage, len) : 0;
}

int out_bytes(struct encoder *e, const char *data, size_t len)
{
    if (len > STAGE_SIZE / 2) {
        if (out_flush(e) < 0)
            return -1;
        return add(e, data, len);
    }

    char *to = out_room(e, len);

    if (!to)
        return -1;
    memcpy(to, data, len);
    e->staged += len;
    return 0;
}

/* ---- strings ------------------------------------------------------------- */

#define EACH(byte) (UINT64_MAX / 255 * (byte))

/* Not 0 if one of eight bytes is a control character, a quote or a backslash. */
static uint64_t any_special(const char *s)
{
    uint64_t word;

    memcpy(&word, s, sizeof(word));
    uint64_t quote = word ^ EACH('"');
    uint64_t slash = word ^ EACH('\\');
    uint64_t low = (word - EACH(0x20)) & ~word;

    quote = (quote - EACH(1)) & ~quote;
    slash = (slash - EACH(1)) & ~slash;
    return (low | quote | slash) & EACH(0x80);
}

/* How many bytes from s on go out as they are. */
static size_t plain_run(const char *s, size_t len)
{
    size_t n = 0;

    while (len - n >= 8 && !any_special(s + n))
        n += 8;
    while (n < len && (unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

size_t json_escape(unsigned char c, char to[6])
{
    static const char digits[] = "0123456789abcdef";
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    const char *at = c ? strchr(from, c) : NULL;

    to[0] = '\\';
    if (at) {
        to[1] = letter[at - from];
        return 2;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = digits[c >> 4];
    to[5] = digits[c & 15];
    return 6;
}

static int out_escaped(struct encoder *e, const char *s, size_t len)
{
    while (len) {
        size_t run = plain_run(s, len);

        if (run && out_bytes(e, s, run) < 0)
            return -1;
        s += run;
        len -= run;
        if (!len)
            break;

        char *to = out_room(e, 6);

        if (!to)
            return -1;
        e->staged += json_escape((unsigned char)*s, to);
        s++;
        len--;
    }
    return 0;
}

int is_surrogate(const char *s)
{
    return (unsigned char)s[0] == 0xed && (unsigned char)s[1] >= 0xa0;
}

void surrogate_escape(const char *s, char to[6])
{
    static const char digits[] = "0123456789abcdef";
    unsigned low = (((unsigned char)s[1] & 0x3fu) << 6) | ((unsigned char)s[2] & 0x3fu);

    memcpy(to, "\\ud", 3);
    to[3] = digits[low >> 8];
    to[4] = digits[(low >> 4) & 15];
    to[5] = digits[low & 15];
}

/* UTF-8 in which surrogates were let through. */
static int out_surrogates(struct encoder *e, const char *s, size_t len)
{
    const char *end = s + len;
    const char *from = s;

    while (s < end) {
        char text[6];

        if (!is_surrogate(s)) {
            s++;
            continue;
        }
        surrogate_escape(s, text);
        if (out_escaped(e, from, (size_t)(s - from)) < 0 || out_bytes(e, text, sizeof(text)) < 0)
            return -1;
        s += 3;
        from = s;
    }
    return out_escaped(e, from, (size_t)(end - from));
}

static int out_text_with_surrogates(struct encoder *e, PyObject *text)
{
    PyErr_Clear();

    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    char *data;
    Py_ssize_t len;
    int r = -1;

    if (bytes && PyBytes_AsStringAndSize(bytes, &data, &len) == 0)
        r = out_surrogates(e, data, (size_t)len);
    else
        fail_python(e);
    Py_XDECREF(bytes);
    return r;
}

int out_string(struct encoder *e, PyObject *text)
{
    Py_ssize_t len;

    /* Before a copy in UTF-8 is made of something hopeless. */
    if ((uint64_t)PyUnicode_GetLength(text) > e->max)
        return fail_too_big(e);
    if (out_char(e, '"') < 0)
        return -1;

    const char *s = PyUnicode_AsUTF8AndSize(text, &len);
    int r;

    if (s)
        r = out_escaped(e, s, (size_t)len);
    else if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        r = out_text_with_surrogates(e, text);
    else
        r = fail_python(e);
    return r < 0 ? r : out_char(e, '"');
}

/* ---- numbers ------------------------------------------------------------- */

/* Writes the digits so that they end before `end`; returns where they start. */
static char *digits_before(char *end, unsigned long long n)
{
    do {
        *--end = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    return end;
}

static int out_int(struct encoder *e, long long number)
{
    char text[24];
    char *end = text + sizeof(text);
    unsigned long long n = (unsigned long long)number;
    char *at = digits_before(end, number < 0 ? 0 - n : n);

    if (number < 0)
        *--at = '-';
    return out_bytes(e, at, (size_t)(end - at));
}

/* More digits than may go out? Turning them into text would take time without bound. */
static int digits_hopeless(struct encoder *e, PyObject *number)
{
    PyObject *bits = call_method((PyObject *)&PyLong_Type, "bit_length", number);
    double n = bits ? PyLong_AsDouble(bits) : -1;

    Py_XDECREF(bits);
    if (n < 0)
        return fail_python(e);
    return (n - 1) * 0.30102 > (double)e->max ? fail_too_big(e) : 0;
}

static int out_big(struct encoder *e, PyObject *number)
{
    if (digits_hopeless(e, number) < 0)
        return -1;

    /* Takes the value of a subclass, never its own methods. */
    PyObject *text = PyNumber_ToBase(number, 10);
    Py_ssize_t len;
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    int r;

    if (s)
        r = out_bytes(e, s, (size_t)len);
    else if (PyErr_ExceptionMatches(PyExc_ValueError))
        r = fail_at(e, NULL, "is an integer of more digits than the interpreter turns into text");
    else
        r = fail_python(e);
    Py_XDECREF(text);
    return r;
}

int out_long(struct encoder *e, PyObject *number)
{
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(number, &overflow);

    return overflow ? out_big(e, number) : out_int(e, n);
}

/*
 * Money and measurements, without the long way round. A decimal of at most 15 digits is
 * the only one so short that its nearest double stands for; so when n / 10000, rounded
 * once as the division of two exact doubles is, gives the number back, those digits are
 * the shortest that do, which is what repr writes. 0: not such a number.
 */
static size_t short_decimal(char to[24], double number)
{
    double size = fabs(number);

    if (!(size >= 1e-4 && size < 1e11))
        return 0;

    unsigned long long n = (unsigned long long)(size * 1e4 + 0.5);

    if ((double)n / 1e4 != size)
        return 0;

    char text[24];
    char *end = text + sizeof(text);
    char *point = end - 5;
    char *at = digits_before(point, n / 10000);

    memcpy(point, ".0000", 5);
    digits_before(end, n % 10000);
    while (end[-1] == '0' && end - point > 2)
        end--;
    if (number < 0)
        *--at = '-';
    memcpy(to, at, (size_t)(end - at));
    return (size_t)(end - at);
}

static int out_nonfinite(struct encoder *e, double number)
{
    const char *name = isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";

    if (e->literal)
        return out_bytes(e, name, strlen(name));
    if (note_null(e, name) < 0)
        return -1;
    return out_bytes(e, "null", 4);
}

int out_double(struct encoder *e, double number)
{
    if (!isfinite(number))
        return out_nonfinite(e, number);

    char *to = out_room(e, 24);

    if (!to)
        return -1;

    size_t len = short_decimal(to, number);

    if (len) {
        e->staged += len;
        return 0;
    }

    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);

    if (!text)
        return fail_python(e);

    int r = out_bytes(e, text, strlen(text));

    PyMem_Free(text);
    return r;
}

/* ---- base64 -------------------------------------------------------------- */

static void base64_three(char to[4], const unsigned char *from, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = (unsigned)from[0] << 16;

    if (len > 1)
        word |= (unsigned)from[1] << 8;
    if (len > 2)
        word |= from[2];
    to[0] = letters[word >> 18];
    to[1] = letters[(word >> 12) & 63];
    to[2] = '=';
    to[3] = '=';
    if (len > 1)
        to[2] = letters[(word >> 6) & 63];
    if (len > 2)
        to[3] = letters[word & 63];
}

int out_base64(struct encoder *e, const unsigned char *data, size_t len)
{
    if (len / 3 * 4 > e->max)
        return fail_too_big(e);
    if (out_char(e, '"') < 0)
        return -1;
    while (len) {
        size_t take = len < 3 ? len : 3;
        char *to = out_room(e, 4);

        if (!to)
            return -1;
        base64_three(to, data, take);
        e->staged += 4;
        data += take;
        len -= take;
    }
    return out_char(e, '"');
}
