/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XRay logs cut at every byte: what is whole is read, the rest told. Calls are counted exactly. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/format.h"
#include "model/functions.h"
#include "unit.h"

#define MOST 64

struct got {
	uint64_t n;
	bool faults;
	struct {
		uint64_t stamp;
		uint32_t minor;
		uint16_t major;
	} record[MOST];
};

static bool read_log(const void *data, size_t size, struct got *got)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct pifile_fault fault = { 0 };
	const struct pifile_fault *faults;
	struct input in = { .format = &format_xray };
	struct pirecord r;
	char path[64];
	bool opened;

	*got = (struct got){ 0 };
	CU_ASSERT_EQUAL_FATAL(write(fd, data, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	opened = in.format->probe(data, size) && !in.format->open(&in, &fault);
	if (opened) {
		CU_ASSERT_FALSE(in.format->begin(&in, PIMERGE_MTE | PIMERGE_TRACE));
		while (in.format->next(&in, &r) > 0) {
			if (r.ring == PITRACE_RING_MTE)
				continue;
			CU_ASSERT_FATAL(got->n < MOST);
			got->record[got->n].stamp = r.stamp;
			got->record[got->n].major = r.major;
			got->record[got->n++].minor = r.minor;
		}
		got->faults = in.format->faults(&in, &faults);
		if (got->faults)
			CU_ASSERT(faults[0].what[0] && faults[0].offset <= size);
		in.format->close(&in);
	}
	close(fd);
	return opened;
}

/* `even`: a log that is cut after so many bytes of a record's size shows nothing of it. */
static void cut(const char *name, uint64_t records, size_t even)
{
	static uint8_t file[4096];
	struct got whole, part = { 0 };
	char path[256];
	size_t size, n;
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/xray/%s.xray", name);
	f = fopen(path, "r");
	CU_ASSERT_FATAL(f != NULL);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	CU_ASSERT(read_log(file, size, &whole));
	CU_ASSERT_EQUAL(whole.n, records);
	CU_ASSERT_FALSE(whole.faults);
	for (n = 0; n < size; n++) {
		CU_ASSERT_EQUAL(read_log(file, n, &part), n >= 32);
		CU_ASSERT(part.n <= whole.n);
		/* An entry whose arguments are cut off is one without. */
		if (part.n && part.record[part.n - 1].minor != whole.record[part.n - 1].minor)
			part.n--;
		CU_ASSERT(!memcmp(part.record, whole.record, part.n * sizeof(part.record[0])));
		if (n > 32 && (!even || n % even))
			CU_ASSERT(part.faults);
	}
	/* All but what the last bytes belong to. */
	CU_ASSERT(part.n + 1 >= whole.n);
}

static void cut_everywhere(void)
{
	cut("fdr-log-version-1", 13, 0);
	cut("fdr-log-arg1", 2, 0);
	cut("edge/51_v2", 2, 0);
	cut("edge/49_v4_custom", 3, 0);
	cut("edge/52_v5_typed_ok", 3, 0);
	cut("edge/43_two_callargs", 2, 0);
	cut("basic-log-version-3", 8, 32);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct functions functions;

static void say(enum call_kind kind, uint32_t tid, uint32_t function, uint64_t stamp)
{
	struct call_record c = { .pid = 1, .tid = tid, .function = function };
	struct pirecord r = {
		.major = CALL_RECORD, .minor = kind, .stamp = stamp, .time = stamp, .data = &c,
		.size = sizeof(c), .type = PITRACE_TYPE_STRUCT,
	};

	CU_ASSERT_FALSE(functions_record(&functions, &r));
}

static struct function *function_of(uint32_t number)
{
	for (uint32_t i = 0; i < functions.nfunction; i++)
		if (functions.function[i].number == number)
			return &functions.function[i];
	CU_FAIL_FATAL("no such function");
	return NULL;
}

static void two_threads(void)
{
	struct function *f;

	say(CALL_ENTRY, 1, 10, 100);
	say(CALL_ENTRY, 2, 10, 105);
	say(CALL_ENTRY, 1, 20, 110);
	say(CALL_EXIT, 1, 20, 140);
	say(CALL_ENTRY_ARGUMENTS, 1, 20, 150);
	say(CALL_TAIL_EXIT, 1, 20, 155);
	say(CALL_EXIT, 1, 10, 200);
	say(CALL_EXIT, 2, 10, 305);
	f = function_of(10);
	CU_ASSERT_EQUAL(f->calls, 2);
	CU_ASSERT_EQUAL(f->total, 100 + 200);
	CU_ASSERT_EQUAL(f->self, 100 - 35 + 200);
	CU_ASSERT_EQUAL(f->min, 100);
	CU_ASSERT_EQUAL(f->max, 200);
	f = function_of(20);
	CU_ASSERT_EQUAL(f->calls, 2);
	CU_ASSERT_EQUAL(f->total, 35);
	CU_ASSERT_EQUAL(f->self, 35);
	CU_ASSERT_EQUAL(functions.flow.unleft + functions.flow.unentered, 0);
	CU_ASSERT_EQUAL(callflow_open(&functions.flow), 0);
	functions_free(&functions);
}

/* An exit of 1 leaves 2 and 3 too; one of 9 means nothing; 4 is not left. */
static void missing_records(void)
{
	say(CALL_ENTRY, 1, 1, 10);
	say(CALL_ENTRY, 1, 2, 20);
	say(CALL_ENTRY, 1, 3, 30);
	say(CALL_EXIT, 1, 9, 35);
	say(CALL_EXIT, 1, 1, 40);
	say(CALL_ENTRY, 1, 4, 50);
	CU_ASSERT_EQUAL(function_of(1)->calls, 1);
	CU_ASSERT_EQUAL(function_of(1)->total, 30);
	CU_ASSERT_EQUAL(function_of(1)->self, 10);
	CU_ASSERT_EQUAL(function_of(1)->ended, 1);
	CU_ASSERT_EQUAL(function_of(2)->calls, 1);
	CU_ASSERT_EQUAL(function_of(2)->ended, 0);
	CU_ASSERT_EQUAL(function_of(3)->self, 10);
	CU_ASSERT_EQUAL(functions.flow.unleft, 2);
	CU_ASSERT_EQUAL(functions.flow.unentered, 1);
	CU_ASSERT_EQUAL(callflow_open(&functions.flow), 1);
	functions_free(&functions);
}

/* Times of 0 to 999, and some that need more than 32 bits. */
static void percentiles(void)
{
	uint64_t stamp = 1;
	struct function *f;
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		say(CALL_ENTRY, 1, 7, stamp);
		say(CALL_EXIT, 1, 7, stamp + i * 7919 % 1000);
		stamp += 2000;
	}
	f = function_of(7);
	CU_ASSERT_EQUAL(function_percentile(f, 0.5), 500);
	CU_ASSERT_EQUAL(function_percentile(f, 0.9), 900);
	CU_ASSERT_EQUAL(function_percentile(f, 0.99), 990);
	for (i = 0; i < 1000; i++) {
		say(CALL_ENTRY, 1, 7, stamp);
		stamp += 5000000000ull + i;
		say(CALL_EXIT, 1, 7, stamp);
	}
	f = function_of(7);
	CU_ASSERT_EQUAL(function_percentile(f, 0.25), 500);
	CU_ASSERT_EQUAL(function_percentile(f, 0.5), 5000000000ull);
	CU_ASSERT_EQUAL(function_percentile(f, 0.75), 5000000500ull);
	CU_ASSERT_EQUAL(f->max, 5000000999ull);
	CU_ASSERT_EQUAL(f->total, 499500 + 5000000000000ull + 499500);
	functions_free(&functions);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cut_everywhere", cut_everywhere },
		{ "two_threads", two_threads },
		{ "missing_records", missing_records },
		{ "percentiles", percentiles },
		{ NULL, NULL },
	};

	return unit_run("xray", tests);
}
