/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_rows: DATA, and its look-ups: what of numpy, pandas and matplotlib code may not
 * use although the packages call it public, or may use in one way only. Reviewed by hand;
 * each row says what the name could do, in words that a person is shown. What a package
 * lacks in some version does no harm here.
 *
 * No module of matplotlib is open that has no row: it has no list of public names, and most
 * of its modules hold others.
 */
#include "package.h"

#include "base/io.h"

#include <string.h>

#define FILES "reads or writes files"
#define MEMORY "reaches memory that is not its own"
#define TELLS "tells about the machine, and nothing about data"
#define INNER "is a part of the package's own machinery"
#define HOOKS "changes the package for all code in the process"

/* ---- names of modules ------------------------------------------------------------------ */

/* clang-format off */
static const struct package_row rows[] = {
    /* numpy */
    {"numpy", "testing", SHAPE_NEVER, "runs text as code and starts programs"},
    {"numpy", "ctypeslib", SHAPE_NEVER, "loads libraries"},
    {"numpy.ctypeslib", NULL, SHAPE_NEVER, "loads libraries"},
    {"numpy.f2py", NULL, SHAPE_NEVER, "starts compilers"},
    {"numpy.distutils", NULL, SHAPE_NEVER, "starts compilers"},
    {"numpy.testing", NULL, SHAPE_NEVER, "runs text as code and starts programs"},
    {"numpy.core", NULL, SHAPE_NEVER, INNER},
    {"numpy._core", NULL, SHAPE_NEVER, INNER},
    {"numpy.compat", NULL, SHAPE_NEVER, "holds modules of the standard library"},
    {"numpy.version", NULL, SHAPE_NEVER, INNER},
    {"numpy.lib", "*", SHAPE_NEVER, INNER},
    {"numpy.lib.stride_tricks", NULL, SHAPE_ANY, NULL},
    {"numpy.lib.stride_tricks", "as_strided", SHAPE_NEVER,
     "reads and writes memory outside of the array; sliding_window_view() does not"},
    {"numpy.lib.stride_tricks", "sliding_window_view", SHAPE_ANY, NULL},
    {"numpy.lib.recfunctions", NULL, SHAPE_ANY, NULL},
    {"numpy.lib.scimath", NULL, SHAPE_ANY, NULL},
    {"numpy.char", NULL, SHAPE_ANY, NULL},
    {"numpy.emath", NULL, SHAPE_ANY, NULL},
    {"numpy.rec", NULL, SHAPE_ANY, NULL},
    {"numpy.rec", "fromfile", SHAPE_NEVER, FILES},
    {"numpy.rec", "fromstring", SHAPE_NEVER, "takes bytes for objects"},
    {"numpy.matrixlib", NULL, SHAPE_NEVER, INNER},
    {"numpy.linalg.linalg", NULL, SHAPE_NEVER, INNER},
    {"numpy.fft.helper", NULL, SHAPE_NEVER, INNER},
    {"numpy.ma.core", NULL, SHAPE_NEVER, INNER},
    {"numpy.ma.extras", NULL, SHAPE_NEVER, INNER},
    {"numpy.random.mtrand", NULL, SHAPE_NEVER, INNER},
    {"numpy.random.bit_generator", NULL, SHAPE_NEVER, INNER},
    {"numpy.random", "BitGenerator", SHAPE_NEVER, "calls what a derived class never set"},
    {"numpy.typing", "ArrayLike", SHAPE_ANY, NULL},
    {"numpy.typing", "DTypeLike", SHAPE_ANY, NULL},
    {"numpy.typing", "NDArray", SHAPE_ANY, NULL},
    {"numpy", "abs", SHAPE_ANY, NULL}, {"numpy", "max", SHAPE_ANY, NULL},
    {"numpy", "min", SHAPE_ANY, NULL}, {"numpy", "round", SHAPE_ANY, NULL},
    {"numpy", "ndarray", SHAPE_ARRAY, "can take memory of others for objects"},
    {"numpy.*", "recarray", SHAPE_ARRAY, "can take memory of others for objects"},
    {"numpy.*", "chararray", SHAPE_ARRAY, "can take memory of others for objects"},
    {"numpy", "memmap", SHAPE_NEVER, FILES},
    {"numpy", "DataSource", SHAPE_NEVER, "reads files and fetches them from the network"},
    {"numpy", "load", SHAPE_NEVER, "reads files, and a pickle in one runs code"},
    {"numpy", "save", SHAPE_NEVER, FILES},
    {"numpy", "savez", SHAPE_NEVER, FILES},
    {"numpy", "savez_compressed", SHAPE_NEVER, FILES},
    {"numpy", "nditer", SHAPE_LOOP, "keeps memory that is gone"},
    {"numpy", "nested_iters", SHAPE_NEVER, "keeps memory that is gone"},
    {"numpy", "format_float_positional", SHAPE_FEW, "writes beyond its memory"},
    {"numpy", "format_float_scientific", SHAPE_FEW, "writes beyond its memory"},
    {"numpy", "savetxt", SHAPE_BUFFER, "writes files"},
    {"numpy", "loadtxt", SHAPE_LINES, "reads files, and fetches them from the network"},
    {"numpy", "genfromtxt", SHAPE_LINES, "reads files, and fetches them from the network"},
    {"numpy", "recfromcsv", SHAPE_LINES, "reads files, and fetches them from the network"},
    {"numpy", "recfromtxt", SHAPE_LINES, "reads files, and fetches them from the network"},
    {"numpy", "fromfile", SHAPE_NEVER, FILES},
    {"numpy", "fromregex", SHAPE_NEVER, FILES},
    {"numpy", "from_dlpack", SHAPE_NEVER, MEMORY},
    {"numpy", "bmat", SHAPE_NEVER, "finds names in text, those of the interpreter among them"},
    {"numpy", "safe_eval", SHAPE_NEVER, "reads text as Python"},
    {"numpy", "lookfor", SHAPE_NEVER, "loads every module of a package to search it"},
    {"numpy", "info", SHAPE_NEVER, "describes any object, modules among them"},
    {"numpy", "source", SHAPE_NEVER, "reads the source of any object"},
    {"numpy", "who", SHAPE_NEVER, "lists the names of whoever calls it"},
    {"numpy", "disp", SHAPE_NEVER, "writes to whatever it is given; print() does not"},
    {"numpy", "byte_bounds", SHAPE_NEVER, "tells where memory lies"},
    {"numpy", "add_docstring", SHAPE_NEVER, HOOKS},
    {"numpy", "add_newdoc", SHAPE_NEVER, HOOKS},
    {"numpy", "add_newdoc_ufunc", SHAPE_NEVER, HOOKS},
    {"numpy", "deprecate", SHAPE_NEVER, INNER},
    {"numpy", "deprecate_with_doc", SHAPE_NEVER, INNER},
    {"numpy", "set_numeric_ops", SHAPE_NEVER, HOOKS},
    {"numpy", "set_string_function", SHAPE_NEVER, HOOKS},
    {"numpy", "seterrobj", SHAPE_NEVER, HOOKS},
    {"numpy", "get_include", SHAPE_NEVER, TELLS},
    {"numpy", "show_config", SHAPE_NEVER, TELLS},
    {"numpy", "show_runtime", SHAPE_NEVER, TELLS},
    {"numpy.*", "Tester", SHAPE_NEVER, "runs the package's tests"},
    {"numpy.*", "test", SHAPE_NEVER, "runs the package's tests"},

    /* pandas */
    {"pandas.core", NULL, SHAPE_NEVER, INNER},
    {"pandas.io", NULL, SHAPE_NEVER, "holds what reads and writes files"},
    {"pandas.compat", NULL, SHAPE_NEVER, INNER},
    {"pandas.util.version", NULL, SHAPE_NEVER, INNER},
    {"pandas.util", "Appender", SHAPE_NEVER, INNER},
    {"pandas.util", "Substitution", SHAPE_NEVER, INNER},
    {"pandas.util", "cache_readonly", SHAPE_NEVER, INNER},
    {"pandas.offsets", NULL, SHAPE_ANY, NULL},
    {"pandas.api.types", "is_*", SHAPE_ANY, NULL},
    {"pandas.api.types", "pandas_dtype", SHAPE_ANY, NULL},
    {"pandas.api.interchange", NULL, SHAPE_NEVER, MEMORY},
    {"pandas.api.extensions", "ExtensionArray", SHAPE_NEVER, MEMORY},
    {"pandas.api.extensions", "ExtensionDtype", SHAPE_NEVER, HOOKS},
    {"pandas.api.extensions", "register_extension_dtype", SHAPE_NEVER, HOOKS},
    {"pandas.api.extensions", "register_dataframe_accessor", SHAPE_NEVER, HOOKS},
    {"pandas.api.extensions", "register_series_accessor", SHAPE_NEVER, HOOKS},
    {"pandas.api.extensions", "register_index_accessor", SHAPE_NEVER, HOOKS},
    {"pandas", "eval", SHAPE_NEVER, "runs text as code"},
    {"pandas", "read_csv", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_table", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_fwf", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_json", SHAPE_JSON, "reads files, and fetches them from the network"},
    {"pandas", "read_html", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_excel", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_stata", SHAPE_BUFFER, "reads files, and fetches them from the network"},
    {"pandas", "read_sas", SHAPE_NEVER, "reads a format that can make it write anywhere"},
    {"pandas", "read_xml", SHAPE_NEVER, "reads further files that the text names"},
    {"pandas", "read_clipboard", SHAPE_NEVER, "starts programs"},
    {"pandas", "read_feather", SHAPE_NEVER, FILES},
    {"pandas", "read_gbq", SHAPE_NEVER, "uses the network"},
    {"pandas", "read_hdf", SHAPE_NEVER, "reads files, and a pickle in one runs code"},
    {"pandas", "read_orc", SHAPE_NEVER, FILES},
    {"pandas", "read_parquet", SHAPE_NEVER, FILES},
    {"pandas", "read_pickle", SHAPE_NEVER, "runs what a pickle tells it to"},
    {"pandas", "read_spss", SHAPE_NEVER, FILES},
    {"pandas", "read_sql", SHAPE_NEVER, "uses databases"},
    {"pandas", "read_sql_query", SHAPE_NEVER, "uses databases"},
    {"pandas", "read_sql_table", SHAPE_NEVER, "uses databases"},
    {"pandas", "to_pickle", SHAPE_NEVER, "writes files"},
    {"pandas", "HDFStore", SHAPE_NEVER, FILES},
    {"pandas", "ExcelFile", SHAPE_NEVER, FILES},
    {"pandas", "ExcelWriter", SHAPE_NEVER, FILES},
    {"pandas", "show_versions", SHAPE_NEVER, TELLS},
    {"pandas", "test", SHAPE_NEVER, "runs the package's tests"},
    {"pandas", "set_option", SHAPE_OPTIONS, "can load any module, by its name in text"},
    {"pandas", "option_context", SHAPE_OPTIONS, "can load any module, by its name in text"},
    {"pandas", "pivot_table", SHAPE_PIVOT, "calls any method, by its name in text"},
    {"pandas", "crosstab", SHAPE_PIVOT, "calls any method, by its name in text"},

    /* matplotlib */
    {"matplotlib", "*", SHAPE_NEVER, INNER},
    {"matplotlib", "use", SHAPE_BACKEND, "can load any module, by its name in text"},
    {"matplotlib", "rc", SHAPE_RC, "changes settings that load code or start programs"},
    {"matplotlib", "rc_context", SHAPE_RC, "changes settings that load code or start programs"},
    {"matplotlib", "rcParams", SHAPE_SETTINGS, "holds settings that load code or start programs"},
    {"matplotlib", "rcParamsDefault", SHAPE_SETTINGS,
     "holds settings that load code or start programs"},
    {"matplotlib", "rcdefaults", SHAPE_ANY, NULL},
    {"matplotlib", "get_backend", SHAPE_ANY, NULL},
    {"matplotlib", "is_interactive", SHAPE_ANY, NULL},
    {"matplotlib", "interactive", SHAPE_ANY, NULL},
    {"matplotlib", "set_loglevel", SHAPE_ANY, NULL},
    {"matplotlib", "colormaps", SHAPE_ANY, NULL},
    {"matplotlib", "color_sequences", SHAPE_ANY, NULL},
    {"matplotlib", "cycler", SHAPE_ANY, NULL},
    {"matplotlib", "rc_file", SHAPE_NEVER, "reads files"},
    {"matplotlib", "rc_params_from_file", SHAPE_NEVER, "reads files"},
    {"matplotlib", "matplotlib_fname", SHAPE_NEVER, TELLS},
    {"matplotlib", "get_cachedir", SHAPE_NEVER, TELLS},
    {"matplotlib", "get_configdir", SHAPE_NEVER, TELLS},
    {"matplotlib", "get_data_path", SHAPE_NEVER, TELLS},
    {"matplotlib", "cbook", SHAPE_NEVER, "reads files and starts programs"},
    {"matplotlib", "backends", SHAPE_NEVER, "holds what writes files"},
    {"matplotlib", "image", SHAPE_NEVER, FILES},
    {"matplotlib", "texmanager", SHAPE_NEVER, "starts programs"},
    {"matplotlib", "testing", SHAPE_NEVER, "starts programs"},
    {"matplotlib", "animation", SHAPE_NEVER, "starts programs"},
    {"matplotlib.animation", NULL, SHAPE_NEVER, "starts programs"},
    {"matplotlib.backends.backend_agg", "*", SHAPE_NEVER, INNER},
    {"matplotlib.backends.backend_agg", "FigureCanvasAgg", SHAPE_ANY, NULL},
    {"matplotlib.axes", NULL, SHAPE_ANY, NULL},
    {"matplotlib.cm", NULL, SHAPE_ANY, NULL},
    {"matplotlib.collections", NULL, SHAPE_ANY, NULL},
    {"matplotlib.colors", NULL, SHAPE_ANY, NULL},
    {"matplotlib.colors", "make_norm_from_scale", SHAPE_NEVER, "makes classes"},
    {"matplotlib.dates", NULL, SHAPE_ANY, NULL},
    {"matplotlib.dates", "MO", SHAPE_ANY, NULL}, {"matplotlib.dates", "TU", SHAPE_ANY, NULL},
    {"matplotlib.dates", "WE", SHAPE_ANY, NULL}, {"matplotlib.dates", "TH", SHAPE_ANY, NULL},
    {"matplotlib.dates", "FR", SHAPE_ANY, NULL}, {"matplotlib.dates", "SA", SHAPE_ANY, NULL},
    {"matplotlib.dates", "SU", SHAPE_ANY, NULL},
    {"matplotlib.figure", NULL, SHAPE_ANY, NULL},
    {"matplotlib.gridspec", NULL, SHAPE_ANY, NULL},
    {"mpl_toolkits.mplot3d", "*", SHAPE_NEVER, INNER},
    {"mpl_toolkits.mplot3d", "Axes3D", SHAPE_ANY, NULL},
    {"matplotlib.lines", NULL, SHAPE_ANY, NULL},
    {"matplotlib.markers", NULL, SHAPE_ANY, NULL},
    {"matplotlib.patches", NULL, SHAPE_ANY, NULL},
    {"matplotlib.path", NULL, SHAPE_ANY, NULL},
    {"matplotlib.pyplot", NULL, SHAPE_ANY, NULL},
    {"matplotlib.style", NULL, SHAPE_ANY, NULL},
    {"matplotlib.ticker", NULL, SHAPE_ANY, NULL},
    {"matplotlib.transforms", NULL, SHAPE_ANY, NULL},
    {"matplotlib.tri", NULL, SHAPE_ANY, NULL},
    {"matplotlib.style.core", NULL, SHAPE_NEVER, INNER},
    {"matplotlib.*", "subplot_class_factory", SHAPE_NEVER, "makes classes"},
    {"matplotlib.style", "core", SHAPE_NEVER, INNER},
    {"matplotlib.style", "library", SHAPE_NEVER, HOOKS},
    {"matplotlib.style", "reload_library", SHAPE_NEVER, "reads files"},
    {"matplotlib.style", "use", SHAPE_STYLE, "reads files, and fetches them from the network"},
    {"matplotlib.style", "context", SHAPE_STYLE, "reads files, and fetches them from the network"},
    {"matplotlib.pyplot", "cm", SHAPE_ANY, NULL},
    {"matplotlib.pyplot.cm", NULL, SHAPE_ANY, NULL},
    {"matplotlib.pyplot.style", NULL, SHAPE_ANY, NULL},
    {"matplotlib.pyplot", "cycler", SHAPE_ANY, NULL},
    {"matplotlib.pyplot", "savefig", SHAPE_BUFFER, "writes files"},
    {"matplotlib.pyplot", "imsave", SHAPE_BUFFER, "writes files"},
    {"matplotlib.pyplot", "imread", SHAPE_BUFFER, "reads files"},
    {"matplotlib.pyplot", "rc", SHAPE_RC, "changes settings that load code or start programs"},
    {"matplotlib.pyplot", "rc_context", SHAPE_RC,
     "changes settings that load code or start programs"},
    {"matplotlib.pyplot", "rcParams", SHAPE_SETTINGS,
     "holds settings that load code or start programs"},
    {"matplotlib.pyplot", "rcParamsDefault", SHAPE_SETTINGS,
     "holds settings that load code or start programs"},
    {"matplotlib.pyplot", "rcParamsOrig", SHAPE_NEVER, INNER},
    {"matplotlib.pyplot", "switch_backend", SHAPE_BACKEND,
     "can load any module, by its name in text"},
    {"matplotlib.pyplot", "new_figure_manager", SHAPE_NEVER, INNER},
    {"matplotlib.pyplot", "get_current_fig_manager", SHAPE_NEVER, INNER},
    {"matplotlib.pyplot", "install_repl_displayhook", SHAPE_NEVER, HOOKS},
    {"matplotlib.pyplot", "uninstall_repl_displayhook", SHAPE_NEVER, HOOKS},
    {"matplotlib.pyplot", "ginput", SHAPE_NEVER, "waits for somebody to click"},
    {"matplotlib.pyplot", "waitforbuttonpress", SHAPE_NEVER, "waits for somebody to click"},
    {"matplotlib.pyplot", "subplot_tool", SHAPE_NEVER, "opens a window"},
};

/* ---- attributes of what they hand out: sorted ---------------------------------------------- */

#define OBJECTS "leads to functions or memory of the interpreter, and from there to everything"
#define BY_NAME "calls any method, by its name in text"
#define FORMATS "can read any attribute, by a format in text"
#define TEMPLATE "runs templates, which reach everything by names in text"
#define PRINTS "writes files"

static const struct package_name attributes[] = {
    {"agg", SHAPE_FUNCTIONS, BY_NAME},
    {"aggregate", SHAPE_FUNCTIONS, BY_NAME},
    {"apply", SHAPE_FUNCTIONS, BY_NAME},
    {"capsule", SHAPE_NEVER, OBJECTS},
    {"cffi", SHAPE_NEVER, OBJECTS},
    {"draw_gouraud_triangle", SHAPE_NEVER, MEMORY},
    {"draw_gouraud_triangles", SHAPE_NEVER, MEMORY},
    {"draw_path_collection", SHAPE_NEVER, MEMORY},
    {"draw_quad_mesh", SHAPE_NEVER, MEMORY},
    {"dump", SHAPE_NEVER, PRINTS},
    {"dumps", SHAPE_NEVER, "makes a pickle, which runs code where it is read"},
    {"env", SHAPE_NEVER, TEMPLATE},
    {"environment", SHAPE_NEVER, TEMPLATE},
    {"eval", SHAPE_EXPRESSION, "runs text as code"},
    {"fileno", SHAPE_NEVER, "is what packages take for an open file"},
    {"filter", SHAPE_FILTER, BY_NAME},
    {"format_index", SHAPE_CELL, FORMATS},
    {"from_custom_template", SHAPE_NEVER, TEMPLATE},
    {"func_closure", SHAPE_NEVER, OBJECTS},
    {"func_code", SHAPE_NEVER, OBJECTS},
    {"func_defaults", SHAPE_NEVER, OBJECTS},
    {"func_dict", SHAPE_NEVER, OBJECTS},
    {"func_globals", SHAPE_NEVER, OBJECTS},
    {"get_cpp_triangulation", SHAPE_NEVER, MEMORY},
    {"grouper", SHAPE_NEVER, MEMORY},
    {"iters", SHAPE_NEVER, MEMORY},
    {"loader", SHAPE_NEVER, TEMPLATE},
    {"mathtext_parser", SHAPE_NEVER, MEMORY},
    {"pivot_table", SHAPE_PIVOT, BY_NAME},
    {"plotting", SHAPE_NEVER, "can load any module, by its name in text"},
    {"print_eps", SHAPE_BUFFER, PRINTS},
    {"print_figure", SHAPE_BUFFER, PRINTS},
    {"print_jpeg", SHAPE_BUFFER, PRINTS},
    {"print_jpg", SHAPE_BUFFER, PRINTS},
    {"print_pdf", SHAPE_BUFFER, PRINTS},
    {"print_pgf", SHAPE_NEVER, "starts programs"},
    {"print_png", SHAPE_BUFFER, PRINTS},
    {"print_ps", SHAPE_NEVER, "starts programs"},
    {"print_raw", SHAPE_BUFFER, PRINTS},
    {"print_rgba", SHAPE_BUFFER, PRINTS},
    {"print_svg", SHAPE_BUFFER, PRINTS},
    {"print_svgz", SHAPE_BUFFER, PRINTS},
    {"print_tif", SHAPE_BUFFER, PRINTS},
    {"print_tiff", SHAPE_BUFFER, PRINTS},
    {"print_webp", SHAPE_BUFFER, PRINTS},
    {"query", SHAPE_EXPRESSION, "runs text as code"},
    {"resize", SHAPE_RESIZE, "can leave other arrays with memory that is gone"},
    {"savefig", SHAPE_BUFFER, PRINTS},
    {"set_file", SHAPE_NEVER, "opens a file as a font"},
    {"set_major_formatter", SHAPE_CELL, FORMATS},
    {"set_minor_formatter", SHAPE_CELL, FORMATS},
    {"set_usetex", SHAPE_NEVER, "starts programs"},
    {"switch_backends", SHAPE_NEVER, INNER},
    {"template_html", SHAPE_NEVER, TEMPLATE},
    {"template_html_style", SHAPE_NEVER, TEMPLATE},
    {"template_html_table", SHAPE_NEVER, TEMPLATE},
    {"template_latex", SHAPE_NEVER, TEMPLATE},
    {"template_string", SHAPE_NEVER, TEMPLATE},
    {"to_clipboard", SHAPE_NEVER, "starts programs"},
    {"to_csv", SHAPE_TEXT, PRINTS},
    {"to_excel", SHAPE_NEVER, PRINTS},
    {"to_feather", SHAPE_NEVER, PRINTS},
    {"to_gbq", SHAPE_NEVER, "uses the network"},
    {"to_hdf", SHAPE_NEVER, PRINTS},
    {"to_html", SHAPE_TEXT, PRINTS},
    {"to_json", SHAPE_TEXT, PRINTS},
    {"to_latex", SHAPE_TEXT, PRINTS},
    {"to_markdown", SHAPE_TEXT, PRINTS},
    {"to_orc", SHAPE_NEVER, PRINTS},
    {"to_parquet", SHAPE_NEVER, PRINTS},
    {"to_pickle", SHAPE_NEVER, PRINTS},
    {"to_sql", SHAPE_NEVER, "uses databases"},
    {"to_stata", SHAPE_NEVER, PRINTS},
    {"to_string", SHAPE_TEXT, PRINTS},
    {"to_xml", SHAPE_TEXT, PRINTS},
    {"tofile", SHAPE_NEVER, PRINTS},
    {"transform", SHAPE_FUNCTIONS, BY_NAME},
};

/* ---- keywords of what they let be called: sorted -------------------------------------------- */

static const struct package_name keywords[] = {
    {"aggfunc", SHAPE_FUNCTIONS, BY_NAME},
    {"allow_pickle", SHAPE_NEVER, "lets a pickle run code"},
    {"backend", SHAPE_BACKEND, "can load any module, by its name in text"},
    {"font", SHAPE_FONT, "can open a file as a font"},
    {"font_properties", SHAPE_FONT, "can open a file as a font"},
    {"fontproperties", SHAPE_FONT, "can open a file as a font"},
    {"format", SHAPE_FORMAT, "can start programs"},
    {"pad_left", SHAPE_NEVER, "makes numpy write beyond its memory"},
    {"pad_right", SHAPE_NEVER, "makes numpy write beyond its memory"},
    {"prop", SHAPE_FONT, "can open a file as a font"},
    {"refcheck", SHAPE_NEVER, "leaves other arrays with memory that is gone"},
    {"storage_options", SHAPE_NEVER, "is for files of the network"},
    {"stylesheet", SHAPE_NEVER, "reads a file, which is a program"},
    {"usetex", SHAPE_NEVER, "starts programs"},
};

/* pandas finds an option by a part of its name, with "." for any character. */
static const char *const option_doors[] = {"plotting.backend"};

/* Settings of matplotlib, by how they begin. */
static const char *const setting_doors[] = {
    "animation.",             /* programs and their arguments */
    "backend",                /* a module's name */
    "docstring",              /* of other versions */
    "mathtext.fallback_to",   /* of other versions */
    "path.effects",           /* evaluated in files of settings */
    "pgf.",                   /* starts TeX */
    "ps.",                    /* starts programs */
    "savefig.directory",      /* a path */
    "svg.image_inline",       /* off: images go to files beside it */
    "text.latex",             /* TeX */
    "text.usetex",            /* TeX */
    "webagg.",                /* a server */
};
/* clang-format on */

/* ---- look-ups --------------------------------------------------------------------------------- */

/* "numpy.*" fits numpy and all below it. */
static int fits(const char *pattern, const char *module)
{
    size_t len = strlen(pattern);
    if (pattern[len - 1] != '*')
        return strcmp(pattern, module) == 0;
    len -= 2;
    return strncmp(pattern, module, len) == 0 && (module[len] == '\0' || module[len] == '.');
}

/* "is_*" fits what begins so; "*" is asked for by itself. */
static int is_named(const char *pattern, const char *name)
{
    if (!pattern || !name)
        return pattern == name;
    size_t len = strlen(pattern);
    return strcmp(pattern, name) == 0 ||
           (len > 1 && pattern[len - 1] == '*' && strncmp(pattern, name, len - 1) == 0);
}

static const struct package_row *find_row(const char *module, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (is_named(rows[i].name, name) && fits(rows[i].module, module))
            return &rows[i];
    return NULL;
}

const struct package_row *package_row_at(size_t at)
{
    return at < ARRAY_LEN(rows) ? &rows[at] : NULL;
}

const struct package_row *package_row_of(const char *module, const char *name)
{
    const struct package_row *row = find_row(module, name);
    return row || !name ? row : find_row(module, "*");
}

int package_is_reviewed(const char *top)
{
    size_t len = strlen(top);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strncmp(rows[i].module, top, len) == 0 && strchr(".", rows[i].module[len]))
            return 1;
    return 0;
}

