/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit: see admit.h. A memory file is made here, in the run's own /dev/shm: the meter knows the
 * size of all that lies there, whoever holds it and however.
 *
 * Nothing is decided by what lies in the caller's memory, which others could change meanwhile:
 * only by numbers that came in registers.
 */
#include "keeper/admit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static union {
    struct seccomp_notif call;
    char room[512]; /* a later kernel's may be larger */
} asking;

/* Who asked may be dead by now (ENOENT), which is nobody's loss. */
static void refuse(const struct keeper *k, int error)
{
    struct seccomp_notif_resp resp = {.id = asking.call.id, .error = -error};
    (void)ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static void give_file(const struct keeper *k, int file, int close_on_exec)
{
    struct seccomp_notif_addfd add = {.id = asking.call.id,
                                      .flags = SECCOMP_ADDFD_FLAG_SEND,
                                      .srcfd = (uint32_t)file,
                                      .newfd_flags = close_on_exec ? O_CLOEXEC : 0};

    if (ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0)
        refuse(k, errno); /* it has too many */
}

/* Not in every libc's headers. */
#define FLAG_NOEXEC_SEAL 8u
#define FLAG_EXEC 16u
#define KNOWN_FLAGS (MFD_CLOEXEC | MFD_ALLOW_SEALING | FLAG_NOEXEC_SEAL | FLAG_EXEC)

/* One without a name, that gets none (O_EXCL). To seal it is refused, as any file there. */
static void make_file(const struct keeper *k, const struct run *run)
{
    unsigned flags = (unsigned)asking.call.data.args[1];

    if (flags & ~KNOWN_FLAGS) {
        refuse(k, EINVAL); /* as by a kernel without huge pages, or an older one */
        return;
    }
    AUTO_FD file = openat(run->meter.shm, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0700);
    if (file < 0) {
        refuse(k, errno);
        return;
    }
    (void)fchmod(file, 0777); /* whatever our mask is */
    give_file(k, file, flags & MFD_CLOEXEC);
}

/* A listener whose filter nobody is under any more would be readable for ever. */
static void stop_listening(struct keeper *k)
{
    struct pollfd now = {.fd = k->approved.listener};

    if (poll(&now, 1, 0) > 0)
        fd_close(&k->approved.listener);
}

void admit_one(struct keeper *k)
{
    const struct run *run = TAILQ_FIRST(&k->runs.live);

    memset(&asking, 0, sizeof(asking)); /* or the kernel refuses */
    if (ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_RECV, &asking) < 0)
        stop_listening(k);
    else if (run && asking.call.data.nr == SYS_memfd_create)
        make_file(k, run);
    else
        refuse(k, ENOSYS);
}
