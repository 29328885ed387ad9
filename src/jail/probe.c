/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: the table, in the order in which one thing stands on another, and how a row is
 * tried. What a row does is in look.c.
 */
#include "jail/probe.h"

#include "base/err.h"
#include "jail/look.h"
#include "jail/ns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- what to do ------------------------------------------------------------------ */

static const char *advise_namespaces(const struct cordon_err *err)
{
    return err->sys == ETIMEDOUT || err->sys == 0 ? NULL : ns_advice(err->sys);
}

/* Mounts that a user namespace should allow, and something else forbids. */
static const char *advise_box(const struct cordon_err *err)
{
    if (err->sys == EROFS)
        return "in a container, give it a /proc that is not masked (docker run --security-opt "
               "systempaths=unconfined)";
    return err->sys == EPERM || err->sys == EACCES ? ns_advice(err->sys) : NULL;
}

/* What Landlock is there for has been told; any other step of the box fails for a call. */
static const char *advise_contained(const struct cordon_err *err)
{
    int is_other = err->step[0] && strcmp(err->step, "landlock") != 0;
    return is_other ? "the step that failed is named: allow what it calls where a container or a "
                      "service manager filters system calls"
                    : NULL;
}

const char *probe_remedy(const struct probe *probe, const struct cordon_err *err)
{
    const char *text = probe->advise ? probe->advise(err) : NULL;
    return text ? text : probe->remedy;
}

/* ---- the table ------------------------------------------------------------------- */

#define KERNEL(version, calls)                                                                     \
    "run Linux " version " or later; a container's system-call filter must allow " calls

#define NAMELESS (CORDON_WALL_NAMESPACES | CORDON_WALL_ROOT)

static const struct probe table[] = {
    {"measure", NULL, PROBE_COPY, look_measure, 0, PROBE_BOTH,
     "a process is told about itself in /proc", "mount it: mount -t proc proc /proc", NULL},
    {"memory-files", NULL, PROBE_COPY, look_memory_files, 0, PROBE_BOTH,
     "filter and output pass through memory that cannot be resized",
     KERNEL("3.17", "memfd_create; sysctl vm.memfd_noexec=1 at most"), NULL},
    {"pidfd", NULL, PROBE_COPY, look_pidfd, 0, PROBE_BOTH,
     "what was started can be ended, and no other", KERNEL("5.3", "pidfd_send_signal"), NULL},
    {"descriptors", NULL, PROBE_COPY, look_descriptors, 0, PROBE_BOTH,
     "nothing inherited stays open", KERNEL("5.9", "close_range; and there must be a /dev/null"),
     NULL},
    {"user-namespaces", "measure", PROBE_USER, look_user, NAMELESS, PROBE_FULL,
     "this user may have privileges that mean nothing outside",
     "run a kernel with CONFIG_USER_NS, and mount a whole /proc", advise_namespaces},
    {"namespaces", "user-namespaces", PROBE_USER, look_namespaces, NAMELESS, PROBE_FULL,
     "no process, file, network or host name of others is seen",
     "run a kernel with all of CONFIG_NAMESPACES", advise_namespaces},
    {"box-proc", "namespaces", PROBE_BOX, look_box_proc, 0, 0, "approved runs see only themselves",
     "where /proc is masked (containers), unmask it: docker run --security-opt "
     "systempaths=unconfined",
     NULL},
    {"view", "namespaces", PROBE_BOX, look_view, NAMELESS, PROBE_FULL,
     "the box holds the profile's files, no others",
     KERNEL("5.12", "openat2, open_tree, move_mount, mount_setattr; the root must be a mount, no "
                    "chroot and no initial ramdisk"),
     advise_box},
    {"enter-box", "view", PROBE_BOX, look_enter_box, NAMELESS, PROBE_FULL,
     "the host's files and privileges are gone",
     "allow pivot_root, umount2 and capset where a container filters system calls", advise_box},
    {"sandbox", "enter-box", PROBE_BOX, look_sandbox, NAMELESS, PROBE_FULL,
     "the walls of a run, together",
     "the step that failed is named; it has a row of its own here, or its error says what to do",
     advise_box},
    {"limits", "measure", PROBE_COPY, look_limits, CORDON_WALL_LIMITS, PROBE_BOTH,
     "memory, tasks, files and processor time are limited",
     "allow prlimit64 where a container filters system calls", NULL},
    {"no-new-privs", NULL, PROBE_COPY, look_no_new_privs, 0, PROBE_BOTH, "no set-id program helps",
     KERNEL("3.5", "prctl"), NULL},
    {"landlock", "no-new-privs", PROBE_COPY, look_landlock, CORDON_WALL_LANDLOCK, PROBE_BOTH,
     "files are held by a second wall, besides the box",
     "run Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in the boot parameter "
     "lsm=; a container's system-call filter must allow landlock_create_ruleset",
     NULL},
    {"seccomp", "no-new-privs", PROBE_COPY, look_seccomp, CORDON_WALL_SECCOMP, PROBE_BOTH,
     "system calls that code has no use for are refused",
     "run a kernel with CONFIG_SECCOMP_FILTER, and libseccomp 2.5 or later", NULL},
    {"hidden-memory", "seccomp", PROBE_COPY, look_hidden_memory, 0, 0,
     "an approved run's memory that none of its processes shows counts",
     "run Linux 5.19 or later, outside of whatever answers the system calls of this program for "
     "the kernel (LXD, a supervised container), or where each run can have a control group",
     NULL},
    {"contained", "no-new-privs", PROBE_HERE, look_contained, 0, PROBE_CONTAINED,
     "where namespaces cannot be had, the rest can",
     "run Linux 6.7 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in the boot parameter "
     "lsm=, and a /tmp that can be written to; full boxes do not need it",
     advise_contained},
};

