/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof profiles, built field by field: what is taken for one, which of its values are shown, whose
 * samples they are and where, what is left out; and what damaged ones give.
 */
#include <errno.h>

#include "pprof_got.h"

/* ---- which files are profiles ---------------------------------------------------------------- */

static bool probe(struct message m, bool pack)
{
	struct message gz = pack ? packed(&m) : m;
	bool is = pprof_probe(gz.data, gz.n);

	if (pack)
		free(gz.data);
	return is;
}

static void probes(void)
{
	static const uint8_t shortest[] = { 0x0a, 0x02, 0x08, 0x01 }, no_type[] = { 0x12, 2, 8, 1 };
	static const uint8_t text[600] = { 0 };
	static const struct {
		uint32_t field;
		bool as_number, as_bytes;
	} cases[] = {
		{ 1, false, true },   { 2, false, true },  { 3, false, true },  { 4, false, true },
		{ 5, false, true },   { 6, false, true },  { 7, true, false },  { 8, true, false },
		{ 9, true, false },   { 10, true, false }, { 11, false, true }, { 12, true, false },
		{ 13, false, true },  { 14, true, false }, { 15, true, true },  { 16, true, true },
		{ 17, false, false },
	};

	CU_ASSERT(pprof_probe(shortest, 4));
	CU_ASSERT_FALSE(pprof_probe(shortest, 3));
	CU_ASSERT_FALSE(pprof_probe(shortest, 0));
	CU_ASSERT_FALSE(pprof_probe(no_type, 4));
	/* The fifth field is not looked at. */
	for (size_t at = 2; at <= 5; at++) {
		for (size_t i = 0; i < COUNT(cases); i++) {
			for (unsigned int as_bytes = 0; as_bytes < 2; as_bytes++) {
				struct message m = { 0 };
				bool good = as_bytes ? cases[i].as_bytes : cases[i].as_number;

				for (size_t n = 1; n < at; n++)
					numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
				if (as_bytes)
					bytes(&m, cases[i].field, "ab", 2);
				else
					number(&m, cases[i].field, 3);
				CU_ASSERT_EQUAL(probe(m, false), good || at == 5);
				CU_ASSERT_EQUAL(probe(m, true), good || at == 5);
				free(m.data);
			}
		}
	}
	/* A value's type is short; of a packed profile the first field may be longer than its head.
	 */
	for (size_t n = 60; n < 600; n++) {
		struct message m = { 0 };

		bytes(&m, PROFILE_SAMPLE_TYPE, text, n);
		CU_ASSERT_EQUAL(probe(m, false), n <= 64);
		CU_ASSERT(probe(m, true));
		free(m.data);
	}
	for (size_t n = 2; n < 80; n++) {
		struct message m = { 0 };

		varint(&m, PROFILE_SAMPLE_TYPE << 3 | 2);
		varint(&m, 100);
		put(&m, text, n - 2);
		CU_ASSERT_EQUAL(probe(m, true), n >= 64);
		free(m.data);
	}
}

