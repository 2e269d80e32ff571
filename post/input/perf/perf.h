/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf.data, as its reader's parts see it: the header (perf_header.c), the events of which there
 * are records (perf_attr.c) and their names (perf_names.c), the bytes as a row of raw records
 * (perf_stream.c), their order of time (perf_order.c), samples that wait for a part of theirs
 * (perf_deferred.c), what they mean in ours (perf_tell.c) and beyond ours (perf_details.c), what
 * the file says of itself in words (perf_info.c) and of the kernel (perf_kernel.c), what the
 * processor itself traced (perf_pt.c) and of which code (perf_code.c).
 */
#ifndef POST_PERF_H
#define POST_PERF_H

#include <sys/types.h>

#include "base/blob.h"
#include "format/perf_data.h"
#include "collect/perf/perf_decode.h"
#include "collect/perf/perf_records.h"
#include "record/input.h"

#define PERF_FEATURES	256
#define PERF_TYPES	256		/* kinds of records that are counted one by one */
#define PERF_RECORD_MAX	65536		/* a record's length has 16 bits */

#define PERF_FLAG_DEFER_CHAIN	(1ull << 38)	/* of an attr */

struct perf_section {
	uint64_t offset, size;
};

/* A feature's bytes, of which some are the view's own: perf_view_free(). */
struct perf_view {
	const uint8_t *data;		/* NULL: it isn't there, or cannot be read; size is 0 */
	size_t size;
	struct blob own;
};

static inline void perf_view_free(struct perf_view *v)
{
	blob_free(&v->own);
	*v = (struct perf_view){ 0 };
}

/* Where a sample of an event has its fields, if those before its period are all that it has. */
struct perf_plain {
	uint32_t size;			/* 0: it has others */
	uint32_t ip, tid, cpu, period;	/* 0: it lacks this one */
};

/* An event of which the file has samples. */
struct perf_attr {
	struct perf_shape shape;
	uint32_t type, size;
	uint64_t config, period, flags, branch;
	uint64_t config1, config2, sig_data;
	uint32_t stack_user, wakeup, bp_type, aux_watermark, aux_sample, aux_action;
	uint16_t max_stack;
	bool freq;
	bool use_clock;
	bool unknown;			/* its samples cannot be taken apart, which was told */
	uint64_t at;			/* in the file */
	int32_t clock;
	uint32_t time_at;		/* where a sample has its time; 0: it has none */
	uint32_t time_back;		/* … another record, from its end */
	uint32_t id_at, id_back;
	struct perf_plain plain;
	char *name;
	uint64_t *ids;
	uint32_t nids;
	struct perf_stacks stacks;
	uint64_t samples, lost;		/* LOST_SAMPLES tells */
};

struct perf_id {			/* of perf_attr; an empty place has attr == UINT32_MAX */
	uint64_t id;
	uint32_t attr;
	uint64_t counted;		/* of a group that is read with its leader */
};

struct perf_update {			/* an event's name, by one of its ids */
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
	char *path;			/* NULL: the only one */
	uint64_t begin, end, size;
};

/* ---- the stream ------------------------------------------------------------------------------ */

struct perf_raw {
	const uint8_t *data;		/* the record, its header included */
	uint32_t size, type;
	uint16_t misc;
	uint32_t file;
	uint64_t offset;		/* in its file; of what is compressed that of its chunk */
};

struct perf_stream {
	struct perf *perf;
	uint32_t file;
	uint64_t at, end;		/* of the file, behind the buffer */
	uint8_t *buffer;
	size_t room, have, used;
	uint64_t offset;		/* of buffer[used] in the file */
	uint64_t done;			/* bytes of files before this one */
	bool damaged;			/* nothing beyond here can be read */

	struct ZSTD_DCtx_s *zstd;
	const uint8_t *packed;		/* of the chunk that is being unpacked */
	size_t npacked;
	uint64_t packed_offset;
	uint8_t *plain;
	size_t plain_have, plain_used;
	uint64_t unpacked;		/* bytes that came out of all chunks */
	bool packed_damage;
};

