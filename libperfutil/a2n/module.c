/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules and their symbols. The file whose symbols serve must be the one that ran: where a build
 * id was told it decides; where none was, another inode is a reason to warn.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "module.h"
#include "msi.h"

#define PAGE 4096ull

struct known_id {
	struct file_key key;
	struct build_id id;
};

static bool same_key(const struct file_key *a, const struct file_key *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->generation == b->generation;
}

static uint64_t hash_key(const struct file_key *key)
{
	return hash_u64(key->inode ^ hash_u64((uint64_t)key->major << 32 ^
					      (uint64_t)key->minor << 16 ^ key->generation));
}

static bool match_id(const void *item, const void *key)
{
	return same_key(&((const struct known_id *)item)->key, key);
}

static bool match_module(const void *item, const void *key)
{
	const struct module *a = item, *b = key;

	return a->path == b->path && a->kind == b->kind && a->deleted == b->deleted &&
	       same_key(&a->key, &b->key) && same_build_id(&a->id, &b->id);
}

void module_set_none(struct module *m, enum a2n_result result, const char *from)
{
	static const char *const names[] = {
		[A2N_RESULT_NO_SYMBOL] = A2N_NO_SYMBOL_FOUND,
		[A2N_RESULT_NO_SYMBOLS] = A2N_NO_SYMBOLS,
		[A2N_RESULT_NO_MODULE] = A2N_NO_MODULE,
		[A2N_RESULT_JIT_UNKNOWN] = A2N_JIT_UNKNOWN,
	};

	m->none_result = result;
	m->none.name = names[result];
	m->none.raw_name = m->none.name;
	m->none.module = &m->pub;
	m->pub.symbols_from = from;
}

void module_warn(const struct modules *ms, const struct module *m, const char *message)
{
	if (ms->warn)
		ms->warn(ms->warn_arg, m->pub.name, message);
}

void module_warn_servers(const struct modules *ms, const struct module *m)
{
	const char *why = ms->roots.servers ? debuginfod_why(ms->roots.servers) : NULL;

	if (why)
		module_warn(ms, m, why);
}

static struct module *intern(struct modules *ms, const struct module *wanted, const char *name)
{
	uint64_t hash = hash_key(&wanted->key) ^ hash_u64((uintptr_t)wanted->path + wanted->kind);
	struct module *m = table_find(&ms->table, hash, match_module, wanted);

	if (m)
		return m;
	m = arena_alloc(&ms->arena, sizeof(*m));
	if (!m)
		return NULL;
	*m = *wanted;
	m->pub.name = name;
	m->lowest = UINT64_MAX;
	module_set_none(m, A2N_RESULT_NO_SYMBOLS, "not asked for yet");
	return table_add(&ms->table, hash, m) ? NULL : m;
}

struct module *module_named(struct modules *ms, const char *name, enum module_kind kind)
{
	struct module wanted = { .kind = kind };
	struct module *m;

	wanted.loaded = kind != MODULE_VDSO && kind != MODULE_VDSO_32;
	wanted.path = strings_intern(ms->strings, name, strlen(name));
	if (!wanted.path)
		return NULL;
	m = intern(ms, &wanted, wanted.path);
	return m;
}

/* Only 32-bit programs have it down there. */
static struct module *vdso_at(struct modules *ms, uint64_t start)
{
	return start >> 32 ? module_named(ms, A2N_VDSO, MODULE_VDSO)
			   : module_named(ms, A2N_VDSO_32, MODULE_VDSO_32);
}

bool module_holds_code(const struct module *m)
{
	return m && (m->kind == MODULE_ANON || (m->kind == MODULE_FILE &&
						!strncmp(m->path, "/memfd:", 7)));
}

struct module *module_of_map(struct modules *ms, const struct a2n_map *map)
{
	static const char gone[] = " (deleted)";
	const char *path = map->path ? map->path : "";
	size_t length = strlen(path), tail = sizeof(gone) - 1;
	struct module wanted = { .kind = MODULE_FILE };
	bool deleted = map->flags & A2N_MAP_DELETED;
	struct module *m;

	if ((map->flags & A2N_MAP_VDSO) || !strcmp(path, A2N_VDSO))
		return vdso_at(ms, map->start);
	if ((map->flags & A2N_MAP_ANON) || !length || !strcmp(path, "//anon") ||
	    !strncmp(path, "/anon_hugepage", 14))
		return ms->anon;
	if (deleted && length > tail && !strcmp(path + length - tail, gone))
		length -= tail;
	/* Its inode stays the same file's; without one it may be another file with its name. */
	wanted.deleted = deleted && !map->inode;
	wanted.path = strings_intern(ms->strings, path, length);
	if (!wanted.path)
		return NULL;
	if (map->inode)
		wanted.key = (struct file_key){ map->inode, map->dev_major, map->dev_minor,
						map->generation };
	if (map->build_id && map->build_id_size && map->build_id_size <= BUILD_ID_MAX) {
		wanted.id.size = (uint8_t)map->build_id_size;
		memcpy(wanted.id.id, map->build_id, map->build_id_size);
	}
	m = intern(ms, &wanted, wanted.path);
	if (m) {
		m->gone |= deleted;
		if (map->offset < m->lowest)
			m->lowest = map->offset;
	}
	return m;
}

