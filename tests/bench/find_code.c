/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * find_code FUNCTIONS: what a look-up of (process, address, time) costs beside bsearch(3) in a
 * sorted array of as many ranges, the same addresses at random in the same order: in turn, again
 * and again, the least of each. Prints both (ns) and the ratio.
 */
#include <a2n.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "xorshift.h"

#define BASE    0x7f0000000000ull
#define LOOKUPS 1000000u
#define ROUNDS  7
#define PID     4242

struct range {
	uint64_t start, end;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_range(const void *key, const void *item)
{
	uint64_t address = *(const uint64_t *)key;
	const struct range *r = item;

	return address < r->start ? -1 : address >= r->end;
}

static uint64_t draw(void)
{
	static uint64_t state = 88172645463325252ull;

	return xorshift(&state);
}

int main(int argc, char **argv)
{
	size_t n = argc == 2 ? strtoull(argv[1], NULL, 10) : 0, wrong = 0;
	struct range *ranges = calloc(n + 1, sizeof(*ranges));
	uint64_t *addresses = calloc(LOOKUPS, sizeof(*addresses));
	double ours = 1e18, theirs = 1e18, begin, took;
	struct a2n_options none = { 0 };
	struct a2n *a = a2n_open(&none);
	struct a2n_answer answer;
	struct a2n_map anon = { .start = BASE, .flags = A2N_MAP_ANON, .path = "//anon" };
	uint64_t at = BASE;
	char name[32];

	if (!n || !ranges || !addresses || !a) {
		fputs("usage: find_code FUNCTIONS\n", stderr);
		return 2;
	}
	anon.length = n * 512;
	if (a2n_process(a, 1, PID, 1) || a2n_add_map(a, 1, PID, &anon))
		return 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t size = 64 * (1 + draw() % 8);

		ranges[i] = (struct range){ at, at + size };
		if (a2n_jit_load(a, 2 + i, PID, at, size, name,
				 (size_t)snprintf(name, sizeof(name), "function%zu", i)))
			return 1;
		at += size;
	}
	for (size_t i = 0; i < LOOKUPS; i++)
		addresses[i] = BASE + draw() % (at - BASE);
	for (int round = 0; round < ROUNDS; round++) {
		begin = now();
		for (size_t i = 0; i < LOOKUPS; i++) {
			const struct range *r = bsearch(&addresses[i], ranges, n, sizeof(*ranges),
							by_range);

			wrong += !r;
		}
		took = now() - begin;
		theirs = took < theirs ? took : theirs;
		begin = now();
		for (size_t i = 0; i < LOOKUPS; i++) {
			a2n_resolve(a, PID, n + 10, addresses[i], false, &answer);
			wrong += answer.range_start > addresses[i] ||
				 addresses[i] - answer.range_start >= answer.range_length;
		}
		took = now() - begin;
		ours = took < ours ? took : ours;
	}
	a2n_close(a);
	if (wrong) {
		fprintf(stderr, "find_code: %zu not found\n", wrong);
		return 1;
	}
	printf("%.0f %.0f %.2f\n", ours / LOOKUPS, theirs / LOOKUPS, ours / theirs);
	return 0;
}