int perf_stream_begin(struct perf_stream *s, struct perf *p);
/* 1 a record, valid until the next call; 0 the end (or damage: a fault is noted); <0 -errno. */
int perf_stream_next(struct perf_stream *s, struct perf_raw *raw);
void perf_stream_free(struct perf_stream *s);

/* ---- the order of time ----------------------------------------------------------------------- */

struct perf_held {
	uint64_t offset;
	uint16_t size, file;
	uint32_t attr;
	uint8_t record[];		/* aligned to 8 */
};

struct perf_entry {
	uint64_t time;
	struct perf_held *held;
};

struct perf_run {			/* entries of growing time */
	size_t at, end;
};

#define PERF_BLOCK	(256u << 10)
struct perf_block;

struct perf_order {
	struct perf_entry *entry;
	size_t n, room;
	struct perf_run *run;
	size_t nruns, room_runs;
	size_t *heap, nheap, room_heap;
	uint64_t bound, greatest;	/* of the round before; seen */
	bool draining, all;
	struct perf_block *block;	/* that is being filled */
	struct perf_block *spare;
	struct perf_held *given;	/* to the caller: let go with the next */
	uint64_t blocks;
};

/* Take a copy of a record. 0 or -ENOMEM. */
int perf_order_add(struct perf_order *o, const struct perf_raw *raw, uint32_t attr, uint64_t time);
/* A round is over; or everything is. */
int perf_order_round(struct perf_order *o, bool end);
/* The next that is certain to be; NULL: more must be read. */
const struct perf_entry *perf_order_next(struct perf_order *o);
void perf_order_free(struct perf_order *o);

/* ---- a whole file ---------------------------------------------------------------------------- */

#define PERF_FAULTS 4096		/* kept; more are counted */

struct perf_told;
struct perf_details;
struct perf_deferred;
struct perf_pt;

struct perf {
	struct input *in;
	struct perf_file *file;
	uint32_t nfiles;
	bool swap, pipe, directory;
	uint32_t version;		/* of the magic */
	uint64_t header_size, attr_size;
	struct perf_section attrs, data, types;
	uint64_t feature_bits[4];
	struct perf_section feature[PERF_FEATURES];	/* in the file */
	struct blob feature_data[PERF_FEATURES];	/* of a pipe: kept */
	struct perf_attr *attr;
	uint32_t nattrs;
	struct perf_id *id;		/* hash table */
	uint32_t nids, room_ids;
	struct perf_update *update;
	uint32_t nupdates, room_updates;
	struct perf_build_id *build_id;
	uint32_t nbuild_ids, room_build_ids;
	struct pifile_fault *fault;
	size_t nfaults, room_faults;

	/* What a look at all records gave: */
	uint64_t count[PERF_TYPES], unknown_type, total;
	uint64_t aux_bytes, aux_lost;	/* lost: AUX records whose data the kernel cut */
	uint32_t aux_kind;		/* of AUXTRACE_INFO */
	uint64_t lost, lost_samples, pokes;
	bool narrow;			/* of some processes, not of all CPUs */
	uint64_t first, last;		/* times; first 0: none has any */
	uint32_t cpus;			/* above the greatest number */
	struct perf_order names;	/* what the first pass of names takes, to spare it a look */
	bool has_names;
	struct blob kernel_ids;		/* INPUT_SEC_KERNEL_IDS */
	uint64_t kernel_start;		/* where the kernel's text was, */
	uint64_t kernel_reference;	/* … and where this symbol of it: */
	char kernel_symbol[32];
	char kernel_place[64];		/* … as a line of kallsyms */
	bool time_conv;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;

	uint32_t branch_counters;	/* of each branch, */
	uint32_t branch_bits;		/* … so wide; 0: not told */
	bool has_clock_data;
	uint32_t clock;
	uint64_t clock_wall, clock_time;

	struct blob kallsyms;		/* text, without its NUL */
	bool kernel_looked, same_kernel;
	char *system;			/* "key: value" lines */
	struct perf_view formats;	/* of tracepoints, while they are looked at */

