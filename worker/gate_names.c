/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_names: each name of the source once, with all that tables know of it, so that the
 * passes compare numbers. Names are compared after NFKC whatever field they came from; a
 * name that a person would misread gets a warning of its own.
 */
#include "gate_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static PyObject *normalize, *char_name; /* of unicodedata */
static uint64_t secret[2];              /* what no code can know that is written to be slow */

int gate_prepare(void)
{
    if (getrandom(secret, sizeof(secret), 0) != (ssize_t)sizeof(secret)) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    gate_tables_prepare();
    AUTO_PY module = PyImport_ImportModule("unicodedata");
    if (!module)
        return -1;
    py_clear(&normalize);
    py_clear(&char_name);
    normalize = PyObject_GetAttrString(module, "normalize");
    char_name = PyObject_GetAttrString(module, "name");
    return normalize && char_name ? gate_spec_prepare() : -1;
}

/* ---- look-up ---------------------------------------------------------------------- */

uint64_t gate_mixed(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(a ^ secret[0]) * (b ^ secret[1]);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static size_t slot_start(const struct gate *g, const char *text, size_t len)
{
    uint64_t hash = len;
    for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
        uint64_t part = 0;
        memcpy(&part, text + i, len - i < sizeof(part) ? len - i : sizeof(part));
        hash = gate_mixed(hash, part);
    }
    return (size_t)hash & (g->name_slot_count - 1);
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t slot_of(const struct gate *g, const char *text, size_t len)
{
    size_t at = slot_start(g, text, len);
    for (; g->name_slots[at]; at = (at + 1) & (g->name_slot_count - 1)) {
        const struct name *name = NAME(g, g->name_slots[at]);
        if (name->len == len && memcmp(name->text, text, len) == 0)
            break;
    }
    return at;
}

uint32_t gate_name_find_text(const struct gate *g, const char *text, size_t len)
{
    return g->name_slots[slot_of(g, text, len)];
}

uint32_t gate_name_find(const struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (!text)
        PyErr_Clear(); /* a lone surrogate: no name */
    return text ? gate_name_find_text(g, text, (size_t)len) : 0;
}

/* ---- a new name --------------------------------------------------------------------- */

static int grow_slots(struct gate *g)
{
    size_t more = g->name_slot_count ? g->name_slot_count * 2 : 1024;
    uint32_t *slots = calloc(more, sizeof(*slots));
    if (!slots) {
        PyErr_NoMemory();
        return -1;
    }
    free(g->name_slots);
    g->name_slots = slots;
    g->name_slot_count = more;
    for (uint32_t id = 1; id < g->name_count; id++)
        slots[slot_of(g, NAME(g, id)->text, NAME(g, id)->len)] = id;
    return 0;
}

/* slot: the free one where it belongs. */
static uint32_t add_name(struct gate *g, PyObject *str, const char *text, size_t len, size_t slot)
{
    if (gate_grow((void **)&g->names, &g->name_room, g->name_count, sizeof(struct name)) < 0)
        return 0;
    if ((size_t)g->name_count * 2 >= g->name_slot_count) {
        if (grow_slots(g) < 0)
            return 0;
        slot = slot_of(g, text, len);
    }
    struct name name = {.str = str, .text = text, .len = len, .max_args = -1};
    name.builtin = gate_builtin(text);
    name.dunder = gate_dunder(text);
    name.attr = (unsigned char)gate_attr_class(text, len, &name.attr_row);
    *NAME(g, g->name_count) = name;
    g->name_slots[slot] = g->name_count;
    Py_INCREF(str);
    return g->name_count++;
}

static int is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] >= 0x80)
            return 0;
    return 1;
}

static uint32_t id_by_text(struct gate *g, PyObject *str)
{
    Py_ssize_t len;
    AUTO_PY normal = NULL;
    const char *text = PyUnicode_AsUTF8AndSize(str, &len);
    if (text && !is_ascii(text, (size_t)len)) {
        str = normal = PyObject_CallFunction(normalize, "sO", "NFKC", str);
        text = normal ? PyUnicode_AsUTF8AndSize(normal, &len) : NULL;
    }
    if (!text)
        return 0;
    size_t slot = slot_of(g, text, (size_t)len);
    return g->name_slots[slot] ? g->name_slots[slot] : add_name(g, str, text, (size_t)len, slot);
}

