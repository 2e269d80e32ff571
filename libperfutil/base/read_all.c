/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An interrupted or short read is not the end of the file. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/read_all.h"

#define PART 65536

int read_all(int fd, size_t most, char **text, size_t *size)
{
	size_t room = 0, have = 0;
	char *all = NULL;
	ssize_t n = 1;
	int err = 0;

	while (!err && n) {
		err = array_room(all, room, have + PART + 1);
		n = err ? 0 : read(fd, all + have, room - have - 1);
		if (n > 0)
			have += (size_t)n;
		else if (n < 0 && errno != EINTR)
			err = -errno;
		if (have > most)
			err = -EFBIG;
	}
	if (err) {
		free(all);
		all = NULL;
		have = 0;
	} else {
		all[have] = '\0';
	}
	*text = all;
	*size = have;
	return err;
}

int pread_all(int fd, void *to, size_t size, uint64_t at, size_t *got)
{
	for (*got = 0; *got < size;) {
		ssize_t n = pread(fd, (char *)to + *got, size - *got, (off_t)(at + *got));

		if (n > 0)
			*got += (size_t)n;
		else if (!n)
			break;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}
