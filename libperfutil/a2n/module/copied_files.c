/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An inode is given again to another file, so there may be several copies with one key. */
#include "a2n/module/copied_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/array.h"

struct copied_file {
	struct file_key key;
	uint64_t at, size;
};

static bool write_all_at(int fd, const uint8_t *data, size_t size, uint64_t at)
{
	ssize_t n;

	while (size && (n = pwrite(fd, data, size, (off_t)at)) > 0) {
		data += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return !size;
}

int copied_add(struct copied_files *c, const struct file_key *key, const void *data, size_t size)
{
	if (size > COPIED_MOST || c->bytes > COPIED_MOST - size)
		return -EFBIG;
	if (!c->fd1) {
		int fd = memfd_create("copies", MFD_CLOEXEC);

		if (fd < 0)
			return -ENOMEM;
		c->fd1 = fd + 1;
	}
	if (array_next(c->file, c->n, c->room) || !write_all_at(c->fd1 - 1, data, size, c->bytes))
		return -ENOMEM;
	c->file[c->n++] = (struct copied_file){ *key, c->bytes, size };
	c->bytes += size;
	return 0;
}

static int open_copy(int from, off_t at, uint64_t left)
{
	int fd = memfd_create("copy", MFD_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && left && (n = sendfile(fd, from, &at, left)) > 0)
		left -= (uint64_t)n;
	if (fd < 0 || !left)
		return fd;
	close(fd);
	return -1;
}

int copied_open(const struct copied_files *c, const struct file_key *key, unsigned int i)
{
	for (uint32_t k = 0; k < c->n; k++) {
		const struct copied_file *f = &c->file[k];

		if (same_key(&f->key, key) && !i--)
			return open_copy(c->fd1 - 1, (off_t)f->at, f->size);
	}
	return -1;
}

void copied_free(struct copied_files *c)
{
	if (c->fd1)
		close(c->fd1 - 1);
	free(c->file);
	*c = (struct copied_files){ 0 };
}
