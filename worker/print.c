/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print: what is printed, as bytes, on its way to the pipe. It is held in memory that the engine
 * shares, and written when that is full or flushed, so that a print costs a copy and nothing
 * printed is lost with the process. A pipe that nobody reads swallows silently: a print never
 * raises for reasons that are not the code's.
 *
 * Invariant: [start, end) of a stream is exactly what has not been written yet. A process
 * that user code forked leaves the shared memory alone and has its own.
 */
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

static struct wire_text private_text;
static struct wire_text *memory = &private_text;

struct print_habit print_habits[2];

/* So are lines, while something that the code has started may print as well: what is printed in
 * turns arrives in turns. Whoever prints very much pays little for it: there are so many turns at
 * once, and then one more for each TURN_NS, less than it takes to hear from another process. */
#define TURNS 250
#define TURN_NS 10000
static enum { ALONE, STARTED, FORKED } company; /* what it is, or has: the last never ends */
static unsigned turns;
static uint64_t spent_at; /* when the last of them was */

/* start and end are reset together: a reader never sees written text as waiting. */
static void reset(int which)
{
    typedef uint64_t __attribute__((may_alias)) pair;
    _Static_assert(offsetof(struct wire_text, stream[0].end) == 4, "start and end are a pair");
    __atomic_store_n((pair *)(void *)&memory->stream[which].start, 0, __ATOMIC_RELAXED);
}

void print_flush(int which)
{
    uint32_t end = memory->stream[which].end;
    if (end > WIRE_TEXT_BUF)
        end = WIRE_TEXT_BUF;
    while (memory->stream[which].start < end) {
        uint32_t at = memory->stream[which].start;
        size_t len = end - at < WIRE_TEXT_CHUNK ? end - at : WIRE_TEXT_CHUNK;
        ssize_t n = write(which + 1, memory->stream[which].buf + at, len);
        if (n > 0) {
            memory->stream[which].start = at + (uint32_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = which + 1, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            break; /* closed by the code, or nobody reads: dropped */
        }
    }
    reset(which);
}

static void put_slowly(int which, const char *data, size_t len)
{
    while (len > 0) {
        print_flush(which);
        size_t take = len < WIRE_TEXT_BUF ? len : WIRE_TEXT_BUF;
        memcpy(memory->stream[which].buf, data, take);
        memory->stream[which].end = (uint32_t)take;
        data += take;
        len -= take;
    }
}

static inline void put(int which, const char *data, size_t len)
{
    uint32_t end = memory->stream[which].end;
    if (end > WIRE_TEXT_BUF || len > WIRE_TEXT_BUF - end) {
        put_slowly(which, data, len);
        return;
    }
    memcpy(memory->stream[which].buf + end, data, len);
    memory->stream[which].end = end + (uint32_t)len;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int is_left_alone(void)
{
    siginfo_t ended;
    return company == STARTED && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 &&
           errno == ECHILD;
}

static int take_turn(void)
{
    if (turns == 0) {
        uint64_t earned = (now_ns() - spent_at) / TURN_NS;
        if (earned == 0)
            return 0;
        if (is_left_alone()) {
            company = ALONE;
            return 0;
        }
        turns = earned < TURNS ? (unsigned)earned : TURNS;
    }
    if (--turns == 0)
        spent_at = now_ns();
    return 1;
}

/* Whether what ends with this line goes out now. */
static int is_due(int which)
{
    return print_habits[which].lines || (company != ALONE && take_turn());
}

void print_put(int which, const char *data, size_t len)
{
    put(which, data, len);
    if (print_habits[which].all || (memchr(data, '\n', len) && is_due(which)))
        print_flush(which);
}

void print_flush_all(void)
{
    print_flush(0);
    print_flush(1);
}

void print_take_turns(void)
{
    print_flush_all();
    company = company == FORKED ? FORKED : STARTED;
    turns = TURNS;
}

/* In a process that user code has just forked: what was waiting is the parent's. */
static void leave_shared(void)
{
    company = FORKED;
    memory = &private_text;
    reset(0);
    reset(1);
}

int print_attach(int memfd)
{
    int prot = PROT_READ | PROT_WRITE;
    void *map = mmap(NULL, sizeof(struct wire_text), prot, MAP_SHARED, memfd, 0);
    if (map == MAP_FAILED)
        return -errno;
    memory = map;
    return 0;
}

int print_prepare(void)
{
    return pthread_atfork(print_take_turns, NULL, leave_shared);
}
