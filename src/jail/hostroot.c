/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostroot: see hostroot.h. Mounts only ever cover or close something; the order within a
 * function matters where a descriptor of what is about to be covered has to be taken first.
 */
#include "jail/hostroot.h"

#include "base/err.h"
#include "base/io.h"
#include "jail/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define CAPPED_OPTIONS 96

/* What every program expects and nobody can hurt anybody with. */
static const char *const devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
};

static const struct {
    const char *at, *text;
} dev_links[] = {
    {"/dev/fd", "/proc/self/fd"},       {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"},
    {"/dev/ptmx", "pts/ptmx"},
};

/* Where the kernel takes orders as files; root may give them there without a capability. */
static const char *const kernel_files[] = {
    "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
};

/* What the kernel tells of itself and of everybody: the caller does not need it, and root's
 * run, which owns these files, could read them without any capability. */
static const char *const hidden_files[] = {
    "/proc/kcore",    /* its memory */
    "/proc/kallsyms", /* where its functions are */
    "/proc/vmallocinfo",   "/sys/kernel/notes", "/sys/kernel/vmcoreinfo", /* where it lies itself */
    "/proc/kpagecount",    "/proc/kpageflags",  "/proc/kpagecgroup", /* whose memory is where */
    "/proc/pagetypeinfo",  "/proc/slabinfo",    "/proc/keys",
    "/proc/key-users",                                               /* keys of others */
    "/proc/timer_list",    "/proc/timer_stats", "/proc/sched_debug", /* processes of others */
    "/proc/latency_stats", "/proc/interrupts",                       /* when keys are pressed */
};
static const char *const hidden_dirs[] = {
    "/proc/acpi",
    "/proc/scsi",
    "/proc/asound",
    "/proc/tty/driver",
    "/sys/firmware",                 /* the machine's hardware */
    "/sys/devices/virtual/powercap", /* its power: a side channel */
    "/sys/kernel/debug",
    "/sys/kernel/tracing", /* watches everybody */
    "/sys/fs/bpf",
    "/sys/fs/pstore", /* programs, crash reports */
};

int hostroot_mount_proc(struct cordon_err *reterr)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
        return 0;
    int sys = errno;
    return err_set(reterr, CORDON_E_HOST, sys, "cannot mount a /proc of the run's own (%s)",
                   sys == EPERM ? "where parts of the outer /proc are covered, as in many "
                                  "containers, only root can: run as root, or start the container "
                                  "with an unmasked /proc"
                                : ns_advice(sys));
}

static int clone_tree(const char *path, unsigned flags, int *ret_fd)
{
    int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
    if (fd < 0)
        return -errno;
    *ret_fd = fd;
    return 0;
}

static int close_tree(int tree, const char *path, unsigned at_flags, uint64_t flags,
                      struct cordon_err *reterr)
{
    struct mount_attr attr = {.attr_set = flags};

    if (mount_setattr(tree, path, at_flags | AT_RECURSIVE, &attr, sizeof(attr)) < 0) {
        int sys = errno;
        return err_set(reterr, CORDON_E_HOST, sys, "cannot close '%s'%s", path,
                       sys == ENOSYS ? ": Linux 5.12 or later is needed" : "");
    }
    return 0;
}

static int put_tree(int tree, const char *path, struct cordon_err *reterr)
{
    if (move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot mount on '%s'", path);
    return 0;
}

static int mount_capped(const char *path, const char *mode, unsigned long flags, uint64_t bytes,
                        uint64_t files, struct cordon_err *reterr)
{
    char options[CAPPED_OPTIONS];

    /* To tmpfs 0 means no limit; its root directory is an inode too. */
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu,mode=%s",
                   (unsigned long long)(bytes ? bytes : 1),
                   (unsigned long long)(files < UINT64_MAX ? files + 1 : files), mode);
    if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | flags, options) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot mount a tmpfs (%s) on '%s'", options,
                       path);
    return 0;
}

/* ---- devices ------------------------------------------------------------- */

int hostroot_mount_shm(uint64_t bytes, uint64_t files, struct cordon_err *reterr)
{
    return mount_capped("/dev/shm", "1777", 0, bytes, files, reterr);
}

static int put_device(int tree, const char *path, struct cordon_err *reterr)
{
    AUTO_FD file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s'", path);
    return put_tree(tree, path, reterr);
}

static int make_dir(const char *path, struct cordon_err *reterr)
{
    if (mkdir(path, 0755) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s'", path);
    return 0;
}

/* Terminals of its own, for what wants one; a kernel without them is no reason to refuse. */
static int add_terminals(struct cordon_err *reterr)
{
    int r = make_dir("/dev/pts", reterr);
    if (r == 0)
        (void)mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
                    "newinstance,ptmxmode=0666,mode=0620");
    return r;
}

