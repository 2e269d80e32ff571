/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units: headers, abbreviations, attributes, ranges of addresses. */
#include <dwarf.h>
#include <stdlib.h>

#include "a2n/dwarf/dwarf_file.h"
#include "base/search.h"

#define MAX_ATTRS 4096 /* per abbreviation */

/* ---- headers --------------------------------------------------------------------------------- */

bool dwarf_unit_header(struct dwarf_file *f, const struct bytes *part, uint64_t at,
		       struct dwarf_unit *u)
{
	struct bytes b = part[PART_INFO];
	uint64_t length;
	uint16_t version;

	*u = (struct dwarf_unit){
		.file = f,
		.part = part,
		.start = at,
		.type = DW_UT_compile,
	};
	bytes_seek(&b, at);
	length = dwarf_length(&b, &u->offset_size);
	if (b.bad || length > bytes_left(&b))
		return dwarf_fault(f, PART_INFO, at, "a unit is longer than the section");
	b.size = u->end = b.at + length;
	version = bytes_u16(&b);
	u->version = version <= 5 ? (uint8_t)version : 0;
	if (u->version >= 5) {
		u->type = bytes_u8(&b);
		u->address_size = bytes_u8(&b);
		u->abbrev_at = dwarf_sized(&b, u->offset_size);
		if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
			u->dwo_id = bytes_u64(&b);
		else if (u->type == DW_UT_type || u->type == DW_UT_split_type)
			bytes_skip(&b, 8 + u->offset_size);
	} else {
		u->abbrev_at = dwarf_sized(&b, u->offset_size);
		u->address_size = bytes_u8(&b);
	}
	u->first = b.at;
	u->bad = u->version < 2 || u->version > 5 || b.bad ||
		 (u->address_size != 4 && u->address_size != 8);
	if (u->bad)
		dwarf_fault(f, PART_INFO, at,
			    "a unit's header has an unsupported version, not 2 to 5");
	return true;
}

void dwarf_units(struct dwarf_file *f)
{
	struct dwarf_unit u;
	uint64_t at = 0;

	while (at < f->part[PART_INFO].size && dwarf_unit_header(f, f->part, at, &u)) {
		at = u.end;
		if (u.bad || u.type == DW_UT_type || u.type == DW_UT_split_type)
			continue;
		if (array_next(f->unit, f->n_units, f->room_units)) {
			dwarf_fault(f, PART_INFO, at, "out of memory");
			return;
		}
		f->unit[f->n_units++] = u;
	}
}

struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
	uint32_t low = search_sorted(i, 0, f->n_units, f->unit[i].end <= offset);

	return low < f->n_units && offset >= f->unit[low].first ? &f->unit[low] : NULL;
}

/* ---- abbreviations --------------------------------------------------------------------------- */

/* Returns the fixed size of a form, to be added to an abbreviation's size; false: it varies. */
static bool add_size(struct abbrev *a, uint16_t form)
{
	switch (form) {
	case DW_FORM_addr:
		a->addresses++;
		return true;
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		a->offsets++;
		return true;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return true;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		a->bytes += 1;
		return true;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		a->bytes += 2;
		return true;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		a->bytes += 3;
		return true;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		a->bytes += 4;
		return true;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		a->bytes += 8;
		return true;
	case DW_FORM_data16:
		a->bytes += 16;
		return true;
	}
	return false;
}

static bool read_attrs(struct abbrevs *t, struct abbrev *a, struct bytes *b)
{
	struct attr attr;

	a->fixed = true;
	while (!b->bad && a->count < MAX_ATTRS) {
		uint64_t name = dwarf_uleb(b), form = dwarf_uleb(b);

		attr = (struct attr){ .name = (uint16_t)name, .form = (uint16_t)form };
		if (form == DW_FORM_implicit_const) {
			attr.constant = t->n_constant;
			if (array_next(t->constant, t->n_constant, t->room_constant))
				return false;
			t->constant[t->n_constant++] = dwarf_sleb(b);
		}
		if (!name && !form)
			return !b->bad;
		if (name > UINT16_MAX || form > UINT16_MAX)
			return false;
		if (name == DW_AT_sibling && a->count < UINT8_MAX)
			a->sibling = (uint8_t)(a->count + 1);
		a->fixed = add_size(a, attr.form) && a->fixed;
		if (array_next(t->attr, t->n_attr, t->room_attr))
			return false;
		t->attr[t->n_attr++] = attr;
		a->count++;
	}
	return false;
}

