/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Explains why the module cannot be used, and names the one command that fixes it. */
#ifndef PITRACE_DRIVER_DIAGNOSIS_H
#define PITRACE_DRIVER_DIAGNOSIS_H

#include "collect/backend.h"

/* Prefix of all system paths, and the device's group; tests set others. */
extern const char *driver_diagnosis_root, *driver_diagnosis_group;

/* err: the errno of opening the device. */
void driver_diagnose_open(int err, const struct trace_config *config,
			  struct collector_check *check);
/* The driver refused a session to this user (EPERM). */
void driver_diagnose_refusal(const struct trace_config *config, struct collector_check *check);

#endif
