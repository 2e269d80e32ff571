/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Things by thread, in memory and in the file, and the file itself (record/spill.h). */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "export/by_thread.h"
#include "unit.h"
#include "xorshift.h"

struct item {
	uint64_t number; /* of its thread */
	uint64_t thread;
	uint8_t more[8];
};

#define THREADS 300

/* Threads of very different length; 299 has none. Each is read twice, as columns are. */
static void gather(uint32_t most, unsigned int items)
{
	static uint64_t count[THREADS];
	uint64_t seed = 42, seen = 0;
	struct by_thread_reader r;
	struct by_thread b;
	const void *thing;
	int rc = 0, wrong = 0;

	memset(count, 0, sizeof(count));
	by_thread_open(&b, sizeof(struct item));
	if (most)
		b.most = most;
	for (unsigned int i = 0; i < items && !rc; i++) {
		uint64_t x = xorshift(&seed);
		uint32_t thread = x & 1 ? 7 : (uint32_t)(x >> 8) % (THREADS - 1);
		struct item it = { .number = count[thread]++, .thread = thread };

		rc = by_thread_add(&b, thread, &it);
	}
	CU_ASSERT_EQUAL_FATAL(rc, 0);
	CU_ASSERT_EQUAL_FATAL(by_thread_end(&b), 0);
	CU_ASSERT_EQUAL(b.spill.size != 0, items > b.most);
	for (uint32_t column = 0; column < 2; column++) {
		for (uint32_t t = 0; t < THREADS + 5; t++) {
			uint64_t n = 0;

			by_thread_begin(&r, &b, t);
			while ((rc = by_thread_next(&r, &thing)) > 0) {
				const struct item *it = thing;

				wrong += it->number != n++ || it->thread != t;
			}
			CU_ASSERT_EQUAL(rc, 0);
			wrong += n != (t < THREADS ? count[t] : 0);
			wrong += n != by_thread_count(&b, t);
			seen += n;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(seen, 2 * items);
	by_thread_free(&b);
}

static void in_memory(void)
{
	gather(0, 0);
	gather(0, 1);
	gather(0, 5000);
}

/* Pieces of one, of some, and larger than what is read at once. */
static void in_the_file(void)
{
	gather(1, 300);
	gather(7, 5000);
	gather(3000, 100000);
	gather(5000, 5001);
}

static void bytes_of_a_spill(void)
{
	static uint8_t want[200000], got[sizeof(want)];
	struct spill s = { 0 };
	uint64_t seed = 1;
	size_t n, at = 0;

	for (size_t i = 0; i < sizeof(want); i++)
		want[i] = (uint8_t)xorshift(&seed);
	for (; at < sizeof(want); at += n) {
		n = 1 + xorshift(&seed) % 9000;
		if (n > sizeof(want) - at)
			n = sizeof(want) - at;
		CU_ASSERT_EQUAL(spill_add(&s, want + at, n), 0);
	}
	CU_ASSERT_EQUAL(s.size, sizeof(want));
	/* Over bytes of the file, of the buffer, and of both. */
	for (int i = 0; i < 2000; i++) {
		at = xorshift(&seed) % (sizeof(want) - 3000);
		n = xorshift(&seed) % 3000;
		for (size_t k = 0; k < n; k++)
			want[at + k] ^= 0x5a;
		CU_ASSERT_EQUAL(spill_put(&s, at, want + at, n), 0);
	}
	CU_ASSERT_EQUAL(spill_read(&s, 0, got, sizeof(got)), 0);
	CU_ASSERT_EQUAL(memcmp(want, got, sizeof(got)), 0);
	CU_ASSERT_EQUAL(spill_read(&s, 131000, got, 300), 0);
	CU_ASSERT_EQUAL(memcmp(want + 131000, got, 300), 0);
	spill_free(&s);
}

/* A folder that is not there: said, and returned. */
static void no_folder(void)
{
	static const uint8_t some[70000];
	struct spill s = { 0 };

	setenv("TMPDIR", "/nonexistent", 1);
	CU_ASSERT_EQUAL(spill_add(&s, some, sizeof(some)), -ENOENT);
	unsetenv("TMPDIR");
	spill_free(&s);
}

/* A file that may not grow any more, while things are put away. */
static void full(void)
{
	const struct rlimit little = { 100000, RLIM_INFINITY };
	struct rlimit was;
	struct by_thread b;
	int rc = 0;

	getrlimit(RLIMIT_FSIZE, &was);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	by_thread_open(&b, sizeof(struct item));
	b.most = 100;
	for (uint32_t i = 0; i < 100000 && !rc; i++)
		rc = by_thread_add(&b, i % 3, &(struct item){ .number = i });
	CU_ASSERT_EQUAL(rc, -EFBIG);
	by_thread_free(&b);
	setrlimit(RLIMIT_FSIZE, &was);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "in_memory", in_memory },
		{ "in_the_file", in_the_file },
		{ "bytes_of_a_spill", bytes_of_a_spill },
		{ "no_folder", no_folder },
		{ "full", full },
		{ NULL, NULL },
	};

	return unit_run("by_thread", tests);
}
