/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_facts: what holds for the source as a whole, found before any rule is applied: which
 * symbol each load sees, how names escape and attributes are used, which features are in play.
 */
#include "gate_int.h"

#include <ctype.h>
#include <string.h>

/* ---- loads ------------------------------------------------------------------------- */

static void note_exports(struct gate *g, uint32_t i)
{
    uint32_t exports = exports_of(g, i);
    if (!exports)
        return;
    g->dispatches |= (exports & EXPORTS(EXPORT_SINGLEDISPATCH)) != 0;
    g->fields |= (exports & EXPORTS(EXPORT_FIELDS)) != 0;
    g->fields_made |= (exports & (EXPORTS(EXPORT_FIELDS) | EXPORTS(EXPORT_FIELD))) != 0;
    uint32_t hooked =
        EXPORTS(EXPORT_COPY) | EXPORTS(EXPORT_DEEPCOPY) | EXPORTS(EXPORT_DEEP_COPYING);
    g->shallow_copies |= (exports & EXPORTS(EXPORT_COPY)) != 0;
    if (exports & hooked && !g->hooked_copies)
        g->hooked_copies = i;
    if (exports & (hooked | EXPORTS(EXPORT_COPYING)) && !g->copies)
        g->copies = i;
}

/* `__radd__ = __add__` right in the class: of the functions of that name, and of nothing else. */
int is_method_alias(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    const struct symbol *s = symbol_of(g, i);
    if (kind_of(g, parent) != K_Assign || N(g, i)->field != F_value ||
        !is_in_field(g, parent, K_ClassDef, F_body) || !s || s->kinds != BINDS(BIND_FUNCTION))
        return 0;
    FOR_CHILDREN (g, c, parent) {
        if (c == i)
            continue;
        const struct dunder_row *row =
            kind_of(g, c) == K_Name ? NAME(g, N(g, c)->name)->dunder : NULL;
        if (!row || !(row->flags & DUNDER_DEFINE) || row->flags & DUNDER_STATIC)
            return 0;
    }
    return 1;
}

/* What a view of a dict may be used for: its `.mapping` gives the dict away. */
static int is_view_read(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    enum kind kind = kind_of(g, parent);
    if (kind == K_For || kind == K_AsyncFor || kind == K_comprehension)
        return N(g, i)->field == F_iter;
    if (!is_in_field(g, i, K_Call, F_args))
        return 0;
    uint32_t func = first_child(g, parent);
    enum builtin what = builtin_sure(g, func);
    if (what == BUILTIN_CLASS) { /* these iterate; others keep what they get */
        const char *name = NAME(g, N(g, func)->name)->text;
        return strcmp(name, "enumerate") == 0 || strcmp(name, "zip") == 0 ||
               strcmp(name, "map") == 0 || strcmp(name, "filter") == 0;
    }
    if (what == BUILTIN_PLAIN) /* of two, as in divmod(), the other is asked as well */
        return count_of(g, parent, F_args) == 1;
    return what == BUILTIN_SELF_MATCH || what == BUILTIN_PRINT;
}

/* Methods of dicts and lists that read. */
static int is_reading_method(const struct gate *g, uint32_t i)
{
    static const struct {
        const char *name;
        int view;
    } methods[] = {{"get", 0},   {"index", 0}, {"count", 0},
                   {"items", 1}, {"keys", 1},  {"values", 1}};
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) != K_Attribute || !is_in_field(g, parent, K_Call, F_func))
        return 0;
    for (size_t k = 0; k < ARRAY_LEN(methods); k++)
        if (is_same(NAME(g, N(g, parent)->name)->text, methods[k].name))
            return !methods[k].view || is_view_read(g, N(g, parent)->parent);
    return 0;
}

int is_reading(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Subscript:
        return N(g, i)->field == F_value && N(g, parent)->op == K_Load;
    case K_Compare:
        return N(g, parent)->op == COMPARE_IN && count_of(g, parent, F_comparators) == 1 &&
               N(g, i)->field == F_comparators;
    case K_For:
    case K_AsyncFor:
    case K_comprehension:
        return N(g, i)->field == F_iter;
    default:
        return is_reading_method(g, i);
    }
}

