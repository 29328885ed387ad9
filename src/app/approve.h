/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approve: asking a person whether code with warnings may run. Only where a person is:
 * a pipe cannot say yes.
 */
#ifndef CORDON_APP_APPROVE_H
#define CORDON_APP_APPROVE_H

#include "app/options.h"

/* Whether there is a terminal to ask on, and this command line is one to ask about. */
int approve_can_ask(const struct run_options *o, const char *file);

/* Forgets what was typed before the question was there to be read. */
void approve_forget(void);

/*
 * Waits for the answer to a question that is on the screen. 1: yes; 0: anything else;
 * -EINTR: `signals` is readable first.
 */
int approve_answer(int signals);

#endif
