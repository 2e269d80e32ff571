/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares files by inode, generation and device, where the file system makes these comparable, and
 * by content. */
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_same.h"

#define BLOCK   4096u
#define ENDS    32u /* blocks at its beginning and its end */
#define BETWEEN 64u /* … spread over the rest */
#define CONTENT 1   /* first byte of an id that is derived from a file's content */

/* File systems whose device numbers change with each mount, and whose inodes are small numbers. */
static bool in_memory(long type)
{
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

static bool other_generation(const struct file_identity *recorded, int fd)
{
	int version = 0;

	/* Few file systems report a generation; 0: none was recorded when the file was mapped. */
	return recorded->generation && !ioctl(fd, FS_IOC_GETVERSION, &version) && version &&
	       (uint32_t)version != recorded->generation;
}

enum file_same file_same(const struct file_identity *recorded, int fd, const struct stat *st)
{
	struct statfs fs;
	long type = fstatfs(fd, &fs) ? 0 : (long)fs.f_type;

	if (!recorded->inode)
		return FILE_SAME;
	/* On overlay file systems a mapping may report the inode of the layer, while stat reports
	 * its own. */
	if (type == OVERLAYFS_SUPER_MAGIC)
		return st->st_ino == recorded->inode ? FILE_SAME : FILE_UNSURE;
	if (st->st_ino != recorded->inode || other_generation(recorded, fd))
		return FILE_OTHER;
	/* On other file systems the device number may change at each boot. */
	if (in_memory(type) && st->st_dev != makedev(recorded->major, recorded->minor))
		return FILE_OTHER;
	return FILE_SAME;
}

static uint32_t add_block(int fd, uint64_t at, uint32_t sum)
{
	uint8_t block[BLOCK];
	ssize_t n = pread(fd, block, sizeof(block), (off_t)at);

	/* FNV-1a */
	for (ssize_t i = 0; i < n; i++)
		sum = (sum ^ block[i]) * 16777619u;
	return sum ^ (uint32_t)(n < 0);
}

bool file_content(int fd, struct file_content *c)
{
	uint64_t blocks, i, step;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size >> 56)
		return false;
	*c = (struct file_content){
		.size = (uint64_t)st.st_size,
		.touched = file_touched(&st),
		.sum = 2166136261u,
	};
	blocks = (c->size + BLOCK - 1) / BLOCK;
	step = blocks > 2 * ENDS + BETWEEN ? (blocks - 2 * ENDS) / BETWEEN : 1;
	for (i = 0; i < blocks; i += i < ENDS || i + ENDS >= blocks ? 1 : step)
		c->sum = add_block(fd, i * BLOCK, c->sum);
	return true;
}

static void put_number(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t get_number(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *from++;
	return value;
}

void file_content_put(const struct file_content *c, uint8_t to[FILE_CONTENT_BYTES])
{
	to[0] = CONTENT;
	put_number(to + 1, c->size, 7);
	put_number(to + 8, c->touched, 8);
	put_number(to + 16, c->sum, 4);
}

bool file_content_get(const uint8_t from[FILE_CONTENT_BYTES], struct file_content *c)
{
	*c = (struct file_content){
		get_number(from + 1, 7),
		get_number(from + 8, 8),
		(uint32_t)get_number(from + 16, 4),
	};
	return from[0] == CONTENT;
}
