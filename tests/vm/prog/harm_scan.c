// SPDX-License-Identifier: GPL-3.0-or-later
/* harm's search: what could be read holds nothing that its reader may not see. */
#include <string.h>
#include "harm.h"

/* No register may hold the whole of it, nor of a kernel's address, since workers are traced: all is
 * looked at in halves. */
static const volatile uint32_t canary_high = CANARY >> 32, canary_low = (uint32_t)CANARY;

static bool is_canary(uint32_t low, uint32_t high)
{
	return high == canary_high && low == canary_low;
}

/* s390x's kernel has no addresses of its own. */
static bool kernel_address(uint32_t low, uint32_t high)
{
#ifdef __x86_64__
	if (high >= 0xFFFF8880 && high < 0xFFFFE900)
		return true;
	/* -1 beside any other number is not an address: only where something lies. */
	return high == 0xFFFFFFFF && ((low >= all->kernel[0].first && low <= all->kernel[0].last) ||
				      (low >= all->kernel[1].first && low <= all->kernel[1].last));
#elif defined(__powerpc64__)
	(void)low;
	return high == 0xC0000000 || high >> 16 == 0xC008;
#elif defined(__s390x__)
	(void)high;
	return !low && false;
#else
	/* A user's program (0xaaaa...) less a library of his (0xffff...); the high half of a small
	 * number and the low half of a negative one. */
	if ((high >= 0xFFFFAAAA && high <= 0xFFFFAAAC) || !low)
		return false;
	/* arm64's memory, image, modules, and what vmalloc gives, from the bottom up; pages'
	 * descriptions. What lies between would be -4096 beside any other number. */
	return (high >= 0xFFFF0000 && high < 0xFFFFE000) ||
	       (high >= 0xFFFFFC00 && high < 0xFFFFFE00);
#endif
}

/* The end of one of a clock sync's values and the low half of the next one: any number. */
static bool in_sync(const unsigned char *p, size_t at)
{
	const size_t first = sizeof(struct pitrace_rec); /* the CPU, then four times */
	uint32_t word;

	for (size_t back = first; back < first + sizeof(struct pitrace_sync) && back <= at;
	     back += 8) {
		memcpy(&word, p + at - back, 4);
		if (word >> 16 == PITRACE_SYNC &&
		    (word & PITRACE_LEN_MASK) == first + sizeof(struct pitrace_sync))
			return true;
	}
	return false;
}

/* Eight bytes that are not values of eight bytes: within a record's header or half of it (minor and
 * stamp are anything), or the end of one value and the low half of the next: a time, a user's
 * address, or bits that are nearly all set, as of the users' majors. */
static bool straddles(const unsigned char *p, size_t at, size_t bytes)
{
	uint32_t word, high;

	for (size_t back = 0; back < sizeof(struct pitrace_rec) && back <= at; back += 4) {
		uint32_t major, length;

		memcpy(&word, p + at - back, 4);
		major = word >> 16;
		length = word & PITRACE_LEN_MASK;
		if (length >= sizeof(struct pitrace_rec) && major && major < PITRACE_MAJORS &&
		    (length <= PITRACE_MAX_RECORD || major == PITRACE_PAD))
			return true;
	}
	if (in_sync(p, at))
		return true;
	if (at + 12 > bytes)
		return false;
	memcpy(&word, p + at + 4, 4);
	memcpy(&high, p + at + 8, 4);
	return (high >= 0x5000 && high < 0x8000) || (high == 0xFFFFFFFF && word >= 0xFFFF0000);
}

/* Values of eight bytes may be at any multiple of four. */
void scan(const void *from, size_t bytes, bool root)
{
	const volatile uint32_t *word = from;
	const unsigned char *p = from;

	for (size_t at = 0; at + 8 <= bytes; at += 4) {
		uint32_t first = word[at / 4], second = word[at / 4 + 1];
		uint32_t low = LITTLE ? first : second, high = LITTLE ? second : first;
		bool canary;

		if (!high)
			continue;
		canary = is_canary(low, high);
		if (!canary && (!kernel_address(low, high) || straddles(p, at, bytes)))
			continue;
		/* Root may see addresses, and what others write. */
		if (root) {
			__atomic_add_fetch(canary ? &all->canaries : &all->addresses, 1,
					   __ATOMIC_RELAXED);
		} else if (!__atomic_fetch_add(&all->found, 1, __ATOMIC_RELAXED)) {
			all->high = high;
			all->at = at;
			all->low = low;
			for (size_t i = 0; i < sizeof(all->before) && i < at; i++)
				((unsigned char *)all->before)[sizeof(all->before) - 1 - i] =
					p[at - 1 - i];
		}
	}
	__atomic_add_fetch(&all->scanned, bytes, __ATOMIC_RELAXED);
}