int module_build_id(struct modules *ms, const struct file_key *key, const void *id, size_t size)
{
	struct known_id *known;
	struct build_id new = { .size = (uint8_t)size };
	size_t i;

	/* Without an inode it would speak of every file. */
	if (size > BUILD_ID_MAX || !key->inode)
		return 0;
	if (size)
		memcpy(new.id, id, size);
	known = table_find(&ms->ids, hash_key(key), match_id, key);
	if (known && same_build_id(&known->id, &new))
		return 0;
	if (!known) {
		known = arena_alloc(&ms->arena, sizeof(*known));
		if (!known)
			return -ENOMEM;
		known->key = *key;
		if (table_add(&ms->ids, hash_key(key), known))
			return -ENOMEM;
	}
	known->id = new;
	/* Who already answered from the wrong file must look again. */
	for (i = 0; i < ms->table.size; i++) {
		struct module *m = ms->table.slots[i].item;

		if (m && m->kind == MODULE_FILE && m->loaded && same_key(&m->key, key))
			module_unload(m);
	}
	return 0;
}

const struct image *module_image(const struct modules *ms, const struct module *m)
{
	return m->kind == MODULE_VDSO ? &ms->vdso : m->kind == MODULE_VDSO_32 ? &ms->vdso_32 : NULL;
}

int module_vdso(struct modules *ms, const void *image, size_t size)
{
	const unsigned char *e = image;
	bool is_32 = size > EI_CLASS && !memcmp(e, ELFMAG, SELFMAG) && e[EI_CLASS] == ELFCLASS32;
	struct image *to = is_32 ? &ms->vdso_32 : &ms->vdso;
	struct module *m = is_32 ? module_named(ms, A2N_VDSO_32, MODULE_VDSO_32)
				 : module_named(ms, A2N_VDSO, MODULE_VDSO);
	void *copy = malloc(size ? size : 1);

	if (!m || !copy) {
		free(copy);
		return -ENOMEM;
	}
	if (size)
		memcpy(copy, image, size);
	free(to->bytes);
	*to = (struct image){ copy, size };
	module_unload(m);
	return 0;
}

const struct build_id *module_told(const struct modules *ms, const struct module *m)
{
	const struct known_id *known;

	if (m->id.size)
		return &m->id;
	known = m->key.inode ? table_find(&ms->ids, hash_key(&m->key), match_id, &m->key) : NULL;
	return known ? &known->id : NULL;
}

void module_unload(struct module *m)
{
	symtab_free(&m->tab);
	free(m->segments);
	free(m->made);
	m->segments = NULL;
	m->n_segments = 0;
	m->made = NULL;
	m->loaded = false;
}

static bool make_room(struct module *m)
{
	if (!m->made && m->tab.n)
		m->made = calloc(m->tab.n, sizeof(*m->made));
	return m->made;
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
		    !strcmp(symtab_name(&m->tab, k), made[i]->raw_name) && make_room(m)) {
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

	return copy ? copy : "out of memory";
}

static bool take_segments(struct module *m, struct elf_file *f)
{
	m->segments = f->segments;
	m->n_segments = f->n_segments;
	f->segments = NULL;
	f->n_segments = 0;
	if (!f->hollow)
		return true;
	/* Only memory says where the contents were: the lowest mapping is the segment's begin. */
	if (m->n_segments != 1 || m->lowest == UINT64_MAX)
		return false;
	m->segments->size += m->segments->address % PAGE;
	m->segments->address &= ~(PAGE - 1);
	m->segments->offset = m->lowest;
	return true;
}

/* The symbols of an opened file and its companions; the file that has most of them in `from`. */
static uint32_t load_symbols(struct loading *l, const char **from)
{
	struct symtab *t = &l->m->tab;
	struct build_id id;
	struct elf_file debug;
	char found[PATH_MAX];
	uint32_t n;

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
	if (!n)
		n = elf_symbols_debugdata(&l->file.elf, t);
	n += elf_symbols_dynamic(&l->file.elf, t);
	elf_symbols_plt(&l->file.elf, t);
	return n;
}

