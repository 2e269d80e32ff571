/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a perf.data: each field of an attr where the kernel has it, where records keep
 * their time and id, which event a record is of; events that make no sense are refused and noted.
 */
#include <sys/mman.h>

#include "input/perf/perf_attr.h"
#include "input/perf/perf_bytes.h"
#include "perf_image.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct input in;
static struct perf p;

static void begin(bool swap)
{
	in = (struct input){ 0 };
	strcpy(in.header.machine, "x86_64");
	p = (struct perf){ .in = &in, .swap = swap };
}

static void end(void)
{
	perf_attrs_free(&p);
	free(p.fault);
	p = (struct perf){ 0 };
}

static bool faulty(const char *words)
{
	bool is = p.nfaults == 1 && strstr(p.fault[0].what, words);

	if (!is)
		printf("# %zu faults, %s; not: %s\n", p.nfaults, p.nfaults ? p.fault[0].what : "",
		       words);
	p.nfaults = 0;
	return is;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool big(void)
{
	return p.swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* The kernel's bit-field number `bit` of those that begin at this byte. */
static void set_bit(uint8_t *at, unsigned int bit)
{
	at[bit / 8] |= (uint8_t)(big() ? 0x80 >> bit % 8 : 1 << bit % 8);
}

/* Each byte is its own number. */
static void numbered(uint8_t *attr, size_t size)
{
	for (size_t i = 0; i < size; i++)
		attr[i] = (uint8_t)(i + 1);
	memset(attr + 40, 0, 8);
	memset(attr + 116, 0, 4);
}

static uint64_t expect(unsigned int at, unsigned int size)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < size; i++)
		n |= (uint64_t)(at + i + 1) << 8 * (big() ? size - 1 - i : i);
	return n;
}

static void fields(void)
{
	for (unsigned int swap = 0; swap < 2; swap++) {
		struct perf_attr a;
		uint8_t attr[144];

		begin(swap);
		numbered(attr, sizeof(attr));
		perf_attr_read(&p, attr, sizeof(attr), &a);
		CU_ASSERT_EQUAL(a.type, expect(0, 4));
		CU_ASSERT_EQUAL(a.size, expect(4, 4));
		CU_ASSERT_EQUAL(a.config, expect(8, 8));
		CU_ASSERT_EQUAL(a.period, expect(16, 8));
		CU_ASSERT_EQUAL(a.shape.period, expect(16, 8));
		CU_ASSERT_EQUAL(a.shape.sample_type, expect(24, 8));
		CU_ASSERT_EQUAL(a.shape.read_format, expect(32, 8));
		CU_ASSERT_EQUAL(a.flags, 0);
		CU_ASSERT_EQUAL(a.wakeup, expect(48, 4));
		CU_ASSERT_EQUAL(a.bp_type, expect(52, 4));
		CU_ASSERT_EQUAL(a.config1, expect(56, 8));
		CU_ASSERT_EQUAL(a.config2, expect(64, 8));
		CU_ASSERT_EQUAL(a.branch, expect(72, 8));
		CU_ASSERT_EQUAL(a.shape.branch_type, expect(72, 8));
		CU_ASSERT_EQUAL(a.shape.regs_user, expect(80, 8));
		CU_ASSERT_EQUAL(a.stack_user, expect(88, 4));
		CU_ASSERT_EQUAL((uint32_t)a.clock, expect(92, 4));
		CU_ASSERT_EQUAL(a.shape.regs_intr, expect(96, 8));
		CU_ASSERT_EQUAL(a.aux_watermark, expect(104, 4));
		CU_ASSERT_EQUAL(a.max_stack, expect(108, 2));
		CU_ASSERT_EQUAL(a.aux_sample, expect(112, 4));
		CU_ASSERT_EQUAL(a.aux_action, 0);
		CU_ASSERT_EQUAL(a.sig_data, expect(120, 8));
		CU_ASSERT_EQUAL(a.shape.swap, swap);
		end();
	}
}

