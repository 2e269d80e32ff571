/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs line number programs, which produce a table of addresses and lines. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/dwarf/dwarf_file.h"

#define MAX_FORMATS 16

struct line_program {
	const struct dwarf_unit *u; /* the unit whose strings and sizes are used */
	struct dwarf_unit as;       /* that unit with the program's own sizes */
	struct bytes b;
	uint64_t start, length; /* a sequence's first row; minimum length of instructions */
	uint8_t version, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands; /* of standard opcodes */
	struct dwarf_row row;
	struct dwarf_row *rows;
	uint32_t n, room;
	bool unsorted, no_memory;
};

static bool add_folder(struct dwarf_files *files, const char *name)
{
	if (array_next(files->folder, files->n_folders, files->room_folders))
		return false;
	files->folder[files->n_folders++] = name;
	return true;
}

static bool add_file(struct dwarf_files *files, const char *name, uint64_t folder)
{
	if (array_next(files->file, files->n, files->room))
		return false;
	files->file[files->n++] = (struct dwarf_source){ .name = name, .folder = folder };
	return true;
}

static const char *take_string(struct bytes *b)
{
	const char *s = dwarf_string(b, b->at);

	if (s)
		bytes_skip(b, strlen(s) + 1);
	else
		b->bad = true;
	return s;
}

/* Before DWARF 5: folder 0 is the unit's; lists of folders and files follow. */
static bool read_old_tables(struct line_program *p, struct dwarf_files *files)
{
	const char *name;
	uint64_t folder;

	files->base = 1;
	if (!add_folder(files, p->u->folder))
		return false;
	while ((name = take_string(&p->b)) && *name)
		if (!add_folder(files, name))
			return false;
	while ((name = take_string(&p->b)) && *name) {
		folder = dwarf_uleb(&p->b);
		dwarf_uleb(&p->b);
		dwarf_uleb(&p->b);
		if (!add_file(files, name, folder))
			return false;
	}
	return true;
}

/* DWARF 5: a table is preceded by the format of its entries. */
static bool read_table(struct line_program *p, struct dwarf_files *files, bool folders)
{
	struct attr format[MAX_FORMATS];
	uint8_t n_formats = bytes_u8(&p->b), i;
	uint64_t n, k;

	if (n_formats > MAX_FORMATS) {
		p->b.bad = true;
		return true;
	}
	for (i = 0; i < n_formats; i++) {
		format[i].name = (uint16_t)dwarf_uleb(&p->b);
		format[i].form = (uint16_t)dwarf_uleb(&p->b);
		/* implicit_const needs an abbreviation, which does not exist here. */
		if (format[i].form == DW_FORM_implicit_const)
			p->b.bad = true;
	}
	n = dwarf_uleb(&p->b);
	/* Any number of entries of size 0 would fit. */
	for (k = 0; k < n && !p->b.bad && n_formats; k++) {
		const char *name = NULL;
		uint64_t folder = 0;
		size_t at = p->b.at;

		for (i = 0; i < n_formats && !p->b.bad; i++) {
			struct attr_value v = dwarf_attr(&p->as, &p->b, &format[i]);

			if (format[i].name == DW_LNCT_path)
				name = v.string;
			else if (format[i].name == DW_LNCT_directory_index)
				folder = v.u;
		}
		if (p->b.at == at)
			p->b.bad = true;
		if (!(folders ? add_folder(files, name) : add_file(files, name, folder)))
			return false;
	}
	return true;
}