/* The `p` of `@p.setter` above a function of that name. */
static int is_of_setter(const struct gate *g, uint32_t i)
{
    uint32_t attribute = N(g, i)->parent, function = N(g, attribute)->parent;
    return kind_of(g, attribute) == K_Attribute && is_function(g, function) &&
           N(g, attribute)->field == F_decorator_list && N(g, function)->name == N(g, i)->name;
}

static void link_name(struct gate *g, uint32_t i)
{
    struct node *n = N(g, i);
    n->link = gate_scope_resolve(g, n->scope, n->name);
    if (n->link && g->scopes[n->scope].kind == SCOPE_CLASS &&
        g->symbols[n->link].scope == n->scope && !is_method_alias(g, i) && !is_of_setter(g, i))
        g->symbols[n->link].flags |= SYMBOL_LOADED_IN_CLASS;
}

/* E.get(x, i)[y] */
static int is_read_instead(const struct gate *g, uint32_t i)
{
    uint32_t call = N(g, i)->parent, func = first_child(g, call);
    return is_in_field(g, i, K_Call, F_args) && child_at(g, call, F_args, 1) == i &&
           kind_of(g, func) == K_Attribute && strcmp(NAME(g, N(g, func)->name)->text, "get") == 0 &&
           is_reading(g, call);
}

/* D[x][y], D.get(x)[y], D.get(x, D[z])[y], x in D */
static int is_reading_parts(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    switch (N(g, parent)->kind) {
    case K_Compare:
        return is_reading(g, i);
    case K_Subscript:
        return is_reading(g, i) && (is_reading(g, parent) || is_read_instead(g, parent));
    case K_Attribute:
        return IS_NAMED(g, N(g, parent)->name, "get") && is_reading(g, i) &&
               is_reading(g, N(g, parent)->parent);
    default:
        return 0;
    }
}

static void note_load(struct gate *g, uint32_t i)
{
    struct symbol *s = symbol_of(g, i);
    note_exports(g, i);
    if (!s)
        return;
    if (!is_reading(g, i))
        s->flags |= SYMBOL_ESCAPES;
    if (!is_reading_parts(g, i))
        s->flags |= SYMBOL_PARTS_ESCAPE;
    uint32_t parent = N(g, i)->parent;
    if (kind_of(g, parent) != K_Attribute || !is_load(g, parent))
        s->flags |= SYMBOL_KEPT | SYMBOL_NOT_JUST_NAMED;
    else if (!is_name_dunder(NAME(g, N(g, parent)->name)))
        s->flags |= SYMBOL_NOT_JUST_NAMED;
    if (!is_in_field(g, i, K_Call, F_func))
        s->flags |= SYMBOL_TAKEN;
}

/* Decorators that make a function; of what is bound otherwise, @classmethod binds the class. */
static int makes_function(const char *name)
{
    static const char *const names[] = {
        "abstractmethod", "asynccontextmanager", "cache",    "contextmanager",
        "final",          "lru_cache",           "overload", "override",
        "wraps"};
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        if (strcmp(names[k], name) == 0)
            return 1;
    return 0;
}

/* @classmethod right above a function, or above what the standard library makes of one. */
static int is_plain_classmethod(const struct gate *g, uint32_t i)
{
    uint32_t parent = N(g, i)->parent;
    if (is_in_field(g, i, K_Call, F_func)) {
        uint32_t arg = child_of(g, parent, F_args);
        const struct bind *b = arg ? only_bind(g, symbol_of(g, arg)) : NULL;
        return arg && (kind_of(g, arg) == K_Lambda ||
                       (b && b->kind == BIND_FUNCTION && !child_of(g, b->node, F_decorator_list)));
    }
    if (!is_function(g, parent) || N(g, i)->field != F_decorator_list)
        return 0;
    for (uint32_t c = N(g, i)->end; N(g, c)->field == F_decorator_list; c = N(g, c)->end) {
        uint32_t decorator = kind_of(g, c) == K_Call ? first_child(g, c) : c;
        const struct export_name *row = export_sure(g, decorator);
        if (!row || !makes_function(row->name) || !may_go_on(g))
            return 0;
    }
    return 1;
}

static void note_builtin(struct gate *g, uint32_t i)
{
    if (builtin_what(g, i) != BUILTIN_CLASSMETHOD)
        return;
    g->odd_classmethods |= !is_plain_classmethod(g, i);
    g->free_classmethod |= N(g, i)->field != F_decorator_list;
}

/* ---- attributes ----------------------------------------------------------------------- */

