/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of functions that Go programs contain for their own stack traces (.gopclntab). It
 * survives stripping, because the program reads it. It has each function's entry, name, and the
 * source lines of its instructions. There are four layouts: since Go 1.2, 1.16, 1.18 and 1.20.
 */
#ifndef A2N_GO_TABLE_H
#define A2N_GO_TABLE_H

#include "a2n/elf/elf_file.h"

struct go_table {
	struct bytes table; /* from its header on */
	void *own;          /* memory of a copy with relocations applied */
	uint64_t address;
	uint32_t layout;       /* the magic number */
	uint8_t quantum, word; /* minimum size of instructions; size of addresses */
	uint64_t n;            /* functions */
	uint64_t text;         /* base of entries, since 1.18 */
	uint64_t names, units, files, steps, functions; /* start of the functions */
	uint64_t budget;   /* bytes of line tables that may still be read */
	const char *fault; /* the first fault and its offset */
	uint64_t fault_at;
};

struct go_function {
	uint64_t entry, end; /* end: start of the next one */
	uint64_t at;         /* its own part of the table */
	const char *name;    /* "": none */
	size_t length;
};

/* False: the file has none, or it is malformed (fault). */
bool go_table_open(struct elf_file *f, struct go_table *g);
void go_table_close(struct go_table *g);
/* Reads function i < n. False: damaged (fault). */
bool go_table_function(struct go_table *g, uint64_t i, struct go_function *function);
/* Finds the function of an address. */
bool go_table_find(struct go_table *g, uint64_t address, struct go_function *function);
/* Returns the line of an address of a function and its file's name, of *length. False: unknown, or
 * damaged (fault). */
bool go_table_line(struct go_table *g, const struct go_function *function, uint64_t address,
		   const char **file, size_t *length, uint32_t *line);
/* Records a fault, if it is the first. Always returns false. */
static inline bool go_table_fault(struct go_table *g, uint64_t at, const char *what)
{
	if (!g->fault) {
		g->fault = what;
		g->fault_at = at;
	}
	return false;
}

/* Adds its functions as symbols of the lowest rank; returns their number. g: the opened table,
 * which the caller closes; its fault is the reason if functions are missing. */
uint32_t elf_symbols_go(struct elf_file *f, struct symtab *t, struct go_table *g);

#endif
