/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols of modules. Their file must be the one that ran: a known build id decides; without one,
 * another inode causes a warning.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/base/demangle.h"
#include "a2n/dwarf/dwarf_file.h"
#include "a2n/elf/go_table.h"
#include "a2n/module/addr_lines.h"
#include "a2n/module/module_file.h"
#include "a2n/module/module_symbols.h"
#include "a2n/module/msi.h"

#define PAGE 4096ull

static const char no_memory[] = "out of memory"; /* the same text as in elf_file_open() */

/* A file that could not be read for lack of memory must not count as one without names. */
static void see_memory(struct modules *ms, const char *from)
{
	ms->no_memory |= from && !strcmp(from, no_memory);
}

static bool make_room(struct a2n_symbol ***made, const struct symtab *tab)
{
	if (!*made && tab->n)
		*made = calloc(tab->n, sizeof(**made));
	return *made;
}

void module_adopt(struct module *m, struct symtab *tab)
{
	struct symtab old = m->tab;
	struct a2n_symbol **made = m->made;
	uint32_t i, k;

	m->tab = *tab;
	m->made = NULL;
	*tab = (struct symtab){ 0 };
	for (i = 0; made && i < old.n; i++) {
		if (!made[i])
			continue;
		k = symtab_find(&m->tab, old.symbols[i].value);
		if (k != NO_SYMBOL && m->tab.symbols[k].value == old.symbols[i].value &&
		    !strcmp(symtab_name(&m->tab, k), made[i]->raw_name) &&
		    make_room(&m->made, &m->tab)) {
			m->made[k] = made[i];
			made[i]->size = m->tab.symbols[k].end - m->tab.symbols[k].value;
		}
	}
	free(made);
	symtab_free(&old);
}

/* ---- loading --------------------------------------------------------------------------------- */

struct loading {
	struct modules *ms;
	struct module *m;
	struct module_file file;
};

static const char *text(struct modules *ms, const char *s)
{
	const char *copy = strings_intern(ms->strings, s, strlen(s));

	return copy ? copy : no_memory;
}

static bool take_segments(struct module *m, struct elf_file *f)
{
	m->segments = f->segments;
	m->n_segments = f->n_segments;
	f->segments = NULL;
	f->n_segments = 0;
	if (!f->hollow)
		return true;
	/* Only the mappings give the addresses: the lowest one is the segment's start. */
	if (m->n_segments != 1 || m->lowest == UINT64_MAX)
		return false;
	m->segments->size += m->segments->address % PAGE;
	m->segments->address &= ~(PAGE - 1);
	m->segments->offset = m->lowest;
	return true;
}

/* The names that remain in stripped Go programs. */
static uint32_t load_go(struct loading *l)
{
	struct go_table g;
	uint32_t n = elf_symbols_go(&l->file.elf, &l->m->tab, &g);
	char *message;

	if (g.fault && asprintf(&message,
				"Go's table of functions is damaged, %s: %s, at 0x%" PRIx64
				" of it: %u functions were read",
				l->file.path, g.fault, g.fault_at, n) >= 0) {
		module_warn(l->ms, l->m, message);
		free(message);
	}
	go_table_close(&g);
	return n;
}

/* Loads the symbols of an opened file and its companions; `from` is the file with most of them. */
static uint32_t load_symbols(struct loading *l, const char **from)
{
	struct symtab *t = &l->m->tab;
	struct build_id id;
	struct elf_file debug;
	char found[PATH_MAX];
	uint32_t n;
	bool full;

	*from = l->file.path;
	n = elf_symbols_full(&l->file.elf, t);
	if (!n) {
		elf_file_build_id(&l->file.elf, &id);
		if (files_debug(&l->ms->roots, l->m->path, &id, &l->file.elf, &debug, found,
				sizeof(found))) {
			n = elf_symbols_full(&debug, t);
			if (n)
				*from = text(l->ms, found);
			elf_file_close(&debug);
		}
	}
	full = n;
	/* A stripped file may still have DWARF, for all functions or for some. */
	if (!full)
		n = module_dwarf_symbols(l->ms, l->m, t) + elf_symbols_debugdata(&l->file.elf, t);
	n += elf_symbols_dynamic(&l->file.elf, t);
	elf_symbols_plt(&l->file.elf, t);
	n += load_go(l);
	if (!full)
		dwarf_symbols_frames(&l->file.elf, t, l->m->path);
	return n;
}

