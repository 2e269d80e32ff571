/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_functions.h"

#include <sched.h>
#include <sys/mman.h>

struct hook_function *functions;
static struct hook_function *_Atomic *order; /* by number */
static atomic_uint used, numbers;

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool functions_begin(void)
{
	functions = reserve(FUNCTIONS_MOST * sizeof(*functions));
	order = reserve(FUNCTIONS_MOST * sizeof(*order));
	return functions && order;
}

struct hook_function *functions_add(uintptr_t address, bool *mine)
{
	uint32_t at = functions_start(address);

	*mine = false;
	for (;; at = (at + 1) & (FUNCTIONS_MOST - 1)) {
		struct hook_function *f = &functions[at];
		uintptr_t there = f->address;

		if (there == address)
			return f;
		if (there)
			continue;
		/* Half of the entries stay free, so that a search ends soon. */
		if (atomic_fetch_add(&used, 1) >= FUNCTIONS_MOST / 2) {
			atomic_fetch_sub(&used, 1);
			return NULL;
		}
		if (atomic_compare_exchange_strong(&f->address, &there, address)) {
			*mine = true;
			f->was = address;
			return f;
		}
		atomic_fetch_sub(&used, 1);
		if (there == address)
			return f;
	}
}

/* Completes what other threads of the parent were about to number. */
void functions_forked(void)
{
	uint32_t given = numbers, have = 0, at = 0, i;

	for (i = 0; i < given; i++) {
		if (order[i])
			order[i]->number = i + 1;
		have += order[i] != NULL;
	}
	for (i = 0; have != used && i < FUNCTIONS_MOST; i++) {
		struct hook_function *f = &functions[i];

		if (!f->address || f->number)
			continue;
		while (order[at])
			at++;
		f->was = f->address;
		order[at] = f;
		f->number = ++at;
		have++;
	}
	used = numbers = have;
}

void functions_number(struct hook_function *f)
{
	uint32_t number = atomic_fetch_add(&numbers, 1);

	order[number] = f;
	atomic_store_explicit(&f->number, number + 1, memory_order_release);
}

uint32_t functions_count(void)
{
	return numbers;
}

struct hook_function *functions_get(uint32_t number)
{
	struct hook_function *f;

	/* Another thread may have counted it and not stored it yet. */
	while (!(f = order[number]))
		sched_yield();
	return f;
}
