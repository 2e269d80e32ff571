/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of one symbol, from the file that ran, or from what its program told of it. */
#ifndef POST_CODE_H
#define POST_CODE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "model/trace_names.h"

struct machine_code {
	const char *why; /* there are no bytes, and why */
	uint8_t *bytes;
	size_t size;
	uint64_t address;     /* of the first, in the file's terms; or where it stood */
	uint64_t base;        /* of the first, for a2n_lines */
	unsigned int machine; /* ELF's number */
	bool is_32, big_endian;
	char path[PATH_MAX]; /* of the file */
	struct stat st;
};

/* 0 or -ENOMEM. */
int code_open(struct machine_code *c, struct a2n *a, const struct a2n_symbol *symbol);
/* The code that a program made: module_offset is one of it. */
int code_made(struct machine_code *c, const struct names *n, uint64_t module_offset);
void code_close(struct machine_code *c);

#endif
