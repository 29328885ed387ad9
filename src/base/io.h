/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io: descriptors and memory with one owner, and reads and writes that mean it.
 *
 * An owned descriptor is >= 0 or exactly -1. Every descriptor made here is close-on-exec.
 * Nothing here allocates except where said, so most of it is safe after fork.
 */
#ifndef CORDON_BASE_IO_H
#define CORDON_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void io_cleanup_fd(int *fd);
void io_cleanup_free(void *p);
#define AUTO_FD __attribute__((cleanup(io_cleanup_fd))) int
#define AUTO_FREE __attribute__((cleanup(io_cleanup_free)))

/* Closes *fd if it is open and sets it to -1. Keeps errno. */
void fd_close(int *fd);

/* Hands the descriptor over: returns *fd and sets it to -1. */
static inline int fd_take(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* Reads or writes all of it, or returns -errno (-EPIPE when the peer is gone early). */
int io_read_all(int fd, void *data, size_t len);
int io_write_all(int fd, const void *data, size_t len);

/*
 * One message with descriptors over a SOCK_SEQPACKET or SOCK_STREAM Unix socket.
 * io_send_fds returns 0 or -errno (MSG_NOSIGNAL; the socket's own blocking mode holds).
 * io_recv_fds returns the length, 0 at end-of-file, or -errno; descriptors beyond
 * max_fds are closed, -EMSGSIZE says that the message did not fit; *ret_nfds is always
 * set. The received descriptors are close-on-exec and the caller's.
 */
int io_send_fds(int sock, const void *data, size_t len, const int *fds, size_t nfds);
ssize_t io_recv_fds(int sock, void *data, size_t len, int *fds, size_t max_fds, size_t *ret_nfds);

/* Nobody changes what is in the memory file from here on, or how long it is. 0 or -errno. */
int io_seal(int fd);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t io_now_ns(void);

/* A buffer that grows, up to a cap that its owner states at every append. */
struct buf {
    char *data; /* always NUL-terminated once anything was appended */
    size_t len;
    size_t cap;
};
/* 0, -ENOMEM, or -E2BIG when len would pass max; on failure nothing was appended. Allocates. */
int buf_add(struct buf *b, const void *data, size_t len, size_t max);
/* Room for `len` more, so that what is added then moves nothing. 0 or -ENOMEM. */
int buf_reserve(struct buf *b, size_t len);
/* Keeps the first `len` bytes. */
void buf_cut(struct buf *b, size_t len);
void buf_done(struct buf *b);

#endif
