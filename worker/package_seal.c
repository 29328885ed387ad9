/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_seal: doors of packages that are shut while the zygote loads them, before any user
 * code. The gate judges what it can see; a keyword in a dict that is put together, a name in
 * text that is computed or an alias of a class it cannot, and what such things reach must do
 * no harm by itself. Each seal is a few lines of Python that put something tame in the place
 * of one function of the package, with the reason beside it. What a package lacks in some
 * version is passed over; a seal that fails for another reason is a failure to start.
 *
 * numpy's array type is written in C and has a constructor that takes any memory for an array
 * of objects, which no Python can replace: that slot is guarded here.
 */
#include "worker.h"

#include "base/io.h"
#include "package.h"

#include <string.h>

/* ---- the seals: data --------------------------------------------------------------------- */

static const struct {
    const char *module; /* where it is loaded */
    const char *why;    /* what the refusal says */
    const char *text;   /* sees: module, refuse(), put(class, name, value), is_door() */
} seals[] = {
    {"numpy", "changes which memory an array has",
     "array = module.ndarray\n"
     "for name in 'data', 'strides':\n"
     "    put(array, name, property(vars(array)[name].__get__))\n"
     "import sys\n"
     "flags, base = vars(array)['flags'].__get__, vars(array)['base'].__get__\n"
     "numpys = [vars(sys.modules[name]) for name in\n"
     "          ('numpy.lib.stride_tricks', 'numpy.lib._stride_tricks_impl')\n"
     "          if name in sys.modules]\n"
     "def setflags(self, write=None, align=None, uic=None, *, old=array.setflags):\n"
     "    if write and not flags(self).owndata:\n"
     "        caller = sys._getframe(1).f_globals\n"
     "        if not any(caller is own for own in numpys):\n"
     "            refuse('the write flag of a view')\n"
     "    old(self, write=write, align=align, uic=uic)\n"
     "put(array, 'setflags', setflags)\n"
     "def base_of(self, view=array.view, off=array.setflags):\n"
     "    below = base(self)\n"
     "    if isinstance(below, array) and flags(below).writeable and not flags(self).writeable:\n"
     "        below = view(below)\n"
     "        off(below, write=False)\n"
     "    return below\n"
     "put(array, 'base', property(base_of))\n"},

    {"numpy.random", "makes a generator read memory that is not its own",
     "def checked(old, keys, last):\n"
     "    def write(self, value):\n"
     "        before = old.__get__(self)\n"
     "        old.__set__(self, value)\n"
     "        at = old.__get__(self)\n"
     "        for key in keys:\n"
     "            at = at[key]\n"
     "        if not 0 <= at <= last:\n"
     "            old.__set__(self, before)\n"
     "            refuse('this position')\n"
     "    return property(old.__get__, write)\n"
     "for name, keys, last in (('MT19937', ('state', 'pos'), 624), ('Philox', ('buffer_pos',), "
     "4)):\n"
     "    kind = getattr(module, name)\n"
     "    put(kind, 'state', checked(vars(kind)['state'], keys, last))\n"},

    {"pandas.plotting._core", "loads any module, by its name in text",
     "import sys\n"
     "if 'matplotlib' in sys.modules:\n"
     "    module._backends.setdefault('matplotlib', module._load_backend('matplotlib'))\n"
     "module._load_backend = lambda name: refuse('this backend')\n"},

    {"pandas.core.arrays.categorical", "takes numbers of categories that there are not",
     "import numpy\n"
     "kind = module.Categorical\n"
     "def check(made):\n"
     "    codes, end = made._codes, len(made.dtype.categories)\n"
     "    if codes.size and not -1 <= codes.min() <= codes.max() < end:\n"
     "        refuse('this Categorical')\n"
     "def init(self, values, *args, old=kind.__init__, **kwargs):\n"
     "    fast = kwargs.get('fastpath', args[3] if len(args) > 3 else False) is not False\n"
     "    old(self, numpy.array(values) if fast else values, *args, **kwargs)\n"
     "    if fast:\n"
     "        check(self)\n"
     "def from_codes(cls, *args, old=vars(kind)['from_codes'].__func__, **kwargs):\n"
     "    made = old(cls, *args, **kwargs).copy()\n"
     "    check(made)\n"
     "    return made\n"
     "kind.__init__, kind.from_codes = init, classmethod(from_codes)\n"},

    {"pandas.core.indexes.multi", "takes numbers of levels that there are not",
     "kind = module.MultiIndex\n"
     "def check(index):\n"
     "    for codes, level in zip(index._codes, index._levels):\n"
     "        if len(codes) and not -1 <= codes.min() <= codes.max() < max(len(level), 1):\n"
     "            raise ValueError('a code of this MultiIndex is not that of a level')\n"
     "def set_codes(self, codes, *, copy=False, old=kind._set_codes, **kwargs):\n"
     "    old(self, codes, copy=True, **kwargs)\n"
     "    check(self)\n"
     "def set_levels(self, levels, *, old=kind._set_levels, **kwargs):\n"
     "    old(self, levels, **kwargs)\n"
     "    check(self)\n"
     "kind._set_codes, kind._set_levels = set_codes, set_levels\n"},

    {"pandas.core.window.rolling", "reads memory outside of the data",
     "import numpy\n"
     "class Checked(module.BaseIndexer):\n"
     "    def __init__(self, own):\n"
     "        self.own = own\n"
     "    def get_window_bounds(self, num_values=0, *args, **kwargs):\n"
     "        bounds = self.own.get_window_bounds(num_values, *args, **kwargs)\n"
     "        bounds = tuple(numpy.array(bound, dtype='int64') for bound in bounds)\n"
     "        for bound in bounds:\n"
     "            if bound.size and not 0 <= bound.min() <= bound.max() <= num_values:\n"
     "                refuse('this window')\n"
     "        return bounds\n"
     "def indexer(self, *, old=module.BaseWindow._get_window_indexer):\n"
     "    own = old(self)\n"
     "    return Checked(own) if own is self.window else own\n"
     "module.BaseWindow._get_window_indexer = indexer\n"},

    {"pandas.core.groupby.generic", "calls any method, by its name in text",
     "def filter(self, func, *args, old=module.SeriesGroupBy.filter, **kwargs):\n"
     "    if isinstance(func, str):\n"
     "        refuse('filter() of a name')\n"
     "    return old(self, func, *args, **kwargs)\n"
     "module.SeriesGroupBy.filter = filter\n"},

    {"pandas.core.window.rolling", "calls any function of scipy.signal, by its name in text",
     "windows = frozenset('barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine "
     "'\n"
     "                    'dpss exponential flattop gaussian general_cosine general_gaussian '\n"
     "                    'general_hamming hamming hann kaiser nuttall parzen taylor triang '\n"
     "                    'tukey'.split())\n"
     "def validate(self, *, old=module.Window._validate):\n"
     "    if type(self.win_type) is not str or self.win_type not in windows:\n"
     "        refuse('this window')\n"
     "    old(self)\n"
     "module.Window._validate = validate\n"},

    {"matplotlib.rcsetup", "runs text as code",
     "import ast\n"
     "def read(node, cycler):\n"
     "    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):\n"
     "        left, right = read(node.left, cycler), read(node.right, cycler)\n"
     "        return left + right if isinstance(node.op, ast.Add) else left * right\n"
     "    if not isinstance(node, ast.Call):\n"
     "        return ast.literal_eval(node)\n"
     "    if not isinstance(node.func, ast.Name) or node.func.id != 'cycler':\n"
     "        refuse('this text')\n"
     "    return cycler(*[read(arg, cycler) for arg in node.args],\n"
     "                  **{word.arg: read(word.value, cycler) for word in node.keywords})\n"
     "def evaluate(text, names):\n"
     "    return read(ast.parse(text.strip(), mode='eval').body, names['cycler'])\n"
     "module.eval = evaluate\n"},

    /* Any RcParams: a copy, what find_all() made, those that rc(**x) changes. */
    {"matplotlib", "loads code, starts programs or names a file",
     "plain = str, int, float, type(None)\n"
     "def is_plain(value):\n"
     "    return type(value) in (*plain, bool) or (\n"
     "        type(value) in (list, tuple) and all(map(is_plain, value)))\n"
     "def is_kept(value, held):\n"
     "    return value is held or (is_plain(value) and is_plain(held) and value == held)\n"
     "def write(self, key, value, *, old=module.RcParams.__setitem__):\n"
     "    text = str.__str__(key) if isinstance(key, str) else refuse('this setting')\n"
     "    agg = text == 'backend' and type(value) is str and value.lower() == 'agg'\n"
     "    if is_door(text) and not agg and text != 'backend_fallback':\n"
     "        if not any(is_kept(value, dict.get(held, text, held))\n"
     "                   for held in (self, module.rcParams, module.rcParamsDefault)):\n"
     "            refuse('the setting ' + text)\n"
     "    old(self, text, value)\n"
     "module.RcParams.__setitem__ = write\n"},

    {"matplotlib.cbook", "starts programs",
     "module._check_and_log_subprocess = lambda *args, **kwargs: refuse('this program')\n"},

    {"matplotlib.texmanager", "starts programs and writes files",
     "module.TexManager.__new__ = lambda *args: refuse('usetex')\n"},

    {"matplotlib", "starts programs",
     "import sys\n"
     "sys.modules.setdefault('matplotlib.backends.backend_pgf', None)\n"},

    {"matplotlib", "starts programs", /* Ghostscript, for an image that is EPS */
     "import sys\n"
     "sys.modules.setdefault('PIL.EpsImagePlugin', None)\n"},

    {"dateutil.tz", "opens files by their paths",
     "kind = type(module.gettz)\n"
     "def find(name=None, *, old=kind.nocache):\n"
     "    parts = str(name or '').replace(chr(92), '/').split('/')\n"
     "    if len(parts) > 1 and (parts[0] == '' or '..' in parts):\n"
     "        refuse('this time zone')\n"
     "    return old(name)\n"
     "kind.nocache = staticmethod(find)\n"},

    {"matplotlib.ticker", "reads attributes by their names in text",
     "def call(self, x, pos=None, *, old=module.StrMethodFormatter.__call__):\n"
     "    plain(self.fmt)\n"
     "    return old(self, x, pos)\n"
     "module.StrMethodFormatter.__call__ = call\n"},

    {"matplotlib.cbook", "reads attributes by their names in text",
     "def auto(fmt, value, *, old=module._auto_format_str):\n"
     "    plain(fmt)\n"
     "    return old(fmt, value)\n"
     "module._auto_format_str = auto\n"},

    {"pandas.io.formats.style_render", "reads attributes by their names in text",
     "def wrap(formatter=None, *args, old=module._maybe_wrap_formatter, **kwargs):\n"
     "    if isinstance(formatter, str):\n"
     "        plain(formatter)\n"
     "    return old(formatter, *args, **kwargs)\n"
     "module._maybe_wrap_formatter = wrap\n"},

    {"matplotlib.font_manager", "opens files that are no font of the profile's",
     "def set_file(self, file):\n"
     "    if file is not None and str(file) not in {f.fname for f in module.fontManager.ttflist}:\n"
     "        refuse('this font file')\n"
     "    self._file = None if file is None else str(file)\n"
     "module.FontProperties.set_file = set_file\n"},

    {"matplotlib.tri", "reads memory that is not its own",
     "kind = module.Triangulation\n"
     "def fixed(values, copy):\n"
     "    values = values.copy().view() if copy else values.view()\n"
     "    values.flags.writeable = False\n"
     "    return values\n"
     "def cpp(self, *, old=kind.get_cpp_triangulation):\n"
     "    corners = fixed(self.triangles, True)\n"
     "    if corners.size and not 0 <= corners.min() <= corners.max() < len(self.x):\n"
     "        refuse('this triangulation')\n"
     "    if self._cpp_triangulation is None:\n"
     "        self.triangles = corners\n"
     "    return old(self)\n"
     "kind.get_cpp_triangulation = cpp\n"
     "for name in 'edges', 'neighbors':\n"
     "    setattr(kind, name, property(lambda self, old=vars(kind)[name].__get__:\n"
     "                                 fixed(old(self), False)))\n"},

    {"matplotlib.spines", "answers to names that numpy takes for memory",
     "def answer(self, name, *, old=module.Spines.__getattr__):\n"
     "    if name.startswith('__'):\n"
     "        raise AttributeError(name)\n"
     "    return old(self, name)\n"
     "module.Spines.__getattr__ = answer\n"},
};

