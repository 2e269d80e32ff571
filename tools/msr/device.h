/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's device for model-specific registers, ROOT/dev/cpu/N/msr: eight bytes at the offset
 * that is the register's number. ROOT is "" for this machine. The functions return 0, or -errno and
 * a message that says what to do.
 */
#ifndef MSR_DEVICE_H
#define MSR_DEVICE_H

#include <stddef.h>
#include <stdint.h>

int msr_read(const char *root, unsigned int cpu, uint32_t reg, uint64_t *value, char *why,
	     size_t room);
int msr_write(const char *root, unsigned int cpu, uint32_t reg, uint64_t value, char *why,
	      size_t room);

#endif