static void note_use(struct gate *g, uint32_t id, int arguments)
{
    struct name *name = NAME(g, id);
    g->default_called |= arguments == USES_UNBOUND && IS_NAMED(g, id, "default");
    if (id && arguments > name->max_args)
        name->max_args = (int16_t)(arguments < USES_UNBOUND ? arguments : USES_UNBOUND);
}

int is_encoder_class(const struct gate *g, uint32_t class)
{
    const struct export_name *row = class && count_of(g, class, F_bases) == 1
                                        ? export_sure(g, child_of(g, class, F_bases))
                                        : NULL;
    return row && strcmp(row->name, "JSONEncoder") == 0;
}

/* super().default(o) right below json.JSONEncoder, json.JSONEncoder.default(self, o) */
static int is_of_encoder(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i);
    const struct export_name *row = export_sure(g, base);
    if (!is_in_field(g, i, K_Call, F_func))
        return 0;
    if (row)
        return strcmp(row->name, "JSONEncoder") == 0;
    return kind_of(g, base) == K_Call && builtin_sure(g, base + 1) == BUILTIN_SUPER &&
           count_of(g, base, F_args) == 0 &&
           is_encoder_class(g, class_of_method(g, function_around(g, i)));
}

/* Values that are no classes of the source, nor their instances: text, dicts, input_data. */
static int is_plain_value(const struct gate *g, uint32_t i)
{
    const struct bind *b = only_bind(g, symbol_of(g, i));
    switch (N(g, i)->kind) {
    case K_Constant:
    case K_JoinedStr:
    case K_Dict:
    case K_List:
        return 1;
    case K_Attribute:
        return !g->odd_dicts && IS_NAMED(g, N(g, i)->name, "__dict__");
    default:
        return (b && b->kind == BIND_BEFORE) || (module_of(g, i, NULL) && b);
    }
}

/* A number, a list, a dict: no class, and nothing that has methods of a class's instance. */
static int is_no_object(const struct gate *g, uint32_t i)
{
    enum kind kind = kind_of(g, i);
    return kind == K_List || kind == K_Dict || (kind == K_Constant && !string_of(g, i));
}

/* How many arguments a call of a method has, one of which could be meant as `self`. */
static int arguments_of(const struct gate *g, uint32_t call)
{
    struct call_shape shape = call_shape(g, call);
    uint32_t first = child_of(g, call, F_args);
    int count = (int)(shape.positional + shape.keywords);
    if (shape.starred)
        return USES_UNBOUND;
    FOR_CHILDREN (g, c, call)
        if (N(g, c)->field == F_keywords && NAME(g, N(g, c)->name)->is_self)
            return count;
    return !first || is_no_object(g, first) ? 0 : count;
}

/* super().__set__(obj, value) in a `__set__`, with the object that it was given itself. */
static int hands_owner_on(const struct gate *g, uint32_t i)
{
    uint32_t base = first_child(g, i), function = function_around(g, i);
    uint32_t arg = is_in_field(g, i, K_Call, F_func) ? child_of(g, N(g, i)->parent, F_args) : 0;
    const struct bind *b = arg ? only_bind(g, symbol_of(g, arg)) : NULL;
    if (!b || b->kind != BIND_PARAMETER || !class_of_method(g, function) ||
        N(g, function)->name != N(g, i)->name || kind_of(g, base) != K_Call ||
        builtin_sure(g, first_child(g, base)) != BUILTIN_SUPER)
        return 0;
    uint32_t arguments = N(g, b->node)->parent;
    return N(g, arguments)->parent == function && child_at(g, arguments, F_args, 1) == b->node;
}

static void note_attribute(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    note_exports(g, i);
    if (n->op != K_Load)
        NAME(g, n->name)->defined = NAME(g, n->name)->may_be_set = 1;
    NAME(g, n->name)->kept |= !is_reading(g, i);
    NAME(g, n->name)->parts_kept |= !is_reading_parts(g, i);
    g->dict_replaced |= n->op != K_Load && IS_NAMED(g, n->name, "__dict__");
    if (n->op != K_Load && !is_in_field(g, i, K_AugAssign, F_target))
        return;
    g->default_called |= IS_NAMED(g, n->name, "default") && !is_of_encoder(g, i);
    if (is_plain_value(g, first_child(g, i)) ||
        (NAME(g, n->name)->dunder && is_of_descriptor(NAME(g, n->name)->text) &&
         hands_owner_on(g, i)))
        return;
    note_use(g, n->name,
             is_in_field(g, i, K_Call, F_func) ? arguments_of(g, n->parent) : USES_UNBOUND);
}

