/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the files that hold a module's symbols: below the folders of sympath, on the live system,
 * and separate debug files.
 */
#ifndef A2N_FILES_H
#define A2N_FILES_H

#include <sys/stat.h>

#include "a2n/module/debuginfod.h"
#include "a2n/elf/elf_file.h"

struct roots {
	char **root; /* sympath's folders; the last is "" for / */
	uint32_t n;
	bool no_debug_files;
	struct debuginfod *servers; /* NULL: no server */
};

int roots_open(struct roots *roots, const char *sympath);
void roots_close(struct roots *roots);

/* Opens a regular file of a reasonable size for reading; -1 and the reason. */
int file_open_regular(const char *path, struct stat *st, const char **why);

/* Calls back with each file that may be `path` until the callback returns true. */
typedef bool (*file_taker)(void *arg, const char *file, int fd, const struct stat *st, bool live);
bool files_candidates(const struct roots *roots, const char *path, file_taker take, void *arg,
		      const char **why);

/* Finds the separate debug file with this build id, or (no id) the one of f's debug link. Its path
 * is stored in `found`. */
bool files_debug(const struct roots *roots, const char *path, const struct build_id *id,
		 struct elf_file *f, struct elf_file *debug, char *found, size_t size);

/* Finds the file that a debug file (near) shares with others, by its build id. */
bool files_shared(const struct roots *roots, const char *near, const char *name,
		  const struct build_id *id, struct elf_file *f, char *found, size_t size);
/* Calls back with each file that may be the .dwo of this name, compiled in this folder, of a file
 * (near), until the callback returns true. */
bool files_split(const struct roots *roots, const char *near, const char *folder, const char *name,
		 file_taker take, void *arg);

#endif