static const struct package_name *find_name(const struct package_name *names, size_t count,
                                            const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, names[middle].name);
        if (order == 0)
            return &names[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct package_name *package_attribute(const char *name)
{
    return find_name(attributes, ARRAY_LEN(attributes), name);
}

int package_attribute_begins(const char *prefix, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(attributes); i++)
        if (strncmp(attributes[i].name, prefix, len) == 0)
            return 1;
    return 0;
}

const struct package_name *package_keyword(const char *name)
{
    return find_name(keywords, ARRAY_LEN(keywords), name);
}

/* `key` as a pattern that is found in `option`. */
static int is_part(const char *key, const char *option)
{
    for (; *option; option++) {
        size_t i = 0;
        while (key[i] && option[i] && (key[i] == '.' || key[i] == option[i]))
            i++;
        if (!key[i])
            return 1;
    }
    return 0;
}

int package_option_is_door(const char *key)
{
    if (strspn(key, "abcdefghijklmnopqrstuvwxyz_.0123456789") != strlen(key))
        return 1; /* more of a pattern than of a name */
    for (size_t i = 0; i < ARRAY_LEN(option_doors); i++)
        if (is_part(key, option_doors[i]))
            return 1;
    return 0;
}

int package_setting_is_door(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(setting_doors); i++)
        if (strncmp(key, setting_doors[i], strlen(setting_doors[i])) == 0)
            return 1;
    return 0;
}
