/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel as an address space: the image for all time, modules from load to unload. kallsyms has
 * no sizes, so a symbol extends to the next one of its part, but never beyond the end of kernel
 * text or of its module.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/kernel/kernel_inner.h"
#include "a2n/base/adaptive_sort.h"
#include "base/search.h"

#define PAGE 4096ull
/* Maximum size of a symbol in a part of unknown end (bpf programs, trampolines). */
#define MAX_REACH (4 * PAGE)

static bool match_part(const void *item, const void *key)
{
	/* Both are interned: compares pointers. */
	return ((const struct kernel_part *)item)->name == key;
}

struct kernel_part *kernel_part(struct kernel *k, const char *name, size_t length)
{
	const char *copy = strings_intern(k->modules->strings, name, length);
	struct kernel_part *p;
	char tagged[512];

	if (!copy)
		return NULL;
	p = table_find(&k->table, hash_u64((uintptr_t)copy), match_part, copy);
	if (p)
		return p;
	snprintf(tagged, sizeof(tagged), "[%s]", copy);
	p = arena_alloc(&k->arena, sizeof(*p));
	if (!p)
		return NULL;
	p->name = copy;
	p->module = module_named(k->modules, tagged, MODULE_KERNEL, k->machine);
	if (!p->module || table_add(&k->table, hash_u64((uintptr_t)copy), p))
		return NULL;
	module_set_none(p->module, A2N_RESULT_NO_SYMBOLS, "not in kallsyms");
	p->next = k->parts;
	k->parts = p;
	return p;
}

int kernel_open(struct kernel *k, struct modules *modules, uint32_t machine)
{
	k->modules = modules;
	k->machine = machine;
	k->image = arena_alloc(&k->arena, sizeof(*k->image));
	if (!k->image)
		return -ENOMEM;
	k->image->name = A2N_KERNEL;
	k->image->module = module_named(modules, A2N_KERNEL, MODULE_KERNEL, machine);
	k->parts = k->image;
	k->dirty = true;
	return k->image->module ? 0 : -ENOMEM;
}

void kernel_close(struct kernel *k)
{
	struct kernel_part *p;

	for (p = k->parts; p; p = p->next)
		kernel_part_free(p);
	free(k->symbols);
	free(k->linked);
	free(k->ranges);
	free(k->events);
	table_free(&k->table);
	arena_free(&k->arena);
	spaces_free(&k->spaces);
}

int kernel_event(struct kernel *k, uint64_t time, const char *name, uint64_t start, uint64_t length)
{
	struct kernel_event e = { .start = start, .length = length, .load = length != 0 };

	e.part = kernel_part(k, name, strlen(name));
	if (!e.part || array_next(k->events, k->n_events, k->room_events))
		return -ENOMEM;
	if (k->n_events && k->events[k->n_events - 1].when.time > time)
		time = k->events[k->n_events - 1].when.time;
	e.when = (struct moment){ time, k->n_events + 2 };
	e.last = length - 1 > UINT64_MAX - start ? UINT64_MAX : start + (length - 1);
	k->events[k->n_events++] = e;
	if (!e.part->any_event)
		e.part->unloaded_first = !e.load;
	e.part->any_event = true;
	k->dirty = true;
	return 0;
}

int kernel_code(struct kernel *k, uint64_t time, const char *name, uint64_t start, uint64_t length,
		bool gone)
{
	int rc = kernel_event(k, time, name, start, length);
	struct kernel_event *e = rc ? NULL : &k->events[k->n_events - 1];
	struct kernel_symbol s = { .address = start, .type = 't' };

	if (rc)
		return rc;
	e->code = true;
	e->load = !gone;
	/* Code that is unloaded existed before, even if its load was not seen. */
	if (!start || !length)
		return 0;
	s.part = e->part;
	s.name = e->part->name;
	if (array_next(k->symbols, k->n_symbols, k->room_symbols))
		return -ENOMEM;
	k->symbols[k->n_symbols++] = s;
	return 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static int by_part(const void *a, const void *b, void *arg)
{
	const struct kernel_symbol *x = a, *y = b;

	(void)arg;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->version != y->version && kernel_symbol_layer(x) != kernel_symbol_layer(y))
		return kernel_symbol_layer(x) < kernel_symbol_layer(y) ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n > m && !strcmp(s + n - m, tail);
}

