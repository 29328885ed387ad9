/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_int: what the files of the gate share; nobody else includes it.
 *
 *   gate_state.h    what is known of one source
 *   gate.c          the entry: text, parse, tree, passes
 *   gate_text.c     the source as characters        gate_report.c   warnings and places
 *   gate_hidden.c   those that cannot be seen
 *   gate_spec.c     the node types, as data         gate_tree.c     ast objects -> an array
 *   gate_tables.[ch] builtins, attributes, dunders   gate_names.c    names, each judged once
 *   gate_scope.c    bindings, as Python scopes them gate_facts.c    what holds for the whole source
 *   gate_query.c    questions about nodes           gate_class.c    what is known of classes
 *   gate_field.c    where fields of dataclasses are
 *   gate_library.c  what the library would do for the code
 *   gate_size.c     what the compiler takes too long for; gate_constants.c among it
 *   gate_self.c     when `self` is what it says    gate_type.c     type expressions
 *   gate_walk.c     each node once, to its rules; then gate_use.c (names that are loaded),
 *                   gate_attr.c, gate_dunder.c, gate_dict.c, gate_class_use.c, gate_call.c, gate_text_names.c (names in
 *                   strings), gate_format.c, gate_import.c, gate_def.c, gate_dispatch.c, gate_pattern.c
 *   gate_absent.c   what is said of names that are nowhere
 *   gate_copy.c     what copying gives away         gate_roam.c    classes in other hands
 *   gate_called.c   what the library calls, with library_calls.c
 *   gate_shown.c    values that become text where they stand
 *   gate_choice.c   a text that is one of several   gate_owner.c    names that classes give
 *   gate_private.c  private names that the library has too; gate_tested.c what a test told
 *   gate_package*.c third-party packages             gate_package_shape.c  and calls into them
 *
 * The tree is an array in pre-order: a node's descendants are the nodes between it and its
 * `end`, its first child is the next one, a child's next sibling is where the child ends.
 * All passes are loops over the array; nothing recurses on the depth of the source.
 *
 * Functions returning int return 0, or -1 with an exception set (memory), unless they answer
 * a question; those never fail, and "no" is the answer that leads to a warning.
 */
#ifndef CORDON_WORKER_GATE_INT_H
#define CORDON_WORKER_GATE_INT_H

#include "gate_state.h"

/* ---- what each file answers ---------------------------------------------------------------- */

/* gate_names.c */
int gate_names_open(struct gate *g);
/* The id of a str: compared after NFKC. 0 with an exception set. */
uint32_t gate_name_id(struct gate *g, PyObject *str);
/* The id of a name that the source holds already, or 0. */
uint32_t gate_name_find(const struct gate *g, PyObject *str);
uint32_t gate_name_find_text(const struct gate *g, const char *text, size_t len);
/* What Python makes of `__x` within a class: `_Class__x`. 0 with an exception set. */
uint32_t gate_name_mangled(struct gate *g, uint32_t scope, uint32_t id);
/* One number of two, which nobody can foresee: a hash whose collisions cannot be made. */
uint64_t gate_mixed(uint64_t a, uint64_t b);
int gate_names_check(struct gate *g); /* scripts, invisible characters */
int gate_reads_otherwise(Py_UCS4 c);  /* than it looks, in a name */

/* gate_tree.c: 0, -1, or 1: a cap was hit and warned of. */
int gate_tree_open(struct gate *g, PyObject *tree);
int gate_grow(void **array, uint32_t *room, uint32_t count, size_t size);

/* gate_scope.c */
int gate_scope_bind(struct gate *g);
uint32_t gate_scope_find(const struct gate *g, uint32_t scope,
                         uint32_t name); /* in that very scope */
uint32_t gate_scope_resolve(const struct gate *g, uint32_t scope, uint32_t name);
int gate_table_put(struct table *t, uint64_t key, uint32_t value);
uint32_t gate_table_get(const struct table *t, uint64_t key);
void gate_module_used(struct gate *g, const struct export_module *module);
int gate_module_in_use(const struct gate *g, const char *module);