static bool read_header(struct line_program *p, struct dwarf_files *files, const char **why)
{
	struct bytes *b = &p->b;
	uint64_t length = dwarf_length(b, &p->as.offset_size), program;
	uint8_t max_operations = 1;
	uint16_t version;

	*why = "a line table is longer than the section";
	if (b->bad || length > bytes_left(b))
		return false;
	b->size = b->at + length;
	*why = "a line table has an unsupported version, not 2 to 5";
	version = bytes_u16(b);
	if (version < 2 || version > 5)
		return false;
	p->version = (uint8_t)version;
	if (version >= 5) {
		p->as.address_size = bytes_u8(b);
		bytes_skip(b, 1);
	}
	*why = "a line table's header is inconsistent";
	program = dwarf_sized(b, p->as.offset_size);
	if (b->bad || program > bytes_left(b))
		return false;
	program += b->at;
	p->length = bytes_u8(b);
	if (version >= 4)
		max_operations = bytes_u8(b);
	bytes_skip(b, 1); /* default_is_stmt */
	p->line_base = (int8_t)bytes_u8(b);
	p->line_range = bytes_u8(b);
	p->opcode_base = bytes_u8(b);
	if (b->bad || !p->line_range || !p->opcode_base || !max_operations)
		return false;
	p->operands = bytes_take(b, p->opcode_base - 1u);
	if (version < 5) {
		if (!read_old_tables(p, files))
			*why = "out of memory";
	} else if (!read_table(p, files, true) || !read_table(p, files, false)) {
		*why = "out of memory";
	}
	if (b->bad || b->at > program)
		return false;
	bytes_seek(b, program);
	return true;
}

/* ---- the program ---------------------------------------------------------------------------- */

static void add_row(struct line_program *p)
{
	if (array_next(p->rows, p->n, p->room)) {
		p->no_memory = true;
		return;
	}
	if (p->n && p->rows[p->n - 1].address > p->row.address)
		p->unsorted = true;
	p->rows[p->n++] = p->row;
}

static void reset(struct line_program *p)
{
	p->row = (struct dwarf_row){ .file = 1, .line = 1 };
	p->n = 0;
	p->unsorted = false;
}

static void sort_rows(struct line_program *p)
{
	struct dwarf_row *spare = malloc(p->n * sizeof(*spare)), *from = p->rows, *to = spare;
	uint32_t width, i, a, b, middle, end, k;

	if (!spare) {
		p->no_memory = true;
		return;
	}
	/* A stable sort: of several rows with one address the last one is valid. */
	for (width = 1; width < p->n; width *= 2) {
		for (i = 0, k = 0; i < p->n; i = end) {
			middle = p->n - i < width ? p->n : i + width;
			end = p->n - middle < width ? p->n : middle + width;
			for (a = i, b = middle; a < middle || b < end;) {
				bool first = b == end ||
					     (a < middle && from[a].address <= from[b].address);

				to[k++] = first ? from[a++] : from[b++];
			}
		}
		from = to;
		to = from == spare ? p->rows : spare;
	}
	if (from == spare)
		memcpy(p->rows, spare, p->n * sizeof(*spare));
	free(spare);
}

static void end_sequence(struct line_program *p, dwarf_take_rows take, void *arg)
{
	p->row.end = true;
	add_row(p);
	if (p->n < 2) {
		reset(p);
		return;
	}
	if (p->unsorted)
		sort_rows(p);
	if (!p->no_memory)
		take(arg, p->rows, p->n);
	reset(p);
}

static void extended(struct line_program *p, struct dwarf_files *files, dwarf_take_rows take,
		     void *arg)
{
	uint64_t length = dwarf_uleb(&p->b), folder;
	size_t end;
	const char *name;

	if (!length || length > bytes_left(&p->b)) {
		p->b.bad = true;
		return;
	}
	end = p->b.at + length;
	switch (bytes_u8(&p->b)) {
	case DW_LNE_end_sequence:
		end_sequence(p, take, arg);
		break;
	case DW_LNE_set_address:
		if (length == 9 || length == 5)
			p->row.address = dwarf_sized(&p->b, (uint8_t)(length - 1));
		break;
	case DW_LNE_define_file:
		name = take_string(&p->b);
		folder = dwarf_uleb(&p->b);
		if (name && !add_file(files, name, folder))
			p->no_memory = true;
		break;
	}
	if (!p->b.bad)
		bytes_seek(&p->b, end);
}

