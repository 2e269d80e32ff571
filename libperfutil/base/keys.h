/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of indices into an array that the user owns. Open addressing; each slot also has the
 * hash, so that growing never reads the elements. The caller of a lookup supplies the comparison of
 * elements.
 */
#ifndef PITRACE_KEYS_H
#define PITRACE_KEYS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

struct keys_slot {
	uint32_t hash;
	uint32_t index1; /* index + 1; 0: free */
};

/* Zeroed memory is an empty table. */
struct keys {
	struct keys_slot *slots;
	uint32_t mask; /* slots - 1; 0: no slots yet */
	uint32_t used;
};

#define NO_KEY UINT32_MAX

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull + b;

	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93ull;
	return x ^ x >> 29;
}

/* Returns the first slot of the search for a hash: for callers that prefetch it. */
static inline const struct keys_slot *keys_slot(const struct keys *t, uint64_t hash)
{
	return &t->slots[(uint32_t)hash & t->mask];
}

/*
 * Returns the index of the element `e` with this hash for which `same` is true, or NO_KEY:
 *
 * 	i = keys_find(&by_tid, hash_mix(tid, 1), thread, e, e->tid == tid);
 *
 * e is the macro's own pointer into the list.
 */
#define keys_find(table, hash_of, list, e, same)                                                 \
	({                                                                                       \
		const struct keys *keys_table_ = (table);                                        \
		const struct keys_slot *keys_slot_ = keys_table_->slots;                         \
		const uint32_t keys_hash_ = (uint32_t)(hash_of), keys_mask_ = keys_table_->mask; \
		uint32_t keys_at_ = keys_hash_ & keys_mask_, keys_found_ = NO_KEY;               \
                                                                                                 \
		if (keys_slot_) {                                                                \
			for (; keys_slot_[keys_at_].index1;                                      \
			     keys_at_ = (keys_at_ + 1) & keys_mask_) {                           \
				const typeof(*(list)) *e;                                        \
                                                                                                 \
				if (keys_slot_[keys_at_].hash != keys_hash_)                     \
					continue;                                                \
				e = &(list)[keys_slot_[keys_at_].index1 - 1];                    \
				if (same) {                                                      \
					keys_found_ = keys_slot_[keys_at_].index1 - 1;           \
					break;                                                   \
				}                                                                \
			}                                                                        \
		}                                                                                \
		keys_found_;                                                                     \
	})

/* Adds an index that is not in the table yet. 0 or -ENOMEM. */
int keys_add(struct keys *t, uint64_t hash, uint32_t index);
void keys_free(struct keys *t);

/* Makes room in the list for the n-th element and enters it in the table; the caller fills the
 * element in and counts it. 0 or -ENOMEM. */
#define keys_next(table, hash_of, list, n, room) \
	(array_next(list, n, room) ? -ENOMEM : keys_add(table, hash_of, n))

#endif
