/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and opens a module's file. */
#ifndef A2N_MODULE_FILE_H
#define A2N_MODULE_FILE_H

#include <limits.h>

#include "a2n/module/module.h"

/* A module's file during the search. */
struct module_file {
	const struct module *module;
	const struct build_id *build_id;
	const char *why; /* why it was not found */
	struct elf_file elf;
	const struct file_content *content; /* recorded content; NULL: unknown */
	bool other_inode;                   /* another inode than the one that ran; no build id */
	bool by_time; /* … identified only by the time of its last write, which can be set */
	char path[PATH_MAX];
};
/* True: elf is open, path is its name. */
bool module_file_find(struct modules *ms, const struct module *m, struct module_file *f);
/* Returns a descriptor, or -errno. */
int module_file_open(struct modules *ms, const struct module *m, enum a2n_file which, char *path,
		     size_t size);
/* Opens the file with its DWARF: the module's file, or its separate debug file. False: neither. */
bool module_dwarf_open(struct modules *ms, const struct module *m, struct elf_file *elf, char *path,
		       size_t size);

#endif
