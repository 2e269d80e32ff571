/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pifile: the native trace file (swtrace.nrm2), its writer, its reader and the time merge.
 * The format, to the byte, is in pitrace-file(5).
 *
 * The file is append-only: a header, then sections. Each section has a header with its own CRC32C
 * and a payload with another, so a file that is truncated or damaged can be read up to the damage,
 * and beyond it if the damaged section's header is intact. An index at the end saves a scan but is
 * never required.
 */
#ifndef PIFILE_H
#define PIFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pitrace.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layout of the file, in the writer's byte order (see header.order) ----------------------- */

#define PIFILE_MAGIC         "PITRACE\n" /* 8 bytes, no NUL */
#define PIFILE_VERSION       1
#define PIFILE_ORDER         0x01020304u  /* as the writing machine stores it */
#define PIFILE_SECTION_MAGIC 0x43455350u  /* "PSEC" */
#define PIFILE_SEGMENT_MAX   (1u << 20)   /* largest payload of a SEGMENT, decompressed */
#define PIFILE_PAYLOAD_MAX   (256u << 20) /* of any other section */

struct pifile_header { /* 256 bytes at offset 0 */
	char magic[8];
	uint32_t size; /* of this header, and offset of the first section */
	uint32_t version;
	uint32_t order;
	uint32_t clock; /* enum pitrace_clock */
	uint64_t clock_hz;
	uint32_t mode;  /* enum pitrace_mode */
	uint32_t scope; /* enum pitrace_scope */
	int32_t pid;    /* of the scope, 0 for the system */
	uint32_t ncpus;
	uint64_t start_realtime; /* ns; when the file was created */
	char collector[16];      /* "driver", … */
	char machine[32];        /* utsname.machine */
	char release[64];        /* utsname.release */
	uint32_t rate;           /* ticks a second at the start */
	uint32_t dither;         /* thousandths */
	uint64_t page_size;
	uint8_t reserved[68];
	uint32_t crc; /* CRC32C of the header's bytes before this field */
};
PITRACE_ASSERT(sizeof(struct pifile_header) == 256, "file header");

enum pifile_section_type {
	PIFILE_SEC_SEGMENT = 1,     /* one segment of a ring: struct pitrace_segment, records,
					   cut before its PAD record */
	PIFILE_SEC_KALLSYMS = 2,    /* text as /proc/kallsyms */
	PIFILE_SEC_MODULES = 3,     /* text as /proc/modules */
	PIFILE_SEC_SYSTEM = 4,      /* text, "key: value" lines: os, kernel, cpu model … */
	PIFILE_SEC_SNAPSHOT = 5,    /* MTE records written by the drain (build ids), like a
					   segment; valid for all times */
	PIFILE_SEC_VDSO = 6,        /* the vdso's image (an ELF file); ELF32: for 32-bit programs */
	PIFILE_SEC_STATS = 7,       /* struct pifile_stats of each CPU at `off` */
	PIFILE_SEC_END = 8,         /* no payload: the writer finished; the index follows */
	PIFILE_SEC_INDEX = 9,       /* array of struct pifile_index; the last section */
	PIFILE_SEC_INTERRUPTS = 10, /* text as /proc/interrupts: names of interrupts */
	PIFILE_SEC_PERFMAP = 11,    /* text: a line about the map, lines of the perf map */
	PIFILE_SEC_FILE = 12,       /* struct pitrace_mte_buildid, then the content of that file */
};
#define PIFILE_ZSTD 0x1 /* flags: the payload is one zstd frame */

struct pifile_section { /* 96 bytes before each payload; the payload is padded with zeros to a
					   multiple of 8, which `stored` does not include */
	uint32_t magic;
	uint16_t size; /* size of this header */
	uint16_t type; /* enum pifile_section_type */
	uint32_t flags;
	uint32_t cpu;  /* SEGMENT; else 0 */
	uint32_t ring; /* SEGMENT: enum pitrace_ring_kind */
	uint32_t session;
	uint64_t sequence; /* SEGMENT: of the segment in its ring; else 0 */
	uint64_t stored;   /* bytes of the payload in the file */
	uint64_t bytes;    /* bytes of the payload once decompressed */
	uint64_t records;  /* SEGMENT, SNAPSHOT: number of them */
	uint64_t lost;     /* SEGMENT: records lost in this ring before it */
	uint64_t first;    /* stamps */
	uint64_t last;
	uint64_t interval;
	uint32_t payload_crc; /* CRC32C of the stored bytes */
	uint32_t crc;         /* CRC32C of this header's bytes before this field */
};
PITRACE_ASSERT(sizeof(struct pifile_section) == 96, "section header");

