// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Parses a perf counter's page, and reads it again if the kernel has changed it meanwhile. The page
 * is simulated; where programs may not read counters, the handler of the resulting signal emulates
 * the instruction.
 */
#include <cycles.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "counters/perf_page.h"
#include "unit.h"

static struct perf_event_mmap_page page;

/* ---- the counter ----------------------------------------------------------------------------- */

#ifdef __x86_64__
static uint64_t counter;
static unsigned int reads, writes; /* of the page, by the kernel, between two of ours */
static unsigned int asked_for;

/* rdpmc: 0f 33. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)r[REG_RIP];

	(void)info;
	if (code[0] != 0x0f || code[1] != 0x33) {
		signal(number, SIG_DFL);
		return;
	}
	asked_for = (unsigned int)r[REG_RCX];
	r[REG_RAX] = (greg_t)(counter & 0xffffffff);
	r[REG_RDX] = (greg_t)(counter >> 32);
	r[REG_RIP] += 2;
	if (reads++ < writes) {
		page.lock++;
		page.index++;
		page.offset += 1000000;
	}
}

static bool count(uint64_t *value)
{
	struct sigaction a = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, before;
	bool known;

	reads = 0;
	sigaction(SIGSEGV, &a, &before);
	known = perf_page_count(&page, value);
	sigaction(SIGSEGV, &before, NULL);
	return known;
}

static void test_count(void)
{
	uint64_t value = 77;

	page = (struct perf_event_mmap_page){
		.lock = 4,
		.index = 3,
		.offset = 5000,
		.cap_user_rdpmc = 1,
		.pmc_width = 48,
	};
	counter = 123;
	CU_ASSERT(count(&value));
	if (!reads) {
		unit_skip(NULL, "programs may read counters here");
		return;
	}
	CU_ASSERT_EQUAL(value, 5123);
	CU_ASSERT_EQUAL(asked_for, 2);
	CU_ASSERT_EQUAL(reads, 1);
	/* So many bits are the counter, the highest is its sign. */
	counter = 0xfffffffffff6;
	CU_ASSERT(count(&value));
	CU_ASSERT_EQUAL(value, 4990);
	page.pmc_width = 40;
	counter = 0x7fffffffff;
	CU_ASSERT(count(&value));
	CU_ASSERT_EQUAL(value, 5000 + 0x7fffffffff);
	page.pmc_width = 64;
	counter = 0x123456789abcdef;
	CU_ASSERT(count(&value));
	CU_ASSERT_EQUAL(value, 5000 + 0x123456789abcdef);
	page.offset = -20;
	counter = 50;
	CU_ASSERT(count(&value));
	CU_ASSERT_EQUAL(value, 30);
}

/* The kernel wrote it while we read: all of it is read again, as often as that happens. */
static void test_written_meanwhile(void)
{
	uint64_t value = 0;

	page = (struct perf_event_mmap_page){
		.lock = 4,
		.index = 3,
		.offset = 5000,
		.cap_user_rdpmc = 1,
		.pmc_width = 48,
	};
	counter = 1;
	for (writes = 0; writes < 4; writes++) {
		unsigned int index = page.index;
		int64_t offset = page.offset;

		CU_ASSERT(count(&value));
		if (!reads) {
			unit_skip(NULL, "programs may read counters here");
			break;
		}
		CU_ASSERT_EQUAL(reads, writes + 1);
		CU_ASSERT_EQUAL(asked_for, index + writes - 1);
		CU_ASSERT_EQUAL(value, (uint64_t)offset + writes * 1000000 + 1);
	}
	writes = 0;
}
#endif

/* No counter, or none for programs: the kernel must be asked, and no counter is touched. */
static void test_not_to_be_read(void)
{
	uint64_t value = 77;

	page = (struct perf_event_mmap_page){ .index = 3, .pmc_width = 48 };
	CU_ASSERT(!perf_page_count(&page, &value));
	page = (struct perf_event_mmap_page){ .cap_user_rdpmc = 1, .pmc_width = 48 };
	CU_ASSERT(!perf_page_count(&page, &value));
	CU_ASSERT_EQUAL(value, 77);
	page = (struct perf_event_mmap_page){ .time_mult = 1, .time_enabled = 5 };
	CU_ASSERT(!perf_page_time(&page, &value));
	CU_ASSERT_EQUAL(value, 77);
}

