/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits: resource limits, all of them, from one table.
 *
 * Memory limits are what the code may take on top of the loaded interpreter: the address
 * space and data that the copy of the zygote was born with are not charged to the code.
 */
#include "jail/limits.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
/* Of a fresh interpreter, before the code: the keeper does not count it, the kernel does. */
#define START_CPU_S 5

int limits_measure(struct limits_base *ret_base, struct cordon_err *reterr)
{
    char text[128];
    unsigned long long size, resident, shared, code, lib, data;

    AUTO_FD fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot open '/proc/self/statm'");

    ssize_t n = read(fd, text, sizeof(text) - 1);
    if (n < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot read '/proc/self/statm'");
    text[n] = '\0';
    if (sscanf(text, "%llu %llu %llu %llu %llu %llu", &size, &resident, &shared, &code, &lib,
               &data) != 6)
        return err_set(reterr, CORDON_E_HOST, 0, "'/proc/self/statm' cannot be understood");

    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    ret_base->vm_bytes = size * page;
    ret_base->data_bytes = data * page;
    return 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? RLIM_INFINITY : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b ? RLIM_INFINITY : a * b;
}

struct limit {
    const char *name;
    int resource;
    uint64_t soft;
    uint64_t hard;
};

/* The host's hard limit can only be lowered: below what is asked, it stays. */
static int apply_lower(const struct limit *limit, struct cordon_err *reterr)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)limit->resource, &now) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot read %s", limit->name);

    struct rlimit want = {
        .rlim_cur = limit->soft < now.rlim_max ? limit->soft : now.rlim_max,
        .rlim_max = limit->hard < now.rlim_max ? limit->hard : now.rlim_max,
    };
    if (setrlimit((__rlimit_resource_t)limit->resource, &want) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot set %s to %llu", limit->name,
                       (unsigned long long)want.rlim_cur);
    return 0;
}

static int apply_one(const struct limit *limit, struct cordon_err *reterr)
{
    struct rlimit want = {.rlim_cur = limit->soft, .rlim_max = limit->hard};

    if (setrlimit((__rlimit_resource_t)limit->resource, &want) == 0)
        return 0;
    return apply_lower(limit, reterr);
}

/*
 * An approved run is a normal program of the caller's and starts other programs. Many of
 * them reserve far more address space than they use (Go, V8, numerical libraries with a
 * buffer for each thread, WebAssembly): of it there is no end, of private memory a quarter more than the
 * keeper allows the tree to hold, so that one huge object is a MemoryError and no kill.
 */
static void widen(const struct sandbox_spec *spec, uint64_t *vm, uint64_t *data, uint64_t *file)
{
    *vm = RLIM_INFINITY;
    *data = sum(spec->memory_bytes, spec->memory_bytes / 4 + 64 * MIB); /* to start with */
    *file = times(spec->disk_bytes, LIMITS_FILE_TIMES);
}

int limits_apply(const struct sandbox_spec *spec, const struct limits_base *base,
                 struct cordon_err *reterr)
{
    const int wide = spec->approved != 0;
    uint64_t vm = sum(base->vm_bytes, spec->memory_bytes);
    uint64_t data = sum(base->data_bytes, spec->memory_bytes);
    uint64_t file = spec->disk_bytes;
    uint64_t cpu = spec->cpu_ms / 1000 + (spec->cpu_ms % 1000 != 0);
    uint64_t tasks = spec->tasks + (wide ? 3 : 0); /* the keeper, a thread of its, the init */

    uint64_t files = wide ? RLIM_INFINITY : spec->open_files; /* limits_open_files() */

