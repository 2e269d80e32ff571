/* SPDX-License-Identifier: GPL-3.0-or-later */
/* packed FILE: a trace whose sections are some thousand times as large when they are unpacked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pifile.h>

#define SECTIONS 20
#define BYTES    (64u << 20)

int main(int argc, char **argv)
{
	static const char line[] = "400000 10 same\n";
	struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC, .clock_hz = 1000000000 };
	char *text = malloc(BYTES + sizeof(line));
	struct pifile_writer *w;
	size_t n, i;
	int err = 0;

	if (argc != 2 || !text)
		return 2;
	w = pifile_create(argv[1], &header);
	if (!w) {
		perror(argv[1]);
		return 1;
	}
	pifile_set_compression(w, 19);
	for (n = 0; n < BYTES; n += sizeof(line) - 1)
		memcpy(text + n, line, sizeof(line));
	for (i = 0; i < SECTIONS && !err; i++)
		err = pifile_write_section(w, PIFILE_SEC_KALLSYMS, text, n);
	return pifile_finish(w) || err;
}
