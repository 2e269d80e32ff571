/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"

#define DEBUG_FILES "/usr/lib/debug"

bool vm_file_map(struct vm_elf *f, int fd)
{
	struct stat st;
	void *p = NULL;

	*f = (struct vm_elf){ 0 };
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (!p || p == MAP_FAILED)
		return false;
	*f = (struct vm_elf){ p, (size_t)st.st_size };
	return true;
}

void vm_file_unmap(struct vm_elf *f)
{
	if (f->data)
		munmap((void *)f->data, f->size);
	*f = (struct vm_elf){ 0 };
}

static bool is_of(const struct vm_elf *debug, const uint8_t *id, uint32_t size)
{
	uint32_t own = 0;
	const uint8_t *its = vm_elf_build_id(debug, &own);

	return its && own == size && !memcmp(its, id, size) && vm_elf_has_symbols(debug);
}

/* Only accepts files of root or the user: they determine where code is changed. */
static bool try_file(struct vm_elf *debug, const char *path, const uint8_t *id, uint32_t size)
{
	struct stat st;
	int fd = regular_open(path, 0, &st);

	if (fd >= 0 &&
	    ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH))) {
		close(fd);
		return false;
	}
	if (!vm_file_map(debug, fd))
		return false;
	if (is_of(debug, id, size))
		return true;
	vm_file_unmap(debug);
	return false;
}

static bool by_name(struct vm_elf *debug, const char *path, const char *name, const uint8_t *id,
		    uint32_t size)
{
	static const char *const places[][2] = { { "", "" },
						 { "", "/.debug" },
						 { DEBUG_FILES, "" } };
	char real[PATH_MAX], file[PATH_MAX + NAME_MAX + 64];
	char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;

	if (!slash)
		return false;
	*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(file, sizeof(file), "%s%s%s/%s", places[i][0], real, places[i][1], name);
		if (try_file(debug, file, id, size))
			return true;
	}
	return false;
}

bool vm_file_debug(struct vm_elf *debug, const struct vm_elf *library, const char *path)
{
	char file[sizeof(DEBUG_FILES) + 2 * VM_ELF_ID + 32], name[NAME_MAX + 1];
	uint32_t size = 0, n;
	const uint8_t *id = vm_elf_build_id(library, &size);

	if (!id)
		return false;
	n = (uint32_t)snprintf(file, sizeof(file), DEBUG_FILES "/.build-id/%02x/", id[0]);
	for (uint32_t i = 1; i < size; i++)
		n += (uint32_t)snprintf(file + n, sizeof(file) - n, "%02x", id[i]);
	snprintf(file + n, sizeof(file) - n, ".debug");
	return try_file(debug, file, id, size) ||
	       (vm_elf_debug_name(library, name) && by_name(debug, path, name, id, size));
}
