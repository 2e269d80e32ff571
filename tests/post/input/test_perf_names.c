/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of events that a perf.data does not have: perf's own, with its modifiers, and tracepoints'.
 */
#include "input/perf/perf_names.h"
#include "perf_image.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define BIT(n) (1ull << (n))

static const char *named(struct perf_attr a, struct blob *formats)
{
	static char name[128];
	struct input in = { 0 };
	struct perf p = { .in = &in, .pipe = true, .attr = &a, .nattrs = 1 };

	if (formats) {
		p.feature_bits[0] = BIT(PERF_TRACING_DATA);
		p.feature_data[PERF_TRACING_DATA] = *formats;
	}
	CU_ASSERT_EQUAL_FATAL(perf_names_rest(&p), 0);
	snprintf(name, sizeof(name), "%s", a.name);
	free(a.name);
	return name;
}

static void names(void)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles" },
		{ PERF_TYPE_HARDWARE, 10, "event 0/0xa" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches" },
		{ PERF_TYPE_SOFTWARE, 99, "event 1/0x63" },
		{ PERF_TYPE_TRACEPOINT, 99, "event 2/0x63" },
		{ PERF_TYPE_HW_CACHE, 0, "L1-dcache-loads" },
		{ PERF_TYPE_HW_CACHE, 0x10000, "L1-dcache-load-misses" },
		{ PERF_TYPE_HW_CACHE, 0x101, "L1-icache-stores" },
		{ PERF_TYPE_HW_CACHE, 0x10202, "LLC-prefetch-misses" },
		{ PERF_TYPE_HW_CACHE, 0x202, "LLC-prefetches" },
		{ PERF_TYPE_HW_CACHE, 0x10103, "dTLB-store-misses" },
		{ PERF_TYPE_HW_CACHE, 4, "iTLB-loads" },
		{ PERF_TYPE_HW_CACHE, 5, "branch-loads" },
		{ PERF_TYPE_HW_CACHE, 6, "node-loads" },
		{ PERF_TYPE_HW_CACHE, 7, "event 3/0x7" },
		{ PERF_TYPE_HW_CACHE, 0x300, "event 3/0x300" },
		{ PERF_TYPE_HW_CACHE, 0x20000, "event 3/0x20000" },
		{ PERF_TYPE_HW_CACHE, BIT(32), "event 3/0x100000000" },
		{ PERF_TYPE_RAW, 0x1c2, "raw 0x1c2" },
		{ 8, 0x1c2, "event 8/0x1c2" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CU_ASSERT_STRING_EQUAL(named((struct perf_attr){ .type = cases[i].type,
								 .config = cases[i].config },
					     NULL),
				       cases[i].name);
}

static void breakpoints(void)
{
	static const char *const kinds[] = { "", "r", "w", "rw", "x", "rx", "wx", "rwx" };
	char want[64];

	for (uint32_t kind = 0; kind < COUNT(kinds); kind++) {
		struct perf_attr a = { .type = PERF_TYPE_BREAKPOINT,
				       .config1 = 0xabc0,
				       .bp_type = kind };

		snprintf(want, sizeof(want), "mem:0xabc0:%s", kinds[kind]);
		CU_ASSERT_STRING_EQUAL(named(a, NULL), want);
	}
}

/* exclude_user, _kernel, _hv: 4 to 6; precise_ip: 15 and 16; exclude_host, _guest: 19 and 20. */
static void modifiers(void)
{
	static const struct {
		uint64_t flags;
		const char *name;
	} cases[] = {
		{ 0, "cycles" },
		{ BIT(3) | BIT(7) | BIT(14) | BIT(17) | BIT(18) | BIT(21), "cycles" },
		{ BIT(4), "cycles:kh" },
		{ BIT(5), "cycles:uh" },
		{ BIT(6), "cycles:ku" },
		{ BIT(5) | BIT(6), "cycles:u" },
		{ BIT(4) | BIT(6), "cycles:k" },
		{ BIT(4) | BIT(5), "cycles:h" },
		{ BIT(4) | BIT(5) | BIT(6), "cycles" },
		{ BIT(15), "cycles:p" },
		{ BIT(16), "cycles:pp" },
		{ BIT(15) | BIT(16), "cycles:ppp" },
		{ BIT(19), "cycles:G" },
		{ BIT(20), "cycles:H" },
		{ BIT(19) | BIT(20), "cycles" },
		{ BIT(5) | BIT(6) | BIT(15) | BIT(20), "cycles:upH" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CU_ASSERT_STRING_EQUAL(named((struct perf_attr){ .flags = cases[i].flags }, NULL),
				       cases[i].name);
}

/* The other way round: what perf sets by modifiers of a name. */
static void modified(void)
{
	const uint64_t user = BIT(4), kernel = BIT(5), hv = BIT(6);
	const struct {
		const char *name;
		uint64_t flags;
	} cases[] = {
		{ "", 0 },
		{ "cycles", 0 },
		{ "cycles:", 0 },
		{ "cycles:u", kernel | hv },
		{ "cycles:k", user | hv },
		{ "cycles:h", user | kernel },
		{ "cycles:uk", hv },
		{ "cycles:kh", user },
		{ "cycles:ukh", 0 },
		{ "cycles:p", BIT(15) },
		{ "cycles:pp", BIT(16) },
		{ "cycles:ppp", BIT(15) | BIT(16) },
		{ "cycles:pppp", 0 },
		{ "cycles:P", BIT(15) | BIT(16) },
		{ "cycles:G", BIT(19) },
		{ "cycles:H", BIT(20) },
		{ "cycles:GH", 0 },
		{ "cycles:upH", kernel | hv | BIT(15) | BIT(20) },
		{ "cycles:uS", kernel | hv },
		{ "cycles:W", 0 },
		{ "cycles:D", BIT(2) },
		{ "cycles:e", BIT(3) },
		{ "cycles:I", BIT(7) },
		{ "sched:sched_switch", 0 },
		{ "mem:0x1000:rw", 0 },
		{ "mem:0x1000:rw:u", kernel | hv },
		{ "cpu/event=0x3c,umask=0x1/", 0 },
		{ "cpu/event=0x3c,umask=0x1/k", user | hv },
		{ "cpu/name=a:u/", 0 },
		{ "cpu/name=a:u/p", BIT(15) },
		{ "cpu/event/:p", BIT(15) },
		{ "per/u", 0 },
		{ "u", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (perf_event_modifiers(cases[i].name) != cases[i].flags)
			printf("# %s\n", cases[i].name);
		CU_ASSERT_EQUAL(perf_event_modifiers(cases[i].name), cases[i].flags);
	}
}

/* ---- tracepoints ----------------------------------------------------------------------------- */

static void part(struct perf_image *m, const char *text)
{
	image_u64(m, strlen(text));
	image_bytes(m, text, strlen(text));
}

/* As trace-cmd writes it: two systems, a format without an id, one whose last line has no end. */
static struct perf_image build_formats(bool swap)
{
	struct perf_image m = { .swap = swap };
	uint8_t big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	image_bytes(&m, "\x17\x08\x44tracing0.6", 13);
	image_bytes(&m, "", 1);
	image_bytes(&m, &big, 1);
	image_bytes(&m, "\x08", 1);
	image_u32(&m, 4096);
	image_bytes(&m, "header_page", 12);
	part(&m, "page");
	image_bytes(&m, "header_event", 13);
	part(&m, "event!");
	image_u32(&m, 2);
	part(&m, "name: kmem\nID: 316\n");
	part(&m, "name: function\nID: 1\n");
	image_u32(&m, 2);
	image_bytes(&m, "sched", 6);
	image_u32(&m, 3);
	part(&m, "name: sched_wakeup\nID: 318\nformat:\n");
	part(&m, "name: unnumbered\nformat:\n");
	part(&m, "ID: 316\nname: sched_switch\n");
	image_bytes(&m, "irq", 4);
	image_u32(&m, 3);
	part(&m, "name: softirq_entry\nID: 12345678901234567890\n");
	part(&m, "name: too_long\nID: 123456789012345678901234\n");
	part(&m, "name: cut\nID: 5");
	return m;
}

static const char *tracepoint(const struct perf_image *m, uint64_t id)
{
	struct blob formats = { .data = m->data, .size = m->n };

	return named((struct perf_attr){ .type = PERF_TYPE_TRACEPOINT, .config = id }, &formats);
}

static void tracepoints(void)
{
	for (unsigned int swap = 0; swap < 2; swap++) {
		struct perf_image m = build_formats(swap);

		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 316), "sched:sched_switch");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 318), "sched:sched_wakeup");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 317), "event 2/0x13d");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 315), "event 2/0x13b");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 319), "event 2/0x13f");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 1), "event 2/0x1");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 5), "event 2/0x5");
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 12345678901234567890u), "irq:softirq_entry");
		m.data[3] = 'T';
		CU_ASSERT_STRING_EQUAL(tracepoint(&m, 316), "event 2/0x13c");
		free(m.data);
	}
}

