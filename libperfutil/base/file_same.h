/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides whether a file is the one that was mapped, by what the mapping recorded: the inode, and
 * the generation and device where they are meaningful. A build id, if known, is better proof.
 */
#ifndef PITRACE_FILE_SAME_H
#define PITRACE_FILE_SAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_identity {
	uint64_t inode; /* 0: not recorded */
	uint32_t major, minor, generation;
};

enum file_same {
	FILE_SAME, /* as far as is known */
	FILE_OTHER,
	FILE_UNSURE, /* overlay: another inode proves nothing */
};

/* Times in ns, CLOCK_REALTIME. */
static inline uint64_t file_written(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

/* The time of the last write, even if its owner set mtime back (ctime cannot be set). A new hard
 * link also moves ctime, and perf keeps programs by hard links: for a file with several names mtime
 * is used. */
static inline uint64_t file_changed(const struct stat *st)
{
	if (st->st_nlink > 1)
		return file_written(st);
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* … regardless of mtime and the number of names: also changes with a chmod and with names added or
 * removed. */
static inline uint64_t file_touched(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

enum file_same file_same(const struct file_identity *recorded, int fd, const struct stat *st);

/* Identifies a file without a build id; of a large file only parts are read. */
struct file_content {
	uint64_t size, touched; /* when it was read: file_touched() */
	uint32_t sum;
};

/* False: the file cannot be read. */
bool file_content(int fd, struct file_content *c);

/* Stores and reads the same in place of an empty build id: 20 bytes. False: there is none. */
#define FILE_CONTENT_BYTES 20
void file_content_put(const struct file_content *c, uint8_t to[FILE_CONTENT_BYTES]);
bool file_content_get(const uint8_t from[FILE_CONTENT_BYTES], struct file_content *c);

#endif