/* ---- what they are given ------------------------------------------------------------------- */

/* refuse(what): `self` is the row's reason. */
static PyObject *refuse(PyObject *why, PyObject *what)
{
    return PyErr_Format(PyExc_PermissionError, "%S is not open to code: it %U", what, why);
}

/*
 * put(class, name, value): also in a class that is written in C, whose dict Python shows by a
 * proxy only.
 */
static PyObject *put(PyObject *unused, PyObject *args)
{
    (void)unused;
    PyObject *class, *name, *value;
    if (!PyArg_ParseTuple(args, "OOO", &class, &name, &value))
        return NULL;
    AUTO_PY proxy = PyObject_GetAttrString(class, "__dict__");
    AUTO_PY gc = PyImport_ImportModule("gc");
    AUTO_PY held = proxy && gc ? PyObject_CallMethod(gc, "get_referents", "O", proxy) : NULL;
    PyObject *dict = held && PyList_Size(held) == 1 ? PyList_GetItem(held, 0) : NULL;
    if (!dict || !PyDict_CheckExact(dict))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "%R hides its dict", class);
    if (PyDict_SetItem(dict, name, value) < 0)
        return NULL;
    PyType_Modified((PyTypeObject *)class);
    Py_RETURN_NONE;
}

/* is_door(name): of a setting of matplotlib (package_rows.c). */
static PyObject *is_door(PyObject *unused, PyObject *name)
{
    (void)unused;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    return text ? PyBool_FromLong(package_setting_is_door(text)) : NULL;
}

