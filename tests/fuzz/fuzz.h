/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of a fuzz target. Built without libFuzzer (LIBFUZZER is not defined) it is a program
 * that replays the files and folders of its command line, once each.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A use that the compiler cannot drop: every byte is looked at. */
static inline void fuzz_touch(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint8_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum ^= b[i];
	__asm__ volatile("" : : "r"(sum));
}

#ifndef LIBFUZZER
#include <dirent.h>
#include <stdio.h>

static unsigned long fuzz_replayed;

static inline void fuzz_replay(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char *name;
	uint8_t *data = NULL;
	size_t size = 0, n;
	FILE *f;

	if (d) {
		while ((e = readdir(d)))
			if (e->d_name[0] != '.') {
				if (asprintf(&name, "%s/%s", path, e->d_name) < 0)
					abort();
				fuzz_replay(name);
				free(name);
			}
		closedir(d);
		return;
	}
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	do {
		data = realloc(data, size + 65536);
		n = fread(data + size, 1, 65536, f);
		size += n;
	} while (n);
	fclose(f);
	/* of just its size, for the sanitizer */
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	fuzz_replayed++;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

	for (int i = 1; i < argc; i++)
		fuzz_replay(argv[i]);
	printf("# %lu inputs\n%s %s_replay\n", fuzz_replayed, fuzz_replayed ? "ok" : "not ok",
	       name);
	return !fuzz_replayed;
}
#endif
#endif