	/* A pass: */
	unsigned int what;
	bool sched;			/* tracepoints that tell dispatches */
	struct perf_stream stream;
	struct perf_order order;
	uint64_t time;			/* last that was told */
	uint64_t read_time;		/* last that was read */
	bool ended;
	const struct perf_entry *entry;	/* that waits for the processor's trace */
	struct perf_told *told;
	struct pitrace_sample sample;	/* that was told at once */
	struct perf_details *details;
	struct perf_deferred *deferred;	/* samples that wait; NULL: none did */
	struct perf_pt *pt;		/* Intel PT, if the file has it */
	struct perf_running *running;	/* of each CPU */
	uint32_t nrunning;
	uint64_t *lost_total;		/* of each CPU: samples, throttled */
	uint32_t nlost;
};

__attribute__((format(printf, 3, 4)))
void perf_fault(struct perf *p, uint64_t offset, const char *format, ...);
/* … of one of the files: of several its name goes with it. */
void perf_fault_in(struct perf *p, uint32_t file, uint64_t offset, const char *what);

/* perf_header.c */
bool perf_probe(const void *head, size_t size);
int perf_header_read(struct perf *p, struct pifile_fault *fault);
/* Features, build ids, TIME_CONV and, in a pipe, events, as records. */
int perf_header_record(struct perf *p, const struct perf_raw *raw);
/* After all attributes are known. */
int perf_header_finish(struct perf *p);
void perf_header_free(struct perf *p);
struct perf_view perf_feature(struct perf *p, unsigned int i);
struct bytes perf_bytes(const struct perf *p, const void *data, size_t size);
static inline struct bytes perf_view_bytes(const struct perf *p, const struct perf_view *v)
{
	return perf_bytes(p, v->data, v->size);
}
/* A text of a feature: a length and as many bytes, with a NUL among them. NULL: damaged. */
const char *perf_text(struct bytes *b);
/* A part of the first file, to be freed. NULL: it isn't there, or is more than `most` bytes. */
struct blob perf_part(struct perf *p, struct perf_section part, uint64_t most);

/* perf_build_ids.c: the header's build id of the file that was mapped at this path; inode 0: not
 * known. NULL: there is none, or it is another file's. */
const struct perf_build_id *perf_file_id(struct perf *p, const char *path, uint64_t inode);

/* perf_attr.c: the events, of the file's table or a pipe's records; then by their ids, and when the
 * features have told the rest. 0 or -ENOMEM. */
int perf_attrs_read(struct perf *p);
int perf_attr_record(struct perf *p, const struct perf_raw *raw);
int perf_attr_update(struct perf *p, const struct perf_raw *raw);
int perf_attrs_hash(struct perf *p);
int perf_attrs_finish(struct perf *p);
void perf_attrs_free(struct perf *p);
/* The number of the event that a record belongs to; UINT32_MAX: of none that is known. */
uint32_t perf_attr_of(struct perf *p, const uint8_t *record, uint32_t size, bool sample);
uint32_t perf_attr_by_id(const struct perf *p, uint64_t id);
struct perf_id *perf_id_find(struct perf *p, uint64_t id);	/* or NULL */

/* perf_names.c: names for events that have none. 0 or -ENOMEM. */
int perf_names_rest(struct perf *p);

/* The fields of an attr as it stands in a file; those that an older one lacks are 0. */
void perf_attr_read(const struct perf *p, const uint8_t *data, size_t size, struct perf_attr *a);

/* perf_tell.c: what a record means, as records of ours, in p->told. 0 or -ENOMEM. */
struct perf_told *perf_told_new(void);
void perf_told_free(struct perf_told *t);
int perf_tell(struct perf *p, const struct perf_entry *e);
/* The time at which a record is told. */
uint64_t perf_tell_time(struct perf *p, const struct perf_entry *e, bool sample);
/* A sample may stand for several, of each event of its group that counted anything. */
int perf_each_sample(struct perf *p, const struct perf_item *item, uint32_t attr,
		     int (*each)(void *arg, const struct perf_item *i, uint32_t attr), void *arg);