static PyMethodDef refuse_def = {"refuse", refuse, METH_O, NULL};
static PyMethodDef put_def = {"put", put, METH_VARARGS, NULL};
static PyMethodDef door_def = {"is_door", is_door, METH_O, NULL};

/* Before all of them: plain(text) refuses a format that reads attributes. */
static const char plain_text[] =
    "import _string\n"
    "def plain(text):\n"
    "    for literal, field, spec, conversion in _string.formatter_parser(text):\n"
    "        if '.' in (field or '') or '[' in (field or ''):\n"
    "            refuse('this format')\n"
    "        if spec:\n"
    "            plain(spec)\n";

/* A dict that the lines run in. */
static PyObject *make_world(PyObject *module, const char *why)
{
    AUTO_PY reason = PyUnicode_FromString(why);
    AUTO_PY refusing = reason ? PyCFunction_New(&refuse_def, reason) : NULL;
    AUTO_PY putting = PyCFunction_New(&put_def, NULL);
    AUTO_PY asking = PyCFunction_New(&door_def, NULL);
    AUTO_PY builtins = PyImport_ImportModule("builtins");
    if (!refusing || !putting || !asking || !builtins)
        return NULL;
    return Py_BuildValue("{sOsOsOsOsO}", "__builtins__", builtins, "module", module, "refuse",
                         refusing, "put", putting, "is_door", asking);
}