/* gate_size.c: what Python's compiler would take too long for. */
int gate_size_check(struct gate *g);
int gate_constants_check(struct gate *g); /* gate_constants.c */

/* gate_facts.c */
int gate_facts_collect(struct gate *g);

/* gate_report.c */
int gate_warn(struct gate *g, enum rule_id rule, uint32_t node, const char *fmt, ...);
int gate_warn_at(struct gate *g, enum rule_id rule, long line, long column, long end_line,
                 long end_column, const char *fmt, ...);
int gate_report_close(struct gate *g);
/* The place of a byte of the source. */
void gate_place(struct gate *g, size_t offset, long *ret_line, long *ret_column);

/* gate_text.c. 0, -1, or 1: warned, and it cannot be parsed. */
int gate_text_check(struct gate *g);

/* gate_dense.c: what Python's parser would take too long for. As gate_text_check(). */
int gate_dense_check(struct gate *g);
/* An ASCII letter, digit or underscore. */
int gate_is_of_word(char c);
/* The end of the string that begins at `at` with a quote. */
size_t gate_string_end(const struct gate *g, size_t at);

/* ---- gate_hidden.c: nothing is shown for that character ----------------------------------- */

int gate_is_hidden(uint32_t c);
/* How many bytes of the text at a hidden character are what it takes to write something. */
size_t gate_hidden_needed(const char *text, size_t len, size_t at);
/* The character that begins there, and its bytes. 0 when it is cut off. */
uint32_t gate_char_at(const char *text, size_t len, size_t *ret_size);

/* ---- gate_query.c ---------------------------------------------------------------------------------- */

static inline uint32_t first_child(const struct gate *g, uint32_t i)
{
    return i + 1 < N(g, i)->end ? i + 1 : 0;
}
static inline uint32_t next_child(const struct gate *g, uint32_t i, uint32_t child)
{
    uint32_t next = N(g, child)->end;
    return next < N(g, i)->end ? next : 0;
}
/*
 * Counts a step of a loop that answers a question. Hostile source could make the same long
 * list be looked at again and again: beyond a limit that is linear in the source the loops
 * break off, and the code gets a warning whatever they answered.
 */
static inline int may_go_on(const struct gate *g)
{
    return ++*g->steps <= g->steps_max;
}
#define FOR_CHILDREN(g, child, i)                                                                  \
    for (uint32_t child = first_child(g, i); child && may_go_on(g); child = next_child(g, i, child))

static inline enum kind kind_of(const struct gate *g, uint32_t i)
{
    return (enum kind)N(g, i)->kind;
}
/* The first child in that field, or 0. */
uint32_t child_of(const struct gate *g, uint32_t i, enum field field);
uint32_t child_at(const struct gate *g, uint32_t i, enum field field, unsigned at);
unsigned count_of(const struct gate *g, uint32_t i, enum field field);
/* The child of `ancestor` that holds node i. */
uint32_t branch_of(const struct gate *g, uint32_t ancestor, uint32_t i);
static inline int is_in_field(const struct gate *g, uint32_t i, enum kind parent, enum field field)
{
    return N(g, i)->field == field && kind_of(g, N(g, i)->parent) == parent;
}
static inline int is_function(const struct gate *g, uint32_t i)
{
    return kind_of(g, i) == K_FunctionDef || kind_of(g, i) == K_AsyncFunctionDef;
}
static inline int is_load(const struct gate *g, uint32_t i)
{
    return N(g, i)->op == K_Load;
}
int is_none(const struct gate *g, uint32_t i);
PyObject *string_of(const struct gate *g, uint32_t i); /* borrowed; NULL: no string constant */

struct call_shape {
    unsigned positional, keywords;
    int starred; /* *x or **x among them */
};
struct call_shape call_shape(const struct gate *g, uint32_t call);
/* The keyword argument's value, or 0. */
uint32_t keyword_of(const struct gate *g, uint32_t call, const char *name);
int keywords_within(const struct gate *g, uint32_t call, const char *const *allowed);

