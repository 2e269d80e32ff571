/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "sandbox/opener.h"

#define ROOM (64u << 10)

static int wrong(int rc)
{
	const char *folder = getenv("TMPDIR");

	complain("a temporary file in %s: %s (TMPDIR chooses another folder)",
		 folder && *folder ? folder : "/var/tmp", strerror(-rc));
	return rc;
}

static int put_all(const struct spill *s, uint64_t at, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = pwrite(s->file - 1, data, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return wrong(n ? -errno : -EIO);
		data += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* Writes the buffer to the file. */
static int flush(struct spill *s)
{
	int rc;

	if (!s->file) {
		rc = opener_spool();
		if (rc < 0)
			return wrong(rc);
		s->file = rc + 1;
	}
	rc = put_all(s, s->size - s->used, s->buffer, s->used);
	if (!rc)
		s->used = 0;
	return rc;
}

int spill_add(struct spill *s, const void *data, size_t size)
{
	const uint8_t *from = data;
	size_t n;
	int rc;

	if (!s->buffer) {
		s->buffer = malloc(ROOM);
		if (!s->buffer)
			return -ENOMEM;
	}
	for (; size; size -= n, from += n) {
		if (s->used == ROOM) {
			rc = flush(s);
			if (rc)
				return rc;
		}
		n = size < ROOM - s->used ? size : ROOM - s->used;
		memcpy(s->buffer + s->used, from, n);
		s->used += n;
		s->size += n;
	}
	return 0;
}

int spill_put(struct spill *s, uint64_t at, const void *data, size_t size)
{
	uint64_t filed = s->size - s->used;
	size_t n = 0;
	int rc;

	if (at < filed) {
		n = size < filed - at ? size : (size_t)(filed - at);
		rc = put_all(s, at, data, n);
		if (rc)
			return rc;
	}
	if (n < size)
		memcpy(s->buffer + (at + n - filed), (const uint8_t *)data + n, size - n);
	return 0;
}

int spill_read(const struct spill *s, uint64_t at, void *data, size_t size)
{
	uint64_t filed = s->size - s->used;
	uint8_t *to = data;

	while (size && at < filed) {
		size_t most = size < filed - at ? size : (size_t)(filed - at);
		ssize_t n = pread(s->file - 1, to, most, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return wrong(n ? -errno : -EIO);
		to += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	if (size)
		memcpy(to, s->buffer + (at - filed), size);
	return 0;
}

void spill_free(struct spill *s)
{
	if (s->file)
		close(s->file - 1);
	free(s->buffer);
	*s = (struct spill){ 0 };
}
