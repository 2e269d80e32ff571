/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/module_functions.h"
#include "base/array.h"
#include "base/keys.h"
#include "base/search.h"

/* ---- lines ----------------------------------------------------------------------------------- */

struct function_place {
	uint64_t offset;
	const char *file;
	uint32_t line;
};

/* The functions of a module. */
struct places {
	const struct a2n_module *of;
	struct function_place *list; /* by offset */
	uint32_t n, room;
};

static struct places *known;
static uint32_t n_known, room_known;

static void take_start(void *arg, uint64_t offset)
{
	struct places *p = arg;

	if (!array_next(p->list, p->n, p->room))
		p->list[p->n++] = (struct function_place){ .offset = offset };
}

static int by_offset(const void *pa, const void *pb)
{
	const struct function_place *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void take_line(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct function_place *p = &((struct places *)arg)->list[i];

	if (!n || !frames->file || !frames->line)
		return;
	p->file = frames->file;
	p->line = frames->line;
}

/* If there is no memory, no function has a line. */
static void read_places(struct a2n *names, struct places *p)
{
	uint64_t *offsets;

	inner_starts(p->of, take_start, p);
	offsets = p->n ? malloc(p->n * sizeof(*offsets)) : NULL;
	if (!offsets)
		return;
	qsort(p->list, p->n, sizeof(*p->list), by_offset);
	for (uint32_t i = 0; i < p->n; i++)
		offsets[i] = p->list[i].offset;
	(void)a2n_lines(names, p->of, offsets, p->n, false, take_line, p);
	free(offsets);
}

static const struct places *places_of(struct a2n *names, const struct a2n_module *module)
{
	for (uint32_t i = 0; i < n_known; i++)
		if (known[i].of == module)
			return &known[i];
	if (array_next(known, n_known, room_known))
		return NULL;
	known[n_known] = (struct places){ .of = module };
	read_places(names, &known[n_known]);
	return &known[n_known++];
}

const char *source_place(struct a2n *names, const struct a2n_answer *answer, uint32_t *line)
{
	const struct places *p = places_of(names, answer->module);
	uint64_t start = answer->module_offset - answer->symbol_offset;
	uint32_t i = p ? search_sorted(k, 0, p->n, p->list[k].offset < start) : 0;

	if (!p || i == p->n || p->list[i].offset != start)
		return NULL;
	*line = p->list[i].line;
	return p->list[i].file;
}

/* ---- inlined functions ----------------------------------------------------------------------- */

struct finding {
	struct inlined_list *found;
	uint32_t room;
	struct keys keys;
	int err;
};

/* A2N keeps the texts of a2n_frame: equal texts are equal pointers. */
static void take_inlined(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct finding *f = arg;
	struct inlined_list *to = f->found;
	struct inlined one = { .function = (uint32_t)i, .name = frames->function };
	uint64_t hash;

	if (n < 2 || !one.name || f->err)
		return;
	one.file = frames[1].file;
	one.line = frames[1].line;
	hash = hash_mix((uintptr_t)one.name ^ (uint64_t)one.line << 32,
			hash_mix((uintptr_t)one.file, one.function));
	if (keys_find(&f->keys, hash, to->list, e,
		      e->function == one.function && e->name == one.name && e->file == one.file &&
			      e->line == one.line) != NO_KEY)
		return;
	f->err = keys_next(&f->keys, hash, to->list, to->n, f->room);
	if (!f->err)
		to->list[to->n++] = one;
}

static int by_place(const void *pa, const void *pb)
{
	const struct inlined *a = pa, *b = pb;
	int order;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	if (!order && a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return order ? order : strcmp(a->name, b->name);
}

int source_inlined(struct a2n *names, const struct a2n_module *module, const uint64_t *offsets,
		   uint32_t n, struct inlined_list *found)
{
	struct finding f = { .found = found };
	int rc;

	*found = (struct inlined_list){ 0 };
	rc = inner_inlined(names, module, offsets, n, take_inlined, &f);
	keys_free(&f.keys);
	if (found->n)
		qsort(found->list, found->n, sizeof(*found->list), by_place);
	return f.err ? f.err : rc == -ENOMEM ? rc : 0;
}