static void special(struct line_program *p, uint8_t opcode)
{
	uint8_t n = opcode - p->opcode_base;

	p->row.address += p->length * (n / p->line_range);
	p->row.line += (uint32_t)(p->line_base + n % p->line_range);
	add_row(p);
}

static void standard(struct line_program *p, uint8_t opcode)
{
	uint8_t i;

	switch (opcode) {
	case DW_LNS_copy:
		add_row(p);
		break;
	case DW_LNS_advance_pc:
		p->row.address += p->length * dwarf_uleb(&p->b);
		break;
	case DW_LNS_advance_line:
		p->row.line += (uint32_t)dwarf_sleb(&p->b);
		break;
	case DW_LNS_set_file:
		p->row.file = (uint32_t)dwarf_uleb(&p->b);
		break;
	case DW_LNS_set_column:
		p->row.column = (uint32_t)dwarf_uleb(&p->b);
		break;
	case DW_LNS_const_add_pc:
		p->row.address += p->length * ((255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->row.address += bytes_u16(&p->b);
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	case DW_LNS_set_isa:
		dwarf_uleb(&p->b);
		break;
	default: /* unknown opcode: the header has its number of operands */
		for (i = 0; i < p->operands[opcode - 1]; i++)
			dwarf_uleb(&p->b);
	}
}

static void run_program(struct line_program *p, struct dwarf_files *files, dwarf_take_rows take,
			void *arg)
{
	reset(p);
	while (bytes_left(&p->b) && !p->no_memory) {
		uint8_t opcode = bytes_u8(&p->b);

		if (opcode >= p->opcode_base)
			special(p, opcode);
		else if (opcode)
			standard(p, opcode);
		else
			extended(p, files, take, arg);
	}
}

bool dwarf_run_lines(const struct dwarf_unit *u, struct dwarf_files *files, dwarf_take_rows take,
		     void *arg)
{
	struct line_program p = { .u = u, .as = *u, .b = u->part[PART_LINE] };
	const char *why = "a line table is out of bounds";
	bool ok;

	*files = (struct dwarf_files){ 0 };
	bytes_seek(&p.b, u->lines_at);
	ok = !p.b.bad && read_header(&p, files, &why) && dwarf_spend(u->file, bytes_left(&p.b));
	if (ok) {
		run_program(&p, files, take, arg);
		why = p.no_memory ? "out of memory" : "a line table's program cannot be read";
		ok = !p.b.bad && !p.no_memory;
	}
	free(p.rows);
	return ok || dwarf_fault(u->file, PART_LINE, p.b.bad ? p.b.at : u->lines_at, why);
}

void dwarf_files_free(struct dwarf_files *files)
{
	free(files->folder);
	free(files->file);
	*files = (struct dwarf_files){ 0 };
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *dwarf_path(const struct dwarf_unit *u, struct dwarf_files *files, uint32_t number,
		       struct strings *strings)
{
	struct dwarf_source *f;
	const char *folder, *unit = u->folder ? u->folder : "";
	char *path;
	int length;

	if (number < files->base || number - files->base >= files->n)
		return NULL;
	f = &files->file[number - files->base];
	if (f->path || !f->name)
		return f->path;
	folder = f->folder < files->n_folders && files->folder[f->folder] ?
			 files->folder[f->folder] :
			 "";
	if (f->name[0] == '/')
		folder = "";
	/* A folder may be relative to the unit's, which may be relative too. */
	if (f->name[0] == '/' || folder[0] == '/' || !f->folder)
		unit = "";
	length = asprintf(&path, "%s%s%s%s%s", unit, *unit ? "/" : "", folder, *folder ? "/" : "",
			  f->name);
	if (length < 0)
		return NULL;
	f->path = strings_intern(strings, path, (size_t)length);
	free(path);
	return f->path;
}
