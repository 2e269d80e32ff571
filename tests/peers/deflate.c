/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deflate SECONDS: compresses for so long. With libz.a in it, whose functions all have names here:
 * Debian's gzip and libz.so.1 are stripped of most of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#define BYTES 4000000

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	uLong bound = compressBound(BYTES);
	Bytef *text = malloc(BYTES + 32), *out = malloc(bound);
	size_t n = 0;

	if (!text || !out)
		return 1;
	for (unsigned int i = 1; n < BYTES; i++)
		n += (size_t)sprintf((char *)text + n, "%u\n", i);
	while (cpu_time() < seconds) {
		uLongf length = bound;

		if (compress2(out, &length, text, BYTES, 5) != Z_OK)
			return 1;
	}
	return 0;
}
