/* SPDX-License-Identifier: Apache-2.0 */
/* config: see config.h. Finding and reading the file; what it means is config_build's. */
#include "core/config.h"

#include "base/err.h"
#include "core/config_build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (1024 * 1024)
#define SYSTEM_FILE "/etc/cordon/cordon.yaml"

struct profile_set {
    char *file; /* NULL: none */
    struct raw_config *raw;
    struct built_set built;
};

static int refuse_file(const char *path, int sys, const char *why, struct cordon_err *reterr)
{
    (void)err_set(reterr, CORDON_E_ARG, sys, "cannot read the configuration '%.200s'%s%s", path,
                  why[0] ? ": " : "", why);
    err_step(reterr, "config");
    return CORDON_E_ARG;
}

/* Reads all of fd, at most FILE_MAX bytes. */
static int read_text(int fd, const char *path, struct buf *out, struct cordon_err *reterr)
{
    char chunk[16384];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse_file(path, errno, "", reterr);
        int rc = buf_add(out, chunk, (size_t)n, FILE_MAX);
        if (rc == -E2BIG)
            return refuse_file(path, 0, "it is larger than 1 MiB", reterr);
        if (rc < 0)
            return refuse_file(path, -rc, "", reterr);
    }
    return 0;
}

/* ---- which file ------------------------------------------------------------------ */

/* The caller's own file, or "" where the environment names no place for one. */
static void own_file(char *ret, size_t size)
{
    const char *xdg = secure_getenv("XDG_CONFIG_HOME");
    const char *home = secure_getenv("HOME");
    ret[0] = '\0';
    if (xdg && xdg[0] == '/') /* a relative one is to be ignored, says the specification */
        (void)snprintf(ret, size, "%s/cordon/cordon.yaml", xdg);
    else if (home && home[0] == '/')
        (void)snprintf(ret, size, "%s/.config/cordon/cordon.yaml", home);
}

/*
 * Whether open() says that there is no such file. Below a directory that the caller may
 * not even search (the HOME of whoever it was before setpriv or su) there is none of its
 * own; a file that it can see and not read is another thing.
 */
static int is_absent(const char *path, int sys)
{
    struct stat st;
    if (sys != EACCES)
        return sys == ENOENT || sys == ENOTDIR;
    return stat(path, &st) < 0 && errno == EACCES;
}

/* Opens the configuration: 1, or 0 when there is none and none was asked for. */
static int open_file(const char *path, char *ret_path, size_t size, int *ret_fd,
                     struct cordon_err *reterr)
{
    char own[PATH_MAX];
    own_file(own, sizeof(own));
    const char *const tried[] = {path ? path : own, path ? "" : SYSTEM_FILE};
    for (size_t i = 0; i < ARRAY_LEN(tried); i++) {
        if (!path && !tried[i][0])
            continue;
        AUTO_FD fd = open(tried[i], O_RDONLY | O_CLOEXEC | O_NOCTTY);
        int sys = fd < 0 ? errno : 0;
        if (fd < 0 && !path && is_absent(tried[i], sys))
            continue;
        if (fd < 0)
            return refuse_file(tried[i], sys, "", reterr);
        (void)snprintf(ret_path, size, "%s", tried[i]);
        *ret_fd = fd_take(&fd);
        return 1;
    }
    return 0;
}

/* ---- the set ----------------------------------------------------------------------- */

/* Parses the text and builds every profile in it. */
static int take_text(struct profile_set *set, const struct buf *text, struct cordon_err *reterr)
{
    struct config_yaml y;
    const char *data = text->data ? text->data : "";
    int rc = config_yaml_open(set->file, data, text->len, &y, reterr);
    if (rc < 0)
        return rc;
    if (!config_yaml_is_empty(&y))
        rc = config_schema_load(&y, data, text->len, &set->raw, reterr);
    if (rc == 0)
        rc = config_build(&y, set->raw, &set->built, reterr);
    config_yaml_done(&y);
    return rc;
}

static int load(struct profile_set *set, const char *path, struct cordon_err *reterr)
{
    char file[PATH_MAX];
    AUTO_FD fd = -1;
    struct buf text = {0};
    int rc = open_file(path, file, sizeof(file), &fd, reterr);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return config_build(NULL, NULL, &set->built, reterr);
    set->file = strdup(file);
    if (!set->file)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot read the configuration");
    rc = read_text(fd, file, &text, reterr);
    if (rc == 0)
        rc = take_text(set, &text, reterr);
    buf_done(&text);
    return rc;
}

int profile_set_load(const char *path, struct profile_set **ret, struct cordon_err *reterr)
{
    struct profile_set *set = calloc(1, sizeof(*set));
    if (!set)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot read the configuration");
    int rc = load(set, path, reterr);
    if (rc < 0) {
        profile_set_free(set);
        return rc;
    }
    *ret = set;
    return 0;
}

const struct profile *profile_set_find(const struct profile_set *set, const char *name)
{
    if (!name)
        name = "strict";
    for (size_t i = 0; i < set->built.count; i++)
        if (strcmp(set->built.items[i].profile.name, name) == 0)
            return &set->built.items[i].profile;
    return NULL;
}

const char *profile_set_name(const struct profile_set *set, size_t index)
{
    return index < set->built.count ? set->built.items[index].profile.name : NULL;
}

const char *profile_set_cgroup(const struct profile_set *set)
{
    return set->raw ? set->raw->cgroup : NULL;
}

const char *profile_set_file(const struct profile_set *set)
{
    return set->file;
}

void profile_set_free(struct profile_set *set)
{
    if (!set)
        return;
    config_build_done(&set->built);
    config_schema_free(set->raw);
    free(set->file);
    free(set);
}
