/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the files of live processes have been read, for processes that are added again. */
#ifndef A2N_LIVE_H
#define A2N_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct live_file {
	uint32_t pid;
	uint64_t start;   /* of the process */
	uint64_t inode;   /* of a jitdump; or LIVE_PERFMAP, LIVE_IMAGE */
	uint64_t reached; /* offset, time, or the value that changes with an exec; initially 0 */
};
#define LIVE_PERFMAP 0
#define LIVE_IMAGE   UINT64_MAX

struct live {
	struct live_file *file;
	uint32_t n, room;
	bool vdso; /* its image was added */
};

/* Returns the file's entry, valid until the next call; removes those of an earlier process with
 * this pid. NULL: no memory. */
struct live_file *live_file(struct live *l, uint32_t pid, uint64_t start, uint64_t inode);
/* Forgets a process. */
void live_forget(struct live *l, uint32_t pid);
void live_free(struct live *l);

#endif
