/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No memory, at each allocation in turn: of the writer, the reader, the merge. Nothing crashes,
 * what fails says so, and nothing wrong is delivered. (Linked with --wrap=malloc and friends.)
 */
#include <fcntl.h>
#include "image.h"

static long allow = -1; /* allocations left; < 0: all */
static bool once;       /* deny one, then grant all */
static unsigned long denied;

static bool grant(void)
{
	if (!allow) {
		denied++;
		allow = once ? -1 : 0;
		errno = ENOMEM;
		return false;
	}
	if (allow > 0)
		allow--;
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	return grant() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return grant() ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	return grant() ? __real_realloc(p, size) : NULL;
}

static struct image made;
static uint64_t made_records;

static void make(void)
{
	struct gen_options o = gen_defaults;
	struct gen_result result;
	char path[] = "/tmp/pitrace-test-XXXXXX";
	char old[64];
	int fd = mkstemp(path);

	o.samples = 3000;
	o.segment_bytes = 16384;
	o.level = 1;
	o.bulk = 50;
	o.lost = 100;
	CU_ASSERT_EQUAL(gen_trace(path, &o, &result), 0);
	close(fd);
	made.fd = open(path, O_RDONLY);
	image_look(&made);
	made_records = result.records;
	unlink(path);
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
}

/* Open, merge, read all: the records, or -1 when that was refused. */
static long read_all(size_t *faults)
{
	struct pifile_fault fault = { .what = "" };
	struct pifile *f = file_open_memory(made.data, made.size, 0, &fault);
	struct pimerge *m;
	struct pirecord r;
	long n = 0;

	*faults = 0;
	if (!f) {
		CU_ASSERT(fault.what[0]);
		CU_ASSERT_EQUAL(errno, ENOMEM);
		return -1;
	}
	m = pimerge_open(f, PIMERGE_MTE | PIMERGE_TRACE);
	if (!m) {
		CU_ASSERT_EQUAL(errno, ENOMEM);
		pifile_close(f);
		return -1;
	}
	while (pimerge_next(m, &r))
		n++;
	pimerge_close(m);
	*faults = pifile_verify(f);
	pifile_close(f);
	return n;
}

static void reader_and_merge(void)
{
	size_t faults;
	long n, refused = 0, partial = 0;

	make();
	CU_ASSERT_EQUAL(read_all(&faults), (long)made_records);
	CU_ASSERT_EQUAL(faults, 0);
	for (long k = 0;; k++) {
		unsigned long before = denied;

		allow = k;
		n = read_all(&faults);
		allow = -1;
		if (denied == before)
			break;
		if (n < 0) {
			refused++;
			continue;
		}
		partial++;
		CU_ASSERT(faults > 0);
		CU_ASSERT(n <= (long)made_records);
	}
	CU_ASSERT_EQUAL(n, (long)made_records);
	CU_ASSERT_EQUAL(faults, 0);
	printf("# reader: %ld times refused, %ld times read in part\n", refused, partial);
	CU_ASSERT(refused > 5 && partial > 2);
	image_free(&made);
}

/* One allocation of the merge fails, all others are granted: a section is missing, and said so. */
static void merge_one_failure(void)
{
	unsigned int less = 0;

	make();
	once = true;
	for (long k = 0; k < 12; k++) {
		struct pifile *f = image_open(&made);
		struct pimerge *m = pimerge_open(f, PIMERGE_MTE | PIMERGE_TRACE);
		struct pirecord r;
		uint64_t n = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		allow = k;
		while (pimerge_next(m, &r))
			n++;
		allow = -1;
		CU_ASSERT_EQUAL(n<made_records, pifile_faults(f, NULL)> 0);
		if (n < made_records) {
			less++;
			ASSERT_FAULT(f, 0, "no memory");
		}
		pimerge_close(m);
		pifile_close(f);
	}
	printf("# merge: %u times a section was missing\n", less);
	CU_ASSERT(less > 2);
	once = false;
	image_free(&made);
}

static int write_some(int fd)
{
	struct pifile_header h = image_header(PITRACE_CLOCK_MONOTONIC, 1000000000);
	int own = dup(fd);
	struct pifile_writer *w = pifile_create_fd(own, &h);
	struct pitrace_rec rec = { 12, 0xD0, 1, 5 };
	static uint8_t segment[16384];
	struct pitrace_segment s = { .magic = PITRACE_SEGMENT_MAGIC, .size = sizeof(s), .ring = 1 };
	static char text[4096];
	int err;

	if (!w) {
		CU_ASSERT_EQUAL(errno, ENOMEM);
		close(own);
		return -ENOMEM;
	}
	memcpy(segment, &s, sizeof(s));
	for (size_t at = sizeof(s); at + 12 <= 16384; at += 12)
		memcpy(segment + at, &rec, 12);
	memset(segment + 16380, 0, 4);
	memcpy(segment + 16380, (uint16_t[]){ 4, PITRACE_PAD }, 4);
	pifile_set_compression(w, 1);
	err = pifile_write_section(w, PIFILE_SEC_SYSTEM, text, sizeof(text));
	if (!err)
		err = pifile_write_segment(w, segment, sizeof(segment), 1);
	if (!err)
		err = pifile_write_snapshot(w, &rec, sizeof(rec), 5);
	if (err) {
		CU_ASSERT_EQUAL(err, -ENOMEM);
		pifile_abandon(w);
		return err;
	}
	return pifile_finish(w);
}

/* Without memory it writes larger files, or less, never wrong ones. */
static void writer(void)
{
	unsigned int good = 0, bad = 0;

	once = true;
	for (long k = 0;; k++) {
		struct image i = { .fd = memfd_create("image", MFD_CLOEXEC) };
		unsigned long before = denied;
		struct pifile *f;
		int err;

		allow = k;
		err = write_some(i.fd);
		allow = -1;
		image_look(&i);
		if (!err) {
			good++;
			f = image_open(&i);
			CU_ASSERT_EQUAL(pifile_verify(f), 0);
			CU_ASSERT(pifile_complete(f));
			pifile_close(f);
		} else {
			bad++;
		}
		image_free(&i);
		if (denied == before)
			break;
	}
	printf("# writer: %u times refused, %u times written\n", bad, good);
	CU_ASSERT(bad >= 2 && good >= 3);
	once = false;
}

static const struct unit_test tests[] = {
	{ "reader_and_merge", reader_and_merge },
	{ "merge_one_failure", merge_one_failure },
	{ "writer", writer },
	{ 0 },
};

int main(void)
{
	return unit_run("file_alloc", tests);
}
