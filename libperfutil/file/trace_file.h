/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the reader's source files: the open file (file_read.c), the times of its stamps
 * (file_time.c) and the merge, which uses both. Library users see only pifile.h.
 */
#ifndef PITRACE_FILE_H
#define PITRACE_FILE_H

#include <stdlib.h>
#include <pifile.h>

#define FILE_FAULTS 4096

/* A piece of the time table with one slope: time = base + (stamp - from) * mult / 2^40. The pieces
 * of a file cover all stamps, and no product inside a piece overflows. */
#define FILE_TIME_SHIFT 40
struct file_piece {
	uint64_t from;  /* first stamp */
	uint64_t reach; /* the last stamp is from + reach */
	uint64_t base;  /* CLOCK_MONOTONIC ns */
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
	uint32_t why; /* enum pitrace_sync_why */
};

struct file_time {
	struct file_piece *pieces;
	size_t npieces;
	struct file_sync *syncs; /* syncs in use, stamps ascending */
	size_t nsyncs;
	uint64_t day; /* REALTIME - MONOTONIC if no sync has it */
	bool built;
	size_t seen; /* number of sections already searched for syncs */
};

enum file_state {
	FILE_UNREAD = 0,
	FILE_GOOD, /* the payload was read and is right */
	/* The payload is intact, but its records are wrong: a fault was recorded; it can be read
	 * again, up to the same position. */
	FILE_DOUBTED,
	FILE_BAD, /* a fault was recorded; not read again */
};

/* The position of a section: its header is read again when needed, so that memory hardly grows with
 * the file. */
struct file_section {
	uint64_t eighths : 61; /* its offset / 8 */
	uint64_t state : 3;    /* enum file_state */
	uint32_t next;         /* the next section of its ring, set by merge.c; 0: none */
	uint16_t type;
	uint16_t ring; /* FILE_NO_RING: the number does not fit */
};
#define FILE_NO_RING UINT16_MAX

/* A buffer that only grows. */
struct file_buffer {
	void *data;
	size_t room;
};

struct pifile {
	int fd; /* -1: in memory */
	const uint8_t *memory;
	uint64_t size;     /* at open, or at the last check (file_follow.h) */
	uint64_t scanned;  /* the sections up to here are known */
	bool grows;        /* still being written: its end is not a fault */
	bool index;        /* the last section is the index */
	uint64_t unpacked; /* bytes of compressed payloads that were read once */
	bool ignore_crc;
	bool swapped; /* written in the other byte order */
	bool complete;
	struct pifile_header header;
	struct file_section *sections;
	size_t nsections, room;
	uint64_t first;              /* smallest first stamp of a segment */
	struct pifile_section shown; /* result of pifile_section */
	char *faults;                /* FILE_FAULTS of the program's struct pifile_fault */
	size_t fault_size;           /* … of this size */
	size_t nfaults;
	struct file_buffer stored; /* bytes of a compressed payload */
	void *dctx;                /* ZSTD_DCtx */
	struct file_time time;
};

/* pifile_open, for a program with a struct pifile_fault of this size; *fault is the library's. */
struct pifile *file_open(const char *path, struct pifile_fault *fault, size_t fault_size);

/* Opens a file in memory; the caller keeps the memory. */
/* fuzzing: accepts wrong CRCs, so that the code after them is reached */
#define FILE_IGNORE_CRC 0x1
struct pifile *file_open_memory(const void *data, size_t size, unsigned int flags,
				struct pifile_fault *fault);

/* Finds the sections from f->scanned on, by their headers. 0, or -ENOMEM. */
int file_scan(struct pifile *f);

/* Records a fault of an open file. */
__attribute__((format(printf, 3, 4))) void file_fault(struct pifile *f, uint64_t offset,
						      const char *format, ...);

/* Records a fault of section i, which becomes BAD or DOUBTED; once. */
__attribute__((format(printf, 4, 5))) void file_section_fault(struct pifile *f, size_t i,
							      enum file_state state,
							      const char *format, ...);
#define file_bad(f, i, ...)   file_section_fault(f, i, FILE_BAD, __VA_ARGS__)
#define file_doubt(f, i, ...) file_section_fault(f, i, FILE_DOUBTED, __VA_ARGS__)

static inline uint64_t file_offset(const struct pifile *f, size_t i)
{
	return (uint64_t)f->sections[i].eighths * 8;
}

/* Reads the header of section i, as found by the scan. False: it has changed, and a fault was
 * recorded. */
bool file_section_header(struct pifile *f, size_t i, struct pifile_section *s);
/* Reads the payload of section i into buffer, CRC checked and decompressed. NULL: a fault was
 * recorded, now or before. */
const void *file_payload(struct pifile *f, size_t i, struct file_buffer *buffer, size_t *size);

/* The same for a section whose header is known. */
const void *file_payload_of(struct pifile *f, size_t i, const struct pifile_section *s,
			    struct file_buffer *buffer, size_t *size);

int file_buffer_grow(struct file_buffer *b, size_t size);
void file_buffer_free(struct file_buffer *b);

/* Builds the time table, or extends it by the new syncs of a growing file; false: no memory
 * (errno). */
bool file_time_build(struct pifile *f);
static inline void file_time_free(struct file_time *t)
{
	free(t->pieces);
	free(t->syncs);
}
/* Finds the piece that holds stamp; the table must be built. */
const struct file_piece *file_time_piece(const struct file_time *t, uint64_t stamp);

#endif
