/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Build ids in the header of a perf.data. They belong to paths, as perf found them at the end of
 * the recording; a mapping has the inode of its file. If the file with that path and build id has
 * another inode than the mapping, and already had it before the recording ended, perf read the id
 * from that file and not from the mapped one.
 */
#include "input/perf/perf_build_ids.h"

#include <elfutils/libdwelf.h>
#include <libelf.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_same.h"
#include "input/perf/perf_bytes.h"
#include "base/regular.h"
#include "input/perf/perf_wall.h"

static bool has_id(int fd, const struct perf_build_id *id)
{
	const void *have;
	ssize_t n;
	bool same;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &have) : -1;
	same = n > 0 && n <= (ssize_t)id->size && !memcmp(have, id->id, (size_t)n);
	elf_end(elf);
	return same;
}

/* Returns the inode of the file that the id was read from; 0: unknown. */
static uint64_t inode_of(struct perf *p, const struct perf_build_id *id)
{
	struct stat st, data;
	struct statfs fs;
	uint64_t inode = 0;
	int fd;

	if (id->path[0] != '/')
		return 0;
	fd = regular_open(id->path, 0, &st);
	if (fd < 0)
		return 0;
	/* The recording ended with the last write to its file. (perf links programs into its cache
	 * shortly before.) On overlayfs stat() returns other inode numbers. */
	if ((stat(p->in->path, &data) || !S_ISREG(data.st_mode) ||
	     file_changed(&st) <= file_written(&data)) &&
	    !fstatfs(fd, &fs) && fs.f_type != OVERLAYFS_SUPER_MAGIC && has_id(fd, id))
		inode = st.st_ino;
	close(fd);
	return inode;
}

/* Returns false if another entry has the same path but another id: perf recorded several
 * containers. */
static bool is_alone(const struct perf *p, const struct perf_build_id *id)
{
	for (uint32_t i = 0; i < p->nbuild_ids; i++) {
		const struct perf_build_id *other = &p->build_id[i];

		if (!strcmp(other->path, id->path) &&
		    (other->size != id->size || memcmp(other->id, id->id, id->size)))
			return false;
	}
	return true;
}

const struct perf_build_id *perf_file_id(struct perf *p, const char *path, uint64_t inode)
{
	for (uint32_t i = 0; i < p->nbuild_ids; i++) {
		struct perf_build_id *id = &p->build_id[i];

		if (!id->size || strcmp(id->path, path))
			continue;
		if (!id->looked) {
			id->looked = true;
			id->alone = is_alone(p, id);
			id->inode = perf_recorded_here(p) ? inode_of(p, id) : 0;
		}
		/* If perf read the id from the mapped file itself, no other check is needed. */
		if (inode && id->inode ? id->inode == inode : id->alone)
			return id;
	}
	return NULL;
}