/* Names that the linker script gives to positions, not to code: the end of a range has no
 * extent. */
static bool is_end(const char *name)
{
	return !strcmp(name, "_etext") || !strcmp(name, "_einittext") || !strcmp(name, "_end") ||
	       (name[0] == '_' && ends_with(name, "_end"));
}

static bool is_begin(const char *name)
{
	return !strcmp(name, "_text") || !strcmp(name, "_stext") || !strcmp(name, "_sinittext") ||
	       !strncmp(name, "__start_", 8) || (name[0] == '_' && ends_with(name, "_start"));
}

static uint8_t rank(const struct kernel_symbol *s)
{
	if (is_begin(s->name))
		return 0;
	return RANK(s->type == 'T' ? RANK_GLOBAL : s->type == 't' ? RANK_LOCAL : RANK_WEAK, 1);
}

struct layout {
	uint64_t text, etext, sinit, einit, end;
	uint64_t *all; /* every symbol's address, sorted */
	uint32_t n;
	struct kernel_range *ranges; /* by part and start; events come last at one start */
	uint32_t n_ranges;
	const struct kernel_event **code; /* by start: the first event of each code */
	uint32_t n_code;
};

static int by_snapshot(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	if (x->snapshot != y->snapshot)
		return x->snapshot < y->snapshot ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->snapshot < y->snapshot ? -1 : x->snapshot > y->snapshot;
}

static void read_ranges(struct kernel *k, struct layout *l)
{
	uint32_t i;

	/* Newer kernels add up a module's areas, so the size may reach into the next module. */
	if (k->n_ranges)
		qsort(k->ranges, k->n_ranges, sizeof(*k->ranges), by_snapshot);
	for (i = 0; i < k->n_ranges; i++) {
		struct kernel_range *r = &k->ranges[i];

		if (i + 1 < k->n_ranges && r->snapshot == r[1].snapshot && r->last >= r[1].start &&
		    r->start < r[1].start)
			r->last = r[1].start - 1;
		l->ranges[l->n_ranges++] = *r;
	}
	for (i = 0; i < k->n_events; i++) {
		const struct kernel_event *e = &k->events[i];

		e->part->ranged = true;
		e->part->newest = NULL;
		if (e->load || (e->code && e->length))
			l->ranges[l->n_ranges++] = (struct kernel_range){ e->part, e->start,
									  e->last, EVENT, NULL };
	}
	for (i = 0; i < k->n_ranges; i++)
		k->ranges[i].part->ranged = true;
	if (l->n_ranges)
		qsort(l->ranges, l->n_ranges, sizeof(*l->ranges), by_start);
}

