/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another process: its mappings, addresses of functions, its memory. */
#ifndef PATCH_REMOTE_H
#define PATCH_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor; /* device of its file */
	bool code;
	char *path;
};

struct remote {
	pid_t pid;
	int memory;
	struct remote_map *maps;
	size_t n, room;
};

/* Returns false on an error (errno). */
bool remote_open(struct remote *r, pid_t pid);
void remote_close(struct remote *r);

/* The first mapping of a file: by its path, or by the beginning of its name. */
const struct remote_map *remote_file(const struct remote *r, const char *path, const char *name);
const struct remote_map *remote_at(const struct remote *r, uint64_t address);
/* The address of a function in a mapped file; 0: not found. */
uint64_t remote_function(const struct remote *r, const struct remote_map *file, const char *name);
/* The address of these bytes in the code of a file; 0: not found. */
uint64_t remote_code(const struct remote *r, const struct remote_map *file, const void *bytes,
		     size_t n);
/* Whether its memory is gone: what was not found may have been there. */
bool remote_ended(const struct remote *r);
bool remote_read(const struct remote *r, uint64_t at, void *to, size_t n);
bool remote_write(const struct remote *r, uint64_t at, const void *from, size_t n);

#endif