static void note_text_part(struct gate *g, const char *text, size_t len)
{
    gate_note_reading(g, text, len, 0);
    g->args_by_prefix |= len == 4 && memcmp(text, "args", len) == 0;
    uint32_t id = gate_name_find_text(g, text, len);
    if (id) {
        note_use(g, id, USES_UNBOUND);
        NAME(g, id)->may_be_set = 1;
    }
}

#define NAME_IN_TEXT_MAX 200 /* longer strings name nothing, but for paths of attrgetter */

/* Words and dots; prose ends at its first blank. */
static int is_path(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] > 0 && text[i] != '.' && text[i] != '_' && !isalnum((unsigned char)text[i]))
            return 0;
    return 1;
}

/* A string may name an attribute: getattr, attrgetter, methodcaller. */
static void note_text(struct gate *g, uint32_t i)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(N(g, i)->value, &len);
    if (!text)
        PyErr_Clear();
    if (!text || len == 0 || (len > NAME_IN_TEXT_MAX && !is_path(text, (size_t)len)))
        return;
    for (const char *part = text;;) {
        const char *dot = memchr(part, '.', (size_t)(text + len - part));
        note_text_part(g, part, (size_t)((dot ? dot : text + len) - part));
        if (!dot)
            return;
        part = dot + 1;
    }
}

static void note_name_text(struct gate *g, uint32_t i, unsigned depth);

/* Those that the name may be bound to. One that is bound to itself is being noted already. */
static void note_values_text(struct gate *g, struct symbol *s, unsigned depth)
{
    if (s->flags & SYMBOL_NOTING)
        return;
    s->flags |= SYMBOL_NOTING;
    for (uint32_t b = s->first; b && may_go_on(g); b = g->binds[b].next) {
        uint32_t value = value_assigned(g, &g->binds[b]);
        if (value && kind_of(g, value) != K_Name)
            note_name_text(g, value, depth);
    }
    s->flags &= ~(uint32_t)SYMBOL_NOTING;
}

/* The name of an attribute, as text: any that begins so, or whatever there is. */
static void note_name_text(struct gate *g, uint32_t i, unsigned depth)
{
    size_t len = 0;
    struct symbol *s = symbol_of(g, i);
    if (depth >= GATE_DEPTH_MAX) {
        *g->steps = g->steps_max + 1; /* too involved, as code that takes too many steps is */
        return;
    }
    if (s)
        note_values_text(g, s, depth + 1);
    if (kind_of(g, i) == K_IfExp) {
        note_name_text(g, child_of(g, i, F_body), depth + 1);
        note_name_text(g, child_of(g, i, F_orelse), depth + 1);
        return;
    }
    if (kind_of(g, i) == K_Constant)
        return; /* strings are noted where they stand */
    const char *text = gate_prefix_of(g, i, &len);
    if (kind_of(g, i) == K_Name && len == 0)
        return;
    g->prefixed |= len == 0;
    gate_note_reading(g, text, len, len > 0);
    g->args_by_prefix |= len > 0 && strncmp("args", text, len) == 0;
    int kept = kind_of(g, i) == K_Attribute;
    if (kept) { /* self.name, which may be "_" + name: gate_owner.c */
        text = "_";
        len = 1;
    }
    for (uint32_t id = 1; len > 0 && id < g->name_count && may_go_on(g); id++)
        if (strncmp(NAME(g, id)->text, text, len) == 0 &&
            !(kept && (NAME(g, id)->attr == ATTR_DUNDER || id == N(g, i)->name))) {
            note_use(g, id, USES_UNBOUND);
            NAME(g, id)->may_be_set = NAME(g, id)->is_prefixed = 1;
        }
}

/* type("C", (), {"__eq__": f}): the class has what the dict says, as if it stood there. */
static void note_made_names(struct gate *g, uint32_t call)
{
    uint32_t body = child_at(g, call, F_args, 2);
    if (!body || kind_of(g, body) != K_Dict)
        return;
    FOR_CHILDREN (g, c, body) {
        PyObject *text = N(g, c)->field == F_keys ? string_of(g, c) : NULL;
        uint32_t id = text ? gate_name_id(g, text) : 0;
        if (id)
            NAME(g, id)->defined = 1;
        if (id && strcmp(NAME(g, id)->text, "__getattr__") == 0 && !g->open_getattr)
            g->open_getattr = call;
        PyErr_Clear(); /* half a character is no name; memory will be missed elsewhere */
    }
}

