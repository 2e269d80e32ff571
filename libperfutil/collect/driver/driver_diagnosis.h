/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why the module does not serve, and the one command that mends it. */
#ifndef PITRACE_DRIVER_DIAGNOSIS_H
#define PITRACE_DRIVER_DIAGNOSIS_H

#include "collect/backend.h"

/* Before each path of the system, and the device's group: tests have others. */
extern const char *driver_diagnosis_root, *driver_diagnosis_group;

/* The errno of opening the device. */
void driver_diagnose_open(int err, const struct trace_config *config,
			  struct collector_check *check);
/* The driver makes no session for this user (EPERM). */
void driver_diagnose_refusal(const struct trace_config *config, struct collector_check *check);

#endif
