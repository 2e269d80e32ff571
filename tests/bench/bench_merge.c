/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_merge FILE...: how fast the merge delivers a file's records. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <pifile.h>

/* CPU time: others may be at work on the machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct pifile_fault fault;
		double begin = now(), opened, end;
		struct pifile *f = pifile_open(argv[i], &fault);
		struct pimerge *m = f ? pimerge_open(f, PIMERGE_MTE | PIMERGE_TRACE) : NULL;
		uint64_t n = 0, sum = 0;
		struct pirecord r;

		if (!m) {
			fprintf(stderr, "%s: %s\n", argv[i], f ? "no memory" : fault.what);
			return 1;
		}
		opened = now();
		while (pimerge_next(m, &r)) {
			n++;
			sum += r.time;
		}
		end = now();
		printf("%s: %" PRIu64
		       " records, opened in %.3f s, merged in %.3f s: %.1f M records/s, "
		       "%.0f MB/s, %zu faults (sum %" PRIx64 ")\n",
		       argv[i], n, opened - begin, end - opened, (double)n / (end - opened) / 1e6,
		       (double)pifile_size(f) / (end - opened) / 1e6, pifile_faults(f, NULL), sum);
		pimerge_close(m);
		pifile_close(f);
	}
	return 0;
}
