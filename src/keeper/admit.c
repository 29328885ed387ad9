/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit: see admit.h. A memory file is made here, in the run's own /dev/shm: the meter knows the
 * size of all that lies there, whoever holds it and however. Of shared memory without a name only
 * how long it is gets noted; it is made by the caller itself.
 *
 * Of a socket that nobody would tell the size of the maker hears that there is none such here.
 *
 * Nothing is decided by what lies in the caller's memory, which others could change meanwhile:
 * only by numbers that came in registers. So a call may be let go on.
 */
#include "keeper/admit.h"

#include "keeper/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static union {
    struct seccomp_notif call;
    char room[512]; /* a later kernel's may be larger */
} asking;

#define PAGE_BYTES 65536 /* the largest there are */

#define LARGEST 64

/* Of the run's shared memories without a name. */
static struct {
    uint64_t made_bytes; /* since there was none, together */
    uint64_t least;      /* that the host was seen to have in such, and in files, since then */
    uint64_t largest[LARGEST]; /* of those made since then, the largest first */
    int is_new;                /* one was made since the last look, and may not be mapped yet */
    enum { UNTRIED, TOLD, NOT_TOLD } held; /* whether we may know what each holds */
} shared;

/* Who asked may be dead by now (ENOENT), which is nobody's loss. */
static void answer(const struct keeper *k, int value, int error, uint32_t flags)
{
    struct seccomp_notif_resp resp = {
        .id = asking.call.id, .val = value, .error = -error, .flags = flags};
    (void)ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static void refuse(const struct keeper *k, int error)
{
    answer(k, 0, error, 0);
}

/* ---- memory files ------------------------------------------------------------------ */

/* Not in every libc's headers. */
#define FLAG_NOEXEC_SEAL 8u
#define FLAG_EXEC 16u
#define KNOWN_FLAGS (MFD_CLOEXEC | MFD_ALLOW_SEALING | FLAG_NOEXEC_SEAL | FLAG_EXEC)

/* One without a name, that gets none (O_EXCL). To seal it is refused, as any file there. */
static int make_file(const struct run *run)
{
    int file = openat(run->meter.shm, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0700);

    if (file >= 0)
        (void)fchmod(file, 0777); /* whatever our mask is */
    return file;
}

static void give_file(const struct keeper *k, const struct run *run)
{
    unsigned flags = (unsigned)asking.call.data.args[1];
    struct seccomp_notif_addfd add = {.id = asking.call.id,
                                      .newfd_flags = flags & MFD_CLOEXEC ? O_CLOEXEC : 0};

    if (flags & ~KNOWN_FLAGS) {
        refuse(k, EINVAL); /* as by a kernel without huge pages, or an older one */
        return;
    }
    AUTO_FD file = make_file(run);
    add.srcfd = (uint32_t)file;
    int given = file >= 0 ? ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) : -1;
    if (given < 0) {
        refuse(k, errno); /* there are too many, or it has too many */
        return;
    }
    fd_close(&file); /* before it goes on: it may want to execute what it has written */
    answer(k, given, 0, 0);
}

/* ---- shared memory ----------------------------------------------------------------- */

/* What the host has in shared memory and files in memory but the run's own. */
static uint64_t of_others(uint64_t filed)
{
    uint64_t all = hold_of_host();
    return all > filed ? all - filed : 0;
}

/* Puts a length in its place among the largest. */
static void note_length(uint64_t length)
{
    size_t at = LARGEST;

    while (at > 0 && shared.largest[at - 1] < length)
        at--;
    if (at == LARGEST)
        return;
    memmove(&shared.largest[at + 1], &shared.largest[at],
            (LARGEST - 1 - at) * sizeof(shared.largest[0]));
    shared.largest[at] = length;
}

