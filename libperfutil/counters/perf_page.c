// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the pages of perf counters. */
#include <cycles.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
#include "counters/perf_page.h"
#include "counters/pmu_read.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_page_map(void *at, int fd)
{
	int err;

	if (mmap(at, page_size(), PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
		return 0;
	err = -errno;
	perf_page_unmap(at);
	return err;
}

void perf_page_unmap(void *at)
{
	mmap(at, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* The kernel writes the page on this thread's CPU: compiler barriers suffice. */
#define ordered() __asm__ volatile("" : : : "memory")

bool perf_page_count(perf_page page, uint64_t *count)
{
#if PMU_READS
	uint32_t lock, index, width;
	uint64_t value, raw;

	do {
		lock = page->lock;
		ordered();
		index = page->index;
		if (!page->cap_user_rdpmc || !index)
			return false;
		width = page->pmc_width;
		value = (uint64_t)page->offset;
		raw = pmu_read(index);
		ordered();
	} while (page->lock != lock);
	*count = value + (uint64_t)((int64_t)(raw << (64 - width)) >> (64 - width));
	return true;
#else
	(void)page;
	(void)count;
	return false;
#endif
}

bool perf_page_time(perf_page page, uint64_t *ns)
{
	uint64_t now, enabled, offset, mult, mask;
	uint32_t lock, shift;

	do {
		lock = page->lock;
		ordered();
		if (!page->cap_user_time)
			return false;
		enabled = page->time_enabled;
		offset = page->time_offset;
		mult = page->time_mult;
		shift = page->time_shift;
		now = ReadCycles();
		if (page->cap_user_time_short) {
			mask = page->time_mask;
			now = page->time_cycles + ((now - page->time_cycles) & mask);
		}
		ordered();
	} while (page->lock != lock);
	*ns = enabled + offset + (now >> shift) * mult +
	      (((now & ((1ull << shift) - 1)) * mult) >> shift);
	return true;
}
