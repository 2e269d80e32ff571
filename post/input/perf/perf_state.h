/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a perf.data while it is read. The files that use it, each with its own header and
 * depending only on those before it: parts of the file (perf_bytes.c), events (perf_attr.c) and
 * their names (perf_names.c), the header (perf_header.c), the stream of raw records
 * (perf_stream.c), their time order (perf_order.c); our records made from them (perf_converted.c),
 * cgroups (perf_cgroups.c), additional data (perf_details.c), Intel PT (perf_pt.c) and its code
 * (perf_code.c), samples with a deferred stack (perf_deferred.c), conversion of records
 * (perf_convert.c); the description of the file (perf_info.c), the kernel (perf_kernel.c); the
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
#define PERF_TYPES      256   /* kinds of records with a counter */
#define PERF_RECORD_MAX 65536 /* a record's length has 16 bits */

#define PERF_FLAG_DEFER_CHAIN (1ull << 38) /* in perf_event_attr */

struct perf_section {
	uint64_t offset, size;
};

/* The bytes of a feature; if copied, the view owns them: perf_view_free(). */
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

/* Offsets of a sample's fields, for events that only have these fields. */
struct perf_plain {
	uint32_t size;                 /* 0: has other fields */
	uint32_t ip, tid, cpu, period; /* 0: missing field */
};

/* An event of the file. */
struct perf_attr {
	struct perf_shape shape;
	uint32_t type, size;
	uint64_t config, period, flags, branch;
	uint64_t config1, config2, sig_data;
	uint32_t stack_user, wakeup, bp_type, aux_watermark, aux_sample, aux_action;
	uint16_t max_stack;
	bool freq;
	bool use_clock;
	bool unknown; /* its samples have unknown fields: reported as a fault */
	uint64_t at;  /* offset in the file */
	int32_t clock;
	uint32_t time_at;   /* offset of the time in a sample; 0: none */
	uint32_t time_back; /* … in other records, from their end */
	uint32_t id_at, id_back;
	struct perf_plain plain;
	char *name;
	uint64_t *ids;
	uint32_t nids;
	struct perf_stacks stacks;
	uint64_t samples, lost; /* lost: samples counted by LOST_SAMPLES */
};

struct perf_id {
	uint64_t id;
	uint32_t attr;    /* index of a perf_attr */
	uint64_t counted; /* for members of a group that is read with its leader */
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
	/* Private to perf_build_ids.c: */
	bool looked, alone;
	uint64_t inode;
};

/* A file with records; a directory has several. */
struct perf_file {
	int fd;
	char *path; /* NULL: the only file */
	uint64_t begin, end, size;
};

/* ---- the stream ------------------------------------------------------------------------------ */

struct perf_raw {
	const uint8_t *data; /* the record with its header */
	uint32_t size, type;
	uint16_t misc;
	uint32_t file;
	uint64_t offset; /* in its file; if compressed, that of the chunk */
};

struct perf_stream {
	struct perf *perf;
	uint32_t file;
	uint64_t at, end; /* file offsets; at: after the buffer */
	uint8_t *buffer;
	size_t room, have, used;
	uint64_t offset; /* file offset of buffer[used] */
	uint64_t done;   /* bytes in earlier files */
	bool damaged;    /* nothing after this can be read */

	struct ZSTD_DCtx_s *zstd;
	const uint8_t *packed; /* rest of the chunk being unpacked */
	size_t npacked;
	uint64_t packed_offset;
	uint8_t *plain;
	size_t plain_have, plain_used;
	uint64_t unpacked; /* bytes unpacked from all chunks */
	bool packed_damage;
};

/* ---- time order ------------------------------------------------------------------------------ */

struct perf_held {
	uint64_t offset;
	uint16_t size, file;
	uint32_t attr;
	uint8_t record[]; /* aligned to 8 bytes */
};

struct perf_entry {
	uint64_t time;
	struct perf_held *held;
};

struct perf_run { /* entries of increasing time */
	size_t at, end;
};

#define PERF_BLOCK      (256u << 10)
#define PERF_ORDER_HELD (64ull << 20)
#define PERF_FAN        16 /* runs of a level, which are merged into one of the next */
#define PERF_LEVELS     12 /* more than any file can need */
struct perf_block;