    if (base->shared_user)
        tasks = RLIM_INFINITY; /* the keeper counts */
    if (wide) {
        widen(spec, &vm, &data, &file);
        cpu = sum(cpu, START_CPU_S);
    }
#ifdef CORDON_SANITIZED
    /* A sanitizer reserves terabytes of address space for its shadow: these two rows are
     * exempt in that build, and only there. */
    vm = data = RLIM_INFINITY;
#endif

#define ROW(resource, soft, hard)                                                                  \
    {                                                                                              \
#resource, resource, soft, hard                                                            \
    }
    const struct limit limits[] = {
        ROW(RLIMIT_AS, vm, vm),
        ROW(RLIMIT_DATA, data, data), /* private writable memory, which AS alone counts too wide */
        ROW(RLIMIT_RSS, vm, vm),
        ROW(RLIMIT_CPU, cpu, sum(cpu, 1)), /* the soft one is lost on PID 1, the hard one kills */
        ROW(RLIMIT_NPROC, tasks, tasks),   /* counted per user namespace */
        ROW(RLIMIT_NOFILE, files, files),
        ROW(RLIMIT_FSIZE, file, file),
        ROW(RLIMIT_STACK, 8 * MIB, wide ? 1024 * MIB : 8 * MIB),
        ROW(RLIMIT_CORE, 0, 0),
        ROW(RLIMIT_MEMLOCK, wide ? 8 * MIB : 64 * KIB, wide ? 8 * MIB : 64 * KIB),
        ROW(RLIMIT_MSGQUEUE, wide ? 800 * KIB : 0, wide ? 800 * KIB : 0),
        /* Queued signals and timers, in kernel memory. */
        ROW(RLIMIT_SIGPENDING, wide ? 1024 : 64, wide ? 1024 : 64),
        ROW(RLIMIT_LOCKS, wide ? 4096 : 64, wide ? 4096 : 64),
        ROW(RLIMIT_NICE, 0, 0),
        ROW(RLIMIT_RTPRIO, 0, 0),
        ROW(RLIMIT_RTTIME, 0, 0),
    };
#undef ROW
    _Static_assert(ARRAY_LEN(limits) == RLIM_NLIMITS, "every knob, every time");

    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        int r = apply_one(&limits[i], reterr);
        if (r < 0)
            return r;
    }
    return 0;
}

int limits_open_files(uint64_t open_files, struct cordon_err *reterr)
{
    const struct limit limit = {"RLIMIT_NOFILE", RLIMIT_NOFILE, open_files, open_files};
    return apply_one(&limit, reterr);
}

/* Until this one was given out the kernel gives out lower ones, and then never again. */
#define RESERVED_NUMBERS 300

/* Before, what looks the same is the setting of the host. */
static int has_own_numbers(void)
{
    struct utsname name;
    int major, minor;

    return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 14));
}

static int write_setting(int dir, const char *path, uint64_t value)
{
    char text[24];

    AUTO_FD fd = openat(dir, path, O_WRONLY | O_CLOEXEC);
    int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return fd >= 0 && write(fd, text, (size_t)n) == n;
}

int limits_number(uint64_t tasks)
{
    uint64_t numbers = tasks > 1 ? 2 * tasks - 1 : 2;

    /* Where there are many processors the kernel takes no limit as low as that. */
    return has_own_numbers() && tasks < UINT32_MAX &&
           write_setting(-1, "/proc/sys/kernel/ns_last_pid", RESERVED_NUMBERS) &&
           write_setting(-1, "/proc/sys/kernel/pid_max", RESERVED_NUMBERS + numbers);
}

/* An event with a name of 255 bytes; a watch, and what it keeps of the file. */
#define EVENT_BYTES 512
#define WATCH_BYTES (UINT64_C(3) * 512)
#define QUEUES_MIN 4
#define WATCHES_MIN 1024

static uint64_t read_setting(int dir, const char *path, uint64_t otherwise)
{
    char text[24] = "";

    AUTO_FD fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        return otherwise;
    return strtoull(text, NULL, 10);
}

static uint64_t at_least(uint64_t least, uint64_t value)
{
    return value > least ? value : least;
}

void limits_watch(int proc, uint64_t memory_bytes)
{
    uint64_t events = read_setting(proc, "sys/fs/inotify/max_queued_events", 16384);
    uint64_t queues = memory_bytes / 2 / (at_least(1, events) * EVENT_BYTES);
    uint64_t watches = memory_bytes / 4 / WATCH_BYTES;

    /* The kernel takes no more than an int, and so many are none. */
    if (queues < INT32_MAX)
        (void)write_setting(proc, "sys/user/max_inotify_instances", at_least(QUEUES_MIN, queues));
    if (watches < INT32_MAX)
        (void)write_setting(proc, "sys/user/max_inotify_watches", at_least(WATCHES_MIN, watches));
}
