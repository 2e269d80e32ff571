/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in code as users give them: [FILE:]SYMBOL or [FILE:]0xADDRESS, as objdump shows it. */
#ifndef SWTRACE_PLACE_H
#define SWTRACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file and the offset in it of a place; without FILE it is in `program` (may be NULL). False
 * after a message. */
bool place_find(const char *option, const char *text, const char *program, char *file, size_t room,
		uint64_t *offset);

#endif
