/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawned: what the children of multiprocessing know of an approved run's code when they
 * are no forks of it (start methods spawn and forkserver; from 3.14 on the usual one). They
 * are told a path and run that file as `__mp_main__`, so that functions and classes of the
 * code can be found by name. Ours holds the code's definitions alone: running all of it
 * again, as for a file, would repeat what it did, and it has no `if __name__` around it.
 */
#include "worker.h"

#define PLACE "/dev/shm/main.py" /* the run's own, and not in its working directory */

static PyObject *text; /* of the code */

/* In the child: kept are definitions, imports, and names for literals; names for any value where
 * the code has a test of __name__, as code has that expects to be loaded again. Each stands alone:
 * what needs something that is not kept is left out, and does not end the child. */
static const char child[] =
    "import ast, linecache\n"
    "tree = ast.parse(code)\n"
    "guarded = any(isinstance(n, ast.Name) and n.id == '__name__'\n"
    "              for node in tree.body if isinstance(node, ast.If)\n"
    "              for n in ast.walk(node.test))\n"
    "def is_literal(value):\n"
    "    try:\n"
    "        return value is None or ast.literal_eval(value) is not tree\n"
    "    except (ValueError, TypeError, SyntaxError):\n"
    "        return False\n"
    "def keeps(node):\n"
    "    if isinstance(node, (ast.Assign, ast.AnnAssign)):\n"
    "        return guarded or is_literal(node.value)\n"
    "    if isinstance(node, ast.Try):\n"
    "        inner = node.body + node.orelse + node.finalbody\n"
    "        return all(map(keeps, inner + [n for h in node.handlers for n in h.body]))\n"
    "    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass,\n"
    "                             ast.Import, ast.ImportFrom))\n"
    "def alone(node):\n"
    "    if isinstance(node, ast.ImportFrom) and node.module == '__future__':\n"
    "        return node\n"
    "    return ast.Try([node], [ast.ExceptHandler(None, None, [ast.Pass()])], [], [])\n"
    "linecache.cache['" USER_FILE "'] = (len(code), None, code.splitlines(True), '" USER_FILE "')\n"
    "tree.body = [alone(node) for node in tree.body if keeps(node)]\n"
    "tree = compile(ast.fix_missing_locations(tree), '" USER_FILE "', 'exec', dont_inherit=True)\n"
    "del alone, keeps, is_literal, guarded, code, ast, linecache\n"
    "import builtins, io, json, sys\n"
    "exec(tree)\n"
    "del tree\n";

void spawned_set_source(PyObject *source)
{
    Py_INCREF(source);
    text = source;
}

static int write_file(PyObject *content)
{
    AUTO_PY io = PyImport_ImportModule("io");
    AUTO_PY file =
        io ? PyObject_CallMethod(io, "open", "ssiss", PLACE, "w", -1, "utf-8", "surrogatepass")
           : NULL;
    AUTO_PY wrote = file ? PyObject_CallMethod(file, "write", "O", content) : NULL;
    AUTO_PY closed = file ? PyObject_CallMethod(file, "close", NULL) : NULL;
    return wrote && closed ? 0 : -1;
}

static int tell_path(void)
{
    AUTO_PY name = PyUnicode_FromString("__main__");
    AUTO_PY main = name ? PyImport_GetModule(name) : NULL;
    AUTO_PY path = PyUnicode_FromString(PLACE);
    return main && path ? PyObject_SetAttrString(main, "__file__", path) : -1;
}

void spawned_prepare(void)
{
    if (!text)
        return;
    AUTO_PY content = PyUnicode_FromFormat("code = %A\n%s", text, child);
    if (!content || write_file(content) < 0 || tell_path() < 0)
        PyErr_Clear(); /* then they know as little as those of `python3 -c` */
}
