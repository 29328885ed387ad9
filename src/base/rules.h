/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules: the gate's rules as plain data: what a warning's `rule` may be, what each means,
 * an example that trips it and one that does not. The gate, `cordon explain` and the
 * documentation read the same rows; a test runs every example.
 */
#ifndef CORDON_BASE_RULES_H
#define CORDON_BASE_RULES_H

#include <stddef.h>

/* In the order in which warnings are shown: the most serious first. */
enum rule_id {
    RULE_SYNTAX,
    RULE_TOO_LARGE,
    RULE_TOO_DEEP,
    RULE_UNKNOWN_SYNTAX,
    RULE_DENIED_BUILTIN,
    RULE_NAMESPACE,
    RULE_DUNDER_NAME,
    RULE_IMPORT,
    RULE_IMPORT_NAME,
    RULE_RELATIVE_IMPORT,
    RULE_STAR_IMPORT,
    RULE_INTERPRETER_ATTRIBUTE,
    RULE_DUNDER_ATTRIBUTE,
    RULE_DOOR_ATTRIBUTE,
    RULE_PRIVATE_ATTRIBUTE,
    RULE_EXCEPTION_OBJECT,
    RULE_MODULE_ATTRIBUTE,
    RULE_MODULE_PATCH,
    RULE_MODULE_VALUE,
    RULE_PACKAGE_DOOR,
    RULE_ATTRIBUTE_BY_NAME,
    RULE_FORMAT_STRING,
    RULE_FORMAT_RECEIVER,
    RULE_REFLECTIVE_VALUE,
    RULE_TYPE_VALUE,
    RULE_CLASS_FACTORY,
    RULE_SUPER,
    RULE_OBJECT_DICT,
    RULE_COPIED_ATTRIBUTES,
    RULE_PATTERN,
    RULE_DUNDER_DEFINITION,
    RULE_METACLASS,
    RULE_CLASS_FIELD,
    RULE_ANNOTATION,
    RULE_COPY_HOOK,
    RULE_EXCEPT_STAR,
    RULE_UNKNOWN_NAME,
    RULE_BIDI_CONTROL,
    RULE_MIXED_SCRIPT,
    RULE_INVISIBLE_CHARACTER,
    RULE_CONTROL_CHARACTER,
    RULE_LONE_CARRIAGE_RETURN,
    RULE_NULL_BYTE,
    RULE_LONE_SURROGATE,
    RULE_CODING_COOKIE,
    RULE_MORE_WARNINGS,
    RULE_COUNT
};

struct rule {
    const char *name;    /* stable, kebab-case */
    const char *meaning; /* one sentence */
    const char *bad;     /* code that trips it; NULL where there is a maker */
    const char *good;    /* code that does the like and does not; may be NULL */
    const char *maker;   /* Python that prints code that trips it, too long or odd to be shown */
};

/* Indexed by rule_id. */
extern const struct rule rules[RULE_COUNT];

/* The row called `name`, or NULL. */
const struct rule *rule_find(const char *name);

#endif
