/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named mappings that hold generated code, as anonymous memory does: memory files, shared anonymous
 * memory (/dev/zero), System V shared memory, huge pages. The kernel gives them these names; no
 * program or library is mapped from them.
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