/*
 * The parser has one object for each name, wherever it stands. An object stays what it is as
 * long as a name holds it: another one could come to lie at its address.
 */
uint32_t gate_name_id(struct gate *g, PyObject *str)
{
    uint32_t *known = &g->known_names[(uintptr_t)str / sizeof(void *) / 2 % KNOWN_NAMES];
    if (*known && NAME(g, *known)->str == str)
        return *known;
    uint32_t id = id_by_text(g, str);
    if (id)
        *known = id;
    return id;
}

uint32_t gate_name_mangled(struct gate *g, uint32_t scope, uint32_t id)
{
    const struct name *name = NAME(g, id);
    if (!g->scopes[scope].private_to || name->text[0] != '_' || name->text[1] != '_')
        return id;
    const char *class = NAME(g, g->scopes[scope].private_to)->text;
    class += strspn(class, "_");
    if (!*class || strcmp(name->text + name->len - 2, "__") == 0 || strchr(name->text, '.'))
        return id;
    AUTO_PY mangled = PyUnicode_FromFormat("_%s%U", class, name->str);
    return mangled ? gate_name_id(g, mangled) : 0;
}

int gate_names_open(struct gate *g)
{
    if (gate_grow((void **)&g->names, &g->name_room, 0, sizeof(struct name)) < 0)
        return -1;
    g->names[0] = (struct name){.text = "", .max_args = -1};
    g->name_count = 1;
    return grow_slots(g);
}

/* ---- names that a person would misread ------------------------------------------------ */

enum script { LATIN = 1, CYRILLIC = 2, GREEK = 4, OTHER = 8, UNREAD = 16 };

/* What a character's name begins with. Scripts that few people read are not here: UNREAD. */
static unsigned script_of(const char *name)
{
    static const struct {
        const char *prefix;
        unsigned script;
    } scripts[] = {
        {"LATIN ", LATIN},    {"CYRILLIC ", CYRILLIC}, {"GREEK ", GREEK},     {"BOPOMOFO ", 0},
        {"CJK ", 0},          {"HANGUL SYLLABLE ", 0}, {"HIRAGANA ", 0},      {"IDEOGRAPHIC ", 0},
        {"KATAKANA", 0},      {"MIDDLE DOT", 0},       {"ARABIC", OTHER},     {"ARMENIAN ", OTHER},
        {"BENGALI ", OTHER},  {"DEVANAGARI ", OTHER},  {"ETHIOPIC ", OTHER},  {"GEORGIAN ", OTHER},
        {"GUJARATI ", OTHER}, {"GURMUKHI ", OTHER},    {"HEBREW ", OTHER},    {"KANNADA ", OTHER},
        {"KHMER ", OTHER},    {"LAO ", OTHER},         {"MALAYALAM ", OTHER}, {"MONGOLIAN ", OTHER},
        {"MYANMAR ", OTHER},  {"SINHALA ", OTHER},     {"TAMIL ", OTHER},     {"TELUGU ", OTHER},
        {"THAI ", OTHER},     {"TIBETAN ", OTHER}};
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
        if (strncmp(name, scripts[i].prefix, strlen(scripts[i].prefix)) == 0)
            return scripts[i].script;
    return UNREAD;
}

/* Latin letters beyond ASCII that people write: with marks, or of an alphabet of today. */
static int is_common_latin(Py_UCS4 c, PyObject *str)
{
    static const char others[] = "\u00c6\u00d0\u00d8\u00de\u00df\u00e6\u00f0\u00f8\u00fe\u0110"
                                 "\u0111\u0126\u0127\u0131\u0141\u0142\u014a\u014b\u0152\u0153"
                                 "\u0166\u0167\u018f\u0259\u1e9e";
    AUTO_PY parts = PyObject_CallFunction(normalize, "sO", "NFD", str);
    Py_UCS4 base = parts && PyUnicode_GetLength(parts) > 0 ? PyUnicode_ReadChar(parts, 0) : 0;
    const char *text = PyUnicode_AsUTF8AndSize(str, NULL);
    PyErr_Clear();
    return c < 0x80 || (base && base < 0x80) || (text && strstr(others, text));
}

