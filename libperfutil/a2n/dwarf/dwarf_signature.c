/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One walk over a unit's entries finds the functions that begin at the requested addresses; for
 * each, the types of its parameters and of its result are followed to the base type. The registers
 * of a struct are those of the System V ABI of x86-64: each half of 16 bytes is classified
 * separately.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/dwarf/dwarf_file.h"
#include "base/search.h"

#define MAX_DEPTH   4096
#define MAX_CHAIN   32 /* of types, or of entries that refer to a function */
#define MAX_MEMBERS 64 /* that a struct of 16 bytes may have, at each depth */
#define MAX_WITHIN  8  /* nesting depth of structs */
#define HALF        8
#define LARGEST     16 /* maximum bytes that are passed in registers */
#define LONGEST     64 /* bytes of the largest vector, and elements that are counted */

/* ---- entries --------------------------------------------------------------------------------- */

struct die {
	struct dwarf_file *file;
	struct dwarf_unit *u;
	uint16_t tag;
	bool children, has_low, relative, has_size, declared;
	uint64_t after; /* offset of its first child, or of the next entry */
	uint64_t low, high, sibling, size, encoding, convention, upper, member_at;
	bool bounded, has_upper, has_member_at, is_bits, is_static;
	struct attr_value type, origin, ranges;
	const char *name;
};

static void take_attr(struct die *d, uint16_t name, struct attr_value v)
{
	switch (name) {
	case DW_AT_low_pc:
		d->low = v.u;
		d->has_low = v.class == ATTR_ADDRESS;
		break;
	case DW_AT_high_pc:
		d->high = v.u;
		d->relative = v.class == ATTR_CONSTANT;
		break;
	case DW_AT_ranges:
		d->ranges = v;
		break;
	case DW_AT_type:
		d->type = v;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		d->origin = v;
		break;
	case DW_AT_name:
		d->name = v.string;
		break;
	case DW_AT_byte_size:
		d->size = v.u;
		d->has_size = v.class == ATTR_CONSTANT;
		break;
	case DW_AT_encoding:
		d->encoding = v.u;
		break;
	case DW_AT_calling_convention:
		d->convention = v.u;
		break;
	case DW_AT_upper_bound:
	case DW_AT_count:
		d->upper = v.u + (name == DW_AT_upper_bound);
		d->has_upper = v.class == ATTR_CONSTANT;
		d->bounded = true;
		break;
	case DW_AT_data_member_location:
		d->member_at = v.u;
		d->has_member_at = v.class == ATTR_CONSTANT;
		break;
	case DW_AT_data_bit_offset:
	case DW_AT_bit_size:
		d->is_bits = true;
		if (name == DW_AT_data_bit_offset) {
			d->member_at = v.u / 8;
			d->has_member_at = v.class == ATTR_CONSTANT;
		}
		break;
	case DW_AT_external:
		d->is_static = v.u;
		break;
	case DW_AT_declaration:
		d->declared = v.u;
		break;
	case DW_AT_sibling:
		d->sibling = v.class == ATTR_REF ? v.u : 0;
		break;
	}
}

/* Reads the entry at b, which is moved past it. False: malformed; tag 0: the end of its parent's
 * children. */
static bool read_die(struct dwarf_unit *u, struct bytes *b, struct die *d)
{
	const struct abbrev *a;
	uint64_t code = dwarf_uleb(b);

	*d = (struct die){ .file = u->file, .u = u };
	if (b->bad)
		return false;
	d->after = b->at;
	if (!code)
		return true;
	a = dwarf_abbrev(u, code);
	if (!a || !dwarf_spend(u->file, 1 + a->count))
		return false;
	d->tag = a->tag;
	d->children = a->children;
	for (uint32_t i = 0; i < a->count && !b->bad; i++) {
		const struct attr *attr = &u->abbrevs->attr[a->first + i];

		take_attr(d, attr->name, dwarf_attr(u, b, attr));
	}
	d->after = b->at;
	if (d->relative)
		d->high += d->low;
	return !b->bad;
}

