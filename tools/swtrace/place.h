/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code locations as users give them: [FILE:]SYMBOL or [FILE:]0xADDRESS as shown by objdump. */
#ifndef SWTRACE_PLACE_H
#define SWTRACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the file of a location and its offset in it; without FILE it is in `program` (may be NULL).
 * Returns false after a message. */
bool place_find(const char *option, const char *text, const char *program, char *file, size_t room,
		uint64_t *offset);

#endif
