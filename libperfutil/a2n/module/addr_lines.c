/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves many addresses of a module to their source lines and inlined functions: each unit of the
 * DWARF that has any of them is read once, one after the other. Or tells of the functions of units.
 */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/module/addr_lines.h"
#include "a2n/module/module_file.h"
#include "base/search.h"

#define BUDGET_AN_ADDRESS 1024 /* maximum depth of inlined functions */

struct wanted_line {
	uint64_t address;
	size_t i;      /* the caller's index */
	uint32_t unit; /* the unit that claims it, or NO_UNIT */
};
#define NO_UNIT UINT32_MAX

struct spot { /* a unit's answer for one address */
	uint32_t file, line, column;
	bool found;
};

struct lines {
	struct modules *ms;
	const struct module *module;
	struct dwarf_file file, alt, package;
	bool has_alt, has_package, sought_package;
	bool inlined;
	a2n_take_frames take; /* NULL: signatures or functions are asked for */
	inner_take_signature take_signature;
	dwarf_take_function take_function; /* … of a unit */
	struct dwarf_names *names;
	struct dwarf_files files; /* of the unit */
	struct dwarf_unit *unit;
	void *arg;
	struct wanted_line *wanted; /* by address */
	uint32_t n;
	/* State of the unit being read: */
	uint64_t *address;
	size_t *index;
	struct spot *spot;
	uint32_t *innermost;
	uint32_t count;
	struct dwarf_nodes nodes;
	struct a2n_frame *frame;
	uint32_t room_frame;
	uint32_t missing; /* .dwo files */
	char *first_missing;
	char path[PATH_MAX];
};

/* ---- warnings ------------------------------------------------------------------------------ */

static void warn(struct lines *l, char *message)
{
	if (message)
		module_warn(l->ms, l->module, message);
	free(message);
}

static void report_fault(struct lines *l, const struct dwarf_file *f)
{
	char *text;

	if (!f->fault.what)
		return;
	if (asprintf(&text, "DWARF is damaged, %s: %s, at 0x%" PRIx64 " of %s", f->path,
		     f->fault.what, f->fault.offset, f->fault.section) >= 0)
		warn(l, text);
}

