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

enum file_same file_same(const struct file_told *told, int fd, const struct stat *st);

#endif
