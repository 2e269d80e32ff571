/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of functions that Go programs carry for their own stack traces (.gopclntab): stripping
 * leaves it, since the program reads it. It has each function's entry, name, and which source line
 * each of its instructions is of. Four layouts were written: since Go 1.2, 1.16, 1.18 and 1.20.
 */
#ifndef A2N_GO_TABLE_H
#define A2N_GO_TABLE_H

#include "a2n/elf/elf_file.h"

struct go_table {
	struct bytes table;		/* from its header on */
	void *own;			/* memory of it where relocations had to be applied */
	uint64_t address;
	uint32_t layout;		/* the magic number */
	uint8_t quantum, word;		/* sizes: of instructions at least, of addresses */
	uint64_t n;			/* functions */
	uint64_t text;			/* what entries count from, since 1.18 */
	uint64_t names, units, files, steps, functions;	/* where these begin */
	uint64_t budget;		/* bytes of line tables that may still be read */
	const char *fault;		/* the first thing that was wrong, at this offset */
	uint64_t fault_at;
};

struct go_function {
	uint64_t entry, end;		/* end: where the next one begins */
	uint64_t at;			/* its own part of the table */
	const char *name;		/* "": none */
	size_t length;
};

/* false: the file has none, or what it has cannot be used (fault). */
bool go_table_open(struct elf_file *f, struct go_table *g);
void go_table_close(struct go_table *g);
/* false: it is damaged (fault). i < n. */
bool go_table_function(struct go_table *g, uint64_t i, struct go_function *function);
/* The function that has this address. */
bool go_table_find(struct go_table *g, uint64_t address, struct go_function *function);
/* The line of an address of a function; its file's name, of *length. false: not known, or damaged
 * (fault). */
bool go_table_line(struct go_table *g, const struct go_function *function, uint64_t address,
		   const char **file, size_t *length, uint32_t *line);
/* What is wrong, kept if it is the first. Always false. */
static inline bool go_table_fault(struct go_table *g, uint64_t at, const char *what)
{
	if (!g->fault) {
		g->fault = what;
		g->fault_at = at;
	}
	return false;
}

/* Its functions as symbols, which name what nothing else does; how many. g: what is opened for it,
 * to be closed; its fault tells why not all are there. */
uint32_t elf_symbols_go(struct elf_file *f, struct symtab *t, struct go_table *g);

#endif
