/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a program's patch sites, as if it was loaded at its own addresses: both sections, its
 * functions by symbols and by the table for unwinders, the instructions at the sites. What comes
 * out lies in the program's code, in order, and nowhere over another.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"
#include "fuzz.h"
#include "sites.h"

#define SEGMENTS 16
#define MOST     (1u << 20) /* bytes of all of them */

static size_t load(const struct object_file *o, const uint8_t *data, size_t size,
		   struct image_segment *list)
{
	size_t n = 0, left = MOST;

	for (unsigned int i = 0; i < o->header.e_phnum && n < SEGMENTS; i++) {
		const Elf64_Phdr *p = &o->segments[i];
		uint64_t from = p->p_offset < size ? p->p_offset : size, have = size - from;
		uint8_t *copy;

		if (p->p_type != PT_LOAD || !p->p_memsz || p->p_memsz > left ||
		    p->p_vaddr > UINT64_MAX - p->p_memsz)
			continue;
		copy = calloc(1, p->p_memsz);
		if (!copy)
			abort();
		if (have > p->p_filesz)
			have = p->p_filesz;
		memcpy(copy, data + from, have < p->p_memsz ? have : p->p_memsz);
		left -= p->p_memsz;
		list[n++] = (struct image_segment){
			.address = p->p_vaddr,
			.size = p->p_memsz,
			.code = p->p_flags & PF_X,
			.at = copy,
		};
	}
	return n;
}

static void check(struct sites *s, const struct patch_image *im)
{
	struct patch_site *last = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct patch_site *site = &s->list[i];
		const struct site_bytes *b = &site->code.switched;
		struct bytes code = image_bytes(im, site->at, site->code.length, true);
		int32_t distances[SITE_DISTANCES];
		uint64_t target;

		if (last && site->at < last->at + last->code.length)
			abort();
		last = site;
		if (bytes_left(&code) < site->code.length || b->at + b->n > site->code.length ||
		    memcmp(code.base + b->at, b->off, b->n) != 0)
			abort();
		fuzz_touch(distances,
			   site_code_distances(&site->code, distances) * sizeof(*distances));
		target = site->code.far ?
				 site->at + SITE_JUMP + (uint64_t)(int64_t)site->code.distance :
				 site->at + 4096;
		if (!site_code_aim(&site->code, site->at, target))
			abort();
		if (site->code.before.at + site->code.before.n > SITE_LONGEST)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct image_segment segments[SEGMENTS];
	struct patch_fault f = { 0 };
	struct sites s = { 0 };
	struct object_file o;
	struct patch_image im;
	int found;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!object_file_open(&o, fd, &f)) {
		if (!f.what[0])
			abort();
		close(fd);
		return 0;
	}
	object_file_functions(&o, &f);
	im = (struct patch_image){ 0, segments, load(&o, data, size, segments) };
	f.what[0] = 0;
	found = sites_read(&s, &im, &o, &f);
	if ((found < 0) != (f.what[0] != 0) || found > sites_sections(&o) || s.n > s.entries)
		abort();
	check(&s, &im);
	sites_free(&s);
	for (size_t i = 0; i < im.n_segments; i++)
		free((void *)segments[i].at);
	object_file_close(&o);
	close(fd);
	return 0;
}
