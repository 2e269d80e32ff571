/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One walk over a unit's entries finds the functions, and functions inlined in them, that cover the
 * requested addresses; or all that have code. Inner entries follow outer ones, so the last one that
 * covers an address is the innermost.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/base/demangle.h"
#include "a2n/dwarf/dwarf_file.h"
#include "base/search.h"

#define MAX_DEPTH 4096
#define MAX_CHAIN 16 /* entries from a function to the one with its name */

#ifndef DW_LANG_C_plus_plus_17
#define DW_LANG_C_plus_plus_17 0x2a
#define DW_LANG_C_plus_plus_20 0x2b
#endif

struct entry { /* the attributes used, of an entry that may have code */
	uint64_t low, high, sibling;
	struct attr_value ranges, origin;
	const char *name, *linkage;
	uint32_t call_file, call_line, call_column;
	bool has_low, relative, external;
};

struct inline_walk {
	struct dwarf_unit *u;
	const uint64_t *address;
	uint32_t n;
	uint32_t *innermost;
	struct dwarf_nodes *nodes;
	struct dwarf_names *names;
	struct dwarf_ranges ranges;
	struct bytes b;
	bool nested; /* the language has nested functions */
	uint32_t depth;
	/* The node that contains an entry at this depth; when all functions are read: the number
	 * of inlined ones there, and the begin of the outermost. */
	uint32_t path[MAX_DEPTH];
	uint64_t outermost[MAX_DEPTH];
	dwarf_take_function take; /* NULL: what covers addresses is asked for */
	void *arg;
};

/* ---- names ----------------------------------------------------------------------------------- */

struct name {
	uint32_t serial;
	uint64_t offset;
	const char *name;
};

static bool match_name(const void *item, const void *key)
{
	const struct name *a = item, *b = key;

	return a->serial == b->serial && a->offset == b->offset;
}

static const char *readable(struct dwarf_names *names, const char *name)
{
	char *text = names->demangle ? demangle_symbol(name) : NULL;
	const char *kept;

	if (text)
		name = text;
	kept = strings_intern(names->strings, name, strlen(name));
	free(text);
	return kept;
}

struct wanted_name {
	const char *linkage, *plain;
};

/* Searches the entry at this offset and those that it refers to: a linkage name first, else the
 * nearest name. */
static void find_name(struct dwarf_file *f, struct dwarf_unit *u, uint64_t offset,
		      struct wanted_name *found)
{
	int chain;

	for (chain = 0; chain < MAX_CHAIN && !found->linkage; chain++) {
		struct attr_value next = { .class = ATTR_NONE };
		const struct abbrev *a;
		struct bytes b;
		uint32_t i;

		/* Packages and files with one unit have no list. */
		if (!u || offset < u->first || offset >= u->end)
			u = dwarf_unit_at(f, offset);
		if (!u || !dwarf_unit_open(u))
			return;
		b = u->part[PART_INFO];
		b.size = u->end;
		bytes_seek(&b, offset);
		a = dwarf_abbrev(u, dwarf_uleb(&b));
		if (!a || !dwarf_spend(f, a->count))
			return;
		for (i = 0; i < a->count && !b.bad; i++) {
			const struct attr *attr = &u->abbrevs->attr[a->first + i];
			struct attr_value v = dwarf_attr(u, &b, attr);

			switch (attr->name) {
			case DW_AT_linkage_name:
			case DW_AT_MIPS_linkage_name:
				found->linkage = v.string;
				break;
			case DW_AT_name:
				if (!found->plain)
					found->plain = v.string;
				break;
			case DW_AT_abstract_origin:
			case DW_AT_specification:
				next = v;
				break;
			}
		}
		if (b.bad || (next.class != ATTR_REF && next.class != ATTR_REF_ALT))
			return;
		offset = next.u;
		if (next.class == ATTR_REF_ALT) {
			f = f->alt;
			u = NULL;
			if (!f)
				return;
		}
	}
}

