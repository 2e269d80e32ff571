/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines from Go's table of functions. Each function has two lists of steps, for files and
 * for lines: the change of the value, and the number of instructions for which the new value is
 * valid.
 */
#include "a2n/dwarf/dwarf_file.h"
#include "a2n/elf/go_table.h"

/* Positions of the fields of a function, in words of 4 bytes after its entry. */
enum { STEPS_FILE = 4, STEPS_LINE = 5, UNIT = 7 };
#define GO_1_2            0xfffffffbu
#define GO_1_18           0xfffffff0u
#define GO_1_20           0xfffffff1u
#define BUDGET_AN_ADDRESS 4096
#define NO_FILE           0xffffffffu

static uint32_t number(const struct go_table *g, const struct go_function *function,
		       unsigned int which)
{
	uint8_t entry = g->layout == GO_1_18 || g->layout == GO_1_20 ? 4 : g->word;
	struct bytes b = g->table;

	if (!bytes_seek(&b, function->at + entry + 4ull * which))
		return 0;
	return bytes_u32(&b);
}

/* Returns the value of a list of steps at an address. */
static bool value(struct go_table *g, const struct go_function *function, uint64_t address,
		  unsigned int which, uint32_t *v)
{
	uint32_t list = number(g, function, which);
	uint64_t at = function->entry, start = g->steps + list;
	struct bytes b = g->table;

	if (!list || start >= b.size)
		return list && go_table_fault(g, function->at, "lines are beyond its end");
	bytes_seek(&b, start);
	*v = UINT32_MAX;
	while (address >= at) {
		size_t before = b.at;
		uint64_t change = dwarf_uleb(&b), count;

		/* 0 ends it, except in the first step, which may change nothing. */
		if (!change && before != start)
			return false;
		count = dwarf_uleb(&b);
		if (b.bad)
			return go_table_fault(g, before, "lines end in the middle");
		if (b.at - before > g->budget)
			return go_table_fault(g, before,
					      "lines take too much work for the size of "
					      "the table");
		g->budget -= b.at - before;
		*v += (uint32_t)(change & 1 ? ~(change >> 1) : change >> 1);
		at += count * g->quantum;
	}
	return true;
}

/* File names: one list at first, since 1.16 one per package. */
static uint64_t file_name(const struct go_table *g, const struct go_function *function,
			  uint32_t file)
{
	struct bytes b = g->table;
	uint32_t offset;

	if (g->layout == GO_1_2) {
		if (!file || !bytes_seek(&b, g->files))
			return UINT64_MAX;
		if (file >= bytes_u32(&b) || !bytes_seek(&b, g->files + 4ull * file))
			return UINT64_MAX;
		offset = bytes_u32(&b);
		return b.bad ? UINT64_MAX : offset;
	}
	if (!bytes_seek(&b, g->units + 4 * ((uint64_t)number(g, function, UNIT) + file)))
		return UINT64_MAX;
	offset = bytes_u32(&b);
	return b.bad || offset == NO_FILE ? UINT64_MAX : g->files + offset;
}

bool go_table_line(struct go_table *g, const struct go_function *function, uint64_t address,
		   const char **file, size_t *length, uint32_t *line)
{
	uint32_t number_of_file;
	uint64_t name;

	g->budget += BUDGET_AN_ADDRESS;
	if (!value(g, function, address, STEPS_FILE, &number_of_file) ||
	    !value(g, function, address, STEPS_LINE, line))
		return false;
	name = file_name(g, function, number_of_file);
	if (name == UINT64_MAX)
		return false;
	*file = elf_string(&g->table, name, length);
	if (!*file)
		return go_table_fault(g, name, "a file's name is not terminated");
	return *length > 0;
}
