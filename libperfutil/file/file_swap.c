/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Byte swapping: records by their fields (record_kinds.h), the file's own structs by shapes:
 * strings of digits, the sizes of consecutive integers; the remaining bytes are not swapped.
 */
#include <string.h>
#include "file/file_swap.h"
#include "file/record_kinds.h"

static uint8_t *swap2(uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static uint8_t *swap4(uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static uint8_t *swap8(uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

/* Swaps up to `count` integers before end. Returns the end of the swapped data. */
static uint8_t *swap_array(uint8_t *p, const uint8_t *end, size_t count, unsigned int width)
{
	for (; count && end - p >= (ptrdiff_t)width; count--)
		p = width == 8 ? swap8(p) : width == 4 ? swap4(p) : swap2(p);
	return p;
}

static uint8_t *swap_shape(uint8_t *p, const uint8_t *end, const char *shape)
{
	for (; *shape; shape++)
		p = swap_array(p, end, 1, (unsigned int)(*shape - '0'));
	return p;
}

#define swap_field(s, field) \
	swap_array((uint8_t *)&(s)->field, (uint8_t *)(&(s)->field + 1), 1, sizeof((s)->field))

void file_swap_header(struct pifile_header *h)
{
	swap_field(h, size);
	swap_field(h, version);
	swap_field(h, order);
	swap_field(h, clock);
	swap_field(h, clock_hz);
	swap_field(h, mode);
	swap_field(h, scope);
	swap_field(h, pid);
	swap_field(h, ncpus);
	swap_field(h, start_realtime);
	swap_field(h, rate);
	swap_field(h, dither);
	swap_field(h, page_size);
	swap_field(h, crc);
}

void file_swap_section(struct pifile_section *s)
{
	swap_shape((uint8_t *)s, (uint8_t *)(s + 1), "42244448888888844");
}

/* ---- records --------------------------------------------------------------------------------- */

static void swap_stack(uint8_t *p, const uint8_t *end)
{
	struct pitrace_stack s = { 0 };
	uint8_t *next = swap_shape(p, end, "222244");

	if (next - p < (ptrdiff_t)sizeof(s))
		return;
	memcpy(&s, p, sizeof(s));
	swap_array(next, end, (size_t)s.kernel + s.user + s.regs, 8);
}

static void swap_user(uint8_t *p, const uint8_t *end)
{
	struct pitrace_user u;
	uint8_t *next = swap_shape(p, end, "444422");

	if (next - p < (ptrdiff_t)sizeof(u))
		return;
	memcpy(&u, p, sizeof(u));
	next = swap_array(next, end, u.ints, 8);
	swap_array(next, end, u.strs, 4);
}

static bool has_stack(const struct pitrace_rec *r)
{
	return (r->major == PITRACE_TPROF && r->minor & PITRACE_TPROF_STACK) ||
	       (r->major == PITRACE_DISPATCH && r->minor & PITRACE_DISPATCH_STACK);
}

static void swap_struct(const struct pitrace_rec *r, uint8_t *p, const uint8_t *end)
{
	const struct record_kind *kind = record_layout(r->major, r->minor);
	const struct field *f = kind ? kind->fields : NULL;

	for (; f && f->type; f++) {
		if (f->offset + f->width > end - p)
			continue;
		if (f->type == FIELD_STACK && has_stack(r))
			swap_stack(p + f->offset, end);
		else if (f->width == 2 || f->width == 4 || f->width == 8)
			swap_array(p + f->offset, end, 1, f->width);
	}
}

static void swap_data(const struct pitrace_rec *r, uint8_t *p, const uint8_t *end)
{
	switch (r->type_len & PITRACE_TYPE_MASK) {
	case PITRACE_TYPE_U32:
		swap_array(p, end, SIZE_MAX, 4);
		break;
	case PITRACE_TYPE_U64:
		swap_array(p, end, SIZE_MAX, 8);
		break;
	case PITRACE_TYPE_MIXED:
		swap_user(p, end);
		break;
	case PITRACE_TYPE_STRUCT:
		swap_struct(r, p, end);
		break;
	}
}

static void swap_records(uint8_t *p, const uint8_t *end)
{
	struct pitrace_rec r;
	size_t length;

	while (end - p >= (ptrdiff_t)sizeof(r)) {
		swap_shape(p, end, "2244");
		memcpy(&r, p, sizeof(r));
		length = r.type_len & PITRACE_LEN_MASK;
		if (r.major == PITRACE_PAD || length < sizeof(r) || (ptrdiff_t)length > end - p)
			return;
		swap_data(&r, p + sizeof(r), p + length);
		p += length;
	}
	/* The first word of a PAD with space for no more. */
	swap_shape(p, end, "22");
}

static void swap_segment(uint8_t *p, const uint8_t *end)
{
	struct pitrace_segment h;

	if (end - p < (ptrdiff_t)sizeof(h))
		return;
	swap_shape(p, end, "42244888888");
	memcpy(&h, p, sizeof(h));
	if (h.size >= sizeof(h) && h.size <= end - p)
		swap_records(p + h.size, end);
}

void file_swap_payload(enum pifile_section_type type, void *payload, size_t size)
{
	uint8_t *p = payload, *end = p + size;

	switch (type) {
	case PIFILE_SEC_SEGMENT:
	case PIFILE_SEC_SNAPSHOT:
		swap_segment(p, end);
		break;
	case PIFILE_SEC_STATS:
		while (end - p >= (ptrdiff_t)sizeof(struct pifile_stats)) {
			uint8_t *next = p + sizeof(struct pifile_stats);

			p = swap_array(p, next, 2, 4);
			p = swap_array(p, next, PITRACE_LOST_KINDS + 6, 8);
			p = swap_array(p, next, 2, 4);
		}
		break;
	case PIFILE_SEC_FILE:
		if (size >= sizeof(struct pitrace_mte_buildid))
			swap_shape(p, end, "44844");
		break;
	case PIFILE_SEC_INDEX:
		while (end - p >= (ptrdiff_t)sizeof(struct pifile_index))
			p = swap_shape(p, end, "844");
		break;
	default:
		break; /* text, an ELF image */
	}
}
