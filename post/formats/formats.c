/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of formats, and the choice among them by the file's first bytes. */
#include "formats/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct format *const formats[] = {
	&format_native,
};

static int read_head(const char *path, char *head, size_t *size, struct pifile_fault *fault)
{
	struct stat st;
	ssize_t n = -1;
	int fd, rc = 0;

	/* O_NONBLOCK: a FIFO laid in the file's place must not hang us. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(fault->what, sizeof(fault->what), "not a regular file");
		rc = -EINVAL;
	} else {
		n = pread(fd, head, INPUT_HEAD, 0);
		if (n < 0)
			rc = -errno;
	}
	if (rc && !fault->what[0])
		snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
	if (fd >= 0)
		close(fd);
	if (rc)
		fault->offset = NO_OFFSET;	/* about the file, not about what stands in it */
	*size = n > 0 ? (size_t)n : 0;
	return rc;
}

int input_open(struct input *in, const char *path, struct pifile_fault *fault)
{
	char head[INPUT_HEAD];
	size_t size, i;
	int rc;

	*in = (struct input){ .path = path };
	memset(fault, 0, sizeof(*fault));
	rc = read_head(path, head, &size, fault);
	if (rc)
		return rc;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i]->probe(head, size))
			continue;
		in->format = formats[i];
		rc = in->format->open(in, fault);
		if (rc)
			in->format = NULL;
		return rc;
	}
	snprintf(fault->what, sizeof(fault->what), size ? "not a trace that post knows" :
		 "the file is empty");
	return -EINVAL;
}

void input_close(struct input *in)
{
	if (in->format)
		in->format->close(in);
	in->format = NULL;
}
