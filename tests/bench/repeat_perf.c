/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeat_perf IN OUT SAMPLES: a perf.data file of one event repeated until it has so many samples
 * (repeat.h). Records are changed in place; the file's attributes and features stay as they are.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "repeat.h"

#define FINISHED_ROUND 68 /* of perf's own records, from 64 on: an order only */
#define FEATURES       256

struct part {
	uint64_t offset, size;
};
struct head {
	char magic[8];
	uint64_t size, attr_size;
	struct part attrs, data, types;
	uint64_t features[FEATURES / 64];
};

static const uint8_t *base;
static struct head head;
static uint64_t sample_type;
static struct repeat repeat;
static const uint8_t **records;
static size_t nrecords;
static FILE *out;

/* ---- fields ---------------------------------------------------------------------------------- */

static uint64_t get(const uint8_t *record, size_t at, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, record + at, size);
	return v;
}

static void move_pid(uint8_t *record, size_t at)
{
	uint32_t pid = repeat_pid(&repeat, (uint32_t)get(record, at, 4));

	memcpy(record + at, &pid, 4);
}

static void move_time(uint8_t *record, size_t at)
{
	uint64_t time = get(record, at, 8) + repeat.shift;

	memcpy(record + at, &time, 8);
}

static void move_address(uint8_t *record, size_t at)
{
	uint64_t address = repeat_address(&repeat, get(record, at, 8));

	memcpy(record + at, &address, 8);
}

static size_t bytes_of(uint64_t kinds)
{
	return 8 * (size_t)__builtin_popcountll(sample_type & kinds);
}

/* The offset of pid, tid and time: after a sample's first fields, or at the end of other
 * records. */
static size_t ids_at(const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SAMPLE)
		return sizeof(*h) + bytes_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	return h->size - bytes_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
}

static void change(uint8_t *record)
{
	const struct perf_event_header *h = (const void *)record;
	size_t ids = ids_at(h), at;
	uint64_t n;

	move_pid(record, ids);
	move_pid(record, ids + 4);
	move_time(record, ids + 8);
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		move_address(record, ids - 8);
		if (!(sample_type & PERF_SAMPLE_CALLCHAIN))
			break;
		at = ids + 16 +
		     bytes_of(PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
		for (n = get(record, at, 8); n--;)
			move_address(record, at += 8);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		for (at = 8; at < 24; at += 4)
			move_pid(record, at);
		move_time(record, 24);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		move_address(record, 16);
		/* fall through */
	case PERF_RECORD_COMM:
		move_pid(record, 8);
		move_pid(record, 12);
		break;
	}
}

/* ---- the recording --------------------------------------------------------------------------- */

static const struct perf_event_header *head_of(size_t i)
{
	return (const void *)records[i];
}

static bool is_sample(size_t i)
{
	return head_of(i)->type == PERF_RECORD_SAMPLE;
}

/* Records that perf synthesized for the system before it began, and perf's own records, have no
 * time. */
static uint64_t time_of(size_t i)
{
	return head_of(i)->type < 64 ? get(records[i], ids_at(head_of(i)) + 8, 8) : 0;
}

static uint32_t pid_of(size_t i)
{
	return time_of(i) ? (uint32_t)get(records[i], ids_at(head_of(i)), 4) : 0;
}

/* The records of each CPU are contiguous, one round after another. */
static int by_time(const void *pa, const void *pb)
{
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;

	if (time_of(a) != time_of(b))
		return time_of(a) < time_of(b) ? -1 : 1;
	return a < b ? -1 : 1;
}

static void load(void)
{
	const uint8_t *p = base + head.data.offset, *stop = p + head.data.size;
	size_t most = head.data.size / sizeof(struct perf_event_header);
	const uint8_t **sorted = malloc(most * sizeof(*sorted));
	size_t *order = malloc(most * sizeof(*order));
	struct perf_event_header h;

	records = malloc(most * sizeof(*records));
	for (; p < stop && records && sorted && order; p += h.size) {
		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size > stop - p)
			break;
		if (h.type == FINISHED_ROUND)
			continue;
		order[nrecords] = nrecords;
		records[nrecords++] = p;
	}
	if (p < stop) {
		fputs("repeat_perf: not whole, or no memory\n", stderr);
		exit(1);
	}
	qsort(order, nrecords, sizeof(*order), by_time);
	for (size_t i = 0; i < nrecords; i++)
		sorted[i] = records[order[i]];
	free(records);
	free(order);
	records = sorted;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_or_die(const void *p, size_t size)
{
	if (fwrite(p, 1, size, out) == size)
		return;
	perror("repeat_perf: writing");
	exit(1);
}

/* Now and then writes FINISHED_ROUND, as perf's own recorder does: no older record follows. */
static void write_record(size_t i)
{
	static const struct perf_event_header round = { FINISHED_ROUND, 0, sizeof(round) };
	static uint8_t record[65536];
	static size_t written;

	if (!time_of(i) && repeat.copy)
		return;
	memcpy(record, records[i], head_of(i)->size);
	if (time_of(i))
		change(record);
	write_or_die(record, head_of(i)->size);
	if (++written % 4096 == 0)
		write_or_die(&round, sizeof(round));
}

/* Features follow the data: a table of parts, then the parts. */
static void copy_features(size_t size)
{
	uint64_t from = head.data.offset + head.data.size, to = (uint64_t)ftello(out);
	size_t n = 0;

	for (size_t i = 0; i < FEATURES / 64; i++)
		n += (size_t)__builtin_popcountll(head.features[i]);
	for (size_t i = 0; i < n; i++) {
		struct part part;

		memcpy(&part, base + from + i * sizeof(part), sizeof(part));
		part.offset += to - from;
		write_or_die(&part, sizeof(part));
	}
	write_or_die(base + from + n * sizeof(struct part), size - from - n * sizeof(struct part));
}

int main(int argc, char **argv)
{
	struct recording recording = { .is_sample = is_sample,
				       .time = time_of,
				       .pid = pid_of,
				       .write = write_record };
	int fd = argc == 4 ? open(argv[1], O_RDONLY) : -1;
	struct perf_event_attr attr;
	struct head new;
	struct stat st;

	repeat.left = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
	if (!repeat.left || fd < 0 || fstat(fd, &st)) {
		fputs("usage: repeat_perf IN OUT SAMPLES\n", stderr);
		return 2;
	}
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	out = fopen(argv[2], "w");
	if (base == MAP_FAILED || !out) {
		perror("repeat_perf");
		return 1;
	}
	memcpy(&head, base, sizeof(head));
	memcpy(&attr, base + head.attrs.offset, sizeof(attr));
	sample_type = attr.sample_type;
	if (memcmp(head.magic, "PERFILE2", 8) || head.attrs.size != head.attr_size ||
	    ~sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)) {
		fputs("repeat_perf: not a perf.data file of one event with its times\n", stderr);
		return 1;
	}
	load();
	recording.n = nrecords;
	repeat_look(&repeat, &recording);
	write_or_die(base, head.data.offset);
	repeat_run(&repeat, &recording);
	new = head;
	new.data.size = (uint64_t)ftello(out) - head.data.offset;
	copy_features((size_t)st.st_size);
	rewind(out);
	write_or_die(&new, sizeof(new));
	if (fclose(out)) {
		perror("repeat_perf");
		return 1;
	}
	printf("%zu samples, %u copies\n", repeat.samples, repeat.copy + 1);
	return 0;
}
