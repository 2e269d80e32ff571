/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_write FILE [LEVEL [MEGABYTES]]: how fast the writer takes segments of samples. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/crc32c.h"
#include "gen_trace.h"

#define SEGMENTS      16 /* made once, written again and again */
#define SEGMENT_BYTES 65536

/* CPU time: others may be at work on the machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *make(struct gen_ring *g, unsigned int n)
{
	uint64_t random = n + 1;
	uint8_t *copy = malloc(SEGMENT_BYTES);

	while (!g->at || g->at + 64 <= SEGMENT_BYTES) {
		struct pitrace_sample s = { .pid = 1000, .tid = 1000, .period = 1003009 };

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		s.tid += (uint32_t)(random >> 61);
		s.address = 0x7f0000000000 + (random >> 44);
		memcpy(gen_record(g, PITRACE_TPROF, PITRACE_TPROF_USER, PITRACE_TYPE_STRUCT,
				  sizeof(s), g->last + 2500000 + (random >> 50)),
		       &s, sizeof(s));
	}
	if (!copy)
		exit(1);
	return memcpy(copy, gen_ring_segment(g), SEGMENT_BYTES);
}

int main(int argc, char **argv)
{
	struct pifile_header h = { .clock = PITRACE_CLOCK_TSC, .clock_hz = 2500000000, .ncpus = 1 };
	uint64_t megabytes = argc > 3 ? strtoull(argv[3], NULL, 0) : 1024;
	int level = argc > 2 ? atoi(argv[2]) : 0;
	struct pitrace_segment *segments[SEGMENTS];
	struct pifile_writer *w;
	uint64_t n, records;
	struct gen_ring g;
	double begin, end;
	int err = 0;

	if (argc < 2 || !(w = pifile_create(argv[1], &h))) {
		perror(argc < 2 ? "bench_write FILE [LEVEL [MEGABYTES]]" : argv[1]);
		return 1;
	}
	gen_ring_open(&g, w, 0, PITRACE_RING_TRACE, SEGMENT_BYTES);
	for (unsigned int i = 0; i < SEGMENTS; i++)
		segments[i] = make(&g, i);
	pifile_set_compression(w, level);
	begin = now();
	for (n = 0; n * SEGMENT_BYTES < megabytes << 20 && !err; n++) {
		segments[n % SEGMENTS]->sequence = n;
		err = pifile_write_segment(w, segments[n % SEGMENTS], SEGMENT_BYTES, 1);
	}
	end = now();
	pifile_written(w, &records);
	printf("level %d, CRC by %s: %" PRIu64
	       " segments, %.0f MB/s, %.1f M records/s, %.0f %% of the "
	       "size\n",
	       level, crc32c_method(), n, (double)(n * SEGMENT_BYTES) / (end - begin) / 1e6,
	       (double)records / (end - begin) / 1e6,
	       100.0 * (double)pifile_written(w, NULL) / (double)(n * SEGMENT_BYTES));
	pifile_abandon(w);
	for (unsigned int i = 0; i < SEGMENTS; i++)
		free(segments[i]);
	gen_ring_close(&g);
	return err != 0;
}
