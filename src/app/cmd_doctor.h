/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_doctor: `cordon doctor`.
 */
#ifndef CORDON_APP_CMD_DOCTOR_H
#define CORDON_APP_CMD_DOCTOR_H

#include "app/options.h"

extern const struct command cmd_doctor;

#endif
