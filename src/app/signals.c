/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: see signals.h.
 */
#include "app/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"

int signals_catch(const sigset_t *more)
{
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old;
    sigset_t set = *more;
    for (size_t i = 0; i < ARRAY_LEN(asking); i++)
        if (sigaction(asking[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(&set, asking[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int fd)
{
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}