static bool match_abbrevs(const void *item, const void *key)
{
	return ((const struct abbrevs *)item)->at == *(const uint64_t *)key;
}

static struct abbrevs *read_abbrevs(struct dwarf_unit *u, uint64_t at)
{
	struct abbrevs *t = calloc(1, sizeof(*t));
	struct bytes b = u->part[PART_ABBREV];
	struct dwarf_file *f = u->file;

	if (!t)
		return NULL;
	t->at = at;
	bytes_seek(&b, at - (uint64_t)(b.base - f->part[PART_ABBREV].base));
	while (bytes_left(&b)) {
		struct abbrev a = { .first = t->n_attr };
		size_t from = b.at;

		a.code = dwarf_uleb(&b);
		if (!a.code)
			break;
		a.tag = (uint16_t)dwarf_uleb(&b);
		a.children = bytes_u8(&b);
		if (!read_attrs(t, &a, &b)) {
			dwarf_fault(f, PART_ABBREV, from, "an abbreviation is inconsistent");
			break;
		}
		if (!dwarf_spend(f, b.at - from) || array_next(t->list, t->n, t->room))
			break;
		t->list[t->n++] = a;
	}
	return t;
}

/* Units may share a table. */
static const struct abbrevs *get_abbrevs(struct dwarf_unit *u)
{
	struct dwarf_file *f = u->file;
	uint64_t at = u->abbrev_at, hash;
	struct abbrevs *t;

	if (at >= u->part[PART_ABBREV].size) {
		dwarf_fault(f, PART_INFO, u->start, "a unit's abbreviations are out of bounds");
		return NULL;
	}
	/* In a package the offset is relative to the unit's share. */
	at += (uint64_t)(u->part[PART_ABBREV].base - f->part[PART_ABBREV].base);
	hash = hash_u64(at);
	t = table_find(&f->abbrevs, hash, match_abbrevs, &at);
	if (t)
		return t;
	t = read_abbrevs(u, at);
	if (t && table_add(&f->abbrevs, hash, t)) {
		free(t->list);
		free(t->attr);
		free(t->constant);
		free(t);
		return NULL;
	}
	return t;
}

const struct abbrev *dwarf_abbrev(struct dwarf_unit *u, uint64_t code)
{
	const struct abbrevs *t = u->abbrevs;
	uint32_t i;

	/* Abbreviations are almost always numbered in order. */
	if (code - 1 < t->n && t->list[code - 1].code == code)
		return &t->list[code - 1];
	for (i = 0; i < t->n; i++)
		if (t->list[i].code == code)
			return dwarf_spend(u->file, t->n) ? &t->list[i] : NULL;
	return NULL;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static struct attr_value string_at(const struct bytes *part, uint64_t offset)
{
	const char *s = dwarf_string(part, offset);

	return (struct attr_value){ .class = s ? ATTR_STRING : ATTR_NONE, .string = s };
}

/* Reads entry `i` of a table of numbers that begins at `base`. */
static bool indexed(const struct bytes *part, uint64_t base, uint64_t i, uint8_t size, uint64_t *v)
{
	struct bytes b = *part;

	if (i > b.size || base > b.size || !bytes_seek(&b, base + i * size))
		return false;
	*v = dwarf_sized(&b, size);
	return !b.bad;
}

static struct attr_value indexed_string(const struct dwarf_unit *u, uint64_t i)
{
	uint64_t offset;

	if (!indexed(&u->part[PART_STR_OFFSETS], u->str_offsets_base, i, u->offset_size, &offset))
		return (struct attr_value){ .class = ATTR_NONE };
	return string_at(&u->part[PART_STR], offset);
}

static struct attr_value indexed_address(const struct dwarf_unit *u, uint64_t i)
{
	const struct dwarf_unit *main = u->skeleton ? u->skeleton : u;
	struct attr_value v = { .class = ATTR_ADDRESS };

	if (!indexed(&main->part[PART_ADDR], main->addr_base, i, u->address_size, &v.u))
		v.class = ATTR_NONE;
	return v;
}

static struct attr_value shared_string(const struct dwarf_unit *u, uint64_t offset)
{
	struct attr_value none = { .class = ATTR_NONE };

	return u->file->alt ? string_at(&u->file->alt->part[PART_STR], offset) : none;
}

static uint64_t u24(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 3);

	if (!p)
		return 0;
	return b->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ?
		       (uint64_t)p[0] << 16 | p[1] << 8 | p[2] :
		       (uint64_t)p[2] << 16 | p[1] << 8 | p[0];
}

