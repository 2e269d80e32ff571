/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What minima are of: lines of NAME: VALUE. Those of another Java VM, CPU, metric, or way from the
 * program's code to the hooks, are of no use.
 */
#ifndef CALIBRATION_KEY_H
#define CALIBRATION_KEY_H

#include <jvmti.h>
#include <stddef.h>

/* A line more; control characters become blanks. What has no room is left out. */
void key_add(char *key, size_t size, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The agent's version, the VM's, the CPU, the metrics. */
void key_here(char *key, size_t size, jvmtiEnv *vm);

#endif
