/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files by inode, generation and device, where the file system makes them comparable. */
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/file_same.h"

/* Where a device is numbered anew at each mount, and inodes are small numbers. */
static bool in_memory(long type)
{
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

static bool other_generation(const struct file_told *told, int fd)
{
	int version = 0;

	/* Of few file systems is it known; 0: it was not when the file was mapped. */
	return told->generation && !ioctl(fd, FS_IOC_GETVERSION, &version) && version &&
	       (uint32_t)version != told->generation;
}

enum file_same file_same(const struct file_told *told, int fd, const struct stat *st)
{
	struct statfs fs;
	long type = fstatfs(fd, &fs) ? 0 : (long)fs.f_type;

	if (!told->inode)
		return FILE_SAME;
	/* Of layers mappings may tell the layer's file, stat tells their own number. */
	if (type == OVERLAYFS_SUPER_MAGIC)
		return st->st_ino == told->inode ? FILE_SAME : FILE_UNSURE;
	if (st->st_ino != told->inode || other_generation(told, fd))
		return FILE_OTHER;
	/* Elsewhere it may have another number since the machine was booted. */
	if (in_memory(type) && st->st_dev != makedev(told->major, told->minor))
		return FILE_OTHER;
	return FILE_SAME;
}
