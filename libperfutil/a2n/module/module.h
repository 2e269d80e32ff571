/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules: one object for each distinct file (path, device, inode, generation, build id), and for
 * memory that belongs to no file. Symbols are loaded at the first look-up.
 */
#ifndef A2N_MODULE_H
#define A2N_MODULE_H

#include "a2n.h"
#include "a2n/dwarf/dwarf_file.h"
#include "a2n/elf/elf_file.h"
#include "base/file_same.h"
#include "files.h"
#include "a2n/module/copied_files.h"
#include "a2n/module/file_key.h"
#include "a2n/base/pool.h"
#include "a2n/elf/symtab.h"

enum module_kind { MODULE_FILE, MODULE_VDSO, MODULE_VDSO_32, MODULE_ANON, MODULE_KERNEL };

struct module {
	struct a2n_module pub;  /* must be first */
	struct a2n_symbol none; /* the answer for addresses without a symbol */
	enum a2n_result none_result;
	enum module_kind kind;
	bool loaded;
	bool deleted; /* part of its identity if the inode is unknown */
	bool gone;    /* it was deleted, before or after the mapping */
	const char *path;
	struct file_key key;
	struct build_id id; /* reported with the mapping; size 0: none */
	uint64_t mapped;    /* CLOCK_REALTIME of the first mapping; 0: unknown */
	uint64_t lowest;    /* the lowest file offset ever mapped */
	struct symtab tab;
	struct elf_segment *segments;
	uint32_t n_segments;
	struct a2n_symbol **made; /* by symbol number, NULL until first used */
	bool looked;              /* for variables: already loaded */
	struct symtab data;
	struct a2n_symbol **data_made; /* likewise */
};

struct modules {
	struct arena arena;
	struct strings *strings;
	struct item_table table, ids;
	struct roots roots;
	bool demangle;
	void (*warn)(void *arg, const char *module, const char *message);
	void *warn_arg;
	uint32_t machines;    /* number of machines announced; 0: one */
	uint32_t machine;     /* machine of the events being added */
	uint64_t time_of_day; /* … time of the mappings; 0: unknown */
	struct images {
		struct image {
			void *bytes; /* NULL: unknown */
			size_t size;
		} vdso, vdso_32;
	} first, *extra;            /* of machine 0; of machines 1 and up */
	struct copied_files copies; /* from the trace */
	struct module *none, *anon;
	struct msi_file *msi;         /* saved symbols */
	struct dwarf_names functions; /* DWARF function names: created once */
	uint32_t dwarf_files;         /* number opened so far */
	bool no_memory;               /* symbols were lost for lack of memory */
};

int modules_open(struct modules *ms, struct strings *strings, const struct a2n_options *options);
void modules_close(struct modules *ms);
/* Sets the number of machines. 0 or -ENOMEM. */
int modules_machines(struct modules *ms, uint32_t count);

/* Returns the module of a mapping, or NULL without memory. */
struct module *module_of_map(struct modules *ms, const struct a2n_map *map);
/* Returns the image of a vdso. NULL: m is not a vdso. */
const struct image *module_image(const struct modules *ms, const struct module *m);
/* Returns the module with this name, created at the first call; the caller adds its symbols. */
struct module *module_named(struct modules *ms, const char *name, enum module_kind kind,
			    uint32_t machine);
/* … a kernel module, one of several with this name. */
struct module *module_of_kernel(struct modules *ms, const char *name, uint32_t number,
				uint32_t machine);
int module_build_id(struct modules *ms, const struct file_key *key, const void *id, size_t size);
int module_content(struct modules *ms, const struct file_key *key,
		   const struct file_content *content);
/* Adds a copy of the file; it is used if the file itself is not found. 0 or -ENOMEM. */
int module_copy(struct modules *ms, const struct file_key *key, const void *data, size_t size);
int module_vdso(struct modules *ms, const void *image, size_t size);
/* Checks for memory that holds generated code: anonymous, or an unnamed file that two mappings
 * share. */
bool module_holds_code(const struct module *m);
/* Returns the recorded content of its file, which has no build id; NULL: unknown. */
const struct file_content *module_declared_content(const struct modules *ms,
						   const struct module *m);
/* Returns its recorded build id; NULL: unknown. */
const struct build_id *module_known_build_id(const struct modules *ms, const struct module *m);

/* Sets the answer for addresses without symbol in m, and the source of its symbols. */
void module_set_none(struct module *m, enum a2n_result result, const char *from);
/* Frees the symbols (objects handed out stay). */
void module_unload(struct module *m);
/* Reports once why servers returned no debug file. */
void module_warn_servers(const struct modules *ms, const struct module *m);
void module_warn(const struct modules *ms, const struct module *m, const char *message);

#endif
