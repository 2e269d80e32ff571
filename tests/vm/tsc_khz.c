/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the rate of the TSC in kHz, measured for 50 ms; nothing on other machines. A guest would
 * measure it by an emulated timer, which a busy host delays: its clock then runs many times too
 * fast.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>

#define LENGTH_NS 50000000ull
#define TRIES     16

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A point of both clocks: of some tries the one that took the shortest. */
static void both(uint64_t *ns, uint64_t *cycles)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), at = now_ns(), took = __rdtsc() - before;

		if (took < least) {
			least = took;
			*ns = at;
			*cycles = before + took / 2;
		}
	}
}

int main(void)
{
	uint64_t ns0, ns1, cycles0, cycles1, until;

	both(&ns0, &cycles0);
	until = ns0 + LENGTH_NS;
	while (now_ns() < until)
		;
	both(&ns1, &cycles1);
	printf("%.0f\n", (double)(cycles1 - cycles0) * 1e6 / (double)(ns1 - ns0));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
