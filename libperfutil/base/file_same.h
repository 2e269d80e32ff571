/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a file that is found the one that was mapped, by what the mapping told of it: its inode, with
 * the generation and the device where these say more? A build id, where one is known, knows better.
 */
#ifndef PITRACE_FILE_SAME_H
#define PITRACE_FILE_SAME_H

#include <stdint.h>
#include <sys/stat.h>

struct file_told {
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

enum file_same file_same(const struct file_told *told, int fd, const struct stat *st);

#endif
