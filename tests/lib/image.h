/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace files in memory, for unit tests: begin one, write to it, take its bytes; open bytes; what a
 * merge delivers, as a list.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "file/trace_file.h"
#include "gen_trace.h"
#include "unit.h"

struct image {
	int fd;
	struct pifile_writer *w;
	uint8_t *data; /* after image_take */
	size_t size;
};

static inline struct pifile_header image_header(uint32_t clock, uint64_t hz)
{
	return (struct pifile_header){ .clock = clock,
				       .clock_hz = hz,
				       .ncpus = 2,
				       .collector = "test",
				       .machine = "x86_64",
				       .rate = 997 };
}

static inline struct image image_begin(const struct pifile_header *h)
{
	struct image i = { .fd = memfd_create("image", MFD_CLOEXEC) };

	i.w = pifile_create_fd(dup(i.fd), h);
	if (!i.w) {
		perror("image_begin");
		exit(1);
	}
	return i;
}

/* Reads the bytes in place. */
static inline void image_look(struct image *i)
{
	off_t size = lseek(i->fd, 0, SEEK_END);

	free(i->data);
	i->size = (size_t)size;
	i->data = malloc(i->size + 1);
	if (pread(i->fd, i->data, i->size, 0) != size) {
		perror("image_look");
		exit(1);
	}
}

/* Finish the file and take its bytes. */
static inline void image_take(struct image *i)
{
	CU_ASSERT_EQUAL(pifile_finish(i->w), 0);
	i->w = NULL;
	image_look(i);
}

static inline void image_free(struct image *i)
{
	pifile_abandon(i->w);
	close(i->fd);
	free(i->data);
	*i = (struct image){ .fd = -1 };
}

static inline struct pifile *image_open(const struct image *i)
{
	struct pifile_fault fault;
	struct pifile *f = file_open_memory(i->data, i->size, 0, &fault);

	if (!f)
		printf("# image_open: %s\n", fault.what);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	return f;
}

static inline const char *fault_text(const struct pifile *f, size_t i)
{
	const struct pifile_fault *list;
	size_t n = pifile_faults(f, &list);

	return i < n && i < FILE_FAULTS ? list[i].what : "";
}

static inline uint64_t fault_offset(const struct pifile *f, size_t i)
{
	const struct pifile_fault *list;
	size_t n = pifile_faults(f, &list);

	return i < n && i < FILE_FAULTS ? list[i].offset : UINT64_MAX;
}

/* Fault i of f has these words in it. */
#define ASSERT_FAULT(f, i, words)                                          \
	do {                                                               \
		const char *text_ = fault_text(f, i);                      \
		bool found_ = strstr(text_, words) != NULL;                \
		if (!found_)                                               \
			printf("# fault %d is \"%s\"\n", (int)(i), text_); \
		CU_ASSERT(found_);                                         \
	} while (0)

/* All that a merge delivers, data copied; at most `room`. */
struct got {
	struct pirecord r;
	uint8_t data[64];
};

static inline size_t take_all(struct pifile *f, unsigned int what, struct got *list, size_t room)
{
	struct pimerge *m = pimerge_open(f, what);
	struct pirecord r;
	size_t n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r)) {
		if (n < room) {
			list[n].r = r;
			memcpy(list[n].data, r.data, r.size < 64 ? r.size : 64);
		}
		n++;
	}
	CU_ASSERT_EQUAL(pimerge_next(m, &r), 0);
	pimerge_close(m);
	return n;
}

/* Make CRCs right again after a change at purpose: of the section header at `at`. */
static inline void seal_section(uint8_t *at, const void *payload)
{
	struct pifile_section s;

	memcpy(&s, at, sizeof(s));
	if (payload)
		s.payload_crc = crc32c(0, payload, s.stored);
	s.crc = crc32c(0, &s, offsetof(struct pifile_section, crc));
	memcpy(at, &s, sizeof(s));
}

#endif
