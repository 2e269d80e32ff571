/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "java_name.h"
#include "java_text.h"
#include "pijit.h"
#include "seen_methods.h"
#include "stack_walk.h"
#include "virtual_names.h"

#define NAME_ROOM  8192
#define LINES_MOST 65536

static const char *const kind_names[WALK_KINDS] = {
	[WALK_INTERPRETED] = " [interpreted]", [WALK_C1] = " [C1]",         [WALK_C2] = " [C2]",
	[WALK_INLINED] = " [inlined]",         [WALK_NATIVE] = " [native]",
};

static uint8_t written[SEEN_MOST]; /* kinds of each */
static bool reasons_written;
static uint32_t virtual_written; /* rows */

/* ---- lines ----------------------------------------------------------------------------------- */

/* Reads the VM's compressed number (scopes_number), from copied bytes. */
static bool number(struct bytes *b, uint32_t excluded, uint32_t *to)
{
	*to = 0;
	for (unsigned int i = 0; i < 5; i++) {
		uint8_t byte = bytes_u8(b);

		if (b->bad || byte < excluded)
			return false;
		*to += (byte - excluded) << 6 * i;
		if (byte < 192)
			break;
	}
	return true;
}

static int32_t signed_of(uint32_t value)
{
	return (int32_t)(value >> 1 ^ -(value & 1));
}

/* An entry is a pair of deltas, of the bytecode and of the line: in one byte, or 0xff followed by
 * two numbers. */
static bool next_line(struct bytes *b, uint32_t excluded, uint32_t *bytecode, uint32_t *line)
{
	uint8_t byte = bytes_u8(b);
	uint32_t bytecodes, lines;

	if (b->bad || !byte)
		return false;
	if (byte != 0xff) {
		*bytecode += byte >> 3;
		*line += byte & 7;
		return true;
	}
	if (!number(b, excluded, &bytecodes) || !number(b, excluded, &lines))
		return false;
	*bytecode += (uint32_t)signed_of(bytecodes);
	*line += (uint32_t)signed_of(lines);
	return true;
}

/* The VM's file name lacks the package: takes it from the class. */
static void file_of(const struct seen_method *m, const char *class, const char *file,
		    char to[NAME_ROOM])
{
	uint32_t package = m->class_length;

	while (package && class[package - 1] != '/')
		package--;
	snprintf(to, NAME_ROOM, "%.*s%.*s", (int)package, class, (int)m->file_length, file);
	java_text(to);
}

static uint32_t lines_of(const struct seen_method *m, uint32_t excluded, const char *file,
			 uint64_t address, struct jitdump_line **to)
{
	uint32_t text = m->class_length + m->name_length + m->descriptor_length + m->file_length;
	struct bytes b = bytes_of(m->text + text, m->lines_length);
	uint32_t bytecode = 0, line = 0, n = 0;
	struct jitdump_line *list;

	*to = NULL;
	if (!m->lines_length || !m->file_length)
		return 0;
	list = calloc(m->lines_length, sizeof(*list));
	while (list && n < m->lines_length && next_line(&b, excluded, &bytecode, &line))
		if (bytecode < LINES_MOST)
			list[n++] = (struct jitdump_line){
				.address = address + bytecode,
				.line = line,
				.file = file,
			};
	*to = list;
	return n;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* JVMTI reports the VM's Name+0x12 as Name.0x12. */
static void name_of(const struct seen_method *m, char to[NAME_ROOM])
{
	char class[NAME_ROOM], own[NAME_ROOM], descriptor[NAME_ROOM], *plus;
	const char *text = m->text;

	snprintf(class, sizeof(class), "L%.*s;", (int)m->class_length, text);
	text += m->class_length;
	snprintf(own, sizeof(own), "%.*s", (int)m->name_length, text);
	text += m->name_length;
	snprintf(descriptor, sizeof(descriptor), "%.*s", (int)m->descriptor_length, text);
	plus = strchr(class, '+');
	if (plus)
		*plus = '.';
	java_name(to, NAME_ROOM, class, own, descriptor);
	java_text(to);
}

static bool write_one(const struct vm_layout *l, uint32_t at, const struct seen_method *m,
		      enum walk_kind kind, bool kinds)
{
	uint64_t address = walk_address(at + WALK_SPECIAL, kind, 0);
	char name[NAME_ROOM], file[NAME_ROOM];
	struct jitdump_line *lines;
	bool done;
	uint32_t n;

	name_of(m, name);
	if (kinds)
		strncat(name, kind_names[kind], NAME_ROOM - 1 - strlen(name));
	file_of(m, m->text, m->text + m->class_length + m->name_length + m->descriptor_length,
		file);
	n = lines_of(m, l->excluded, file, address, &lines);
	done = names_put(m->since | JITDUMP_ALONE, name, address, 1u << WALK_RANGE_BITS, lines, n);
	free(lines);
	return done;
}

static bool write_reasons(void)
{
	for (enum walk_end end = WALK_WHOLE + 1; end < WALK_ENDS; end++)
		if (!names_put(JITDUMP_ALONE, walk_end_names[end], walk_address(end, 0, 0),
			       1u << WALK_RANGE_BITS, NULL, 0))
			return false;
	return true;
}

static void write_virtual(void)
{
	uint32_t count = virtual_names_count();

	while (virtual_written < count &&
	       names_put(JITDUMP_ALONE, virtual_names_get(virtual_written + 1),
			 walk_virtual(virtual_written + 1), 1u << WALK_RANGE_BITS, NULL, 0))
		virtual_written++;
}

void stack_names_write(const struct vm_layout *l, bool kinds)
{
	uint32_t count = seen_methods_count();

	if (!reasons_written)
		reasons_written = write_reasons();
	write_virtual();
	for (uint32_t i = 0; i < count; i++) {
		const struct seen_method *m = seen_methods_get(i);
		uint32_t fresh = m ? m->kinds & ~(uint32_t)written[i] : 0;

		for (enum walk_kind kind = 0; fresh && kind < WALK_KINDS; kind++)
			if (fresh >> kind & 1 && write_one(l, i, m, kind, kinds))
				written[i] |= (uint8_t)(1u << kind);
	}
}
