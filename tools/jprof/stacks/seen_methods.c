/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seen_methods.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/now.h"
#include "guarded.h"

#define PLACES     (2 * SEEN_MOST) /* a power of two */
#define STEPS      64
#define TEXT_BYTES (256u << 20)
#define NAME_MOST  1024 /* longer names are truncated */
#define LINES_MOST 16384
#define NATIVE     0x100

struct seen_place {
	_Atomic uint64_t method;
	_Atomic uint64_t known; /* number + 1 | generation << 32 */
};

static struct {
	struct seen_place *place;
	struct seen_method *_Atomic *method; /* by number */
	char *text;
	_Atomic uint64_t used; /* of text */
	atomic_uint count, generation;
	_Atomic uint64_t without_room;
} seen = { .generation = 1 };

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool seen_methods_begin(void)
{
	seen.place = reserve(PLACES * sizeof(*seen.place));
	seen.method = reserve(SEEN_MOST * sizeof(*seen.method));
	seen.text = reserve(TEXT_BYTES);
	return seen.place && seen.method && seen.text;
}

/* ---- the VM's structures --------------------------------------------------------------------- */

struct method_parts {
	uint64_t constants, pool, class;
	uint64_t text[4]; /* class, name, descriptor, file */
	uint32_t length[4];
	uint32_t flags;
};

static bool read_symbol(const struct vm_layout *l, uint64_t symbol, struct method_parts *p,
			unsigned int n)
{
	if (!symbol || !guarded_load16(symbol + l->symbol_length, &p->length[n]))
		return false;
	if (p->length[n] > NAME_MOST)
		p->length[n] = NAME_MOST;
	p->text[n] = symbol + l->symbol_body;
	return true;
}

/* Reads the constant pool's symbol whose index is stored at the address. */
static bool read_indexed(const struct vm_layout *l, uint64_t at, struct method_parts *p,
			 unsigned int n)
{
	uint32_t index, count;
	uint64_t symbol;

	return guarded_load16(at, &index) && index &&
	       guarded_load32(p->pool + l->pool_length, &count) && index < count &&
	       guarded_load(p->pool + l->pool_size + index * 8ull, &symbol) &&
	       read_symbol(l, symbol, p, n);
}

static bool read_parts(const struct vm_layout *l, uint64_t method, struct method_parts *p)
{
	uint64_t again, name;

	*p = (struct method_parts){ 0 };
	if (!method || method % 8 || !guarded_load(method + l->const_method, &p->constants) ||
	    p->constants % 8 || !guarded_load(p->constants + l->constants, &p->pool) ||
	    p->pool % 8 || !guarded_load(p->pool + l->pool_holder, &p->class) || p->class % 8 ||
	    !guarded_load(p->class + l->class_constants, &again) || again != p->pool)
		return false;
	if (!guarded_load32(method + l->access_flags, &p->flags) ||
	    !guarded_load(p->class + l->class_name, &name) || !read_symbol(l, name, p, 0) ||
	    !read_indexed(l, p->constants + l->name, p, 1) ||
	    !read_indexed(l, p->constants + l->descriptor, p, 2))
		return false;
	if (l->source_name == VM_NONE || !read_indexed(l, p->pool + l->source_name, p, 3))
		p->length[3] = 0;
	return true;
}

bool seen_methods_code(const struct vm_layout *l, uint64_t method, uint64_t *begin, uint32_t *size)
{
	uint64_t constants;

	if (!guarded_load(method + l->const_method, &constants) ||
	    !guarded_load16(constants + l->code_size, size))
		return false;
	*begin = constants + l->const_method_size;
	return true;
}

