/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of perf.data: the file is opened and scanned once (kinds of records, times, a pipe's
 * features), then read in any number of passes, each in time order.
 */
#include "base/array.h"
#include "base/memstream.h"
#include "input/perf/perf_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "input/perf/perf_attr.h"
#include "input/perf/perf_bytes.h"
#include "input/perf/perf_cgroups.h"
#include "input/perf/perf_deferred.h"
#include "input/perf/perf_details.h"
#include "input/perf/perf_header.h"
#include "input/perf/perf_info.h"
#include "input/perf/perf_kernel.h"
#include "input/perf/perf_order.h"
#include "input/perf/perf_plain.h"
#include "input/perf/perf_pt.h"
#include "input/perf/perf_pt_data.h"
#include "input/perf/perf_stream.h"
#include "input/perf/perf_convert.h"
#include "input/perf/perf_converted.h"
#include "input/perf/perf_wall.h"
#include "base/regular.h"

#define FILES_MAX 65536

/* ---- files ----------------------------------------------------------------------------------- */

static int add_file(struct perf *p, const char *path, bool named)
{
	struct perf_file *f;
	struct stat st;
	int fd;

	if (array_next(p->file, p->nfiles, p->room_files))
		return -ENOMEM;
	fd = regular_open(path, 0, &st);
	if (fd < 0)
		return -errno;
	f = &p->file[p->nfiles];
	*f = (struct perf_file){ .fd = fd, .size = (uint64_t)st.st_size };
	f->end = f->size;
	f->path = named ? strdup(path) : NULL;
	p->nfiles++;
	p->in->size += f->size;
	return 0;
}

/* In a directory, `data` has the header, data.0, data.1 … only records. */
static int open_files(struct perf *p)
{
	const char *path = p->in->path;
	char name[4096];
	struct stat st;
	int rc;

	p->directory = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (!p->directory)
		return add_file(p, path, false);
	snprintf(name, sizeof(name), "%s/data", path);
	rc = add_file(p, name, true);
	for (int i = 0; !rc && i < FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%s/data.%d", path, i);
		rc = add_file(p, name, true);
	}
	return rc == -ENOENT && p->nfiles ? 0 : rc;
}

/* ---- scan of all records --------------------------------------------------------------------- */

static int each_counted(void *arg, const struct perf_item *i, uint32_t attr)
{
	struct perf *p = arg;

	(void)i;
	p->attr[attr].samples++;
	return 0;
}

static int look_sample(struct perf *p, const struct perf_raw *raw, uint32_t attr)
{
	struct perf_item item;
	const char *why;

	if (!(p->attr[attr].shape.sample_type & PERF_SAMPLE_READ)) {
		p->attr[attr].samples++;
		return 0;
	}
	if (perf_decode(&p->attr[attr].shape, raw->data, raw->size, &item, &why))
		return 0; /* the fault is reported when the sample is used */
	return perf_each_sample(p, &item, attr, each_counted, p);
}

/* "[kernel.kallsyms]_text" is the mapping of the kernel's text. */
static void look_kernel(struct perf *p, const struct perf_item *item)
{
	const char *end = strchr(item->text, ']');

	if (p->kernel_start || strncmp(item->text, "[kernel.", 8) || !end)
		return;
	p->kernel_start = item->start;
	p->kernel_reference = item->offset;
	snprintf(p->kernel_symbol, sizeof(p->kernel_symbol), "%s", end + 1);
}

static int look_inside(struct perf *p, const struct perf_raw *raw, uint32_t attr)
{
	struct perf_item item;
	const char *why;

	if (raw->type != PERF_RECORD_MMAP && raw->type != PERF_RECORD_MMAP2 &&
	    raw->type != PERF_RECORD_LOST && raw->type != PERF_RECORD_LOST_SAMPLES &&
	    raw->type != PERF_RECORD_TEXT_POKE)
		return 0;
	if (perf_decode(&p->attr[attr].shape, raw->data, raw->size, &item, &why))
		return 0;
	if (raw->type == PERF_RECORD_TEXT_POKE)
		p->pokes++;
	if (item.text)
		look_kernel(p, &item);
	if (raw->type == PERF_RECORD_LOST) {
		p->lost += item.lost;
	} else if (raw->type == PERF_RECORD_LOST_SAMPLES) {
		p->lost_samples += item.lost;
		p->attr[attr].lost += item.lost;
	}
	return 0;
}