/* The symbol of a loaded Name, or NULL. */
static inline struct symbol *symbol_of(const struct gate *g, uint32_t i)
{
    const struct node *n = N(g, i);
    return n->kind == K_Name && n->op == K_Load && n->link ? &g->symbols[n->link] : NULL;
}
/* The only binding of that symbol, if there is but one, else NULL. */
const struct bind *only_bind(const struct gate *g, const struct symbol *s);
/* What builtin a loaded Name can be: BUILTIN_NONE when the source's own binding is certain. */
const struct builtin_row *builtin_of(const struct gate *g, uint32_t i);
enum builtin builtin_what(const struct gate *g, uint32_t i);
/* The builtin it surely is. */
enum builtin builtin_sure(const struct gate *g, uint32_t i);
/* The modules it may be: the first one, and whether it may be something else as well. */
const struct export_module *module_of(const struct gate *g, uint32_t i, int *ret_mixed);
/* EXPORTS() that it may be. */
uint32_t exports_of(const struct gate *g, uint32_t i);
/* The export it surely is, with its module's name, or NULL. */
const struct export_name *export_sure(const struct gate *g, uint32_t i);
/* Whether it may be the export of that name, by whatever name the source calls it. */
int may_be_export(const struct gate *g, uint32_t i, const char *name);
/* The export whose attribute is set: E.x, E[int].x, which sets it on E, or an alias of them. */
const struct export_name *owner_of_attribute(const struct gate *g, uint32_t i);
/* The class definition that a loaded Name surely is, or 0. */
uint32_t class_sure(const struct gate *g, uint32_t i);
/* Whether the decorators of a class hand it back. */
int is_tame_decorator(const struct gate *g, uint32_t i);
/* A decorator of the source gets it, and may keep it whatever it hands back. */
int is_shown_to_code(const struct gate *g, uint32_t class);
int stays_class(const struct gate *g, uint32_t class);
/* In the body of `if TYPE_CHECKING:`. */
int is_never_run(const struct gate *g, uint32_t i);
/* Whether a loaded Name is surely bound when it is loaded, by the source. */
int is_bound_before(const struct gate *g, const struct symbol *s, uint32_t i);
/* The function or lambda or class around node i, or 0. */
uint32_t function_around(const struct gate *g, uint32_t i);
/* The class whose method the function is, or 0. */
uint32_t class_of_method(const struct gate *g, uint32_t function);
/* The symbol of a function's first positional parameter, or NULL. */
struct symbol *first_parameter(const struct gate *g, uint32_t function);
/* The parameter that gets a positional argument, perhaps `*args`; or 0. */
uint32_t parameter_at(const struct gate *g, uint32_t function, unsigned at);
/* At which place a method of that name gets a class, or 0. */
unsigned gets_class_at(const char *name);
/* Whether a class of the source may come back as a value, without being passed on by name. */
int gate_hands_out_classes(const struct gate *g);
/* Whether the function can only run as a method of an instance of a class of the source. */
int is_only_method(const struct gate *g, uint32_t function);
/* Whether its class has the function under a second name. */
int is_method_aliased(const struct gate *g, uint32_t function);
/* A loaded Name that is surely an instance of a class of the source. *ret_class: that class. */
int is_genuine_self(const struct gate *g, uint32_t i, uint32_t *ret_class);
/* Part of a type expression, of which no code of the source gets to see the parts. */
int is_in_type(const struct gate *g, uint32_t i);
/* The same of an annotation that nothing hands out as a value: neither fields() nor a registry. */
int is_unseen_type(const struct gate *g, uint32_t i);
/* What X[Y] does is known, and only makes a type: a class, not one that decides itself. */
int is_type_maker(const struct gate *g, uint32_t i);
/* Objects of the source may pass for the key of another in a dict, and get to see that key. */
int compares_as_it_likes(const struct gate *g);
/* A class of the source that surely is one. */
int is_real_class(const struct gate *g, uint32_t i);
/* Whether any class of the source says what C[x] is. */
int decides_subscripts(const struct gate *g);
/* gate_tested.c: the plain class of the source that isinstance() has said it is of, or 0. */
uint32_t class_tested(const struct gate *g, uint32_t i);
/* What startswith() has told of it, the variable of that loop, in the round that runs; or NULL. */
PyObject *text_tested(const struct gate *g, uint32_t i, uint32_t loop);
/* What stands in scope `inner` runs where it stands: no function, generator or class between. */
int runs_in(const struct gate *g, uint32_t inner, uint32_t outer);
/* An instance of a class of the source that makes nothing else, or a name for one. */
int is_own_value(const struct gate *g, uint32_t i);
/* The value that a name is bound to, where that is its only binding, or 0. */
uint32_t only_value(const struct gate *g, const struct symbol *s);
/* `__radd__ = __add__` in a class: a method under a second name that operators call. */
int is_method_alias(const struct gate *g, uint32_t i);
/* A class right below json.JSONEncoder. */
int is_encoder_class(const struct gate *g, uint32_t class);
/* A load that can neither change what the expression holds nor pass it on. */
int is_reading(const struct gate *g, uint32_t i);
/* An argument of a function that reads a dict: dict(x), json.dumps(x). */
int is_read_by_call(const struct gate *g, uint32_t i);
/* Whether it is a class for sure: a builtin one, one of the source, type(x), x.__class__. */
int is_class_like(const struct gate *g, uint32_t i);

