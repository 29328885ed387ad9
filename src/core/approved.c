/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approved: see approved.h. The interpreter is started as anybody would, without a switch:
 * what PYTHONPATH, the user's site directory and a virtual environment mean is decided by
 * it. The worker comes in by its path, so that no import of the code's can meet it.
 */
#include "core/approved.h"

#include "base/err.h"
#include "base/wire.h"
#include "core/owner.h"
#include "jail/place.h"
#include "jail/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

/* When the worker cannot be loaded, its reason goes to the engine as a FRAME_FAILED. */
static const char boot[] =
    "try:\n"
    "    from _frozen_importlib import ModuleSpec\n"
    "    from _frozen_importlib_external import ExtensionFileLoader\n"
    "    import sys\n"
    "    spec = ModuleSpec('_cordon_worker', ExtensionFileLoader('_cordon_worker', sys.argv[1]),\n"
    "                      origin=sys.argv[1])\n"
    "    worker = spec.loader.create_module(spec)\n"
    "    spec.loader.exec_module(worker)\n"
    "except BaseException as e:\n"
    "    import os, struct\n"
    "    why = ('cannot load the worker into Python %d.%d: %s' % (*sys.version_info[:2], "
    "e)).encode()\n"
    "    os.write(3, struct.pack('=IIQii24s512s16x', 0x43510003, 0, 560, -4, 0, b'load', "
    "why[:511]))\n"
    "    os._exit(1)\n"
    "worker.approved(3, 4, 5)\n";
_Static_assert(FRAME_FAILED == 0x43510003 && sizeof(struct frame_head) == 16 &&
                   sizeof(struct cordon_err) == 560 && CORDON_E_HELPER == -4,
               "the boot program packs one by hand");

/* ---- the working directory's place --------------------------------------------- */

static int usable(const char *dir, int by_others)
{
    struct stat st;
    if (by_others && dir && (stat(dir, &st) < 0 || !(st.st_mode & S_IXOTH)))
        return 0;
    return dir && dir[0] == '/' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
           access(dir, W_OK | X_OK) == 0;
}

/* Once in a process: what others have left there that were killed together with their keepers. */
static void sweep(const char *dir)
{
    static atomic_flag is_done = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_done))
        owner_sweep(dir, place_remove);
}

int approved_work_path(int as_root, char *ret, size_t size, struct cordon_err *reterr)
{
    const char *dir = secure_getenv("XDG_RUNTIME_DIR");
    char name[OWNER_NAME_MAX];

    if (!usable(dir, as_root))
        dir = "/tmp";
    sweep(dir);
    int rc = owner_name(name, reterr);
    if (rc < 0)
        return rc;
    int n = snprintf(ret, size, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= size)
        return err_set(reterr, CORDON_E_HOST, ENAMETOOLONG, "'%.200s' cannot hold a directory",
                       dir);
    return 0;
}

int approved_has_view(const struct profile *profile, uint32_t walls_down)
{
    return profile->approved.files == PROFILE_FILES_NONE && !(walls_down & CORDON_WALL_ROOT);
}

int approved_check(const struct profile *profile, uint32_t walls_down, struct cordon_err *reterr)
{
    if (!(walls_down & CORDON_WALL_NAMESPACES))
        return 0;
    if (geteuid() == 0)
        return err_set(reterr, CORDON_E_HOST, 0,
                       "without namespaces an approved run of root's would be root of the host: "
                       "run as an ordinary user, or with namespaces");
    if (profile->approved.files == PROFILE_FILES_NONE ||
        profile->approved.network == PROFILE_NETWORK_NONE)
        return err_set(reterr, CORDON_E_HOST, 0,
                       "profile '%s' keeps files or the network of the host from its approved "
                       "runs, which takes namespaces",
                       profile->name);
    return 0;
}

/* ---- the plan --------------------------------------------------------------------- */

/* The mode mask of the host program, without setting it; 022 when it cannot be had. */
static void read_file_mask(char text[8])
{
    char status[4096];
    AUTO_FD fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, status, sizeof(status) - 1) : 0;

    status[n > 0 ? n : 0] = '\0';
    const char *at = strstr(status, "\nUmask:");
    if (!at || sscanf(at, "\nUmask: %7[0-7]", text) != 1)
        (void)snprintf(text, 8, "022");
}