/* The Latin letter that another one looks like, or 0. */
static char latin_twin(Py_UCS4 c)
{
    static const struct {
        Py_UCS4 letter;
        char twin;
    } twins[] = {
        {0x430, 'a'}, {0x441, 'c'}, {0x435, 'e'}, {0x43e, 'o'},  {0x440, 'p'},  {0x445, 'x'},
        {0x443, 'y'}, {0x456, 'i'}, {0x458, 'j'}, {0x455, 's'},  {0x501, 'd'},  {0x51b, 'q'},
        {0x51d, 'w'}, {0x4bb, 'h'}, {0x3bf, 'o'}, {0x3bd, 'v'},  {0x3c1, 'p'},  {0x3b1, 'a'},
        {0x3b9, 'i'}, {0x4cf, 'l'}, {0x475, 'v'}, {0x474, 'V'},  {0x410, 'A'},  {0x412, 'B'},
        {0x415, 'E'}, {0x41a, 'K'}, {0x41c, 'M'}, {0x41d, 'H'},  {0x41e, 'O'},  {0x420, 'P'},
        {0x421, 'C'}, {0x422, 'T'}, {0x425, 'X'}, {0x405, 'S'},  {0x406, 'I'},  {0x391, 'A'},
        {0x392, 'B'}, {0x395, 'E'}, {0x396, 'Z'}, {0x397, 'H'},  {0x399, 'I'},  {0x39a, 'K'},
        {0x39c, 'M'}, {0x39d, 'N'}, {0x39f, 'O'}, {0x3a1, 'P'},  {0x3a4, 'T'},  {0x3a5, 'Y'},
        {0x3a7, 'X'}, {0x131, 'i'}, {0x408, 'J'}, {0x423, 'Y'},  {0x417, '3'},  {0x563, 'q'},
        {0x570, 'h'}, {0x578, 'n'}, {0x57d, 'u'}, {0x585, 'o'},  {0x581, 'g'},  {0x555, 'O'},
        {0x54d, 'U'}, {0x53c, 'L'}, {0x5e1, 'o'}, {0x5d5, 'l'},  {0x5df, 'l'},  {0x627, 'l'},
        {0x647, 'o'}, {0x6d5, 'o'}, {0xd20, 'o'}, {0x101d, 'o'}, {0x10ff, 'o'}, {0x0ae6, 'o'}};
    for (size_t i = 0; i < ARRAY_LEN(twins); i++)
        if (twins[i].letter == c)
            return twins[i].twin;
    return c < 0x80 ? (char)c : 0;
}

static unsigned script_of_char(Py_UCS4 c)
{
    AUTO_PY str = PyUnicode_FromOrdinal((int)c);
    AUTO_PY name = str ? PyObject_CallFunction(char_name, "Os", str, "") : NULL;
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    PyErr_Clear();
    unsigned script = text ? script_of(text) : UNREAD;
    return script == LATIN && !is_common_latin(c, str) ? UNREAD : script;
}

struct looks {
    unsigned scripts;
    int invisible;
    int odd_greek; /* Greek, where it could be meant to be taken for Latin */
    int twin;      /* each letter looks like a Latin one */
    char skeleton[64];
};

/* What a part of a name between underscores has. */
struct part_of_name {
    int latin, greek_twin;
};

/*
 * Δx, σ_x, ρ_air: formulas are written with Greek letters, which look like themselves. Of those
 * that do not, omicron and capitals are odd beside Latin, others in one word with it.
 */
static void note_letter(struct looks *looks, struct part_of_name *part, Py_UCS4 c, unsigned script)
{
    const Py_UCS4 alpha = 0x3b1, omicron = 0x3bf;
    if (c == '_')
        *part = (struct part_of_name){0};
    part->latin |= script == LATIN;
    if (script == GREEK && latin_twin(c)) {
        part->greek_twin = 1;
        looks->odd_greek |= c < alpha || c == omicron;
    }
    looks->odd_greek |= part->latin && part->greek_twin;
}

