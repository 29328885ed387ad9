/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_package: what the files that judge calls into packages share; nobody else includes it.
 */
#ifndef CORDON_WORKER_GATE_PACKAGE_H
#define CORDON_WORKER_GATE_PACKAGE_H

#include "gate_int.h"

/* ---- gate_package_shape.c: arguments ---- */

/* The text of a string constant, or NULL; the name that the node holds. */
const char *package_text_of(const struct gate *g, uint32_t i);
const char *package_name_of(const struct gate *g, uint32_t i);
int package_is_one_of(const char *text, const char *const *words);
/* The first argument, also by one of these keywords. 0: there is none. */
uint32_t package_first_argument(const struct gate *g, uint32_t call, const char *const *keywords);
int package_is_export(const struct gate *g, uint32_t i, const char *module, const char *name);

/* ---- gate_package_buffer.c: a buffer in memory that the source makes, or None under a name ---- */

int package_is_buffer(const struct gate *g, uint32_t i);

/* ---- gate_package_own.c: the module that a row is of; its class, a new reference, or NULL ---- */

const struct export_module *package_module_of(const struct export_name *row);
PyObject *package_class_of(const struct export_name *row);

/* ---- gate_package_settings.c: values that are tame ---- */

int is_backend(const struct gate *g, uint32_t i);
int is_style(const struct gate *g, uint32_t i);
int is_font(const struct gate *g, uint32_t i);
int is_shape_options(const struct gate *g, uint32_t call);
int is_shape_rc(const struct gate *g, uint32_t call);

#endif
