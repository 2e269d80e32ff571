/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the bytes of a heap dump from front to back, several times, plain or compressed by gzip.
 * The caller sees a copy, because the file may change at any time.
 */
#ifndef HDUMP_DUMP_FILE_H
#define HDUMP_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "unpack.h"

#define DUMP_LOOK_MOST (4u << 20) /* the most bytes of one dump_look() */

struct dump_fault {
	uint64_t offset; /* in the uncompressed data */
	char what[160];  /* "": none */
};

struct dump_file {
	const char *path;
	int fd;
	uint64_t size;           /* of the file */
	struct timespec written; /* when it was last written, as of its opening */
	uint64_t at;             /* uncompressed offset of the next byte */
	uint64_t end;  /* uncompressed offset where reading ends: the end of an earlier pass */
	uint64_t read; /* bytes read of the file, for progress */
	uint8_t *window;
	size_t room, begin, have; /* of the window: unread bytes are from `begin` on */
	bool packed, over;
	struct unpacker *unpacker; /* if packed */
	/* Called whenever a part of the file was read: an object may be as large as the dump. */
	void (*progress)(void *arg, const struct dump_file *f);
	void *progress_arg;
	struct dump_fault fault; /* an error of gzip or of reading that ended the file early */
};

/* Returns 0, or -errno if the file cannot be read at all. */
int dump_open(struct dump_file *f, const char *path);
/* Restarts at the first byte; reading ends at `end`. Returns 0 or -errno. */
int dump_rewind(struct dump_file *f);
/* Whether the file was written or cut since it was opened. */
bool dump_changed(const struct dump_file *f);
void dump_close(struct dump_file *f);

/* The slow half of dump_look(). */
const uint8_t *dump_fill(struct dump_file *f, size_t n, size_t *have);

/* Returns at least n (at most DUMP_LOOK_MOST) bytes from `at` on; *have is less at the end. */
static inline const uint8_t *dump_look(struct dump_file *f, size_t n, size_t *have)
{
	if (__builtin_expect(f->have < n, 0))
		return dump_fill(f, n, have);
	*have = f->have;
	return f->window + f->begin;
}

bool dump_skip_far(struct dump_file *f, uint64_t n);

/* Returns false if the file ends before. */
static inline bool dump_skip(struct dump_file *f, uint64_t n)
{
	if (__builtin_expect(n > f->have, 0))
		return dump_skip_far(f, n);
	f->begin += (size_t)n;
	f->have -= (size_t)n;
	f->at += n;
	return true;
}

#endif