struct pifile_stats { /* PIFILE_SEC_STATS: one for each CPU that had rings */
	uint32_t cpu;
	uint32_t online;
	uint64_t lost[PITRACE_LOST_KINDS];
	uint64_t ticks;
	uint64_t idle_ticks;
	uint64_t late;
	uint64_t out_of_scope;
	uint64_t mte_bytes; /* records written by the kernel, kept or not */
	uint64_t trace_bytes;
	uint32_t stopped_by; /* what ended it: 1: its MTE ring filled up, 2: its trace ring, 3: a
					   process crashed there, */
	uint32_t stop_pid;   /* … the pid of that process */
};
PITRACE_ASSERT(sizeof(struct pifile_stats) == 192, "stats");

struct pifile_index {
	uint64_t offset; /* offset of the section's header */
	uint32_t type;
	uint32_t cpu;
};
PITRACE_ASSERT(sizeof(struct pifile_index) == 16, "index");

/* ---- writer ---------------------------------------------------------------------------------- */

struct pifile_writer;

/* Creates a file at path: an existing one is renamed to path.old, the mode is 0600. magic, size,
 * version, order and crc of the header are filled in. Returns NULL with errno set. */
struct pifile_writer *pifile_create(const char *path,
				    const struct pifile_header *header) PITRACE_USE_RESULT;

/* The same on a descriptor open for writing (at its end); pifile_finish closes it. */
struct pifile_writer *pifile_create_fd(int fd,
				       const struct pifile_header *header) PITRACE_USE_RESULT;

/* Compresses further payloads with zstd at this level; 0: no compression. */
void pifile_set_compression(struct pifile_writer *w, int level) PITRACE_NONNULL(1);

/* Appends a ring's segment: segment points at its struct pitrace_segment, size is segment_bytes.
 * Walks the records (bounded), removes the padding, fills in first, last, records. An empty segment
 * is not written. 0, or -errno (-EBADMSG: not a segment). */
int pifile_write_segment(struct pifile_writer *w, const void *segment, size_t size,
			 uint64_t interval) PITRACE_NONNULL(1) PITRACE_READS(2, 3);

/* Appends any other section. */
int pifile_write_section(struct pifile_writer *w, enum pifile_section_type type,
			 const void *payload, size_t size) PITRACE_NONNULL(1) PITRACE_READS(3, 4);

/* Appends MTE records written by the drain. `records` is an array of complete records. */
int pifile_write_snapshot(struct pifile_writer *w, const void *records, size_t size, uint64_t stamp)
	PITRACE_NONNULL(1) PITRACE_READS(2, 3);

/* Returns the bytes in the file, and the records in its segments. */
uint64_t pifile_written(const struct pifile_writer *w, uint64_t *records) PITRACE_NONNULL(1);

/* Writes END and index, syncs, closes, frees w. 0 or -errno of the first write that failed. */
int pifile_finish(struct pifile_writer *w) PITRACE_USE_RESULT;
/* Closes and frees w without END: the file stays as it is. */
void pifile_abandon(struct pifile_writer *w);

/* ---- reader ---------------------------------------------------------------------------------- */

struct pifile;

/* A fault in a file: its offset and a description. */
struct pifile_fault {
	uint64_t offset;
	char what[160];
};

/* Opens a file for reading; pifile_close frees it. NULL when nothing can be read (no file, no
 * header); then fault (may be NULL) has offset and text, and errno is set. A damaged file is
 * opened: see pifile_faults. */
struct pifile *pifile_open(const char *path, struct pifile_fault *fault) PITRACE_USE_RESULT;
void pifile_close(struct pifile *f);

const struct pifile_header *pifile_get_header(const struct pifile *f) PITRACE_NONNULL(1);
bool pifile_complete(const struct pifile *f) PITRACE_NONNULL(1); /* an END section was found */
uint64_t pifile_size(const struct pifile *f) PITRACE_NONNULL(1);
/* Lists the faults so far; reading sections may add more. Faults beyond 4096 are only counted.
 * Returns their number; *list holds min(number, 4096), of the size that pifile_open was called
 * with. */
size_t pifile_faults(const struct pifile *f, const struct pifile_fault **list) PITRACE_NONNULL(1);

/* The sections with valid headers, in file order. The result of pifile_section is valid until the
 * next call; all zeros: the header is no longer in the file. */
size_t pifile_sections(const struct pifile *f) PITRACE_NONNULL(1);
const struct pifile_section *pifile_section(struct pifile *f, size_t i) PITRACE_NONNULL(1);
uint64_t pifile_section_offset(const struct pifile *f, size_t i) PITRACE_NONNULL(1);
/* Reads and decompresses a payload into *buffer, which is replaced by malloc; the caller frees it
 * (initialise it to NULL). Payloads used at the same time need separate buffers. NULL when its CRC
 * or its frame is wrong (one fault is recorded). */
const void *pifile_payload(struct pifile *f, size_t i, void **buffer, size_t *size)
	PITRACE_NONNULL(1) PITRACE_USE_RESULT;