static void note_call(struct gate *g, uint32_t i)
{
    enum builtin what = builtin_what(g, first_child(g, i));
    uint32_t exports = exports_of(g, first_child(g, i));
    if (exports & (EXPORTS(EXPORT_ATTRGETTER) | EXPORTS(EXPORT_METHODCALLER)))
        FOR_CHILDREN (g, c, i)
            if (N(g, c)->field == F_args)
                note_name_text(g, c, 0);
    if (exports & EXPORTS(EXPORT_COPYING) && call_shape(g, i).starred && !g->named_writes)
        g->named_writes = i; /* replace(SimpleNamespace(), **names) */
    if (what == BUILTIN_TYPE) {
        note_made_names(g, i);
        g->bases_meet |= count_of(g, i, F_args) > 1;
    }
    uint32_t func = first_child(g, i);
    int sets = what == BUILTIN_SETATTR || /* or object.__setattr__() */
               (kind_of(g, func) == K_Attribute &&
                strcmp(NAME(g, N(g, func)->name)->text, "__setattr__") == 0);
    if (what != BUILTIN_GETATTR && !sets)
        return;
    uint32_t name = child_at(g, i, F_args, 1);
    if (name)
        note_name_text(g, name, 0);
    /* Names that are set by text count as defined by the source. */
    PyObject *text = sets && name ? string_of(g, name) : NULL;
    uint32_t id = text ? gate_name_find(g, text) : 0;
    if (id)
        NAME(g, id)->defined = NAME(g, id)->stored_elsewhere = 1;
}

/* ---- the passes -------------------------------------------------------------------------- */

/*
 * `run: object` in a dataclass below a class that has a method run: that function is what a field has
 * for its default, and getattr(C, f.name) takes it from any class.
 */
/* What an annotated name of a class has there is its default: a NamedTuple's is found without a name. */
static void note_field(struct gate *g, uint32_t i)
{
    const struct name *name = NAME(g, N(g, i)->name);
    uint32_t s = gate_scope_find(g, N(g, i)->scope, N(g, i)->name);
    int is_method = s && g->symbols[s].kinds & (BINDS(BIND_FUNCTION) | BINDS(BIND_CLASS));
    const char *inner = name->text[0] == '_' ? strstr(name->text + 1, "__") : NULL; /* _B__run */
    uint32_t mangled = inner ? gate_name_find_text(g, inner, strlen(inner)) : 0;
    if (!is_in_field(g, i, K_AnnAssign, F_target) ||
        (!is_method && !gate_module_in_use(g, "dataclasses")))
        return;
    note_use(g, N(g, i)->name, USES_UNBOUND);
    NAME(g, N(g, i)->name)->is_field = 1;
    if (mangled) {
        note_use(g, mangled, USES_UNBOUND);
        NAME(g, mangled)->is_field = 1;
    }
}

static void note_node(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    switch (n->kind) {
    case K_Name:
        if (n->op == K_Load) {
            note_load(g, i);
            note_builtin(g, i);
        } else if (g->scopes[n->scope].kind == SCOPE_CLASS) {
            note_field(g, i);
        }
        break;
    case K_Attribute:
        note_attribute(g, i);
        break;
    case K_Constant:
        if (string_of(g, i))
            note_text(g, i);
        break;
    case K_keyword:
        NAME(g, n->name)->is_keyword = n->name != 0;
        break;
    case K_IDENT:
        if (n->field == F_kwd_attrs) {
            note_use(g, n->name, USES_UNBOUND);
            NAME(g, n->name)->kept = NAME(g, n->name)->parts_kept = 1;
        }
        break;
    case K_MatchClass:
        g->class_patterns |= child_of(g, i, F_patterns) &&
                             builtin_sure(g, child_of(g, i, F_cls)) != BUILTIN_SELF_MATCH;
        break;
    case K_ClassDef:
        g->bases_meet |= count_of(g, i, F_bases) > 1;
        break;
    case K_Call:
        note_call(g, i);
        break;
    case K_alias:
        if (strcmp(NAME(g, n->name)->text, "annotations") == 0 &&
            strcmp(NAME(g, N(g, n->parent)->name)->text, "__future__") == 0)
            g->future_annotations = 1;
        break;
    default:
        break;
    }
}

