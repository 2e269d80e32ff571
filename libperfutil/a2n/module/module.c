/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known modules: one object each, build ids, images. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/code_memory.h"
#include "a2n/module/module.h"
#include "a2n/module/msi.h"

struct known_id {
	struct file_key key;
	struct build_id id;
	struct file_content content; /* size 0: unknown */
};

static uint64_t hash_key(const struct file_key *key)
{
	return hash_u64(key->inode ^
			hash_u64((uint64_t)key->major << 32 ^ (uint64_t)key->minor << 16 ^
				 key->generation ^ (uint64_t)key->machine << 48));
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
	module_set_none(m, A2N_RESULT_NO_SYMBOLS, "not loaded yet");
	return table_add(&ms->table, hash, m) ? NULL : m;
}

struct module *module_named(struct modules *ms, const char *name, enum module_kind kind,
			    uint32_t machine)
{
	struct module wanted = { .kind = kind, .key.machine = machine };
	struct module *m;

	wanted.loaded = kind != MODULE_VDSO && kind != MODULE_VDSO_32;
	wanted.path = strings_intern(ms->strings, name, strlen(name));
	if (!wanted.path)
		return NULL;
	m = intern(ms, &wanted, wanted.path);
	return m;
}

struct module *module_of_kernel(struct modules *ms, const char *name, uint32_t number,
				uint32_t machine)
{
	struct module wanted = {
		.kind = MODULE_KERNEL,
		.loaded = true,
		.key = { number, .machine = machine },
	};

	wanted.path = strings_intern(ms->strings, name, strlen(name));
	return wanted.path ? intern(ms, &wanted, wanted.path) : NULL;
}

/* Only 32-bit programs have it at these low addresses. */
static struct module *vdso_at(struct modules *ms, uint64_t start)
{
	return start >> 32 ? module_named(ms, A2N_VDSO, MODULE_VDSO, ms->machine) :
			     module_named(ms, A2N_VDSO_32, MODULE_VDSO_32, ms->machine);
}

bool module_holds_code(const struct module *m)
{
	return m && (m->kind == MODULE_ANON ||
		     (m->kind == MODULE_FILE && code_memory(m->path, strlen(m->path))));
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
	/* The inode identifies the file; without one the name may refer to another file. */
	wanted.deleted = deleted && !map->inode;
	wanted.path = strings_intern(ms->strings, path, length);
	if (!wanted.path)
		return NULL;
	if (map->inode)
		wanted.key = (struct file_key){ map->inode, map->dev_major, map->dev_minor,
						map->generation, ms->machine };
	else if (msi_of(ms, ms->machine))
		wanted.key.machine = ms->machine;
	if (map->build_id && map->build_id_size && map->build_id_size <= BUILD_ID_MAX) {
		wanted.id.size = (uint8_t)map->build_id_size;
		memcpy(wanted.id.id, map->build_id, map->build_id_size);
	}
	m = intern(ms, &wanted, wanted.path);
	if (m) {
		m->gone |= deleted;
		if (map->offset < m->lowest)
			m->lowest = map->offset;
		if (ms->time_of_day && (!m->mapped || ms->time_of_day < m->mapped))
			m->mapped = ms->time_of_day;
	}
	return m;
}

/* Unloads modules that answered from the wrong file, so that they are looked up again. */
static void look_again(struct modules *ms, const struct file_key *key)
{
	for (uint32_t i = 0; i < ms->table.keys.used; i++) {
		struct module *m = ms->table.item[i];

		if (m->kind == MODULE_FILE && m->loaded && same_key(&m->key, key))
			module_unload(m);
	}
}

int module_build_id(struct modules *ms, const struct file_key *key, const void *id, size_t size)
{
	struct known_id *known;
	struct build_id new = { .size = (uint8_t)size };

	/* Without an inode the id would match every file. */
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
	look_again(ms, key);
	return 0;
}

int module_content(struct modules *ms, const struct file_key *key,
		   const struct file_content *content)
{
	struct known_id *known;
	int r = module_build_id(ms, key, NULL, 0);

	known = r || !key->inode ? NULL : table_find(&ms->ids, hash_key(key), match_id, key);
	if (known) {
		known->content = *content;
		look_again(ms, key);
	}
	return r;
}

