/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the reader's files share: the open file (file_read.c), its stamps' times (file_time.c) and
 * what the merge takes from both. Users of the library see pifile.h only.
 */
#ifndef PITRACE_FILE_H
#define PITRACE_FILE_H

#include <stdlib.h>
#include <pifile.h>

#define FILE_FAULTS	4096

/* A stretch of stamps with one slope: time = base + (stamp - from) * mult / 2^40. The stretches
 * of a file cover all stamps, and no product in its stretch overflows the time. */
#define FILE_TIME_SHIFT	40
struct file_piece {
	uint64_t from;		/* first stamp */
	uint64_t reach;		/* the last stamp is from + reach */
	uint64_t base;		/* CLOCK_MONOTONIC ns */
	uint64_t mult;
};

static inline uint64_t file_piece_time(const struct file_piece *p, uint64_t stamp)
{
	return p->base +
	       (uint64_t)((unsigned __int128)(stamp - p->from) * p->mult >> FILE_TIME_SHIFT);
}

static inline bool file_piece_holds(const struct file_piece *p, uint64_t stamp)
{
	return stamp - p->from <= p->reach;
}

/* One instant on all clocks. */
struct file_sync {
	uint64_t stamp;
	uint64_t monotonic;
	uint64_t realtime;
	uint32_t why;		/* enum pitrace_sync_why */
};

struct file_time {
	struct file_piece *pieces;
	size_t npieces;
	struct file_sync *syncs;	/* those kept, stamps rising */
	size_t nsyncs;
	uint64_t day;			/* REALTIME - MONOTONIC where no sync tells */
	bool built;
};

enum file_state {
	FILE_UNREAD = 0,
	FILE_GOOD,		/* its payload was read once and was right */
	FILE_DOUBTED,		/* its payload is whole, its records are not what they should be: a
				   fault was noted; it is read again, to the same point */
	FILE_BAD,		/* a fault was noted; it is not read again */
};

/* Where it is: its header is read again when it is needed, so that memory hardly grows with the
 * file. */
struct file_section {
	uint64_t eighths : 61;	/* its offset / 8 */
	uint64_t state : 3;	/* enum file_state */
	uint32_t next;		/* the next section of its ring, which merge.c knows; 0: none */
	uint16_t type;
	uint16_t ring;		/* FILE_NO_RING: more than fits */
};
#define FILE_NO_RING	UINT16_MAX

/* A buffer that only grows. */
struct file_buffer {
	void *data;
	size_t room;
};

struct pifile {
	int fd;				/* -1: in memory */
	const uint8_t *memory;
	uint64_t size;			/* when it was opened */
	uint64_t unpacked;		/* bytes of packed payloads that were read once */
	bool ignore_crc;
	bool swapped;			/* written in the other byte order */
	bool complete;
	struct pifile_header header;
	struct file_section *sections;
	size_t nsections, room;
	uint64_t first;			/* least stamp that a segment begins with */
	struct pifile_section shown;	/* pifile_section's answer */
	struct pifile_fault faults[FILE_FAULTS];
	size_t nfaults;
	struct file_buffer stored;	/* bytes of a compressed payload */
	void *dctx;			/* ZSTD_DCtx */
	struct file_time time;
};

/* A file that lies in memory, which stays the caller's. */
#define FILE_IGNORE_CRC	0x1	/* fuzzing: wrong CRCs pass, so that what is behind is reached */
struct pifile *file_open_memory(const void *data, size_t size, unsigned int flags,
				struct pifile_fault *fault);

/* Note a fault of an open file. */
__attribute__((format(printf, 3, 4)))
void file_fault(struct pifile *f, uint64_t offset, const char *format, ...);

/* Note a fault of section i, which becomes BAD or DOUBTED; once. */
__attribute__((format(printf, 4, 5)))
void file_section_fault(struct pifile *f, size_t i, enum file_state state, const char *format, ...);
#define file_bad(f, i, ...)	file_section_fault(f, i, FILE_BAD, __VA_ARGS__)
#define file_doubt(f, i, ...)	file_section_fault(f, i, FILE_DOUBTED, __VA_ARGS__)

static inline uint64_t file_offset(const struct pifile *f, size_t i)
{
	return (uint64_t)f->sections[i].eighths * 8;
}

/* The header of section i, as it was found. False: it is not there any more, a fault was noted. */
bool file_section_header(struct pifile *f, size_t i, struct pifile_section *s);
/* The payload of section i, CRC checked and decompressed, in buffer. NULL: a fault was noted, now
 * or before. */
const void *file_payload(struct pifile *f, size_t i, struct file_buffer *buffer, size_t *size);

/* The same of a section whose header is known. */
const void *file_payload_of(struct pifile *f, size_t i, const struct pifile_section *s,
			    struct file_buffer *buffer, size_t *size);

int file_buffer_grow(struct file_buffer *b, size_t size);
void file_buffer_free(struct file_buffer *b);

/* The stretches of time; false: no memory (errno). */
bool file_time_build(struct pifile *f);
static inline void file_time_free(struct file_time *t)
{
	free(t->pieces);
	free(t->syncs);
}
/* The stretch that holds stamp; needs a built table. */
const struct file_piece *file_time_piece(const struct file_time *t, uint64_t stamp);

#endif
