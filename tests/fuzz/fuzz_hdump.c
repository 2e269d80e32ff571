/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a heap dump. What is read keeps its books: no object retains less than its own bytes, nor
 * more than all that are reached; what is damaged is told with a place in it.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "class_tree.h"
#include "fuzz.h"
#include "objects.h"
#include "rows.h"

static void books(struct heap *h)
{
	struct rows r = { 0 };
	struct big *list;
	struct class_tree t = { 0 };
	uint64_t count, objects = 0, bytes = 0;

	list = objects_biggest(h, 20, &count);
	if (!list)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		if (list[i].own > list[i].retained || list[i].retained > h->reached_bytes ||
		    ids_find(&h->ids, ids_of(&h->ids, list[i].object)) != list[i].object)
			abort();
		free(object_name(h, list[i].object));
	}
	free(list);
	if (class_tree_make(&t, h))
		abort();
	for (uint32_t i = 0; i < t.count; i++) {
		objects += t.place[i].objects;
		bytes += t.place[i].bytes;
	}
	if (objects != h->reached || bytes != h->reached_bytes ||
	    objects + t.unreachable != h->objects || bytes + t.unreachable_bytes != h->bytes)
		abort();
	class_tree_free(&t);
	if (h->reached > h->objects || heap_classes(h) || rows_of(&r, h))
		abort();
	rows_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	static char path[64];
	struct heap h;
	int rc;

	if (file < 0) {
		file = memfd_create("dump", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	if (file < 0 || ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		abort();
	rc = heap_open(&h, path, NULL, 3);
	if (rc == -EINVAL && !*h.fault.what)
		abort();
	if (!rc)
		rc = heap_graph(&h);
	if (!rc)
		rc = heap_dominators(&h);
	if (!rc)
		books(&h);
	heap_close(&h);
	return 0;
}