/* Fields that an older kernel's attr lacks are 0, even if other bytes follow it. */
static void short_ones(void)
{
	struct perf_attr a;
	uint8_t attr[144];

	begin(false);
	numbered(attr, sizeof(attr));
	perf_attr_read(&p, attr, 64, &a);
	CU_ASSERT(a.config1 && !a.config2 && !a.branch && !a.shape.regs_user && !a.stack_user &&
		  !a.clock && !a.max_stack && !a.sig_data);
	perf_attr_read(&p, attr, 120, &a);
	CU_ASSERT(a.config2 && a.aux_sample && !a.sig_data);
	end();
}

static void flags(void)
{
	for (unsigned int swap = 0; swap < 2; swap++) {
		begin(swap);
		for (unsigned int bit = 0; bit < 64; bit++) {
			uint8_t attr[128] = { [16] = 7, [23] = 7 };
			struct perf_attr a;

			set_bit(attr + 40, bit);
			perf_attr_read(&p, attr, sizeof(attr), &a);
			CU_ASSERT_EQUAL(a.flags, 1ull << bit);
			CU_ASSERT_EQUAL(a.freq, bit == 10);
			CU_ASSERT_EQUAL(a.shape.period, bit == 10 ? 0 : a.period);
			CU_ASSERT_EQUAL(a.shape.id_all, bit == 18);
			CU_ASSERT_EQUAL(a.use_clock, bit == 25);
			CU_ASSERT_EQUAL(a.shape.build_id, bit == 34);
			CU_ASSERT_EQUAL(a.aux_action, 0);
			if (bit >= 32)
				continue;
			memset(attr + 40, 0, 8);
			set_bit(attr + 116, bit);
			perf_attr_read(&p, attr, sizeof(attr), &a);
			CU_ASSERT_EQUAL(a.aux_action, 1u << bit);
			CU_ASSERT_EQUAL(a.flags, 0);
		}
		end();
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The fields of a sample in their order, and those of another record's end. */
static const uint64_t in_sample[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};
static const uint64_t at_end[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER,
};

static uint32_t in_a_sample(uint64_t type, uint64_t of)
{
	uint32_t at = 8;

	for (size_t i = 0; i < COUNT(in_sample) && type & of; i++) {
		if (in_sample[i] == of)
			return at;
		at += type & in_sample[i] ? 8 : 0;
	}
	return 0;
}

static uint32_t from_the_end(uint64_t type, uint64_t of)
{
	uint32_t back = 0;

	for (size_t i = COUNT(at_end); i-- > 0 && type & of;) {
		back += type & at_end[i] ? 8 : 0;
		if (at_end[i] == of)
			return back;
	}
	return 0;
}

static void check_places(uint64_t type, bool id_all)
{
	uint64_t id = type & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	uint8_t attr[128] = { 0 };
	struct perf_attr a;

	memcpy(attr + 24, &type, 8);
	if (id_all)
		set_bit(attr + 40, 18);
	perf_attr_read(&p, attr, sizeof(attr), &a);
	CU_ASSERT_EQUAL(a.time_at, in_a_sample(type, PERF_SAMPLE_TIME));
	CU_ASSERT_EQUAL(a.id_at, in_a_sample(type, id));
	CU_ASSERT_EQUAL(a.time_back, id_all ? from_the_end(type, PERF_SAMPLE_TIME) : 0);
	CU_ASSERT_EQUAL(a.id_back, id_all ? from_the_end(type, id) : 0);
	CU_ASSERT_EQUAL(a.plain.size, 8u + 8u * (uint32_t)__builtin_popcountll(type));
	CU_ASSERT_EQUAL(a.plain.ip, in_a_sample(type, PERF_SAMPLE_IP));
	CU_ASSERT_EQUAL(a.plain.tid, in_a_sample(type, PERF_SAMPLE_TID));
	CU_ASSERT_EQUAL(a.plain.cpu, in_a_sample(type, PERF_SAMPLE_CPU));
	CU_ASSERT_EQUAL(a.plain.period, in_a_sample(type, PERF_SAMPLE_PERIOD));
	type |= PERF_SAMPLE_RAW;
	memcpy(attr + 24, &type, 8);
	perf_attr_read(&p, attr, sizeof(attr), &a);
	CU_ASSERT(!a.plain.size && !a.plain.ip);
	CU_ASSERT_EQUAL(a.time_at, in_a_sample(type, PERF_SAMPLE_TIME));
}

/* Every combination of fields, in the order of perf_event_open(2). */
static void places(void)
{
	begin(false);
	for (unsigned int set = 0; set < 1u << COUNT(in_sample); set++) {
		uint64_t type = 0;

		for (size_t i = 0; i < COUNT(in_sample); i++)
			type |= set >> i & 1 ? in_sample[i] : 0;
		check_places(type, false);
		check_places(type, true);
	}
	end();
}

/* ---- which event a record is of -------------------------------------------------------------- */

static struct perf_image record;

/* As a pipe announces an event: its attr, then its ids. */
static int add(uint64_t type, bool id_all, const uint64_t *ids, unsigned int n)
{
	struct perf_raw raw = { .type = 64, .offset = 4000 };
	uint8_t *attr;
	uint32_t size = 64;

	free(record.data);
	record = (struct perf_image){ 0 };
	image_u64(&record, 0);
	for (unsigned int i = 0; i < 8; i++)
		image_u64(&record, 0);
	attr = record.data + 8;
	memcpy(attr + 4, &size, 4);
	memcpy(attr + 24, &type, 8);
	if (id_all)
		set_bit(attr + 40, 18);
	for (unsigned int i = 0; i < n; i++)
		image_u64(&record, ids[i]);
	raw.data = record.data;
	raw.size = (uint32_t)record.n;
	return perf_attr_record(&p, &raw);
}

static void of_record(void)
{
	static const uint64_t first[] = { 10, 11 }, second[] = { 20, 11 };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	uint64_t words[6] = { 0, 1, 20, 10, 11, 99 };
	const uint8_t *at = (const uint8_t *)words;

	begin(false);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 48, true), UINT32_MAX);
	CU_ASSERT_EQUAL(add(type, true, first, 2), 0);
	/* The only one has all. */
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 48, true), 0);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 8, false), 0);
	CU_ASSERT_EQUAL(add(type, true, second, 2), 0);
	CU_ASSERT_EQUAL(p.nattrs, 2);
	CU_ASSERT_EQUAL(p.attr[1].at, 4008);
	CU_ASSERT_EQUAL(p.attr[1].nids, 2);
	CU_ASSERT_EQUAL(perf_attrs_hash(&p), 0);
	CU_ASSERT_EQUAL(perf_attr_by_id(&p, 10), 0);
	CU_ASSERT_EQUAL(perf_attr_by_id(&p, 20), 1);
	CU_ASSERT_EQUAL(perf_attr_by_id(&p, 11), 1); /* the last one that has it */
	CU_ASSERT_EQUAL(perf_attr_by_id(&p, 12), UINT32_MAX);
	CU_ASSERT_EQUAL(perf_id_find(&p, 20)->attr, 1);
	CU_ASSERT_PTR_NULL(perf_id_find(&p, 12));
	/* A sample has its id at 16; a record that ends there has none: the first event's. */
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 24, true), 1);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 23, true), 0);
	/* Another record has it 16 bytes before its end. */
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 32, false), 1);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 40, false), 0);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 24, false), 0);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at + 8, 24, false), 1);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at + 8, 23, false), 0);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at + 16, 8, false), 0);
	/* An unknown id: a sample has no event, a record that perf synthesized has the first
	 * one. */
	words[2] = 77;
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 24, true), UINT32_MAX);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 32, false), 0);
	CU_ASSERT_EQUAL(p.nfaults, 0);
	end();

	/* No ids in samples, none in the others. */
	begin(false);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, true, first, 1), 0);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, true, second, 1), 0);
	CU_ASSERT_EQUAL(perf_attrs_hash(&p), 0);
	words[2] = 20;
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 48, true), 0);
	CU_ASSERT_EQUAL(perf_attr_of(&p, at, 48, false), 0);
	end();
}