/* Each byte of gzip's header is checked. */
static void probe_gzip(void)
{
	struct message m = { 0 }, gz;

	numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
	gz = packed(&m);
	for (size_t n = 0; n < 3; n++) {
		CU_ASSERT_FALSE(pprof_probe(gz.data, n));
		gz.data[n]++;
		CU_ASSERT_FALSE(pprof_probe(gz.data, gz.n));
		gz.data[n]--;
	}
	CU_ASSERT(pprof_probe(gz.data, gz.n));
	free(gz.data);
	free(m.data);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Which value is the number of samples, which their counts: by types of these names and units. */
static void values(void)
{
	static const struct {
		const char *types;  /* a letter each, as below */
		unsigned int shown; /* from 1; 0: the profile does not say */
		int ticks, counted;
		bool has_event;
		const char *event;
	} cases[] = {
		/* s: samples/count, c: cpu/nanoseconds, w: wall/nanoseconds, o:
		 * inuse_objects/count, i: inuse_space/bytes, O: alloc_objects/count, S:
		 * alloc_space/bytes, n: contentions/ count, d: delay/nanoseconds, k:
		 * samples_more/count */
		{ "", 0, -1, -1, false, "" },
		{ "sc", 0, 0, 1, false, "cpu" },
		{ "sc", 1, 0, 1, false, "cpu" },
		{ "sc", 2, 0, 1, false, "cpu" },
		{ "cs", 0, 1, 0, false, "cpu" },
		{ "s", 0, 0, -1, false, "" },
		{ "c", 0, 0, 0, false, "cpu" },
		{ "i", 0, 0, 0, true, "inuse_space" },
		{ "cw", 0, 1, 1, false, "wall" },
		{ "OSoi", 0, 2, 3, true, "inuse_space" },
		{ "OSoi", 1, 0, 1, true, "alloc_space" },
		{ "OSoi", 2, 0, 1, true, "alloc_space" },
		{ "OSoi", 3, 2, 3, true, "inuse_space" },
		{ "OSoi", 4, 2, 3, true, "inuse_space" },
		{ "nd", 0, 0, 1, false, "delay" },
		{ "nd", 1, 0, 1, false, "delay" },
		{ "snd", 0, 0, 2, false, "delay" },
		{ "sn", 0, 0, 1, true, "contentions" },
		{ "sn", 1, 0, 1, true, "contentions" },
		{ "ns", 1, 0, 1, true, "samples" },
		{ "oO", 0, 0, 1, true, "alloc_objects" },
		{ "cso", 3, 2, 0, false, "cpu" },
		{ "scw", 1, 0, 2, false, "wall" },
	};
	static const struct {
		char letter;
		uint64_t type, unit;
	} types[] = {
		{ 's', 1, 2 }, { 'c', 3, 4 },  { 'w', 5, 4 },  { 'o', 6, 2 },  { 'i', 7, 8 },
		{ 'O', 9, 2 }, { 'S', 10, 8 }, { 'n', 11, 2 }, { 'd', 12, 4 },
	};
	static const char *const list[] = {
		"",
		"samples",
		"count",
		"cpu",
		"nanoseconds",
		"wall",
		"inuse_objects",
		"inuse_space",
		"bytes",
		"alloc_objects",
		"alloc_space",
		"contentions",
		"delay",
		NULL,
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pprof p = { 0 };
		struct message m = { 0 };

		for (const char *t = cases[i].types; *t; t++) {
			for (size_t k = 0; k < COUNT(types); k++) {
				if (types[k].letter != *t)
					continue;
				numbers(&m, PROFILE_SAMPLE_TYPE, types[k].type, types[k].unit);
				if ((size_t)(t - cases[i].types) + 1 == cases[i].shown)
					number(&m, PROFILE_DEFAULT_TYPE, types[k].type);
			}
		}
		strings(&m, list);
		p.data = m.data;
		p.size = m.n;
		CU_ASSERT_EQUAL(pprof_read_tables(&p), 0);
		pprof_choose_values(&p);
		if (p.ticks != cases[i].ticks || p.counted != cases[i].counted ||
		    p.has_event != cases[i].has_event)
			printf("# case %zu, %s: %d, %d\n", i, cases[i].types, p.ticks, p.counted);
		CU_ASSERT_EQUAL(p.ticks, cases[i].ticks);
		CU_ASSERT_EQUAL(p.counted, cases[i].counted);
		CU_ASSERT_EQUAL(p.has_event, cases[i].has_event);
		CU_ASSERT_STRING_EQUAL(p.event.name, cases[i].event);
		CU_ASSERT_EQUAL(p.faults.count, 0);
		free(p.string);
		free(m.data);
	}
}

/* ---- a whole one ----------------------------------------------------------------------------- */

enum {
	S_NONE,
	S_SAMPLES,
	S_COUNT,
	S_CPU,
	S_NS,
	S_FILE,
	S_LIB,
	S_ID,
	S_MAIN,
	S_WORK,
	S_INNER,
	S_PID,
	S_TID,
	S_COMM,
	S_NAME,
	S_CPU_KEY,
	S_DROP,
	S_KEEP,
	S_41,
	S_PROCESS,
	S_BAD_ID,
};
static const char *const words[] = {
	"",
	"samples",
	"count",
	"cpu",
	"nanoseconds",
	"/usr/bin/prog",
	"/lib/lib.so",
	"0123456789abcdef",
	"main",
	"work(int)",
	"inner",
	"pid",
	"thread_id",
	"thread",
	"runner",
	"cpu",
	"work|inner",
	"inner",
	"41",
	"process",
	"0123456789abcdeg",
	NULL,
};

/* Two modules: the program, whose functions have names, and a library without; four locations. */
static struct message whole(void)
{
	static const uint64_t stack[] = { 1, 2, 3 }, other[] = { 4 }, unknown[] = { 9, 2 };
	struct message m = { 0 }, of = { 0 };

	numbers(&m, PROFILE_SAMPLE_TYPE, S_SAMPLES, S_COUNT);
	numbers(&m, PROFILE_SAMPLE_TYPE, S_CPU, S_NS);
	sample(&m, stack, 3, 3, 10, S_PID, 0, 40);
	sample(&m, other, 1, 1, 5, S_PID, S_41, 0);
	sample(&m, unknown, 2, 2, 8, S_TID, 0, 77);
	sample(&m, other, 1, 1, 5, S_CPU_KEY, 0, 3);
	sample(&m, other, 1, 1, 5, S_COMM, S_NAME, 0);
	sample(&m, other, 1, 0, 5, 0, 0, 0);
	sample(&m, other, 1, UINT64_MAX, 5, 0, 0, 0);
	sample(&m, other, 1, 1, UINT64_MAX, 0, 0, 0);
	numbers(&m, PROFILE_MAPPING, 1, 0x400000, 0x500000, 0x1000, S_FILE, S_ID);
	numbers(&m, PROFILE_MAPPING, 2, 0x7f0000000000, 0x7f0000010000, 0x2000, S_LIB);
	/* main calls work, with inner inlined in it; the leaf is work. */
	number(&of, LOCATION_ID, 1);
	number(&of, LOCATION_MAPPING, 1);
	number(&of, LOCATION_ADDRESS, 0x400100);
	numbers(&of, LOCATION_LINE, 2, 7);
	inner(&m, PROFILE_LOCATION, &of);
	number(&of, LOCATION_ID, 2);
	number(&of, LOCATION_MAPPING, 1);
	numbers(&of, LOCATION_LINE, 3, 8);
	numbers(&of, LOCATION_LINE, 2, 9);
	inner(&m, PROFILE_LOCATION, &of);
	number(&of, LOCATION_ID, 3);
	number(&of, LOCATION_MAPPING, 1);
	numbers(&of, LOCATION_LINE, 1, 8);
	inner(&m, PROFILE_LOCATION, &of);
	numbers(&m, PROFILE_LOCATION, 4, 2, 0x7f0000000123);
	numbers(&m, PROFILE_FUNCTION, 1, S_MAIN);
	numbers(&m, PROFILE_FUNCTION, 2, S_WORK);
	numbers(&m, PROFILE_FUNCTION, 3, S_INNER);
	strings(&m, words);
	number(&m, PROFILE_TIME, 1704067200000000000);
	number(&m, PROFILE_DURATION, 9000);
	number(&m, PROFILE_PERIOD, 10000000);
	return m;
}

#define BASE 0x1000000000 /* of the first module: 64 GB each */

static void check_names(void)
{
	size_t i = nth(PITRACE_MTE, PITRACE_MTE_BUILDID, 0);

	CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_BUILDID), 1);
	CU_ASSERT_EQUAL(got->data[i].id.length, 8);
	CU_ASSERT(!memcmp(got->data[i].id.id, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8));
	CU_ASSERT_EQUAL(got->data[i].id.inode, 1);
	/* Processes 40, 41 and an unknown one; a thread of the last one; three modules each. */
	CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_PROCESS), 3);
	CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_THREAD), 1);
	CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_MODULE), 9);
	i = nth(PITRACE_MTE, PITRACE_MTE_PROCESS, 1);
	CU_ASSERT_EQUAL(got->data[i].task.pid, 41);
	CU_ASSERT_STRING_EQUAL(got->data[i].task.comm, "prog");
	i = nth(PITRACE_MTE, PITRACE_MTE_THREAD, 0);
	CU_ASSERT_EQUAL(got->data[i].task.pid, NOBODY);
	CU_ASSERT_EQUAL(got->data[i].task.tid, 77);
	i = nth(PITRACE_MTE, PITRACE_MTE_MODULE, 0);
	CU_ASSERT_EQUAL(got->data[i].map.pid, 40);
	CU_ASSERT_EQUAL(got->data[i].map.start, BASE);
	CU_ASSERT_EQUAL(got->data[i].map.length, 4096);
	CU_ASSERT_EQUAL(got->data[i].map.offset, 0);
	CU_ASSERT_EQUAL(got->data[i].map.inode, 1);
	CU_ASSERT_EQUAL(got->data[i].map.path_len, strlen("/usr/bin/prog"));
	CU_ASSERT_STRING_EQUAL(got->data[i].map.path, "/usr/bin/prog");
	CU_ASSERT_EQUAL(got->r[i].size, sizeof(struct pitrace_mte_map) + 16);
	i = nth(PITRACE_MTE, PITRACE_MTE_MODULE, 1);
	CU_ASSERT_EQUAL(got->data[i].map.start, 0x7f0000000000);
	CU_ASSERT_EQUAL(got->data[i].map.length, 0x10000);
	CU_ASSERT_EQUAL(got->data[i].map.offset, 0x2000);
	CU_ASSERT_STRING_EQUAL(got->data[i].map.path, "/lib/lib.so");
	i = nth(PITRACE_MTE, PITRACE_MTE_MODULE, 2);
	CU_ASSERT_STRING_EQUAL(got->data[i].map.path, "NoModule");
	CU_ASSERT_EQUAL(got->data[i].map.start, 3 * BASE);
	/* inner has a place of two bytes, work two of them, main one; the last added come first. */
	CU_ASSERT_STRING_EQUAL(got->symbols,
			       "pitrace-msi 1\nMODULE /usr/bin/prog\nSEGMENT 0 0 8\n"
			       "SYMBOL 6 8 0 1 main\nSYMBOL 4 6 0 1 inner\nSYMBOL 0 4 0 1 work(int)\n");
}

