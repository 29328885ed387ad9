/* SPDX-License-Identifier: Apache-2.0 */
/* usage: see usage.h. */
#include "core/usage.h"

#include "base/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TEXT_MAX 4096

uint64_t usage_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec ts;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) < 0)
        return 0;
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static const char *read_file(pid_t pid, const char *file, char text[TEXT_MAX])
{
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
    AUTO_FD fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, text, TEXT_MAX - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

uint64_t usage_waited_ns(pid_t pid)
{
    char text[TEXT_MAX];
    unsigned long long user, system;
    /* proc_pid_stat(5), fields 16 and 17; before the ')' is a name, which may be anything. */
    const char *at = strrchr(read_file(pid, "stat", text), ')');
    if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu",
                      &user, &system) != 2)
        return 0;
    return (user + system) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

uint64_t usage_resident_most(pid_t pid)
{
    char text[TEXT_MAX];
    unsigned long long kib = 0;
    const char *at = strstr(read_file(pid, "status", text), "\nVmHWM:");
    return at && sscanf(at, "\nVmHWM: %llu", &kib) == 1 ? kib * 1024 : 0;
}
