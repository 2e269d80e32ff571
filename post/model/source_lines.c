/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spots are indexed by (symbol, address), the symbols shown for them by (symbol, file, line). */
#include "model/source_lines.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 64 /* at one address: deeper ones are dropped */

/* Returns whether code may have lines: files, and generated code with debug information (which has
 * no inlined functions). */
static bool has_lines(const struct source_lines *l, const struct a2n_answer *answer)
{
	if (!lines_wanted(l))
		return false;
	if (!strcmp(answer->module->name, A2N_JITCODE))
		return answer->result == A2N_OK && l->by_line;
	return answer->module->name[0] == '/' || answer->module->name[0] == '[';
}

uint32_t lines_spot(struct source_lines *l, uint32_t symbol, const struct a2n_answer *answer,
		    bool kernel)
{
	bool lineless = kernel || !has_lines(l, answer);
	struct symbol spot;
	uint64_t hash;
	uint32_t i;

	if (symbol == NO_KEY || (lineless && !l->places))
		return symbol;
	spot = l->symbols->symbol[symbol];
	spot.base = symbol;
	spot.at = answer->module_offset;
	spot.is_spot = true;
	spot.lineless = lineless;
	hash = hash_mix(spot.at, spot.base);
	i = keys_find(&l->by_spot, hash, l->symbols->symbol, e,
		      e->base == spot.base && e->at == spot.at);
	if (i != NO_KEY)
		return i;
	i = symbols_add(l->symbols, &spot);
	return i == NO_KEY || keys_add(&l->by_spot, hash, i) ? NO_KEY : i;
}

static uint32_t get_shown(struct source_lines *l, const struct symbol *s)
{
	uint64_t hash = hash_mix((uintptr_t)s->name ^ (uint64_t)s->base << 32,
				 hash_mix((uintptr_t)s->file, s->line) ^ s->inlined);
	uint32_t i = keys_find(&l->by_shown, hash, l->symbols->symbol, e,
			       e->name == s->name && e->module == s->module &&
				       (e->base == s->base ||
					(s->base == NO_KEY && e == &l->symbols->symbol[e->base])) &&
				       e->file == s->file && e->line == s->line &&
				       e->inlined == s->inlined);

	if (i != NO_KEY)
		return i;
	i = symbols_add(l->symbols, s);
	return i == NO_KEY || keys_add(&l->by_shown, hash, i) ? NO_KEY : i;
}

/* Returns the symbol of an inlined function: one per module, regardless of its callers. */
static uint32_t get_inlined(struct source_lines *l, uint32_t module, const char *name)
{
	static const char unknown[] = A2N_UNKNOWN;
	struct symbol s = {
		.name = name ? name : unknown,
		.module = module,
		.result = A2N_OK,
		.inlined = true,
		.base = NO_KEY,
	};

	return get_shown(l, &s);
}

struct finishing {
	struct source_lines *lines;
	const uint32_t *spot; /* spots of the module, in the order of the addresses looked up */
	bool no_memory;
};

static bool add_frame(struct source_lines *l, uint32_t spot, uint32_t base,
		      const struct a2n_frame *f)
{
	uint32_t shown = base;

	if (l->by_line && base != NO_KEY) {
		struct symbol s = l->symbols->symbol[base];

		s.base = base;
		s.file = f->file;
		s.line = f->line;
		shown = get_shown(l, &s);
	}
	if (shown == NO_KEY || array_next(l->frame, l->nframe, l->room_frame))
		return false;
	l->frame[l->nframe++] = shown;
	l->symbols->symbol[spot].frames++;
	return true;
}

static void take_frames(void *arg, size_t i, const struct a2n_frame *frames, size_t count)
{
	struct finishing *f = arg;
	struct source_lines *l = f->lines;
	uint32_t spot = f->spot[i], base;
	size_t k;

	l->symbols->symbol[spot].first_frame = l->nframe;
	for (k = 0; k < count && !f->no_memory; k++) {
		if (k >= MAX_FRAMES && k + 1 < count)
			continue;
		base = frames[k].inlined ?
			       get_inlined(l, l->symbols->symbol[spot].module, frames[k].function) :
			       l->symbols->symbol[spot].base;
		f->no_memory = !add_frame(l, spot, base, &frames[k]);
	}
}

/* Looks up the spots of one module. */
static int finish_module(struct source_lines *l, const uint32_t *spot, uint32_t count)
{
	const struct a2n_symbol *s = l->symbols->symbol[spot[0]].a2n;
	uint64_t *address = malloc(count * sizeof(*address));
	struct finishing f = { .lines = l, .spot = spot };
	uint32_t i;
	int rc;

	if (!address)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		address[i] = l->symbols->symbol[spot[i]].at;
	rc = a2n_lines(l->a2n, s->module, address, count, l->inlined, take_frames, &f);
	free(address);
	return rc == -ENOMEM || f.no_memory ? -ENOMEM : 0;
}

static int by_module(const void *pa, const void *pb, void *arg)
{
	const struct symbol *symbol = arg;
	const struct symbol *a = &symbol[*(const uint32_t *)pa];
	const struct symbol *b = &symbol[*(const uint32_t *)pb];

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

int lines_finish(struct source_lines *l)
{
	const struct symbols *symbols = l->symbols;
	uint32_t *spot, count = 0, i, end;
	int rc = 0;

	if (!lines_wanted(l))
		return 0;
	l->begun = true;
	spot = malloc(((size_t)symbols->count + 1) * sizeof(*spot));
	if (!spot)
		return -ENOMEM;
	for (i = 0; i < symbols->count; i++)
		if (symbols->symbol[i].is_spot && !symbols->symbol[i].lineless)
			spot[count++] = i;
	qsort_r(spot, count, sizeof(*spot), by_module, symbols->symbol);
	for (i = 0; i < count && !rc; i = end) {
		uint32_t module = symbols->symbol[spot[i]].module;

		for (end = i; end < count && symbols->symbol[spot[end]].module == module; end++)
			;
		rc = finish_module(l, spot + i, end - i);
	}
	free(spot);
	return rc;
}

uint32_t lines_shown(const struct source_lines *l, uint32_t symbol, const uint32_t **list)
{
	const struct symbol *s = &l->symbols->symbol[symbol];

	if (s->is_spot && s->frames) {
		*list = &l->frame[s->first_frame];
		return s->frames;
	}
	/* Without an answer: the symbol without a line. */
	*list = &s->base;
	return 1;
}

void lines_begin(struct source_lines *l, struct symbols *symbols, struct a2n *a2n)
{
	*l = (struct source_lines){ .symbols = symbols, .a2n = a2n };
}

void lines_free(struct source_lines *l)
{
	keys_free(&l->by_spot);
	keys_free(&l->by_shown);
	free(l->frame);
	*l = (struct source_lines){ 0 };
}
