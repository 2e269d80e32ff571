/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scopes.h"

#include "guarded.h"

#define BYTES_MOST 5
#define LARGE      192 /* another byte follows a byte of at least this value */
#define PLACES     (1u << 20)

struct tables {
	uint64_t pcs, pcs_end, scopes, methods;
};

bool scopes_number(const struct vm_layout *l, uint64_t *at, uint32_t *to)
{
	uint32_t sum = 0;
	uint8_t byte;

	for (unsigned int i = 0; i < BYTES_MOST; i++) {
		if (!guarded_load8((*at)++, &byte) || byte < l->excluded)
			return false;
		sum += (byte - l->excluded) << 6 * i;
		if (byte < LARGE)
			break;
	}
	*to = sum;
	return true;
}

static bool tables_of(const struct vm_layout *l, const struct code_blob *b, struct tables *t)
{
	uint32_t pcs, end, other;
	uint64_t base = b->blob;

	if (!guarded_load32(b->blob + l->pcs, &pcs))
		return false;
	if (l->scopes_begin != VM_NONE) {
		if (!guarded_load32(b->blob + l->pcs_end, &end) ||
		    !guarded_load(b->blob + l->scopes_begin, &t->scopes) ||
		    !guarded_load32(b->blob + l->metadata_offset, &other))
			return false;
		t->methods = base + other;
	} else {
		if (!guarded_load(b->blob + l->immutable_data, &base) ||
		    !guarded_load32(b->blob + l->scopes_offset, &end) ||
		    !guarded_load(b->blob + l->mutable_data, &t->methods) ||
		    !guarded_load32(b->blob + l->relocation_size, &other))
			return false;
		t->scopes = base + end;
		t->methods += other;
	}
	t->pcs = base + pcs;
	t->pcs_end = base + end;
	return t->pcs < t->pcs_end && (t->pcs_end - t->pcs) / l->pc_size < PLACES;
}

/* Finds the first record at or after the offset. */
static bool find_place(const struct vm_layout *l, const struct tables *t, uint32_t offset,
		       uint32_t *scope)
{
	uint64_t low = 0, high = (t->pcs_end - t->pcs) / l->pc_size, count = high;
	uint32_t value;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!guarded_load32(t->pcs + middle * l->pc_size + l->pc_offset, &value))
			return false;
		if ((int32_t)value < (int32_t)offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && guarded_load32(t->pcs + low * l->pc_size + l->pc_scope, scope);
}

unsigned int scopes_of(const struct vm_layout *l, const struct code_blob *b, uint64_t pc,
		       struct scope scope[SCOPES_MOST])
{
	uint32_t at, index, bytecode;
	unsigned int n = 0;
	struct tables t;

	if (!tables_of(l, b, &t) || !find_place(l, &t, (uint32_t)(pc - b->begin), &at))
		return 0;
	while (at && n < SCOPES_MOST) {
		uint64_t from = t.scopes + at;

		if (!scopes_number(l, &from, &at) || !scopes_number(l, &from, &index) || !index ||
		    !scopes_number(l, &from, &bytecode) ||
		    !guarded_load(t.methods + (index - 1) * 8ull, &scope[n].method))
			return n;
		/* -1, written as 0, is the entry. */
		scope[n++].bytecode = bytecode ? bytecode - 1 : 0;
	}
	return n;
}