/* Returns the time of a record; 0: it has none. */
static inline uint64_t time_of(const struct perf *p, const struct perf_attr *a,
			       const struct perf_raw *raw)
{
	uint32_t at;

	if (raw->type == PERF_RECORD_SAMPLE) {
		at = a->time_at;
		return at && at + 8 <= raw->size ? perf_u64(p, raw->data + at) : 0;
	}
	at = a->time_back;
	return at && at + 8 <= raw->size ? perf_u64(p, raw->data + raw->size - at) : 0;
}

static bool is_name(uint32_t type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM ||
	       type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_KSYMBOL;
}

static int look_aux_info(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);

	bytes_skip(&b, 8);
	p->aux_kind = bytes_u32(&b);
	return perf_pt_info(p, raw);
}

static int look_aux_data(struct perf *p, const struct perf_raw *raw)
{
	if (raw->size < 16)
		return 0;
	p->aux_bytes += perf_u64(p, raw->data + 8);
	return perf_pt_piece(p, raw);
}

/* Reports that perf could not decode some AUX data (perf inject writes such records). */
static void look_aux_error(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	uint32_t type, code, cpu, pid, tid, format;
	const char *text;
	char what[160];
	uint64_t ip;
	size_t n;

	bytes_skip(&b, 8);
	type = bytes_u32(&b);
	code = bytes_u32(&b);
	cpu = bytes_u32(&b);
	pid = bytes_u32(&b);
	tid = bytes_u32(&b);
	format = bytes_u32(&b);
	ip = bytes_u64(&b);
	if (format)
		bytes_skip(&b, 8); /* the time */
	n = bytes_left(&b) < 64 ? bytes_left(&b) : 64;
	text = b.bad ? NULL : bytes_take(&b, n);
	snprintf(what, sizeof(what),
		 "AUX data: error %" PRIu32 "%s, cpu %" PRId32 ", pid %" PRId32 ", tid %" PRId32
		 ", at 0x%" PRIx64 ": %.*s",
		 code, type == 1 ? " of an instruction trace" : "", (int32_t)cpu, (int32_t)pid,
		 (int32_t)tid, ip, (int)n, text ? text : "");
	perf_fault_in(p, raw->file, raw->offset, text ? what : "AUXTRACE_ERROR: too short");
}

/* Reads an AUX record: offset, size, flags. */
static void look_aux(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);

	bytes_skip(&b, 8 + 16);
	p->aux_lost += bytes_u64(&b) & PERF_AUX_FLAG_TRUNCATED;
}

static int look_record(struct perf *p, const struct perf_raw *raw)
{
	bool sample = raw->type == PERF_RECORD_SAMPLE;
	const struct perf_attr *a;
	uint64_t time;
	uint32_t attr;
	int rc;

	p->total++;
	if (raw->type < PERF_TYPES)
		p->count[raw->type]++;
	else
		p->unknown_type++;
	if (raw->type >= PERF_USER_FIRST) {
		if (raw->type == PERF_AUXTRACE)
			return look_aux_data(p, raw);
		if (raw->type == PERF_AUXTRACE_INFO)
			return look_aux_info(p, raw);
		if (raw->type == PERF_AUXTRACE_ERROR)
			look_aux_error(p, raw);
		if (raw->type == PERF_THREAD_MAP && raw->size >= 24)
			p->narrow = perf_u64(p, raw->data + 16) != UINT64_MAX;
		return p->pipe && raw->type != PERF_TIME_CONV ? 0 : perf_header_record(p, raw);
	}
	attr = perf_attr_of(p, raw->data, raw->size, sample);
	if (attr == UINT32_MAX)
		return 0;
	a = &p->attr[attr];
	time = time_of(p, a, raw);
	if (time && time < UINT64_MAX) {
		p->first = !p->first || time < p->first ? time : p->first;
		p->last = time > p->last ? time : p->last;
	}
	if (raw->type == PERF_RECORD_AUX)
		look_aux(p, raw);
	rc = is_name(raw->type) && !p->has_cgroups ? perf_order_add(&p->names, raw, attr, time) : 0;
	if (rc)
		return rc;
	return sample ? look_sample(p, raw, attr) : look_inside(p, raw, attr);
}

static int each_raw(struct perf *p, int (*each)(struct perf *p, const struct perf_raw *raw))
{
	struct perf_raw raw;
	int rc = perf_stream_begin(&p->stream, p);

	while (!rc && (rc = perf_stream_next(&p->stream, &raw)) > 0)
		rc = each(p, &raw);
	perf_stream_free(&p->stream);
	return rc;
}

