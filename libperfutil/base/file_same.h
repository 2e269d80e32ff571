/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a file that is found the one that was mapped, by what the mapping told of it: its inode, with
 * the generation and the device where these say more? A build id, where one is known, knows better.
 */
#ifndef PITRACE_FILE_SAME_H
#define PITRACE_FILE_SAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_identity {
	uint64_t inode;			/* 0: nothing was told */
	uint32_t major, minor, generation;
};

enum file_same {
	FILE_SAME,			/* as far as anything is known */
	FILE_OTHER,
	FILE_UNSURE,			/* in layers: another inode proves nothing there */
};

/* Times in ns, CLOCK_REALTIME. */
static inline uint64_t file_written(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

/* When it was written last, whatever its owner says: the time of a write can be set back, that of a
 * change cannot. But a new link is a change, too, and perf keeps programs by links: of a file with
 * several names it is the time of the write. */
static inline uint64_t file_changed(const struct stat *st)
{
	if (st->st_nlink > 1)
		return file_written(st);
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* … whatever its owner says and how many names it has: also a chmod, a name that came or went. */
static inline uint64_t file_touched(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

enum file_same file_same(const struct file_identity *recorded, int fd, const struct stat *st);

/* What stands for a file that has no build id: of a large one not all is read. */
struct file_content {
	uint64_t size, touched;		/* when it was read: file_touched() */
	uint32_t sum;
};

/* false: it cannot be read. */
bool file_content(int fd, struct file_content *c);

/* As it stands in the place of a build id of no bytes: 20 bytes. false: there is none. */
#define FILE_CONTENT_BYTES 20
void file_content_put(const struct file_content *c, uint8_t to[FILE_CONTENT_BYTES]);
bool file_content_get(const uint8_t from[FILE_CONTENT_BYTES], struct file_content *c);

#endif
