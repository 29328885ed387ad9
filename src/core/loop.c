/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop: see loop.h. Events are taken one by one: a handler may free any watch, and a
 * batch taken before would still hold pointers to it.
 */
#include "core/loop.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

int loop_open(struct loop *loop, struct cordon_err *reterr)
{
    *loop = (struct loop){.epoll = -1, .timer = -1};
    AUTO_FD ep = epoll_create1(EPOLL_CLOEXEC);
    AUTO_FD timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (ep < 0 || timer < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make an event descriptor");
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(ep, EPOLL_CTL_ADD, timer, &ev) < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot watch the timer");
    loop->epoll = fd_take(&ep);
    loop->timer = fd_take(&timer);
    return 0;
}

void loop_close(struct loop *loop)
{
    fd_close(&loop->epoll);
    fd_close(&loop->timer);
}

int loop_add(struct loop *loop, struct watch *w, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.ptr = w};
    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, w->fd, &ev) < 0)
        return -errno;
    w->events = events;
    return 0;
}

int loop_mod(struct loop *loop, struct watch *w, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.ptr = w};
    if (w->events == events)
        return 0;
    if (epoll_ctl(loop->epoll, EPOLL_CTL_MOD, w->fd, &ev) < 0)
        return -errno;
    w->events = events;
    return 0;
}

void loop_del(struct loop *loop, struct watch *w)
{
    if (w->fd >= 0)
        (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, w->fd, NULL); /* ENOENT: was not watched */
}

static void set_timer(struct loop *loop, uint64_t when_ns)
{
    struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)(when_ns / 1000000000u),
                     .tv_nsec = (long)(when_ns % 1000000000u)},
    };
    (void)timerfd_settime(loop->timer, TFD_TIMER_ABSTIME, &spec, NULL); /* arguments are right */
    loop->alarm_ns = when_ns;
}

void loop_alarm(struct loop *loop, uint64_t when_ns)
{
    if (loop->alarm_ns == 0 || when_ns < loop->alarm_ns)
        set_timer(loop, when_ns);
}

static void take_timer(struct loop *loop)
{
    uint64_t count;
    (void)!read(loop->timer, &count, sizeof(count)); /* only empties it */
    loop->alarm_ns = 0;
}

int loop_step(struct loop *loop, int budget)
{
    int rang = 0;
    while (budget-- > 0) {
        struct epoll_event ev;
        int n = epoll_wait(loop->epoll, &ev, 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        struct watch *w = ev.data.ptr;
        if (w) {
            w->ready(w, ev.events);
        } else {
            take_timer(loop);
            rang = 1;
        }
    }
    return rang;
}
