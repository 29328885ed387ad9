/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop: the engine's one descriptor. An epoll instance that holds everything the engine
 * waits for, its timer included. A watch that is removed is never called again, not even
 * in the same step.
 */
#ifndef CORDON_CORE_LOOP_H
#define CORDON_CORE_LOOP_H

#include "cordon.h"

#include <stdint.h>

struct watch {
    int fd; /* owned by whoever embeds the watch; -1: not watched */
    uint32_t events;
    void (*ready)(struct watch *w, uint32_t events);
};

struct loop {
    int epoll;
    int timer;
    uint64_t alarm_ns; /* when the timer fires, on CLOCK_MONOTONIC; 0: never */
};

int loop_open(struct loop *loop, struct cordon_err *reterr);
void loop_close(struct loop *loop);

/* 0 or -errno. w must stay where it is until loop_del(). */
int loop_add(struct loop *loop, struct watch *w, uint32_t events);
/* Changes what is waited for; 0 means only errors and hang-ups. */
int loop_mod(struct loop *loop, struct watch *w, uint32_t events);
/* Stops watching; accepts a watch that is not watched. Does not close. */
void loop_del(struct loop *loop, struct watch *w);

/* Makes the loop wake at that time at the latest. */
void loop_alarm(struct loop *loop, uint64_t when_ns);

/*
 * Handles at most `budget` events without blocking. Returns 1 when the alarm rang, 0, or
 * -errno.
 */
int loop_step(struct loop *loop, int budget);

#endif
