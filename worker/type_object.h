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

/* The same with any of the slots that lie in the class itself (Py_tp_...), a function as a word. */
int type_change_slot(PyObject *type, int slot, void *to);

/* Sets an attribute of a class, be that open or not. 0, or -1 with an exception set. */
int type_put(PyObject *type, const char *name, PyObject *value);

/* The same with one that is no operator, of which setting it would ask the class first. */
int type_put_plain(PyObject *type, const char *name, PyObject *value);

/*
 * Puts a method in the place of one that the class itself has, whose documentation it gets;
 * that one is then *ret_original. 0, or -1 with an exception set.
 */
int type_put_method(PyObject *type, PyMethodDef *def, PyObject **ret_original);

/*
 * What `x[i] = v` and `del x[i]` do with instances of that very class: after its __setitem__
 * has been replaced, without looking for that each time. 0, or -1 with an exception set.
 */
int type_change_items(PyObject *type, objobjargproc to);

/* The names of a module that is loaded; borrowed. NULL, without an exception: it is not. */
PyObject *names_of_module(const char *module);

/*
 * What is known of objects by their addresses, in a dict: an object that something is known of is kept,
 * so that its address does not come again. Borrowed; NULL: nothing. 0, or -1 with an exception set.
 */
PyObject *known_of(PyObject *table, PyObject *object);
int put_known(PyObject *table, PyObject *object, PyObject *value);

/* The module that a class or function says it is of, a str: a new reference. NULL: it says none. */
PyObject *type_module(PyObject *type);

#endif
