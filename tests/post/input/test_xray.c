/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XRay logs cut at every byte: the complete part is read, the rest is reported. Calls are counted
 * exactly. */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"
#include "record/call_record.h"
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
	struct input in = { .reader = &reader_xray };
	struct pirecord r;
	char path[64];
	bool opened;

	*got = (struct got){ 0 };
	CU_ASSERT_EQUAL_FATAL(write(fd, data, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	opened = in.reader->probe(data, size) && !in.reader->open(&in, &fault);
	if (opened) {
		CU_ASSERT_FALSE(in.reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE));
		while (in.reader->next(&in, &r) > 0) {
			if (r.ring == PITRACE_RING_MTE)
				continue;
			CU_ASSERT_FATAL(got->n < MOST);
			got->record[got->n].stamp = r.stamp;
			got->record[got->n].major = r.major;
			got->record[got->n++].minor = r.minor;
		}
		got->faults = in.reader->faults(&in, &faults);
		if (got->faults)
			CU_ASSERT(faults[0].what[0] && faults[0].offset <= size);
		in.reader->close(&in);
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

/* ---- logs made here: header fields and limits ------------------------------------------------ */

static uint8_t made[300000];
static size_t nmade;

static void put(const void *data, size_t size)
{
	CU_ASSERT_FATAL(nmade + size <= sizeof(made));
	memcpy(made + nmade, data, size);
	nmade += size;
}

static void put64(uint64_t value)
{
	value = htole64(value);
	put(&value, sizeof(value));
}

static void header(unsigned int version, unsigned int type, uint64_t frequency, uint64_t buffer)
{
	const uint8_t head[8] = { (uint8_t)version, 0, (uint8_t)type };

	nmade = 0;
	put(head, 8);
	put64(frequency);
	put64(buffer);
	put64(0);
}

/* Appends a record of a basic log. */
static void basic(unsigned int type, unsigned int kind, uint32_t function, uint64_t stamp,
		  uint32_t tid)
{
	const uint8_t head[4] = { (uint8_t)type, 0, 3, (uint8_t)kind };
	const uint32_t who[2] = { htole32(tid), htole32(77) };
	const uint32_t f = htole32(function), t = htole32(tid), none = 0;

	put(head, 4);
	put(&f, 4);
	if (type == 1) { /* an argument: its thread, then the value */
		put(&t, 4);
		put(&none, 4);
		put64(stamp);
		put64(0);
		return;
	}
	put64(stamp);
	put(who, 8);
	put64(0);
}

/* Appends metadata of an FDR log: 16 bytes, followed by the data of the first one. */
static void metadata(unsigned int kind, const void *data, size_t size)
{
	uint8_t record[16] = { (uint8_t)(kind << 1 | 1) };

	memcpy(record + 1, data, size);
	put(record, 16);
}

static void metadata64(unsigned int kind, uint64_t value)
{
	value = htole64(value);
	metadata(kind, &value, 8);
}

static void function(unsigned int kind, uint32_t number, uint32_t delta)
{
	const uint32_t words[2] = { htole32(number << 4 | kind << 1), htole32(delta) };

	put(words, 8);
}

/* The first message and its offset; the calls that were read. */
struct read {
	bool opened;
	size_t faults;
	struct pifile_fault first;
	uint32_t n, arguments, kinds[MOST];
	uint64_t stamp[MOST], time[MOST], argument[CALL_ARGUMENTS];
};

static struct read reading(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct input in = { .reader = &reader_xray };
	const struct pifile_fault *faults;
	struct read got = { 0 };
	struct pirecord r;
	char path[64];

	CU_ASSERT_EQUAL_FATAL(write(fd, made, nmade), (ssize_t)nmade);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	got.opened = in.reader->probe(made, nmade) && !in.reader->open(&in, &got.first);
	if (got.opened) {
		CU_ASSERT_FALSE(in.reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE));
		while (in.reader->next(&in, &r) > 0) {
			if (r.ring == PITRACE_RING_MTE || r.major != CALL_RECORD)
				continue;
			CU_ASSERT_FATAL(got.n < MOST);
			got.arguments = ((const struct call_record *)r.data)->arguments;
			CU_ASSERT_EQUAL(r.size, sizeof(struct call_record) + 8 * got.arguments);
			memcpy(got.argument, (const struct call_record *)r.data + 1,
			       8 * got.arguments);
			got.kinds[got.n] = r.minor;
			got.time[got.n] = in.reader->monotonic(&in, r.stamp);
			got.stamp[got.n++] = r.stamp;
		}
		got.faults = in.reader->faults(&in, &faults);
		if (got.faults)
			got.first = faults[0];
		in.reader->close(&in);
	}
	close(fd);
	return got;
}

static bool tells(const struct read *got, uint64_t offset, const char *what)
{
	if (got->first.offset == offset && strstr(got->first.what, what))
		return true;
	printf("# told at %llu: %s\n", (unsigned long long)got->first.offset, got->first.what);
	return false;
}

static void header_fields(void)
{
	struct read got;

	for (unsigned int version = 1; version <= 5; version++) {
		header(version, 0, 2000000000, 0);
		basic(0, CALL_ENTRY, 1, 5000, 9);
		got = reading();
		CU_ASSERT(got.opened && got.n == 1);
		CU_ASSERT_EQUAL(got.faults, version > 3);
		if (version > 3)
			CU_ASSERT(tells(&got, 0, "is not known: read as version 3"));
	}
	for (unsigned int version = 2; version <= 6; version++) {
		header(version, 1, 2000000000, 0);
		metadata64(7, 40);
		metadata64(0, 9);
		metadata64(2, 100 << 16); /* on CPU 0, from 100 on */
		function(CALL_ENTRY, 1, 5);
		got = reading();
		CU_ASSERT(got.opened && got.n == 1 && got.stamp[0] == 105);
		CU_ASSERT_EQUAL(got.faults, version > 5);
		if (version > 5)
			CU_ASSERT(tells(&got, 0, "version 6 is not known: read as version 5"));
	}
	header(3, 2, 1, 0);
	got = reading();
	CU_ASSERT(!got.opened && tells(&got, 2, "type 2, which is neither"));
	header(3, 0, 1, 0);
	nmade = 31;
	got = reading();
	CU_ASSERT(!got.opened && tells(&got, 31, "ends within the header"));
	nmade = 32;
	CU_ASSERT(reading().opened);
	/* A clock of two, of one, of none: ns, the first record's time is the beginning. */
	header(3, 0, 2000000000, 0);
	basic(0, CALL_ENTRY, 1, 1000, 9);
	basic(0, CALL_EXIT, 1, 5001, 9);
	got = reading();
	CU_ASSERT(got.n == 2 && !got.faults);
	CU_ASSERT_EQUAL(got.time[1] - got.time[0], 2000);
	header(3, 0, 0, 0);
	basic(0, CALL_ENTRY, 1, 1000, 9);
	basic(0, CALL_EXIT, 1, 5001, 9);
	got = reading();
	CU_ASSERT(got.n == 2 && tells(&got, 8, "no clock frequency"));
	CU_ASSERT_EQUAL(got.time[1] - got.time[0], 4001);
}

static void basic_limits(void)
{
	struct read got;

	header(3, 0, 1000000000, 0);
	for (unsigned int kind = 0; kind < CALL_KINDS; kind++)
		basic(0, kind, 1, 100 + kind, 9);
	got = reading();
	CU_ASSERT(got.n == CALL_KINDS && !got.faults);
	for (unsigned int kind = 0; kind < CALL_KINDS; kind++)
		CU_ASSERT_EQUAL(got.kinds[kind], kind);
	basic(0, CALL_KINDS, 1, 200, 9);
	got = reading();
	CU_ASSERT(got.n == CALL_KINDS &&
		  tells(&got, 32 + 32 * CALL_KINDS, "kind 4, which is not known"));
	header(3, 0, 1000000000, 0);
	basic(2, 0, 1, 100, 9);
	basic(1, 0, 1, 100, 9);
	got = reading();
	CU_ASSERT(got.n == 0 && got.faults == 2 && tells(&got, 32, "type 2, which is not known"));
	/* As many arguments as are kept, then one more; those of another function or thread do not
	 * count. */
	for (unsigned int n = CALL_ARGUMENTS; n <= CALL_ARGUMENTS + 1; n++) {
		header(3, 0, 1000000000, 0);
		basic(0, CALL_ENTRY_ARGUMENTS, 1, 100, 9);
		for (unsigned int i = 0; i < n; i++)
			basic(1, 0, 1, 500 + i, 9);
		got = reading();
		CU_ASSERT(got.n == 1 && got.arguments == CALL_ARGUMENTS);
		CU_ASSERT_EQUAL(got.argument[0], 500);
		CU_ASSERT_EQUAL(got.argument[CALL_ARGUMENTS - 1], 499 + CALL_ARGUMENTS);
		CU_ASSERT_EQUAL(got.faults, n > CALL_ARGUMENTS);
		if (got.faults)
			CU_ASSERT(tells(&got, 32, "9 arguments: the first 8 are kept"));
	}
	header(3, 0, 1000000000, 0);
	basic(0, CALL_ENTRY_ARGUMENTS, 1, 100, 9);
	basic(1, 0, 2, 500, 9);
	basic(1, 0, 1, 500, 8);
	got = reading();
	CU_ASSERT(got.n == 1 && got.arguments == 0 && got.faults == 2);
	CU_ASSERT(tells(&got, 64, "an argument without its function's entry"));
	/* A time that goes back starts a new base; a truncated record is reported. */
	header(3, 0, 1000000000, 0);
	basic(0, CALL_ENTRY, 1, 300, 9);
	basic(0, CALL_ENTRY, 2, 100, 8);
	basic(0, CALL_EXIT, 2, 100, 8);
	basic(0, CALL_EXIT, 1, 400, 9);
	nmade -= 1;
	got = reading();
	CU_ASSERT(got.n == 3 && got.stamp[0] == 100 && got.stamp[1] == 100 && got.stamp[2] == 300);
	CU_ASSERT(got.faults == 1 && tells(&got, 128, "ends within a record"));
}

/* A buffer of FDR's version 5, which begins at byte 48, with a body to be put. */
static void buffer(uint64_t bytes)
{
	header(5, 1, 1000000000, 0);
	metadata64(7, bytes);
	metadata64(0, 9);
	metadata64(2, 100 << 16);
}

static void event(uint32_t size, uint32_t delta)
{
	const uint32_t words[2] = { htole32(size), htole32(delta) };

	metadata(5, words, 8);
	for (uint32_t i = 0; i < size && i < 64; i++)
		put("a", 1);
}

static void fdr_limits(void)
{
	struct read got;

	for (unsigned int n = CALL_ARGUMENTS; n <= CALL_ARGUMENTS + 1; n++) {
		buffer(32 + 8 + 16 * n + 8);
		function(CALL_ENTRY, 1, 5);
		for (unsigned int i = 0; i < n; i++)
			metadata64(6, 500 + i);
		function(CALL_EXIT, 1, 7);
		got = reading();
		CU_ASSERT(got.n == 2 && got.stamp[1] == 112);
		CU_ASSERT_EQUAL(got.kinds[0], CALL_ENTRY_ARGUMENTS);
		CU_ASSERT_EQUAL(got.faults, n > CALL_ARGUMENTS);
		if (got.faults)
			CU_ASSERT(tells(&got, 80, "9 arguments: the first 8 are kept"));
	}
	buffer(32 + 8 * (CALL_KINDS + 1));
	for (unsigned int kind = 0; kind <= CALL_KINDS; kind++)
		function(kind, 3, 1);
	got = reading();
	CU_ASSERT(got.n == CALL_KINDS && got.faults == 1);
	CU_ASSERT(tells(&got, 80 + 8 * CALL_KINDS, "kind 4, which is not known"));
	/* An event as long as what is left of its buffer, and one longer. */
	buffer(32 + 16 + 20 + 8);
	event(20, 4);
	function(CALL_ENTRY, 1, 5);
	got = reading();
	CU_ASSERT(got.n == 1 && !got.faults && got.stamp[0] == 109);
	buffer(32 + 16 + 20);
	event(20, 4);
	CU_ASSERT_EQUAL(reading().faults, 0);
	buffer(32 + 16 + 19);
	event(20, 4);
	nmade--;
	CU_ASSERT_NOT_EQUAL(reading().faults, 0);
	buffer(32 + 16 + 8);
	metadata64(9, 5);
	metadata64(6, 1);
	metadata64(1, 0);
	got = reading();
	CU_ASSERT(got.n == 0 && got.faults >= 2);
}

/* A log that claims version 1: an event's difference is not added to the time, whether the CPU's
 * time precedes it or not. */
static void labelled(void)
{
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		struct read got;

		header(1, 1, 1000000000, 0);
		metadata64(7, 16 + 16 * cpu + 16 + 8);
		metadata64(0, 9);
		if (cpu)
			metadata64(2, 5000000000000 << 16);
		event(8, 4);
		got = reading();
		CU_ASSERT(tells(&got, 0, "read as version 5"));
	}
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct functions functions;

static void say(enum call_kind kind, uint32_t tid, uint32_t function, uint64_t stamp)
{
	struct call_record c = { .pid = 1, .tid = tid, .function = function };
	struct pirecord r = {
		.major = CALL_RECORD,
		.minor = kind,
		.stamp = stamp,
		.time = stamp,
		.data = &c,
		.size = sizeof(c),
		.type = PITRACE_TYPE_STRUCT,
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

/* A log that is longer than what is read at once: each record once, and in order. */
static void long_log(void)
{
	enum { RECORDS = 9000 };
	struct input in = { .reader = &reader_xray };
	struct pifile_fault fault = { 0 };
	const struct pifile_fault *faults;
	int fd = memfd_create("log", MFD_CLOEXEC);
	uint32_t n = 0, wrong = 0;
	struct pirecord r;
	char path[64];

	header(3, 0, 1000000000, 0);
	for (uint32_t i = 0; i < RECORDS; i++)
		basic(0, i & 1 ? CALL_EXIT : CALL_ENTRY, 1 + i / 2 % 7, 1000 + 3 * i, 9);
	CU_ASSERT_EQUAL_FATAL(write(fd, made, nmade), (ssize_t)nmade);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	CU_ASSERT_EQUAL_FATAL(in.reader->open(&in, &fault), 0);
	for (int pass = 0; pass < 2; pass++) {
		CU_ASSERT_EQUAL(in.reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE), 0);
		for (n = 0; in.reader->next(&in, &r) > 0;) {
			if (r.ring == PITRACE_RING_MTE)
				continue;
			wrong += r.stamp != 1000 + 3 * n ||
				 r.minor != (n & 1 ? CALL_EXIT : CALL_ENTRY);
			n++;
		}
		CU_ASSERT_EQUAL(n, RECORDS);
		CU_ASSERT_EQUAL(wrong, 0);
	}
	CU_ASSERT_EQUAL(in.reader->faults(&in, &faults), 0);
	in.reader->close(&in);
	close(fd);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cut_everywhere", cut_everywhere },
		{ "header_fields", header_fields },
		{ "basic_limits", basic_limits },
		{ "fdr_limits", fdr_limits },
		{ "labelled", labelled },
		{ "two_threads", two_threads },
		{ "missing_records", missing_records },
		{ "percentiles", percentiles },
		{ "long_log", long_log },
		{ NULL, NULL },
	};

	return unit_run("xray", tests);
}
