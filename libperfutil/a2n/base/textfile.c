/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window moves over the file; a line too long for it is truncated. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n/base/textfile.h"

#define WINDOW (2 * TEXTFILE_LINE)

int textfile_open(struct textfile *t, int fd, const char **why)
{
	struct stat st;

	*t = (struct textfile){ .fd = fd, .window = malloc(WINDOW) };
	*why = NULL;
	t->text = t->window;
	if (t->window && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return 0;
	if (t->window)
		*why = "not a regular file";
	textfile_close(t);
	return *why ? -EBADMSG : -ENOMEM;
}

void textfile_memory(struct textfile *t, const void *text, size_t size)
{
	*t = (struct textfile){ .fd = -1, .text = text, .end = size };
}

void textfile_close(struct textfile *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->window);
	*t = (struct textfile){ .fd = -1 };
}

/* Reads more of the file. 1, 0 at its end, -errno. */
static int more(struct textfile *t)
{
	ssize_t n;

	if (t->fd < 0)
		return 0;
	if (t->begin) {
		memmove(t->window, t->window + t->begin, t->end - t->begin);
		t->at += t->begin;
		t->end -= t->begin;
		t->begin = 0;
	}
	do
		n = pread(t->fd, t->window + t->end, WINDOW - t->end, (off_t)(t->at + t->end));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	t->end += (size_t)n;
	return n > 0;
}

int textfile_next(struct textfile *t, struct bytes *line)
{
	for (;;) {
		const uint8_t *p = t->text + t->begin, *nl;
		size_t have = t->end - t->begin, length;
		bool passed = t->passing;
		int r;

		nl = have ? memchr(p, '\n', have) : NULL;
		length = nl ? (size_t)(nl - p) : have;
		if (!nl && length <= TEXTFILE_LINE) {
			r = more(t);
			if (r > 0)
				continue;
			t->unfinished = t->end - t->begin;
			return r;
		}
		t->unfinished = 0;
		t->offset = t->at + t->begin;
		t->begin += length + (nl ? 1 : 0);
		t->passing = !nl;
		if (passed)
			continue;
		t->line++;
		t->cut = length > TEXTFILE_LINE;
		*line = bytes_of(p, t->cut ? TEXTFILE_LINE : length);
		return 1;
	}
}