static int header_only(struct perf *p, const struct perf_raw *raw)
{
	return raw->type >= PERF_USER_FIRST && raw->type != PERF_TIME_CONV ?
		       perf_header_record(p, raw) :
		       0;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void perf_close(struct input *in)
{
	struct perf *p = in->state;

	perf_stream_free(&p->stream);
	perf_order_free(&p->order);
	perf_order_free(&p->names);
	perf_converted_free(p->converted);
	perf_cgroups_free(p->cgroups);
	perf_details_free(p->details);
	perf_deferred_free(p);
	perf_pt_free(p);
	perf_header_free(p);
	for (uint32_t i = 0; i < p->nfiles; i++) {
		close(p->file[i].fd);
		free(p->file[i].path);
	}
	free(p->file);
	blob_free(&p->kallsyms);
	blob_free(&p->kernel_ids);
	free(p->system);
	perf_view_free(&p->formats);
	free(p->running);
	free(p->lost_total);
	free(p);
	in->state = NULL;
}

static int perf_open(struct input *in, struct pifile_fault *fault)
{
	struct perf *p = calloc(1, sizeof(*p));
	int rc = -ENOMEM;

	if (!p)
		return rc;
	p->in = in;
	in->state = p;
	in->complete = in->kernel_maps = true;
	in->header = (struct pifile_header){
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.collector = "perf",
	};
	p->converted = perf_converted_new();
	p->cgroups = perf_cgroups_new();
	p->details = perf_details_new();
	if (p->converted && p->cgroups && p->details)
		rc = open_files(p);
	if (!rc)
		rc = perf_header_read(p, fault);
	if (!rc && p->pipe)
		rc = each_raw(p, header_only);
	if (!rc)
		rc = perf_header_finish(p);
	p->has_cgroups = !rc && perf_cgroups_any(p);
	if (!rc)
		rc = each_raw(p, look_record);
	if (p->no_memory)
		rc = -ENOMEM;
	p->has_names = !p->has_cgroups;
	if (!in->header.ncpus)
		in->header.ncpus = 1;
	in->header.start_realtime = in->reader->realtime(in, p->first);
	in->own_clock = true;
	for (uint32_t i = 0; i < p->nattrs; i++)
		in->own_clock &= !p->attr[i].use_clock || p->attr[i].clock != CLOCK_MONOTONIC;
	in->cycles = p->time_conv && in->own_clock;
	if (!rc)
		return 0;
	if (!fault->what[0] || rc == -ENOMEM)
		snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
	perf_close(in);
	return rc;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static int perf_begin(struct input *in, unsigned int what)
{
	struct perf *p = in->state;
	int rc;

	perf_stream_free(&p->stream);
	perf_order_free(&p->order);
	perf_converted_free(p->converted);
	p->converted = perf_converted_new();
	perf_cgroups_free(p->cgroups);
	p->cgroups = perf_cgroups_new();
	perf_details_free(p->details);
	p->details = perf_details_new();
	perf_deferred_free(p);
	p->sched = what & PIMERGE_TRACE && perf_details_sched_wanted(p);
	p->what = what;
	p->time = p->read_time = 0;
	p->ended = false;
	p->entry = NULL;
	for (uint32_t i = 0; i < p->nids; i++)
		p->id[i].counted = 0;
	free(p->running);
	free(p->lost_total);
	p->running = NULL;
	p->lost_total = NULL;
	p->nrunning = p->nlost = 0;
	rc = p->converted && p->cgroups && p->details ? perf_stream_begin(&p->stream, p) : -ENOMEM;
	if (!rc && what == PIMERGE_MTE && p->has_names) {
		p->order = p->names;
		p->names = (struct perf_order){ 0 };
		p->has_names = false;
		p->ended = true;
		rc = perf_order_round(&p->order, true);
	}
	if (!rc)
		rc = perf_pt_begin(p);
	return rc ? rc : perf_convert_begin(p);
}

static bool is_wanted(const struct perf *p, uint32_t type)
{
	return is_name(type) || (p->what & PIMERGE_TRACE && type < PERF_USER_FIRST) ||
	       (p->has_cgroups && (type == PERF_RECORD_SAMPLE || type == PERF_RECORD_CGROUP));
}

static int take(struct perf *p, const struct perf_raw *raw)
{
	bool sample = raw->type == PERF_RECORD_SAMPLE;
	uint64_t time;
	uint32_t attr;

	if (raw->type == PERF_FINISHED_ROUND)
		return perf_order_round(&p->order, false);
	if (!is_wanted(p, raw->type))
		return 0;
	attr = perf_attr_of(p, raw->data, raw->size, sample);
	if (attr == UINT32_MAX) {
		perf_fault_in(p, raw->file, raw->offset,
			      p->nattrs ? "a sample of no event that the header names" :
					  "a record, but the header names no event");
		return 0;
	}
	if (sample && !(p->what & PIMERGE_TRACE) &&
	    !(p->attr[attr].shape.sample_type & PERF_SAMPLE_CGROUP))
		return 0;
	time = time_of(p, &p->attr[attr], raw);
	if (time)
		p->read_time = time;
	else if (sample)
		time = p->read_time;
	return perf_order_add(&p->order, raw, attr, time);
}

static int perf_next(struct input *in, struct pirecord *record)
{
	struct perf *p = in->state;
	const struct perf_entry *e;
	struct perf_raw raw;
	int rc;

	for (;;) {
		if (perf_converted_next(p->converted, record))
			return 1;
		e = p->entry;
		p->entry = NULL;
		rc = e ? 1 : perf_order_next(&p->order, &e);
		if (rc < 0)
			return rc;
		if (e) {
			rc = p->pt ? perf_pt_step(p, e->time) : 0;
			if (rc > 0) {
				p->entry = e;
				continue;
			}
			if (!rc && perf_plain_convert(p, e, record))
				return 1;
			if (!rc)
				rc = perf_convert(p, e);
		} else if (p->ended) {
			if (!p->stream.perf)
				return 0;
			rc = p->pt ? perf_pt_step(p, UINT64_MAX) : 0;
			if (rc > 0)
				continue;
			if (rc)
				return rc;
			perf_stream_free(&p->stream);
			rc = perf_convert_end(p);
		} else {
			do {
				rc = perf_stream_next(&p->stream, &raw);
				if (rc > 0)
					rc = take(p, &raw);
				else
					p->ended = true;
			} while (!rc && !p->ended && !p->order.draining);
			if (!rc && p->ended)
				rc = perf_order_round(&p->order, true);
		}
		if (rc)
			return rc;
	}
}

static void perf_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct perf *p = in->state;
	const struct perf_stream *s = &p->stream;

	*total = p->in->size;
	*done = s->perf ? s->done + s->offset - p->file[s->file].begin : *total;
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char *text_of(struct perf *p, enum perf_feature i, char *room, size_t size)
{
	struct perf_view v = perf_feature(p, i);
	struct bytes b = perf_view_bytes(p, &v);
	const char *text = v.data ? perf_text(&b) : NULL;

	snprintf(room, size, "%s", text ? text : "");
	perf_view_free(&v);
	return room;
}

/* Prints the command line as one text. */
static void add_command(struct perf *p, FILE *out)
{
	struct perf_view v = perf_feature(p, PERF_CMDLINE);
	struct bytes b = perf_view_bytes(p, &v);
	uint32_t words = v.data ? bytes_u32(&b) : 0;

	fputs(words ? "command:" : "", out);
	for (uint32_t i = 0; i < words && !b.bad; i++) {
		const char *word = perf_text(&b);

		fprintf(out, " %s", word ? word : "");
	}
	fputs(words ? "\n" : "", out);
	perf_view_free(&v);
}

static const char *system_text(struct perf *p)
{
	static const struct {
		enum perf_feature feature;
		const char *key;
	} facts[] = {
		{ PERF_CPUDESC, "cpu model" },
		{ PERF_HOSTNAME, "host" },
		{ PERF_VERSION, "perf version" },
	};
	char text[256];
	size_t size;
	FILE *out;

	if (!p->system) {
		out = open_memstream(&p->system, &size);
		if (!out)
			return NULL;
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
			text_of(p, facts[i].feature, text, sizeof(text));
			if (*text)
				fprintf(out, "%s: %s\n", facts[i].key, text);
		}
		add_command(p, out);
		if (p->aux_bytes && !p->pt)
			fprintf(out,
				"aux data: %" PRIu64 " bytes of %s, which post does not decode\n",
				p->aux_bytes, perf_aux_name(p->aux_kind));
		if (memstream_close(out, &p->system))
			return NULL;
	}
	return p->system;
}

static int perf_section(struct input *in, size_t i, struct input_section *section)
{
	struct perf *p = in->state;
	struct blob kernel;
	const char *text;
	const void *vdso;
	size_t size;

	*section = (struct input_section){ .type = PIFILE_SEC_SYSTEM };
	switch (i) {
	case 0:
		text = system_text(p);
		input_section_is(section, text, text ? strlen(text) : 0);
		return 1;
	case 1:
		section->type = PIFILE_SEC_KALLSYMS;
		kernel = perf_kernel_symbols(p);
		input_section_is(section, kernel.data, kernel.size);
		return 1;
	case 2: /* without symbols, at least the kernel's address */
		section->type = PIFILE_SEC_KALLSYMS;
		kernel = perf_kernel_place(p);
		input_section_is(section, kernel.data, kernel.size);
		return 1;
	case 3:
		section->type = INPUT_SEC_TRACEPOINTS;
		perf_view_free(&p->formats);
		p->formats = perf_feature(p, PERF_TRACING_DATA);
		input_section_is(section, p->formats.data, p->formats.size);
		return 1;
	case 4:
		section->type = INPUT_SEC_KERNEL_IDS;
		if (!p->kernel_ids.data)
			p->kernel_ids = perf_kernel_ids(p);
		input_section_is(section, p->kernel_ids.data, p->kernel_ids.size);
		return 1;
	case 5:
		section->type = PIFILE_SEC_VDSO;
		vdso = perf_kernel_vdso(p, &size);
		input_section_is(section, vdso, size);
		return vdso != NULL;
	}
	return 0;
}

/* Stamps are in perf's clock. Other times (of jitdumps without a system clock) are cycles. */
static uint64_t perf_monotonic(struct input *in, uint64_t stamp)
{
	const struct perf *p = in->state;
	uint64_t whole, rest;

	if (!p->time_conv)
		return stamp;
	whole = stamp >> p->time_shift;
	rest = stamp & ((1ull << p->time_shift) - 1);
	return p->time_zero + whole * p->time_mult + ((rest * p->time_mult) >> p->time_shift);
}

static uint64_t perf_realtime(struct input *in, uint64_t stamp)
{
	const struct perf *p = in->state;

	if (p->has_clock_data)
		return stamp - p->clock_time + p->clock_wall;
	for (uint32_t i = 0; i < p->nattrs; i++) {
		if (p->attr[i].use_clock && p->attr[i].clock == CLOCK_REALTIME)
			return stamp;
	}
	return 0;
}

static size_t perf_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct perf *p = in->state;

	*list = p->fault;
	return p->nfaults;
}

