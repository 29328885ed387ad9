/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: see hold.h. A process that makes itself undumpable withholds its descriptors and
 * its maps from a keeper without the privilege to trace; then all its pages count as its own.
 */
#include "keeper/hold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#define KIB UINT64_C(1024)
/* Of descriptors: what every sandbox has, and no more pipes than it may have. */
#define FEW 16

/* ---- objects behind descriptors ---------------------------------------------------- */

#define SEEN_MAX 16384u /* a power of two */

/* The inodes met in this count: a hash table that is emptied by a new `round`. */
static struct {
    uint64_t inode;
    uint64_t round;
} seen[SEEN_MAX];
static uint64_t round_now;

static uint64_t key_of(dev_t dev, uint64_t inode)
{
    return ((uint64_t)dev << 48) ^ inode;
}

/* Where it is, or has to be put; SEEN_MAX: in a table as full as this nothing is found. */
static size_t place_of(uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 50;

    for (unsigned steps = 0; steps < 64; steps++, at = (at + 1) & (SEEN_MAX - 1))
        if (seen[at].round != round_now || seen[at].inode == key)
            return at;
    return SEEN_MAX;
}

/* Whether it is met for the first time. With a full table everything is. */
static int is_new(dev_t dev, uint64_t inode)
{
    uint64_t key = key_of(dev, inode);
    size_t at = place_of(key);

    if (at == SEEN_MAX)
        return 1;
    if (seen[at].round == round_now)
        return 0;
    seen[at].inode = key;
    seen[at].round = round_now;
    return 1;
}

static dev_t dev_of(int sample)
{
    AUTO_FD fd = sample;
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 ? st.st_dev : 0;
}

/* The file system that all memory files are of. */
static dev_t memory_dev(void)
{
    static dev_t dev;

    if (dev == 0)
        dev = dev_of(memfd_create("sample", MFD_CLOEXEC));
    return dev;
}

