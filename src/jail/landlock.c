/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock: see landlock.h. All that any version can restrict is in one table, with the
 * version that brought it; what the running kernel does not know yet is masked out. The
 * numbers are the kernel's interface; headers of the build machine may be older.
 */
#include "jail/landlock.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Access to files, in the kernel's order. */
#define FS_EXECUTE (UINT64_C(1) << 0)
#define FS_WRITE_FILE (UINT64_C(1) << 1)
#define FS_READ_FILE (UINT64_C(1) << 2)
#define FS_READ_DIR (UINT64_C(1) << 3)
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_MAKE_CHAR (UINT64_C(1) << 6)
#define FS_MAKE_SPECIAL (UINT64_C(7) << 9) /* socket, FIFO, block device */
#define FS_VERSION_1 ((UINT64_C(1) << 13) - 1)
#define FS_REFER (UINT64_C(1) << 13) /* move or link between directories */
#define FS_TRUNCATE (UINT64_C(1) << 14)
#define FS_IOCTL_DEV (UINT64_C(1) << 15)
#define FS_ALL ((UINT64_C(1) << 16) - 1)
#define NET_TCP UINT64_C(3) /* bind, connect */
#define SCOPE_SIGNALS UINT64_C(2)
#define SCOPE_ALL UINT64_C(3) /* abstract Unix sockets, signals */
#define RESTRICT_SILENT 5u    /* no audit line per refusal: hostile code makes millions */

#define CREATE_VERSION 1u
#define RULE_PATH_BENEATH 1

struct ruleset {
    uint64_t fs;
    uint64_t net;
    uint64_t scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static const struct {
    int since;
    struct ruleset adds;
} versions[] = {
    {1, {.fs = FS_VERSION_1}},  {2, {.fs = FS_REFER}}, /* before it, moving between directories is never possible */
    {3, {.fs = FS_TRUNCATE}},   {4, {.net = NET_TCP}}, {5, {.fs = FS_IOCTL_DEV}},
    {6, {.scoped = SCOPE_ALL}},
};
#define SINCE_SILENT 7

static const uint64_t grants[] = {
    [LANDLOCK_READ] = FS_READ_FILE | FS_READ_DIR,
    [LANDLOCK_USE] = FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE,
    [LANDLOCK_OWN] = FS_ALL & ~(FS_EXECUTE | FS_MAKE_CHAR | FS_MAKE_SPECIAL | FS_IOCTL_DEV),
};

int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    return abi > 0 ? (int)abi : 0;
}

static struct ruleset restricted_by(int abi)
{
    struct ruleset all = {0};

    for (size_t i = 0; i < ARRAY_LEN(versions) && versions[i].since <= abi; i++) {
        all.fs |= versions[i].adds.fs;
        all.net |= versions[i].adds.net;
        all.scoped |= versions[i].adds.scoped;
    }
    return all;
}

static int add_rule(int ruleset, uint64_t known, const struct landlock_rule *rule,
                    struct cordon_err *reterr)
{
    AUTO_FD parent = open(rule->path, O_PATH | O_CLOEXEC);
    if (parent < 0 && errno == ENOENT && rule->optional)
        return 0;
    if (parent < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '%s'", rule->path);

    struct path_beneath beneath = {.allowed = grants[rule->grant] & known, .parent = parent};
    struct stat st;
    if (fstat(parent, &st) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot look at '%s'", rule->path);
    if (!S_ISDIR(st.st_mode)) /* the kernel takes nothing that only a directory has */
        beneath.allowed &= FS_OF_FILES;
    if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot add '%s' to the Landlock rules",
                       rule->path);
    return 0;
}

static int make_ruleset(const struct ruleset *restricted, int *ret_fd, struct cordon_err *reterr)
{
    *ret_fd = (int)syscall(SYS_landlock_create_ruleset, restricted, sizeof(*restricted), 0);
    if (*ret_fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make Landlock rules");
    return 0;
}

static int restrict_self(int ruleset, int abi, struct cordon_err *reterr)
{
    if (syscall(SYS_landlock_restrict_self, ruleset, abi >= SINCE_SILENT ? RESTRICT_SILENT : 0) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot apply the Landlock rules");
    return 0;
}

static int check_abi(int *ret_abi, struct cordon_err *reterr)
{
    *ret_abi = landlock_abi();
    if (*ret_abi == 0)
        return err_set(reterr, CORDON_E_HOST, 0,
                       "this kernel has no Landlock: build it with CONFIG_SECURITY_LANDLOCK and "
                       "start it with 'landlock' in lsm=, or take the wall "
                       "down (--drop-wall landlock)");
    return 0;
}

int landlock_apply(const struct landlock_rule *rules, size_t count, struct cordon_err *reterr)
{
    AUTO_FD ruleset = -1;
    int abi;

    int r = check_abi(&abi, reterr);
    if (r < 0)
        return r;
    struct ruleset restricted = restricted_by(abi);
    r = make_ruleset(&restricted, &ruleset, reterr);
    for (size_t i = 0; r == 0 && i < count; i++)
        r = add_rule(ruleset, restricted.fs, &rules[i], reterr);
    return r < 0 ? r : restrict_self(ruleset, abi, reterr);
}

int landlock_apart(struct cordon_err *reterr)
{
    /* A ruleset has to hold something: devices, which only root could make. */
    struct ruleset least = {.fs = FS_MAKE_CHAR};
    AUTO_FD ruleset = -1;
    int abi;

    int r = check_abi(&abi, reterr);
    if (r < 0)
        return r;
    least.scoped = restricted_by(abi).scoped & SCOPE_SIGNALS;
    r = make_ruleset(&least, &ruleset, reterr);
    return r < 0 ? r : restrict_self(ruleset, abi, reterr);
}