static void load_file(struct loading *l)
{
	struct module *m = l->m;
	const char *from = NULL;
	struct elf_file debug;
	uint32_t n = 0;

	n = msi_symbols(l->ms, m, module_told(l->ms, m));
	if (n) {
		from = "saved symbols";
	} else if (module_file_find(l->ms, m, &l->file)) {
		n = load_symbols(l, &from);
		take_segments(m, &l->file.elf);
		elf_file_close(&l->file.elf);
		if (!n)
			from = "no symbols in the file, nor a debug file for it";
		if (n && l->file.other_inode)
			module_warn(l->ms, m, "the file has another inode than the one that ran: "
				    "its names may be wrong");
	} else {
		from = l->file.why;
		if (l->file.told &&
		    files_debug(&l->ms->roots, m->path, l->file.told, NULL, &debug, l->file.path,
				sizeof(l->file.path))) {
			if (take_segments(m, &debug)) {
				n = elf_symbols_full(&debug, &m->tab);
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
		from = "out of memory";
	}
	/* Of memory that is no file by nature there is nothing to warn of. */
	if (!n && m->path[0] == '/' && strncmp(m->path, "/memfd:", 7) &&
	    strncmp(m->path, "/SYSV", 5))
		module_warn(l->ms, m, from);
	module_set_none(m, n ? A2N_RESULT_NO_SYMBOL : A2N_RESULT_NO_SYMBOLS, text(l->ms, from));
}

static void load_vdso(struct modules *ms, struct module *m)
{
	const struct image *image = module_image(ms, m);
	const char *from = "no image of the vdso was told";
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
		from = "out of memory";
	}
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
			module_set_none(m, A2N_RESULT_NO_SYMBOLS, "out of memory");
		}
		free(l);
	}
	m->loaded = true;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Virtual address of a file offset: by the segment that holds it, else by one whose pages do. */
static uint64_t to_address(const struct module *m, uint64_t offset)
{
	uint32_t i;

	for (i = 0; i < m->n_segments; i++)
		if (offset - m->segments[i].offset < m->segments[i].size)
			return offset - m->segments[i].offset + m->segments[i].address;
	for (i = 0; i < m->n_segments; i++) {
		const struct segment *s = &m->segments[i];

		if (offset >= (s->offset & ~(PAGE - 1)) &&
		    offset < s->offset + s->size + (-(s->offset + s->size) & (PAGE - 1)))
			return offset - s->offset + s->address;
	}
	return offset;
}

static struct a2n_symbol *make_symbol(struct modules *ms, struct module *m, uint32_t i,
				      uint64_t bias)
{
	const struct symbol *raw = &m->tab.symbols[i];
	const char *name = symtab_name(&m->tab, i);
	struct a2n_symbol *s;
	char *readable;

	if (!make_room(m))
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
	return m->made[i] = s;
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
		if (!s)
			s = make_symbol(ms, m, i, bias);
		else		/* where a kernel module begins may have become known since */
			s->value = m->tab.symbols[i].value + bias;
	}
	address += bias;
	answer->module = &m->pub;
	answer->symbol = s ? s : &m->none;
	answer->result = s ? A2N_OK : m->none_result;
	answer->module_offset = address;
	answer->symbol_offset = s ? address - s->value : address;
}

void modules_each(struct modules *ms,
		  void (*each)(void *arg, struct modules *ms, struct module *m), void *arg)
{
	size_t i;

	for (i = 0; i < ms->table.size; i++) {
		struct module *m = ms->table.slots[i].item;

		if (!m || m->kind != MODULE_FILE)
			continue;
		if (!m->loaded)
			load(ms, m);
		each(arg, ms, m);
	}
}

struct module *module_find(struct modules *ms, const char *path)
{
	size_t i;

	for (i = 0; i < ms->table.size; i++) {
		struct module *m = ms->table.slots[i].item;

		if (!m || m->kind != MODULE_FILE || strcmp(m->path, path))
			continue;
		if (!m->loaded)
			load(ms, m);
		return m;
	}
	return NULL;
}

const struct a2n_symbol *module_symbol(struct modules *ms, struct module *m, uint32_t i)
{
	return m->made && m->made[i] ? m->made[i] : make_symbol(ms, m, i, 0);
}

int modules_open(struct modules *ms, struct strings *strings, const struct a2n_options *options)
{
	ms->strings = strings;
	if (options) {
		ms->demangle = options->demangle;
		ms->warn = options->warn;
		ms->warn_arg = options->warn_arg;
		ms->roots.no_debug_files = options->no_debug_files;
		if (options->debuginfod_seconds) {
			ms->roots.servers = debuginfod_open(options->debuginfod_seconds);
			if (!ms->roots.servers)
				return -ENOMEM;
		}
	}
	ms->functions = (struct dwarf_names){
		.arena = &ms->arena, .strings = strings, .demangle = ms->demangle,
	};
	ms->none = module_named(ms, A2N_NO_MODULE, MODULE_ANON);
	ms->anon = module_named(ms, A2N_JITCODE, MODULE_ANON);
	if (!ms->none || !ms->anon)
		return -ENOMEM;
	module_set_none(ms->none, A2N_RESULT_NO_MODULE, "nothing was mapped there");
	module_set_none(ms->anon, A2N_RESULT_JIT_UNKNOWN, "code made at run time, of which nobody told");
	return roots_open(&ms->roots, options ? options->sympath : NULL);
}

void modules_close(struct modules *ms)
{
	size_t i;

	msi_free(ms);
	for (i = 0; i < ms->table.size; i++)
		if (ms->table.slots[i].item)
			module_unload(ms->table.slots[i].item);
	table_free(&ms->table);
	table_free(&ms->ids);
	table_free(&ms->functions.table);
	roots_close(&ms->roots);
	arena_free(&ms->arena);
	free(ms->vdso.bytes);
	free(ms->vdso_32.bytes);
}
