/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A module that is loaded again may be another build. Each text of kallsyms has the symbols of the
 * builds that were loaded when it was read; events count the loads at an address. The builds that
 * successive texts show at an address are its loads in order, if there are equally many of both.
 * Otherwise it is unknown which build was there when: then code has no names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/kernel/kernel_inner.h"
#include "base/search.h"

void kernel_part_free(struct kernel_part *p)
{
	for (uint32_t i = 0; i < p->n_versions; i++)
		free(p->version[i].mark);
	free(p->version);
	free(p->reading.mark);
	free(p->layer);
}

/* new symbols in a text */

static int by_mark(const void *a, const void *b)
{
	const struct kernel_mark *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static uint64_t lowest(const struct kernel_version *v)
{
	return v->mark[0].address;
}

static uint64_t highest(const struct kernel_version *v)
{
	return v->mark[v->n - 1].address;
}

/* Is everything of a in b? */
static bool within(const struct kernel_version *a, const struct kernel_version *b)
{
	uint32_t i, k = 0;

	for (i = 0; i < a->n && k < b->n; i++, k++) {
		while (k < b->n && by_mark(&a->mark[i], &b->mark[k]) > 0)
			k++;
		if (k == b->n || by_mark(&a->mark[i], &b->mark[k]))
			return false;
	}
	return i == a->n;
}

/* Returns the newest version at the same address. */
static uint32_t newest_there(const struct kernel_part *p, const struct kernel_version *v)
{
	uint32_t i = p->n_versions;

	while (i--)
		if (lowest(&p->version[i]) <= highest(v) && highest(&p->version[i]) >= lowest(v))
			return i;
	return NO_VERSION;
}

/* The kernel itself does not change: its lowest address represents it. */
static bool of_image(const struct kernel *k, struct kernel_part *p)
{
	if (p != k->image)
		return false;
	p->reading.n = 1;
	return true;
}

static int take_version(struct kernel *k, struct kernel_part *p)
{
	struct kernel_version *v = &p->reading;
	uint32_t old;

	p->drop = false;
	if (!v->n)
		return 0;
	qsort(v->mark, v->n, sizeof(*v->mark), by_mark);
	v->text = k->texts;
	v->layer = 0;
	v->of = NO_VERSION;
	if (!of_image(k, p) || p->n_versions) {
		old = newest_there(p, v);
		p->drop = old != NO_VERSION && within(v, &p->version[old]);
		if (old != NO_VERSION && within(&p->version[old], v))
			v->of = old;
	}
	if (!p->drop && p->n_versions == VERSIONS_MAX)
		p->drop = p->overfull = true;
	if (p->drop)
		return 0;
	if (array_next(p->version, p->n_versions, p->room_versions))
		return -ENOMEM;
	p->version[p->n_versions++] = *v;
	*v = (struct kernel_version){ 0 };
	p->room_reading = 0;
	return 0;
}

int kernel_versions(struct kernel *k, uint32_t begin)
{
	struct kernel_part *p;
	uint32_t i;

	for (p = k->parts; p; p = p->next)
		p->reading.n = 0;
	for (i = begin; i < k->n_symbols; i++) {
		const struct kernel_symbol *s = &k->symbols[i];
		struct kernel_version *v = &s->part->reading;

		if (!is_text(s->type))
			continue;
		if (s->part == k->image && v->n) {
			if (s->address < v->mark[0].address)
				v->mark[0].address = s->address;
			continue;
		}
		if (array_next(v->mark, v->n, s->part->room_reading))
			return -ENOMEM;
		v->mark[v->n++] = (struct kernel_mark){
			s->address,
			s->part == k->image ? A2N_KERNEL : s->name,
		};
	}
	for (p = k->parts; p; p = p->next)
		if (take_version(k, p))
			return -ENOMEM;
	for (i = begin; i < k->n_symbols; i++)
		if (k->symbols[i].part->n_versions)
			k->symbols[i].version = k->symbols[i].part->n_versions - 1;
	return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* All loads of a part at the same place. */
struct place {
	uint64_t start, last;
	uint32_t first, n; /* loads; those before all events count as one */
	uint64_t next;     /* start of the next place; UINT64_MAX: there is none */
	bool shared;       /* parts of it belong to another place too */
};

struct extent {
	uint64_t low, high;
};

static int by_place(const void *a, const void *b)
{
	const struct kernel_load *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static struct module *other_module(struct kernel *k, const struct kernel_part *p, uint32_t number,
				   const char *from)
{
	struct module *m = module_of_kernel(k->modules, p->module->path, number, k->machine);

	if (m)
		module_set_none(m, A2N_RESULT_NO_SYMBOLS, from);
	return m;
}

static int add_layer(struct kernel *k, struct kernel_part *p)
{
	if (!p->n_layers)
		p->n_layers = 1;
	if (array_next(p->layer, p->n_layers, p->room_layers))
		return -ENOMEM;
	p->layer[p->n_layers] = other_module(k, p, p->n_layers, "not in kallsyms");
	return p->layer[p->n_layers++] ? 0 : -ENOMEM;
}

/* Extended to all places that contain its first or last symbol: a place's last symbol extends to
 * its end. */
static struct extent extent_of(const struct kernel_version *v, const struct place *place,
			       uint32_t n)
{
	struct extent e = { lowest(v), highest(v) };

	for (uint32_t i = 0; i < n; i++) {
		if (place[i].start > highest(v) || place[i].last < lowest(v))
			continue;
		if (place[i].start < e.low)
			e.low = place[i].start;
		if (place[i].last > e.high)
			e.high = place[i].last;
	}
	return e;
}

/* Returns the first layer without symbols in the same range. */
static uint32_t free_layer(const struct kernel_part *p, const struct extent *extent, uint32_t i)
{
	bool taken[VERSIONS_MAX] = { false };
	uint32_t k;

	for (k = 0; k < i; k++)
		if (extent[k].low <= extent[i].high && extent[k].high >= extent[i].low)
			taken[p->version[k].layer] = true;
	for (k = 0; taken[k];)
		k++;
	return k;
}

static int set_layers(struct kernel *k, struct kernel_part *p, const struct place *place,
		      uint32_t n)
{
	struct extent extent[VERSIONS_MAX];

	for (uint32_t i = 0; i < p->n_versions; i++) {
		extent[i] = extent_of(&p->version[i], place, n);
		p->version[i].layer = free_layer(p, extent, i);
		while (p->version[i].layer && p->version[i].layer >= p->n_layers)
			if (add_layer(k, p))
				return -ENOMEM;
	}
	return 0;
}

/* Parts without known ranges (bpf programs): the first symbols at each address are used. */
static void set_layers_of_many(struct kernel_part *p)
{
	uint32_t i, k;

	for (i = 0; i < p->n_versions; i++) {
		p->version[i].layer = 0;
		for (k = 0; k < i; k++)
			if (lowest(&p->version[k]) == lowest(&p->version[i]))
				p->version[i].layer = NO_LAYER;
	}
}

/* ---- loads ----------------------------------------------------------------------------------- */

static bool has_code(const struct kernel_version *v, const struct place *place)
{
	uint32_t low;

	/* A module's code begins at the start of its place. */
	if (place->shared)
		return lowest(v) >= place->start && lowest(v) <= place->last &&
		       lowest(v) < place->next;
	low = search_sorted(i, 0, v->n, v->mark[i].address < place->start);
	return low < v->n && v->mark[low].address <= place->last;
}

/* Collects the builds at an address: the newest version of each, in order. */
static uint32_t builds_at(const struct kernel_part *p, const struct place *place,
			  uint32_t build[VERSIONS_MAX])
{
	uint32_t n = 0, i;

	for (i = 0; i < p->n_versions; i++) {
		if (!has_code(&p->version[i], place))
			continue;
		if (n && p->version[i].of == build[n - 1])
			build[n - 1] = i;
		else
			build[n++] = i;
	}
	return n;
}

static struct module *unsure(struct kernel *k, struct kernel_part *p)
{
	if (!p->unsure)
		p->unsure = other_module(k, p, UINT32_MAX,
					 "which build of it was there is not known");
	return p->unsure;
}

static int name_loads(struct kernel *k, struct kernel_load *load, const struct place *place)
{
	struct kernel_part *p = load[place->first].part;
	uint32_t build[VERSIONS_MAX], n = builds_at(p, place, build), number = 0, i;
	uint32_t end = place->first + place->n, loads = 0;

	for (i = place->first; i < end; i++)
		loads += i == place->first || load[i].order;
	for (i = place->first; i < end; i++) {
		bool first_text = !load[i].order && load[place->first].first == 1 && n &&
				  loads > 1 && p->version[build[0]].text == 1;
		uint32_t which = n == 1 ? 0 : number;

		/* The first build is known if the time of its end is known. */
		if (p->overfull || (n > 1 && n != loads && !first_text) || (!n && place->shared))
			*load[i].module = unsure(k, p);
		else if (n)
			*load[i].module = kernel_layer(p, p->version[build[which]].layer);
		if (!*load[i].module)
			return -ENOMEM;
		if (i + 1 < end && load[i + 1].order)
			number++;
	}
	return 0;
}

static uint32_t places_of(const struct kernel_load *load, uint32_t i, uint32_t n,
			  struct place *place)
{
	const struct kernel_part *p = load[i].part;
	uint32_t count = 0;
	uint64_t high;

	for (; i < n && load[i].part == p; i++) {
		if (!count || place[count - 1].start != load[i].start) {
			if (count)
				place[count - 1].next = load[i].start;
			place[count++] = (struct place){
				load[i].start, load[i].last, i, 0, UINT64_MAX, false,
			};
		}
		if (load[i].last > place[count - 1].last)
			place[count - 1].last = load[i].last;
		place[count - 1].n++;
	}
	for (i = 0, high = 0; i < count; i++) {
		place[i].shared = (i && place[i].start <= high) || place[i].last >= place[i].next;
		high = place[i].last > high ? place[i].last : high;
	}
	return count;
}

int kernel_loads(struct kernel *k, struct kernel_load *load, uint32_t n)
{
	struct place *place = malloc((n + 1ull) * sizeof(*place));
	struct symtab empty = { 0 };
	struct kernel_part *p;
	uint32_t i, j, count;
	int r = place ? 0 : -ENOMEM;

	for (p = k->parts; p; p = p->next) {
		set_layers_of_many(p);
		for (i = 1; i < p->n_layers; i++)
			module_adopt(p->layer[i], &empty);
	}
	if (n)
		qsort(load, n, sizeof(*load), by_place);
	for (i = 0; !r && i < n; i = place[count - 1].first + place[count - 1].n) {
		count = places_of(load, i, n, place);
		r = set_layers(k, load[i].part, place, count);
		for (j = 0; !r && j < count; j++)
			r = name_loads(k, load, &place[j]);
	}
	free(place);
	return r;
}
