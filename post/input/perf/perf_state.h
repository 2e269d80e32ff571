/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a perf.data while it is read. The files that use it, each with its own header and
 * each knowing only those before it: parts of the file (perf_bytes.c), events (perf_attr.c) and
 * their names (perf_names.c), the header (perf_header.c), the stream of raw records
 * (perf_stream.c), their order of time (perf_order.c); records of ours made from them
 * (perf_told.c), data beyond ours (perf_details.c), Intel PT (perf_pt.c) and the code it is about
 * (perf_code.c), samples with a deferred stack (perf_deferred.c), conversion of records
 * (perf_tell.c); the file's description in words (perf_info.c), the kernel (perf_kernel.c); the
 * reader (perf.c).
 */
#ifndef POST_PERF_STATE_H
#define POST_PERF_STATE_H

#include <sys/types.h>

#include "base/blob.h"
#include "base/keys.h"
#include "format/perf_data.h"
#include "collect/perf/perf_decode.h"
#include "collect/perf/perf_records.h"
#include "record/input.h"
#include "record/spill.h"

#define PERF_FEATURES   256
#define PERF_TYPES      256   /* kinds of records with a counter each */
#define PERF_RECORD_MAX 65536 /* a record's length has 16 bits */

#define PERF_FLAG_DEFER_CHAIN (1ull << 38) /* of an attr */

struct perf_section {
	uint64_t offset, size;
};

/* A feature's bytes; if copied, the view owns them: perf_view_free(). */
struct perf_view {
	const uint8_t *data; /* NULL: missing or unreadable; size is 0 then */
	size_t size;
	struct blob own;
};

static inline void perf_view_free(struct perf_view *v)
{
	blob_free(&v->own);
	*v = (struct perf_view){ 0 };
}

/* Offsets of a sample's fields, for events with no other fields than these. */
struct perf_plain {
	uint32_t size;                 /* 0: it has others */
	uint32_t ip, tid, cpu, period; /* 0: it lacks this one */
};

/* An event of the file's samples. */
struct perf_attr {
	struct perf_shape shape;
	uint32_t type, size;
	uint64_t config, period, flags, branch;
	uint64_t config1, config2, sig_data;
	uint32_t stack_user, wakeup, bp_type, aux_watermark, aux_sample, aux_action;
	uint16_t max_stack;
	bool freq;
	bool use_clock;
	bool unknown; /* its samples have unknown fields: noted as a fault */
	uint64_t at;  /* in the file */
	int32_t clock;
	uint32_t time_at;   /* where a sample has its time; 0: it has none */
	uint32_t time_back; /* … another record, from its end */
	uint32_t id_at, id_back;
	struct perf_plain plain;
	char *name;
	uint64_t *ids;
	uint32_t nids;
	struct perf_stacks stacks;
	uint64_t samples, lost; /* samples that LOST_SAMPLES counts */
};

struct perf_id {
	uint64_t id;
	uint32_t attr;    /* number of perf_attr */
	uint64_t counted; /* of a group that is read with its leader */
};

struct perf_update { /* an event's name, by one of its ids */
	uint64_t id;
	char *name;
};

struct perf_build_id {
	int32_t pid;
	uint16_t misc;
	uint8_t id[20];
	uint32_t size;
	char *path;
	/* perf_build_ids.c's: */
	bool looked, alone;
	uint64_t inode;
};

/* One file of records; a directory has several. */
struct perf_file {
	int fd;
	char *path; /* NULL: the only one */
	uint64_t begin, end, size;
};

/* ---- the stream ------------------------------------------------------------------------------ */

struct perf_raw {
	const uint8_t *data; /* the record, its header included */
	uint32_t size, type;
	uint16_t misc;
	uint32_t file;
	uint64_t offset; /* in its file; if compressed, of the chunk */
};

struct perf_stream {
	struct perf *perf;
	uint32_t file;
	uint64_t at, end; /* of the file, behind the buffer */
	uint8_t *buffer;
	size_t room, have, used;
	uint64_t offset; /* of buffer[used] in the file */
	uint64_t done;   /* bytes of files before this one */
	bool damaged;    /* nothing beyond here can be read */

	struct ZSTD_DCtx_s *zstd;
	const uint8_t *packed; /* of the chunk that is being unpacked */
	size_t npacked;
	uint64_t packed_offset;
	uint8_t *plain;
	size_t plain_have, plain_used;
	uint64_t unpacked; /* bytes that came out of all chunks */
	bool packed_damage;
};

/* ---- the order of time ----------------------------------------------------------------------- */

struct perf_held {
	uint64_t offset;
	uint16_t size, file;
	uint32_t attr;
	uint8_t record[]; /* aligned to 8 */
};

struct perf_entry {
	uint64_t time;
	struct perf_held *held;
};

struct perf_run { /* entries of growing time */
	size_t at, end;
};

#define PERF_BLOCK      (256u << 10)
#define PERF_ORDER_HELD (64ull << 20)
#define PERF_FAN        16 /* runs of a level, which become one of the next */
#define PERF_LEVELS     12 /* more than there can be bytes in a file */
struct perf_block;

