/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf maps: /tmp/perf-PID.map, in which a program lists the code it generates: one line each,
 * address and size in hexadecimal and a name. There are no times: if several pieces of code share
 * an address, it is unknown which one was there at a given time, unless the file was read while it
 * grew (a2n_jit_map).
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfmap;

struct perfmap_entry {
	uint64_t address, size;
	const char *name; /* valid until the next call */
	size_t name_length;
	uint64_t offset, line; /* offset in the file; lines count from 1 */
};

struct perfmap_fault {
	uint64_t offset, line;
	const char *what;    /* text; NULL: none so far */
	uint64_t lines;      /* lines skipped so far */
	uint64_t unfinished; /* bytes after the last whole line */
};

/* Opens the file at this path, if it is not a link and belongs to this owner or root ((uid_t)-1: to
 * anybody). 0, -errno, -EBADMSG, -EPERM (another owner); *why is NULL or the reason. */
int perfmap_open(struct perfmap **m, const char *path, uid_t owner,
		 const char **why) PITRACE_USE_RESULT;
/* Takes ownership of fd, also on failure. */
int perfmap_open_fd(struct perfmap **m, int fd, const char **why) PITRACE_USE_RESULT;
/* Reads a map in memory, which the caller keeps. 0 or -ENOMEM. */
int perfmap_open_text(struct perfmap **m, const void *text, size_t size)
	PITRACE_READS(2, 3) PITRACE_USE_RESULT;
/* Reads a PIFILE_SEC_PERFMAP section of a trace, which the caller keeps: a line about the map, then
 * a part of it. 0, -ENOMEM, -EBADMSG: there is no such line. */
struct perfmap_part {
	uint32_t pid;
	uint64_t since, until; /* ns: read at `until`, previously at `since` or never (0) */
	uint64_t offset;       /* of the part in the file */
	char path[256];        /* of the file */
};
int perfmap_open_part(struct perfmap **m, const void *section, size_t size,
		      struct perfmap_part *part) PITRACE_USE_RESULT;
void perfmap_close(struct perfmap *m);
/* 1: the next entry; 0: no more now (a later call reads what was appended); -errno. */
int perfmap_next(struct perfmap *m, struct perfmap_entry *entry) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
void perfmap_fault(const struct perfmap *m, struct perfmap_fault *fault) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int perfmap_next_sized(struct perfmap *m, struct perfmap_entry *entry, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2) PITRACE_USE_RESULT;
void perfmap_fault_sized(const struct perfmap *m, struct perfmap_fault *fault, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2);
int perfmap_open_part_sized(struct perfmap **m, const void *section, size_t size,
			    struct perfmap_part *part, size_t part_size) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define perfmap_open_part(...) perfmap_open_part_sized(__VA_ARGS__, sizeof(struct perfmap_part))
#define perfmap_next(...)      perfmap_next_sized(__VA_ARGS__, sizeof(struct perfmap_entry))
#define perfmap_fault(...)     perfmap_fault_sized(__VA_ARGS__, sizeof(struct perfmap_fault))
#endif

#ifdef __cplusplus
}
#endif
#endif