static struct bytes bytes_from(const struct dwarf_unit *u, uint64_t at)
{
	struct bytes b = u->part[PART_INFO];

	b.size = u->end;
	bytes_seek(&b, at);
	return b;
}

/* Reads the entry to which another one refers. */
static bool follow(const struct die *from, const struct attr_value *to, struct die *d)
{
	struct dwarf_file *f = from->file;
	struct dwarf_unit *u = from->u;
	struct bytes b;

	if (to->class == ATTR_REF_ALT) {
		f = f->alt;
		u = NULL;
	} else if (to->class != ATTR_REF) {
		return false;
	}
	if (!f)
		return false;
	/* Packages and files with one unit have no list. */
	if (!u || to->u < u->first || to->u >= u->end)
		u = dwarf_unit_at(f, to->u);
	if (!u || !dwarf_unit_open(u))
		return false;
	b = bytes_from(u, to->u);
	return read_die(u, &b, d) && d->tag;
}

/* Skips an entry and everything below it, to the next one of its parent. */
static bool skip_below(const struct die *d, struct bytes *b)
{
	struct die other;
	uint32_t depth = 1;

	if (!d->children)
		return true;
	if (d->sibling > b->at && d->sibling < d->u->end)
		return bytes_seek(b, d->sibling);
	while (depth) {
		if (!read_die(d->u, b, &other))
			return false;
		if (!other.tag)
			depth--;
		else if (other.children)
			depth++;
	}
	return true;
}

/* Returns the next child of an entry; b begins at its `after`. False: there are no more. */
static bool next_child(const struct die *parent, struct bytes *b, struct die *d)
{
	return read_die(parent->u, b, d) && d->tag && skip_below(d, b);
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_qualifier(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	}
	return false;
}

/* Returns a type without typedefs and qualifiers. False: void, or unreadable. */
static bool strip_type(const struct die *from, struct die *type)
{
	struct die at = *from;

	for (int i = 0; i < MAX_CHAIN; i++) {
		if (!follow(&at, &at.type, type))
			return false;
		if (!is_qualifier(type->tag))
			return true;
		at = *type;
	}
	return false;
}

/* The two halves of a value, and the kind of registers for each. */
struct halves {
	bool general[2], vector[2];
	bool memory, unknown;
};

/* A member that is not aligned is packed, and passed in memory. */
static void mark(struct halves *h, bool vector, uint64_t at, uint64_t size)
{
	uint64_t alignment = size & -size;

	if (!size || at >= LARGEST || size > LARGEST - at || at % alignment) {
		h->memory |= size != 0;
		return;
	}
	for (uint64_t i = at / HALF; i <= (at + size - 1) / HALF; i++)
		*(vector ? &h->vector[i] : &h->general[i]) = true;
}

static void mark_type(struct halves *h, const struct die *of, uint64_t at, int within);

static void mark_members(struct halves *h, const struct die *type, uint64_t at, int within)
{
	struct bytes b = bytes_from(type->u, type->after);
	struct die d;
	int n = 0;

	if (!type->children)
		return;
	while (next_child(type, &b, &d)) {
		bool is_union = type->tag == DW_TAG_union_type;

		if ((d.tag != DW_TAG_member && d.tag != DW_TAG_inheritance) || d.is_static)
			continue;
		if (n++ == MAX_MEMBERS || (!d.has_member_at && !is_union)) {
			h->unknown = true;
			return;
		}
		/* Bits may be anywhere. */
		if (d.is_bits)
			mark(h, false, at + d.member_at, 1);
		else
			mark_type(h, &d, at + d.member_at, within);
	}
}

/* Without a bound it is what a struct ends with, and has no elements of its own. */
static uint64_t count_of(const struct die *array)
{
	struct bytes b = bytes_from(array->u, array->after);
	uint64_t count = 1;
	struct die d;

	while (array->children && next_child(array, &b, &d))
		if (d.tag == DW_TAG_subrange_type && !d.bounded)
			count = 0;
		else if (d.tag == DW_TAG_subrange_type)
			count = d.has_upper && d.upper <= LONGEST && count <= LONGEST ?
					count * d.upper :
					UINT32_MAX;
	return count;
}

