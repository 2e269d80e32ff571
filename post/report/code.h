/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of one symbol, from the file that ran: its bytes and the source lines they are from. */
#ifndef POST_CODE_H
#define POST_CODE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "model/dwfl_file.h"

struct code {
	const char *why;		/* there are no bytes, and why */
	uint8_t *bytes;
	size_t size;
	uint64_t address;		/* of the first, in the file's terms */
	unsigned int machine;		/* ELF's number */
	bool is_32, big_endian;
	char path[PATH_MAX];		/* of the file */
	struct stat st;
	struct dwfl_file file;
	Dwfl *dwfl;			/* NULL: no line table */
};

/* 0 or -ENOMEM. */
int code_open(struct code *c, struct a2n *a, const struct a2n_symbol *symbol);
/* The source file and line of an address; NULL: none is known. *folder is where it was compiled, or
 * NULL. Both live as long as c. */
const char *code_line(const struct code *c, uint64_t address, const char **folder, int *line);
void code_close(struct code *c);

#endif