static int is_word(PyObject *str)
{
    for (Py_ssize_t i = 0; i < PyUnicode_GetLength(str); i++) {
        Py_UCS4 c = PyUnicode_ReadChar(str, i);
        if (c != '_' && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z'))
            return 0;
    }
    return 1;
}

/* x.name = "text", with a text that is harmless as a name. */
static int is_tame_write(const struct gate *g, uint32_t i)
{
    uint32_t statement = N(g, i)->parent;
    uint32_t value = kind_of(g, statement) == K_Assign ? child_of(g, statement, F_value) : 0;
    PyObject *text = value ? string_of(g, value) : NULL;
    return text && is_word(text) && is_tame_attr_text(g, text);
}

/* Once `self` can be told: attributes that are set on anything else. */
static void note_store(struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    if (n->kind != K_Attribute || n->op == K_Load || is_genuine_self(g, first_child(g, i), NULL))
        return;
    NAME(g, n->name)->stored_elsewhere = 1;
    if (!g->name_writes && strcmp(NAME(g, n->name)->text, "name") == 0 && !is_tame_write(g, i))
        g->name_writes = i;
}

/* Strings in `__slots__` define names too. */
static int note_slots(struct gate *g, uint32_t i)
{
    PyObject *text = string_of(g, i);
    if (!text || g->scopes[N(g, i)->scope].kind != SCOPE_CLASS)
        return 0;
    int private = PyUnicode_GetLength(text) > 1 && PyUnicode_ReadChar(text, 0) == '_';
    uint32_t id = private ? gate_name_id(g, text) : gate_name_find(g, text);
    if (!id && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_UnicodeError))
        PyErr_Clear(); /* a lone surrogate: no name */
    if (id && private)
        id = gate_name_mangled(g, N(g, i)->scope, id);
    if (id)
        NAME(g, id)->defined = 1;
    return PyErr_Occurred() ? -1 : 0;
}

/* `x.name` of it is no function: @property, @cached_property, @name.setter. */
static int is_property(const struct gate *g, uint32_t function)
{
    uint32_t first = child_of(g, function, F_decorator_list);
    const struct export_name *row = first ? export_sure(g, first) : NULL;
    const char *name =
        first && kind_of(g, first) == K_Attribute ? NAME(g, N(g, first)->name)->text : "";
    return first && (builtin_sure(g, first) == BUILTIN_PROPERTY || strcmp(name, "setter") == 0 ||
                     (row && strcmp(row->name, "cached_property") == 0));
}

int gate_facts_collect(struct gate *g)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (is_in_field(g, i, K_AugAssign, F_target) && kind_of(g, i) == K_Name)
            N(g, i)->op = K_Load; /* it is bound; from here on it is read */
        if (N(g, i)->kind == K_Name && N(g, i)->op == K_Load)
            link_name(g, i);
        g->double_starred |= is_in_field(g, i, K_Call, F_keywords) && !N(g, i)->name;
        const struct symbol *self =
            is_function(g, i) && class_of_method(g, i) ? first_parameter(g, i) : NULL;
        if (self)
            NAME(g, self->name)->is_self = 1;
    }
    gate_dicts_collect(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        note_node(g, i);
        if (is_function(g, i) && class_of_method(g, i) && !is_property(g, i))
            NAME(g, N(g, i)->name)->is_method = 1;
    }
    gate_fields_collect(g);
    gate_mark_evaluated(g);
    if (class_facts_collect(g) < 0)
        return -1;
    gate_mixed_collect(g);
    gate_package_classes(g);
    gate_roam_collect(g);
    for (uint32_t s = 1; s < g->symbol_count;
         s++) /* what was asked before the classes' ways were known */
        g->symbols[s].flags &= ~(unsigned)(SYMBOL_SELF_KNOWN | SYMBOL_SELF_GENUINE);
    gate_fields_judge(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        note_store(g, i);
        if (kind_of(g, i) == K_Call || g->hooked_copies)
            note_copied_names(g, i);
        if (N(g, i)->kind == K_Constant && note_slots(g, i) < 0)
            return -1;
    }
    return 0;
}
