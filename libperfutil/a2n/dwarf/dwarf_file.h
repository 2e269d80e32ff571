/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines and inlined functions from DWARF 2 to 5. All addresses of a file are resolved
 * together, sorted, in one pass over the units that contain them; memory is limited to one unit at
 * a time. Input is untrusted: only liba2n opens other files named in it, and a budget limits the
 * work.
 */
#ifndef A2N_DWARF_FILE_H
#define A2N_DWARF_FILE_H

#include "a2n/elf/elf_file.h"
#include "a2n/base/pool.h"
#include "a2n/dwarf/signature.h"

enum dwarf_part {
	PART_INFO,
	PART_ABBREV,
	PART_LINE,
	PART_STR,
	PART_LINE_STR,
	PART_STR_OFFSETS,
	PART_ADDR,
	PART_RANGES,
	PART_RNGLISTS,
	PART_CU_INDEX,
	PARTS
};

struct dwarf_fault {
	const char *what; /* NULL: none */
	const char *section;
	uint64_t offset;
};

struct dwarf_range {
	uint64_t low, high;
};
struct dwarf_ranges {
	struct dwarf_range *list;
	uint32_t n, room;
};

struct dwarf_file {
	struct elf_file elf;
	char *path;
	uint32_t serial; /* number among the files of this a2n: for caching names */
	struct bytes part[PARTS];
	void *own[PARTS];         /* memory of sections decompressed here */
	struct dwarf_ranges code; /* address ranges of the program's sections */
	struct dwarf_unit *unit;  /* in the order of the file */
	uint32_t n_units, room_units;
	struct item_table abbrevs; /* by offset */
	struct dwarf_file *alt;    /* the shared file (dwz) */
	uint64_t budget;
	uint64_t packed, unpacked; /* bytes of compressed sections, before and after */
	struct dwarf_fault fault;  /* the first fault */
};

/* An attribute's value, reduced to what is used here. */
enum attr_class {
	ATTR_NONE,
	ATTR_ADDRESS,
	ATTR_CONSTANT,
	ATTR_STRING,
	ATTR_REF,
	ATTR_REF_ALT,
	ATTR_OFFSET,
	ATTR_RNGLIST,
};
struct attr_value {
	enum attr_class class;
	uint64_t u; /* references: offset in PART_INFO */
	const char *string;
};

struct dwarf_unit {
	struct dwarf_file *file;
	const struct bytes *part; /* sections of its file, or its share of a package */
	uint64_t start, end;      /* in PART_INFO, header included */
	uint64_t first;           /* offset of its own entry */
	uint64_t abbrev_at, dwo_id;
	uint8_t version, address_size, offset_size, type;
	bool opened, bad;
	bool has_low, has_lines, has_ranges;
	const struct abbrevs *abbrevs;
	const struct dwarf_unit *skeleton; /* of a split unit: its address table */
	/* From its entry: */
	uint64_t language, low, high, lines_at;
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	struct attr_value ranges;
	const char *name, *folder, *dwo_name;
};

struct attr {
	uint16_t name, form;
	uint32_t constant; /* index of a DW_FORM_implicit_const */
};
struct abbrev {
	uint64_t code;
	uint32_t first, count; /* attributes */
	uint16_t tag;
	bool children, fixed;
	uint8_t sibling;                    /* number of that attribute + 1 */
	uint32_t bytes, addresses, offsets; /* fixed: total size of all attributes */
};
struct abbrevs {
	uint64_t at;
	struct abbrev *list;
	struct attr *attr;
	int64_t *constant;
	uint32_t n, room, n_attr, room_attr, n_constant, room_constant;
};

/* ---- dwarf_read.c ---------------------------------------------------------------------------- */

uint64_t dwarf_uleb(struct bytes *b);
int64_t dwarf_sleb(struct bytes *b);
/* Reads a unit's length and the size of its offsets. */
uint64_t dwarf_length(struct bytes *b, uint8_t *offset_size);
uint64_t dwarf_sized(struct bytes *b, uint8_t size);
const char *dwarf_string(const struct bytes *part, uint64_t offset);
/* False: no memory. */
bool dwarf_add_range(struct dwarf_ranges *to, uint64_t low, uint64_t high);

/* ---- dwarf_file.c ---------------------------------------------------------------------------- */

/* Takes ownership of the ELF, also on failure. dwo: its sections are named .dwo. False: no
 * memory. */
bool dwarf_file_open(struct dwarf_file *f, struct elf_file *elf, const char *path, bool dwo);
void dwarf_file_close(struct dwarf_file *f);
static inline bool dwarf_file_has_lines(const struct dwarf_file *f)
{
	return f->part[PART_INFO].size || f->part[PART_LINE].size;
}
bool dwarf_elf_has_lines(const struct elf_file *f);
/* Reads the link to the shared file (GNU's or DWARF 5's .debug_sup); "" and an empty id: none. */
void dwarf_file_altlink(const struct dwarf_file *f, char *name, size_t size, struct build_id *id);
/* Finds a package's share of the unit with this id. */
bool dwarf_package_find(struct dwarf_file *f, uint64_t id, struct bytes part[PARTS]);

