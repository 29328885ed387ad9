/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: see view.h. Paths are resolved one component at a time, as the kernel does, and
 * each symbolic link met becomes a row of its own: inside the box every name that leads
 * to a shown file on the host leads to it too, and no other name does.
 */
#include "core/view.h"

#include "base/err.h"
#include "base/wire.h"
#include "jail/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LINKS_MAX 40 /* as the kernel's own limit (path_resolution(7)) */
#define ROWS_MAX 256

#ifndef CORDON_MULTIARCH
#define CORDON_MULTIARCH ""
#endif

/* Where shared libraries are found; those that exist are shown. */
static const char *const library_dirs[] = {
    "/lib64",           "/usr/lib64", "/lib/" CORDON_MULTIARCH, "/usr/lib/" CORDON_MULTIARCH,
    "/etc/ld.so.cache",
};

/* In the sanitizer build the worker needs its runtime loaded before the interpreter's; the
 * interpreter itself leaks by design, and a sandbox ends without clean-up. */
#ifdef CORDON_SANITIZED
static const char *const sanitizer_libs[] = {CORDON_ASAN_LIB, CORDON_UBSAN_LIB, NULL};
static const char *const sanitizer_environ[] = {
    "LD_PRELOAD=" CORDON_ASAN_LIB,
    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0:handle_sigbus=0:"
    "handle_sigfpe=0:handle_sigill=0:handle_abort=0", /* a crash has to end as one */
    NULL,
};
#else
static const char *const sanitizer_libs[] = {NULL};
static const char *const sanitizer_environ[] = {NULL};
#endif

#define WORKER_NAME VIEW_WORKER_NAME
#define WORKER_DIR VIEW_WORKER_DIR
#define WORK_DIR VIEW_WORK_DIR

/* When the worker itself cannot be loaded, its reason goes to the keeper as a WIRE_FAILED. */
static const char boot[] =
    "import sys\n"
    "sys.path.insert(0, sys.argv[3])\n"
    "try:\n"
    "    import _cordon_worker\n"
    "except BaseException as e:\n"
    "    import os, struct\n"
    "    why = ('cannot load the worker into Python %d.%d: %s' % (*sys.version_info[:2], "
    "e)).encode()\n"
    "    os.write(3, struct.pack('=IIQii24s512s16x', 9, 560, 0, -4, 0, b'load', why[:511]))\n"
    "    os._exit(1)\n"
    "getattr(_cordon_worker, sys.argv[1])(3, sys.argv[2])\n";
_Static_assert(WIRE_FAILED == 9 && sizeof(struct cordon_err) == 560 && CORDON_E_HELPER == -4,
               "the boot program packs one by hand");

struct view {
    struct buf plan;
    char *shown[ROWS_MAX]; /* host paths that have a row, so that none gets two */
    size_t count;
    char walls_down[16];
    int is_approved;   /* the files are an approved run's */
    const char *place; /* on the host, of working directories: it keeps the host's root */
    struct cordon_err *reterr;
};

static int view_error(struct view *v, int rc)
{
    if (rc == -ENOMEM)
        return err_set(v->reterr, CORDON_E_NOMEM, ENOMEM, "cannot plan the box");
    return err_set(v->reterr, CORDON_E_ARG, 0,
                   "the box's plan is too large: too many files to show");
}

static int add_row(struct view *v, enum plan_op op, const char *a, const char *b)
{
    int rc = plan_add(&v->plan, op, a, b);
    return rc < 0 ? view_error(v, rc) : 0;
}

/* Whether `path` lies in (or is) something that has a row already. */
static int is_shown(const struct view *v, const char *path)
{
    for (size_t i = 0; i < v->count; i++) {
        size_t n = strlen(v->shown[i]);
        if (strncmp(path, v->shown[i], n) == 0 && (path[n] == '/' || path[n] == '\0'))
            return 1;
    }
    return 0;
}

static int remember(struct view *v, const char *path)
{
    if (v->count >= ARRAY_LEN(v->shown))
        return view_error(v, -E2BIG);
    v->shown[v->count] = strdup(path);
    if (!v->shown[v->count])
        return view_error(v, -ENOMEM);
    v->count++;
    return 0;
}