/* ---- gate_field.c ----------------------------------------------------------------------------------- */

/* A field has a name by which nothing of others may be read; or be set; or of its own objects. */
enum { FIELD_READS = 1, FIELD_SETS = 2, FIELD_OF_OTHERS = 4 };
/* Whether dataclass() gets nothing but a class there. */
int is_dataclass_use(const struct gate *g, uint32_t i);
/* Whether getattr(object, f.name), or setattr(), is harmless for f in that fields(x). */
int is_tame_field_use(const struct gate *g, uint32_t object, uint32_t fields, int sets);
void gate_fields_collect(struct gate *g);
/* Once it is known what is in use. */
void gate_fields_judge(struct gate *g);
int gate_fields_check(struct gate *g);

/* ---- gate_class.c ----------------------------------------------------------------------------------- */

/* CLASS_* of a class definition. */
unsigned class_facts_known(const struct gate *g, uint32_t class_node);
/* An Enum, or what one derives from. */
int is_enum_class(const struct gate *g, uint32_t class_node);
/* Whether a member of the class is surely made in its body. */
int enum_has_members(const struct gate *g, uint32_t class_node);
/* Parameters that get the class of an Enum which may have no members yet. */
void restrict_in_enums(struct gate *g);
int class_facts_collect(struct gate *g);

/* gate_absent.c: that nothing binds the name; that a module's table does not have it. */
int warn_unbound(struct gate *g, uint32_t i);
int warn_no_export(struct gate *g, enum rule_id rule, uint32_t i,
                   const struct export_module *module, const char *name);

/* ---- the rules: each judges one node ------------------------------------------------------------------ */

int gate_walk(struct gate *g);
int check_name_load(struct gate *g, uint32_t i);
/* What a class may be used for that must not be called with names in text. */
int is_class_context(const struct gate *g, uint32_t i);
int check_restricted(struct gate *g, uint32_t i, uint32_t exports);
int check_attribute(struct gate *g, uint32_t i);
int check_dunder_attribute(struct gate *g, uint32_t i);
int check_call(struct gate *g, uint32_t i);
int check_type_call(struct gate *g, uint32_t i);
int check_import(struct gate *g, uint32_t i);
int check_import_from(struct gate *g, uint32_t i);
int check_function(struct gate *g, uint32_t i);
int check_class(struct gate *g, uint32_t i);
int check_name_store(struct gate *g, uint32_t i);
int check_class_pattern(struct gate *g, uint32_t i);
/* Which annotations singledispatch evaluates, once it is known to be in use. */
void gate_mark_evaluated(struct gate *g);
int is_import_hint(const char *name);
int warn_import_hint(struct gate *g, uint32_t i);
int check_keyword_name(struct gate *g, uint32_t i);
int check_import_error(struct gate *g, uint32_t i);
/* Of a function in a class (value: 0), or of a name that is assigned in one. */
int check_signature(struct gate *g, uint32_t i, uint32_t value);
int makes_instances(const char *name);
int is_signature_text(PyObject *str);
int check_docstring(struct gate *g, uint32_t class);
/* A function that may be `__new__`; a function or a stored Name. */
int check_new(struct gate *g, uint32_t function);
int check_ratio(struct gate *g, uint32_t i);
int has_plain_signature(const struct gate *g, uint32_t value);
int check_class_value(struct gate *g, uint32_t i, uint32_t object);
/* What singledispatch looks classes up by: its name, and where that is set, or taken. */
int names_dispatcher(const struct gate *g, const char *text);
int is_dispatch_part(const struct gate *g, uint32_t i);
/* The name of a method of singledispatch that must not be taken unseen. */
int is_dispatch_word(const struct gate *g, const char *text);
int check_register(struct gate *g, uint32_t i);
int check_annotation(struct gate *g, uint32_t i);