/* A sample that waited, with what it got. */
struct perf_waiting {
	uint64_t time, offset;
	uint32_t attr, size;
};
int perf_tell_waited(struct perf *p, const struct perf_waiting *w, const struct perf_item *item);
int perf_tell_begin(struct perf *p);
int perf_tell_end(struct perf *p);
/* The next of them. */
bool perf_told_next(struct perf_told *t, struct pirecord *r);
bool perf_told_any(const struct perf_told *t);
/* A record of no record of perf's. */
int perf_tell_put(struct perf *p, uint16_t major, uint32_t minor, const void *data, size_t size,
		  uint64_t time, uint32_t cpu);

/* perf_deferred.c: a sample whose user stack is still to come; such a stack; a thread's end, the
 * end of all. They tell what waited for it. 0 or -ENOMEM. */
int perf_deferred_wait(struct perf *p, const struct perf_item *item, const struct perf_entry *e,
		       uint64_t time);
int perf_deferred_stack(struct perf *p, const struct perf_item *stack);
int perf_deferred_thread_ends(struct perf *p, uint32_t tid);
int perf_deferred_end(struct perf *p);
/* How many were told without, in this pass. */
uint64_t perf_deferred_alone(const struct perf *p);
void perf_deferred_free(struct perf *p);

/* perf_pt.c: AUXTRACE_INFO and AUXTRACE of the file; a pass; in it perf's records as they are told,
 * and what the processor told up to a time: 1 something, perhaps more, 0 nothing any more. Else 0
 * or -ENOMEM. */
#ifdef HAVE_LIBIPT
int perf_pt_info(struct perf *p, const struct perf_raw *raw);
int perf_pt_piece(struct perf *p, const struct perf_raw *raw);
int perf_pt_begin(struct perf *p);
int perf_pt_record(struct perf *p, const struct perf_item *item);
int perf_pt_step(struct perf *p, uint64_t until);
void perf_pt_end(struct perf *p);
void perf_pt_free(struct perf *p);
#else
static inline int perf_pt_info(struct perf *p, const struct perf_raw *raw)
{
	return (void)p, (void)raw, 0;
}

static inline int perf_pt_piece(struct perf *p, const struct perf_raw *raw)
{
	return (void)p, (void)raw, 0;
}

static inline int perf_pt_begin(struct perf *p)
{
	return (void)p, 0;
}

static inline int perf_pt_record(struct perf *p, const struct perf_item *item)
{
	return (void)p, (void)item, 0;
}

static inline int perf_pt_step(struct perf *p, uint64_t until)
{
	return (void)p, (void)until, 0;
}

static inline void perf_pt_free(struct perf *p)
{
	(void)p;
}
#endif

/* perf_plain.c: samples of such an event, told at once. False: it is none, perf_tell() it. */
void perf_plain_find(struct perf_attr *a);
bool perf_plain_tell(struct perf *p, const struct perf_entry *e, struct pirecord *r);

/* perf_details.c: what perf tells beyond our records, given to `put`. 0 or -ENOMEM. */
struct perf_details *perf_details_new(void);
void perf_details_free(struct perf_details *d);
int perf_details_event(struct perf *p, uint32_t attr, perf_put put, void *arg);
int perf_details_sample(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg);
int perf_details_record(struct perf *p, const struct perf_item *i, perf_put put, void *arg);
/* The scheduler's tracepoints, and whose threads they name. */
bool perf_details_sched_wanted(const struct perf *p);
int perf_details_task(struct perf_details *d, uint32_t pid, uint32_t tid);
int perf_details_sched(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
		       void *arg);

/* perf_info.c */
int perf_info(struct input *in, input_say say, void *arg);
const char *perf_type_name(unsigned int type);
/* What data of an AUX area are. */
const char *perf_aux_name(unsigned int kind);

/* perf_kernel.c: the text that kernel symbols are to be had from, which stays the perf's; NULL:
 * none. The vdso, if it is this machine's. */
struct blob perf_kernel_symbols(struct perf *p);
/* The same where they are not to be had: one place alone, which is no name of code. */
struct blob perf_kernel_place(struct perf *p);
/* The kernel's entries of the table of build ids; to be freed. */
struct blob perf_kernel_ids(const struct perf *p);
const void *perf_kernel_vdso(struct perf *p, size_t *size);
/* A kernel module's name of a mapping's path, in `name`. False: it is none. */
bool perf_kernel_module(const char *path, char *name, size_t size);

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
