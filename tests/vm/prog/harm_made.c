// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The arguments of harm's calls: random numbers, invalid members, and a lack of descriptors.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "harm.h"

/* Numbers are in registers and on the stack, which are traced, and must never look like half of a
 * kernel address beside a -1: they have 31 bits (Park and Miller's generator). */
#define PRIME 0x7FFFFFFFu
static uint32_t state;

void seed(uint64_t from)
{
	state = (uint32_t)(from * 7919 % (PRIME - 1)) + 1;
}

static uint32_t rnd31(void)
{
	state = (uint32_t)((uint64_t)state * 48271 % PRIME);
	return state;
}

uint64_t rnd(void)
{
	uint64_t high = rnd31() & 0xFF;

	return high << 32 | rnd31();
}

bool chance(unsigned int percent)
{
	return rnd() % 100 < percent;
}

uint64_t odd(void)
{
	static const uint64_t values[] = {
		0,          1,           2,          7,          8,     63,           64,
		255,        256,         4095,       4096,       65536, 0x7FFFFFFF,   0x80000000,
		0xFFFFFFFF, 0x100000000, 1ull << 62, 1ull << 63, ~0ull, ~0ull - 4095,
	};

	return chance(70) ? values[rnd() % (sizeof(values) / sizeof(*values))] : rnd();
}

/* Changes four or eight bytes. */
void spoil(void *args, size_t size)
{
	int n = 1 + (int)(rnd() % 2);

	while (n--) {
		uint64_t value = odd();
		size_t width = size < 8 || chance(50) ? 4 : 8, at = rnd() % (size / width) * width;

		memcpy((char *)args + at, &value, width);
	}
}

void *nowhere(const void *args, size_t size)
{
	static unsigned char *edge;
	long page = sysconf(_SC_PAGESIZE);

	if (!edge) {
		edge = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(edge + page, (size_t)page);
	}
	switch (rnd() % 4) {
	case 0:
		return NULL;
	case 1:
		return (void *)0xFFFFFFFFFF601000; /* the kernel's half */
	case 2:
		return edge + page;
	}
	memcpy(edge + (size_t)page - size / 2, args, size / 2);
	return edge + (size_t)page - size / 2;
}

rlim_t descriptors(rlim_t most)
{
	struct rlimit r;
	rlim_t old;

	getrlimit(RLIMIT_NOFILE, &r);
	old = r.rlim_cur;
	r.rlim_cur = most;
	setrlimit(RLIMIT_NOFILE, &r);
	return old;
}
