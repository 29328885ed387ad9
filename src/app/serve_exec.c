/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_exec: `cordon serve` in the program that has no HTTP: becomes the one that has. It
 * lies beside this one (as built) or where the other helpers were installed.
 */
#include "app/cmd_serve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "app/out.h"

#define NAME "cordon-serve"

/* The name of the program in the directory of this one. 0 or -errno. */
static int beside(char *ret, size_t size)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n < 0)
        return -errno;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return -ENOENT;
    *slash = '\0';
    return snprintf(ret, size, "%s/" NAME, self) < (int)size ? 0 : -ENAMETOOLONG;
}

int serve_main(const struct command *self, int argc, char **argv)
{
    char path[PATH_MAX];
    char **whole = argv - 1; /* main() took off its own name only */
    (void)self, (void)argc;
    if (beside(path, sizeof(path)) == 0)
        (void)execv(path, whole);
    (void)execv(CORDON_LIBEXECDIR "/" NAME, whole);
    out_complain("cannot start '" CORDON_LIBEXECDIR "/" NAME "': %s; is Cordon installed whole?",
                 strerror(errno));
    return EXIT_INTERNAL;
}