/* Checks the payloads not read yet. Returns the number of faults, as pifile_faults. */
size_t pifile_verify(struct pifile *f) PITRACE_NONNULL(1);

/* ---- merge: all records in the order of time ------------------------------------------------- */

struct pirecord {
	uint64_t stamp; /* complete */
	uint64_t time;  /* CLOCK_MONOTONIC ns, by the file's sync records */
	uint32_t cpu;
	uint32_t ring;
	uint16_t major;
	uint16_t type; /* PITRACE_TYPE_* */
	uint32_t minor;
	const void *data;  /* 4-byte aligned; valid until the next call */
	uint32_t size;     /* bytes of data */
	uint32_t snapshot; /* 1: from a SNAPSHOT section */
	uint64_t offset;   /* offset of the section in the file: for messages */
	/* number of gaps so far: places in trace rings where records are missing or damaged */
	uint32_t gaps;
	uint32_t origin; /* index of the file, if several are read as one; else 0 */
	/* TPROF: number of repetitions of this sample, from profiles of counts; else 0 */
	uint64_t repeats;
};

struct pimerge;
#define PIMERGE_MTE   0x1 /* MTE rings and snapshots */
#define PIMERGE_TRACE 0x2 /* trace rings */

/* Order: time, then beginnings before samples before ends, then CPU, then sequence. Memory is one
 * open section per ring. HIGH and PAD records are not delivered. NULL: no memory. Free by
 * pimerge_close. */
struct pimerge *pimerge_open(struct pifile *f, unsigned int what)
	PITRACE_NONNULL(1) PITRACE_USE_RESULT;
/* Returns the next record: 1 a record, 0 the end. A damaged section ends early, its fault is
 * recorded, and the next section follows. */
int pimerge_next(struct pimerge *m, struct pirecord *r) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
/* Returns the bytes of sections processed and in total: for progress displays. */
void pimerge_progress(const struct pimerge *m, uint64_t *done, uint64_t *total) PITRACE_NONNULL(1);
void pimerge_close(struct pimerge *m);

/* Converts a stamp to CLOCK_MONOTONIC ns and CLOCK_REALTIME ns, piecewise linear between sync
 * records. */
uint64_t pifile_monotonic(struct pifile *f, uint64_t stamp) PITRACE_NONNULL(1);
uint64_t pifile_realtime(struct pifile *f, uint64_t stamp) PITRACE_NONNULL(1);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
struct pifile *pifile_open_sized(const char *path, struct pifile_fault *fault,
				 size_t size) PITRACE_USE_RESULT;
int pimerge_next_sized(struct pimerge *m, struct pirecord *r, size_t size) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define pifile_open(...)  pifile_open_sized(__VA_ARGS__, sizeof(struct pifile_fault))
#define pimerge_next(...) pimerge_next_sized(__VA_ARGS__, sizeof(struct pirecord))
#endif

/* ---- records that programs write (TraceHook, TraceJitLoad, TraceThreadName) ------------------ */

struct pifile_user {
	uint64_t time; /* CLOCK_MONOTONIC ns */
	uint32_t major;
	uint32_t minor;
	uint32_t pid; /* the writer */
	uint32_t tid;
	uint32_t uid;
	uint32_t cpu;
	uint32_t ints; /* number of integers */
	uint32_t strs; /* number of strings */
	/* internal, for the following functions: */
	const uint8_t *values, *lengths, *text;
	uint32_t next, offset;
};

/* Programs write records of these majors, and MTE records of the minors JIT and JAVA_THREAD. */
static inline bool pifile_user_major(unsigned int major)
{
	return major == PITRACE_HOOKIT || major == PITRACE_NAMED ||
	       (major >= PITRACE_USER_FIRST && major < PITRACE_MAJORS);
}

/* Reads such a record, of any major; u refers to the record's data. 0; -ENOMSG: a record of another
 * type; -EBADMSG: it is truncated, or its lengths are wrong. */
int pifile_user_record(const struct pirecord *r, struct pifile_user *u);
/* Returns its i-th integer, from 0; 0: there is no i-th. */
uint64_t pifile_user_int(const struct pifile_user *u, uint32_t i);
/* Returns its i-th string, of *length (may be NULL) bytes: it has no terminating NUL, but may
 * contain NULs. NULL: there is no i-th. */
const char *pifile_user_string(struct pifile_user *u, uint32_t i, size_t *length);

/* The same for structs of these sizes. The two functions above use no member after `offset`. */
int pifile_user_record_sized(const struct pirecord *r, struct pifile_user *u, size_t record_size,
			     size_t user_size);
#ifndef PITRACE_OWN_SOURCE
#define pifile_user_record(...) \
	pifile_user_record_sized(__VA_ARGS__, sizeof(struct pirecord), sizeof(struct pifile_user))
#endif

#ifdef __cplusplus
}
#endif
#endif
