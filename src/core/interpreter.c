/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter: what is at that path, found without running it. The landmarks are those
 * of CPython's Modules/getpath.py: pyvenv.cfg beside the binary or one level up, and
 * lib/pythonX.Y/os.py below the prefix.
 */
#include "core/view.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#define MINOR_FLOOR 11

static int refuse(struct cordon_err *reterr, int sys, const char *path, const char *why)
{
    (void)err_set(reterr, CORDON_E_ARG, sys, "python '%s' %s", path, why);
    err_step(reterr, "python");
    return CORDON_E_ARG;
}

/* Cuts the last component off; "/" and "" stay as they are. */
static void to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path ? 1 : 0] = '\0';
}

static int check_binary(const char *given, const char *real, struct cordon_err *reterr)
{
    char magic[4] = {0};
    AUTO_FD fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return refuse(reterr, errno, given, "cannot be opened");
    if (access(real, X_OK) < 0)
        return refuse(reterr, errno, given, "cannot be executed");
    ssize_t n = read(fd, magic, sizeof(magic));
    if (n != 4 || memcmp(magic, "\177ELF", 4) != 0)
        return refuse(
            reterr, 0, given,
            "is not a program for Linux but a script or a directory; give the interpreter "
            "itself (python3 -c 'import sys; print(sys.executable)' tells it)");
    const char *name = strrchr(real, '/');
    if (name && strncmp(name, "/python", 7) != 0)
        return refuse(reterr, 0, given, "is not a Python: the program behind it has another name");
    return 0;
}

/* The virtual environment that the program belongs to, if any. */
static void find_venv(struct interpreter *in)
{
    char dir[PATH_MAX];
    memcpy(dir, in->program, sizeof(dir));
    for (int level = 0; level < 2; level++) {
        char mark[PATH_MAX + 16];
        to_parent(dir);
        (void)snprintf(mark, sizeof(mark), "%s/pyvenv.cfg", dir);
        if (access(mark, R_OK) == 0) {
            memcpy(in->venv, dir, sizeof(in->venv));
            return;
        }
    }
}

/* The minor version in a ".../python3.N" path; 0 when it does not end like that. */
static int minor_of(const char *path)
{
    const char *name = strrchr(path, '/');
    int minor = 0;
    int end = 0;
    if (!name || sscanf(name, "/python3.%2d%n", &minor, &end) != 1 || name[end] != '\0')
        return 0;
    return minor;
}

/* A build without the global lock is python3.Nt, and so is its library. */
static int is_free_threaded(const struct interpreter *in)
{
    char pattern[PATH_MAX + 32];
    glob_t g;
    if (minor_of(in->real) == 0 && strstr(in->real, "/python3.") &&
        in->real[strlen(in->real) - 1] == 't')
        return 1;
    (void)snprintf(pattern, sizeof(pattern), "%s/lib*/python3.*[!t]/os.py", in->prefix);
    if (glob(pattern, 0, NULL, &g) == 0) {
        globfree(&g);
        return 0;
    }
    (void)snprintf(pattern, sizeof(pattern), "%s/lib*/python3.*t/os.py", in->prefix);
    if (glob(pattern, 0, NULL, &g) != 0)
        return 0;
    globfree(&g);
    return 1;
}

/* Fills stdlib and minor from prefix/lib*; the binary's own name settles which of several. */
static int find_stdlib(struct interpreter *in)
{
    static const char *const libs[] = {"lib", "lib64"};
    int wanted = minor_of(in->real);
    int found = 0;
    for (size_t i = 0; i < ARRAY_LEN(libs) && found == 0; i++) {
        char pattern[PATH_MAX + 32];
        glob_t g;
        (void)snprintf(pattern, sizeof(pattern), "%s/%s/python3.*/os.py", in->prefix, libs[i]);
        if (glob(pattern, 0, NULL, &g) != 0)
            continue;
        for (size_t k = 0; k < g.gl_pathc; k++) {
            to_parent(g.gl_pathv[k]);
            int minor = minor_of(g.gl_pathv[k]);
            if (minor == 0 || (wanted && minor != wanted))
                continue;
            found++;
            in->minor = minor;
            (void)snprintf(in->stdlib, sizeof(in->stdlib), "%s", g.gl_pathv[k]);
        }
        globfree(&g);
    }
    return found == 1 ? 0 : -1;
}

int interpreter_find(const char *path, struct interpreter *ret, struct cordon_err *reterr)
{
    struct interpreter in = {0};
    if (path[0] == '/')
        (void)snprintf(in.program, sizeof(in.program), "%s", path);
    else if (!getcwd(in.program, sizeof(in.program)) ||
             strlen(in.program) + strlen(path) + 2 > sizeof(in.program))
        return refuse(reterr, errno, path, "cannot be made an absolute path");
    else
        (void)snprintf(in.program + strlen(in.program), sizeof(in.program) - strlen(in.program),
                       "/%s", path);
    if (!realpath(in.program, in.real))
        return refuse(reterr, errno, path, "cannot be found");
    int rc = check_binary(path, in.real, reterr);
    if (rc < 0)
        return rc;
    find_venv(&in);
    memcpy(in.prefix, in.real, sizeof(in.prefix));
    to_parent(in.prefix); /* .../bin */
    to_parent(in.prefix);
    if (is_free_threaded(&in))
        return refuse(reterr, 0, path,
                      "is a free-threaded build, which cannot load Cordon's worker: use the "
                      "ordinary build of that version");
    if (find_stdlib(&in) < 0)
        return refuse(reterr, 0, path,
                      "has no library lib/python3.N beside it: it does not look like CPython");
    if (in.minor < MINOR_FLOOR)
        return refuse(reterr, 0, path, "is older than Python 3.11, the oldest that Cordon can use");
    *ret = in;
    return 0;
}
