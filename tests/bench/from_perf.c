/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * from_perf IN.data OUT [LIKE]: the samples, mappings and processes of a perf.data file (perf
 * record -k mono, one event) as a pitrace file: so that post and perf name the very same samples.
 * The kernel's names are those of LIKE, a pitrace file of the same boot.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <pifile.h>
#include "collect/perf/perf_records.h"
#include "file/segment.h"

#define CPUS          256
#define SEGMENT_BYTES 65536

struct part {
	uint64_t offset, size;
};
struct head {
	char magic[8];
	uint64_t size, attr_size;
	struct part attrs, data;
};

struct record {
	uint64_t time;
	uint32_t at; /* 8 bytes each, from the data's beginning on */
	uint32_t order;
};

static const uint8_t *data;
static struct perf_shape shape;
static struct record *records;
static size_t n, room;
static struct pifile_writer *out;
static struct segment_out rings[CPUS][PITRACE_RINGS];
static struct pifile_stats stats[CPUS];
static uint32_t cpu, ncpus;

static void check(int rc, const char *what)
{
	if (!rc)
		return;
	fprintf(stderr, "from_perf: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static int sink(void *arg, const void *segment, size_t size)
{
	(void)arg;
	return pifile_write_segment(out, segment, size, 1);
}

static int put(void *arg, uint16_t major, uint32_t minor, const void *what, size_t size,
	       uint64_t time)
{
	bool mte = major == PITRACE_MTE || major == PITRACE_SYNC;
	struct segment_out *o = &rings[cpu][mte ? PITRACE_RING_MTE : PITRACE_RING_TRACE];
	void *to;
	int rc;

	(void)arg;
	to = segment_put(o, major, minor, PITRACE_TYPE_STRUCT, size, time, sink, NULL, &rc);
	if (!to)
		return rc;
	memcpy(to, what, size);
	stats[cpu].ticks += major == PITRACE_TPROF;
	return 0;
}

/* ---- perf's ---------------------------------------------------------------------------------- */

static struct perf_item decode(uint32_t at)
{
	struct perf_event_header h;
	struct perf_item item;
	const char *why;

	memcpy(&h, data + 8ull * at, sizeof(h));
	if (perf_decode(&shape, data + 8ull * at, h.size, &item, &why)) {
		fprintf(stderr, "from_perf: at byte %llu of the data: %s\n", 8ull * at, why);
		exit(1);
	}
	return item;
}

static void look(const uint8_t *p, const uint8_t *stop)
{
	struct perf_event_header h;

	for (; stop - p >= (ptrdiff_t)sizeof(h); p += h.size) {
		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > stop - p)
			break;
		if (h.type >= 64) /* perf's own */
			continue;
		if (n == room) {
			room = 2 * room + 4096;
			records = realloc(records, room * sizeof(*records));
			check(records ? 0 : -ENOMEM, "reading");
		}
		records[n].at = (uint32_t)((p - data) / 8);
		records[n].order = (uint32_t)n;
		records[n].time = decode(records[n].at).time;
		n++;
	}
	check(p == stop && n ? 0 : -EBADMSG, "reading");
}

static int by_time(const void *pa, const void *pb)
{
	const struct record *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct perf_event_attr attr;
	const uint8_t *base;
	struct head head;
	struct stat st;

	check(fd < 0 || fstat(fd, &st) ? -errno : 0, path);
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	check(base == MAP_FAILED ? -errno : 0, path);
	memcpy(&head, base, sizeof(head));
	if (memcmp(head.magic, "PERFILE2", 8) || head.attrs.size != head.attr_size ||
	    head.data.offset + head.data.size > (uint64_t)st.st_size) {
		fprintf(stderr, "from_perf: %s: not a whole perf.data file of one event\n", path);
		exit(1);
	}
	memcpy(&attr, base + head.attrs.offset, sizeof(attr));
	shape = perf_shape_of(&attr);
	data = base + head.data.offset;
	look(data, data + head.data.size);
	qsort(records, n, sizeof(*records), by_time);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static void sync_at(enum pitrace_sync_why why, uint64_t time)
{
	struct pitrace_sync s = { .stamp = time,
				  .monotonic = time,
				  .boottime = time,
				  .realtime = time };

	cpu = 0;
	check(put(NULL, PITRACE_SYNC, why, &s, sizeof(s), time), "writing");
}

static void write_all(void)
{
	static const struct perf_stacks no_stacks;
	size_t i = 0, samples = 0;

	/* Records that perf synthesized for existing processes have no time. */
	while (i < n - 1 && !records[i].time)
		i++;
	sync_at(PITRACE_SYNC_ON, records[i].time);
	for (i = 0; i < n; i++) {
		struct perf_item item = decode(records[i].at);

		if (item.cpu >= CPUS)
			check(-ERANGE, "CPU number");
		cpu = records[i].time ? item.cpu : 0;
		ncpus = cpu >= ncpus ? cpu + 1 : ncpus;
		if (item.type == PERF_RECORD_SAMPLE) {
			check(perf_put_sample(&item, &no_stacks, UINT32_MAX, put, NULL), "writing");
			samples++;
		} else if (item.of_pid <= INT32_MAX) { /* above: the kernel's modules */
			check(perf_put_name(&item, put, NULL), "writing");
		}
	}
	sync_at(PITRACE_SYNC_OFF, records[n - 1].time);
	printf("%zu samples\n", samples);
}

/* Names of the kernel. */
static void copy_texts(const char *path)
{
	struct pifile_fault fault;
	struct pifile *in = pifile_open(path, &fault);

	check(in ? 0 : -EBADMSG, path);
	for (size_t i = 0; i < pifile_sections(in); i++) {
		enum pifile_section_type type = pifile_section(in, i)->type;
		void *buffer = NULL;
		size_t size;

		if (type != PIFILE_SEC_KALLSYMS && type != PIFILE_SEC_MODULES &&
		    type != PIFILE_SEC_SYSTEM && type != PIFILE_SEC_VDSO)
			continue;
		check(pifile_payload(in, i, &buffer, &size) ? 0 : -EBADMSG, path);
		check(pifile_write_section(out, type, buffer, size), "writing");
		free(buffer);
	}
	pifile_close(in);
}

int main(int argc, char **argv)
{
	struct pifile_header h = {
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.mode = PITRACE_MODE_CONTINUOUS,
		.scope = PITRACE_SCOPE_SYSTEM,
		.ncpus = CPUS,
		.collector = "from_perf",
		.page_size = 4096,
	};
	struct utsname u;

	if (argc != 3 && argc != 4) {
		fputs("usage: from_perf IN.data OUT [LIKE]\n", stderr);
		return 2;
	}
	uname(&u);
	snprintf(h.machine, sizeof(h.machine), "%.31s", u.machine);
	snprintf(h.release, sizeof(h.release), "%.63s", u.release);
	load(argv[1]);
	out = pifile_create(argv[2], &h);
	check(out ? 0 : -errno, argv[2]);
	for (uint32_t c = 0; c < CPUS; c++)
		for (uint16_t ring = 0; ring < PITRACE_RINGS; ring++)
			rings[c][ring] = (struct segment_out){
				.session = 1,
				.cpu = c,
				.ring = ring,
				.size = SEGMENT_BYTES,
			};
	if (argc == 4)
		copy_texts(argv[3]);
	write_all();
	for (uint32_t c = 0; c < CPUS; c++) {
		stats[c].cpu = c;
		stats[c].online = 1;
		for (uint16_t ring = 0; ring < PITRACE_RINGS; ring++) {
			check(segment_close(&rings[c][ring], sink, NULL), "writing");
			segment_free(&rings[c][ring]);
		}
	}
	check(pifile_write_section(out, PIFILE_SEC_STATS, stats, ncpus * sizeof(*stats)),
	      "writing");
	check(pifile_finish(out), "writing");
	return 0;
}
