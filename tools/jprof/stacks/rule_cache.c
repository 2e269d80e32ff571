/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rule_cache.h"

#include <stdatomic.h>

#define ENTRIES 4096 /* a power of two */
#define WRITING 1u   /* an entry's key meanwhile: no key has bit 0 */
#define PC_BITS 47

/* Bits of a packed rule. */
#define STACK_BITS 24
#define OTHER_BITS 18

struct cached_rule {
	_Atomic uint64_t key;
	_Atomic uint64_t rule;
};

static struct cached_rule entries[ENTRIES];
static _Atomic uint64_t generation;

/* Bit 1: is_exact; above the address, the generation. */
uint64_t rule_cache_key(uint64_t pc, bool is_exact)
{
	if (!pc || pc >> PC_BITS)
		return 0;
	return pc << 2 | (uint64_t)is_exact << 1 | generation << (PC_BITS + 2);
}

static struct cached_rule *entry_of(uint64_t key)
{
	return &entries[(key * 0x9e3779b97f4a7c15ull) >> 52];
}

static bool fits(int64_t value, unsigned int bits)
{
	return value >= -(1ll << (bits - 1)) && value < 1ll << (bits - 1);
}

static uint64_t cut(int64_t value, unsigned int bits)
{
	return (uint64_t)value & ((1ull << bits) - 1);
}

static int64_t grown(uint64_t value, unsigned int at, unsigned int bits)
{
	return (int64_t)(value << (64 - at - bits)) >> (64 - bits);
}

bool rule_cache_find(uint64_t key, struct frame_rule *rule)
{
	struct cached_rule *e = entry_of(key);
	uint64_t packed;

	if (!key || atomic_load_explicit(&e->key, memory_order_acquire) != key)
		return false;
	packed = atomic_load_explicit(&e->rule, memory_order_acquire);
	/* It may have become another key's meanwhile. */
	if (atomic_load_explicit(&e->key, memory_order_relaxed) != key)
		return false;
	*rule = (struct frame_rule){
		.kind = packed & 3,
		.by_frame = packed >> 2 & 1,
		.saves_frame = packed >> 3 & 1,
		.stack = grown(packed, 4, STACK_BITS),
		.back = grown(packed, 4 + STACK_BITS, OTHER_BITS),
		.frame = grown(packed, 4 + STACK_BITS + OTHER_BITS, OTHER_BITS),
	};
	return true;
}

void rule_cache_put(uint64_t key, const struct frame_rule *rule)
{
	struct cached_rule *e = entry_of(key);
	uint64_t old = atomic_load_explicit(&e->key, memory_order_relaxed);

	if (!key || !fits(rule->stack, STACK_BITS) || !fits(rule->back, OTHER_BITS) ||
	    !fits(rule->frame, OTHER_BITS) || old & WRITING ||
	    !atomic_compare_exchange_strong(&e->key, &old, WRITING))
		return;
	atomic_store(&e->rule,
		     rule->kind | (uint64_t)rule->by_frame << 2 | (uint64_t)rule->saves_frame << 3 |
			     cut(rule->stack, STACK_BITS) << 4 |
			     cut(rule->back, OTHER_BITS) << (4 + STACK_BITS) |
			     cut(rule->frame, OTHER_BITS) << (4 + STACK_BITS + OTHER_BITS));
	atomic_store_explicit(&e->key, key, memory_order_release);
}

void rule_cache_clear(void)
{
	generation++;
}