/* An event's record is as long as its attr at the least, an attr no shorter than perf's first. */
static void records(void)
{
	static const struct {
		uint32_t told, size;
		bool good;
	} cases[] = {
		{ 64, 72, true },   { 0, 72, true },     { 63, 72, false },
		{ 65, 72, false },  { 64, 71, false },   { 0, 71, false },
		{ 128, 136, true }, { 129, 136, false }, { UINT32_MAX, 136, false },
	};
	uint8_t data[136] = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perf_raw raw = { .data = data, .size = cases[i].size, .offset = 100 };

		begin(false);
		memcpy(data + 12, &cases[i].told, 4);
		CU_ASSERT_EQUAL(perf_attr_record(&p, &raw), 0);
		CU_ASSERT_EQUAL(p.nattrs, cases[i].good);
		CU_ASSERT_EQUAL(p.nfaults, !cases[i].good);
		if (!cases[i].good)
			CU_ASSERT_EQUAL(p.fault[0].offset, 100);
		end();
	}
}

/* An update names the event of its id, unless it has a name; what updates nothing else is left. */
static void updates(void)
{
	static const uint64_t ids[] = { 5, 6 };
	struct {
		uint64_t head, kind, id;
		char name[16];
	} u = { 0, 2, 6, "cpu/named/" };
	struct perf_raw raw = { .data = (const uint8_t *)&u, .size = sizeof(u) };

	begin(false);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, false, ids, 1), 0);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, false, ids + 1, 1), 0);
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	u.kind = 1;
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	u.kind = 3;
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	u.kind = 2;
	u.id = 99;
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	u.id = 5;
	raw.size = 24; /* no name */
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	CU_ASSERT_EQUAL(p.nupdates, 2);
	raw.size = sizeof(u);
	u.id = 6;
	strcpy(u.name, "second");
	CU_ASSERT_EQUAL(perf_attr_update(&p, &raw), 0);
	CU_ASSERT_EQUAL(perf_attrs_hash(&p), 0);
	CU_ASSERT_PTR_NULL(p.attr[0].name);
	CU_ASSERT_STRING_EQUAL(p.attr[1].name, "cpu/named/");
	end();
}