/* Records a fault, if it is the first. Always returns false. */
bool dwarf_fault(struct dwarf_file *f, enum dwarf_part part, uint64_t offset, const char *what);
/* Charges work. False: more than any valid file needs. */
static inline bool dwarf_spend(struct dwarf_file *f, uint64_t amount)
{
	if (f->budget < amount) {
		f->budget = 0;
		return dwarf_fault(f, PART_INFO, 0, "too much work for its size");
	}
	f->budget -= amount;
	return true;
}
/* Checks whether an address is in the program's code: code dropped by the linker is elsewhere. */
bool dwarf_is_code(const struct dwarf_file *f, uint64_t address);

/* ---- dwarf_unit.c ---------------------------------------------------------------------------- */

/* Reads the headers of all units. */
void dwarf_units(struct dwarf_file *f);
/* Reads the header of the unit at an offset; its end is at most `limit`. False: none. */
bool dwarf_unit_header(struct dwarf_file *f, const struct bytes *part, uint64_t at,
		       struct dwarf_unit *u);
/* Reads the unit's own entry. False: malformed. */
bool dwarf_unit_open(struct dwarf_unit *u);
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);
const struct abbrev *dwarf_abbrev(struct dwarf_unit *u, uint64_t code);
/* Reads one attribute; b.bad when malformed. */
struct attr_value dwarf_attr(const struct dwarf_unit *u, struct bytes *b, const struct attr *attr);
bool dwarf_skip(const struct dwarf_unit *u, struct bytes *b, const struct abbrev *a);
/* Adds the ranges of an entry. */
void dwarf_read_ranges(const struct dwarf_unit *u, const struct attr_value *value,
		       struct dwarf_ranges *to);

/* ---- dwarf_line.c ---------------------------------------------------------------------------- */

struct dwarf_row {
	uint64_t address;
	uint32_t file, line, column;
	bool end;
};

struct dwarf_files {
	const char **folder;
	struct dwarf_source {
		const char *name;
		uint64_t folder;
		const char *path; /* created on first use */
	} * file;
	uint32_t n_folders, room_folders, n, room;
	uint32_t base; /* number of the first file: 1 before DWARF 5 */
};

/* Runs a unit's line program once. Passes each sequence of rows, sorted by address, to `take`.
 * False: malformed, or no memory. */
typedef void (*dwarf_take_rows)(void *arg, const struct dwarf_row *rows, uint32_t n);
bool dwarf_run_lines(const struct dwarf_unit *u, struct dwarf_files *files, dwarf_take_rows take,
		     void *arg);
void dwarf_files_free(struct dwarf_files *files);
/* Returns folder and name together; NULL: no such number. */
const char *dwarf_path(const struct dwarf_unit *u, struct dwarf_files *files, uint32_t number,
		       struct strings *strings);

/* ---- dwarf_inline.c -------------------------------------------------------------------------- */

/* A function, or an inlined one, that covers a requested address. */
struct dwarf_node {
	uint32_t parent; /* node; NO_NODE: not inlined */
	uint32_t call_file, call_line, call_column;
	const char *name; /* NULL: none */
};
#define NO_NODE UINT32_MAX

struct dwarf_nodes {
	struct dwarf_node *list;
	uint32_t n, room;
};

/* Cache of function names, by their offsets; lives as long as the arena. */
struct dwarf_names {
	struct arena *arena;
	struct item_table table;
	struct strings *strings;
	bool demangle;
};

/* Finds the innermost function of each (sorted) address; NO_NODE: none. False: no memory. */
bool dwarf_walk(struct dwarf_unit *u, const uint64_t *address, uint32_t n, uint32_t *innermost,
		struct dwarf_nodes *nodes, struct dwarf_names *names);

/* A function with code. */
struct dwarf_function {
	const char *name;                /* NULL: none */
	const struct dwarf_range *range; /* where its code is; it begins with the first */
	uint32_t n;
	bool external;
	uint32_t depth;                /* 0: it is not inlined; else in how many */
	uint32_t call_file, call_line; /* inlined: where the call stands */
	uint64_t outermost;            /* where what it is inlined in, or itself, begins */
};

/* Tells of all functions of the unit and those inlined in them, these after what they are in.
 * false: no memory. */
typedef void (*dwarf_take_function)(void *arg, const struct dwarf_function *f);
bool dwarf_functions(struct dwarf_unit *u, dwarf_take_function take, void *arg,
		     struct dwarf_names *names);

/* ---- dwarf_signature.c ----------------------------------------------------------------------- */

/* Passes the parameters and result of each function that begins at one of the (sorted) addresses,
 * with its index i. False: no memory. */
typedef void (*dwarf_take_signature)(void *arg, uint32_t i, const struct signature *s);
bool dwarf_signatures(struct dwarf_unit *u, const uint64_t *address, uint32_t n,
		      dwarf_take_signature take, void *arg);

/* ---- frame_starts.c -------------------------------------------------------------------------- */

/* Adds functions without a name, from .eh_frame: "libx+0x1234", from the file's name and their
 * start. They are used only where there is no other symbol. */
uint32_t dwarf_symbols_frames(struct elf_file *f, struct symtab *t, const char *path);

#endif