struct perf_away {        /* a sorted run in a file */
	uint64_t at, end; /* in the file, behind the buffer */
	uint8_t *buffer;
	size_t have, used;
	struct perf_entry entry; /* the first that is left; held NULL: none is */
};

/* The runs of a level are older than those of the level below it, in the order of reading. */
struct perf_level {
	struct spill file;
	struct perf_away run[PERF_FAN];
	unsigned int runs;
};

struct perf_order {
	struct perf_entry *entry;
	size_t n, room;
	struct perf_run *run;
	size_t nruns, room_runs;
	uint32_t *heap; /* of runs: those that are away, as they were read, then those in memory */
	size_t nheap, room_heap;
	struct perf_source {
		const struct spill *file;
		struct perf_away *run;
	} * away; /* in that order */
	size_t naway, room_away;
	uint64_t bound, greatest; /* of the round before; seen */
	bool draining, all;
	struct perf_block *block; /* that is being filled */
	struct perf_block *spare;
	bool given; /* the first one, to the caller: let go with the next */
	uint64_t blocks;
	uint64_t most;            /* bytes in memory; 0: PERF_ORDER_HELD */
	struct perf_level *level; /* NULL: nothing is away */
	unsigned int levels;      /* in use */
};

/* ---- a whole file ---------------------------------------------------------------------------- */

#define PERF_FAULTS 4096 /* kept; more are counted */

struct perf_told;
struct perf_details;
struct perf_deferred;
struct perf_pt;

struct perf {
	struct input *in;
	struct perf_file *file;
	uint32_t nfiles, room_files;
	bool swap, pipe, directory;
	bool no_memory;   /* for a part of the header: what is said of that is not so */
	uint32_t version; /* of the magic */
	uint64_t header_size, attr_size;
	struct perf_section attrs, data, types;
	uint64_t feature_bits[4];
	struct perf_section feature[PERF_FEATURES]; /* in the file */
	struct blob feature_data[PERF_FEATURES];    /* of a pipe: kept */
	struct perf_attr *attr;
	uint32_t nattrs, room_attrs;
	struct perf_id *id;
	uint32_t nids, room_ids;
	struct keys by_id;
	struct perf_update *update;
	uint32_t nupdates, room_updates;
	struct perf_build_id *build_id;
	uint32_t nbuild_ids, room_build_ids;
	struct pifile_fault *fault;
	size_t nfaults, room_faults;

	/* Found by a look at all records: */
	uint64_t count[PERF_TYPES], unknown_type, total;
	uint64_t aux_bytes, aux_lost; /* lost: AUX records whose data the kernel cut */
	uint32_t aux_kind;            /* of AUXTRACE_INFO */
	uint64_t lost, lost_samples, pokes;
	bool narrow;             /* of some processes, not of all CPUs */
	uint64_t first, last;    /* times; first 0: none has any */
	uint32_t cpus;           /* above the greatest number */
	struct perf_order names; /* records for the first pass of names, which saves it a scan */
	bool has_names;
	struct blob kernel_ids;    /* INPUT_SEC_KERNEL_IDS */
	uint64_t kernel_start;     /* where the kernel's text was, */
	uint64_t kernel_reference; /* … and where this symbol of it: */
	char kernel_symbol[32];
	char kernel_place[64]; /* … as a line of kallsyms */
	bool time_conv;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;

	uint32_t branch_counters; /* of each branch, */
	uint32_t branch_bits;     /* width of each; 0: unknown */
	bool has_clock_data;
	uint32_t clock;
	uint64_t clock_wall, clock_time;

	struct blob kallsyms; /* text, without its NUL */
	bool kernel_looked, same_kernel;
	char *system;             /* "key: value" lines */
	struct perf_view formats; /* of tracepoints, while in use */

	/* A pass: */
	unsigned int what;
	bool sched; /* there are tracepoints of dispatches */
	struct perf_stream stream;
	struct perf_order order;
	uint64_t time;      /* of the last record given */
	uint64_t read_time; /* of the last record read */
	bool ended;
	const struct perf_entry *entry; /* that waits for the processor's trace */
	struct perf_told *told;
	struct pitrace_sample sample; /* of the fast path */
	struct perf_details *details;
	struct perf_deferred *deferred; /* samples that wait; NULL: none did */
	struct perf_pt *pt;             /* Intel PT, if the file has it */
	struct perf_running *running;   /* of each CPU */
	uint32_t nrunning;
	uint64_t (*lost_total)[2]; /* of each CPU: samples, throttled */
	uint32_t nlost;
};

static inline uint16_t perf_u16(const struct perf *p, const void *at)
{
	return bytes_load16(at, p->swap);
}

static inline uint32_t perf_u32(const struct perf *p, const void *at)
{
	return bytes_load32(at, p->swap);
}

static inline uint64_t perf_u64(const struct perf *p, const void *at)
{
	return bytes_load64(at, p->swap);
}

#endif