/* Counts the samples whose deferred user stack is missing. That depends on the time order, so it
 * takes a pass. */
static int without_stack(struct input *in, uint64_t *n)
{
	struct perf *p = in->state;
	struct pirecord r;
	bool any = p->count[PERF_CALLCHAIN_DEFERRED];
	int rc = 0;

	for (uint32_t i = 0; i < p->nattrs; i++)
		any |= p->attr[i].flags & PERF_FLAG_DEFER_CHAIN;
	if (any)
		rc = perf_begin(in, PIMERGE_MTE | PIMERGE_TRACE);
	while (any && !rc && (rc = perf_next(in, &r)) > 0)
		rc = 0;
	*n = perf_deferred_alone(p);
	return rc;
}

static int perf_stats(struct input *in, input_count count, void *arg)
{
	const struct perf *p = in->state;
	uint64_t alone;
	unsigned int i;
	char name[32];
	int rc = without_stack(in, &alone);

	if (rc)
		return rc;

	count(arg, NULL, "TOTAL", p->total);
	for (i = 0; i < PERF_TYPES; i++) {
		if (!p->count[i])
			continue;
		snprintf(name, sizeof(name), "%s", perf_type_name(i));
		if (!*name)
			snprintf(name, sizeof(name), "UNKNOWN %u", i);
		count(arg, NULL, name, p->count[i]);
	}
	if (p->unknown_type)
		count(arg, NULL, "UNKNOWN above 255", p->unknown_type);
	if (alone)
		count(arg, NULL, "WITHOUT_USER_STACK", alone);
	for (i = 0; i < p->nattrs; i++) {
		if (p->attr[i].samples)
			count(arg, p->attr[i].name, "SAMPLE", p->attr[i].samples);
		if (p->attr[i].lost)
			count(arg, p->attr[i].name, "LOST_SAMPLES", p->attr[i].lost);
	}
	return 0;
}

const struct reader reader_perf = {
	.name = "perf.data",
	.frames = true,
	.what = "what perf record writes: a file, a folder, a pipe",
	.probe = perf_probe,
	.open = perf_open,
	.begin = perf_begin,
	.next = perf_next,
	.progress = perf_progress,
	.section = perf_section,
	.monotonic = perf_monotonic,
	.realtime = perf_realtime,
	.wall = perf_wall,
	.info = perf_info,
	.stats = perf_stats,
	.faults = perf_faults,
	.close = perf_close,
};