/* The line table follows the bytecode. It has an end mark; the structure's end is the bound. */
static uint64_t lines_of(const struct vm_layout *l, const struct method_parts *p, uint32_t *length)
{
	uint32_t flags, code, words;
	uint64_t begin, end;

	*length = 0;
	if (!guarded_load16(p->constants + l->const_flags, &flags) || !(flags & l->has_lines) ||
	    !guarded_load16(p->constants + l->code_size, &code) ||
	    !guarded_load32(p->constants + l->const_size, &words))
		return 0;
	begin = p->constants + l->const_method_size + code;
	end = p->constants + 8ull * words;
	if (end > begin)
		*length = end - begin < LINES_MOST ? (uint32_t)(end - begin) : LINES_MOST;
	return begin;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool is_same(const struct seen_method *m, const struct method_parts *p)
{
	const uint32_t length[] = { m->class_length, m->name_length, m->descriptor_length };
	const char *text = m->text;
	uint8_t byte;

	for (unsigned int n = 0; n < 3; n++) {
		if (length[n] != p->length[n])
			return false;
		for (uint32_t i = 0; i < length[n]; i++)
			if (!guarded_load8(p->text[n] + i, &byte) || byte != (uint8_t)*text++)
				return false;
	}
	return true;
}

static bool text_is(const char *text, uint32_t length, const char *is)
{
	return length == strlen(is) && !memcmp(text, is, length);
}

static bool is_of_continuation(const struct seen_method *m, const char *name)
{
	return text_is(m->text, m->class_length, "jdk/internal/vm/Continuation") &&
	       text_is(m->text + m->class_length, m->name_length, name);
}

static struct seen_method *copy(const struct vm_layout *l, const struct method_parts *p)
{
	uint32_t lines, size = sizeof(struct seen_method);
	uint64_t from = lines_of(l, p, &lines), at;
	struct seen_method *m;
	char *to;

	for (unsigned int n = 0; n < 4; n++)
		size += p->length[n];
	size = (size + lines + 7) & ~7u;
	at = atomic_fetch_add(&seen.used, size);
	if (at + size > TEXT_BYTES)
		return NULL;
	m = (void *)(seen.text + at);
	m->since = now_ns();
	m->class_length = p->length[0];
	m->name_length = p->length[1];
	m->descriptor_length = p->length[2];
	m->file_length = p->length[3];
	m->lines_length = lines;
	m->is_native = p->flags & NATIVE;
	to = m->text;
	for (unsigned int n = 0; n < 4; n++) {
		if (!guarded_copy(to, p->text[n], p->length[n]))
			return NULL;
		to += p->length[n];
	}
	if (lines && !guarded_copy(to, from, lines))
		m->lines_length = 0;
	m->enters_virtual = is_of_continuation(m, "enterSpecial");
	m->freezes = is_of_continuation(m, "doYield");
	return m;
}

static uint32_t add(const struct vm_layout *l, const struct method_parts *p)
{
	struct seen_method *m = copy(l, p);
	uint32_t number = m ? atomic_fetch_add(&seen.count, 1) : SEEN_MOST;

	if (number >= SEEN_MOST) {
		atomic_fetch_add(&seen.without_room, 1);
		return SEEN_NONE;
	}
	atomic_store_explicit(&seen.method[number], m, memory_order_release);
	return number;
}

static struct seen_place *find_place(uint64_t method)
{
	uint32_t first = (uint32_t)((method >> 3) * 0x9e3779b97f4a7c15 >> 40);

	for (uint32_t i = 0; i < STEPS; i++) {
		struct seen_place *p = &seen.place[(first + i) & (PLACES - 1)];
		uint64_t is = atomic_load_explicit(&p->method, memory_order_acquire);

		if (is == method)
			return p;
		if (!is && atomic_compare_exchange_strong(&p->method, &is, method))
			return p;
		if (is == method)
			return p;
	}
	return NULL;
}

/* Only validated methods get a place. */
uint32_t seen_methods_find(const struct vm_layout *l, uint64_t method)
{
	uint32_t now = atomic_load_explicit(&seen.generation, memory_order_relaxed), number;
	uint32_t at = (uint32_t)((method >> 3) * 0x9e3779b97f4a7c15 >> 40) & (PLACES - 1);
	struct seen_place *place = &seen.place[at];
	uint64_t known = atomic_load_explicit(&place->known, memory_order_acquire), fresh;
	struct method_parts p;

	if (known && known >> 32 == now &&
	    atomic_load_explicit(&place->method, memory_order_relaxed) == method)
		return (uint32_t)known - 1;
	if (!read_parts(l, method, &p))
		return SEEN_NONE;
	place = find_place(method);
	if (!place) {
		atomic_fetch_add(&seen.without_room, 1);
		return SEEN_NONE;
	}
	known = atomic_load_explicit(&place->known, memory_order_acquire);
	if (known && known >> 32 == now)
		return (uint32_t)known - 1;
	if (known && is_same(seen_methods_get((uint32_t)known - 1), &p))
		number = (uint32_t)known - 1;
	else
		number = add(l, &p);
	if (number == SEEN_NONE)
		return number;
	fresh = (uint64_t)now << 32 | (number + 1);
	/* Another thread may have added it meanwhile. */
	if (atomic_compare_exchange_strong(&place->known, &known, fresh))
		return number;
	return (uint32_t)known - 1;
}

void seen_methods_unloaded(void)
{
	atomic_fetch_add(&seen.generation, 1);
}

uint32_t seen_methods_count(void)
{
	uint32_t n = atomic_load_explicit(&seen.count, memory_order_acquire);

	return n < SEEN_MOST ? n : SEEN_MOST;
}

void seen_methods_ran(uint32_t number, unsigned int kind)
{
	struct seen_method *m = atomic_load_explicit(&seen.method[number], memory_order_acquire);

	/* Another thread may have allocated the number and not stored its method yet. */
	if (m && !(atomic_load_explicit(&m->kinds, memory_order_relaxed) >> kind & 1))
		atomic_fetch_or_explicit(&m->kinds, 1u << kind, memory_order_relaxed);
}

const struct seen_method *seen_methods_get(uint32_t number)
{
	if (number >= SEEN_MOST)
		return NULL;
	return atomic_load_explicit(&seen.method[number], memory_order_acquire);
}

uint64_t seen_methods_without_room(void)
{
	return seen.without_room;
}
