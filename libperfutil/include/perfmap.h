/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf maps: /tmp/perf-PID.map, in which a program says what code it made where: a line each,
 * address and size in hexadecimal and a name. Nothing says when: of several codes at one address
 * nobody can tell which was there at a time, unless the file was looked at while it grew
 * (a2n_jit_map).
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perfmap;

struct perfmap_entry {
	uint64_t address, size;
	const char *name;		/* until the next call */
	size_t name_length;
	uint64_t offset, line;		/* in the file; lines count from 1 */
};

struct perfmap_fault {
	uint64_t offset, line;
	const char *what;		/* NULL: none so far */
	uint64_t lines;			/* left out so far */
	uint64_t unfinished;		/* bytes behind the last whole line */
};

/* A file as it is at this path, no link, of this owner or root's ((uid_t)-1: anybody's). 0, -errno,
 * -EBADMSG, -EPERM (another's); *why is NULL or words. */
int perfmap_open(struct perfmap **m, const char *path, uid_t owner, const char **why);
/* Takes fd over, also on failure. */
int perfmap_open_fd(struct perfmap **m, int fd, const char **why);
/* A map in memory, which stays the caller's. 0 or -ENOMEM. */
int perfmap_open_text(struct perfmap **m, const void *text, size_t size);
void perfmap_close(struct perfmap *m);
/* 1: the next entry; 0: no more now (a later call reads what was appended); -errno. */
int perfmap_next(struct perfmap *m, struct perfmap_entry *entry);
void perfmap_fault(const struct perfmap *m, struct perfmap_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