#define NUMBER(kind, value) ((struct attr_value){ .class = ATTR_##kind, .u = (value) })

static struct attr_value read_form(const struct dwarf_unit *u, struct bytes *b, uint64_t form,
				   int64_t constant, int depth);

static struct attr_value read_indirect(const struct dwarf_unit *u, struct bytes *b, int depth)
{
	uint64_t form = dwarf_uleb(b);

	if (depth > 4 || form == DW_FORM_implicit_const) {
		b->bad = true;
		return NUMBER(NONE, 0);
	}
	return read_form(u, b, form, 0, depth + 1);
}

static struct attr_value read_reference(const struct dwarf_unit *u, struct bytes *b, uint64_t form)
{
	switch (form) {
	case DW_FORM_ref1:
		return NUMBER(REF, u->start + bytes_u8(b));
	case DW_FORM_ref2:
		return NUMBER(REF, u->start + bytes_u16(b));
	case DW_FORM_ref4:
		return NUMBER(REF, u->start + bytes_u32(b));
	case DW_FORM_ref8:
		return NUMBER(REF, u->start + bytes_u64(b));
	case DW_FORM_ref_udata:
		return NUMBER(REF, u->start + dwarf_uleb(b));
	case DW_FORM_ref_addr:
		return NUMBER(REF,
			      dwarf_sized(b, u->version == 2 ? u->address_size : u->offset_size));
	case DW_FORM_GNU_ref_alt:
		return NUMBER(REF_ALT, dwarf_sized(b, u->offset_size));
	case DW_FORM_ref_sup4:
		return NUMBER(REF_ALT, bytes_u32(b));
	case DW_FORM_ref_sup8:
		return NUMBER(REF_ALT, bytes_u64(b));
	default: /* DW_FORM_ref_sig8: a type, not used */
		return NUMBER(NONE, bytes_u64(b));
	}
}

static struct attr_value read_string(const struct dwarf_unit *u, struct bytes *b, uint64_t form)
{
	size_t at = b->at;

	switch (form) {
	case DW_FORM_string: {
		struct attr_value v = string_at(b, at);

		if (v.string)
			bytes_skip(b, strlen(v.string) + 1);
		else
			b->bad = true;
		return v;
	}
	case DW_FORM_strp:
		return string_at(&u->part[PART_STR], dwarf_sized(b, u->offset_size));
	case DW_FORM_line_strp:
		return string_at(&u->part[PART_LINE_STR], dwarf_sized(b, u->offset_size));
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		return indexed_string(u, dwarf_uleb(b));
	case DW_FORM_strx1:
		return indexed_string(u, bytes_u8(b));
	case DW_FORM_strx2:
		return indexed_string(u, bytes_u16(b));
	case DW_FORM_strx3:
		return indexed_string(u, u24(b));
	case DW_FORM_strx4:
		return indexed_string(u, bytes_u32(b));
	default: /* DW_FORM_strp_sup, DW_FORM_GNU_strp_alt */
		return shared_string(u, dwarf_sized(b, u->offset_size));
	}
}

static struct attr_value read_block(struct bytes *b, uint64_t length)
{
	bytes_skip(b, length);
	return NUMBER(NONE, 0);
}