/* The one of all sockets; what has their type elsewhere is only a name of one. */
static dev_t socket_dev(void)
{
    static dev_t dev;

    if (dev == 0)
        dev = dev_of(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return dev;
}

int hold_has_socket(uint64_t inode)
{
    size_t at = place_of(key_of(socket_dev(), inode));
    return at == SEEN_MAX || seen[at].round == round_now;
}

/*
 * Whatever file system it is of, nobody is asked: a server that is gone must not hold us up. Where a
 * container's filter refuses that call there is nothing better than the older one.
 */
static int look_at_one(int dir, const char *name, struct statx *ret)
{
    struct stat st;

    if (statx(dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
              STATX_TYPE | STATX_INO | STATX_BLOCKS, ret) == 0)
        return 0;
    if ((errno != EPERM && errno != ENOSYS) || fstatat(dir, name, &st, AT_NO_AUTOMOUNT) < 0)
        return -1;
    *ret = (struct statx){.stx_mode = (uint16_t)st.st_mode,
                          .stx_ino = st.st_ino,
                          .stx_blocks = (uint64_t)st.st_blocks,
                          .stx_dev_major = major(st.st_dev),
                          .stx_dev_minor = minor(st.st_dev)};
    return 0;
}

static void count_one(int dir, const char *name, dev_t proc, struct hold_objects *ret)
{
    struct statx st;

    if (look_at_one(dir, name, &st) < 0)
        return;
    dev_t dev = makedev(st.stx_dev_major, st.stx_dev_minor);
    int pipe = S_ISFIFO(st.stx_mode);
    int sock = S_ISSOCK(st.stx_mode) && dev == socket_dev();
    int file = S_ISREG(st.stx_mode) && dev == memory_dev();
    ret->proc_files += S_ISREG(st.stx_mode) && dev == proc;
    ret->directories += S_ISDIR(st.stx_mode) != 0;
    if ((!pipe && !sock && !file) || !is_new(dev, st.stx_ino))
        return;
    if (pipe)
        ret->pipes++;
    else if (sock)
        ret->sockets++;
    else
        ret->file_bytes += st.stx_blocks * 512;
}

/* The /proc that the process sees, whichever that is; 0: none. */
static dev_t proc_of(pid_t pid)
{
    char path[64];
    struct stat st;

    (void)snprintf(path, sizeof(path), "%d/root/proc/self", pid);
    return fstatat(tree_proc(), path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_dev : 0;
}

struct count {
    int every;
    int over;
    const struct hold_stop *stop;
    struct hold_objects *ret;
};

/* From 6.2 on the size of such a directory is how many there are; before, it is 0. */
static int has_few(const char *path)
{
    struct stat st;
    return fstatat(tree_proc(), path, &st, 0) < 0 || (st.st_size > 0 && st.st_size <= FEW);
}

static void count_of(void *ctx, const struct tree_process *p)
{
    struct count *c = ctx;
    char path[64];
    struct dirent *e;

    c->over = c->over || (c->stop && c->stop->is_over(c->stop->ctx));
    (void)snprintf(path, sizeof(path), "%d/fd", p->look);
    if (c->over)
        return;
    if (!c->every && has_few(path))
        return;
    int fd = openat(tree_proc(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        fd_close(&fd);
        return;
    }
    dev_t proc = proc_of(p->look);
    while ((e = readdir(dir)))
        if (e->d_name[0] != '.')
            count_one(dirfd(dir), e->d_name, proc, c->ret);
    (void)closedir(dir);
}

int hold_count(pid_t top, int without_top, int every, const struct hold_stop *stop,
               struct hold_objects *ret)
{
    struct count c = {.every = every, .stop = stop, .ret = ret};

    *ret = (struct hold_objects){0};
    round_now++;
    tree_each(top, without_top, count_of, &c);
    return c.over;
}

static void add_descriptors(void *ctx, const struct tree_process *p)
{
    uint64_t *all = ctx;
    char path[64];
    struct stat st;

    (void)snprintf(path, sizeof(path), "%d/fd", p->look);
    if (fstatat(tree_proc(), path, &st, 0) == 0)
        *all += (uint64_t)st.st_size;
}

uint64_t hold_descriptors(pid_t top, int without_top)
{
    uint64_t all = 0;

    tree_each(top, without_top, add_descriptors, &all);
    return all;
}

/* ---- System V ----------------------------------------------------------------------- */

/* Adds up one column, counted from 0, of a table in /proc/sysvipc, and `each` for each of its lines. */
static uint64_t add_column(const char *name, unsigned column, uint64_t each)
{
    char path[32], line[512];
    uint64_t all = 0;

    (void)snprintf(path, sizeof(path), "sysvipc/%s", name);
    int fd = openat(tree_proc(), path, O_RDONLY | O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        fd_close(&fd);
        return 0;
    }
    int heading = fgets(line, sizeof(line), f) != NULL;
    while (heading && fgets(line, sizeof(line), f)) {
        char *rest = line, *word = strtok_r(line, " \n", &rest);
        for (unsigned i = 0; i < column && word; i++)
            word = strtok_r(NULL, " \n", &rest);
        all += each + (word ? strtoull(word, NULL, 10) : 0);
    }
    (void)fclose(f);
    return all;
}

/* Of a queue, a set or a segment itself (6.18: up to 448, and its places in tables); a message's head; a
 * semaphore, alone in a line of the cache; what undoes it, per process. */
#define OBJECT_BYTES 512
#define MESSAGE_BYTES 64
#define SEMAPHORE_BYTES 64
#define UNDO_BYTES 2

uint64_t hold_ipc(uint64_t processes)
{
    uint64_t messages =
        add_column("msg", 3, OBJECT_BYTES) + add_column("msg", 4, 0) * MESSAGE_BYTES;
    uint64_t sets = add_column("sem", 3, 0) * (SEMAPHORE_BYTES + UNDO_BYTES * processes) +
                    add_column("sem", 99, OBJECT_BYTES);

    return add_column("shm", 14, OBJECT_BYTES) + add_column("shm", 15, 0) + messages + sets;
}

/* ---- file systems in memory ----------------------------------------------------------- */

int hold_open(pid_t pid, const char *path)
{
    char full[PATH_MAX];

    int n = snprintf(full, sizeof(full), "%d/root%s", pid, path);
    if (n < 0 || (size_t)n >= sizeof(full))
        return -1;
    return openat(tree_proc(), full, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

uint64_t hold_filed(int dir, uint64_t most)
{
    struct statfs st;

    if (dir < 0 || fstatfs(dir, &st) < 0 || st.f_type != TMPFS_MAGIC)
        return 0;
    uint64_t block = (uint64_t)st.f_bsize;
    if (st.f_blocks == 0 || st.f_blocks * block > most + block || st.f_bfree > st.f_blocks)
        return 0;
    return (st.f_blocks - st.f_bfree) * block;
}

/* ---- pages ------------------------------------------------------------------------------ */

static int take_line(const char *text, const char *name, uint64_t *ret)
{
    const char *at = strstr(text, name);
    unsigned long kib;

    if (!at || sscanf(at + strlen(name), " %lu", &kib) != 1)
        return 0;
    *ret += kib * KIB;
    return 1;
}

static void add_unseen(void *ctx, const struct tree_process *p)
{
    static const char *const names[] = {"\nVmPTE:", "\nVmSwap:", "\nHugetlbPages:"};
    uint64_t *ret = ctx;
    char text[TREE_TEXT_MAX];

    (void)tree_read(p->look, "status", text);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        (void)take_line(text, names[i], ret);
}

uint64_t hold_unseen(pid_t top, int without_top)
{
    uint64_t all = 0;

    tree_each(top, without_top, add_unseen, &all);
    return all;
}

int hold_pages_of(const struct tree_process *p, struct hold_pages *ret)
{
    char text[TREE_TEXT_MAX];

    *ret = (struct hold_pages){0};
    (void)tree_read(p->look, "smaps_rollup", text);
    if (take_line(text, "\nPss_Anon:", &ret->own_bytes)) {
        (void)take_line(text, "\nPss_Shmem:", &ret->shared_bytes);
        return 1;
    }
    /* An old kernel tells one sum; a process that has gone, nothing at all. */
    return take_line(text, "\nPss:", &ret->own_bytes);
}

/* ---- mappings ---------------------------------------------------------------------------- */

/* A mapping, its place in the tree of them, and the head of its links; a link. */
#define MAPPING_BYTES 400
#define LINK_BYTES 64

struct mappings {
    uint64_t before; /* processes older than this one: it may come from all of them */
    uint64_t bytes;
    uint64_t enough;
    uint64_t until_ns;
};

static void add_mappings(void *ctx, const struct tree_process *p)
{
    struct mappings *m = ctx;
    uint64_t each = MAPPING_BYTES + LINK_BYTES * ++m->before;
    char path[64], text[TREE_TEXT_MAX];
    ssize_t n;

    (void)snprintf(path, sizeof(path), "%d/maps", p->look);
    AUTO_FD fd = openat(tree_proc(), path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && m->bytes < m->enough && (n = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            m->bytes += text[i] == '\n' ? each : 0;
        if (io_now_ns() > m->until_ns)
            m->bytes = m->enough;
    }
}

uint64_t hold_mappings(pid_t top, int without_top, uint64_t enough, uint64_t until_ns)
{
    struct mappings m = {.enough = enough, .until_ns = until_ns};

    tree_each(top, without_top, add_mappings, &m);
    return m.bytes < enough ? m.bytes : enough;
}

/* ---- shared memory without a name ------------------------------------------------------ */

struct shared {
    uint64_t until_ns;
    int unseen; /* one of the processes does not let itself be looked at, or is too much to look at */
    struct hold_shared *ret;
};

/*
 * What it holds, which only root's keeper may know: a map may be one page of it, and what was
 * unmapped of it stays.
 */
static void add_held(pid_t pid, unsigned long start, unsigned long end, struct hold_shared *ret)
{
    char path[96];
    struct stat st;

    if (ret->bytes == UINT64_MAX)
        return;
    (void)snprintf(path, sizeof(path), "%d/map_files/%lx-%lx", pid, start, end);
    if (fstatat(tree_proc(), path, &st, 0) == 0)
        ret->bytes += (uint64_t)st.st_blocks * 512;
    else if (errno != ENOENT && errno != ESRCH) /* else it has just been unmapped */
        ret->bytes = UINT64_MAX;
}

/* "7f00-7f01 rw-s 00000000 00:01 4711    /dev/zero (deleted)" */
static void take_map(pid_t pid, const char *line, struct hold_shared *ret)
{
    unsigned long start, end, inode;
    unsigned major, minor;

    if (!strstr(line, " /dev/zero (deleted)\n") ||
        sscanf(line, "%lx-%lx %*s %*s %x:%x %lu", &start, &end, &major, &minor, &inode) != 5 ||
        makedev(major, minor) != memory_dev() || !is_new(memory_dev(), inode))
        return;
    ret->objects++;
    add_held(pid, start, end, ret);
}

static void add_shared(void *ctx, const struct tree_process *p)
{
    struct shared *s = ctx;
    char path[64], line[PATH_MAX + 128];

    (void)snprintf(path, sizeof(path), "%d/maps", p->look);
    if (s->unseen)
        return;
    int fd = openat(tree_proc(), path, O_RDONLY | O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        s->unseen |= errno != ENOENT && errno != ESRCH; /* else it has just ended */
        fd_close(&fd);
        return;
    }
    while (!s->unseen && fgets(line, sizeof(line), f)) {
        take_map(p->look, line, s->ret);
        s->unseen = io_now_ns() > s->until_ns;
    }
    (void)fclose(f);
}

int hold_shared(pid_t top, int without_top, uint64_t until_ns, struct hold_shared *ret)
{
    struct shared s = {.until_ns = until_ns, .ret = ret};

    *ret = (struct hold_shared){0};
    round_now++;
    tree_each(top, without_top, add_shared, &s);
    return s.unseen ? -1 : 0;
}

/* ---- the host ---------------------------------------------------------------------------- */

static void read_host(char text[TREE_TEXT_MAX])
{
    AUTO_FD fd = openat(tree_proc(), "meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, TREE_TEXT_MAX - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
}

uint64_t hold_of_host(void)
{
    char text[TREE_TEXT_MAX];
    uint64_t files = 0, swap = 0, swap_left = 0;

    read_host(text);
    (void)take_line(text, "\nShmem:", &files);
    (void)take_line(text, "\nSwapTotal:", &swap);
    (void)take_line(text, "\nSwapFree:", &swap_left);
    return files + swap - swap_left;
}

/* What processors keep at hand of free pages, which counts as free nowhere: 100 MiB and more. */
static uint64_t at_hand(void)
{
    static const char name[] = "              count:";
    char line[256];
    uint64_t pages = 0;

    int fd = openat(tree_proc(), "zoneinfo", O_RDONLY | O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        fd_close(&fd);
        return 0;
    }
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, name, sizeof(name) - 1) == 0)
            pages += strtoull(line + sizeof(name) - 1, NULL, 10);
    (void)fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t hold_of_kernel(void)
{
    static const char *const others[] = {"\nMemFree:",      "\nBuffers:",   "\nCached:",
                                         "\nSReclaimable:", "\nAnonPages:", "\nPageTables:"};
    char text[TREE_TEXT_MAX + 1] = "\n"; /* before the first line, too */
    uint64_t all = 0, of_others = at_hand();

    read_host(text + 1);
    (void)take_line(text, "\nMemTotal:", &all);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        (void)take_line(text, others[i], &of_others);
    return all > of_others ? all - of_others : 0;
}

uint64_t hold_free(void)
{
    char text[TREE_TEXT_MAX];
    uint64_t left = 0;

    read_host(text);
    (void)take_line(text, "\nMemFree:", &left);
    return left;
}
