/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: see reader.h. Threads never end: one that is left waits for whoever takes it next. None is
 * taken away from its question either, which ends with the process that it is about.
 */
#include "keeper/reader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define READERS_MAX 64 /* as many runs of a box as are likely to be walked over at once */
#define STACK_BYTES ((size_t)256 * 1024)

struct reader {
    pthread_mutex_t lock;
    pthread_cond_t turn; /* whenever state changes */
    enum { UNSTARTED, IDLE, ASKED, ANSWERED } state;
    int is_taken; /* the keeper's own */
    struct tree_process about;
    struct hold_pages answer;
    int is_told; /* what hold_pages_of() said of it */
};

static struct reader readers[READERS_MAX];

static void *ask_for_ever(void *arg)
{
    struct reader *r = arg;

    (void)pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->state != ASKED)
            (void)pthread_cond_wait(&r->turn, &r->lock);
        const struct tree_process about = r->about;
        struct hold_pages answer;
        (void)pthread_mutex_unlock(&r->lock);
        int is_told = hold_pages_of(&about, &answer);
        (void)pthread_mutex_lock(&r->lock);
        r->answer = answer;
        r->is_told = is_told;
        r->state = ANSWERED;
        (void)pthread_cond_signal(&r->turn);
    }
    return NULL;
}

static int start_thread(struct reader *r)
{
    pthread_condattr_t monotonic;
    pthread_attr_t small;
    pthread_t thread;
    sigset_t all, before;

    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&r->turn, &monotonic);
    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, STACK_BYTES);
    (void)pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the keeper's */
    r->state = IDLE;
    int sys = pthread_create(&thread, &small, ask_for_ever, r);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sys)
        r->state = UNSTARTED;
    return sys;
}

/* Not one that has still to find out what nobody waits for. */
static int is_free(struct reader *r)
{
    if (r->is_taken)
        return 0;
    if (r->state == UNSTARTED) /* there is no thread of it */
        return start_thread(r) == 0;
    (void)pthread_mutex_lock(&r->lock);
    int is_asking = r->state == ASKED;
    (void)pthread_mutex_unlock(&r->lock);
    return !is_asking;
}

struct reader *reader_take(void)
{
    for (size_t i = 0; i < READERS_MAX; i++)
        if (is_free(&readers[i])) {
            readers[i].is_taken = 1;
            return &readers[i];
        } else if (readers[i].state == UNSTARTED)
            break;
    return NULL;
}

void reader_leave(struct reader *reader)
{
    if (reader)
        reader->is_taken = 0;
}

static void ask(struct reader *r, const struct tree_process *process)
{
    r->about = *process;
    r->state = ASKED;
    (void)pthread_cond_signal(&r->turn);
}

/* Whether it has an answer, or nothing to do. */
static int await(struct reader *r, const struct timespec *until)
{
    int sys = 0;

    while (r->state == ASKED && sys == 0)
        sys = pthread_cond_timedwait(&r->turn, &r->lock, until);
    return r->state != ASKED;
}

int reader_pages(struct reader *reader, const struct tree_process *process, uint64_t until_ns,
                 struct hold_pages *ret)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    struct reader *r = reader;
    int found = 0;

    (void)pthread_mutex_lock(&r->lock);
    if (await(r, &until)) {
        found =
            r->state == ANSWERED && r->about.pid == process->pid && r->about.born == process->born;
        if (!found) {
            ask(r, process);
            found = await(r, &until);
        }
    }
    if (found) {
        *ret = r->answer;
        r->state = IDLE;
    }
    (void)pthread_mutex_unlock(&r->lock);
    return found ? r->is_told : -EAGAIN;
}