static int by_code(const void *a, const void *b)
{
	const struct kernel_event *x = *(const struct kernel_event *const *)a;
	const struct kernel_event *y = *(const struct kernel_event *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void read_code(struct kernel *k, struct layout *l)
{
	uint32_t i, n = 0;

	for (i = 0; i < k->n_events; i++)
		if (k->events[i].code && k->events[i].length)
			l->code[n++] = &k->events[i];
	if (n)
		qsort(l->code, n, sizeof(*l->code), by_code);
	for (i = 0; i < n; i++)
		if (!l->n_code || l->code[l->n_code - 1]->start != l->code[i]->start)
			l->code[l->n_code++] = l->code[i];
}

/* Returns the last one that begins at or before address; NULL: none. */
static const struct kernel_event *find_code(const struct layout *l, uint64_t address, uint32_t *at)
{
	uint32_t low = search_sorted(i, 0, l->n_code, l->code[i]->start <= address);

	*at = low;
	return low ? l->code[low - 1] : NULL;
}

/* Does an event show when this code was loaded? Then a text read later proves nothing about the
 * time before. */
static bool came(const struct layout *l, uint64_t address)
{
	uint32_t at;
	const struct kernel_event *e = find_code(l, address, &at);

	return e && address <= e->last;
}

/* Was code whose first event is its removal there from the beginning? Not if other code was at the
 * same place. */
static bool was_there(const struct layout *l, uint32_t i)
{
	const struct kernel_event *e = l->code[i];
	uint32_t next = i + 1;

	if (e->load || (i && l->code[i - 1]->last >= e->start && l->code[i - 1] < e))
		return false;
	for (; next < l->n_code && l->code[next]->start <= e->last; next++)
		if (l->code[next] < e || next - i > 64)
			return false;
	return true;
}

static int read_layout(struct kernel *k, struct layout *l)
{
	uint32_t i;

	*l = (struct layout){ .text = UINT64_MAX };
	l->all = malloc((k->n_symbols + 1ull) * sizeof(*l->all));
	l->ranges = malloc((k->n_ranges + 1ull + k->n_events) * sizeof(*l->ranges));
	l->code = malloc((k->n_events + 1ull) * sizeof(*l->code));
	if (!l->all || !l->ranges || !l->code)
		return -ENOMEM;
	read_ranges(k, l);
	read_code(k, l);
	for (i = 0; i < k->n_symbols; i++) {
		const struct kernel_symbol *s = &k->symbols[i];

		l->all[l->n++] = s->address;
		if (s->part != k->image || s->name[0] != '_')
			continue;
		if ((!strcmp(s->name, "_text") || !strcmp(s->name, "_stext")) &&
		    s->address < l->text)
			l->text = s->address;
		else if (!strcmp(s->name, "_etext"))
			l->etext = s->address;
		else if (!strcmp(s->name, "_sinittext"))
			l->sinit = s->address;
		else if (!strcmp(s->name, "_einittext"))
			l->einit = s->address;
		else if (!strcmp(s->name, "_end"))
			l->end = s->address;
	}
	if (l->n)
		qsort(l->all, l->n, sizeof(*l->all), by_number);
	return 0;
}

/* Finds the next symbol of any part above address, at most MAX_REACH away. */
static uint64_t next_of_all(const struct layout *l, uint64_t address)
{
	uint32_t low = search_sorted(i, 0, l->n, l->all[i] <= address);
	uint64_t end = address > UINT64_MAX - MAX_REACH ? UINT64_MAX : address + MAX_REACH;

	return low < l->n && l->all[low] < end ? l->all[low] : end;
}

/* Finds the last range of this part that starts at or below address. */
static const struct kernel_range *find_range(const struct layout *l, const struct kernel_part *p,
					     uint64_t address)
{
	uint32_t low = search_sorted(i, 0, l->n_ranges,
				     l->ranges[i].part < p || (l->ranges[i].part == p &&
							       l->ranges[i].start <= address));

	return low && l->ranges[low - 1].part == p ? &l->ranges[low - 1] : NULL;
}

/* Returns the end of the range that holds this address; 0: none. */
static uint64_t range_end(const struct layout *l, const struct kernel_part *p, uint64_t address)
{
	const struct kernel_range *r = find_range(l, p, address);

	return r && address <= r->last ? r->last + (r->last != UINT64_MAX) : 0;
}

static int set_part(struct kernel *k, uint64_t start, uint64_t end, struct module *m, uint64_t base)
{
	const struct mapping mapping = { m, -base };

	if (end <= start)
		return 0;
	return space_map(&k->spaces, k->space, (struct moment){ 0, 1 }, start, end - 1, &mapping,
			 false);
}

/* Builds one table of a part; its symbols are [i, n), sorted by address. */
static int build_table(struct kernel *k, const struct layout *l, uint32_t i, uint32_t n)
{
	struct kernel_part *p = k->symbols[i].part;
	struct module *m = kernel_layer(p, kernel_symbol_layer(&k->symbols[i]));
	struct symtab tab = { 0 };
	bool image = p == k->image;
	uint64_t end = 0;
	uint32_t next = i;

	if (!m)
		return 0;
	for (; i < n; i++) {
		const struct kernel_symbol *s = &k->symbols[i];

		if (next <= i) {
			for (next = i + 1; next < n && k->symbols[next].address == s->address;)
				next++;
			end = next < n ? k->symbols[next].address : 0;
			/* In the image _etext and _einittext are ordinary symbols. */
			if (!image && p->ranged) {
				uint64_t top = range_end(l, p, s->address);

				if (!end || end > top)
					end = top;
			} else if (!image || !end) {
				end = next_of_all(l, s->address);
			}
			if (!image && !p->ranged && is_text(s->type) && !came(l, s->address) &&
			    set_part(k, s->address, end, m, 0)) {
				symtab_free(&tab);
				return -ENOMEM;
			}
		}
		if (is_text(s->type) && !is_end(s->name) && end > s->address)
			symtab_add(&tab, s->address, end - s->address, end, rank(s), s->name,
				   strlen(s->name));
	}
	if (symtab_finish(&tab)) {
		symtab_free(&tab);
		return -ENOMEM;
	}
	if (tab.n)
		module_set_none(m, A2N_RESULT_NO_SYMBOL,
				image && k->n_linked ? "its image" : "kallsyms");
	module_adopt(m, &tab);
	return 0;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static int build_image(struct kernel *k, const struct layout *l)
{
	uint64_t low = UINT64_MAX, high = 0;
	uint32_t i;
	int r;

	for (i = 0; i < k->n_symbols; i++) {
		const struct kernel_symbol *s = &k->symbols[i];

		if (s->part != k->image || !is_text(s->type))
			continue;
		if (s->address < low)
			low = s->address;
		if (s->address > high)
			high = s->address;
	}
	if (low == UINT64_MAX) /* nothing known: all of it may belong to the kernel */
		return set_part(k, 0, UINT64_MAX, k->image->module, 0);
	if (l->text == UINT64_MAX || l->etext <= l->text)
		return set_part(k, low, next_of_all(l, high), k->image->module, 0);
	r = set_part(k, l->text, l->end > l->etext ? l->end : l->etext, k->image->module, 0);
	if (!r)
		r = set_part(k, l->sinit, l->einit, k->image->module, 0);
	/* Text outside this range: vectors, entry trampolines. */
	for (i = 0; !r && i < k->n_symbols; i++) {
		const struct kernel_symbol *s = &k->symbols[i];

		if (s->part == k->image && is_text(s->type) && !is_end(s->name) &&
		    (s->address < l->text || s->address >= l->etext) && s->address >= l->end)
			r = set_part(k, s->address, next_of_all(l, s->address), k->image->module,
				     0);
	}
	return r;
}

/* Does an event define the start of this range? Only the load before a first unload has none. */
static bool has_load(const struct layout *l, const struct kernel_range *range)
{
	const struct kernel_range *r = find_range(l, range->part, range->start);

	if (!r || r->start != range->start || r->snapshot != EVENT)
		return false;
	return !range->part->unloaded_first || range->snapshot > range->part->first_snapshot;
}

/* The first event of a part is its unload: removes it from all its addresses. */
static int unmap_all(struct kernel *k, const struct layout *l, const struct kernel_event *e)
{
	uint32_t low = search_sorted(i, 0, l->n_ranges, l->ranges[i].part < e->part);
	int r = 0;

	for (; !r && low < l->n_ranges && l->ranges[low].part == e->part; low++)
		if (l->ranges[low].snapshot != EVENT)
			r = space_unmap(&k->spaces, k->space, e->when, l->ranges[low].start,
					l->ranges[low].last);
	return r;
}

/* Unmaps a loaded piece as far as it still belongs to the module: its init code is freed early, and
 * another module may be there. */
static int unmap_piece(struct kernel *k, const struct kernel_event *e,
		       const struct kernel_event *load)
{
	uint64_t at = load->start, last;
	int r = 0;

	if (k->spaces.full)
		return space_unmap(&k->spaces, k->space, e->when, load->start, load->last);
	do {
		struct mapping there = space_find(&k->spaces, k->space, MOMENT_AT(e->when.time),
						  at);

		last = k->space->hit.last < load->last ? k->space->hit.last : load->last;
		if (there.module && there.module->path == e->part->module->path)
			r = space_unmap(&k->spaces, k->space, e->when, at, last);
		at = last + 1;
	} while (!r && last != load->last);
	return r;
}

/* Unmaps all pieces that were loaded since its last unload. */
static int unmap_pieces(struct kernel *k, const struct kernel_event *e)
{
	const struct kernel_event *load;
	int r = 0;

	for (load = e->before; !r && load && load->load; load = load->before)
		r = unmap_piece(k, e, load);
	return r;
}

static int build_ranges(struct kernel *k, const struct layout *l)
{
	uint32_t i;
	int r = 0;

	for (i = 0; !r && i < k->n_ranges; i++) {
		const struct kernel_range *range = &k->ranges[i];
		const struct module *there;

		there = space_find(&k->spaces, k->space, MOMENT_AT(0), range->start).module;
		if (!has_load(l, range) && (!there || there == k->image->module))
			r = set_part(k, range->start, range->last + 1, range->module, range->start);
	}
	for (i = 0; !r && i < l->n_code; i++)
		if (was_there(l, i))
			r = set_part(k, l->code[i]->start, l->code[i]->last + 1,
				     l->code[i]->part->module, l->code[i]->start);
	for (i = 0; !r && i < k->n_events; i++) {
		struct kernel_event *e = &k->events[i];
		const struct mapping mapping = { e->code ? e->part->module : e->module, -e->start };

		e->before = e->part->newest;
		if (e->load)
			r = space_map(&k->spaces, k->space, e->when, e->start, e->last, &mapping,
				      false);
		else if (e->code)
			r = e->length ? unmap_piece(k, e, e) : 0;
		else if (!e->before)
			r = unmap_all(k, l, e);
		else
			r = unmap_pieces(k, e);
		e->part->newest = e;
	}
	return r;
}

/* Collects the loads of all parts, to determine which build each one was. */
static int find_loads(struct kernel *k, const struct layout *l)
{
	struct kernel_load *load = malloc((k->n_ranges + 1ull + k->n_events) * sizeof(*load));
	uint32_t n = 0, i;
	int r;

	if (!load)
		return -ENOMEM;
	for (i = 0; i < k->n_ranges; i++) {
		struct kernel_range *range = &k->ranges[i];

		range->module = range->part->module;
		if (!has_load(l, range))
			load[n++] = (struct kernel_load){
				range->part, range->start,    range->last,
				0,           range->snapshot, &range->module,
			};
	}
	for (i = 0; i < k->n_events; i++) {
		struct kernel_event *e = &k->events[i];

		e->module = e->part->module;
		if (e->load && !e->code)
			load[n++] = (struct kernel_load){
				e->part, e->start, e->last, i + 1, 0, &e->module,
			};
	}
	r = kernel_loads(k, load, n);
	free(load);
	return r;
}

static bool same_table(const struct kernel_symbol *a, const struct kernel_symbol *b)
{
	return a->part == b->part && kernel_symbol_layer(a) == kernel_symbol_layer(b);
}

static int build(struct kernel *k)
{
	struct layout l;
	uint32_t i, n;
	int r;

	spaces_free(&k->spaces);
	k->space = space_new(&k->spaces);
	if (!k->space || kernel_take_linked(k))
		return -ENOMEM;
	r = read_layout(k, &l);
	if (r)
		goto out;
	r = find_loads(k, &l);
	if (r)
		goto out;
	adaptive_sort(k->symbols, k->n_symbols, sizeof(*k->symbols), by_part, NULL);
	r = build_image(k, &l);
	/* Permanent parts come before modules. */
	for (i = 0; !r && i < k->n_symbols; i = n) {
		for (n = i + 1; n < k->n_symbols && same_table(&k->symbols[i], &k->symbols[n]);)
			n++;
		r = build_table(k, &l, i, n);
	}
	if (!r)
		r = build_ranges(k, &l);
	if (!k->image->module->tab.n)
		module_set_none(k->image->module, A2N_RESULT_NO_SYMBOLS,
				k->hidden ?
					"kallsyms hides its addresses (kptr_restrict, no CAP_SYSLOG)" :
					"no kallsyms");
	if (k->hidden && !k->n_linked && !k->warned)
		module_warn(k->modules, k->image->module,
			    "/proc/kallsyms hid the addresses: record, or read a perf.data, as root or with "
			    "CAP_SYSLOG, or lower kernel.kptr_restrict");
	else if (k->hidden_modules && !k->warned)
		module_warn(k->modules, k->image->module,
			    "/proc/modules hid the addresses: modules cannot be told apart");
	k->warned |= k->hidden || k->hidden_modules || k->n_linked;
out:
	free(l.all);
	free(l.ranges);
	free(l.code);
	return r;
}

struct space *kernel_space(struct kernel *k)
{
	if (k->dirty) {
		k->dirty = false;
		if (build(k)) {
			k->space = NULL; /* nothing is known */
			k->modules->no_memory = true;
		}
	}
	return k->space;
}

void kernel_resolve(struct kernel *k, uint64_t time, uint64_t address, struct a2n_answer *answer)
{
	struct mapping mapping = { NULL, 0 };

	if (kernel_space(k))
		mapping = space_at(&k->spaces, k->space, time, address);
	if (mapping.module)
		module_resolve(k->modules, mapping.module, address, mapping.delta, answer);
	else
		module_resolve(k->modules, k->modules->none, address, 0, answer);
}
