/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory near code: tries addresses at increasing distances, and never replaces a mapping. */
#include "patch_space.h"

#include <errno.h>
#include <sys/mman.h>

#include "patch_machine.h"
#include "raw_call.h"

#define PAGE  UINT64_C(0x10000) /* the largest page of arm64 */
#define TRIED 128

int space_at(uint64_t start, uint64_t size)
{
	long at = raw_mmap(start, size, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);

	if (at < 0 && at > -4096)
		return (int)at;
	if ((uint64_t)at == start)
		return 0;
	/* A kernel before 4.17 takes the address as a hint only. */
	raw_munmap((uintptr_t)at, size);
	return -EEXIST;
}

/* Tries below the program first, because the heap grows above it. */
int space_near(uint64_t low, uint64_t high, uint64_t size, uint64_t *start)
{
	uint64_t room, step, i;
	int rc = -ENOMEM;

	low &= ~(PAGE - 1);
	high = (high + PAGE - 1) & ~(PAGE - 1);
	if (high - low + size >= MACHINE_REACH)
		return -EFBIG;
	room = MACHINE_REACH - (high - low) - size;
	step = room / TRIED & ~(PAGE - 1);
	for (i = 0; i < TRIED; i++) {
		uint64_t away = size + i * step;

		if (low > away + PAGE) {
			*start = (low - away) & ~(PAGE - 1);
			rc = space_at(*start, size);
			if (rc != -EEXIST)
				return rc;
		}
	}
	for (i = 1; i <= TRIED; i++) {
		*start = high + (TRIED - i) * step;
		rc = space_at(*start, size);
		if (rc != -EEXIST)
			return rc;
	}
	return rc == -EEXIST ? -ENOMEM : rc;
}
