// SPDX-License-Identifier: GPL-3.0-or-later
/* A perf event's ring: records one by one, around its end; and what cannot be one. */
#include <stdlib.h>
#include <unistd.h>
#include "collect/perf/perf_ring.h"
#include "unit.h"

#define BYTES 4096

static struct perf_ring ring;
static uint8_t joined[UINT16_MAX + 1];

static void begin(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = aligned_alloc(page, page + BYTES);

	CU_ASSERT_FATAL(p != NULL);
	memset(p, 0, page + BYTES);
	ring = (struct perf_ring){ .page = p, .bytes = BYTES, .joined = joined };
}

static void end(void)
{
	free(ring.page);
	ring.page = NULL;
}

static void put(uint16_t size, uint8_t fill)
{
	struct perf_event_header h = { .type = fill, .size = size };
	uint8_t *data = (uint8_t *)ring.page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < size || i < sizeof(h); i++)
		data[(ring.page->data_head + i) % BYTES] = i < sizeof(h) ? ((uint8_t *)&h)[i] :
									   fill;
	ring.page->data_head += size;
}

static void test_around(void)
{
	begin();
	for (unsigned int n = 0; n < 1000; n++) {
		uint16_t size = (uint16_t)(8 + n % 40 * 8);
		const struct perf_event_header *h;

		put(size, (uint8_t)n);
		h = perf_ring_peek(&ring, perf_ring_head(&ring));
		CU_ASSERT_FATAL(h != NULL);
		CU_ASSERT(h->size == size && h->type == (uint8_t)n);
		for (size_t i = sizeof(*h); i < size; i++)
			if (((const uint8_t *)h)[i] != (uint8_t)n)
				CU_FAIL("a byte of the record");
		/* Not before it is there as a whole. */
		CU_ASSERT_PTR_NULL(perf_ring_peek(&ring, perf_ring_head(&ring) - 8));
		perf_ring_next(&ring, h);
		CU_ASSERT_PTR_NULL(perf_ring_peek(&ring, perf_ring_head(&ring)));
		perf_ring_done(&ring);
		CU_ASSERT_EQUAL(ring.page->data_tail, ring.page->data_head);
	}
	end();
}

static void test_no_record(void)
{
	static const uint16_t sizes[] = { 0, 4, 7, 9, 12, 15, 17, 63 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		begin();
		put(sizes[i], 1);
		ring.page->data_head = 64;
		CU_ASSERT_PTR_NULL(perf_ring_peek(&ring, perf_ring_head(&ring)));
		end();
	}
	CU_ASSERT_EQUAL(perf_ring_head(&ring), 0);
	CU_ASSERT_PTR_NULL(perf_ring_peek(&ring, UINT64_MAX));
}

static const struct unit_test tests[] = {
	{ "around", test_around },
	{ "no_record", test_no_record },
	{ 0 },
};

int main(void)
{
	return unit_run("perf_ring", tests);
}
