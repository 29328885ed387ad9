/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rootfs: the mounts of a box and of a sandbox.
 *
 * Invariant: every mount of the host that is carried over is read-only, nosuid and (but
 * for the named devices) nodev, it and all below it; a sandbox inherits these flags
 * locked. No path of the plan is ever followed outside the tree it is meant for: sources
 * are looked up within the old root, targets within the view (openat2, RESOLVE_IN_ROOT).
 */
#include "jail/rootfs.h"

#include "base/err.h"
#include "jail/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOST_STAGE "/tmp" /* any directory: covered in our own mount namespace only */
#define VIEW "/view"
#define ROOT "/root"
#define ZYGOTE_DIR "/cordon" /* the worker module is shown here, too */
#define ZYGOTE_TMP ZYGOTE_DIR "/tmp"
#define PATH_MAX_IN_BOX 4096

static int pivot(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}

int rootfs_make_private(struct cordon_err *reterr)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot make the mounts private (%s)",
                       ns_advice(sys));
    }
    return 0;
}

static int make_dir(const char *path, struct cordon_err *reterr)
{
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s' in the box", path);
    return 0;
}

static int mount_tmpfs(const char *path, const char *options, unsigned long flags,
                       struct cordon_err *reterr)
{
    if (mount("tmpfs", path, "tmpfs", flags, options) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot mount a tmpfs (%s) on '%s'", options,
                       path);
    return 0;
}

static int open_dir(const char *path, int *ret_fd, struct cordon_err *reterr)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '%s'", path);
    *ret_fd = fd;
    return 0;
}

int rootfs_leave_host(struct rootfs *fs, struct cordon_err *reterr)
{
    int r =
        mount_tmpfs(HOST_STAGE, "size=64k,nr_inodes=16,mode=0755", MS_NOSUID | MS_NODEV, reterr);
    if (r < 0)
        return r;

    r = make_dir(HOST_STAGE "/old", reterr);
    if (r < 0)
        return r;

    if (pivot(HOST_STAGE, HOST_STAGE "/old") < 0)
        return err_set(reterr, CORDON_E_HOST, errno,
                       "cannot move the root to a tmpfs (it must be a mount, and not the "
                       "initial ramdisk)");
    if (chdir("/") < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter the new root");
    return open_dir("/old", &fs->old, reterr);
}

int rootfs_open_view(struct rootfs *fs, struct cordon_err *reterr)
{
    int r = make_dir(VIEW, reterr);
    if (r == 0)
        r = mount_tmpfs(VIEW, "size=1m,nr_inodes=4096,mode=0755", MS_NOSUID | MS_NODEV, reterr);
    if (r == 0)
        r = make_dir(VIEW "/proc", reterr);
    if (r == 0)
        r = make_dir(VIEW ZYGOTE_DIR, reterr);
    if (r == 0)
        r = make_dir(VIEW ZYGOTE_TMP, reterr);
    if (r == 0)
        r = make_dir(VIEW ROOTFS_WORK, reterr);
    return r < 0 ? r : open_dir(VIEW, &fs->view, reterr);
}

/* Looks a path up as if `root` were "/". 0 with an O_PATH descriptor, or -errno. */
static int open_in(int root, const char *path, int *ret_fd)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    long fd = -1;

    /* EAGAIN: something was renamed meanwhile, and the kernel could not tell whether ".."
     * still stays inside. */
    for (int tries = 0; tries < 128; tries++) {
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
        if (fd >= 0 || errno != EAGAIN)
            break;
    }
    if (fd < 0)
        return -errno;
    *ret_fd = (int)fd;
    return 0;
}

static int open_failed(const char *path, const char *where, int r, struct cordon_err *reterr)
{
    return err_set(reterr, CORDON_E_HOST, -r, "cannot open '%s' %s%s", path, where,
                   r == -ENOSYS ? " (Linux 5.6 or later is needed)" : "");
}

static int check_target(const char *path, struct cordon_err *reterr)
{
    size_t len = strlen(path);
    int dots = strstr(path, "/../") || (len >= 3 && strcmp(path + len - 3, "/..") == 0);

    if (path[0] != '/' || len < 2 || path[len - 1] == '/' || len >= PATH_MAX_IN_BOX || dots)
        return err_set(reterr, CORDON_E_ARG, 0, "'%.200s' is no place in a box", path);
    return 0;
}

/* Opens `path` below `parent`, making the directory when it is missing. */
static int open_or_make_dir(int view, int parent, const char *path, int *ret_fd,
                            struct cordon_err *reterr)
{
    int r = open_in(view, path, ret_fd);
    if (r == -ENOENT) {
        if (mkdirat(parent, strrchr(path, '/') + 1, 0755) < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s' in the box", path);
        r = open_in(view, path, ret_fd);
    }
    return r < 0 ? open_failed(path, "in the box", r, reterr) : 0;
}

/* The directory that path[0..len) names in the view; what is missing of it is made. */
static int open_dir_in_view(int view, const char *path, size_t len, int *ret_fd,
                            struct cordon_err *reterr)
{
    char part[PATH_MAX_IN_BOX];
    AUTO_FD dir = -1;

