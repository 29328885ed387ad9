/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: what asks a program to end, as a descriptor for its loop.
 */
#ifndef CORDON_APP_SIGNALS_H
#define CORDON_APP_SIGNALS_H

#include <signal.h>

/*
 * From now on SIGINT, SIGTERM, SIGHUP and those in `more` arrive at the descriptor that is
 * returned (-1: errno says why not) and nowhere else. What nohup ignores stays ignored.
 */
int signals_catch(const sigset_t *more);

/* The number of the next one, 0 when there is none. */
int signals_next(int fd);

#endif