int check_format_attribute(struct gate *g, uint32_t i);
int is_json_dump(const struct gate *g, uint32_t i);
int is_tame_proxy(const struct gate *g, uint32_t i);
int gate_hands_table_out(const struct gate *g, const char *name); /* read by whatever means */
/* __get__ and kin. */
int is_of_descriptor(const char *name);
/* x.__name__ and kin. */
int is_readable_dunder(const struct gate *g, const struct dunder_row *row);
int check_object_dict(struct gate *g, uint32_t i, uint32_t object);
int check_bound_dunder(struct gate *g, uint32_t i, uint32_t name);
int check_special_call(struct gate *g, uint32_t i, uint32_t exports);
/* Why an attribute of that name is refused on anything, as a sentence's end; NULL: it is not. */
const char *refusal_of_attr(const struct gate *g, uint32_t name, enum rule_id *ret_rule);
/* A call argument or comparison that asks whether something is of a class. */
int is_instance_test(const struct gate *g, uint32_t i);
int is_truth_test(const struct gate *g, uint32_t i);
/* Compared with classes only. */
int is_tame_comparison(const struct gate *g, uint32_t i, uint32_t compare);
/* A class value that is only compared, shown or asked for its name. */
int is_tame_class_use(const struct gate *g, uint32_t i);

/* gate_shown.c: a value that only text, a number or a comparison with classes is made of. */
int is_only_shown(const struct gate *g, uint32_t i);
/* locals() of a function, the same: all names there are the code's own. */
int are_locals_shown(struct gate *g, uint32_t i);
/* C.__mro__, C.mro() and kin, of which only text or names of classes are made. */
int is_lineage_shown(const struct gate *g, uint32_t i);
int is_name_dunder(const struct name *name);

/* C() of a class of the source that makes nothing but its own instances. */
int is_own_instance(const struct gate *g, uint32_t i);

/* ---- gate_package.c: what package_rows.c says of packages, once one is in use --------------------------- */

/* Why a name of that text is refused wherever it is not called in a way that is known; or NULL. */
const char *gate_package_why(const struct gate *g, const char *name);
/* An attribute of anything, which is no module. */
int check_package_attribute(struct gate *g, uint32_t i);
/* Names of keyword arguments. */
int check_package_keywords(struct gate *g, uint32_t call);
/* A call of EXPORT_SHAPED; and whether one may stand where node i has it. */
int check_shaped_call(struct gate *g, uint32_t call);
int is_shaped_use(struct gate *g, uint32_t i);
int warn_shaped(struct gate *g, uint32_t i);
/* gate_package_shape.c: whether a call is in that way (enum package_shape); a value; a mapping. */
int is_tame_package_call(struct gate *g, uint32_t call, unsigned char shape, int method);
int is_tame_package_value(struct gate *g, uint32_t value, unsigned char shape);
int is_settings_use(const struct gate *g, uint32_t i);
/* `def __getattr__` */
int check_package_definition(struct gate *g, uint32_t function);
/* A text that may become the name of a keyword. */
int check_package_text(struct gate *g, uint32_t i);

