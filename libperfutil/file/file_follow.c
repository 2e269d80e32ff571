/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the sections appended to a file that is being written; file_read.c opens it. */
#include "file/file_follow.h"
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include "file/trace_file.h"

int follow_more(struct pifile *f, size_t *first)
{
	struct stat st;

	*first = f->nsections;
	if (fstat(f->fd, &st))
		return -errno;
	if ((uint64_t)st.st_size < f->scanned) {
		file_fault(f, (uint64_t)st.st_size,
			   "was cut to %" PRIu64 " bytes while it was read up to %" PRIu64,
			   (uint64_t)st.st_size, f->scanned);
		return 0;
	}
	f->size = (uint64_t)st.st_size;
	return file_scan(f);
}