/* ---- the time -------------------------------------------------------------------------------- */

static uint64_t scaled(uint64_t cycles)
{
	unsigned __int128 ns = (unsigned __int128)cycles * page.time_mult >> page.time_shift;

	return page.time_enabled + page.time_offset + (uint64_t)ns;
}

/* Between the clock's values before and after. */
static void is_time(void)
{
	uint64_t before = ReadCycles(), value = 0, after;

	CU_ASSERT(perf_page_time(&page, &value));
	after = ReadCycles();
	CU_ASSERT(value >= scaled(before) && value <= scaled(after));
}

static void test_time(void)
{
	static const struct {
		uint32_t mult;
		uint16_t shift;
	} scales[] = {
		{ 1, 0 }, { 357913941, 30 }, { 3, 1 }, { 4194304000u, 32 }, { 65535, 16 },
	};

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		page = (struct perf_event_mmap_page){
			.cap_user_time = 1,
			.time_enabled = 12345678901,
			.time_offset = 987654321,
			.time_mult = scales[i].mult,
			.time_shift = scales[i].shift,
		};
		is_time();
		page.time_offset = (uint64_t)-1000;
		is_time();
	}
}

/* A clock of few bits: it went on from what the page says, at most once around. */
static void test_short_clock(void)
{
	uint64_t before, value = 0, after, went;

	page = (struct perf_event_mmap_page){
		.cap_user_time = 1,
		.cap_user_time_short = 1,
		.time_mult = 1,
		.time_mask = 0xffffffffff,
	};
	before = ReadCycles();
	/* Behind the low bits: these begin anew meanwhile. */
	page.time_cycles = (7ull << 40) + ((before - 1000) & page.time_mask);
	CU_ASSERT(perf_page_time(&page, &value));
	after = ReadCycles();
	went = value - page.time_cycles;
	CU_ASSERT(went >= 1000 && went <= 1000 + (after - before));
}

/* ---- the place ------------------------------------------------------------------------------- */

static void test_map(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[] = "/tmp/test_perf_page.XXXXXX";
	struct perf_event_mmap_page told = { .cap_user_rdpmc = 1, .index = 9 };
	uint64_t value;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(at != MAP_FAILED && fd >= 0);
	unlink(path);
	CU_ASSERT_EQUAL(write(fd, &told, sizeof(told)), sizeof(told));
	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)size), 0);
	CU_ASSERT_EQUAL(perf_page_map(at, fd), 0);
	CU_ASSERT_EQUAL(((perf_page)(void *)at)->index, 9);
	perf_page_unmap(at);
	CU_ASSERT_EQUAL(((perf_page)(void *)at)->index, 0);
	CU_ASSERT(!perf_page_count((perf_page)(void *)at, &value));
	/* A page that cannot be mapped reads as one without information. */
	CU_ASSERT_EQUAL(perf_page_map(at, fd), 0);
	close(fd);
	CU_ASSERT_EQUAL(perf_page_map(at, fd), -EBADF);
	CU_ASSERT_EQUAL(((perf_page)(void *)at)->index, 0);
	munmap(at, size);
}

/* rdpmc is an instruction of x86. */
static void count_here(void)
{
#ifdef __x86_64__
	test_count();
#else
	unit_skip(NULL, "not on x86-64");
#endif
}

static void written_here(void)
{
#ifdef __x86_64__
	test_written_meanwhile();
#else
	unit_skip(NULL, "not on x86-64");
#endif
}

int main(void)
{
	static const struct unit_test tests[] = { { "count", count_here },
						  { "written_meanwhile", written_here },
						  { "not_to_be_read", test_not_to_be_read },
						  { "time", test_time },
						  { "short_clock", test_short_clock },
						  { "map", test_map },
						  {} };

	return unit_run("perf_page", tests);
}
