/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of a fuzz target. Built without libFuzzer (LIBFUZZER is not defined) it is a program
 * that replays the files, folders and archives (.tar, see tests/fuzz/seeds) of its command line,
 * each input once.
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
static char fuzz_seed[101]; /* its name in the archive, for a debugger */

/* The input has a place of just its size, for the sanitizer. */
static inline void fuzz_one(const uint8_t *data, size_t size)
{
	uint8_t *own = malloc(size ? size : 1);

	if (!own)
		abort();
	memcpy(own, data, size);
	LLVMFuzzerTestOneInput(own, size);
	free(own);
	fuzz_replayed++;
}

/* Blocks of 512 bytes: of each file a head (its name, at 124 its size in octal digits, at 156 its
 * kind), then its bytes. What is no such archive counts as no input at all. */
static inline void fuzz_archive(const char *path, const uint8_t *data, size_t size)
{
	const size_t block = 512;
	size_t at = 0, length;
	char digits[13] = "";

	while (size - at >= block && data[at]) {
		memcpy(fuzz_seed, data + at, sizeof(fuzz_seed) - 1);
		memcpy(digits, data + at + 124, sizeof(digits) - 1);
		length = strtoul(digits, NULL, 8);
		if (memcmp(data + at + 257, "ustar", 5) || data[at + 156] != '0' ||
		    length > size - at - block) {
			fprintf(stderr, "%s: byte %zu: not a seed of tests/fuzz/seeds\n", path, at);
			exit(1);
		}
		at += block;
		fuzz_one(data + at, length);
		at += (length + block - 1) / block * block;
		if (at > size)
			at = size;
	}
}

static inline void fuzz_replay(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char *name;
	const char *end = strrchr(path, '.');
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
		if (!data)
			abort();
		n = fread(data + size, 1, 65536, f);
		size += n;
	} while (n);
	fclose(f);
	if (end && !strcmp(end, ".tar"))
		fuzz_archive(path, data, size);
	else
		fuzz_one(data, size);
	free(data);
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
