/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identifies the conditions of a calibration: lines of NAME: VALUE. Minima of another build, CPU,
 * metric, or way in which the program's code calls the hooks, are not used.
 */
#ifndef CALIBRATION_KEY_H
#define CALIBRATION_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Appends a line; control characters become blanks. A line that does not fit is omitted. */
void key_add(char *key, size_t size, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Appends the build id of the loaded file that contains this code. */
void key_add_build(char *key, size_t size, const char *name, uintptr_t code);
/* Appends the CPU's model and the metrics. */
void key_add_machine(char *key, size_t size);

#endif
