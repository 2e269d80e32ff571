/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a perf map, read from a file and from memory, which must say the same; in two parts as one
 * that grows between looks; told to liba2n and asked for again. And the part of one in a trace.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "fuzz.h"
#include "perfmap.h"
#include "pifile.h"

#define ASK 64 /* addresses to remember */

static struct a2n *a;
static uint64_t asked[ASK];
static unsigned int n;

static void check(const struct perfmap_entry *e, size_t size, uint64_t last)
{
	if (!e->size || e->address + e->size < e->address || !e->name_length || e->offset >= size ||
	    (e->line > 1 && e->offset <= last) || memchr(e->name, 0, e->name_length) ||
	    memchr(e->name, '\n', e->name_length))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct a2n_map heap = {
		.start = 0x1000,
		.length = 1ull << 46,
		.flags = A2N_MAP_ANON,
	};
	struct perfmap *file, *memory, *other_map;
	struct perfmap_entry e, other;
	struct perfmap_fault fault, same;
	struct perfmap_part part;
	struct a2n_answer r;
	const char *why = NULL;
	uint64_t last = 0;
	size_t half = size / 2;
	int fd = memfd_create("perfmap", MFD_CLOEXEC), rc;
	unsigned int i;

	a = a2n_open(NULL);
	if (fd < 0 || !a || write(fd, data, half) != (ssize_t)half ||
	    perfmap_open_fd(&file, dup(fd), &why) || perfmap_open_text(&memory, data, size) ||
	    a2n_process(a, 1, 7, 1) || a2n_add_map(a, 1, 7, &heap))
		abort();
	/* Files that are not perf maps. */
	if (perfmap_open(&other_map, "/dev/null", (uid_t)-1, &why) != -EBADMSG || !why ||
	    perfmap_open(&other_map, "/proc/self/exe", (uid_t)-1, &why) != -ELOOP ||
	    perfmap_open(&other_map, "/nowhere", 0, &why) != -ENOENT)
		abort();
	/* As a section of a trace: after a line about it. */
	rc = perfmap_open_part(&other_map, data, size, &part);
	if (rc != (rc ? -EBADMSG : 0) || (!rc && !memchr(part.path, 0, sizeof(part.path))))
		abort();
	while (!rc && perfmap_next(other_map, &e) > 0)
		check(&e, size, 0);
	if (!rc)
		perfmap_close(other_map);
	if (a2n_feed_section(a, PIFILE_SEC_PERFMAP, data, size) != rc)
		abort();
	n = 0;
	for (i = 0; i < 2; i++) {
		while ((rc = perfmap_next(file, &e)) > 0) {
			check(&e, size, last);
			last = e.offset;
			if (perfmap_next(memory, &other) != 1 || other.address != e.address ||
			    other.size != e.size || other.offset != e.offset ||
			    other.name_length != e.name_length ||
			    memcmp(other.name, e.name, e.name_length))
				abort();
			if (a2n_jit_map(a, i * 100, i * 100 + 100, 7, e.address, e.size, e.name,
					e.name_length))
				abort();
			asked[n++ % ASK] = e.address;
		}
		if (rc)
			abort();
		if (!i && write(fd, data + half, size - half) != (ssize_t)(size - half))
			abort();
	}
	if (perfmap_next(memory, &other))
		abort();
	perfmap_fault(file, &fault);
	perfmap_fault(memory, &same);
	if (fault.lines != same.lines || fault.what != same.what || fault.offset != same.offset ||
	    fault.unfinished > size || (fault.what ? fault.offset >= size : fault.lines))
		abort();
	for (i = 0; i < n && i < ASK; i++) {
		a2n_resolve(a, 7, 200, asked[i], false, &r);
		if (!r.symbol || !r.module || r.symbol->module != r.module)
			abort();
		fuzz_touch(r.symbol->name, strlen(r.symbol->name));
	}
	perfmap_close(file);
	perfmap_close(memory);
	close(fd);
	a2n_close(a);
	return 0;
}
