/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_methods.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "method_id.h"

/* A method is not measured if all places in its probe sequence are taken. */
#define STEPS 64
#define TEXT  2048 /* longer names are truncated */

struct vm_place *vm_places;
atomic_uint vm_generation = 1;
static bool (*is_taken)(const char *name);

/* Offsets in the VM's structures. */
static struct {
	size_t constants_of, flags; /* Method: its ConstMethod, access flags */
	size_t pool, name, descriptor;
	size_t holder, pool_size;
	size_t class_name;
	size_t length, body;
} at;

/* ---- the VM's structures --------------------------------------------------------------------- */

static const char *load(const void *p, size_t offset)
{
	return *(const char *const *)((const char *)p + offset);
}

static uint32_t load16(const void *p, size_t offset)
{
	return *(const uint16_t *)((const char *)p + offset);
}

static uint32_t flags_of(const void *method)
{
	return *(const uint32_t *)((const char *)method + at.flags);
}

struct symbol_text {
	const char *text;
	uint32_t length;
};

static struct symbol_text symbol(const char *s)
{
	return (struct symbol_text){ s + at.body, load16(s, at.length) };
}

struct method_name {
	struct symbol_text class, name, descriptor;
};

static struct method_name name_of(const void *method)
{
	const char *constants = load(method, at.constants_of);
	const char *pool = load(constants, at.pool);
	const char *entries = pool + at.pool_size;
	uint32_t name = load16(constants, at.name), descriptor = load16(constants, at.descriptor);

	return (struct method_name){
		symbol(load(load(pool, at.holder), at.class_name)),
		symbol(load(entries, name * sizeof(void *))),
		symbol(load(entries, descriptor * sizeof(void *))),
	};
}

static void put_name(char text[TEXT], const struct method_name *n)
{
	snprintf(text, TEXT, "%.*s.%.*s%.*s", (int)n->class.length, n->class.text,
		 (int)n->name.length, n->name.text, (int)n->descriptor.length, n->descriptor.text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool is_named(uint32_t id, const char *name)
{
	return id != VM_METHOD_NONE && !strcmp(methods_get(method_number(id))->name, name);
}

/* The place's id is this method's, or that of a method that was at this address before. */
static uint32_t find_again(const void *method, uint32_t known)
{
	struct method_name n = name_of(method);
	uint32_t flags = flags_of(method);
	char text[TEXT];
	int32_t number;

	put_name(text, &n);
	if (!is_taken(text))
		return VM_METHOD_NONE;
	number = known && is_named(known - 1, text) ?
			 (int32_t)method_number(known - 1) :
			 methods_add(n.class.text, n.class.length, n.name.text, n.name.length,
				     n.descriptor.text, n.descriptor.length);
	return number < 0 ? VM_METHOD_NONE :
			    (uint32_t)method_id((uint32_t)number, flags & 0x8, flags & 0x100);
}

/* Returns a method's place, which it takes if necessary; NULL: all are taken. */
static struct vm_place *find_place(const void *method)
{
	uint32_t first = vm_place_of(method);

	for (uint32_t i = 0; i < STEPS; i++) {
		struct vm_place *p = &vm_places[(first + i) & (VM_PLACES - 1)];
		const void *is = atomic_load_explicit(&p->method, memory_order_acquire);

		if (is == method)
			return p;
		if (!is && atomic_compare_exchange_strong(&p->method, &is, method))
			return p;
		if (is == method)
			return p;
	}
	return NULL;
}

uint32_t vm_methods_find(const void *method)
{
	struct vm_place *p = find_place(method);
	uint32_t now = atomic_load_explicit(&vm_generation, memory_order_relaxed), id;
	uint64_t known, fresh;

	if (!p)
		return VM_METHOD_NONE;
	known = atomic_load_explicit(&p->known, memory_order_acquire);
	if (known && known >> 32 == now)
		return (uint32_t)known - 1;
	id = find_again(method, (uint32_t)known);
	fresh = (uint64_t)now << 32 | (uint32_t)(id + 1);
	/* Another thread may have been faster: its id is also valid. */
	if (atomic_compare_exchange_strong(&p->known, &known, fresh))
		return id;
	return (uint32_t)known - 1;
}

void vm_methods_unloaded(void)
{
	vm_generation++;
}

const char *vm_methods_init(const struct vm_image *i, bool (*takes)(const char *name))
{
	static const struct {
		const char *type, *member;
		size_t *to;
	} wanted[] = {
		{ "Method", "_constMethod", &at.constants_of },
		{ "Method", "_access_flags", &at.flags },
		{ "ConstMethod", "_constants", &at.pool },
		{ "ConstMethod", "_name_index", &at.name },
		{ "ConstMethod", "_signature_index", &at.descriptor },
		{ "ConstantPool", "_pool_holder", &at.holder },
		{ "Klass", "_name", &at.class_name },
		{ "Symbol", "_length", &at.length },
		{ "Symbol", "_body", &at.body },
	};

	for (size_t n = 0; n < sizeof(wanted) / sizeof(*wanted); n++)
		if (!vm_image_member(i, wanted[n].type, wanted[n].member, wanted[n].to))
			return "this Java VM does not export the layout of its methods";
	if (!vm_image_type_size(i, "ConstantPool", &at.pool_size))
		return "this Java VM does not export the layout of its methods";
	vm_places = mmap(NULL, VM_PLACES * sizeof(*vm_places), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vm_places == MAP_FAILED)
		return "no memory";
	is_taken = takes;
	return NULL;
}