static void report_missing(struct lines *l)
{
	char *text;

	if (!l->missing)
		return;
	if (asprintf(&text,
		     "inlined functions of %u of its parts are in .dwo files that are not "
		     "here, the first is %s: name a folder that holds them, -sympath FOLDER",
		     l->missing, l->first_missing ? l->first_missing : "?") >= 0)
		warn(l, text);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool open_file(struct lines *l, struct dwarf_file *f, struct elf_file *elf, const char *path,
		      bool dwo)
{
	if (!dwarf_file_open(f, elf, path, dwo))
		return false;
	f->serial = ++l->ms->dwarf_files;
	return true;
}

static void open_alt(struct lines *l)
{
	char name[PATH_MAX];
	struct elf_file elf;
	struct build_id id;
	char *text;

	dwarf_file_altlink(&l->file, name, sizeof(name), &id);
	if (!name[0])
		return;
	if (!files_shared(&l->ms->roots, l->file.path, name, &id, &elf, l->path, sizeof(l->path))) {
		if (asprintf(&text,
			     "%s, which holds a part of its debugging information (dwz), is "
			     "not here",
			     name) >= 0)
			warn(l, text);
		return;
	}
	l->has_alt = open_file(l, &l->alt, &elf, l->path, false);
	if (!l->has_alt)
		return;
	dwarf_units(&l->alt);
	l->file.alt = &l->alt;
}

/* All split units in one file beside the program's: NAME.dwp. */
static bool open_package(struct lines *l, const char *of)
{
	struct elf_file elf;
	const char *why;
	struct stat st;
	int fd;

	if (snprintf(l->path, sizeof(l->path), "%s.dwp", of) >= (int)sizeof(l->path))
		return false;
	fd = file_open_regular(l->path, &st, &why);
	if (fd < 0 || elf_file_open_any(&elf, fd))
		return false;
	return open_file(l, &l->package, &elf, l->path, true);
}

/* a split unit */

struct split {
	struct lines *l;
	const struct dwarf_unit *skeleton;
	struct dwarf_file file;
	struct dwarf_unit unit;
	struct bytes part[PARTS];
};

/* Finds the unit of this id in parts of a file. */
static bool take_unit(struct split *s, struct dwarf_file *f, const struct bytes *part)
{
	uint64_t at = 0;

	while (at < part[PART_INFO].size && dwarf_unit_header(f, part, at, &s->unit)) {
		at = s->unit.end;
		if (s->unit.bad || s->unit.type == DW_UT_split_type)
			continue;
		s->unit.skeleton = s->skeleton;
		if (dwarf_unit_open(&s->unit) && s->unit.dwo_id == s->skeleton->dwo_id)
			return true;
	}
	return false;
}

static bool take_split(void *arg, const char *path, int fd, const struct stat *st, bool live)
{
	struct split *s = arg;
	struct elf_file elf;

	(void)st;
	(void)live;
	if (elf_file_open_any(&elf, fd) || !open_file(s->l, &s->file, &elf, path, true))
		return false;
	if (take_unit(s, &s->file, s->file.part))
		return true;
	dwarf_file_close(&s->file);
	return false;
}

static bool in_package(struct lines *l, struct split *s)
{
	if (!l->sought_package) {
		l->sought_package = true;
		l->has_package = open_package(l, l->module->path) || open_package(l, l->file.path);
	}
	return l->has_package && dwarf_package_find(&l->package, s->skeleton->dwo_id, s->part) &&
	       take_unit(s, &l->package, s->part);
}

static void take_signature(void *arg, uint32_t i, const struct signature *s)
{
	const struct lines *l = arg;

	l->take_signature(l->arg, l->index[i], s);
}

/* Walks the functions of the unit, or of its split unit. */
static bool walk_entries(struct lines *l, struct dwarf_unit *u)
{
	if (l->take_function)
		return dwarf_functions(u, l->take_function, l, l->names);
	return l->take ? dwarf_walk(u, l->address, l->count, l->innermost, &l->nodes,
				    &l->ms->functions) :
			 dwarf_signatures(u, l->address, l->count, take_signature, l);
}

/* Finds the functions of the unit; its split unit may be in another file. */
static bool walk_unit(struct lines *l, struct dwarf_unit *u)
{
	struct split *s = NULL;
	bool ok, found = false, other = false;

	if (u->dwo_name) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return false;
		s->l = l;
		s->skeleton = u;
		s->file.elf.fd = -1;
		found = in_package(l, s);
		if (!found)
			found = other = files_split(&l->ms->roots, l->file.path,
						    u->folder ? u->folder : "", u->dwo_name,
						    take_split, s);
		if (!found && !l->missing++)
			l->first_missing = strdup(u->dwo_name);
	}
	/* The skeleton may have inlined functions too. */
	if (found) {
		s->unit.file->code = l->file.code;
		s->unit.file->budget += BUDGET_AN_ADDRESS * (uint64_t)l->count;
	}
	ok = walk_entries(l, found ? &s->unit : u);
	if (found)
		s->unit.file->code = (struct dwarf_ranges){ 0 };
	if (other) {
		report_fault(l, &s->file);
		dwarf_file_close(&s->file);
	}
	free(s);
	return ok;
}

/* ---- a unit ---------------------------------------------------------------------------------- */

/* Rows are ascending and the last is an end: an address between two belongs to the first's line. */
static void take_rows(void *arg, const struct dwarf_row *rows, uint32_t n)
{
	struct lines *l = arg;
	uint32_t low, row = 0;

	if (!dwarf_is_code(&l->file, rows[0].address))
		return;
	low = search_sorted(i, 0, l->count, l->address[i] < rows[0].address);
	for (; low < l->count && l->address[low] < rows[n - 1].address; low++) {
		struct spot *s = &l->spot[low];

		while (row + 1 < n && rows[row + 1].address <= l->address[low])
			row++;
		if (s->found || rows[row].end)
			continue;
		*s = (struct spot){ rows[row].file, rows[row].line, rows[row].column, true };
	}
}

