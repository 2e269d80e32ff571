/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hookit_text.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK ((size_t)1 << 18)

struct kept_block {
	_Atomic size_t used;
	uint8_t bytes[];
};

static struct kept_block *_Atomic current;

static struct kept_block *new_block(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Lock-free: an interrupting handler takes the next bytes, or allocates its own block. */
void *hook_keep(size_t size)
{
	const size_t room = BLOCK - sizeof(struct kept_block);
	struct kept_block *b;

	size = (size + 15) & ~(size_t)15;
	if (size > room / 4) {
		b = new_block(size + sizeof(*b));
		return b ? b->bytes : NULL;
	}
	for (;;) {
		struct kept_block *had = current, *made;

		if (had) {
			size_t at = atomic_fetch_add(&had->used, size);

			if (at + size <= room)
				return had->bytes + at;
		}
		made = new_block(BLOCK);
		if (!made)
			return NULL;
		if (!atomic_compare_exchange_strong(&current, &had, made))
			munmap(made, BLOCK);
	}
}

const char *hook_text(const char *text, size_t n)
{
	char *copy = hook_keep(n + 1);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}