static int show_link(struct view *v, const char *at, const char *text)
{
    if (is_shown(v, at))
        return 0;
    int rc = add_row(v, PLAN_SYMLINK, text, at);
    return rc < 0 ? rc : remember(v, at);
}

/* path := the link's text, seen from the link's directory, then the rest of the path. */
static int follow(char *path, size_t at, const char *text, const char *rest)
{
    char next[PATH_MAX * 2];
    int n;
    if (text[0] == '/')
        n = snprintf(next, sizeof(next), "%s%s", text, rest);
    else
        n = snprintf(next, sizeof(next), "%.*s/%s%s", (int)at, path, text, rest);
    if (n < 0 || n >= PATH_MAX)
        return -1;
    memcpy(path, next, (size_t)n + 1);
    return 0;
}

/* Removes "." and "//" and resolves ".." in an absolute path whose beginning has no links. */
static void tidy(char *path)
{
    char *out = path;
    for (const char *p = path; *p;) {
        while (*p == '/')
            p++;
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            while (out > path && *--out != '/')
                ;
        } else if (n > 0 && !(n == 1 && p[0] == '.')) {
            *out++ = '/';
            memmove(out, p, n);
            out += n;
        }
        p += n;
    }
    if (out == path)
        *out++ = '/';
    *out = '\0';
}

/*
 * One pass over `path` up to its first symbolic link. Returns 1 when a link was followed
 * (path is changed: start again), 0 when there is none, -errno when it cannot be read.
 * Only text before the first link is tidied, so ".." never skips a link.
 */
static int resolve_step(struct view *v, char *path)
{
    for (size_t at = 0; path[at] != '\0';) {
        size_t end = at + 1 + strcspn(path + at + 1, "/");
        char part[PATH_MAX];
        char text[PATH_MAX];
        memcpy(part, path, end);
        part[end] = '\0';
        if (strcmp(part + at, "/..") == 0 || strcmp(part + at, "/.") == 0 || end == at + 1) {
            char rest[PATH_MAX];
            (void)snprintf(rest, sizeof(rest), "%s", path + end);
            tidy(part);
            size_t n = strlen(part);
            if (n + strlen(rest) >= PATH_MAX)
                return -ENAMETOOLONG;
            memcpy(path, part, n);
            memcpy(path + n, rest, strlen(rest) + 1);
            return 1;
        }
        ssize_t n = readlink(part, text, sizeof(text) - 1);
        if (n < 0 && errno != EINVAL)
            return -errno;
        if (n >= 0) {
            text[n] = '\0';
            int rc = show_link(v, part, text);
            if (rc < 0)
                return rc;
            char rest[PATH_MAX];
            (void)snprintf(rest, sizeof(rest), "%s", path + end);
            return follow(path, at, text, rest) < 0 ? -ENAMETOOLONG : 1;
        }
        at = end;
    }
    return 0;
}

enum missing { SKIP_MISSING, MUST_EXIST };

/* Shows one host path, and every link on the way to it, under its own name. */
static int show(struct view *v, const char *host_path, enum missing missing)
{
    char path[PATH_MAX];
    int rc = snprintf(path, sizeof(path), "%s", host_path) >= PATH_MAX ? -ENAMETOOLONG : 1;
    for (int links = 0; rc == 1; links++)
        rc = links > LINKS_MAX * 2 ? -ELOOP : resolve_step(v, path);
    if (rc == -ENOENT && missing == SKIP_MISSING)
        return 0;
    if (rc < 0)
        return v->reterr && v->reterr->code ? rc
                                            : err_set(v->reterr, CORDON_E_ARG, -rc,
                                                      "cannot show '%s' in the box", host_path);
    if (is_shown(v, path))
        return 0;
    rc = add_row(v, PLAN_BIND, path, path);
    return rc < 0 ? rc : remember(v, path);
}