/* The same functions are inlined repeatedly: cache their names. */
static const char *name_of(struct inline_walk *w, const struct attr_value *ref)
{
	struct dwarf_file *f = ref->class == ATTR_REF_ALT ? w->u->file->alt : w->u->file;
	struct dwarf_unit *u = ref->class == ATTR_REF_ALT ? NULL : w->u;
	struct name key = { .offset = ref->u }, *have;
	struct wanted_name found = { NULL, NULL };
	uint64_t hash;

	if (!f)
		return NULL;
	key.serial = f->serial;
	/* Offsets are relative to a package's share: makes the key unique. */
	if (u)
		key.offset += (uint64_t)(u->part[PART_INFO].base - f->part[PART_INFO].base);
	hash = hash_u64(key.offset ^ (uint64_t)key.serial << 48);
	have = table_find(&w->names->table, hash, match_name, &key);
	if (have)
		return have->name;
	find_name(f, u, ref->u, &found);
	if (found.linkage || found.plain)
		key.name = readable(w->names, found.linkage ? found.linkage : found.plain);
	have = arena_alloc(w->names->arena, sizeof(*have));
	if (have) {
		*have = key;
		table_add(&w->names->table, hash, have);
	}
	return key.name;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void read_entry(struct inline_walk *w, const struct abbrev *a, struct entry *e)
{
	struct dwarf_unit *u = w->u;
	uint32_t i;

	*e = (struct entry){ 0 };
	for (i = 0; i < a->count && !w->b.bad; i++) {
		const struct attr *attr = &u->abbrevs->attr[a->first + i];
		struct attr_value v = dwarf_attr(u, &w->b, attr);

		switch (attr->name) {
		case DW_AT_low_pc:
			e->low = v.u;
			e->has_low = v.class == ATTR_ADDRESS;
			break;
		case DW_AT_high_pc:
			e->high = v.u;
			e->relative = v.class == ATTR_CONSTANT;
			break;
		case DW_AT_ranges:
			e->ranges = v;
			break;
		case DW_AT_abstract_origin:
		case DW_AT_specification:
			e->origin = v;
			break;
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			e->linkage = v.string;
			break;
		case DW_AT_name:
			e->name = v.string;
			break;
		case DW_AT_external:
			e->external = v.u;
			break;
		case DW_AT_call_file:
			e->call_file = (uint32_t)v.u;
			break;
		case DW_AT_call_line:
			e->call_line = (uint32_t)v.u;
			break;
		case DW_AT_call_column:
			e->call_column = (uint32_t)v.u;
			break;
		case DW_AT_sibling:
			e->sibling = v.class == ATTR_REF ? v.u : 0;
			break;
		}
	}
	if (e->relative)
		e->high += e->low;
}

/* Finds the first requested address that is not below. */
static uint32_t first_from(const struct inline_walk *w, uint64_t address)
{
	return search_sorted(i, 0, w->n, w->address[i] < address);
}

static const char *entry_name(struct inline_walk *w, const struct entry *e)
{
	const char *name = NULL;

	if (e->linkage)
		name = readable(w->names, e->linkage);
	if (!name && e->origin.class != ATTR_NONE)
		name = name_of(w, &e->origin);
	if (!name && e->name)
		name = readable(w->names, e->name);
	return name;
}

static uint32_t add_node(struct inline_walk *w, const struct entry *e, uint32_t parent)
{
	struct dwarf_nodes *nodes = w->nodes;
	struct dwarf_node node = {
		.parent = parent,
		.call_file = e->call_file,
		.call_line = e->call_line,
		.call_column = e->call_column,
		.name = entry_name(w, e),
	};

	if (array_next(nodes->list, nodes->n, nodes->room))
		return NO_NODE;
	nodes->list[nodes->n] = node;
	return nodes->n++;
}

static void read_ranges(struct inline_walk *w, const struct entry *e)
{
	w->ranges.n = 0;
	if (e->ranges.class != ATTR_NONE)
		dwarf_read_ranges(w->u, &e->ranges, &w->ranges);
	else if (e->has_low)
		dwarf_add_range(&w->ranges, e->low, e->high);
}

/* Handles a function's entry: it becomes the innermost so far of the requested addresses it covers.
 * */
static uint32_t cover(struct inline_walk *w, const struct entry *e, uint32_t parent)
{
	uint32_t node = NO_NODE, i, k, from;

	read_ranges(w, e);
	for (i = 0; i < w->ranges.n; i++) {
		const struct dwarf_range *r = &w->ranges.list[i];

		k = first_from(w, r->low);
		if (k == w->n || w->address[k] >= r->high || !dwarf_is_code(w->u->file, r->low))
			continue;
		if (node == NO_NODE)
			node = add_node(w, e, parent);
		for (from = k; k < w->n && w->address[k] < r->high; k++)
			w->innermost[k] = node;
		if (!dwarf_spend(w->u->file, k - from))
			break;
	}
	return node;
}

/* Tells of a function's entry, if it has code: how many are inlined where it is, itself with them;
 * else NO_NODE. */
static uint32_t emit_function(struct inline_walk *w, const struct entry *e, bool function,
			      uint32_t within, uint64_t *outermost)
{
	struct dwarf_function f = { .depth = function ? 0 : within + 1 };

	if (!function && within == NO_NODE)
		return NO_NODE;
	read_ranges(w, e);
	if (!w->ranges.n || !dwarf_is_code(w->u->file, w->ranges.list[0].low) ||
	    !dwarf_spend(w->u->file, w->ranges.n))
		return NO_NODE;
	f.name = entry_name(w, e);
	f.range = w->ranges.list;
	f.n = w->ranges.n;
	f.external = e->external;
	f.call_file = e->call_file;
	f.call_line = e->call_line;
	if (function)
		*outermost = w->ranges.list[0].low;
	f.outermost = *outermost;
	w->take(w->arg, &f);
	return f.depth;
}

/* Entries below these have no code of their own. */
static bool has_no_code(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_array_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return true;
	}
	return false;
}