static int fill_dev(const int trees[], uint64_t bytes, uint64_t files, struct cordon_err *reterr)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_LEN(devices); i++)
        if (trees[i] >= 0)
            r = put_device(trees[i], devices[i], reterr);
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(dev_links); i++)
        if (symlink(dev_links[i].text, dev_links[i].at) < 0)
            r = err_set(reterr, CORDON_E_HOST, errno, "cannot make '%s'", dev_links[i].at);
    if (r == 0)
        r = add_terminals(reterr);
    if (r == 0)
        r = make_dir("/dev/shm", reterr);
    return r < 0 ? r : hostroot_mount_shm(bytes, files, reterr);
}

static int replace_dev(const int trees[], uint64_t bytes, uint64_t files, struct cordon_err *reterr)
{
    struct mount_attr sealed = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC};

    int r = close_tree(AT_FDCWD, "/", 0, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID, reterr);
    if (r == 0)
        r = mount_capped("/dev", "0755", MS_NOEXEC, 64 * 1024, 64, reterr);
    if (r == 0)
        r = fill_dev(trees, bytes, files, reterr);
    if (r == 0 && mount_setattr(AT_FDCWD, "/dev", 0, &sealed, sizeof(sealed)) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make '/dev' read-only");
    return r;
}

int hostroot_close_devices(uint64_t bytes, uint64_t files, int maps_zero, struct cordon_err *reterr)
{
    int trees[ARRAY_LEN(devices)];

    /* Taken before anything is closed: a copy of a mount keeps the flags it had. */
    for (size_t i = 0; i < ARRAY_LEN(devices); i++) {
        trees[i] = -1;
        int is_full = !maps_zero && strcmp(devices[i], "/dev/zero") == 0;
        /* What the host lacks, the run lacks. */
        (void)clone_tree(is_full ? "/dev/full" : devices[i], 0, &trees[i]);
    }
    int r = replace_dev(trees, bytes, files, reterr);
    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        fd_close(&trees[i]);
    return r;
}

/* ---- what only may be read ------------------------------------------------- */

int hostroot_protect(const char *path, struct cordon_err *reterr)
{
    AUTO_FD tree = -1;

    int r = clone_tree(path, AT_RECURSIVE, &tree);
    if (r == -ENOENT)
        return 0;
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot make '%s' read-only", path);
    r = close_tree(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, reterr);
    return r < 0 ? r : put_tree(tree, path, reterr);
}

static int hide_file(const char *path, struct cordon_err *reterr)
{
    AUTO_FD null = -1;

    if (access(path, F_OK) < 0)
        return 0;
    int r = clone_tree("/dev/null", 0, &null);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot hide '%s'", path);
    return put_tree(null, path, reterr);
}

static int hide_dir(const char *path, struct cordon_err *reterr)
{
    const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;

    if (access(path, F_OK) < 0)
        return 0;
    if (mount("tmpfs", path, "tmpfs", flags, "size=4k,nr_inodes=1,mode=0555") < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot hide '%s'", path);
    return 0;
}

static int hide_secrets(struct cordon_err *reterr)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_LEN(hidden_files); i++)
        r = hide_file(hidden_files[i], reterr);
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(hidden_dirs); i++)
        r = hide_dir(hidden_dirs[i], reterr);
    return r;
}

int hostroot_seal_kernel(int *ret_proc, struct cordon_err *reterr)
{
    AUTO_FD proc = -1;

    int r = clone_tree("/proc", 0, &proc);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot take hold of /proc");
    r = 0;
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(kernel_files); i++)
        r = hostroot_protect(kernel_files[i], reterr);
    if (r == 0)
        r = hostroot_protect("/sys", reterr);
    if (r == 0)
        r = hide_secrets(reterr);
    if (r == 0)
        *ret_proc = fd_take(&proc);
    return r;
}

int hostroot_show_group(int is_whole, struct cordon_err *reterr)
{
    static const char path[] = "/sys/fs/cgroup";
    const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;

    int r = access(path, F_OK) < 0 ? 0 : hide_dir(path, reterr);
    /* On top of that: the kernel mounts no file system on itself. */
    if (r == 0 && is_whole)
        (void)mount("cgroup2", path, "cgroup2", flags, NULL);
    return r;
}

/* ---- the working directory --------------------------------------------------- */

int hostroot_enter_work(const char *path, uint64_t bytes, uint64_t files, struct cordon_err *reterr)
{
    int r = mount_capped(path, "0700", 0, bytes, files, reterr);
    if (r < 0)
        return r;
    if (chdir(path) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot enter '%s'", path);
    return 0;
}