static int show_interpreter(struct view *v, const struct interpreter *in)
{
    char dir[PATH_MAX + 8];
    int rc = 0;
    /* /usr holds far more than Python: of it only the library. Any other prefix is
     * Python's own, or (/usr/local, a conda environment) is shown by its lib. */
    if (strcmp(in->prefix, "/usr") == 0)
        rc = show(v, in->stdlib, MUST_EXIST);
    else if ((rc = snprintf(dir, sizeof(dir), "%s/lib", in->prefix)) > 0)
        rc = show(v, dir, MUST_EXIST);
    if (rc >= 0 && in->venv[0])
        rc = show(v, in->venv, MUST_EXIST);
    if (rc >= 0 && in->venv[0] && strcmp(in->prefix, "/usr") == 0)
        rc = show(v, "/usr/lib/python3", SKIP_MISSING); /* Debian's packages, where it sees them */
    if (rc >= 0)
        rc = show(v, in->program, MUST_EXIST);
    return rc;
}

static json_t *string_list(const char *const *items)
{
    json_t *list = json_array();
    for (size_t i = 0; list && items[i]; i++)
        if (json_array_append_new(list, json_string(items[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* The names of what is set for loading only, and must be gone before user code. */
static json_t *load_names(const char *const *entries)
{
    json_t *list = json_array();
    for (size_t i = 0; list && entries[i]; i++)
        (void)json_array_append_new(list, json_stringn(entries[i], strcspn(entries[i], "=")));
    for (size_t i = 0; list && sanitizer_environ[i]; i++)
        (void)json_array_append_new(
            list, json_stringn(sanitizer_environ[i], strcspn(sanitizer_environ[i], "=")));
    return list;
}

/* What the worker has to know of the profile, as one argument of the zygote. */
static char *worker_config(const struct profile *p, uint32_t walls_down)
{
    json_t *config = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:I}", "profile", p->name, "allow",
                               string_list(p->allow), "load", string_list(p->load), "c_imports",
                               string_list(p->c_imports), "hide_builtins",
                               string_list(p->hide_builtins), "hide_environ",
                               load_names(p->load_environ), "walls_down", (json_int_t)walls_down);
    char *text = config ? json_dumps(config, JSON_COMPACT) : NULL;
    json_decref(config);
    return text;
}

/* A box with the host's root has no other place to write to than the one it is given. */
static int add_load_environ(struct view *v, const char *entry)
{
    char text[PATH_MAX + 8];

    if (!v->place || strncmp(entry, "TMPDIR=", 7) != 0)
        return add_row(v, PLAN_ENV, entry, NULL);
    (void)snprintf(text, sizeof(text), "TMPDIR=%s", v->place);
    return add_row(v, PLAN_ENV, text, NULL);
}

static int add_program(struct view *v, const struct profile *p, const struct interpreter *in,
                       const char *helper_dir, enum view_use use, uint32_t walls_down)
{
    AUTO_FREE char *config =
        use == VIEW_FOR_READER ? strdup(v->walls_down) : worker_config(p, walls_down);
    if (!config)
        return view_error(v, -ENOMEM);
    /* -S: without site, start is quicker; a virtual environment needs it to find its packages. */
    const char *args[] = {in->program,
                          "-I",
                          in->venv[0] || p->site == PROFILE_SITE_ON ? NULL : "-S",
                          "-B",
                          "-X",
                          "utf8",
                          "-c",
                          boot,
                          use == VIEW_FOR_READER ? "reader" : "zygote",
                          config,
                          v->place ? helper_dir : WORKER_DIR};
    int rc = add_row(v, PLAN_PROGRAM, in->program, NULL);
    for (size_t i = 0; rc >= 0 && i < ARRAY_LEN(args); i++)
        if (args[i])
            rc = add_row(v, PLAN_ARG, args[i], NULL);
    for (size_t i = 0; rc >= 0 && p->environ[i]; i++)
        rc = add_row(v, PLAN_ENV, p->environ[i], NULL);
    for (size_t i = 0; rc >= 0 && p->load_environ[i]; i++)
        rc = add_load_environ(v, p->load_environ[i]);
    return rc;
}

static int add_sanitizer(struct view *v)
{
    int rc = 0;
    for (size_t i = 0; rc >= 0 && sanitizer_libs[i]; i++)
        rc = show(v, sanitizer_libs[i], MUST_EXIST);
    for (size_t i = 0; rc >= 0 && sanitizer_environ[i]; i++)
        rc = add_row(v, PLAN_ENV, sanitizer_environ[i], NULL);
    return rc;
}

/* An approved run can map what it is shown, and a shared map of /dev/zero is memory that nobody
 * counts; of /dev/full zeros can be read, too. */
static int add_device(struct view *v, const char *path)
{
    int is_full = v->is_approved && strcmp(path, "/dev/zero") == 0;
    return add_row(v, PLAN_DEVICE, is_full ? "/dev/full" : path, path);
}

static int add_files(struct view *v, const struct profile *p, const struct interpreter *in,
                     const char *helper_dir)
{
    char worker[PATH_MAX];
    int rc = show_interpreter(v, in);
    for (size_t i = 0; rc >= 0 && i < ARRAY_LEN(library_dirs); i++)
        rc = show(v, library_dirs[i], SKIP_MISSING);
    for (size_t i = 0; rc >= 0 && p->view[i]; i++)
        rc = show(v, p->view[i], SKIP_MISSING);
    for (size_t i = 0; rc >= 0 && p->devices[i]; i++)
        rc = add_device(v, p->devices[i]);
    if (rc >= 0)
        rc = add_sanitizer(v);
    (void)snprintf(worker, sizeof(worker), "%s/" WORKER_NAME, helper_dir);
    if (rc >= 0 && access(worker, R_OK) < 0)
        return err_set(v->reterr, CORDON_E_HELPER, errno,
                       "cannot read the worker module '%s'; is Cordon installed whole?", worker);
    if (rc >= 0)
        rc = add_row(v, PLAN_BIND, worker, v->place ? worker : WORKER_DIR "/" WORKER_NAME);
    if (rc >= 0)
        rc = add_row(v, PLAN_DIR, "/proc", NULL); /* the zygote's, not the sandboxes' */
    return rc < 0 ? rc : add_row(v, PLAN_WORK, v->place ? v->place : WORK_DIR, NULL);
}

static void forget_shown(struct view *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->shown[i]);
}

int view_plan(const struct profile *profile, const struct interpreter *interpreter,
              const char *helper_dir, const char *place, enum view_use use, uint32_t walls_down,
              struct buf *ret_plan, struct cordon_err *reterr)
{
    struct cordon_err ignored = {0};
    struct view v = {.reterr = reterr ? reterr : &ignored, .place = place};
    (void)snprintf(v.walls_down, sizeof(v.walls_down), "%u", walls_down);
    int rc = add_row(&v, PLAN_WALLS_DOWN, v.walls_down, NULL);
    if (rc >= 0)
        rc = add_files(&v, profile, interpreter, helper_dir);
    if (rc >= 0)
        rc = add_program(&v, profile, interpreter, helper_dir, use, walls_down);
    forget_shown(&v);
    if (rc < 0) {
        buf_done(&v.plan);
        return rc;
    }
    *ret_plan = v.plan;
    return 0;
}

/* What a normal process finds in /dev beside devices. */
static int add_dev(struct view *v)
{
    static const struct {
        const char *text, *at;
    } links[] = {
        {"/proc/self/fd", "/dev/fd"},
        {"/proc/self/fd/0", "/dev/stdin"},
        {"/proc/self/fd/1", "/dev/stdout"},
        {"/proc/self/fd/2", "/dev/stderr"},
    };
    int rc = add_row(v, PLAN_DIR, "/dev/shm", NULL); /* the run mounts its own there */
    for (size_t i = 0; rc >= 0 && i < ARRAY_LEN(links); i++)
        rc = add_row(v, PLAN_SYMLINK, links[i].text, links[i].at);
    return rc;
}

int view_files(const struct profile *profile, const struct interpreter *interpreter,
               const char *helper_dir, struct buf *plan, struct cordon_err *reterr)
{
    struct cordon_err ignored = {0};
    struct view v = {.reterr = reterr ? reterr : &ignored, .plan = *plan, .is_approved = 1};
    int rc = add_files(&v, profile, interpreter, helper_dir);
    if (rc >= 0)
        rc = add_dev(&v);
    forget_shown(&v);
    *plan = v.plan;
    return rc;
}