static struct attr_value read_form(const struct dwarf_unit *u, struct bytes *b, uint64_t form,
				   int64_t constant, int depth)
{
	switch (form) {
	case DW_FORM_addr:
		return NUMBER(ADDRESS, dwarf_sized(b, u->address_size));
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		return indexed_address(u, dwarf_uleb(b));
	case DW_FORM_addrx1:
		return indexed_address(u, bytes_u8(b));
	case DW_FORM_addrx2:
		return indexed_address(u, bytes_u16(b));
	case DW_FORM_addrx3:
		return indexed_address(u, u24(b));
	case DW_FORM_addrx4:
		return indexed_address(u, bytes_u32(b));
	case DW_FORM_data1:
	case DW_FORM_flag:
		return NUMBER(CONSTANT, bytes_u8(b));
	case DW_FORM_data2:
		return NUMBER(CONSTANT, bytes_u16(b));
	case DW_FORM_data4:
		return NUMBER(CONSTANT, bytes_u32(b));
	case DW_FORM_data8:
		return NUMBER(CONSTANT, bytes_u64(b));
	case DW_FORM_sdata:
		return NUMBER(CONSTANT, (uint64_t)dwarf_sleb(b));
	case DW_FORM_udata:
		return NUMBER(CONSTANT, dwarf_uleb(b));
	case DW_FORM_loclistx:
		return NUMBER(NONE, dwarf_uleb(b));
	case DW_FORM_implicit_const:
		return NUMBER(CONSTANT, (uint64_t)constant);
	case DW_FORM_flag_present:
		return NUMBER(CONSTANT, 1);
	case DW_FORM_sec_offset:
		return NUMBER(OFFSET, dwarf_sized(b, u->offset_size));
	case DW_FORM_rnglistx:
		return NUMBER(RNGLIST, dwarf_uleb(b));
	case DW_FORM_data16:
		return read_block(b, 16);
	case DW_FORM_block1:
		return read_block(b, bytes_u8(b));
	case DW_FORM_block2:
		return read_block(b, bytes_u16(b));
	case DW_FORM_block4:
		return read_block(b, bytes_u32(b));
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return read_block(b, dwarf_uleb(b));
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_strp_alt:
		return read_string(u, b, form);
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return read_reference(u, b, form);
	case DW_FORM_indirect:
		return read_indirect(u, b, depth);
	}
	b->bad = true;
	return NUMBER(NONE, 0);
}

struct attr_value dwarf_attr(const struct dwarf_unit *u, struct bytes *b, const struct attr *attr)
{
	int64_t constant = 0;

	if (attr->form == DW_FORM_implicit_const)
		constant = u->abbrevs->constant[attr->constant];
	return read_form(u, b, attr->form, constant, 0);
}

bool dwarf_skip(const struct dwarf_unit *u, struct bytes *b, const struct abbrev *a)
{
	uint32_t i;

	if (a->fixed)
		return bytes_skip(b, a->bytes + (size_t)a->addresses * u->address_size +
					     (size_t)a->offsets * u->offset_size);
	for (i = 0; i < a->count && !b->bad; i++)
		dwarf_attr(u, b, &u->abbrevs->attr[a->first + i]);
	return !b->bad;
}

/* ---- a unit's own entry ---------------------------------------------------------------------- */

/* Reads the bases first, because its other attributes need them, wherever they are. */
static void read_bases(struct dwarf_unit *u, struct bytes b, const struct abbrev *a)
{
	uint8_t header = u->offset_size == 8 ? 16 : 8;
	bool split = u->skeleton != NULL;
	uint32_t i;

	u->str_offsets_base = split && u->version >= 5 ? header : 0;
	u->rnglists_base = split ? header + 4 : 0;
	for (i = 0; i < a->count && !b.bad; i++) {
		const struct attr *attr = &u->abbrevs->attr[a->first + i];
		struct attr_value v = dwarf_attr(u, &b, attr);

		switch (attr->name) {
		case DW_AT_str_offsets_base:
			u->str_offsets_base = v.u;
			break;
		case DW_AT_addr_base:
		case DW_AT_GNU_addr_base:
			u->addr_base = v.u;
			break;
		case DW_AT_rnglists_base:
			u->rnglists_base = v.u;
			break;
		case DW_AT_GNU_ranges_base:
			u->ranges_base = v.u;
			break;
		}
	}
}

static void read_unit_attr(struct dwarf_unit *u, struct bytes *b, const struct attr *attr,
			   bool *relative)
{
	struct attr_value v = dwarf_attr(u, b, attr);

	switch (attr->name) {
	case DW_AT_low_pc:
		u->low = v.u;
		u->has_low = v.class == ATTR_ADDRESS;
		break;
	case DW_AT_high_pc:
		u->high = v.u;
		*relative = v.class == ATTR_CONSTANT;
		break;
	case DW_AT_ranges:
		u->ranges = v;
		break;
	case DW_AT_stmt_list:
		u->lines_at = v.u;
		u->has_lines = v.class == ATTR_OFFSET || v.class == ATTR_CONSTANT;
		break;
	case DW_AT_language:
		u->language = v.u;
		break;
	case DW_AT_name:
		u->name = v.string;
		break;
	case DW_AT_comp_dir:
		u->folder = v.string;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		u->dwo_name = v.string;
		break;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v.u;
		break;
	}
}

