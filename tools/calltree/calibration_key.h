/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What minima are of: lines of NAME: VALUE. Those of another build, CPU, metric, or way from the
 * program's code to the hooks, are of no use.
 */
#ifndef CALIBRATION_KEY_H
#define CALIBRATION_KEY_H

#include <stddef.h>
#include <stdint.h>

/* A line more; control characters become blanks. What has no room is left out. */
void key_add(char *key, size_t size, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The build id of the loaded file that has this code. */
void key_add_build(char *key, size_t size, const char *name, uintptr_t code);
/* The CPU, the metrics. */
void key_add_machine(char *key, size_t size);

#endif
