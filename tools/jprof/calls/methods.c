/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java_text.h"
#include "methods.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK 4096              /* methods: blocks do not move */
#define CHUNK ((size_t)1 << 20) /* … nor do texts */

struct chunk {
	_Atomic size_t used;
	char text[CHUNK - sizeof(size_t)];
};

static struct method *_Atomic blocks[METHODS_MOST / BLOCK];
static struct chunk *_Atomic chunk;
static atomic_uint count;

static void *new_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Returns NULL if there is no memory. The rest of a chunk that is too small is wasted. */
static char *new_text(size_t n)
{
	struct chunk *c = chunk, *more;
	size_t start;

	if (n > sizeof(c->text))
		return NULL;
	for (;;) {
		start = c ? atomic_fetch_add(&c->used, n) : sizeof(c->text);
		if (start <= sizeof(c->text) - n)
			return c->text + start;
		more = new_memory(sizeof(*more));
		if (!more)
			return NULL;
		if (atomic_compare_exchange_strong(&chunk, &c, more))
			c = more;
		else
			munmap(more, sizeof(*more));
	}
}

static struct method *block_of(uint32_t number)
{
	struct method *b = blocks[number / BLOCK], *more;

	if (b)
		return b;
	more = new_memory(BLOCK * sizeof(*more));
	if (!more || atomic_compare_exchange_strong(&blocks[number / BLOCK], &b, more))
		return more;
	munmap(more, BLOCK * sizeof(*more));
	return b;
}

/* Returns -1 if there are too many, or no memory. */
static int32_t new_number(void)
{
	uint32_t number = count;

	do {
		if (number >= METHODS_MOST || !block_of(number))
			return -1;
	} while (!atomic_compare_exchange_weak(&count, &number, number + 1));
	return (int32_t)number;
}

/* Publishes a method with this name; -1: no memory, or too many. */
static int32_t add(const char *text)
{
	int32_t number = new_number();

	if (number >= 0)
		__atomic_store_n(&blocks[(uint32_t)number / BLOCK][(uint32_t)number % BLOCK].name,
				 text, __ATOMIC_RELEASE);
	return number;
}

int32_t methods_add_name(const char *name, uint32_t length)
{
	char *text = new_text((size_t)length + 1);

	if (!text)
		return -1;
	*(char *)mempcpy(text, name, length) = 0;
	return add(text);
}

int32_t methods_add(const char *class, uint32_t class_length, const char *name,
		    uint32_t name_length, const char *descriptor, uint32_t descriptor_length)
{
	char *text = new_text((size_t)class_length + name_length + descriptor_length + 2), *p;

	if (!text)
		return -1;
	p = mempcpy(text, class, class_length);
	*p++ = '.';
	p = mempcpy(p, name, name_length);
	p = mempcpy(p, descriptor, descriptor_length);
	*p = 0;
	java_text(text);
	return add(text);
}

const struct method *methods_get(uint32_t number)
{
	return &blocks[number / BLOCK][number % BLOCK];
}

uint32_t methods_count(void)
{
	return count;
}