int module_copy(struct modules *ms, const struct file_key *key, const void *data, size_t size)
{
	struct file_key of = *key;
	int rc;

	of.machine = ms->machine;
	rc = copied_add(&ms->copies, &of, data, size);
	if (rc == -EFBIG && ms->warn)
		ms->warn(ms->warn_arg, "copies of files in the trace",
			 "more than 128 MB: the rest is left out");
	look_again(ms, &of);
	return rc == -EFBIG ? 0 : rc;
}

const struct image *module_image(const struct modules *ms, const struct module *m)
{
	const struct images *images = m->key.machine ? &ms->extra[m->key.machine - 1] : &ms->first;

	return m->kind == MODULE_VDSO    ? &images->vdso :
	       m->kind == MODULE_VDSO_32 ? &images->vdso_32 :
					   NULL;
}

int module_vdso(struct modules *ms, const void *image, size_t size)
{
	const unsigned char *e = image;
	bool is_32 = size > EI_CLASS && !memcmp(e, ELFMAG, SELFMAG) && e[EI_CLASS] == ELFCLASS32;
	struct images *images = ms->machine ? &ms->extra[ms->machine - 1] : &ms->first;
	struct image *to = is_32 ? &images->vdso_32 : &images->vdso;
	struct module *m = is_32 ? module_named(ms, A2N_VDSO_32, MODULE_VDSO_32, ms->machine) :
				   module_named(ms, A2N_VDSO, MODULE_VDSO, ms->machine);
	void *copy = malloc(size ? size : 1);

	if (!m || !copy) {
		free(copy);
		return -ENOMEM;
	}
	if (size)
		memcpy(copy, image, size);
	free(to->bytes);
	to->bytes = copy;
	to->size = size;
	module_unload(m);
	return 0;
}

const struct build_id *module_known_build_id(const struct modules *ms, const struct module *m)
{
	const struct known_id *known;

	if (m->id.size)
		return &m->id;
	known = m->key.inode ? table_find(&ms->ids, hash_key(&m->key), match_id, &m->key) : NULL;
	return known ? &known->id : NULL;
}

const struct file_content *module_declared_content(const struct modules *ms, const struct module *m)
{
	const struct known_id *known = NULL;

	if (m->key.inode)
		known = table_find(&ms->ids, hash_key(&m->key), match_id, &m->key);
	return known && !known->id.size && known->content.size ? &known->content : NULL;
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
	symtab_free(&m->data);
	free(m->data_made);
	m->data_made = NULL;
	m->looked = false;
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
		.arena = &ms->arena,
		.strings = strings,
		.demangle = ms->demangle,
	};
	ms->none = module_named(ms, A2N_NO_MODULE, MODULE_ANON, 0);
	ms->anon = module_named(ms, A2N_JITCODE, MODULE_ANON, 0);
	if (!ms->none || !ms->anon)
		return -ENOMEM;
	module_set_none(ms->none, A2N_RESULT_NO_MODULE, "nothing was mapped there");
	module_set_none(ms->anon, A2N_RESULT_JIT_UNKNOWN,
			"code generated at run time and not announced");
	return roots_open(&ms->roots, options ? options->sympath : NULL);
}

static void images_free(struct images *images)
{
	free(images->vdso.bytes);
	free(images->vdso_32.bytes);
}

int modules_machines(struct modules *ms, uint32_t count)
{
	ms->extra = calloc(count, sizeof(*ms->extra));
	ms->machines = ms->extra ? count : 0;
	return ms->extra ? 0 : -ENOMEM;
}

void modules_close(struct modules *ms)
{
	uint32_t i;

	msi_free(ms);
	for (i = 0; i < ms->table.keys.used; i++)
		module_unload(ms->table.item[i]);
	table_free(&ms->table);
	table_free(&ms->ids);
	table_free(&ms->functions.table);
	roots_close(&ms->roots);
	arena_free(&ms->arena);
	copied_free(&ms->copies);
	images_free(&ms->first);
	for (i = 0; ms->extra && i < ms->machines; i++)
		images_free(&ms->extra[i]);
	free(ms->extra);
}