static bool add_frame(struct lines *l, uint32_t n, const char *function, const char *file,
		      uint32_t line, uint32_t column)
{
	if (array_next(l->frame, n, l->room_frame))
		return false;
	l->frame[n] = (struct a2n_frame){
		.function = function,
		.file = file,
		.line = file ? line : 0,
		.column = file && line ? column : 0,
	};
	return true;
}

/* Emits the frames of one address: its own line, then the call site of each inlined function. */
static bool emit_frames(struct lines *l, const struct dwarf_unit *u, struct dwarf_files *files,
			uint32_t k)
{
	struct strings *strings = l->ms->strings;
	const struct spot *s = &l->spot[k];
	uint32_t node = l->inlined ? l->innermost[k] : NO_NODE, n = 0;
	const struct dwarf_node *of = node == NO_NODE ? NULL : &l->nodes.list[node];

	if (!s->found && !of)
		return true;
	if (!add_frame(l, n++, of ? of->name : NULL,
		       s->found ? dwarf_path(u, files, s->file, strings) : NULL, s->line,
		       s->column))
		return false;
	for (; of && of->parent != NO_NODE; of = &l->nodes.list[of->parent]) {
		l->frame[n - 1].inlined = true;
		if (!add_frame(l, n++, l->nodes.list[of->parent].name,
			       dwarf_path(u, files, of->call_file, strings), of->call_line,
			       of->call_column))
			return false;
	}
	l->take(l->arg, l->index[k], l->frame, n);
	return true;
}

/* One that is inlined in a requested function, and where its call stands. */
static void take_inlined(void *arg, const struct dwarf_function *f)
{
	struct lines *l = arg;
	struct a2n_frame frames[2] = { { .function = f->name, .inlined = true }, { 0 } };
	uint32_t k;

	if (!f->depth)
		return;
	k = search_sorted(i, 0, l->count, l->address[i] < f->outermost);
	if (k == l->count || l->address[k] != f->outermost)
		return;
	frames[1].file = dwarf_path(l->unit, &l->files, f->call_file, l->ms->strings);
	frames[1].line = frames[1].file ? f->call_line : 0;
	for (; k < l->count && l->address[k] == f->outermost; k++)
		l->take(l->arg, l->index[k], frames, 2);
}

static void no_rows(void *arg, const struct dwarf_row *rows, uint32_t n)
{
	(void)arg, (void)rows, (void)n;
}

static bool inlined_in_unit(struct lines *l, struct dwarf_unit *u)
{
	bool ok;

	l->files = (struct dwarf_files){ 0 };
	if (u->has_lines)
		dwarf_run_lines(u, &l->files, no_rows, l);
	l->unit = u;
	ok = walk_unit(l, u);
	dwarf_files_free(&l->files);
	return ok;
}

static bool one_unit(struct lines *l, struct dwarf_unit *u)
{
	struct dwarf_files files = { 0 };
	bool ok = true;
	uint32_t k;

	if (!l->take)
		return walk_unit(l, u);
	if (l->take_function)
		return inlined_in_unit(l, u);
	memset(l->spot, 0, l->count * sizeof(*l->spot));
	l->nodes.n = 0;
	/* Damage is reported; the part before it is used. */
	if (u->has_lines)
		dwarf_run_lines(u, &files, take_rows, l);
	if (l->inlined)
		ok = walk_unit(l, u);
	for (k = 0; k < l->count && ok; k++)
		ok = emit_frames(l, u, &files, k);
	dwarf_files_free(&files);
	return ok;
}

/* assigning addresses to units */

