/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which named mappings are memory that a program makes code in, beside anonymous memory: memory
 * files, shared anonymous memory (/dev/zero), System V's, huge pages. The kernel names them; no
 * program or library stands there.
 */
#ifndef PITRACE_CODE_MEMORY_H
#define PITRACE_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool code_memory(const char *path, size_t length)
{
	static const char *const begins[] = {
		"/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage", "//anon",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t n = strlen(begins[i]);

		if (length >= n && !memcmp(path, begins[i], n))
			return true;
	}
	return false;
}

#endif