static struct looks looks_of(PyObject *str)
{
    struct looks looks = {0};
    struct part_of_name part = {0};
    Py_ssize_t len = PyUnicode_GetLength(str);
    looks.twin = len < (Py_ssize_t)sizeof(looks.skeleton);
    for (Py_ssize_t i = 0; i < len; i++) {
        Py_UCS4 c = PyUnicode_ReadChar(str, i);
        char twin = latin_twin(c);
        looks.invisible |= gate_is_hidden(c);
        unsigned script =
            c < 0x80 ? (((c | 32) >= 'a' && (c | 32) <= 'z') ? LATIN : 0) : script_of_char(c);
        looks.scripts |= script;
        note_letter(&looks, &part, c, script);
        looks.twin &= twin != 0;
        if (looks.twin)
            looks.skeleton[i] = twin;
    }
    return looks;
}

/*
 * Whether Python takes a letter of a name for another one that it does not look like. Greek
 * letters of mathematics, the micro sign and h with a bar look like what they stand for.
 */
int gate_reads_otherwise(Py_UCS4 c)
{
    if (c == 0xb7 || c == 0x387) /* a dot in the middle of a name looks like an attribute's */
        return 1;
    if (c < 0x80 || c == 0xb5 || c == 0x210f || (c >= 0x3d0 && c <= 0x3f6))
        return 0;
    AUTO_PY str = PyUnicode_FromOrdinal((int)c);
    AUTO_PY read = str ? PyObject_CallFunction(normalize, "sO", "NFKC", str) : NULL;
    AUTO_PY same = str ? PyObject_CallFunction(normalize, "sO", "NFC", str) : NULL;
    int equal = read && same ? PyUnicode_Compare(read, same) == 0 : 1;
    PyErr_Clear();
    return !equal;
}

static int is_twin(const struct gate *g, const struct looks *looks)
{
    size_t len = strlen(looks->skeleton);
    return looks->twin &&
           (gate_builtin(looks->skeleton) || gate_name_find_text(g, looks->skeleton, len));
}

/* The node that says the name first. */
static uint32_t first_use(const struct gate *g, uint32_t id)
{
    for (uint32_t i = 0; i < g->node_count; i++)
        if (N(g, i)->name == id || N(g, i)->name2 == id)
            return i;
    return 0;
}

static int check_looks(struct gate *g, uint32_t id)
{
    PyObject *str = NAME(g, id)->str;
    struct looks looks = looks_of(str);
    if (looks.invisible) /* where it stands in the text, it is warned of there */
        return g->hidden
                   ? 0
                   : gate_warn(
                         g, RULE_INVISIBLE_CHARACTER, first_use(g, id),
                         "The name %R holds characters that cannot be seen: it is not the name "
                         "that it looks like.",
                         str);
    if (looks.scripts & UNREAD)
        return gate_warn(g, RULE_MIXED_SCRIPT, first_use(g, id),
                         "The name `%U` holds letters that hardly anybody knows: some look just "
                         "like others.",
                         str);
    int formula = looks.scripts == (LATIN | GREEK) && !looks.odd_greek;
    if (looks.scripts & (looks.scripts - 1) && !formula)
        return gate_warn(g, RULE_MIXED_SCRIPT, first_use(g, id),
                         "The name `%U` mixes letters of several scripts that look alike: it is "
                         "not the name that it looks like.",
                         str);
    if (is_twin(g, &looks))
        return gate_warn(g, RULE_MIXED_SCRIPT, first_use(g, id),
                         "The name `%U` is written with letters of another script, and looks "
                         "like `%s`, which is something else.",
                         str, looks.skeleton);
    return 0;
}

int gate_names_check(struct gate *g)
{
    uint32_t checked = 0;
    for (uint32_t id = 1; id < g->name_count && checked < GATE_WARNINGS_MAX; id++) {
        if (is_ascii(NAME(g, id)->text, NAME(g, id)->len))
            continue;
        uint32_t before = g->warning_count;
        if (check_looks(g, id) < 0)
            return -1;
        checked += g->warning_count > before; /* each look for its place costs a pass */
    }
    return 0;
}