static void load_file(struct loading *l)
{
	struct module *m = l->m;
	const char *from = NULL;
	struct elf_file debug;
	uint32_t n = 0;

	n = msi_symbols(l->ms, m, module_known_build_id(l->ms, m));
	if (n) {
		from = "saved symbols";
	} else if (module_file_find(l->ms, m, &l->file)) {
		n = load_symbols(l, &from);
		take_segments(m, &l->file.elf);
		elf_file_close(&l->file.elf);
		if (!n)
			from = "no symbols in the file, nor a debug file for it";
		if (n && l->file.other_inode)
			module_warn(l->ms, m,
				    "the file has another inode than the one that ran: "
				    "its names may be wrong");
		if (n && l->file.by_time)
			module_warn(l->ms, m,
				    "it has no build id and was changed after it was mapped (its mode, "
				    "its links): that it is the same is known by the time of its last write alone");
	} else {
		from = l->file.why;
		if (l->file.build_id && files_debug(&l->ms->roots, m->path, l->file.build_id, NULL,
						    &debug, l->file.path, sizeof(l->file.path))) {
			if (take_segments(m, &debug)) {
				n = elf_symbols_full(&debug, &m->tab);
				if (!n)
					n = module_dwarf_symbols(l->ms, m, &m->tab);
				if (n)
					from = l->file.path;
			} else {
				from = "the file is gone and its debug file does not say where "
				       "code was mapped";
			}
			elf_file_close(&debug);
		}
	}
	if (symtab_finish(&m->tab)) {
		module_unload(m);
		n = 0;
		from = no_memory;
	}
	see_memory(l->ms, from);
	/* Memory that never belongs to a file needs no warning. */
	if (!n && m->path[0] == '/' && strncmp(m->path, "/memfd:", 7) &&
	    strncmp(m->path, "/SYSV", 5))
		module_warn(l->ms, m, from);
	module_set_none(m, n ? A2N_RESULT_NO_SYMBOL : A2N_RESULT_NO_SYMBOLS, text(l->ms, from));
}

static void load_vdso(struct modules *ms, struct module *m)
{
	const struct image *image = module_image(ms, m);
	const char *from = "no image of the vdso";
	struct elf_file f;
	uint32_t n = 0;

	if (image->bytes) {
		from = elf_file_open_memory(&f, image->bytes, image->size);
		if (!from) {
			n = elf_symbols_full(&f, &m->tab) + elf_symbols_dynamic(&f, &m->tab);
			take_segments(m, &f);
			elf_file_close(&f);
			from = n ? m->pub.name : "the vdso's image has no symbols";
		}
	}
	if (symtab_finish(&m->tab)) {
		module_unload(m);
		n = 0;
		from = no_memory;
	}
	see_memory(ms, from);
	module_set_none(m, n ? A2N_RESULT_NO_SYMBOL : A2N_RESULT_NO_SYMBOLS, from);
}