/* The row's module, also where the package would load it only in a run; NULL: it has none. */
static PyObject *module_of_row(const char *name)
{
    AUTO_PY top = PyUnicode_FromStringAndSize(name, (Py_ssize_t)strcspn(name, "."));
    int loaded = top ? PyDict_Contains(worker.modules, top) : -1;
    PyObject *module = loaded == 1 ? PyImport_ImportModule(name) : NULL;
    if (!module && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ImportError))
        PyErr_Clear(); /* of another version, or it lacks what it needs itself */
    return module;
}

static int apply(size_t row)
{
    AUTO_PY module = module_of_row(seals[row].module);
    if (!module)
        return PyErr_Occurred() ? -1 : 0;
    AUTO_PY world = make_world(module, seals[row].why);
    AUTO_PY first = world ? Py_CompileString(plain_text, "<seal>", Py_file_input) : NULL;
    AUTO_PY made = first ? PyEval_EvalCode(first, world, world) : NULL;
    if (!made)
        return -1;
    AUTO_PY code = Py_CompileString(seals[row].text, "<seal>", Py_file_input);
    AUTO_PY done = code ? PyEval_EvalCode(code, world, world) : NULL;
    if (done)
        return 0;
    int lacking = PyErr_ExceptionMatches(PyExc_AttributeError) ||
                  PyErr_ExceptionMatches(PyExc_KeyError); /* of another version */
    if (lacking)
        PyErr_Clear();
    return lacking ? 0 : -1;
}

/* ---- numpy's constructor ----------------------------------------------------------------------- */

static newfunc array_new; /* numpy's own */
static PyObject *array_type, *make_dtype, *dtype_of;

/* An argument of ndarray(shape, dtype, buffer, offset, strides, order), borrowed; NULL: absent. */
static PyObject *given(PyObject *args, PyObject *kwargs, Py_ssize_t at, const char *name)
{
    PyObject *value = PyTuple_Size(args) > at ? PyTuple_GetItem(args, at) : NULL;
    if (!value && kwargs)
        value = PyDict_GetItemString(kwargs, name);
    return value == Py_None ? NULL : value;
}