/* Cut anywhere: only the names before the cut. */
static void cut_formats(void)
{
	struct perf_image m = build_formats(false);
	size_t whole = m.n;
	bool before = false;

	for (m.n = 0; m.n <= whole; m.n++) {
		bool has = !strcmp(tracepoint(&m, 318), "sched:sched_wakeup");

		CU_ASSERT(has || !before);
		CU_ASSERT(has || !strcmp(tracepoint(&m, 318), "event 2/0x13e"));
		before = has;
	}
	CU_ASSERT(before);
	free(m.data);
}

/* An entry of the table of build ids, byte by byte. */
static void build_id_entries(void)
{
	static const struct {
		size_t path, id, size; /* bytes; 0: it does not fit */
	} cases[] = {
		{ 0, 20, 36 + 64 },  { 4, 20, 36 + 64 },   { 63, 16, 36 + 64 },
		{ 64, 8, 36 + 128 }, { 127, 1, 36 + 128 }, { 4095, 20, 36 + 4096 },
		{ 4, 0, 36 + 64 },   { 4, 21, 0 },         { 65471, 20, 36 + 65472 },
		{ 65472, 20, 0 },    { 100000, 20, 0 },
	};
	static uint8_t room[2 * 65536], want[2 * 65536];
	static char path[100001];
	uint8_t id[21];

	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)(0xa0 + i);
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t size = cases[i].size;

		memset(room, 0x55, sizeof(room));
		memset(want, 0x55, sizeof(want));
		memset(path, 'p', cases[i].path);
		path[cases[i].path] = 0;
		if (size) {
			memset(want + 16, 0, size);
			/* Type 0, the mode and that a size comes along, the size, the process. */
			memcpy(want + 16, "\0\0\0\0\x02\x80", 6);
			want[22] = (uint8_t)size;
			want[23] = (uint8_t)(size >> 8);
			memcpy(want + 24, "\xfe\xff\xff\xff", 4);
			memcpy(want + 28, id, cases[i].id);
			want[48] = (uint8_t)cases[i].id;
			memcpy(want + 52, path, cases[i].path);
		}
		CU_ASSERT_EQUAL(perf_build_id_entry(room + 16, 2, -2, id, cases[i].id, path), size);
		CU_ASSERT(!memcmp(room, want, sizeof(room)));
		CU_ASSERT(!size || size == PERF_BUILD_ID_ENTRY(cases[i].path + 1));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "names", names },
		{ "breakpoints", breakpoints },
		{ "modifiers", modifiers },
		{ "modified", modified },
		{ "tracepoints", tracepoints },
		{ "cut_formats", cut_formats },
		{ "build_id_entries", build_id_entries },
		{ NULL, NULL },
	};

	return unit_run("perf_names", tests);
}
