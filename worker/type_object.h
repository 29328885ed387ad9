/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_object: classes as objects in memory. The stable ABI reads their flags and has no way to
 * change one; where they are is found out by looking, at classes whose flags differ.
 */
#ifndef CORDON_WORKER_TYPE_OBJECT_H
#define CORDON_WORKER_TYPE_OBJECT_H

#include "worker.h"

/* Sets and clears flags of a class, and of no other. 0, or -1 with an exception set. */
int type_change_flags(PyObject *type, unsigned long set, unsigned long clear);

/*
 * Puts another constructor in the place of the one that a class has, also where classes below
 * have inherited it. 0, or -1 with an exception set.
 */
int type_change_new(PyObject *type, newfunc to);

/* The module that a class or function says it is of, a str: a new reference. NULL: it says none. */
PyObject *type_module(PyObject *type);

#endif