static void load(struct modules *ms, struct module *m)
{
	struct loading *l;

	if (module_image(ms, m)) {
		load_vdso(ms, m);
	} else if (m->kind == MODULE_FILE) {
		l = calloc(1, sizeof(*l));
		if (l) {
			l->ms = ms;
			l->m = m;
			load_file(l);
			module_warn_servers(ms, m);
		} else {
			module_set_none(m, A2N_RESULT_NO_SYMBOLS, no_memory);
			see_memory(ms, no_memory);
		}
		free(l);
	}
	m->loaded = true;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Returns the virtual address of a file offset: by the segment that contains it, else by one whose
 * pages do. */
static uint64_t to_address(const struct module *m, uint64_t offset)
{
	uint32_t i;

	for (i = 0; i < m->n_segments; i++)
		if (offset - m->segments[i].offset < m->segments[i].size)
			return offset - m->segments[i].offset + m->segments[i].address;
	for (i = 0; i < m->n_segments; i++) {
		const struct elf_segment *s = &m->segments[i];

		if (offset >= (s->offset & ~(PAGE - 1)) &&
		    offset < s->offset + s->size + (-(s->offset + s->size) & (PAGE - 1)))
			return offset - s->offset + s->address;
	}
	return offset;
}

/* Creates a symbol of one of the module's two tables. */
static struct a2n_symbol *make_symbol(struct modules *ms, struct module *m,
				      const struct symtab *tab, struct a2n_symbol ***made,
				      uint32_t i, uint64_t bias)
{
	const struct symtab_symbol *raw = &tab->symbols[i];
	const char *name = symtab_name(tab, i);
	struct a2n_symbol *s;
	char *readable;

	if (!make_room(made, tab))
		return NULL;
	s = arena_alloc(&ms->arena, sizeof(*s));
	if (!s)
		return NULL;
	s->raw_name = s->name = strings_intern(ms->strings, name, strlen(name));
	if (!s->name)
		return NULL;
	readable = ms->demangle ? demangle_symbol(name) : NULL;
	if (readable) {
		name = strings_intern(ms->strings, readable, strlen(readable));
		if (name)
			s->name = name;
		free(readable);
	}
	s->value = raw->value + bias;
	s->size = raw->end - raw->value;
	s->module = &m->pub;
	return (*made)[i] = s;
}

void module_resolve(struct modules *ms, struct module *m, uint64_t offset, uint64_t bias,
		    struct a2n_answer *answer)
{
	struct a2n_symbol *s = NULL;
	uint64_t address;
	uint32_t i;

	if (!m->loaded)
		load(ms, m);
	address = m->n_segments ? to_address(m, offset) : offset;
	i = symtab_find(&m->tab, address);
	if (i != NO_SYMBOL) {
		s = m->made ? m->made[i] : NULL;
		if (!s) {
			s = make_symbol(ms, m, &m->tab, &m->made, i, bias);
			ms->no_memory |= !s;
		} else if (m->kind != MODULE_FILE)
			/* the address of a kernel module may have become known since */
			s->value = m->tab.symbols[i].value + bias;
	}
	address += bias;
	answer->module = &m->pub;
	answer->symbol = s ? s : &m->none;
	answer->result = s ? A2N_OK : m->none_result;
	answer->module_offset = address;
	answer->symbol_offset = s ? address - s->value : address;
}

/* Loads the variables of the file, or of its debug file if it has none itself, and its exported
 * ones. */
static void load_variables(struct modules *ms, struct module *m)
{
	struct module_file *file = calloc(1, sizeof(*file));
	struct build_id id;
	struct elf_file debug;

	m->looked = true;
	ms->no_memory |= !file;
	if (file && module_file_find(ms, m, file)) {
		if (!elf_variables(&file->elf, &m->data)) {
			elf_file_build_id(&file->elf, &id);
			if (files_debug(&ms->roots, m->path, &id, &file->elf, &debug, file->path,
					sizeof(file->path))) {
				elf_variables(&debug, &m->data);
				elf_file_close(&debug);
			}
		}
		elf_variables_exported(&file->elf, &m->data);
		elf_file_close(&file->elf);
	}
	if (symtab_finish(&m->data)) {
		symtab_free(&m->data);
		ms->no_memory = true;
	}
	free(file);
}

const struct a2n_symbol *module_variable(struct modules *ms, struct module *m, uint64_t address)
{
	struct a2n_symbol *s;
	uint32_t i;

	if (!m->looked)
		load_variables(ms, m);
	i = symtab_find(&m->data, address);
	if (i == NO_SYMBOL)
		return NULL;
	s = m->data_made ? m->data_made[i] : NULL;
	if (!s)
		s = make_symbol(ms, m, &m->data, &m->data_made, i, 0);
	ms->no_memory |= !s;
	return s;
}

void modules_each(struct modules *ms, void (*each)(void *arg, struct modules *ms, struct module *m),
		  void *arg)
{
	uint32_t i;

	for (i = 0; i < ms->table.keys.used; i++) {
		struct module *m = ms->table.item[i];

		if (m->kind != MODULE_FILE)
			continue;
		if (!m->loaded)
			load(ms, m);
		each(arg, ms, m);
	}
}

struct module *module_find(struct modules *ms, const char *path)
{
	uint32_t i;

	for (i = 0; i < ms->table.keys.used; i++) {
		struct module *m = ms->table.item[i];

		if (m->kind != MODULE_FILE || strcmp(m->path, path))
			continue;
		if (!m->loaded)
			load(ms, m);
		return m;
	}
	return NULL;
}

const struct a2n_symbol *module_symbol(struct modules *ms, struct module *m, uint32_t i)
{
	return m->made && m->made[i] ? m->made[i] : make_symbol(ms, m, &m->tab, &m->made, i, 0);
}