static int by_address(const void *pa, const void *pb)
{
	const struct wanted_line *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int by_unit(const void *pa, const void *pb)
{
	const struct wanted_line *a = pa, *b = pb;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return by_address(pa, pb);
}

static void claim(struct lines *l, uint32_t unit, uint64_t from, uint64_t to)
{
	uint32_t low;

	if (!dwarf_is_code(&l->file, from))
		return;
	low = search_sorted(i, 0, l->n, l->wanted[i].address < from);
	for (; low < l->n && l->wanted[low].address < to; low++)
		if (l->wanted[low].unit == NO_UNIT)
			l->wanted[low].unit = unit;
	dwarf_spend(&l->file, 1);
}

/* A unit without address ranges: uses its line table. */
struct claiming {
	struct lines *l;
	uint32_t unit;
};

static void claim_rows(void *arg, const struct dwarf_row *rows, uint32_t n)
{
	struct claiming *c = arg;

	claim(c->l, c->unit, rows[0].address, rows[n - 1].address);
}

static void claim_all(struct lines *l)
{
	struct dwarf_ranges ranges = { 0 };
	uint32_t i, k;

	for (i = 0; i < l->file.n_units; i++) {
		struct dwarf_unit *u = &l->file.unit[i];

		if (!dwarf_unit_open(u) || !u->has_ranges)
			continue;
		ranges.n = 0;
		if (u->ranges.class != ATTR_NONE)
			dwarf_read_ranges(u, &u->ranges, &ranges);
		else
			dwarf_add_range(&ranges, u->low, u->high);
		for (k = 0; k < ranges.n; k++)
			claim(l, i, ranges.list[k].low, ranges.list[k].high);
	}
	free(ranges.list);
	for (i = 0; i < l->file.n_units; i++) {
		struct claiming c = { l, i };
		struct dwarf_files files = { 0 };

		if (l->file.unit[i].bad || l->file.unit[i].has_ranges || !l->file.unit[i].has_lines)
			continue;
		dwarf_run_lines(&l->file.unit[i], &files, claim_rows, &c);
		dwarf_files_free(&files);
	}
}

static bool all_units(struct lines *l)
{
	uint32_t i, end, k;

	claim_all(l);
	qsort(l->wanted, l->n, sizeof(*l->wanted), by_unit);
	for (i = 0; i < l->n && l->wanted[i].unit != NO_UNIT; i = end) {
		for (end = i; end < l->n && l->wanted[end].unit == l->wanted[i].unit; end++) {
			k = end - i;
			l->address[k] = l->wanted[end].address;
			l->index[k] = l->wanted[end].i;
		}
		l->count = end - i;
		if (!one_unit(l, &l->file.unit[l->wanted[i].unit]))
			return false;
	}
	return true;
}

static bool prepare(struct lines *l, const uint64_t *offsets, size_t n)
{
	uint32_t i;

	l->n = (uint32_t)n;
	l->wanted = malloc((n + 1) * sizeof(*l->wanted));
	l->address = malloc((n + 1) * sizeof(*l->address));
	l->index = malloc((n + 1) * sizeof(*l->index));
	l->spot = malloc((n + 1) * sizeof(*l->spot));
	l->innermost = malloc((n + 1) * sizeof(*l->innermost));
	if (!l->wanted || !l->address || !l->index || !l->spot || !l->innermost)
		return false;
	for (i = 0; i < n; i++)
		l->wanted[i] = (struct wanted_line){ offsets[i], i, NO_UNIT };
	qsort(l->wanted, n, sizeof(*l->wanted), by_address);
	return true;
}

static void finish(struct lines *l)
{
	report_fault(l, &l->file);
	if (l->has_alt) {
		report_fault(l, &l->alt);
		dwarf_file_close(&l->alt);
	}
	if (l->has_package) {
		report_fault(l, &l->package);
		dwarf_file_close(&l->package);
	}
	report_missing(l);
	dwarf_file_close(&l->file);
	free(l->wanted);
	free(l->address);
	free(l->index);
	free(l->spot);
	free(l->innermost);
	free(l->nodes.list);
	free(l->frame);
	free(l->first_missing);
}

/* The file that has the DWARF: 0; -ENOENT: there is none. */
static int open_dwarf(struct lines *l, size_t n)
{
	struct elf_file elf;

	if (!module_dwarf_open(l->ms, l->module, &elf, l->path, sizeof(l->path))) {
		module_warn_servers(l->ms, l->module);
		return -ENOENT;
	}
	if (!open_file(l, &l->file, &elf, l->path, false))
		return -ENOMEM;
	l->file.budget += BUDGET_AN_ADDRESS * (uint64_t)n;
	open_alt(l);
	dwarf_units(&l->file);
	return 0;
}

static int resolve(struct lines *l, const uint64_t *offsets, size_t n)
{
	int rc = open_dwarf(l, n);

	if (rc)
		return rc;
	rc = -ENOMEM;
	if (prepare(l, offsets, n) && all_units(l))
		rc = dwarf_file_has_lines(&l->file) ? 0 : -ENODATA;
	finish(l);
	return rc;
}

int module_lines(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		 bool inlined, a2n_take_frames take, void *arg)
{
	struct lines *l = n < UINT32_MAX ? calloc(1, sizeof(*l)) : NULL;
	int rc;

	if (!l)
		return -ENOMEM;
	*l = (struct lines){
		.ms = ms,
		.module = m,
		.inlined = inlined,
		.take = take,
		.arg = arg,
	};
	rc = resolve(l, offsets, n);
	if (rc == -ENOENT)
		rc = module_lines_go(ms, m, offsets, n, take, arg);
	free(l);
	return rc == -ENODATA ? -ENOENT : rc;
}

int module_inlined(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		   a2n_take_frames take, void *arg)
{
	struct lines *l = n < UINT32_MAX ? calloc(1, sizeof(*l)) : NULL;
	int rc;

	if (!l)
		return -ENOMEM;
	*l = (struct lines){
		.ms = ms,
		.module = m,
		.take = take,
		.take_function = take_inlined,
		.names = &ms->functions,
		.arg = arg,
	};
	rc = resolve(l, offsets, n);
	free(l);
	return rc == -ENODATA ? -ENOENT : rc;
}

int module_signatures(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		      inner_take_signature take, void *arg)
{
	struct lines *l = n < UINT32_MAX ? calloc(1, sizeof(*l)) : NULL;
	int rc;

	if (!l)
		return -ENOMEM;
	*l = (struct lines){ .ms = ms, .module = m, .take_signature = take, .arg = arg };
	rc = resolve(l, offsets, n);
	free(l);
	return rc == -ENODATA ? -ENOENT : rc;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A part of a function that lies elsewhere is called as compilers call it. */
static void take_symbol(void *arg, const struct dwarf_function *f)
{
	const struct lines *l = arg;
	struct symtab *t = l->arg;
	char cold[4096];

	if (f->depth || !f->name)
		return;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct dwarf_range *r = &f->range[i];
		const char *name = f->name;

		if (r->high <= r->low || !dwarf_is_code(&l->file, r->low))
			continue;
		if (i && snprintf(cold, sizeof(cold), "%s.cold", name) < (int)sizeof(cold))
			name = cold;
		symtab_add(t, r->low, r->high - r->low, r->high,
			   RANK(f->external ? RANK_GLOBAL : RANK_LOCAL, true), name, strlen(name));
	}
}

/* 0 or -ENOMEM. */
static int symbols_of_units(struct lines *l)
{
	for (uint32_t i = 0; i < l->file.n_units; i++) {
		struct dwarf_unit *u = &l->file.unit[i];

		if (dwarf_unit_open(u) && !walk_unit(l, u))
			return -ENOMEM;
	}
	return 0;
}

uint32_t module_dwarf_symbols(struct modules *ms, const struct module *m, struct symtab *t)
{
	struct lines *l = calloc(1, sizeof(*l));
	struct dwarf_names names = { .arena = &ms->arena, .strings = ms->strings };
	uint32_t had = t->n;
	int rc;

	ms->no_memory |= !l;
	if (!l)
		return 0;
	*l = (struct lines){
		.ms = ms,
		.module = m,
		.take_function = take_symbol,
		.names = &names,
		.arg = t,
	};
	rc = open_dwarf(l, 0);
	if (!rc) {
		rc = symbols_of_units(l);
		finish(l);
	}
	ms->no_memory |= rc == -ENOMEM;
	table_free(&names.table);
	free(l);
	return t->n - had;
}
