/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses, for programs whose structs have another size: base/sized.h. */
#include <a2n.h>
#include <pifile.h>
#include "base/sized.h"

#undef a2n_open
#undef a2n_add_map
#undef a2n_jit_lines
#undef a2n_resolve
#undef a2n_code
#undef a2n_feed_record
#undef a2n_history
#undef a2n_lines

struct a2n *a2n_open_sized(const struct a2n_options *options, size_t size)
{
	struct a2n_options own = { 0 };

	if (!options)
		return whole_a2n_open(NULL);
	options = sized_take(options, size, &own, sizeof(own));
	if (options)
		return whole_a2n_open(options);
	errno = E2BIG;
	return NULL;
}

FIRST(struct a2n *, a2n_open, const struct a2n_options *options)
{
	return a2n_open_sized(options, UP_TO(struct a2n_options, warn_arg));
}

int a2n_add_map_sized(struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map,
		      size_t size)
{
	struct a2n_map own = { 0 };

	if (!map)
		return whole_a2n_add_map(a, time, pid, NULL);
	map = sized_take(map, size, &own, sizeof(own));
	return map ? whole_a2n_add_map(a, time, pid, map) : -E2BIG;
}

FIRST(int, a2n_add_map, struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map)
{
	return a2n_add_map_sized(a, time, pid, map, UP_TO(struct a2n_map, build_id_size));
}

int a2n_jit_lines_sized(struct a2n *a, const struct a2n_jit_line *lines, size_t n, size_t size)
{
	const void *list = lines;
	void *own;
	int rc = sized_list(&list, &own, n, size, sizeof(*lines));

	if (!rc)
		rc = whole_a2n_jit_lines(a, list, n);
	free(own);
	return rc;
}

FIRST(int, a2n_jit_lines, struct a2n *a, const struct a2n_jit_line *lines, size_t n)
{
	return a2n_jit_lines_sized(a, lines, n, UP_TO(struct a2n_jit_line, file));
}

void a2n_resolve_sized(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		       struct a2n_answer *answer, size_t size)
{
	struct a2n_answer own;

	whole_a2n_resolve(a, pid, time, address, kernel,
			  sized_place(answer, size, &own, sizeof(own)));
	sized_give(answer, size, &own, sizeof(own));
}

FIRST(void, a2n_resolve, struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
      struct a2n_answer *answer)
{
	a2n_resolve_sized(a, pid, time, address, kernel, answer, UP_TO(struct a2n_answer, code));
}

bool a2n_code_sized(const struct a2n *a, uint64_t module_offset, struct a2n_code *code, size_t size)
{
	struct a2n_code own;
	bool rc = whole_a2n_code(a, module_offset, sized_place(code, size, &own, sizeof(own)));

	if (rc)
		sized_give(code, size, &own, sizeof(own));
	return rc;
}

FIRST(bool, a2n_code, const struct a2n *a, uint64_t module_offset, struct a2n_code *code)
{
	return a2n_code_sized(a, module_offset, code, UP_TO(struct a2n_code, bytes));
}

int a2n_feed_record_sized(struct a2n *a, const struct pirecord *r, size_t size)
{
	struct pirecord own = { 0 };

	if (!r)
		return whole_a2n_feed_record(a, NULL);
	r = sized_take(r, size, &own, sizeof(own));
	return r ? whole_a2n_feed_record(a, r) : -E2BIG;
}

FIRST(int, a2n_feed_record, struct a2n *a, const struct pirecord *r)
{
	return a2n_feed_record_sized(a, r, UP_TO(struct pirecord, repeats));
}

/* structs passed to callbacks */

struct taker {
	union {
		a2n_take_span span;
		a2n_take_frames frames;
	} take;
	void *arg;
	size_t size; /* of the program's struct */
	char *list;  /* of these */
	size_t room;
	bool full; /* out of memory */
};

/* Converts n structs to the program's size; NULL: no memory. */
static const void *as_taken(struct taker *t, const void *own, size_t n, size_t whole)
{
	if (n > t->room) {
		char *list = reallocarray(t->list, n, t->size);

		if (!list) {
			t->full = true;
			return NULL;
		}
		t->list = list;
		t->room = n;
	}
	for (size_t i = 0; i < n; i++)
		sized_copy(t->list, i, t->size, (const char *)own + i * whole, whole);
	return t->list;
}

static void take_span(void *arg, const struct a2n_span *span)
{
	struct taker *t = arg;
	const void *s = as_taken(t, span, 1, sizeof(*span));

	if (s)
		t->take.span(t->arg, s);
}

void a2n_history_sized(struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take, void *arg,
		       size_t size)
{
	struct taker t = { .take.span = take, .arg = arg, .size = size };
	bool same = !take || size == sizeof(struct a2n_span);

	whole_a2n_history(a, pid, address, same ? take : take_span, same ? arg : &t);
	free(t.list);
}

FIRST(void, a2n_history, struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take,
      void *arg)
{
	a2n_history_sized(a, pid, address, take, arg, UP_TO(struct a2n_span, told));
}

static void take_frames(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct taker *t = arg;
	const void *list = as_taken(t, frames, n, sizeof(*frames));

	if (list)
		t->take.frames(t->arg, i, list, n);
}

int a2n_lines_sized(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
		    size_t n, bool inlined, a2n_take_frames take, void *arg, size_t size)
{
	struct taker t = { .take.frames = take, .arg = arg, .size = size };
	bool same = !take || size == sizeof(struct a2n_frame);
	int rc = whole_a2n_lines(a, module, offsets, n, inlined, same ? take : take_frames,
				 same ? arg : &t);

	free(t.list);
	return !rc && t.full ? -ENOMEM : rc;
}

FIRST(int, a2n_lines, struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
      size_t n, bool inlined, a2n_take_frames take, void *arg)
{
	return a2n_lines_sized(a, module, offsets, n, inlined, take, arg,
			       UP_TO(struct a2n_frame, inlined));
}
