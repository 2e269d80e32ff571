/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damage to a trace file: cut anywhere, bytes changed anywhere, in thousands of copies. Everything
 * outside the damaged sections must be read as from the intact file; a damaged section is read
 * completely (its padding was hit) or not at all; a fault must have an offset. usage: [cuts [flips
 * [seed]]]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "file/trace_file.h"
#include "gen_trace.h"
#include "xorshift.h"

/* The records that a section of the intact file delivers. */
struct part {
	uint64_t offset, end;
	uint64_t records;
	uint32_t hash;
	uint16_t type;
};

static uint8_t *data;
static size_t size;
static struct part *parts;
static size_t nparts;
static uint64_t random_state;

static struct {
	unsigned long copies, refused, sections_lost, faults;
	uint64_t records;
} count;

static uint64_t draw(uint64_t below)
{
	return xorshift(&random_state) % below;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct part *part_at(struct part *list, uint64_t offset)
{
	size_t low = 0, high = nparts;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &list[low];
}

/* Merge all of f, sums by section into list. NULL, or what is wrong. */
static const char *sum_up(struct pifile *f, struct part *list)
{
	struct pimerge *m = pimerge_open(f, PIMERGE_MTE | PIMERGE_TRACE);
	const char *wrong = NULL;
	struct pirecord r;
	uint64_t time = 0;

	if (!m)
		die("pimerge_open");
	while (!wrong && pimerge_next(m, &r)) {
		struct part *p = part_at(list, r.offset);
		struct {
			uint64_t stamp;
			uint32_t cpu, ring, minor;
			uint16_t major, type;
		} key = { r.stamp, r.cpu, r.ring, r.minor, r.major, r.type };

		if (p->offset != r.offset)
			wrong = "a record of a section that is not in the intact file";
		if (!r.snapshot && r.time < time)
			wrong = "time fell";
		if (!r.snapshot)
			time = r.time;
		p->hash = crc32c(crc32c(p->hash, &key, sizeof(key)), r.data, r.size);
		p->records++;
		count.records++;
	}
	pimerge_close(m);
	return wrong;
}

static void make(int level)
{
	struct gen_options o = gen_defaults;
	struct gen_result result;
	char path[] = "/tmp/pitrace-damage-XXXXXX", old[64];
	const char *wrong;
	struct pifile *f;
	int fd = mkstemp(path), err;

	o.samples = 3000;
	o.segment_bytes = 16384;
	o.churn = 100;
	o.lost = 300;
	o.level = level;
	o.bulk = 200;
	err = gen_trace(path, &o, &result);
	close(fd);
	fd = open(path, O_RDONLY);
	if (err || fd < 0)
		die(path);
	unlink(path);
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);

	/* In memory of just its size: the sanitizer sees a read behind it. */
	size = (size_t)lseek(fd, 0, SEEK_END);
	data = malloc(size);
	if (!data || pread(fd, data, size, 0) != (ssize_t)size)
		die("read");
	close(fd);

	f = file_open_memory(data, size, 0, NULL);
	if (!f)
		die("file_open_memory");
	nparts = pifile_sections(f);
	parts = calloc(nparts, sizeof(*parts));
	for (size_t i = 0; i < nparts; i++) {
		parts[i].offset = pifile_section_offset(f, i);
		parts[i].end = i + 1 < nparts ? pifile_section_offset(f, i + 1) : size;
		parts[i].type = pifile_section(f, i)->type;
	}
	count.records = 0;
	wrong = sum_up(f, parts);
	if (wrong || pifile_verify(f) || !pifile_complete(f) || count.records != result.records) {
		printf("# the intact file: %s\n", wrong ? wrong : "faults");
		exit(1);
	}
	pifile_close(f);
	printf("# file: %zu bytes, %zu sections, %" PRIu64 " records, zstd level %d\n", size,
	       nparts, result.records, level);
	memset(&count, 0, sizeof(count));
}

/* ---- one copy -------------------------------------------------------------------------------- */

/* Returns whether a changed byte is in [from, to). */
static bool hit(const size_t *at, size_t n, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] >= from && at[i] < to)
			return true;
	return false;
}

static bool told(const struct pifile *f, uint64_t from, uint64_t to)
{
	const struct pifile_fault *list;
	size_t n = pifile_faults(f, &list);

	for (size_t i = 0; i < n && i < FILE_FAULTS; i++)
		if (list[i].offset >= from && list[i].offset < to)
			return true;
	return false;
}

/* Something is said of section i, or of the damaged ones right before it: bytes in which no header
 * is found are one fault. */
static bool told_of(const struct pifile *f, size_t i, const size_t *at, size_t n)
{
	size_t first = i;

	while (first && hit(at, n, parts[first - 1].offset, parts[first - 1].end))
		first--;
	return told(f, parts[first].offset, parts[i].end);
}