/* gate_package_own.c: a row that is a class; surely an instance of the source's own. */
int is_package_class(const struct export_name *row);
int is_own_object(const struct gate *g, uint32_t i);
/* Once, before the walk: whether classes of the source are passed on. */
void gate_package_classes(struct gate *g);
/* df.style.format("{:.2f}") */
int is_tame_style(struct gate *g, uint32_t attribute);
/* Why a private name is refused on `base` (0: on anything), or NULL. */
const char *refusal_in_package(const struct gate *g, uint32_t name, uint32_t base);
/* A name that a class binds; a base that it has. */
int check_package_part(struct gate *g, uint32_t i, uint32_t class);
/* gate_package_base.c */
int check_package_base(struct gate *g, uint32_t base);
int check_package_number(struct gate *g, uint32_t class);

/* ---- gate_private.c: private names that the source defines as well --------------------------------------- */

/* Whether classes in use, of the library, are Enums; have a private part of that name. */
int gate_has_enums(const struct gate *g);
int gate_is_library_part(const struct gate *g, const char *name);
/* Whether a class of the source that binds the name says what the library goes by. */
int gate_names_library_part(const struct gate *g, uint32_t class, uint32_t id);
/* Whether a private name of classes that may be at hand begins so. */
int gate_library_begins(const struct gate *g, const char *prefix, size_t len);
/* Whether instances of the class hold parts of the library that no name may reach. */
int gate_has_hidden_parts(const struct gate *g, uint32_t class, unsigned depth);
/* Whether any object of the library may have that private name, whatever is in use. */
int is_private_of_library(const char *text);
/* Whether setting that private name on `base` may change an object of the library. */
int gate_keeps_private(const struct gate *g, uint32_t id, uint32_t base);
/* Annotated of Annotated[str, 1], which is str as a base. */
int gate_stands_for_another(const struct gate *g, uint32_t base);
/* A base that may be any class: no class of the source for sure, nor one of somebody else's. */
int gate_is_unknown_base(const struct gate *g, uint32_t i);
/* Marks the classes whose instances may be of the library's, too; whether one is so. */
void gate_mixed_collect(struct gate *g);
int gate_is_mixed(const struct gate *g, uint32_t class);
/* An instance or a class of the source that derives from nothing else. */
int is_own_receiver(const struct gate *g, uint32_t i);
/* The same of a text that names it. */
int gate_keeps_named(struct gate *g, uint32_t text, uint32_t base);
/* Why a private name is refused on `base` (0: on anything), or NULL. */
const char *refusal_in_library(const struct gate *g, uint32_t name, uint32_t base);

/* ---- gate_called.c, gate_roam.c: classes in other hands ------------------------------------------------------------------ */

/* Who calls them. */
enum caller {
    OF_DESCRIPTOR = 1, /* what holds a descriptor: partialmethod */
    OF_FILE = 2,       /* print(file=x), json.dump() */
    OF_GENERATOR = 4,  /* contextmanager */
    OF_JSON = 8,       /* json.dumps(cls=x) */
    OF_PATTERN = 16,   /* Template.pattern */
    OF_ROW = 32,       /* DictWriter.writerow() */
    OF_COPY = 128,     /* copy.copy() of a list */
    OF_TEXT = 64,      /* textwrap.wrap() */
};
/* Whose names the source has; who is called by that keyword. OF_* */
unsigned char gate_callers(const struct gate *g);
unsigned char gate_caller_of_keyword(const struct gate *g, uint32_t keyword);
/* Attributes by which objects of the library hand out what they were given. */
enum reading { READS_DEFAULT_FACTORY, READS_FUNC, READS_REGISTRY, READS_TYPE, READINGS };
/* Whether one is read, by a dot, a pattern or a text; not just given as a keyword. */
int gate_is_read(const struct gate *g, enum reading what);
/* A text that is one; `begins`: that one may begin with. */
void gate_note_reading(struct gate *g, const char *text, size_t len, int begins);
/* With how many arguments the library may call that method of a class of the source; or -1. */
int gate_library_calls(const struct gate *g, const char *name);
/* Whether `x.name`, taken without a call, may be a method that does something with what it gets. */
int is_library_method(const char *name);
/* A parameter that is a class which need not be the source's: of `__exit__`. */
int is_raised_class(const struct gate *g, uint32_t i);
/* With how many arguments that is called where it is passed, by whom does nothing else with it; or -1. */
int gate_called_with(const struct gate *g, uint32_t i);
/* Whether any class of the source is passed on as a value. */
void gate_roam_collect(struct gate *g);