static void check_samples(void)
{
	/* Time advances with the ticks, 9 of them in 9000 ns. */
	static const struct {
		uint64_t ticks, time;
		uint32_t period, pid, tid, cpu, depth;
		uint64_t address[4];
	} wanted[] = {
		{ 2, 2000, 3, 40, 40, 0, 4, { BASE, BASE + 5, BASE + 3, BASE + 7 } },
		{ 1, 3000, 4, 40, 40, 0, 4, { BASE, BASE + 5, BASE + 3, BASE + 7 } },
		{ 1, 4000, 5, 41, 41, 0, 1, { 0x7f0000000123 } },
		{ 2, 6000, 4, NOBODY, 77, 0, 2, { BASE + 4, BASE + 3 } },
		{ 1, 7000, 5, NOBODY, NOBODY, 3, 1, { 0x7f0000000123 } },
		{ 1, 8000, 5, NOBODY, NOBODY, 0, 1, { 0x7f0000000123 } },
		{ 1, 9000, 0, NOBODY, NOBODY, 0, 1, { 0x7f0000000123 } },
	};

	CU_ASSERT_EQUAL(count_of(PITRACE_TPROF, SAMPLE), COUNT(wanted));
	CU_ASSERT_EQUAL(got->samples, 9);
	for (size_t i = 0; i < COUNT(wanted); i++) {
		size_t k = nth(PITRACE_TPROF, SAMPLE, (unsigned int)i);
		const struct pprof_stack *s = &got->data[k].stack;

		CU_ASSERT_EQUAL(got->r[k].repeats + 1, wanted[i].ticks);
		CU_ASSERT_EQUAL(got->r[k].time, wanted[i].time);
		CU_ASSERT_EQUAL(got->r[k].cpu, wanted[i].cpu);
		CU_ASSERT_EQUAL(s->sample.period, wanted[i].period);
		CU_ASSERT_EQUAL(s->sample.pid, wanted[i].pid);
		CU_ASSERT_EQUAL(s->sample.tid, wanted[i].tid);
		CU_ASSERT_EQUAL(s->sample.address, wanted[i].address[0]);
		CU_ASSERT_EQUAL(s->stack.user, wanted[i].depth);
		CU_ASSERT_EQUAL(s->stack.flags, 0);
		for (uint32_t d = 0; d < wanted[i].depth; d++)
			if (s->address[d] != wanted[i].address[d])
				printf("# %zu, %u: %lx\n", i, d, (unsigned long)s->address[d]);
		CU_ASSERT(!memcmp(s->address, wanted[i].address, 8ul * wanted[i].depth));
	}
}