bool dwarf_unit_open(struct dwarf_unit *u)
{
	struct bytes b = u->part[PART_INFO];
	const struct abbrev *a = NULL;
	bool relative = false;
	uint32_t i;

	if (u->opened || u->bad)
		return !u->bad;
	u->opened = u->bad = true;
	u->abbrevs = get_abbrevs(u);
	if (!u->abbrevs)
		return false;
	b.size = u->end;
	bytes_seek(&b, u->first);
	a = dwarf_abbrev(u, dwarf_uleb(&b));
	if (!a)
		return dwarf_fault(u->file, PART_INFO, u->first, "an entry has no abbreviation");
	read_bases(u, b, a);
	for (i = 0; i < a->count && !b.bad; i++)
		read_unit_attr(u, &b, &u->abbrevs->attr[a->first + i], &relative);
	if (b.bad)
		return dwarf_fault(u->file, PART_INFO, b.at, "a unit's attributes cannot be read");
	if (relative)
		u->high += u->low;
	u->has_ranges = u->ranges.class != ATTR_NONE || (u->has_low && u->high > u->low);
	u->bad = false;
	return true;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Before DWARF 5: pairs, relative to a base. */
static void read_pairs(const struct dwarf_unit *u, uint64_t at, struct dwarf_ranges *to)
{
	const struct dwarf_unit *main = u->skeleton ? u->skeleton : u;
	struct bytes b = main->part[PART_RANGES];
	uint64_t base = main->has_low ? main->low : 0, low, high;
	uint64_t last = u->address_size == 4 ? UINT32_MAX : UINT64_MAX;

	for (bytes_seek(&b, at); !b.bad;) {
		low = dwarf_sized(&b, u->address_size);
		high = dwarf_sized(&b, u->address_size);
		if (b.bad || (!low && !high) || !dwarf_spend(u->file, 16))
			break;
		if (low == last)
			base = high;
		else if (!dwarf_add_range(to, base + low, base + high))
			return;
	}
	if (b.bad)
		dwarf_fault(main->file, PART_RANGES, at, "a list of ranges is out of bounds");
}

/* DWARF 5: a list of entries of several kinds. */
static void read_list(const struct dwarf_unit *u, uint64_t at, struct dwarf_ranges *to)
{
	const struct dwarf_unit *main = u->skeleton ? u->skeleton : u;
	struct bytes b = u->part[PART_RNGLISTS];
	uint64_t base = main->has_low ? main->low : 0, low = 0, high = 0;

	bytes_seek(&b, at);
	while (!b.bad && dwarf_spend(u->file, 4)) {
		switch (bytes_u8(&b)) {
		case DW_RLE_end_of_list:
			if (!b.bad)
				return;
			break;
		case DW_RLE_base_addressx:
			base = indexed_address(u, dwarf_uleb(&b)).u;
			continue;
		case DW_RLE_startx_endx:
			low = indexed_address(u, dwarf_uleb(&b)).u;
			high = indexed_address(u, dwarf_uleb(&b)).u;
			break;
		case DW_RLE_startx_length:
			low = indexed_address(u, dwarf_uleb(&b)).u;
			high = low + dwarf_uleb(&b);
			break;
		case DW_RLE_offset_pair:
			low = base + dwarf_uleb(&b);
			high = base + dwarf_uleb(&b);
			break;
		case DW_RLE_base_address:
			base = dwarf_sized(&b, u->address_size);
			continue;
		case DW_RLE_start_end:
			low = dwarf_sized(&b, u->address_size);
			high = dwarf_sized(&b, u->address_size);
			break;
		case DW_RLE_start_length:
			low = dwarf_sized(&b, u->address_size);
			high = low + dwarf_uleb(&b);
			break;
		default:
			b.bad = true;
		}
		if (!b.bad && !dwarf_add_range(to, low, high))
			return;
	}
	if (b.bad)
		dwarf_fault(u->file, PART_RNGLISTS, at, "a list of ranges cannot be read");
}

void dwarf_read_ranges(const struct dwarf_unit *u, const struct attr_value *value,
		       struct dwarf_ranges *to)
{
	uint64_t at = value->u;

	if (value->class == ATTR_RNGLIST) {
		if (!indexed(&u->part[PART_RNGLISTS], u->rnglists_base, at, u->offset_size, &at)) {
			dwarf_fault(u->file, PART_RNGLISTS, u->rnglists_base,
				    "a list of ranges is out of bounds");
			return;
		}
		read_list(u, u->rnglists_base + at, to);
	} else if (value->class == ATTR_OFFSET || value->class == ATTR_CONSTANT) {
		if (u->version >= 5)
			read_list(u, at, to);
		else
			read_pairs(u, at + (u->skeleton ? u->skeleton->ranges_base : 0), to);
	}
}
