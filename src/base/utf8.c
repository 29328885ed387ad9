/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8: see utf8.h. Reads no byte beyond len, needs no table.
 */
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Length of the character at s, 0 when it is none, or -1 when it is a correct beginning
 * that ends with the data.
 */
static int char_len(const unsigned char *s, size_t len)
{
    unsigned char lo = 0x80;
    unsigned char hi = 0xBF;
    int need;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        need = 1;
    else if (s[0] >= 0xE0 && s[0] <= 0xEF)
        need = 2;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        need = 3;
    else
        return 0;
    if (s[0] == 0xE0)
        lo = 0xA0; /* overlong */
    else if (s[0] == 0xED)
        hi = 0x9F; /* surrogates */
    else if (s[0] == 0xF0)
        lo = 0x90; /* overlong */
    else if (s[0] == 0xF4)
        hi = 0x8F; /* above U+10FFFF */
    for (int i = 1; i <= need; i++) {
        if ((size_t)i >= len)
            return -1;
        if (s[i] < lo || s[i] > hi)
            return 0;
        lo = 0x80;
        hi = 0xBF;
    }
    return need + 1;
}

/* Skips plain ASCII eight bytes at a time. */
static size_t skip_ascii(const char *data, size_t at, size_t len)
{
    while (len - at >= 8) {
        uint64_t word;
        memcpy(&word, data + at, sizeof(word));
        if (word & 0x8080808080808080u)
            break;
        at += 8;
    }
    return at;
}

size_t utf8_valid_prefix(const char *data, size_t len)
{
    size_t at = 0;
    while (at < len) {
        at = skip_ascii(data, at, len);
        if (at >= len)
            break;
        int n = char_len((const unsigned char *)data + at, len - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    return at;
}

int utf8_is_partial(const char *data, size_t len)
{
    return len > 0 && char_len((const unsigned char *)data, len) == -1;
}

int utf8_append_shown(struct buf *out, const char *data, size_t len, int cut)
{
    while (len > 0) {
        size_t good = utf8_valid_prefix(data, len);
        int rc = buf_add(out, data, good, SIZE_MAX - 1);
        if (rc < 0)
            return rc;
        data += good;
        len -= good;
        if (len == 0 || (cut && len <= 3 && utf8_is_partial(data, len)))
            return 0;
        char shown[8];
        int n = snprintf(shown, sizeof(shown), "\\x%02x", (unsigned)(unsigned char)data[0]);
        rc = buf_add(out, shown, (size_t)n, SIZE_MAX - 1);
        if (rc < 0)
            return rc;
        data++;
        len--;
    }
    return 0;
}
