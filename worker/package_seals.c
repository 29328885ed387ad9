/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_seals: DATA ONLY: the seals that package_seal.c puts on. Each takes what it judges
 * once, makes something exact of it, and hands on just that: an object of the code could
 * answer otherwise the next time it is asked.
 */
#include "package_seal.h"

#include "base/io.h"

/* Of numpy 1 and 2: an object of its own that says where memory is. */
#define STRIDES                                                                                    \
    "class Array(module.DummyArray):\n"                                                            \
    "    def __array__(self, dtype=None, copy=None, kind=module.DummyArray):\n"                    \
    "        said = dict(self.__array_interface__)\n"                                              \
    "        for name in 'shape', 'strides':\n"                                                    \
    "            if said.get(name) is not None:\n"                                                 \
    "                said[name] = tuple(map(number, said[name]))\n"                                \
    "        return array_of(kind(said, self.base))\n"                                             \
    "module.DummyArray = Array\n"

const struct package_seal package_seals[] = {
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
     "        who = caller()\n"
     "        if not any(who is own for own in numpys):\n"
     "            refuse('the write flag of a view')\n"
     "    old(self, write=write, align=align, uic=uic)\n"
     "put(array, 'setflags', setflags)\n"
     "def base_of(self, view=array.view, off=array.setflags):\n"
     "    below = base(self)\n"
     "    if not isinstance(below, array):\n"
     "        return None\n"
     "    if flags(below).writeable and not flags(self).writeable:\n"
     "        below = view(below)\n"
     "        off(below, write=False)\n"
     "    return below\n"
     "put(array, 'base', property(base_of))\n"},

    /* SeedSequence.generate_state(), and what __init__ leaves unset */
    {"numpy.random", "lets others say how much memory there is",
     "for value in list(vars(module).values()):\n"
     "    if isinstance(value, type):\n"
     "        final(value)\n"},

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

    /* package_memory.c hides the names by which objects say where memory is. */
    {"numpy", "takes what an object says for memory",
     "class Said:\n"
     "    pass\n"
     "said = Said()\n"
     "said.__array_interface__ = {'version': 3, 'shape': (1,), 'typestr': '|u1', 'data': b'x'}\n"
     "if module.asarray(said).dtype != object:\n"
     "    raise SystemError('this numpy takes what an object says for memory')\n"},

    {"numpy.lib.stride_tricks", "takes what an object says for memory", STRIDES},
    {"numpy.lib._stride_tricks_impl", "takes what an object says for memory", STRIDES},

    {"PIL.Image", "takes what an object says for memory",
     "import numpy\n"
     "def array(self, dtype=None, copy=None):\n"
     "    said = self.__array_interface__\n"
     "    made = numpy.frombuffer(said['data'], said['typestr']).reshape(said['shape'])\n"
     "    return made if dtype is None else made.astype(dtype)\n"
     "module.Image.__array__ = array\n"},

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
     "import numpy\n"
     "kind = module.MultiIndex\n"
     "def check(index):\n"
     "    for codes, level in zip(index._codes, index._levels):\n"
     "        codes = numpy.array(codes)\n"
     "        if codes.size and not -1 <= codes.min() <= codes.max() < max(len(level), 1):\n"
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

    /* What agg(), transform(), apply() and pct_change() look up on data, by a text. */
    {"pandas", "calls any method, by its name in text",
     "import sys\n"
     "def look_up(owner, name, *default, old=getattr):\n"
     "    name = exact(name)\n"
     "    if not may_call(name):\n"
     "        refuse('the name ' + name)\n"
     "    return old(owner, name, *default)\n"
     "for name in 'apply', 'groupby.generic', 'groupby.groupby', 'resample':\n"
     "    vars(sys.modules['pandas.core.' + name])['getattr'] = look_up\n"},

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
     "    text = exact(key)\n"
     "    agg = text == 'backend' and type(value) is str and value.lower() == 'agg'\n"
     "    if is_door(text) and not agg and text != 'backend_fallback':\n"
     "        if not any(is_kept(value, dict.get(held, text, held))\n"
     "                   for held in (self, module.rcParams, module.rcParamsDefault)):\n"
     "            refuse('the setting ' + text)\n"
     "    old(self, text, value)\n"
     "module.RcParams.__setitem__ = write\n"},

    {"pandas", "compiles code",
     "import sys\n"
     "sys.modules.setdefault('numba', None)\n"},

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
     "    name = None if name is None else exact(name)\n"
     "    parts = (name or '').replace(chr(92), '/').split('/')\n"
     "    if ':' in parts[0] or '..' in parts or (len(parts) > 1 and parts[0] == ''):\n"
     "        refuse('this time zone')\n"
     "    return old(name)\n"
     "kind.nocache = staticmethod(find)\n"},

    {"matplotlib.ticker", "reads attributes by their names in text",
     "from types import SimpleNamespace\n"
     "def call(self, x, pos=None, *, old=module.StrMethodFormatter.__call__):\n"
     "    return old(SimpleNamespace(fmt=plain(self.fmt)), x, pos)\n"
     "module.StrMethodFormatter.__call__ = call\n"},

    {"matplotlib.cbook", "reads attributes by their names in text",
     "def auto(fmt, value, *, old=module._auto_format_str):\n"
     "    return old(plain(fmt) if isinstance(fmt, str) else fmt, value)\n"
     "module._auto_format_str = auto\n"},

    {"pandas.core.computation.expr", "reads private attributes, by their names in text",
     "visitor = module.BaseExprVisitor\n"
     "def visit(self, node, *, old=visitor.visit_Attribute, **kwargs):\n"
     "    if str(node.attr)[:1] == '_':\n"
     "        refuse('a private attribute in an expression')\n"
     "    return old(self, node, **kwargs)\n"
     "visitor.visit_Attribute = visit\n"},

    {"pandas.io.formats.style_render", "reads attributes by their names in text",
     "def wrap(formatter=None, *args, old=module._maybe_wrap_formatter, **kwargs):\n"
     "    if isinstance(formatter, str):\n"
     "        formatter = plain(formatter)\n"
     "    return old(formatter, *args, **kwargs)\n"
     "module._maybe_wrap_formatter = wrap\n"},

    {"matplotlib.font_manager", "opens files that are no font of the profile's",
     "def set_file(self, file):\n"
     "    file = None if file is None else exact(str(file))\n"
     "    if file is not None and file not in {exact(f.fname) for f in "
     "module.fontManager.ttflist}:\n"
     "        refuse('this font file')\n"
     "    self._file = file\n"
     "module.FontProperties.set_file = set_file\n"},

    {"matplotlib.backends.backend_pdf", "opens files that are no font of the profile's",
     "from matplotlib import font_manager\n"
     "def known(file):\n"
     "    file = exact(file)\n"
     "    fonts = font_manager.fontManager.ttflist + font_manager.fontManager.afmlist\n"
     "    return file if file in {exact(f.fname) for f in fonts} else refuse('this font file')\n"
     "def font(self, font, *, old=module.PdfFile.fontName):\n"
     "    return old(self, known(font) if isinstance(font, str) else font)\n"
     "def embed(self, file, characters, *, old=module.PdfFile.embedTTF):\n"
     "    return old(self, known(str(file)), characters)\n"
     "module.PdfFile.fontName, module.PdfFile.embedTTF = font, embed\n"},

    /* whoever names it: get_file() of an object may be the code's own */
    {"matplotlib.font_manager", "opens files that are no font of the profile's",
     "fonts = module.fontManager\n"
     "def known(file):\n"
     "    file = exact(str(file))\n"
     "    files = {exact(f.fname) for f in fonts.ttflist + fonts.afmlist}\n"
     "    return file if file in files else refuse('this font file')\n"
     "def font(file, *others, old=module._get_font, **named):\n"
     "    files = tuple(map(known, file)) if type(file) in (list, tuple) else known(file)\n"
     "    return old(files, *others, **named)\n"
     "module._get_font = font\n"},

    {"jinja2", "reads attributes by their names in text, and runs text as code",
     "for name in 'call_filter', 'call_test', 'compile_expression', 'from_string':\n"
     "    setattr(module.Environment, name, lambda *args, **named: refuse('this template'))\n"},

    {"matplotlib.tri", "reads memory that is not its own",
     "import numpy\n"
     "kind = module.Triangulation\n"
     "def fixed(values, copy):\n"
     "    values = numpy.array(values) if copy else values.view()\n"
     "    values.flags.writeable = False\n"
     "    return values\n"
     "def cpp(self, *, old=kind.get_cpp_triangulation):\n"
     "    corners = fixed(self.triangles, True)\n"
     "    if corners.size and not 0 <= corners.min() <= corners.max() < numpy.array(self.x).size:\n"
     "        refuse('this triangulation')\n"
     "    if self._cpp_triangulation is None:\n"
     "        self.triangles = corners\n"
     "    return old(self)\n"
     "kind.get_cpp_triangulation = cpp\n"
     "for name in 'edges', 'neighbors':\n"
     "    setattr(kind, name, property(lambda self, old=vars(kind)[name].__get__:\n"
     "                                 fixed(old(self), False)))\n"
     "from matplotlib import _tri\n"
     "for name in 'get_edges', 'get_neighbors':\n"
     "    def copy(self, *, old=vars(_tri.Triangulation)[name]):\n"
     "        return old(self).copy()\n"
     "    put(_tri.Triangulation, name, copy)\n"},

    {"matplotlib.ft2font", "writes beyond what there is",
     "import numpy\n"
     "def draw_rect(self, *corners, old=module.FT2Image.draw_rect):\n"
     "    left, top, right, bottom = map(number, corners)\n"
     "    height, width = numpy.asarray(self).shape\n"
     "    if not (0 <= left <= right < width and 0 <= top <= bottom < height):\n"
     "        refuse('this rectangle')\n"
     "    old(self, left, top, right, bottom)\n"
     "put(module.FT2Image, 'draw_rect', draw_rect)\n"},

    {"matplotlib.backends.backend_agg", "reads beyond what there is",
     "import numpy\n"
     "def guarded(raw):\n"
     "    def draw_quad_mesh(gc, transform, width, height, coordinates, *others):\n"
     "        width, height = number(width), number(height)\n"
     "        coordinates = numpy.array(coordinates, float)\n"
     "        if coordinates.shape != (height + 1, width + 1, 2):\n"
     "            refuse('this mesh')\n"
     "        raw(gc, transform, width, height, coordinates, *others)\n"
     "    return draw_quad_mesh\n"
     "def update(self, *, old=module.RendererAgg._update_methods):\n"
     "    old(self)\n"
     "    self.draw_quad_mesh = guarded(self.draw_quad_mesh)\n"
     "module.RendererAgg._update_methods = update\n"},

    {"matplotlib.spines", "answers to names that numpy takes for memory",
     "def answer(self, name, *, old=module.Spines.__getattr__):\n"
     "    if name.startswith('__'):\n"
     "        raise AttributeError(name)\n"
     "    return old(self, name)\n"
     "module.Spines.__getattr__ = answer\n"},
};
const size_t package_seal_count = ARRAY_LEN(package_seals);
