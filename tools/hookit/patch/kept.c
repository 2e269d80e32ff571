/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for return addresses, in large parts; a table, which only grows, lists them. */
#include "kept.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "raw_call.h"

#define PART   (UINT64_C(64) << 20)
#define PARTS  (1u << 14)
#define WAITED 1000

__thread struct kept_reach kept_reach;

static uintptr_t parts[PARTS]; /* hash table of their addresses; 0: free */

static unsigned int first_of(uintptr_t part)
{
	return (unsigned int)((part / PART * 0x9e3779b97f4a7c15u) >> 50) % PARTS;
}

static bool known(uintptr_t part)
{
	unsigned int i = first_of(part), n;

	for (n = 0; n < PARTS; n++, i = (i + 1) % PARTS) {
		uintptr_t here = __atomic_load_n(&parts[i], __ATOMIC_ACQUIRE);

		if (here == part)
			return true;
		if (!here)
			break;
	}
	return false;
}

static bool remember(uintptr_t part)
{
	unsigned int i = first_of(part), n;

	for (n = 0; n < PARTS; n++, i = (i + 1) % PARTS) {
		uintptr_t none = 0;

		if (__atomic_compare_exchange_n(&parts[i], &none, part, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    none == part)
			return true;
	}
	return false;
}

/* Another thread may have mapped it and not listed it yet. */
static bool other_reports(uintptr_t part)
{
	for (unsigned int i = 0; i < WAITED; i++) {
		if (known(part))
			return true;
		raw_yield();
	}
	return false;
}

bool kept_more(uintptr_t place)
{
	uintptr_t part = place & ~(PART - 1);
	long at;

	if (!known(part)) {
		at = raw_mmap(part, PART, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
		if (at == -EEXIST) {
			if (!other_reports(part))
				return false;
		} else if ((uintptr_t)at != part) {
			/* A kernel before 4.17 takes the address as a hint only. */
			if (at > 0)
				raw_munmap((uintptr_t)at, PART);
			return false;
		} else if (!remember(part)) {
			return false;
		}
	}
	kept_reach.size = 0;
	__asm__ volatile("" : : : "memory");
	kept_reach.start = part;
	__asm__ volatile("" : : : "memory");
	kept_reach.size = PART;
	return true;
}