/* The whole of an array of objects, which is what numpy.matrix makes of one. */
static int is_same_objects(PyObject *buffer, PyObject *dtype, PyObject *args, PyObject *kwargs)
{
    if (PyObject_IsInstance(buffer, array_type) != 1 || given(args, kwargs, 3, "offset") ||
        given(args, kwargs, 4, "strides"))
        return 0;
    AUTO_PY own = PyObject_CallFunctionObjArgs(dtype_of, buffer, NULL);
    return own && own == dtype;
}

/* 1: numpy would take memory for objects. What is asked is converted once, and handed on. */
static int takes_objects(PyObject *dtype, PyObject *args, PyObject *kwargs)
{
    AUTO_PY has = PyObject_GetAttrString(dtype, "hasobject");
    int objects = has ? PyObject_IsTrue(has) : -1;
    if (objects != 1)
        return objects;
    return !is_same_objects(given(args, kwargs, 2, "buffer"), dtype, args, kwargs);
}

/* The same call, with `dtype` in the place of what would have been converted to it. */
static PyObject *new_of(PyTypeObject *type, PyObject *args, PyObject *kwargs, PyObject *dtype)
{
    AUTO_PY list = PySequence_List(args);
    AUTO_PY names = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    if (!list || !names)
        return NULL;
    Py_INCREF(dtype); /* either way it goes into a container that keeps it */
    int rc = PyList_Size(list) > 1 ? PyList_SetItem(list, 1, dtype)
                                   : PyDict_SetItemString(names, "dtype", dtype);
    if (PyList_Size(list) <= 1)
        Py_DECREF(dtype);
    AUTO_PY tuple = rc < 0 ? NULL : PyList_AsTuple(list);
    return tuple ? array_new(type, tuple, names) : NULL;
}

static PyObject *guarded_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *asked = given(args, kwargs, 1, "dtype");
    if (!asked || !given(args, kwargs, 2, "buffer"))
        return array_new(type, args, kwargs);
    AUTO_PY dtype = PyObject_CallFunctionObjArgs(make_dtype, asked, NULL);
    int objects = dtype ? takes_objects(dtype, args, kwargs) : -1;
    if (objects < 0)
        return NULL;
    if (objects)
        return PyErr_Format(PyExc_PermissionError,
                            "an array of objects in the memory of others is not open to code");
    return new_of(type, args, kwargs, dtype);
}

#define SLOTS_MAX 48 /* words at the head of a type, tp_new among them, and all below its size */

/* Puts ours where the type has numpy's. */
static int guard(PyObject *type)
{
    union {
        newfunc function;
        void *word;
    } own = {.function = array_new}, guarded = {.function = guarded_new};
    void **words = (void **)(void *)type;
    if (PyType_GetSlot((PyTypeObject *)type, Py_tp_new) != own.word)
        return 0;
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (words[i] == own.word) {
            words[i] = guarded.word;
            return 0;
        }
    PyErr_SetString(PyExc_SystemError, "the constructor of numpy's arrays is not where it was");
    return -1;
}

/* The type and what is derived from it. */
static int guard_all(PyObject *type, int depth)
{
    AUTO_PY below = PyObject_CallMethod(type, "__subclasses__", NULL);
    if (!below || guard(type) < 0)
        return -1;
    for (Py_ssize_t i = 0; depth > 0 && i < PyList_Size(below); i++)
        if (guard_all(PyList_GetItem(below, i), depth - 1) < 0)
            return -1;
    return 0;
}

static int guard_arrays(void)
{
    PyObject *numpy = PyDict_GetItemString(worker.modules, "numpy");
    if (!numpy)
        return 0;
    array_type = PyObject_GetAttrString(numpy, "ndarray");
    make_dtype = PyObject_GetAttrString(numpy, "dtype");
    AUTO_PY descriptor = array_type ? PyObject_GetAttrString(array_type, "dtype") : NULL;
    dtype_of = descriptor ? PyObject_GetAttrString(descriptor, "__get__") : NULL;
    if (!array_type || !make_dtype || !dtype_of)
        return -1;
    union {
        void *word;
        newfunc function;
    } slot = {.word = PyType_GetSlot((PyTypeObject *)array_type, Py_tp_new)};
    array_new = slot.function;
    return array_new ? guard_all(array_type, 8) : -1;
}

int package_seal(void)
{
    for (size_t i = 0; i < ARRAY_LEN(seals); i++)
        if (apply(i) < 0)
            return -1;
    return guard_arrays();
}