static void note_shared(const struct keeper *k, const struct run *run)
{
    uint64_t length = asking.call.data.args[1];
    uint64_t disk = run->spec.disk_bytes;

    if (asking.call.data.args[3] & MAP_HUGETLB) {
        refuse(k, ENOMEM); /* of the host's store, and in the maps by another name */
        return;
    }
    if (shared.made_bytes == 0)
        shared.least =
            of_others(hold_filed(run->meter.work, disk) + hold_filed(run->meter.shm, disk));
    if (length < INT64_MAX - PAGE_BYTES) { /* else there is no address for it */
        uint64_t room = INT64_MAX - shared.made_bytes;
        length += PAGE_BYTES;
        shared.made_bytes += length < room ? length : room; /* the sum must not come round to 0 */
        note_length(length);
    }
    shared.is_new = 1;
    answer(k, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

/* So many of those that were made, whichever they are. */
static uint64_t largest_of(uint64_t objects)
{
    uint64_t all = 0;

    for (uint64_t i = 0; i < objects && all < shared.made_bytes; i++)
        all += shared.largest[i < LARGEST ? i : LARGEST - 1];
    return all < shared.made_bytes ? all : shared.made_bytes;
}

/*
 * The most that it can hold in those that it has: none outlives its last map. (The length of
 * the maps would not tell, see hold.c. Who moves a map from where it will be looked for is
 * not seen.)
 */
static uint64_t most_held(pid_t top, uint64_t until_ns)
{
    struct hold_shared has;
    int is_new = shared.is_new;

    if (hold_shared(top, 1, until_ns, &has) < 0) {
        shared.held = NOT_TOLD;
        return shared.made_bytes;
    }
    shared.is_new = 0;
    if (has.objects == 0 && !is_new) {
        shared.made_bytes = 0;
        memset(shared.largest, 0, sizeof(shared.largest));
    }
    if (has.objects > 0)
        shared.held = has.bytes != UINT64_MAX ? TOLD : NOT_TOLD;
    uint64_t most = largest_of(has.objects);
    return has.bytes < most ? has.bytes : most;
}

/* Of shared pages. They may have mapped all that is filed, which counts already. */
static uint64_t shown(const struct run *run, pid_t top, uint64_t filed, uint64_t until_ns)
{
    struct walk walk = {.reader = run->meter.walk.reader}; /* it has been taken for the run */
    struct hold_pages pages;

    (void)walk_on(&walk, top, 1, until_ns, &pages);
    walk_end(&walk);
    return pages.shared_bytes > filed ? pages.shared_bytes - filed : 0;
}

/* What the host has more of than when the run's first was made. */
static uint64_t growth(uint64_t filed)
{
    uint64_t now = of_others(filed);

    if (now < shared.least)
        shared.least = now;
    return now - shared.least;
}

uint64_t admit_hidden(const struct run *run, pid_t top, uint64_t filed, uint64_t resident,
                      int may_walk, uint64_t until_ns)
{
    uint64_t limit = run->spec.memory_bytes;

    if (shared.made_bytes <= limit)
        return 0;
    uint64_t more = growth(filed);
    if (more <= limit && shared.held == NOT_TOLD)
        return 0;
    uint64_t most = most_held(top, until_ns);
    if (shared.held == TOLD) /* whatever others take and give back meanwhile */
        more = most;
    most = more < most ? more : most;
    if (most <= limit)
        return 0;
    uint64_t seen = may_walk ? shown(run, top, filed, until_ns) : resident;
    uint64_t hidden = more > seen ? more - seen : 0;
    hidden = hidden < most ? hidden : most;
    return hidden > limit ? hidden : 0;
}

/* ---- sockets ----------------------------------------------------------------------- */

static int listens;

int admit_listens(void)
{
    return listens;
}

static void note_listener(const struct keeper *k)
{
    listens = 1;
    answer(k, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

/* As a kernel that was built without it. */
static void refuse_socket(const struct keeper *k)
{
    int family = (int)asking.call.data.args[0];
    refuse(k, family == AF_INET || family == AF_INET6 ? EPROTONOSUPPORT : EAFNOSUPPORT);
}

/* ---- pages of files ------------------------------------------------------------------ */

/* They put pages of a file where no look finds them, and where one keeps as many as lie together. */
static int is_of_pages(int call)
{
    return call == SYS_splice || call == SYS_tee || call == SYS_sendfile;
}

/* ---- the loop ------------------------------------------------------------------------ */

void admit_one(struct keeper *k)
{
    const struct run *run = TAILQ_FIRST(&k->runs.live);

    memset(&asking, 0, sizeof(asking)); /* or the kernel refuses */
    if (ioctl(k->approved.listener, SECCOMP_IOCTL_NOTIF_RECV, &asking) < 0)
        return; /* who asked has gone meanwhile */
    if (run && asking.call.data.nr == SYS_memfd_create)
        give_file(k, run);
    else if (run && asking.call.data.nr == SYS_mmap)
        note_shared(k, run);
    else if (run && asking.call.data.nr == SYS_listen)
        note_listener(k);
    else if (run && asking.call.data.nr == SYS_socket)
        refuse_socket(k);
    else if (run && asking.call.data.nr == SYS_setsockopt)
        refuse(k, ENOMEM); /* as of one that is too long */
    else if (run && is_of_pages(asking.call.data.nr))
        refuse(k, EINVAL); /* as of files that it cannot be done with: read and write will do */
    else
        refuse(k, ENOSYS);
}