    int r = open_in(view, "/", &dir);
    if (r < 0)
        return open_failed("/", "in the box", r, reterr);
    for (size_t end = 0; end < len;) {
        end += 1 + strcspn(path + end + 1, "/");
        memcpy(part, path, end);
        part[end] = '\0';
        AUTO_FD next = -1;
        r = open_or_make_dir(view, dir, part, &next, reterr);
        if (r < 0)
            return r;
        fd_close(&dir);
        dir = fd_take(&next);
    }
    *ret_fd = fd_take(&dir);
    return 0;
}

/* The directory of `path` in the view, and the name in it. */
static int open_parent(int view, const char *path, int *ret_dir, const char **ret_name,
                       struct cordon_err *reterr)
{
    int r = check_target(path, reterr);
    if (r < 0)
        return r;

    const char *slash = strrchr(path, '/');
    r = open_dir_in_view(view, path, (size_t)(slash - path), ret_dir, reterr);
    if (r == 0)
        *ret_name = slash + 1;
    return r;
}

static int add_dir(int view, const char *path, struct cordon_err *reterr)
{
    AUTO_FD dir = -1;

    int r = check_target(path, reterr);
    return r < 0 ? r : open_dir_in_view(view, path, strlen(path), &dir, reterr);
}

static int add_symlink(int view, const char *text, const char *path, struct cordon_err *reterr)
{
    char there[PATH_MAX_IN_BOX];
    const char *name = NULL;
    AUTO_FD dir = -1;

    int r = open_parent(view, path, &dir, &name, reterr);
    if (r < 0)
        return r;
    if (symlinkat(text, dir, name) == 0)
        return 0;

    /* The same link may have come already, with a directory that was bound. */
    int sys = errno;
    ssize_t n = readlinkat(dir, name, there, sizeof(there));
    if (n >= 0 && (size_t)n == strlen(text) && memcmp(there, text, (size_t)n) == 0)
        return 0;
    return err_set(reterr, CORDON_E_HOST, sys, "cannot make the link '%s' in the box", path);
}

/* A place to mount on: a directory, or an empty file, as the source is. */
static int open_mount_point(int view, const char *path, int is_dir, int *ret_fd,
                            struct cordon_err *reterr)
{
    const char *name = NULL;
    AUTO_FD dir = -1;

    if (is_dir) {
        int r = check_target(path, reterr);
        return r < 0 ? r : open_dir_in_view(view, path, strlen(path), ret_fd, reterr);
    }

    int r = open_parent(view, path, &dir, &name, reterr);
    if (r < 0)
        return r;
    r = open_in(view, path, ret_fd);
    if (r == -ENOENT) {
        AUTO_FD made = openat(dir, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
        if (made < 0)
            return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s' in the box", path);
        r = open_in(view, path, ret_fd);
    }
    return r < 0 ? open_failed(path, "in the box", r, reterr) : 0;
}

static int set_mount_flags(int tree, uint64_t flags, const char *path, struct cordon_err *reterr)
{
    struct mount_attr attr = {.attr_set = flags, .propagation = MS_PRIVATE};

    if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0) {
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot make '%s' read-only%s", path,
                       sys == ENOSYS ? " with all below it: Linux 5.12 or later is needed" : "");
    }
    return 0;
}

static int add_bind(const struct rootfs *fs, const char *source, const char *target, uint64_t flags,
                    struct cordon_err *reterr)
{
    struct stat st;

