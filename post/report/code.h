/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of one symbol, from the file that ran, or as recorded by its program. */
#ifndef POST_CODE_H
#define POST_CODE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "model/trace_names.h"

struct machine_code {
	const char *why; /* reason if there are no bytes */
	uint8_t *bytes;
	size_t size;
	uint64_t address;     /* of the first byte, as in the file; generated code: at run time */
	uint64_t base;        /* of the first byte, for a2n_lines() */
	unsigned int machine; /* EM_* */
	bool is_32, big_endian;
	char path[PATH_MAX]; /* of the file */
	struct stat st;
};

/* Returns 0 or -ENOMEM. */
int code_open(struct machine_code *c, struct a2n *a, const struct a2n_symbol *symbol);
/* The same for generated code; module_offset is one of its addresses. */
int code_made(struct machine_code *c, const struct names *n, uint64_t module_offset);
void code_close(struct machine_code *c);

#endif
