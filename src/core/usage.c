/* SPDX-License-Identifier: Apache-2.0 */
/* usage: see usage.h. */
#include "core/usage.h"

#include "base/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t usage_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec ts;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) < 0)
        return 0;
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t usage_resident_most(pid_t pid)
{
    char path[32], text[4096];
    unsigned long long kib = 0;
    if (pid <= 0)
        return 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, "\nVmHWM:");
    return at && sscanf(at, "\nVmHWM: %llu", &kib) == 1 ? kib * 1024 : 0;
}