static void whole_one(void)
{
	struct message m = whole(), gz = packed(&m);

	for (unsigned int i = 0; i < 2; i++) {
		read_profile(i ? &gz : &m, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT_EQUAL(got->opened, 0);
		CU_ASSERT_EQUAL(got->faults, 3);
		CU_ASSERT(strstr(got->what, "location 9") != NULL);
		CU_ASSERT_EQUAL(got->fault == NO_OFFSET, i == 1);
		CU_ASSERT_EQUAL(strstr(got->what, "of the unpacked data") != NULL, i == 1);
		CU_ASSERT(strstr(got->last, "counts nothing") != NULL);
		CU_ASSERT_EQUAL(got->header.rate, 100);
		CU_ASSERT_EQUAL(got->header.start_realtime, 1704067200000000000);
		check_names();
		CU_ASSERT_EQUAL(count_of(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL), 1);
		CU_ASSERT_EQUAL(count_of(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT), 0);
		check_samples();
		read_profile(i ? &gz : &m, PIMERGE_MTE);
		check_names();
		CU_ASSERT_EQUAL(count_of(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL), 0);
		CU_ASSERT_EQUAL(got->samples, 0);
		read_profile(i ? &gz : &m, PIMERGE_TRACE);
		CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_PROCESS), 0);
		CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_BUILDID), 0);
		check_samples();
	}
	free(m.data);
	free(gz.data);
}