/* ---- gate_copy.c: what copying gives away ------------------------------------------------------------------- */

/* A load of the memo of __deepcopy__; a call of deepcopy(); another use of it. */
int check_memo(struct gate *g, uint32_t i);
int check_deepcopy(struct gate *g, uint32_t call);
int is_tame_deepcopy(const struct gate *g, uint32_t i);
/* Whether the last argument, that one, is the memo. */
int passes_memo(const struct gate *g, uint32_t call, unsigned at);
/* __deepcopy__ and __getattr__, by a function or by the name that is assigned. */
int check_copy_definition(struct gate *g, uint32_t i);
/* Instances of a class of the source may have no `__dict__` of their own. */
int gate_lacks_dict(const struct gate *g, uint32_t class);
void gate_dicts_collect(struct gate *g);
/* The x of type(x) or x.__class__, or 0 (gate_dict.c). */
uint32_t whose_class(const struct gate *g, uint32_t i);
/* A name for cls.__new__(cls), where that is an empty instance of the class of `self`. */
int is_empty_twin(const struct gate *g, uint32_t i);
/* setattr(twin, k, v) for k, v in self.__dict__.items(); twin.__dict__.update(self.__dict__). */
int is_twin_write(const struct gate *g, uint32_t call);
int is_twin_update(const struct gate *g, uint32_t dict);
/* What a copy looks things up by, and what setattr() sets. */
void note_copied_names(struct gate *g, uint32_t i);
/* Once all nodes are judged. */
int check_copies(struct gate *g);

/* ---- gate_text_names.c: names in strings -------------------------------------------------------------- */

/* Whether a string may be used as an attribute's name on anything. */
int is_tame_name(const struct gate *g, const char *text, size_t len);
int is_tame_attr_text(const struct gate *g, PyObject *str);
/* Whether each string that node i can be is such a name. */
int are_tame_attr_strings(struct gate *g, uint32_t i);
/* Whether none of those that it can be begins with `_`. */
int are_public_strings(struct gate *g, uint32_t i);
/* Whether each is known from end to end: a path of attrgetter(). */
int are_tame_paths(struct gate *g, uint32_t i);
/* f"_visit_{x}", on what has private names of the source's own only. */
int is_tame_own_prefix(const struct gate *g, uint32_t i);
/* What a text that is put together begins with, or NULL. */
const char *gate_prefix_of(const struct gate *g, uint32_t i, size_t *ret_len);
/* The same for names of fields: "a b", ["a", "b"], {"a": 1}, [("a", int)]. */
int are_tame_field_names(const struct gate *g, uint32_t i);

/* ---- gate_choice.c: a text that is one of several ------------------------------------------------------ */

/* Of a string, or of what is put together right there. */
typedef int choice_judge(struct gate *g, uint32_t i);
/* Whether all that node i can be is known, and each passes. */
int gate_are_choices(struct gate *g, uint32_t i, choice_judge *judge);
/* What an assignment gives the name, or 0. */
uint32_t value_assigned(const struct gate *g, const struct bind *b);

/* ---- gate_owner.c: names that classes give ------------------------------------------------------------- */

/* Whether `text` is what a descriptor made of its own name, and `object` what it is found on. */
int is_owner_name(struct gate *g, uint32_t object, uint32_t text);
/* gate_dict.c: `obj` of a descriptor's __get__ or __set__. */
int is_owner_instance(const struct gate *g, uint32_t object);

/* ---- gate_format.c: texts that are formats ------------------------------------------------------------ */

/* Whether str.format() of that text reads harmless attributes only. */
int is_tame_format(const struct gate *g, PyObject *str);
/* -1: what text it is is not known; else is_tame_format() of it. */
int format_of_receiver(struct gate *g, uint32_t i);
/* What the body of a class gives C.NAME, self.NAME, while nothing else does; or 0. */
uint32_t gate_class_constant(struct gate *g, uint32_t i);

#endif