struct perf_parked {      /* a sorted run in a file */
	uint64_t at, end; /* file offsets; at: after the buffer */
	uint8_t *buffer;
	size_t have, used;
	struct perf_entry entry; /* the first remaining entry; held NULL: none */
};

/* The runs of a level are older, in the order of reading, than those of the level below. */
struct perf_level {
	struct spill file;
	struct perf_parked run[PERF_FAN];
	unsigned int runs;
};

struct perf_order {
	struct perf_entry *entry;
	size_t n, room;
	struct perf_run *run;
	size_t nruns, room_runs;
	uint32_t *heap; /* of runs: the spilled ones in order of reading, then those in memory */
	size_t nheap, room_heap;
	struct perf_source {
		const struct spill *file;
		struct perf_parked *run;
	} * parked; /* in that order */
	size_t nparked, room_parked;
	uint64_t bound, greatest; /* bound: greatest time of the previous round; greatest: so far */
	bool draining, all;
	struct perf_block *block; /* the block being filled */
	struct perf_block *spare;
	bool given; /* the caller has the first entry: it is freed by the next call */
	uint64_t blocks;
	uint64_t most;            /* bytes in memory; 0: PERF_ORDER_HELD */
	struct perf_level *level; /* NULL: nothing is spilled */
	unsigned int levels;      /* number in use */
};

/* ---- the whole input ------------------------------------------------------------------------- */

#define PERF_FAULTS 4096 /* kept; further ones are only counted */

struct perf_converted;
struct perf_cgroups;
struct perf_details;
struct perf_deferred;
struct perf_pt;

struct perf {
	struct input *in;
	struct perf_file *file;
	uint32_t nfiles, room_files;
	bool swap, pipe, directory;
	bool no_memory;   /* for a part of the header: faults about it do not apply */
	uint32_t version; /* by its magic number */
	uint64_t header_size, attr_size;
	struct perf_section attrs, data, types;
	uint64_t feature_bits[4];
	struct perf_section feature[PERF_FEATURES]; /* location in the file */
	struct blob feature_data[PERF_FEATURES];    /* contents, for a pipe */
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

	/* Set by the scan of all records: */
	uint64_t count[PERF_TYPES], unknown_type, total;
	uint64_t aux_bytes, aux_lost; /* lost: AUX records with data truncated by the kernel */
	uint32_t aux_kind;            /* from AUXTRACE_INFO */
	uint64_t lost, lost_samples, pokes;
	bool narrow;             /* recorded single processes, not all CPUs */
	uint64_t first, last;    /* times; first 0: no record has a time */
	uint32_t cpus;           /* greatest CPU number + 1 */
	struct perf_order names; /* records for the first pass of names, which saves another scan */
	bool has_names;
	bool has_cgroups;          /* samples have: they are read for names, too */
	struct blob kernel_ids;    /* INPUT_SEC_KERNEL_IDS */
	uint64_t kernel_start;     /* address of the kernel's text, */
	uint64_t kernel_reference; /* and of this symbol in it: */
	char kernel_symbol[32];
	char kernel_place[64]; /* as a line of kallsyms */
	bool time_conv;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;

	uint32_t branch_counters; /* per branch */
	uint32_t branch_bits;     /* width of each; 0: unknown */
	bool has_clock_data;
	uint32_t clock;
	uint64_t clock_wall, clock_time;

	struct blob kallsyms; /* text without its NUL */
	bool kernel_looked, same_kernel;
	char *system;             /* "key: value" lines */
	struct perf_view formats; /* of tracepoints, while in use */

	/* State of a pass: */
	unsigned int what;
	bool sched; /* there are tracepoints for dispatches */
	struct perf_stream stream;
	struct perf_order order;
	uint64_t time;      /* of the last record returned */
	uint64_t read_time; /* of the last record read */
	bool ended;
	const struct perf_entry *entry; /* waits for the AUX trace to catch up */
	struct perf_converted *converted;
	struct pitrace_sample sample; /* for the fast path */
	struct perf_cgroups *cgroups;
	struct perf_details *details;
	struct perf_deferred *deferred; /* waiting samples; NULL: none yet */
	struct perf_pt *pt;             /* Intel PT, if the file has it */
	struct perf_running *running;   /* by CPU */
	uint32_t nrunning;
	uint64_t (*lost_total)[2]; /* by CPU: lost samples, throttled */
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