static bool has_nested(uint64_t language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_C_plus_plus_17:
	case DW_LANG_C_plus_plus_20:
	case DW_LANG_Rust:
	case DW_LANG_ObjC_plus_plus:
		return false;
	}
	return true;
}

/* Returns the end of an entry's children, from DW_AT_sibling if present. */
static uint64_t sibling_of(struct inline_walk *w, const struct abbrev *a, struct bytes b)
{
	struct attr_value v = { .class = ATTR_NONE };
	uint32_t i;

	for (i = 0; i < a->sibling && !b.bad; i++)
		v = dwarf_attr(w->u, &b, &w->u->abbrevs->attr[a->first + i]);
	return v.class == ATTR_REF ? v.u : 0;
}

static bool one_entry(struct inline_walk *w, const struct abbrev *a)
{
	bool function = a->tag == DW_TAG_subprogram;
	bool code = function || a->tag == DW_TAG_inlined_subroutine;
	uint32_t node = w->depth ? w->path[w->depth - 1] : NO_NODE, own;
	uint64_t skip_to = 0, outermost = w->depth ? w->outermost[w->depth - 1] : 0;
	struct entry e;

	if (code) {
		read_entry(w, a, &e);
		if (w->b.bad)
			own = NO_NODE;
		else if (w->take)
			own = emit_function(w, &e, function, node, &outermost);
		else
			own = cover(w, &e, function ? NO_NODE : node);
		if (own == NO_NODE && (!function || !w->nested))
			skip_to = e.sibling;
		node = own != NO_NODE || function ? own : node;
	} else {
		if (a->children && a->sibling && has_no_code(a->tag))
			skip_to = sibling_of(w, a, w->b);
		dwarf_skip(w->u, &w->b, a);
	}
	if (!a->children || w->b.bad)
		return !w->b.bad;
	if (skip_to > w->b.at && skip_to < w->u->end)
		return bytes_seek(&w->b, skip_to);
	if (w->depth == MAX_DEPTH)
		return false;
	w->outermost[w->depth] = outermost;
	w->path[w->depth++] = node;
	return true;
}

static bool walk_all(struct inline_walk *w)
{
	while (w->b.at < w->u->end) {
		uint64_t code = dwarf_uleb(&w->b);
		const struct abbrev *a;
		size_t at = w->b.at;

		if (!code) {
			if (w->depth)
				w->depth--;
			if (!w->depth)
				return true;
			continue;
		}
		a = dwarf_abbrev(w->u, code);
		if (!a || !one_entry(w, a) || !dwarf_spend(w->u->file, w->b.at - at))
			return dwarf_fault(w->u->file, PART_INFO, at, "an entry cannot be read");
		if (!w->depth)
			return true;
	}
	return true;
}

static struct inline_walk *make_walk(struct dwarf_unit *u, struct dwarf_names *names)
{
	struct inline_walk *w = malloc(sizeof(*w));

	if (!w)
		return NULL;
	*w = (struct inline_walk){
		.u = u,
		.names = names,
		.b = u->part[PART_INFO],
		.nested = has_nested(u->language),
	};
	w->b.size = u->end;
	bytes_seek(&w->b, u->first);
	return w;
}

static void do_walk(struct inline_walk *w)
{
	walk_all(w);
	free(w->ranges.list);
	free(w);
}

bool dwarf_walk(struct dwarf_unit *u, const uint64_t *address, uint32_t n, uint32_t *innermost,
		struct dwarf_nodes *nodes, struct dwarf_names *names)
{
	struct inline_walk *w;
	uint32_t i;

	for (i = 0; i < n; i++)
		innermost[i] = NO_NODE;
	if (!dwarf_unit_open(u))
		return true;
	w = make_walk(u, names);
	if (!w)
		return false;
	w->address = address;
	w->n = n;
	w->innermost = innermost;
	w->nodes = nodes;
	do_walk(w);
	return true;
}

bool dwarf_functions(struct dwarf_unit *u, dwarf_take_function take, void *arg,
		     struct dwarf_names *names)
{
	struct inline_walk *w;

	if (!dwarf_unit_open(u))
		return true;
	w = make_walk(u, names);
	if (!w)
		return false;
	w->take = take;
	w->arg = arg;
	do_walk(w);
	return true;
}