/* Values that are no time are an event, whose period each has. */
static void events(void)
{
	static const char *const list[] = { "", "objects", "count", "space", "bytes", NULL };
	struct message m = { 0 };
	size_t i;

	numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
	numbers(&m, PROFILE_SAMPLE_TYPE, 3, 4);
	sample(&m, NULL, 0, 2, 1u << 31, 0, 0, 0);
	sample(&m, NULL, 0, 1, 1ull << 40, 0, 0, 0);
	strings(&m, list);
	number(&m, PROFILE_PERIOD, 524288);
	number(&m, PROFILE_DURATION, 1ull << 63); /* longer than a time can be */
	read_profile(&m, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT(!got->faults && got->complete);
	CU_ASSERT_EQUAL(got->header.rate, 0);
	i = nth(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, 0);
	CU_ASSERT_EQUAL(got->data[i].event.period, 524288);
	CU_ASSERT_STRING_EQUAL(got->data[i].event.name, "space");
	i = nth(PITRACE_TPROF, SAMPLE | 1u << PITRACE_TPROF_EVENT_SHIFT, 0);
	CU_ASSERT_EQUAL(got->data[i].stack.sample.period, 1u << 30);
	CU_ASSERT_EQUAL(got->data[i].stack.sample.address, 0);
	CU_ASSERT_EQUAL(got->data[i].stack.stack.user, 0);
	CU_ASSERT_EQUAL(got->r[i].time, 0);
	i = nth(PITRACE_TPROF, SAMPLE | 1u << PITRACE_TPROF_EVENT_SHIFT, 1);
	CU_ASSERT_EQUAL(got->data[i].stack.sample.period, UINT32_MAX);
	free(m.data);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void numbered_twice(void)
{
	static const uint32_t fields[] = { PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION };

	for (size_t i = 0; i < COUNT(fields); i++) {
		struct message m = { 0 };
		size_t at;

		head(&m);
		numbers(&m, fields[i], 5);
		at = m.n;
		numbers(&m, fields[i], 5);
		read_profile(&m, PIMERGE_MTE);
		CU_ASSERT(got->faults == 1 && got->fault == at);
		CU_ASSERT(strstr(got->what, "duplicate number") != NULL);
		m.n = at;
		numbers(&m, fields[i], 0);
		read_profile(&m, PIMERGE_MTE);
		CU_ASSERT(got->faults == 1 && got->fault == at);
		CU_ASSERT(strstr(got->what, "without a number") != NULL);
		CU_ASSERT_FALSE(got->complete);
		free(m.data);
	}
}

/* A file of n bytes has 65,536 and n / 8 strings and places: with empty ones it could have more. */
static void too_many_strings(void)
{
	for (size_t n = 87381; n < 87383; n++) {
		struct message m = { 0 };

		for (size_t i = 0; i < n; i++)
			bytes(&m, PROFILE_STRING, "", 0);
		read_profile(&m, PIMERGE_MTE);
		CU_ASSERT_EQUAL(got->faults, n > 87381);
		CU_ASSERT(!got->faults || got->fault == 2 * (n - 1));
		free(m.data);
	}
}

/* A stack is as deep as one of ours can be; the rest is cut, and marked so. */
static void depth(void)
{
	uint64_t *locations = calloc(STACK_ADDRESSES + 1, sizeof(*locations));

	for (size_t i = 0; i <= STACK_ADDRESSES; i++)
		locations[i] = 1;
	for (size_t n = STACK_ADDRESSES - 1; n <= STACK_ADDRESSES + 1; n++) {
		struct message m = { 0 };
		size_t i;

		head(&m);
		sample(&m, locations, n, 1, 1, 0, 0, 0);
		numbers(&m, PROFILE_LOCATION, 1, 0, 0x1234);
		read_profile(&m, PIMERGE_TRACE);
		i = nth(PITRACE_TPROF, SAMPLE | 1u << PITRACE_TPROF_EVENT_SHIFT, 0);
		CU_ASSERT_EQUAL(got->data[i].stack.stack.user,
				n < STACK_ADDRESSES ? n : STACK_ADDRESSES);
		CU_ASSERT_EQUAL(got->data[i].stack.stack.flags,
				n > STACK_ADDRESSES ? PITRACE_STACK_CUT_U : 0);
		CU_ASSERT_EQUAL(got->faults, 0);
		free(m.data);
	}
	free(locations);
}

/* All samples together are no more than can be counted; those before that are kept. */
static void too_many_ticks(void)
{
	struct message m = { 0 };
	size_t at;

	head(&m);
	sample(&m, NULL, 0, INT64_MAX - 2, 1, 0, 0, 0);
	sample(&m, NULL, 0, 2, 1, 0, 0, 0);
	read_profile(&m, PIMERGE_TRACE);
	CU_ASSERT(!got->faults && got->samples == INT64_MAX);
	at = m.n;
	sample(&m, NULL, 0, 1, 1, 0, 0, 0);
	read_profile(&m, PIMERGE_TRACE);
	CU_ASSERT(got->faults == 1 && got->fault == at && got->samples == INT64_MAX);
	CU_ASSERT(strstr(got->what, "more samples than can be counted") != NULL);
	free(m.data);
}

/* Build ids are pairs of hex digits, no more than there is room for. */
static void build_ids(void)
{
	static const struct {
		const char *text;
		uint32_t length;
	} cases[] = {
		{ "ab", 1 },
		{ "abc", 0 },
		{ "a", 0 },
		{ "", 0 },
		{ "0g", 0 + 1 },
		{ "g0", 0 },
		{ "00112233445566778899aabbccddeeff00112233", 20 },
		{ "00112233445566778899aabbccddeeff0011223344", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct message m = { 0 };

		numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
		numbers(&m, PROFILE_MAPPING, 1, 0, 0, 0, 0, 1);
		bytes(&m, PROFILE_STRING, "", 0);
		bytes(&m, PROFILE_STRING, cases[i].text, strlen(cases[i].text));
		read_profile(&m, PIMERGE_MTE);
		CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_BUILDID), cases[i].length != 0);
		if (cases[i].length)
			CU_ASSERT_EQUAL(got->data[nth(PITRACE_MTE, PITRACE_MTE_BUILDID, 0)]
						.id.length,
					cases[i].length);
		free(m.data);
	}
}

/* Characters that end a name, or a line of symbols, are none of it; long ones are cut. */
static void texts(void)
{
	struct bytes s = bytes_of("a\nb\0c", 5);
	char room[8];

	CU_ASSERT_EQUAL(pprof_text(s, room, sizeof(room)), 5);
	CU_ASSERT_STRING_EQUAL(room, "a?b?c");
	CU_ASSERT_EQUAL(pprof_text(s, room, 6), 5);
	CU_ASSERT_EQUAL(pprof_text(s, room, 5), 4);
	CU_ASSERT_STRING_EQUAL(room, "a?b?");
	CU_ASSERT_EQUAL(pprof_text(bytes_of("", 0), room, sizeof(room)), 0);
	CU_ASSERT_STRING_EQUAL(room, "");
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Cut within a field of the message it is noted; packed, anywhere. */
static void cut(void)
{
	struct message m = whole(), gz = packed(&m);
	size_t whole_size = m.n, packed_size = gz.n, fields = 0, unnoted = 0;
	struct bytes b = bytes_of(m.data, m.n);
	struct protobuf_field f;

	while (protobuf_next(&b, &f))
		fields++;
	for (m.n = 0; m.n < whole_size; m.n++) {
		read_profile(&m, PIMERGE_MTE | PIMERGE_TRACE);
		if (!m.n)
			CU_ASSERT(got->opened == -EINVAL && got->fault == NO_OFFSET);
		unnoted += !got->opened && !strstr(got->what, "malformed");
	}
	CU_ASSERT(fields > 40 && unnoted == fields - 1);
	for (gz.n = 0; gz.n < packed_size; gz.n++) {
		read_profile(&gz, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT(got->opened || got->faults);
	}
	gz.n = packed_size - 1;
	read_profile(&gz, PIMERGE_TRACE);
	CU_ASSERT_EQUAL(got->fault, packed_size - 1);
	CU_ASSERT(strstr(got->what, "ends within its compressed data") != NULL);
	CU_ASSERT_EQUAL(got->samples, 9);
	gz.n = packed_size;
	gz.data[packed_size - 8] ^= 1; /* the checksum */
	read_profile(&gz, PIMERGE_TRACE);
	CU_ASSERT(strstr(got->what, "compressed data are damaged") != NULL);
	free(gz.data);
	m.n = whole_size;
	varint(&m, PROFILE_STRING << 3 | 2);
	varint(&m, 5);
	put(&m, "four", 4);
	read_profile(&m, PIMERGE_TRACE);
	CU_ASSERT(strstr(got->what, "malformed") != NULL);
	CU_ASSERT_EQUAL(got->fault, whole_size + 2);
	CU_ASSERT_EQUAL(got->samples, 9);
	free(m.data);
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* How deep the stack of `whole` is without the frames that match. */
static int left_of(const char *drop, const char *keep)
{
	struct message m = whole();
	uint64_t n = COUNT(words) - 1;
	int depth = 0;

	bytes(&m, PROFILE_STRING, drop, strlen(drop));
	bytes(&m, PROFILE_STRING, keep, strlen(keep));
	number(&m, PROFILE_DROP_FRAMES, n);
	number(&m, PROFILE_KEEP_FRAMES, n + 1);
	read_profile(&m, PIMERGE_TRACE);
	if (got->opened || got->faults > 3) /* those of `whole` */
		depth = -1;
	else
		depth = got->data[nth(PITRACE_TPROF, SAMPLE, 0)].stack.stack.user;
	free(m.data);
	return depth;
}

/* work, [inner, work], main: the outermost that matches goes with all that it called. */
static void drops(void)
{
	static const struct {
		const char *drop, *keep;
		int depth;
	} cases[] = {
		{ "", "", 4 },
		{ "nothing", "", 4 },
		{ "work", "", 1 },
		{ "wor", "", 4 },
		{ "ork", "", 4 },
		{ "inner", "", 2 },
		{ "inner|work", "", 1 },
		{ "(?:inner)", "", 2 },
		{ "in.*", "", 2 },
		{ "i\\w+", "", 2 },
		{ ".*", "", 4 }, /* main, too: nothing would be left */
		{ "work", "work", 4 },
		{ "work|inner", "work", 2 },
		{ "work|inner", "inner", 1 },
		/* A pattern that is not understood excludes nothing, and is reported. */
		{ "(", "", -1 },
		{ "(?i)work", "", -1 },
		{ "wo{1,2}rk", "", -1 },
		{ "(w)\\1", "", -1 },
		{ "work", "(", -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int depth = left_of(cases[i].drop, cases[i].keep);

		if (depth != cases[i].depth)
			printf("# drop %s, keep %s: %d\n", cases[i].drop, cases[i].keep, depth);
		CU_ASSERT_EQUAL(depth, cases[i].depth);
		if (depth < 0)
			CU_ASSERT_EQUAL(got->data[nth(PITRACE_TPROF, SAMPLE, 0)].stack.stack.user,
					4);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "probes", probes },
		{ "probe_gzip", probe_gzip },
		{ "values", values },
		{ "whole_one", whole_one },
		{ "events", events },
		{ "numbered_twice", numbered_twice },
		{ "too_many_strings", too_many_strings },
		{ "depth", depth },
		{ "too_many_ticks", too_many_ticks },
		{ "build_ids", build_ids },
		{ "texts", texts },
		{ "cut", cut },
		{ "drops", drops },
		{ NULL, NULL },
	};
	int rc = unit_run("pprof_file", tests);

	free(got);
	return rc;
}