/* Read the copy: NULL, or what is wrong. Bytes at[0 … n-1] were changed; it has `length` bytes. */
static const char *judge(size_t length, const size_t *at, size_t n)
{
	static struct part *got;
	struct pifile_fault fault = { .what = "" };
	struct pifile *f = file_open_memory(data, length, 0, &fault);
	const char *wrong;

	count.copies++;
	if (!f) {
		count.refused++;
		if (!fault.what[0] || fault.offset > 256)
			return "refused without words";
		return length < 256 || hit(at, n, 0, 256) ? NULL : "refused, with a whole header";
	}
	got = realloc(got, nparts * sizeof(*got));
	memcpy(got, parts, nparts * sizeof(*got));
	for (size_t i = 0; i < nparts; i++)
		got[i].records = got[i].hash = 0;
	wrong = sum_up(f, got);
	pifile_verify(f);
	count.faults += pifile_faults(f, NULL);
	if (!wrong && !pifile_faults(f, NULL))
		wrong = "no fault";
	if (!wrong && hit(at, n, 0, 256) && !told(f, 0, 256))
		wrong = "nothing said of the header";
	for (size_t i = 0; i < nparts && !wrong; i++) {
		bool same = got[i].records == parts[i].records && got[i].hash == parts[i].hash;

		if (parts[i].end > length) {
			if (got[i].records)
				wrong = "records of a section that was cut";
			if (parts[i].offset <= length && !told(f, parts[i].offset, length + 1))
				wrong = "nothing said at the cut";
		} else if (!hit(at, n, parts[i].offset, parts[i].end)) {
			if (!same)
				wrong = "an undamaged section came out differently";
		} else {
			if (!same && got[i].records)
				wrong = "a damaged section was delivered";
			if (!told_of(f, i, at, n))
				wrong = "nothing said of a damaged section";
			count.sections_lost += !same;
		}
		if (wrong)
			printf("# section %zu, type %d, at %" PRIu64 " to %" PRIu64 "\n", i,
			       parts[i].type, parts[i].offset, parts[i].end);
	}
	pifile_close(f);
	return wrong;
}

/* ---- the tests ------------------------------------------------------------------------------- */

static int verdict(const char *name, const char *wrong)
{
	printf("# %lu copies: %lu refused, %lu faults, %lu sections lost, %" PRIu64
	       " records delivered\n",
	       count.copies, count.refused, count.faults, count.sections_lost, count.records);
	if (wrong)
		printf("not ok damage_%s %s\n", name, wrong);
	else
		printf("ok damage_%s\n", name);
	fflush(stdout);
	memset(&count, 0, sizeof(count));
	return wrong != NULL;
}

static const char *cuts(unsigned long n)
{
	const char *wrong = NULL;

	for (unsigned long i = 0; i < n && !wrong; i++) {
		size_t length = draw(size);

		/* every tenth at a section's end or next to it */
		if (i % 10 == 0)
			length = parts[draw(nparts)].offset + draw(3) - 1;
		wrong = judge(length, NULL, 0);
		if (wrong)
			printf("# cut to %zu\n", length);
	}
	return wrong;
}

enum way { BIT, BYTE, HEADERS, SEVERAL, RUN };
#define MOST 16

/* Choose the bytes and what to change in each. */
static size_t choose(enum way way, size_t *at, uint8_t *change)
{
	size_t n = way == SEVERAL || way == RUN ? 2 + draw(MOST - 1) : 1, k;

	at[0] = draw(size);
	if (way == HEADERS) {
		k = draw(nparts + 1);
		at[0] = k == nparts ? draw(256) :
				      parts[k].offset + draw(sizeof(struct pifile_section));
	}
	for (size_t i = 0; i < n; i++) {
		if (i)
			at[i] = way == RUN ? (at[0] + i) % size : draw(size);
		change[i] = way == BIT ? (uint8_t)(1u << draw(8)) : (uint8_t)(1 + draw(255));
	}
	return n;
}

static const char *flips(unsigned long n, enum way way)
{
	const char *wrong = NULL;
	uint8_t change[MOST + 1];
	size_t at[MOST + 1];

	for (unsigned long i = 0; i < n && !wrong; i++) {
		size_t k = choose(way, at, change), changed = k;

		/* The same byte twice would be no damage. */
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < a; b++)
				if (at[a] == at[b])
					changed = a < changed ? a : changed;
		for (size_t a = 0; a < changed; a++)
			data[at[a]] ^= change[a];
		wrong = judge(size, at, changed);
		for (size_t a = 0; a < changed; a++)
			data[at[a]] ^= change[a];
		if (wrong)
			printf("# copy %lu: %zu bytes, the first at %zu\n", i, changed, at[0]);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *const forms[] = { "plain", "zstd" };
	unsigned long ncuts = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long nflips = argc > 2 ? strtoul(argv[2], NULL, 0) : 10000;
	char name[64];
	int failed = 0;

	random_state = argc > 3 ? strtoull(argv[3], NULL, 0) : 20240229;
	for (int level = 0; level < 2; level++) {
		static const char *const ways[] = { "bits", "bytes", "headers", "several", "runs" };

		make(level);
		snprintf(name, sizeof(name), "cuts_%s", forms[level]);
		failed |= verdict(name, cuts(ncuts / 2));
		for (int way = BIT; way <= RUN; way++) {
			snprintf(name, sizeof(name), "%s_%s", ways[way], forms[level]);
			failed |= verdict(name, flips(nflips / 10, (enum way)way));
		}
		free(data);
		free(parts);
	}
	return failed;
}