static void mark_array(struct halves *h, const struct die *array, uint64_t at, int within)
{
	struct die element;
	uint64_t count = count_of(array);

	if (count > LARGEST || !strip_type(array, &element) || !element.has_size) {
		h->memory |= count > LARGEST;
		h->unknown |= count <= LARGEST;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		mark_type(h, array, at + i * element.size, within);
}

static void mark_base(struct halves *h, const struct die *type, uint64_t at, int within)
{
	if (type->encoding == DW_ATE_complex_float) {
		mark(h, true, at, type->size / 2);
		mark(h, true, at + type->size / 2, type->size / 2);
		h->memory |= type->size > LARGEST;
	} else if (type->encoding != DW_ATE_float) {
		mark(h, false, at, type->size);
	} else if (type->size <= HALF) {
		mark(h, true, at, type->size);
	} else if (type->name && strstr(type->name, "128")) {
		mark(h, true, at, 1); /* completely in one register */
	} else {
		h->memory = true; /* x87: returned in a register, even inside a struct */
		h->unknown = within > 0;
	}
}

static void mark_type(struct halves *h, const struct die *of, uint64_t at, int within)
{
	struct die type;

	if (within == MAX_WITHIN || !strip_type(of, &type)) {
		h->unknown = true;
		return;
	}
	switch (type.tag) {
	case DW_TAG_base_type:
		mark_base(h, &type, at, within);
		break;
	case DW_TAG_enumeration_type:
		mark(h, false, at, type.size);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (type.convention == DW_CC_pass_by_reference || type.size > LARGEST)
			h->memory = true;
		else if (type.declared)
			h->unknown = true;
		else
			mark_members(h, &type, at, within + 1);
		break;
	case DW_TAG_array_type:
		mark_array(h, &type, at, within + 1);
		break;
	case DW_TAG_ptr_to_member_type:
		mark(h, false, at, type.has_size ? type.size : HALF);
		break;
	default: /* pointers, references, nullptr */
		mark(h, false, at, HALF);
		break;
	}
}

static bool is_letter(const struct die *type)
{
	return type->tag == DW_TAG_base_type && type->size == 1 &&
	       (type->encoding == DW_ATE_signed_char || type->encoding == DW_ATE_unsigned_char ||
		type->encoding == DW_ATE_UTF);
}

static enum value_kind base_kind(const struct die *type)
{
	switch (type->encoding) {
	case DW_ATE_float:
		return VALUE_FLOAT;
	case DW_ATE_signed:
		return VALUE_SIGNED;
	case DW_ATE_signed_char:
		return VALUE_CHAR;
	case DW_ATE_complex_float: /* the largest one is also returned in registers */
		return type->size > LARGEST ? VALUE_FLOAT : VALUE_OTHER;
	}
	return VALUE_UNSIGNED;
}

/* The kind of an enumeration: from its underlying type, else by C's rules: signed only if a value
 * is negative. */
static enum value_kind enumeration_kind(const struct die *type)
{
	struct die below;

	return strip_type(type, &below) && below.encoding == DW_ATE_signed ? VALUE_SIGNED :
									     VALUE_UNSIGNED;
}

static void set_kind(struct passed_type *v, const struct die *type)
{
	struct die to;

	v->size = type->has_size ? (uint32_t)type->size : HALF;
	switch (type->tag) {
	case DW_TAG_base_type:
		v->kind = (uint8_t)base_kind(type);
		break;
	case DW_TAG_enumeration_type:
		v->kind = (uint8_t)enumeration_kind(type);
		break;
	case DW_TAG_pointer_type:
		v->kind = strip_type(type, &to) && is_letter(&to) ? VALUE_TEXT : VALUE_POINTER;
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type:
		v->kind = VALUE_POINTER;
		break;
	default:
		v->kind = VALUE_OTHER;
		break;
	}
}

/* Returns the type of an entry that has one. */
static struct passed_type value_of(const struct die *of)
{
	struct passed_type v = { 0 };
	struct halves h = { 0 };
	struct die type, element;

	if (of->type.class == ATTR_NONE)
		return v;
	if (!strip_type(of, &type)) {
		v.kind = VALUE_OTHER;
		v.unknown = true;
		return v;
	}
	set_kind(&v, &type);
	/* Vectors take a whole register. */
	if (type.tag == DW_TAG_array_type) {
		v.vector = 1;
		if (strip_type(&type, &element) && element.size <= LARGEST &&
		    count_of(&type) <= LONGEST)
			v.size = (uint32_t)(count_of(&type) * element.size);
		return v;
	}
	mark_type(&h, of, 0, 0);
	v.unknown = h.unknown;
	v.memory = h.memory;
	/* The callee gets a pointer to a copy of it. */
	if (type.convention == DW_CC_pass_by_reference)
		v.general = 1;
	for (int i = 0; i < 2 && !h.memory; i++) {
		v.general += h.general[i];
		v.vector += h.vector[i] && !h.general[i];
	}
	return v;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Finds the type of an entry, or of the one to which it refers. */
static void find_type(struct die *d)
{
	struct die at = *d;

	for (int i = 0; i < MAX_CHAIN && at.type.class == ATTR_NONE; i++) {
		struct die next;

		if (!follow(&at, &at.origin, &next))
			return;
		at = next;
	}
	d->type = at.type;
	d->file = at.file;
	d->u = at.u;
}

static void read_parameters(const struct die *function, struct signature *s)
{
	struct bytes b = bytes_from(function->u, function->after);
	struct die d;

	if (!function->children)
		return;
	while (next_child(function, &b, &d)) {
		if (d.tag != DW_TAG_formal_parameter)
			continue;
		if (s->n == SIGNATURE_MOST)
			return;
		find_type(&d);
		s->parameter[s->n++] = value_of(&d);
	}
}

static void read_signature(const struct die *function, struct signature *s)
{
	struct die result = *function;

	*s = (struct signature){ .changed = function->convention == DW_CC_nocall };
	find_type(&result);
	s->result = value_of(&result);
	read_parameters(function, s);
}

/* Returns where it begins, if it has code. */
static bool begins(const struct die *d, struct dwarf_ranges *ranges, uint64_t *at)
{
	*at = d->low;
	if (d->has_low)
		return d->high > d->low && dwarf_is_code(d->file, d->low);
	ranges->n = 0;
	if (d->ranges.class != ATTR_NONE)
		dwarf_read_ranges(d->u, &d->ranges, ranges);
	if (!ranges->n)
		return false;
	*at = ranges->list[0].low;
	return dwarf_is_code(d->file, *at);
}

bool dwarf_signatures(struct dwarf_unit *u, const uint64_t *address, uint32_t n,
		      dwarf_take_signature take, void *arg)
{
	struct dwarf_ranges ranges = { 0 };
	struct signature *s;
	uint32_t depth = 0;
	struct bytes b;
	struct die d;

	if (!dwarf_unit_open(u))
		return true;
	s = malloc(sizeof(*s));
	if (!s)
		return false;
	b = bytes_from(u, u->first);
	while (b.at < u->end) {
		uint64_t at;

		if (!read_die(u, &b, &d)) {
			dwarf_fault(u->file, PART_INFO, b.at, "an entry cannot be read");
			break;
		}
		if (!d.tag) {
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		if (d.tag == DW_TAG_subprogram && begins(&d, &ranges, &at)) {
			uint32_t i = search_sorted(k, 0, n, address[k] < at);

			if (i < n && address[i] == at)
				read_signature(&d, s);
			for (; i < n && address[i] == at; i++)
				take(arg, i, s);
		}
		depth += d.children;
		if (!depth || depth == MAX_DEPTH)
			break;
	}
	free(ranges.list);
	free(s);
	return true;
}