static int add(struct buf *plan, enum plan_op op, const char *a, struct cordon_err *reterr)
{
    int rc = plan_add(plan, op, a, NULL);
    if (rc == 0)
        return 0;
    return err_set(reterr, rc == -ENOMEM ? CORDON_E_NOMEM : CORDON_E_ARG, -rc,
                   "cannot plan the box");
}

static int add_program(struct buf *plan, const struct interpreter *in, const char *helper_dir,
                       int own_view, struct cordon_err *reterr)
{
    char worker[PATH_MAX + 32];

    (void)snprintf(worker, sizeof(worker), "%s/" VIEW_WORKER_NAME, helper_dir);
    if (access(worker, R_OK) < 0)
        return err_set(reterr, CORDON_E_HELPER, errno,
                       "cannot read the worker module '%s'; is Cordon installed whole?", worker);
    const char *args[] = {in->program, "-c", boot,
                          own_view ? VIEW_WORKER_DIR "/" VIEW_WORKER_NAME : worker};
    int rc = add(plan, PLAN_PROGRAM, in->program, reterr);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(args); i++)
        rc = add(plan, PLAN_ARG, args[i], reterr);
    return rc;
}

int approved_plan(const struct profile *profile, const struct interpreter *interpreter,
                  const char *helper_dir, const char *work, uint32_t walls_down,
                  struct buf *ret_plan, struct cordon_err *reterr)
{
    struct buf plan = {0};
    char walls[16], mask[8];
    int host = profile->approved.network == PROFILE_NETWORK_HOST;
    int own_view = approved_has_view(profile, walls_down);

    (void)snprintf(walls, sizeof(walls), "%u", walls_down);
    read_file_mask(mask);
    const struct {
        enum plan_op op;
        const char *a;
    } rows[] = {
        {PLAN_WALLS_DOWN, walls},
        {PLAN_APPROVED, own_view ? VIEW_WORK_DIR : work},
        {PLAN_NETWORK, host ? "host" : "none"},
        {PLAN_UMASK, mask},
        {PLAN_PROTECT, interpreter->stdlib},
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(rows); i++)
        rc = add(&plan, rows[i].op, rows[i].a, reterr);
    if (rc == 0 && own_view)
        rc = view_files(profile, interpreter, helper_dir, &plan, reterr);
    if (rc == 0)
        rc = add_program(&plan, interpreter, helper_dir, own_view, reterr);
    if (rc < 0) {
        buf_done(&plan);
        return rc;
    }
    *ret_plan = plan;
    return 0;
}

/* ---- the environment ----------------------------------------------------------------- */

int approved_venv(const struct profile *profile, uint32_t walls_down, char *const *envp,
                  struct interpreter *ret_in)
{
    static const char name[] = "VIRTUAL_ENV=";
    char path[PATH_MAX];

    if (profile_names_python(profile) || profile_has_packages(profile) ||
        approved_has_view(profile, walls_down))
        return -1;
    while (*envp && strncmp(*envp, name, sizeof(name) - 1) != 0)
        envp++;
    if (!*envp || (*envp)[sizeof(name) - 1] != '/')
        return -1;
    int n = snprintf(path, sizeof(path), "%s/bin/python", *envp + sizeof(name) - 1);
    if (n < 0 || (size_t)n >= sizeof(path))
        return -1;
    return interpreter_find(path, ret_in, NULL) < 0 ? -1 : 0;
}

int approved_environ(char *const *envp, int *ret_fd, struct cordon_err *reterr)
{
    AUTO_FD fd = memfd_create("environ", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make memory for the environment");
    int rc = 0;
    for (; rc == 0 && *envp; envp++)
        rc = io_write_all(fd, *envp, strlen(*envp) + 1);
#ifdef CORDON_SANITIZED
    /* The worker needs its runtime loaded before the interpreter's; that one leaks by design. */
    static const char needed[] =
        "LD_PRELOAD=" CORDON_ASAN_LIB "\0ASAN_OPTIONS=detect_leaks=0:handle_segv=0";
    if (rc == 0)
        rc = io_write_all(fd, needed, sizeof(needed));
#endif
    if (rc == 0)
        rc = io_seal(fd);
    if (rc < 0)
        return err_set(reterr, CORDON_E_HOST, -rc, "cannot pass on the environment");
    *ret_fd = fd_take(&fd);
    return 0;
}