    AUTO_FD found = -1;
    int r = open_in(fs->old, source, &found);
    if (r < 0)
        return open_failed(source, "on the host", r, reterr);
    if (fstat(found, &st) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot look at '%s' on the host", source);

    AUTO_FD tree =
        open_tree(found, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    if (tree < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot take '%s' of the host along", source);
    r = set_mount_flags(tree, flags, source, reterr);
    if (r < 0)
        return r;

    AUTO_FD point = -1;
    r = open_mount_point(fs->view, target, S_ISDIR(st.st_mode), &point, reterr);
    if (r < 0)
        return r;
    if (move_mount(tree, "", point, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot mount '%s' on '%s' in the box", source,
                       target);
    return 0;
}

int rootfs_add_row(const struct rootfs *fs, enum plan_op op, const char *a, const char *b,
                   struct cordon_err *reterr)
{
    const uint64_t closed = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;

    switch (op) {
    case PLAN_DIR:
        return add_dir(fs->view, a, reterr);
    case PLAN_BIND:
        return add_bind(fs, a, b, closed | MOUNT_ATTR_NODEV, reterr);
    case PLAN_DEVICE: /* read-only stops changes to the node, not writes to the device */
        return add_bind(fs, a, b, closed | MOUNT_ATTR_NOEXEC, reterr);
    case PLAN_SYMLINK:
        return add_symlink(fs->view, a, b, reterr);
    case PLAN_WORK:
        if (strcmp(a, ROOTFS_WORK) != 0)
            return err_set(reterr, CORDON_E_ARG, 0,
                           "the working directory cannot be '%s': it is '" ROOTFS_WORK "'", a);
        return 0;
    case PLAN_PROGRAM:
    case PLAN_ARG:
    case PLAN_ENV:
    case PLAN_WALLS_DOWN:
    case PLAN_APPROVED:
    case PLAN_PROTECT:
    case PLAN_NETWORK:
    case PLAN_UMASK:
    case PLAN_PROBE:
        return 0;
    }
    return 0;
}

static int bind_view(const char *target, struct cordon_err *reterr)
{
    if (mount(VIEW, target, NULL, MS_BIND | MS_REC, NULL) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot mount the view on '%s'", target);
    return 0;
}

/*
 * A /proc of the box's own. The kernel refuses one to an ordinary user where parts of the
 * outer /proc are covered (containers): then the outer one has to do. Only the zygote and
 * our own code between fork and pivot ever see it, user code has none.
 */
static int mount_proc(struct cordon_err *reterr)
{
    const char *target = ROOT "/proc";

    if (mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
        return 0;
    int sys = errno;
    if (sys == EPERM && mount("/old/proc", target, NULL, MS_BIND | MS_REC, NULL) == 0)
        return 0;
    return err_set(reterr, CORDON_E_HOST, sys, "cannot mount /proc in the box");
}

int rootfs_assemble(struct cordon_err *reterr)
{
    /* The file system itself becomes read-only, not only this mount of it: no later mount
     * can lift that without a privilege over the keeper's user namespace. */
    if (mount(NULL, VIEW, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make the box's root read-only");

    int r = make_dir(ROOT, reterr);
    if (r == 0)
        r = bind_view(ROOT, reterr);
    if (r == 0)
        r = mount_proc(reterr);
    /* The zygote's alone: some modules insist on a place to write while they are loaded. Not
     * on /tmp, below which an interpreter may lie. */
    if (r == 0)
        r = mount_tmpfs(ROOT ZYGOTE_TMP, "size=16m,nr_inodes=64,mode=1777",
                        MS_NOSUID | MS_NODEV | MS_NOEXEC, reterr);
    return r < 0 ? r : bind_view(ROOT ROOTFS_WORK, reterr);
}

/* Makes `path`, a mount, the root, and lets go of the whole old tree. */
static int move_root(const char *path, struct cordon_err *reterr)
{
    if (chdir(path) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter '%s'", path);
    /* pivot_root(2): "." for both stacks the old root on the new one, no directory needed. */
    if (pivot(".", ".") < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s' the root", path);
    if (umount2(".", MNT_DETACH) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot let go of the old root");
    if (chdir("/") < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter the new root");
    return 0;
}

int rootfs_enter_box(struct rootfs *fs, struct cordon_err *reterr)
{
    fd_close(&fs->old);
    fd_close(&fs->view);
    return move_root(ROOT, reterr);
}

int rootfs_enter_sandbox(struct cordon_err *reterr)
{
    /* Mounts that came along from the box's mount namespace are locked in place. A new
     * bind of the prepared tree is not, and can be pivoted into. */
    if (mount(ROOTFS_WORK, ROOTFS_WORK, NULL, MS_BIND | MS_REC, NULL) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot take hold of the sandbox's root");
    return move_root(ROOTFS_WORK, reterr);
}

#define WORK_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

int rootfs_enter_work(const char *path, struct cordon_err *reterr)
{
    /* Of a file system without limits the kernel lets nobody ever say how large it may be. */
    int r = mount_tmpfs(path, "size=4k,nr_inodes=1,mode=0700", WORK_FLAGS, reterr);
    if (r < 0)
        return r;
    if (chdir(path) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter '%s'", path);
    return 0;
}

int rootfs_size_work(uint64_t bytes, uint64_t files, struct cordon_err *reterr)
{
    char options[96];

    /* To tmpfs 0 means no limit; its root directory is an inode too. */
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu",
                   (unsigned long long)(bytes ? bytes : 1),
                   (unsigned long long)(files < UINT64_MAX ? files + 1 : files));
    if (mount("tmpfs", ".", "tmpfs", MS_REMOUNT | WORK_FLAGS, options) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot size the working directory (%s)",
                       options);
    return 0;
}
