/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_hidden: characters that nothing is shown for. They make two texts look the same that
 * are not, and whole messages fit into a row of them. Where writing needs them (a joiner
 * within an emoji or a word of a script that joins its letters, one variation selector behind
 * something that varies, the flag of Scotland) they are part of what is seen, and no more
 * than one at a time is.
 */
#include "gate_int.h"

struct range {
    uint32_t first, last;
};

static int is_within(const struct range *ranges, size_t count, uint32_t c)
{
    size_t low = 0;
    while (low < count && ranges[low].last < c)
        low++;
    return low < count && ranges[low].first <= c;
}

#define IS_WITHIN(ranges, c) is_within(ranges, ARRAY_LEN(ranges), c)

/* clang-format off */
static const struct range hidden[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200d},   {0x2060, 0x2065},   {0x206a, 0x206f},
    {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x13430, 0x1343f}, {0x16fe4, 0x16fe4}, {0x1bca0, 0x1bca3},
    {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};
/* Hebrew to Myanmar, Khmer and Mongolian, Tai, Balinese and kin: their letters join, or their
 * words stand without blanks. */
static const struct range joining[] = {
    {0x590, 0x109f},    {0x1780, 0x18af},   {0x1950, 0x1bff},   {0xa800, 0xabff},
    {0xfb1d, 0xfdff},   {0xfe70, 0xfefc},   {0x10800, 0x11fff}, {0x1e900, 0x1e95f},
};
static const struct range emoji[] = {
    {0xa9, 0xa9},       {0xae, 0xae},       {0x203c, 0x203c},   {0x2049, 0x2049},
    {0x2122, 0x2122},   {0x2139, 0x2139},   {0x2190, 0x2bff},   {0x3030, 0x3030},
    {0x303d, 0x303d},   {0x3297, 0x3299},   {0x1f000, 0x1faff},
};
/* What has variants and is no emoji: mathematics, ideographs and their punctuation. */
static const struct range varying[] = {
    {0x1000, 0x109f},   {0x2018, 0x201d},   {0x2200, 0x22ff},   {0x2a00, 0x2aff},
    {0x3000, 0x9fff},   {0xa840, 0xa87f},   {0xf900, 0xfaff},   {0xff01, 0xff9f},
    {0x10ac0, 0x10aff}, {0x20000, 0x3ffff},
};
static const struct range ideographs[] = {
    {0x3400, 0x9fff},   {0xf900, 0xfaff},   {0x20000, 0x3ffff},
};
/* clang-format on */

#define KEYCAP 0x20e3u
#define BLACK_FLAG 0x1f3f4u
#define TAGS 0xe0000u /* and a letter */
#define TAG_END 0xe007fu

int gate_is_hidden(uint32_t c)
{
    return c >= hidden[0].first && IS_WITHIN(hidden, c);
}

uint32_t gate_char_at(const char *text, size_t len, size_t *ret_size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t size = len == 0 ? 0 : p[0] < 0xc0 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (size == 0 || size > len) { /* no text ends within a character */
        *ret_size = len;
        return 0;
    }
    uint32_t c = size == 1 ? p[0] : p[0] & (0x7fu >> size);
    for (size_t k = 1; k < size; k++)
        c = c << 6 | (p[k] & 0x3fu);
    *ret_size = size;
    return c;
}

static uint32_t char_before(const char *text, size_t at)
{
    size_t start = at, size;
    while (start > 0 && ((unsigned char)text[--start] & 0xc0) == 0x80)
        ;
    return gate_char_at(text + start, at - start, &size);
}

static int is_variation(uint32_t c)
{
    return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

/* As text or as a picture; the other selectors are for what has variants. */
static int is_selector_needed(uint32_t c, uint32_t before, uint32_t after)
{
    int key = before == '#' || before == '*' || (before >= '0' && before <= '9');
    int shows = c == 0xfe0e || c == 0xfe0f;
    if (c >= 0xe0100)
        return IS_WITHIN(ideographs, before);
    return IS_WITHIN(varying, before) ||
           (shows && (IS_WITHIN(emoji, before) || (key && after == KEYCAP)));
}

/* Characters that ask for the forms of letters, or say where a word ends. */
static int is_joiner(uint32_t c)
{
    return (c >= 0x200b && c <= 0x200d) || (c >= 0x180b && c <= 0x180f) || c == 0x34f;
}

static int is_joiner_needed(uint32_t c, uint32_t before, uint32_t after)
{
    int within_emoji =
        c == 0x200d && IS_WITHIN(emoji, after) && (IS_WITHIN(emoji, before) || before == 0xfe0f);
    return within_emoji || (IS_WITHIN(joining, before) && !gate_is_hidden(before));
}

/* The bytes of the tags of England, Scotland or Wales up to their end, or 0. */
static size_t flag_size(const char *text, size_t len)
{
    static const char *const regions[] = {"gbeng", "gbsct", "gbwls"};
    for (size_t k = 0; k < ARRAY_LEN(regions); k++) {
        size_t at = 0, size;
        const char *letter = regions[k];
        while (*letter &&
               gate_char_at(text + at, len - at, &size) == TAGS + (unsigned char)*letter) {
            at += size;
            letter++;
        }
        if (!*letter && gate_char_at(text + at, len - at, &size) == TAG_END)
            return at + size;
    }
    return 0;
}

size_t gate_hidden_needed(const char *text, size_t len, size_t at)
{
    size_t size, next;
    uint32_t c = gate_char_at(text + at, len - at, &size), before = char_before(text, at);
    uint32_t after = gate_char_at(text + at + size, len - at - size, &next);
    if (is_variation(c))
        return is_selector_needed(c, before, after) ? size : 0;
    if (is_joiner(c))
        return is_joiner_needed(c, before, after) ? size : 0;
    return before == BLACK_FLAG ? flag_size(text + at, len - at) : 0;
}