/* ---- the table of a file --------------------------------------------------------------------- */

static struct perf_file file;

/* n entries of so many bytes at 16, the last 16 of each where its ids are: one, at the start. */
static void table(uint64_t entry, uint64_t n, uint64_t ids_at, uint64_t ids_size)
{
	uint64_t id = 77;
	uint32_t size = (uint32_t)entry - 16;
	int fd = memfd_create("attrs", MFD_CLOEXEC);
	struct perf_image m = { 0 };

	image_u64(&m, id);
	image_u64(&m, id + 1);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t attr[5000] = { 0 };

		memcpy(attr + 4, &size, 4);
		memcpy(attr + entry - 16, &ids_at, 8);
		memcpy(attr + entry - 8, &ids_size, 8);
		image_bytes(&m, attr, entry);
	}
	CU_ASSERT_FATAL(fd >= 0 && write(fd, m.data, m.n) == (ssize_t)m.n);
	file = (struct perf_file){ .fd = fd, .size = m.n };
	p.file = &file;
	p.nfiles = 1;
	p.attrs = (struct perf_section){ 16, n * entry };
	p.attr_size = entry;
	free(m.data);
}

static void table_end(void)
{
	close(file.fd);
	end();
}

static void tables(void)
{
	static const struct {
		uint64_t entry, n, told; /* the size that the header has */
		unsigned int events, faults;
	} cases[] = {
		{ 80, 2, 80, 2, 0 },
		{ 152, 3, 152, 3, 0 },
		{ 4096, 1, 4096, 1, 0 },
		{ 79, 2, 79, 0, 1 },
		{ 4097, 1, 4097, 0, 1 },
		/* No size, or one that does not divide the section: as the first event has it. */
		{ 80, 2, 0, 2, 1 },
		{ 152, 3, 151, 3, 1 },
		{ 4096, 2, 5000, 2, 1 },
		/* … which is none either. */
		{ 79, 2, 5000, 0, 2 },
		{ 4097, 1, 5000, 0, 2 },
		{ 80, 0, 80, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		begin(false);
		table(cases[i].entry, cases[i].n, 0, 8);
		p.attr_size = cases[i].told;
		CU_ASSERT_EQUAL(perf_attrs_read(&p), 0);
		if (p.nattrs != cases[i].events)
			printf("# case %zu: %u events\n", i, p.nattrs);
		CU_ASSERT_EQUAL(p.nattrs, cases[i].events);
		/* The ids of one event are of no other: a file of n ids has n events that have one.
		 */
		for (uint32_t k = 0; k < p.nattrs; k++) {
			CU_ASSERT_EQUAL(p.attr[k].nids, 1);
			CU_ASSERT_EQUAL(p.attr[k].ids[0], 77);
			CU_ASSERT_EQUAL(p.attr[k].size, cases[i].entry - 16);
			CU_ASSERT_EQUAL(p.attr[k].at, 16 + k * cases[i].entry);
		}
		CU_ASSERT_EQUAL(p.nfaults, cases[i].faults);
		CU_ASSERT(!p.nfaults || p.fault[0].offset == 16);
		table_end();
	}
}

/* Ids that are not in the file are noted with their event; all ids together have room in the file.
 */
static void table_ids(void)
{
	begin(false);
	table(80, 2, 0, 16);
	CU_ASSERT_EQUAL(perf_attrs_read(&p), 0);
	CU_ASSERT_EQUAL(p.nattrs, 2);
	CU_ASSERT(p.attr[0].nids == 2 && p.attr[0].ids[1] == 78);
	CU_ASSERT_EQUAL(p.nfaults, 0);
	table_end();

	begin(false);
	table(80, 2, 0, 23); /* whole ids alone */
	CU_ASSERT_EQUAL(perf_attrs_read(&p), 0);
	CU_ASSERT_EQUAL(p.attr[0].nids, 2);
	table_end();

	begin(false);
	table(80, 2, 160, 24); /* beyond the end by a word */
	CU_ASSERT_EQUAL(perf_attrs_read(&p), 0);
	CU_ASSERT_EQUAL(p.nattrs, 2);
	CU_ASSERT_EQUAL(p.attr[0].nids, 0);
	CU_ASSERT_EQUAL(p.nfaults, 2);
	CU_ASSERT(p.fault[0].offset == 16 && p.fault[1].offset == 96);
	p.nfaults = 1;
	CU_ASSERT(faulty("event 0: its ids are not in the file"));
	table_end();

	begin(false);
	table(80, 2, 0, 96); /* those of the second would be more than the file has in all */
	CU_ASSERT_EQUAL(perf_attrs_read(&p), 0);
	CU_ASSERT_EQUAL(p.attr[0].nids, 12);
	CU_ASSERT_EQUAL(p.attr[1].nids, 0);
	CU_ASSERT(faulty("event 1: its ids"));
	table_end();
}

/* ---- finished -------------------------------------------------------------------------------- */

static void stacks(void)
{
	static const struct {
		uint64_t type;
		unsigned int flag; /* 0: none */
		uint32_t want, depth;
	} cases[] = {
		{ PERF_SAMPLE_IP, 0, 0, PERF_CHAIN_MAX },
		{ PERF_SAMPLE_CALLCHAIN, 0, PITRACE_WANT_KERNEL | PITRACE_WANT_USER,
		  PERF_CHAIN_MAX },
		{ PERF_SAMPLE_CALLCHAIN, 21, PITRACE_WANT_USER, PERF_CHAIN_MAX },
		{ PERF_SAMPLE_CALLCHAIN, 22, PITRACE_WANT_KERNEL, PERF_CHAIN_MAX },
		{ PERF_SAMPLE_STACK_USER, 0, 0, PERF_CHAIN_MAX },
		{ PERF_SAMPLE_REGS_USER, 0, 0, PERF_CHAIN_MAX },
		{ PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER, 0, PITRACE_WANT_COPY,
		  PITRACE_STACK_MAX },
		{ PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CALLCHAIN, 22,
		  PITRACE_WANT_COPY | PITRACE_WANT_KERNEL, PITRACE_STACK_MAX },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		begin(false);
		CU_ASSERT_EQUAL(add(cases[i].type, false, NULL, 0), 0);
		p.attr[0].flags |= cases[i].flag ? 1ull << cases[i].flag : 0;
		p.attr[0].max_stack = 33;
		p.attr[0].shape.regs_user = 0xff;
		CU_ASSERT_EQUAL(perf_attrs_finish(&p), 0);
		CU_ASSERT_EQUAL(p.attr[0].stacks.want, cases[i].want);
		CU_ASSERT_EQUAL(p.attr[0].stacks.depth, cases[i].depth);
		CU_ASSERT_EQUAL(p.attr[0].stacks.most, 33);
		CU_ASSERT_EQUAL(p.attr[0].stacks.regs, 0xff);
		CU_ASSERT_EQUAL(p.attr[0].stacks.copy, PERF_COPY_MAX);
		CU_ASSERT_PTR_EQUAL(p.attr[0].stacks.registers, perf_registers_of("x86_64"));
		CU_ASSERT(p.attr[0].name != NULL);
		CU_ASSERT_EQUAL(p.nfaults, 0);
		end();
	}
}

/* Build ids in the records: for events that requested them; if none did, perf wrote them. */
static void build_ids(void)
{
	begin(false);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, false, NULL, 0), 0);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, false, NULL, 0), 0);
	CU_ASSERT_EQUAL(perf_attrs_finish(&p), 0);
	CU_ASSERT(p.attr[0].shape.build_id && p.attr[1].shape.build_id);
	p.attr[0].shape.build_id = false;
	CU_ASSERT_EQUAL(perf_attrs_finish(&p), 0);
	CU_ASSERT(!p.attr[0].shape.build_id && p.attr[1].shape.build_id);
	end();
}

static void unknown(void)
{
	begin(false);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP, false, NULL, 0), 0);
	CU_ASSERT_EQUAL(add(PERF_SAMPLE_IP | 1ull << 62, false, NULL, 0), 0);
	CU_ASSERT_EQUAL(perf_attrs_finish(&p), 0);
	CU_ASSERT(!p.attr[0].unknown && p.attr[1].unknown);
	CU_ASSERT(p.nfaults == 1 && p.fault[0].offset == 4008);
	CU_ASSERT(faulty("0x4000000000000000"));
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "fields", fields },   { "short_ones", short_ones }, { "flags", flags },
		{ "places", places },   { "of_record", of_record },   { "records", records },
		{ "updates", updates }, { "tables", tables },         { "table_ids", table_ids },
		{ "stacks", stacks },   { "build_ids", build_ids },   { "unknown", unknown },
		{ NULL, NULL },
	};
	int rc = unit_run("perf_attr", tests);

	free(record.data);
	return rc;
}