/* ---- trying -------------------------------------------------------------------- */

const struct probe *probe_table(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(table);
    return table;
}

/* "step: what went wrong", unless the row or the message names the step already. */
static void say_error(const struct probe *probe, const struct cordon_err *err,
                      struct probe_said *ret)
{
    int named = !err->step[0] || strcmp(err->step, probe->name) == 0 ||
                strncmp(err->msg, err->step, strlen(err->step)) == 0;

    ret->status = CORDON_PROBE_FAILED;
    ret->remedy = probe_remedy(probe, err);
    (void)snprintf(ret->detail, sizeof(ret->detail), "%s%s%s", named ? "" : err->step,
                   named ? "" : ": ", err->msg);
}

int probe_ask(const char *name, const struct probe_host *host, struct cordon_err *reterr)
{
    struct probe_said said;

    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (strcmp(table[i].name, name) != 0)
            continue;
        probe_try(&table[i], host, &said);
        return said.status != CORDON_PROBE_FAILED
                   ? 0
                   : err_set(reterr, CORDON_E_HOST, 0, "%.300s; %.180s", said.detail, said.remedy);
    }
    return err_set(reterr, CORDON_E_PROTOCOL, 0, "there is no probe '%.40s'", name);
}

int probe_add_files(struct buf *plan)
{
    int r = plan_add(plan, PLAN_DIR, "/proc", NULL);
    if (r == 0)
        r = plan_add(plan, PLAN_BIND, "/dev/null", "/dev/zero");
    return r < 0 ? r : plan_add(plan, PLAN_DEVICE, "/dev/null", "/dev/null");
}

struct sandbox_spec probe_spec(void)
{
    return (struct sandbox_spec){
        .memory_bytes = UINT64_C(64) << 20,
        .cpu_ms = 10000,
        .tasks = 16,
        .open_files = 64,
        .disk_bytes = UINT64_C(1) << 20,
        .disk_files = 100,
        .walls_down = probe_missing_walls(),
    };
}

void probe_try(const struct probe *probe, const struct probe_host *host, struct probe_said *ret)
{
    struct trial t = {.host = host, .sync = -1, .fs = ROOTFS_CLOSED};
    struct cordon_err err = {0};

    *ret = (struct probe_said){.status = CORDON_PROBE_OK};
    if (trial_run(&t, probe->place, probe->look, &err) < 0) {
        say_error(probe, &err, ret);
        return;
    }
    ret->status = t.status;
    if (t.advise || t.status == CORDON_PROBE_DEGRADED)
        ret->remedy = probe->remedy;
    (void)snprintf(ret->detail, sizeof(ret->detail), "%s", t.detail);
}
